"""Aggregation neurons: what becomes of the rule neurons of one rule and one head atom.

The mean, as in the paper, tells the share of groundings that hold, and not how many there are. The sum divided by the
square root of their number, which is the mean times that root, tells both.
"""

from __future__ import annotations

import numpy as np


def size_factor(aggregation: str, groundings: np.ndarray) -> np.ndarray:
    """What the mean over so many groundings is multiplied by."""
    return np.sqrt(groundings) if aggregation == "sqrt" else np.ones(np.shape(groundings))


def depends_on_size(aggregation: str) -> bool:
    """Whether twice the same groundings are aggregated to another value than once."""
    return aggregation != "mean"

"""Losses of one query: output y, target t. Each function gives values and derivatives by y."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

SMALLEST = 1e-15
"""Outputs are kept this far from 0 and 1 in the log loss."""

Loss = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def squared(output: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(y - t)^2, not halved."""
    difference = output - target
    return difference**2, 2.0 * difference


def log(output: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """-(t log y + (1 - t) log(1 - y))."""
    y = np.clip(output, SMALLEST, 1.0 - SMALLEST)
    return -(target * np.log(y) + (1.0 - target) * np.log1p(-y)), (y - target) / (y * (1.0 - y))


LOSSES: dict[str, Loss] = {"squared": squared, "log": log}

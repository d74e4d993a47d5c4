"""Losses of one query: output y, target t. The slope is the derivative by y.

Functions take arrays as well as numbers, so that compiled code is made from them, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

SMALLEST = 1e-15
"""Outputs are kept this far from 0 and 1 in the log loss."""

Numbers = Any
"""An array or a number."""
Function = Callable[[Numbers, Numbers], Numbers]


@dataclass(frozen=True)
class Loss:
    """value, slope: from output and target; least, largest: targets that it takes, refusal: what the others are."""

    value: Function
    slope: Function
    least: float
    largest: float
    refusal: str

    def refuses(self, target: np.ndarray) -> np.ndarray:
        """Which targets it can't take."""
        return (target < self.least) | (target > self.largest)


def squared(output: Numbers, target: Numbers) -> Numbers:
    """(y - t)^2, not halved."""
    return (output - target) ** 2


def squared_slope(output: Numbers, target: Numbers) -> Numbers:
    return 2.0 * (output - target)


def log(output: Numbers, target: Numbers) -> Numbers:
    """-(t log y + (1 - t) log(1 - y))."""
    y = np.minimum(np.maximum(output, SMALLEST), 1.0 - SMALLEST)
    return -(target * np.log(y) + (1.0 - target) * np.log1p(-y))


def log_slope(output: Numbers, target: Numbers) -> Numbers:
    y = np.minimum(np.maximum(output, SMALLEST), 1.0 - SMALLEST)
    return (y - target) / (y * (1.0 - y))


def log_of_sums(x: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The log loss of outputs sigm(x): log(1 + exp(x)) - t x, without overflow. Its slope by x is sigm(x) - t."""
    return np.asarray(np.logaddexp(0.0, x) - target * x)


LOSSES: dict[str, Loss] = {
    "squared": Loss(squared, squared_slope, -1e150, 1e150, "so large that their squares are infinite"),
    "log": Loss(log, log_slope, 0.0, 1.0, "outside 0 to 1"),
}

"""Losses of one query: output y, target t.

Functions take arrays as well as numbers, so that compiled code is made from them, too. Of a query with classes there is
an output y for each class, and the target t of the right one is 1. Such outputs depend on each other: they are
the softmax of sums z, and the loss has a slope by these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

SMALLEST = 1e-15
"""Outputs are kept this far from 0 and 1 in the log loss."""

HUBER = 1.0
"""In standard deviations of the target."""

Numbers = Any
"""An array or a number."""
Function = Callable[[Numbers, Numbers], Numbers]


def nothing(output: Numbers, target: Numbers) -> Numbers:
    return 0.0 * output


@dataclass(frozen=True)
class Loss:
    """value: from output and target; slope: the derivative by the output, or by the sum z that it is the softmax of.

    shared: what is summed over the classes of a query and, times the output, added to the slope of each.
    least, largest: targets that it takes, refusal: what the others are; kinds: names of the kinds of targets it is for.
    """

    value: Function
    slope: Function
    least: float
    largest: float
    refusal: str
    kinds: tuple[str, ...]
    shared: Function = nothing

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


def huber(output: Numbers, target: Numbers) -> Numbers:
    """The squared loss up to the distance HUBER, a straight line beyond: outliers count less."""
    distance = np.abs(output - target)
    near = np.minimum(distance, HUBER)
    return near * (2.0 * distance - near)


def huber_slope(output: Numbers, target: Numbers) -> Numbers:
    return 2.0 * np.minimum(np.maximum(output - target, -HUBER), HUBER)


def class_log(output: Numbers, target: Numbers) -> Numbers:
    """-t log y: summed over classes, minus the logarithm of what the right class has."""
    return -target * np.log(np.maximum(output, SMALLEST))


def class_log_slope(output: Numbers, target: Numbers) -> Numbers:
    return -target


def class_log_shared(output: Numbers, target: Numbers) -> Numbers:
    return target


def class_squared_slope(output: Numbers, target: Numbers) -> Numbers:
    return 2.0 * output * (output - target)


def class_squared_shared(output: Numbers, target: Numbers) -> Numbers:
    return -2.0 * output * (output - target)


def log_of_sums(x: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The log loss of outputs sigm(x): log(1 + exp(x)) - t x, without overflow. Its slope by x is sigm(x) - t."""
    return np.asarray(np.logaddexp(0.0, x) - target * x)


INFINITE = "so large that their squares are infinite"
OUTSIDE = "outside 0 to 1"
LOSSES: dict[str, Loss] = {
    "squared": Loss(squared, squared_slope, -1e150, 1e150, INFINITE, ("binary", "regression")),
    "log": Loss(log, log_slope, 0.0, 1.0, OUTSIDE, ("binary",)),
    "huber": Loss(huber, huber_slope, -1e150, 1e150, INFINITE, ("regression",)),
}
CLASS_LOSSES: dict[str, Loss] = {
    "log": Loss(class_log, class_log_slope, 0.0, 1.0, OUTSIDE, ("classes",), class_log_shared),
    "squared": Loss(squared, class_squared_slope, 0.0, 1.0, OUTSIDE, ("classes",), class_squared_shared),
}
ALL_LOSSES = (*LOSSES.values(), *CLASS_LOSSES.values())

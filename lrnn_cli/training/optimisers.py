"""Optimisers: a gradient in, the change of the weights out. They know nothing of networks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Optimiser = Callable[[np.ndarray], np.ndarray]
"""Takes the gradient (weights,) of one step, gives what to add to the weights."""


def sgd(learning_rate: float, size: int) -> Optimiser:
    """Plain gradient descent."""
    return lambda gradient: -learning_rate * gradient


def adam(learning_rate: float, size: int, decay: float = 0.9, decay_squares: float = 0.999) -> Optimiser:
    """Adam (Kingma and Ba 2015) with its usual constants."""
    mean = np.zeros(size)
    squares = np.zeros(size)
    steps = 0

    def step(gradient: np.ndarray) -> np.ndarray:
        nonlocal steps
        steps += 1
        mean[:] = decay * mean + (1.0 - decay) * gradient
        squares[:] = decay_squares * squares + (1.0 - decay_squares) * gradient**2
        corrected = mean / (1.0 - decay**steps)
        scale = np.sqrt(squares / (1.0 - decay_squares**steps)) + 1e-8
        return -learning_rate * corrected / scale

    return step


OPTIMISERS: dict[str, Callable[[float, int], Optimiser]] = {"sgd": sgd, "adam": adam}
LEARNING_RATES = {"sgd": 0.1, "adam": 0.02}
"""What --learning-rate is where it is not given."""

"""Optimisers: a gradient in, the change of the weights out. They know nothing of networks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

DECAY, DECAY_SQUARES, TINY = 0.9, 0.999, 1e-8
"""The usual constants of Adam (Kingma and Ba 2015)."""


@dataclass
class Optimiser:
    """Takes the gradient (weights,) of one step, gives what to add to the weights.

    mean, squares: (weights,) Adam's averages of gradients and of their squares; steps: (1,) how many were taken
    """

    name: str
    learning_rate: float
    mean: np.ndarray
    squares: np.ndarray
    steps: np.ndarray

    def __call__(self, gradient: np.ndarray) -> np.ndarray:
        self.steps += 1
        if self.name == "sgd":
            return -self.learning_rate * gradient
        steps = int(self.steps[0])
        self.mean[:] = DECAY * self.mean + (1.0 - DECAY) * gradient
        self.squares[:] = DECAY_SQUARES * self.squares + (1.0 - DECAY_SQUARES) * gradient**2
        corrected = self.mean / (1.0 - DECAY**steps)
        scale = np.sqrt(self.squares / (1.0 - DECAY_SQUARES**steps)) + TINY
        return -self.learning_rate * corrected / scale


def sgd(learning_rate: float, size: int) -> Optimiser:
    """Plain gradient descent."""
    return Optimiser("sgd", learning_rate, np.zeros(size), np.zeros(size), np.zeros(1, np.int64))


def adam(learning_rate: float, size: int) -> Optimiser:
    return Optimiser("adam", learning_rate, np.zeros(size), np.zeros(size), np.zeros(1, np.int64))


OPTIMISERS = {"sgd": sgd, "adam": adam}
LEARNING_RATES = {"sgd": 0.1, "adam": 0.02}
"""What --learning-rate is where it is not given."""

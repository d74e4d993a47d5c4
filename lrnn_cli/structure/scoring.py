"""Scores of candidate rules: the log loss after refitting the target weights, latent weights fixed.

With latent values fixed, a target output is sigm(a (sum of w_r f_r + b0)), a logistic regression in the columns f_r of
its rules, or their sum, a linear one. A candidate adds one column. All candidates are compared by the gain that one
Newton step promises (a score test), and the best are refitted exactly. The log loss is minus the mean log likelihood,
up to a constant; that of a linear regression is the logarithm of the deviation that it leaves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lrnn_cli.semantics.activations import Activation
from lrnn_cli.semantics.targets import BERNOULLI, Likelihood

RIDGE = 1e-5
"""Penalty on squared weights that keeps them finite where columns separate the classes."""


@dataclass(frozen=True)
class Regression:
    """A fitted regression: columns (queries, rules), weights (rules,), mean loss of the likelihood with penalty.

    given: (queries,) what is added to the sums of rules: facts of the query atoms, or minus what other classes have.
    """

    columns: np.ndarray
    target: np.ndarray
    weights: np.ndarray
    penalised: float
    activation: Activation
    given: np.ndarray | float = 0.0
    likelihood: Likelihood = BERNOULLI

    @property
    def count(self) -> int:
        return len(self.target)

    @property
    def loss(self) -> float:
        """The mean log loss with penalty."""
        return self.likelihood.left(self.penalised)

    @property
    def log_loss(self) -> float:
        """The mean log loss without the penalty: what is shown."""
        return self.likelihood.left(self.mean_loss)

    @cached_property
    def mean_loss(self) -> float:
        """That of the likelihood, without the penalty."""
        scaled = self.activation.scaled(self.columns @ self.weights, self.given)
        return float(self.likelihood.loss(scaled, self.target).mean())

    def output(self) -> np.ndarray:
        return self.activation.atoms(self.columns @ self.weights, self.given)

    @cached_property
    def _output_and_slope(self) -> tuple[np.ndarray, np.ndarray]:
        """(queries,) the outputs, and how fast they change with the sums of rules."""
        output = self.output()
        return output, self.activation.slope(output, self.activation.steepness)

    @cached_property
    def _weighted(self) -> tuple[np.ndarray, np.ndarray]:
        """Second derivatives of the loss by weights (rules, rules), and what makes them of columns (queries, rules)."""
        weighted = self.columns * self._output_and_slope[1][:, None]
        inner = self.columns.T @ weighted + 2.0 * RIDGE * self.count * np.eye(self.columns.shape[1])
        return inner, weighted

    def promised_gains(self, candidates: np.ndarray) -> np.ndarray:
        """(candidates,) the decrease of the mean log loss that a Newton step promises for each column."""
        return np.asarray(self.scores(candidates) ** 2 / (2.0 * self.count))

    def gains(self, candidates: np.ndarray) -> np.ndarray:
        """(candidates,) the decrease of the mean log loss when each column is added and all weights are refitted."""
        return np.array([self.loss - self.with_column(column).loss for column in candidates.T])

    def scores(self, candidates: np.ndarray) -> np.ndarray:
        """(candidates,) the score test of each column: about standard normal where it tells nothing, above 0 where
        its weight would be.
        """
        count = self.count
        (output, weight), (inner, weighted) = self._output_and_slope, self._weighted
        slope = self.activation.steepness * (candidates.T @ (self.target - output))
        curvature = (candidates**2).T @ weight
        cross = weighted.T @ candidates
        curvature -= (cross * np.linalg.solve(inner, cross)).sum(0)
        dispersion = self.likelihood.dispersion(self.mean_loss)
        return np.asarray(slope / np.sqrt((np.maximum(curvature, 1e-9 * count) + RIDGE * count) * dispersion))

    def with_column(self, column: np.ndarray) -> Regression:
        """Refitted with one more column."""
        columns = np.column_stack([self.columns, column])
        start = np.append(self.weights, 0.0)
        return fit(columns, self.target, start, self.activation, self.given, likelihood=self.likelihood)


def bounded(regression: Regression, largest: float) -> np.ndarray:
    """Weights of the regression none of which is larger than this: refitted with as large a penalty as that takes.

    Each refit starts from 0: large weights that are cut may leave all outputs saturated, and Newton's method stuck.
    """
    weights = regression.weights
    ridge = RIDGE
    while np.abs(weights).max(initial=0.0) > largest and ridge < 1.0:
        ridge *= 4.0
        start = np.zeros(len(weights))
        data = regression.columns, regression.target, start, regression.activation, regression.given
        weights = fit(*data, ridge, likelihood=regression.likelihood).weights
    return np.asarray(np.clip(weights, -largest, largest))


def fit(
    columns: np.ndarray,
    target: np.ndarray,
    weights: np.ndarray,
    activation: Activation,
    given: np.ndarray | float = 0.0,
    ridge: float = RIDGE,
    steps: int = 25,
    likelihood: Likelihood = BERNOULLI,
) -> Regression:
    """Newton's method with step halving."""
    a = activation.steepness
    count = len(target)

    def loss_of(weights: np.ndarray) -> tuple[float, np.ndarray]:
        z = activation.scaled(columns @ weights, given)
        return float(likelihood.loss(z, target).mean()) + ridge * float(weights @ weights), z

    loss, z = loss_of(weights)
    for _ in range(steps):
        output = activation.squashed(z)
        gradient = a * (columns.T @ (output - target)) / count + 2.0 * ridge * weights
        weight = activation.slope(output, a) / count
        hessian = (columns * weight[:, None]).T @ columns + 2.0 * ridge * np.eye(len(weights))
        step = np.linalg.solve(hessian, gradient)
        size = 1.0
        while True:
            new_loss, new_z = loss_of(weights - size * step)
            if new_loss <= loss or size < 1e-4:
                break
            size /= 2.0
        if new_loss > loss:
            break
        improvement = loss - new_loss
        weights, loss, z = weights - size * step, new_loss, new_z
        if improvement < 1e-9:
            break
    return Regression(columns, target, weights, loss, activation, given, likelihood)

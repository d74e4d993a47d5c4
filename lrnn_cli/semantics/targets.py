"""Kinds of targets: what the output of a query is, how it is learned, and what a model without rules would say.

    binary         yes or no: sigm(a * (sum + b0)), like any atom; targets from 0 to 1
    classes        one of several: softmax of a * sum over the atoms of a query, one for each class
    regression     a number: center + scale * sum

Targets and outputs of regression are numbers of standard deviations while models are learned, and in the units of the
data elsewhere. A model file says which kind it is of and, for regression, its center and scale.

The search for rules takes a target as a regression over columns: the sum z has a *likelihood*. That of one class,
the sums of the others being given, is the same as of yes and no.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from lrnn_cli.semantics.activations import (
    LOGISTIC,
    Activation,
    ActivationFamily,
    Numbers,
    Squashing,
    plain_sum,
    sigmoid,
)
from lrnn_cli.semantics.losses import CLASS_LOSSES, LOSSES, Loss, log_of_sums

QUANTILES = 5
"""Numbers are dealt evenly to folds by such parts of them."""
LEAST_OUTPUT = 1e-12
"""Outputs that are nearer to 0 or to 1 are that of a finite sum, too."""
LEAST_VARIANCE = 1e-6
"""What is added to the variance that a least squares fit leaves: exact fits have no infinite likelihood."""


def unchanged(x: Numbers) -> Numbers:
    return x


def unchanged_slope(value: Numbers, rate: Numbers) -> Numbers:
    return rate + 0.0 * value


IDENTITY = Squashing("", unchanged, unchanged_slope, unchanged)
LINEAR = Activation(ActivationFamily(IDENTITY, plain_sum, sums_facts=True, numbers=(1.0, 0.0)), 1.0, 0.0)
"""That of atoms which are the sum of their inputs."""


@dataclass(frozen=True)
class Likelihood:
    """loss: (queries,) of scaled sums and targets, up to a constant minus the logarithm of the likelihood

    left: minus the mean log likelihood, from the mean loss; dispersion: what score tests divide squares by
    null: the mean loss of the best constant; variance: of the targets given that constant; start: its scaled sum
    """

    loss: Callable[[np.ndarray, np.ndarray], np.ndarray]
    left: Callable[[float], float]
    dispersion: Callable[[float], float]
    null: Callable[[np.ndarray], float]
    variance: Callable[[np.ndarray], float]
    start: Callable[[np.ndarray], float]


def entropy(target: np.ndarray) -> float:
    """The mean log loss of predicting the frequency of the target for all queries."""
    mean = float(target.mean())
    return float(-sum(part * np.log(part) for part in (mean, 1.0 - mean) if part > 0.0))


def bernoulli_variance(target: np.ndarray) -> float:
    frequency = float(target.mean())
    return frequency * (1.0 - frequency)


def smoothed_logit(target: np.ndarray) -> float:
    return float(LOGISTIC.sum_of((target.sum() + 1.0) / (len(target) + 2.0)))


def half_squared(z: np.ndarray, target: np.ndarray) -> np.ndarray:
    return np.asarray((z - target) ** 2 / 2.0)


def log_deviation(loss: float) -> float:
    """Minus the log likelihood of normal errors, whose variance is estimated from their mean half squares."""
    return float(np.log(2.0 * loss + LEAST_VARIANCE)) / 2.0


BERNOULLI = Likelihood(log_of_sums, lambda loss: loss, lambda loss: 1.0, entropy, bernoulli_variance, smoothed_logit)
ONE_OF_SEVERAL = replace(BERNOULLI, start=lambda target: float(np.log((target.sum() + 1.0) / (len(target) + 2.0))))
NORMAL = Likelihood(
    half_squared,
    log_deviation,
    lambda loss: 2.0 * loss + LEAST_VARIANCE,
    lambda target: float(target.var()) / 2.0,
    lambda target: float(target.var()),
    lambda target: float(target.mean()),
)


@dataclass(frozen=True)
class TargetKind:
    """squashed: whether atoms of targets are, like all others; losses: what can be minimised, the first by default.

    levels: (queries,) targets that folds deal evenly, as small integers when they are rounded
    measure: what `quality` is called: how good outputs are for targets, both (queries, classes of a query or 1)
    trivial: the quality of a model without rules
    """

    name: str
    words: str
    squashed: bool
    losses: dict[str, Loss]
    likelihood: Likelihood
    levels: Callable[[np.ndarray], np.ndarray]
    measure: str
    quality: Callable[[np.ndarray, np.ndarray], float]
    trivial: Callable[[np.ndarray], float]

    def __reduce__(self) -> tuple[object, ...]:
        """There is one of each kind, on other machines too."""
        return _kind_named, (self.name,)

    @property
    def grouped(self) -> bool:
        """Whether a query is several atoms, one for each class."""
        return self is CLASSES

    def loss(self, name: str | None) -> Loss:
        return self.losses[self.loss_name(name)]

    def loss_name(self, name: str | None) -> str:
        return next(iter(self.losses)) if name is None else name

    def outputs(self, scaled: np.ndarray) -> np.ndarray:
        """(queries, classes or 1) outputs of scaled sums."""
        if self.grouped:
            raised = np.exp(scaled - scaled.max(axis=1, keepdims=True))
            return np.asarray(raised / raised.sum(axis=1, keepdims=True))
        return sigmoid(scaled) if self.squashed else scaled

    def mean_output(self, outputs: Sequence[np.ndarray], shares: Sequence[float] | None = None) -> np.ndarray:
        """The output of the mean of the scaled sums that have these outputs, each (queries, classes or 1).

        shares: what each counts for; all the same by default.
        """
        if not (self.grouped or self.squashed):
            return np.asarray(np.average(outputs, axis=0, weights=shares))
        inside = np.clip(outputs, LEAST_OUTPUT, 1.0 - LEAST_OUTPUT)
        sums = np.log(inside) if self.grouped else LOGISTIC.sum_of(inside)
        return self.outputs(np.average(sums, axis=0, weights=shares))

    def activation(self, own: Activation) -> Activation:
        """What makes outputs of the sums of target atoms in the search, where `own` is that of the model."""
        if self.squashed:
            return own
        return LINEAR if self is REGRESSION else replace(own, offset=0.0)


def quantiles(target: np.ndarray) -> np.ndarray:
    """(queries,) in which of QUANTILES parts of the sorted targets each is; of so few numbers, which one it is."""
    numbers, place = np.unique(target, return_inverse=True)
    if len(numbers) <= QUANTILES:
        return place.astype(float)
    rank = np.searchsorted(np.sort(target), target, "left")
    return np.asarray(rank * QUANTILES // len(target), float)


def same_side(output: np.ndarray, target: np.ndarray) -> float:
    return float(((output > 0.5) == (target > 0.5)).mean())


def larger_side(target: np.ndarray) -> float:
    share = float((target > 0.5).mean())
    return max(share, 1.0 - share)


def same_class(output: np.ndarray, target: np.ndarray) -> float:
    return float((output.argmax(axis=1) == target.argmax(axis=1)).mean())


def largest_class(target: np.ndarray) -> float:
    return float(target.mean(axis=0).max())


def explained_variance(output: np.ndarray, target: np.ndarray) -> float:
    """R2: the part of the squares around the mean that outputs explain; below 0 where they are worse than the mean."""
    around = float(((target - target.mean()) ** 2).sum())
    return 1.0 - float(((output - target) ** 2).sum()) / around if around else 0.0


BINARY = TargetKind(
    "binary",
    "yes or no",
    True,
    {name: loss for name, loss in LOSSES.items() if "binary" in loss.kinds},
    BERNOULLI,
    unchanged,
    "accuracy",
    same_side,
    larger_side,
)
CLASSES = TargetKind(
    "classes", "classes", False, CLASS_LOSSES, ONE_OF_SEVERAL, unchanged, "accuracy", same_class, largest_class
)
REGRESSION = TargetKind(
    "regression",
    "numbers",
    False,
    {name: loss for name, loss in LOSSES.items() if "regression" in loss.kinds},
    NORMAL,
    quantiles,
    "R2",
    explained_variance,
    lambda target: 0.0,
)
KINDS = {kind.name: kind for kind in (BINARY, CLASSES, REGRESSION)}


def _kind_named(name: str) -> TargetKind:
    return KINDS[name]


@dataclass(frozen=True)
class TargetTask:
    """What is learned: a kind of targets and, for regression, what turns them into standard deviations."""

    kind: TargetKind = BINARY
    center: float = 0.0
    scale: float = 1.0

    @property
    def name(self) -> str | None:
        """As model files have it."""
        return None if self.kind is BINARY else self.kind.name

    def standard(self, target: np.ndarray) -> np.ndarray:
        """Targets as they are learned."""
        return standardised(target, self.center, self.scale) if self.kind is REGRESSION else target


class OutputSettings(Protocol):
    """The settings of a template that outputs depend on."""

    @property
    def task(self) -> str | None: ...
    @property
    def center(self) -> float: ...
    @property
    def scale(self) -> float: ...


@dataclass(frozen=True)
class ModelOutput:
    """What a model makes of the values of target atoms; underivable: that of a query which nothing derives."""

    kind: TargetKind
    center: float
    scale: float
    steepness: float
    underivable: float

    @staticmethod
    def of(settings: OutputSettings, activation: Activation) -> ModelOutput:
        kind = kind_of(settings)
        underivable = activation.underivable if kind.squashed else 0.0
        return ModelOutput(kind, settings.center, settings.scale, activation.steepness, underivable)

    def of_values(self, values: np.ndarray, group: np.ndarray) -> np.ndarray:
        """(rows,) outputs from the values of target atoms; rows of one query have one group and follow each other."""
        return softmax(self.steepness * values, group) if self.kind.grouped else values

    def slopes(self, loss: Loss, output: np.ndarray, target: np.ndarray, group: np.ndarray) -> np.ndarray:
        """(rows,) derivatives of the sum of losses by the values of target atoms."""
        slope = np.asarray(loss.slope(output, target))
        if not self.kind.grouped:
            return slope
        number = np.cumsum(begins(group)) - 1
        shared = np.bincount(number, loss.shared(output, target))
        return np.asarray(self.steepness * (slope + output * shared[number]))

    def unit(self, metric: str) -> float:
        """What a metric is a multiple of: the deviation or variance of the targets, for those that have units."""
        return {"squared_loss": self.scale**2, "rmse": self.scale, "mae": self.scale}.get(metric, 1.0)

    def standard(self, target: np.ndarray) -> np.ndarray:
        """Targets as they are learned."""
        return standardised(target, self.center, self.scale) if self.kind is REGRESSION else target

    def in_units(self, output: np.ndarray) -> np.ndarray:
        """Outputs, or targets that are learned, as the data have them."""
        return self.center + self.scale * output if self.kind is REGRESSION else output


def standardised(target: np.ndarray, center: float, scale: float) -> np.ndarray:
    """Numbers of standard deviations; infinite where a scale is tiny beside a target, as losses are then."""
    with np.errstate(over="ignore"):
        return (target - center) / scale


def kind_of(settings: OutputSettings) -> TargetKind:
    return KINDS[settings.task or BINARY.name]


def begins(group: np.ndarray) -> np.ndarray:
    """(rows,) whether another query begins."""
    first = np.ones(len(group), bool)
    first[1:] = group[1:] != group[:-1]
    return first


def spread(values: np.ndarray, group: np.ndarray) -> np.ndarray:
    """(queries, classes) from values (rows,), 0 where a query has fewer classes than another."""
    first = begins(group)
    start, number = first.nonzero()[0], np.cumsum(first) - 1
    place = np.arange(len(group)) - start[number]
    rows = np.zeros((len(start), int(place.max(initial=-1)) + 1))
    rows[number, place] = values
    return rows


def softmax(z: np.ndarray, group: np.ndarray) -> np.ndarray:
    """(rows,) exp(z) divided by the sum of those of the same group."""
    if not len(z):
        return z
    first = begins(group)
    start, number = first.nonzero()[0], np.cumsum(first) - 1
    raised = np.exp(z - np.maximum.reduceat(z, start)[number])
    return np.asarray(raised / np.add.reduceat(raised, start)[number])


def standard_numbers(target: np.ndarray) -> tuple[float, float]:
    """Center and scale of targets: mean and deviation, with as many digits as are worth reading."""
    deviation = float(target.std())
    center, scale = float(f"{target.mean():.6g}"), float(f"{deviation:.6g}")
    return center, scale or 1.0

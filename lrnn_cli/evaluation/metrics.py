"""Metrics of outputs against targets, with 95 % intervals.

A query is positive when its target is above 0.5, and is predicted positive when its output is. Intervals are
Wilson's for proportions, Newcombe's for the area under the ROC curve, and normal for mean losses.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lrnn_cli.errors import LrnnError
from lrnn_cli.evaluation.predictions import Predictions
from lrnn_cli.semantics.losses import LOSSES

Z = 1.959963984540054
"""The normal quantile of a 95 % interval."""

BISECTIONS = 60

Interval = tuple[float, float]


@dataclass
class Metrics:
    """`values` in the order they are shown, None where undefined; `reasons` say why.

    members: the values of each member of an ensemble.
    """

    values: dict[str, float | int | None]
    intervals: dict[str, Interval] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    members: list[dict[str, float | int | None]] = field(default_factory=list)

    def json(self) -> dict[str, Any]:
        intervals = {name: list(pair) for name, pair in self.intervals.items()}
        return {**self.values, "intervals_95": intervals, **({"members": self.members} if self.members else {})}


def evaluate_predictions(predictions: Predictions) -> Metrics:
    """All metrics of predictions, and of each member of an ensemble."""
    metrics = evaluate_outputs(predictions.output, predictions.target)
    if len(predictions.members) > 1:
        metrics.members = [evaluate_outputs(output, predictions.target).values for output in predictions.members]
    return metrics


def badness(metric: str, data_name: str) -> Callable[[np.ndarray, np.ndarray], float]:
    """A metric as a quantity of outputs and targets (queries,) to keep low; an error where it is undefined."""

    def measure(outputs: np.ndarray, target: np.ndarray) -> float:
        metrics = evaluate_outputs(outputs, target)
        value = metrics.values[metric]
        if value is None:
            raise LrnnError(f"{data_name}: {metric} is undefined: {metrics.reasons[metric]}; choose another --metric")
        return float(value) if metric.endswith("loss") else -float(value)

    return measure


def evaluate_outputs(output: np.ndarray, target: np.ndarray) -> Metrics:
    """All metrics of outputs (queries,) for targets (queries,)."""
    queries = len(target)
    positive = target > 0.5
    positives = int(positive.sum())
    right = int(((output > 0.5) == positive).sum())
    metrics = Metrics({})
    accuracy = right / queries
    metrics.values.update(accuracy=accuracy, error=1.0 - accuracy)
    low, high = wilson(right, queries)
    metrics.intervals["accuracy"] = (low, high)
    metrics.intervals["error"] = (1.0 - high, 1.0 - low)
    metrics.values.update(auc_roc=None, auc_pr=None)
    if positives == 0 or positives == queries:
        reason = f"all {queries} queries are {'positive' if positives else 'negative'}"
        metrics.reasons.update(auc_roc=reason, auc_pr=reason)
    else:
        area = auc_roc(output, positive)
        metrics.values.update(auc_roc=area, auc_pr=auc_pr(output, positive))
        metrics.intervals["auc_roc"] = newcombe(area, positives, queries - positives)
    for name, loss in (("log_loss", LOSSES["log"]), ("squared_loss", LOSSES["squared"])):
        if loss.refuses(target).any():
            metrics.values[name] = None
            metrics.reasons[name] = f"some targets are {loss.refusal}"
            continue
        with np.errstate(over="ignore", invalid="ignore"):
            values = loss.value(output, target)
            mean = float(values.mean())
            deviation = float(values.std(ddof=1)) if queries > 1 else 0.0
        if not math.isfinite(mean) or not math.isfinite(deviation):
            metrics.values[name] = None
            metrics.reasons[name] = "some targets are so large that their squares are infinite"
            continue
        metrics.values[name] = mean
        if queries > 1:
            half = Z * deviation / math.sqrt(queries)
            metrics.intervals[name] = (max(0.0, mean - half), mean + half)
    metrics.values.update(queries=queries, positives=positives, majority=max(positives, queries - positives) / queries)
    return metrics


def wilson(successes: int, trials: int) -> Interval:
    """Wilson's score interval of a proportion."""
    p = successes / trials
    middle = p + Z**2 / (2 * trials)
    half = Z * math.sqrt(p * (1 - p) / trials + Z**2 / (4 * trials**2))
    scale = 1 + Z**2 / trials
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


def newcombe(area: float, positives: int, negatives: int) -> Interval:
    """The interval of an area under the ROC curve (Newcombe 2006, method 5).

    It holds the areas from which this one is no further than Z of their own standard errors, by Hanley and McNeil's
    variance for classes of equal size. Like Wilson's interval, it is not empty where nothing is wrong.
    """
    others = (positives + negatives) / 2 - 1

    def error(true: float) -> float:
        spread = 1 + others * ((1 - true) / (2 - true) + true / (1 + true))
        return math.sqrt(true * (1 - true) * spread / (positives * negatives))

    def furthest(end: float) -> float:
        """The area between this one and `end`, 0 or 1, that is just near enough, by bisection."""
        near, far = area, end
        for _ in range(BISECTIONS):
            middle = (near + far) / 2
            near, far = (middle, far) if abs(area - middle) <= Z * error(middle) else (near, middle)
        return far

    return furthest(0.0), furthest(1.0)


def auc_roc(output: np.ndarray, positive: np.ndarray) -> float:
    """The chance that a positive query has a higher output than a negative one, ties counting half."""
    _, rank, count = np.unique(output, return_inverse=True, return_counts=True)
    middle = np.cumsum(count) - (count - 1) / 2
    positives = int(positive.sum())
    negatives = len(output) - positives
    total = float(middle[rank][positive].sum())
    return (total - positives * (positives + 1) / 2) / (positives * negatives)


def auc_pr(output: np.ndarray, positive: np.ndarray) -> float:
    """Average precision: precision at each distinct output, weighted by the recall it adds."""
    _, rank = np.unique(-output, return_inverse=True)
    hits = np.bincount(rank, positive)
    seen = np.cumsum(np.bincount(rank))
    precision = np.cumsum(hits) / seen
    return float((precision * hits).sum() / positive.sum())

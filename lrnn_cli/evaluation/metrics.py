"""Metrics of outputs against targets, with 95 % intervals.

    binary         A query is positive when its target is above 0.5, and is predicted positive when its output is.
    classes        The class with the largest probability is predicted. F1 of a class is 0 where it is never right.
    regression     Errors are in the units of the targets. R2 is the part of the squares around the mean that is
                   explained, the rank correlation is Spearman's.

Intervals are Wilson's for proportions, Newcombe's for the area under the ROC curve, and normal for mean losses. RMSE
and R2 have that of the squared loss, the rank correlation has Fisher's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lrnn_cli.errors import LrnnError
from lrnn_cli.evaluation.predictions import Predictions
from lrnn_cli.semantics.losses import CLASS_LOSSES, LOSSES
from lrnn_cli.semantics.targets import BINARY, REGRESSION, TargetKind

Z = 1.959963984540054
"""The normal quantile of a 95 % interval."""

BISECTIONS = 60

Interval = tuple[float, float]
Values = dict[str, float | int | None]
TABLES = ("targets", "classes", "confusion", "members")
"""What stands beside single figures."""
GAUGES = ("loss", "accuracy", "auc_pr", "auc_roc", "f1", "mae", "r2", "rmse", "correlation")
LOW = ("loss", "error", "mae", "rmse")
"""How metrics end that are better when they are low."""


@dataclass
class Metrics:
    """`values` in the order they are shown, None where undefined; `reasons` say why.

    members: the values of each member of an ensemble; targets: those of each target, if there are several.
    classes: figures of each class; confusion: how often which class was predicted, by the right one.
    """

    values: Values
    intervals: dict[str, Interval] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    members: list[Values] = field(default_factory=list)
    targets: dict[str, Values] = field(default_factory=dict)
    classes: dict[str, Values] = field(default_factory=dict)
    confusion: dict[str, dict[str, int]] = field(default_factory=dict)

    def json(self) -> dict[str, Any]:
        intervals = {name: list(pair) for name, pair in self.intervals.items()}
        parts = {name: table for name in TABLES if (table := getattr(self, name))}
        return {**self.values, "intervals_95": intervals, **parts}


def evaluate_predictions(predictions: Predictions) -> Metrics:
    """All metrics of predictions, of each target and of each member of an ensemble."""
    target, kind, classes = predictions.target, predictions.kind, predictions.classes
    metrics = evaluate_outputs(predictions.output, target, kind, classes)
    if len(predictions.members) > 1:
        metrics.members = [evaluate_outputs(output, target, kind, classes).values for output in predictions.members]
    queries = predictions.queries
    asked = np.unique(queries.predicate_index).tolist()
    for number in asked if len(asked) > 1 else ():
        own = queries.predicate_index == number
        evaluated = evaluate_outputs(predictions.output[own], target[own], kind, classes)
        metrics.targets[str(queries.predicate[number])] = evaluated.values
    return metrics


def badness(
    metric: str, data_name: str, kind: TargetKind = BINARY, classes: Sequence[str] = ()
) -> Callable[[np.ndarray, np.ndarray], float]:
    """A metric as a quantity of outputs and targets, as `evaluate_outputs` takes them, to keep low.

    An error where it is undefined, or where there is none of this name for such targets.
    """

    def measure(outputs: np.ndarray, target: np.ndarray) -> float:
        metrics = evaluate_outputs(outputs, target, kind, classes)
        if metric not in metrics.values:
            known = ", ".join(name for name in metrics.values if name.endswith(GAUGES))
            raise LrnnError(
                f"{data_name}: there is no {metric} of targets that are {kind.words}; choose one of {known}"
            )
        value = metrics.values[metric]
        if value is None:
            raise LrnnError(f"{data_name}: {metric} is undefined: {metrics.reasons[metric]}; choose another --metric")
        return float(value) if metric.endswith(LOW) else -float(value)

    return measure


def evaluate_outputs(
    output: np.ndarray, target: np.ndarray, kind: TargetKind = BINARY, classes: Sequence[str] = ()
) -> Metrics:
    """All metrics of outputs (queries,) for targets (queries,).

    classes: what the columns of outputs (queries, classes) are, whose places are the targets. Targets outside 0 to 1
    are numbers, whatever the model takes them for.
    """
    if kind is BINARY and len(target) and (target.min() < 0.0 or target.max() > 1.0):
        kind = REGRESSION
    return EVALUATORS[kind.name](output, target, classes)


def _binary(output: np.ndarray, target: np.ndarray, classes: Sequence[str]) -> Metrics:
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
        _add_mean(metrics, name, loss.value(output, target))
    metrics.values.update(queries=queries, positives=positives, majority=max(positives, queries - positives) / queries)
    return metrics


def _add_mean(metrics: Metrics, name: str, values: np.ndarray) -> None:
    """The mean of losses (queries,), and its interval."""
    with np.errstate(over="ignore", invalid="ignore"):
        mean = float(values.mean())
        deviation = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    if not math.isfinite(mean) or not math.isfinite(deviation):
        metrics.values[name] = None
        metrics.reasons[name] = f"some targets are {LOSSES['squared'].refusal}"
        return
    metrics.values[name] = mean
    if len(values) > 1:
        half = Z * deviation / math.sqrt(len(values))
        metrics.intervals[name] = (max(0.0, mean - half), mean + half)


def _regression(output: np.ndarray, target: np.ndarray, classes: Sequence[str]) -> Metrics:
    metrics = Metrics(dict.fromkeys(("rmse", "mae", "r2", "rank_correlation", "squared_loss")))
    with np.errstate(over="ignore", invalid="ignore"):
        _add_mean(metrics, "squared_loss", LOSSES["squared"].value(output, target))
        _add_mean(metrics, "mae", np.abs(output - target))
        variance, mean = float(target.var()), float(target.mean())
    squared, interval = metrics.values["squared_loss"], metrics.intervals.get("squared_loss")
    one_value = "all targets are the same"
    if squared is None:
        reason = metrics.reasons["squared_loss"]
        metrics.reasons.update(rmse=reason, r2=reason)
    else:
        metrics.values["rmse"] = math.sqrt(squared)
        metrics.values["r2"] = 1.0 - squared / variance if variance else None
        if interval is not None:
            metrics.intervals["rmse"] = (math.sqrt(interval[0]), math.sqrt(interval[1]))
        if interval is not None and variance:
            metrics.intervals["r2"] = (1.0 - interval[1] / variance, 1.0 - interval[0] / variance)
        if not variance:
            metrics.reasons["r2"] = one_value
    if len(np.unique(target)) < 2 or len(np.unique(output)) < 2:
        reason = one_value if len(np.unique(target)) < 2 else "all outputs are the same"
        metrics.reasons["rank_correlation"] = reason
    else:
        correlation = rank_correlation(output, target)
        metrics.values["rank_correlation"] = correlation
        if len(target) > 3 and abs(correlation) < 1.0:
            metrics.intervals["rank_correlation"] = fisher(correlation, len(target))
    finite = math.isfinite(mean) and math.isfinite(variance)
    metrics.values.update(
        queries=len(target), mean=mean if finite else None, deviation=math.sqrt(variance) if finite else None
    )
    return metrics


def rank_correlation(first: np.ndarray, second: np.ndarray) -> float:
    """Spearman's: the correlation of ranks, equal numbers having the mean of theirs."""
    ranks = []
    for values in (first, second):
        _, rank, count = np.unique(values, return_inverse=True, return_counts=True)
        ranks.append((np.cumsum(count) - (count - 1) / 2)[rank])
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def fisher(correlation: float, count: int) -> Interval:
    """The interval of a rank correlation by Fisher's transformation, with the variance of Bonett and Wright (2000)."""
    half = Z * math.sqrt((1.0 + correlation**2 / 2.0) / (count - 3))
    middle = math.atanh(correlation)
    return math.tanh(middle - half), math.tanh(middle + half)


def _classes(output: np.ndarray, target: np.ndarray, classes: Sequence[str]) -> Metrics:
    queries = len(target)
    classes = classes or [str(place) for place in range(output.shape[1])]
    target, predicted = target.astype(np.int64), output.argmax(axis=1)
    count = np.zeros((len(classes), len(classes)), np.int64)
    np.add.at(count, (target, predicted), 1)
    right = int(np.trace(count))
    metrics = Metrics({"accuracy": right / queries, "error": 1.0 - right / queries})
    low, high = wilson(right, queries)
    metrics.intervals.update(accuracy=(low, high), error=(1.0 - high, 1.0 - low))
    metrics.classes = {name: _class_figures(count, place) for place, name in enumerate(classes)}
    asked = count.sum(axis=1) > 0
    f1 = [
        figures["f1"] or 0.0 for figures, given in zip(metrics.classes.values(), asked.tolist(), strict=True) if given
    ]
    metrics.values["macro_f1"] = float(np.mean(f1))
    one_hot = np.eye(len(classes))[target]
    _add_mean(metrics, "log_loss", CLASS_LOSSES["log"].value(output, one_hot).sum(axis=1))
    _add_mean(metrics, "squared_loss", CLASS_LOSSES["squared"].value(output, one_hot).sum(axis=1))
    metrics.values.update(queries=queries, majority=int(count.sum(axis=1).max()) / queries)
    metrics.confusion = {
        name: dict(zip(classes, row, strict=True)) for name, row in zip(classes, count.tolist(), strict=True)
    }
    return metrics


def _class_figures(count: np.ndarray, place: int) -> Values:
    """Precision, recall and their harmonic mean; None where no query is of the class, or none is predicted to be."""
    right, given, said = int(count[place, place]), int(count[place].sum()), int(count[:, place].sum())
    return {
        "precision": right / said if said else None,
        "recall": right / given if given else None,
        "f1": 2.0 * right / (given + said) if given + said else None,
        "queries": given,
        "predicted": said,
    }


Evaluator = Callable[[np.ndarray, np.ndarray, Sequence[str]], Metrics]
EVALUATORS: dict[str, Evaluator] = {"binary": _binary, "classes": _classes, "regression": _regression}
HEADLINES = {"binary": "accuracy", "classes": "accuracy", "regression": "r2"}
ERRORS = {"binary": "error", "classes": "error", "regression": "rmse"}
"""By kind of targets, the metric that learners are compared by."""


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

"""Results of all folds of a crossvalidation in one summary: means and deviations over folds, and pooled figures.

A fold is a folder with the predictions of a model for the examples it was not trained on, and a record that says how
long each step took. Metrics are computed from the predictions; those of the members of an ensemble are taken from what
`evaluate --json` wrote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lrnn_cli.errors import LrnnError, ReadError
from lrnn_cli.evaluation.metrics import evaluate_outputs
from lrnn_cli.evaluation.predictions import read_predictions
from lrnn_cli.evaluation.records import read_record
from lrnn_cli.language.json_files import read_json
from lrnn_cli.language.writing import visible
from lrnn_cli.semantics.targets import BINARY, REGRESSION, TargetKind

PREDICTIONS = "predictions.tsv"
METRICS = "metrics.json"


@dataclass(frozen=True)
class Fold:
    """Predictions of one fold, arrays of shape (queries,), metrics of members, and the seconds of its steps.

    example, atom: of each query that has a target; others do not count.
    seed: of the draw of folds that this one is of, where there are several; kind, classes: see `Predicted`.
    """

    folder: str
    example: tuple[str, ...]
    atom: tuple[str, ...]
    target: np.ndarray
    output: np.ndarray
    members: list[dict[str, float | None]]
    seconds: dict[str, float]
    seed: int | None = None
    kind: TargetKind = BINARY
    classes: tuple[str, ...] = ()


def read_fold(folder: str) -> Fold:
    """The results in a folder, which must hold predictions; the record is optional."""
    path = Path(folder)
    if not path.is_dir():
        raise ReadError(f"{folder}: this is not a folder; name the folders of the folds")
    predictions = path / PREDICTIONS
    if not predictions.is_file():
        raise ReadError(f"{folder}: there is no {PREDICTIONS} in this folder; write it with `lrnn predict -o`")
    predicted = read_predictions(str(predictions))
    record = read_record(path)
    told = predicted.example, predicted.atom, predicted.target, predicted.output
    metrics = read_json(str(path / METRICS)) if (path / METRICS).is_file() else {}
    members = _members_of(metrics, path / METRICS)
    if metrics.get("queries", len(predicted.target)) != len(predicted.target):
        raise ReadError(
            f"{visible(str(predictions))}: there are {len(predicted.target)} predictions with a target, and {METRICS} "
            f"is of {visible(str(metrics['queries']))} queries; a file is damaged, or they are of different models"
        )
    return Fold(folder, *told, members, record.seconds(), record.seed, predicted.kind, predicted.classes)


def _members_of(metrics: dict[str, Any], path: Path) -> list[dict[str, float | None]]:
    """The metrics of each member of an ensemble, if they are there."""
    try:
        members = metrics.get("members", [])
        return [{name: None if value is None else float(value) for name, value in row.items()} for row in members]
    except (ValueError, TypeError, AttributeError, OverflowError):
        raise ReadError(f"{path}: these are not metrics; write them with `lrnn evaluate --json`") from None


def summarise_folds(folds: Sequence[Fold]) -> dict[str, Any]:
    """Metrics of each fold, their means and deviations, metrics of all predictions together, and seconds.

    A deviation is that of a sample, so it needs two folds. Folds in which a metric is undefined do not count for it:
    `defined` says in how many it is. Where folds were drawn several times, queries count several times, and intervals
    of them would be too narrow: there are none.
    """
    _check_apart(folds)
    kind, classes = _common_kind(folds)
    known = [_with_classes(fold, classes) for fold in folds]
    metrics = [evaluate_outputs(*own, kind, classes).values for own in known]
    names = list(metrics[0])
    output, target = (np.concatenate(parts) for parts in zip(*known, strict=True))
    pooled = evaluate_outputs(output, target, kind, classes)
    if len({fold.seed for fold in folds}) > 1:
        pooled.intervals.clear()
    values = {name: [value for fold in metrics if (value := fold[name]) is not None] for name in names}
    steps = dict.fromkeys(step for fold in folds for step in fold.seconds)
    seconds = {step: [fold.seconds[step] for fold in folds if step in fold.seconds] for step in steps}
    return {
        "task": kind.name,
        "folds": [
            {"folder": fold.folder, **own, "seconds": fold.seconds} for fold, own in zip(folds, metrics, strict=True)
        ],
        "mean": {name: _mean(numbers) for name, numbers in values.items()},
        "deviation": {name: _deviation(numbers) for name, numbers in values.items()},
        "defined": {name: len(numbers) for name, numbers in values.items()},
        "pooled": pooled.json(),
        "members": _members(folds, names),
        "seconds": {step: {"mean": _mean(numbers), "total": sum(numbers)} for step, numbers in seconds.items()},
    }


def _common_kind(folds: Sequence[Fold]) -> tuple[TargetKind, tuple[str, ...]]:
    """The kind of targets of all folds, and their classes. Targets of some fold outside 0 to 1 are numbers in all."""
    kinds = {fold.kind.name for fold in folds}
    if len(kinds) > 1:
        raise LrnnError(
            f"{folds[0].folder}: predictions are of several kinds, {' and '.join(sorted(kinds))}; name the folds of "
            "one crossvalidation"
        )
    kind = folds[0].kind
    if kind is BINARY and any((fold.target < 0.0).any() or (fold.target > 1.0).any() for fold in folds):
        kind = REGRESSION
    return kind, tuple(dict.fromkeys(name for fold in folds for name in fold.classes))


def _with_classes(fold: Fold, classes: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Outputs and targets of a fold, in the order of these classes; those that it does not know are never predicted."""
    if not classes:
        return fold.output, fold.target
    place = np.array([classes.index(name) for name in fold.classes])
    output = np.zeros((len(fold.target), len(classes)))
    output[:, place] = fold.output
    return output, place[fold.target.astype(np.int64)]


def _members(folds: Sequence[Fold], names: Sequence[str]) -> list[dict[str, float | None]]:
    """Means over folds of each member of an ensemble, where all folds have as many."""
    if len({len(fold.members) for fold in folds}) != 1:
        return []
    return [
        {name: _mean([value for row in rows if (value := row.get(name)) is not None]) for name in names}
        for rows in zip(*(fold.members for fold in folds), strict=True)
    ]


def _check_apart(folds: Sequence[Fold]) -> None:
    """An example is tested in one fold of each draw; otherwise the folders are not those of one crossvalidation.

    Where all folds have one and the same example, an atom is.
    """
    tested: dict[tuple[int | None, str], str] = {}
    one = len({example for fold in folds for example in fold.example}) == 1
    for number, fold in enumerate(folds):
        if fold.folder in (other.folder for other in folds[:number]):
            raise LrnnError(f"{fold.folder}: this folder is named twice; name each fold once")
        for tested_once in dict.fromkeys(fold.atom if one else fold.example):
            other = tested.setdefault((fold.seed, tested_once), fold.folder)
            if other != fold.folder:
                what = f"query {tested_once}" if one else f"example {tested_once}"
                raise LrnnError(f"{what} is in {other} and in {fold.folder}; name the folds of one crossvalidation")


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None


def _deviation(values: Sequence[float]) -> float | None:
    return float(np.std(values, ddof=1)) if len(values) > 1 else None

"""Results of all folds of a crossvalidation in one summary: means and deviations over folds, and pooled figures.

A fold is a folder with the predictions of a model for the examples it was not trained on, and a log whose lines
`seconds STEP NUMBER` say how long each step took. Metrics are computed from the predictions; those of the members of an
ensemble are taken from what `evaluate --json` wrote.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lrnn_cli.errors import Fault, LrnnError, ReadError, faults_error
from lrnn_cli.evaluation.metrics import evaluate_outputs
from lrnn_cli.language.data import Queries
from lrnn_cli.language.files import read_bytes
from lrnn_cli.language.json_files import read_json
from lrnn_cli.language.writing import term_cell

PREDICTIONS = "predictions.tsv"
METRICS = "metrics.json"
LOG = "log"
COLUMNS = ("example", "atom", "target", "output")


@dataclass(frozen=True)
class Fold:
    """Predictions of one fold, arrays of shape (queries,), metrics of members, and the seconds of its steps.

    example, atom: of each query that has a target; others do not count.
    """

    folder: str
    example: tuple[str, ...]
    atom: tuple[str, ...]
    target: np.ndarray
    output: np.ndarray
    members: list[dict[str, float | None]]
    seconds: dict[str, float]


def predictions_text(queries: Queries, example_name: Sequence[str], output: np.ndarray) -> str:
    """Predictions as a file: tab-separated, a header line, one row a query, in the order of the queries.

    The cell of a target that there is not is empty.
    """
    lines = ["\t".join(COLUMNS)]
    for example, text, target, value in zip(
        queries.example.tolist(), queries.text, queries.target.tolist(), output.tolist(), strict=True
    ):
        shown = "" if math.isnan(target) else repr(target)
        lines.append(f"{term_cell(example_name[example])}\t{term_cell(text)}\t{shown}\t{value!r}")
    return "\n".join(lines) + "\n"


def read_fold(folder: str) -> Fold:
    """The results in a folder, which must hold predictions; the log is optional."""
    path = Path(folder)
    if not path.is_dir():
        raise ReadError(f"{folder}: this is not a folder; name the folders of the folds")
    predictions = path / PREDICTIONS
    if not predictions.is_file():
        raise ReadError(f"{folder}: there is no {PREDICTIONS} in this folder; write it with `lrnn predict -o`")
    example, atom, target, output = _read_predictions(str(predictions))
    seconds = {}
    log = path / LOG
    for line in log.read_text(errors="replace").splitlines() if log.is_file() else ():
        words = line.split()
        if len(words) == 3 and words[0] == "seconds":
            number = _number(words[2])
            if number is not None:
                seconds[words[1]] = number
    return Fold(folder, example, atom, target, output, _read_members(path / METRICS), seconds)


def _read_members(path: Path) -> list[dict[str, float | None]]:
    """The metrics of each member of an ensemble, if they are there."""
    if not path.is_file():
        return []
    try:
        members = read_json(str(path)).get("members", [])
        return [{name: None if value is None else float(value) for name, value in row.items()} for row in members]
    except (ValueError, TypeError, AttributeError, OverflowError):
        raise ReadError(f"{path}: these are not metrics; write them with `lrnn evaluate --json`") from None


def _read_predictions(path: str) -> tuple[tuple[str, ...], tuple[str, ...], np.ndarray, np.ndarray]:
    name, content = read_bytes(path)
    header, *lines = content.decode(errors="replace").rstrip("\n").split("\n")
    if tuple(header.split("\t")) != COLUMNS:
        message = f"predictions begin with a line of {', '.join(COLUMNS)} with tabs between; `lrnn predict` writes them"
        raise faults_error(name, [Fault(1, 1, message)])
    named, numbers, faults = [], [], []
    for number, line in enumerate(lines, 2):
        cells = line.split("\t")
        if len(cells) == len(COLUMNS) and cells[2] == "" and _number(cells[3]) is not None:
            continue
        values = [_number(cell) for cell in cells[2:]]
        if len(cells) != len(COLUMNS) or None in values:
            faults.append(Fault(number, 1, "a line has an example, an atom and two numbers, with tabs between"))
            continue
        named.append(cells[:2])
        numbers.append(values)
    if faults:
        raise faults_error(name, faults)
    if not named:
        raise ReadError(f"{name}: there is no prediction with a target in this file; choose another fold")
    target, output = np.array(numbers, float).T
    examples, atoms = zip(*named, strict=True)
    return examples, atoms, target, output


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def summarise_folds(folds: Sequence[Fold]) -> dict[str, Any]:
    """Metrics of each fold, their means and deviations, metrics of all predictions together, and seconds.

    A deviation is that of a sample, so it needs two folds. Folds in which a metric is undefined do not count for it:
    `defined` says in how many it is.
    """
    _check_apart(folds)
    metrics = [evaluate_outputs(fold.output, fold.target).values for fold in folds]
    names = list(metrics[0])
    pooled = evaluate_outputs(
        np.concatenate([fold.output for fold in folds]), np.concatenate([fold.target for fold in folds])
    )
    values = {name: [value for fold in metrics if (value := fold[name]) is not None] for name in names}
    steps = dict.fromkeys(step for fold in folds for step in fold.seconds)
    seconds = {step: [fold.seconds[step] for fold in folds if step in fold.seconds] for step in steps}
    return {
        "folds": [
            {"folder": fold.folder, **found, "seconds": fold.seconds}
            for fold, found in zip(folds, metrics, strict=True)
        ],
        "mean": {name: _mean(found) for name, found in values.items()},
        "deviation": {name: _deviation(found) for name, found in values.items()},
        "defined": {name: len(found) for name, found in values.items()},
        "pooled": pooled.json(),
        "members": _members(folds, names),
        "seconds": {step: {"mean": _mean(found), "total": sum(found)} for step, found in seconds.items()},
    }


def _members(folds: Sequence[Fold], names: Sequence[str]) -> list[dict[str, float | None]]:
    """Means over folds of each member of an ensemble, where all folds have as many."""
    if len({len(fold.members) for fold in folds}) != 1:
        return []
    return [
        {name: _mean([value for row in rows if (value := row.get(name)) is not None]) for name in names}
        for rows in zip(*(fold.members for fold in folds), strict=True)
    ]


def _check_apart(folds: Sequence[Fold]) -> None:
    """An example is tested in one fold; otherwise the folders are not those of one crossvalidation.

    Where all folds have one and the same example, an atom is.
    """
    tested: dict[str, str] = {}
    one = len({example for fold in folds for example in fold.example}) == 1
    for number, fold in enumerate(folds):
        if fold.folder in (other.folder for other in folds[:number]):
            raise LrnnError(f"{fold.folder}: this folder is named twice; name each fold once")
        for tested_once in dict.fromkeys(fold.atom if one else fold.example):
            other = tested.setdefault(tested_once, fold.folder)
            if other != fold.folder:
                what = f"query {tested_once}" if one else f"example {tested_once}"
                raise LrnnError(f"{what} is in {other} and in {fold.folder}; name the folds of one crossvalidation")


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None


def _deviation(values: Sequence[float]) -> float | None:
    return float(np.std(values, ddof=1)) if len(values) > 1 else None

"""What a run directory says in figures: embeddings and losses over the iterations, rules with their scores."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lrnn_cli.errors import Fault, ReadError, faults_error
from lrnn_cli.language.files import finite_number, read_bytes
from lrnn_cli.language.json_files import read_json
from lrnn_cli.language.writing import visible


@dataclass(frozen=True)
class ScoredRule:
    """A target rule, the iteration that added it, and the log loss with it."""

    iteration: int
    log_loss: float
    rule: str


@dataclass(frozen=True)
class RunRecord:
    """A run of structure learning."""

    name: str
    options: dict[str, Any]
    iterations: tuple[int, ...]
    predicates: tuple[str, ...]
    """The unary predicates that have weights in layer 1."""
    embedding: np.ndarray
    """(iterations, predicates, latent predicates) layer-1 weights; a rule that is not there has weight 0."""
    losses: tuple[np.ndarray, ...]
    """For each iteration, the training loss (epochs,) of its training."""
    validation: tuple[float | None, ...]
    """For each iteration, the loss of the part that was held out, if one was."""
    rules: tuple[ScoredRule, ...]


def read_run(folder: str) -> RunRecord:
    """The records of a run that has at least one whole iteration."""
    path = Path(folder)
    if not (path / "configuration.json").is_file():
        members = sorted(child.name for child in path.glob("member_*"))
        if members:
            raise ReadError(f"{folder}: the runs of an ensemble; name one of them, such as {path / members[0]}")
        raise ReadError(f"{folder}: this folder holds no run; `lrnn learn-structure --run-dir` makes one")
    iterations = read_columns(path / "iterations.csv", ("iteration", "validation_loss"), words=("validation_loss",))
    if not iterations:
        raise ReadError(f"{folder}: no iteration of this run is complete; wait, or go on with --resume")
    numbers = [int(number) for number, _ in iterations]
    predicates, embedding = _embedding([path / f"embedding_{number}.csv" for number in numbers])
    losses = tuple(
        np.array([row[1] for row in read_columns(path / f"history_{number}.csv", ("epoch", "loss"))], float)
        for number in numbers
    )
    rules = tuple(rule for rule in read_rules(path) if rule.iteration in numbers)
    return RunRecord(
        name=folder,
        options=read_options(path / "configuration.json"),
        iterations=tuple(numbers),
        predicates=predicates,
        embedding=embedding,
        losses=losses,
        validation=tuple(finite_number(loss) for _, loss in iterations),
        rules=rules,
    )


def read_rules(folder: Path) -> list[ScoredRule]:
    """The rules of all iterations of a run."""
    rows = read_columns(folder / "rules.csv", ("iteration", "log_loss", "rule"), words=("rule",))
    return [ScoredRule(int(iteration), loss, rule) for iteration, loss, rule in rows]


def different_options(runs: list[RunRecord]) -> list[dict[str, Any]]:
    """For each run, those of its options that the runs do not have in common."""
    names = list(dict.fromkeys(name for run in runs for name in run.options))
    apart = [name for name in names if len({json.dumps(run.options.get(name)) for run in runs}) > 1]
    return [{name: run.options.get(name) for name in apart} for run in runs]


def _embedding(paths: list[Path]) -> tuple[tuple[str, ...], np.ndarray]:
    tables: list[dict[tuple[str, str], float]] = []
    for path in paths:
        latent = _header(path)[1:]
        rows = read_columns(path, ("predicate", *latent), words=("predicate",))
        tables.append({(row[0], name): weight for row in rows for name, weight in zip(latent, row[1:], strict=True)})
    predicates = tuple(dict.fromkeys(predicate for table in tables for predicate, _ in table))
    latent = list(dict.fromkeys(name for table in tables for _, name in table))
    weights = [[[table.get((row, column), 0.0) for column in latent] for row in predicates] for table in tables]
    return predicates, np.array(weights, float).reshape(len(paths), len(predicates), len(latent))


def _header(path: Path) -> list[str]:
    return next(iter(_cells(path)), [])


def _cells(path: Path) -> list[list[str]]:
    if not path.exists():
        raise ReadError(f"{visible(str(path))}: this file of the run is missing; learn again")
    name, content = read_bytes(str(path))
    try:
        return list(csv.reader(io.StringIO(content.decode(), newline="")))
    except (UnicodeDecodeError, csv.Error):
        raise ReadError(f"{name}: this file of the run is damaged; learn again") from None


def read_columns(path: Path, columns: tuple[str, ...], words: tuple[str, ...] = ()) -> list[list[Any]]:
    """The named columns of a CSV file, numbers but for those in `words`."""
    header, *lines = _cells(path) or [[]]
    missing = [name for name in columns if name not in header]
    if missing:
        raise faults_error(visible(str(path)), [Fault(1, 1, f"the column {missing[0]} is missing; learn again")])
    places = [header.index(name) for name in columns]
    rows, faults = [], []
    for number, cells in enumerate(lines, 2):
        values = [
            cells[place] if name in words else finite_number(cells[place])
            for name, place in zip(columns, places, strict=True)
            if place < len(cells)
        ]
        if len(values) < len(columns) or None in values:
            faults.append(Fault(number, 1, "a line has a value for each column, numbers where they belong"))
        rows.append(values)
    if faults:
        raise faults_error(visible(str(path)), faults)
    return rows


def read_options(path: Path) -> dict[str, Any]:
    """The options in the configuration of a run."""
    options = read_json(str(path)).get("options")
    if not isinstance(options, dict):
        raise ReadError(f"{visible(str(path))}: this is not the configuration of a run; learn again")
    return options

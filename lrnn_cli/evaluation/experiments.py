"""All crossvalidations of a folder: `FOLDER/<data>/<learner>/fold<k>/`, as `lrnn crossvalidate` leaves them.

What was expected and is not there stays in the picture: each crossvalidation knows its missing folds and why.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from lrnn_cli.errors import LrnnError, ReadError
from lrnn_cli.evaluation.comparison import ErrorComparison, compare_errors
from lrnn_cli.evaluation.crossvalidation import PREDICTIONS, Fold, read_fold, summarise_folds
from lrnn_cli.evaluation.metrics import ERRORS
from lrnn_cli.evaluation.records import DoneStep, read_record
from lrnn_cli.language.json_files import read_json

FOLD = re.compile(r"fold([1-9][0-9]*)\Z")
IMPOSSIBLE = "impossible"
"""The file that says why a learner can't learn from a data set."""
SETTINGS = "settings.json"
"""The file that says what was asked of a crossvalidation."""
KINDS = ("lrnn", "paper", "nfoil", "kfoil", "forest", "lightgbm")
"""Learners in the order of reports; templates and all others follow."""

MOST_FOLDS = 10**6
MISSING = "missing"
STATISTICS = ("rules", "target rules", "average length", "layers")


@dataclass(frozen=True)
class Crossvalidation:
    """One learner on one data set: folds by number, results of those that are done.

    impossible: why there can be none, such as chains of one object for targets of two; empty if there can.
    """

    data: str
    learner: str
    folder: Path
    settings: dict[str, Any]
    expected: tuple[int, ...]
    folds: dict[int, Fold]
    impossible: str = ""

    @property
    def missing(self) -> list[int]:
        return [number for number in self.expected if number not in self.folds]

    @property
    def complete(self) -> bool:
        return bool(self.folds) and not self.missing

    @cached_property
    def summary(self) -> dict[str, Any]:
        """As `summarise_folds` gives it; there must be folds."""
        return summarise_folds(list(self.folds.values()))

    def mean(self, metric: str) -> float | None:
        return self._figure("mean", metric)

    def deviation(self, metric: str) -> float | None:
        return self._figure("deviation", metric)

    def _figure(self, part: str, metric: str) -> float | None:
        """None where there is no such metric of these targets; `error` is that by which they are compared."""
        if not self.folds:
            return None
        figure: float | None = self.summary[part].get(self.error if metric == "error" else metric)
        return figure

    @property
    def trivial_error(self) -> float:
        """That of a model without rules: of always answering the more frequent class, or the mean."""
        pooled = self.summary["pooled"]
        return float(pooled["deviation"] if self.error == "rmse" else 1.0 - pooled["majority"])

    @property
    def error(self) -> str:
        """The metric that learners are compared by."""
        return ERRORS[self.summary["task"]]

    def errors(self) -> dict[int, float]:
        """The error of each fold."""
        metrics = self.summary["folds"] if self.folds else ()
        return {number: fold[self.error] for number, fold in zip(self.folds, metrics, strict=True)}

    def seconds(self) -> float | None:
        """Mean seconds of learning in a fold, grounding included, predicting and evaluating not."""
        by_step = self.summary["seconds"] if self.folds else {}
        parts = [by_step[step]["mean"] for step in ("ground", "learn") if step in by_step]
        return sum(parts) if parts else None

    def run_directories(self, number: int) -> list[Path]:
        """Those of structure learning in a fold: one, or one for each member of an ensemble."""
        run = self._fold(number) / "run"
        if not run.is_dir():
            return []
        members = sorted(run.glob("member_*"), key=lambda member: (len(member.name), member.name))
        return members or [run]

    def statistics(self) -> dict[str, list[float]]:
        """The figures of all learned rule sets, by name."""
        statistics: dict[str, list[float]] = {name: [] for name in STATISTICS}
        for number in self.folds:
            for run in self.run_directories(number):
                path = run / "statistics.json"
                figures = read_json(str(path)) if path.is_file() else {}
                for name in STATISTICS:
                    if isinstance(figures.get(name), int | float):
                        statistics[name].append(float(figures[name]))
        return statistics

    def steps(self, number: int) -> tuple[DoneStep, ...]:
        """The commands of a fold and their seconds."""
        return read_record(self._fold(number)).steps

    def versions(self) -> list[str]:
        """The software that computed the folds."""
        versions = [read_record(self._fold(number)).versions for number in self.expected]
        return list(dict.fromkeys(text for text in versions if text))

    def why_missing(self, number: int) -> str:
        """What the record says of a fold without results."""
        return read_record(self._fold(number)).why_missing()

    def _fold(self, number: int) -> Path:
        return self.folder / f"fold{number}"


def absent(result: Crossvalidation) -> str:
    """What reports say in place of results."""
    return "can't be done" if result.impossible else MISSING


@dataclass(frozen=True)
class Experiments:
    """Crossvalidations of all learners on all data sets; the first learner is compared with the others."""

    folder: Path
    datasets: tuple[str, ...]
    learners: tuple[str, ...]
    results: dict[tuple[str, str], Crossvalidation]

    def of_learner(self, learner: str) -> list[Crossvalidation]:
        return [self.results[data, learner] for data in self.datasets]

    def incomplete(self) -> list[Crossvalidation]:
        """Those that lack folds and can have them."""
        return [result for result in self.results.values() if not result.complete and not result.impossible]

    def impossible(self) -> list[Crossvalidation]:
        return [result for result in self.results.values() if result.impossible]

    def started(self) -> list[str]:
        """Learners that are done with some data set."""
        return [name for name in self.learners if any(result.complete for result in self.of_learner(name))]

    def shared(self) -> list[str]:
        """Data sets that all these learners are done with: means over them compare like with like."""
        return [data for data in self.datasets if all(self.results[data, name].complete for name in self.started())]

    def different_folds(self) -> list[tuple[str, str]]:
        """Data set and learner where folds of the same number do not test the same examples as those of the first."""
        ours = self.learners[0]
        return [
            (data, other)
            for data in self.datasets
            for other in self.learners[1:]
            if not _same_folds(self.results[data, ours], self.results[data, other])
        ]

    def compared(self, other: str) -> tuple[ErrorComparison, ErrorComparison]:
        """The first learner against another: mean errors of data sets, and errors of folds."""
        apart = self.different_folds()
        means, folds = [], []
        for data in self.datasets:
            pair = self.results[data, self.learners[0]], self.results[data, other]
            if (data, other) in apart:
                continue
            if all(result.complete for result in pair):
                means.append([result.mean("error") for result in pair])
            first, second = (result.errors() for result in pair)
            folds += [[first[number], second[number]] for number in first if number in second]
        by_data, by_fold = (
            compare_errors(*np.array(pairs, float).reshape(-1, 2).T.tolist()) for pairs in (means, folds)
        )
        return by_data, by_fold

    def check(self, data: str) -> dict[str, Any]:
        """What `lrnn check` found in a data set; empty where that was not kept."""
        path = self.folder / data / "check.json"
        return read_json(str(path)) if path.is_file() else {}


def read_experiments(folder: str, datasets: Sequence[str] = (), learners: Sequence[str] = ()) -> Experiments:
    """The results in a folder; data sets and learners that are named are expected, by default those that are there."""
    path = Path(folder)
    if not path.is_dir():
        raise ReadError(f"{folder}: this is not a folder; name the one that `lrnn crossvalidate` writes to")
    pairs = [
        (data.name, learner.name)
        for data in sorted(path.iterdir())
        if data.is_dir()
        for learner in sorted(data.iterdir())
        if _is_crossvalidation(learner)
    ]
    datasets = tuple(dict.fromkeys(datasets or [data for data, _ in pairs]))
    names = {learner for data, learner in pairs if data in datasets}
    learners = tuple(dict.fromkeys(learners or sorted(names, key=_place)))
    if not datasets or not learners:
        raise LrnnError(f"{folder}: no crossvalidation left its results here; `lrnn crossvalidate` does")
    results = {}
    for data in datasets:
        known = sorted({number for learner in learners for number in _fold_numbers(path / data / learner)})
        for learner in learners:
            results[data, learner] = _read_crossvalidation(path, data, learner, known)
    return Experiments(path, datasets, learners, results)


def _place(learner: str) -> tuple[int, str]:
    return (KINDS.index(learner) if learner in KINDS else len(KINDS), learner)


def _is_crossvalidation(folder: Path) -> bool:
    kept = any((folder / name).is_file() for name in (SETTINGS, IMPOSSIBLE))
    return folder.is_dir() and (kept or bool(_fold_numbers(folder)))


def _fold_numbers(folder: Path) -> list[int]:
    if not folder.is_dir():
        return []
    names = [FOLD.match(child.name) for child in folder.iterdir() if child.is_dir()]
    return sorted(int(name.group(1)) for name in names if name)


def _read_crossvalidation(root: Path, data: str, learner: str, known: Sequence[int]) -> Crossvalidation:
    """`known` are the folds of this data set; the settings of a crossvalidation say which it has."""
    folder = root / data / learner
    settings = read_settings(folder)
    why = folder / IMPOSSIBLE
    if why.is_file():
        text = " ".join(why.read_text(encoding="utf-8", errors="replace").split())
        return Crossvalidation(data, learner, folder, settings, (), {}, text or "no reason was given")
    expected = tuple(settings.get("folds", ())) or tuple(known)
    folds = {
        number: read_fold(str(folder / f"fold{number}"))
        for number in expected
        if (folder / f"fold{number}" / PREDICTIONS).is_file()
    }
    return Crossvalidation(data, learner, folder, settings, expected, folds)


def read_settings(folder: Path) -> dict[str, Any]:
    """What was asked of a crossvalidation: names and values, the numbers of its folds in a list; empty if not known."""
    path = folder / SETTINGS
    settings = read_json(str(path)) if path.is_file() else {}
    folds = settings.get("folds", [])
    if not isinstance(folds, list) or not all(isinstance(number, int) and 0 < number <= MOST_FOLDS for number in folds):
        raise ReadError(f"{path}: `folds` is a list of numbers from 1; write these settings again")
    return settings


def _same_folds(first: Crossvalidation, second: Crossvalidation) -> bool:
    shared = [number for number in first.folds if number in second.folds]
    return all(set(first.folds[number].example) == set(second.folds[number].example) for number in shared)

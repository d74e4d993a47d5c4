"""From figures of single runs to ratios with their spread, a table, a CSV file, and the goals.

A run is a pair of figures by quantity, {"peer": {...}, "lrnn": {...}}, measured one after the other. A ratio is taken
within each pair, then the median, the smallest and the largest of all pairs are shown.
"""

from __future__ import annotations

import csv
import io
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

Figures = Mapping[str, float]
Run = Mapping[str, Figures]

FIRST_EPOCHS = 20
"""Epochs from the start, before anything is warm."""
QUANTITIES = {
    "start": "start, s",
    "build": "ground and build, s",
    "read": "  of it reading, s",
    "ground": "  of it grounding, s",
    "compile": "  of it building, s",
    "ready": "start, ground and build, s",
    "ready_processor": "  the same, time of processors, s",
    "first_epochs": f"first {FIRST_EPOCHS} epochs, s",
    "epoch": "epoch, per-example SGD, ms",
    "mini_batch_epoch": "epoch, mini-batches of 32, ms",
    "full_batch_epoch": "epoch, full batch, ms",
    "work": f"ground, build and {FIRST_EPOCHS} epochs, s",
    "commands": "the same as commands, with start, s",
    "peak": "memory at most, MB",
    "commands_peak": "memory of the commands, MB",
    "neurons": "neurons",
}
"""What is shown, in this order; seconds of epochs are shown in thousandths, bytes in millions."""
PEER_QUANTITY = {
    "mini_batch_epoch": "epoch",
    "full_batch_epoch": "epoch",
    "batch_epoch": "epoch",
    "commands_peak": "peak",
}
"""The peer's figure that one of ours is compared with where it has another name."""
SCALE = {"epoch": 1e3, "mini_batch_epoch": 1e3, "full_batch_epoch": 1e3, "peak": 1e-6, "commands_peak": 1e-6}


class Spread(NamedTuple):
    """Median, smallest and largest of some figures."""

    median: float
    smallest: float
    largest: float

    @staticmethod
    def of(values: Sequence[float]) -> Spread:
        return Spread(statistics.median(values), min(values), max(values))

    def __str__(self) -> str:
        if self.smallest == self.largest:
            return number(self.median)
        return f"{number(self.median)} ({number(self.smallest)}-{number(self.largest)})"


def number(value: float) -> str:
    """Three digits, more where they stand before the point."""
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.{max(0, 2 - int(f'{value:e}'.split('e')[1]))}f}"


@dataclass(frozen=True)
class Case:
    """Runs of one template over one data set: so many times the examples, the same again or new ones.

    difference: the largest between the outputs of both systems, before and after training; None without the peer.
    """

    template: str
    times: int
    data: str
    examples: int
    runs: Sequence[Run]
    difference: float | None = None
    failure: str = ""
    """Why there are no figures of the peer."""

    @property
    def name(self) -> str:
        return f"{self.template}, {self.examples:,} examples, {self.data}"


def derived(figures: Figures) -> dict[str, float]:
    """The figures, and what goals make of them: sums, and the faster of two kinds of batches."""
    found = dict(figures)
    found["ready"] = found["start"] + found["build"]
    found["work"] = found["build"] + found["first_epochs"]
    batches = [found[name] for name in ("mini_batch_epoch", "full_batch_epoch") if name in found]
    if batches:
        found["batch_epoch"] = min(batches)
    return found


def spread(case: Case, system: str, quantity: str) -> Spread | None:
    """How a quantity of one system spreads over the runs; None where it was not measured."""
    figures = [derived(run[system]) for run in case.runs if system in run]
    values = [found[quantity] * SCALE.get(quantity, 1.0) for found in figures if quantity in found]
    return Spread.of(values) if values else None


def ratio(case: Case, quantity: str) -> Spread | None:
    """How many times as much the peer takes, taken within each run; None where one of the two was not measured."""
    theirs = PEER_QUANTITY.get(quantity, quantity)
    values = []
    for run in case.runs:
        if "peer" in run and "lrnn" in run:
            peer, lrnn = derived(run["peer"]), derived(run["lrnn"])
            if theirs in peer and quantity in lrnn:
                values.append(peer[theirs] / lrnn[quantity])
    return Spread.of(values) if values else None


def table(cases: Sequence[Case]) -> str:
    """All quantities of all cases as text: median (smallest-largest) of each system, and of the ratio."""
    lines = []
    for case in cases:
        agreement = ""
        if case.difference is not None:
            agreement = f"; outputs before training and after one epoch agree to {case.difference:.0e}"
        runs = f"{len(case.runs)} run{'s' if len(case.runs) != 1 else ''}"
        lines.append(f"{case.name}, {runs}{agreement}")
        if case.failure:
            lines.append(f"  no figures of NeuraLogic: {case.failure.splitlines()[0]}")
        lines.append(f"  {'':<36}{'NeuraLogic':>24}{'lrnn':>24}{'NeuraLogic / lrnn':>26}")
        for quantity, label in QUANTITIES.items():
            shown = [spread(case, "peer", quantity), spread(case, "lrnn", quantity), ratio(case, quantity)]
            if shown[1] is not None:
                cells = ["" if item is None else str(item) for item in shown]
                lines.append(f"  {label:<36}{cells[0]:>24}{cells[1]:>24}{cells[2]:>26}".rstrip())
        lines.append("")
    return "\n".join(lines)


def csv_text(cases: Sequence[Case]) -> str:
    """Every figure of every run, in seconds, bytes and neurons."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["template", "data", "times", "examples", "run", "system", "quantity", "value"])
    for case in cases:
        for place, run in enumerate(case.runs, 1):
            for system, figures in run.items():
                for quantity, value in derived(figures).items():
                    writer.writerow(
                        [case.template, case.data, case.times, case.examples, place, system, quantity, repr(value)]
                    )
    return text.getvalue()


# Goals


@dataclass(frozen=True)
class Goal:
    """What is wanted: that the median of a ratio be `least` or more."""

    text: str
    least: float
    value: Callable[[Sequence[Case]], Spread | None]


def _of(template: str, times: int, quantity: str) -> Callable[[Sequence[Case]], Spread | None]:
    def value(cases: Sequence[Case]) -> Spread | None:
        found = _find(cases, template, times, "replicated")
        return None if found is None else ratio(found, quantity)

    return value


def _find(cases: Sequence[Case], template: str, times: int, data: str) -> Case | None:
    wanted = (template, times, data if times > 1 else "replicated")
    return next((case for case in cases if (case.template, case.times, case.data) == wanted), None)


def growth(cases: Sequence[Case], template: str, times: int, data: str, quantity: str) -> float | None:
    """How many times as much lrnn takes for `times` the data, by medians; None where it was not measured."""
    small, large = _find(cases, template, 1, data), _find(cases, template, times, data)
    if small is None or large is None:
        return None
    before, after = spread(small, "lrnn", quantity), spread(large, "lrnn", quantity)
    return None if before is None or after is None else after.median / before.median


GOALS = (
    Goal("t2: start, ground and build, times faster", 8, _of("t2", 1, "ready")),
    Goal("t3: ground and build, times faster", 40, _of("t3", 1, "build")),
    Goal("t3: memory, times less", 10, _of("t3", 1, "peak")),
    Goal("t2: epoch of per-example SGD, times faster", 10, _of("t2", 1, "epoch")),
    Goal("t3: epoch of per-example SGD, times faster", 10, _of("t3", 1, "epoch")),
    Goal("t3: epoch with mini-batches or a full batch, times faster", 100, _of("t3", 1, "batch_epoch")),
    Goal("t2, 50 times the data: build and 20 epochs, times faster", 20, _of("t2", 50, "work")),
    Goal("t2, 50 times the data: memory, times less", 5, _of("t2", 50, "peak")),
)


GROWTHS = {
    "ready_processor": "time of processors until built",
    "peak": "memory",
    "epoch": "epoch of per-example SGD",
    "full_batch_epoch": "full-batch epoch",
}


def goals(cases: Sequence[Case]) -> str:
    """Each goal with the ratio that was measured, and how lrnn grows with the data; nothing if there is none."""
    lines = [f"{'goal':<60}{'wanted':>8}{'measured':>24}"]
    for goal in GOALS:
        found = goal.value(cases)
        if found is not None:
            mark = "" if found.median >= goal.least else "  missed"
            lines.append(f"{goal.text:<60}{goal.least:>8g}{found!s:>24}{mark}")
    for data in ("replicated", "new"):
        for template in ("t2", "t3"):
            for quantity, label in GROWTHS.items():
                factors = [(times, growth(cases, template, times, data, quantity)) for times in (10, 50)]
                shown = [f"{number(factor)} at {times} times" for times, factor in factors if factor is not None]
                if shown:
                    lines.append(f"{template}, {data} data: lrnn's {label} grows by the factor {', '.join(shown)}")
    return "\n".join(lines) + "\n" if len(lines) > 1 else ""

"""Figures over data sets: test errors of learners, and the rule sets that were learned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from lrnn_cli.evaluation.experiments import STATISTICS, Experiments, absent
from lrnn_cli.language.writing import visible
from lrnn_cli.report.plots import COLOURS, INK, MARKERS, drawn, figure_of, name_lines

LEGEND = 45
"""So many letters have room beside each other."""
BAND = 0.7
"""The part of a row that the marks of a data set fill, one below the other."""


@drawn
def error_figure(experiments: Experiments, learners: Sequence[str], titles: Sequence[str]) -> Figure:
    """A row a data set: the mean test error of each learner with its deviation, and the error of the majority."""
    datasets = experiments.datasets
    step = BAND / len(learners)
    figure = figure_of(7.2, 1.5 + len(datasets) * (0.2 + 0.16 * len(learners)))
    axes = figure.subplots()
    _name_rows(axes, datasets)
    marks: dict[str, Line2D] = {}
    for index, (learner, title) in enumerate(zip(learners, titles, strict=True)):
        rows = np.arange(len(datasets)) - BAND / 2 + step * (index + 0.5)
        look: dict[str, Any] = {
            "color": COLOURS[index % len(COLOURS)],
            "marker": MARKERS[index % len(MARKERS)],
            "linestyle": "",
        }
        results = experiments.of_learner(learner)
        for row, result in zip(rows, results, strict=True):
            mean, deviation = result.mean("error"), result.deviation("error")
            if mean is None:
                where = axes.get_yaxis_transform()
                text = f"{visible(title)}: {absent(result)}"
                axes.text(0.01, row, text, transform=where, va="center", fontsize=8, color=look["color"])
                continue
            if deviation is not None:
                ends = [mean - deviation, mean + deviation]
                axes.plot(ends, [row, row], color=look["color"], linewidth=1.2, alpha=0.6)
            fill = "full" if result.complete else "none"
            axes.plot([mean], [row], markersize=6, fillstyle=fill, **look)
        marks[visible(title)] = Line2D([], [], markersize=6, **look)
    majority = [_majority_error(experiments, data) for data in datasets]
    for row, error in enumerate(majority):
        if error is not None:
            axes.plot(
                [error, error], [row - BAND / 2, row + BAND / 2], color=INK, alpha=0.6, linewidth=1, linestyle=":"
            )
    if any(error is not None for error in majority):
        marks["majority class"] = Line2D([], [], color=INK, alpha=0.6, linewidth=1, linestyle=":")
    axes.set_xlabel("test error, mean over folds and deviation")
    columns = 4 if len(marks) < 5 and len("".join(marks)) < LEGEND else 3
    name_lines(axes, marks, loc="lower left", bbox_to_anchor=(0, 1.0), ncols=columns, borderaxespad=0.2)
    return figure


def _majority_error(experiments: Experiments, data: str) -> float | None:
    """The error of always answering the more frequent class or the mean, from the first learner that has results."""
    for learner in experiments.learners:
        result = experiments.results[data, learner]
        if result.folds:
            return result.trivial_error
    return None


@drawn
def statistics_figure(experiments: Experiments, learner: str) -> Figure:
    """Four panels, a row a data set: the mean of a figure of the learned rule sets, and its range over the folds."""
    datasets = experiments.datasets
    figure = figure_of(8.4, 0.9 + 0.3 * len(datasets))
    panels = figure.subplots(1, len(STATISTICS), sharey=True)
    statistics = [result.statistics() for result in experiments.of_learner(learner)]
    for panel, (axes, name) in enumerate(zip(panels, STATISTICS, strict=True)):
        for row, own in enumerate(statistics):
            if not own[name]:
                where = axes.get_yaxis_transform()
                axes.text(0.5, row, "missing", transform=where, va="center", ha="center", fontsize=7, alpha=0.7)
                continue
            axes.plot([min(own[name]), max(own[name])], [row, row], color=COLOURS[0], alpha=0.6, linewidth=1.2)
            axes.plot([np.mean(own[name])], [row], color=COLOURS[0], marker=MARKERS[0], markersize=6)
        _name_rows(axes, datasets if panel == 0 else ())
        values = [value for own in statistics for value in own[name]] or [0.0]
        room = max(0.15 * (max(values) - min(values)), 0.6)
        axes.set_xlim(min(values) - room, max(values) + room)
        axes.xaxis.set_major_locator(MaxNLocator(3, integer=name != "average length"))
        axes.set_title(name)
    panels[0].set_ylim(len(datasets) - 0.5, -0.5)
    return figure


def _name_rows(axes: Axes, datasets: Sequence[str]) -> None:
    """Names of data sets from top to bottom."""
    if datasets:
        axes.set_yticks(range(len(datasets)), [visible(data) for data in datasets])
        axes.set_ylim(len(datasets) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(True, axis="x")

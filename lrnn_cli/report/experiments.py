"""The report of experiments: crossvalidations of all learners on all data sets as tables and figures, or as JSON."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from lrnn_cli import __version__
from lrnn_cli.evaluation.comparison import ErrorComparison, mean_ranks
from lrnn_cli.evaluation.experiments import MISSING, STATISTICS, Crossvalidation, Experiments, absent
from lrnn_cli.language.writing import counted, visible
from lrnn_cli.report.pages import Block, Cell, CommandLines, Figure, Folded, PageTable, Row, Section
from lrnn_cli.report.run_records import read_run

TITLES = {
    "lrnn": "learned LRNN",
    "paper": "learned LRNN as in the paper",
    "nfoil": "nFOIL",
    "kfoil": "kFOIL",
    "forest": "random forest",
    "lightgbm": "LightGBM",
}
CHAIN = re.compile(r"chain([0-9]+)\Z")
CHANCE = 0.05
"""Differences with a p-value below this are commonly called significant."""
NAMED = 4
"""A title names so many data sets at most."""


def learner_title(learner: str) -> str:
    """What a learner is called in reports."""
    base, _, variant = learner.partition("-")
    chain = CHAIN.match(base)
    title = f"chain template {chain.group(1)}" if chain else TITLES.get(base)
    return learner if title is None else f"{title}, {variant}" if variant else title


def experiments_json(experiments: Experiments) -> dict[str, Any]:
    """All figures of the report."""
    return {
        "datasets": list(experiments.datasets),
        "learners": list(experiments.learners),
        "results": [_result_json(result) for result in experiments.results.values()],
        "comparisons": [
            {"learner": experiments.learners[0], "other": other, "data_sets": by_data.json(), "folds": by_fold.json()}
            for other in experiments.learners[1:]
            for by_data, by_fold in [experiments.compared(other)]
        ],
        "different_folds": [{"data": data, "learner": learner} for data, learner in experiments.different_folds()],
    }


def _result_json(result: Crossvalidation) -> dict[str, Any]:
    statistics = {name: float(np.mean(values)) for name, values in result.statistics().items() if values}
    return {
        "data": result.data,
        "learner": result.learner,
        "settings": result.settings,
        "folds": sorted(result.folds),
        "missing": {str(number): result.why_missing(number) for number in result.missing},
        "impossible": result.impossible or None,
        "mean": result.summary["mean"] if result.folds else None,
        "deviation": result.summary["deviation"] if result.folds else None,
        "pooled": result.summary["pooled"] if result.folds else None,
        "seconds": result.seconds(),
        "statistics": statistics or None,
        "versions": result.versions(),
    }


def page_title(experiments: Experiments) -> str:
    """What the report is about: the data sets by name, or the first of many."""
    names = list(experiments.datasets)
    if len(names) > NAMED:
        names = [*names[: NAMED - 1], f"{len(names) - NAMED + 1} other data sets"]
    return f"Experiments on {', '.join(names[:-1])}{' and ' * (len(names) > 1)}{names[-1]}"


def text_sections(experiments: Experiments) -> list[Section]:
    """What the report says without figures."""
    return [
        Section("In short", _short(experiments)),
        *([Section("What is missing", [_missing_table(experiments)])] if experiments.incomplete() else []),
        Section("Data sets", [_data_table(experiments)]),
        Section("Test errors", [metric_table(experiments, "error")]),
        *([Section("Comparisons", [*_comparison_tables(experiments), COMPARISON])] if experiments.learners[1:] else []),
        Section("Areas under the ROC curve", [metric_table(experiments, "auc_roc")]),
        Section("Times", [_time_table(experiments)]),
        *([Section("Learned rule sets", [_statistics_table(experiments)])] if _structured(experiments) else []),
    ]


def page_sections(experiments: Experiments, command: str) -> list[Section]:
    """The whole report; `command` is what makes it."""
    figures = {
        "Test errors": _figures(_error_drawings(experiments)),
        "Learned rule sets": _figures(_statistics_drawings(experiments)),
    }
    sections = [
        Section(section.title, [*section.blocks, *figures.get(section.title, [])])
        for section in text_sections(experiments)
    ]
    runs = _run_blocks(experiments)
    return [
        *sections,
        *([Section("How rules and embeddings evolve", runs)] if runs else []),
        Section("Commands", _command_blocks(experiments, command)),
        Section("Software", _software(experiments)),
    ]


def _structured(experiments: Experiments) -> list[str]:
    """Learners that learned the structure of their rules."""
    return [
        learner
        for learner in experiments.learners
        if any(any(result.statistics().values()) for result in experiments.of_learner(learner))
    ]


# Tables


def _short(experiments: Experiments) -> list[Block]:
    count = len(experiments.results)
    impossible = experiments.impossible()
    done = count - len(experiments.incomplete()) - len(impossible)
    ours = learner_title(experiments.learners[0])
    texts: list[Block] = [
        f"Crossvalidated test errors of {counted(len(experiments.learners), 'learner')} on "
        f"{counted(len(experiments.datasets), 'data set')}. {done} of {count} crossvalidations are complete. "
        f"The {ours} is compared with the others."
    ]
    for result in impossible:
        texts.append(f"{learner_title(result.learner)} on {result.data} {absent(result)}: {result.impossible}.")
    for other in experiments.learners[1:]:
        comparison, _ = experiments.compared(other)
        if comparison.pairs:
            texts.append(
                f"Against {learner_title(other)}: a lower mean error on {comparison.wins} of "
                f"{counted(comparison.pairs, 'data set')}, a higher one on {comparison.losses}{_chance(comparison)}."
            )
    for data, learner in experiments.different_folds():
        texts.append(
            f"{data}: the folds of the {learner_title(learner)} hold other examples than those of the {ours}, so the "
            "two are not compared there. Use the same number of folds, seed and fold options."
        )
    return texts


def _chance(comparison: ErrorComparison) -> str:
    """What a test says of a difference, and whether it could have said more."""
    if comparison.p_value is None:
        return ""
    least = comparison.least_p_value
    few = f", and with {counted(comparison.wins + comparison.losses, 'untied data set')} it can't be below {least:.2g}"
    return f"; Wilcoxon signed-rank test: p = {comparison.p_value:.2g}{few if least > CHANCE else ''}"


def _missing_table(experiments: Experiments) -> PageTable:
    rows: list[Row] = []
    for result in experiments.incomplete():
        reasons: dict[str, list[str]] = {}
        for number in result.missing:
            reasons.setdefault(result.why_missing(number), []).append(str(number))
        for reason, numbers in (reasons or {"not started": ["all"]}).items():
            rows.append((result.data, learner_title(result.learner), ", ".join(numbers), reason))
    header = ("data set", "learner", "folds", "why")
    return PageTable("Folds without results; make does them when it is called again.", header, rows, words=(1, 2, 3))


def _data_table(experiments: Experiments) -> PageTable:
    rows: list[Row] = []
    for data in experiments.datasets:
        summary = experiments.check(data)
        targets = summary.get("targets", [])
        queries = sum(target["queries"] for target in targets)
        yes_no = all(target["positive"] is not None for target in targets)
        positive = sum(target["positive"] or 0 for target in targets)
        numbers = [summary.get("examples"), summary.get("facts"), queries or None]
        results = (experiments.results[data, learner] for learner in experiments.learners)
        trivial = next((result.trivial_error for result in results if result.folds), None)
        if queries and yes_no:
            trivial = 1 - max(positive, queries - positive) / queries
        folds = {len(experiments.results[data, learner].expected) for learner in experiments.learners} - {0}
        rows.append(
            (
                data,
                *(_number_cell(number, 0) for number in numbers),
                _number_cell(positive if queries else None, 0) if yes_no else "",
                _number_cell(trivial, 3),
                ", ".join(map(str, sorted(folds))) or Cell(MISSING, missing=True),
                "given in the data" if summary.get("folds") else "drawn" if summary else "",
            )
        )
    header = ("data set", "examples", "facts", "queries", "positive", "majority error", "folds", "")
    return PageTable(
        "What was learned from, and the error of the more frequent class or, of numbers, of their mean.",
        header,
        rows,
        words=(7,),
    )


def metric_table(experiments: Experiments, metric: str) -> PageTable:
    """Mean and deviation over folds of a metric, data sets by learners; means and ranks over what all have done."""
    lower_is_better = metric == "error"
    rows: list[Row] = []
    for data in experiments.datasets:
        results = [experiments.results[data, learner] for learner in experiments.learners]
        whole = [round(mean, 12) for result in results if result.complete and (mean := result.mean(metric)) is not None]
        best = (min if lower_is_better else max)(whole, default=None)
        rows.append((data, *(_metric_cell(result, metric, best) for result in results)))
    started, shared = experiments.started(), experiments.shared()
    footer: list[Row] = []
    means = [[experiments.results[data, learner].mean(metric) for learner in started] for data in shared]
    table = np.array(means, float)
    if table.size and not np.isnan(table).any():
        ranks = mean_ranks(table if lower_is_better else -table)
        means_and_ranks = [(f"mean of {len(shared)}", table.mean(axis=0), 3), ("mean rank", ranks, 2)]
        if len({experiments.results[data, started[0]].error for data in shared}) > 1:
            # Errors in units and shares of errors have no mean.
            del means_and_ranks[0]
        for name, values, digits in means_and_ranks:
            by_learner = dict(zip(started, values.tolist(), strict=True))
            cells = [_number_cell(by_learner.get(learner), digits) for learner in experiments.learners]
            footer.append((name, *cells))
    words = {"error": "test error (of numbers RMSE), the lowest", "auc_roc": "area under the ROC curve, the highest"}[
        metric
    ]
    caption = f"Mean over folds ± deviation of the {words} of each data set in bold."
    if footer and len(shared) < len(experiments.datasets):
        caption += f" Means and ranks at the end are over the {counted(len(shared), 'data set')} that all have done."
    return PageTable(caption, ("data set", *map(learner_title, experiments.learners)), rows, footer)


def _metric_cell(result: Crossvalidation, metric: str, best: float | None) -> Cell:
    if not result.folds:
        return _absent_cell(result)
    mean, deviation = result.mean(metric), result.deviation(metric)
    if mean is None:
        return Cell("undefined")
    text = f"{mean:.3f}" + ("" if deviation is None else f" ± {deviation:.3f}")
    if not result.complete:
        return Cell(f"{text}, {len(result.folds)}/{len(result.expected)} folds", missing=True)
    return Cell(text, best=best is not None and round(mean, 12) == best)


def _absent_cell(result: Crossvalidation) -> Cell:
    return Cell(absent(result), missing=not result.impossible)


COMPARISON = (
    "A win is a lower error of the first learner. Wilcoxon signed-rank tests are two-sided and leave ties out. Folds "
    "of one data set have training examples in common, so the test over folds sees more evidence than there is; the "
    "one over data sets does not. The lowest p is that of a learner which wins all pairs that are not tied: with fewer "
    "than six of them no difference, however large, is beyond chance at the level of 0.05."
)


def _comparison_tables(experiments: Experiments) -> list[PageTable]:
    """The first learner against each other one, by data set and by fold."""
    ours = learner_title(experiments.learners[0])
    compared = {learner_title(other): experiments.compared(other) for other in experiments.learners[1:]}
    header = ("against", "pairs", "wins", "ties", "losses", "mean difference", "p", "lowest p")
    return [
        PageTable(
            f"The {ours} against the other learners, {what}.",
            header,
            [(other, *_comparison_cells(comparisons[number])) for other, comparisons in compared.items()],
        )
        for number, what in enumerate(("mean errors paired by data set", "errors paired by fold"))
    ]


def _comparison_cells(comparison: ErrorComparison) -> list[str | Cell]:
    if not comparison.pairs or comparison.mean_difference is None:
        return ["0", *[Cell(MISSING, missing=True)] * 6]
    chance = "all tied" if comparison.p_value is None else f"{comparison.p_value:.2g}"
    counts = [str(count) for count in (comparison.pairs, comparison.wins, comparison.ties, comparison.losses)]
    return [*counts, f"{comparison.mean_difference:+.4f}", chance, f"{comparison.least_p_value:.2g}"]


def _time_table(experiments: Experiments) -> PageTable:
    rows: list[Row] = []
    for data in experiments.datasets:
        results = [experiments.results[data, learner] for learner in experiments.learners]
        rows.append(
            (data, *(_number_cell(each.seconds(), 1) if each.folds else _absent_cell(each) for each in results))
        )
    caption = "Mean seconds of learning in a fold, grounding included. Folds may have run side by side."
    return PageTable(caption, ("data set", *map(learner_title, experiments.learners)), rows)


def _statistics_table(experiments: Experiments) -> PageTable:
    learners = _structured(experiments)
    rows: list[Row] = []
    for data in experiments.datasets:
        for learner in learners:
            statistics = experiments.results[data, learner].statistics()
            cells = [
                _number_cell(float(np.mean(statistics[name])) if statistics[name] else None, 1) for name in STATISTICS
            ]
            rows.append((data, learner_title(learner), *cells) if len(learners) > 1 else (data, *cells))
    header = ("data set", *(["learner"] if len(learners) > 1 else []), *STATISTICS)
    caption = "Means over folds: all rules, conjunctive rules of the target, literals in them, depth of the template."
    return PageTable(caption, header, rows, words=(1,) if len(learners) > 1 else ())


def _number_cell(number: float | None, digits: int) -> Cell:
    return Cell(MISSING, missing=True) if number is None else Cell(f"{number:,.{digits}f}")


# Figures


def figure_files(experiments: Experiments) -> dict[str, str]:
    """The figures of errors and of rule sets as files by themselves, by name."""
    from lrnn_cli.report.plots import svg_text

    drawings = [*_error_drawings(experiments), *_statistics_drawings(experiments)]
    return {f"{drawing.name}.svg": svg_text(drawing.figure, drawing.caption, drawing.words) for drawing in drawings}


@dataclass(frozen=True)
class ReportFigure:
    """A figure of matplotlib, its name among all of a report, and what it shows."""

    name: str
    caption: str
    words: str
    figure: Any


def _figures(drawings: Iterable[ReportFigure]) -> list[Block]:
    """Drawings as parts of a page."""
    from lrnn_cli.report.plots import svg_text

    return [
        Figure(drawing.caption, svg_text(drawing.figure, drawing.caption, drawing.words, page=drawing.name))
        for drawing in drawings
    ]


def _error_drawings(experiments: Experiments) -> Iterator[ReportFigure]:
    """The first learner against nFOIL and kFOIL, against trees, against templates, and against all others."""
    from lrnn_cli.report.experiment_plots import error_figure

    ours, *others = experiments.learners
    groups = {
        "nFOIL and kFOIL": [name for name in others if name in ("nfoil", "kfoil")],
        "trees over counts": [name for name in others if name in ("forest", "lightgbm")],
        "hand-crafted templates": [name for name in others if CHAIN.match(name)],
    }
    known = [name for names in groups.values() for name in names]
    groups["other learners"] = [name for name in others if name not in known]
    if not others:
        groups = {"": []}
    words = "Marks are means over folds, lines deviations; the table of test errors has the same figures."
    for number, (group, members) in enumerate(groups.items(), 1):
        if members or not others:
            learners = [ours, *members]
            against = f" and of {group}" if group else ""
            caption = f"Test errors of the {learner_title(ours)}{against} on each data set."
            figure = error_figure(experiments, learners, [learner_title(name) for name in learners])
            yield ReportFigure(f"errors{number}", caption, words, figure)


def _statistics_drawings(experiments: Experiments) -> Iterator[ReportFigure]:
    from lrnn_cli.report.experiment_plots import statistics_figure

    words = "A panel for each figure, a row for each data set; the table of rule sets has the means."
    for number, learner in enumerate(_structured(experiments), 1):
        caption = f"Rule sets of the {learner_title(learner)}: means, and ranges over the folds."
        yield ReportFigure(f"rule_sets{number}", caption, words, statistics_figure(experiments, learner))


def _run_blocks(experiments: Experiments) -> list[Block]:
    """For each data set, the runs of its first fold, those of all structure learners side by side."""
    from lrnn_cli.report import plots

    blocks: list[Block] = []
    for number, data in enumerate(experiments.datasets):
        runs, titles = [], []
        for learner in experiments.learners:
            result = experiments.results[data, learner]
            folders = result.run_directories(min(result.folds)) if result.folds else []
            if folders and (folders[0] / "statistics.json").is_file():
                runs.append(read_run(str(folders[0])))
                titles.append(visible(learner_title(learner)))
        if not runs:
            continue
        inner: list[Block] = []
        for run, title in zip(runs, titles, strict=True):
            rows = [(str(rule.iteration), f"{rule.log_loss:.4f}", rule.rule) for rule in run.rules]
            caption = f"Target rules that the {title} found, in the order it found them."
            inner.append(PageTable(caption, ("iteration", "log loss", "rule"), rows, words=(2,)))
        if all(run.embedding.size for run in runs):
            figure, unnamed = plots.embedding_figure(runs, titles)
            caption = f"{data}: weights of the first layer, projected on their first two principal components."
            if unnamed:
                caption += f" {counted(unnamed, 'point')} had no room for names."
            inner.append(
                Figure(caption, plots.svg_text(figure, *plots.embedding_words(runs), page=f"embedding{number}"))
            )
        svg = plots.svg_text(plots.learning_figure(runs, titles), *plots.learning_words(runs), page=f"learning{number}")
        inner.append(Figure(f"{data}: loss in training, and log loss after each rule.", svg))
        blocks.append(Folded(f"{data}, first fold", inner, open=not blocks))
    return blocks


# Commands and software


def _command_blocks(experiments: Experiments, command: str) -> list[Block]:
    blocks: list[Block] = ["This page was written by", CommandLines([command])]
    for data in experiments.datasets:
        inner: list[Block] = []
        for learner in experiments.learners:
            result = experiments.results[data, learner]
            settings = ", ".join(f"{name} {_setting(value)}" for name, value in result.settings.items() if value)
            lines = []
            for number in result.expected:
                error = result.errors().get(number)
                lines.append(f"# fold {number}: " + (MISSING if error is None else f"error {error:.4f}"))
                for step in result.steps(number):
                    lines.append(f"{step.command}  # {_seconds(step.seconds)}")
            inner.append(
                Folded(f"{learner_title(learner)}: {_state(result)}", [settings or "no settings", CommandLines(lines)])
            )
        blocks.append(Folded(data, inner))
    return blocks


def _setting(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _seconds(seconds: float | None) -> str:
    return "not finished" if seconds is None else f"{seconds:.2f} s"


def _state(result: Crossvalidation) -> str:
    if not result.folds:
        return absent(result)
    mean = result.mean("error")
    return f"{len(result.folds)} of {len(result.expected)} folds, mean error {mean:.4f}"


def _software(experiments: Experiments) -> list[Block]:
    """Versions that computed the results, as records have them, and those that wrote the report."""
    packages = []
    for package in ("numpy", "scipy", "matplotlib"):
        try:
            packages.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            packages.append(f"{package} missing")
    python = f"Python {platform.python_version()}"
    logged: dict[str, int] = {}
    for result in experiments.results.values():
        for line in result.versions():
            logged[line] = logged.get(line, 0) + 1
    rows: list[Row] = [(line, str(count)) for line, count in logged.items()]
    blocks: list[Block] = [f"This report: lrnn {__version__}, {python}, {', '.join(packages)}."]
    if rows:
        blocks.append(PageTable("What computed the results.", ("software", "crossvalidations"), rows))
    else:
        blocks.append("The records of the results do not say what computed them.")
    return blocks

"""Plain text tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def text_table(header: Sequence[str], rows: Sequence[Sequence[object]], numbers: Sequence[int] = ()) -> str:
    """Aligned columns; those in `numbers` to the right."""
    cells = [list(map(str, row)) for row in [header, *rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    lines = []
    for row in cells:
        aligned = [
            text.rjust(width) if column in numbers else text.ljust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(aligned).rstrip())
    return "\n".join(lines) + "\n"


def metrics_table(metrics: dict[str, Any]) -> str:
    """Metrics as `evaluate --json` gives them, one a line with its interval; then those of members of an ensemble."""
    intervals = metrics.get("intervals_95", {})
    members = metrics.get("members", [])
    rows = []
    for name, value in metrics.items():
        if name in PARTS:
            continue
        text = "undefined" if value is None else str(value) if isinstance(value, int) else f"{value:.4f}"
        interval = "{:.4f} to {:.4f}".format(*intervals[name]) if name in intervals else ""
        rows.append((name, text, interval))
    text = text_table(("metric", "value", "95 % interval"), rows, (1,))
    for part, what in (("targets", "target"), ("classes", "class")):
        if part in metrics:
            text += "\n" + _rows_table(what, metrics[part])
    if "confusion" in metrics:
        text += "\n" + _confusion_table(metrics["confusion"])
    return text + (_members_table(members) if members else "")


def _rows_table(what: str, rows: dict[str, dict[str, float | None]]) -> str:
    """Figures of each target or class, a line each."""
    names = [name for name in next(iter(rows.values())) if name not in ("error", "majority", "mean", "deviation")]
    lines = [(label, *(_number(figures[name]) for name in names)) for label, figures in rows.items()]
    return text_table((what, *names), lines, range(1, len(names) + 1))


def _confusion_table(confusion: dict[str, dict[str, int]]) -> str:
    """How often which class was predicted, a line for each right class."""
    rows = [(label, *counts.values()) for label, counts in confusion.items()]
    return text_table(("is, predicted", *confusion), rows, range(1, len(confusion) + 1))


def _number(value: float | None) -> str:
    return str(value) if isinstance(value, int) else _figure(value)


PARTS = ("intervals_95", "targets", "classes", "confusion", "members")
"""What stands among metrics beside single figures."""
FIGURES = (
    "accuracy",
    "auc_roc",
    "auc_pr",
    "macro_f1",
    "rmse",
    "mae",
    "r2",
    "rank_correlation",
    "log_loss",
    "squared_loss",
)
"""Metrics of all kinds of targets, in the order of tables."""


def _members_table(members: Sequence[dict[str, float | None]]) -> str:
    """A member of an ensemble a line, and their mean."""
    names = [name for name in FIGURES if name in members[0]]
    if not names:
        raise ValueError("these are not metrics")
    rows = [(number, *(_figure(member[name]) for name in names)) for number, member in enumerate(members, 1)]
    means = []
    for name in names:
        values = [value for member in members if (value := member[name]) is not None]
        means.append(_figure(sum(values) / len(values) if values else None))
    return "\n" + text_table(("member", *names), [*rows, ("mean", *means)], range(1, len(names) + 1))


def crossvalidation_table(summary: dict[str, Any]) -> str:
    """A summary as `summarise --json` gives it: a metric a line, over folds and pooled, then seconds of all steps."""
    pooled = summary["pooled"]
    rows = []
    names = ("accuracy", "error", *FIGURES[1:], "majority", "deviation")
    for name in (name for name in names if name in pooled):
        interval = pooled["intervals_95"].get(name)
        rows.append(
            (
                name,
                *(_figure(summary[kind][name]) for kind in ("mean", "deviation")),
                _figure(pooled[name]),
                "{:.4f} to {:.4f}".format(*interval) if interval else "",
            )
        )
    folds = len(summary["folds"])
    positive = f", {pooled['positives']} of them positive" if "positives" in pooled else ""
    text = f"{folds} folds, {pooled['queries']} queries{positive}\n"
    text += text_table(("metric", "mean", "deviation", "pooled", "95 % interval"), rows, (1, 2, 3))
    if summary["members"]:
        text += _members_table(summary["members"])
    if summary["seconds"]:
        times = [
            (step, f"{seconds['mean']:.1f}", f"{seconds['total']:.1f}") for step, seconds in summary["seconds"].items()
        ]
        text += "\n" + text_table(("seconds", "mean", "total"), times, (1, 2))
    return text


def _figure(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"

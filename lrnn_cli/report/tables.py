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
        if name in ("intervals_95", "members"):
            continue
        text = "undefined" if value is None else str(value) if isinstance(value, int) else f"{value:.4f}"
        interval = "{:.4f} to {:.4f}".format(*intervals[name]) if name in intervals else ""
        rows.append((name, text, interval))
    return text_table(("metric", "value", "95 % interval"), rows, (1,)) + (_members_table(members) if members else "")


def _members_table(members: Sequence[dict[str, float | None]]) -> str:
    """A member of an ensemble a line, and their mean."""
    names = ("accuracy", "auc_roc", "auc_pr", "log_loss", "squared_loss")
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
    for name in ("accuracy", "error", "auc_roc", "auc_pr", "log_loss", "squared_loss", "majority"):
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
    text = f"{folds} folds, {pooled['queries']} queries, {pooled['positives']} of them positive\n"
    text += text_table(("metric", "mean", "deviation", "pooled", "95 % interval"), rows, (1, 2, 3))
    if summary["members"]:
        text += _members_table(summary["members"])
    if summary["seconds"]:
        times = [(step, f"{found['mean']:.1f}", f"{found['total']:.1f}") for step, found in summary["seconds"].items()]
        text += "\n" + text_table(("seconds", "mean", "total"), times, (1, 2))
    return text


def _figure(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"

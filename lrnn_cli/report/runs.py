"""The story of a run of structure learning, from its run directory."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from lrnn_cli.errors import ReadError
from lrnn_cli.report.tables import text_table

CONFIGURATION = "configuration.json"


def run_summary(folder: Path) -> str:
    """A run, or the runs of all members of an ensemble one after the other."""
    members = sorted(folder.glob("member_*"), key=lambda member: (len(member.name), member.name))
    if members and not (folder / CONFIGURATION).exists():
        return "\n\n".join(_run_summary(member) for member in members)
    return _run_summary(folder)


def _run_summary(folder: Path) -> str:
    if not (folder / CONFIGURATION).exists():
        raise ReadError(f"{folder}: this folder holds no run; `lrnn learn-structure --run-dir` makes one")
    options = _json(folder / CONFIGURATION)["options"]
    lines = [f"{folder}: a run of structure learning", ", ".join(f"{name} {value}" for name, value in options.items())]
    iterations = _rows(folder / "iterations.csv")
    if not iterations:
        return "\n".join([*lines, "", "no iteration is complete yet"])
    rules: dict[str, list[tuple[str, str]]] = {}
    for row in _rows(folder / "rules.csv"):
        rules.setdefault(row["iteration"], []).append((row["log_loss"], row["rule"]))
    for row in iterations:
        seconds = f"{row['search_seconds']} s of search, {row['training_seconds']} s of training"
        losses = f"loss {float(row['training_loss']):.5f}"
        if row["validation_loss"]:
            losses += f", validation loss {float(row['validation_loss']):.5f}"
        lines += ["", f"iteration {row['iteration']}: {row['candidates']} candidates, {seconds}, {losses}"]
        lines += [f"  log loss {float(loss):.5f}  {rule}" for loss, rule in rules.get(row["iteration"], [])]
        if row["invented_rules"] != "0":
            lines.append(f"  {row['invented_rules']} rules of latent predicates invented from the first one")
    lines.append("")
    finished = folder / "statistics.json"
    if not finished.exists():
        return "\n".join([*lines, "the run was not finished; go on with --resume"])
    statistics = _json(finished)
    reason = statistics.pop("ended")
    lines += [f"ended: {reason}", text_table(("rule set", ""), list(statistics.items()), (1,)).rstrip()]
    return "\n".join(lines)


def _json(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text())
    except json.JSONDecodeError as error:
        raise ReadError(f"{path}:{error.lineno}:{error.colno}: this is not valid JSON: {error.msg}") from None
    return found


def _rows(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))

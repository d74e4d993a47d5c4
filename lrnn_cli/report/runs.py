"""The story of a run of structure learning, from its run directory."""

from __future__ import annotations

from pathlib import Path

from lrnn_cli.errors import ReadError
from lrnn_cli.language.files import finite_number
from lrnn_cli.language.json_files import read_json
from lrnn_cli.language.writing import visible
from lrnn_cli.report.run_records import read_columns, read_options, read_rules
from lrnn_cli.report.tables import text_table

CONFIGURATION = "configuration.json"
COLUMNS = (
    "iteration",
    "candidates",
    "invented_rules",
    "training_loss",
    "validation_loss",
    "search_seconds",
    "training_seconds",
)


def run_summary(folder: Path) -> str:
    """A run, or the runs of all members of an ensemble one after the other."""
    members = sorted(folder.glob("member_*"), key=lambda member: (len(member.name), member.name))
    if members and not (folder / CONFIGURATION).exists():
        return "\n\n".join(_run_summary(member) for member in members)
    return _run_summary(folder)


def _run_summary(folder: Path) -> str:
    if not (folder / CONFIGURATION).exists():
        raise ReadError(f"{folder}: this folder holds no run; `lrnn learn-structure --run-dir` makes one")
    options = read_options(folder / CONFIGURATION)
    lines = [f"{visible(str(folder))}: a run of structure learning"]
    lines.append(", ".join(f"{name} {value}" for name, value in options.items()))
    recorded = (folder / "iterations.csv").exists()
    iterations = read_columns(folder / "iterations.csv", COLUMNS, ("validation_loss",)) if recorded else []
    if not iterations:
        return "\n".join([*lines, "", "no iteration is complete yet"])
    rules = read_rules(folder)
    for number, candidates, invented, loss, validation_loss, search, training in iterations:
        seconds = f"{search:.2f} s of search, {training:.2f} s of training"
        losses = f"loss {loss:.5f}"
        if (held_out := finite_number(validation_loss)) is not None:
            losses += f", validation loss {held_out:.5f}"
        lines += ["", f"iteration {number:.0f}: {candidates:.0f} candidates, {seconds}, {losses}"]
        lines += [f"  log loss {rule.log_loss:.5f}  {rule.rule}" for rule in rules if rule.iteration == number]
        if invented:
            lines.append(f"  {invented:.0f} rules of latent predicates invented from the first one")
    lines.append("")
    finished = folder / "statistics.json"
    if not finished.exists():
        return "\n".join([*lines, "the run was not finished; go on with --resume"])
    statistics = read_json(str(finished))
    reason = statistics.pop("ended", "it is not recorded why")
    lines += [f"ended: {reason}", text_table(("rule set", ""), list(statistics.items()), (1,)).rstrip()]
    return "\n".join(lines)

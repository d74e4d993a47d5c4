"""The record of a task, such as a fold of a crossvalidation: what was asked, with what software, and its commands.

It stands beside the results as `task.json`, and is written anew before and after each command. What the commands said
is in `log`, which is for people.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lrnn_cli.errors import ReadError
from lrnn_cli.language.files import write_text
from lrnn_cli.language.json_files import read_json
from lrnn_cli.language.writing import json_text, visible

RECORD = "task.json"
LOG = "log"


@dataclass(frozen=True)
class DoneStep:
    """A command of a task. Without seconds it did not end well, and where it failed the message says why."""

    name: str
    command: str
    seconds: float | None = None
    message: str = ""


@dataclass(frozen=True)
class Record:
    """asked: what tells the task from others, ready for JSON; seed: of a fold that is one of several draws."""

    asked: dict[str, Any]
    seed: int | None = None
    versions: str = ""
    steps: tuple[DoneStep, ...] = ()

    def seconds(self) -> dict[str, float]:
        """Of each step, by its name; a step that was done again counts as it was done last."""
        return {step.name: step.seconds for step in self.steps if step.seconds is not None}

    def why_missing(self) -> str:
        """What to say where there are no results."""
        if not self.steps:
            return "not started"
        return f"failed: {self.steps[-1].message}" if self.steps[-1].message else "not finished"

    def write(self, folder: Path) -> None:
        write_text(str(folder / RECORD), json_text(asdict(self)))


NOTHING = Record({})


def read_record(folder: Path) -> Record:
    """The record in a folder; that of a task which was not started where there is none."""
    path = folder / RECORD
    if not path.is_file():
        return NOTHING
    record = read_json(str(path))
    try:
        steps = tuple(_step(item) for item in record.get("steps", ()))
        seed = record.get("seed")
        return Record(
            dict(record.get("asked", {})), None if seed is None else int(seed), str(record.get("versions", "")), steps
        )
    except (ValueError, TypeError, AttributeError, KeyError, OverflowError):
        message = "this is not the record of a task; delete it, and `lrnn crossvalidate` does the task again"
        raise ReadError(f"{visible(str(path))}: {message}") from None


def _step(item: dict[str, Any]) -> DoneStep:
    seconds = item.get("seconds")
    number = None if seconds is None else float(seconds)
    return DoneStep(str(item["name"]), str(item["command"]), number, str(item.get("message", "")))

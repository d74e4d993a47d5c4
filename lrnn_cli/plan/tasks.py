"""Tasks: commands of lrnn that are run one after the other in a folder, and need nothing but a data file.

A task that was stopped goes on where it was: commands whose files are there are not run again, and structure learning
takes up its run. Where a task is run does not matter: its words name the data and its own files as such.
"""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO, Any

from lrnn_cli.evaluation.records import LOG, DoneStep, Record, read_record
from lrnn_cli.language.files import make_folder

PROGRAM = "lrnn"
SHOWN_LINES = 20
SHOWN_BYTES = 4000
INTERRUPTED = "run/configuration.json", "run/member_1/configuration.json"
"""Files of a run of structure learning that can be gone on with."""


class Slot(Enum):
    """Words of a command that are known where it is run."""

    DATA = "DATA"
    JOBS = "JOBS"


@dataclass(frozen=True)
class Own:
    """A file in the folder of the task."""

    name: str


Word = str | Own | Slot
Run = Callable[[Sequence[str], IO[bytes]], int]
"""Runs a command of lrnn, with its messages to a file, and gives its exit code."""


@dataclass(frozen=True)
class Step:
    """A command: its words after `lrnn`, and the files that are there when it has ended well.

    passing: whether they are for the next command only; goes_on: whether it can take up a run.
    """

    name: str
    words: tuple[Word, ...]
    makes: tuple[str, ...]
    passing: bool = False
    goes_on: bool = False

    def command(self, data: str, folder: str, jobs: int) -> list[str]:
        slots = {Slot.DATA: data, Slot.JOBS: str(jobs)}
        return [
            os.path.join(folder, word.name)
            if isinstance(word, Own)
            else slots[word]
            if isinstance(word, Slot)
            else word
            for word in self.words
        ]


@dataclass(frozen=True)
class Task:
    """What is done with a data file, and the folder its results go to.

    digest: of the data; seed: of a fold that is one of several draws; jobs: processes of each command.
    """

    name: str
    data: str
    digest: str
    folder: str
    steps: tuple[Step, ...]
    seed: int | None = None
    jobs: int = 1

    def asked(self) -> dict[str, Any]:
        """What its results depend on."""
        shown = [step.command(Slot.DATA.value, "", 0) for step in self.steps]
        return {"digest": self.digest, "commands": [shlex.join(words) for words in shown]}

    def is_new(self) -> bool:
        """Whether what is in its folder, if anything, is of another task."""
        return read_record(Path(self.folder)).asked != self.asked()

    def is_done(self) -> bool:
        return not self.is_new() and all(_is_made(step, Path(self.folder)) for step in self.steps if not step.passing)


def _is_made(step: Step, folder: Path) -> bool:
    return all((folder / name).is_file() for name in step.makes)


def run_task(task: Task, run: Run, data: str | None = None, folder: str | None = None) -> int:
    """Run what is left of a task, elsewhere if a path of the data and a folder are given; the last exit code.

    The record and the log show commands as they are run from the folder that the task was planned in.
    """
    place = Path(folder or task.folder)
    _prepare(task, place)
    for number, step in enumerate(task.steps):
        if _is_made(step, place) or (step.passing and _is_made(task.steps[number + 1], place)):
            continue
        code = _run_step(task, step, run, data or task.data, place)
        if code:
            return code
    for step in task.steps:
        for name in step.makes if step.passing else ():
            (place / name).unlink(missing_ok=True)
    return 0


def _prepare(task: Task, place: Path) -> None:
    """A folder in which nothing is of another task, nor left behind by a process that was killed."""
    make_folder(str(place))
    old = read_record(place)
    if old.asked != task.asked():
        clear(task, place)
        old = Record(task.asked(), task.seed)
    for path in place.glob(".*.part"):
        path.unlink()
    replace(old, versions=versions()).write(place)


def clear(task: Task, place: Path) -> None:
    """Take away the files of a task."""
    for name in [LOG, *(name for step in task.steps for name in step.makes)]:
        (place / name).unlink(missing_ok=True)
    shutil.rmtree(place / "run", ignore_errors=True)


def _run_step(task: Task, step: Step, run: Run, data: str, place: Path) -> int:
    """Run a command; what one that failed has written does not count. A run that can't be taken up starts anew."""
    resumed = step.goes_on and any((place / name).is_file() for name in INTERRUPTED)
    if step.goes_on and not resumed:
        shutil.rmtree(place / "run", ignore_errors=True)
    more = ["--resume"] if resumed else []
    shown = DoneStep(step.name, shlex.join([PROGRAM, *step.command(task.data, task.folder, task.jobs), *more]))
    record = read_record(place)
    replace(record, steps=(*record.steps, shown)).write(place)
    with open(place / LOG, "ab") as log:
        log.write(f"$ {shown.command}\n".encode())
        log.flush()
        start = time.perf_counter()
        code = run([*step.command(data, str(place), task.jobs), *more], log)
    if code == 0:
        ended = replace(shown, seconds=round(time.perf_counter() - start, 2))
    else:
        ended = replace(shown, message=_failure(code, place))
        for name in step.makes:
            (place / name).unlink(missing_ok=True)
    replace(record, steps=(*record.steps, ended)).write(place)
    if code and resumed:
        shutil.rmtree(place / "run", ignore_errors=True)
        return _run_step(task, step, run, data, place)
    return code


def _failure(code: int, place: Path) -> str:
    """Why a command failed: the last line of the log, or the signal that ended it."""
    if code < 0:
        return f"ended by signal {-code}" + (", probably for want of memory" if code == -9 else "")
    return last_line(place) or f"exit code {code}"


def last_line(folder: Path) -> str:
    """The last line that the command of a task that runs, or ran last, has said so far."""
    said = _said(folder)
    return said[-1].strip() if said else ""


def last_words(folder: Path) -> str:
    """The last lines that the last command of a task has said."""
    return "\n".join(_said(folder)[-SHOWN_LINES:]) or read_record(folder).why_missing()


def _said(folder: Path) -> list[str]:
    """The last lines of the log, those of the last command."""
    path = folder / LOG
    if not path.is_file():
        return []
    with open(path, "rb") as log:
        log.seek(max(0, path.stat().st_size - SHOWN_BYTES))
        lines = log.read().decode(errors="replace").split("\n")
    commands = [number for number, line in enumerate(lines) if line.startswith("$ ")]
    return [line for line in lines[commands[-1] + 1 if commands else 0 :] if line.strip()]


@cache
def versions() -> str:
    """The software that computes, and how many processors there are."""
    swipl = shutil.which("swipl")
    prolog = subprocess.run([swipl, "--version"], capture_output=True, text=True, check=False).stdout if swipl else ""
    packages = [f"{name} {_version(name)}" for name in ("lrnn", "numpy", "scipy")]
    processors = f"{os.cpu_count()} processors, {platform.machine()}"
    return ", ".join([*packages, f"Python {platform.python_version()}", prolog.strip() or "no swipl", processors])


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"

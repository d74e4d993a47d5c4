"""Crossvalidations as one plan: all folds, drawn with all seeds, of all learners on all data sets.

Results go to `RESULTS/<data>/<learner>/fold<k>/`, where `read_experiments` finds them. With several seeds the folds of
the second draw follow those of the first: of five folds, fold 6 is the first fold of the second seed. What is there is
not done again unless the data or what was asked have changed, and then nothing of it stays.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shlex
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from lrnn_cli.errors import LrnnError, ReadError
from lrnn_cli.evaluation.experiments import (
    FOLD,
    IMPOSSIBLE,
    SETTINGS,
    Crossvalidation,
    Experiments,
    read_experiments,
)
from lrnn_cli.evaluation.records import read_record
from lrnn_cli.language.files import make_folder, write_text
from lrnn_cli.language.json_files import read_json
from lrnn_cli.language.writing import json_text, visible
from lrnn_cli.plan.executors import Executor, Outcome
from lrnn_cli.plan.learners import Learner, fold_steps, template_step
from lrnn_cli.plan.tasks import Own, Slot, Step, Task, Word
from lrnn_cli.report.tables import crossvalidation_table

CHECK = "check.json"
ENDINGS = (".gz", ".pl")
FOLDS = 10


@dataclass(frozen=True)
class DataFile:
    """A data set: the path of its file, the name of its results, and what tells it from others."""

    path: str
    name: str
    digest: str


@dataclass(frozen=True)
class Plan:
    """What is asked for.

    folds: where the data give none; part: further words that choose folds; jobs: processes of each command.
    """

    data: tuple[DataFile, ...]
    learners: tuple[Learner, ...]
    seeds: tuple[int, ...]
    results: str
    folds: int = FOLDS
    part: tuple[str, ...] = ()
    jobs: int = 1

    def folder(self, data: DataFile, learner: Learner | None = None) -> Path:
        return Path(self.results) / data.name / (learner.name if learner else "")

    def pairs(self) -> Iterator[tuple[DataFile, Learner]]:
        return ((data, learner) for data in self.data for learner in self.learners)


@dataclass(frozen=True)
class TaskWatch:
    """Who is told how it goes: tasks that are running of so many that are left, and how each ended."""

    running: Callable[[Sequence[Task], int, int], None]
    ended: Callable[[Outcome, int, int], None]


def data_files(paths: Sequence[str]) -> tuple[DataFile, ...]:
    """Data sets by the names of their files, which differ."""
    files: dict[str, DataFile] = {}
    for path in paths:
        name = os.path.basename(path)
        for ending in ENDINGS:
            name = name.removesuffix(ending)
        if path == "-" or not os.path.isfile(path):
            what = (
                "data are read many times, so they can't be standard input" if path == "-" else "there is no such file"
            )
            raise ReadError(f"{visible(path)}: {what}; name a file")
        if not name or name.startswith("."):
            raise LrnnError(f"{visible(path)}: results are named after the file, and this name is none; rename it")
        if name in files:
            raise LrnnError(f"{visible(path)} and {visible(files[name].path)} have one name; rename one of them")
        with open(path, "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        # A path that begins with a hyphen would be taken for an option.
        files[name] = DataFile(os.path.join(".", path) if path.startswith("-") else path, name, digest)
    return tuple(files.values())


def crossvalidate(plan: Plan, executor: Executor, watch: TaskWatch) -> tuple[Experiments, list[Outcome]]:
    """Do what is missing: the results that are there then, and the tasks that failed."""
    with _locked(plan):
        failed = _run(_preparations(plan), executor, watch)
        without = {outcome.task.folder for outcome in failed}
        tasks: list[Task] = []
        for data, learner in plan.pairs():
            if not {str(plan.folder(data)), str(plan.folder(data, learner))} & without:
                tasks += _folds(plan, data, learner)
        impossible = [outcome for outcome in failed if _is_impossible(outcome)]
        _note_impossible(plan, impossible)
        failed = [outcome for outcome in failed if outcome not in impossible]
        failed += _run(tasks, executor, watch)
        names = [data.name for data in plan.data], [learner.name for learner in plan.learners]
        experiments = read_experiments(plan.results, *names)
        for result in experiments.results.values():
            _summarise(result)
        return experiments, failed


@contextmanager
def _locked(plan: Plan) -> Iterator[None]:
    """Nobody else writes these results meanwhile."""
    with ExitStack() as closing:
        for data, learner in plan.pairs():
            folder = plan.folder(data, learner)
            make_folder(str(folder))
            lock = closing.enter_context(open(folder / ".lock", "a"))
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                message = "another `lrnn crossvalidate` is at work here; wait for it, or choose another folder with -o"
                raise LrnnError(f"{visible(str(folder))}: {message}") from None
        yield


def _run(tasks: Sequence[Task], executor: Executor, watch: TaskWatch) -> list[Outcome]:
    """Run tasks that are not done; those that failed."""
    left = [task for task in tasks if not task.is_done()]
    ended: list[Outcome] = []
    for outcome in executor.run(left, lambda running: watch.running(running, len(ended), len(left))) if left else ():
        ended.append(outcome)
        watch.ended(outcome, len(ended), len(left))
    return [outcome for outcome in ended if outcome.code]


# Preparations


def _preparations(plan: Plan) -> list[Task]:
    """Data are read, to know their folds, and templates made, to know whether there are any."""
    split = plan.part[plan.part.index("--split-by") :][:2] if "--split-by" in plan.part else ()
    words: tuple[Word, ...] = ("check", Slot.DATA, *split, "--json", "--quiet", "--jobs", Slot.JOBS, "-o", Own(CHECK))
    check = Step("check", words, (CHECK,))
    tasks = [_task(plan, data, None, data.name, (check,)) for data in plan.data]
    for data, learner in plan.pairs():
        if learner.chain:
            step = template_step(learner, split)
            tasks.append(_task(plan, data, learner, f"template of {data.name}/{learner.name}", (step,)))
    return tasks


def _task(plan: Plan, data: DataFile, learner: Learner | None, name: str, steps: tuple[Step, ...]) -> Task:
    return Task(name, data.path, data.digest, str(plan.folder(data, learner)), steps, jobs=plan.jobs)


def _is_impossible(outcome: Outcome) -> bool:
    """Whether there is no template for the data; a wrong option has another exit code."""
    return outcome.task.steps[0].name == "template" and outcome.code == 1


def _note_impossible(plan: Plan, impossible: Sequence[Outcome]) -> None:
    reasons = {outcome.task.folder: read_record(Path(outcome.task.folder)).steps[-1].message for outcome in impossible}
    for data, learner in plan.pairs():
        folder = plan.folder(data, learner)
        (folder / IMPOSSIBLE).unlink(missing_ok=True)
        if str(folder) in reasons:
            _keep_folds(folder, {})
            for name in ("summary.txt", "summary.json", SETTINGS):
                (folder / name).unlink(missing_ok=True)
            write_text(str(folder / IMPOSSIBLE), f"{reasons[str(folder)]}\n")


# Folds


def _folds(plan: Plan, data: DataFile, learner: Learner) -> list[Task]:
    """The tasks of a crossvalidation, in a folder that holds nothing of others."""
    given = sorted(int(fold) for fold in read_json(str(plan.folder(data) / CHECK))["folds"])
    folds = given or list(range(1, plan.folds + 1))
    folder = plan.folder(data, learner)
    tasks: dict[int, Task] = {}
    for draw, seed in enumerate(plan.seeds):
        for fold in folds:
            number = draw * folds[-1] + fold
            part = ("--folds", str(folds[-1]), "--fold", str(fold), "--seed", str(seed), *plan.part)
            task = _task(
                plan, data, learner, f"{data.name}/{learner.name} fold {number}", fold_steps(learner, seed, part)
            )
            tasks[number] = replace(
                task, folder=str(folder / f"fold{number}"), seed=seed if len(plan.seeds) > 1 else None
            )
    _keep_folds(folder, tasks)
    settings = {
        "data": data.path,
        "learner": learner.kind,
        "options": shlex.join(learner.options),
        "folds": list(tasks),
        "seeds": list(plan.seeds),
        "fold options": shlex.join(plan.part),
    }
    _write_other(folder / SETTINGS, json_text(settings))
    return list(tasks.values())


def _keep_folds(folder: Path, tasks: dict[int, Task]) -> None:
    """Remove results of other settings, so that they are never mixed."""
    for child in folder.iterdir():
        number = FOLD.match(child.name)
        task = tasks.get(int(number.group(1))) if number else None
        if number and child.is_dir() and (task is None or task.is_new()):
            shutil.rmtree(child)


def _summarise(result: Crossvalidation) -> None:
    """Tables of a crossvalidation, where it is complete."""
    for name, written in (("summary.txt", crossvalidation_table), ("summary.json", json_text)):
        if result.complete:
            _write_other(result.folder / name, written(result.summary))
        else:
            (result.folder / name).unlink(missing_ok=True)


def _write_other(path: Path, text: str) -> None:
    """Write a file, unless it is there as it should be."""
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        write_text(str(path), text)

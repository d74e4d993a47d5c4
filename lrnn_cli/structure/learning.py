"""Structure learning from a data set to models: members of an ensemble, their run directories, going on with them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from lrnn_cli.errors import LrnnError
from lrnn_cli.grounding.grounder import Knowledge
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.data import DataSet
from lrnn_cli.language.template import Template
from lrnn_cli.network.model import Model
from lrnn_cli.settings import check_settings
from lrnn_cli.structure.algorithm import LearnerFactory, StructureLearner
from lrnn_cli.structure.estimates import estimate_text
from lrnn_cli.structure.options import StructureOptions
from lrnn_cli.structure.run_directory import CONFIGURATION, RunDirectory
from lrnn_cli.structure.selection import Estimate, Selection, default_iterations


@dataclass(frozen=True)
class LearnedMember:
    """What was learned with one seed; `iterations` is 0 where that is nothing.

    reason: why learning ended before it had to; remedy: what to do about it where nothing was learned.
    """

    template: Template
    seed: int
    iterations: int
    reason: str
    remedy: str


@dataclass(frozen=True)
class Learning:
    """The model of what was learned, and what to expect of it on new data.

    interrupted: Ctrl-C ended learning; the model is that of the last whole iteration.
    """

    model: Model
    members: tuple[LearnedMember, ...]
    estimates: dict[Predicate, Estimate]
    interrupted: bool


@dataclass(frozen=True)
class LearningTask:
    """What is learned from, and with what.

    examples: all if None; groups: (examples,) examples that are not parted when queries are held out.
    report: called with what is going on; note: with what is worth keeping.
    jobs: threads and processes; memory: bytes for tables, 0 for no limit.
    """

    data: DataSet
    knowledge: Knowledge
    examples: list[int] | None
    groups: np.ndarray
    report: Callable[[str], None] = lambda text: None
    note: Callable[[str], None] = lambda text: None
    jobs: int = 1
    memory: int = 0


def learn_model(
    task: LearningTask,
    options: StructureOptions,
    ensemble: int = 1,
    budget: float | None = None,
    run_directory: str | None = None,
    resume: bool = False,
) -> Learning:
    """Learn one model, or an ensemble of several with seeds that follow each other, in the time of the budget.

    run_directory: a folder that keeps all iterations; with `resume`, learning goes on with what it holds.
    """
    check_settings(options)
    data, examples = task.data, task.examples
    if options.iterations is None:
        options = replace(options, iterations=default_iterations(data.queries, examples, options))
    facts = data, task.knowledge, options
    learners = LearnerFactory(*facts, task.report, task.note, task.jobs, budget, task.memory, ensemble)
    members = learners.members_of(examples)
    runs = _Runs.opened(run_directory, resume, f"{data.digest} {examples if examples is not None else 'all'}", members)
    selection = Selection(members, learners.of, task.groups, runs, task.jobs, task.report)
    interrupted = False
    try:
        selection.learn()
    except KeyboardInterrupt:
        interrupted = True
    kept = [member for member in members if member.learned.iterations]
    if not kept:
        if interrupted:
            raise KeyboardInterrupt
        learned = members[0].learned
        raise LrnnError(f"{data.name}: nothing was learned: {learned.reason}; {learned.remedy}")
    if not interrupted:
        runs.finish()
    return Learning(
        Model(tuple(member.learned.template for member in kept), _comments(data, kept, selection), layered=True),
        tuple(map(_outcome, members)),
        selection.estimates,
        interrupted,
    )


def _outcome(member: StructureLearner) -> LearnedMember:
    learned = member.learned
    seed, iterations = member.options.seed, len(learned.iterations)
    return LearnedMember(learned.template, seed, iterations, learned.reason, learned.remedy)


def _comments(data: DataSet, kept: Sequence[StructureLearner], selection: Selection) -> tuple[str, ...]:
    seeds = ", ".join(str(member.options.seed) for member in kept)
    first = f"model of lrnn: learned from {data.name.rsplit('/', 1)[-1]}, seed{'s' * (len(kept) > 1)} {seeds}"
    return (first, *(estimate_text(target, estimate) for target, estimate in selection.estimates.items()))


@dataclass(frozen=True)
class _Runs:
    """The run directories of the members of an ensemble; without a folder nothing is kept.

    going_on: members, counted from 0, that go on where they were recorded before.
    """

    members: Sequence[StructureLearner]
    folders: dict[int, RunDirectory] = field(default_factory=dict)
    going_on: frozenset[int] = frozenset()

    @staticmethod
    def opened(folder: str | None, resume: bool, part: str, members: Sequence[StructureLearner]) -> _Runs:
        """`part` tells data and examples from others."""
        if folder is None:
            return _Runs(members)
        names = [f"{folder}/member_{number}" if len(members) > 1 else folder for number in range(1, len(members) + 1)]
        # A run that was stopped early may not have got to the members after the first.
        there = [number == 0 or os.path.exists(f"{name}/{CONFIGURATION}") for number, name in enumerate(names)]
        going_on = frozenset(number for number, known in enumerate(there) if resume and known)
        folders = {
            number: RunDirectory(name, members[number].options, part, number in going_on)
            for number, name in enumerate(names)
        }
        return _Runs(members, folders, going_on)

    def restore(self, number: int, learner: StructureLearner) -> None:
        """Let a learner go on where it was recorded before."""
        if number in self.going_on:
            self.folders[number].restore(learner)

    def record(self, number: int, learner: StructureLearner) -> None:
        if number in self.folders:
            self.folders[number].record(learner)

    def finish(self) -> None:
        for number, folder in self.folders.items():
            if self.members[number].learned.iterations:
                folder.finish(self.members[number].learned)

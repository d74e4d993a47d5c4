"""Structure learning as a whole: one model or an ensemble, from data to templates and what to expect of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from lrnn_cli.errors import LrnnError
from lrnn_cli.grounding.grounder import Knowledge
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.data import DataSet, Queries
from lrnn_cli.language.template import Template
from lrnn_cli.settings import check_settings
from lrnn_cli.structure.algorithm import final_training, learn_rules, stopped_for_time
from lrnn_cli.structure.observer import Observer
from lrnn_cli.structure.options import StructureOptions
from lrnn_cli.structure.patterns import Columns
from lrnn_cli.structure.problem import Allowance, OutOfTime, Problem, check_problem, make_problem, queries_of
from lrnn_cli.structure.rules import Rules, written_template
from lrnn_cli.structure.selection import (
    PARTS,
    RULES,
    SMALL,
    Choice,
    Estimate,
    Family,
    HeldOut,
    best_way,
    families,
    held_out_parts,
    settled,
)
from lrnn_cli.structure.side_by_side import AT_ONCE, side_by_side
from lrnn_cli.structure.state import Iteration, LearningState
from lrnn_cli.structure.trials import bodies_of_targets, chosen, predicted
from lrnn_cli.structure.weights import outputs


@dataclass(frozen=True)
class Member:
    """A model of an ensemble: its template with weights, what each iteration did, and why learning ended.

    Without an iteration nothing was learned; `remedy` says what to do about it.
    """

    seed: int
    template: Template
    iterations: tuple[Iteration, ...]
    reason: str
    remedy: str


@dataclass(frozen=True)
class Learned:
    """All members, in the order of their seeds, and what to expect of them on new data, for each target.

    interrupted: by Ctrl-C, so that members are those of the last whole iteration, and nothing is estimated.
    """

    members: tuple[Member, ...]
    estimates: dict[Predicate, Estimate]
    interrupted: bool = False

    @property
    def kept(self) -> tuple[Member, ...]:
        """The members that have learned something."""
        return tuple(member for member in self.members if member.iterations)

    @property
    def templates(self) -> list[Template]:
        return [member.template for member in self.kept]


class Records(Protocol):
    """Keeps what each member, counted from 0, does, so that it can go on after an interruption."""

    def open(self, members: list[StructureOptions], part: str) -> None:
        """Begin to keep members with these options; `part` tells data and examples from others."""

    def restore(self, number: int, E: Problem) -> LearningState | None: ...

    def record(self, number: int, E: Problem, state: LearningState) -> None: ...

    def finish(self, number: int, template: Template, reason: str) -> None: ...


class NoRecords:
    """Nothing is kept."""

    def open(self, members: list[StructureOptions], part: str) -> None: ...

    def restore(self, number: int, E: Problem) -> LearningState | None: ...

    def record(self, number: int, E: Problem, state: LearningState) -> None: ...

    def finish(self, number: int, template: Template, reason: str) -> None: ...


def learn(
    data: DataSet,
    knowledge: Knowledge,
    examples: list[int] | None,
    options: StructureOptions,
    observer: Observer | None = None,
    *,
    members: int = 1,
    jobs: int = 1,
    budget: float | None = None,
    memory: int = 0,
    groups: np.ndarray | None = None,
    records: Records | None = None,
) -> Learned:
    """Learn from the queries of some examples, of all if None.

    members: models of the ensemble, with the seeds S, S + 1, ...; jobs: threads and processes, which the result does
    not depend on; budget: seconds after which learning ends; memory: bytes for groundings, 0 for no limit.
    groups: (examples of the data,) examples that are not parted when queries are held out.
    Where no member learns anything it is an error, and an interruption before that is handed on.
    """
    check_settings(options)
    if not len(data.queries):
        raise LrnnError(f"{data.name}: there is no query in these data; add query(Atom, Target). to the examples")
    queries = queries_of(data, examples)
    options = settled(options, len(queries))
    deadline = None if budget is None else time.monotonic() + budget
    allowed = Allowance(jobs, deadline, memory // AT_ONCE)
    own = [replace(options, seed=options.seed + number) for number in range(members)]
    problems = [make_problem(data, knowledge, queries, item, allowed) for item in own]
    for problem in problems:
        check_problem(problem)
    records = NoRecords() if records is None else records
    records.open([problem.options for problem in problems], f"{data.digest} {'all' if examples is None else examples}")
    groups = np.arange(len(data.example_name)) if groups is None else groups
    ensemble = _Ensemble(
        problems,
        lambda problem, some: make_problem(data, knowledge, some, problem.options, allowed),
        records,
        Observer() if observer is None else observer,
        families(options, members),
        held_out_parts(problems[0].queries, groups, options.seed) if options.conjunctions else None,
    )
    interrupted = False
    try:
        ensemble.learn()
    except KeyboardInterrupt:
        interrupted = True
    learned = Learned(ensemble.members(), ensemble.estimates, interrupted)
    if not learned.kept:
        if interrupted:
            raise KeyboardInterrupt
        first = learned.members[0]
        raise LrnnError(f"{data.name}: nothing was learned: {first.reason}; {first.remedy}")
    for number, member in enumerate(() if interrupted else learned.members):
        if member.iterations:
            records.finish(number, member.template, member.reason)
    return learned


@dataclass(frozen=True)
class _Trial:
    """The rules that were learned without a part of the queries, and what was predicted for that part.

    held_out: of each target; empty if there was no time.
    """

    state: LearningState
    held_out: dict[Predicate, HeldOut]


class _Ensemble:
    """Members while they learn: the state of each is that of its last whole iteration.

    part: (queries,) the part in which each is held out; None where none is.
    """

    def __init__(
        self,
        problems: list[Problem],
        inner: Callable[[Problem, Queries], Problem],
        records: Records,
        observer: Observer,
        families: dict[str, Family],
        part: np.ndarray | None,
    ) -> None:
        self.problems = problems
        self.inner = inner
        self.records = records
        self.observer = observer
        self.families = families
        self.part = part
        self.states = [LearningState(Rules(), {}) for _ in problems]
        self.estimates: dict[Predicate, Estimate] = {}

    @property
    def small(self) -> bool:
        return len(self.problems[0].queries) <= SMALL

    def members(self) -> tuple[Member, ...]:
        return tuple(
            Member(
                E.options.seed,
                written_template(E, state.rules, state.weights),
                state.iterations,
                state.reason,
                state.remedy,
            )
            for E, state in zip(self.problems, self.states, strict=True)
        )

    def learn(self) -> None:
        """Learn rules, then see whether conjunctions are better."""
        if self.part is None or self.small:
            for number, E in enumerate(self.problems):
                self.states[number] = self._recorded(number, E)
        if self.part is None:
            return
        try:
            self._select(self.part)
        except OutOfTime:
            self.states = [stopped_for_time(state) for state in self.states]

    def _select(self, part: np.ndarray) -> None:
        """Choose between plain rules and conjunctions on queries held out, and learn what is best from all queries."""
        bodies = self._bodies()
        trials = list(self._trials(part, bodies))
        if not all(trial.held_out for trial in trials):
            raise OutOfTime
        ways = {
            target: best_way([trial.held_out[target] for trial in trials], self.observer.status)
            for target in self.problems[0].targets
        }

        def last(number: int) -> LearningState:
            return self._final(number, bodies, ways)

        states = side_by_side(last, len(self.problems), self.problems[0].allowed.jobs, (OutOfTime,))
        for number, state in enumerate(states):
            self.states[number] = state
        self._estimate(ways)

    def _bodies(self) -> dict[Predicate, Columns]:
        """Frequent bodies are the same for all members and whatever is held out: they are found once."""
        bodies = bodies_of_targets(self.problems[0], self._observer(0))
        for target, columns in bodies.items():
            self.observer.status(f"{target}: {len(columns)} frequent bodies")
        return bodies

    def _trials(self, part: np.ndarray, bodies: dict[Predicate, Columns]) -> Iterator[_Trial]:
        """Small data: each part is held out once, or more often if there are more members; large: one for a member."""
        members = len(self.problems)
        count = max(PARTS, members) if self.small else members
        trials = side_by_side(
            lambda number: self._trial(number, part == number % PARTS, bodies),
            count,
            self.problems[0].allowed.jobs,
            (OutOfTime,),
        )
        for number, trial in enumerate(trials):
            if not self.small:
                self.states[number] = trial.state
            yield trial

    def _trial(self, number: int, held: np.ndarray, bodies: dict[Predicate, Columns]) -> _Trial:
        """Learn without a part of the queries, and predict it."""
        member = number % len(self.problems)
        E = self.problems[member]
        inner = self.inner(E, E.queries.select((~held).nonzero()[0]))
        state = learn_rules(inner, None, self._observer(member)) if self.small else self._recorded(number, inner)
        self.observer.status(f"predicting {held.sum()} queries held out")
        try:
            return _Trial(state, predicted(E, state, bodies, self.families, held))
        except OutOfTime:
            return _Trial(state, {})

    def _recorded(self, number: int, E: Problem) -> LearningState:
        """Run Algorithm 1 for a member, recording it."""
        state = self.records.restore(number, E)
        if state is not None:
            self.states[number] = state

        def keep(E: Problem, state: LearningState) -> None:
            # If this is interrupted there is something to keep.
            self.states[number] = state
            self.records.record(number, E, state)

        return learn_rules(E, state, self._observer(number, keep))

    def _observer(self, number: int, keep: Callable[[Problem, LearningState], None] | None = None) -> Observer:
        """Tells of a member. In processes side by side each would note the same, so the first one does."""
        count = len(self.problems)
        name = f"model {number + 1} of {count}, " if count > 1 else ""
        return self.observer.of_member(name, notes=number == 0, keep=keep)

    def _final(self, number: int, bodies: dict[Predicate, Columns], ways: dict[Predicate, Choice]) -> LearningState:
        """A member with what was best on queries held out, learned from all queries."""
        E, state = self.problems[number], self.states[number]
        if not self.small and any(way.name == RULES for way in ways.values()):
            state = final_training(E, state, self._observer(number))
        return chosen(E, state, bodies, self.families, ways)

    def _estimate(self, ways: dict[Predicate, Choice]) -> None:
        members = list(zip(self.problems, self.states, strict=True))
        for target, way in ways.items():
            own = self.problems[0].queries.select(self.problems[0].rows_of(target))
            output = np.mean([outputs(E, state.rules, state.weights, own) for E, state in members], axis=0)
            training = float(((output > 0.5) == (own.target > 0.5)).mean())
            self.estimates[target] = replace(way.estimate, training=training)

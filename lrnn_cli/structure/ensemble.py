"""Members of an ensemble, or one model: each by Algorithm 1, and what the data can bear on top of it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from lrnn_cli.allocation import give_back_free_memory
from lrnn_cli.hypotheses.vocabulary import Conditions
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.data import Queries
from lrnn_cli.language.template import Template
from lrnn_cli.structure.algorithm import final_training, learn_rules, stopped_for_time
from lrnn_cli.structure.observer import Observer
from lrnn_cli.structure.patterns import Columns
from lrnn_cli.structure.problem import OutOfTime, Problem
from lrnn_cli.structure.rules import Rules, written_template
from lrnn_cli.structure.run_directory import RunDirectories
from lrnn_cli.structure.selection import (
    RULES,
    SEARCHED,
    SMALL,
    Choice,
    Estimate,
    Family,
    HeldOut,
    best_way,
    searched_queries,
    squared_loss,
)
from lrnn_cli.structure.side_by_side import Spread, beside, side_by_side
from lrnn_cli.structure.state import LearningState
from lrnn_cli.structure.trials import bodies_of_targets, chosen, predicted
from lrnn_cli.structure.weights import rule_columns

SEARCHES = 2
"""Of large data, Algorithm 1 is run for so many members: it takes most of the time, and conjunctions differ enough."""


@dataclass(frozen=True)
class Trial:
    """The rules that were learned without a part of the queries, and what was predicted for that part.

    held_out: of each target; empty if there was no time. columns: those of the rules of each target, of all queries.
    conditions: those on numbers that the rules have.
    """

    state: LearningState
    held_out: dict[Predicate, HeldOut]
    columns: dict[Predicate, list[np.ndarray]]
    conditions: Conditions

    @property
    def loss(self) -> float:
        """The squared loss of its rules, of queries held out."""
        return sum(squared_loss(one.rules, one.target) for one in self.held_out.values())


class Ensemble:
    """Members while they learn: the state of each is that of its last whole iteration.

    part: (queries,) the part in which each is held out; None where none is.
    spread: runs what members do side by side.
    """

    def __init__(
        self,
        problems: list[Problem],
        inner: Callable[[Problem, Queries, Conditions | None], Problem],
        runs: RunDirectories,
        observer: Observer,
        families: dict[str, Family],
        part: np.ndarray | None,
        spread: Spread = side_by_side,
    ) -> None:
        self.problems = problems
        self.inner = inner
        self.runs = runs
        self.observer = observer
        self.families = families
        self.part = part
        self.spread = spread
        self.states = [LearningState(Rules(), {}) for _ in problems]
        self.estimates: dict[Predicate, Estimate] = {}

    @property
    def small(self) -> bool:
        return self.problems[0].queries.count <= SMALL

    def templates(self) -> list[Template]:
        """The model of each member so far."""
        members = zip(self.problems, self.states, strict=True)
        return [written_template(E, state.rules, state.weights) for E, state in members]

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
        # The bodies of one model are found beside its rules; members of several have their rules side by side.
        jobs = self.problems[0].allowed.jobs if len(self.problems) == 1 and not self.small else 1
        with beside(self._bodies, jobs, (OutOfTime,)) as found:
            trials = list(self._trials(part, found))
            bodies = found()
        if not all(trial.held_out for trial in trials):
            raise OutOfTime
        E = self.problems[0]
        ways = {
            goal: best_way(
                [trial.held_out[goal] for trial in trials],
                self.families,
                E.kind,
                self.observer.status,
                bool(E.bias(targets[0])),
            )
            for goal, targets in E.goals.items()
        }

        if self.small and all(way.name == RULES for way in ways.values()):
            self._take_rules_of(trials)

        def last(number: int) -> tuple[LearningState, dict[Predicate, np.ndarray]]:
            return self._final(number, trials, bodies, ways)

        said = []
        members = self.spread(last, len(self.problems), self.problems[0].allowed.jobs, (OutOfTime,))
        for number, (state, outputs) in enumerate(members):
            self.states[number] = state
            said.append(outputs)
        for goal, way in ways.items():
            output = np.mean([outputs[goal] for outputs in said], axis=0)
            self.estimates[goal] = replace(way.estimate, training=self._quality(goal, output))

    def _take_rules_of(self, trials: list[Trial]) -> None:
        """Members have the rules of trials that predicted what was held out best.

        Rules learned from all queries may be worse than those of a trial, and nothing would tell.
        """
        best = sorted((trial for trial in trials if trial.state.iterations), key=lambda trial: trial.loss)
        for number, (E, trial) in enumerate(zip(self.problems, itertools.cycle(best), strict=False)):
            self.states[number] = trial.state
            if trial.conditions != E.words.conditions:
                self.problems[number] = self.inner(E, E.queries, trial.conditions)

    def _bodies(self) -> dict[Predicate, Columns]:
        """Frequent bodies are the same for all members and whatever is held out: they are found once."""
        bodies = bodies_of_targets(self.problems[0], self._observer(0))
        for target, columns in bodies.items():
            self.observer.status(f"{target}: {len(columns)} frequent bodies")
        return bodies

    def _trials(self, part: np.ndarray, bodies: Callable[[], dict[Predicate, Columns]]) -> Iterator[Trial]:
        """Small data: each part is held out once, or more often if there are more members.

        Large data: one for each of the first members, the others have the rules of these and conjunctions of their own.
        """
        members = len(self.problems)
        parts = int(part.max()) + 1
        count = max(parts, members) if self.small else min(members, SEARCHES)
        trials = self.spread(
            lambda number: self._trial(number, part == number % parts, bodies),
            count,
            self.problems[0].allowed.jobs,
            (OutOfTime,),
        )
        for number, trial in enumerate(trials):
            if not self.small:
                self.states[number::SEARCHES] = [trial.state] * len(self.states[number::SEARCHES])
            yield trial

    def _trial(self, number: int, held: np.ndarray, found: Callable[[], dict[Predicate, Columns]]) -> Trial:
        """Learn without a part of the queries, and predict it."""
        member = number % len(self.problems)
        E = self.problems[member]
        others = (~held).nonzero()[0]
        rows = searched_queries(E.queries, others, E.options.seed)
        if len(rows) < len(others):
            self._observer(member).note(
                f"rules are searched with {SEARCHED} of {E.queries.count} queries; conjunctions are learned from all"
            )
        inner = self.inner(E, E.queries.select(rows), None if self.small else E.words.conditions)
        state = learn_rules(inner, None, self._observer(member)) if self.small else self._recorded(number, inner)
        self.observer.status(f"predicting {held.sum()} queries held out")
        conditions = inner.words.conditions
        # What was computed for the search takes more memory than all that comes.
        del inner
        give_back_free_memory()
        try:
            if conditions == E.words.conditions:
                bodies = found()
            else:
                # Queries held out have no part in thresholds, nor in the bodies that ask for them.
                E = self.inner(E, E.queries, conditions)
                bodies = bodies_of_targets(E, self._observer(member))
            columns = rule_columns(E, state.rules, state.weights)
            return Trial(state, predicted(E, state, columns, bodies, self.families, held), columns, conditions)
        except OutOfTime:
            return Trial(state, {}, {}, conditions)

    def _recorded(self, number: int, E: Problem) -> LearningState:
        """Run Algorithm 1 for a member, recording it."""
        state = self.runs.restore(number, E)
        if state is not None:
            self.states[number] = state

        def keep(E: Problem, state: LearningState) -> None:
            # If this is interrupted there is something to keep.
            self.states[number] = state
            self.runs.record(number, E, state)

        return learn_rules(E, state, self._observer(number, keep))

    def _observer(self, number: int, keep: Callable[[Problem, LearningState], None] | None = None) -> Observer:
        """Tells of a member. In processes side by side each would note the same, so the first one does."""
        count = len(self.problems)
        name = f"model {number + 1} of {count}, " if count > 1 else ""
        return self.observer.of_member(name, notes=number == 0, keep=keep)

    def _final(
        self, number: int, trials: list[Trial], bodies: dict[Predicate, Columns], ways: dict[Predicate, Choice]
    ) -> tuple[LearningState, dict[Predicate, np.ndarray]]:
        """A member with what was best on queries held out, learned from all queries."""
        E, state = self.problems[number], self.states[number]
        trial = next((trial for trial in trials if trial.state is state), None)
        if trial is not None and any(way.name == RULES for way in ways.values()):
            state, trial = final_training(E, state, self._observer(number)), None
        columns = rule_columns(E, state.rules, state.weights) if trial is None else trial.columns
        return chosen(E, state, columns, bodies, self.families, ways)

    def _quality(self, goal: Predicate, output: np.ndarray) -> float:
        """How good outputs (queries, classes) are for what they were learned from."""
        E = self.problems[0]
        return E.kind.quality(output, E.queries.target[E.rows_of_goal(E.goals[goal])])

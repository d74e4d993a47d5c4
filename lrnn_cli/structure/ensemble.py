"""Members of an ensemble, or one model: each by Algorithm 1, and what the data can bear on top of it."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace

import numpy as np

from lrnn_cli.allocation import give_back_free_memory
from lrnn_cli.hypotheses.vocabulary import Conditions
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.data import Queries
from lrnn_cli.language.template import Template
from lrnn_cli.stages import stage
from lrnn_cli.structure.algorithm import final_training, learn_rules, stopped_for_time
from lrnn_cli.structure.holding_out import SEARCHED, searched_queries
from lrnn_cli.structure.observer import Observer
from lrnn_cli.structure.patterns import Columns
from lrnn_cli.structure.problem import OutOfTime, Problem
from lrnn_cli.structure.rules import Rules, written_template
from lrnn_cli.structure.run_directory import RunDirectories
from lrnn_cli.structure.selection import (
    RULES,
    SMALL,
    Choice,
    Estimate,
    Family,
    HeldOut,
    are_better,
    best_way,
    may_be_about_literals,
    squared_loss,
)
from lrnn_cli.structure.side_by_side import Result, Spread, beside, side_by_side
from lrnn_cli.structure.state import LearningState
from lrnn_cli.structure.trials import Boost, bodies_of_targets, boosting, chosen, make_bins, predicted
from lrnn_cli.structure.weights import rule_columns

SEARCHES = 2
"""Of large data, Algorithm 1 is run for so many members: it takes most of the time, and conjunctions differ enough."""
LONGER = 3.0
"""With literals of the data, and with what follows, it may take so many times as long as without."""
ALIKE = 0.002
"""Trials whose squared losses differ by no more are equally good: one query of 500."""


@dataclass(frozen=True)
class Search:
    """The rules that were learned without a part of the queries, and their columns of all queries, by target."""

    state: LearningState
    columns: dict[Predicate, list[np.ndarray]]


@dataclass(frozen=True)
class Trial:
    """The rules that were learned from small data without a part of the queries, and what was predicted for that part.

    held_out: of each target; empty if there was no time. conditions: those on numbers that the rules have.
    """

    state: LearningState
    held_out: dict[Predicate, HeldOut]
    conditions: Conditions

    @property
    def loss(self) -> float:
        """The squared loss of its rules, of queries held out."""
        return sum(squared_loss(one.rules, one.target) for one in self.held_out.values())

    @property
    def literals(self) -> int:
        """Of its target rules."""
        rules = [rule for candidates in self.state.rules.targets.values() for rule in candidates]
        return sum(rule.shape.length for rule in rules)


class Ensemble:
    """Members while they learn: the state of each is that of its last whole iteration.

    parts: gives (queries,) the part in which each is held out, None where there are too few; None where none is to be.
    spread: runs what members do side by side.
    """

    def __init__(
        self,
        problems: list[Problem],
        inner: Callable[[Problem, Queries, Conditions | None], Problem],
        runs: RunDirectories,
        observer: Observer,
        families: dict[str, Family],
        parts: Callable[[], np.ndarray | None] | None,
        spread: Spread = side_by_side,
    ) -> None:
        self.problems = problems
        self.inner = inner
        self.runs = runs
        self.observer = observer
        self.families = families
        self.parts = parts
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
        try:
            if self.parts is None:
                self._learn_rules()
            elif self.small:
                self._learn_rules()
                part = self.parts()
                if part is not None:
                    self._select_small(part)
            else:
                self._select(self.parts)
        except OutOfTime:
            self.states = [stopped_for_time(state) for state in self.states]

    def _learn_rules(self) -> None:
        for number, E in enumerate(self.problems):
            self.states[number] = self._recorded(number, E)

    def _select(self, parts: Callable[[], np.ndarray | None]) -> None:
        """Choose between plain rules and conjunctions on queries held out, and learn what is best from all queries."""
        # A process that talks to a cluster is not copied: others of its threads may hold what the copy waits for.
        jobs = self._jobs if self.spread is side_by_side else 1
        # Bodies are found beside duplicates, which are not parted, and beside rules; what is likely to be chosen for
        # the first member is learned beside trials.
        with beside(self._bodies_in_bins, jobs, (OutOfTime,)) as (tell, bodies_beside):
            part = parts()
            if part is not None:
                tell(part.astype(np.int8))
                searches = list(self._searches(part))
                bodies = bodies_beside()
        if part is None:
            self._learn_rules()
            return
        first = searches[0]
        with boosting(self.problems[0], first.state, first.columns, bodies, self.families, jobs) as begun:
            ways = self._ways(self._trials(part, searches, bodies))

            def final(number: int, boost: Boost | None = None) -> tuple[LearningState, dict[Predicate, np.ndarray]]:
                return self._final(number, bodies, ways, searches[number % SEARCHES], boost)

            known = 1 if jobs > 1 else 0
            others = self._each(lambda number: final(known + number), len(self.problems) - known)
            self._finish(ways, itertools.chain((final(number, begun) for number in range(known)), others))

    def _select_small(self, part: np.ndarray) -> None:
        """The same for small data, of which each part is held out, with literals of the data in rules or without."""
        bodies = self._bodies()
        began = time.monotonic()
        trials, ways = self._tried(part, bodies)
        E = self.problems[0]
        in_time = E.allowed.has_left(LONGER * (time.monotonic() - began))
        if in_time and E.unary and may_be_about_literals(E.options, E.kind, ways.values()):
            self.observer.status("most of the targets is explained: with literals of the data in rules, too")
            other = copy(self)
            other.problems = [self._with_literals(E) for E in self.problems]
            their_trials, their_ways = other._tried(part, bodies)
            if are_better(their_ways.values(), ways.values()):
                if any(way.name != RULES for way in their_ways.values()):
                    other.states = list(other._each(other._learned, len(other.problems)))
                self.problems, self.states, trials, ways = other.problems, other.states, their_trials, their_ways
        if all(way.name == RULES for way in ways.values()):
            self._take_rules_of(trials)
        self._finish(ways, self._each(lambda number: self._final(number, bodies, ways), len(self.problems)))

    def _tried(self, part: np.ndarray, bodies: dict[Predicate, Columns]) -> tuple[list[Trial], dict[Predicate, Choice]]:
        """Small data with each part held out, and what was best there."""
        trials = list(self._small_trials(part, bodies))
        return trials, self._ways(trial.held_out for trial in trials)

    def _with_literals(self, E: Problem) -> Problem:
        """The same with literals of the data in rules, beside latent predicates."""
        wanted = replace(E, options=replace(E.options, crisp=True))
        return self.inner(wanted, E.queries, E.words.conditions)

    def _learned(self, number: int) -> LearningState:
        """What Algorithm 1 learns for a member from all queries."""
        return learn_rules(self.problems[number], None, self._observer(number))

    @property
    def _jobs(self) -> int:
        return self.problems[0].allowed.jobs

    def _each(self, task: Callable[[int], Result], count: int) -> Iterator[Result]:
        """task(0), task(1), ..., side by side."""
        return self.spread(task, count, self._jobs, (OutOfTime,))

    def _ways(self, trials: Iterable[dict[Predicate, HeldOut]]) -> dict[Predicate, Choice]:
        """What is best for each goal on queries held out, of which nothing is known where time was over."""
        held_out = list(trials)
        if not all(held_out):
            raise OutOfTime
        E = self.problems[0]
        return {
            goal: best_way(
                [trial[goal] for trial in held_out],
                self.families,
                E.kind,
                self.observer.status,
                bool(E.bias(targets[0])),
                self.small,
            )
            for goal, targets in E.goals.items()
        }

    def _finish(
        self,
        ways: dict[Predicate, Choice],
        learned: Iterable[tuple[LearningState, dict[Predicate, np.ndarray]]],
    ) -> None:
        """Take the members as they are learned from all queries, and see how good they are there."""
        said = []
        for number, (state, outputs) in enumerate(learned):
            self.states[number] = state
            said.append(outputs)
        for goal, way in ways.items():
            output = np.mean([outputs[goal] for outputs in said], axis=0)
            self.estimates[goal] = replace(way.estimate, training=self._quality(goal, output))

    def _take_rules_of(self, trials: Iterable[Trial]) -> None:
        """Members have the rules of trials that predicted what was held out best, trained with all queries.

        Rules learned from all queries may be worse than those of a trial, and nothing would tell. Of trials that are
        alike the one with the fewest literals comes first.
        """
        learned = [trial for trial in trials if trial.state.iterations]
        least = min((trial.loss for trial in learned), default=0.0)
        best = sorted(learned, key=lambda trial: (max(trial.loss - least, ALIKE), trial.literals, trial.loss))
        for number, (E, trial) in enumerate(zip(self.problems, itertools.cycle(best), strict=False)):
            if trial.conditions != E.words.conditions:
                self.problems[number] = self.inner(E, E.queries, trial.conditions)
            self.states[number] = final_training(self.problems[number], trial.state, self._observer(number))

    def _bodies(self) -> dict[Predicate, Columns]:
        """Frequent bodies are the same for all members and whatever is held out: they are found once."""
        bodies = bodies_of_targets(self.problems[0], self._observer(0))
        for target, columns in bodies.items():
            self.observer.status(f"{target}: {len(columns)} frequent bodies")
        return bodies

    def _bodies_in_bins(self, told: Callable[[], np.ndarray]) -> dict[Predicate, Columns]:
        """Those of large data, with what all that boosts over them needs: their bins.

        told: waits for (queries,) the part in which each is held out.
        """
        bodies = self._bodies()
        part = told()
        held = [self._held(part, number) for number in range(min(len(self.problems), SEARCHES))]
        with stage("boosting"):
            make_bins(self.problems[0], bodies, held)
        return bodies

    @staticmethod
    def _held(part: np.ndarray, member: int) -> np.ndarray:
        """(queries,) those that a member holds out."""
        return np.asarray(part == member % (int(part.max()) + 1))

    def _small_trials(self, part: np.ndarray, bodies: dict[Predicate, Columns]) -> Iterator[Trial]:
        """Each part is held out once, or more often if there are more members."""
        parts = int(part.max()) + 1
        return self._each(
            lambda number: self._small_trial(number % len(self.problems), part == number % parts, bodies),
            max(parts, len(self.problems)),
        )

    def _small_trial(self, member: int, held: np.ndarray, bodies: dict[Predicate, Columns]) -> Trial:
        """Learn without a part of the queries, and predict it."""
        E = self.problems[member]
        inner = self.inner(E, E.queries.select((~held).nonzero()[0]), None)
        state = learn_rules(inner, None, self._observer(member))
        conditions = inner.words.conditions
        del inner
        give_back_free_memory()
        try:
            if conditions != E.words.conditions:
                # Queries held out have no part in thresholds, nor in the bodies that ask for them.
                E = self.inner(E, E.queries, conditions)
                bodies = bodies_of_targets(E, self._observer(member))
            search = Search(state, rule_columns(E, state.rules, state.weights))
            return Trial(state, self._predicted(E, search, bodies, held), conditions)
        except OutOfTime:
            return Trial(state, {}, conditions)

    def _searches(self, part: np.ndarray) -> Iterator[Search]:
        """One for each of the first members: the others have the rules of these and conjunctions of their own."""
        searches = self._each(
            lambda number: self._search(number, self._held(part, number)),
            min(len(self.problems), SEARCHES),
        )
        for number, search in enumerate(searches):
            self.states[number::SEARCHES] = [search.state] * len(self.states[number::SEARCHES])
            yield search

    def _search(self, member: int, held: np.ndarray) -> Search:
        """Learn rules of large data without a part of the queries."""
        E = self.problems[member]
        others = (~held).nonzero()[0]
        rows = searched_queries(E.queries, others, E.options.seed)
        if len(rows) < len(others):
            self._observer(member).note(
                f"rules are searched with {SEARCHED} of {E.queries.count} queries; conjunctions are learned from all"
            )
        state = self._recorded(member, self.inner(E, E.queries.select(rows), E.words.conditions))
        # What was computed for the search takes more memory than all that comes.
        give_back_free_memory()
        return Search(state, rule_columns(E, state.rules, state.weights))

    def _trials(
        self, part: np.ndarray, searches: Sequence[Search], bodies: dict[Predicate, Columns]
    ) -> Iterator[dict[Predicate, HeldOut]]:
        """What the first members predict for queries of large data that were held out."""

        def trial(number: int) -> dict[Predicate, HeldOut]:
            return self._predicted(self.problems[number], searches[number], bodies, self._held(part, number))

        return self._each(trial, len(searches))

    def _predicted(
        self, E: Problem, search: Search, bodies: dict[Predicate, Columns], held: np.ndarray
    ) -> dict[Predicate, HeldOut]:
        self.observer.status(f"predicting {held.sum()} queries held out")
        return predicted(E, search.state, search.columns, bodies, self.families, held)

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
        self,
        number: int,
        bodies: dict[Predicate, Columns],
        ways: dict[Predicate, Choice],
        search: Search | None = None,
        begun: Boost | None = None,
    ) -> tuple[LearningState, dict[Predicate, np.ndarray]]:
        """A member with what was best on queries held out, learned from all queries.

        search: where its rules are from, if it is one of large data; begun: boosting of these that is under way.
        """
        E, state = self.problems[number], self.states[number]
        if search is not None and any((RULES, 0) in way.shares for way in ways.values()):
            state = final_training(E, state, self._observer(number))
        same = search is not None and state is search.state
        columns = search.columns if search and same else rule_columns(E, state.rules, state.weights)
        if same and begun is not None:
            return chosen(E, state, columns, ways, begun)
        with boosting(E, state, columns, bodies, self.families) as boost:
            return chosen(E, state, columns, ways, boost)

    def _quality(self, goal: Predicate, output: np.ndarray) -> float:
        """How good outputs (queries, classes) are for what they were learned from."""
        E = self.problems[0]
        return E.kind.quality(output, E.queries.target[E.rows_of_goal(E.goals[goal])])

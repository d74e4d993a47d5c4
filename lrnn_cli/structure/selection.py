"""What the data can bear: conjunctions of parts or plain rules, few or many, chosen on queries that were held out.

Algorithm 1 is run without a part of the queries; then, on the same queries, conjunctions are boosted over the columns
of frequent bodies and of the rules it found. Whatever predicts the queries held out best is learned again from all.
Small data are held out in turn, so that every query counts; large data once. What was predicted for queries held out
also tells what to expect of new data.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from lrnn_cli.hypotheses.parts import Conjunction
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.data import Queries
from lrnn_cli.network.network import sigmoid
from lrnn_cli.stages import stage
from lrnn_cli.structure.algorithm import OutOfTime, State, StructureLearner, StructureOptions
from lrnn_cli.structure.boosting import BoostingOptions, boosted
from lrnn_cli.structure.patterns import Columns
from lrnn_cli.structure.side_by_side import AT_ONCE, side_by_side

PARTS = 5
"""Queries are held out in so many parts."""
SMALL = 1000
"""Up to so many queries, each part is held out in turn; of more, only one part is."""
FEWEST = 2
"""Queries of each class that a part must have."""
LARGE_ITERATIONS = 3
ENOUGH = 0.999
"""The part of the loss explained by the best way that a simpler one has to explain."""
PATIENCE = 60
"""After so many conjunctions that predict queries held out no better no more are tried."""
EXPLAINED = 0.002
"""When no more than this part of the loss is left no more conjunctions are tried."""
RULES = "plain rules"


@dataclass(frozen=True)
class Estimate:
    """What to expect on new data, from queries held out; `training`: the accuracy on all that was learned from.

    loss, frequency_loss: squared losses, of the model and of predicting the frequency of the target.
    """

    queries: int
    accuracy: float
    majority: float
    loss: float
    frequency_loss: float
    training: float


@dataclass(frozen=True)
class Family:
    """A way to boost; latent: over the columns of rules with latent predicates too, not of literals of the data alone.

    Such columns were trained on the same targets, so they promise more than they keep where data are few or clean.
    """

    options: BoostingOptions
    latent: bool


def default_iterations(queries: Queries, examples: list[int] | None, options: StructureOptions) -> int:
    """Iterations of Algorithm 1 where nothing else is said: few on large data, where conjunctions do most."""
    count = len(queries) if examples is None else int(np.isin(queries.example, examples).sum())
    return LARGE_ITERATIONS if options.conjunctions and count > SMALL else options.iterations


def families(options: StructureOptions, members: int) -> dict[str, Family]:
    """The ways to boost that are tried: few sharp rules, for clean data, and many that each say little.

    Members of an ensemble differ by what they are shown; one model looks at everything.
    """
    few = BoostingOptions(
        min(options.conjunctions, 60), 0.5, options.parts, penalty=1.0, covered=3, queries=1.0, columns=1.0
    )
    many = BoostingOptions(options.conjunctions, 0.15, options.parts, queries=1.0, columns=1.0)
    if members > 1:
        many = replace(many, queries=0.7, columns=0.2)
    return {
        "few conjunctions": Family(few, False),
        "few conjunctions with latent predicates": Family(few, True),
        "many conjunctions": Family(many, False),
        "many conjunctions with latent predicates": Family(many, True),
    }


def held_out_parts(queries: Queries, groups: np.ndarray, seed: int) -> np.ndarray | None:
    """(queries,) the part in which each query is held out, from 0; None where there are too few.

    groups: (examples,) examples that stay in one part. Parts are of whole groups unless there are too few of them;
    targets and their classes are dealt evenly.
    """
    positive = queries.target > 0.5
    if min(positive.sum(), (~positive).sum()) < FEWEST * PARTS:
        return None
    _, first, units = np.unique(groups[queries.example], return_index=True, return_inverse=True)
    if len(first) < 2 * PARTS:
        first = units = np.arange(len(queries))
    mean = np.bincount(units, queries.target) / np.bincount(units)
    kind = 2 * queries.predicate_index[first] + np.round(mean).astype(np.int64)
    random = np.random.default_rng([seed, 3])
    order = np.concatenate([random.permutation((kind == value).nonzero()[0]) for value in np.unique(kind)])
    part = np.empty(len(first), np.int64)
    part[order] = np.arange(len(first)) % PARTS
    found = part[units]
    return found if _all_can_be_predicted(queries, found) else None


def _all_can_be_predicted(queries: Queries, part: np.ndarray) -> bool:
    """Whether each part has queries of each target, and the others two values of it to learn from."""
    for number, target in itertools.product(range(PARTS), np.unique(queries.predicate_index)):
        own = queries.predicate_index == target
        held = part == number
        if not (own & held).any() or len(np.unique(queries.target[own & ~held])) < 2:
            return False
    return True


@dataclass(frozen=True)
class _Tried:
    """Outputs for queries of a target held out: of plain rules, and of each family after each conjunction."""

    target: np.ndarray
    rules: np.ndarray
    paths: dict[str, np.ndarray]

    def output(self, name: str, rules: int) -> np.ndarray:
        """After so many conjunctions, or the last one."""
        path = self.paths[name]
        return np.asarray(path[min(rules, len(path) - 1)])


@dataclass(frozen=True)
class Trial:
    """What a learner that has not seen a part of the queries found, and what was predicted for that part.

    tried: of each target; empty if there was no time.
    """

    state: State
    tried: dict[Predicate, _Tried]


class Recorder(Protocol):
    """Keeps what the learner of a member, counted from 0, does, so that it can go on after an interruption."""

    def restore(self, number: int, learner: StructureLearner) -> None: ...

    def record(self, number: int, learner: StructureLearner) -> None: ...


class Selection:
    """Learns the members of an ensemble, or one model: `members` learn from all queries, `inner` from some of them.

    groups: (examples,) examples that are not parted when queries are held out.
    """

    def __init__(
        self,
        members: Sequence[StructureLearner],
        inner: Callable[[StructureLearner, Queries], StructureLearner],
        groups: np.ndarray,
        recorder: Recorder,
        jobs: int = 1,
        report: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.members = members
        self.inner = inner
        self.jobs = jobs
        self.report = report
        self.recorder = recorder
        first = members[0]
        self.targets = list(first.targets)
        self.queries = first.queries
        self.families = families(first.options, len(members))
        self.part = held_out_parts(self.queries, groups, first.options.seed) if first.options.conjunctions else None
        self.small = len(self.queries) <= SMALL
        self.bodies: dict[Predicate, Columns] = {}
        self.estimates: dict[Predicate, Estimate] = {}

    def learn(self) -> None:
        """Learn rules, then see whether conjunctions are better."""
        members = range(len(self.members))
        if self.part is None or self.small:
            self._adopt(map(self._rules, members), members)
        if self.part is None:
            return
        try:
            self._find_bodies()
            trials: list[Trial] = []
            count = max(PARTS, len(members)) if self.small else len(members)
            for number, trial in enumerate(side_by_side(self._trial, count, self.jobs, (OutOfTime,))):
                trials.append(trial)
                if not self.small:
                    self._adopt([trial.state], [number])
            if not all(trial.tried for trial in trials):
                raise OutOfTime
            chosen = {target: self._best([trial.tried[target] for trial in trials]) for target in self.targets}
            final = side_by_side(lambda number: self._final(number, chosen), len(members), self.jobs, (OutOfTime,))
            self._adopt(final, members)
            self._estimate({target: found[2] for target, found in chosen.items()})
        except OutOfTime:
            for member in self.members:
                member.stop_for_time()

    def _adopt(self, states: Iterable[State], members: Iterable[int]) -> None:
        """Members take over what processes have found for them."""
        for number, state in zip(members, states, strict=False):
            self.members[number].adopt(state)

    def _find_bodies(self) -> None:
        """Frequent bodies are the same for all members and whatever is held out: they are found once."""
        for target in self.targets:
            self.bodies[target] = self.members[0].frequent_bodies(target)
            self.report(f"{target}: {len(self.bodies[target])} frequent bodies")

    def _rules(self, number: int) -> State:
        """The rules of a member from all queries."""
        member = self.members[number]
        with member.part_of_time(len(self.members) - number):
            self._search(number, member)
        return member.state()

    def _search(self, number: int, learner: StructureLearner) -> None:
        """Run Algorithm 1, recording it."""
        self.recorder.restore(number, learner)
        learner.learn(lambda learner: self.recorder.record(number, learner))

    def _trial(self, number: int) -> Trial:
        """Learn without a part of the queries, and predict it."""
        assert self.part is not None
        member = self.members[number % len(self.members)]
        held = self.part == number % PARTS
        learner = self.inner(member, self.queries.select((~held).nonzero()[0]))
        if self.small:
            learner.learn()
        else:
            # If this is interrupted there is something to keep.
            member.learned = learner.learned
            turns = -(-(len(self.members) - number) // min(self.jobs, AT_ONCE))
            with learner.part_of_time(turns):
                self._search(number, learner)
        self.report(f"predicting {held.sum()} queries held out")
        try:
            with member.borrowed(learner.state()):
                tried = {target: self._tried(target, member, held) for target in self.targets}
        except OutOfTime:
            tried = {}
        return Trial(learner.state(), tried)

    def _tried(self, target: Predicate, member: StructureLearner, held: np.ndarray) -> _Tried:
        """What rules that a member has borrowed, and conjunctions over them, say of queries held out."""
        place = member.rows_of(target)
        own, out = self.queries.select(place), held[place]
        paths = {}
        for name, family in self.families.items():
            columns = self._columns(target, member, family.latent)
            path = [np.full(out.sum(), own.target[~out].mean())]
            losses = [_loss(path[0], own.target[out])]
            for _, _, logit in self._boosted(target, member, columns, (~out).nonzero()[0], family.options):
                path.append(sigmoid(logit[out]))
                losses.append(_loss(path[-1], own.target[out]))
                if len(losses) - int(np.argmin(losses)) > PATIENCE or losses[-1] < EXPLAINED * losses[0]:
                    break
            paths[name] = np.stack(path)
        return _Tried(own.target[out], member.outputs(own.select(out.nonzero()[0])), paths)

    def _boosted(
        self,
        target: Predicate,
        member: StructureLearner,
        columns: Columns,
        queries: np.ndarray,
        options: BoostingOptions,
    ) -> Iterator[tuple[Conjunction, float, np.ndarray]]:
        random = np.random.default_rng([member.options.seed, 4])
        with stage("boosting"):
            goal = member.targets[target]
            for step in boosted(columns, queries, goal.target, member.activation, options, random, goal.given):
                member.check_time()
                yield step

    def _columns(self, target: Predicate, member: StructureLearner, latent: bool) -> Columns:
        """The columns of frequent bodies and, if wanted, of the target rules of a member."""
        bodies, rules = self.bodies[target], member.target_rules[target]
        return bodies.joined(rules, [member.column(rule) for rule in rules]) if latent and rules else bodies

    def _final(self, number: int, chosen: dict[Predicate, tuple[str, int, Estimate]]) -> State:
        """A member with what was best on queries held out, learned from all queries."""
        member = self.members[number]
        if not self.small and any(name == RULES for name, _, _ in chosen.values()):
            member.final_training()
        for target, (name, rules, _) in chosen.items():
            if name != RULES:
                family = self.families[name]
                columns = self._columns(target, member, family.latent)
                queries = np.arange(len(member.rows_of(target)))
                conjunctions: list[Conjunction] = []
                bias: float | None = None
                for step in self._boosted(target, member, columns, queries, replace(family.options, rules=rules)):
                    conjunctions.append(step[0])
                    bias = step[1]
                member.replace_rules(target, conjunctions, bias)
        return member.state()

    def _best(self, trials: list[_Tried]) -> tuple[str, int, Estimate]:
        """The simplest way that is nearly as good as the best, how many conjunctions, and how good on queries held out.

        Plain rules are simpler than conjunctions, and fewer of these than more.
        """
        target = np.concatenate([trial.target for trial in trials])
        outputs: dict[tuple[str, int], np.ndarray] = {(RULES, 0): np.concatenate([trial.rules for trial in trials])}
        for name in self.families:
            for rules in range(max(len(trial.paths[name]) for trial in trials)):
                outputs[name, rules] = np.concatenate([trial.output(name, rules) for trial in trials])
        loss = {way: _loss(output, target) for way, output in outputs.items()}
        ways = sorted((way for way in loss if way[0] == RULES or way[1]), key=lambda way: way[1])
        least, frequency_loss = min(loss[way] for way in ways), float(target.var())
        enough = least + (1.0 - ENOUGH) * max(0.0, frequency_loss - least)
        best = next(way for way in ways if loss[way] <= enough)
        positive, output = target > 0.5, outputs[best]
        size = f"{best[1]} " if best[1] else ""
        self.report(f"held out: {size}{best[0]}, squared loss {loss[best]:.5f}, plain rules {loss[RULES, 0]:.5f}")
        estimate = Estimate(
            queries=len(target),
            accuracy=float(((output > 0.5) == positive).mean()),
            majority=max(float(positive.mean()), 1.0 - float(positive.mean())),
            loss=loss[best],
            frequency_loss=frequency_loss,
            training=0.0,
        )
        return *best, estimate

    def _estimate(self, estimates: dict[Predicate, Estimate]) -> None:
        for target, estimate in estimates.items():
            own = self.queries.select(self.members[0].rows_of(target))
            output = np.mean([member.outputs(own) for member in self.members], axis=0)
            training = float(((output > 0.5) == (own.target > 0.5)).mean())
            self.estimates[target] = replace(estimate, training=training)


def _loss(output: np.ndarray, target: np.ndarray) -> float:
    return float(((output - target) ** 2).mean())

"""Conjunctions of parts on top of what Algorithm 1 has learned: tried on queries held out, then learned from all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

import numpy as np

from lrnn_cli.allocation import give_back_free_memory
from lrnn_cli.hypotheses.parts import Conjunction, Part
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.stages import stage
from lrnn_cli.structure.boosting import BoostingOptions, BoostingStep, boosted
from lrnn_cli.structure.features import Features
from lrnn_cli.structure.holding_out import SEARCHED
from lrnn_cli.structure.latent_rules import create_layer1_rules
from lrnn_cli.structure.observer import Observer
from lrnn_cli.structure.options import LENGTH
from lrnn_cli.structure.patterns import Columns, columns_of, frequent_bodies, put_together
from lrnn_cli.structure.problem import OutOfTime, Problem
from lrnn_cli.structure.rules import Rules, Weights, with_conjunctions
from lrnn_cli.structure.selection import (
    FREQUENCY,
    RULES,
    SMALL,
    Choice,
    Family,
    HeldOut,
    Way,
    path_is_over,
    squared_loss,
    usual_family,
)
from lrnn_cli.structure.side_by_side import ahead, side_by_side
from lrnn_cli.structure.state import LearningState
from lrnn_cli.structure.weights import weighted_facts

DESCRIBED = 4
"""Relations of a join that is described, at most."""


def bodies_of_targets(E: Problem, observer: Observer) -> dict[Predicate, Columns]:
    """For each target, bodies of literals of the data that hold for enough queries.

    Of many examples they are found in a part of them.
    """
    # What they hold of does not depend on latent predicates, nor on weights.
    R = create_layer1_rules(replace(E, options=replace(E.options, dimension=1)))
    W = {rule.clause: 0.0 for rule in R.latent}
    parts: dict[Predicate, list[tuple[np.ndarray, Columns]]] = {}
    for part, places in E.parts():
        give_back_free_memory()
        if parts:
            # What was allowed in the first part is allowed in the others, which are about as large.
            part.relations.memory = 0
        F = weighted_facts(part, R, W)
        for goal, targets in E.goals.items():
            # Classes of one query have the same columns; with the same bodies they share parts.
            target = targets[0]
            if target not in places:
                continue
            if goal in parts:
                with stage("frequent bodies"):
                    columns = columns_of(F, target, parts[goal][0][1].bodies, E.allowed.check_time)
            else:
                columns = _bodies(E, F, R, target, observer)
            parts.setdefault(goal, []).append((places[target], columns))
    bodies: dict[Predicate, Columns] = {}
    for goal, targets in E.goals.items():
        bodies.update(dict.fromkeys(targets, put_together(parts[goal])))
    return bodies


def make_bins(E: Problem, bodies: dict[Predicate, Columns], parts: Iterable[np.ndarray]) -> None:
    """Make the bins of bodies that are needed to learn from all queries, and without each of some parts (queries,)."""
    for targets in E.goals.values():
        for held in (np.zeros(len(E.queries), bool), *parts):
            for target in targets:
                bodies[target].bins(_learned(E, targets, held))


def _learned(E: Problem, targets: tuple[Predicate, ...], held: np.ndarray) -> np.ndarray:
    """The places of the queries of targets that are not held out."""
    return np.flatnonzero(~held[E.rows_of_goal(targets)[:, 0]])


def _bodies(E: Problem, F: Features, R: Rules, target: Predicate, observer: Observer) -> Columns:
    sorts, language = E.words.targets[target], E.language(R.latent)
    check = E.allowed.check_time
    # All queries of E will have such columns.
    memory = E.allowed.memory // 2 * len(F.targets[target].target) // len(E.targets[target].target)
    with stage("frequent bodies"):
        columns, complete = frequent_bodies(
            F, language, target, sorts, E.options.support, memory, check, _described(E, target)
        )
    observer.leave_out(F.too_large())
    if not complete:
        observer.note(
            f"{target}: conjunctions are of {len(columns)} bodies, since --memory-limit is too small for the "
            "columns of more"
        )
    return columns


def _described(E: Problem, target: Predicate) -> int:
    """Joins of so many relations are described: in large data about whole examples, unless bodies are to be shorter."""
    large = not target.arity and SMALL < E.queries.count <= SEARCHED
    return DESCRIBED if large and E.options.variables is None and E.options.length >= LENGTH else 0


def predicted(
    E: Problem,
    state: LearningState,
    latent: dict[Predicate, list[np.ndarray]],
    bodies: dict[Predicate, Columns],
    families: dict[str, Family],
    held: np.ndarray,
) -> dict[Predicate, HeldOut]:
    """What rules, and conjunctions over them, say of queries held out: (queries,) where.

    The rules were learned from the other queries alone; latent: their columns.
    """
    return {goal: _predicted(E, latent, state, targets, bodies, families, held) for goal, targets in E.goals.items()}


def _predicted(
    E: Problem,
    latent: dict[Predicate, list[np.ndarray]],
    state: LearningState,
    targets: tuple[Predicate, ...],
    bodies: dict[Predicate, Columns],
    families: dict[str, Family],
    held: np.ndarray,
) -> HeldOut:
    place = E.rows_of_goal(targets)
    target, out = E.queries.target[place], held[place[:, 0]]

    def path(number: int) -> np.ndarray:
        """The outputs for queries held out after each conjunction of a family."""
        family = list(families.values())[number]
        columns = [_columns(latent, state.rules, own, bodies[own], family) for own in targets]
        predictions = [np.repeat(target[~out].mean(axis=0, keepdims=True), out.sum(), axis=0)]
        losses = [squared_loss(predictions[0], target[out])]
        for steps in _boosted(E, targets, columns, _learned(E, targets, held), family.options):
            predictions.append(_outputs(E, steps)[out])
            losses.append(squared_loss(predictions[-1], target[out]))
            if path_is_over(losses):
                break
        return np.stack(predictions)

    paths = side_by_side(path, len(families), E.allowed.jobs, (OutOfTime,))
    rules = _said(E, state, latent, targets)[out]
    return HeldOut(target[out], rules, dict(zip(families, paths, strict=True)))


def _said(
    E: Problem, state: LearningState, latent: dict[Predicate, list[np.ndarray]], targets: Sequence[Predicate]
) -> np.ndarray:
    """(queries, classes) what plain rules, whose columns these are, say of queries."""
    activation = E.kind.activation(E.activation)
    scaled = []
    for target in targets:
        total = np.full(len(E.targets[target].target), _bias(E, state.weights, target))
        for candidate, column in zip(state.rules.targets_of(target), latent[target], strict=True):
            total += state.weights[candidate.rule().clause] * column
        scaled.append(activation.scaled(total, E.targets[target].given))
    return E.kind.outputs(np.stack(scaled, 1))


def _outputs(E: Problem, steps: Sequence[BoostingStep]) -> np.ndarray:
    """(queries, classes) outputs after a step of boosting for each class."""
    return E.kind.outputs(np.stack([step.logit for step in steps], 1))


@dataclass(frozen=True)
class Boosted:
    """Conjunctions and the bias of each of the targets that are chosen together, and outputs (queries, classes)."""

    conjunctions: tuple[list[Conjunction], ...]
    biases: tuple[float, ...]
    output: np.ndarray


Boost = Callable[[Predicate, Way], Boosted]
"""Gives the conjunctions of a way to boost for a goal, learned from all queries."""


@contextmanager
def boosting(
    E: Problem,
    state: LearningState,
    latent: dict[Predicate, list[np.ndarray]],
    bodies: dict[Predicate, Columns],
    families: dict[str, Family],
    jobs: int = 1,
) -> Iterator[Boost]:
    """Boosts from all queries. What is chosen most often is begun at once, with several jobs and one goal.

    latent: the columns of the rules of the state.
    """

    def steps(goal: Predicate, name: str) -> Iterator[tuple[BoostingStep, ...]]:
        targets, family = E.goals[goal], families[name]
        columns = [_columns(latent, state.rules, target, bodies[target], family) for target in targets]
        return _boosted(E, targets, columns, np.arange(len(E.rows_of_goal(targets))), family.options)

    def result(taken: list[tuple[BoostingStep, ...]]) -> Boosted:
        of_targets = list(zip(*taken, strict=True))
        conjunctions = tuple([step.conjunction for step in own] for own in of_targets)
        return Boosted(conjunctions, tuple(own[-1].bias for own in of_targets), _outputs(E, taken[-1]))

    likely = next(iter(E.goals)), usual_family(families)
    with ahead(lambda: steps(*likely), result, jobs if len(E.goals) == 1 else 1, (OutOfTime,)) as begun:

        def boost(goal: Predicate, way: Way) -> Boosted:
            name, conjunctions = way
            if (goal, name) == likely:
                return begun(conjunctions)
            return result(list(islice(steps(goal, name), conjunctions)))

        yield boost


def chosen(
    E: Problem,
    state: LearningState,
    latent: dict[Predicate, list[np.ndarray]],
    ways: dict[Predicate, Choice],
    boost: Boost,
) -> tuple[LearningState, dict[Predicate, np.ndarray]]:
    """The state with conjunctions, learned from all queries, where they were best on queries held out.

    latent: the columns of its rules. Beside it comes what it says of the queries (queries, classes) that it was
    learned from.
    """
    R, W = state.rules, state.weights
    said: dict[Predicate, np.ndarray] = {}
    for goal, way in ways.items():
        targets = E.goals[goal]
        if way.shares == {(RULES, 0): 1.0}:
            said[goal] = _said(E, state, latent, targets)
            continue
        parts = [(share, _alone(E, state, latent, goal, own, boost)) for own, share in way.shares.items()]
        said[goal] = E.kind.mean_output([part.output for _, part in parts], [share for share, _ in parts])
        names: dict[Part, str] = {}
        for number, target in enumerate(targets):
            conjunctions = [item.times(share) for share, part in parts for item in part.conjunctions[number]]
            bias = sum(share * part.biases[number] for share, part in parts)
            R, W = with_conjunctions(E, R, W, target, conjunctions, bias, names, way.shares.get((RULES, 0), 0.0))
    return replace(state, rules=R, weights=W), said


def _alone(
    E: Problem,
    state: LearningState,
    latent: dict[Predicate, list[np.ndarray]],
    goal: Predicate,
    way: Way,
    boost: Boost,
) -> Boosted:
    """What a way alone adds to the rules, and says of all queries."""
    if way[0] not in (FREQUENCY, RULES):
        return boost(goal, way)
    targets = E.goals[goal]
    nothing: tuple[list[Conjunction], ...] = tuple([] for _ in targets)
    if way[0] == RULES:
        said = _said(E, state, latent, targets)
        return Boosted(nothing, tuple(_bias(E, state.weights, target) for target in targets), said)
    starts = [E.kind.likelihood.start(E.targets[target].target) for target in targets]
    said = E.kind.outputs(np.tile(starts, (len(E.rows_of_goal(targets)), 1)))
    return Boosted(nothing, tuple(map(E.kind.activation(E.activation).total, starts)), said)


def _bias(E: Problem, W: Weights, target: Predicate) -> float:
    """The weight of the fact of a target, 0 where it has none."""
    fact = E.bias(target)
    return 0.0 if fact is None else W.get(fact.clause, 0.0)


def _columns(
    latent: dict[Predicate, list[np.ndarray]], R: Rules, target: Predicate, bodies: Columns, family: Family
) -> Columns:
    """The columns of frequent bodies and, if the family has them, of the target rules."""
    rules = R.targets_of(target)
    return bodies.joined(rules, latent[target]) if family.latent and rules else bodies


def _boosted(
    E: Problem, targets: Sequence[Predicate], columns: Sequence[Columns], queries: np.ndarray, options: BoostingOptions
) -> Iterator[tuple[BoostingStep, ...]]:
    """A step for each of the targets that are chosen together, then the next."""
    logits = []
    for target in targets:
        known = E.targets[target].target
        logits.append(np.full(len(known), 0.0 if target.arity else E.kind.likelihood.start(known[queries])))

    def others(number: int) -> np.ndarray | float:
        """What the other classes have so far, (queries,)."""
        rest = logits[:number] + logits[number + 1 :]
        return np.asarray(np.logaddexp.reduce(rest, axis=0)) if rest else 0.0

    learners = []
    for number, (target, own) in enumerate(zip(targets, columns, strict=True)):
        random, goal = np.random.default_rng([E.options.seed, 4]), E.targets[target]
        facts = own, queries, goal.target, E.activation, options, random, goal.given, E.kind
        learners.append(boosted(*facts, partial(others, number)))
    with stage("boosting"):
        for steps in zip(*learners, strict=False):
            E.allowed.check_time()
            logits[:] = [step.logit for step in steps]
            yield steps

"""Conjunctions of parts on top of what Algorithm 1 has learned: tried on queries held out, then learned from all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from lrnn_cli.hypotheses.parts import Conjunction
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.semantics.activations import sigmoid
from lrnn_cli.stages import stage
from lrnn_cli.structure.boosting import BoostingOptions, BoostingStep, boosted
from lrnn_cli.structure.features import Features
from lrnn_cli.structure.latent_rules import create_layer1_rules
from lrnn_cli.structure.observer import Observer
from lrnn_cli.structure.patterns import Columns, frequent_bodies
from lrnn_cli.structure.problem import Problem
from lrnn_cli.structure.rules import Rules, with_conjunctions
from lrnn_cli.structure.selection import RULES, Choice, Family, HeldOut, path_is_over, squared_loss
from lrnn_cli.structure.state import LearningState
from lrnn_cli.structure.weights import outputs, weighted_facts


def bodies_of_targets(E: Problem, observer: Observer) -> dict[Predicate, Columns]:
    """For each target, bodies of literals of the data that hold for enough queries."""
    # What they hold of does not depend on latent predicates, nor on weights.
    R = create_layer1_rules(replace(E, options=replace(E.options, dimension=1)))
    F = weighted_facts(E, R, {rule.clause: 0.0 for rule in R.latent})
    return {target: _bodies(E, F, R, target, observer) for target in E.targets}


def _bodies(E: Problem, F: Features, R: Rules, target: Predicate, observer: Observer) -> Columns:
    sorts, language = E.words.targets[target], E.language(R.latent)
    memory, check = E.allowed.memory // 2, E.allowed.check_time
    with stage("frequent bodies"):
        columns, complete = frequent_bodies(F, language, target, sorts, E.options.support, memory, check)
    observer.leave_out(F.too_large())
    if not complete:
        observer.note(
            f"{target}: conjunctions are of {len(columns)} bodies, since --memory-limit is too small for the "
            "columns of more"
        )
    return columns


def predicted(
    E: Problem, state: LearningState, bodies: dict[Predicate, Columns], families: dict[str, Family], held: np.ndarray
) -> dict[Predicate, HeldOut]:
    """What rules, and conjunctions over them, say of queries held out: (queries,) where.

    The rules were learned from the other queries alone.
    """
    F = weighted_facts(E, state.rules, state.weights)
    return {target: _predicted(E, F, state, target, bodies[target], families, held) for target in E.targets}


def _predicted(
    E: Problem,
    F: Features,
    state: LearningState,
    target: Predicate,
    bodies: Columns,
    families: dict[str, Family],
    held: np.ndarray,
) -> HeldOut:
    place = E.rows_of(target)
    own, out = E.queries.select(place), held[place]
    paths = {}
    for name, family in families.items():
        columns = _columns(F, state.rules, target, bodies, family)
        path = [np.full(out.sum(), own.target[~out].mean())]
        losses = [squared_loss(path[0], own.target[out])]
        for step in _boosted(E, target, columns, (~out).nonzero()[0], family.options):
            path.append(sigmoid(step.logit[out]))
            losses.append(squared_loss(path[-1], own.target[out]))
            if path_is_over(losses):
                break
        paths[name] = np.stack(path)
    rules = outputs(E, state.rules, state.weights, own.select(out.nonzero()[0]))
    return HeldOut(own.target[out], rules, paths)


def chosen(
    E: Problem,
    state: LearningState,
    bodies: dict[Predicate, Columns],
    families: dict[str, Family],
    ways: dict[Predicate, Choice],
) -> tuple[LearningState, dict[Predicate, np.ndarray]]:
    """The state with conjunctions, learned from all queries, where they were best on queries held out.

    Beside it, what it says of the queries (queries of the target,) that it was learned from.
    """
    R, W = state.rules, state.weights
    F = weighted_facts(E, R, W)
    said: dict[Predicate, np.ndarray] = {}
    for target, way in ways.items():
        if way.name == RULES:
            said[target] = outputs(E, R, W, E.queries.select(E.rows_of(target)))
        else:
            family = families[way.name]
            columns = _columns(F, state.rules, target, bodies[target], family)
            options = replace(family.options, rules=way.conjunctions)
            conjunctions: list[Conjunction] = []
            bias: float | None = None
            for step in _boosted(E, target, columns, np.arange(len(E.rows_of(target))), options):
                conjunctions.append(step.conjunction)
                bias = step.bias
            said[target] = sigmoid(step.logit)
            R, W = with_conjunctions(E, R, W, target, conjunctions, bias)
    return replace(state, rules=R, weights=W), said


def _columns(F: Features, R: Rules, target: Predicate, bodies: Columns, family: Family) -> Columns:
    """The columns of frequent bodies and, if the family has them, of the target rules."""
    rules = R.targets_of(target)
    return bodies.joined(rules, [F.column(rule) for rule in rules]) if family.latent and rules else bodies


def _boosted(
    E: Problem, target: Predicate, columns: Columns, queries: np.ndarray, options: BoostingOptions
) -> Iterator[BoostingStep]:
    random = np.random.default_rng([E.options.seed, 4])
    goal = E.targets[target]
    with stage("boosting"):
        for step in boosted(columns, queries, goal.target, E.activation, options, random, goal.given):
            E.allowed.check_time()
            yield step

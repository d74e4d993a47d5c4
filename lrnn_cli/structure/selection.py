"""What the data can bear: conjunctions of parts or plain rules, few or many, chosen on queries that were held out.

Algorithm 1 is run without a part of the queries; then, on the same queries, conjunctions are boosted over the columns
of frequent bodies and of the rules it found. Whatever predicts the queries held out best is learned again from all.
Small data are held out in turn, so that every query counts; large data once. What was predicted for queries held out
also tells what to expect of new data.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from lrnn_cli.language.data import Queries
from lrnn_cli.structure.boosting import BoostingOptions
from lrnn_cli.structure.options import ITERATIONS, StructureOptions

PARTS = 5
"""Queries are held out in so many parts at most."""
SMALL = 1000
"""Up to so many queries, each part is held out in turn; of more, only one part is."""
FEWEST = 2
"""Queries of each class that a part must have."""
LARGE_ITERATIONS = 3
ENOUGH = 0.999
"""The part of the loss explained by the best way that a simpler one has to explain."""
PATIENCE = 100
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


def settled(options: StructureOptions, queries: int) -> StructureOptions:
    """Options with a number of iterations, if none is given: few on large data, where conjunctions do most."""
    if options.iterations is not None:
        return options
    return replace(options, iterations=LARGE_ITERATIONS if options.conjunctions and queries > SMALL else ITERATIONS)


def families(options: StructureOptions, queries: int) -> dict[str, Family]:
    """The ways to boost that are tried: few sharp rules, for clean data, and many that each say little.

    Each of the many is chosen among some of the columns and queries, drawn anew: rules that differ overfit less. Large
    data bear latent predicates, so what does without them is not tried there.
    """
    few = BoostingOptions(
        min(options.conjunctions, 60), 0.5, options.parts, penalty=1.0, covered=3, queries=1.0, columns=1.0
    )
    many = BoostingOptions(options.conjunctions, 0.1, options.parts, queries=0.7, columns=0.2)
    ways = {
        "few conjunctions": Family(few, False),
        "few conjunctions with latent predicates": Family(few, True),
        "many conjunctions": Family(many, False),
        "many conjunctions with latent predicates": Family(many, True),
    }
    return ways if queries <= SMALL else {name: way for name, way in ways.items() if way.latent}


def held_out_parts(queries: Queries, groups: np.ndarray, seed: int) -> np.ndarray | None:
    """(queries,) the part in which each query is held out, from 0; None where there are too few.

    groups: (examples,) examples that stay in one part. Where there are too few of them each is a part, if all have
    queries of both classes and none has most of them: what is learned from some departments is for others. Else single
    queries are dealt. Targets and their classes are dealt evenly.
    """
    positive = queries.target > 0.5
    if min(positive.sum(), (~positive).sum()) < FEWEST * PARTS:
        return None
    units = np.unique(groups[queries.example], return_inverse=True)[1]
    size, positives = np.bincount(units), np.bincount(units, positive)
    if len(size) < 2 * PARTS:
        alike = size.max() <= len(queries) / 2 and (positives > 0).all() and (positives < size).all()
        units = units if alike and len(size) <= PARTS else np.arange(len(queries))
    part = _dealt(queries, units, seed)
    return part if _all_can_be_predicted(queries, part) else None


def _dealt(queries: Queries, units: np.ndarray, seed: int) -> np.ndarray:
    """(queries,) the part of each, those of one unit (queries,) being in one part."""
    first = np.unique(units, return_index=True)[1]
    mean = np.bincount(units, queries.target) / np.bincount(units)
    kind = 2 * queries.predicate_index[first] + np.round(mean).astype(np.int64)
    random = np.random.default_rng([seed, 3])
    order = np.concatenate([random.permutation((kind == value).nonzero()[0]) for value in np.unique(kind)])
    part = np.empty(len(first), np.int64)
    part[order] = np.arange(len(first)) % PARTS
    return np.asarray(part[units])


def _all_can_be_predicted(queries: Queries, part: np.ndarray) -> bool:
    """Whether each part has queries of each target, and the others two values of it to learn from."""
    for number, target in itertools.product(np.unique(part), np.unique(queries.predicate_index)):
        own = queries.predicate_index == target
        held = part == number
        if not (own & held).any() or len(np.unique(queries.target[own & ~held])) < 2:
            return False
    return True


@dataclass(frozen=True)
class HeldOut:
    """Outputs for queries of a target held out: of plain rules, and of each family after each conjunction."""

    target: np.ndarray
    rules: np.ndarray
    paths: dict[str, np.ndarray]

    def output(self, name: str, rules: int) -> np.ndarray:
        """After so many conjunctions, or the last one."""
        path = self.paths[name]
        return np.asarray(path[min(rules, len(path) - 1)])


@dataclass(frozen=True)
class Choice:
    """What was best on queries held out: plain rules or a family, how many conjunctions, and what to expect of it."""

    name: str
    conjunctions: int
    estimate: Estimate


def path_is_over(losses: list[float]) -> bool:
    """Whether no more conjunctions are tried after these losses on queries held out."""
    return len(losses) - int(np.argmin(losses)) > PATIENCE or losses[-1] < EXPLAINED * losses[0]


def best_way(trials: list[HeldOut], report: Callable[[str], None]) -> Choice:
    """The simplest way that is nearly as good as the best, and how good it is on queries held out.

    Plain rules are simpler than conjunctions, and fewer of these than more.
    """
    target = np.concatenate([trial.target for trial in trials])
    outputs: dict[tuple[str, int], np.ndarray] = {(RULES, 0): np.concatenate([trial.rules for trial in trials])}
    for name in trials[0].paths:
        for rules in range(max(len(trial.paths[name]) for trial in trials)):
            outputs[name, rules] = np.concatenate([trial.output(name, rules) for trial in trials])
    loss = {way: squared_loss(output, target) for way, output in outputs.items()}
    ways = sorted((way for way in loss if way[0] == RULES or way[1]), key=lambda way: way[1])
    least, frequency_loss = min(loss[way] for way in ways), float(target.var())
    enough = least + (1.0 - ENOUGH) * max(0.0, frequency_loss - least)
    best = next(way for way in ways if loss[way] <= enough)
    positive, output = target > 0.5, outputs[best]
    size = f"{best[1]} " if best[1] else ""
    report(f"held out: {size}{best[0]}, squared loss {loss[best]:.5f}, plain rules {loss[RULES, 0]:.5f}")
    estimate = Estimate(
        queries=len(target),
        accuracy=float(((output > 0.5) == positive).mean()),
        majority=max(float(positive.mean()), 1.0 - float(positive.mean())),
        loss=loss[best],
        frequency_loss=frequency_loss,
        training=0.0,
    )
    return Choice(*best, estimate)


def squared_loss(output: np.ndarray, target: np.ndarray) -> float:
    return float(((output - target) ** 2).mean())

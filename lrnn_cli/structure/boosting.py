"""Conjunctions of parts, found by boosting: each on what the rules before it leave unexplained.

The output is a logit, at first that of the frequency of the target, or a number, at first the mean. A conjunction is
grown from thresholds on columns: each of them is the one that raises

    G^2 / (H + penalty),    G, H: sums of the first and second derivatives of the log likelihood over covered queries,

most, among a random part of the columns and of the queries, until it no longer rises. Its rule neurons, in the exact
arithmetic of the network, then take a Newton step, shortened by the *shrinkage*, and so does the bias.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from lrnn_cli.hypotheses.parts import Conjunction, Part, rule_neurons
from lrnn_cli.semantics.activations import Activation
from lrnn_cli.semantics.targets import BINARY, TargetKind
from lrnn_cli.structure.patterns import Columns

REUSE = 1.05
"""A part that a rule has already, and that helps, counts for so many times its score: parts are shared, and there are
half as many."""
EQUAL = 1.0 - 1e-10
"""Of scores that differ by less than this factor the first is taken: their last digits depend on the processor."""
WORTHWHILE = 50_000_000
"""Members of bins to be added up from which compiled code is used: a quarter of a second of SciPy, thrice what loading
the code takes."""
BIAS_STEP = 0.5
"""The bias takes a shorter step than the rules: it is corrected after each."""


@dataclass(frozen=True)
class BoostingOptions:
    """shrinkage: of each step; queries, columns: the part of them that each rule, or each part of it, is chosen on."""

    rules: int
    shrinkage: float
    parts: int = 6
    penalty: float = 5.0
    covered: int = 10
    """Queries that a conjunction covers at least."""
    queries: float = 0.7
    columns: float = 0.2


@dataclass(frozen=True)
class _Best:
    """A threshold, at least or below it, its score, and what that counts for beside others."""

    score: float
    favoured: float
    bin: int
    at_least: bool


class Thresholds:
    """All thresholds of the columns of some queries.

    A threshold has the number of the bin above it.

    column: (bins,) its column; favour: (2, bins) what the score of each, for at least and for below, is multiplied by;
    first: (columns that are not constant,) the place of the first bin of each
    """

    def __init__(self, columns: Columns, queries: np.ndarray) -> None:
        self.bins = columns.bins(queries)
        self.first = np.cumsum(self.bins.sizes) - self.bins.sizes
        self.column = np.repeat(self.bins.columns, self.bins.sizes)
        self.favour = np.ones((2, len(self.column)))
        self.queries = len(queries)
        self.score: Callable[..., Any] | None = None
        """Gives scores in compiled code; None without it."""

    def __len__(self) -> int:
        return len(self.column) - len(self.first)

    def best(
        self,
        chosen: np.ndarray,
        weighted: np.ndarray,
        options: BoostingOptions,
        with_arguments: bool,
        least: float = 0.0,
    ) -> _Best | None:
        """The threshold of chosen columns (columns,) that raises the score most, above `least` if any does.

        weighted: (3, queries) slopes, curvatures and ones of covered queries, zeros of others.
        """
        own = chosen[self.bins.columns].nonzero()[0]
        if not len(own):
            return None
        sizes = self.bins.sizes[own]
        bins = np.repeat(self.first[own] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
        scores = self.scores(own, bins, weighted, options)
        best: _Best | None = None
        for side, score in enumerate(scores[:1] if with_arguments else scores):
            # A part that does not raise the score is not favoured: the same one again would seem to.
            favoured = np.where(score > least, score * self.favour[side].take(bins), score)
            place = int((favoured >= favoured.max() * EQUAL).argmax())
            if best is None or favoured[place] * EQUAL > best.favoured:
                best = _Best(float(score[place]), float(favoured[place]), int(bins[place]), side == 0)
        return best

    def scores(self, own: np.ndarray, bins: np.ndarray, weighted: np.ndarray, options: BoostingOptions) -> np.ndarray:
        """(2, bins) the scores of thresholds of some columns, which have these bins, for at least and for below.

        That of a threshold which covers too few is -1.
        """
        sizes, fullest = self.bins.sizes[own], self.bins.fullest[own]
        total = weighted.sum(axis=1)
        if self.score is not None:
            score = np.empty((2, len(bins)))
            facts = own, self.first, self.bins.sizes, self.bins.fullest, self.bins.start, self.bins.members
            numbers = np.ascontiguousarray(weighted.T).ravel(), total, options.penalty, options.covered - 0.5
            self.score(*facts, *numbers, np.empty(3 * int(sizes.max())), score.ravel())
            return score
        members = self.members if len(bins) == len(self.column) else self.members[bins]
        starts = np.cumsum(sizes) - sizes
        above = _sums_above(np.ascontiguousarray((members @ weighted.T).T), total, starts, sizes, fullest)
        slope, curvature, count = np.stack([above, total[:, None] - above], 1)
        score = slope**2 / (curvature + options.penalty)
        score[count < options.covered - 0.5] = -1.0
        # There is no threshold below the first bin of a column.
        score[:, starts] = -1.0
        return np.asarray(score)

    @cached_property
    def members(self) -> csr_array:
        """(bins, queries) 1 where a query is in a bin that is not the fullest of its column."""
        shape = len(self.column), self.queries
        return csr_array((np.ones(len(self.bins.members)), self.bins.members, self.bins.start), shape=shape)

    def taken(self, best: _Best, columns: Columns) -> Part:
        """The part that a threshold makes, which is favoured from now on."""
        self.favour[int(not best.at_least), best.bin] = REUSE
        low, high = float(self.bins.low[best.bin]), float(self.bins.high[best.bin])
        return Part(columns.bodies[self.column[best.bin]], low, high, best.at_least)


def _sums_above(
    sums: np.ndarray, total: np.ndarray, starts: np.ndarray, sizes: np.ndarray, fullest: np.ndarray
) -> np.ndarray:
    """(k, bins) sums of each bin and those above it from sums (k, bins) of each but the fullest; `total` is of all.

    starts, sizes: (columns,) the first bin of each column, and how many it has; fullest: its place after the first
    """
    sums[:, starts + fullest] = total[:, None] - np.add.reduceat(sums, starts, axis=1)
    below = np.zeros_like(sums)
    np.cumsum(sums[:, :-1], axis=1, out=below[:, 1:])
    below -= np.repeat(below[:, starts], sizes, axis=1)
    return np.asarray(total[:, None] - below)


def compiled_scores(members: float) -> Callable[..., Any] | None:
    """Compiled code that scores thresholds, of so many members of bins in all; None without it, or for too few."""
    if members < WORTHWHILE or find_spec("numba") is None:
        return None
    try:
        from lrnn_cli.structure.threshold_scores import score_in_machine_code
    except ImportError:
        return None
    return score_in_machine_code


@dataclass(frozen=True)
class BoostingStep:
    """A conjunction, and the bias and the logits (all queries,) after it."""

    conjunction: Conjunction
    bias: float
    logit: np.ndarray


def boosted(
    columns: Columns,
    queries: np.ndarray,
    target: np.ndarray,
    activation: Activation,
    options: BoostingOptions,
    random: np.random.Generator,
    given: np.ndarray | float = 0.0,
    kind: TargetKind = BINARY,
    others: Callable[[], np.ndarray | float] = lambda: 0.0,
) -> Iterator[BoostingStep]:
    """Conjunctions one after another.

    queries: those learned from, among those that have columns; target: (all queries,), only theirs are looked at.
    Weights and biases are those of rules: what steepness and offset make of their sum is the logit. given: (all
    queries,) what facts of the target add to that sum; others: what is subtracted before it is squashed, since other
    classes have it, (all queries,).
    """
    link = kind.activation(activation)
    squashing = link.family.squashing
    with_arguments = any(body.shape.head.arity for body in columns.bodies)
    thresholds = Thresholds(columns, queries)
    sums = options.rules * options.parts * options.columns
    thresholds.score = compiled_scores(len(thresholds.bins.members) * sums)
    known = target[queries]
    start = float(link.scaled(0.0)) if with_arguments else kind.likelihood.start(known)
    logit = start + link.steepness * np.broadcast_to(given, len(target))
    for _ in range(options.rules if len(thresholds) else 0):
        output = link.squashed((logit - others())[queries])
        slope, curvature = known - output, squashing.slope(output, 1.0)
        inside = random.random(len(queries)) < options.queries
        weighted = np.stack([slope, curvature, np.ones(len(queries))]) * inside
        parts = _grown(columns, queries, thresholds, weighted, options, random, with_arguments)
        if not parts:
            return
        values = [part.values(columns.column(number), activation) for number, part in parts]
        neurons = rule_neurons(values, activation)
        seen = neurons[queries] * inside
        step = float(slope @ seen) / (float(curvature @ seen**2) + options.penalty) * options.shrinkage
        logit += step * neurons
        if not with_arguments:
            output = link.squashed((logit - others())[queries])
            left, size = float((known - output).sum()), float(squashing.slope(output, 1.0).sum())
            change = BIAS_STEP * options.shrinkage * left / (size + options.penalty)
            logit += change
            start += change
        conjunction = Conjunction(tuple(part for _, part in parts), step / link.steepness)
        yield BoostingStep(conjunction, link.total(start), logit.copy())


def _grown(
    columns: Columns,
    queries: np.ndarray,
    thresholds: Thresholds,
    weighted: np.ndarray,
    options: BoostingOptions,
    random: np.random.Generator,
    with_arguments: bool,
) -> list[tuple[int, Part]]:
    """The parts of one conjunction, each with the number of its column."""
    parts: list[tuple[int, Part]] = []
    score = 0.0
    for _ in range(options.parts):
        chosen = np.zeros(len(columns), bool)
        chosen[random.permutation(len(columns))[: max(1, round(len(columns) * options.columns))]] = True
        least = score * (1.0 + 1e-9)
        best = thresholds.best(chosen, weighted, options, with_arguments, least)
        if best is None or best.score <= least:
            break
        score, column = best.score, int(thresholds.column[best.bin])
        part = thresholds.taken(best, columns)
        weighted = weighted * part.holds(columns.column(column)[queries])
        parts.append((column, part))
    return parts

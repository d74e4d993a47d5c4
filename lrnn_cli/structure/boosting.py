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

import numpy as np
from scipy.sparse import csc_array, csr_array

from lrnn_cli.hypotheses.parts import Conjunction, Part, rule_neurons
from lrnn_cli.semantics.activations import Activation
from lrnn_cli.semantics.targets import BINARY, TargetKind
from lrnn_cli.structure.patterns import Columns

MOST_THRESHOLDS = 31
"""So many thresholds of a column at most."""
DIGITS = 6
"""Values of a column that are equal to so many digits are not told apart."""
REUSE = 1.05
"""A part that a rule has already, and that helps, counts for so many times its score: parts are shared, and there are
half as many."""
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

    Thresholds cut each column into bins. A threshold has the number of the bin above it.

    members: (bins, queries) which queries are in which bin; the fullest bin of each column is left out
    column: (bins,) its column; first, fullest: (bins,) whether it is so in its column
    low, high: (bins,) the values beside the threshold; favour: (2, bins) what the score of each, for below and for at
    least, is multiplied by
    """

    def __init__(self, columns: Columns, queries: np.ndarray) -> None:
        values = columns.values[queries]
        values.sort_indices()
        bins = [made for number in range(len(columns)) if (made := _bins(values, number)) is not None]
        sizes = np.array([len(made.low) for made in bins], np.int64)
        start = np.concatenate([[0], np.cumsum(sizes)])
        total = int(start[-1])
        first_bins = zip(bins, start.tolist(), strict=False)
        row = np.concatenate([np.zeros(0, np.int64), *(made.code + first for made, first in first_bins)])
        member = np.concatenate([np.zeros(0, np.int64), *(made.members for made in bins)])
        places = (row.astype(np.int32), member.astype(np.int32))
        self.members = csr_array((np.ones(len(row)), places), shape=(total, len(queries)))
        self.column = np.repeat(np.array([made.column for made in bins], np.int64), sizes)
        self.first, self.fullest = np.zeros(total, bool), np.zeros(total, bool)
        self.first[start[:-1]] = True
        self.fullest[start[:-1] + np.array([made.fullest for made in bins], np.int64)] = True
        self.low = np.concatenate([np.zeros(0), *(made.low for made in bins)])
        self.high = np.concatenate([np.zeros(0), *(made.high for made in bins)])
        self.favour = np.ones((2, total))

    def __len__(self) -> int:
        return int((~self.first).sum())

    def sums_above(self, bins: np.ndarray, weighted: np.ndarray, total: np.ndarray) -> np.ndarray:
        """(k, bins) sums of rows (k, queries) in some bins, all of their columns, or above; `total` is of all."""
        members = self.members if len(bins) == len(self.column) else self.members[bins]
        sums = np.ascontiguousarray((members @ weighted.T).T)
        starts = self.first[bins].nonzero()[0]
        sums[:, self.fullest[bins].nonzero()[0]] = total[:, None] - np.add.reduceat(sums, starts, axis=1)
        below = np.zeros_like(sums)
        np.cumsum(sums[:, :-1], axis=1, out=below[:, 1:])
        below -= np.repeat(below[:, starts], np.diff(starts, append=len(bins)), axis=1)
        return np.asarray(total[:, None] - below)

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
        bins = chosen[self.column].nonzero()[0]
        if not len(bins):
            return None
        total = weighted.sum(axis=1)
        above = self.sums_above(bins, weighted, total)
        first = self.first[bins]
        best: _Best | None = None
        for at_least, sums in ((True, above),) if with_arguments else ((True, above), (False, total[:, None] - above)):
            score = sums[0] ** 2 / (sums[1] + options.penalty)
            score[(sums[2] < options.covered - 0.5) | first] = -1.0
            # A part that does not raise the score is not favoured: the same one again would seem to.
            favoured = np.where(score > least, score * self.favour[int(at_least)].take(bins), score)
            place = int(favoured.argmax())
            if best is None or favoured[place] > best.favoured:
                best = _Best(float(score[place]), float(favoured[place]), int(bins[place]), at_least)
        return best

    def taken(self, best: _Best, columns: Columns) -> Part:
        """The part that a threshold makes, which is favoured from now on."""
        self.favour[int(best.at_least), best.bin] = REUSE
        low, high = float(self.low[best.bin]), float(self.high[best.bin])
        return Part(columns.bodies[self.column[best.bin]], low, high, best.at_least)


@dataclass(frozen=True)
class _Bins:
    """The bins of one column: members that are not in the fullest, and the bin (members,) of each.

    low, high: (bins,) the values beside the threshold below each; there is none below the first.
    """

    column: int
    members: np.ndarray
    code: np.ndarray
    fullest: int
    low: np.ndarray
    high: np.ndarray


def _bins(values: csc_array, column: int) -> _Bins | None:
    """The bins of a column of (queries, columns); None where it is constant."""
    queries = values.shape[0]
    inside = slice(values.indptr[column], values.indptr[column + 1])
    given = np.asarray(np.round(values.data[inside], DIGITS))
    distinct = np.unique(given) if len(given) == queries else np.unique(np.append(given, 0.0))
    edges = _edges(distinct, given, queries)
    if not len(edges):
        return None
    code = np.full(queries, np.searchsorted(edges, 0.0, "right"))
    code[values.indices[inside]] = np.searchsorted(edges, given, "right")
    fullest = int(np.bincount(code).argmax())
    others = (code != fullest).nonzero()[0]
    low = distinct[np.searchsorted(distinct, edges) - 1]
    return _Bins(column, others, code[others], fullest, np.append(np.nan, low), np.append(np.nan, edges))


def _edges(distinct: np.ndarray, given: np.ndarray, queries: int) -> np.ndarray:
    """Values that begin a bin: all but the least or, where there are too many, some that part the queries evenly."""
    if len(distinct) <= MOST_THRESHOLDS + 1:
        return distinct[1:]
    everything = np.concatenate([given, np.zeros(queries - len(given))])
    parts = np.quantile(everything, np.linspace(0.0, 1.0, MOST_THRESHOLDS + 2)[1:-1], method="nearest")
    return np.unique(parts[parts > distinct[0]])


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

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
from scipy.sparse import csr_array

from lrnn_cli.hypotheses.parts import Conjunction, Part, rule_neurons
from lrnn_cli.semantics.activations import Activation
from lrnn_cli.semantics.targets import BINARY, TargetKind
from lrnn_cli.structure.patterns import Columns

MOST_THRESHOLDS = 31
"""So many thresholds of a column at most."""
BLOCKS = 20
"""Columns are chosen in so many blocks."""
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
class _BinnedColumns:
    """Some columns cut at their thresholds into bins.

    members: (bins, queries) which queries are in which bin; the fullest bin of each column is left out
    start: (columns + 1,) where the bins of a column begin; fullest: (columns,) the bin that is left out
    upper: (thresholds,) the bin above each; column, low, high: (thresholds,) its column and the values beside it
    favour: (2, thresholds) what the score of each, for below and for at least, is multiplied by
    """

    members: csr_array
    start: np.ndarray
    fullest: np.ndarray
    upper: np.ndarray
    column: np.ndarray
    low: np.ndarray
    high: np.ndarray
    favour: np.ndarray

    def sums_above(self, weighted: np.ndarray, total: np.ndarray) -> np.ndarray:
        """(thresholds, k) sums of rows of (queries, k) above each threshold; `total` is the sum of all."""
        # Column by column is faster than all at once.
        bins = np.stack([self.members @ column for column in weighted.T], 1)
        running = np.concatenate([np.zeros((1, len(total))), np.cumsum(bins, axis=0)])
        bins[self.fullest] += total - (running[self.start[1:]] - running[self.start[:-1]])
        # Every column adds up to the total.
        number = np.searchsorted(self.start, self.upper, "right") - 1
        below = np.cumsum(bins, axis=0)[self.upper - 1] - number[:, None] * total
        return np.asarray(total - below)


@dataclass(frozen=True)
class _Best:
    """A threshold of a block, at least or below it, its score, and what that counts for beside others."""

    score: float
    favoured: float
    block: _BinnedColumns
    place: int
    at_least: bool

    @property
    def column(self) -> int:
        return int(self.block.column[self.place])

    def taken(self, columns: Columns) -> Part:
        """The part it makes, which is favoured from now on."""
        self.block.favour[int(self.at_least), self.place] = REUSE
        low, high = float(self.block.low[self.place]), float(self.block.high[self.place])
        return Part(columns.bodies[self.column], low, high, self.at_least)


class Thresholds:
    """All thresholds of the columns of some queries, in blocks; `presence`: only whether a body holds at all."""

    def __init__(
        self, columns: Columns, queries: np.ndarray, blocks: int, random: np.random.Generator, presence: bool
    ) -> None:
        values = columns.values[queries]
        values.sort_indices()
        chosen = np.array_split(random.permutation(len(columns)), blocks)
        made = [_block(values, np.sort(part), presence) for part in chosen]
        self._blocks = [block for block in made if block is not None]

    def __len__(self) -> int:
        return len(self._blocks)

    def best(
        self, blocks: np.ndarray, weighted: np.ndarray, options: BoostingOptions, presence: bool, least: float = 0.0
    ) -> _Best:
        """The threshold of some blocks that raises the score most, above `least` if any does.

        weighted: (queries, 3) slopes, curvatures and ones of covered queries, zeros of others.
        """
        total = weighted.sum(axis=0)
        best: _Best | None = None
        for number in blocks.tolist():
            block = self._blocks[number]
            above = block.sums_above(weighted, total)
            for at_least, sums in ((True, above),) if presence else ((True, above), (False, total - above)):
                score = sums[:, 0] ** 2 / (sums[:, 1] + options.penalty)
                score[sums[:, 2] < options.covered - 0.5] = -1.0
                # A part that does not raise the score is not favoured: the same one again would seem to.
                favoured = np.where(score > least, score * block.favour[int(at_least)], score)
                place = int(favoured.argmax())
                if best is None or favoured[place] > best.favoured:
                    best = _Best(float(score[place]), float(favoured[place]), block, place, at_least)
        assert best is not None
        return best


def _block(values: object, chosen: np.ndarray, presence: bool) -> _BinnedColumns | None:
    """The bins of some columns of (queries, columns); None where all of them are constant."""
    queries = values.shape[0]  # type: ignore[attr-defined]
    rows: list[np.ndarray] = []
    members: list[np.ndarray] = []
    start, fullest = [0], []
    column, low, high = [], [], []
    for number in chosen.tolist():
        first, last = values.indptr[number], values.indptr[number + 1]  # type: ignore[attr-defined]
        inside = values.indices[first:last]  # type: ignore[attr-defined]
        given = np.asarray(np.round(values.data[first:last], DIGITS))  # type: ignore[attr-defined]
        distinct = np.unique(given) if last - first == queries else np.unique(np.append(given, 0.0))
        if len(distinct) < 2:
            continue
        edges = _edges(distinct, given, queries)
        if presence:
            edges = edges[:1] if distinct[0] == 0.0 else edges[:0]
            if not len(edges):
                continue
        code = np.full(queries, np.searchsorted(edges, 0.0, "right"))
        code[inside] = np.searchsorted(edges, given, "right")
        common = int(np.bincount(code).argmax())
        others = (code != common).nonzero()[0]
        rows.append(start[-1] + code[others])
        members.append(others)
        fullest.append(start[-1] + common)
        column.append(np.full(len(edges), number))
        high.append(edges)
        low.append(distinct[np.searchsorted(distinct, edges) - 1])
        start.append(start[-1] + len(edges) + 1)
    if not column:
        return None
    row, member = np.concatenate(rows), np.concatenate(members)
    first_bins = np.zeros(start[-1], bool)
    first_bins[start[:-1]] = True
    return _BinnedColumns(
        csr_array((np.ones(len(row)), (row, member)), shape=(start[-1], queries)),
        np.array(start),
        np.array(fullest),
        (~first_bins).nonzero()[0],
        np.concatenate(column),
        np.concatenate(low),
        np.concatenate(high),
        np.ones((2, sum(map(len, high)))),
    )


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
    presence = any(body.shape.head.arity for body in columns.bodies)
    thresholds = Thresholds(columns, queries, BLOCKS if options.columns < 1.0 else 1, random, presence)
    known = target[queries]
    start = float(link.scaled(0.0)) if presence else kind.likelihood.start(known)
    logit = start + link.steepness * np.broadcast_to(given, len(target))
    for _ in range(options.rules if len(thresholds) else 0):
        output = link.squashed((logit - others())[queries])
        slope, curvature = known - output, squashing.slope(output, 1.0)
        inside = random.random(len(queries)) < options.queries
        weighted = np.stack([slope, curvature, np.ones(len(queries))], 1) * inside[:, None]
        parts = _grown(columns, queries, thresholds, weighted, options, random, presence)
        if not parts:
            return
        values = [part.values(columns.column(number), activation) for number, part in parts]
        neurons = rule_neurons(values, activation)
        seen = neurons[queries] * inside
        step = float(slope @ seen) / (float(curvature @ seen**2) + options.penalty) * options.shrinkage
        logit += step * neurons
        if not presence:
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
    presence: bool,
) -> list[tuple[int, Part]]:
    """The parts of one conjunction, each with the number of its column."""
    parts: list[tuple[int, Part]] = []
    score = 0.0
    tried = max(1, round(len(thresholds) * options.columns))
    for _ in range(options.parts):
        blocks = np.sort(random.choice(len(thresholds), tried, replace=False))
        least = score * (1.0 + 1e-9)
        best = thresholds.best(blocks, weighted, options, presence, least)
        if best.score <= least:
            break
        score = best.score
        part = best.taken(columns)
        weighted = weighted * part.holds(columns.column(best.column)[queries])[:, None]
        parts.append((best.column, part))
    return parts

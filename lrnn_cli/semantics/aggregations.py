"""Aggregations: what becomes of the rule neurons of one rule and one head atom, its groundings.

There are two kinds. A `Linear` one is the sum of the neurons, scaled by their number. The mean, as in the paper, tells
the share of groundings that hold, and not how many there are. The sum divided by the square root of their number tells
both, as the sum itself does. A `Selecting` one is the value of one grounding: the largest tells whether there is a good
one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    # Commands import this module before SWI-Prolog starts, and SciPy while it does.
    from scipy.sparse import csr_array

Counts = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Counts (entries,) of equal groundings that are aggregated to the same, from such counts and where segments start."""


def as_counted(count: np.ndarray, start: np.ndarray) -> np.ndarray:
    return count


def in_lowest_terms(count: np.ndarray, start: np.ndarray) -> np.ndarray:
    if not len(start):
        return count
    return np.asarray(count // np.repeat(np.gcd.reduceat(count, start), np.diff(np.append(start, len(count)))))


def once(count: np.ndarray, start: np.ndarray) -> np.ndarray:
    return np.ones_like(count)


@dataclass(frozen=True)
class Linear:
    """scaled: the aggregation from the sum of rule neurons and the number of groundings, and so its slope from 1

    reduced: see `Counts`; words: what it is of {n} groundings
    groundings: how many equal groundings are aggregated to so many times one of them, None where it is always once
    """

    scaled: Callable[[np.ndarray, np.ndarray], np.ndarray]
    reduced: Counts
    words: str
    groundings: Callable[[float], float] | None = None

    def value(self, values: np.ndarray) -> float:
        """Rule neurons (groundings,) aggregated."""
        return float(self.scaled(values.sum(), np.array(len(values))))

    def slopes(self, values: np.ndarray, rate: float) -> np.ndarray:
        """(groundings,) derivatives by the rule neurons, times a rate."""
        size = len(values)
        return np.full(size, rate * float(self.scaled(np.array(float(size)), np.array(size))) / size)

    def share(self, count: np.ndarray, size: np.ndarray) -> np.ndarray:
        """What so many equal rule neurons of `size` together are multiplied by."""
        return np.asarray(self.scaled(count, size), float)

    def columns(self, counts: csr_array, values: np.ndarray, kept: np.ndarray | None = None) -> np.ndarray:
        """(atoms, k) aggregations, 0 where there are no groundings.

        counts: (atoms, tuples) of groundings; values, kept: (tuples, k) their rule neurons, and whether they are there.
        """
        if kept is None:
            sums, size = counts @ values, (counts @ np.ones(len(values)))[:, None]
        else:
            sums, size = counts @ (values * kept), counts @ kept.astype(float)
        return np.asarray(self.scaled(sums, np.maximum(size, 1.0)))

    def work(self, counts: csr_array) -> int:
        """Numbers that `columns` makes, at most, for each of the k."""
        return max(counts.shape)


@dataclass(frozen=True)
class Selecting:
    """choice: of two values the one to take, beginning with `worst`; the slope goes to the first that is taken.

    The others as those of `Linear`.
    """

    choice: np.ufunc
    worst: float
    words: str
    reduced: Counts = once
    groundings: None = None

    def value(self, values: np.ndarray) -> float:
        """Rule neurons (groundings,) aggregated."""
        return float(self.choice.reduce(values))

    def slopes(self, values: np.ndarray, rate: float) -> np.ndarray:
        """(groundings,) derivatives by the rule neurons, times a rate."""
        return rate * self.segment_slopes(values, np.zeros(1, np.int64))

    def share(self, count: np.ndarray, size: np.ndarray) -> np.ndarray:
        """That there are such rule neurons is all that can be told before their values are known."""
        return np.ones(len(count))

    def segments(self, values: np.ndarray, start: np.ndarray) -> np.ndarray:
        """(segments,) rule neurons (entries,) aggregated, a segment beginning at each `start`."""
        return np.asarray(self.choice.reduceat(values, start)) if len(start) else np.zeros(0)

    def segment_slopes(self, values: np.ndarray, start: np.ndarray) -> np.ndarray:
        """(entries,) the derivatives of `segments` by its values."""
        slopes = np.zeros(len(values))
        size = np.diff(np.append(start, len(values)))
        (taken,) = (values == np.repeat(self.segments(values, start), size)).nonzero()
        segment = np.repeat(np.arange(len(start)), size)[taken]
        slopes[taken[np.unique(segment, return_index=True)[1]]] = 1.0
        return slopes

    def columns(self, counts: csr_array, values: np.ndarray, kept: np.ndarray | None = None) -> np.ndarray:
        """As those of `Linear`."""
        entries = values[counts.indices]
        if kept is not None:
            entries = np.where(kept[counts.indices], entries, self.worst)
        some = np.diff(counts.indptr).nonzero()[0]
        chosen = np.full((counts.shape[0], values.shape[1]), self.worst)
        if len(some):
            chosen[some] = self.choice.reduceat(entries, counts.indptr[some], axis=0)
        return np.where(chosen == self.worst, 0.0, chosen)

    def work(self, counts: csr_array) -> int:
        return max(*counts.shape, counts.nnz)


Aggregation = Linear | Selecting


AGGREGATIONS: dict[str, Aggregation] = {
    "mean": Linear(lambda total, size: total / size, in_lowest_terms, "the mean of {n} groundings"),
    "sqrt": Linear(
        lambda total, size: total / size * np.sqrt(size),
        as_counted,
        "the sum of {n} groundings / sqrt({n})",
        groundings=lambda times: times**2,
    ),
    "max": Selecting(np.maximum, -np.inf, "the largest of {n} groundings"),
    "sum": Linear(lambda total, size: total, as_counted, "the sum of {n} groundings", groundings=lambda times: times),
}
SELECTING = tuple(entry for entry in AGGREGATIONS.values() if isinstance(entry, Selecting))

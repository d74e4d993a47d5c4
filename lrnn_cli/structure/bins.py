"""Bins of columns: thresholds cut each column into bins, and a threshold has the number of the bin above it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array, csr_array

MOST_THRESHOLDS = 31
"""So many thresholds of a column at most."""
DIGITS = 6
"""Values of a column that are equal to so many digits are not told apart."""


@dataclass(frozen=True)
class Bins:
    """The bins of some columns of some queries, those of one column after those of another.

    columns, sizes, fullest: (columns that are not constant,) the number of each, how many bins it has, and the place of
    the fullest one among these
    start: (bins + 1,) where the members of each begin; members: which queries they are; the fullest one has none
    low, high: (bins,) the values beside the threshold below each; there is none below the first of a column
    """

    columns: np.ndarray
    sizes: np.ndarray
    fullest: np.ndarray
    start: np.ndarray
    members: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def beside(self, others: Bins, columns: int) -> Bins:
        """These and the bins of others, whose columns stand beside so many."""
        return Bins(
            np.concatenate([self.columns, others.columns + columns]),
            np.concatenate([self.sizes, others.sizes]),
            np.concatenate([self.fullest, others.fullest]),
            np.concatenate([self.start, others.start[1:] + self.start[-1]]),
            np.concatenate([self.members, others.members]),
            np.concatenate([self.low, others.low]),
            np.concatenate([self.high, others.high]),
        )


def cut(values: csc_array) -> Bins:
    """The bins of columns (queries, columns)."""
    values.sort_indices()
    cuts = [made for number in range(values.shape[1]) if (made := _cut(values, number)) is not None]
    sizes = np.array([len(made.low) for made in cuts], np.int64)
    first = np.cumsum(sizes) - sizes
    # Matrices put what is in one bin together, in the order of queries.
    row = _concatenated([made.code + place for made, place in zip(cuts, first.tolist(), strict=True)], np.int32)
    member = _concatenated([made.members for made in cuts], np.int32)
    matrix = csr_array((np.ones(len(row), np.int8), (row, member)), shape=(int(sizes.sum()), values.shape[0]))
    return Bins(
        np.array([made.column for made in cuts], np.int64),
        sizes,
        np.array([made.fullest for made in cuts], np.int64),
        matrix.indptr.astype(np.int64),
        matrix.indices,
        _concatenated([made.low for made in cuts], np.float64),
        _concatenated([made.high for made in cuts], np.float64),
    )


def _concatenated(arrays: Sequence[np.ndarray], kind: type) -> np.ndarray:
    return np.concatenate([np.zeros(0, kind), *arrays]).astype(kind)


@dataclass(frozen=True)
class _Cut:
    """The bins of one column: members that are not in the fullest, and the bin (members,) of each.

    low, high: (bins,) the values beside the threshold below each; there is none below the first.
    """

    column: int
    members: np.ndarray
    code: np.ndarray
    fullest: int
    low: np.ndarray
    high: np.ndarray


def _cut(values: csc_array, column: int) -> _Cut | None:
    """The bins of a column of (queries, columns); None where it is constant."""
    queries = values.shape[0]
    inside = slice(values.indptr[column], values.indptr[column + 1])
    members: np.ndarray = values.indices[inside]
    given = np.asarray(np.round(values.data[inside], DIGITS))
    distinct = np.unique(given) if len(given) == queries else np.unique(np.append(given, 0.0))
    edges = _edges(distinct, given, queries)
    if not len(edges):
        return None
    zero, code = int(np.searchsorted(edges, 0.0, "right")), np.searchsorted(edges, given, "right")
    count = np.bincount(code, minlength=len(edges) + 1)
    count[zero] += queries - len(given)
    fullest = int(count.argmax())
    if fullest != zero:
        # Those that have no value are not in the fullest bin.
        everything = np.full(queries, zero)
        everything[members] = code
        members, code = np.arange(queries), everything
    others = code != fullest
    low = distinct[np.searchsorted(distinct, edges) - 1]
    return _Cut(column, members[others], code[others], fullest, np.append(np.nan, low), np.append(np.nan, edges))


def _edges(distinct: np.ndarray, given: np.ndarray, queries: int) -> np.ndarray:
    """Values that begin a bin: all but the least or, where there are too many, some that part the queries evenly."""
    if len(distinct) <= MOST_THRESHOLDS + 1:
        return distinct[1:]
    everything = np.concatenate([given, np.zeros(queries - len(given))])
    parts = np.quantile(everything, np.linspace(0.0, 1.0, MOST_THRESHOLDS + 2)[1:-1], method="nearest")
    return np.unique(parts[parts > distinct[0]])

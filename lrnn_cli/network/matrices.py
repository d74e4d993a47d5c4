"""Sparse matrices by rows. Small ones need NumPy only: SciPy takes longer to import than a small network to compute.

What SciPy and NumPy compute is the same to the byte: sums are made in the same order.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from scipy.sparse import csr_array

LARGE = 200_000
"""Entries from which on SciPy's speed is worth its import."""


@dataclass(frozen=True, eq=False)
class RowMatrix:
    """A sparse matrix, its arrays named as SciPy names them.

    data: (entries,) values by row, then column; indices: (entries,) columns; indptr: (rows + 1,) where rows begin
    """

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray
    shape: tuple[int, int]

    @cached_property
    def scipy(self) -> csr_array:
        """The same of SciPy's, for what is not here."""
        from scipy.sparse import csr_array

        return csr_array((self.data, self.indices, self.indptr), self.shape)

    @property
    def row(self) -> np.ndarray:
        """(entries,) their rows."""
        return np.repeat(np.arange(self.shape[0], dtype=np.int32), np.diff(self.indptr))

    def __matmul__(self, vector: np.ndarray) -> np.ndarray:
        """(rows,) the product with a vector (columns,)."""
        if by_scipy(len(self.data)):
            return np.asarray(self.scipy @ vector)
        return np.bincount(self.row, self.data * vector[self.indices], self.shape[0])

    def transposed(self) -> RowMatrix:
        shape = self.shape[1], self.shape[0]
        entries = placed(np.arange(len(self.data)), self.indices, self.row, shape)
        return RowMatrix(self.data[entries.data], entries.indices, entries.indptr, shape)

    def chosen(self, rows: np.ndarray) -> tuple[RowMatrix, np.ndarray]:
        """Some rows, and the numbers of their entries in this matrix."""
        lengths = np.diff(self.indptr)[rows]
        starts = row_starts(lengths)
        entries = np.repeat(self.indptr[rows] - starts[:-1], lengths) + np.arange(starts[-1])
        return RowMatrix(self.data[entries], self.indices[entries], starts, (len(rows), self.shape[1])), entries


def placed(values: np.ndarray, row: np.ndarray, column: np.ndarray, shape: tuple[int, int]) -> RowMatrix:
    """The matrix with values (entries,) at rows and columns; integers at the same place are summed."""
    if by_scipy(len(values)):
        from scipy.sparse import csr_array

        matrix = csr_array((values, (row, column)), shape)
        matrix.sum_duplicates()
        return RowMatrix(matrix.data, matrix.indices, matrix.indptr, shape)
    order = np.lexsort((column, row))
    row, column, values = row[order], column[order], values[order]
    begins = np.ones(len(row), bool)
    begins[1:] = (np.diff(row) != 0) | (np.diff(column) != 0)
    (first,) = begins.nonzero()
    summed = np.add.reduceat(values, first, dtype=values.dtype) if len(first) < len(values) else values
    starts = row_starts(np.bincount(row[first], minlength=shape[0]))
    return RowMatrix(summed, column[first].astype(np.int32, copy=False), starts, shape)


def row_starts(lengths: np.ndarray) -> np.ndarray:
    """(rows + 1,) where rows of these lengths begin and the last one ends."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32 if lengths.sum() < 2**31 else np.int64)


def by_scipy(entries: int) -> bool:
    """Where SciPy is there already, it is faster with few entries, too."""
    return entries >= LARGE or "scipy.sparse" in sys.modules

"""Sparse matrices of ours beside SciPy's: the same arrays, the same sums to the byte."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from lrnn_cli.network import matrices
from lrnn_cli.network.matrices import RowMatrix, placed

SHAPE = (7, 5)


@pytest.fixture(params=[False, True], ids=["numpy", "scipy"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """SciPy is there in tests: each way is chosen here."""
    monkeypatch.setattr(matrices, "by_scipy", lambda entries: request.param)


def drawn(entries: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(entries)
    row, column = (random.integers(0, most, entries).astype(np.int32) for most in (6, 5))
    return random.integers(1, 9, entries), row, column


def equal(found: RowMatrix, expected: csr_array) -> bool:
    pairs = [(getattr(found, name), getattr(expected, name)) for name in ("data", "indices", "indptr")]
    return all(mine.tolist() == theirs.tolist() and mine.dtype == theirs.dtype for mine, theirs in pairs)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("entries", [0, 1, 20])
def test_places(entries: int) -> None:
    """The last row is empty, and 20 entries have places in common."""
    values, row, column = drawn(entries)
    expected = csr_array((values, (row, column)), SHAPE)
    expected.sum_duplicates()
    found = placed(values, row, column, SHAPE)
    assert equal(found, expected)
    assert equal(found.transposed(), csr_array(expected.T))
    rows = np.array([3, 0, 6])
    some, places = found.chosen(rows)
    assert equal(some, csr_array(expected[rows]))
    assert found.data[places].tolist() == some.data.tolist()
    assert found.scipy.toarray().tolist() == expected.toarray().tolist()


@pytest.mark.usefixtures("way")
def test_product() -> None:
    values, row, column = drawn(20)
    matrix = placed(values, row, column, SHAPE)
    weighted = RowMatrix(np.sqrt(matrix.data), matrix.indices, matrix.indptr, SHAPE)
    vector = np.random.default_rng(1).normal(size=5)
    assert (weighted @ vector).tobytes() == np.asarray(weighted.scipy @ vector).tobytes()
    by_hand = [
        sum(weighted.data[at] * vector[weighted.indices[at]] for at in range(matrix.indptr[r], matrix.indptr[r + 1]))
        for r in range(7)
    ]
    assert (weighted @ vector).tolist() == by_hand

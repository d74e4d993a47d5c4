"""Ranks of integers: by counting, or by sorting where few integers are from a wide range."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lrnn_cli.grounding.tables import COUNTED, distinct_keys, ranked
from lrnn_cli.structure.features import counted_tuples

keys = st.one_of(
    st.lists(st.integers(0, 3), max_size=200),
    st.lists(st.integers(0, 2 * COUNTED), max_size=20),
    st.lists(st.integers(0, 400), max_size=40),
    st.lists(st.integers(0, 2**62), max_size=8),
)
groundings = st.lists(st.tuples(st.integers(0, 5), st.integers(-1, 3), st.integers(0, 2)), min_size=1, max_size=60)


@given(numbers=keys)
def test_ranks_and_first_places(numbers: list[int]) -> None:
    """However they are found: the rank among the distinct ones, and where each of these is first."""
    distinct = sorted(set(numbers))
    ranks, first = ranked(np.array(numbers, np.int64))
    assert ranks.tolist() == [distinct.index(number) for number in numbers]
    assert first.tolist() == [numbers.index(number) for number in distinct]
    assert distinct_keys(np.array(numbers, np.int64)).tolist() == distinct
    assert ranks.dtype == first.dtype == np.int64


@given(rows=groundings)
def test_groundings_are_counted_by_atom_and_tuple(rows: list[tuple[int, int, int]]) -> None:
    """Tuples in ascending order, where each occurs first, and how often beside each atom, in whatever order."""
    atom, *columns = np.array(rows).T
    first, counts = counted_tuples(atom, columns, 6)
    distinct = sorted({row[1:] for row in rows})
    assert [rows[number][1:] for number in first.tolist()] == distinct
    assert first.tolist() == [[row[1:] for row in rows].index(own) for own in distinct]
    expected = Counter((row[0], distinct.index(row[1:])) for row in rows)
    assert counts.toarray().tolist() == [[expected[i, j] for j in range(len(distinct))] for i in range(6)]
    assert counts.has_canonical_format

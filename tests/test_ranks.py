"""Ranks of integers: by counting, or by sorting where few integers are from a wide range."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lrnn_cli.grounding.tables import COUNTED, distinct_keys, ranked

keys = st.one_of(
    st.lists(st.integers(0, 3), max_size=200),
    st.lists(st.integers(0, 2 * COUNTED), max_size=20),
    st.lists(st.integers(0, 400), max_size=40),
)


@given(numbers=keys)
def test_ranks_and_first_places(numbers: list[int]) -> None:
    """However they are found: the rank among the distinct ones, and where each of these is first."""
    distinct = sorted(set(numbers))
    ranks, first = ranked(np.array(numbers, np.int64))
    assert ranks.tolist() == [distinct.index(number) for number in numbers]
    assert first.tolist() == [numbers.index(number) for number in distinct]
    assert distinct_keys(np.array(numbers, np.int64)).tolist() == distinct
    assert ranks.dtype == first.dtype == np.int64

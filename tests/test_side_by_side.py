"""Work in processes side by side gives what it gives in one."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest

from lrnn_cli.structure.side_by_side import ahead


def squares(most: int = 20, pause: float = 0.0) -> Iterator[tuple[int, int]]:
    """Numbers with their squares, and the process that computed them."""
    for number in range(most):
        time.sleep(pause)
        yield number**2, os.getpid()


def in_other_process(found: list[tuple[int, int]]) -> tuple[list[int], bool]:
    return [square for square, _ in found], all(process != parent for _, process in found)


def total(numbers: list[int]) -> int:
    return sum(numbers)


parent = os.getpid()


@pytest.mark.parametrize("wanted", [1, 3, 20])
@pytest.mark.parametrize("pause", [0.0, 0.02])
def test_steps_taken_ahead_are_the_first_ones(wanted: int, pause: float) -> None:
    """Whether more or fewer have been taken when they are asked for."""
    with ahead(lambda: squares(pause=pause), in_other_process, jobs=2) as first:
        time.sleep(0.1)
        assert first(wanted) == ([number**2 for number in range(wanted)], True)


def test_with_one_job_steps_are_taken_when_they_are_asked_for() -> None:
    taken: list[int] = []

    def steps() -> Iterator[int]:
        for number in range(20):
            taken.append(number)
            yield number

    with ahead(steps, total, jobs=1) as first:
        assert taken == []
        assert first(4) == 0 + 1 + 2 + 3
        assert taken == [0, 1, 2, 3]


def test_no_more_steps_than_there_are() -> None:
    with ahead(lambda: squares(3), in_other_process, jobs=2) as first:
        assert first(10) == ([0, 1, 4], True)


def test_steps_that_nobody_asks_for_end() -> None:
    """It would take twenty seconds to take all of them."""
    began = time.monotonic()
    with ahead(lambda: squares(pause=1.0), in_other_process, jobs=2):
        pass
    assert time.monotonic() - began < 10.0


def test_expected_errors_are_raised_where_steps_are_asked_for() -> None:
    def steps() -> Iterator[int]:
        yield 1
        raise ZeroDivisionError("no more")

    with ahead(steps, total, 2, (ZeroDivisionError,)) as first, pytest.raises(ZeroDivisionError, match="no more"):
        time.sleep(0.1)
        first(2)

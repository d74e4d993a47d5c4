"""Tasks in processes side by side, each a copy of this one: nothing has to be sent to them, only results come back."""

from __future__ import annotations

import multiprocessing
import signal
import sys
from collections.abc import Callable, Iterator
from typing import TypeVar

AT_ONCE = 4
"""So many processes at most, so that each can have this part of the memory whatever their number."""

Result = TypeVar("Result")

_task: Callable[[int], object] | None = None


def side_by_side(task: Callable[[int], Result], count: int, jobs: int) -> Iterator[Result]:
    """task(0), task(1), ... in their order, `jobs` at a time; one after another where processes can't be copied.

    A process that is interrupted or fails ends the others.
    """
    if jobs < 2 or count < 2 or sys.platform != "linux":
        yield from map(task, range(count))
        return
    global _task
    _task = task
    try:
        with multiprocessing.get_context("fork").Pool(
            min(jobs, count, AT_ONCE), signal.signal, (signal.SIGINT, signal.SIG_IGN)
        ) as pool:
            yield from pool.imap(_run, range(count))
    finally:
        _task = None


def _run(number: int) -> object:
    assert _task is not None
    return _task(number)

"""Tasks in processes side by side, each a copy of this one: nothing has to be sent to them, only results come back.

A process that fails or is killed ends the others, and none of them outlives the one that started it.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import islice
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Protocol, TypeVar

from lrnn_cli.errors import EngineError, LrnnError

AT_ONCE = 4
"""So many processes at most, so that each can have this part of the memory whatever their number."""
PATIENCE = 5.0
"""Seconds that a process has to take away what it has begun to write."""
GIVES_WAY = 10
"""What is done beside something else has its niceness raised by so much: others wait for what is inside."""
TOLD_BYTES = 1 << 20
"""What a task beside something else is told has room on its way, up to so much."""
PARENT_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of prctl(2)."""

Step = TypeVar("Step")
Told = TypeVar("Told")
Result = TypeVar("Result")


class Spread(Protocol):
    """Runs tasks somewhere, and gives their results in their order."""

    def __call__(
        self, task: Callable[[int], Result], count: int, jobs: int, expected: tuple[type[Exception], ...] = ()
    ) -> Iterator[Result]: ...


def side_by_side(
    task: Callable[[int], Result], count: int, jobs: int, expected: tuple[type[Exception], ...] = ()
) -> Iterator[Result]:
    """task(0), task(1), ... in their order, `jobs` at a time; one after another where processes can't be copied.

    Errors of users and `expected` ones are raised here as they were there.
    """
    processes = min(jobs, count, AT_ONCE)
    if not _can_copy(processes):
        yield from map(task, range(count))
        return
    started: dict[Any, BaseProcess] = {}
    try:
        for first in range(processes):
            _start(task, range(first, count, processes), expected, started)
        results: dict[int, Result] = {}
        for number in range(count):
            while number not in results:
                for ready in wait(list(started)):
                    results.update(_received(ready, started))
            yield results.pop(number)
    finally:
        _end(list(started.values()))


@contextmanager
def beside(
    task: Callable[[Callable[[], Told]], Result], jobs: int, expected: tuple[type[Exception], ...] = ()
) -> Iterator[tuple[Callable[[Told], None], Callable[[], Result]]]:
    """Something to do in a process of its own while what is inside goes on: how to tell it something, and its result.

    The task is given a function that waits for what it will be told. It takes what is left of the processors. With one
    job, or where processes can't be copied, all of it is done when it is told.
    """
    if not _can_copy(jobs):
        done: list[Result] = []
        yield lambda told: done.append(task(lambda: told)), lambda: done[0]
        return
    asked, ask = multiprocessing.get_context("fork").Pipe(duplex=False)
    # Who tells does not wait until the task listens; where so much room is not allowed, that depends on what is told.
    with contextlib.suppress(OSError):
        fcntl.fcntl(ask.fileno(), fcntl.F_SETPIPE_SZ, TOLD_BYTES)

    def giving_way(number: int) -> Result:
        os.nice(GIVES_WAY)
        return task(asked.recv)

    with asked, ask, _copy(giving_way, expected) as received:
        yield ask.send, cache(received)


@contextmanager
def ahead(
    steps: Callable[[], Iterable[Step]],
    result: Callable[[list[Step]], Result],
    jobs: int,
    expected: tuple[type[Exception], ...] = (),
) -> Iterator[Callable[[int], Result]]:
    """Steps that a process of its own takes while what is inside finds out how many are wanted.

    Asked for so many of them it gives their result, and takes no more. With one job, or where processes can't be
    copied, they are taken when they are asked for.
    """
    if not _can_copy(jobs):
        yield lambda count: result(list(islice(steps(), count)))
        return
    asked, ask = multiprocessing.get_context("fork").Pipe(duplex=False)

    def task(number: int) -> Result:
        going = iter(steps())
        taken: list[Step] = []
        for step in going:
            taken.append(step)
            if asked.poll():
                break
        count = asked.recv()
        return result([*taken[:count], *islice(going, max(0, count - len(taken)))])

    with asked, ask, _copy(task, expected) as received:

        def first(count: int) -> Result:
            ask.send(count)
            return received()

        yield first


@contextmanager
def _copy(task: Callable[[int], Result], expected: tuple[type[Exception], ...]) -> Iterator[Callable[[], Result]]:
    """A copy of this process that does a task; it gives the result when it is asked for."""
    started: dict[Any, BaseProcess] = {}

    def result() -> Result:
        (receiver,) = started
        received: Result = _received(receiver, started)[0]
        return received

    try:
        _start(task, range(1), expected, started)
        yield result
    finally:
        _end(list(started.values()))


def own_processors(jobs: int) -> int:
    """How many of the processors this process has: one if it is a copy of another, all otherwise."""
    return 1 if multiprocessing.current_process().daemon else jobs


def _can_copy(processes: int) -> bool:
    """Whether processes can be copied. One that is such a copy makes no more of them."""
    return own_processors(processes) > 1 and sys.platform == "linux"


def _start(
    task: Callable[[int], object],
    numbers: Sequence[int],
    expected: tuple[type[Exception], ...],
    started: dict[Any, BaseProcess],
) -> None:
    """A process for some tasks, under the end of the pipe that their results come from."""
    context = multiprocessing.get_context("fork")
    handed_on = (LrnnError, OSError, MemoryError, *expected)
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(task, numbers, sender, handed_on, os.getpid()), daemon=True)
    process.start()
    sender.close()
    started[receiver] = process


def _run(
    task: Callable[[int], object],
    numbers: Sequence[int],
    sender: Connection,
    handed_on: tuple[type[Exception], ...],
    parent: int,
) -> None:
    """What a process does: some of the tasks, until one fails. Ctrl-C is for the process that started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:
        return
    for number in numbers:
        try:
            result = task(number)
        except handed_on as error:
            sender.send((number, None, error))
            return
        sender.send((number, result, None))


def _received(receiver: Any, started: dict[Any, BaseProcess]) -> dict[int, Any]:
    """A result with its number; none where a process has ended after its last one."""
    try:
        number, result, error = receiver.recv()
    except (EOFError, OSError):
        process = started.pop(receiver)
        process.join()
        if process.exitcode:
            raise _death(process.exitcode) from None
        return {}
    if error is not None:
        raise error
    return {number: result}


def _death(code: int) -> Exception:
    if code == -signal.SIGKILL:
        return EngineError(
            "a process of this command was killed, probably because the machine ran out of memory; use fewer --jobs, "
            "a lower --memory-limit, or a smaller part of the data"
        )
    if code < 0:
        return EngineError(f"a process of this command was ended by signal {-code}; run it again")
    # It has shown where, on standard error.
    return RuntimeError(f"a process of this command failed with exit code {code}")


def _end(processes: list[BaseProcess]) -> None:
    """End processes: at first so that they can clean up."""
    for process in processes:
        process.terminate()
    for process in processes:
        process.join(PATIENCE)
        if process.is_alive():
            process.kill()
            process.join()

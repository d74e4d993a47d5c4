"""Who carries out tasks: processes of this machine here, a Dask cluster in `cluster`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from lrnn_cli.engine.process import module_path
from lrnn_cli.plan.tasks import Task, last_words, run_task

CLUSTER = "DASK_SCHEDULER_ADDRESS"
"""The variable of the environment that names a cluster."""
START = "import sys; sys.path = {path!r}; from lrnn_cli.plan.child import main; main()"
LOOK = 0.5
"""Seconds between two looks at what is going on."""
PATIENCE = 5.0
"""Seconds that a command has to take away what it has begun to write."""


@dataclass(frozen=True)
class Outcome:
    """How a task ended: the exit code of its last command, and the end of its log where that is not 0."""

    task: Task
    code: int
    message: str = ""


def outcome_of(task: Task, code: int) -> Outcome:
    """The outcome of a task whose files are in its folder."""
    return Outcome(task, code, last_words(Path(task.folder)) if code else "")


class Executor(Protocol):
    def run(self, tasks: Sequence[Task], tell: Callable[[Sequence[Task]], None]) -> Iterator[Outcome]:
        """Run tasks side by side, and say how each ended, in the order in which they end.

        tell: called now and then with the tasks that are running.
        """
        ...


class Stopped(Exception):
    """A command was ended because nobody wants its task any more."""


class Commands:
    """Commands of tasks, each in a process of its own; all of them can be ended.

    launch: words before each command, such as srun -n1 -c1.
    """

    def __init__(self, launch: Sequence[str] = ()) -> None:
        self._start = [*launch, sys.executable, "-c", START.format(path=module_path())]
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._stopped = False

    def run(self, words: Sequence[str], log: IO[bytes]) -> int:
        """As `tasks.Run`. Ctrl-C is for the program that planned the tasks."""
        if self._stopped:
            raise Stopped
        # A task of a cluster that waited for others of the same cluster could wait forever.
        environment = {name: value for name, value in os.environ.items() if name != CLUSTER}
        process = subprocess.Popen(
            [*self._start, *words],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            env=environment,
        )
        self._processes.add(process)
        if self._stopped:
            process.terminate()
        try:
            code = process.wait()
        finally:
            self._processes.discard(process)
        if self._stopped:
            raise Stopped
        return code

    def end(self) -> None:
        """End all commands: at first so that they can clean up."""
        self._stopped = True
        running = list(self._processes)
        for process in running:
            process.terminate()
        for process in running:
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()


@dataclass(frozen=True)
class LocalProcesses:
    """Tasks in processes of this machine, so many at a time."""

    jobs: int
    launch: tuple[str, ...] = ()

    def run(self, tasks: Sequence[Task], tell: Callable[[Sequence[Task]], None]) -> Iterator[Outcome]:
        commands = Commands(self.launch)
        with ThreadPoolExecutor(self.jobs) as pool:
            started = {pool.submit(run_task, task, commands.run): task for task in tasks}
            waiting: set[Future[int]] = set(started)
            try:
                while waiting:
                    done, waiting = wait(waiting, LOOK, FIRST_COMPLETED)
                    for future in done:
                        yield outcome_of(started[future], future.result())
                    tell([task for future, task in started.items() if future in waiting and future.running()])
            finally:
                for future in waiting:
                    future.cancel()
                commands.end()
                for future in waiting:
                    with suppress(Stopped):
                        future.cancelled() or future.result()

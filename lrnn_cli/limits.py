"""Limits on the time of a command, and on the memory of all its processes and temporary files together.

Parts of the program know what they may take: tables of groundings are counted before they are made, SWI-Prolog and
DuckDB have limits of their own. Behind that stands `Watch`, which looks at all of it a few times a second and ends the
command with an error, and a limit of the system on what the main process allocates, since a single step of NumPy may
be faster than the watch. Without /proc nothing is watched but the time.
"""

from __future__ import annotations

import os
import resource
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import ClassVar

from lrnn_cli.errors import LimitError

MB = 2**20
TEXT_SHARE = 8
OVERHEAD = 128 * MB
"""What Python, NumPy and SWI-Prolog take before there are data."""
START = 64 * MB
"""What a process has at most when a command starts; where it has more, it had other work before."""
UNUSED = 256 * MB
"""The main process may allocate this much more than the limit: not all of it becomes memory."""
INTERVAL = 0.05
REPEAT = 2.0
"""Seconds after which a command that goes on is stopped again: where code can't be interrupted, errors get lost."""
PROCESSES = Path("/proc")
GROUPS = Path("/sys/fs/cgroup")


def default_limit() -> int:
    """MB: half of the memory of the machine, or of the control group that the process is in."""
    limits = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), *_group_limits()]
    return max(1, min(limits) // 2 // MB)


def _group_limits() -> Iterator[int]:
    """The limits of the control group of this process and of those around it, versions 1 and 2."""
    for line in _text(PROCESSES / "self" / "cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        top, name = GROUPS, "memory.max"
        if controllers:
            top, name = GROUPS / "memory", "memory.limit_in_bytes"
        if not controllers or "memory" in controllers.split(","):
            inside = Path(path.lstrip("/"))
            for folder in (inside, *inside.parents):
                text = _text(top / folder / name).strip()
                if text.isdigit():
                    yield int(text)


def most_text() -> int:
    """Bytes that an input may have: facts take several times as much in memory as their text. 0 for no limit."""
    return (default_limit() if Watch.limit is None else Watch.limit) * MB // TEXT_SHARE


def room(limit: int) -> int:
    """Bytes that data and tables may take where the limit is so many MB; 0 where there is none."""
    return max(16 * MB, limit * MB - OVERHEAD) if limit else 0


class Watch:
    """Ends a command, used as a context manager around it, when it has taken too much time or memory."""

    limit: ClassVar[int | None] = None
    """MB of the command that is under way, 0 for no limit; None where it has no option for that."""

    def __init__(self) -> None:
        # It takes long to import.
        import tempfile

        self._time_limit = 0.0
        self._deadline: float | None = None
        self._error: LimitError | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._before = max(0, _memory(_resident) - START)
        self._reserved_before = max(0, _reserved("self") - START)
        self._folder = tempfile.gettempdir() + os.sep

    def __enter__(self) -> Watch:
        # Signals are for the main thread alone; elsewhere the parts of the program have their own limits only.
        self._main = threading.current_thread() is threading.main_thread()
        if self._main:
            self._handler = signal.signal(signal.SIGALRM, self._stop)
            self._allocated = resource.getrlimit(resource.RLIMIT_DATA)
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._ended.set()
        if self._main:
            self._thread.join()
            signal.signal(signal.SIGALRM, self._handler)
            resource.setrlimit(resource.RLIMIT_DATA, self._allocated)
        Watch.limit = None

    def limit_time(self, seconds: float) -> None:
        """The command may go on for so many seconds. Parts of it that watch the time themselves say more, and first."""
        self._time_limit = seconds
        self._deadline = time.monotonic() + seconds + 4 * INTERVAL

    def limit_memory(self, megabytes: int) -> None:
        """All that the command takes is limited to this, 0 for no limit."""
        Watch.limit = megabytes
        if megabytes and self._main:
            most = megabytes * MB + UNUSED + self._reserved_before
            soft, hard = self._allocated
            if soft == resource.RLIM_INFINITY or most < soft:
                resource.setrlimit(resource.RLIMIT_DATA, (most, hard))

    def _stop(self, number: int, frame: object) -> None:
        if self._error is not None and not self._ended.is_set():
            raise self._error

    def _look(self) -> None:
        pause = INTERVAL
        while not self._ended.wait(pause):
            self._error = self._passed()
            if self._error is not None:
                pause = REPEAT
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGALRM)

    def _passed(self) -> LimitError | None:
        if self._deadline is not None and time.monotonic() > self._deadline:
            return LimitError(f"the command was stopped after {self._time_limit:g} s; allow more with --time-limit")
        if Watch.limit:
            files = _open_files(self._folder)
            allowed = Watch.limit * MB + self._before - files
            # Pages that processes share count once; to find them out takes longer, so it is done when it matters.
            memory = _memory(_resident)
            if memory > allowed:
                memory = _memory(_own)
            if memory > allowed:
                memory -= self._before
                return LimitError(
                    f"the command took {memory // MB} MB of memory and {files // MB} MB of temporary files, more than "
                    f"the {Watch.limit} MB that it may; use a smaller part of the data or rules with fewer groundings, "
                    "or allow more with --memory-limit"
                )
        return None


def _memory(measure: Callable[[str], int]) -> int:
    """The bytes of this process and of those it started together, by one of the measures below."""
    children = [_text(task).split() for task in (PROCESSES / "self" / "task").glob("*/children")]
    return measure("self") + sum(measure(child) for group in children for child in group)


def _own(process: str) -> int:
    """The resident memory of a process, pages that it shares with others divided among them."""
    for line in _text(PROCESSES / process / "smaps_rollup").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return _resident(process)


def _resident(process: str) -> int:
    """The resident memory of a process, shared pages included."""
    fields = _text(PROCESSES / process / "statm").split()
    return int(fields[1]) * resource.getpagesize() if fields else 0


def _reserved(process: str) -> int:
    """What the limit of the system counts: memory of its own that a process may write to, used or not."""
    fields = _text(PROCESSES / process / "statm").split()
    return int(fields[5]) * resource.getpagesize() if fields else 0


def _open_files(folder: str) -> int:
    """The bytes of files in a folder, or without a name, that this process holds open; it opens those of all others."""
    sizes = {}
    descriptors = PROCESSES / "self" / "fd"
    try:
        names = os.listdir(descriptors)
    except OSError:
        return 0
    for name in names:
        try:
            if os.readlink(descriptors / name).startswith(folder):
                status = os.stat(descriptors / name)
                sizes[status.st_dev, status.st_ino] = status.st_blocks * 512
        except OSError:
            # Closed meanwhile.
            continue
    return sum(sizes.values())


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""

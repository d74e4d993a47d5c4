"""Run a program, and say how long it took and how much memory it and its children took together at most."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PAUSE = 0.01
"""Seconds between two looks at the memory."""
LONGER = 0.2
"""Seconds after a look that tells shared pages from others, which takes long itself."""


class ProgramFailed(Exception):
    """A program ended with an exit code other than 0; the text is the end of what it printed."""


@dataclass(frozen=True)
class Measured:
    """seconds: from the call to the end of the program; peak: bytes of all its processes together."""

    seconds: float
    peak: int


def run(command: Sequence[str], folder: Path) -> Measured:
    """Run `command` in `folder`. What it prints is shown only when it fails."""
    with tempfile.TemporaryFile() as printed:
        start = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.STDOUT
        )
        watch = _MemoryWatch(process.pid)
        watch.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except KeyboardInterrupt:
            process.kill()
            raise
        finally:
            watch.stop()
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            printed.seek(0)
            text = printed.read().decode("utf-8", "replace").strip()[-1500:]
            raise ProgramFailed(f"exit code {process.returncode}: {text}")
    # Where there is no /proc, the largest process is known at least. Elsewhere this number is of no use: it covers the
    # moment when the new process was still a copy of this one.
    largest = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return Measured(seconds, watch.peak or largest)


class _MemoryWatch(threading.Thread):
    """Looks at the memory of a process and its descendants again and again. Without /proc it sees none."""

    def __init__(self, process: int) -> None:
        super().__init__(daemon=True)
        self.peak = 0
        self._process = process
        self._stopped = threading.Event()

    def run(self) -> None:
        pause = PAUSE
        while not self._stopped.wait(pause):
            now, largest = resident_memory(self._process)
            pause = PAUSE
            if now > max(self.peak, largest):
                # Processes may be copies of each other; pages that they share count once.
                now, pause = own_memory(self._process), LONGER
            self.peak = max(self.peak, now, largest)

    def stop(self) -> None:
        self._stopped.set()
        self.join()


def own_memory(process: int) -> int:
    """Bytes that a process and its descendants hold in memory now, pages that several share divided among them."""
    folder = Path(f"/proc/{process}")
    try:
        lines = (folder / "smaps_rollup").read_text().splitlines()
        children = [child for task in (folder / "task").iterdir() for child in (task / "children").read_text().split()]
    except OSError:
        return 0  # it has ended meanwhile
    own = sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    return own + sum(own_memory(int(child)) for child in children)


def resident_memory(process: int) -> tuple[int, int]:
    """Bytes that a process and its descendants hold in memory now, and the most that one of them ever held."""
    folder = Path(f"/proc/{process}")
    try:
        lines = (folder / "status").read_text().splitlines()
        children = [child for task in (folder / "task").iterdir() for child in (task / "children").read_text().split()]
    except OSError:
        return 0, 0  # it has ended meanwhile
    sizes = {
        name: int(rest.split()[0]) * 1024
        for name, _, rest in (line.partition(":") for line in lines)
        if name in ("VmRSS", "VmHWM")
    }
    now, largest = sizes.get("VmRSS", 0), sizes.get("VmHWM", 0)
    for child in children:
        more, other = resident_memory(int(child))
        now, largest = now + more, max(largest, other)
    return now, largest

"""Where the time goes: seconds and peak memory of the stages of a command, for --profile.

Stages are marked where the work is done; unless a command was asked to profile, a mark does nothing. A stage inside
another one counts for itself alone.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class Profile:
    """Seconds and MB at the end of each stage, in the order in which stages were first entered."""

    seconds: dict[str, float] = field(default_factory=dict)
    calls: dict[str, int] = field(default_factory=dict)
    memory: dict[str, float] = field(default_factory=dict)
    _open: list[str] = field(default_factory=list)
    _since: float = field(default_factory=time.perf_counter)

    def _switch(self) -> None:
        """Give the time since the last mark to the innermost open stage."""
        now = time.perf_counter()
        name = self._open[-1] if self._open else "other"
        self.seconds[name] = self.seconds.get(name, 0.0) + now - self._since
        self._since = now

    def enter(self, name: str) -> None:
        self._switch()
        self._open.append(name)
        self.seconds.setdefault(name, 0.0)
        self.calls[name] = self.calls.get(name, 0) + 1

    def leave(self) -> None:
        self._switch()
        self.memory[self._open.pop()] = peak_memory()

    def finish(self) -> list[tuple[str, str, str, str]]:
        """Rows of a table: stage, seconds, how often, peak memory of this process so far in MB."""
        self._switch()
        self.memory["other"] = peak_memory()
        rows = [
            (name, f"{seconds:.2f}", str(self.calls.get(name, "")), f"{self.memory.get(name, peak_memory()):.0f}")
            for name, seconds in self.seconds.items()
            if name != "other"
        ]
        rows.append(("other", f"{self.seconds['other']:.2f}", "", f"{self.memory['other']:.0f}"))
        rows.append(("SWI-Prolog, largest process", "", "", f"{peak_memory(children=True):.0f}"))
        return rows


current: Profile | None = None
"""What stages are recorded in, if that was asked for."""


def start_profile() -> Profile:
    """Record stages from now on."""
    global current
    current = Profile()
    return current


def stop_profile() -> None:
    global current
    current = None


@contextmanager
def stage(name: str) -> Iterator[None]:
    """What is done inside is a stage of this name."""
    profile = current
    if profile is None:
        yield
        return
    profile.enter(name)
    try:
        yield
    finally:
        profile.leave()


def peak_memory(children: bool = False) -> float:
    """MB that this process, or the largest of its children that have ended, has used at most; 0 where nothing tells."""
    try:
        import resource
    except ImportError:
        return 0.0
    who = resource.RUSAGE_CHILDREN if children else resource.RUSAGE_SELF
    kilobytes: int = resource.getrusage(who).ru_maxrss
    return kilobytes / 1024.0

"""SWI-Prolog processes that go from one command to the next: starting one takes longer than most commands do."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any
from unittest import mock

import lrnn_cli.grounding.reading.reader  # noqa: F401  so that it is there to be patched
from lrnn_cli.engine.process import PrologError, PrologProcess

USES = 200
"""Commands that one process serves."""


class KeptProcess(PrologProcess):
    """A process that outlives a command if it has answered everything it was asked."""

    idle: list[KeptProcess]
    uses = 0
    busy = False

    @property
    def identifier(self) -> int:
        return self._process.pid

    def send(self, request: str, text: bytes | None = None) -> None:
        self.busy = True
        super().send(request, text)
        # The first request comes after some that ask for the version and set limits, which have been answered.
        self.busy = True

    def receive(self) -> dict[str, Any]:
        try:
            reply = super().receive()
        except PrologError:
            self.busy = False
            raise
        self.busy = False
        return reply

    def close(self) -> None:
        if self.busy or not self._ready or self.uses >= USES or self._process.poll() is not None:
            super().close()
        elif self not in self.idle:
            self.idle.append(self)


class KeptWorkers:
    """Opens processes as `PrologProcess` does, and takes one that is idle if its memory limit is the same."""

    def __init__(self) -> None:
        self._idle: list[KeptProcess] = []
        self._seen = 0
        self._users: list[ModuleType] = []

    def opened(
        self, memory_limit: int = 0, time_limit: float | None = None, deadline: float | None = None
    ) -> PrologProcess:
        process = next((process for process in self._idle if process.memory_limit == memory_limit), None)
        if process is None:
            process = KeptProcess(memory_limit, time_limit, deadline)
            process.idle = self._idle
        else:
            self._idle.remove(process)
        process.uses += 1
        process.limit_time(time_limit, deadline)
        return process

    @contextlib.contextmanager
    def used(self) -> Iterator[None]:
        """Commands of this process take their SWI-Prolog from here."""
        with contextlib.ExitStack() as patches:
            for module in self._modules():
                patches.enter_context(mock.patch.object(module, "PrologProcess", self.opened))
            yield

    def _modules(self) -> list[ModuleType]:
        """Those that start SWI-Prolog, among all that are imported by now.

        The module that defines it is none of them: those imported later would take what stands there for good.
        """
        if len(sys.modules) != self._seen:
            ours = [
                module
                for name, module in sys.modules.items()
                if name.startswith("lrnn_cli.") and name != PrologProcess.__module__
            ]
            self._users = [module for module in ours if getattr(module, "PrologProcess", None) is PrologProcess]
            self._seen = len(sys.modules)
        return self._users

    def processes(self) -> set[int]:
        """Identifiers of the processes that wait for a command."""
        return {process.identifier for process in self._idle}

    def close(self) -> None:
        for process in self._idle:
            process.busy = True
            process.close()
        self._idle.clear()


def fast_folder() -> str | None:
    """A folder in memory, if there is a large one: emptying files is most of the work on a disk."""
    memory = "/dev/shm"
    if os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 2**30:
        return memory
    return None

"""One SWI-Prolog process, seen from the parent: send a request, get its reply and rows.

A request is a Prolog term as text; a reply is a JSON object; rows are 32-bit integers in files without names
that both processes hold open, so no file stays behind however a run ends.
"""

from __future__ import annotations

import contextlib
import importlib.resources
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from lrnn_cli.engine.worker import MISSING
from lrnn_cli.errors import EngineError, LimitError

INSTALL_HINT = (
    "Install it with `apt-get install swi-prolog-nox` (Debian, Ubuntu), `brew install swi-prolog` (macOS), "
    "or from the SWI-Prolog home page, then run `lrnn doctor`."
)
OLDEST_VERSION = 90000
ROW_FILES = 6
START = "import sys; sys.path = [*filter(None, sys.path)]; from lrnn_cli.engine.worker import main; main()"
"""The program of the worker. The current folder is not on its path: no file there takes the place of a module."""


class PrologError(Exception):
    """A request failed inside Prolog; `kind` is memory, guard or internal."""

    def __init__(self, text: str, kind: str) -> None:
        super().__init__(text)
        self.text = text
        self.kind = kind


def prolog_folder() -> Path:
    """The folder of our Prolog modules: inside an installed package, or beside it in a checkout."""
    inside = Path(str(importlib.resources.files("lrnn_cli"))) / "prolog"
    beside = Path(__file__).resolve().parents[2] / "prolog"
    for folder in (inside, beside):
        if (folder / "lrnn_server.pl").is_file():
            return folder
    raise EngineError(f"The Prolog modules of lrnn are not at {inside} or {beside}; install the package anew.")


class PrologProcess:
    """A worker process, used as a context manager. `deadline` is a time of `time.monotonic()`."""

    def __init__(self, memory_limit: int = 0, time_limit: float | None = None, deadline: float | None = None) -> None:
        self.memory_limit = memory_limit
        self.time_limit = time_limit
        self.deadline = deadline
        self._files = [tempfile.TemporaryFile() for _ in range(3 + ROW_FILES)]  # noqa: SIM115
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        self.reply: dict[str, Any] = {}
        """The last reply."""
        descriptors = [file.fileno() for file in self._files]
        command = [sys.executable, "-c", START, str(prolog_folder()), str(memory_limit)]
        command += [str(descriptor) for descriptor in descriptors]
        environment = dict(os.environ)
        root = str(Path(__file__).resolve().parents[2])
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [root, environment.get("PYTHONPATH")]))
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            pass_fds=descriptors,
            start_new_session=True,
            env=environment,
        )
        self._ready = False

    def __enter__(self) -> PrologProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process, at once and whatever it is doing."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._errors, *self._files):
            if stream is not None and not stream.closed:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()

    def _wait(self) -> None:
        """Wait for one line from the worker."""
        assert self._process.stdout is not None
        while True:
            left = None if self.deadline is None else self.deadline - time.monotonic()
            if left is not None and left <= 0:
                self.close()
                raise LimitError(
                    f"SWI-Prolog was stopped after {self.time_limit:g} s. Look for background clauses that never end, "
                    "or allow more with --time-limit."
                )
            ready, _, _ = select.select([self._process.stdout], [], [], left)
            if ready:
                break
        if not self._process.stdout.readline():
            self._died()

    def _died(self) -> None:
        code = self._process.wait()
        self._errors.seek(0)
        tail = self._errors.read().decode("utf-8", "replace").strip()[-1500:]
        self.close()
        last = tail.splitlines()[-1] if tail else ""
        if code == MISSING and "pyswip" in last:
            raise EngineError(f"SWI-Prolog can't be used from Python: {last}\nRun `pip install pyswip`.")
        if code == MISSING:
            raise EngineError(f"SWI-Prolog can't be used from Python: {last}\n{INSTALL_HINT}")
        if "SwiPrologNotFoundError" in last:
            raise EngineError(f"SWI-Prolog is not there, or its shared library is not found.\n{INSTALL_HINT}")
        if code == -signal.SIGKILL:
            raise EngineError(
                "SWI-Prolog was killed, probably because the machine ran out of memory. Use fewer --jobs, a lower "
                "--memory-limit, or a smaller part of the data."
            )
        if not self._ready:
            raise EngineError(f"SWI-Prolog does not start (exit code {code}): {tail}\n{INSTALL_HINT}")
        lowered = tail.lower()
        if self.memory_limit and ("memory" in lowered or "bad_alloc" in lowered or code == -signal.SIGABRT):
            raise self.memory_error()
        raise EngineError(f"SWI-Prolog ended unexpectedly (exit code {code}).\n{tail}")

    def memory_error(self) -> LimitError:
        return LimitError(
            f"SWI-Prolog needed more than {self.memory_limit} MB of memory. Look for background clauses that never "
            "end, or allow more with --memory-limit."
        )

    def wait_until_ready(self) -> None:
        """Wait for the process to start and check its version."""
        if self._ready:
            return
        self._wait()
        self._ready = True
        version = int(self.ask("version")["version"])
        if version < OLDEST_VERSION:
            found = f"{version // 10000}.{version // 100 % 100}.{version % 100}"
            raise EngineError(f"SWI-Prolog {found} is too old; version 9 or newer is needed.\n{INSTALL_HINT}")
        if self.memory_limit:
            self.ask(f"limits({self.memory_limit * 2**20})")

    def _write(self, index: int, content: bytes) -> None:
        file = self._files[index]
        file.seek(0)
        file.truncate()
        file.write(content)
        file.flush()
        file.seek(0)

    def send(self, request: str, text: bytes | None = None) -> None:
        """Ask for `request`; `text` is what a reading request reads."""
        self.wait_until_ready()
        if text is not None:
            self._write(0, text)
        # Prolog empties the files that it writes when it opens them.
        self._write(1, f"{request}.\n".encode())
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(b"handle\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            self._died()

    def receive(self) -> dict[str, Any]:
        """The reply to what was sent last."""
        self._wait()
        self._files[2].seek(0)
        reply: dict[str, Any] = json.loads(self._files[2].read())
        self.reply = reply
        if "error" in reply:
            if reply["kind"] == "memory":
                error = self.memory_error()
                self.close()
                raise error
            raise PrologError(reply["error"], reply["kind"])
        return reply

    def ask(self, request: str, text: bytes | None = None) -> dict[str, Any]:
        self.send(request, text)
        return self.receive()

    def rows(self, file: int = 0) -> bytes:
        """What the last request wrote beside its reply, into one of the files for rows."""
        self._files[3 + file].seek(0)
        return self._files[3 + file].read()

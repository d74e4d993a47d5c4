"""One SWI-Prolog process, seen from the parent: send a request, get its reply and rows.

A request is a Prolog term as text; a reply is a JSON object; rows are 32-bit integers in files without names
that both processes hold open, so no file stays behind however a run ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NoReturn

from lrnn_cli.engine.resources import EXHAUSTED, os_refusal, refusal
from lrnn_cli.engine.worker import MISSING
from lrnn_cli.errors import EngineError, LimitError

INSTALL_HINT = (
    "Install it with `apt-get install swi-prolog-nox` (Debian, Ubuntu), `brew install swi-prolog` (macOS), "
    "or from the SWI-Prolog home page, then run `lrnn doctor`."
)
OLDEST_VERSION = 90000
ROW_FILES = 6
NO_TEMPORARY_FILE = "a temporary file can't be written"
INHERITED = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "TMPDIR")
"""What a worker gets of the environment: where programs and libraries are."""
START = "import sys; sys.path = {path!r}; from lrnn_cli.engine.worker import main; main()"


class DepthError(LimitError):
    """SWI-Prolog's stack in C, which it needs for nested terms, has overflowed."""


class PrologError(Exception):
    """A request failed inside Prolog; `kind` is memory, guard or internal."""

    def __init__(self, text: str, kind: str) -> None:
        super().__init__(text)
        self.text = text
        self.kind = kind


def prolog_folder() -> Path:
    """The folder of our Prolog modules: inside an installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    inside, beside = package / "prolog", package.parent / "prolog"
    for folder in (inside, beside):
        if (folder / "lrnn_server.pl").is_file():
            return folder
    raise EngineError(f"The Prolog modules of lrnn are not at {inside} or {beside}; install the package anew.")


def module_path() -> list[str]:
    """Where a worker finds Python's modules: where we do, but in no folder only because it is the current one."""
    root = str(Path(__file__).resolve().parents[2])
    here = os.path.realpath(os.curdir)
    folders = [
        folder
        for folder in sys.path
        if os.path.isabs(folder) and (os.path.realpath(folder) != here or os.path.realpath(folder) == root)
    ]
    return folders if root in map(os.path.realpath, folders) else [*folders, root]


def worker_environment(folder: Path) -> dict[str, str]:
    """An environment without any settings of SWI-Prolog's or Python's, and with no home but the folder of our modules.

    Where SWI-Prolog is can be said with two variables of pyswip's, which it takes together only.
    """
    environment = {name: os.environ[name] for name in INHERITED if name in os.environ}
    library = {name: os.environ.get(name, "") for name in ("LIBSWIPL_PATH", "SWI_HOME_DIR")}
    if all(library.values()):
        environment |= library
    # Only the encoding of file names follows the user's language: messages are compared.
    language = (os.environ.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    return {**environment, "HOME": str(folder), "LC_CTYPE": next(filter(None, language), "C.UTF-8")}


class PrologProcess:
    """A worker process, used as a context manager. It may work for `time_limit` seconds.

    `deadline` is a time of `time.monotonic()` that it shares with others instead.
    """

    def __init__(self, memory_limit: int = 0, time_limit: float | None = None, deadline: float | None = None) -> None:
        self.memory_limit = memory_limit
        self.limit_time(time_limit, deadline)
        self.reply: dict[str, Any] = {}
        """The last reply."""
        self._token = 0
        self._ready = False
        folder = prolog_folder()
        with contextlib.ExitStack() as opened:
            try:
                self._files = [opened.enter_context(tempfile.TemporaryFile()) for _ in range(3 + ROW_FILES)]
                self._errors = opened.enter_context(tempfile.TemporaryFile())
                answers, worker_answers = os.pipe()
                self._answers = opened.enter_context(open(answers, "rb", buffering=0))
                with open(worker_answers, "wb", buffering=0):
                    descriptors = [worker_answers, *(file.fileno() for file in self._files)]
                    self._process = subprocess.Popen(
                        [
                            *(sys.executable, "-I", "-S", "-c", START.format(path=module_path())),
                            *map(str, (memory_limit, *descriptors)),
                        ],
                        stdin=subprocess.PIPE,
                        stdout=self._errors,
                        stderr=self._errors,
                        pass_fds=descriptors,
                        start_new_session=True,
                        cwd=folder,
                        env=worker_environment(folder),
                    )
            except OSError as error:
                raise os_refusal("SWI-Prolog can't be started", error) from None
            self._opened = opened.pop_all()

    def __enter__(self) -> PrologProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process, at once and whatever it is doing."""
        self._process.kill()
        self._process.wait()
        with contextlib.suppress(OSError):
            self._opened.close()
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()

    def limit_time(self, seconds: float | None, deadline: float | None = None) -> None:
        """So many seconds from now on, or until a deadline that was set before."""
        self.time_limit = seconds
        self.deadline = time.monotonic() + seconds if seconds is not None and deadline is None else deadline

    def _answer(self) -> str:
        """Wait for the answer to what was sent last: nothing, or why there is no reply."""
        while True:
            left = None if self.deadline is None else self.deadline - time.monotonic()
            if left is not None and left <= 0:
                self.close()
                raise LimitError(
                    f"SWI-Prolog was stopped after {self.time_limit:g} s. Look for background clauses that never end, "
                    "or allow more with --time-limit."
                )
            ready, _, _ = select.select([self._answers], [], [], left)
            if not ready:
                continue
            line = self._answers.readline()
            if not line:
                self._died()
            token, outcome = json.loads(line)
            if token == str(self._token):
                return str(outcome)

    def _died(self) -> NoReturn:
        code = self._process.wait()
        self._errors.seek(0)
        tail = self._errors.read().decode("utf-8", "replace").strip()[-1500:]
        self.close()
        last = tail.splitlines()[-1] if tail else ""
        for text in EXHAUSTED:
            if text in last:
                raise refusal("SWI-Prolog can't go on" if self._ready else "SWI-Prolog can't be started", text)
        if code == MISSING and "pyswip" in last:
            raise EngineError(f"SWI-Prolog can't be used from Python: {last}\nRun `pip install pyswip`.")
        if code == MISSING:
            raise EngineError(f"SWI-Prolog can't be used from Python: {last}\n{INSTALL_HINT}")
        if "SwiPrologNotFoundError" in last:
            raise EngineError(f"SWI-Prolog is not there, or its shared library is not found.\n{INSTALL_HINT}")
        if code in (-signal.SIGSEGV, -signal.SIGBUS):
            raise DepthError("SWI-Prolog can't go so deep into nested terms; write flatter ones")
        if code == -signal.SIGKILL:
            raise EngineError(
                "SWI-Prolog was killed, probably because the machine ran out of memory. Use fewer --jobs, a lower "
                "--memory-limit, or a smaller part of the data."
            )
        if not self._ready:
            raise EngineError(f"SWI-Prolog does not start (exit code {code}): {last}\n{INSTALL_HINT}")
        lowered = last.lower()
        if self.memory_limit and ("memory" in lowered or "bad_alloc" in lowered or code == -signal.SIGABRT):
            raise self.memory_error()
        raise EngineError(f"SWI-Prolog ended unexpectedly (exit code {code}): {last}\n{INSTALL_HINT}")

    def memory_error(self) -> LimitError:
        return LimitError(
            f"SWI-Prolog needed more than {self.memory_limit} MB of memory. Look for background clauses that never "
            "end, or allow more with --memory-limit."
        )

    def wait_until_ready(self) -> None:
        """Wait for the process to start and check its version."""
        if self._ready:
            return
        self._send("version")
        version = int(self.receive()["version"])
        self._ready = True
        if version < OLDEST_VERSION:
            shown = f"{version // 10000}.{version // 100 % 100}.{version % 100}"
            raise EngineError(f"SWI-Prolog {shown} is too old; version 9 or newer is needed.\n{INSTALL_HINT}")
        if self.memory_limit:
            self.ask(f"limits({self.memory_limit * 2**20})")

    def _write(self, index: int, content: bytes) -> None:
        file = self._files[index]
        try:
            file.seek(0)
            file.truncate()
            file.write(content)
            file.flush()
            file.seek(0)
        except OSError as error:
            self.close()
            raise os_refusal(NO_TEMPORARY_FILE, error) from None

    def send(self, request: str, text: bytes | None = None) -> None:
        """Ask for `request`; `text` is what a reading request reads."""
        self.wait_until_ready()
        if text is not None:
            self._write(0, text)
        self._send(request)

    def _send(self, request: str) -> None:
        # Prolog empties the files that it writes when it opens them.
        self._token += 1
        self._write(1, f"{self._token}.\n{request}.\n".encode())
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{self._token}\n".encode())
            self._process.stdin.flush()
        except BrokenPipeError:
            self._died()

    def receive(self) -> dict[str, Any]:
        """The reply to what was sent last."""
        outcome = self._answer()
        if outcome:
            self.close()
            raise refusal(NO_TEMPORARY_FILE, outcome)
        self._files[2].seek(0)
        reply: dict[str, Any] = json.loads(self._files[2].read())
        assert reply["token"] == self._token, "the reply is to another request"
        self.reply = reply
        if "error" in reply:
            if reply["kind"] == "memory":
                error = self.memory_error()
                self.close()
                raise error
            if reply["kind"] == "system":
                self.close()
                raise refusal(NO_TEMPORARY_FILE, reply["error"])
            raise PrologError(reply["error"], reply["kind"])
        return reply

    def ask(self, request: str, text: bytes | None = None) -> dict[str, Any]:
        self.send(request, text)
        return self.receive()

    def rows(self, file: int = 0) -> bytes:
        """What the last request wrote beside its reply, into one of the files for rows."""
        self._files[3 + file].seek(0)
        return self._files[3 + file].read()

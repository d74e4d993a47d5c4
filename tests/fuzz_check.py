"""What the fuzzer demands of every command: a case in, findings out.

A case is a few files and the commands to run beside them. Commands run in this process, and SWI-Prolog goes from one
command to the next, so that most of them take milliseconds. What is found that way is tried again with a new
SWI-Prolog before it counts.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import Any, ClassVar
from unittest import mock

from click.testing import CliRunner
from kept_workers import KeptWorkers

from lrnn_cli.commands import cli
from lrnn_cli.engine.process import PrologError

HANGS = 60
"""Seconds after which a command counts as hanging; all of them have a time limit of a few seconds."""
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Characters that steer terminals or turn text around; carriage returns are among them."""
WHOLE_COMMAND = re.compile("the command (was stopped after|took) ")
"""Limits that the whole command has met, and not what is done with one file."""
PATIENCE = 10.0
"""Seconds for making the files of a finding smaller."""


@dataclass(frozen=True)
class Case:
    """Files, and commands to be run beside them until one does not end well.

    expected: bytes that files have if all commands end well; other bytes mean that damage was not noticed.
    """

    kind: str
    files: Mapping[str, bytes]
    commands: tuple[tuple[str, ...], ...]
    expected: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Finding:
    """Something that must not happen. Findings with the same place have the same cause."""

    place: str
    detail: str
    command: tuple[str, ...]


@dataclass(frozen=True)
class Ended:
    """How a command ended; `error` is what it raised that is no message for users."""

    code: int
    stdout: str
    stderr: str
    error: BaseException | None


class Hangs(BaseException):
    """A command takes far longer than its time limit."""


class RecordedPopen(subprocess.Popen[Any]):
    """Processes as they are started; to look for them among all of the machine's takes longer than most commands."""

    started: ClassVar[list[RecordedPopen]] = []

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.started.append(self)


class Laboratory:
    """A folder in which cases are run, one after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.inputs = 0
        self._workers = KeptWorkers()
        self._changes = contextlib.ExitStack()
        self._case = folder / "case"
        self._temporary = folder / "temporary"
        self._temporary.mkdir()

    def __enter__(self) -> Laboratory:
        temporary = str(self._temporary)
        self._changes.enter_context(mock.patch.dict(os.environ, TMPDIR=temporary))
        self._changes.enter_context(mock.patch.object(tempfile, "tempdir", temporary))
        self._changes.callback(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, _hangs))
        return self

    def __exit__(self, *_: object) -> None:
        self._workers.close()
        self._changes.close()

    def findings(self, case: Case) -> list[Finding]:
        """What is wrong with a case, as far as a new SWI-Prolog agrees."""
        self.inputs += 1
        found = self._run(case)
        if found:
            self._workers.close()
            found = self._run(case)
        return found

    def smaller(self, case: Case, place: str) -> Case:
        """A case with the same finding and less in its Prolog files; other files are small, or no text."""
        deadline = time.monotonic() + PATIENCE
        for name in [name for name in case.files if name in ("d.pl", "t.pl") and case.kind in ("texts", "terms")]:
            for separator in (b"\n", b""):
                case = self._shortened(case, name, place, separator, deadline)
        return case

    def made(self, files: Mapping[str, bytes], *commands: tuple[str, ...]) -> dict[str, bytes]:
        """All files after some commands, be they interrupted or not."""
        self._write(files)
        with self._inside():
            for arguments in commands:
                ended = _ended(arguments)
                assert ended.error is None and ended.code in (0, 130), ended
        return _content(self._case)

    def _shortened(self, case: Case, name: str, place: str, separator: bytes, deadline: float) -> Case:
        text = case.files[name]
        pieces = text.splitlines(keepends=True) if separator else [text[i : i + 1] for i in range(len(text))]
        size = max(1, len(pieces) // 2)
        while pieces and time.monotonic() < deadline:
            start = 0
            while start < len(pieces) and time.monotonic() < deadline:
                rest = pieces[:start] + pieces[start + size :]
                tried = replace(case, files={**case.files, name: b"".join(rest)})
                if any(finding.place == place for finding in self._run(tried)):
                    pieces, case = rest, tried
                else:
                    start += size
            if size == 1:
                break
            size //= 2
        return case

    def _write(self, files: Mapping[str, bytes]) -> None:
        shutil.rmtree(self._case, ignore_errors=True)
        self._case.mkdir()
        for name, content in files.items():
            path = self._case / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    @contextlib.contextmanager
    def _inside(self) -> Iterator[None]:
        """The folder of the case is the current one."""
        before = os.getcwd()
        os.chdir(self._case)
        try:
            with self._workers.used(), mock.patch.object(subprocess, "Popen", RecordedPopen):
                yield
        finally:
            os.chdir(before)

    def _run(self, case: Case) -> list[Finding]:
        self._write(case.files)
        outputs: dict[tuple[str, ...], str] = {}
        found: list[Finding] = []
        with self._inside():
            for arguments in case.commands:
                before = _content(self._case)
                ended = _ended(arguments)
                after = _content(self._case)
                faults = [
                    *_wrong_end(arguments, ended, before, case),
                    *_wrong_files(arguments, ended, before, after),
                    *self._left_behind(),
                ]
                found += [Finding(place, detail, arguments) for place, detail in faults]
                if ended.code or found:
                    break
                found += _disagreement(arguments, ended, outputs)
            else:
                for name, content in case.expected.items():
                    if (self._case / name).read_bytes() != content:
                        found.append(Finding(f"damage is not noticed, and {name} is another", "", case.commands[-1]))
        return found

    def _left_behind(self) -> Iterator[tuple[str, str]]:
        left = sorted(path.name for path in self._temporary.iterdir())
        for name in left:
            path = self._temporary / name
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        if left:
            yield "temporary files are left", ", ".join(left)
        kept = self._workers.processes()
        lost = [process for process in RecordedPopen.started if process.pid not in kept and process.poll() is None]
        RecordedPopen.started = [process for process in RecordedPopen.started if process.pid in kept]
        if lost:
            yield "processes are left", ", ".join(str(process.pid) for process in lost)
        for process in lost:
            process.kill()
            process.wait()


def _hangs(number: int, frame: FrameType | None) -> None:
    raise Hangs


def _ended(arguments: tuple[str, ...]) -> Ended:
    signal.alarm(HANGS)
    try:
        with warnings.catch_warnings():
            # What NumPy has to say about numbers is for us, not for users.
            warnings.simplefilter("error", RuntimeWarning)
            # Colour keeps click from removing escape sequences, as it does where nobody looks.
            result = CliRunner().invoke(cli, list(arguments), prog_name="lrnn", color=True)
    except Hangs as hangs:
        return Ended(1, "", "", hangs)
    finally:
        signal.alarm(0)
    error = None if isinstance(result.exception, SystemExit) else result.exception
    return Ended(result.exit_code, result.stdout, result.stderr, error)


def _content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def _wrong_end(
    arguments: tuple[str, ...], ended: Ended, before: Mapping[str, bytes], case: Case
) -> Iterator[tuple[str, str]]:
    """Faults of the exit code and of what was printed."""
    if ended.error is not None:
        yield _place(ended.error), "".join(traceback.format_exception(ended.error))
        return
    if ended.code not in (0, 1):
        yield f"exit code {ended.code} of {arguments[0]}", ended.stderr
    raw = RAW.search(ended.stdout + ended.stderr)
    if raw:
        yield f"{arguments[0]} prints raw {raw.group()!r}", ended.stdout + ended.stderr
    if "Traceback" in ended.stderr:
        yield f"{arguments[0]} prints a traceback", ended.stderr
    if ended.code != 1:
        return
    names = {name.split("/")[0] for name in before}
    lines = _without_warnings(ended.stderr)
    named = [name for line in lines for name in names if re.search(rf"(^|\s){re.escape(name)}[:/]", line)]
    if not named and not WHOLE_COMMAND.search(ended.stderr):
        yield f"no file is named: {_pattern(ended.stderr)}", ended.stderr
    elif any(name.endswith(".pl") and name not in case.files for name in named):
        yield f"what was written is refused: {_pattern(ended.stderr)}", ended.stderr


def _wrong_files(
    arguments: tuple[str, ...], ended: Ended, before: Mapping[str, bytes], after: Mapping[str, bytes]
) -> Iterator[tuple[str, str]]:
    """Inputs that are not what they were, and outputs of a command that did not end well.

    A run that was stopped by a limit keeps the iterations that were whole by then.
    """
    outputs = tuple(arguments[i + 1] for i, option in enumerate(arguments) if option in ("-o", "--history"))
    runs = tuple(f"{arguments[i + 1]}/" for i, option in enumerate(arguments) if option == "--run-dir")
    stopped = ended.code == 1 and WHOLE_COMMAND.search(ended.stderr)
    allowed = (*outputs, *runs) if ended.code == 0 else runs if stopped else ()
    changed = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    wrong = [name for name in changed if not name.startswith(allowed)] if allowed else changed
    if wrong:
        yield f"{arguments[0]} with exit code {ended.code} changes {re.sub('[0-9]+', 'N', wrong[0])}", ", ".join(wrong)
    for name in changed:
        if name in after and name.startswith(allowed or "\0") and not name.endswith(".npz"):
            raw = RAW.search(after[name].decode("utf-8", "replace"))
            if raw:
                yield f"{arguments[0]} writes raw {raw.group()!r}", name


def _disagreement(arguments: tuple[str, ...], ended: Ended, outputs: dict[tuple[str, ...], str]) -> Iterator[Finding]:
    """Two grounders must predict the same."""
    if arguments[0] != "predict":
        return
    place = arguments.index("--grounder")
    command = arguments[:place] + arguments[place + 2 :]
    if command in outputs and _numbers(outputs[command]) != _numbers(ended.stdout):
        yield Finding("grounders disagree", f"{outputs[command]}\n{ended.stdout}", arguments)
    outputs[command] = ended.stdout


def _numbers(predictions: str) -> list[str]:
    return [f"{float(line.rsplit(chr(9), 1)[1]):.9f}" for line in predictions.split("\n")[1:-1]]


def _place(error: BaseException) -> str:
    """The last line of our own code that an error went through."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "lrnn_cli" in frame.filename]
    where = "outside"
    if frames:
        where = f"{frames[-1].filename.split('lrnn_cli/', 1)[1]}:{frames[-1].name}"
    if isinstance(error, PrologError):
        where += f" {_pattern(error.text)}"
    return f"{type(error).__name__} in {where}"


def _without_warnings(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip() and not line.startswith("warning: ")]


def _pattern(text: str) -> str:
    """A message without what changes from case to case."""
    line = (_without_warnings(text) or ["nothing is printed"])[0]
    line = re.sub(r"^\S+:\d+:\d+: ", "", line)
    return re.sub(r"'[^']*'|\d+", "_", line)[:80]

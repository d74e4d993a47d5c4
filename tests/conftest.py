"""A folder to run commands in, for tests of the command line."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from lrnn_cli.commands import cli

# A shell starts background processes with SIGINT ignored, and programs inherit that. Tests send SIGINT, so they want
# what a program in the foreground has.
signal.signal(signal.SIGINT, signal.default_int_handler)


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    code: int
    stdout: str
    stderr: str


class Folder:
    """A folder that is the current one. File names in messages are relative to it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, files: Mapping[str, str | bytes]) -> None:
        for name, content in files.items():
            (self.path / name).write_bytes(content if isinstance(content, bytes) else content.encode())

    def read(self, name: str) -> str:
        return (self.path / name).read_text()

    def content(self) -> dict[str, bytes]:
        """All that is in the folder."""
        return {
            str(path.relative_to(self.path)): path.read_bytes()
            for path in sorted(self.path.rglob("*"))
            if path.is_file()
        }

    def run(self, *arguments: str, stdin: str | bytes | None = None) -> Outcome:
        """Run a command in this process; an exception that is no message for users is a failure of the test."""
        result = CliRunner().invoke(cli, list(arguments), input=stdin, prog_name="lrnn", catch_exceptions=False)
        return Outcome(result.exit_code, result.stdout, result.stderr)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.chdir(tmp_path)
    return Folder(tmp_path)

"""A folder to run commands in, for tests of the command line; skipped tests that were not meant to be."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import one_job  # noqa: F401  before all others of lrnn
import pytest
from click.testing import CliRunner
from kept_workers import KeptWorkers, fast_folder

from lrnn_cli.commands import cli
from lrnn_cli.structure import holding_out

# A shell starts background processes with SIGINT ignored, and programs inherit that. Tests send SIGINT, so they want
# what a program in the foreground has.
signal.signal(signal.SIGINT, signal.default_int_handler)


# Why a test may be skipped, by the beginning of the reason. Any other skip is a failure: what `make install` sets up
# is there for all tests.
ALLOWED_SKIPS = ["root may write anywhere", "Graphviz is not installed", "NeuraLogic is not installed"]
# Two of scikit-learn's checks of estimators.
ALLOWED_SKIPS += ["pandas is not installed", "SCIPY_ARRAY_API is not set"]
if not os.path.isdir(os.environ.get("LRNN_DATA_DIR", "")):
    ALLOWED_SKIPS.append("LRNN_DATA_DIR has no ")


def refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Make a skip that is not allowed a failure."""
    if report.outcome != "skipped" or hasattr(report, "wasxfail") or not isinstance(report.longrepr, tuple):
        return
    reason = report.longrepr[2].removeprefix("Skipped: ")
    if not reason.startswith(tuple(ALLOWED_SKIPS)):
        report.outcome = "failed"
        report.longrepr = f"{report.longrepr[0]}: this test must not be skipped: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    refuse_skip(report)
    return report


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


@pytest.fixture(scope="session", autouse=True)
def fast_temporary_files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What Python and SWI-Prolog exchange is kept in memory: emptying files on a disk is slow."""
    tmp_path_factory.getbasetemp()  # Folders of tests stay where they are.
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory(dir=fast_folder()) as folder:
        patch.setenv("TMPDIR", folder)
        patch.setattr(tempfile, "tempdir", folder)
        yield


@pytest.fixture(scope="session")
def kept_workers() -> Iterator[KeptWorkers]:
    workers = KeptWorkers()
    yield workers
    workers.close()


@pytest.fixture(autouse=True)
def shared_workers(request: pytest.FixtureRequest, kept_workers: KeptWorkers) -> Iterator[None]:
    """Commands of all tests share SWI-Prolog, but for tests with the mark `new_workers`."""
    if request.node.get_closest_marker("new_workers"):
        kept_workers.close()
        yield
        return
    with kept_workers.used():
        yield


@pytest.fixture
def two_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Queries are held out in two parts, not five: half of the work, where a test asks for nothing of the estimate."""
    monkeypatch.setattr(holding_out, "PARTS", 2)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.chdir(tmp_path)
    return Folder(tmp_path)

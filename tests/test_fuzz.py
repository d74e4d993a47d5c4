"""A minute of fuzzing with fixed seeds, and whether the fuzzer would notice."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import click
import numpy as np
import pytest
from fuzz import BATCH, KINDS, run_batch
from fuzz_check import Case, Finding, Laboratory
from fuzz_files import RESUME, STATE, forged_arrays, forged_state
from fuzz_texts import LIMITS, PLAIN_DATA, PREDICT
from kept_workers import KeptWorkers, fast_folder

from lrnn_cli.errors import LrnnError
from lrnn_cli.grounding.duckdb.grounder import DuckdbGrounder
from lrnn_cli.grounding.grounder import GroundTables
from lrnn_cli.grounding.tables import Table

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.new_workers

COUNTS = {"texts": 500, "terms": 450, "groundings": 900, "runs": 130, "results": 250}


SOUND = Case("texts", {"d.pl": b"c(a). query(s, 1).\n", "t.pl": b"0.5 :: s :- c(X).\n"}, (("show", "t.pl"),))


@pytest.fixture
def laboratory(tmp_path: Path) -> Iterator[Laboratory]:
    with Laboratory(tmp_path) as opened:
        yield opened


@pytest.mark.parametrize("kind", KINDS)
def test_inputs_break_nothing(kind: str, tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(dir=fast_folder()) as folder:
        report = run_batch(kind, 1, COUNTS[kind], Path(folder) / "batch", set())
        listed = []
        for place, kept in report.findings.items():
            listed += [place, (Path(kept) / "finding.txt").read_text()]
            shutil.copytree(kept, tmp_path / Path(kept).name)
    assert not listed, "\n".join([f"reproducers are in {tmp_path}", *listed])
    assert report.inputs == COUNTS[kind]


def test_forged_digests_are_right(laboratory: Laboratory) -> None:
    """A digest made for files that nothing was done to is the one they have; else damage would not get past it."""
    ground = ("ground", "t.pl", "d.pl", "-o", "g.npz", *LIMITS)
    made = laboratory.made(
        {**SOUND.files, "e.pl": PLAIN_DATA.encode()}, ground, ("learn-structure", "e.pl", *RESUME[2:])
    )
    with np.load(io.BytesIO(made["g.npz"])) as file:
        arrays = dict(file)
    assert all((array == arrays[name]).all() for name, array in forged_arrays(arrays).items())
    assert json.loads(forged_state(made[STATE])) == json.loads(made[STATE])


def test_batches_of_all_kinds() -> None:
    assert BATCH.keys() == KINDS.keys() == COUNTS.keys()


# Would it notice?


def test_a_sound_case(laboratory: Laboratory) -> None:
    assert laboratory.findings(Case("texts", SOUND.files, PREDICT)) == []


def raises() -> None:
    raise ZeroDivisionError


def warns() -> None:
    np.array([1e308]) * np.array([10.0])


def refuses() -> None:
    raise LrnnError("something is wrong")


def leaves_a_file() -> None:
    tempfile.mkstemp()


def leaves_a_process() -> None:
    subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)


def overwrites() -> None:
    Path("d.pl").write_text("")


def writes_and_refuses() -> None:
    Path("out.pl").write_text("")
    raise LrnnError("t.pl: something is wrong")


def refuses_what_was_written() -> None:
    raise LrnnError("m.pl:1:1: this can't be read")


def quits() -> None:
    click.get_current_context().exit(3)


@pytest.mark.parametrize(
    ("happens", "place"),
    [
        (raises, "ZeroDivisionError in commands/show.py:show"),
        (warns, "RuntimeWarning in commands/show.py:show"),
        (refuses, "no file is named: something is wrong"),
        (leaves_a_file, "temporary files are left"),
        (leaves_a_process, "processes are left"),
        (overwrites, "show with exit code 0 changes d.pl"),
        (writes_and_refuses, "show with exit code 1 changes out.pl"),
        (quits, "exit code 3 of show"),
        (lambda: click.echo("\x1b[2J"), "show prints raw '\\x1b'"),
        (lambda: click.echo("\u202e", err=True), "show prints raw '\\u202e'"),
        (lambda: click.echo("Traceback (most recent call last):", err=True), "show prints a traceback"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_must_not_happen(happens: Callable[[], None], place: str, laboratory: Laboratory) -> None:
    """Something happens in the middle of a command; it is found, and found again with a new SWI-Prolog."""

    def model(name: str, content: bytes) -> str:
        happens()
        return ""

    with mock.patch("lrnn_cli.commands.show.shown_model", model):
        assert [finding.place for finding in laboratory.findings(SOUND)] == [place]
    assert laboratory.findings(SOUND) == []


def test_a_file_of_ours_that_is_refused(laboratory: Laboratory) -> None:
    ground = ("ground", "t.pl", "d.pl", "-o", "g.npz", *LIMITS)
    train = ("train", "g.npz", "-o", "m.pl", "--epochs", "0", "--quiet")
    case = Case("texts", SOUND.files, (ground, train, ("show", "m.pl")))
    assert laboratory.findings(case) == []
    with mock.patch("lrnn_cli.commands.show.shown_model", lambda name, content: refuses_what_was_written()):
        assert [finding.place for finding in laboratory.findings(case)] == [
            "what was written is refused: this can't be read"
        ]


def test_damage_that_is_not_noticed(laboratory: Laboratory) -> None:
    case = Case("texts", SOUND.files, (("draw", "t.pl", "-o", "x.dot"),), {"x.dot": b"digraph {}"})
    assert laboratory.findings(case) == [
        Finding("damage is not noticed, and x.dot is another", "", ("draw", "t.pl", "-o", "x.dot"))
    ]


def test_grounders_that_disagree(laboratory: Laboratory) -> None:
    case = Case("texts", SOUND.files, PREDICT)
    ground = DuckdbGrounder.ground

    def without_rows(self: DuckdbGrounder, *arguments: Any) -> GroundTables:
        found = ground(self, *arguments)
        empty = [Table(table.example[:0], table.objects[:0]) for table in found.tables]
        return replace(found, tables=tuple(empty))

    with mock.patch.object(DuckdbGrounder, "ground", without_rows):
        assert [finding.place for finding in laboratory.findings(case)] == ["grounders disagree"]


def test_a_smaller_case(laboratory: Laboratory) -> None:
    """Lines and bytes that have nothing to do with a finding go."""
    text = b"0.5 :: s :- c(X).\n0.25 :: s :- guilty(X).\n-1.0 :: s.\n"

    def model(name: str, content: bytes) -> str:
        if b"guilty" in content:
            raise ZeroDivisionError
        return ""

    case = Case("texts", {"t.pl": text}, (("show", "t.pl"),))
    with mock.patch("lrnn_cli.commands.show.shown_model", model):
        (finding,) = laboratory.findings(case)
        assert laboratory.smaller(case, finding.place).files == {"t.pl": b"guilty"}


def test_a_batch_that_dies(tmp_path: Path) -> None:
    """The case at hand is kept."""

    def died(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        case = Path(command[-1]) / "case"
        case.mkdir()
        (case / "t.pl").write_text("0.5 :: s.\n")
        return subprocess.CompletedProcess(command, -11, "", "Segmentation fault\n")

    with mock.patch("fuzz.subprocess.run", died):
        report = run_batch("texts", 1, 10, tmp_path / "batch", set())
    assert list(report.findings) == ["a batch of texts died with exit code -11: Segmentation fault"]
    (kept,) = map(Path, report.findings.values())
    assert (kept / "t.pl").read_text() == "0.5 :: s.\n"


def test_processes_are_kept_and_given_new_limits() -> None:
    workers = KeptWorkers()
    with workers.opened(100) as first:
        first.ask("version")
    with workers.opened(100, 5.0, time.monotonic() + 5.0) as second, workers.opened(100) as third:
        assert second is first is not third
        assert second.time_limit == 5.0
        # It is busy, so it does not come back.
        third.send("version")
    with workers.opened(200) as other:
        other.ask("version")
    assert len(workers.processes()) == 2
    workers.close()
    assert workers.processes() == set()


# Skips


def test_skips_that_are_not_allowed(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test or a module that is skipped for another reason than those that are listed fails."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=os.pathsep)
    pytester.makeconftest(Path(__file__).with_name("conftest.py").read_text())
    pytester.makepyfile(
        test_module="import pytest\npytest.importorskip('no_such_module')\n",
        test_tests="""
            import pytest

            def test_allowed():
                pytest.skip("Graphviz is not installed")

            @pytest.mark.skipif(True, reason="I do not feel like it")
            def test_refused():
                pass

            @pytest.mark.xfail(reason="known")
            def test_known():
                raise ValueError
        """,
    )
    outcome = pytester.runpytest_subprocess("-p", "no:cacheprovider", "--continue-on-collection-errors")
    outcome.assert_outcomes(skipped=1, errors=2, xfailed=1)
    outcome.stdout.fnmatch_lines_random(
        ["*this test must not be skipped: I do not feel like it", "*must not be skipped: could not import*"]
    )

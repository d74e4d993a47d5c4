"""Where the time goes: stages inside others, and what --profile prints."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from lrnn_cli import stages
from lrnn_cli.commands import cli

TRAINS = Path(__file__).resolve().parents[1] / "datasets" / "trains"


def test_a_stage_inside_another_counts_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that ticks once a mark: outer has the ticks around inner, inner its own."""
    ticks = iter(range(100))
    monkeypatch.setattr("lrnn_cli.stages.time.perf_counter", lambda: float(next(ticks)))
    profile = stages.Profile(_since=0.0)
    next(ticks)
    monkeypatch.setattr(stages, "current", profile)
    with stages.stage("outer"):
        with stages.stage("inner"):
            pass
        with stages.stage("inner"):
            pass
    assert {row[0]: row[1:3] for row in profile.finish()[:2]} == {"outer": ("3.00", "1"), "inner": ("2.00", "2")}


def test_without_a_profile_nothing_is_recorded() -> None:
    with stages.stage("anything"):
        pass
    assert stages.current is None


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            ["ground", "{t}/template.pl", "{t}/trains.pl", "-o", "{o}"],
            ["reading data", "grounding", "writing groundings"],
        ),
        (
            ["learn-structure", "{t}/trains.pl", "--iterations", "1", "--conjunctions", "0", "-o", "{o}"],
            ["rule learning", "training"],
        ),
    ],
)
def test_commands_print_their_stages(arguments: list[str], expected: list[str], tmp_path: Path) -> None:
    """A row a stage on standard error, and the memory of SWI-Prolog; the next command is not profiled."""
    filled = [argument.format(t=TRAINS, o=tmp_path / "out") for argument in arguments]
    result = CliRunner().invoke(cli, [*filled, "--profile", "--quiet"], catch_exceptions=False)
    assert result.exit_code == 0
    for name in [*expected, "other", "SWI-Prolog, largest process"]:
        assert f"\n{name} " in result.stderr
    assert stages.current is None

"""The Prolog modules: plunit tests of each, and that they load without a warning."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MODULES = sorted((ROOT / "prolog").glob("*.pl"))
TESTS = sorted((ROOT / "tests" / "prolog").glob("*.plt"))

pytestmark = pytest.mark.skipif(shutil.which("swipl") is None, reason="there is no swipl")


def run_swipl(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["swipl", "--on-error=status", *arguments, "-t", "halt"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )


def test_each_module_has_tests() -> None:
    assert [path.stem for path in TESTS] == [path.stem for path in MODULES]


@pytest.mark.parametrize("path", TESTS, ids=[path.stem for path in TESTS])
def test_plunit(path: Path) -> None:
    done = run_swipl("--on-warning=status", "-g", "run_tests", str(path))
    assert done.returncode == 0, done.stdout
    assert "tests passed" in done.stdout


@pytest.mark.parametrize("path", MODULES, ids=[path.stem for path in MODULES])
def test_loads_without_warning(path: Path) -> None:
    """Without autoloading, so that every library a module uses is named in it."""
    goal = f"use_module(library(check)), set_prolog_flag(autoload, false), use_module('{path}'), list_undefined"
    done = run_swipl("--on-warning=status", "-q", "-g", goal)
    assert (done.returncode, done.stdout) == (0, "")

"""The plunit tests of the Prolog modules, and that the modules load without a warning."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TESTS = sorted((ROOT / "tests" / "prolog").glob("*.plt"))
MODULES = sorted((ROOT / "prolog").glob("*.pl"))


def swipl(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["swipl", *arguments], capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.name)
def test_plunit(path: Path) -> None:
    """All tests of one file pass, and there are some."""
    result = swipl("--on-error=status", "-g", "run_tests", "-t", "halt", str(path))
    assert result.returncode == 0, result.stdout + result.stderr
    assert "passed" in result.stdout + result.stderr


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_modules_load_without_warnings(path: Path) -> None:
    """No warning, no error, and no predicate that is called but not defined."""
    check = "check:list_undefined"
    result = swipl("--on-error=status", "--on-warning=status", "-g", check, "-t", "halt", str(path))
    assert result.returncode == 0, result.stderr
    assert not result.stderr.strip()


def test_every_module_has_tests() -> None:
    """Rows are tested through the server that writes them."""
    tested = {path.stem for path in TESTS} | {"lrnn_rows"}
    assert {path.stem for path in MODULES} <= tested

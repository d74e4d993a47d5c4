"""README, help texts and packaging say what is true."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from lrnn_cli.commands import cli

ROOT = Path(__file__).resolve().parents[1]
NUMBER = re.compile(r"-?\d+\.\d+")
PROGRESS = re.compile("(iteration|final training|reading|grounding|compiling|training|predicting|held out)[ :]")


def readme_example() -> list[tuple[str, list[str]]]:
    """Commands of the worked examples and the lines shown after each."""
    text = (ROOT / "README.md").read_text()
    steps: list[tuple[str, list[str]]] = []
    for part in text.split("<!-- example -->")[1:]:
        block = part.split("<!-- end of example -->")[0]
        for line in block.strip().splitlines()[1:-1]:
            if line.startswith("$ "):
                steps.append((line[2:], []))
            else:
                steps[-1][1].append(line)
    return steps


def test_worked_example_of_the_readme(tmp_path: Path) -> None:
    """Every command runs as written and prints what is shown, numbers to three digits."""
    for name in ("family", "trains"):
        shutil.copytree(ROOT / "datasets" / name, tmp_path / "datasets" / name)
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    steps = readme_example()
    assert len(steps) >= 6
    for command, shown in steps:
        result = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=True,
        )
        # A slow machine shows its progress.
        printed = [line for line in result.stdout.splitlines() if line in shown or not PROGRESS.match(line)]
        assert [NUMBER.sub("#", line).split() for line in printed] == [NUMBER.sub("#", line).split() for line in shown]
        for expected, found in zip(NUMBER.findall("\n".join(shown)), NUMBER.findall("\n".join(printed)), strict=True):
            assert float(found) == pytest.approx(float(expected), abs=2e-3)


@pytest.mark.parametrize("name", sorted(cli.commands))
def test_commands_are_documented(name: str) -> None:
    """Each command has a help text with an example, a help for every option, and a row in the README."""
    command = cli.commands[name]
    result = CliRunner().invoke(cli, [name, "--help"])
    assert result.exit_code == 0
    assert "Example:" in result.output
    assert f"lrnn {name}" in result.output
    assert f"lrnn {name}" in (ROOT / "README.md").read_text()
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.opts[0]} has no help"


def test_documented_files_exist() -> None:
    """Links of README and documentation lead somewhere."""
    for page in [
        ROOT / "README.md",
        ROOT / "SECURITY.md",
        *sorted((ROOT / "docs").glob("*.md")),
        ROOT / "datasets" / "README.md",
    ]:
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / link).exists(), f"{page.name}: {link}"


def test_prolog_modules_are_found_from_a_wheel(tmp_path: Path) -> None:
    """A wheel holds the Prolog modules, and the package unpacked elsewhere finds and uses them."""
    source = tmp_path / "source"
    ignore = shutil.ignore_patterns(".git", ".venv", "build", "*.egg-info", ".*_cache", "tests")
    shutil.copytree(ROOT, source, ignore=ignore)
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            "--no-build-isolation",
            "-w",
            str(tmp_path),
            ".",
        ],
        cwd=source,
        check=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    unpacked = tmp_path / "unpacked"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(unpacked)
    modules = sorted(path.name for path in (unpacked / "lrnn_cli" / "prolog").glob("*.pl"))
    assert modules == sorted(path.name for path in (ROOT / "prolog").glob("*.pl"))
    result = subprocess.run(
        [sys.executable, "-m", "lrnn_cli", "doctor"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(unpacked)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"modules      {unpacked / 'lrnn_cli' / 'prolog'}" in result.stdout
    assert "All is well." in result.stdout


def test_prolog_modules_are_found_from_a_checkout() -> None:
    """Without installation, from the folder of the project."""
    result = subprocess.run(
        [sys.executable, "-m", "lrnn_cli", "doctor"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert f"modules      {ROOT / 'prolog'}" in result.stdout


def test_help_answers_without_heavy_imports() -> None:
    """`lrnn --help` imports neither NumPy nor SciPy nor pyswip."""
    program = "import sys, lrnn_cli.commands; print([m for m in ('numpy', 'scipy', 'pyswip') if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"

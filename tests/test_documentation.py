"""README, help texts and packaging say what is true."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import click
import pytest
from click.testing import CliRunner

import lrnn_cli
from lrnn_cli.commands import cli

ROOT = Path(__file__).resolve().parents[1]
NUMBER = re.compile(r"-?\d+\.\d+")
PROGRESS = re.compile(
    "(iteration|final training|reading|grounding|compiling|training|held out|predicting|.* frequent)[ :]"
)


def worked_examples(page: str) -> list[tuple[str, list[str]]]:
    """Commands of the worked examples of a page and the lines shown after each."""
    text = (ROOT / page).read_text()
    steps: list[tuple[str, list[str]]] = []
    for part in text.split("<!-- example -->")[1:]:
        block = part.split("<!-- end of example -->")[0]
        for line in block.strip().splitlines()[1:-1]:
            if line.startswith("$ "):
                steps.append((line[2:], []))
            else:
                steps[-1][1].append(line)
    return steps


@pytest.mark.parametrize("page", ["README.md", "docs/import.md", "docs/classes.md", "docs/numbers.md"])
def test_worked_examples(tmp_path: Path, page: str) -> None:
    """Every command runs as written and prints what is shown, numbers to three digits."""
    for name in ("directions", "family", "screening", "trains"):
        shutil.copytree(ROOT / "datasets" / name, tmp_path / "datasets" / name)
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    steps = worked_examples(page)
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
        *sorted(ROOT.glob("*.md")),
        *sorted((ROOT / "docs").glob("*.md")),
        ROOT / "datasets" / "README.md",
    ]:
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / link).exists(), f"{page.name}: {link}"


class Fetched(HTMLParser):
    """What a page loads: scripts, styles, pictures, frames."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        names = ["src", "srcset", "data", *(["href"] if tag in ("link", "image") else [])]
        self.addresses += [str(found[name]) for name in names if name in found]


def test_the_site(tmp_path: Path) -> None:
    """It is built without a warning, has all pages, and fetches nothing from elsewhere: it works offline."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (built.returncode, built.stdout, built.stderr) == (0, "", "")
    pages = {path.relative_to(tmp_path / "site"): path.read_text() for path in (tmp_path / "site").rglob("*.html")}
    for page in [*ROOT.glob("[A-Z]*.md"), *ROOT.glob("docs/*.md"), ROOT / "datasets/trains/README.md"]:
        name = "index" if page.stem == "README" else page.stem
        text = pages[page.relative_to(ROOT).parent / f"{name}.html"]
        assert page.read_text().split("\n")[0].removeprefix("# ") in unescape(text)
    for place, text in pages.items():
        addresses = Fetched(text).addresses
        assert addresses
        for address in addresses:
            file = (tmp_path / "site" / place.parent / address.split("?")[0]).resolve()
            assert address.startswith("data:") or file.is_file() or place.name == "404.html", f"{place}: {address}"
            assert not address.startswith(("http:", "https:", "//")), f"{place}: {address}"
    for style in (tmp_path / "site").rglob("*.css"):
        assert not re.search(r"url\([\"']?(https?:)?//|@import [\"']?(https?:)?//", style.read_text())


def test_the_version_stands_the_same_everywhere() -> None:
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {lrnn_cli.__version__}\n" in citation
    assert f"\n## {lrnn_cli.__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_the_picture_of_rooms() -> None:
    """It is well-formed, fetches nothing, and names all rooms."""
    text = (ROOT / "docs" / "architecture.svg").read_text()
    names = {(element.text or "").strip() for element in ElementTree.fromstring(text).iter() if element.text}
    rooms = {path.name for path in (ROOT / "lrnn_cli").iterdir() if path.is_dir() and (path / "__init__.py").is_file()}
    assert rooms <= names
    assert not re.search("href|url\\((?!#)|<script", text)
    table = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "architecture.md").read_text(), re.MULTILINE)
    assert rooms - {"importers", "exporters"} <= set(table)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_as_documented(shell: str) -> None:
    variable = f"_LRNN_COMPLETE={shell}_source"
    assert variable in (ROOT / "README.md").read_text()
    environment = {**os.environ, "_LRNN_COMPLETE": f"{shell}_source"}
    # click asks bash for its version.
    result = subprocess.run(
        [Path(sys.executable).parent / "lrnn"], env=environment, capture_output=True, text=True, check=True
    )
    assert "lrnn" in result.stdout and "complet" in result.stdout


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("dra", ["plain,draw"]),
        ("draw --least", ["plain,--least-weight"]),
        ("train --loss lo", ["plain,log"]),
        ("draw mod", ["file,mod"]),
        ("draw -o mod", ["file,mod"]),
    ],
)
def test_completion_of_words(words: str, expected: list[str]) -> None:
    """Commands, options, choices; files are left to the shell."""
    environment = {
        **os.environ,
        "_LRNN_COMPLETE": "bash_complete",
        "COMP_WORDS": f"lrnn {words}",
        "COMP_CWORD": str(len(words.split())),
    }
    result = subprocess.run(
        [Path(sys.executable).parent / "lrnn"], env=environment, capture_output=True, text=True, check=True
    )
    assert result.stdout.splitlines() == expected


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
    for file in ("py.typed", "report/page.html", "report/page.css"):
        assert (unpacked / "lrnn_cli" / file).is_file()
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


def test_all_commands_are_listed() -> None:
    """A module of a command that no name leads to would be dead; each line of the list fits a terminal."""
    folder = ROOT / "lrnn_cli" / "commands"
    modules = {path.stem for path in folder.glob("*.py") if "@click.command" in path.read_text()}
    modules |= {path.stem for path in folder.glob("*.py") if "@click.group" in path.read_text()} - {"__init__"}
    assert {command.callback.__module__.rsplit(".", 1)[-1] for command in cli.commands.values()} == modules
    assert max(map(len, CliRunner().invoke(cli, ["--help"]).output.splitlines())) <= 120

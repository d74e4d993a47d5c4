"""The rooms of the house: which module may import which, and how long commands are."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "lrnn_cli"
FOUNDATION = {"errors", "limits", "stages", "allocation", "settings", "threads"}
"""Modules below all rooms."""
ROOMS = [
    *("semantics", "language", "engine", "grounding", "network", "training", "hypotheses", "structure", "baselines"),
    *("simplification", "evaluation", "exporters", "importers", "api", "sklearn", "report", "plan", "commands"),
    "__main__",
]
"""A room may import itself and those before it."""
LONGEST_COMMAND = 40
PRIVATE_TO_OTHERS = ("self", "os", "sample")
"""Whose private names tests and benchmarks may use: their own, and those of Python and of the peer."""
NAMED_TUPLES = ("_asdict", "_replace", "_fields")
"""Methods of named tuples, which are not private."""


def modules() -> Iterator[tuple[str, Path]]:
    """Each module of the package and the room it is in."""
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(PACKAGE).parts[0].removesuffix(".py"), path


def imported_rooms(path: Path) -> Iterator[tuple[int, str]]:
    """The rooms that a module imports, wherever in it that stands, and the lines."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}:{node.lineno}: imports are absolute"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            words = name.split(".")
            if words[0] == "lrnn_cli" and words[1] not in ("__version__", "*"):
                yield node.lineno, words[1]


def place(room: str) -> int:
    """How high a room is; the package itself hands on what is in `api`."""
    if room in FOUNDATION:
        return 0
    return ROOMS.index("api" if room == "__init__" else room) + 1


@pytest.mark.parametrize(("room", "path"), list(modules()), ids=lambda value: str(value).removeprefix(f"{PACKAGE}/"))
def test_imports_go_one_way(room: str, path: Path) -> None:
    for line, imported in imported_rooms(path):
        assert place(imported) <= place(room), f"{path}:{line}: {room} imports {imported}"


def test_the_order_is_that_of_real_rooms() -> None:
    """A check that finds nothing wrong because it looks at nothing would pass, too."""
    there = {room for room, _ in modules()}
    assert there - {"__init__"} <= {*ROOMS, *FOUNDATION}
    assert {"grounding", "structure", "commands"} <= there
    assert {name for _, name in imported_rooms(PACKAGE / "commands" / "predict.py")} >= {"commands", "api"}


def command_functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    for path in sorted((PACKAGE / "commands").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                yield f"{path.name}:{node.name}", node


def test_commands_are_short() -> None:
    """Options, one call, output: lines of a body without its help text."""
    lengths = {}
    for name, node in command_functions():
        body = node.body[1:] if ast.get_docstring(node) and len(node.body) > 1 else node.body
        lengths[name] = (body[-1].end_lineno or 0) - body[0].lineno + 1
    assert len(lengths) > 50
    assert {name: length for name, length in lengths.items() if length > LONGEST_COMMAND} == {}


def test_tests_and_experiments_use_public_names() -> None:
    """No name with an underscore is imported from the package, or taken from an object that is not one's own."""
    for folder in ("tests", "benchmarks", "experiments", "datasets"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                private = []
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("lrnn_cli"):
                    private = [alias.name for alias in node.names if alias.name.startswith("_")]
                elif isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.endswith("_"):
                    owner = ast.unparse(node.value)
                    fine = owner in PRIVATE_TO_OTHERS or node.attr in NAMED_TUPLES
                    private = [] if fine else [f"{owner}.{node.attr}"]
                assert not private, f"{path}:{getattr(node, 'lineno', 0)}: {private}"


UNTELLING = ("found",)
"""Names that say nothing about what they name."""


def test_names_tell() -> None:
    """No two classes of the package have one name, and no variable, argument or field has a name that fits anything."""
    owners: dict[str, list[str]] = {}
    for _, path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                owners.setdefault(node.name, []).append(str(path))
            name = {ast.Name: "id", ast.arg: "arg", ast.Attribute: "attr", ast.FunctionDef: "name"}.get(type(node))
            told = getattr(node, name) if name else ""
            assert told not in UNTELLING, f"{path}:{getattr(node, 'lineno', 0)}: {told}"
    assert len(owners) > 200
    assert {name: paths for name, paths in owners.items() if len(paths) > 1} == {}

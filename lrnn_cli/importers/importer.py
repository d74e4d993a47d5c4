"""What an importer is, how the one for some files is found, and what all of them are told.

An importer is an object with a name that reads files into an `ImportedData`:

    class Edges:
        name = "edges"
        what = "edge lists: two names on a line"
        options = frozenset({"target"})

        def recognises(self, sources: Sources) -> bool: ...
        def read(self, sources: Sources, options: Options) -> ImportedData: ...

It is found by its name in the entry-point group `lrnn.importers`, so another format is another file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from functools import cached_property
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Protocol

from lrnn_cli.errors import Fault, LrnnError, faults_error
from lrnn_cli.importers.imported_data import ImportedData
from lrnn_cli.language.files import Source, checked_source, read_bytes
from lrnn_cli.language.writing import visible

GROUP = "lrnn.importers"
OWN = {
    "popper": "lrnn_cli.importers.popper:Popper",
    "aleph": "lrnn_cli.importers.aleph:Aleph",
    "srlearn": "lrnn_cli.importers.srlearn:Srlearn",
    "neuralogic": "lrnn_cli.importers.neuralogic:NeuraLogic",
    "tudataset": "lrnn_cli.importers.tudataset:TuDataset",
    "sdf": "lrnn_cli.importers.sdf:Sdf",
    "smiles": "lrnn_cli.importers.smiles:Smiles",
    "triples": "lrnn_cli.importers.triples:Triples",
    "tables": "lrnn_cli.importers.tables:Tables",
}
"""Ours, in the order in which files are looked at; the same as in the entry points, where those are not installed."""
HEAD = 1 << 16
DEPTH = 3
"""Folders are read so deep."""


@dataclass(frozen=True)
class Options:
    """What users say about an import; each importer lists those that mean something to it."""

    target: str | None = None
    positive: frozenset[str] = frozenset()
    negative: frozenset[str] = frozenset()
    classes: bool = False
    label: str | None = None
    labels: str | None = None
    name: str | None = None
    smiles: str | None = None
    atom_types: str = "sybyl"
    hydrogens: bool = False
    without: frozenset[str] = frozenset()
    examples: str = "auto"
    negatives: int = 1
    seed: int = 1
    skip_faulty: bool = False
    progress: Callable[[str], None] = field(default=lambda _: None, compare=False)

    def given(self) -> list[str]:
        """Names of the options that differ from their defaults."""
        return [item.name for item in fields(self) if item.compare and getattr(self, item.name) != item.default]


class Importer(Protocol):
    """One format. Faults in the files are raised as one error that names all of them."""

    name: str
    what: str
    options: frozenset[str]

    def recognises(self, sources: Sources) -> bool:
        """Whether these files look like this format."""
        ...

    def read(self, sources: Sources, options: Options) -> ImportedData: ...


class Sources:
    """The files that were named, and those of the folders that were named."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.given = list(paths)
        self._contents: dict[str, tuple[str, bytes]] = {}

    @cached_property
    def files(self) -> list[str]:
        """Paths of all files, in order; hidden ones of folders are left out."""
        paths: list[str] = []
        for path in self.given:
            folder = Path(path)
            if path != "-" and folder.is_dir():
                inside = (file for depth in range(DEPTH) for file in folder.glob("*/" * depth + "*"))
                names = (file for file in inside if file.is_file() and not _hidden(file.relative_to(folder)))
                paths += sorted(_inside(file, folder) for file in names)
            else:
                paths.append(path)
        return list(dict.fromkeys(paths))

    @property
    def title(self) -> str:
        """What was named, for messages."""
        return ", ".join("<stdin>" if path == "-" else visible(path) for path in self.given)

    def ending(self, *ends: str) -> list[str]:
        """Files whose names end so, compressed or not."""
        return [path for path in self.files if path.removesuffix(".gz").endswith(ends)]

    def called(self, *names: str) -> list[str]:
        """Files with these names, compressed or not, in whatever folder."""
        return [path for path in self.files if Path(path.removesuffix(".gz")).name in names]

    def name(self, path: str) -> str:
        """The name of a file to show."""
        return self._content(path)[0]

    def content(self, path: str) -> bytes:
        return self._content(path)[1]

    def _content(self, path: str) -> tuple[str, bytes]:
        if path not in self._contents:
            self._contents[path] = read_bytes(path)
        return self._contents[path]

    def head(self, path: str) -> str:
        """How the text of a file begins; nothing for a binary file."""
        start = self.content(path)[:HEAD].removeprefix(b"\xef\xbb\xbf")
        return "" if b"\0" in start else _unix_lines(start).decode("utf-8", "ignore")

    def source(self, path: str, what: str, may_be_empty: bool = False) -> Source:
        """The text of a file, with line ends as in Unix."""
        name, content = self._content(path)
        if may_be_empty and not content.removeprefix(b"\xef\xbb\xbf").strip():
            return Source(name, b"")
        source = checked_source(name, content, what)
        return Source(source.name, _unix_lines(source.text))

    def text(self, path: str, what: str, may_be_empty: bool = False) -> tuple[str, str]:
        """The name to show and the text of a file."""
        source = self.source(path, what, may_be_empty)
        return source.name, source.text.decode()


def _unix_lines(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _inside(file: Path, folder: Path) -> str:
    """The path of a file of a folder that others may have made: links there do not choose what is read elsewhere."""
    if not file.resolve().is_relative_to(folder.resolve()):
        raise LrnnError(f"{visible(str(file))}: this link leads out of the folder; name the file that it leads to")
    return str(file)


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


class Faults:
    """What is wrong in the files of an import, by file."""

    def __init__(self) -> None:
        self._of: dict[str, list[Fault]] = {}

    def add(self, name: str, line: int, column: int, message: str) -> None:
        self._of.setdefault(name, []).append(Fault(line, column, message))

    def __len__(self) -> int:
        return sum(map(len, self._of.values()))

    def lines(self) -> list[str]:
        return [
            f"{name}:{fault.line}:{fault.column}: {fault.message}"
            for name, faults in self._of.items()
            for fault in sorted(faults)
        ]

    def check(self) -> None:
        """Raise what there is."""
        if self._of:
            raise LrnnError("\n".join(str(faults_error(name, faults)) for name, faults in self._of.items()))


def importer_names() -> list[str]:
    """Our own formats first, in the order in which files are looked at."""
    others = sorted({point.name for point in entry_points(group=GROUP)} - set(OWN))
    return [*OWN, *others]


def named_importer(name: str) -> Importer:
    place = OWN.get(name)
    if place is not None:
        module, _, attribute = place.partition(":")
        own: Importer = getattr(import_module(module), attribute)()
        return own
    for point in entry_points(group=GROUP):
        if point.name == name:
            kind: Any = point.load()
            other: Importer = kind()
            return other
    raise LrnnError(f"there is no format {visible(name)}; there are {', '.join(importer_names())}")


def recognised_importer(sources: Sources) -> Importer:
    """The first importer that takes these files for its own."""
    if not sources.files:
        raise LrnnError(f"{sources.title}: there is no file in this folder; name another")
    for name in importer_names():
        importer = named_importer(name)
        if importer.recognises(sources):
            return importer
    formats = ", ".join(importer_names())
    raise LrnnError(
        f"{sources.title}: this looks like no format that is known; name it with --format, one of {formats}"
    )

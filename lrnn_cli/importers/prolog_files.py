"""Prolog files of other systems, read term by term by SWI-Prolog, which runs nothing in them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from lrnn_cli.engine.process import DepthError, PrologProcess
from lrnn_cli.errors import faults_error
from lrnn_cli.importers.importer import Faults, Options
from lrnn_cli.importers.interpretation import ImportedClause, Interpretation
from lrnn_cli.importers.terms import Json, pattern
from lrnn_cli.language.faults import deepest_term, located_faults
from lrnn_cli.language.files import Source


class Item(NamedTuple):
    """One term of a file, `kind` as in prolog/lrnn_import.pl."""

    line: int
    column: int
    kind: str
    term: Json
    more: Json


@dataclass(frozen=True)
class PrologFile:
    name: str
    items: list[Item]

    def place(self, item: Item) -> str:
        return f"{self.name}:{item.line}"


class PrologReader:
    """Reads files one after the other; their faults are collected."""

    def __init__(self, prolog: PrologProcess, options: Options) -> None:
        self._prolog = prolog
        self.faults = Faults()
        self.notes: list[tuple[str, str]] = []
        self.left_out: list[str] = []
        self._skip = options.skip_faulty

    def read(self, source: Source) -> PrologFile:
        if not source.text:
            return PrologFile(source.name, [])
        try:
            reply = self._prolog.ask("terms", source.text)
        except DepthError as error:
            raise faults_error(source.name, [deepest_term(source, str(error))]) from None
        items = [Item(*item) for item in reply["terms"]]
        wrong = [item for item in items if item.kind == "fault"]
        located = located_faults(source, [[item.line, item.column, item.term] for item in wrong])
        for item, fault in zip(wrong, located, strict=True):
            if item.more == "clause" and self._skip:
                self.left_out.append(f"{source.name}:{fault.line}:{fault.column}: {fault.message}; left out")
            else:
                self.faults.add(source.name, fault.line, fault.column, fault.message)
        return PrologFile(source.name, [item for item in items if item.kind != "fault"])


@contextmanager
def prolog_reader(options: Options) -> Iterator[PrologReader]:
    with PrologProcess() as prolog:
        yield PrologReader(prolog, options)


def add_clause(world: Interpretation, item: Item) -> None:
    text, goals = item.more
    world.clauses.append(ImportedClause(text, pattern(item.term), tuple(map(pattern, goals))))

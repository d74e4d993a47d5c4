"""The facts of a data file where they were read: in SWI-Prolog processes, one part of the examples in each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial

import numpy as np

from lrnn_cli.errors import about
from lrnn_cli.grounding.reading.rows import MadeObjects, PartOfFile, read_rows
from lrnn_cli.grounding.tables import Table, stacked
from lrnn_cli.language.clauses import Predicate, plain_name, quoted
from lrnn_cli.language.data import Queries


class PrologStore:
    """What was read, in Prolog: to be asked for as tables, or to evaluate goals over.

    load: gives the parts, when Prolog is asked for the first time; name: of the data file; background: a request that
    tells it what is true in every example.
    """

    def __init__(self, load: Callable[[], list[PartOfFile]], name: str, background: str = "") -> None:
        self.name = name
        self._asked: Queries | None = None
        self._load = load
        self._background = background

    @cached_property
    def parts(self) -> list[PartOfFile]:
        parts = self._load()
        if self._background:
            _send(parts, [self._background] * len(parts), self.name)
        return parts

    def broadcast(self, request: str, place: str = "") -> None:
        """`place`: where in which file the request comes from, if not from the data as a whole."""
        _send(self.parts, [request] * len(self.parts), place or self.name)

    def activate(self, examples: Sequence[int] | None) -> None:
        """Evaluate in these examples (all if None) from now on, and forget what was derived."""
        requests = []
        for part in self.parts:
            if examples is None:
                chosen = "all"
            else:
                inside = (e - part.first_example + 1 for e in examples)
                chosen = "[" + ", ".join(str(e) for e in inside if 1 <= e <= part.examples) + "]"
            requests.append(f"active({chosen})")
        _send(self.parts, requests, self.name)

    def ask(self, queries: Queries) -> None:
        """Evaluate for these queries of the data from now on."""
        if queries is self._asked:
            return
        requests = [f"queries([{', '.join(_asked(queries, part))}])" for part in self.parts]
        _send(self.parts, requests, self.name)
        self._asked = queries

    def table(self, columns: int, made: MadeObjects) -> Table:
        """The rows that all parts wrote last."""
        tables = []
        for number, part in enumerate(self.parts):
            example, rows = read_rows(part, columns, partial(made.numbered, number))
            tables.append(Table(example + np.int32(part.first_example), rows))
        return stacked(tables)

    def object_names(self) -> bytes:
        """The names of all objects in their order, the control character RS after each."""
        return object_names(self.parts, self.name)


def object_names(parts: Sequence[PartOfFile], name: str) -> bytes:
    """The names of the objects of parts of a data file in their order, the control character RS after each."""
    _send(parts, ["object_names"] * len(parts), name)
    return b"".join(part.process.rows() for part in parts)


def _send(parts: Sequence[PartOfFile], requests: Sequence[str], place: str) -> None:
    """A request to each part; all of them work at the same time."""
    with about(place):
        for part, request in zip(parts, requests, strict=True):
            part.process.send(request)
        for part in parts:
            part.process.receive()


def indicator(predicate: Predicate) -> str:
    """Name and arity of a predicate, as requests take them."""
    return f"({quoted(plain_name(predicate.name))})/{predicate.arity}"


def _asked(queries: Queries, part: PartOfFile) -> Iterator[str]:
    """Queries of one part, by predicate: rows of the example and the objects, as its process numbers them."""
    inside = (queries.example >= part.first_example) & (queries.example < part.first_example + part.examples)
    for number, predicate in enumerate(queries.predicate):
        rows = (inside & (queries.predicate_index == number)).nonzero()[0]
        example = queries.example[rows, None] - part.first_example + 1
        objects = part.identifier(queries.argument[rows, : predicate.arity] - part.first_object)
        yield f"{indicator(predicate)}-{np.hstack([example, objects]).tolist()}"

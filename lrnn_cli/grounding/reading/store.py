"""The facts of a data file where they were read: in SWI-Prolog processes, one part of the examples in each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from lrnn_cli.errors import about
from lrnn_cli.grounding.reading.rows import MadeObjects, Part, identifier, read_rows
from lrnn_cli.grounding.tables import SoftFacts, Table
from lrnn_cli.language.clauses import Predicate, plain_name, quoted
from lrnn_cli.language.data import Queries


class PrologStore:
    """What was read, in Prolog: to be asked for as tables, or to evaluate goals over.

    name: of the data file; asked: the queries that Prolog knows.
    """

    def __init__(self, parts: list[Part], name: str, asked: Queries) -> None:
        self.parts = parts
        self.name = name
        self.asked = asked

    def broadcast(self, request: str, place: str = "") -> None:
        """`place`: where in which file the request comes from, if not from the data as a whole."""
        self._send([request] * len(self.parts), place or self.name)

    def _send(self, requests: Sequence[str], place: str) -> None:
        """A request to each part; all of them work at the same time."""
        with about(place):
            for part, request in zip(self.parts, requests, strict=True):
                part.process.send(request)
            for part in self.parts:
                part.process.receive()

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
        self._send(requests, self.name)

    def ask(self, queries: Queries) -> None:
        """Evaluate for these queries of the data from now on."""
        if queries is self.asked:
            return
        self._send([f"queries([{', '.join(_asked(queries, part))}])" for part in self.parts], self.name)
        self.asked = queries

    def table(self, columns: int, made: MadeObjects) -> Table:
        """The rows that all parts wrote last."""
        examples = []
        objects = []
        for number, part in enumerate(self.parts):
            example, rows = read_rows(part, columns, partial(made.numbered, number))
            examples.append(example + np.int32(part.first_example))
            objects.append(rows)
        return Table(np.concatenate(examples), np.concatenate(objects))

    def facts(self, predicate: Predicate) -> Table:
        """The facts of active examples."""
        self.broadcast(f"data_facts({indicator(predicate)})")
        return self.table(predicate.arity, MadeObjects(self.parts))

    def soft_facts(self, predicate: Predicate) -> SoftFacts:
        """The weighted facts of active examples."""
        self.broadcast(f"soft({indicator(predicate)})")
        arity = predicate.arity
        made = MadeObjects(self.parts)
        examples = []
        objects = []
        weights = []
        for number, part in enumerate(self.parts):
            example, rows = read_rows(part, arity + 1, lambda codes: codes)
            examples.append(example + np.int32(part.first_example))
            objects.append(made.numbered(number, rows[:, :arity]))
            weights.append(part.weights[rows[:, arity] - 1] if len(rows) else np.empty(0))
        return SoftFacts(Table(np.concatenate(examples), np.concatenate(objects)), np.concatenate(weights))

    def object_names(self) -> bytes:
        """The names of all objects in their order, the control character RS after each."""
        self.broadcast("object_names")
        return b"".join(part.process.rows() for part in self.parts)


def indicator(predicate: Predicate) -> str:
    """Name and arity of a predicate, as requests take them."""
    return f"({quoted(plain_name(predicate.name))})/{predicate.arity}"


def _asked(queries: Queries, part: Part) -> Iterator[str]:
    """Queries of one part, by predicate: rows of the example and the objects, as its process numbers them."""
    inside = (queries.example >= part.first_example) & (queries.example < part.first_example + part.examples)
    for number, predicate in enumerate(queries.predicate):
        rows = (inside & (queries.predicate_index == number)).nonzero()[0]
        example = queries.example[rows, None] - part.first_example + 1
        objects = identifier(queries.argument[rows, : predicate.arity] - part.first_object)
        yield f"{indicator(predicate)}-{np.hstack([example, objects]).tolist()}"

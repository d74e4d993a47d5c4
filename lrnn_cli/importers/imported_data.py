"""What an importer gives back: examples, background knowledge and sorts, ready to be written as a data file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from lrnn_cli.language.clauses import Predicate, quoted
from lrnn_cli.language.writing import prolog_text

CONSTANT = "constant"
NUMBER = "number"


class Fact(NamedTuple):
    """A ground atom; arguments are Prolog text."""

    name: str
    arguments: tuple[str, ...] = ()

    @property
    def predicate(self) -> Predicate:
        return Predicate(self.name, len(self.arguments))

    def __str__(self) -> str:
        return f"{quoted(self.name)}({', '.join(self.arguments)})" if self.arguments else quoted(self.name)


class Query(NamedTuple):
    """A query; its target is a number, a class in words as Prolog text, or missing."""

    atom: Fact
    target: float | str | None = None

    def __str__(self) -> str:
        if self.target is None:
            return f"query({self.atom})"
        return f"query({self.atom}, {self.target if isinstance(self.target, str) else repr(self.target)})"


@dataclass(frozen=True)
class ImportedExample:
    """One example: its name is Prolog text, facts are clauses without a full stop."""

    name: str
    facts: list[str]
    queries: list[Query]
    fold: int | None = None

    def lines(self) -> Iterable[str]:
        yield f"begin(model({self.name}))."
        if self.fold is not None:
            yield f"fold({self.fold})."
        yield from (f"{fact}." for fact in self.facts)
        yield from (f"{query}." for query in self.queries)
        yield f"end(model({self.name}))."


@dataclass(frozen=True)
class ImportedData:
    """A data file to be.

    background: clauses without a full stop, true in all examples.
    bias: sorts of the arguments of each predicate, empty where the format says nothing about them.
    notes: what was not used and what was decided, for the user.
    left_out: faulty parts of the files that are not there, with their places.
    template: the text of a template that came with the data.
    """

    examples: list[ImportedExample]
    background: list[str]
    bias: dict[Predicate, tuple[str, ...]]
    notes: list[str]
    template: str | None = None
    left_out: tuple[str, ...] = ()

    @property
    def queries(self) -> int:
        return sum(len(example.queries) for example in self.examples)

    def text(self) -> str:
        lines = [f"bias({quoted(name)}({', '.join(map(quoted, sorts))}))." for (name, _), sorts in self.bias.items()]
        lines += [f"{clause}." for clause in self.background]
        for example in self.examples:
            lines += example.lines()
        return prolog_text(lines)


def grouped_notes(places: Iterable[tuple[str, str]]) -> list[str]:
    """Notes of one kind, (place, message) each, as one line with their places."""
    groups: dict[str, list[str]] = {}
    for place, message in places:
        groups.setdefault(message, []).append(place)
    return [f"{', '.join(_shown(group))}: {message}" for message, group in groups.items()]


def _shown(places: list[str]) -> list[str]:
    """The first five, with the name of a file only where it changes."""
    shown: list[str] = []
    last = ""
    for place in places[:5]:
        name, _, line = place.rpartition(":")
        shown.append(line if name == last else place)
        last = name
    return [*shown, f"... ({len(places)} in all)"] if len(places) > 5 else shown

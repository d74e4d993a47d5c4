"""One interpretation with many queries, as ILP systems have it, and how it is cut into examples.

Where each object that is asked about has facts of its own (each train its cars, each car its load), the data fall
apart, and each such object becomes an example. Values that many share, such as colours, numbers and constants of modes,
hold nothing together.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from lrnn_cli.errors import LrnnError
from lrnn_cli.importers.imported_data import CONSTANT, NUMBER, Fact, ImportedData, ImportedExample, Query
from lrnn_cli.language.clauses import Predicate, quoted

NUMERAL = re.compile(r"-?\d+(\.\d+([eE][+-]?\d+)?|[eE][+-]?\d+|\.?(inf|nan)|\.\d+Inf)?\Z")
SHARED = 4
"""Constants of a sort are values when each occurs in so many examples on average."""
NUMERIC = frozenset({"real", "float", "number", "numeric"})
ASKED = "asked"
"""The sort of objects that queries number, where no sort is declared."""

Position = tuple[Predicate, int]


@dataclass(frozen=True)
class Pattern:
    """An atom of a clause: texts of arguments, and which of them are variables."""

    name: str
    arguments: tuple[str, ...]
    variable: tuple[bool, ...]

    @property
    def predicate(self) -> Predicate:
        return Predicate(self.name, len(self.arguments))


@dataclass(frozen=True)
class ImportedClause:
    """A background clause as text, its head and the atoms of its body."""

    text: str
    head: Pattern
    goals: tuple[Pattern, ...]


@dataclass
class Interpretation:
    """Facts, clauses and queries of one world; sorts of arguments where the files declare them."""

    facts: list[Fact] = field(default_factory=list)
    weights: dict[int, float] = field(default_factory=dict)
    """Weights of facts by their place in the list, where they are not 1."""
    clauses: list[ImportedClause] = field(default_factory=list)
    queries: list[Query] = field(default_factory=list)
    sorts: dict[Predicate, tuple[str, ...]] = field(default_factory=dict)

    def fact_text(self, place: int) -> str:
        weight = self.weights.get(place)
        return str(self.facts[place]) if weight is None else f"{weight!r} :: {self.facts[place]}"


def is_number(text: str) -> bool:
    return NUMERAL.match(text) is not None


def call_numbers(world: Interpretation) -> None:
    """Let types whose names say no more than that they are numbers be `number`, where all of their values are."""
    numeric = {sort for sort in NUMERIC if _all_numbers(world, sort)}
    world.sorts = {
        predicate: tuple(NUMBER if sort in numeric else sort for sort in sorts)
        for predicate, sorts in world.sorts.items()
    }


def _all_numbers(world: Interpretation, sort: str) -> bool:
    return all(
        is_number(fact.arguments[place])
        for fact in world.facts
        for place, kind in enumerate(world.sorts.get(fact.predicate, ()))
        if kind == sort
    )


def imported_interpretation(world: Interpretation, examples: str, title: str, notes: list[str]) -> ImportedData:
    """Cut where the data fall apart (`auto`), or `each`, or not at all (`one`)."""
    bias = declared_bias(world, notes)
    background = [clause.text for clause in world.clauses]
    parts: list[ImportedExample] | None = None
    if examples != "one" and world.queries:
        try:
            parts, shared = cut(world)
        except _HoldsTogether as reason:
            if examples == "each":
                message = f"{title}: the data can't be cut into examples: {reason}; use --examples one"
                raise LrnnError(message) from None
            notes.append(f"one example with all queries, since {reason}")
        else:
            background = [*map(str, shared), *background]
            notes.append(f"{_cut_text(parts)}; --examples one keeps them in one")
    if parts is None:
        facts = [world.fact_text(place) for place in range(len(world.facts))]
        parts = [ImportedExample("example", facts, world.queries)]
    return ImportedData(parts, background, bias, notes)


def _cut_text(parts: list[ImportedExample]) -> str:
    text = f"{len(parts)} examples, one for each first argument of a query"
    silent = sum(not part.queries for part in parts)
    return f"{text}; {silent} of them {'has' if silent == 1 else 'have'} facts but no query" if silent else text


def declared_bias(world: Interpretation, notes: list[str]) -> dict[Predicate, tuple[str, ...]]:
    """The sorts of predicates that are true of something; `constant` where at least one other argument is left."""
    targets = {query.atom.predicate for query in world.queries}
    known = {fact.predicate for fact in world.facts} | {clause.head.predicate for clause in world.clauses} | targets
    bias = {}
    unknown = [predicate for predicate in world.sorts if predicate not in known]
    for predicate, sorts in world.sorts.items():
        if predicate not in known or not predicate.arity:
            continue
        if all(sort == CONSTANT for sort in sorts) or (predicate in targets and CONSTANT in sorts):
            sorts = tuple(
                f"{predicate.name}_{place}" if sort == CONSTANT else sort for place, sort in enumerate(sorts, 1)
            )
            notes.append(f"{predicate}: a constant would leave no argument for variables, so it has a sort of its own")
        bias[predicate] = sorts
    if unknown:
        notes.append(f"no bias for {', '.join(map(str, unknown))}: nothing is true of it")
    body = [predicate for predicate in bias if predicate not in targets]
    return bias if body else {}


class _HoldsTogether(Exception):
    """Why an interpretation can't be cut."""


def cut(world: Interpretation) -> tuple[list[ImportedExample], list[Fact]]:
    """Examples by the first argument of queries, and the facts that belong to none of them."""
    sort_of = argument_sorts(world)
    owner = _owners(world, sort_of)
    _check_clauses(world.clauses, sort_of, {sort for sort, _ in owner})
    blocks: dict[str, tuple[list[str], list[Query]]] = {}
    for query in world.queries:
        blocks.setdefault(query.atom.arguments[0], ([], []))[1].append(query)
    shared = []
    for place, fact in enumerate(world.facts):
        example = next((owner[key] for key in _keys(fact, sort_of) if key in owner), None)
        if example is not None:
            blocks.setdefault(example, ([], []))[0].append(world.fact_text(place))
        elif place in world.weights:
            raise _HoldsTogether(f"the weighted fact {fact} belongs to no example")
        else:
            shared.append(fact)
    return [ImportedExample(name, *block) for name, block in blocks.items()], shared


def argument_sorts(world: Interpretation) -> dict[Position, str]:
    """The sort of each argument: as declared, else that of arguments with the same constants; numbers join nothing."""
    sort_of: dict[Position, str] = {}
    constants: dict[Position, set[str]] = {}
    for fact in (*world.facts, *(query.atom for query in world.queries)):
        declared = world.sorts.get(fact.predicate)
        for place, constant in enumerate(fact.arguments):
            position = fact.predicate, place
            if declared is not None:
                own = declared[place] in (CONSTANT, NUMBER)
                sort_of[position] = own_sort(*position) if own else declared[place]
            constants.setdefault(position, set()).add(constant)
    named: dict[str, str] = {}
    for position, values in constants.items():
        if position in sort_of:
            named.update((value, sort_of[position]) for value in values if not is_number(value))
    _name_numbers(world, constants, sort_of)
    joined: dict[str, str] = {}
    for position, values in constants.items():
        if position in sort_of:
            continue
        words = [value for value in values if not is_number(value)]
        sorts = {root(joined, named[word]) for word in words if word in named}
        sort = min(sorts, default=own_sort(*position))
        for other in sorts - {sort}:
            joined[other] = sort
        sort_of[position] = sort
        named.update((word, sort) for word in words)
    return {position: root(joined, sort) for position, sort in sort_of.items()}


def _name_numbers(world: Interpretation, constants: dict[Position, set[str]], sort_of: dict[Position, str]) -> None:
    """Where queries number their objects, first arguments with no other numbers are these objects, too."""
    asked = {query.atom.arguments[0] for query in world.queries if query.atom.arguments}
    if not all(map(is_number, asked)):
        return
    for (predicate, place), values in constants.items():
        if place == 0 and (predicate, place) not in sort_of and values <= asked:
            sort_of[predicate, place] = ASKED


def own_sort(predicate: Predicate, place: int) -> str:
    """The sort of an argument that nothing else is known about."""
    return f"{predicate.name}_{predicate.arity}_{place + 1}"


def root(joined: dict[str, str], sort: str) -> str:
    """The sort that stands for all those it was joined with."""
    while sort in joined:
        sort = joined[sort]
    return sort


def _keys(atom: Fact, sort_of: dict[Position, str]) -> Iterator[tuple[str, str]]:
    for place, constant in enumerate(atom.arguments):
        yield sort_of[atom.predicate, place], constant


def _owners(world: Interpretation, sort_of: dict[Position, str]) -> dict[tuple[str, str], str]:
    """The example of each object that belongs to one, by its sort and name."""
    asked = {query.atom.predicate for query in world.queries}
    sorts = {sort_of[predicate, 0] for predicate in asked if predicate.arity}
    if len(sorts) != 1 or not all(predicate.arity for predicate in asked):
        raise _HoldsTogether("queries have no first argument of one sort")
    (sort,) = sorts
    if len({query.atom.arguments[0] for query in world.queries}) < 2:
        raise _HoldsTogether("all queries have the same first argument")
    keys = [list(_keys(fact, sort_of)) for fact in world.facts]
    owner = {key: key[1] for fact in keys for key in fact if key[0] == sort}
    owner |= {(sort, query.atom.arguments[0]): query.atom.arguments[0] for query in world.queries}
    told = {key for fact in keys for key in fact}
    for query in world.queries:
        if (sort, query.atom.arguments[0]) not in told:
            raise _HoldsTogether(f"no fact is about {query.atom.arguments[0]}")
    local = {sort}
    while True:
        met = _met(keys, owner, local)
        new = [kind for kind, of in met.items() if all(len(examples) == 1 for examples in of.values())]
        if not new:
            break
        for kind in new:
            local.add(kind)
            owner |= {(kind, constant): next(iter(examples)) for constant, examples in met[kind].items()}
    _check_values(met, world, sort_of)
    for atom in (*world.facts, *(query.atom for query in world.queries)):
        examples = {owner[key] for key in _keys(atom, sort_of) if key in owner}
        if len(examples) > 1:
            raise _HoldsTogether(f"{atom} holds two of them together")
    return owner


def _met(
    keys: list[list[tuple[str, str]]], owner: dict[tuple[str, str], str], local: set[str]
) -> dict[str, dict[str, set[str]]]:
    """For each sort that is not local its constants and the examples that they are met in."""
    met: dict[str, dict[str, set[str]]] = {}
    for fact in keys:
        examples = {owner[key] for key in fact if key in owner}
        if examples:
            for kind, constant in fact:
                if kind not in local:
                    met.setdefault(kind, {}).setdefault(constant, set()).update(examples)
    return met


def _check_values(met: dict[str, dict[str, set[str]]], world: Interpretation, sort_of: dict[Position, str]) -> None:
    """Sorts that several examples meet must be values: constants of modes, numbers, or met in many examples each."""
    declared = {
        sort_of[predicate, place]
        for predicate, sorts in world.sorts.items()
        for place, sort in enumerate(sorts)
        if sort in (CONSTANT, NUMBER) and (predicate, place) in sort_of
    }
    for kind, of in met.items():
        times = sum(map(len, of.values())) / len(of)
        if kind not in declared and not all(map(is_number, of)) and times < SHARED:
            constant = next(constant for constant, examples in of.items() if len(examples) > 1)
            raise _HoldsTogether(f"{constant} belongs to several of them")


def _check_clauses(clauses: Iterable[ImportedClause], sort_of: dict[Position, str], local: set[str]) -> None:
    """Bodies must hold together by objects of one example: otherwise they would join examples."""
    for clause in clauses:
        groups: list[set[str]] = []
        for goal in clause.goals:
            names = {
                text
                for place, text in enumerate(goal.arguments)
                if goal.variable[place] and sort_of.get((goal.predicate, place), min(local)) in local
            }
            if not names:
                continue
            meeting = [group for group in groups if group & names]
            groups = [group for group in groups if not group & names] + [names.union(*meeting)]
        if len(groups) > 1:
            raise _HoldsTogether(f"the clause `{clause.text}` may join facts of several")


def word(text: str) -> str:
    """A name of another format as a Prolog constant: numbers stay numbers, digits with zeros before them are names.

    So are numbers that are too large for floats.
    """
    if re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", text):
        if re.fullmatch("-?[0-9]+", text):
            return text
        if math.isfinite(float(text)):
            return text if re.fullmatch(r"-?[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?", text) else repr(float(text))
    return quoted(text)

"""Examples for benchmarks, as both systems read them: read from a file of either, multiplied, and written.

examples = read_data("molecules.pl.gz")
write_data(replicated(examples, 10), folder / "data.pl")
"""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from chains import chain_template

from lrnn_cli.errors import LrnnError
from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder
from lrnn_cli.language.clauses import Predicate, quoted
from lrnn_cli.language.files import read_source

PEER_ATOM = re.compile(r"(\w+)(?:\(([^)]*)\))?")
CHANGED = 0.2
"""The part of the types that `perturbed` changes."""


@dataclass(frozen=True)
class Fact:
    predicate: str
    objects: tuple[int, ...]
    weight: float = 1.0


@dataclass(frozen=True)
class Example:
    """Facts over objects numbered from 0, and one query with its target."""

    name: str
    facts: tuple[Fact, ...]
    query: Fact
    target: float


def read_data(path: str) -> list[Example]:
    """Examples of a data file of ours; one query each, no background knowledge: the peer takes no more.

    Weights are rounded to what the peer reads.
    """
    with open_grounder("swi", GrounderOptions()) as grounder:
        data = grounder.load(read_source(path, "data in Prolog facts"))
        if data.background:
            where = data.background[0]
            raise LrnnError(
                f"{data.name}:{where.line}:{where.column}: the benchmark takes no background knowledge; "
                "write what it derives as facts into the examples"
            )
        tables, soft = grounder.relations(data)
    first = data.first_object.tolist()
    weights: dict[tuple[int, Predicate, tuple[int, ...]], list[float]] = {}
    for predicate, item in soft.items():
        for example, row, weight in zip(
            item.atoms.example.tolist(), item.atoms.objects.tolist(), item.weight.tolist(), strict=True
        ):
            weights.setdefault((example, predicate, tuple(row)), []).append(weight)
    facts: list[list[Fact]] = [[] for _ in data.example_name]
    for predicate, table in tables.items():
        for example, row in zip(table.example.tolist(), table.objects.tolist(), strict=True):
            objects = tuple(number - first[example] for number in row)
            for weight in weights.get((example, predicate, tuple(row)), [1.0]):
                facts[example].append(Fact(predicate.name, objects, single_precision(weight)))
    queries = data.queries
    counts = Counter(queries.example.tolist())
    for example, name in enumerate(data.example_name):
        if counts[example] != 1:
            raise LrnnError(
                f"{data.name}:{data.example_line[example]}:1: example {name} has {counts[example]} queries; "
                "the benchmark takes examples with one query each"
            )
    examples = []
    for place, example in enumerate(queries.example.tolist()):
        predicate = queries.predicate[queries.predicate_index[place]]
        row = queries.argument[place, : predicate.arity].tolist()
        query = Fact(predicate.name, tuple(number - first[example] for number in row))
        examples.append(Example(f"e{example + 1}", tuple(facts[example]), query, float(queries.target[place])))
    return examples


def read_peer_data(examples: Path, queries: Path) -> list[Example]:
    """Examples of the peer's own files: facts of one example a line, and its query at the same line of the other."""
    lines = [
        [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()] for path in (examples, queries)
    ]
    found = []
    for number, (line, query_line) in enumerate(zip(*lines, strict=True), 1):
        target, query_text = query_line.strip().split(maxsplit=1)
        numbers: dict[str, int] = {}
        *facts, query = _peer_atoms(f"{line} {query_text}", numbers)
        found.append(Example(f"e{number}", tuple(facts), query, float(target)))
    return found


def _peer_atoms(text: str, numbers: dict[str, int]) -> Iterator[Fact]:
    for name, arguments in PEER_ATOM.findall(text):
        terms = [term.strip() for term in arguments.split(",")] if arguments else []
        yield Fact(name, tuple(numbers.setdefault(term, len(numbers)) for term in terms))


# More examples


def replicated(examples: Sequence[Example], times: int) -> Iterator[Example]:
    """All examples so many times, in rounds."""
    for copy in range(1, times + 1):
        yield from (replace(example, name=f"{example.name}_{copy}") for example in examples)


def perturbed(examples: Sequence[Example], times: int, seed: int = 1) -> Iterator[Example]:
    """So many times the examples, no two alike but by chance: a fifth of all types are drawn anew.

    A type is a unary predicate. Types of one kind, say of atoms, are those whose objects stand in the same arguments
    of other predicates. A new type is drawn as often as it occurs in the data.
    """
    drawn = random.Random(seed)
    kind_of = type_kinds(examples)
    types: dict[frozenset[tuple[str, int]], list[str]] = {}
    for example in examples:
        for fact in example.facts:
            if fact.predicate in kind_of and len(fact.objects) == 1:
                types.setdefault(kind_of[fact.predicate], []).append(fact.predicate)

    def changed(fact: Fact) -> Fact:
        if len(fact.objects) != 1 or drawn.random() >= CHANGED:
            return fact
        return replace(fact, predicate=drawn.choice(types[kind_of[fact.predicate]]))

    for example in replicated(examples, times):
        yield replace(example, facts=tuple(dict.fromkeys(changed(fact) for fact in example.facts)))


def sized(examples: Sequence[Example], size: int) -> Iterator[Example]:
    """So many examples: the first ones, or all of them and new ones."""
    new = itertools.islice(perturbed(examples, -(-size // len(examples))), len(examples), None)
    return itertools.islice(itertools.chain(examples, new), size)


def type_kinds(examples: Sequence[Example]) -> dict[str, frozenset[tuple[str, int]]]:
    """For each unary predicate, the arguments (predicate, position) of others in which its objects stand."""
    kinds: dict[str, set[tuple[str, int]]] = {}
    for example in examples:
        places: dict[int, set[tuple[str, int]]] = {}
        for fact in example.facts:
            if len(fact.objects) > 1:
                for position, number in enumerate(fact.objects):
                    places.setdefault(number, set()).add((fact.predicate, position))
        for fact in example.facts:
            if len(fact.objects) == 1:
                kinds.setdefault(fact.predicate, set()).update(places.get(fact.objects[0], ()))
    return {name: frozenset(found) for name, found in kinds.items()}


def molecule_chains(examples: Sequence[Example], atoms: int) -> str:
    """The chain template for molecules: types of the objects in bond(Atom, Atom, Bond) by where they stand."""
    kinds = type_kinds(examples)
    atom_types = sorted(quoted(name) for name, places in kinds.items() if ("bond", 0) in places)
    bond_types = sorted(quoted(name) for name, places in kinds.items() if ("bond", 2) in places)
    if not atom_types or not bond_types:
        raise LrnnError(
            "these are no molecules with facts bond(Atom, Atom, Bond) and types of atoms and bonds; name a template "
            "with --template"
        )
    return chain_template(quoted(examples[0].query.predicate), atom_types, bond_types, atoms)


# Writing


def single_precision(value: float) -> float:
    """The nearest number of 32 bits."""
    return float(np.float32(value))


def atom_text(name: str, objects: Sequence[int]) -> str:
    return f"{name}({','.join(f'o{number}' for number in objects)})" if objects else name


def write_data(examples: Iterable[Example], path: Path) -> None:
    """Write a data file of ours."""
    with path.open("w", encoding="utf-8") as file:
        for example in examples:
            file.write(f"begin(model({quoted(example.name)})).\n")
            for fact in example.facts:
                weight = "" if fact.weight == 1.0 else f"{fact.weight!r} :: "
                file.write(f"{weight}{atom_text(quoted(fact.predicate), fact.objects)}.\n")
            query = atom_text(quoted(example.query.predicate), example.query.objects)
            file.write(f"query({query}, {example.target!r}).\nend(model({quoted(example.name)})).\n")


def write_peer_data(examples: Iterable[Example], examples_path: Path, queries_path: Path) -> None:
    """Write the two files of the peer."""
    with examples_path.open("w", encoding="utf-8") as file, queries_path.open("w", encoding="utf-8") as queries:
        for example in examples:
            atoms = []
            for fact in example.facts:
                weight = "" if fact.weight == 1.0 else f"{fact.weight!r} "
                atoms.append(weight + atom_text(peer_name(fact.predicate), fact.objects))
            file.write(", ".join(atoms) + ".\n")
            query = atom_text(peer_name(example.query.predicate), example.query.objects)
            queries.write(f"{example.target!r} {query}.\n")


def peer_name(name: str) -> str:
    """A name of a predicate that the peer reads: it has no quotes."""
    return name if re.fullmatch(r"[a-z][A-Za-z0-9_]*", name) else f"quoted_{name.encode().hex()}"

"""Groundings without objects: of atoms and groundings that can't be told apart, whatever the weights, one is left.

Such groundings of several parts of data, put one after another, are groundings of the whole: what is still there twice
is found when they are compiled. So parts can be grounded one by one or on several machines, and only what is distinct
in each of them is ever together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lrnn_cli.grounding.program import Program, derivations
from lrnn_cli.language.clauses import Predicate


@dataclass(frozen=True)
class Atoms:
    """Distinct atoms of a group: (atoms,) the sum of the weights of their facts, and whether (1 or 0) they have any."""

    fact_sum: np.ndarray
    has_fact: np.ndarray


@dataclass(frozen=True)
class Heads:
    """One way of deriving atoms of a group, all arrays of shape (entries,).

    atom: the one that is derived; row: of the table; count: how many such groundings it has, in lowest terms where
    aggregation is a mean.
    """

    atom: np.ndarray
    row: np.ndarray
    count: np.ndarray

    def __len__(self) -> int:
        return len(self.atom)


@dataclass(frozen=True)
class Collapsed:
    """Distinct groundings of a program.

    atoms: of the groups that have neurons; tables: (rows, literals with neurons) the distinct tuples of atoms of each
    body, -1 for an atom that no query sees or that is a plain fact; heads: for each way of `derivations`, in its order;
    query_atom: (queries,) the atom of its group that each query asks for, -1 where nothing derives it.
    groundings: how many groundings each table stands for; neurons: how many neurons of each kind.
    """

    atoms: dict[Predicate, Atoms]
    tables: tuple[np.ndarray, ...]
    heads: tuple[Heads, ...]
    query_atom: np.ndarray
    groundings: tuple[int, ...]
    neurons: dict[str, int]

    @property
    def size(self) -> int:
        """Bytes of all arrays."""
        arrays = [self.query_atom, *self.tables]
        arrays += [array for atoms in self.atoms.values() for array in (atoms.fact_sum, atoms.has_fact)]
        arrays += [array for heads in self.heads for array in (heads.atom, heads.row, heads.count)]
        return sum(array.nbytes for array in arrays)


def literal_groups(program: Program) -> list[list[Predicate]]:
    """The groups of the literals of each table that have neurons: they have rules, or facts with weights."""
    known = {*derivations(program), *program.soft}
    return [[name for name, _ in skeleton.body if name in known] for skeleton in program.tables]


def group_of_query(program: Program, predicates: Sequence[Predicate]) -> list[Predicate]:
    """The groups that queries of predicates ask for."""
    return [program.groups.get(predicate, predicate) for predicate in predicates]


def joined(program: Program, asked: Sequence[Predicate], parts: Sequence[tuple[Collapsed, np.ndarray]]) -> Collapsed:
    """Parts of data as one.

    asked: predicates of queries; with each part comes the predicate (queries,), by its place in `asked`, of each query.
    """
    collapsed = [part for part, _ in parts]
    names = list(collapsed[0].atoms)
    first_atom = {name: _starts([len(part.atoms[name].fact_sum) for part in collapsed]) for name in names}
    tables = []
    first_row = []
    for number, groups in enumerate(literal_groups(program)):
        own = [part.tables[number] for part in collapsed]
        first_row.append(_starts([len(table) for table in own]))
        starts = [np.array([first_atom[name][place] for name in groups], np.int32) for place in range(len(own))]
        tables.append(
            np.concatenate(
                [np.where(table < 0, table, table + start) for table, start in zip(own, starts, strict=True)]
            )
        )
    heads = []
    ways = [(name, way) for name, ways in derivations(program).items() for way in ways]
    for number, (name, way) in enumerate(ways):
        of_parts = [part.heads[number] for part in collapsed]
        heads.append(
            Heads(
                _shifted([own.atom for own in of_parts], first_atom[name]),
                _shifted([own.row for own in of_parts], first_row[way.table]),
                np.concatenate([own.count for own in of_parts]),
            )
        )
    groups = group_of_query(program, asked)
    query_atom = []
    for place, (part, predicate) in enumerate(parts):
        start = np.array([first_atom[name][place] if name in first_atom else 0 for name in groups], np.int32)
        query_atom.append(np.where(part.query_atom < 0, part.query_atom, part.query_atom + start[predicate]))
    return Collapsed(
        {
            name: Atoms(
                np.concatenate([part.atoms[name].fact_sum for part in collapsed]),
                np.concatenate([part.atoms[name].has_fact for part in collapsed]),
            )
            for name in names
        },
        tuple(tables),
        tuple(heads),
        np.concatenate(query_atom).astype(np.int32),
        tuple(sum(numbers) for numbers in zip(*(part.groundings for part in collapsed), strict=True)),
        {kind: sum(part.neurons[kind] for part in collapsed) for kind in collapsed[0].neurons},
    )


def _starts(sizes: Sequence[int]) -> list[int]:
    return [sum(sizes[:place]) for place in range(len(sizes))]


def _shifted(arrays: Sequence[np.ndarray], starts: Sequence[int]) -> np.ndarray:
    return np.concatenate([array + np.int32(start) for array, start in zip(arrays, starts, strict=True)])

"""Facts as tables: symmetries, and joins that extend a table of groundings by one literal."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, fields, replace
from functools import cached_property
from threading import RLock

import numpy as np

from lrnn_cli.grounding.atoms import AtomIndex
from lrnn_cli.grounding.joins.cache import Cache
from lrnn_cli.grounding.program import Literal as Literal
from lrnn_cli.grounding.tables import SoftFacts, Table, row_bytes, row_keys
from lrnn_cli.language.clauses import Constant, Predicate

Symmetries = dict[Predicate, tuple[tuple[int, ...], ...]]
"""For each predicate the orders of its arguments under which its facts stay the same, the given one included."""

KEPT_BYTES = 40_000_000
"""Joined tables are kept up to this size in all."""


LARGE_BYTES = 32_000_000
"""Joins that take more than this are made one after the other."""


class JoinError(Exception):
    """A table of a program can't be made by joins; `table` is its number, where it is known."""

    table = -1


class TooManyRows(JoinError):
    """A join has more rows than memory is allowed for."""

    def __init__(self, rows: int) -> None:
        super().__init__(rows)
        self.rows = rows


def constant_relation(constant: Constant) -> Predicate:
    """The relation of the objects that a constant denotes, one in an example at most: no predicate of any file."""
    return Predicate(constant.text, -1)


@dataclass
class Relations:
    """Facts of the examples that are learned from.

    soft: the weighted ones; all others have the weight 1.
    starts: the tables that joins begin with: the query atoms of target predicates, and under None all examples.
    identity: variables take different objects.
    memory: bytes for one join with all that is computed from it, 0 for no limit.
    numbers: (objects,) the number that each object is, not a number for others; for rules that compare them.
    """

    tables: dict[Predicate, Table]
    soft: dict[Predicate, SoftFacts]
    starts: dict[Predicate | None, Table]
    objects: int
    identity: bool
    memory: int = 0
    numbers: np.ndarray | None = None

    def __post_init__(self) -> None:
        self.large = RLock()
        """Held while a large table is made or looked at: one at a time, however many threads there are."""
        self._too_large: dict[tuple[Predicate | None, tuple[Literal, ...]], int] = {}
        self._index: dict[tuple[Predicate, int], tuple[np.ndarray, np.ndarray]] = {}
        self._atoms: dict[Predicate, AtomIndex] = {}
        self._weights: dict[Predicate, tuple[AtomIndex, np.ndarray]] = {}
        self._joined: Cache[tuple[Predicate | None, tuple[Literal, ...]], Table] = Cache(
            min(KEPT_BYTES, self.memory or KEPT_BYTES), lambda table: table.example.nbytes + table.objects.nbytes
        )

    def __reduce__(self) -> tuple[object, ...]:
        """What is sent to another process are the facts, without what was computed from them."""
        return type(self), tuple(getattr(self, field.name) for field in fields(self))

    def joined(self, start: Predicate | None, body: tuple[Literal, ...]) -> Table:
        """The groundings of relations, variables of the start being the first; common beginnings are joined once."""
        if not body:
            return self._start(start)
        key = start, body
        if key in self._too_large:
            raise TooManyRows(self._too_large[key])
        try:
            return self._joined.recall(key, lambda: self.extended(self.joined(start, body[:-1]), body[-1]))
        except TooManyRows as error:
            self._too_large[key] = error.rows
            raise

    def _start(self, start: Predicate | None) -> Table:
        """The table that joins begin with; with object identity no rule derives an atom that has an object twice."""
        table = self.starts[start]
        return different(table, range(table.objects.shape[1])) if self.identity else table

    @cached_property
    def of_values(self) -> Relations:
        """The same facts for joins whose variables may take the same objects."""
        return replace(self, identity=False) if self.identity else self

    def too_large(self) -> dict[tuple[Literal, ...], int]:
        """Bodies that could not be joined, and the rows that they would have; not what begins with one of them."""
        return {
            body: rows
            for (start, body), rows in sorted(self._too_large.items(), key=lambda item: item[0][1])
            if (start, body[:-1]) not in self._too_large
        }

    def is_large(self, table: Table) -> bool:
        return len(table) * row_bytes(table.objects.shape[1]) > LARGE_BYTES

    def extended(self, table: Table, literal: Literal) -> Table:
        """Add a literal to a table: columns of variables that are there are compared, others are added."""
        predicate, variables = literal
        facts = self.tables[predicate]
        width = table.objects.shape[1]
        bound = tuple(position for position, variable in enumerate(variables) if variable < width)
        new = [position for position, variable in enumerate(variables) if variable >= width]
        if bound and not new:
            # Nothing but a test of the rows that are there.
            if predicate not in self._atoms:
                self._atoms[predicate] = AtomIndex([facts], self.objects)
            keep = self._atoms[predicate].position(table.example, table.objects[:, list(variables)]) >= 0
            return Table(table.example[keep], table.objects[keep])
        compared: list[int] = []
        if bound:
            # Joined at the argument that leaves the fewest rows; the others are compared afterwards.
            found = [self._lookup(predicate, position, table.objects[:, variables[position]]) for position in bound]
            rows = [int((last - first).sum()) for _, first, last in found]
            place = rows.index(min(rows))
            order, first, last = found[place]
            compared = [position for position in bound if position != bound[place]]
        else:
            # Only the first literal of a body without head variables: all facts of examples in the table.
            by_example = np.argsort(facts.example, kind="stable")
            ordered = facts.example[by_example]
            order = by_example
            first = np.searchsorted(ordered, table.example, "left")
            last = np.searchsorted(ordered, table.example, "right")
        counts = last - first
        # What the join will have is known before it is made.
        size = int(counts.sum())
        columns_after = width + len({variables[position] for position in new})
        if self.memory and size * row_bytes(columns_after) > self.memory:
            raise TooManyRows(size)
        with self.large if size * row_bytes(columns_after) > LARGE_BYTES else nullcontext():
            return self._extended(table, literal, compared, new, order, first, counts)

    def _extended(
        self,
        table: Table,
        literal: Literal,
        compared: list[int],
        new: list[int],
        order: np.ndarray,
        first: np.ndarray,
        counts: np.ndarray,
    ) -> Table:
        """Row i of a table with each of counts[i] facts from order[first[i]] on: `compared` positions agree."""
        predicate, variables = literal
        facts = self.tables[predicate]
        width = table.objects.shape[1]
        row = np.repeat(np.arange(len(table)), counts)
        fact = order[np.arange(len(row)) + np.repeat(first - (np.cumsum(counts) - counts), counts)]
        columns = [table.objects[row]]
        keep = np.ones(len(row), bool)
        for position in compared:
            keep &= facts.objects[fact, position] == columns[0][:, variables[position]]
        added: dict[int, np.ndarray] = {}
        for position in new:
            column = facts.objects[fact, position]
            variable = variables[position]
            if variable in added:
                keep &= column == added[variable]
                continue
            if self.identity:
                for known in range(width):
                    keep &= column != columns[0][:, known]
                for other in added.values():
                    keep &= column != other
            added[variable] = column
        columns += [added[variable][:, None] for variable in sorted(added)]
        joined = Table(table.example[row], np.concatenate(columns, axis=1))
        return joined if keep.all() else Table(joined.example[keep], joined.objects[keep])

    def weights(self, predicate: Predicate, example: np.ndarray, objects: np.ndarray) -> np.ndarray:
        """The sum of the weights of the facts of each of some atoms (atoms, arguments) that are true."""
        if predicate not in self.soft:
            return np.ones(len(example))
        if predicate not in self._weights:
            soft = self.soft[predicate]
            index = AtomIndex([soft.atoms], self.objects)
            # The position -1 of atoms that have plain facts only is the last one.
            sums = np.append(np.zeros(len(index)), 1.0)
            np.add.at(sums, index.position(soft.atoms.example, soft.atoms.objects), soft.weight)
            self._weights[predicate] = index, sums
        index, sums = self._weights[predicate]
        return np.asarray(sums[index.position(example, objects)])

    def _lookup(
        self, predicate: Predicate, position: int, objects: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Facts with each of some objects at a position: order[first[i]:last[i]]."""
        found = self._index.get((predicate, position))
        if found is None:
            column = self.tables[predicate].objects[:, position]
            order = np.argsort(column, kind="stable")
            start = np.concatenate([[0], np.cumsum(np.bincount(column, minlength=self.objects))])
            found = self._index[predicate, position] = order, start
        order, start = found
        return order, start[objects], start[objects + 1]


def different(table: Table, columns: Sequence[int]) -> Table:
    """The rows with different objects in these columns."""
    if len(columns) < 2:
        return table
    ordered = np.sort(table.objects[:, list(columns)], axis=1)
    keep = (ordered[:, 1:] != ordered[:, :-1]).all(axis=1)
    return table if keep.all() else Table(table.example[keep], table.objects[keep])


def symmetries(relations: Relations) -> Symmetries:
    """Pairs of arguments that can be exchanged in all facts of a predicate, weights included."""
    found: Symmetries = {}
    for predicate, table in relations.tables.items():
        given = tuple(range(predicate.arity))
        orders = [given]
        keys = np.sort(row_keys(list(table.objects.T), len(table)))
        weights = relations.weights(predicate, table.example, table.objects)
        for first in range(predicate.arity):
            for second in range(first + 1, predicate.arity):
                order = list(given)
                order[first], order[second] = order[second], order[first]
                columns = [table.objects[:, position] for position in order]
                same_range = all(
                    (a.min(initial=0), a.max(initial=0)) == (b.min(initial=0), b.max(initial=0))
                    for a, b in zip(columns, table.objects.T, strict=True)
                )
                if same_range and (np.sort(row_keys(columns, len(table))) == keys).all():
                    turned = relations.weights(predicate, table.example, table.objects[:, order])
                    if (turned == weights).all():
                        orders.append(tuple(order))
        found[predicate] = tuple(orders)
    return found

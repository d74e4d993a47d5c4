"""Facts as tables: symmetries, and joins that extend a table of groundings by one literal."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import combinations
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


LARGE_BYTES = 256_000_000
"""Joins that take more than this are made one after the other."""


class JoinError(Exception):
    """A table of a program can't be made by joins; `table` is its number, where it is known."""

    table = -1


class TooManyRows(JoinError):
    """A join has more rows than memory is allowed for, or than a search makes."""

    def __init__(self, rows: int) -> None:
        super().__init__(rows)
        self.rows = rows


def constant_relation(constant: Constant) -> Predicate:
    """The relation of the objects that a constant denotes, one in an example at most: no predicate of any file."""
    return Predicate(constant.text, -1)


@dataclass(frozen=True)
class _Matches:
    """The facts that go with each row of a table: order[first[i] : first[i] + counts[i]] with row i.

    compared: arguments that are still to be compared with those of the row; new: those that bring in variables.
    """

    compared: list[int]
    new: list[int]
    order: np.ndarray
    first: np.ndarray
    counts: np.ndarray

    @cached_property
    def rows(self) -> int:
        return int(self.counts.sum())


@dataclass
class Relations:
    """Facts of the examples that are learned from.

    soft: the weighted ones; all others have the weight 1.
    starts: the tables that joins begin with: the query atoms of target predicates, and under None all examples.
    identity: variables take different objects.
    memory: bytes for one join with all that is computed from it, 0 for no limit.
    most_rows: what a join of a search may have, 0 for no limit.
    numbers: (objects,) the number that each object is, not a number for others; for rules that compare them.
    """

    tables: dict[Predicate, Table]
    soft: dict[Predicate, SoftFacts]
    starts: dict[Predicate | None, Table]
    objects: int
    identity: bool
    memory: int = 0
    numbers: np.ndarray | None = None
    most_rows: int = 0

    def __post_init__(self) -> None:
        self.large = RLock()
        """Held while a large table is made or looked at: one at a time, however many threads there are."""
        self._too_large: dict[tuple[Predicate | None, tuple[Literal, ...]], int] = {}
        self._rows: dict[tuple[Predicate | None, tuple[Literal, ...]], int] = {}
        """The most rows on the way to each join that was made or tried, those that further tests drop included."""
        self._index: dict[tuple[Predicate, int], tuple[np.ndarray, np.ndarray]] = {}
        self._atoms: dict[Predicate, AtomIndex] = {}
        self._weights: dict[Predicate, tuple[AtomIndex, np.ndarray]] = {}
        self._joined: Cache[tuple[Predicate | None, tuple[Literal, ...]], Table] = Cache(
            min(KEPT_BYTES, self.memory or KEPT_BYTES), lambda table: table.example.nbytes + table.objects.nbytes
        )

    def __reduce__(self) -> tuple[object, ...]:
        """What is sent to another process are the facts, without what was computed from them."""
        return type(self), tuple(getattr(self, field.name) for field in fields(self))

    def joined(self, start: Predicate | None, body: tuple[Literal, ...], searching: bool = False) -> Table:
        """The groundings of relations, variables of the start being the first; common beginnings are joined once."""
        if not body:
            return self._start(start)
        key = start, body
        if searching:
            self.check_search(start, body)
        if key in self._too_large:
            raise TooManyRows(self._too_large[key])
        return self._joined.recall(key, lambda: self._longer(start, body, searching))

    def _longer(self, start: Predicate | None, body: tuple[Literal, ...], searching: bool) -> Table:
        """The groundings of a body from those of all but its last literal."""
        key, before = (start, body), (start, body[:-1])
        try:
            table = self.joined(*before, searching)
            matches = self._matches(table, body[-1])
            self._rows[key] = max(self._rows.get(before, 0), len(table) if matches is None else matches.rows)
            if searching:
                self.check_search(start, body)
            return self._with_matches(table, body[-1], matches)
        except TooManyRows as error:
            if self._is_searched(error.rows):
                self._too_large[key] = error.rows
            else:
                self._rows.setdefault(key, error.rows)
            raise

    def check_search(self, start: Predicate | None, body: tuple[Literal, ...]) -> None:
        """A search leaves out a body that is known for too many rows, whether its join is there or not."""
        rows = self._rows.get((start, body), 0)
        if not self._is_searched(rows):
            raise TooManyRows(rows)

    def _is_searched(self, rows: int) -> bool:
        return not self.most_rows or rows <= self.most_rows

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
        left_out = dict(self._too_large)
        left_out |= {key: rows for key, rows in self._rows.items() if not self._is_searched(rows)}
        return {
            body: rows
            for (start, body), rows in sorted(left_out.items(), key=lambda item: item[0][1])
            if (start, body[:-1]) not in left_out
        }

    def is_large(self, table: Table) -> bool:
        return len(table) * row_bytes(table.objects.shape[1]) > LARGE_BYTES

    def extended(self, table: Table, literal: Literal) -> Table:
        """Add a literal to a table: columns of variables that are there are compared, others are added."""
        return self._with_matches(table, literal, self._matches(table, literal))

    def _matches(self, table: Table, literal: Literal) -> _Matches | None:
        """What there is to join; None for a literal that only tests the rows that are there."""
        predicate, variables = literal
        facts = self.tables[predicate]
        width = table.objects.shape[1]
        bound = tuple(position for position, variable in enumerate(variables) if variable < width)
        new = [position for position, variable in enumerate(variables) if variable >= width]
        if bound and not new:
            return None
        compared: list[int] = []
        if bound:
            # Joined at the argument that leaves the fewest rows; the others are compared afterwards.
            matches = [self._lookup(predicate, position, table.objects[:, variables[position]]) for position in bound]
            rows = [int((last - first).sum()) for _, first, last in matches]
            place = rows.index(min(rows))
            order, first, last = matches[place]
            compared = [position for position in bound if position != bound[place]]
        else:
            # Only the first literal of a body without head variables: all facts of examples in the table.
            by_example = np.argsort(facts.example, kind="stable")
            ordered = facts.example[by_example]
            order = by_example
            first = np.searchsorted(ordered, table.example, "left")
            last = np.searchsorted(ordered, table.example, "right")
        return _Matches(compared, new, order, first, last - first)

    def _with_matches(self, table: Table, literal: Literal, matches: _Matches | None) -> Table:
        predicate, variables = literal
        if matches is None:
            if predicate not in self._atoms:
                self._atoms[predicate] = AtomIndex([self.tables[predicate]], self.objects)
            keep = self._atoms[predicate].position(table.example, table.objects[:, list(variables)]) >= 0
            return table.rows(keep.nonzero()[0])
        # What the join will have is known before it is made.
        columns_after = table.objects.shape[1] + len({variables[position] for position in matches.new})
        size = matches.rows * row_bytes(columns_after)
        if self.memory and size > self.memory:
            raise TooManyRows(matches.rows)
        with self.large if size > LARGE_BYTES else nullcontext():
            return self._extended(table, literal, matches)

    def _extended(self, table: Table, literal: Literal, matches: _Matches) -> Table:
        """Each row of a table with all facts that go with it."""
        predicate, variables = literal
        facts = self.tables[predicate]
        width = table.objects.shape[1]
        first, counts = matches.first, matches.counts
        row = np.repeat(np.arange(len(table)), counts)
        fact = matches.order.take(np.arange(len(row)) + np.repeat(first - (np.cumsum(counts) - counts), counts))
        columns = [table.objects.take(row, axis=0)]
        keep = np.ones(len(row), bool)
        for position in matches.compared:
            keep &= facts.objects[fact, position] == columns[0][:, variables[position]]
        added: dict[int, np.ndarray] = {}
        for position in matches.new:
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
        joined = Table(table.example.take(row), np.concatenate(columns, axis=1))
        return joined if keep.all() else joined.rows(keep.nonzero()[0])

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
        index = self._index.get((predicate, position))
        if index is None:
            column = self.tables[predicate].objects[:, position]
            order = np.argsort(column, kind="stable")
            start = np.concatenate([[0], np.cumsum(np.bincount(column, minlength=self.objects))])
            index = self._index[predicate, position] = order, start
        order, start = index
        return order, start[objects], start[objects + 1]


def different(table: Table, columns: Sequence[int]) -> Table:
    """The rows with different objects in these columns."""
    if len(columns) < 2:
        return table
    ordered = np.sort(table.objects[:, list(columns)], axis=1)
    keep = (ordered[:, 1:] != ordered[:, :-1]).all(axis=1)
    return table if keep.all() else table.rows(keep.nonzero()[0])


def symmetries(relations: Relations) -> Symmetries:
    """Pairs of arguments that can be exchanged in all facts of a predicate, weights included."""
    exchangeable: Symmetries = {}
    for predicate, table in relations.tables.items():
        given = tuple(range(predicate.arity))
        ranges = [(column.min(initial=0), column.max(initial=0)) for column in table.objects.T]
        orders = [_exchanged(given, *pair) for pair in combinations(given, 2) if ranges[pair[0]] == ranges[pair[1]]]
        if orders:
            keys = np.sort(row_keys(list(table.objects.T), len(table)))
            weights = relations.weights(predicate, table.example, table.objects)
        chosen = [given]
        for order in orders:
            turned = table.objects[:, order]
            same_rows = (np.sort(row_keys(list(turned.T), len(table))) == keys).all()
            if same_rows and (relations.weights(predicate, table.example, turned) == weights).all():
                chosen.append(order)
        exchangeable[predicate] = tuple(chosen)
    return exchangeable


def _exchanged(given: tuple[int, ...], first: int, second: int) -> tuple[int, ...]:
    """Places of arguments with two of them exchanged."""
    order = list(given)
    order[first], order[second] = second, first
    return tuple(order)

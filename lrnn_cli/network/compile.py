"""Compile groundings into a network, never building two neurons that have the same value for all weights.

Atoms are classed bottom up. Facts are classed by the sum of their weights; a derived atom by its facts and, for each
way it is derived, by the multiset of its groundings, each grounding being the tuple of classes of its body
atoms, in lowest terms where aggregation is a mean. A table is collapsed to distinct tuples before any rule neuron
exists, once for all rules that share the table: the predicates of a group have the same classes. What is left are
`Block`s: distinct tuples, and how the classes derived from them aggregate them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from lrnn_cli.errors import NetworkError
from lrnn_cli.grounding.atoms import AtomIndex, Group, class_ids, multiset_ids
from lrnn_cli.grounding.groundings import Groundings
from lrnn_cli.grounding.program import Way, derivations
from lrnn_cli.grounding.tables import SoftFacts, Table
from lrnn_cli.language.clauses import Predicate, quoted
from lrnn_cli.network.matrices import RowMatrix, placed, row_starts
from lrnn_cli.network.recursion import evaluation_order, find_cycle
from lrnn_cli.semantics.aggregations import AGGREGATIONS, Aggregation


@dataclass(frozen=True)
class Block:
    """One way of deriving atoms of a group, at one level.

    tuples: (neurons, literals) classes of the literals that are not crisp
    aggregation: (classes of this level, neurons) what each neuron counts for
    count: (entries of it,) how many groundings each neuron stands for
    """

    way: Way
    tuples: np.ndarray
    aggregation: RowMatrix
    count: np.ndarray


@dataclass
class Layer:
    """What one step of classing adds to a group: classes `first` up to `last`, derived by `blocks`.

    fact_sum: (classes,) sum of the weights of facts of the data; derived: (classes,) whether a rule derives the atom;
    learned: for facts of the template, the classes (classes,) they belong to.
    """

    group: Predicate
    level: int
    first: int
    last: int
    blocks: list[Block]
    fact_sum: np.ndarray
    derived: np.ndarray
    learned: dict[Way, np.ndarray]


@dataclass(frozen=True)
class Literal:
    """A body atom of a table that is not crisp: its group and the atom in each row."""

    group: Predicate
    position: np.ndarray


class Memory:
    """Results of earlier compilations by what they depend on; those not used for two compilations are forgotten."""

    def __init__(self) -> None:
        self._results: dict[tuple[object, ...], tuple[int, Any]] = {}
        self._compilation = 0

    def recall(self, key: tuple[object, ...], compute: Callable[[], Any]) -> Any:
        kept = self._results.get(key)
        value = compute() if kept is None else kept[1]
        self._results[key] = (self._compilation, value)
        return value

    def compiled(self) -> None:
        """A compilation is complete."""
        oldest = self._compilation - 1
        self._results = {key: item for key, item in self._results.items() if item[0] >= oldest}
        self._compilation += 1


class Compiler:
    """Classes the atoms of one set of groundings. `compress` False keeps every neuron, to check the rest.

    keep: predicates all of whose atoms are kept, seen by a query or not.
    memory: what was computed before for the same tables and classes; pass the same one when rules are added.
    """

    def __init__(
        self,
        groundings: Groundings,
        compress: bool = True,
        keep: frozenset[Predicate] = frozenset(),
        memory: Memory | None = None,
    ) -> None:
        self.groundings = groundings
        self.keep = keep
        self._memory = Memory() if memory is None else memory
        self.program = groundings.program
        self.compress = compress
        self.aggregation = AGGREGATIONS[groundings.template.settings.aggregation]
        self.groups: dict[Predicate, Group] = {}
        self.derivations: dict[Predicate, list[Way]] = {}
        self.literals: dict[int, list[Literal]] = {}
        self.head_position: dict[tuple[Predicate, Way], np.ndarray] = {}
        self.layers: list[Layer] = []
        self.query_value_class = np.full(len(groundings.queries), -1, np.int32)
        self._make_groups()
        self._find_literals()
        self._query_positions()
        self._mark_needed()
        for name in self.program.mixed:
            if name not in self.program.groups:
                self._class_atoms(name, self.groups[name].needed.nonzero()[0], None)
        for stratum in self.program.strata:
            self._class_stratum(stratum)
        for name, (chosen, positions) in self._queried.items():
            there = positions >= 0
            self.query_value_class[chosen[there]] = self.groups[name].value_class[positions[there]]
        self._memory.compiled()

    # Atoms

    def _make_groups(self) -> None:
        tables = self.groundings.tables
        self.derivations = derivations(self.program)
        objects = max(1, self.groundings.objects)
        for name, ways in self.derivations.items():
            heads = [
                Table(tables[way.table].example, tables[way.table].objects[:, list(way.head_columns)]) for way in ways
            ]
            facts = self.groundings.facts.get(name)
            group = Group.of(AtomIndex(heads if facts is None else [*heads, facts], objects))
            self.groups[name] = group
            for way, head in zip(ways, heads, strict=True):
                self.head_position[name, way] = group.index.position(head.example, head.objects)
            if facts is not None:
                position = group.index.position(facts.example, facts.objects)
                group.fact_sum[position] = 1.0
                group.fact_count[position] = 1
                self._add_soft(group, self.groundings.soft.get(name))
        for name, soft in self.groundings.soft.items():
            if name not in self.groups:
                self.groups[name] = Group.of(AtomIndex([soft.atoms], objects))
                self._add_soft(self.groups[name], soft)
                self._class_soft(name, self.groups[name])

    def _add_soft(self, group: Group, soft: SoftFacts | None) -> None:
        """Weighted facts stand in place of the plain fact of the same atom."""
        if soft is None:
            return
        position = group.index.position(soft.atoms.example, soft.atoms.objects)
        if (position < 0).any():
            raise NetworkError(f"{self.groundings.origin}: weighted facts are not among the facts; ground again")
        group.fact_sum[position] = 0.0
        group.fact_count[position] = 0
        np.add.at(group.fact_sum, position, soft.weight)
        np.add.at(group.fact_count, position, 1)

    def _class_soft(self, name: Predicate, group: Group) -> None:
        """Classes of a predicate of the data with weighted facts; class 0 is a plain fact of weight 1."""
        values, value_class = np.unique(group.fact_sum, return_inverse=True)
        if not self.compress:
            values, value_class = group.fact_sum, np.arange(len(group.fact_sum))
        group.set_value_classes(np.arange(len(value_class)), (value_class + 1).astype(np.int32))
        group.value_classes = len(values) + 1
        sums = np.concatenate([[1.0], values])
        self.layers.append(Layer(name, 0, 0, len(sums), [], sums, np.zeros(len(sums), bool), {}))
        group.level = [0] * len(sums)

    def _find_literals(self) -> None:
        for number, skeleton in enumerate(self.program.tables):
            table = self.groundings.tables[number]
            literals = []
            # The rows of a table depend on which atoms of all its predicates are true.
            digests = [self.groups[name].index_digest for name, _ in skeleton.body if name in self.groups]
            for name, columns in skeleton.body:
                if name in self.groups:
                    group = self.groups[name]
                    key = ("position", skeleton, name, columns, *digests)
                    rows = table.objects[:, list(columns)]
                    position = self._memory.recall(key, partial(group.index.position, table.example, rows))
                    if name in self.derivations and (position < 0).any():
                        raise NetworkError(
                            f"{self.groundings.origin}: groundings have atoms that nothing derives; ground again"
                        )
                    literals.append(Literal(name, position))
            self.literals[number] = literals

    def _query_positions(self) -> None:
        queries = self.groundings.queries
        self._queried: dict[Predicate, tuple[np.ndarray, np.ndarray]] = {}
        by_group: dict[Predicate, list[int]] = {}
        for index, predicate in enumerate(queries.predicate):
            name = self.program.groups.get(predicate, predicate)
            if name in self.groups:
                by_group.setdefault(name, []).append(index)
        for name, indices in by_group.items():
            chosen = np.isin(queries.predicate_index, indices).nonzero()[0]
            self._queried[name] = (chosen, self._atoms_asked(name, chosen))

    def _atoms_asked(self, name: Predicate, queries: np.ndarray) -> np.ndarray:
        """The atoms of a group that queries ask for, -1 for those that are not there."""
        asked = self.groundings.queries
        return self.groups[name].index.position(asked.example[queries], asked.argument[queries, : name.arity])

    # What a head stands for: here each of its entries is a row of the table, one grounding.

    def rows_of(self, name: Predicate, way: Way, entries: np.ndarray | None) -> np.ndarray | None:
        """The rows of the table that entries of a head (all if None) are of; None where these are all rows."""
        return entries

    def counts_of(self, name: Predicate, way: Way, entries: np.ndarray | None) -> np.ndarray | None:
        """How many groundings entries of a head (all if None) stand for; None for one each."""
        return None

    def size_of(self, table: int) -> int:
        """How many rows a table has."""
        return len(self.groundings.tables[table])

    # What queries can see

    def _mark_needed(self) -> None:
        for name, (_, positions) in self._queried.items():
            if name in self.derivations:
                self.groups[name].needed[positions[positions >= 0]] = True
        for predicate in self.keep:
            self.groups[self.program.groups[predicate]].needed[:] = True
        for stratum in reversed(self.program.strata):
            while True:
                before = sum(int(self.groups[name].needed.sum()) for name in stratum)
                for name in stratum:
                    for way in self.derivations[name]:
                        rows = self.rows_of(name, way, self._entries_needed(name, way))
                        for literal in self.literals[way.table]:
                            if literal.group in self.derivations:
                                self.groups[literal.group].needed[literal.position[rows]] = True
                if sum(int(self.groups[name].needed.sum()) for name in stratum) == before:
                    break

    def _entries_needed(self, name: Predicate, way: Way) -> np.ndarray:
        position = self.head_position[name, way]
        return np.asarray(self.groups[name].needed[position].nonzero()[0])

    # Classes

    def _class_stratum(self, stratum: tuple[Predicate, ...]) -> None:
        names = set(stratum)
        recursive = any(
            literal.group in names
            for name in stratum
            for way in self.derivations[name]
            for literal in self.literals[way.table]
        )
        if not recursive:
            self._class_atoms(stratum[0], self.groups[stratum[0]].needed.nonzero()[0], None)
            return
        for level in self._recursion_levels(stratum):
            for name, atoms in level.items():
                self._class_atoms(name, atoms, atoms)

    def _class_atoms(self, name: Predicate, atoms: np.ndarray, among: np.ndarray | None) -> None:
        """Class the atoms of a group that are ready, all needed ones or those of one step of a recursion."""
        group = self.groups[name]
        if not len(atoms):
            return
        local = np.full(len(group.value_class), -1, np.int64)
        local[atoms] = np.arange(len(atoms))
        columns = [np.zeros(len(atoms), np.int64)]
        ways = []
        learned_atoms = {}
        level = 0
        digest = hashlib.blake2b(atoms.tobytes()).digest()
        for way in self.derivations[name]:
            if way.is_fact:
                head = local[self.head_position[name, way]]
                mark = np.zeros(len(atoms), np.int64)
                mark[head[head >= 0]] = 1
                learned_atoms[way] = mark.astype(bool)
                columns.append(mark)
                continue
            entries = None if among is None else (local[self.head_position[name, way]] >= 0).nonzero()[0]
            rows = self.rows_of(name, way, entries)
            if among is None:
                tuples, item = self._collapse(way.table, None)
                item = item if rows is None else item[rows]
            else:
                tuples, item = self._collapse(way.table, rows)
            for place, literal in enumerate(self.literals[way.table]):
                levels = np.asarray(self.groups[literal.group].level)
                if len(tuples) and len(levels):
                    level = max(level, 1 + int(levels[np.unique(tuples[:, place])].max()))
            start, atom, item, count, numbers = self._counted(name, way, digest, local, entries, item, len(tuples))
            ids = np.zeros(len(atoms), np.int64)
            ids[atom] = 1 + numbers
            columns.append(ids)
            ways.append((way, tuples, start, atom, item, count))
        fact_sum = group.fact_sum[atoms]
        has_fact = group.fact_count[atoms] > 0
        if has_fact.any():
            columns.append(np.unique(fact_sum, return_inverse=True)[1])
            columns.append(has_fact.astype(np.int64))
        if self.compress:
            value_class, first = class_ids(columns)
        else:
            value_class, first = np.arange(len(atoms), dtype=np.int32), np.arange(len(atoms))
        group.set_value_classes(atoms, group.value_classes + value_class)
        blocks = []
        derived = np.zeros(len(first), bool)
        for way, tuples, start, atom, item, count in ways:
            matrix, counts = _aggregations(self.aggregation, first, len(atoms), start, atom, item, count, len(tuples))
            derived |= np.diff(matrix.indptr) > 0
            blocks.append(Block(way, tuples, matrix, counts))
        learned = {way: mark[first] for way, mark in learned_atoms.items()}
        level = max(level, 1 if blocks else 0)
        last = group.value_classes + len(first)
        self.layers.append(Layer(name, level, group.value_classes, last, blocks, fact_sum[first], derived, learned))
        group.level += [level] * len(first)
        group.value_classes = last

    def _counted(
        self,
        name: Predicate,
        way: Way,
        atoms_digest: bytes,
        local: np.ndarray,
        entries: np.ndarray | None,
        item: np.ndarray,
        items: int,
    ) -> tuple[np.ndarray, ...]:
        """Groundings of one way counted by atom and tuple, and a number for each atom, equal for equal counts.

        local: the number of each atom that is classed, -1 for others; entries: those of the head that `item` is of.
        """
        digests = [self.groups[name].index_digest, atoms_digest, *self._class_digests(way.table)]
        key = ("count", self.compress, self.aggregation, self.program.tables[way.table], way.head_columns, *digests)

        def compute() -> tuple[np.ndarray, ...]:
            position = self.head_position[name, way]
            atom = local[position if entries is None else position[entries]]
            known = atom >= 0
            counts = self.counts_of(name, way, entries)
            counts = None if counts is None else counts[known]
            start, atoms_there, items_there, count = grouped(atom[known], item[known], items, counts)
            count = self.aggregation.reduced(count, start)
            numbers = np.arange(len(atoms_there))
            if self.compress and len(atoms_there):
                numbers = multiset_ids(start, items_there, count)
            return start, atoms_there, items_there, count, numbers

        result: tuple[np.ndarray, ...] = self._memory.recall(key, compute)
        return result

    def _collapse(self, table: int, rows: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Distinct tuples of classes of a table, and which of them each row (or each of `rows`) is."""
        if rows is not None:
            return self._collapse_rows(table, rows)
        key = ("collapse", self.compress, self.program.tables[table], *self._class_digests(table))
        collapsed: tuple[np.ndarray, np.ndarray] = self._memory.recall(key, lambda: self._collapse_rows(table, None))
        return collapsed

    def _collapse_rows(self, table: int, rows: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        literals = self.literals[table]
        size = self.size_of(table) if rows is None else len(rows)
        columns = []
        for literal in literals:
            position = literal.position if rows is None else literal.position[rows]
            columns.append(self.groups[literal.group].value_classes_at(position))
        if not self.compress:
            tuple_of_row = np.arange(size)
            tuples = np.stack(columns, 1) if columns else np.zeros((size, 0), np.int32)
        elif columns:
            tuple_of_row, first = class_ids([column.astype(np.int64) for column in columns])
            tuples = np.stack([column[first] for column in columns], 1)
        else:
            tuple_of_row = np.zeros(size, np.int32)
            tuples = np.zeros((min(size, 1), 0), np.int32)
        return tuples, tuple_of_row

    def _class_digests(self, table: int) -> list[bytes]:
        return [self.groups[literal.group].class_digest() for literal in self.literals[table]]

    def _recursion_levels(self, stratum: tuple[Predicate, ...]) -> list[dict[Predicate, np.ndarray]]:
        """Needed atoms of a recursive stratum in an order of evaluation; a ground cycle is an error."""
        first = dict(zip(stratum, np.cumsum([0, *(len(self.groups[name].index) for name in stratum)]), strict=False))
        heads, bodies = [], []
        for name in stratum:
            for way in self.derivations[name]:
                entries = self._entries_needed(name, way)
                rows = self.rows_of(name, way, entries)
                for literal in self.literals[way.table]:
                    if literal.group in first:
                        heads.append(self.head_position[name, way][entries] + first[name])
                        bodies.append(literal.position[rows] + first[literal.group])
        head, body = np.concatenate(heads), np.concatenate(bodies)
        levels, left = evaluation_order(head, body, np.concatenate([self.groups[name].needed for name in stratum]))

        def atoms(nodes: np.ndarray) -> dict[Predicate, np.ndarray]:
            inside = {name: nodes - first[name] for name in stratum}
            return {
                name: positions[chosen]
                for name, positions in inside.items()
                if (chosen := (positions >= 0) & (positions < len(self.groups[name].index))).any()
            }

        if left.any():
            cycle = find_cycle(head, body, left)
            raise self._cycle_error([next(iter(atoms(np.array([node])).items())) for node in cycle])
        return [atoms(nodes) for nodes in levels]

    def _cycle_error(self, cycle: list[tuple[Predicate, np.ndarray]]) -> NetworkError:
        names = self.groundings.object_names()
        texts = []
        for name, (atom,) in cycle:
            arguments = ",".join(names[number] for number in self.groups[name].index.atoms.objects[atom].tolist())
            texts.append(f"{quoted(name.name)}({arguments})" if arguments else quoted(name.name))
        example = int(self.groups[cycle[0][0]].index.atoms.example[cycle[0][1][0]])
        return NetworkError(
            f"{self.program.template.name}: in example {self.groundings.example_name[example]} "
            f"atoms depend on themselves: {' <- '.join(texts)}. "
            "A network must be free of cycles: add an argument that grows, or object identity"
        )


def grouped(atom: np.ndarray, item: np.ndarray, items: int, count: np.ndarray | None = None) -> tuple[np.ndarray, ...]:
    """Group (atom, item) pairs: segment starts, atom of each segment, items, and counts.

    count: (pairs,) how often each of them counts, once if None.
    """
    shape = (int(atom.max(initial=-1)) + 1, max(items, 1))
    counts = placed(np.ones(len(atom), np.int32) if count is None else count, atom, item, shape)
    lengths = np.diff(counts.indptr)
    atoms = lengths.nonzero()[0]
    start = counts.indptr[:-1][atoms].astype(np.int64)
    return start, atoms, counts.indices, counts.data


def _aggregations(
    aggregation: Aggregation,
    first: np.ndarray,
    atoms: int,
    start: np.ndarray,
    atom: np.ndarray,
    item: np.ndarray,
    count: np.ndarray,
    width: int,
) -> tuple[RowMatrix, np.ndarray]:
    """The aggregation of the first atom of each class, as a sparse matrix (classes, width), and the counts in it."""
    segment = np.full(atoms, -1, np.int64)
    segment[atom] = np.arange(len(atom))
    chosen = segment[first]
    lengths_all = np.diff(np.append(start, len(item)))
    present = chosen >= 0
    lengths = np.zeros(len(first), np.int64)
    lengths[present] = lengths_all[chosen[present]]
    begin = start[chosen[present]]
    inside = lengths[present]
    places = np.repeat(begin - np.cumsum(inside) + inside, inside) + np.arange(inside.sum())
    totals = (np.add.reduceat(count, start) if len(start) else np.zeros(0))[chosen[present]]
    values = aggregation.share(count[places], np.repeat(totals, inside))
    matrix = RowMatrix(values, item[places].astype(np.int32, copy=False), row_starts(lengths), (len(first), width))
    return matrix, count[places]

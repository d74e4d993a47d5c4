"""Columns of candidate rules: for each query the rule neurons of a body aggregated, without building a network.

A table of groundings is collapsed to distinct tuples of classes of its slots, once for all fillings; the classes are
those of the compiled latent layers. With a factor E = exp(-a value) for each predicate and class, a rule neuron is a
function of constant * product of E: no exponential is left for a candidate. Objects of one class of layer 1 have the
same unary facts, so a unary predicate of the data in a slot (layer 0) keeps some classes and drops the others.
Weighted facts of relations have values of their own: tuples are told apart by their sum, whatever fills the slots.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from scipy.sparse import csc_array, csr_array

from lrnn_cli.grounding.atoms import AtomIndex
from lrnn_cli.grounding.joins.cache import Cache
from lrnn_cli.grounding.joins.relations import Literal, Relations, TooManyRows
from lrnn_cli.grounding.tables import Table, compact_keys, in_order
from lrnn_cli.hypotheses.bodies import Candidate, Shape, Slot
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.semantics.activations import Activation
from lrnn_cli.semantics.aggregations import Aggregation

KEPT_BYTES = 80_000_000
"""Collapsed tables are kept up to this size in all."""
CHUNK = 1_000_000
"""So many rule neurons, at most, are computed at once."""


Kind = tuple[int, int]
"""Layer and number of arguments of predicates."""
LATENT = Predicate("latent", 0)
"""Stands for the predicates of a slot in a join."""


@dataclass(frozen=True)
class PredicateLayer:
    """Predicates of one kind: their common atoms, class_of (atoms,) the class of each, values (predicates, classes).

    holds: (predicates, classes) where a predicate is true at all; None where all are, as for latent predicates.
    """

    names: tuple[str, ...]
    index: AtomIndex
    class_of: np.ndarray
    values: np.ndarray
    holds: np.ndarray | None = None

    def classes_at(self, example: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """(rows,) the classes of atoms with these objects (rows, arguments), -1 for those that are not there."""
        return np.asarray(self._class_or_none.take(self.index.position(example, rows)))

    @cached_property
    def _class_or_none(self) -> np.ndarray:
        """(atoms + 1,) the class of each, and at the end what stands for the position -1."""
        return np.append(self.class_of, np.int32(-1))

    @cached_property
    def digest(self) -> bytes:
        """The same for layers with the same atoms and classes, whatever their values."""
        atoms = self.index.atoms
        digest = hashlib.blake2b(digest_size=16)
        for array in (self.class_of, atoms.example, atoms.objects):
            digest.update(f"{array.dtype.str} {array.shape} ".encode())
            digest.update(np.ascontiguousarray(array).data)
        return digest.digest()


@dataclass
class Target:
    """A target predicate: its distinct query atoms, for each query the position of its atom, and its target value.

    given: (queries,) the sums of the weights of facts of the query atoms, or 0 where none has any.
    """

    index: AtomIndex
    atom_of_query: np.ndarray
    target: np.ndarray
    given: np.ndarray | float = 0.0


@dataclass
class CollapsedBody:
    """classes: (places, tuples) a class for each place; counts: (query atoms, tuples) of groundings; rows: how many.

    factor: (tuples,) exp(-a sum of values) of relations with weighted facts; None where there are none.
    """

    places: tuple[Slot, ...]
    classes: np.ndarray
    counts: csr_array
    rows: int
    factor: np.ndarray | None

    @property
    def bytes(self) -> int:
        factor = 0 if self.factor is None else self.factor.nbytes
        return int(self.classes.nbytes + self.counts.data.nbytes + self.counts.indices.nbytes + factor)


def data_layer(
    unary: Sequence[Predicate], relations: Relations, first: PredicateLayer, activation: Activation
) -> PredicateLayer:
    """Layer 0: the unary predicates of the data, over the atoms and classes of layer 1."""
    classes = int(first.class_of.max(initial=-1)) + 1
    member = np.zeros(classes, np.int64)
    member[first.class_of[::-1]] = np.arange(len(first.class_of) - 1, -1, -1)
    example, objects = first.index.atoms.example[member], first.index.atoms.objects[member]
    holds = np.zeros((len(unary), classes), bool)
    values = np.full((len(unary), classes), activation.crisp)
    for row, predicate in enumerate(unary):
        holds[row] = np.isin(objects[:, 0], relations.tables[predicate].objects[:, 0])
        if predicate in relations.soft:
            values[row] = activation.facts(relations.weights(predicate, example, objects))
    names = tuple(predicate.name for predicate in unary)
    return PredicateLayer(names, first.index, first.class_of, values, holds)


class CollapsedTables:
    """Collapsed tables of bodies, by what they depend on, and bodies that were left out; all Features of E share it."""

    def __init__(self, memory: int) -> None:
        self._tables: Cache[tuple[Shape, tuple[bytes, ...]], CollapsedBody | None] = Cache(
            min(KEPT_BYTES, memory or KEPT_BYTES), lambda table: 0 if table is None else table.bytes
        )
        self.too_large: dict[tuple[Literal, ...], int] = {}
        """The relations of bodies that were left out, and how many groundings they have."""

    def recall(
        self, shape: Shape, layers: tuple[PredicateLayer, ...], compute: Callable[[], CollapsedBody | None]
    ) -> CollapsedBody | None:
        return self._tables.recall((shape, tuple(layer.digest for layer in layers)), compute)

    def keep(self, layers: Iterable[PredicateLayer]) -> None:
        """Drop the tables over classes that none of these layers has."""
        kept = {layer.digest for layer in layers}
        self._tables.forget(lambda key: not kept.issuperset(key[1]))


@dataclass(frozen=True)
class Features:
    """F of Algorithm 1: what latent predicates are worth, from which the columns of bodies are computed.

    most_rows: bodies with more groundings are left out; 0 for no limit.
    alike: for classes of one query, whose atoms are the same, the one whose tables stand for all.
    """

    relations: Relations
    activation: Activation
    aggregation: Aggregation
    targets: dict[Predicate, Target]
    tables: CollapsedTables
    layers: dict[Kind, PredicateLayer] = field(default_factory=dict)
    most_rows: int = 0
    alike: dict[Predicate, Predicate] = field(default_factory=dict)

    @cached_property
    def _factors(self) -> dict[Kind, np.ndarray]:
        return {kind: self.activation.factors(layer.values) for kind, layer in self.layers.items()}

    @cached_property
    def _rows(self) -> dict[Kind, dict[str, int]]:
        return {kind: {name: row for row, name in enumerate(layer.names)} for kind, layer in self.layers.items()}

    def with_layers(self, layers: dict[Kind, PredicateLayer]) -> Features:
        """With other values of predicates; what these leave of the tables is kept."""
        self.tables.keep(layers.values())
        return replace(self, layers=layers)

    def column(self, candidate: Candidate) -> np.ndarray:
        """(queries of the target,) the aggregated rule neurons of a rule, without its weight."""
        return self.columns(candidate.shape, [candidate.filling])[:, 0]

    def fillings(self, shape: Shape, slot: int) -> list[str]:
        """Predicates that can fill a slot: those that are true of some object there."""
        collapsed = self.collapsed(shape)
        variables, number = shape.slots[slot]
        layer = self.layers[_kind(shape.slots[slot])]
        if collapsed is None or layer.holds is None:
            return list(layer.names)
        present = np.unique(collapsed.classes[collapsed.places.index(_place(variables, number))])
        true = np.asarray(layer.holds[:, present].any(axis=1))
        return [name for name, chosen in zip(layer.names, true.tolist(), strict=True) if chosen]

    def table(self, shape: Shape, searching: bool = False) -> Table:
        """All groundings of a shape for the query atoms of its head, slots of layer 0 being open."""
        return self._table_and_classes(shape, searching)[0]

    def _table_and_classes(self, shape: Shape, searching: bool) -> tuple[Table, list[np.ndarray]]:
        """The groundings, and for each slot the classes (groundings,) of what fills it."""
        table = self.relations.joined(_start(shape), shape.relations, searching)
        # Slots that bring in variables, in the order of these; the others only keep rows.
        for slot in sorted(shape.slots, key=lambda slot: max(slot[0])):
            if max(slot[0]) >= table.objects.shape[1]:
                atoms = {LATENT: self.layers[_kind(slot)].index.atoms}
                table = replace(self.relations, tables=atoms).extended(table, (LATENT, slot[0]))
        classes = [
            self.layers[_kind(slot)].classes_at(table.example, table.objects[:, list(slot[0])]) for slot in shape.slots
        ]
        keep = np.ones(len(table), bool)
        for column in classes:
            keep &= column >= 0
        return (table, classes) if keep.all() else _kept(keep, table, classes)

    def collapsed(self, shape: Shape) -> CollapsedBody | None:
        """The collapsed table of a shape, None when it has no groundings, or too many for a rule to be added."""
        table = self._known(shape, searching=True)
        if table is not None and self.most_rows and table.rows > self.most_rows:
            self.tables.too_large[shape.relations] = table.rows
            return None
        return table

    def _known(self, shape: Shape, searching: bool = False) -> CollapsedBody | None:
        """The collapsed table of a shape, None when it has no groundings, or too many for any rule."""
        places = sorted({_place(variables, layer) for variables, layer in shape.slots})
        shape = Shape(self.alike.get(shape.head, shape.head), shape.relations, tuple(places))
        layers = tuple(self.layers[_kind(slot)] for slot in places)
        try:
            if searching:
                self.relations.check_search(_start(shape), shape.relations)
            return self.tables.recall(shape, layers, lambda: self._collapse(shape, searching))
        except TooManyRows:
            return None

    def leaves_out(self, shape: Shape, rows: int, needed: int) -> bool:
        """Whether a body is left out since so many bytes that it needs are not allowed."""
        if not self.relations.memory or needed <= self.relations.memory:
            return False
        self.tables.too_large[shape.relations] = rows
        return True

    def too_large(self) -> dict[tuple[Literal, ...], int]:
        """The relations of bodies that were left out, and how many groundings they have."""
        return {**self.relations.too_large(), **dict(sorted(self.tables.too_large.items()))}

    def _collapse(self, shape: Shape, searching: bool) -> CollapsedBody | None:
        whole = [name for name, variables in shape.relations if not variables and name not in self.relations.soft]
        if whole and (shape.joined or shape.slots):
            rest = tuple(literal for literal in shape.relations if literal[0] not in whole)
            without = self._known(Shape(shape.head, rest, shape.slots), searching)
            return None if without is None else self._of_examples(without, self.targets[shape.head], whole)
        table, classes = self._table_and_classes(shape, searching)
        if not len(table):
            return None
        with self.relations.large if self.relations.is_large(table) else nullcontext():
            return self._collapsed_table(shape, table, classes)

    def _of_examples(self, table: CollapsedBody, target: Target, whole: list[Predicate]) -> CollapsedBody | None:
        """The part of a collapsed table for examples where predicates without arguments are true."""
        example = target.index.atoms.example
        inside = np.all([np.isin(example, self.relations.tables[name].example) for name in whole], axis=0)
        counts = table.counts.copy()
        counts.data *= np.repeat(inside, np.diff(counts.indptr))
        counts.eliminate_zeros()
        tuples = np.unique(counts.indices)
        if not len(tuples):
            return None
        factor = None if table.factor is None else table.factor[tuples]
        rows = int(counts.data.sum(dtype=np.float64))
        return CollapsedBody(table.places, table.classes[:, tuples], csr_array(counts[:, tuples]), rows, factor)

    def _collapsed_table(self, shape: Shape, table: Table, columns: list[np.ndarray]) -> CollapsedBody:
        target = self.targets[shape.head]
        row = target.index.position(table.example, table.objects[:, : shape.head.arity])
        if (row < 0).any():
            table, columns = _kept(row >= 0, table, columns)
            row = row[row >= 0]
        values = self._relation_values(shape, table)
        different = columns if values is None else [*columns, np.unique(values, return_inverse=True)[1]]
        first, counts = counted_tuples(row, different, len(target.index))
        classes = np.zeros((len(columns), len(first)), np.int32)
        for place, column in enumerate(columns):
            classes[place] = column[first]
        factor = None if values is None else self.activation.factors(values[first])
        return CollapsedBody(shape.slots, classes, counts, len(row), factor)

    def _relation_values(self, shape: Shape, table: Table) -> np.ndarray | None:
        """(rows,) the sum of the values of the relations that have weighted facts, None where there are none."""
        soft = [literal for literal in shape.relations if literal[0] in self.relations.soft]
        total = np.zeros(len(table))
        for predicate, variables in soft:
            weights = self.relations.weights(predicate, table.example, table.objects[:, list(variables)])
            total += self.activation.facts(weights)
        return total if soft else None

    def columns(self, shape: Shape, fillings: Sequence[tuple[str, ...]]) -> np.ndarray:
        """(queries of the target, fillings) the values of aggregations without weight."""
        target = self.targets[shape.head]
        collapsed = self._known(shape)
        if collapsed is None:
            return np.zeros((len(target.atom_of_query), len(fillings)))
        step = max(1, CHUNK // self.aggregation.work(collapsed.counts))
        parts = [
            self._aggregated(shape, fillings[start : start + step], collapsed)
            for start in range(0, len(fillings), step)
        ]
        return np.asarray(np.concatenate(parts, axis=1)[target.atom_of_query])

    def _aggregated(self, shape: Shape, fillings: Sequence[tuple[str, ...]], collapsed: CollapsedBody) -> np.ndarray:
        a = self.activation
        crisp = sum(predicate not in self.relations.soft for predicate, _ in shape.relations)
        bias = a.rule_bias(shape.length, crisp)
        counts, factor = collapsed.counts, collapsed.factor
        kinds = [_kind(slot) for slot in shape.slots]
        rows = [[self._rows[kind][filling[number]] for filling in fillings] for number, kind in enumerate(kinds)]
        classes = [collapsed.classes[collapsed.places.index(_place(*slot))] for slot in shape.slots]
        kept: np.ndarray | None = None
        for kind, own, places in zip(kinds, rows, classes, strict=True):
            holds = self.layers[kind].holds
            if holds is not None:
                held = holds[own].T.take(places, axis=0)
                kept = held if kept is None else kept & held
        if kept is not None:
            # Tuples for which no body holds are most of them.
            there = np.asarray(kept.any(axis=1)).nonzero()[0]
            counts, kept, classes = counts[:, there], kept.take(there, axis=0), [places[there] for places in classes]
            factor = None if factor is None else factor[there]
        product = np.full((counts.shape[1], len(fillings)), a.factors(bias))
        if factor is not None:
            product *= factor[:, None]
        for kind, own, places in zip(kinds, rows, classes, strict=True):
            product *= self._factors[kind][own].T.take(places, axis=0)
        return self.aggregation.columns(counts, a.rules_of_products(product), kept)


def _kept(keep: np.ndarray, table: Table, classes: list[np.ndarray]) -> tuple[Table, list[np.ndarray]]:
    """Some rows of a table, and of classes of what is in it."""
    places = keep.nonzero()[0]
    return table.rows(places), [column.take(places) for column in classes]


def counted_tuples(row: np.ndarray, columns: Sequence[np.ndarray], atoms: int) -> tuple[np.ndarray, csr_array]:
    """The first grounding of each distinct tuple of columns (groundings,), tuples in ascending order; and how many
    groundings have which query atom, row (groundings,), and which tuple: (query atoms, tuples).
    """
    place, begins = in_order(compact_keys(columns, len(row)))
    own = row.take(place)
    # Tables are mostly in the order of query atoms, and then so are the groundings of each tuple.
    changes = begins.copy()
    changes[1:] |= own[1:] != own[:-1]
    at = changes.nonzero()[0]
    count = np.diff(at, append=len(row)).astype(np.float32)
    start = np.append(np.cumsum(changes)[begins] - 1, len(at))
    counts = csc_array((count, own[at], start), shape=(atoms, len(start) - 1))
    counts.sum_duplicates()
    return place[begins], counts.tocsr()


def _start(shape: Shape) -> Predicate | None:
    """What the join of a shape begins with."""
    return shape.head if shape.head.arity else None


def _kind(slot: Slot) -> Kind:
    """Which predicates can fill a slot."""
    variables, layer = slot
    return layer, len(variables)


def _place(variables: tuple[int, ...], layer: int) -> Slot:
    """Slots whose fillings are told by the same classes have one place: layer 0 has those of layer 1."""
    return variables, max(layer, 1)

"""Columns of candidate rules: for each query the mean of the rule neurons of a body, without building a network.

A table of groundings is collapsed to distinct tuples of classes of its slots, once for all fillings; the classes are
those of the compiled latent layers. With E = exp(-a value) for each latent predicate and class, a rule neuron is
1 / (1 + constant * product of E): no exponential is left for a candidate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from lrnn_cli.grounding.tables import Table
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.network.atoms import AtomIndex, class_ids
from lrnn_cli.network.network import Activation
from lrnn_cli.structure.bodies import Shape
from lrnn_cli.structure.relations import Relations

KEPT_BYTES = 300_000_000
"""Collapsed tables are kept up to this size in all."""


@dataclass
class LatentLayer:
    """Latent predicates of one layer: their common atoms, class of each atom, values (predicates, classes)."""

    index: AtomIndex
    shape: np.ndarray
    values: np.ndarray


@dataclass
class Target:
    """A target predicate: its distinct query atoms, for each query the position of its atom, and its target value."""

    index: AtomIndex
    atom_of_query: np.ndarray
    target: np.ndarray


@dataclass
class Collapsed:
    """tuples: (tuples, slots) classes; mean: (query atoms, tuples)."""

    tuples: np.ndarray
    mean: csr_array

    @property
    def bytes(self) -> int:
        return int(self.tuples.nbytes + self.mean.data.nbytes + self.mean.indices.nbytes)


class Features:
    """Computes columns; keeps collapsed tables of shapes as long as the classes they use stay the same."""

    def __init__(self, relations: Relations, activation: Activation, targets: dict[Predicate, Target]) -> None:
        self.relations = relations
        self.activation = activation
        self.targets = targets
        self.layers: dict[int, LatentLayer] = {}
        self._factors: dict[int, np.ndarray] = {}
        self._collapsed: dict[Shape, Collapsed | None] = {}
        self._bytes = 0

    def set_layers(self, layers: dict[int, LatentLayer]) -> None:
        """New values of latent predicates; collapsed tables over layers whose classes changed are dropped."""
        changed = {
            number
            for number in {*layers, *self.layers}
            if number not in layers
            or number not in self.layers
            or len(layers[number].shape) != len(self.layers[number].shape)
            or (layers[number].shape != self.layers[number].shape).any()
        }
        self._collapsed = {
            shape: found
            for shape, found in self._collapsed.items()
            if not any(layer in changed for _, layer in shape.slots)
        }
        self._bytes = sum(found.bytes for found in self._collapsed.values() if found is not None)
        self.layers = layers
        self._factors = {number: np.exp(-self.activation.steepness * layer.values) for number, layer in layers.items()}

    def table(self, shape: Shape) -> Table:
        """All groundings of a shape for the query atoms of its head."""
        table = self.relations.joined(shape.head if shape.head.arity else None, shape.relations)
        if table.objects.shape[1] < shape.variables:
            # A body of slots alone: the atoms of the first one.
            table = self.layers[shape.slots[0][1]].index.atoms
        keep = np.ones(len(table), bool)
        for variables, layer in shape.slots:
            position = self.layers[layer].index.position(table.example, table.objects[:, list(variables)])
            keep &= position >= 0
        return table if keep.all() else Table(table.example[keep], table.objects[keep])

    def collapsed(self, shape: Shape) -> Collapsed | None:
        """The collapsed table of a shape, None when it has no groundings."""
        if shape in self._collapsed:
            # The most recently used shapes come last and are forgotten last.
            found = self._collapsed.pop(shape)
        else:
            found = self._collapse(shape)
            self._bytes += 0 if found is None else found.bytes
            while self._bytes > KEPT_BYTES and self._collapsed:
                oldest = self._collapsed.pop(next(iter(self._collapsed)))
                self._bytes -= 0 if oldest is None else oldest.bytes
        self._collapsed[shape] = found
        return found

    def _collapse(self, shape: Shape) -> Collapsed | None:
        table = self.table(shape)
        if not len(table):
            return None
        target = self.targets[shape.head]
        row = target.index.position(table.example, table.objects[:, : shape.head.arity])
        if (row < 0).any():
            table = Table(table.example[row >= 0], table.objects[row >= 0])
            row = row[row >= 0]
        columns = []
        for variables, layer in shape.slots:
            found = self.layers[layer]
            columns.append(found.shape[found.index.position(table.example, table.objects[:, list(variables)])])
        if columns:
            number, first = class_ids([column.astype(np.int64) for column in columns])
            tuples = np.stack([column[first] for column in columns], 1)
        else:
            number, tuples = np.zeros(len(table), np.int32), np.zeros((1, 0), np.int32)
        size = (len(target.index), len(tuples))
        counts = csr_array((np.ones(len(row)), (row, number)), shape=size)
        counts.sum_duplicates()
        total = np.bincount(row, minlength=size[0])
        scale = np.repeat(1.0 / np.maximum(total, 1), np.diff(counts.indptr))
        return Collapsed(tuples, csr_array((counts.data * scale, counts.indices, counts.indptr), shape=size))

    def columns(self, shape: Shape, fillings: np.ndarray) -> np.ndarray:
        """(queries of the target, fillings) the values of aggregations without weight, for fillings (n, slots)."""
        target = self.targets[shape.head]
        collapsed = self.collapsed(shape)
        if collapsed is None:
            return np.zeros((len(target.atom_of_query), len(fillings)))
        a = self.activation
        bias = a.rule_bias(shape.length, len(shape.relations))
        product = np.full((len(collapsed.tuples), len(fillings)), np.exp(-a.steepness * bias))
        for slot, (_, layer) in enumerate(shape.slots):
            factor = self._factors[layer]
            product *= factor[fillings[:, slot] - 1][:, collapsed.tuples[:, slot]].T
        means = collapsed.mean @ (1.0 / (1.0 + product))
        return np.asarray(means[target.atom_of_query])

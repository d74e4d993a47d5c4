"""The network as arrays, level by level, for all examples at once. Weights are apart: one for each rule.

Values of atom neurons are one array; index 0 is always 0 and pads bodies. A level computes, from the values below it,

    rule neurons          R = sigm(a * (bias[rule] + sum of body values))
    aggregation neurons   R of all groundings aggregated, times w[rule], summed over rules: where aggregation is linear,
                          aggregation @ (sum of w * R)
    atom neurons          A = sigm(a * (aggregations + facts + b0))

in a constant number of array operations, however many rules there are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from lrnn_cli.grounding.groundings import Groundings
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.network.collapsed_compiler import compiler_of
from lrnn_cli.network.compile import Block, Compiler, Layer
from lrnn_cli.network.matrices import RowMatrix, placed
from lrnn_cli.semantics.activations import Activation
from lrnn_cli.semantics.aggregations import Aggregation, Linear
from lrnn_cli.semantics.targets import ModelOutput, begins, spread

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class Segments:
    """The aggregation neurons of a level one by one: those of each atom and rule.

    atom, rule: (segments,) in the order of atoms, then rules; start: (segments,) where their entries begin
    neuron: (entries,) the rule neurons that are aggregated, ascending in each segment
    """

    atom: np.ndarray
    rule: np.ndarray
    start: np.ndarray
    neuron: np.ndarray

    def spread(self, values: np.ndarray) -> np.ndarray:
        """(entries,) from values of segments."""
        return np.repeat(values, np.diff(np.append(self.start, len(self.neuron))))


@dataclass(frozen=True)
class Level:
    """Neurons whose inputs are all in earlier levels.

    body_atom: (widest body, rule neurons) values that enter each rule neuron, 0 where the body is shorter
    rule, column: (rule neurons,) its rule, and the column of `aggregation` it is summed into
    aggregation: (atoms, columns) what each rule neuron, times its weight, counts for
    count: (entries of it,) how many groundings each rule neuron stands for
    fact_sum: (atoms,) weights of given facts; linear: (atoms,) those that are not squashed
    learned_atom, learned_rule: (learned facts,) facts of the template: atom of this level and weight
    """

    first: int
    last: int
    body_atom: np.ndarray
    rule: np.ndarray
    column: np.ndarray
    aggregation: RowMatrix
    count: np.ndarray
    fact_sum: np.ndarray
    linear: np.ndarray
    learned_atom: np.ndarray
    learned_rule: np.ndarray

    @cached_property
    def backward_aggregation(self) -> RowMatrix:
        """The transpose of `aggregation`."""
        return self.aggregation.transposed()

    @cached_property
    def segments(self) -> Segments:
        by_column = self.backward_aggregation
        size = np.diff(by_column.indptr)[self.column]
        neuron = np.repeat(np.arange(len(self.rule)), size)
        first = by_column.indptr[self.column] - np.cumsum(size) + size
        atom = by_column.indices[np.repeat(first, size) + np.arange(len(neuron))]
        rule = self.rule[neuron]
        order = np.lexsort((neuron, rule, atom))
        atom, rule, neuron = atom[order], rule[order], neuron[order]
        begins = np.ones(len(neuron), bool)
        begins[1:] = (np.diff(atom) != 0) | (np.diff(rule) != 0)
        (start,) = begins.nonzero()
        return Segments(atom[start], rule[start], start, neuron)

    @cached_property
    def backward_counts(self) -> csr_array:
        """(columns, atoms) how many groundings each rule neuron stands for."""
        return replace(self.aggregation, data=self.count.astype(float)).transposed().scipy


@dataclass(frozen=True)
class Network:
    """Levels, and for each query its atom, 0 for a query that nothing derives.

    Queries with classes have a row for each class, one after the other: query_group (rows,) is equal for those of one.
    target: as `output` says that it is learned.
    """

    levels: tuple[Level, ...]
    atoms: int
    rules: int
    bias: np.ndarray
    activation: Activation
    aggregation: Aggregation
    query_atom: np.ndarray
    query_example: np.ndarray
    query_group: np.ndarray
    target: np.ndarray
    output: ModelOutput

    @property
    def queries(self) -> int:
        """How many there are, classes of one query counting once."""
        return int(begins(self.query_group).sum())

    @property
    def used_rules(self) -> np.ndarray:
        """(rules,) which rules have a neuron."""
        used = np.zeros(self.rules, bool)
        for level in self.levels:
            used[level.rule] = True
            used[level.learned_rule] = True
        return used

    @property
    def rule_neurons(self) -> int:
        return sum(len(level.rule) for level in self.levels)

    def forward(self, weights: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
        """Values of all atoms (atoms,), and of the rule neurons of each level for `backward`."""
        values = np.zeros(self.atoms)
        rule_values = []
        for level in self.levels:
            fired = self.activation.rules(self.bias[level.rule] + values[level.body_atom].sum(0))
            total = self._aggregated(level, weights, fired) + level.fact_sum
            if len(level.learned_atom):
                total += np.bincount(level.learned_atom, weights[level.learned_rule], len(total))
            values[level.first : level.last] = np.where(level.linear, total, self.activation.atoms(total))
            rule_values.append(fired)
        return values, rule_values

    def backward(
        self, weights: np.ndarray, values: np.ndarray, rule_values: list[np.ndarray], slope: np.ndarray
    ) -> np.ndarray:
        """The gradient (rules,) of a loss whose derivative by the values of all atoms is `slope` (atoms,)."""
        slope = slope.copy()
        gradient = np.zeros(self.rules)
        for level, fired in zip(reversed(self.levels), reversed(rule_values), strict=True):
            value = values[level.first : level.last]
            d_total = slope[level.first : level.last] * np.where(level.linear, 1.0, self.activation.slope(value))
            if len(level.learned_atom):
                gradient += np.bincount(level.learned_rule, d_total[level.learned_atom], self.rules)
            d_weights, d_fired = self._aggregated_slopes(level, weights, fired, d_total)
            gradient += d_weights
            d_body = self.activation.slope(fired, d_fired)
            if len(level.body_atom):
                spread = np.broadcast_to(d_body, level.body_atom.shape).ravel()
                slope += np.bincount(level.body_atom.ravel(), spread, self.atoms)
        return gradient

    def _aggregated(self, level: Level, weights: np.ndarray, fired: np.ndarray) -> np.ndarray:
        """(atoms of the level,) the sums of aggregation neurons."""
        if isinstance(self.aggregation, Linear):
            summed = np.bincount(level.column, weights[level.rule] * fired, level.aggregation.shape[1])
            return level.aggregation @ summed
        segments = level.segments
        values = self.aggregation.segments(fired[segments.neuron], segments.start)
        return np.bincount(segments.atom, weights[segments.rule] * values, level.last - level.first)

    def _aggregated_slopes(
        self, level: Level, weights: np.ndarray, fired: np.ndarray, d_total: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives by weights (rules,) and rule neurons, from those by the sums of aggregation neurons."""
        if isinstance(self.aggregation, Linear):
            d_summed = (level.backward_aggregation @ d_total)[level.column]
            return np.bincount(level.rule, d_summed * fired, self.rules), d_summed * weights[level.rule]
        segments = level.segments
        entries = fired[segments.neuron]
        d_segment = d_total[segments.atom]
        d_weights = np.bincount(
            segments.rule, d_segment * self.aggregation.segments(entries, segments.start), self.rules
        )
        slopes = self.aggregation.segment_slopes(entries, segments.start)
        d_entries = segments.spread(d_segment * weights[segments.rule]) * slopes
        return d_weights, np.bincount(segments.neuron, d_entries, len(fired))

    def outputs(self, values: np.ndarray) -> np.ndarray:
        """Outputs (queries,) from the values of atoms, as they are learned."""
        return self.output.of_values(
            np.where(self.query_atom > 0, values[self.query_atom], self.output.underivable), self.query_group
        )

    def compared(self, outputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Outputs and targets as metrics take them: (queries,) in units, or (queries, classes) and their places."""
        if not self.output.kind.grouped:
            return self.in_units(outputs), self.in_units(self.target)
        return spread(outputs, self.query_group), spread(self.target, self.query_group).argmax(axis=1)

    def in_units(self, outputs: np.ndarray) -> np.ndarray:
        """Outputs or targets (queries,) as the data have them."""
        return self.output.in_units(outputs)

    def query_slope(self, slope: np.ndarray) -> np.ndarray:
        """The derivative by the values of atoms (atoms,) from that by outputs (queries,)."""
        derived = self.query_atom > 0
        return np.bincount(self.query_atom[derived], slope[derived], self.atoms)

    def restricted(self, queries: np.ndarray) -> Network:
        """The part of the network that the queries at these positions see."""
        needed = np.zeros(self.atoms, bool)
        needed[self.query_atom[queries]] = True
        kept_levels = []
        for level in reversed(self.levels):
            atoms = needed[level.first : level.last].nonzero()[0]
            matrix, count = level.aggregation, level.count
            if len(atoms) < level.last - level.first:
                matrix, entries = matrix.chosen(atoms)
                count = count[entries]
            columns = np.zeros(matrix.shape[1], bool)
            columns[matrix.indices] = True
            neurons = columns[level.column].nonzero()[0]
            body_atom = level.body_atom if len(neurons) == len(level.rule) else level.body_atom[:, neurons]
            needed[body_atom.ravel()] = True
            kept_levels.append((level, atoms, matrix, count, columns, neurons, body_atom))
        needed[0] = True
        if needed.all() and all(columns.all() for *_, columns, _, _ in kept_levels):
            return replace(
                self,
                query_atom=self.query_atom[queries],
                query_example=self.query_example[queries],
                query_group=self.query_group[queries],
                target=self.target[queries],
            )
        number = np.cumsum(needed) - 1
        levels = []
        for level, atoms, matrix, count, columns, neurons, body_atom in reversed(kept_levels):
            column_number = np.cumsum(columns) - 1
            kept = column_number[matrix.indices].astype(np.int32)
            matrix = replace(matrix, indices=kept, shape=(len(atoms), int(columns.sum())))
            width = int((body_atom > 0).any(1).sum()) if len(neurons) else 0
            local = np.full(level.last - level.first, -1)
            local[atoms] = np.arange(len(atoms))
            learned = local[level.learned_atom] >= 0
            first = int(needed[: level.first].sum())
            levels.append(
                Level(
                    first,
                    first + len(atoms),
                    number[body_atom[(body_atom > 0).any(1)]].astype(np.int32).reshape(width, len(neurons)),
                    level.rule[neurons],
                    column_number[level.column[neurons]].astype(np.int32),
                    matrix,
                    count,
                    level.fact_sum[atoms],
                    level.linear[atoms],
                    local[level.learned_atom[learned]],
                    level.learned_rule[learned],
                )
            )
        return Network(
            tuple(level for level in levels if level.last > level.first),
            int(needed.sum()),
            self.rules,
            self.bias,
            self.activation,
            self.aggregation,
            number[self.query_atom[queries]] * (self.query_atom[queries] > 0),
            self.query_example[queries],
            self.query_group[queries],
            self.target[queries],
            self.output,
        )


def compile_network(groundings: Groundings, compress: bool = True) -> Network:
    """The network of groundings; `compress` False builds every neuron of every example."""
    return assemble(compiler_of(groundings) if compress else Compiler(groundings, False))


def assemble(compiler: Compiler) -> Network:
    """The network of atoms that have been classed."""
    return assemble_all(compiler)[0].restricted(np.arange(len(compiler.groundings.queries)))


def assemble_all(compiler: Compiler) -> tuple[Network, dict[Predicate, np.ndarray]]:
    """The network with all atoms that have been classed, and for each predicate the neuron of each class."""
    program = compiler.program
    queries = compiler.groundings.queries
    activation = Activation.of(program.template.settings)
    output = ModelOutput.of(program.template.settings, activation)
    not_squashed = frozenset() if output.kind.squashed else frozenset(queries.predicate)
    visible = visible_predicates(compiler)
    members: dict[Predicate, list[Predicate]] = {}
    for predicate in visible:
        members.setdefault(program.groups.get(predicate, predicate), []).append(predicate)
    # One more than there are classes: rows that no query sees name class 0 even where there is none.
    neuron = {
        predicate: np.zeros(compiler.groups[program.groups.get(predicate, predicate)].value_classes + 1, np.int32)
        for predicate in visible
    }
    rules_of: dict[tuple[Predicate, object], list[int]] = {}
    for index, rule in enumerate(program.rules):
        rules_of.setdefault((rule.head, (rule.table, rule.head_columns, rule.is_fact)), []).append(index)
    bias = np.zeros(len(program.rules))
    soft_literals = []
    for index, rule in enumerate(program.rules):
        names = [name for name, _ in program.tables[rule.table].body]
        soft = [position for position, name in enumerate(names) if name in compiler.groups]
        soft_literals.append([rule.body[position][0] for position in soft])
        bias[index] = activation.rule_bias(len(names), len(names) - len(soft))

    by_level: dict[int, list[Layer]] = {}
    for layer in compiler.layers:
        if layer.group in members:
            by_level.setdefault(layer.level, []).append(layer)
    levels = []
    total = 1
    for number in sorted(by_level):
        builder = _LevelBuilder(total)
        for layer in by_level[number]:
            for predicate in members[layer.group]:
                start = builder.atoms
                size = layer.last - layer.first
                neuron[predicate][layer.first : layer.last] = total + start + np.arange(size)
                for way, belongs in layer.learned.items():
                    for rule_index in rules_of.get((predicate, way), ()):
                        builder.add_learned(start + belongs.nonzero()[0], rule_index)
                linear = (~layer.derived & activation.family.sums_facts) | (predicate in not_squashed)
                builder.add_atoms(layer.fact_sum, linear)
                for block in layer.blocks:
                    chosen = rules_of.get((predicate, block.way), [])
                    if chosen:
                        bodies = [
                            np.stack([neuron[name][block.tuples[:, i]] for i, name in enumerate(soft_literals[index])])
                            if soft_literals[index]
                            else np.zeros((0, len(block.tuples)), np.int32)
                            for index in chosen
                        ]
                        builder.add_rules(chosen, bodies, block, start)
        level = builder.build()
        levels.append(level)
        total = level.last
    query_atom = np.zeros(len(queries), np.int32)
    for index, predicate in enumerate(queries.predicate):
        if predicate in neuron:
            chosen = ((queries.predicate_index == index) & (compiler.query_value_class >= 0)).nonzero()[0]
            query_atom[chosen] = neuron[predicate][compiler.query_value_class[chosen]]
    network = Network(
        tuple(levels),
        total,
        len(program.rules),
        bias,
        activation,
        compiler.aggregation,
        query_atom,
        queries.example,
        queries.groups(),
        output.standard(queries.target),
        output,
    )
    return network, neuron


def visible_predicates(compiler: Compiler) -> list[Predicate]:
    """Predicates that queries depend on and that are not crisp, in the order they are reached."""
    program = compiler.program
    bodies: dict[Predicate, list[Predicate]] = {}
    for rule in program.rules:
        bodies.setdefault(rule.head, []).extend(name for name, _ in rule.body)
    queries = compiler.groundings.queries
    frontier = [queries.predicate[index] for index in np.unique(queries.predicate_index).tolist()]
    frontier += sorted(compiler.keep)
    visible: dict[Predicate, None] = {}
    while frontier:
        predicate = frontier.pop()
        if predicate in visible or program.groups.get(predicate, predicate) not in compiler.groups:
            continue
        visible[predicate] = None
        frontier += reversed(list(dict.fromkeys(bodies.get(predicate, ()))))
    return list(visible)


class _LevelBuilder:
    """Collects the neurons of one level, whose first atom is `first`."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.atoms = 0
        self.columns = 0
        self._fact_sum: list[np.ndarray] = []
        self._linear: list[np.ndarray] = []
        self._learned_atom: list[np.ndarray] = []
        self._learned_rule: list[np.ndarray] = []
        self._bodies: list[np.ndarray] = []
        self._rule: list[np.ndarray] = []
        self._column: list[np.ndarray] = []
        self._row: list[np.ndarray] = []
        self._aggregation_column: list[np.ndarray] = []
        self._aggregation_value: list[np.ndarray] = []
        self._count: list[np.ndarray] = []

    def add_atoms(self, fact_sum: np.ndarray, linear: np.ndarray) -> None:
        self._fact_sum.append(fact_sum)
        self._linear.append(linear)
        self.atoms += len(fact_sum)

    def add_learned(self, atoms: np.ndarray, rule: int) -> None:
        self._learned_atom.append(atoms)
        self._learned_rule.append(np.full(len(atoms), rule))

    def add_rules(self, rules: list[int], bodies: list[np.ndarray], block: Block, first_atom: int) -> None:
        """Rules that share a table and a head: body atoms (literals, tuples) of each, one aggregation for all."""
        matrix = block.aggregation
        width = matrix.shape[1]
        for rule, body in zip(rules, bodies, strict=True):
            self._bodies.append(body)
            self._rule.append(np.full(width, rule, np.int32))
            self._column.append(np.arange(self.columns, self.columns + width, dtype=np.int32))
        self._row.append(matrix.row + np.int32(first_atom))
        self._aggregation_column.append(matrix.indices + np.int32(self.columns))
        self._aggregation_value.append(matrix.data)
        self._count.append(block.count)
        self.columns += width

    def build(self) -> Level:
        literals = max((len(body) for body in self._bodies), default=0)
        neurons = sum(body.shape[1] for body in self._bodies)
        body_atom = np.zeros((literals, neurons), np.int32)
        start = 0
        # What has been copied is let go: a level can be most of the network.
        self._bodies.reverse()
        while self._bodies:
            body = self._bodies.pop()
            body_atom[: len(body), start : start + body.shape[1]] = body
            start += body.shape[1]
        values, count = _joined(self._aggregation_value, float), _joined(self._count)
        places = _joined(self._row), _joined(self._aggregation_column)
        entries = placed(np.arange(len(values)), *places, (self.atoms, self.columns))
        return Level(
            self.first,
            self.first + self.atoms,
            body_atom,
            _joined(self._rule),
            _joined(self._column),
            replace(entries, data=values[entries.data]),
            count[entries.data],
            _joined(self._fact_sum, float),
            _joined(self._linear, bool),
            _joined(self._learned_atom),
            _joined(self._learned_rule),
        )


def _joined(arrays: list[np.ndarray], kind: type = np.int32) -> np.ndarray:
    """All arrays in one; the list is empty afterwards, so that they are not kept beside it."""
    joined: np.ndarray = np.concatenate(arrays).astype(kind, copy=False) if arrays else np.zeros(0, kind)
    arrays.clear()
    return joined

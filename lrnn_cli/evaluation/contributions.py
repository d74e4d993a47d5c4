"""What the atoms of a ground network are computed from.

An atom neuron is a function of the sum of its inputs: its facts, and one aggregation neuron for each rule that derives
it, the weight of the rule times its rule neurons aggregated. What an input adds to that sum is its *contribution*.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from lrnn_cli.grounding.groundings import Groundings
from lrnn_cli.grounding.program import GroundRule, Way
from lrnn_cli.language.clauses import Atom, Constant, Predicate, Rule, Term, Variable, class_of
from lrnn_cli.network.compile import Compiler
from lrnn_cli.network.network import assemble_all
from lrnn_cli.network.statistics import raw_neurons
from lrnn_cli.semantics.activations import sigmoid
from lrnn_cli.semantics.aggregations import AGGREGATIONS
from lrnn_cli.semantics.losses import SMALLEST


class GroundAtom(NamedTuple):
    """An atom of the example; objects are numbers, as in the groundings."""

    predicate: Predicate
    objects: tuple[int, ...]


@dataclass(frozen=True)
class NeuronInput:
    """One input of an atom neuron.

    rule: the number of the rule, None for a fact of the data
    share: its part of all contributions to this atom, by size
    without: the value of the atom if this input were not there
    row, fired: (groundings,) rows in the table of the rule and values of their rule neurons, strongest first
    """

    rule: int | None
    contribution: float
    share: float
    without: float
    row: np.ndarray
    fired: np.ndarray


@dataclass(frozen=True)
class Grounding:
    """A rule neuron: its ground clause and what it adds to the sum of its head."""

    clause: str
    body: tuple[GroundAtom, ...]
    value: float
    contribution: float


class GroundNetwork:
    """The network that queries of one example see, atom by atom.

    groundings: of that example alone, with names of objects; weights: (rules,).
    """

    def __init__(self, groundings: Groundings, weights: np.ndarray, query: np.ndarray) -> None:
        assert groundings.names is not None
        self.groundings = replace(groundings, queries=groundings.queries.select(query))
        self.queries = self.groundings.queries
        (self._example,) = set(self.queries.example.tolist())
        self._names = groundings.names.all()
        self._weights = weights
        self._compiler = Compiler(self.groundings)
        network, self._neuron = assemble_all(self._compiler)
        self.activation = network.activation
        self.output = network.output
        self._sums = frozenset() if self.output.kind.squashed else frozenset(self.queries.predicate)
        self.aggregation = AGGREGATIONS[groundings.template.settings.aggregation]
        self._values, _ = network.forward(weights)
        self._outputs = network.in_units(network.outputs(self._values))
        self._rules_of: dict[Predicate, list[int]] = {}
        for index, rule in enumerate(groundings.program.rules):
            self._rules_of.setdefault(rule.head, []).append(index)

    @property
    def rules(self) -> tuple[Rule, ...]:
        return self.groundings.template.rules

    def rules_of(self, predicate: Predicate) -> list[int]:
        return self._rules_of.get(predicate, [])

    def neurons(self, *kinds: str) -> int:
        """How many neurons of these kinds the queries see."""
        counts = raw_neurons(self._compiler)
        return sum(counts[kind] for kind in kinds)

    def query(self, number: int) -> GroundAtom:
        predicate = self.queries.predicate[self.queries.predicate_index[number]]
        return GroundAtom(predicate, tuple(self.queries.argument[number, : predicate.arity].tolist()))

    def probabilities(self, number: int) -> dict[str, float]:
        """Of a query with classes, those of all of them."""
        same = (self.queries.groups() == self.queries.groups()[number]).nonzero()[0].tolist()
        return {class_of(self.query(row).predicate.name)[1]: float(self._outputs[row]) for row in same}

    def output_of(self, number: int) -> float:
        """The output of a query, in the units of the data."""
        return float(self._outputs[number])

    def text(self, atom: GroundAtom) -> str:
        return str(Atom(atom.predicate.name, tuple(Constant(self._names[number]) for number in atom.objects)))

    def is_background(self, predicate: Predicate) -> bool:
        """All its facts come from background knowledge."""
        facts = self.groundings.program.facts
        return predicate in facts.background and predicate not in facts.data

    # Values

    def value(self, atom: GroundAtom) -> float:
        if self._group(atom.predicate) in self._compiler.derivations and self._position(atom) < 0:
            return self.output.underivable if atom.predicate in self._sums else self.activation.underivable
        return float(self._value_of(atom.predicate, np.array([atom.objects], int))[0])

    def _value_of(self, predicate: Predicate, objects: np.ndarray) -> np.ndarray:
        """Values (atoms,) of true atoms with these objects (atoms, arity)."""
        group = self._compiler.groups.get(self._group(predicate))
        if group is None:
            return np.full(len(objects), self.activation.crisp)
        value_class = group.value_classes_at(group.index.position(np.full(len(objects), self._example), objects))
        return np.asarray(self._values[self._neuron[predicate][value_class]])

    def _group(self, predicate: Predicate) -> Predicate:
        return self.groundings.program.groups.get(predicate, predicate)

    def _position(self, atom: GroundAtom) -> int:
        """The place of an atom in its group, -1 where it is not true. Its predicate has rules, or facts and queries."""
        group = self._compiler.groups[self._group(atom.predicate)]
        return int(group.index.position(np.array([self._example]), np.array([atom.objects], int))[0])

    # Inputs

    def facts(self, atom: GroundAtom) -> list[float]:
        """Weights of the facts of the data for this atom."""
        soft = self.groundings.soft.get(atom.predicate)
        if soft is not None:
            same = (soft.atoms.example == self._example) & (soft.atoms.objects == atom.objects).all(1)
            if same.any():
                return [float(weight) for weight in soft.weight[same]]
        group = self._group(atom.predicate)
        if group not in self._compiler.derivations:
            return [1.0]
        position = self._position(atom)
        return [1.0] if position >= 0 and self._compiler.groups[group].fact_count[position] else []

    def is_derived(self, atom: GroundAtom) -> bool:
        """Whether a rule or a fact of the template is among its inputs."""
        return any(len(self._rows(index, atom)) for index in self.rules_of(atom.predicate))

    def inputs(self, atom: GroundAtom) -> list[NeuronInput]:
        """Inputs by the size of their contribution, those of equal size in the order of the template."""
        none = np.zeros(0)
        terms: list[tuple[int | None, float, np.ndarray, np.ndarray]] = []
        terms += [(None, weight, none, none) for weight in self.facts(atom)]
        for index in self.rules_of(atom.predicate):
            row = self._rows(index, atom)
            if not len(row):
                continue
            weight = float(self._weights[index])
            if self.rules[index].is_fact:
                terms.append((index, weight, none, none))
            else:
                fired = self._fired(index, row)
                order = np.argsort(-fired, kind="stable")
                terms.append((index, weight * self.aggregation.value(fired), row[order], fired[order]))
        size = sum(abs(contribution) for _, contribution, _, _ in terms)
        inputs = []
        for place, (rule, contribution, row, fired) in enumerate(terms):
            share = abs(contribution) / size if size else 0.0
            others = terms[:place] + terms[place + 1 :]
            total = sum(other[1] for other in others)
            without = self._without(atom, total, [other[2] for other in others])
            inputs.append(NeuronInput(rule, contribution, share, without, row, fired))
        return sorted(inputs, key=lambda item: -abs(item.contribution))

    def _without(self, atom: GroundAtom, total: float, inputs: list[np.ndarray]) -> float:
        """What an atom would be whose other inputs add up to this; of a number in units, of a class its probability."""
        rows = [number for number in range(len(self.queries)) if self.query(number) == atom]
        if atom.predicate in self._sums and rows and self.output.kind.grouped:
            odds = self._outputs[rows[0]] / max(1.0 - self._outputs[rows[0]], SMALLEST)
            change = self.output.steepness * (total - self.value(atom))
            return float(sigmoid(np.log(max(odds, SMALLEST)) + change))
        if atom.predicate in self._sums:
            return float(self.output.in_units(np.array(total)))
        return total if self._linear(inputs) else self.activation.atom(total)

    def is_linear(self, atom: GroundAtom, inputs: list[NeuronInput]) -> bool:
        """Whether an atom with these inputs is just their sum: a number, or facts only, in a family that sums them."""
        return atom.predicate in self._sums or self._linear([item.row for item in inputs])

    def _linear(self, rows: list[np.ndarray]) -> bool:
        return self.activation.family.sums_facts and bool(rows) and not any(map(len, rows))

    def _rows(self, index: int, atom: GroundAtom) -> np.ndarray:
        """Rows of the table of a rule whose head is this atom."""
        rule = self.groundings.program.rules[index]
        way = Way(rule.table, rule.head_columns, rule.is_fact)
        head = self._compiler.head_position[self._group(atom.predicate), way]
        return np.asarray((head == self._position(atom)).nonzero()[0])

    def _fired(self, index: int, row: np.ndarray) -> np.ndarray:
        """Values of the rule neurons (rows,) of these rows of the table of a rule."""
        rule = self.groundings.program.rules[index]
        objects = self.groundings.tables[rule.table].objects[row]
        total = np.full(len(row), self.activation.rule_bias(len(rule.body), 0))
        for predicate, columns in rule.body:
            total += self._value_of(predicate, objects[:, list(columns)])
        return self.activation.rules(total)

    def strongest(self, item: NeuronInput, count: int) -> list[Grounding]:
        """The strongest groundings of an input that is a rule."""
        if item.rule is None:
            return []
        plan = self.groundings.program.rules[item.rule]
        rule = self.rules[item.rule]
        table = self.groundings.tables[plan.table].objects
        column = rule_columns(rule, plan, table.shape[1])
        slopes = self.aggregation.slopes(item.fired, float(self._weights[item.rule]))
        groundings = []
        strongest = (array[:count].tolist() for array in (item.row, item.fired, slopes))
        for row, value, slope in zip(*strongest, strict=True):
            objects = table[row].tolist()
            name = {variable: self._names[objects[number]] for variable, number in column.items()}
            body = tuple(
                GroundAtom(predicate, tuple(objects[number] for number in columns)) for predicate, columns in plan.body
            )
            groundings.append(Grounding(ground_clause(rule, name), body, value, slope * value))
        return groundings


def rule_columns(rule: Rule, plan: GroundRule, columns: int) -> dict[str, int]:
    """The column of each variable of a rule in its table.

    Columns that neither body nor head uses belong to the variables of guards, in the order of their occurrence.
    """
    column = {}
    used = {*plan.head_columns}
    for atom, numbers in [(rule.head, plan.head_columns)] + [
        (atom, numbers) for atom, (_, numbers) in zip(rule.body, plan.body, strict=True)
    ]:
        used.update(numbers)
        for term, number in zip(atom.arguments, numbers, strict=True):
            if isinstance(term, Variable):
                column[term.name] = number
    left = iter(number for number in range(columns) if number not in used)
    for guard in rule.guards:
        for name in guard.variables if guard.negated is None else ():
            if name not in column:
                column[name] = next(left)
    return column


def ground_clause(rule: Rule, name: dict[str, str]) -> str:
    """The clause of a rule with names of objects in place of its variables."""

    def ground(atom: Atom) -> Atom:
        terms: list[Term] = [Constant(name[str(t)]) if isinstance(t, Variable) else t for t in atom.arguments]
        return Atom(atom.name, tuple(terms))

    guards = tuple(guard.renamed(name) for guard in rule.guards)
    return Rule(ground(rule.head), tuple(ground(atom) for atom in rule.body), guards).clause


def number_text(value: float, digits: int = 4) -> str:
    """A number with so many digits after the point; large ones in short."""
    return f"{value:.{digits}f}" if abs(value) < 1e6 else f"{value:.{digits}g}"

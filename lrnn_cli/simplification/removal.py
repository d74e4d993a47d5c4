"""What a network gives without some of its rules, exactly and without grounding again.

A rule of weight 0 is more than no rule: it still derives its heads, so rules that use them keep their groundings, and
these count in their aggregation. Without the rule, atoms that nothing else derives are gone, and so is every rule
neuron with such an atom in its body; aggregation runs over the neurons that are left.

Aggregations are kept rule by rule, so that only rules that depend on what has changed are computed anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from lrnn_cli.grounding.program import Program
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.network.network import Level, Network
from lrnn_cli.semantics.aggregations import AGGREGATIONS
from lrnn_cli.simplification.condensing import TargetRule


@dataclass(frozen=True)
class _Block:
    """Rules of a level that share their aggregation, having one table and one head.

    first, rule, literals: (rules,) the first rule neuron of each, whose others follow, its number, and how many values
    enter each neuron
    row: (rows,) atoms of the level that aggregate; counts: (rows, neurons of one rule) of groundings
    """

    first: np.ndarray
    rule: np.ndarray
    literals: np.ndarray
    row: np.ndarray
    counts: csr_array


@dataclass
class _State:
    """Values for some set of rules.

    values, derivable: (atoms,)
    total, ways: for each level (atoms,) sums of inputs, and by how many rules an atom is derived
    aggregated, derived: for each level and block (rows, rules) rule neurons aggregated, and whether there are any
    """

    kept: np.ndarray
    values: np.ndarray
    derivable: np.ndarray
    total: list[np.ndarray]
    ways: list[np.ndarray]
    aggregated: list[list[np.ndarray]]
    derived: list[list[np.ndarray]]


class Removal:
    """A network with these weights (rules,), from which rules can be taken."""

    def __init__(self, network: Network, program: Program, weights: np.ndarray) -> None:
        self.network = network
        self.weights = weights
        self._rules = program.rules
        self._aggregation = AGGREGATIONS[program.template.settings.aggregation]
        self._users: dict[Predicate, set[int]] = {}
        for index, rule in enumerate(program.rules):
            for predicate, _ in rule.body:
                self._users.setdefault(predicate, set()).add(index)
        self._blocks = [_blocks(level) for level in network.levels]
        self._given = [_given(level) for level in network.levels]
        sums_facts = network.activation.family.sums_facts
        self._not_squashed = [
            level.linear & ((np.diff(level.aggregation.indptr) > 0) | (not sums_facts)) for level in network.levels
        ]
        self._state = self._all()

    @property
    def kept(self) -> np.ndarray:
        """(rules,) those that have not been taken."""
        return self._state.kept

    def outputs(self, removed: Iterable[int] = ()) -> np.ndarray:
        """Outputs (queries,) without these rules, besides those that have been taken."""
        return self.network.outputs(self._without(removed).values)

    def target_rules(self) -> list[TargetRule]:
        """Rules whose heads are queries, and what they give to the input of each query."""
        network, values = self.network, self._state.values
        of_targets = []
        for number, (level, blocks) in enumerate(zip(network.levels, self._blocks, strict=True)):
            place = np.where(
                (network.query_atom >= level.first) & (network.query_atom < level.last),
                network.query_atom - level.first,
                -1,
            )
            for index, block in enumerate(blocks):
                row = np.full(level.last - level.first + 1, -1)
                row[block.row] = np.arange(len(block.row))
                own = row[place]
                there = own >= 0
                if not there.any():
                    continue
                # One grounding for each query: the rule neuron is a function of the literals, whichever are left.
                single = there.all() and len(block.counts.data) == len(block.row) == block.counts.data.sum()
                for column, rule in enumerate(block.rule.tolist()):
                    body = self._rules[rule].body
                    literals = None
                    if single and block.literals[column] == len(body) and not any(name.arity for name, _ in body):
                        neuron = block.first[column] + block.counts.indices[own]
                        literals = values[level.body_atom[: len(body), neuron]]
                    given = np.where(there, self._state.aggregated[number][index][own, column], 0.0)
                    of_targets.append(TargetRule(rule, tuple(range(len(body))), given, literals))
            for rule in np.unique(level.learned_rule).tolist():
                atoms = np.zeros(level.last - level.first + 1)
                atoms[level.learned_atom[level.learned_rule == rule]] = 1.0
                if atoms[place].any():
                    of_targets.append(TargetRule(rule, (), atoms[place], None))
        return of_targets

    @property
    def inputs(self) -> np.ndarray:
        """(queries,) the sums of the inputs of query atoms, 0 where there are none."""
        return np.asarray(self._of_atoms(self._state.total)[self.network.query_atom])

    @property
    def linear(self) -> np.ndarray:
        """(queries,) those whose inputs are not squashed."""
        return np.asarray(self._of_atoms(self._not_squashed)[self.network.query_atom] > 0.0)

    def _of_atoms(self, by_level: Sequence[np.ndarray]) -> np.ndarray:
        """(atoms,) what is given for the atoms of each level."""
        everything = np.zeros(self.network.atoms)
        for level, own in zip(self.network.levels, by_level, strict=True):
            everything[level.first : level.last] = own
        return everything

    def outputs_of(self, inputs: np.ndarray) -> np.ndarray:
        """Outputs (queries,) if query atoms had these inputs (queries,)."""
        network = self.network
        values = self._state.values.copy()
        values[network.query_atom] = np.where(self.linear, inputs, network.activation.atoms(inputs))
        return network.outputs(values)

    def take(self, removed: Iterable[int]) -> None:
        """Do without these rules from now on."""
        self._state = self._without(removed)

    def _all(self) -> _State:
        """The state with all rules, computed from one in which they do nothing."""
        network = self.network
        levels = network.levels
        nothing = _State(
            np.ones(network.rules, bool),
            np.zeros(network.atoms),
            np.ones(network.atoms, bool),
            [level.fact_sum.copy() for level in levels],
            [np.zeros(level.last - level.first, np.int64) for level in levels],
            [[np.zeros((len(block.row), len(block.rule))) for block in blocks] for blocks in self._blocks],
            [[np.zeros((len(block.row), len(block.rule)), bool) for block in blocks] for blocks in self._blocks],
        )
        for level, total in zip(levels, nothing.total, strict=True):
            np.add.at(total, level.learned_atom, self.weights[level.learned_rule])
        return self._changed(nothing, nothing.kept, np.ones(network.rules, bool))

    def _without(self, removed: Iterable[int]) -> _State:
        removed = list(removed)
        kept = self._state.kept.copy()
        kept[removed] = False
        changed = np.zeros(len(kept), bool)
        changed[removed] = True
        frontier = {self._rules[index].head for index in removed}
        seen: set[Predicate] = set()
        while frontier:
            seen |= frontier
            users = [index for predicate in frontier for index in self._users.get(predicate, ())]
            changed[users] = True
            frontier = {self._rules[index].head for index in users} - seen
        return self._changed(self._state, kept, changed)

    def _changed(self, old: _State, kept: np.ndarray, changed: np.ndarray) -> _State:
        """The state for the rules in `kept`, when only those in `changed` differ from the old one."""
        network = self.network
        new = _State(kept, old.values.copy(), old.derivable.copy(), [], [], [], [])
        for number, (level, blocks) in enumerate(zip(network.levels, self._blocks, strict=True)):
            total, ways = old.total[number].copy(), old.ways[number].copy()
            aggregateds, deriveds = list(old.aggregated[number]), list(old.derived[number])
            for place, block in enumerate(blocks):
                chosen = changed[block.rule].nonzero()[0]
                if not len(chosen):
                    continue
                aggregated, derived = aggregateds[place].copy(), deriveds[place].copy()
                aggregated[:, chosen], derived[:, chosen] = self._aggregated(level, block, chosen, new)
                total[block.row] += (aggregated - aggregateds[place]) @ self.weights[block.rule]
                ways[block.row] += derived.sum(1) - deriveds[place].sum(1)
                aggregateds[place], deriveds[place] = aggregated, derived
            gone = old.kept[level.learned_rule] & ~kept[level.learned_rule]
            np.subtract.at(total, level.learned_atom[gone], self.weights[level.learned_rule[gone]])
            has_fact = self._given[number].copy()
            has_fact[level.learned_atom[kept[level.learned_rule]]] = True
            new.derivable[level.first : level.last] = (ways > 0) | has_fact
            linear = self._not_squashed[number] | (has_fact & (ways == 0) & network.activation.family.sums_facts)
            new.values[level.first : level.last] = np.where(linear, total, network.activation.atoms(total))
            new.total.append(total)
            new.ways.append(ways)
            new.aggregated.append(aggregateds)
            new.derived.append(deriveds)
        return new

    def _aggregated(
        self, level: Level, block: _Block, chosen: np.ndarray, state: _State
    ) -> tuple[np.ndarray, np.ndarray]:
        """Rule neurons of the chosen rules of a block aggregated (rows, chosen), and whether there are any."""
        activation, bias = self.network.activation, self.network.bias
        width = block.counts.shape[1]
        fired = np.zeros((width, len(chosen)))
        present = np.zeros((width, len(chosen)), bool)
        for place, (first, rule, literals) in enumerate(
            zip(block.first[chosen].tolist(), block.rule[chosen].tolist(), block.literals[chosen].tolist(), strict=True)
        ):
            if not state.kept[rule]:
                continue
            total = np.full(width, bias[rule])
            active = np.ones(width, bool)
            for atom in level.body_atom[:literals, first : first + width]:
                total += state.values[atom]
                active &= state.derivable[atom]
            fired[:, place] = activation.rules(total)
            present[:, place] = active
        return self._aggregation.columns(block.counts, fired, present), block.counts @ present > 0.0


def _blocks(level: Level) -> list[_Block]:
    """The rule neurons of a level by the columns of its aggregation that they go to."""
    if not len(level.rule):
        return []
    starts = np.ones(len(level.rule), bool)
    starts[1:] = (np.diff(level.rule) != 0) | (np.diff(level.column) != 1)
    first = starts.nonzero()[0]
    width = np.diff(np.append(first, len(level.rule)))
    columns: dict[tuple[int, int], list[int]] = {}
    for start, size in zip(first.tolist(), width.tolist(), strict=True):
        columns.setdefault((int(level.column[start]), size), []).append(start)
    blocks = []
    for (column, size), begins in columns.items():
        matrix = csr_array(level.backward_counts[column : column + size].T)
        row = np.diff(matrix.indptr).nonzero()[0]
        neurons = np.array(begins)
        literals = np.array([(level.body_atom[:, start : start + size] > 0).any(1).sum() for start in begins])
        blocks.append(_Block(neurons, level.rule[neurons], literals, row, csr_array(matrix[row])))
    return blocks


def _given(level: Level) -> np.ndarray:
    """(atoms,) those with facts of the data. Weights of facts may add up to 0, so an atom without inputs has facts."""
    no_input = np.diff(level.aggregation.indptr) == 0
    no_input[level.learned_atom] = False
    return np.asarray((level.fact_sum != 0.0) | no_input)

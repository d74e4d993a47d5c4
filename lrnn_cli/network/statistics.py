"""How many neurons of each kind the groundings stand for, and how many are left after compression."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from lrnn_cli.grounding.groundings import NEURONS
from lrnn_cli.grounding.program import Way
from lrnn_cli.grounding.tables import Table, distinct
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.network.compile import Compiler
from lrnn_cli.network.network import Network, visible_predicates


def raw_neurons(compiler: Compiler) -> dict[str, int]:
    """Neurons of the networks of all examples as the paper defines them; they are counted, not built."""
    program = compiler.program
    needed = _needed_atoms(compiler)
    counts = dict.fromkeys(NEURONS, 0)
    for predicate, mask in needed.items():
        counts["atom"] += int(mask.sum())
        counts["fact"] += int(compiler.groups[program.groups.get(predicate, predicate)].fact_count[mask].sum())
    rows_of: dict[tuple[Predicate, Way], tuple[int, int]] = {}
    used_rows: dict[int, list[np.ndarray]] = {}
    for rule in program.rules:
        if rule.head not in needed:
            continue
        way = Way(rule.table, rule.head_columns, rule.is_fact)
        if (rule.head, way) not in rows_of:
            position = compiler.head_position[program.groups[rule.head], way]
            rows = needed[rule.head][position].nonzero()[0]
            rows_of[rule.head, way] = len(rows), len(np.unique(position[rows]))
            used_rows.setdefault(rule.table, []).append(rows)
        groundings, heads = rows_of[rule.head, way]
        if rule.is_fact:
            counts["fact"] += heads
        else:
            counts["rule"] += groundings
            counts["aggregation"] += heads
    atoms, facts = _fact_atoms(compiler, used_rows)
    counts["atom"] += atoms
    counts["fact"] += facts
    return counts


def _needed_atoms(compiler: Compiler) -> dict[Predicate, np.ndarray]:
    """For each predicate that queries depend on and that may have rules, which atoms of its group they see."""
    program = compiler.program
    needed = {
        predicate: np.zeros(len(compiler.groups[name].index), bool)
        for predicate in visible_predicates(compiler)
        if (name := program.groups.get(predicate, predicate)) in compiler.derivations
    }
    queries = compiler.groundings.queries
    for number, predicate in enumerate(queries.predicate):
        if predicate in needed:
            chosen = (queries.predicate_index == number).nonzero()[0]
            index = compiler.groups[program.groups.get(predicate, predicate)].index
            position = index.position(queries.example[chosen], queries.argument[chosen, : predicate.arity])
            needed[predicate][position[position >= 0]] = True
    # Rules that share head and table see the same rows; what differs is the predicates of their bodies.
    uses: dict[tuple[Predicate, Way], set[tuple[int, Predicate]]] = {}
    for rule in program.rules:
        if rule.head in needed:
            literals = uses.setdefault((rule.head, Way(rule.table, rule.head_columns, rule.is_fact)), set())
            names = [name for name, _ in program.tables[rule.table].body]
            soft = [place for place, name in enumerate(names) if name in compiler.groups]
            literals.update((literal, rule.body[place][0]) for literal, place in enumerate(soft))
    frontier = set(needed)
    while frontier:
        changed = set()
        for (head, way), literals in uses.items():
            if head in frontier:
                rows = needed[head][compiler.head_position[program.groups[head], way]].nonzero()[0]
                for literal, predicate in literals:
                    if predicate in needed:
                        position = compiler.literals[way.table][literal].position[rows]
                        if not needed[predicate][position].all():
                            needed[predicate][position] = True
                            changed.add(predicate)
        frontier = changed
    return needed


def _fact_atoms(compiler: Compiler, used_rows: dict[int, list[np.ndarray]]) -> tuple[int, int]:
    """Distinct body atoms of predicates without rules in the rows that are used, and their facts."""
    tables: dict[Predicate, list[Table]] = {}
    for number, parts in used_rows.items():
        table = compiler.groundings.tables[number]
        rows = np.unique(np.concatenate(parts))
        for name, columns in compiler.program.tables[number].body:
            if name not in compiler.derivations:
                part = Table(table.example[rows], table.objects[rows][:, list(columns)])
                tables.setdefault(name, []).append(part)
    atoms = facts = 0
    for name, parts_of in tables.items():
        every = Table(
            np.concatenate([part.example for part in parts_of]), np.concatenate([part.objects for part in parts_of])
        )
        every = distinct(every)
        atoms += len(every)
        facts += len(every)
        if name in compiler.groups:
            group = compiler.groups[name]
            position = group.index.position(every.example, every.objects)
            facts += int((group.fact_count[position[position >= 0]] - 1).sum())
    return atoms, facts


def compressed_neurons(network: Network) -> dict[str, int]:
    """Neurons that the compiled network has."""
    counts = dict.fromkeys(NEURONS, 0)
    counts["atom"] = network.atoms - 1
    for level in network.levels:
        counts["fact"] += int((level.fact_sum != 0).sum()) + len(level.learned_atom)
        counts["rule"] += len(level.rule)
        pairs = csr_array(
            (np.ones(len(level.rule)), (level.column, level.rule)), (level.aggregation.shape[1], network.rules)
        )
        counts["aggregation"] += (level.aggregation.scipy @ pairs).nnz
    return counts

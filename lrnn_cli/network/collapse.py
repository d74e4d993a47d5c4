"""Groundings collapsed: of atoms and groundings that can't be told apart, whatever the weights, one is left.

The numbers of classes depend on what is distinct only, not on how often it is there or in which order it comes. So the
network of collapsed groundings is that of all groundings, to the byte, and so are groundings that are collapsed again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lrnn_cli.grounding.atoms import class_ids
from lrnn_cli.grounding.collapsed import Atoms, Collapsed, Heads, joined
from lrnn_cli.grounding.groundings import Groundings
from lrnn_cli.network.collapsed_compiler import compiler_of
from lrnn_cli.network.compile import grouped
from lrnn_cli.network.statistics import raw_neurons


def collapse(groundings: Groundings) -> Groundings:
    """The distinct ones of groundings: the same, whatever the order and the number of those that are equal."""
    compiler = compiler_of(groundings)
    before = groundings.collapsed
    atoms, number, first = {}, {}, {}
    for name, group in compiler.groups.items():
        # Class 0 of a predicate with weighted facts alone is a plain fact, which no atom here is.
        value_class = group.value_class if name in compiler.derivations else group.value_class - np.int32(1)
        kept, place = np.unique(value_class, return_index=True)
        first[name] = place[kept >= 0]
        number[name] = np.append(value_class, np.int32(-1))
        has_fact = group.fact_count[first[name]] > 0
        atoms[name] = Atoms(group.fact_sum[first[name]], has_fact.astype(np.int32))
    tables, row_of = [], []
    for table, literals in compiler.literals.items():
        columns = [number[literal.group][literal.position] for literal in literals]
        if columns:
            classes, chosen = class_ids([column.astype(np.int64) for column in columns])
            tables.append(np.stack([column[chosen] for column in columns], 1))
        else:
            classes = np.zeros(compiler.size_of(table), np.int32)
            tables.append(np.zeros((min(len(classes), 1), 0), np.int32))
        row_of.append(classes)
    heads = []
    for name, ways in compiler.derivations.items():
        model = np.zeros(len(number[name]), bool)
        model[first[name]] = True
        for way in ways:
            position = compiler.head_position[name, way]
            entries = model[position].nonzero()[0]
            row = row_of[way.table][compiler.rows_of(name, way, entries)]
            counts = compiler.counts_of(name, way, entries)
            start, atom, row, count = grouped(number[name][position[entries]], row, len(tables[way.table]), counts)
            count = compiler.aggregation.reduced(count, start)
            size = np.diff(np.append(start, len(row)))
            heads.append(Heads(*(array.astype(np.int32) for array in (np.repeat(atom, size), row, count))))
    collapsed = Collapsed(
        atoms,
        tuple(tables),
        tuple(heads),
        compiler.query_value_class,
        tuple(map(len, groundings.tables)) if before is None else before.groundings,
        raw_neurons(compiler) if before is None else before.neurons,
    )
    return _with(groundings, collapsed)


def _with(groundings: Groundings, collapsed: Collapsed) -> Groundings:
    """Collapsed groundings instead of others: nothing of their objects is left."""
    queries = replace(groundings.queries, argument=np.zeros((len(groundings.queries), 0), np.int32))
    return replace(
        groundings, tables=(), facts={}, soft={}, objects=0, names=None, queries=queries, collapsed=collapsed
    )


def joined_parts(whole: Groundings, parts: Sequence[Collapsed]) -> Groundings:
    """Collapsed groundings of parts as those of the whole, which has no tables, and queries in the order of parts."""
    ends = np.cumsum([len(part.query_atom) for part in parts])
    predicates = np.split(whole.queries.predicate_index, ends[:-1])
    together = joined(whole.program, whole.queries.predicate, list(zip(parts, predicates, strict=True)))
    return collapse(_with(whole, together))

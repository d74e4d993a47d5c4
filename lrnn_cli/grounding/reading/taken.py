"""Facts as tables, from what Prolog writes while it reads: `lrnn_store.pl` says how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lrnn_cli.grounding.reading.rows import PartOfFile
from lrnn_cli.grounding.tables import SoftFacts, Table, ordered_set, row_keys, stacked
from lrnn_cli.language.clauses import Predicate

UNIT = 0xD000
TWO_CODES = 0xE000


@dataclass(frozen=True)
class TakenFacts:
    """Facts that were taken from Prolog: all atoms, their rows in ascending order, and the weighted ones."""

    tables: dict[Predicate, Table]
    soft: dict[Predicate, SoftFacts]


def taken_facts(part: PartOfFile, reply: dict[str, Any]) -> TakenFacts:
    """The facts of what a process has just read."""
    facts = numbers(part.process.rows(0))
    objects = numbers(part.process.rows(1))
    predicates = [Predicate(name, arity) for name, arity in reply["predicates"]]
    first_object = part.first_object + np.cumsum(part.example_objects, dtype=np.int32) - part.example_objects
    count = np.array([example[4] for example in reply["examples"]], np.int32)
    example = np.repeat(np.arange(part.examples, dtype=np.int32), count)
    # The number of a predicate is twice its place; with a weight, one more.
    width = np.array([predicate.arity + weighted for predicate in predicates for weighted in (0, 1)], np.int32)[facts]
    start = np.cumsum(width, dtype=np.int64) - width
    # Short integers are sorted by counting.
    by_predicate = np.argsort(facts.astype(np.uint16) if len(predicates) < 2**15 else facts, kind="stable")
    bounds = np.searchsorted(facts[by_predicate], np.arange(2 * len(predicates) + 1))

    def rows(number: int, columns: int) -> tuple[Table, np.ndarray]:
        """Facts with this number: their atoms, and what follows their objects."""
        chosen = by_predicate[bounds[number] : bounds[number + 1]]
        row = objects[start[chosen, None] + np.arange(columns)]
        places = row[:, : predicates[number // 2].arity]
        atoms = Table(example[chosen] + part.first_example, places + (first_object[example[chosen], None] - 1))
        return atoms, row[:, places.shape[1] :]

    tables = {}
    soft = {}
    for place, predicate in enumerate(predicates):
        plain, _ = rows(2 * place, predicate.arity)
        atoms, index = rows(2 * place + 1, predicate.arity + 1)
        tables[predicate] = ordered_set(stacked([plain, atoms]) if len(atoms) else plain)
        if len(atoms):
            soft[predicate] = _soft_facts(plain, SoftFacts(atoms, part.weights[index[:, 0] - 1]))
    return TakenFacts(tables, soft)


def numbers(text: bytes) -> np.ndarray:
    """Numbers that Prolog wrote as characters: one for each below UNIT, two for others."""
    codes = np.frombuffer(text, np.int32)
    high = (codes >= TWO_CODES).nonzero()[0]
    if not len(high):
        return codes
    values = codes.copy()
    values[high + 1] += (codes[high] - TWO_CODES) * UNIT
    return np.delete(values, high)


def _soft_facts(plain: Table, weighted: SoftFacts) -> SoftFacts:
    """Weighted facts and, with the weight 1, plain facts of the same atoms; each once, in ascending order."""
    atoms = stacked([weighted.atoms, plain])
    keys = row_keys([atoms.example, *atoms.objects.T], len(atoms))
    also = np.isin(keys, keys[: len(weighted.weight)])
    weight = np.concatenate([weighted.weight, np.ones(len(plain))])
    # Of equal rows the one with the smallest weight comes first.
    order = np.lexsort((weight, keys))
    order = order[also[order]]
    again = (np.diff(keys[order]) == 0) & (np.diff(weight[order]) == 0)
    order = order[np.concatenate([[True], ~again])]
    return SoftFacts(Table(atoms.example[order], atoms.objects[order]), weight[order])


def joined_facts(pieces: Sequence[TakenFacts]) -> TakenFacts:
    """The facts of parts of a file that follow each other."""
    if len(pieces) == 1:
        return pieces[0]
    tables: dict[Predicate, list[Table]] = {}
    soft: dict[Predicate, list[SoftFacts]] = {}
    for piece in pieces:
        for predicate, table in piece.tables.items():
            tables.setdefault(predicate, []).append(table)
        for predicate, facts in piece.soft.items():
            soft.setdefault(predicate, []).append(facts)
    weighted = {
        predicate: SoftFacts(stacked([own.atoms for own in parts]), np.concatenate([own.weight for own in parts]))
        for predicate, parts in soft.items()
    }
    return TakenFacts({predicate: stacked(parts) for predicate, parts in tables.items()}, weighted)

"""What is in a data set and what looks wrong: duplicates, contradicting labels, leaks between folds.

Two examples count as duplicates when they are equal up to the names of their objects. This is decided by colour
refinement: objects are told apart by the facts they occur in, again and again, until nothing more can be told apart.
Examples that differ are hardly ever taken for equal, and only if they are very symmetric.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lrnn_cli.grounding.tables import SoftFacts, Table
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.data import DataSet

ROUNDS = 100


@dataclass(frozen=True)
class Survey:
    """Groups of positions of duplicate examples, all of them, those that contradict, those in several folds."""

    duplicates: list[list[int]]
    contradicting: list[list[int]]
    across_folds: list[list[int]]


def survey(
    data: DataSet, relations: dict[Predicate, Table], soft: dict[Predicate, SoftFacts], folds: np.ndarray
) -> Survey:
    """Look for duplicates among the examples; `folds` (examples,) are 0 where there are none."""
    signature, colour = signatures(data, relations, soft)
    members: dict[int, list[int]] = {}
    for example, value in enumerate(signature.tolist()):
        members.setdefault(value, []).append(example)
    groups = [group for group in members.values() if len(group) > 1]
    targets = _query_targets(data, colour)
    contradicting = [group for group in groups if _contradict([targets[example] for example in group])]
    across = [group for group in groups if len({int(folds[example]) for example in group}) > 1]
    return Survey(groups, contradicting, across)


def duplicate_groups(data: DataSet, relations: dict[Predicate, Table], soft: dict[Predicate, SoftFacts]) -> np.ndarray:
    """(examples,) the number of the group of each example: duplicates are in one group, others alone in theirs."""
    signature, _ = signatures(data, relations, soft)
    return np.unique(signature, return_inverse=True)[1]


def signatures(
    data: DataSet, relations: dict[Predicate, Table], soft: dict[Predicate, SoftFacts]
) -> tuple[np.ndarray, np.ndarray]:
    """(examples,) equal for examples equal up to names, and (objects,) equal for objects in the same place."""
    facts: list[tuple[np.uint64, Table, np.ndarray]] = []
    for number, (predicate, table) in enumerate(sorted(relations.items())):
        extra = np.zeros(len(table), np.uint64)
        facts.append((_mix(np.array([number + 1], np.uint64))[0], table, extra))
        if predicate in soft:
            bits = soft[predicate].weight.view(np.uint64)
            facts.append((_mix(np.array([2**32 + number], np.uint64))[0], soft[predicate].atoms, _mix(bits)))
    # Background clauses may derive atoms of objects that the data do not have.
    objects = max([int(data.first_object[-1]), *(int(table.objects.max(initial=-1)) + 1 for _, table, _ in facts)])
    colour = _refined(np.zeros(objects, np.uint64), facts)
    # Unary facts have had their say; only relations carry colours from object to object.
    relational = [fact for fact in facts if fact[1].objects.shape[1] > 1]
    known = -1
    for _ in range(ROUNDS):
        ordered = np.sort(colour)
        count = int((ordered[1:] != ordered[:-1]).sum())
        if count == known:
            break
        known = count
        colour = _refined(colour, relational)
    signature = np.zeros(len(data.example_name), np.uint64)
    for code, table, extra in facts:
        np.add.at(signature, table.example, _row_hash(code, table, extra, colour))
    return signature, colour


def _refined(colour: np.ndarray, facts: list[tuple[np.uint64, Table, np.ndarray]]) -> np.ndarray:
    """(objects,) colours that also tell in which facts, at which positions and beside which colours objects occur."""
    total = np.zeros(len(colour), np.uint64)
    for code, table, extra in facts:
        row = _row_hash(code, table, extra, colour)
        for column in range(table.objects.shape[1]):
            np.add.at(total, table.objects[:, column], _mix(row + np.uint64(column + 1)))
    return _mix(colour + _mix(total))


def _row_hash(code: np.uint64, table: Table, extra: np.ndarray, colour: np.ndarray) -> np.ndarray:
    row = extra + code
    for column in range(table.objects.shape[1]):
        row = _mix(row + colour[table.objects[:, column]])
    return _mix(row)


def _mix(value: np.ndarray) -> np.ndarray:
    """Scramble 64-bit integers (the finaliser of splitmix64)."""
    value = value + np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(value ^ (value >> np.uint64(31)))


def _query_targets(data: DataSet, colour: np.ndarray) -> list[dict[tuple[object, ...], set[float]]]:
    """For each example the targets of its queries, the objects of a query named by their colour."""
    targets: list[dict[tuple[object, ...], set[float]]] = [{} for _ in data.example_name]
    queries = data.queries
    for row in queries.labelled.nonzero()[0].tolist():
        predicate = int(queries.predicate_index[row])
        arity = queries.predicate[predicate].arity
        key = (predicate, *colour[queries.argument[row, :arity]].tolist())
        targets[int(queries.example[row])].setdefault(key, set()).add(float(queries.target[row]))
    return targets


def _contradict(targets: list[dict[tuple[object, ...], set[float]]]) -> bool:
    first: dict[tuple[object, ...], set[float]] = {}
    for example in targets:
        for key, values in example.items():
            if first.setdefault(key, values) != values:
                return True
    return False

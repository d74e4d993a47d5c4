"""What is in a data set and what looks wrong: duplicates, contradicting labels, leaks between folds.

Two examples count as duplicates when they are equal up to the names of their objects. This is decided by colour
refinement: objects are told apart by the facts they occur in, again and again, until nothing more can be told apart.
Examples that differ are hardly ever taken for equal, and only if they are very symmetric.

Names count where a model can use them as values: numbers, unless they name objects that facts are about, arguments that
`bias/1` calls constants, and constants of background clauses and rules.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lrnn_cli.grounding.objects import ObjectNames
from lrnn_cli.grounding.tables import SoftFacts, Table
from lrnn_cli.hypotheses.sorts import OTHER, WHOLE, ArgumentSorts, called_by
from lrnn_cli.language.clauses import Predicate, Rule
from lrnn_cli.language.data import CONSTANT, DataSet

ROUNDS = 100
CONSTANTS = re.compile(
    r"""'(?:[^'\\]|\\.|'')*' | "(?:[^"\\]|\\.)*" | -?[0-9]+(?:\.[0-9]+(?:e[+-]?[0-9]+)?)? | \w+ | [^\w\s()'"]+""",
    re.VERBOSE,
)
"""Atomic terms in the text of a clause."""


@dataclass(frozen=True)
class Survey:
    """Groups of positions of duplicate examples, all of them, those that contradict, those that leak between folds."""

    duplicates: list[list[int]]
    contradicting: list[list[int]]
    across_folds: list[list[int]]


def survey(
    data: DataSet,
    relations: dict[Predicate, Table],
    soft: dict[Predicate, SoftFacts],
    names: Sequence[str],
    folds: np.ndarray,
    rules: Sequence[Rule] = (),
) -> Survey:
    """Look for duplicates among the examples; `folds` (examples,) are 0 where there are none.

    names: of all objects; rules: of a template that will be used with the data.
    """
    signature, colour = signatures(data, relations, soft, names, rules)
    members: dict[int, list[int]] = {}
    for example, value in enumerate(signature.tolist()):
        members.setdefault(value, []).append(example)
    groups = [group for group in members.values() if len(group) > 1]
    targets = _query_targets(data, colour)
    contradicting = [group for group in groups if _contradict([targets[example] for example in group])]
    across = [group for group in groups if _leak([(int(folds[example]), targets[example]) for example in group])]
    return Survey(groups, contradicting, across)


def duplicate_groups(
    data: DataSet, relations: dict[Predicate, Table], soft: dict[Predicate, SoftFacts], names: Sequence[str]
) -> np.ndarray:
    """(examples,) the number of the group of each example: duplicates are in one group, others alone in theirs."""
    signature, _ = signatures(data, relations, soft, names)
    return np.unique(signature, return_inverse=True)[1]


def signatures(
    data: DataSet,
    relations: dict[Predicate, Table],
    soft: dict[Predicate, SoftFacts],
    names: Sequence[str],
    rules: Sequence[Rule] = (),
) -> tuple[np.ndarray, np.ndarray]:
    """(examples,) equal for examples equal up to names, and (objects,) equal for objects in the same place."""
    facts: list[tuple[np.uint64, Table, np.ndarray]] = []
    values = Values(data, relations, names, rules)
    # A predicate that has facts in other examples alone leaves no trace.
    predicates = sorted(predicate for predicate, table in relations.items() if len(table) or predicate in soft)
    for number, predicate in enumerate(predicates):
        facts.append((_mix(np.array([number + 1], np.uint64))[0], *values.apart(predicate, relations[predicate])))
        if predicate in soft:
            atoms, extra = values.apart(predicate, soft[predicate].atoms)
            extra = extra + _mix(soft[predicate].weight.view(np.uint64))
            facts.append((_mix(np.array([2**32 + number], np.uint64))[0], atoms, extra))
    # Background clauses may derive atoms of objects that the data do not have.
    objects = max([int(data.first_object[-1]), *(int(table.objects.max(initial=-1)) + 1 for _, table, _ in facts)])
    colour = _refined(np.zeros(objects, np.uint64), facts)
    # Unary facts have had their say; only relations carry colours from object to object.
    relational = [fact for fact in facts if fact[1].objects.shape[1] > 1]
    # (objects,) one that had the same colour before: only those that lose theirs have to be sorted.
    same = np.zeros(objects, np.int64)
    apart = np.arange(objects)
    for _ in range(ROUNDS):
        _, first, place = np.unique(colour[apart], return_index=True, return_inverse=True)
        same[apart] = apart[first[place]]
        colour = _refined(colour, relational)
        apart = (colour != colour[same]).nonzero()[0]
        if not len(apart):
            break
    signature = np.zeros(len(data.example_name), np.uint64)
    for code, table, extra in facts:
        np.add.at(signature, table.example, _row_hash(code, table, extra, colour))
    return signature, colour


class Values:
    """Which objects count by their names, argument by argument: an integer may be an object here and a value there."""

    def __init__(
        self, data: DataSet, relations: dict[Predicate, Table], names: Sequence[str], rules: Sequence[Rule]
    ) -> None:
        self._names = names
        self._kind = called_by(names)
        constants = _constants(data, rules)
        self._constant = ObjectNames.of(names).each(constants.__contains__, bool) if constants else None
        self._sorts = ArgumentSorts(relations, names).sorts
        # Facts are about their first argument: what is called by an integer there is an object.
        self._objects = {sorts[0] for sorts in self._sorts.values() if sorts}
        self._declared = {bias.predicate: bias.sorts for bias in data.bias}

    def apart(self, predicate: Predicate, table: Table) -> tuple[Table, np.ndarray]:
        """A table of the predicate without arguments that are values only, and (rows,) equal for equal values."""
        total = np.zeros(len(table), np.uint64)
        kept = []
        for column, objects in enumerate(table.objects.T):
            counts = self._counts(predicate, column, objects)
            if counts.any():
                distinct, places = np.unique(objects[counts], return_inverse=True)
                hashes = np.array([_text_hash(self._names[number]) for number in distinct.tolist()], np.uint64)
                total[counts] += _mix(hashes[places] + np.uint64(column + 1))
            if not counts.all() or not len(table):
                kept.append(column)
        return Table(table.example, table.objects[:, kept]), total

    def _counts(self, predicate: Predicate, column: int, objects: np.ndarray) -> np.ndarray:
        """(rows,) whether the objects of an argument count by their names."""
        sorts = self._declared.get(predicate, ())
        if sorts and sorts[column] == CONSTANT:
            return np.ones(len(objects), bool)
        kind = self._kind[objects]
        counts = kind == OTHER
        if self._sorts[predicate][column] not in self._objects:
            counts |= kind == WHOLE
        return np.asarray(counts if self._constant is None else counts | self._constant[objects])


def _constants(data: DataSet, rules: Sequence[Rule]) -> set[str]:
    """Names in background knowledge and in rules: of constants, and of predicates, which do no harm."""
    texts = [*(clause.text for clause in data.background), *map(str, rules)]
    return {token for text in texts for token in CONSTANTS.findall(text)}


def _text_hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


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
    mixed = value + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed ^= mixed >> np.uint64(shift)
        mixed *= np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return mixed


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


def _leak(examples: list[tuple[int, dict[tuple[object, ...], set[float]]]]) -> bool:
    """Whether the same is asked in two folds; the same facts with other queries, as parts of one graph, are no leak."""
    first: dict[tuple[object, ...], int] = {}
    return any(first.setdefault(key, fold) != fold for fold, targets in examples for key in targets)

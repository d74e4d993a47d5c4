"""Counts of neighbourhoods, for learners that take a table of numbers: colours of Weisfeiler and Leman.

An object's colour of radius 0 is the set of unary predicates that are true of it. Its colour of radius r + 1 is that of
radius r, with how often it is at which place of a fact of which relation, the other arguments having which colours of
radius r. All arguments of a fact are seen at once: in bond(X, Y, B) an atom X sees Y together with the type of the bond
B, so bonds that are objects cost no radius.

B. Weisfeiler, A. Leman 1968; as features of graphs: N. Shervashidze and others, JMLR 12, 2011.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from scipy.sparse import csr_array

from lrnn_cli.grounding.joins.relations import Relations
from lrnn_cli.grounding.tables import Table, ranked, ranked_rows
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.data import Queries


def colours(tables: dict[Predicate, Table], objects: int, radius: int) -> list[np.ndarray]:
    """(objects,) the colours of radius 0, 1, ..., up to this, each numbered from 0.

    Numbers are in the order of what they stand for, so of two colours the same one comes first whatever others occur.
    """
    unary = [table.objects[:, 0] for predicate, table in sorted(tables.items()) if predicate.arity == 1]
    number = np.repeat(np.arange(len(unary)), [len(holders) for holders in unary])
    current = _ranked_multisets(np.concatenate([np.zeros(0, np.int64), *unary]), number, objects)
    rounds = [current]
    for _ in range(radius):
        owners, items = [np.arange(objects)], [current]
        kinds = int(current.max(initial=0)) + 1
        for place, others in _places(tables):
            kind, first = ranked_rows([current[column] for column in others], len(place))
            owners.append(place)
            items.append(kinds + kind)
            kinds += len(first)
        current = _ranked_multisets(np.concatenate(owners), np.concatenate(items), objects)
        rounds.append(current)
    return rounds


def neighbourhood_counts(
    tables: dict[Predicate, Table], objects: int, queries: Queries, target: Predicate, radius: int
) -> csr_array:
    """(queries, features) counts for queries, all of one target predicate.

    Without arguments: how often each unary predicate and each colour occurs in the example, and what is true of the
    example itself. With arguments: what there is around them, see `_around_arguments`.
    """
    rounds = colours(tables, objects, radius)
    if target.arity:
        return _matrix(_around_arguments(tables, objects, queries, target, rounds), len(queries))
    return _matrix(_of_examples(tables, objects, queries, rounds), len(queries))


def _of_examples(
    tables: dict[Predicate, Table], objects: int, queries: Queries, rounds: list[np.ndarray]
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Groups of features: for each occurrence the query and the feature in the group."""
    example = np.full(objects, -1, np.int64)
    for table in tables.values():
        for column in table.objects.T:
            example[column] = table.example
    there = (example >= 0).nonzero()[0]
    groups = [(example[there], colour[there]) for colour in rounds]
    groups += [
        (table.example, np.zeros(len(table), np.int64))
        for predicate, table in sorted(tables.items())
        if predicate.arity < 2
    ]
    return [_for_queries(queries.example, owner, feature) for owner, feature in groups]


def _for_queries(example: np.ndarray, owner: np.ndarray, feature: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each query, given by its example, gets all features that this example owns."""
    order = np.argsort(owner, kind="stable")
    first = np.searchsorted(owner[order], example, "left")
    count = np.searchsorted(owner[order], example, "right") - first
    place = np.arange(count.sum()) + np.repeat(first - (np.cumsum(count) - count), count)
    return np.repeat(np.arange(len(example)), count), feature[order[place]]


def _around_arguments(
    tables: dict[Predicate, Table], objects: int, queries: Queries, target: Predicate, rounds: list[np.ndarray]
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The colours of each argument, the facts it is in with the colours of the others, and what two arguments share.

    An object that is itself an argument of the query counts as that, whatever its colour.
    """
    width = target.arity + 1
    arguments = queries.argument[:, : target.arity]
    numbered = np.column_stack([arguments, np.arange(len(queries), dtype=np.int32)])
    start = Table(queries.example, numbered)
    relations = Relations(tables, {}, {}, objects, identity=False)
    for argument in range(target.arity):
        for colour in rounds:
            yield np.arange(len(queries)), colour[arguments[:, argument]]
        for predicate, table in sorted(tables.items()):
            if predicate.arity == 1:
                rows = np.isin(arguments[:, argument], table.objects[:, 0]).nonzero()[0]
                yield rows, np.zeros(len(rows), np.int64)
    literals = [
        (predicate, place) for predicate in sorted(tables) if predicate.arity > 1 for place in range(predicate.arity)
    ]
    for predicate, place in literals:
        for argument in range(target.arity):
            others = iter(range(width, width + predicate.arity))
            variables = tuple(argument if other == place else next(others) for other in range(predicate.arity))
            facts = relations.extended(start, (predicate, variables))
            for colour in rounds:
                yield facts.objects[:, target.arity], _kinds(facts, target.arity, colour)
            if predicate.arity != 2:
                continue
            for second, second_place in literals:
                for other in range(argument + 1, target.arity):
                    if second.arity == 2:
                        pair = (other, width) if second_place == 0 else (width, other)
                        shared = relations.extended(facts, (second, pair))
                        yield shared.objects[:, target.arity], _kinds(shared, target.arity, rounds[0])


def _kinds(facts: Table, arity: int, colour: np.ndarray) -> np.ndarray:
    """(rows,) equal where the objects after the arguments and the number of the query have equal colours."""
    columns = []
    for column in facts.objects.T[arity + 1 :]:
        kind = colour[column].astype(np.int64)
        for argument in range(arity):
            kind = np.where(column == facts.objects[:, argument], -1 - argument, kind)
        columns.append(kind)
    return ranked_rows(columns, len(facts))[0]


def _places(tables: dict[Predicate, Table]) -> Iterator[tuple[np.ndarray, list[np.ndarray]]]:
    """For each relation and argument, the objects there and the columns of the other arguments."""
    for predicate, table in sorted(tables.items()):
        if predicate.arity > 1:
            for place in range(predicate.arity):
                others = [table.objects[:, other] for other in range(predicate.arity) if other != place]
                yield table.objects[:, place], others


def _ranked_multisets(owner: np.ndarray, item: np.ndarray, size: int) -> np.ndarray:
    """(size,) for each owner the rank of the multiset of its items, which are numbers from 0."""
    order = np.lexsort((item, owner))
    # Numbers with their high bytes first are ordered like their bytes.
    content = item[order].astype(">i8").tobytes()
    ends = 8 * np.cumsum(np.bincount(owner, minlength=size))
    multisets = [content[start:end] for start, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True)]
    rank = {multiset: number for number, multiset in enumerate(sorted(set(multisets)))}
    return np.array([rank[multiset] for multiset in multisets], np.int64)


def _matrix(groups: Iterable[tuple[np.ndarray, np.ndarray]], queries: int) -> csr_array:
    """(queries, features) how often each feature occurs for each query, group after group."""
    rows, columns = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    width = 0
    for row, feature in groups:
        kind, first = ranked(feature)
        rows.append(row)
        columns.append(width + kind)
        width += len(first)
    place = np.concatenate(rows), np.concatenate(columns)
    return csr_array((np.ones(len(place[0])), place), shape=(queries, width))

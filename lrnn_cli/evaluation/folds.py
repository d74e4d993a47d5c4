"""Parts of a data set for crossvalidation: folds given in the file, or stratified ones drawn with a seed.

Folds have their share of positive and negative queries, of each class, or of each fifth of the numbers.

Folds are of examples or, where there is one example only, of its queries. Duplicates stay in one fold where their
groups are known: otherwise a model is tested on what it was trained on.
"""

from __future__ import annotations

import numpy as np

from lrnn_cli.errors import LrnnError
from lrnn_cli.language.data import DataSet
from lrnn_cli.language.targets import target_kind
from lrnn_cli.language.writing import counted


def example_classes(data: DataSet) -> np.ndarray:
    """(examples,) the mean level of the targets of each example, rounded; -1 without queries that have one."""
    queries = data.queries.select(data.queries.labelled.nonzero()[0])
    levels = target_kind(data.name, queries, None).levels(queries.target)
    count = np.bincount(queries.example, minlength=len(data.example_name))
    total = np.bincount(queries.example, levels, len(data.example_name))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(count > 0, np.round(total / count), -1.0)


def assign_folds(data: DataSet, folds: int | None, seed: int, duplicates: np.ndarray | None = None) -> np.ndarray:
    """(examples,) the fold of each example, counted from 1.

    duplicates: (examples,) equal for examples that stay in one fold; folds given in the data win nevertheless.
    """
    given = data.example_fold
    if given.any():
        missing = (given == 0).nonzero()[0]
        if len(missing):
            example = missing[0]
            raise LrnnError(
                f"{data.name}:{data.example_line[example]}:1: example {data.example_name[example]} has no fold(K) "
                "while others have; give all examples a fold or none"
            )
        largest = int(given.max())
        if folds is not None and folds != largest:
            raise LrnnError(f"{data.name}: --folds {folds}, but the fold(K) facts in these data make {largest} folds")
        return given
    if folds is None:
        raise LrnnError(f"{data.name}: there are no fold(K) facts in these data; say how many folds with --folds")
    if folds > len(given):
        raise LrnnError(f"{data.name}: {folds} folds of {len(given)} examples; choose fewer folds")
    groups = np.arange(len(given)) if duplicates is None else np.unique(duplicates, return_inverse=True)[1]
    count = int(groups.max()) + 1
    if folds > count:
        raise LrnnError(
            f"{data.name}: {folds} folds, but the examples are {counted(count, 'group')} of duplicates, "
            "each kept in one fold; choose fewer folds, or --no-group-duplicates"
        )
    return _dealt(example_classes(data), groups, folds, seed)


def assign_query_folds(data: DataSet, folds: int | None, seed: int) -> np.ndarray:
    """(queries,) the fold of each query, counted from 1; queries of one atom are in one fold.

    Stratified by predicate and target, so that each fold has its share of each.
    """
    if folds is None:
        raise LrnnError(f"{data.name}: there is one example in these data; say how many folds of queries with --folds")
    queries = data.queries
    atoms = np.column_stack([queries.example, queries.predicate_index, queries.argument])
    _, groups = np.unique(atoms, axis=0, return_inverse=True)
    groups = groups.reshape(-1)
    count = int(groups.max(initial=-1)) + 1
    if folds > count:
        raise LrnnError(f"{data.name}: {folds} folds of queries for {count} atoms in one example; choose fewer folds")
    known = queries.labelled
    target = np.full(len(queries), -np.inf)
    target[known] = np.round(target_kind(data.name, queries, None).levels(queries.target[known]))
    _, classes = np.unique(np.column_stack([queries.predicate_index, target]), axis=0, return_inverse=True)
    return _dealt(classes.reshape(-1), groups, folds, seed)


def deals_queries(data: DataSet) -> bool:
    """Whether folds are of queries: there is one example, and the file says nothing of its fold."""
    return len(data.example_name) == 1 and not data.example_fold.any() and bool(len(data.queries))


def in_fold(data: DataSet, folds: int | None, fold: int, seed: int, duplicates: np.ndarray | None = None) -> np.ndarray:
    """(queries,) which queries are in fold `fold`."""
    if not deals_queries(data):
        examples = choose_examples(data, folds, fold, seed, True, duplicates)
        assert examples is not None
        return np.isin(data.queries.example, examples)
    assigned = assign_query_folds(data, folds, seed)
    if not (assigned == fold).any():
        raise LrnnError(f"{data.name}: there is no fold {fold}; folds are 1 to {int(assigned.max())}")
    return np.asarray(assigned == fold)


def choose_part(
    data: DataSet,
    folds: int | None,
    fold: int | None,
    seed: int,
    testing: bool,
    duplicates: np.ndarray | None = None,
) -> tuple[DataSet, list[int] | None]:
    """The data with the queries, and the examples, of fold `fold` when testing, of all others when learning.

    None for all examples.
    """
    if fold is None or not deals_queries(data):
        return data, choose_examples(data, folds, fold, seed, testing, duplicates)
    inside = in_fold(data, folds, fold, seed)
    return data.asking((inside if testing else ~inside).nonzero()[0]), None


def _dealt(classes: np.ndarray, groups: np.ndarray, folds: int, seed: int) -> np.ndarray:
    """(examples,) folds from 1: groups in random order, the largest first, each to where its classes are rarest."""
    random = np.random.default_rng([seed, folds])
    values, kind = np.unique(classes, return_inverse=True)
    order = np.concatenate([random.permutation((kind == number).nonzero()[0]) for number in range(len(values))])
    members: dict[int, list[int]] = {}
    for example, group in zip(order.tolist(), groups[order].tolist(), strict=True):
        members.setdefault(group, []).append(example)
    assigned = np.empty(len(classes), np.int32)
    count = np.zeros((folds, len(values)), np.int64)
    for group_members in sorted(members.values(), key=len, reverse=True):
        own = np.bincount(kind[group_members], minlength=len(values))
        # The first of the folds with the fewest examples of these classes, then with the fewest of all.
        fold = np.lexsort((count.sum(axis=1), count @ own))[0]
        count[fold] += own
        assigned[group_members] = fold + 1
    return assigned


def choose_examples(
    data: DataSet,
    folds: int | None,
    fold: int | None,
    seed: int,
    testing: bool,
    duplicates: np.ndarray | None = None,
) -> list[int] | None:
    """Examples of fold `fold` when testing, all others when learning; None for all examples."""
    if fold is None:
        if folds is not None:
            raise LrnnError("--folds needs --fold K to choose one of them")
        return None
    assigned = assign_folds(data, folds, seed, duplicates)
    largest = int(assigned.max())
    if not (assigned == fold).any():
        raise LrnnError(f"{data.name}: there is no fold {fold}; folds are 1 to {largest}")
    chosen = (assigned == fold) if testing else (assigned != fold)
    if not chosen.any():
        raise LrnnError(f"{data.name}: no example is left without fold {fold}")
    return [int(example) for example in chosen.nonzero()[0]]

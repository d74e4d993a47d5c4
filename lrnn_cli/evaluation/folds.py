"""Parts of a data set for crossvalidation: folds given in the file, or stratified ones drawn with a seed."""

from __future__ import annotations

import numpy as np

from lrnn_cli.errors import LrnnError
from lrnn_cli.language.data import DataSet


def example_classes(data: DataSet) -> np.ndarray:
    """(examples,) the mean target of the queries of each example, rounded; -1 without queries."""
    queries = data.queries
    count = np.bincount(queries.example, minlength=len(data.example_name))
    total = np.bincount(queries.example, queries.target, len(data.example_name))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(count > 0, np.round(total / count), -1.0)


def assign_folds(data: DataSet, folds: int | None, seed: int) -> np.ndarray:
    """(examples,) the fold of each example, counted from 1."""
    given = data.example_fold
    if given.any():
        missing = (given == 0).nonzero()[0]
        if len(missing):
            example = missing[0]
            raise LrnnError(
                f"{data.name}:{data.example_line[example]}:1: example {data.example_name[example]} has no fold(K) "
                "while others have; give all examples a fold or none"
            )
        return given
    if folds is None:
        raise LrnnError(f"{data.name}: there are no fold(K) facts in these data; say how many folds with --folds")
    if folds > len(given):
        raise LrnnError(f"{data.name}: {folds} folds of {len(given)} examples; choose fewer folds")
    random = np.random.default_rng([seed, folds])
    classes = example_classes(data)
    dealt = np.concatenate([random.permutation((classes == value).nonzero()[0]) for value in np.unique(classes)])
    assigned = np.empty(len(given), np.int32)
    assigned[dealt] = np.arange(len(dealt)) % folds + 1
    return assigned


def choose_examples(data: DataSet, folds: int | None, fold: int | None, seed: int, testing: bool) -> list[int] | None:
    """Examples of fold `fold` when testing, all others when learning; None for all examples."""
    if fold is None:
        if folds is not None:
            raise LrnnError("--folds needs --fold K to choose one of them")
        return None
    assigned = assign_folds(data, folds, seed)
    largest = int(assigned.max())
    if folds is not None and data.example_fold.any() and folds != largest:
        raise LrnnError(f"{data.name}: --folds {folds}, but the fold(K) facts in these data make {largest} folds")
    if not (assigned == fold).any():
        raise LrnnError(f"{data.name}: there is no fold {fold}; folds are 1 to {largest}")
    chosen = (assigned == fold) if testing else (assigned != fold)
    if not chosen.any():
        raise LrnnError(f"{data.name}: no example is left without fold {fold}")
    return [int(example) for example in chosen.nonzero()[0]]

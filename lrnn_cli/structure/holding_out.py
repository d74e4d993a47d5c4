"""Which queries are held out, and which are searched with: parts that are alike, with duplicates in one."""

from __future__ import annotations

import itertools

import numpy as np

from lrnn_cli.language.data import Queries
from lrnn_cli.semantics.targets import begins

PARTS = 5
"""Queries are held out in so many parts at most."""
FEWEST = 2
"""Queries of each of two classes that a part must have; of more classes one that is not of the largest will do."""
SEARCHED = 10_000
"""Rules with latent predicates are searched with so many queries at most; conjunctions are learned from all."""


def held_out_parts(
    queries: Queries, groups: np.ndarray, seed: int, levels: np.ndarray | None = None
) -> np.ndarray | None:
    """(queries,) the part in which each query is held out, from 0; None where there are too few.

    groups: (examples,) examples that stay in one part. Where there are too few of them each is a part, if they are
    alike; else single queries are dealt. levels: (queries,) those of their targets, by default these themselves;
    targets and levels are dealt evenly.
    """
    levels = queries.target if levels is None else levels
    level = np.where(levels > 0.5, np.round(levels), 0.0).astype(np.int64)
    single = begins(queries.groups())
    sizes = np.bincount(level[single])
    fewest = FEWEST if np.count_nonzero(sizes) < 3 else 1
    if single.sum() - sizes.max() < fewest * PARTS:
        return None
    units = np.unique(groups[queries.example], return_inverse=True)[1]
    if units.max() + 1 < 2 * PARTS and not _are_alike(units, level):
        units = np.unique(queries.groups(), return_inverse=True)[1]
    first = np.unique(units, return_index=True)[1]
    mean = np.bincount(units, levels) / np.bincount(units)
    kind = (level.max() + 1) * queries.predicate_index[first] + np.round(mean).astype(np.int64)
    random = np.random.default_rng([seed, 3])
    order = np.concatenate([random.permutation((kind == value).nonzero()[0]) for value in np.unique(kind)])
    part = np.empty(len(first), np.int64)
    part[order] = np.arange(len(first)) % PARTS
    part_of_query = part[units]
    return part_of_query if _all_can_be_predicted(queries, part_of_query) else None


def _are_alike(units: np.ndarray, level: np.ndarray) -> bool:
    """Whether a few units can be parts: each has queries of each level, and none has most of them.

    What is learned from some departments, say, is for others, and these tell how good it is there.
    """
    count = np.zeros((units.max() + 1, level.max() + 1), np.int64)
    np.add.at(count, (units, level), 1)
    levels = count[:, count.any(axis=0)]
    return len(count) <= PARTS and bool(levels.all()) and 2 * int(levels.sum(axis=1).max()) <= len(units)


def searched_queries(queries: Queries, rows: np.ndarray, seed: int) -> np.ndarray:
    """Those of some rows of queries that rules are searched with: all, or as many queries, drawn, as are enough."""
    number = queries.groups()[rows]
    distinct = np.unique(number)
    if len(distinct) <= SEARCHED:
        return rows
    drawn = np.random.default_rng([seed, 5]).permutation(distinct)[:SEARCHED]
    return rows[np.isin(number, drawn)]


def _all_can_be_predicted(queries: Queries, part: np.ndarray) -> bool:
    """Whether each part has queries of each target, and the others two values of it to learn from."""
    for number, target in itertools.product(np.unique(part), np.unique(queries.predicate_index)):
        own = queries.predicate_index == target
        held = part == number
        if not (own & held).any() or len(np.unique(queries.target[own & ~held])) < 2:
            return False
    return True

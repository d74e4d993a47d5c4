"""Tables of objects, and comparing their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Table:
    """Rows of objects, each in one example.

    example: (rows,) int32; objects: (rows, columns) int32. Objects are numbered over the whole data set, so an
    object belongs to one example only. No row occurs twice.
    """

    example: np.ndarray
    objects: np.ndarray

    def __len__(self) -> int:
        return len(self.example)

    def rows(self, places: np.ndarray) -> Table:
        """The rows at some places, in their order. NumPy's brackets would take four times as long."""
        return Table(self.example.take(places), self.objects.take(places, axis=0))


@dataclass(frozen=True)
class SoftFacts:
    """Atoms with weighted facts: `weight[i]` is the weight of one fact of the atom in row i of `atoms`."""

    atoms: Table
    weight: np.ndarray


def nothing(columns: int) -> Table:
    """A table without rows."""
    return Table(np.zeros(0, np.int32), np.zeros((0, columns), np.int32))


def row_bytes(columns: int) -> int:
    """What a row takes at most, the work of making the table and of comparing its rows included."""
    return 24 * (columns + 1) + 40


def most_rows(memory: int, columns: int) -> int:
    """The rows that a table may have in so many bytes; 0 is no limit, for both."""
    return max(1, memory // row_bytes(columns)) if memory else 0


def too_many(rows: int) -> str:
    """What is wrong with a rule that has more groundings, partial ones included, than this."""
    return (
        f"this rule has more than {rows:,} groundings, counting partial ones, and memory is not allowed for more; "
        "restrict it by further literals, use a smaller part of the data, or allow more with --memory-limit"
    )


def stacked(tables: Sequence[Table]) -> Table:
    """The rows of all of some tables, in their order."""
    if len(tables) == 1:
        return tables[0]
    return Table(
        np.concatenate([table.example for table in tables]), np.concatenate([table.objects for table in tables])
    )


def part(table: Table, examples: np.ndarray) -> Table:
    """The rows of these examples."""
    chosen = np.isin(table.example, examples)
    return table if chosen.all() else table.rows(chosen.nonzero()[0])


def soft_part(soft: SoftFacts, examples: np.ndarray) -> SoftFacts:
    """The weighted facts of these examples."""
    return SoftFacts(part(soft.atoms, examples), soft.weight[np.isin(soft.atoms.example, examples)])


COUNTED = 4_000_000
"""Keys from ranges up to this are ranked by counting, others by sorting."""
FAR_APART = 20
"""Keys from a range that is so many times their number are sorted, too: most of what is counted would be zeros."""


def row_keys(columns: Sequence[np.ndarray], size: int, most: int = 2**62) -> np.ndarray:
    """One integer for each of `size` rows of integers given by columns: equal for equal rows, ordered as rows.

    Beginnings of rows that would have keys beyond `most` are replaced by their ranks.
    """
    keys = np.zeros(size, np.int64)
    distinct_keys = 1
    for column in columns:
        if not len(column):
            break
        low = int(column.min())
        width = int(column.max()) - low + 1
        if distinct_keys * width >= most:
            keys, first = ranked(keys)
            distinct_keys = len(first)
        keys *= width
        keys += column - low
        distinct_keys *= width
    return keys


def ranked(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rank of each of some integers from 0 among the distinct ones, and where each distinct one occurs first."""
    distinct = _counted(keys)
    if distinct is None:
        return _ranked_by_sorting(keys)
    # Few of the numbers of a range are keys: only places of these are written.
    rank = np.empty(int(keys.max(initial=0)) + 1, np.int64)
    rank[distinct] = np.arange(len(distinct))
    ranks = rank.take(keys)
    first = np.empty(len(distinct), np.int64)
    first[ranks[::-1]] = np.arange(len(keys) - 1, -1, -1)
    return ranks, first


def _ranked_by_sorting(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    place, begins = in_order(keys)
    ranks = np.empty(len(keys), np.int64)
    ranks[place] = np.cumsum(begins) - 1
    return ranks, place[begins]


def in_order(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The places of some integers from 0 in ascending order, equal ones in theirs, and which of them are the first."""
    bits = len(keys).bit_length()
    if int(keys.max(initial=0)).bit_length() + bits > 63:
        place = np.argsort(keys, kind="stable")
        ordered = keys[place]
    else:
        # Numbers that say a key and its place are sorted many times faster than places by their keys.
        ordered = keys << bits
        ordered |= np.arange(len(keys))
        ordered.sort()
        place = ordered & ((1 << bits) - 1)
        ordered >>= bits
    return place, _first_of_equals(ordered)


def _first_of_equals(ordered: np.ndarray) -> np.ndarray:
    """Where numbers that ascend differ from the one before."""
    begins = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    return begins


def distinct_keys(keys: np.ndarray) -> np.ndarray:
    """The distinct ones of some integers from 0, in ascending order."""
    distinct = _counted(keys)
    return np.unique(keys).astype(np.int64) if distinct is None else distinct


def _counted(keys: np.ndarray) -> np.ndarray | None:
    """The distinct ones of some integers from 0, found by counting; None where sorting takes less."""
    size = int(keys.max(initial=0)) + 1
    if size > min(COUNTED, FAR_APART * len(keys)):
        return None
    present = np.zeros(size, bool)
    present[keys] = True
    return present.nonzero()[0]


def ranked_rows(columns: Sequence[np.ndarray], size: int) -> tuple[np.ndarray, np.ndarray]:
    """The rank of each of `size` rows among the distinct ones, and where each distinct one occurs first."""
    return ranked(compact_keys(columns, size))


def compact_keys(columns: Sequence[np.ndarray], size: int) -> np.ndarray:
    """Keys of rows that leave room for the places of rows beside them."""
    return row_keys(columns, size, 1 << (62 - size.bit_length()))


def ordered(table: Table) -> Table:
    """The rows in ascending order."""
    place, _ = in_order(row_keys([table.example, *table.objects.T], len(table)))
    return table.rows(place)


def ordered_set(table: Table) -> Table:
    """The rows in ascending order, each once."""
    # An object belongs to one example, and those of later examples have larger numbers.
    columns = table.objects.T if table.objects.shape[1] else [table.example]
    keys = row_keys(list(columns), len(table))
    if (keys[1:] > keys[:-1]).all():
        return table
    place, begins = in_order(keys)
    return table.rows(place[begins])


def distinct(table: Table) -> Table:
    """The table without repeated rows, in the order of their first occurrence."""
    place, begins = in_order(row_keys([table.example, *table.objects.T], len(table)))
    return table if begins.all() else table.rows(np.sort(place[begins]))

"""Ground atoms of one group of predicates, numbered, and what is known of each while the network is compiled."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

import numpy as np

from lrnn_cli.grounding.tables import Table, ranked, ranked_rows


class AtomIndex:
    """Numbers the distinct atoms of a group of predicates: row of objects -> position.

    Objects belong to one example, so only atoms without arguments need the example itself.
    """

    def __init__(self, tables: list[Table], objects: int) -> None:
        self._objects = objects
        self._stages: list[np.ndarray] = []
        self._direct: np.ndarray | None = None
        if tables[0].objects.shape[1] == 1:
            self._number_objects(tables)
            return
        example = np.concatenate([table.example for table in tables])
        rows = np.concatenate([table.objects for table in tables])
        self.arity = rows.shape[1]
        keys = rows[:, 0].astype(np.int64) if self.arity else example.astype(np.int64)
        for column in range(1, self.arity):
            self._stages.append(np.unique(keys))
            keys = np.searchsorted(self._stages[-1], keys) * objects + rows[:, column]
        _, first = ranked(keys)
        self._keys = keys[first]
        self.atoms = Table(example[first], rows[first])
        if not self.arity:
            # One place more, for examples beyond the last.
            self._direct = np.full(int(self._keys.max(initial=-1)) + 2, -1, np.int32)
            self._direct[self._keys] = np.arange(len(self._keys), dtype=np.int32)

    def _number_objects(self, tables: list[Table]) -> None:
        """Atoms of one argument, in the order of their objects: the common case, without sorting."""
        self.arity = 1
        example = np.full(self._objects, -1, np.int32)
        for table in tables:
            example[table.objects[:, 0]] = table.example
        self._keys = (example >= 0).nonzero()[0]
        self.atoms = Table(example[self._keys], self._keys[:, None].astype(np.int32))
        self._direct = np.full(self._objects, -1, np.int32)
        self._direct[self._keys] = np.arange(len(self._keys), dtype=np.int32)

    def __len__(self) -> int:
        return len(self._keys)

    @property
    def digest(self) -> bytes:
        """Equal for equal numberings."""
        return hashlib.blake2b(self._keys.tobytes()).digest()

    def position(self, example: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Positions of atoms, -1 for those that are not there."""
        if self._direct is not None:
            number = rows[:, 0] if self.arity else np.minimum(example, len(self._direct) - 1)
            return np.asarray(self._direct.take(number))
        keys = rows[:, 0].astype(np.int64) if self.arity else example.astype(np.int64)
        known = np.ones(len(keys), bool)
        for column, stage in enumerate(self._stages, 1):
            ranks, there = _find(stage, keys)
            known &= there
            keys = ranks * self._objects + rows[:, column]
        ranks, there = _find(self._keys, keys)
        return np.where(known & there, ranks, -1).astype(np.int32)


def _find(ordered: np.ndarray, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if not len(ordered):
        return np.zeros(len(keys), np.int64), np.zeros(len(keys), bool)
    ranks = np.minimum(np.searchsorted(ordered, keys), len(ordered) - 1)
    return ranks, ordered[ranks] == keys


@dataclass
class Group:
    """Atoms shared by equivalent predicates.

    fact_sum: (atoms,) sum of the weights of facts; fact_count: (atoms,) how many there are; needed: (atoms,)
    whether a query can see the atom; value_class: (atoms,) its class among atoms of equal value, -1 while unknown.
    """

    index: AtomIndex
    fact_sum: np.ndarray
    fact_count: np.ndarray
    needed: np.ndarray
    value_class: np.ndarray
    value_classes: int = 0
    level: list[int] = field(default_factory=list)
    """The level of each class."""
    index_digest: bytes = b""
    _class_digest: bytes | None = None

    def set_value_classes(self, atoms: np.ndarray, value_class: np.ndarray) -> None:
        self.value_class[atoms] = value_class
        self._class_digest = None

    def value_classes_at(self, position: np.ndarray) -> np.ndarray:
        """Classes of atoms. Position -1 and atoms without a class give 0: the plain fact of a soft predicate.

        Atoms that no query sees have no class; rows with them are in no neuron that is kept.
        """
        return np.asarray(np.append(self.value_class, np.int32(0)).take(position).clip(min=0))

    def class_digest(self) -> bytes:
        """Equal when atoms and their classes are."""
        if self._class_digest is None:
            self._class_digest = hashlib.blake2b(self.index_digest + self.value_class.tobytes()).digest()
        return self._class_digest

    @staticmethod
    def of(index: AtomIndex) -> Group:
        size = len(index)
        digest = index.digest
        unknown = np.full(size, -1, np.int32)
        group = Group(index, np.zeros(size), np.zeros(size, np.int32), np.zeros(size, bool), unknown)
        group.index_digest = digest
        return group


def class_ids(columns: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Number distinct rows of the columns (all of one length): class of each row, first row of each class."""
    classes, first = ranked_rows(columns, len(columns[0]))
    return classes.astype(np.int32), first


def multiset_ids(segment_start: np.ndarray, item: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Number segments of (item, count) pairs so that equal numbers mean equal segments.

    Segments are not empty and their items ascend. Equality is found by hashing and then verified, so it is exact.
    """
    lengths = np.diff(np.append(segment_start, len(item)))
    size = int(item.max(initial=0)) + 1
    for seed in range(100):
        random = np.random.default_rng(seed)
        hashes = []
        for _ in range(2):
            codes = random.integers(0, 2**64, size, np.uint64)
            hashes.append(np.add.reduceat(codes[item] * count.astype(np.uint64), segment_start))
        order = np.lexsort(hashes)
        changed = np.zeros(len(order), bool)
        for value in (*hashes, lengths):
            changed[1:] |= value[order][1:] != value[order][:-1]
        ids = np.empty(len(order), np.int32)
        ids[order] = np.cumsum(changed)
        _, first = np.unique(ids, return_index=True)
        model = first[ids]
        # Each pair is compared with the pair at the same place in the first segment of its class.
        shift = np.repeat(segment_start[model] - segment_start, lengths)
        place = np.arange(len(item)) + shift
        if (lengths[model] == lengths).all() and (item[place] == item).all() and (count[place] == count).all():
            return ids
    raise AssertionError("no hash function tells these segments apart")

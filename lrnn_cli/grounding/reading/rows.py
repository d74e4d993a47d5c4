"""From what a SWI-Prolog process writes to tables of objects.

Each process numbers the objects of its examples from 1. It writes these identifiers as characters, so it leaves out the
surrogates of Unicode; an example that would have some of them begins behind them. Here identifiers become numbers over
the whole data set.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lrnn_cli.engine.process import PrologProcess
from lrnn_cli.grounding.tables import Table

SURROGATES = (0xD800, 0xE000)


@dataclass
class PartOfFile:
    """What one process holds: examples `first_example` onwards, objects `first_object` onwards.

    example_objects: (examples,) how many objects each has; weights: those of facts, which have indices from 1.
    """

    process: PrologProcess
    first_example: int
    first_object: int
    example_objects: np.ndarray
    weights: np.ndarray

    def __post_init__(self) -> None:
        self.examples = len(self.example_objects)
        ends = np.cumsum(self.example_objects)
        self.objects = int(ends[-1]) if len(ends) else 0
        room = SURROGATES[0] - 1
        self._below = room if self.objects <= room else int(ends[ends <= room].max(initial=0))
        """How many objects have identifiers below the surrogates, those included that evaluation makes."""

    def rank(self, identifiers: np.ndarray) -> np.ndarray:
        """(identifiers,) their places from 0 among all objects."""
        ranks = identifiers - np.int32(1)
        if int(identifiers.max(initial=0)) < SURROGATES[1]:
            return ranks
        return np.asarray(ranks - np.int32(SURROGATES[1] - 1 - self._below) * (identifiers >= SURROGATES[1]))

    def identifier(self, ranks: np.ndarray) -> np.ndarray:
        """(ranks,) the identifiers of objects from their places."""
        return np.asarray(ranks + np.where(ranks < self._below, 1, SURROGATES[1] - self._below))

    def ask(self, request: str) -> dict[str, Any]:
        return self.process.ask(request)


class MadeObjects:
    """Objects that evaluation made: negative numbers until all tables are there, then numbers after all others."""

    def __init__(self, parts: list[PartOfFile]) -> None:
        self._parts = parts

    def numbered(self, number: int, identifiers: np.ndarray) -> np.ndarray:
        """Identifiers of one process as numbers of objects."""
        part = self._parts[number]
        ranks = part.rank(identifiers)
        if int(ranks.max(initial=0)) < part.objects:
            return np.asarray(ranks + np.int32(part.first_object))
        made = -1 - ((ranks - part.objects) * len(self._parts) + number)
        return np.where(ranks < part.objects, ranks + part.first_object, made).astype(np.int32)

    def finish(self, tables: list[Table]) -> tuple[list[str], Any]:
        """The names of the objects made, and a function that gives a table their final numbers."""
        pairs = [
            np.stack([np.broadcast_to(table.example[:, None], table.objects.shape)[mask], table.objects[mask]], 1)
            for table in tables
            if (mask := table.objects < 0).any()
        ]
        if not pairs:
            return [], None
        distinct = np.unique(np.concatenate(pairs), axis=0)
        named: list[tuple[int, str, int]] = []
        for number, part in enumerate(self._parts):
            codes = -1 - distinct[:, 1]
            mine = distinct[codes % len(self._parts) == number]
            identifiers = part.identifier((-1 - mine[:, 1]) // len(self._parts) + part.objects)
            locals_ = mine[:, 0] - part.first_example + 1
            request = ", ".join(f"{e}-{i}" for e, i in zip(locals_.tolist(), identifiers.tolist(), strict=True))
            names = part.ask(f"names([{request}])")["names"]
            named += zip(mine[:, 0].tolist(), names, mine[:, 1].tolist(), strict=True)
        named.sort()
        first = sum(part.objects for part in self._parts)
        codes = np.array([code for _, _, code in named])
        order = np.argsort(codes)

        def final(table: Table) -> Table:
            objects = table.objects.copy()
            mask = objects < 0
            objects[mask] = first + order[np.searchsorted(codes, objects[mask], sorter=order)]
            return replace(table, objects=objects)

        return [name for _, name, _ in named], final


def read_rows(
    part: PartOfFile, columns: int, convert: Callable[[np.ndarray], np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Decode what one process wrote last: example (rows,) from 0, converted identifiers (rows, columns).

    Rows come in levels that share their beginnings; `lrnn_rows.pl` says how.
    """
    levels = part.process.reply["levels"]
    wide = part.process.reply["wide"]
    example = _pairs(np.frombuffer(part.process.rows(0), np.int32)) - 1
    records = []
    parents = []
    for number, level in enumerate(levels, 1):
        codes = np.frombuffer(part.process.rows(number), np.int32)
        mark = codes == 0
        parent = np.cumsum(mark, dtype=np.int32)[~mark] - 1
        codes = codes[~mark]
        if wide:
            codes, parent = _pairs(codes), parent[::2]
        records.append(convert(codes).reshape(-1, len(level)))
        parents.append(parent[:: len(level)])
    if not levels:
        return example, np.zeros((len(example), 0), np.int32)
    rows = np.empty((len(records[-1]), columns), np.int32)
    chosen: np.ndarray | slice = slice(None)
    for level, record, parent in zip(reversed(levels), reversed(records), reversed(parents), strict=True):
        rows[:, level] = record[chosen]
        chosen = parent[chosen]
    return example[chosen], rows


def _pairs(codes: np.ndarray) -> np.ndarray:
    """Integers written as two codes each."""
    return np.asarray((codes[0::2] - 1) * 0x8000 + (codes[1::2] - 1))

"""Collapsed groundings to the network of all that they stand for."""

from __future__ import annotations

import hashlib

import numpy as np

from lrnn_cli.errors import NetworkError
from lrnn_cli.grounding.atoms import AtomIndex, Group
from lrnn_cli.grounding.collapsed import literal_groups
from lrnn_cli.grounding.groundings import Groundings
from lrnn_cli.grounding.program import Way, derivations
from lrnn_cli.grounding.tables import Table
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.network.compile import Compiler, Literal


class CollapsedCompiler(Compiler):
    """Classes atoms of collapsed groundings: several that came from different parts may be one."""

    def __init__(self, groundings: Groundings) -> None:
        assert groundings.collapsed is not None
        self._collapsed = groundings.collapsed
        ways = [(name, way) for name, ways in derivations(groundings.program).items() for way in ways]
        self._heads = dict(zip(ways, self._collapsed.heads, strict=True))
        super().__init__(groundings)

    def _make_groups(self) -> None:
        self.derivations = derivations(self.program)
        for name, atoms in self._collapsed.atoms.items():
            size = len(atoms.fact_sum)
            # An atom is its own only object.
            index = AtomIndex([Table(np.zeros(size, np.int32), np.arange(size, dtype=np.int32)[:, None])], max(1, size))
            group = Group.of(index)
            group.index_digest = hashlib.blake2b(str(name).encode()).digest()
            group.fact_sum[:] = atoms.fact_sum
            group.fact_count[:] = atoms.has_fact
            self.groups[name] = group
            if name not in self.derivations:
                self._class_soft(name, group)
        self.head_position = {way: heads.atom for way, heads in self._heads.items()}

    def _find_literals(self) -> None:
        for number, groups in enumerate(literal_groups(self.program)):
            columns = self._collapsed.tables[number].T
            self.literals[number] = [Literal(name, column) for name, column in zip(groups, columns, strict=True)]

    def _atoms_asked(self, name: Predicate, queries: np.ndarray) -> np.ndarray:
        return np.asarray(self._collapsed.query_atom[queries])

    def rows_of(self, name: Predicate, way: Way, entries: np.ndarray | None) -> np.ndarray:
        row = self._heads[name, way].row
        return row if entries is None else row[entries]

    def counts_of(self, name: Predicate, way: Way, entries: np.ndarray | None) -> np.ndarray:
        count = self._heads[name, way].count
        return count if entries is None else count[entries]

    def _cycle_error(self, cycle: list[tuple[Predicate, np.ndarray]]) -> NetworkError:
        return NetworkError(f"{self.groundings.origin}: atoms depend on themselves; ground again")

    def size_of(self, table: int) -> int:
        return len(self._collapsed.tables[table])


def compiler_of(groundings: Groundings) -> Compiler:
    """The compiler for groundings, be they collapsed or not."""
    return Compiler(groundings) if groundings.collapsed is None else CollapsedCompiler(groundings)

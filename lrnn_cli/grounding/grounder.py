"""The interface of grounders, and how they are found by name.

A package adds a grounder with an entry point of the group `lrnn.grounders`: a callable that takes
`GrounderOptions` and returns a Grounder.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import entry_points
from types import TracebackType
from typing import Protocol

import numpy as np

from lrnn_cli.errors import LrnnError
from lrnn_cli.grounding.groundings import Groundings
from lrnn_cli.grounding.tables import SoftFacts, Table, part, soft_part
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.data import DataSet
from lrnn_cli.language.files import Source
from lrnn_cli.language.template import Template

GROUP = "lrnn.grounders"


@dataclass(frozen=True)
class GrounderOptions:
    """What a grounder may take.

    jobs: processes at most; memory_limit: MB for each, and for DuckDB, 0 for none; time_limit: seconds for all work
    together; table_memory: bytes for a table of groundings with all that is computed from it, 0 for no limit.
    """

    jobs: int = 1
    memory_limit: int = 0
    time_limit: float | None = None
    report: Callable[[str], None] = lambda text: None
    """Called with what is going on."""
    warn: Callable[[str], None] = lambda text: None
    """Called with what is probably not meant."""
    table_memory: int = 0


@dataclass(frozen=True)
class Knowledge:
    """All that is true in the examples, be it given or derived by background clauses.

    soft: the weighted facts; objects: how many there are; names: gives the names of all objects.
    """

    tables: dict[Predicate, Table]
    soft: dict[Predicate, SoftFacts]
    objects: int
    names: Callable[[], list[str]]

    def part(self, examples: np.ndarray) -> Knowledge:
        """What is true in these examples, without predicates that are true of nothing there."""
        tables = {predicate: part(table, examples) for predicate, table in self.tables.items()}
        soft = {predicate: soft_part(facts, examples) for predicate, facts in self.soft.items()}
        return replace(
            self,
            tables={predicate: table for predicate, table in tables.items() if len(table)},
            soft={predicate: facts for predicate, facts in soft.items() if len(facts.weight)},
        )


class Grounder(Protocol):
    """Reads files and computes groundings. Used as a context manager; leaving it frees everything at once."""

    def __enter__(self) -> Grounder: ...

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None: ...

    def read_template(self, source: Source) -> Template:
        """Read a template or model file that is not an ensemble."""
        ...

    def read_model(self, source: Source) -> list[Template]:
        """Read the members of an ensemble, or the only one of another template or model file."""
        ...

    def load(self, source: Source) -> DataSet:
        """Read a data file and keep its facts."""
        ...

    def ground(
        self, template: Template, data: DataSet, examples: Sequence[int] | None = None, names: bool = False
    ) -> Groundings:
        """All active groundings of the template in these examples (all if None) that queries can see.

        With `names` they carry the names of objects, to be kept or shown.
        """
        ...

    def relations(
        self, data: DataSet, examples: Sequence[int] | None = None
    ) -> tuple[dict[Predicate, Table], dict[Predicate, SoftFacts]]:
        """The facts of these examples (all if None): all atoms, and the weighted ones."""
        ...

    def names(self, data: DataSet) -> list[str]:
        """The names of all objects of the data, in their order, as Prolog writes them."""
        ...

    def knowledge(self, data: DataSet, examples: Sequence[int] | None = None) -> Knowledge:
        """The facts of these examples (all if None), and the atoms that background clauses derive in them."""
        ...


def grounder_names() -> list[str]:
    return sorted({"swi", "duckdb", *(point.name for point in entry_points(group=GROUP))})


def open_grounder(name: str, options: GrounderOptions) -> Grounder:
    """The grounder called `name`."""
    if name == "swi":
        from lrnn_cli.grounding.swi.grounder import SwiGrounder

        return SwiGrounder(options)
    if name == "duckdb":
        from lrnn_cli.grounding.duckdb.grounder import DuckdbGrounder

        return DuckdbGrounder(options)
    for point in entry_points(group=GROUP):
        if point.name == name:
            grounder: Grounder = point.load()(options)
            return grounder
    raise LrnnError(f"there is no grounder {name}; there are {', '.join(grounder_names())}")

"""The interface of grounders, and how they are found by name.

A package adds a grounder with an entry point of the group `lrnn.grounders`: a callable that takes
`GrounderOptions` and returns a Grounder.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from lrnn_cli.errors import LrnnError
from lrnn_cli.grounding.facts import ExampleFacts
from lrnn_cli.grounding.objects import object_numbers
from lrnn_cli.grounding.program import Program
from lrnn_cli.grounding.tables import SoftFacts, Table, part, soft_part
from lrnn_cli.language.clauses import Predicate

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

    from lrnn_cli.engine.process import PrologProcess
    from lrnn_cli.grounding.session import GroundingSession

GROUP = "lrnn.grounders"
REMEDY = "use --grounder swi"
"""What to do about a program that a grounder can't ground: SWI-Prolog takes all."""


@dataclass(frozen=True)
class GrounderOptions:
    """What a reader and a grounder may take.

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

    soft: the weighted facts; objects: how many there are; names: gives the names of all objects; unlisted: background
    predicates of which not all atoms are known.
    """

    tables: dict[Predicate, Table]
    soft: dict[Predicate, SoftFacts]
    objects: int
    names: Callable[[], Sequence[str]]
    unlisted: frozenset[Predicate] = frozenset()

    def numbers(self) -> np.ndarray:
        """The number that each object is, (objects,), not a number for others."""
        return object_numbers(self.names())

    def part(self, examples: np.ndarray) -> Knowledge:
        """What is true in these examples, without predicates that are true of nothing there."""
        tables = {predicate: part(table, examples) for predicate, table in self.tables.items()}
        soft = {predicate: soft_part(facts, examples) for predicate, facts in self.soft.items()}
        return replace(
            self,
            tables={predicate: table for predicate, table in tables.items() if len(table)},
            soft={predicate: facts for predicate, facts in soft.items() if len(facts.weight)},
        )


@dataclass(frozen=True)
class GroundTables:
    """What a grounder finds.

    tables: of groundings, one for each of `Program.tables`; atoms: of predicates, true without the rules of a template;
    made: names of objects that are in the tables but not in the data, numbered from `ExampleFacts.objects` on.
    """

    tables: tuple[Table, ...]
    atoms: dict[Predicate, Table]
    made: tuple[str, ...] = ()


class Grounder(Protocol):
    """Computes least Herbrand models and tables of groundings over facts that have been read."""

    def ground(self, program: Program, facts: ExampleFacts) -> GroundTables:
        """All groundings of the bodies in `program.tables`, and the atoms of the predicates in `program.mixed`.

        What can't be grounded is a GroundingError.
        """
        ...

    def atoms(self, predicates: Sequence[Predicate], facts: ExampleFacts) -> GroundTables:
        """All atoms of predicates with background clauses, facts of the data included; there are no tables.

        Predicates that can't be enumerated are left out, with a warning.
        """
        ...


def unlisted(data: str, predicate: Predicate) -> str:
    """The warning for a predicate that is left out of what is known."""
    return f"{data}: {predicate} can be evaluated with bound arguments only; learned rules won't use it"


def _added() -> EntryPoints:
    """Grounders of other packages."""
    # It takes long to import.
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)


def grounder_names() -> list[str]:
    return sorted({"swi", "duckdb", "joins", *_added().names})


def make_grounder(name: str, options: GrounderOptions) -> Grounder:
    """The grounder called `name`."""
    if name == "swi":
        from lrnn_cli.grounding.swi.grounder import SwiGrounder

        return SwiGrounder(options)
    if name == "duckdb":
        from lrnn_cli.grounding.duckdb.grounder import DuckdbGrounder

        return DuckdbGrounder(options)
    if name == "joins":
        from lrnn_cli.grounding.joins.programs import JoinsGrounder

        return JoinsGrounder(options)
    for point in _added():
        if point.name == name:
            grounder: Grounder = point.load()(options)
            return grounder
    raise LrnnError(f"there is no grounder {name}; there are {', '.join(grounder_names())}")


def open_grounder(name: str, options: GrounderOptions, started: PrologProcess | None = None) -> GroundingSession:
    """A reader, and the grounder called `name` over what it has read; see `GroundingSession`."""
    from lrnn_cli.grounding.session import GroundingSession

    return GroundingSession(make_grounder(name, options), options, started)

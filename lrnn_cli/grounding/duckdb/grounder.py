"""A grounder for function-free programs: DuckDB joins tables of the facts.

Rules and background clauses become SQL over tables of integers. The tables of groundings are those of the default
grounder, their rows in ascending order.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from lrnn_cli.errors import GroundingError, about
from lrnn_cli.grounding.duckdb.database import Database, check_installed
from lrnn_cli.grounding.duckdb.function_free import FunctionFree, Place, function_free, function_free_background
from lrnn_cli.grounding.duckdb.herbrand import Constants, HerbrandModel
from lrnn_cli.grounding.facts import ExampleFacts
from lrnn_cli.grounding.grounder import REMEDY, GrounderOptions, GroundTables
from lrnn_cli.grounding.program import Program
from lrnn_cli.grounding.tables import Table
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.data import DataSet


def placed(place: Place) -> AbstractContextManager[None]:
    """Say where the rule or clause stands that takes too much."""
    return about(f"{place.file}:{place.line}:{place.column}")


class DuckdbGrounder:
    """Grounds with DuckDB; see `Grounder` for the interface."""

    def __init__(self, options: GrounderOptions) -> None:
        check_installed()
        self.options = options
        self._deadline = None if options.time_limit is None else time.monotonic() + options.time_limit

    def ground(self, program: Program, facts: ExampleFacts) -> GroundTables:
        clauses = function_free(program, facts.data)
        tables = []
        with self._model(clauses, facts) as model:
            for definition, skeleton in zip(clauses.tables, program.tables, strict=True):
                with placed(definition.place):
                    tables.append(model.groundings(definition, skeleton.queried))
                count = f"table {len(tables)} of {len(program.tables)}, {len(tables[-1])} rows"
                self.options.report(f"grounding: {count}")
            with about(facts.data.name):
                atoms = {predicate: model.crisp(predicate) for predicate in program.mixed}
        return _numbered(tables, atoms, model.constants)

    def atoms(self, predicates: Sequence[Predicate], facts: ExampleFacts) -> GroundTables:
        listed = [predicate for predicate in predicates if self._is_listed(predicate, facts.data)]
        if not listed:
            return GroundTables((), {})
        with self._model(function_free_background(listed, facts.data), facts) as model, about(facts.data.name):
            atoms = {predicate: model.crisp(predicate) for predicate in listed}
        return _numbered([], atoms, model.constants)

    def _is_listed(self, predicate: Predicate, data: DataSet) -> bool:
        try:
            function_free_background([predicate], data)
        except GroundingError:
            self.options.warn(f"{data.name}: DuckDB can't list {predicate}, so learned rules won't use it; {REMEDY}")
            return False
        return True

    @contextmanager
    def _model(self, clauses: FunctionFree, facts: ExampleFacts) -> Iterator[HerbrandModel]:
        """The least Herbrand model of all clauses but those of tables."""
        names = facts.names() if clauses.constants or clauses.compares else []
        constants = Constants(clauses.constants, facts.data, facts.active, names)
        known = facts.tables(predicate for predicate in facts.data.predicates if predicate in clauses.used)
        with Database(self.options, self._deadline) as database:
            with about(facts.data.name):
                model = HerbrandModel(database, clauses, facts.data, known, facts.queries, constants, names)
            for stratum in clauses.strata:
                with placed(stratum.place):
                    model.extend(stratum)
            yield model


def _numbered(tables: list[Table], atoms: dict[Predicate, Table], constants: Constants) -> GroundTables:
    """Keep the objects that were made and are used."""
    made, final = constants.finish([*tables, *atoms.values()])
    return GroundTables(
        tuple(map(final, tables)), {predicate: final(table) for predicate, table in atoms.items()}, made
    )

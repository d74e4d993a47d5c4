"""A grounder for function-free programs: SWI-Prolog reads the files, DuckDB joins.

Rules and background clauses become SQL over tables of integers. The tables of groundings are those of the default
grounder, their rows in ascending order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from lrnn_cli.errors import LimitError
from lrnn_cli.grounding.checks import check_program
from lrnn_cli.grounding.duckdb.database import Database, check_installed
from lrnn_cli.grounding.duckdb.function_free import FunctionFree, function_free
from lrnn_cli.grounding.duckdb.herbrand import Constants, Model
from lrnn_cli.grounding.grounder import GrounderOptions
from lrnn_cli.grounding.groundings import Groundings, Names
from lrnn_cli.grounding.program import Facts, plan_program
from lrnn_cli.grounding.swi.grounder import SwiGrounder
from lrnn_cli.grounding.tables import SoftFacts, Table, part, soft_part
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.data import DataSet
from lrnn_cli.language.files import Source
from lrnn_cli.language.template import Template


@contextmanager
def placed(name: str, line: int, column: int) -> Iterator[None]:
    """Say where the rule or clause stands that takes too much."""
    try:
        yield
    except LimitError as error:
        raise LimitError(f"{name}:{line}:{column}: {error}") from None


class DuckdbGrounder(SwiGrounder):
    """Reads as SWI-Prolog does and grounds with DuckDB; see `Grounder` for the interface."""

    def __init__(self, options: GrounderOptions) -> None:
        check_installed()
        super().__init__(options)
        self._tables: dict[Predicate, Table] = {}
        self._soft: dict[Predicate, SoftFacts] = {}

    def load(self, source: Source) -> DataSet:
        self._tables = {}
        self._soft = {}
        return super().load(source)

    def ground(
        self, template: Template, data: DataSet, examples: Sequence[int] | None = None, names: bool = False
    ) -> Groundings:
        for warning in check_program(template, data):
            self.options.warn(warning)
        program = function_free(plan_program(template, Facts.of(data), data.background), data)
        active = np.arange(len(data.example_name)) if examples is None else np.unique(np.asarray(examples, np.int64))
        queries = data.queries.select(np.isin(data.queries.example, active).nonzero()[0])
        facts, soft = self._facts(program, data, active)
        # Recursion may end in a cycle, which is shown by names.
        shown = names or program.plan.recursive
        blob = self._object_names() if shown or program.constants or program.compares else b""
        known = Names(data.first_object, blob, ()).all()
        constants = Constants(program.constants, data, active, known)
        with Database(self.options, self._deadline) as database:
            model = Model(database, program, data, facts, queries, constants, known)
            for extension, definitions in program.extensions:
                file = data.name if extension.level == "crisp" else template.name
                with placed(file, extension.line, extension.column):
                    model.extend(extension, definitions)
            tables = []
            for number, definition in enumerate(program.tables):
                with placed(*definition.place):
                    tables.append(model.groundings(definition, program.plan.tables[number].queried))
                size = len(tables[-1])
                self.options.report(f"grounding: table {number + 1} of {len(program.tables)}, {size} rows")
            mixed = {predicate: model.crisp(predicate) for predicate in program.plan.mixed}
        made, final = constants.finish([*tables, *mixed.values()])
        return Groundings(
            program.plan,
            tuple(map(final, tables)),
            {predicate: final(table) for predicate, table in mixed.items()},
            soft,
            queries,
            data.example_name,
            int(data.first_object[-1]) + len(made),
            data.name,
            data.digest,
            Names(data.first_object, blob if shown else b"", made),
        )

    def _facts(
        self, program: FunctionFree, data: DataSet, active: np.ndarray
    ) -> tuple[dict[Predicate, Table], dict[Predicate, SoftFacts]]:
        """The facts and weighted facts of active examples that a program uses. SWI-Prolog is asked for each once."""
        used = {predicate: count for predicate, count in data.predicates.items() if predicate in program.used}
        missing = {predicate: count for predicate, count in used.items() if predicate not in self._tables}
        tables, soft = self.relations(
            replace(data, predicates=missing, soft=frozenset(program.plan.soft) - self._soft.keys())
        )
        self._tables |= tables
        self._soft |= soft
        weighted = {predicate: soft_part(self._soft[predicate], active) for predicate in program.plan.soft}
        return {predicate: part(self._tables[predicate], active) for predicate in used}, weighted

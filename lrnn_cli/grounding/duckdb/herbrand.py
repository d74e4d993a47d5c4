"""The least Herbrand model of a function-free program as tables of a database.

A predicate is looked up on levels: `derived` holds predicates with rules in the
template, `crisp` those of the data and the background. Recursive predicates are extended semi-naively: in each
round one atom of a body is taken from what the round before added, until a round adds nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from lrnn_cli.errors import GroundingError, LimitError
from lrnn_cli.grounding.duckdb.database import Database
from lrnn_cli.grounding.duckdb.function_free import Definition, FunctionFree, Stratum
from lrnn_cli.grounding.duckdb.goals import SqlClause
from lrnn_cli.grounding.duckdb.sql import Select, Use, background_facts, compared, failures
from lrnn_cli.grounding.grounder import REMEDY
from lrnn_cli.grounding.objects import object_arrays
from lrnn_cli.grounding.program import variable
from lrnn_cli.grounding.tables import Table, most_rows, row_keys, too_many
from lrnn_cli.language.clauses import Constant, Predicate
from lrnn_cli.language.data import DataSet, Queries


class Constants:
    """The constants of clauses as objects: in each example the one of that name, or else one that is made.

    Objects that are made have numbers after all others, in the order of examples and names.
    """

    def __init__(self, constants: Sequence[Constant], data: DataSet, active: np.ndarray, names: Sequence[str]) -> None:
        self.texts = [constant.text for constant in constants]
        self.number = {constant: number for number, constant in enumerate(constants)}
        self.first = int(data.first_object[-1])
        by_text = {text: number for number, text in enumerate(self.texts)}
        code = np.fromiter((by_text.get(name, -1) for name in names), np.int64, len(names))
        known = (code >= 0).nonzero()[0]
        everywhere = np.full((len(data.example_name), len(constants)), -1)
        everywhere[np.searchsorted(data.first_object, known, "right") - 1, code[known]] = known
        self.active = active
        self.objects = everywhere[active]
        """(active examples, constants)"""
        missing = self.objects < 0
        self.made = missing.nonzero()[1]
        """The constant of each object that is made."""
        self.objects[missing] = self.first + np.arange(len(self.made))

    def columns(self) -> dict[str, np.ndarray]:
        examples, constants = self.objects.shape
        return {
            "k": np.tile(np.arange(constants), examples),
            "e": np.repeat(self.active, constants),
            "c": self.objects.ravel(),
        }

    def finish(self, tables: Iterable[Table]) -> tuple[tuple[str, ...], Callable[[Table], Table]]:
        """The names of objects that were made and are in these tables, and a function that numbers them anew."""
        made = [table.objects[table.objects >= self.first] for table in tables]
        used = np.unique(np.concatenate([np.empty(0, np.int32), *made]))

        def final(table: Table) -> Table:
            objects = table.objects
            mask = objects >= self.first
            if mask.any():
                objects[mask] = self.first + np.searchsorted(used, objects[mask])
            return table

        return tuple(self.texts[self.made[number - self.first]] for number in used), final


class HerbrandModel:
    """Tables of atoms that are true in the active examples; see `sql.py` for their columns."""

    def __init__(
        self,
        database: Database,
        program: FunctionFree,
        data: DataSet,
        facts: Mapping[Predicate, Table],
        queries: Queries,
        constants: Constants,
        names: Sequence[str],
    ) -> None:
        """`facts` and `queries` are those of the active examples; `names` of objects are needed for comparisons."""
        self.database = database
        self.program = program
        self.data = data
        self.facts = facts
        self.queries = queries
        self.constants = constants
        self._tables: dict[str, dict[Predicate, str]] = {"crisp": {}, "derived": {}}
        database.store("active", {"e": constants.active})
        database.store("constant", constants.columns())
        if program.compares:
            texts = [*names, *(constants.texts[number] for number in constants.made)]
            database.store("object", {"c": np.arange(len(texts)), **object_arrays(texts)})

    def extend(self, stratum: Stratum) -> None:
        """Add the atoms of predicates that depend on each other."""
        level, predicates, definitions, _ = stratum
        full = {}
        for predicate in predicates:
            given = self._given(predicate) if level == "crisp" else [f"SELECT * FROM {self._table(predicate, 'crisp')}"]
            selects = [
                self._select(item.clause, level)
                for item in definitions
                if item.head == predicate and not _recursive_atoms(item.clause, predicates)
            ]
            full[predicate], _ = self._union(predicate, [*given, *selects])
        self._tables[level] |= full
        new = full
        while new:
            selects_of: dict[Predicate, list[str]] = {}
            for item in definitions:
                for position in _recursive_atoms(item.clause, predicates):
                    atom = item.clause.atoms[position]
                    if atom.predicate in new:
                        select = self._select(item.clause, level, {position: new[atom.predicate]})
                        selects_of.setdefault(item.head, []).append(select)
            extended = {
                predicate: self._union(predicate, selects, full[predicate]) for predicate, selects in selects_of.items()
            }
            if new is not full:
                self.database.drop(new.values())
            new = {predicate: table for predicate, (table, rows) in extended.items() if rows}
            for predicate, table in new.items():
                self.database.run(f"INSERT INTO {full[predicate]} SELECT * FROM {table}")
        if level == "crisp":
            for item in definitions:
                self._check_comparisons(item, level)

    def groundings(self, definition: Definition, queried: tuple[Predicate, tuple[int, ...]] | None) -> Table:
        """The solutions of a body, in ascending order; of `queried` only those whose head is asked for."""
        self._check_comparisons(definition, "derived")
        asked = [] if queried is None else [Use(self._queried(queried[0]), tuple(map(variable, queried[1])))]
        columns = len(definition.clause.terms)
        sql = self._select(definition.clause, "derived", more=asked)
        most = most_rows(self.database.options.table_memory, columns)
        if most:
            # One row more than there may be tells that there are too many, and no more than that are made.
            rows = self._rows(f"{sql} LIMIT {most + 1}", columns)
            if len(rows) > most:
                raise LimitError(too_many(most))
            return rows
        return self._rows(sql, columns)

    def crisp(self, predicate: Predicate) -> Table:
        """The atoms of a predicate that are true without the template, in ascending order."""
        return self._rows(f"SELECT * FROM {self._table(predicate, 'crisp')}", predicate.arity)

    # SQL

    def _select(
        self, clause: SqlClause, level: str, instead: Mapping[int, str] | None = None, more: Sequence[Use] = ()
    ) -> str:
        """The solutions of a clause; `instead` are tables to use for the atoms at these positions."""
        uses = self._uses(clause, level)
        for position, table in (instead or {}).items():
            uses[position] = uses[position]._replace(table=table)
        absent = [Use(self._table(atom.predicate, "crisp"), atom.terms) for atom in clause.negations]
        return str(Select(clause.terms, [*uses, *more], absent, clause.tests, self.constants.number))

    def _uses(self, clause: SqlClause, level: str) -> list[Use]:
        return [Use(self._table(atom.predicate, level), atom.terms) for atom in clause.atoms]

    def _union(self, predicate: Predicate, selects: Sequence[str], without: str | None = None) -> tuple[str, int]:
        """A new table of the distinct rows of some statements, and their number; `without` those of a table."""
        columns = ["e", *(f"c{number}" for number in range(predicate.arity))]
        if not selects:
            selects = ["SELECT " + ", ".join(f"0::INTEGER AS {column}" for column in columns) + " LIMIT 0"]
        rows = f"SELECT DISTINCT * FROM ({' UNION ALL '.join(selects)})"
        if without:
            rows = f"SELECT * FROM ({rows}) ANTI JOIN {without} USING ({', '.join(columns)})"
        return self.database.create(rows)

    def _check_comparisons(self, definition: Definition, level: str) -> None:
        clause = definition.clause
        for test, sql in failures(self._uses(clause, level), clause.tests, self.constants.number):
            if len(self.database.run(sql)["e"]):
                what = "numbers that floats hold exactly" if compared(test) == "number" else "numbers and plain atoms"
                file, line, column = definition.place
                raise GroundingError(
                    f"{file}:{line}:{column}: {test.name} meets other objects than {what}, which DuckDB can't "
                    f"compare as Prolog does; {REMEDY}"
                )

    # Tables

    def _table(self, predicate: Predicate, level: str) -> str:
        """The table of a predicate on a level, or below where the level does not define it."""
        tables = self._tables[level]
        if predicate in tables:
            return tables[predicate]
        crisp = self._tables["crisp"]
        if predicate not in crisp and predicate in self.facts and predicate not in self.program.background:
            crisp[predicate] = self._store(self.facts[predicate])
        elif predicate not in crisp:
            crisp[predicate], _ = self._union(predicate, self._given(predicate))
        return crisp[predicate]

    def _given(self, predicate: Predicate) -> list[str]:
        """Statements for the facts of a predicate."""
        given = []
        if predicate in self.facts:
            given.append(f"SELECT * FROM {self._store(self.facts[predicate])}")
        if predicate in self.program.background:
            rows = [
                [self.constants.number[term] for term in fact.terms if isinstance(term, Constant)]
                for fact in self.program.background[predicate]
            ]
            keys = np.array(rows, np.int32).reshape(len(rows), predicate.arity)
            columns = {f"k{number}": column for number, column in enumerate(keys.T)}
            table = self.database.store(self.database.new_name(), columns) if columns else ""
            given.append(background_facts(table, predicate.arity))
        return given

    def _queried(self, predicate: Predicate) -> str:
        """The table of queried atoms of a predicate."""
        queries = self.queries
        if predicate not in queries.predicate:
            return self._union(predicate, [])[0]
        asked = queries.predicate_index == queries.predicate.index(predicate)
        table = Table(queries.example[asked], queries.argument[asked, : predicate.arity])
        return self._union(predicate, [f"SELECT * FROM {self._store(table)}"])[0]

    def _store(self, table: Table) -> str:
        columns = {"e": table.example} | {f"c{number}": column for number, column in enumerate(table.objects.T)}
        return self.database.store(self.database.new_name(), columns)

    def _rows(self, sql: str, columns: int) -> Table:
        result = self.database.run(sql)
        example = result.pop("e")
        order = np.argsort(sorting_keys(example, list(result.values()), self.data.first_object))
        objects = np.empty((len(example), columns), np.int32)
        for number in range(columns):
            objects[:, number] = result.pop(f"c{number}")[order]
        return Table(example[order], objects)


def sorting_keys(example: np.ndarray, columns: Sequence[np.ndarray], first_object: np.ndarray) -> np.ndarray:
    """An integer for each row, ordered as the rows are: (rows,) int64.

    A column counts the objects of its own example only, so that keys of rather wide rows are still small enough.
    """
    size = np.diff(first_object).astype(np.int64)
    count = int(first_object[-1])
    first = first_object[example]
    made = any(int(column.max(initial=0)) >= count for column in columns)
    with np.errstate(over="ignore"):
        too_many = (size.astype(float) ** len(columns)).sum() >= 2**62
    if made or too_many:
        return row_keys([example, *(column - first for column in columns)], len(example))
    radix = size[example]
    keys = np.zeros(len(example), np.int64)
    for column in columns:
        keys *= radix
        keys += column - first
    keys += (np.cumsum(size ** len(columns)) - size ** len(columns))[example]
    return keys


def _recursive_atoms(clause: SqlClause, predicates: Sequence[Predicate]) -> list[int]:
    return [position for position, atom in enumerate(clause.atoms) if atom.predicate in predicates]

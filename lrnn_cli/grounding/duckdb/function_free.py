"""A program as function-free clauses, or the complaint that it is none.

What comes in is the program that every grounder plans (`program.py`); what goes out are its clauses over terms, for a
grounder that joins tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from lrnn_cli.errors import Fault, GroundingError, faults_error
from lrnn_cli.grounding.duckdb.goals import NotFunctionFree, SqlClause, background_clause, skeleton_clause
from lrnn_cli.grounding.duckdb.sql import OPERATOR, Select, Unbound, Use
from lrnn_cli.grounding.grounder import REMEDY
from lrnn_cli.grounding.objects import TESTS
from lrnn_cli.grounding.program import Extension, Facts, Program, background_extensions, variable
from lrnn_cli.language.clauses import Constant, Predicate
from lrnn_cli.language.data import BackgroundClause, DataSet

WIDEST = 100
"""How many columns a table may have: DuckDB's conditions grow with them."""


class TooWide(Exception):
    """A clause needs a table with too many columns."""


class Place(NamedTuple):
    file: str
    line: int
    column: int


class Definition(NamedTuple):
    """A clause of a predicate, and where it stands."""

    head: Predicate
    clause: SqlClause
    place: Place


class Stratum(NamedTuple):
    """Predicates that depend on each other, on a level of the model: `crisp` or `derived`."""

    level: str
    predicates: tuple[Predicate, ...]
    definitions: list[Definition]
    place: Place


@dataclass(frozen=True)
class FunctionFree:
    """The clauses of tables, those that define predicates, in the order of evaluation, and background facts."""

    tables: list[Definition]
    strata: list[Stratum]
    background: dict[Predicate, list[SqlClause]]
    used: set[Predicate]
    """Predicates whose facts matter."""

    @property
    def clauses(self) -> list[SqlClause]:
        definitions = [*self.tables, *(item for stratum in self.strata for item in stratum.definitions)]
        facts = [clause for clauses in self.background.values() for clause in clauses]
        return [*(definition.clause for definition in definitions), *facts]

    @property
    def constants(self) -> list[Constant]:
        return sorted({constant for clause in self.clauses for constant in clause.constants})

    @property
    def compares(self) -> bool:
        """Whether guards ask for more of objects than whether they are the same."""
        return any(test.name in OPERATOR or test.name in TESTS for clause in self.clauses for test in clause.tests)


class Translation:
    """Makes clauses function-free, and collects what is wrong with them."""

    def __init__(self) -> None:
        self.faults: dict[str, set[Fault]] = {}

    def definition(self, head: Predicate, make: Callable[[], SqlClause], place: Place) -> Definition:
        try:
            clause = make()
            check_width(head, clause)
            check_bound(clause)
            return Definition(head, clause, place)
        except NotFunctionFree as error:
            message = f"{error} is not function-free, so DuckDB can't ground it; {REMEDY}"
        except TooWide:
            message = f"more than {WIDEST} arguments or variables are too many for DuckDB; {REMEDY}"
        except Unbound:
            message = f"DuckDB can't enumerate this clause, since its body does not bind all its variables; {REMEDY}"
        self.faults.setdefault(place.file, set()).add(Fault(place.line, place.column, message))
        return Definition(head, SqlClause(()), place)

    def background(self, clause: BackgroundClause, file: str) -> Definition:
        place = Place(file, clause.line, clause.column)
        return self.definition(clause.head, partial(background_clause, clause), place)

    def strata(self, extensions: Iterable[Extension[BackgroundClause]], file: str) -> list[Stratum]:
        strata = []
        for extension in extensions:
            items = dict.fromkeys(self.background(clause, file) for clause in extension.clauses)
            place = Place(file, extension.line, extension.column)
            strata.append(Stratum("crisp", extension.predicates, list(items), place))
        return strata

    def finish(
        self, tables: list[Definition], strata: list[Stratum], more: Iterable[Predicate], data: DataSet
    ) -> FunctionFree:
        """With the background facts of predicates that clauses use, and of `more`; raise for all that is wrong."""
        definitions = [*tables, *(item for stratum in strata for item in stratum.definitions)]
        used = {atom.predicate for item in definitions for atom in (*item.clause.atoms, *item.clause.negations)}
        used.update(more, *(stratum.predicates for stratum in strata))
        facts: dict[Predicate, list[SqlClause]] = {}
        for fact in data.background:
            if fact.is_fact and fact.head in used:
                facts.setdefault(fact.head, []).append(self.background(fact, data.name).clause)
        if self.faults:
            errors = (str(faults_error(name, list(faults))) for name, faults in self.faults.items())
            raise GroundingError("\n".join(errors))
        return FunctionFree(tables, strata, facts, used)


def function_free(program: Program, data: DataSet) -> FunctionFree:
    """Take a program apart; raise for all of its clauses that are not function-free."""
    template = program.template
    translation = Translation()
    tables = []
    for skeleton, index in zip(program.tables, program.table_rule, strict=True):
        rule = template.rules[index]
        place = Place(template.name, rule.line, rule.column)
        tables.append(translation.definition(rule.head.predicate, partial(skeleton_clause, skeleton, rule), place))
    strata = translation.strata(program.background, data.name)
    for extension in program.derived:
        items = []
        for ground_rule in extension.clauses:
            _, clause, place = tables[ground_rule.table]
            terms = tuple(map(variable, ground_rule.head_columns))
            items.append(Definition(ground_rule.head, replace(clause, terms=terms), place))
        place = Place(template.name, extension.line, extension.column)
        strata.append(Stratum("derived", extension.predicates, items, place))
    return translation.finish(tables, strata, program.mixed, data)


def function_free_background(predicates: Sequence[Predicate], data: DataSet) -> FunctionFree:
    """The clauses that these background predicates depend on; raise for those that are not function-free."""
    translation = Translation()
    extensions = background_extensions(Facts.of(data), data.background, set(predicates))
    return translation.finish([], translation.strata(extensions, data.name), predicates, data)


def check_width(head: Predicate, clause: SqlClause) -> None:
    atoms = (*clause.atoms, *clause.negations)
    if max(head.arity, len(clause.terms), *(len(atom.terms) for atom in atoms), 0) > WIDEST:
        raise TooWide


def check_bound(clause: SqlClause) -> None:
    """Raise Unbound for a clause whose solutions can't be enumerated."""
    uses, absent = ([Use("", atom.terms) for atom in atoms] for atoms in (clause.atoms, clause.negations))
    str(Select(clause.terms, uses, absent, clause.tests, dict.fromkeys(clause.constants, 0)))

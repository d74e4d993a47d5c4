"""A program as function-free clauses, or the complaint that it is none.

What comes in is the program that every grounder plans (`program.py`); what goes out are its clauses over terms, for a
grounder that joins tables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from lrnn_cli.errors import Fault, GroundingError, faults_error
from lrnn_cli.grounding.duckdb.goals import KINDS, Clause, NotFunctionFree, background_clause, skeleton_clause
from lrnn_cli.grounding.duckdb.sql import OPERATOR, Select, Unbound, Use
from lrnn_cli.grounding.program import Extension, Program
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.data import BackgroundClause, DataSet

REMEDY = "use --grounder swi"
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
    clause: Clause
    place: Place


@dataclass(frozen=True)
class FunctionFree:
    """The clauses of tables, those that define the predicates of each extension, and background facts."""

    plan: Program
    tables: list[Definition]
    extensions: list[tuple[Extension, list[Definition]]]
    background: dict[Predicate, list[Clause]]
    used: set[Predicate]
    """Predicates whose facts matter."""

    @property
    def clauses(self) -> list[Clause]:
        definitions = [*self.tables, *(item for _, items in self.extensions for item in items)]
        facts = [clause for clauses in self.background.values() for clause in clauses]
        return [*(definition.clause for definition in definitions), *facts]

    @property
    def constants(self) -> list[str]:
        return sorted({constant for clause in self.clauses for constant in clause.constants})

    @property
    def compares(self) -> bool:
        """Whether guards ask for more of objects than whether they are the same."""
        return any(test.name in OPERATOR or test.name in KINDS for clause in self.clauses for test in clause.tests)


def function_free(program: Program, data: DataSet) -> FunctionFree:
    """Take a program apart; raise for all of its clauses that are not function-free."""
    template = program.template
    faults: dict[str, set[Fault]] = {}

    def checked(make: Callable[[], Clause], head: Predicate, place: Place) -> Clause:
        try:
            clause = make()
            atoms = (*clause.atoms, *clause.negations)
            if max(head.arity, len(clause.terms), *(len(atom.terms) for atom in atoms), 0) > WIDEST:
                raise TooWide
            check_bound(clause)
            return clause
        except NotFunctionFree as error:
            message = f"{error} is not function-free, so DuckDB can't ground it; {REMEDY}"
        except TooWide:
            message = f"more than {WIDEST} arguments or variables are too many for DuckDB; {REMEDY}"
        except Unbound:
            message = f"DuckDB can't enumerate this clause, since its body does not bind all its variables; {REMEDY}"
        faults.setdefault(place.file, set()).add(Fault(place.line, place.column, message))
        return Clause(())

    def background(clause: BackgroundClause) -> Definition:
        place = Place(data.name, clause.line, clause.column)
        return Definition(clause.head, checked(partial(background_clause, clause), clause.head, place), place)

    tables = []
    for skeleton, index in zip(program.tables, program.table_rule, strict=True):
        rule = template.rules[index]
        place = Place(template.name, rule.line, rule.column)
        head = rule.head.predicate
        tables.append(Definition(head, checked(partial(skeleton_clause, skeleton, rule), head, place), place))
    extensions = []
    for extension in program.extensions:
        if extension.level == "crisp":
            items = [background(c) for c in data.background if c.head in extension.predicates and not c.is_fact]
        else:
            items = []
            for ground_rule in program.rules:
                if ground_rule.head in extension.predicates:
                    _, clause, place = tables[ground_rule.table]
                    terms = tuple(f"V{column}" for column in ground_rule.head_columns)
                    items.append(Definition(ground_rule.head, replace(clause, terms=terms), place))
        extensions.append((extension, list(dict.fromkeys(items))))
    definitions = [*tables, *(item for _, items in extensions for item in items)]
    used = {atom.predicate for item in definitions for atom in (*item.clause.atoms, *item.clause.negations)}
    used.update(program.mixed, *(extension.predicates for extension, _ in extensions))
    facts: dict[Predicate, list[Clause]] = {}
    for fact in data.background:
        if fact.is_fact and fact.head in used:
            facts.setdefault(fact.head, []).append(background(fact).clause)
    if faults:
        raise GroundingError("\n".join(str(faults_error(name, list(found))) for name, found in faults.items()))
    return FunctionFree(program, tables, extensions, facts, used)


def check_bound(clause: Clause) -> None:
    """Raise Unbound for a clause whose solutions can't be enumerated."""
    uses, absent = ([Use("", atom.terms) for atom in atoms] for atoms in (clause.atoms, clause.negations))
    str(Select(clause.terms, uses, absent, clause.tests, dict.fromkeys(clause.constants, 0)))

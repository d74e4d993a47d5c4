"""Function-free clauses as SQL.

The atoms of a predicate stand in a table with the columns e (the example) and c0, c1 and so on (objects), integers all
of them. Tables have names that the grounder makes up, and no text of a user's file ever becomes part of SQL. Further
tables are

    active(e)                           the examples to ground
    constant(k, e, c)                   constant number k is object c in example e
    object(c, kind, number, place)      what guards ask of objects, see `objects.py`

An object belongs to one example only, so tables that share a variable need no condition on the example.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from lrnn_cli.grounding.duckdb.goals import NEVER, Test
from lrnn_cli.grounding.objects import EQUATIONS, INEQUATIONS, KINDS, NUMBER_ORDER, TERM_ORDER, TESTS, UNKNOWN
from lrnn_cli.language.clauses import Constant, Term

OPERATOR = {"<": "<", "=<": "<=", ">": ">", ">=": ">=", "=:=": "=", "=\\=": "<>"}
OPERATOR |= {f"@{name}": OPERATOR[name] for name in ("<", "=<", ">", ">=")}


class Unbound(Exception):
    """Nothing in a body binds the variables of its head, or of a guard."""


class Use(NamedTuple):
    """A table whose columns c0, c1 and so on hold these terms."""

    table: str
    terms: tuple[Term, ...]


class Select:
    """The solutions of a conjunction: for each the example, then the objects of `terms`.

    The conjunction is one of tables, tables that must have no such row, and tests. `constants` are their numbers.
    """

    def __init__(
        self,
        terms: Sequence[Term],
        uses: Sequence[Use],
        absent: Sequence[Use],
        tests: Sequence[Test],
        constants: Mapping[Constant, int],
    ) -> None:
        self.terms = terms
        self.sources: list[str] = []
        self.conditions: list[str] = []
        self.column: dict[Term, str] = {}
        """Where the object of each term stands."""
        parts = [terms, *(use.terms for use in (*uses, *absent)), *(test.terms for test in tests)]
        mentioned = dict.fromkeys(term for part in parts for term in part)
        self._join([*uses, *constant_uses(mentioned, constants)])
        equations = [test.terms for test in tests if test.name == "="]
        while half_known := [(x, y) for x, y in equations if (x in self.column) != (y in self.column)]:
            for x, y in half_known:
                known = self.column.get(x) or self.column[y]
                self.column[x] = self.column[y] = known
        for test in tests:
            self._test(test)
        for use in absent:
            self._absent(use)

    def __str__(self) -> str:
        columns = ["s0.e AS e", *(f"{self.object_of(term)} AS c{number}" for number, term in enumerate(self.terms))]
        condition = f" WHERE {' AND '.join(self.conditions)}" if self.conditions else ""
        return f"SELECT {', '.join(columns)} FROM {', '.join(self.sources)}{condition}"

    def object_of(self, term: Term) -> str:
        if term not in self.column:
            raise Unbound
        return self.column[term]

    def property_of(self, term: Term, name: str) -> str:
        """The kind, number or place of the object of a term."""
        alias = f"s{len(self.sources)}"
        self.conditions.append(f"{alias}.c = {self.object_of(term)}")
        self.sources.append(f"object {alias}")
        return f"{alias}.{name}"

    def _join(self, uses: list[Use]) -> None:
        """Tables in an order in which each shares a variable with those before, where that can be."""
        waiting = uses or [Use("active", ())]
        while waiting:
            use = next((use for use in waiting if not self.column.keys().isdisjoint(use.terms)), waiting[0])
            waiting.remove(use)
            alias = f"s{len(self.sources)}"
            self.sources.append(f"{use.table} {alias}")
            if alias != "s0" and self.column.keys().isdisjoint(use.terms):
                self.conditions.append(f"{alias}.e = s0.e")
            for number, term in enumerate(use.terms):
                column = f"{alias}.c{number}"
                if self.column.setdefault(term, column) != column:
                    self.conditions.append(f"{column} = {self.column[term]}")

    def _test(self, test: Test) -> None:
        if test.name in NEVER:
            self.conditions.append("FALSE")
        elif test.name in TESTS:
            allowed = ", ".join(str(KINDS.index(kind)) for kind in TESTS[test.name])
            self.conditions.append(f"{self.property_of(test.terms[0], 'kind')} IN ({allowed})")
        elif test.name in EQUATIONS | INEQUATIONS:
            left, right = map(self.object_of, test.terms)
            self.conditions.append(f"{left} {'=' if test.name in EQUATIONS else '<>'} {right}")
        else:
            left, right = (self.property_of(term, compared(test)) for term in test.terms)
            self.conditions.append(f"{left} {OPERATOR[test.name]} {right}")

    def _absent(self, use: Use) -> None:
        """Variables that stand in `use` only are its own."""
        own: dict[Term, str] = {}
        conditions = []
        for number, term in enumerate(use.terms):
            column = f"n.c{number}"
            if term in self.column:
                conditions.append(f"{column} = {self.column[term]}")
            elif own.setdefault(term, column) != column:
                conditions.append(f"{column} = {own[term]}")
        if self.column.keys().isdisjoint(use.terms):
            conditions.append("n.e = s0.e")
        self.conditions.append(f"NOT EXISTS (SELECT 1 FROM {use.table} n WHERE {' AND '.join(conditions)})")


def constant_uses(terms: Iterable[Term], constants: Mapping[Constant, int]) -> list[Use]:
    """For each constant a table with its object in each example."""
    return [
        Use(f"(SELECT e, c AS c0 FROM constant WHERE k = {constants[term]})", (term,))
        for term in terms
        if isinstance(term, Constant)
    ]


def compared(test: Test) -> str:
    """What of objects a comparison compares."""
    assert test.name in NUMBER_ORDER | TERM_ORDER
    return "number" if test.name in NUMBER_ORDER else "place"


def failures(uses: Sequence[Use], tests: Sequence[Test], constants: Mapping[Constant, int]) -> list[tuple[Test, str]]:
    """For each comparison, queries for objects that it would meet and that have no known number or place.

    Such objects are an error in Prolog, or may be. Which of them Prolog meets depends on the order of evaluation, but
    the constants of an atom, and type tests that stand before the comparison, always come first.
    """
    selects = []
    for position, test in enumerate(tests):
        if test.name not in OPERATOR:
            continue
        for term in dict.fromkeys(test.terms):
            before = [other for other in tests[:position] if other.name in TESTS and other.terms == (term,)]
            equal = _equal_terms(term, tests)
            for use in [*uses, *constant_uses(equal, constants)]:
                fixed = [other for other in tests if other.name == "=" and _fixes(other, use)]
                for same in equal & set(use.terms):
                    kinds = [other._replace(terms=(same,)) for other in before]
                    select = Select((), [use], [], [*fixed, *kinds], constants)
                    select.conditions.append(f"{select.property_of(same, compared(test))} = {UNKNOWN}")
                    selects.append((test, f"{select} LIMIT 1"))
    return selects


def _fixes(equation: Test, use: Use) -> bool:
    """Whether an equation gives a column of a table the value of a constant."""
    return any(isinstance(term, Constant) for term in equation.terms) and any(
        term in use.terms for term in equation.terms
    )


def _equal_terms(term: Term, tests: Sequence[Test]) -> set[Term]:
    """A term and those that equations make equal to it."""
    equal: set[Term] = set()
    more = {term}
    while more - equal:
        equal |= more
        more = {x for test in tests if test.name == "=" and not equal.isdisjoint(test.terms) for x in test.terms}
    return equal


def background_facts(table: str, arity: int) -> str:
    """Facts over numbers of constants, the columns k0, k1 and so on of a table, as atoms of each example."""
    if not arity:
        return "SELECT e FROM active"
    columns = ["s0.e AS e", *(f"s{number}.c AS c{number}" for number in range(arity))]
    sources = [f"{table} f", *(f"constant s{number}" for number in range(arity))]
    conditions = [f"s{number}.k = f.k{number}" for number in range(arity)]
    conditions += [f"s{number}.e = s0.e" for number in range(1, arity)]
    return f"SELECT {', '.join(columns)} FROM {', '.join(sources)} WHERE {' AND '.join(conditions)}"

"""A plan as requests to SWI-Prolog: Prolog text, in which column c of a table is the variable Vc."""

from __future__ import annotations

from collections.abc import Iterable

from lrnn_cli.grounding.program import Extension, GroundRule, Literal, Skeleton, variable
from lrnn_cli.grounding.reading.store import indicator
from lrnn_cli.language.clauses import Atom, Predicate, plain_name
from lrnn_cli.language.data import BackgroundClause


def table(skeleton: Skeleton) -> str:
    """The request for the rows of a table."""
    queried = _call(skeleton.queried) if skeleton.queried else "none"
    return f"table({_body(skeleton)}, {_columns(range(skeleton.columns))}, {queried}, {_columns(skeleton.identity)})"


def background(extension: Extension[BackgroundClause]) -> str:
    """The request to derive what background clauses define."""
    return _extend("crisp", extension.predicates, (f"background({clause.text})" for clause in extension.clauses))


def derived(extension: Extension[GroundRule], tables: tuple[Skeleton, ...]) -> str:
    """The request to derive what rules over the bodies of tables define."""
    clauses = (
        f"clause({_call((rule.head, rule.head_columns))}, {_body(tables[rule.table])}, "
        f"{_columns(tables[rule.table].identity)})"
        for rule in extension.clauses
    )
    return _extend("derived", extension.predicates, clauses)


def _extend(level: str, predicates: Iterable[Predicate], clauses: Iterable[str]) -> str:
    return f"extend({level}, [{', '.join(map(indicator, predicates))}], [{', '.join(clauses)}])"


def _body(skeleton: Skeleton) -> str:
    goals = [*map(_call, skeleton.body), *map(str, skeleton.guards)]
    goals += [f"{variable(column)} = {constant}" for column, constant in skeleton.constants]
    return f"({', '.join(goals)})" if goals else "true"


def _call(literal: Literal) -> str:
    return str(Atom(plain_name(literal[0].name), tuple(map(variable, literal[1]))))


def _columns(columns: Iterable[int]) -> str:
    return f"[{', '.join(str(variable(column)) for column in columns)}]"

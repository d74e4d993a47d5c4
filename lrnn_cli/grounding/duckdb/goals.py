"""Function-free clauses: conjunctions of atoms, negated atoms and tests over variables and constants."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lrnn_cli.grounding.objects import EQUATIONS, INEQUATIONS, NUMBER_ORDER, TERM_ORDER, TESTS, kind_of
from lrnn_cli.grounding.program import Skeleton, variable
from lrnn_cli.language.clauses import Compound, Constant, Goal, GoalTerm, Predicate, Rule, Term
from lrnn_cli.language.data import BackgroundClause

NEVER = frozenset({"fail", "false"})
EVALUATED = EQUATIONS | INEQUATIONS | NUMBER_ORDER | TERM_ORDER | TESTS.keys() | NEVER
"""The guards that SQL can evaluate as Prolog does."""


class NotFunctionFree(Exception):
    """A clause computes, or takes terms apart; the text says what does."""


class SqlAtom(NamedTuple):
    predicate: Predicate
    terms: tuple[Term, ...]


class Test(NamedTuple):
    """A guard; `name` is one of EVALUATED."""

    name: str
    terms: tuple[Term, ...]


@dataclass(frozen=True)
class SqlClause:
    """A conjunction, and what to take from its solutions: the arguments of a head, or the columns of a table."""

    terms: tuple[Term, ...]
    atoms: tuple[SqlAtom, ...] = ()
    negations: tuple[SqlAtom, ...] = ()
    tests: tuple[Test, ...] = ()

    @property
    def constants(self) -> set[Constant]:
        parts = [self.terms, *(atom.terms for atom in (*self.atoms, *self.negations))]
        parts += [test.terms for test in self.tests]
        return {term for terms in parts for term in terms if isinstance(term, Constant)}


def skeleton_clause(skeleton: Skeleton, rule: Rule) -> SqlClause:
    """The clause of a table; `rule` is one that has this skeleton, and is shown where something is wrong."""
    atoms = [SqlAtom(predicate, tuple(map(variable, numbers))) for predicate, numbers in skeleton.body]
    goals = []
    for guard, shown in zip(skeleton.guards, rule.guards, strict=True):
        if guard.goal is None:
            raise NotFunctionFree(str(shown))
        try:
            conjunction([guard.goal])
        except NotFunctionFree:
            raise NotFunctionFree(str(shown)) from None
        goals.append(guard.goal)
    for column, constant in skeleton.constants:
        if kind_of(constant.text) == "compound":
            raise NotFunctionFree(constant.text)
        goals.append(Goal("guard", "=", (variable(column), constant)))
    for position, column in enumerate(skeleton.identity):
        goals += [Goal("guard", "\\==", (variable(other), variable(column))) for other in skeleton.identity[:position]]
    _, negations, tests = conjunction(goals)
    return SqlClause(tuple(map(variable, range(skeleton.columns))), tuple(atoms), tuple(negations), tuple(tests))


def background_clause(clause: BackgroundClause) -> SqlClause:
    """A background clause or fact."""
    if clause.goals is None:
        raise NotFunctionFree(str(clause.head))
    head, *body = clause.goals
    atoms, negations, tests = conjunction(body)
    return SqlClause(_terms(head.arguments), tuple(atoms), tuple(negations), tuple(tests))


def conjunction(goals: Iterable[Goal]) -> tuple[list[SqlAtom], list[SqlAtom], list[Test]]:
    """The atoms, negated atoms and tests among goals."""
    atoms: list[SqlAtom] = []
    negations: list[SqlAtom] = []
    tests = []
    for goal in goals:
        if goal.kind == "guard" and goal.name not in EVALUATED:
            raise NotFunctionFree(str(goal.predicate))
        terms = _terms(goal.arguments)
        if goal.kind == "guard":
            tests.append(Test(goal.name, terms))
        else:
            (negations if goal.kind == "negation" else atoms).append(SqlAtom(goal.predicate, terms))
    return atoms, negations, tests


def _terms(arguments: Sequence[GoalTerm]) -> tuple[Term, ...]:
    """The arguments of a goal, none of them compound."""
    terms: list[Term] = []
    for argument in arguments:
        if isinstance(argument, Compound):
            what = f"the compound term {Predicate(argument.name, len(argument.arguments))}"
            raise NotFunctionFree("a list" if argument.name == "[|]" else what)
        terms.append(argument)
    return tuple(terms)

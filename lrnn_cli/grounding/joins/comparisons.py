"""Guards that compare objects, over the rows of a table."""

from __future__ import annotations

import operator

import numpy as np

from lrnn_cli.grounding.joins.relations import JoinError, Relations, constant_relation
from lrnn_cli.grounding.objects import EQUATIONS, INEQUATIONS, NUMBER_ORDER, number_of
from lrnn_cli.grounding.program import Skeleton, variable
from lrnn_cli.grounding.tables import Table
from lrnn_cli.language.clauses import Compound, Constant, Goal, Term, Variable

ORDER = {
    "<": operator.lt,
    "=<": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=:=": operator.eq,
    "=\\=": operator.ne,
}


class NotNumbers(JoinError):
    """A comparison meets an object that is no number, or none that floats hold exactly."""


def compares(goal: Goal | None) -> bool:
    """Whether a guard compares variables and constants, as numbers or for being the same."""
    if goal is None or goal.kind != "guard" or any(isinstance(term, Compound) for term in goal.arguments):
        return False
    return goal.name in NUMBER_ORDER | EQUATIONS | INEQUATIONS


def compares_numbers(goal: Goal | None) -> bool:
    """Whether a guard compares variables and constants as numbers."""
    return goal is not None and compares(goal) and goal.name in NUMBER_ORDER


def object_constants(goal: Goal) -> set[Constant]:
    """The constants that variables are compared with as objects."""
    if goal.name in NUMBER_ORDER:
        return set()
    return {term for term in goal.arguments if isinstance(term, Constant)}


def compared(table: Table, skeleton: Skeleton, relations: Relations) -> Table:
    """The rows of the table of a skeleton for which its guards hold."""
    column = {variable(number): number for number in range(skeleton.columns)}
    for guard in skeleton.guards:
        assert guard.goal is not None
        keep = _holds(guard.goal, table, column, relations)
        if not keep.all():
            table = table.rows(keep.nonzero()[0])
    return table


def _holds(goal: Goal, table: Table, column: dict[Variable, int], relations: Relations) -> np.ndarray:
    """(rows,) bool."""
    terms = [term for term in goal.arguments if not isinstance(term, Compound)]
    if goal.name in NUMBER_ORDER:
        left, right = (_numbers(term, table, column, relations) for term in terms)
        return np.broadcast_to(np.asarray(ORDER[goal.name](left, right)), len(table))
    same = _same(terms[0], terms[1], table, column, relations)
    return same if goal.name in EQUATIONS else ~same


def _numbers(term: Term, table: Table, column: dict[Variable, int], relations: Relations) -> np.ndarray:
    """The numbers of a term, (rows,) or (1,)."""
    if isinstance(term, Constant):
        number = number_of(term.text)
        numbers = np.array([np.nan if number is None else number])
    else:
        assert relations.numbers is not None
        numbers = relations.numbers[table.objects[:, column[term]]]
    if np.isnan(numbers).any():
        raise NotNumbers
    return numbers


def _same(left: Term, right: Term, table: Table, column: dict[Variable, int], relations: Relations) -> np.ndarray:
    """Whether two terms are the same, (rows,)."""
    if isinstance(left, Constant) and isinstance(right, Constant):
        return np.full(len(table), left == right)
    if isinstance(left, Constant):
        left, right = right, left
    assert isinstance(left, Variable)
    objects = table.objects[:, column[left]]
    if isinstance(right, Constant):
        return np.isin(objects, relations.tables[constant_relation(right)].objects[:, 0])
    return np.asarray(objects == table.objects[:, column[right]])

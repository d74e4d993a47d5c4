"""Function-free clauses over terms, from the text in which SWI-Prolog and `program.py` give clauses and guards.

SWI-Prolog has read and checked the files; here only its own output is taken apart. Terms are texts: `V0`, `V1`, `L0`
and so on are variables, since an atom of such a name would stand in quotes, and all other texts are constants.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from lrnn_cli.grounding.program import Skeleton
from lrnn_cli.language.clauses import Predicate, Rule
from lrnn_cli.language.data import BackgroundClause

INTEGER = r"-?[0-9]+"
RATIONAL = r"-?[0-9]+r[0-9]+"
FLOAT = r"-?[0-9]+\.[0-9]+(?:e[+-]?[0-9]+)?(?:Inf|NaN)?"
STRING = r'"(?:[^"\\]|\\.)*"'
ATOM = r"'(?:[^'\\]|\\.)*'|[^\x00-\x2f:-@\[-^`{-\x7f]+|[-#$&*+./:<=>?@^~\\]+|\{\}|[!;]"
"""Quoted, a word, symbols, and the others. Beyond ASCII all characters without quotes are parts of words."""
TOKEN = re.compile(rf"\s*(?:{FLOAT}|{RATIONAL}|{INTEGER}|{STRING}|{ATOM}|\[\]|[(),])", re.DOTALL)
VARIABLE = re.compile(r"[VL][0-9]+")
END = ""

EQUATIONS = frozenset({"=", "=="})
INEQUATIONS = frozenset({"\\=", "\\==", "dif"})
NUMBER_ORDER = frozenset({"<", "=<", ">", ">=", "=:=", "=\\="})
TERM_ORDER = frozenset({"@<", "@=<", "@>", "@>="})
KINDS = frozenset({"atom", "atomic", "compound", "float", "integer", "number", "string"})
NEVER = frozenset({"fail", "false"})
ARITY = dict.fromkeys(EQUATIONS | INEQUATIONS | NUMBER_ORDER | TERM_ORDER, 2)
ARITY |= dict.fromkeys(KINDS, 1) | dict.fromkeys(NEVER, 0)
"""The guards that SQL can evaluate as Prolog does."""
COMPUTING = frozenset({("is", 2), ("between", 3)})


class NotFunctionFree(Exception):
    """A clause computes, or takes terms apart; the text says what does."""


class Atom(NamedTuple):
    predicate: Predicate
    terms: tuple[str, ...]


class Test(NamedTuple):
    """A guard; `name` is one of ARITY."""

    name: str
    terms: tuple[str, ...]


@dataclass(frozen=True)
class Clause:
    """A conjunction, and what to take from its solutions: the arguments of a head, or the columns of a table."""

    terms: tuple[str, ...]
    atoms: tuple[Atom, ...] = ()
    negations: tuple[Atom, ...] = ()
    tests: tuple[Test, ...] = ()

    @property
    def constants(self) -> set[str]:
        parts = [self.terms, *(atom.terms for atom in (*self.atoms, *self.negations))]
        parts += [test.terms for test in self.tests]
        return {term for terms in parts for term in terms if not is_variable(term)}


def is_variable(term: str) -> bool:
    return VARIABLE.fullmatch(term) is not None


def skeleton_clause(skeleton: Skeleton, rule: Rule) -> Clause:
    """The clause of a table; `rule` is one that has this skeleton."""
    atoms = [Atom(predicate, tuple(f"V{number}" for number in numbers)) for predicate, numbers in skeleton.body]
    negations = []
    tests = []
    # The guards of the rule come first, then an equation for each constant.
    constants = [(text, text.split(" = ", 1)[1], None) for text in skeleton.guards[len(rule.guards) :]]
    guards = zip(skeleton.guards, map(str, rule.guards), (guard.negated for guard in rule.guards), strict=False)
    for text, shown, predicate in [*guards, *constants]:
        try:
            goal = parse_goal(text)
            if predicate is None:
                tests.append(_test(goal))
            else:
                negations.append(Atom(predicate, _terms(_arguments(goal)[0])))
        except NotFunctionFree:
            raise NotFunctionFree(shown) from None
    for position, column in enumerate(skeleton.identity):
        tests += [Test("\\==", (f"V{other}", f"V{column}")) for other in skeleton.identity[:position]]
    columns = tuple(f"V{number}" for number in range(skeleton.columns))
    return Clause(columns, tuple(atoms), tuple(negations), tuple(tests))


def background_clause(clause: BackgroundClause) -> Clause:
    """A background clause or fact."""
    try:
        term = parse_goal(clause.text)
    except NotFunctionFree:
        raise NotFunctionFree(str(clause.head)) from None
    head, body = term.arguments if isinstance(term, Goal) and term.name == ":-" else (term, "true")
    predicates = iter(clause.body)
    atoms = []
    negations = []
    tests = []
    for goal in _conjunction(body):
        name, arity = _name(goal), len(_arguments(goal))
        if name == "\\+":
            negations.append(Atom(next(predicates).predicate, _terms(_arguments(goal)[0])))
        elif ARITY.get(name) == arity:
            tests.append(_test(goal))
        elif (name, arity) in COMPUTING:
            raise NotFunctionFree(f"{name}/{arity}")
        else:
            atoms.append(Atom(next(predicates).predicate, _terms(goal)))
    return Clause(_terms(head), tuple(atoms), tuple(negations), tuple(tests))


def _conjunction(body: str | Goal) -> Iterator[str | Goal]:
    waiting = [body]
    while waiting:
        goal = waiting.pop()
        if isinstance(goal, Goal) and goal.name == "','":
            waiting += reversed(goal.arguments)
        elif goal != "true":
            yield goal


def _test(goal: str | Goal) -> Test:
    name, terms = _name(goal), _terms(goal)
    if ARITY.get(name) != len(terms):
        raise NotFunctionFree(f"{name}/{len(terms)}")
    return Test(name, terms)


def _name(goal: str | Goal) -> str:
    return goal if isinstance(goal, str) else goal.name


def _arguments(goal: str | Goal) -> tuple[str | Goal, ...]:
    return () if isinstance(goal, str) else goal.arguments


def _terms(goal: str | Goal) -> tuple[str, ...]:
    """The arguments of a goal, none of them compound."""
    terms = []
    for argument in _arguments(goal):
        if not isinstance(argument, str):
            raise NotFunctionFree(f"the compound term {argument.name}/{len(argument.arguments)}")
        terms.append(argument)
    return tuple(terms)


# Syntax


class Goal(NamedTuple):
    """A compound term."""

    name: str
    arguments: tuple[str | Goal, ...]


def parse_goal(text: str) -> str | Goal:
    """A term in functional notation, at the top possibly `left operator right` or `\\+ right`."""
    tokens = _tokens(text)
    try:
        goal = _goal(tokens)
    except RecursionError:
        raise NotFunctionFree("a deep term") from None
    if tokens[-1] != END:
        raise NotFunctionFree(text)
    return goal


def _tokens(text: str) -> list[str]:
    """Tokens in reverse order, so that the next one is the last."""
    tokens = []
    position = 0
    text = text.rstrip()
    while position < len(text):
        match = TOKEN.match(text, position)
        if match is None:
            raise NotFunctionFree(text)
        tokens.append(match[0].lstrip())
        position = match.end()
    return [END, *reversed(tokens)]


def _goal(tokens: list[str]) -> str | Goal:
    if tokens[-1] == "\\+" and tokens[-2] != "(":
        tokens.pop()
        return Goal("\\+", (_primary(tokens),))
    left = _primary(tokens)
    if tokens[-1] in ("(", ")", ",", END):
        return left
    return Goal(tokens.pop(), (left, _primary(tokens)))


def _primary(tokens: list[str]) -> str | Goal:
    token = tokens.pop()
    if token == "(":
        goal = _goal(tokens)
        _take(tokens, ")")
        return goal
    if token in (")", ",", END):
        raise NotFunctionFree(token)
    if tokens[-1] != "(":
        return token
    tokens.pop()
    arguments = [_goal(tokens)]
    while tokens[-1] == ",":
        tokens.pop()
        arguments.append(_goal(tokens))
    _take(tokens, ")")
    return Goal(token, tuple(arguments))


def _take(tokens: list[str], token: str) -> None:
    if tokens.pop() != token:
        raise NotFunctionFree(token)

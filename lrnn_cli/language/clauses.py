"""Weighted definite clauses: the words of templates and models.

    Rule(head=latent_1_1(X), body=(c(X),), weight=0.53)

Constants are kept as the Prolog text that denotes them. Guards are terms, and the text in which they are shown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from lrnn_cli.language.writing import visible

ATOM_NAME = re.compile(r"[a-z][A-Za-z0-9_]*\Z")
SIGNS = tuple("#$&*+-./:<=>?@^~\\")
"""What words of signs are made of."""
OPERATORS = frozenset(
    [
        "as",
        "discontiguous",
        "div",
        "dynamic",
        "initialization",
        "is",
        "meta_predicate",
        "mod",
        "module_transparent",
        "multifile",
        "public",
        "rdiv",
        "rem",
        "table",
        "thread_initialization",
        "thread_local",
        "tnot",
        "volatile",
        "xor",
    ]
)
"""Words that are operators of SWI-Prolog; all others are of signs alone."""
ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


CLASS = "\udfff"
"""Between a target and one of its classes, in the name of the predicate of that class: no name in a file has it."""


def class_name(target: str, word: str) -> str:
    """The name of the predicate of a class; `word` is text that Prolog reads."""
    return f"{target}{CLASS}{word}"


def class_of(name: str) -> tuple[str, str]:
    """The target and the class in the name of a predicate; the class is empty where it is no such name."""
    target, _, word = name.partition(CLASS)
    return target, word


def plain_name(name: str) -> str:
    """A name for Prolog, which knows no predicates of classes."""
    return name.replace(CLASS, " is ")


def quoted(name: str) -> str:
    """`name` as a Prolog atom; that of a class as the head of its rules."""
    if CLASS in name:
        target, word = class_of(name)
        return f"{quoted(target)}({word})"
    if ATOM_NAME.match(name):
        return name
    body = "".join(ESCAPES.get(char, char) for char in name)
    return f"'{visible(body)}'"


class Predicate(NamedTuple):
    name: str
    arity: int

    def __str__(self) -> str:
        return f"{quoted(self.name)}/{self.arity}"


class Variable(NamedTuple):
    name: str

    def __str__(self) -> str:
        return self.name


class Constant(NamedTuple):
    """A ground term, as text that Prolog reads anywhere."""

    text: str

    def __str__(self) -> str:
        return self.text


Term = Variable | Constant


@dataclass(frozen=True)
class Atom:
    name: str
    arguments: tuple[Term, ...] = ()

    @cached_property
    def predicate(self) -> Predicate:
        return Predicate(self.name, len(self.arguments))

    @property
    def variables(self) -> list[str]:
        return [argument.name for argument in self.arguments if isinstance(argument, Variable)]

    def __str__(self) -> str:
        return self.text

    @cached_property
    def text(self) -> str:
        """As Prolog reads it."""
        if CLASS in self.name:
            target, word = class_of(self.name)
            return str(Atom(target, (*self.arguments, Constant(word))))
        if not self.arguments:
            # Operators among other words need brackets, also in quotes.
            is_operator = self.name in OPERATORS or not any(char.isalnum() for char in self.name)
            return f"({quoted(self.name)})" if is_operator else quoted(self.name)
        return f"{quoted(self.name)}({', '.join(map(str, self.arguments))})"


class Compound(NamedTuple):
    """A compound term, such as a list or an arithmetic expression."""

    name: str
    arguments: tuple[GoalTerm, ...]


GoalTerm = Variable | Constant | Compound
"""Constants in goals are atomic."""


class Goal(NamedTuple):
    """A member of a body as terms. `kind` is `atom`, `negation`, of the atom with this name, or `guard`, a built-in."""

    kind: str
    name: str
    arguments: tuple[GoalTerm, ...]

    @property
    def predicate(self) -> Predicate:
        return Predicate(self.name, len(self.arguments))

    def renamed(self, names: dict[str, str]) -> Goal:
        return self._replace(arguments=_renamed(self.arguments, names))


def _renamed(terms: tuple[GoalTerm, ...], names: dict[str, str]) -> tuple[GoalTerm, ...]:
    new: list[GoalTerm] = []
    for term in terms:
        if isinstance(term, Compound):
            new.append(Compound(term.name, _renamed(term.arguments, names)))
        else:
            new.append(Variable(names.get(term.name, term.name)) if isinstance(term, Variable) else term)
    return tuple(new)


@dataclass(frozen=True)
class Guard:
    """A pure built-in or a negated atom. `parts` are how it is written: text and names of variables by turns.

    goal: the same as terms; None where they are nested too deeply for anything but Prolog.
    """

    parts: tuple[str, ...]
    negated: Predicate | None = None
    goal: Goal | None = None

    @property
    def variables(self) -> list[str]:
        return list(self.parts[1::2])

    def renamed(self, names: dict[str, str]) -> Guard:
        parts = tuple(names.get(part, part) if index % 2 else part for index, part in enumerate(self.parts))
        return replace(self, parts=parts, goal=self.goal and self.goal.renamed(names))

    def __str__(self) -> str:
        return "".join(self.parts)


def goal_from_json(item: list[Any]) -> Goal:
    """A goal as `goal_json` makes it, and SWI-Prolog; what is none is a ValueError or TypeError."""
    kind, name, terms = item
    if kind not in ("atom", "negation", "guard") or not isinstance(name, str):
        raise ValueError("not a goal")
    return Goal(kind, name, tuple(map(_term, terms)))


def _term(item: Any) -> GoalTerm:
    if isinstance(item, str):
        return Constant(item)
    name, *terms = item
    if not isinstance(name, str) or len(terms) > 1:
        raise ValueError("not a term")
    return Compound(name, tuple(map(_term, terms[0]))) if terms else Variable(name)


def goal_json(goal: Goal) -> list[Any]:
    """A variable is a list of its name, a constant a text, a compound term a list of its name and its arguments."""
    return [goal.kind, goal.name, list(map(_term_json, goal.arguments))]


def _term_json(term: GoalTerm) -> Any:
    if isinstance(term, Compound):
        return [term.name, list(map(_term_json, term.arguments))]
    return [term.name] if isinstance(term, Variable) else term.text


@dataclass(frozen=True)
class Rule:
    """A weighted rule, or with neither body nor guards a weighted fact. `weight` None: to be drawn."""

    head: Atom
    body: tuple[Atom, ...] = ()
    guards: tuple[Guard, ...] = ()
    weight: float | None = None
    fixed: bool = False
    line: int = field(default=0, compare=False)
    column: int = field(default=0, compare=False)

    @property
    def is_fact(self) -> bool:
        return not self.body and not self.guards

    @cached_property
    def clause(self) -> str:
        """The rule without its weight."""
        goals = [*map(str, self.body), *map(str, self.guards)]
        return f"{self.head} :- {', '.join(goals)}" if goals else str(self.head)

    def __str__(self) -> str:
        weight = "_" if self.weight is None else repr(self.weight)
        if self.fixed:
            weight = f"fixed({weight})"
        # A sign before the full stop would be one word with it.
        stop = " ." if self.clause.endswith(SIGNS) else "."
        return f"{weight} :: {self.clause}{stop}"

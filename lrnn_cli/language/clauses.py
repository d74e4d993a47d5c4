"""Weighted definite clauses: the words of templates and models.

    Rule(head=latent_1_1(X), body=(c(X),), weight=0.53)

Constants are kept as the Prolog text that denotes them; guards are text in which variables can be renamed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from lrnn_cli.language.writing import visible

ATOM_NAME = re.compile(r"[a-z][A-Za-z0-9_]*\Z")
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


def quoted(name: str) -> str:
    """`name` as a Prolog atom."""
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

    @property
    def predicate(self) -> Predicate:
        return Predicate(self.name, len(self.arguments))

    @property
    def variables(self) -> list[str]:
        return [argument.name for argument in self.arguments if isinstance(argument, Variable)]

    def __str__(self) -> str:
        if not self.arguments:
            # Operators among other words need brackets, also in quotes.
            is_operator = self.name in OPERATORS or not any(char.isalnum() for char in self.name)
            return f"({quoted(self.name)})" if is_operator else quoted(self.name)
        return f"{quoted(self.name)}({', '.join(map(str, self.arguments))})"


@dataclass(frozen=True)
class Guard:
    """A pure built-in or a negated atom. `parts` alternate between text and names of variables."""

    parts: tuple[str, ...]
    negated: Predicate | None = None

    @property
    def variables(self) -> list[str]:
        return list(self.parts[1::2])

    def renamed(self, names: dict[str, str]) -> Guard:
        parts = tuple(names.get(part, part) if index % 2 else part for index, part in enumerate(self.parts))
        return replace(self, parts=parts)

    def __str__(self) -> str:
        return "".join(self.parts)


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

    @property
    def clause(self) -> str:
        """The rule without its weight."""
        goals = [*map(str, self.body), *map(str, self.guards)]
        return f"{self.head} :- {', '.join(goals)}" if goals else str(self.head)

    def __str__(self) -> str:
        weight = "_" if self.weight is None else repr(self.weight)
        if self.fixed:
            weight = f"fixed({weight})"
        return f"{weight} :: {self.clause}."

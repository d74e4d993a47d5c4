"""Examples made in Python, as the text of a data file.

A fact is a tuple of its predicate and its arguments, with a weight before them if it has one, or the text of one:

    ("bond", "a1", "a2")     bond(a1, a2)
    (0.8, "polar", "a2")     0.8 :: polar(a2)

Texts are atoms of Prolog whatever is in them, tuples are compound terms, lists are lists.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lrnn_cli.errors import ReadError
from lrnn_cli.language.clauses import Atom, Constant, quoted
from lrnn_cli.language.files import Source

Fact = str | tuple[Any, ...]
NAME = "<examples>"


@dataclass(frozen=True)
class Example:
    """One example.

    facts: tuples or texts of single facts, or one text with all of them, each ended by a full stop.
    queries: pairs of an atom and its target, a number or a class, None where it has none.
    name: any value that is a term; None for the number of the example.
    """

    facts: str | Sequence[Fact]
    queries: Sequence[tuple[Fact, float | str | None]] = ()
    name: Any = None
    fold: int | None = None

    def text(self, number: int) -> str:
        """The block of this example in a data file."""
        name = number if self.name is None else self.name
        folds = [] if self.fold is None else [f"fold({term_text(self.fold)})."]
        facts = [self.facts] if isinstance(self.facts, str) else [f"{fact_text(fact)}." for fact in self.facts]
        queries = [f"query({fact_text(atom)}{_target(target)})." for atom, target in self.queries]
        block = f"model({term_text(name)})"
        return "\n".join([f"begin({block}).", *folds, *facts, *queries, f"end({block}).", ""])


def _target(target: float | str | None) -> str:
    if target is None:
        return ""
    return f", {term_text(target if isinstance(target, str) else float(target))}"


def examples_source(examples: Sequence[Example], background: str = "") -> Source:
    """A data file with these examples; `background`: facts and clauses that hold in all of them."""
    if not examples:
        raise ReadError(f"{NAME}: there is no example; give one at least")
    blocks = [example.text(number) for number, example in enumerate(examples, 1)]
    return Source(NAME, "".join([f"{background}\n" if background else "", *blocks]).encode())


def fact_text(fact: Fact) -> str:
    """A fact or an atom as Prolog text, without a full stop."""
    if isinstance(fact, str):
        return fact.strip().removesuffix(".")
    weight, terms = (fact[0], fact[1:]) if fact and isinstance(fact[0], int | float) else (None, fact)
    if not terms or not isinstance(terms[0], str):
        raise ReadError(f"{NAME}: {fact!r} is no fact; write (predicate, argument, ...), with a weight before if any")
    atom = str(Atom(terms[0], tuple(Constant(term_text(term)) for term in terms[1:])))
    return atom if weight is None else f"{term_text(weight)} :: {atom}"


def term_text(value: Any) -> str:
    """A value of Python as a ground term."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, tuple) and len(value) > 1 and isinstance(value[0], str):
        return f"{quoted(value[0])}({', '.join(map(term_text, value[1:]))})"
    if isinstance(value, list):
        return f"[{', '.join(map(term_text, value))}]"
    if hasattr(value, "item") and not getattr(value, "shape", ()):
        # A number of NumPy.
        value = value.item()
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return repr(value)
    raise ReadError(f"{NAME}: {value!r} is no term; terms are texts, finite numbers, lists, and tuples of those")

"""Terms as readers give them to importers: nested lists of texts."""

from __future__ import annotations

from typing import Any

from lrnn_cli.importers.imported_data import Fact
from lrnn_cli.importers.interpretation import Pattern
from lrnn_cli.language.clauses import quoted

Json = Any
"""A term: a list of its name and arguments, a list of one text for a variable, the text of any other term."""


def term_text(term: Json) -> str:
    if isinstance(term, str):
        return term
    name, *arguments = term
    return f"{quoted(name)}({', '.join(map(term_text, arguments))})" if arguments else str(name)


def is_variable(term: Json) -> bool:
    return not isinstance(term, str) and len(term) == 1


def fact(term: Json) -> Fact:
    """A ground atom. The text of a name without arguments is that of the atom, with quotes if it needs them."""
    if isinstance(term, str):
        return Fact(unquoted(term))
    return Fact(term[0], tuple(map(term_text, term[1:])))


def unquoted(text: str) -> str:
    """The name of an atom as SWI-Prolog writes it."""
    if not text.startswith("'"):
        return text
    return text[1:-1].replace("\\'", "'").replace("''", "'").replace("\\\\", "\\")


def pattern(term: Json) -> Pattern:
    if isinstance(term, str):
        return Pattern(unquoted(term), (), ())
    return Pattern(term[0], tuple(map(term_text, term[1:])), tuple(map(is_variable, term[1:])))


def name_and_arguments(term: Json) -> tuple[str, list[Json]]:
    return (unquoted(term), []) if isinstance(term, str) else (term[0], term[1:])

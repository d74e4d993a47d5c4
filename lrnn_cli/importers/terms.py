"""Terms as readers give them to importers: nested lists of texts."""

from __future__ import annotations

import re
from typing import Any

from lrnn_cli.importers.imported_data import Fact
from lrnn_cli.importers.interpretation import Pattern, is_number
from lrnn_cli.language.clauses import quoted

Json = Any
"""A term: a list of its name and arguments, a list of one text for a variable, the text of any other term."""

BRACKETS = ("()", "[]")
"""Names of tuples and lists that readers of ours make."""
MOST_ARGUMENTS = 1000
"""What predicates of our data have at most."""
UNKNOWN = "\N{REPLACEMENT CHARACTER}"
"""Stands for halves of characters, which UTF-8 can't write."""
ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def term_text(term: Json) -> str:
    if isinstance(term, str):
        return term
    name, *arguments = term
    if name in BRACKETS:
        return f"{name[0]}{', '.join(map(term_text, arguments))}{name[1]}"
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
    return unescaped(text[1:-1]) if text.startswith("'") else text


def unescaped(text: str) -> str:
    """What stands between quotes as the name it denotes."""

    def character(match: re.Match[str]) -> str:
        if match["code"]:
            code = int(match["code"], 16)
            return chr(code) if not 0xD800 <= code < 0xE000 else UNKNOWN
        return ESCAPES.get(match["sign"], match["sign"]) if match["sign"] else "'"

    return re.sub(r"''|\\x(?P<code>[0-9a-fA-F]{1,5})\\|\\(?P<sign>.)", character, text, flags=re.DOTALL)


def pattern(term: Json) -> Pattern:
    if isinstance(term, str):
        return Pattern(unquoted(term), (), ())
    return Pattern(term[0], tuple(map(term_text, term[1:])), tuple(map(is_variable, term[1:])))


def is_atom(term: Json) -> bool:
    """Whether a ground term can be an atom of a predicate: no number, string or list."""
    return not isinstance(term, str) or term.startswith("'") or (term[:1].isalpha() and not is_number(term))


def whole_number(text: Json, most: int) -> int | None:
    """The number that digits say; None for anything else, and for larger ones."""
    number = int(text) if isinstance(text, str) and re.fullmatch("[0-9]{1,18}", text) else most + 1
    return number if number <= most else None


def name_and_arguments(term: Json) -> tuple[str, list[Json]]:
    return (unquoted(term), []) if isinstance(term, str) else (term[0], term[1:])

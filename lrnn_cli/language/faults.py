"""Faults that SWI-Prolog finds in a file, moved to where a user would look for them."""

from __future__ import annotations

import re
from typing import Any

from lrnn_cli.errors import Fault
from lrnn_cli.language.files import Source

UNCLOSED = re.compile(
    r"""0'(?:\\.|''|[^'\\])               # a character code
    |   %[^\n]*                            # a comment
    |   /\*.*?\*/                          # a comment
    |   (?P<quote>['"`])(?:\\.|(?!(?P=quote)).)*(?P=quote)
    |   (?P<open>/\*|['"`])                # none of these: it is never closed
    """,
    re.VERBOSE | re.DOTALL,
)


BRACKETS = re.compile(rf"{UNCLOSED.pattern}|(?P<opening>[(\[{{])|(?P<closing>[)\]}}])", UNCLOSED.flags)


def deepest_term(source: Source, message: str) -> Fault:
    """A fault at the outermost bracket of what is nested deepest."""
    text = source.text.decode()
    depth = deepest = start = place = 0
    for match in BRACKETS.finditer(text):
        if match["opening"]:
            start = start if depth else match.start()
            depth += 1
            if depth > deepest:
                deepest, place = depth, start
        elif match["closing"]:
            depth = max(0, depth - 1)
    line = text.count("\n", 0, place)
    return Fault(line + 1, _column(text.split("\n")[line], place - (text.rfind("\n", 0, place) + 1)), message)


def located_faults(source: Source, items: list[list[Any]]) -> list[Fault]:
    """Faults as Prolog gives them, [line, column, message] each.

    Prolog takes blanks before a word for a part of it, and a line that ends there for one that goes on. Line 0 stands
    for quotes or a comment without an end.
    """
    if not items:
        return []
    text = source.text.decode()
    lines = text.split("\n")
    return [_located(text, lines, Fault(*item)) for item in items]


def _located(text: str, lines: list[str], fault: Fault) -> Fault:
    if fault.line < 1:
        start = next((match.start() for match in UNCLOSED.finditer(text) if match["open"]), len(text))
        line = text.count("\n", 0, start)
        position = start - (text.rfind("\n", 0, start) + 1)
    else:
        line = fault.line - 1
        position = _position(lines[line], fault.column - 1)
        while line + 1 < len(lines) and not lines[line][position:].strip():
            line, position = line + 1, 0
        position += len(lines[line][position:]) - len(lines[line][position:].lstrip())
    while line > 0 and not lines[line].strip():
        line, position = line - 1, len(lines[line - 1].rstrip())
    return Fault(line + 1, _column(lines[line], position), fault.message)


def _position(line: str, column: int) -> int:
    """The index of the character in this column, both counted from 0; a tab goes to the next multiple of 8."""
    reached = 0
    for index, character in enumerate(line):
        if reached >= column:
            return index
        reached += 8 - reached % 8 if character == "\t" else 1
    return len(line) + column - reached


def _column(line: str, position: int) -> int:
    """The column of a character, counted from 1."""
    return len(line[:position].expandtabs(8)) + max(0, position - len(line)) + 1

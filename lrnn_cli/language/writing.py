r"""How names become text: in Prolog, in tables, in JSON, on a terminal.

A name may hold anything: line ends, characters that move the cursor or turn the direction of writing, formulas of
spreadsheets. Whatever it is called, a predicate, a constant, an example or a file stays one name on one line:

    '\x1b\[31m'     in Prolog, where the code of a character between backslashes is that character
    "\u001b[31m"    in JSON
    '=SUM(A1)       in a table
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from typing import Any

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How cells begin that a spreadsheet would compute."""


def visible(text: str, kept: str = "") -> str:
    """`text` with codes for characters that have no look of their own, such as line ends; those in `kept` stay.

    In Prolog text such characters are inside quotes, where the code stands for the character: it is the same text.
    """
    rest = text
    for char in kept:
        rest = rest.replace(char, "")
    if rest.isprintable():
        return text
    return "".join(char if char.isprintable() or char in kept else f"\\x{ord(char):x}\\" for char in text)


def counted(number: int, one: str, many: str = "") -> str:
    """A number of things: 1 rule, 2 rules; `many` for things whose plural takes more than an s."""
    return f"1 {one}" if number == 1 else f"{number} {many or f'{one}s'}"


def prolog_text(lines: Iterable[str]) -> str:
    """The text of a Prolog file: each of `lines`, a comment or clauses, is one line whatever names are in it."""
    return "".join(f"{visible(line)}\n" for line in lines)


def json_text(value: Any) -> str:
    """`value` as a JSON file. Read again, all texts are the same."""
    text = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    if text.replace("\n", "").isprintable():
        return text
    return "".join(char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1] for char in text)


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """A table as CSV that no spreadsheet computes: an apostrophe stands before what looks like a formula."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows([_cell(str(cell)) for cell in row] for row in rows)
    return buffer.getvalue()


def _cell(text: str) -> str:
    return f"'{visible(text)}" if _is_formula(text) else visible(text)


def term_cell(text: str) -> str:
    """A cell with a Prolog term; one that looks like a formula stands in brackets, and is the same term."""
    return f"({visible(text)})" if _is_formula(text) else visible(text)


def _is_formula(text: str) -> bool:
    if not text.startswith(FORMULA):
        return False
    try:
        float(text)
    except ValueError:
        return True
    return False

"""What people read on standard error. Data go to standard output through `write_text`."""

from __future__ import annotations

import contextlib
import os
import sys
import unicodedata

import click

from lrnn_cli.language.writing import visible

CLEAR = "\r\x1b[K"
"""To the start of the line of a terminal, and nothing stays on it."""
CUT = "..."
EMOJI = "\ufe0f"
"""Makes the character before it a picture, which may be wider."""
_KEPT = "\n\t"


def say(text: str, nl: bool = True, clear: bool = False) -> None:
    """Show `text`, whatever names are in it. Where standard error can't be written to, nobody reads it."""
    with contextlib.suppress(OSError):
        click.echo(f"{CLEAR if clear else ''}{visible(text, _KEPT)}", nl=nl, err=True)


def can_rewrite() -> bool:
    """Whether standard error is a terminal whose line can change."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def say_in_place(text: str) -> None:
    """Show `text` on the line of the terminal in place of what is there, cut to what the line holds now."""
    try:
        columns = os.get_terminal_size(sys.stderr.fileno()).columns
    except OSError:
        columns = 0
    # A terminal without a size says 0. In the last column some terminals go to the next line.
    say(fitting(_encodable(visible(text)), (columns or 80) - 1), nl=False, clear=True)


def _encodable(text: str) -> str:
    """`text` as standard error shows it, with codes for letters that it does not have."""
    encoding = sys.stderr.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def fitting(text: str, columns: int) -> str:
    """`text`, or its beginning and dots where it takes more columns of a terminal."""
    if sum(map(_width, text)) <= columns:
        return text
    dots = CUT[: max(columns, 0)]
    left = columns - len(dots)
    for place, char in enumerate(text):
        left -= _width(char)
        if left < 0:
            return text[:place] + dots
    return text


def _width(char: str) -> int:
    """Columns that a character takes at most."""
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me"):
        return 1 if char == EMOJI else 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1

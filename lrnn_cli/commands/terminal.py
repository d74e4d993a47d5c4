"""What people read on standard error. Data go to standard output through `write_text`."""

from __future__ import annotations

import contextlib

import click

from lrnn_cli.language.writing import visible

CLEAR = "\r\x1b[K"
"""To the start of the line of a terminal, and nothing stays on it."""


def say(text: str, nl: bool = True, clear: bool = False) -> None:
    """Show `text`, whatever names are in it. Where standard error can't be written to, nobody reads it."""
    with contextlib.suppress(OSError):
        click.echo(f"{CLEAR if clear else ''}{visible(text, _KEPT)}", nl=nl, err=True)


_KEPT = "\n\t"

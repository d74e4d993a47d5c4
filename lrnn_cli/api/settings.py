"""What all functions of the library take: options, paths, and whom to tell."""

from __future__ import annotations

from dataclasses import fields, replace
from os import PathLike
from typing import Any, TypeVar

from lrnn_cli.errors import LrnnError
from lrnn_cli.settings import check_settings

Options = TypeVar("Options")
Path = str | PathLike[str]


def silent(text: str) -> None:
    """Nobody wants to know."""


def chosen_options(kind: type[Options], options: Options | None, settings: dict[str, Any]) -> Options:
    """Options, some of them changed, within their bounds."""
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    unknown = sorted(set(settings) - known)
    if unknown:
        raise LrnnError(f"there is no option {unknown[0]}; options are {', '.join(sorted(known))}")
    chosen = kind(**settings) if options is None else replace(options, **settings)  # type: ignore[type-var]
    check_settings(chosen)
    return chosen

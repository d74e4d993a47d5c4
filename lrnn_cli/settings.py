"""Options of the library: each stands once, in a frozen dataclass, with its default, its help and its bounds.

Commands make their options of the fields that have a help text; a call from Python is held to the same bounds.
"""

from __future__ import annotations

import dataclasses
import math
import operator
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from lrnn_cli.errors import LrnnError

BOUNDS: dict[str, tuple[str, Callable[[float, float], bool]]] = {
    "least": ("at least", operator.ge),
    "most": ("at most", operator.le),
    "above": ("more than", operator.gt),
    "below": ("less than", operator.lt),
}


@dataclass(frozen=True)
class NamesOf:
    """The names in a table of a module, which is imported when they are asked for: commands start without NumPy."""

    module: str
    table: str

    def _names(self) -> tuple[str, ...]:
        return tuple(getattr(import_module(self.module), self.table))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())

    def __contains__(self, name: object) -> bool:
        return name in self._names()


ACTIVATIONS = NamesOf("lrnn_cli.semantics.activations", "ACTIVATIONS")
AGGREGATIONS = NamesOf("lrnn_cli.semantics.aggregations", "AGGREGATIONS")
LOSSES = NamesOf("lrnn_cli.semantics.losses", "LOSSES")
TASKS = NamesOf("lrnn_cli.semantics.targets", "KINDS")


def setting(
    default: Any,
    help: str,
    *,
    kind: type | None = None,
    least: float | None = None,
    most: float | None = None,
    above: float | None = None,
    below: float | None = None,
    choices: Collection[str] = (),
    name: str | None = None,
    metavar: str | None = None,
    default_text: str | None = None,
    negative: bool = True,
) -> Any:
    """A field of a dataclass with this default, and in its metadata what else is given here.

    kind: the type of its values, where the default is None and does not tell it.
    least, most: bounds that may be reached; above, below: bounds that may not.
    name: of the option of a command, where it is not that of the field, without the dashes before it.
    default_text: what help says of the default, where its value does not say it.
    negative: whether an option that is on or off has a form --no-..., or is a plain flag.
    """
    known = {
        "help": help,
        "kind": type(default) if kind is None else kind,
        "least": least,
        "most": most,
        "above": above,
        "below": below,
        "choices": choices,
        "name": name,
        "metavar": metavar,
        "default_text": default_text,
        "negative": negative,
    }
    return dataclasses.field(default=default, metadata=known)


def check_settings(options: Any) -> None:
    """Whether all fields of a dataclass are within their bounds; if not, an error names the first that is not."""
    for field in dataclasses.fields(options):
        if "help" in field.metadata:
            fault = _fault(getattr(options, field.name), field)
            if fault:
                raise LrnnError(f"the option {field.name} {fault}")


def _fault(value: Any, field: dataclasses.Field[Any]) -> str:
    """What is wrong with the value of a field; empty where nothing is."""
    choices, kind = field.metadata["choices"], field.metadata["kind"]
    if value is None and field.default is None:
        return ""
    if choices != ():
        return "" if value in choices else f"is {value!r}; choose one of {', '.join(choices)}"
    if kind is bool:
        return "" if isinstance(value, bool) else f"is {value!r}; give True or False"
    if kind not in (int, float):
        return ""
    if isinstance(value, bool) or not isinstance(value, int if kind is int else (int, float)):
        return f"is {value!r}; give a{'n integer' if kind is int else ' number'}"
    for name, (words, holds) in BOUNDS.items():
        bound = field.metadata[name]
        if bound is not None and not holds(value, bound):
            return f"is {value!r}; give a number that is {words} {bound:g}"
    return "" if math.isfinite(value) else f"is {value!r}; give a finite number"

"""Lifted relational neural networks from Prolog facts: on the command line, and from Python.

All names of `lrnn_cli.api` are names of this package. They are imported when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lrnn_cli.api import *  # noqa: F403

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    api = import_module("lrnn_cli.api")
    if name not in api.__all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(api, name)


def __dir__() -> list[str]:
    api = import_module("lrnn_cli.api")
    return sorted([*globals(), *api.__all__])

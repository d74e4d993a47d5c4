"""What the C library does with freed memory. Elsewhere than with glibc nothing of this happens, and nothing is lost."""

from __future__ import annotations

import ctypes
import sys

ARENAS = -8
"""M_ARENA_MAX of mallopt(3)."""


def share_free_memory() -> None:
    """All threads take memory from one place, so that what one has freed another can use."""
    _call("mallopt", ARENAS, 1)


def give_back_free_memory() -> None:
    """Return freed memory to the system, which takes milliseconds: call it between stages of long work."""
    _call("malloc_trim", 0)


def _call(name: str, *arguments: int) -> None:
    if sys.platform == "linux":
        try:
            getattr(ctypes.CDLL(None), name)(*arguments)
        except (AttributeError, OSError):
            return

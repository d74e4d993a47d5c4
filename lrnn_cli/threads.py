"""One thread for matrix products: sums in another order would give other bytes on another number of processors.

Work that is worth threads has its own (--jobs).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

LIBRARIES = ("OMP", "OPENBLAS", "MKL")
_settled = False


def settle_threads() -> None:
    """For a program that is all ours: before NumPy is imported its environment says how many threads it has."""
    global _settled
    for library in LIBRARIES:
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    _settled = "numpy" not in sys.modules


@contextmanager
def one_thread() -> Iterator[None]:
    """What is computed inside takes one thread, in a program that may use others elsewhere.

    It holds for libraries that have been loaded: import what computes before.
    """
    if _settled:
        yield
        return
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, user_api="blas"):
        yield

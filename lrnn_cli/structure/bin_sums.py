"""Sums over members of bins in compiled code. Importing this module imports numba where it is not compiled yet."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from lrnn_cli.training import machine_code
from lrnn_cli.training.machine_code import Code, KeptCode

SOURCES = [Path(__file__), Path(machine_code.__file__).with_name("compilation.py")]
"""Files that the compiled code depends on."""


def add_one_by_one(
    bins: np.ndarray, start: np.ndarray, member: np.ndarray, weighted: np.ndarray, sums: np.ndarray
) -> float:
    """Write the sums (bins * 3,) of three numbers of each query, weighted (queries * 3,), over members of some bins.

    Those of bin b are member[start[b] : start[b + 1]]. SciPy's product of a matrix in rows adds in the same order.
    """
    for place in range(len(bins)):
        first = second = third = 0.0
        for number in range(start[bins[place]], start[bins[place] + 1]):
            query = 3 * member[number]
            first += weighted[query]
            second += weighted[query + 1]
            third += weighted[query + 2]
        sums[3 * place] = first
        sums[3 * place + 1] = second
        sums[3 * place + 2] = third
    return 0.0


def _compiled(arguments: Sequence[Any]) -> Code:
    from lrnn_cli.training.compilation import machine_code, njit

    return machine_code(njit(add_one_by_one), arguments)


add_members = KeptCode("add_members", SOURCES, _compiled)
"""`add_one_by_one` as machine code."""
if not add_members.is_there:
    # Who has no numba is to know now.
    import_module("numba")

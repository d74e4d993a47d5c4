"""Scores of thresholds in compiled code. Importing this module imports numba where it is not compiled yet."""

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


def score_columns(
    columns: np.ndarray,
    first: np.ndarray,
    sizes: np.ndarray,
    fullest: np.ndarray,
    start: np.ndarray,
    members: np.ndarray,
    weighted: np.ndarray,
    total: np.ndarray,
    penalty: float,
    covered: float,
    sums: np.ndarray,
    score: np.ndarray,
) -> float:
    """Write the scores of the thresholds below the bins of some columns, at least them first, then below them.

    columns: which of those with first, sizes and fullest; start, members: of `Bins`; weighted: (queries * 3,) slopes,
    curvatures and ones; total: (3,) their sums; covered: as many ones as that have a score, others -1.
    sums: (bins of the largest column * 3,) for work; score: (2 * bins of the columns,)
    """
    bins = len(score) // 2
    place = 0
    for column in columns:
        own = first[column]
        size = sizes[column]
        full = fullest[column]
        slope, curvature, count = total[0], total[1], total[2]
        for bin in range(size):
            if bin == full:
                continue
            one = two = three = 0.0
            for number in range(start[own + bin], start[own + bin + 1]):
                query = 3 * members[number]
                one += weighted[query]
                two += weighted[query + 1]
                three += weighted[query + 2]
            sums[3 * bin] = one
            sums[3 * bin + 1] = two
            sums[3 * bin + 2] = three
            slope -= one
            curvature -= two
            count -= three
        sums[3 * full] = slope
        sums[3 * full + 1] = curvature
        sums[3 * full + 2] = count
        # There is no threshold below the first bin.
        score[place] = score[bins + place] = -1.0
        slope = curvature = count = 0.0
        for bin in range(1, size):
            slope += sums[3 * bin - 3]
            curvature += sums[3 * bin - 2]
            count += sums[3 * bin - 1]
            above = total[0] - slope
            score[place + bin] = above**2 / (total[1] - curvature + penalty) if total[2] - count >= covered else -1.0
            score[bins + place + bin] = slope**2 / (curvature + penalty) if count >= covered else -1.0
        place += size
    return 0.0


def _compiled(arguments: Sequence[Any]) -> Code:
    from lrnn_cli.training.compilation import machine_code, njit

    return machine_code(njit(score_columns), arguments)


score_in_machine_code = KeptCode("score_columns", SOURCES, _compiled)
"""`score_columns` as machine code."""
if not score_in_machine_code.is_there:
    # Who has no numba is to know now.
    import_module("numba")

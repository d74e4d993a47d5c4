"""A part of the queries that is held out to choose among models."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lrnn_cli.errors import TrainingError


def held_out(example: np.ndarray, group: np.ndarray, fraction: float, seed: Sequence[int]) -> np.ndarray:
    """(queries,) which ones are held out: whole examples, or queries of the only one.

    example: of each query; group: equal for the classes of one query.
    """
    units = example if len(np.unique(example)) > 1 else np.unique(group, return_inverse=True)[1]
    names = np.unique(units)
    count = round(len(names) * fraction)
    if not 1 <= count < len(names):
        raise TrainingError(
            f"--validation {fraction:g} of {len(names)} examples leaves one part empty; "
            "choose another fraction or leave it out"
        )
    return np.isin(units, np.random.default_rng(seed).permutation(names)[:count])

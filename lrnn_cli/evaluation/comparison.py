"""Two learners compared on the same test parts: who has the lower error how often, and whether that may be chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

DIGITS = 12
"""Errors that differ by less are equal: means of equal figures may differ by rounding."""


@dataclass(frozen=True)
class ErrorComparison:
    """The first learner against the second, over pairs of errors; a win is a lower error of the first."""

    pairs: int
    wins: int
    ties: int
    losses: int
    mean_difference: float | None
    """Of the errors, first less second: below 0 where the first is better."""
    p_value: float | None
    """Of the two-sided Wilcoxon signed-rank test without ties; None where all pairs are tied."""

    @property
    def least_p_value(self) -> float:
        """The p-value if the same learner had won all pairs that are not tied: no result could have a lower one."""
        return min(1.0, 2.0 ** (1 - self.wins - self.losses))

    def json(self) -> dict[str, Any]:
        return {**asdict(self), "least_p_value": self.least_p_value}


def compare_errors(first: Sequence[float], second: Sequence[float]) -> ErrorComparison:
    """Pairs of errors (pairs,), each of one data set or one fold."""
    from scipy.stats import wilcoxon

    difference = np.round(np.asarray(first, float) - np.asarray(second, float), DIGITS)
    untied = difference[difference != 0.0]
    return ErrorComparison(
        pairs=len(difference),
        wins=int((difference < 0).sum()),
        ties=len(difference) - len(untied),
        losses=int((difference > 0).sum()),
        mean_difference=float(difference.mean()) if len(difference) else None,
        p_value=float(wilcoxon(untied).pvalue) if len(untied) else None,
    )


def mean_ranks(errors: np.ndarray) -> np.ndarray:
    """(learners,) mean rank of each learner over errors of shape (data sets, learners); 1 is the lowest error."""
    from scipy.stats import rankdata

    ranks = np.asarray(rankdata(np.round(errors, DIGITS), axis=1), float)
    mean: np.ndarray = ranks.mean(axis=0)
    return mean

"""nFOIL's model: clauses as binary features of a naive Bayes model, scored by the conditional log likelihood.

P(t | q1..qk) is proportional to P(t) * product of P(qi | t), with Laplace's counts: (n + 1) / (N + 2). The score is the
sum over queries of log P(t | q1..qk) for their own class t. In log odds the model is a sum: where clause i covers it
adds log P(qi | +) / P(qi | -), where it does not log P(not qi | +) / P(not qi | -).

N. Landwehr, K. Kersting, L. De Raedt: Integrating naive Bayes and FOIL. JMLR 8, 2007.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from scipy.sparse import csc_array, csr_array

from lrnn_cli.baselines.clausal_model import Decision
from lrnn_cli.grounding.tables import ranked

CHUNK = 2_000_000
"""So many log odds, at most, are computed at once."""


@dataclass(frozen=True)
class NaiveBayes:
    """The model of some clauses.

    positive, negative: (query atoms,) how many queries of each class ask for the atom
    log_odds: (query atoms,) of the positive class; pattern: (query atoms,) equal where the same clauses cover
    prior: the log odds without clauses
    terms: for each clause what it adds to the log odds where it covers, and where it does not
    """

    positive: np.ndarray
    negative: np.ndarray
    log_odds: np.ndarray
    pattern: np.ndarray
    prior: float
    terms: list[tuple[float, float]] = field(default_factory=list)
    measure = "conditional log likelihood"

    @staticmethod
    def of(positive: np.ndarray, negative: np.ndarray) -> NaiveBayes:
        """The model without clauses."""
        prior = float(np.log((positive.sum() + 1.0) / (negative.sum() + 1.0)))
        size = len(positive)
        return NaiveBayes(positive, negative, np.full(size, prior), np.zeros(size, np.int64), prior)

    @property
    def score(self) -> float:
        """The conditional log likelihood."""
        wrong = self.positive @ np.logaddexp(0.0, -self.log_odds) + self.negative @ np.logaddexp(0.0, self.log_odds)
        return -float(wrong)

    def scores(self, covers: csc_array) -> np.ndarray:
        """(candidates,) the conditional log likelihood with one more clause, from covers (query atoms, candidates)."""
        # Query atoms with the same clauses have the same log odds: only their number counts.
        _, member = ranked(self.pattern)
        odds = np.exp(np.clip(self.log_odds[member], -300.0, 300.0))
        queries = self.positive + self.negative
        size = np.bincount(self.pattern, queries)
        grouped = csr_array((queries, (self.pattern, np.arange(len(queries)))))
        covered = covers.T @ self.positive
        there, elsewhere = self._terms(covered, covers.T @ self.negative)
        likelihood = self.positive @ self.log_odds + covered * there + (self.positive.sum() - covered) * elsewhere
        step = max(1, CHUNK // len(size))
        for first in range(0, len(likelihood), step):
            part = slice(first, first + step)
            inside = (grouped @ covers[:, part]).toarray()
            likelihood[part] -= (inside * np.log(1.0 + np.outer(odds, np.exp(there[part])))).sum(0)
            outside = size[:, None] - inside
            likelihood[part] -= (outside * np.log(1.0 + np.outer(odds, np.exp(elsewhere[part])))).sum(0)
        return np.asarray(likelihood)

    def with_clause(self, cover: np.ndarray) -> NaiveBayes:
        there, elsewhere = self._terms(self.positive @ cover, self.negative @ cover)
        return replace(
            self,
            log_odds=self.log_odds + np.where(cover, there, elsewhere),
            pattern=ranked(2 * self.pattern + cover)[0],
            terms=[*self.terms, (float(there), float(elsewhere))],
        )

    def decision(self) -> Decision:
        """The log odds; what clauses add where they do not cover is part of the bias."""
        weights: dict[tuple[int, ...], float] = {
            (number,): there - elsewhere for number, (there, elsewhere) in enumerate(self.terms)
        }
        return Decision(self.prior + sum(elsewhere for _, elsewhere in self.terms), weights)

    def _terms(self, positive: np.ndarray, negative: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What clauses that cover so many queries add to the log odds, where they cover and elsewhere."""
        positives, negatives = self.positive.sum(), self.negative.sum()
        ratio = (negatives + 2.0) / (positives + 2.0)
        there = np.log((positive + 1.0) / (negative + 1.0) * ratio)
        elsewhere = np.log((positives - positive + 1.0) / (negatives - negative + 1.0) * ratio)
        return there, elsewhere

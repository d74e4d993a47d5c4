"""kFOIL's model: clauses induce a kernel, and the classifier is a support vector machine on it.

The kernel k of two queries is the number of clauses that cover both, or (k + 1)^p for a polynomial one. Clauses are
scored by how well the machine does on the training queries, or by the kernel alone: its alignment with the targets
y in {-1, 1} of m queries, <K, y y'> / (m sqrt(<K, K>)). A candidate q adds 1 to k where it covers both queries, so all
products with K change by a quadratic form in q: K itself, (m, m), is never there.

N. Landwehr, A. Passerini, L. De Raedt, P. Frasconi: kFOIL: learning simple relational kernels. AAAI 2006 (by the
machine); Fast learning of relational kernels. Machine Learning 78, 2010 (by alignment, among others).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from functools import cached_property
from math import comb

import numpy as np
from scipy.sparse import csc_array, csr_array

from lrnn_cli.baselines.clausal_model import Decision
from lrnn_cli.grounding.tables import ranked

TOLERANCE = 1e-6
"""Of the support vector machine; weights that are smaller beside the largest are 0."""
CHUNK = 2_000_000
"""So many numbers of covered queries, at most, are computed at once."""
REFITTED = 10
"""Machines are trained for so many candidates of a step, those that promise most."""
BEHIND = -3.0
"""Scores of other candidates begin here; those of machines are -1 at least."""


@dataclass(frozen=True)
class ClauseKernel:
    """The kernel of some clauses.

    positive, negative: (query atoms,) how many queries of each class ask for the atom
    cost: of an error of the support vector machine
    covers: (query atoms, clauses); pattern: (query atoms,) equal where the same clauses cover
    """

    positive: np.ndarray
    negative: np.ndarray
    degree: int
    cost: float
    covers: np.ndarray
    pattern: np.ndarray

    @cached_property
    def machine(self) -> Machine:
        return trained(self.positive, self.negative, self.covers, self.pattern, self.degree, self.cost)

    def decision(self) -> Decision:
        return self.machine.decision()

    @cached_property
    def shared(self) -> np.ndarray:
        """(patterns, patterns) how many clauses cover both."""
        _, member = ranked(self.pattern)
        return np.asarray(self.covers[member].astype(float) @ self.covers[member].T)

    def forms(self, weight: np.ndarray, growth: np.ndarray, covers: csc_array) -> np.ndarray:
        """(candidates,) s' G s: G the growth (patterns, patterns), s (patterns,) the weight that a candidate covers."""
        grouped = csr_array((weight, (self.pattern, np.arange(len(weight)))))
        values = np.zeros(covers.shape[1])
        step = max(1, CHUNK // len(growth))
        for first in range(0, len(values), step):
            sums = (grouped @ covers[:, first : first + step]).toarray()
            values[first : first + step] = (sums * (growth @ sums)).sum(0)
        return values


def no_clauses(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Covers and patterns of so many query atoms without clauses."""
    return np.zeros((count, 0), bool), np.zeros(count, np.int64)


@dataclass(frozen=True)
class KernelAlignment(ClauseKernel):
    """A kernel that is scored by how it agrees with the targets; agreement, size: <K, y y'> and <K, K>."""

    agreement: float
    size: float
    measure = "kernel target alignment"

    @staticmethod
    def of(positive: np.ndarray, negative: np.ndarray, degree: int, cost: float) -> KernelAlignment:
        """The kernel without clauses: 0, or 1 for a polynomial one."""
        one = float(degree > 1)
        agreement, size = one * (positive - negative).sum() ** 2, one * (positive + negative).sum() ** 2
        return KernelAlignment(positive, negative, degree, cost, *no_clauses(len(positive)), agreement, size)

    @property
    def score(self) -> float:
        """The alignment."""
        return self.agreement / float((self.positive + self.negative).sum() * np.sqrt(self.size)) if self.size else 0.0

    def scores(self, covers: csc_array) -> np.ndarray:
        """(candidates,) the alignment with one more clause, from covers (query atoms, candidates)."""
        agreement, size = self._with(covers)
        return np.asarray(agreement / ((self.positive + self.negative).sum() * np.sqrt(size)))

    def with_clause(self, cover: np.ndarray) -> KernelAlignment:
        agreement, size = self._with(csc_array(cover[:, None]))
        return replace(
            self,
            covers=np.column_stack([self.covers, cover]),
            pattern=ranked(2 * self.pattern + cover)[0],
            agreement=float(agreement[0]),
            size=float(size[0]),
        )

    def _with(self, covers: csc_array) -> tuple[np.ndarray, np.ndarray]:
        """(candidates,) <K, y y'> and <K, K> with one more clause."""
        target, queries = self.positive - self.negative, self.positive + self.negative
        if self.degree == 1:
            common = covers.T @ (self.covers * queries[:, None])
            added = 2.0 * (common**2).sum(1) + (covers.T @ queries) ** 2
            return self.agreement + (covers.T @ target) ** 2, self.size + added
        # Query atoms with the same clauses have the same kernel: K grows by `growth`, K * K by `square_growth`.
        before, after = kernel(self.shared, self.degree), kernel(self.shared + 1.0, self.degree)
        growth, square_growth = after - before, after**2 - before**2
        return (
            self.agreement + self.forms(target, growth, covers),
            self.size + self.forms(queries, square_growth, covers),
        )


@dataclass(frozen=True)
class Machine:
    """A support vector machine; queries that the same clauses cover are one pattern.

    vectors: (patterns, clauses) 0 and 1; dual: (2, patterns) for negative and positive queries, y times the multiplier
    of one query; number: (2, patterns) of queries; loss: the mean hinge loss, plus |w|^2 / 2 over cost and queries
    """

    vectors: np.ndarray
    dual: np.ndarray
    number: np.ndarray
    intercept: float
    degree: int
    loss: float

    def decision(self) -> Decision:
        return expanded(self.vectors, (self.dual * self.number).sum(0), self.intercept, self.degree)


def trained(
    positive: np.ndarray, negative: np.ndarray, covers: np.ndarray, pattern: np.ndarray, degree: int, cost: float
) -> Machine:
    """The machine of some clauses, given what they cover (query atoms, clauses).

    Queries with the same clauses and class count as one, with their number as weight.
    """
    from sklearn.svm import SVC

    _, member = ranked(pattern)
    vectors = covers[member].astype(float)
    number = np.stack([np.bincount(pattern, count) for count in (negative, positive)])
    label, place = number.nonzero()
    weight = number[label, place]
    machine = SVC(C=cost, kernel="precomputed", tol=TOLERANCE)
    between = kernel(vectors @ vectors.T, degree)[np.ix_(place, place)]
    machine.fit(between, label, sample_weight=weight)
    weighted = np.zeros(len(label))
    weighted[machine.support_] = machine.dual_coef_[0]
    output = between @ weighted + machine.intercept_[0]
    hinge = weight @ np.maximum(0.0, 1.0 - (2.0 * label - 1.0) * output)
    loss = (hinge + 0.5 * weighted @ between @ weighted / cost) / weight.sum()
    dual = np.zeros(number.shape)
    dual[label, place] = weighted / weight
    return Machine(vectors, dual, number, float(machine.intercept_[0]), degree, float(loss))


@dataclass(frozen=True)
class KernelMachine(ClauseKernel):
    """A kernel that is scored by the support vector machine on it: minus the loss that it minimises."""

    measure = "negative loss of the support vector machine"

    @staticmethod
    def of(positive: np.ndarray, negative: np.ndarray, degree: int, cost: float) -> KernelMachine:
        return KernelMachine(positive, negative, degree, cost, *no_clauses(len(positive)))

    @property
    def score(self) -> float:
        """Without clauses all queries have one decision, and those of the smaller class are on its wrong side."""
        if not self.covers.shape[1]:
            fewer = min(self.positive.sum(), self.negative.sum())
            return -2.0 * float(fewer / (self.positive + self.negative).sum())
        return -self.machine.loss

    def scores(self, covers: csc_array) -> np.ndarray:
        """(candidates,) the score with one more clause, from covers (query atoms, candidates), for the best of them.

        The best are those that promise most; the others come behind, in the order of what they promise.
        """
        promised = self.promised(covers)
        scores = BEHIND + promised / max(float(promised.max(initial=0.0)), TOLERANCE)
        for number in np.argsort(-promised, kind="stable")[:REFITTED].tolist():
            cover = np.zeros(len(self.positive), bool)
            cover[covers.indices[slice(*covers.indptr[number : number + 2])]] = True
            scores[number] = self.with_clause(cover).score
        return np.asarray(scores)

    def with_clause(self, cover: np.ndarray) -> KernelMachine:
        covers = np.column_stack([self.covers, cover])
        return replace(self, covers=covers, pattern=ranked(2 * self.pattern + cover)[0])

    def promised(self, covers: csc_array) -> np.ndarray:
        """(candidates,) how fast the loss falls as the kernel grows by a candidate, beside how much it differs.

        The loss is the maximum over multipliers a of sum(a) - (y a)' K (y a) / 2, so its slope in K is (y a) (y a)'.
        """
        queries = self.positive + self.negative
        if self.covers.shape[1]:
            negative, positive = self.machine.dual[:, self.pattern]
        else:
            negative, positive = -1.0 / self.negative.sum(), 1.0 / self.positive.sum()
        growth = kernel(self.shared + 1.0, self.degree) - kernel(self.shared, self.degree)
        slope = self.forms(self.positive * positive + self.negative * negative, growth, covers)
        number = covers.T @ queries
        variance = number * (1.0 - number / queries.sum())
        return np.asarray(np.where(variance > 0.0, slope / np.maximum(variance, TOLERANCE), 0.0))


def kernel(common: np.ndarray, degree: int) -> np.ndarray:
    """The kernel of queries, given how many clauses cover both."""
    return common if degree == 1 else (common + 1.0) ** degree


def expanded(vectors: np.ndarray, dual: np.ndarray, intercept: float, degree: int) -> Decision:
    """The decision as a sum over sets of clauses, from support vectors (vectors, clauses) of 0 and 1.

    By Newton's forward differences, a function f of the number n of clauses in common is the sum over j of
    D^j f(0) * (n over j), and (n over j) counts the sets of j clauses among them.
    """
    values = kernel(np.arange(degree + 1.0), degree)
    differences = [
        sum((-1.0) ** (order - point) * comb(order, point) * float(values[point]) for point in range(order + 1))
        for order in range(degree + 1)
    ]
    weights: dict[tuple[int, ...], float] = {}
    for order in range(1, degree + 1):
        for members in itertools.combinations(range(vectors.shape[1]), order):
            weights[members] = differences[order] * float(dual @ vectors[:, members].prod(1))
    least = TOLERANCE * max(map(abs, weights.values()))
    kept = {
        members: weight if abs(weight) > least else 0.0
        for members, weight in weights.items()
        if abs(weight) > least or len(members) == 1
    }
    return Decision(intercept + differences[0] * float(dual.sum()), kept)

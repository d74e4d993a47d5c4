"""The loop of FOIL that nFOIL and kFOIL have in common: one clause after the other, each found by a beam search.

As in their papers, a candidate is scored together with all clauses so far, and no example is removed: a clause is a
binary feature of a statistical model, not one case of a disjunction. An example is a query here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.sparse import csc_array, hstack

from lrnn_cli.baselines.clausal_model import Decision
from lrnn_cli.baselines.coverage import Coverage, CoveringClause, Refinement
from lrnn_cli.baselines.options import FoilOptions

LEAST_GAIN = 1e-9
"""A longer clause must be better than a shorter one by this, so that rounding decides nothing."""
PATIENCE = 2
"""A search ends after so many steps without a better clause; a step may be needed to bring a variable."""


class Scorer(Protocol):
    """The model of the clauses so far; higher scores are better."""

    @property
    def measure(self) -> str:
        """What the score is."""
        ...

    @property
    def score(self) -> float: ...

    def scores(self, covers: csc_array) -> np.ndarray:
        """(candidates,) the scores with one more clause, given which query atoms (rows) each candidate covers."""
        ...

    def with_clause(self, cover: np.ndarray) -> Scorer: ...

    def decision(self) -> Decision:
        """The classifier over the clauses so far, numbered from 0."""
        ...


@dataclass(frozen=True)
class LearnedClauses:
    """Clauses in the order in which they were found, their model, and why there are no more, if not by the limit."""

    clauses: list[CoveringClause]
    scorer: Scorer
    reason: str


def learn_clauses(
    coverage: Coverage,
    scorer: Scorer,
    options: FoilOptions,
    report: Callable[[int, float, CoveringClause], None] = lambda number, score, clause: None,
) -> LearnedClauses:
    """Add the best clause until none improves the score enough."""
    clauses: list[CoveringClause] = []
    while len(clauses) < options.clauses:
        clause, tried = best_clause(coverage, scorer, options.beam, clauses)
        if clause is None:
            return LearnedClauses(clauses, scorer, "no other clause covers some queries")
        grown = scorer.with_clause(clause.cover)
        if grown.score - scorer.score < max(LEAST_GAIN, options.threshold):
            reason = f"none of {tried} clauses improves the {scorer.measure} by {options.threshold:g}"
            return LearnedClauses(clauses, scorer, reason)
        clauses.append(clause)
        scorer = grown
        report(len(clauses), scorer.score, clause)
    return LearnedClauses(clauses, scorer, "")


def best_clause(
    coverage: Coverage, scorer: Scorer, width: int, known: list[CoveringClause]
) -> tuple[CoveringClause | None, int]:
    """The best clause of a beam search from the empty body, and how many candidates were scored.

    One that covers the same queries as a known clause would be the same feature once more, and is not chosen.
    """
    taken = [coverage.mark(clause.cover) for clause in known]
    beam = [coverage.empty()]
    best: CoveringClause | None = None
    best_score = 0.0
    tried = 0
    idle = 0
    while beam and idle < PATIENCE:
        step = _step(coverage, beam)
        if step is None:
            break
        scores = scorer.scores(step.covers)
        tried += len(scores)
        order = np.argsort(-scores, kind="stable")
        eligible = step.safe & ~np.isin(step.marks, taken)
        for number in order[eligible[order]][:1].tolist():
            if best is None or scores[number] > best_score + LEAST_GAIN * max(1.0, abs(best_score)):
                best, best_score, idle = step.clause(coverage, number), float(scores[number]), -1
        idle += 1
        beam = [step.clause(coverage, number) for number in order[:width].tolist()]
    return best, tried


@dataclass(frozen=True)
class SearchStep:
    """Candidates of a step of the search that differ in what they cover, shorter ones first.

    choices: parents and their refinements; owner, filling: (candidates,) which of them, and which of its fillings
    covers: (query atoms, candidates); marks: (candidates,) equal for equal covers; safe: (candidates,)
    """

    choices: list[tuple[CoveringClause, Refinement]]
    owner: np.ndarray
    filling: np.ndarray
    covers: csc_array
    marks: np.ndarray
    safe: np.ndarray

    def clause(self, coverage: Coverage, number: int) -> CoveringClause:
        parent, refinement = self.choices[self.owner[number]]
        return coverage.filled(parent, refinement, int(self.filling[number]))


def _step(coverage: Coverage, beam: list[CoveringClause]) -> SearchStep | None:
    """All refinements of a beam. One that covers what its parent covers must bring a variable."""
    choices = [(parent, refinement) for parent in beam for refinement in coverage.refinements(parent)]
    if not choices:
        return None
    choices.sort(key=lambda choice: choice[1].candidate.shape.length)
    shapes = [refinement.candidate.shape for _, refinement in choices]
    sizes = [len(refinement.choice) for _, refinement in choices]
    owner = np.repeat(np.arange(len(choices)), sizes)
    filling = np.concatenate([np.arange(size) for size in sizes])
    covers = csc_array(hstack([refinement.covers for _, refinement in choices], "csc"))
    marks = coverage.marks(covers)
    safe = np.array([shape.safe for shape in shapes])[owner]
    parent_marks = np.array([coverage.mark(parent.cover) for parent, _ in choices], np.uint64)
    parent_variables = [parent.candidate.shape.variables for parent, _ in choices]
    wider = np.array([shape.variables for shape in shapes]) > np.array(parent_variables)
    different = ((marks != parent_marks[owner]) | wider[owner]).nonzero()[0]
    if not len(different):
        return None
    _, first = np.unique(2 * marks[different] + safe[different], return_index=True)
    kept = different[np.sort(first)]
    return SearchStep(choices, owner[kept], filling[kept], covers[:, kept], marks[kept], safe[kept])

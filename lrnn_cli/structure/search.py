"""ruleLearning of Algorithm 1: a beam search for the target rules that lower the log loss most."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import numpy as np

from lrnn_cli.hypotheses.bodies import OPEN, Candidate, Shape
from lrnn_cli.hypotheses.refinement import Language, drawn, paths, refinements
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.structure.features import Features
from lrnn_cli.structure.scoring import Regression

REFITTED = 10
"""So many candidates of each step are refitted exactly."""
POOL = 400
"""So many candidates are remembered to choose several rules from."""
LEAST_GAIN = 1e-5
"""Less comes from the penalty on weights, which even a constant column lowers."""
CHUNK = 128
"""So many fillings are scored at once."""
BEST = 40
"""So many of them are looked at further."""
MOST_SHAPES = 500
"""Of more in a step so many are drawn: dozens of relations between all objects would make any number of bodies."""
MOST_OF_SEARCH = 1500
"""A search ends with the step in which it reaches so many."""
DIGITS = 10
"""Gains and losses are compared to so many: the last ones depend on the processor, and so would the rules found."""


@dataclass(frozen=True)
class Compared:
    """A candidate with its column, and the gain by which it is compared with others."""

    candidate: Candidate
    column: np.ndarray
    gain: float

    @property
    def order(self) -> tuple[float, Candidate]:
        """The best first; of equal ones the first in the order of candidates."""
        return -self.gain, self.candidate


@dataclass(frozen=True)
class Refitted:
    """A candidate with its column and the mean log loss after refitting, with the penalty and without."""

    candidate: Candidate
    column: np.ndarray
    loss: float
    log_loss: float


@dataclass(frozen=True)
class SearchOptions:
    beam: int = 5
    rules: int = 3
    """Rules to find."""
    correlation: float = 0.95
    """Columns more alike than this are not both chosen."""
    gain: float = 1e-4
    """A rule must lower the mean log loss by this. The first rule of all need only lower it: its clusters are drawn."""
    ranking: str = "newton"
    """Candidates are compared by what a Newton step promises, or by a refit of each."""


@dataclass(frozen=True)
class Searched:
    """Chosen rules with the log loss after each, best first, how many candidates were tried, and the refitted model.

    nearest: the best candidate with the log loss after it, chosen or not; None if none has groundings.
    """

    rules: list[tuple[Candidate, float]]
    tried: int
    regression: Regression
    nearest: tuple[Candidate, float] | None = None


def beam_search(
    target: Predicate,
    head_sorts: tuple[int, ...],
    features: Features,
    language: Language,
    regression: Regression,
    options: SearchOptions,
    known: set[Candidate],
    threads: Executor,
    random: np.random.Generator,
    report: Callable[[int, Candidate, float], None] = lambda tried, best, loss: None,
    check: Callable[[], None] = lambda: None,
) -> Searched:
    """Search from the empty body; then choose the best rules one by one, each given those before it.

    Rules that are `known` are refined but not found again. Shapes are scored in parallel; results are taken in a
    fixed order. Where a step has too many shapes, `random` draws some. `check` is called often and may end the search.
    """

    def is_new(candidate: Candidate) -> bool:
        return candidate.shape.safe and candidate not in known

    gains_of = regression.gains if options.ranking == "refit" else regression.promised_gains
    beam = [Candidate(Shape(target, (), ()), ())]
    seeds = paths(target, language, head_sorts, most=MOST_SHAPES, random=random) if target.arity > 1 else []
    pool: dict[Candidate, Compared] = {}
    seen: dict[Shape, set[tuple[str, ...]]] = {}
    tried = looked_at = 0
    best: Refitted | None = None
    while beam and looked_at < MOST_OF_SEARCH:
        step: list[Compared] = []
        opened: dict[Shape, dict[tuple[str, ...], None]] = {}
        for refined in itertools.chain(seeds, *(refinements(parent, language, head_sorts) for parent in beam)):
            opened.setdefault(refined.shape, {})[refined.filling] = None
            seen.setdefault(refined.shape, set())
        seeds = []
        check()
        shapes = drawn(list(opened), MOST_SHAPES, random)
        looked_at += len(shapes)
        tasks = [
            threads.submit(score_shape, shape, list(opened[shape]), features, gains_of, seen[shape]) for shape in shapes
        ]
        try:
            for task in tasks:
                scored, count = task.result()
                tried += count
                step = best_compared([*step, *scored])
                check()
        finally:
            for task in tasks:
                task.cancel()
        step = [replace(item, candidate=language.canonical(item.candidate)) for item in step]
        step.sort(key=lambda item: item.order)
        refitted: list[Refitted] = []
        for item in step:
            if len(refitted) >= REFITTED:
                break
            if any(_alike(item.column, other.column) > 1.0 - 1e-9 for other in refitted):
                continue
            model = regression.with_column(item.column)
            refitted.append(Refitted(item.candidate, item.column, round(model.loss, DIGITS), model.log_loss))
        for item in step[:POOL]:
            if is_new(item.candidate):
                pool[item.candidate] = item
        pool = {item.candidate: item for item in best_compared(list(pool.values()))}
        refitted.sort(key=lambda item: (item.loss, item.candidate))
        for fitted in refitted:
            if is_new(fitted.candidate) and (best is None or fitted.loss < best.loss):
                best = fitted
        if best is not None:
            report(tried, best.candidate, best.log_loss)
        beam = [item.candidate for item in refitted[: options.beam]]
    nearest = None if best is None else (best.candidate, best.log_loss)
    return Searched(*_choose(pool.values(), best, regression, options, not known, tried), nearest)


def score_shape(
    shape: Shape,
    partial: list[tuple[str, ...]],
    features: Features,
    gains_of: Callable[[np.ndarray], np.ndarray],
    seen: set[tuple[str, ...]],
) -> tuple[list[Compared], int]:
    """The best fillings of a shape, whose open slots take all predicates that fit, and how many there are."""
    if features.collapsed(shape) is None:
        return [], 0
    fillings = []
    for open_filling in partial:
        choices = [features.fillings(shape, slot) if name == OPEN else [name] for slot, name in enumerate(open_filling)]
        for filling in itertools.product(*choices):
            pairs = set(zip(shape.slots, filling, strict=True))
            if len(pairs) == len(filling) and filling not in seen:
                seen.add(filling)
                fillings.append(filling)
    scored = []
    for start in range(0, len(fillings), CHUNK):
        chunk = fillings[start : start + CHUNK]
        columns = features.columns(shape, chunk)
        gains = np.round(gains_of(columns), DIGITS)
        for number in np.argsort(-gains, kind="stable")[:BEST].tolist():
            candidate = Candidate(shape, chunk[number])
            scored.append(Compared(candidate, columns[:, number].copy(), float(gains[number])))
    return scored, len(fillings)


def best_compared(candidates: list[Compared]) -> list[Compared]:
    """Those with the highest gains, as many as are remembered, and all that are equal to the last of them.

    Columns of the others would take much memory.
    """
    if len(candidates) <= POOL:
        return candidates
    gains = np.array([item.gain for item in candidates])
    least = np.partition(gains, -POOL)[-POOL]
    return [candidates[number] for number in (gains >= least).nonzero()[0].tolist()]


def _alike(first: np.ndarray, second: np.ndarray) -> float:
    """The absolute correlation of two columns, 1 for two constant ones."""
    first, second = first - first.mean(), second - second.mean()
    size = float(np.sqrt((first @ first) * (second @ second)))
    return 1.0 if size < 1e-12 else abs(float(first @ second)) / size


def _choose(
    pool: Iterable[Compared],
    best: Refitted | None,
    regression: Regression,
    options: SearchOptions,
    first: bool,
    tried: int,
) -> tuple[list[tuple[Candidate, float]], int, Regression]:
    """The best rule, then further ones that help most beside those chosen and are not like them."""
    rules: list[tuple[Candidate, float]] = []
    chosen: list[np.ndarray] = []
    if best is None:
        return rules, tried, regression
    others = sorted(pool, key=lambda item: item.order)[:POOL]
    columns = np.stack([item.column for item in others], 1) if others else np.zeros((len(best.column), 0))
    candidate, column = best.candidate, best.column
    while True:
        new = regression.with_column(column)
        if regression.loss - new.loss < (LEAST_GAIN if first and not rules else options.gain):
            break
        rules.append((candidate, new.log_loss))
        chosen.append(column)
        regression = new
        if len(rules) >= options.rules or not others:
            break
        gains = np.round(regression.promised_gains(columns), DIGITS)
        for number in np.argsort(-gains, kind="stable").tolist():
            if max(_alike(columns[:, number], other) for other in chosen) < options.correlation:
                candidate, column = others[number].candidate, columns[:, number]
                break
        else:
            break
    return rules, tried, regression

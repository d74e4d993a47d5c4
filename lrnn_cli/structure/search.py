"""ruleLearning of Algorithm 1: a beam search for the target rules that lower the log loss most."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lrnn_cli.language.clauses import Predicate
from lrnn_cli.structure.bodies import Candidate, Shape
from lrnn_cli.structure.features import Features
from lrnn_cli.structure.refinement import Language, paths, refinements
from lrnn_cli.structure.scoring import Regression

REFITTED = 10
"""So many candidates of each step are refitted exactly."""
POOL = 400
"""So many candidates are remembered to choose several rules from."""
CHUNK = 128


@dataclass(frozen=True)
class Scored:
    """A candidate with its column and the mean log loss after refitting."""

    candidate: Candidate
    column: np.ndarray
    loss: float


@dataclass(frozen=True)
class SearchOptions:
    beam: int = 5
    rules: int = 3
    """Rules to find."""
    correlation: float = 0.95
    """Columns more alike than this are not both chosen."""
    gain: float = 1e-4
    """A rule must lower the mean log loss by this."""


@dataclass
class Found:
    """Chosen rules with their losses, best first, and how many candidates were tried."""

    rules: list[tuple[Candidate, float]]
    tried: int
    regression: Regression


def learn_rules(
    target: Predicate,
    head_sorts: tuple[int, ...],
    features: Features,
    language: Language,
    dimension: int,
    regression: Regression,
    options: SearchOptions,
    report: Callable[[int, Candidate, float], None] = lambda tried, best, loss: None,
) -> Found:
    """Search from the empty body; then choose the best rules one by one, each given those before it."""
    beam = [Candidate(Shape(target, (), ()), ())]
    seeds = paths(target, language, head_sorts) if target.arity > 1 else []
    pool: dict[Candidate, tuple[float, np.ndarray]] = {}
    seen: set[Candidate] = set()
    tried = 0
    best: Scored | None = None
    while beam:
        step: list[tuple[float, Candidate, np.ndarray]] = []
        opened = dict.fromkeys(seeds)
        opened.update((refined, None) for parent in beam for refined in refinements(parent, language, head_sorts))
        seeds = []
        for refinement in opened:
            scored, count = _score_fillings(refinement, features, dimension, regression, seen)
            tried += count
            step += scored
        step.sort(key=lambda item: (-item[0], item[1]))
        refitted: list[Scored] = []
        for _, candidate, column in step:
            if len(refitted) >= REFITTED:
                break
            if any(_alike(column, other.column) > 1.0 - 1e-9 for other in refitted):
                continue
            refitted.append(Scored(candidate, column, regression.with_column(column).loss))
        for gain, candidate, column in step[:POOL]:
            if candidate.shape.safe:
                pool[language.canonical(candidate)] = (gain, column)
        refitted.sort(key=lambda item: (item.loss, item.candidate))
        for item in refitted:
            if item.candidate.shape.safe and (best is None or item.loss < best.loss):
                best = item
        if best is not None:
            report(tried, best.candidate, best.loss)
        beam = [item.candidate for item in refitted[: options.beam]]
    return Found(*_choose(pool, best, regression, options, tried))


def _score_fillings(
    refinement: Candidate, features: Features, dimension: int, regression: Regression, seen: set[Candidate]
) -> tuple[list[tuple[float, Candidate, np.ndarray]], int]:
    """Promised gains of all fillings of the open slots of a refinement."""
    if features.collapsed(refinement.shape) is None:
        return [], 0
    choices = [range(1, dimension + 1) if number == 0 else (number,) for number in refinement.filling]
    fillings = []
    for filling in itertools.product(*choices):
        pairs = list(zip(refinement.shape.slots, filling, strict=True))
        candidate = Candidate(refinement.shape, filling)
        if len(set(pairs)) == len(pairs) and candidate not in seen:
            seen.add(candidate)
            fillings.append(filling)
    scored = []
    for start in range(0, len(fillings), CHUNK):
        chunk = fillings[start : start + CHUNK]
        columns = features.columns(refinement.shape, np.array(chunk, int).reshape(len(chunk), -1))
        gains = regression.promised_gains(columns)
        for number in np.argsort(-gains, kind="stable")[:40].tolist():
            candidate = Candidate(refinement.shape, chunk[number])
            scored.append((float(gains[number]), candidate, columns[:, number].copy()))
    return scored, len(fillings)


def _alike(first: np.ndarray, second: np.ndarray) -> float:
    """The absolute correlation of two columns, 1 for two constant ones."""
    first, second = first - first.mean(), second - second.mean()
    size = float(np.sqrt((first @ first) * (second @ second)))
    return 1.0 if size < 1e-12 else abs(float(first @ second)) / size


def _choose(
    pool: dict[Candidate, tuple[float, np.ndarray]],
    best: Scored | None,
    regression: Regression,
    options: SearchOptions,
    tried: int,
) -> tuple[list[tuple[Candidate, float]], int, Regression]:
    """The best rule, then further ones that help most beside those chosen and are not like them."""
    rules: list[tuple[Candidate, float]] = []
    chosen: list[np.ndarray] = []
    if best is None:
        return rules, tried, regression
    names = sorted(pool, key=lambda name: (-pool[name][0], name))[:POOL]
    columns = np.stack([pool[name][1] for name in names], 1) if names else np.zeros((len(best.column), 0))
    candidate, column = best.candidate, best.column
    while True:
        new = regression.with_column(column)
        if regression.loss - new.loss < options.gain:
            break
        rules.append((candidate, new.loss))
        chosen.append(column)
        regression = new
        if len(rules) >= options.rules or not names:
            break
        gains = regression.promised_gains(columns)
        for number in np.argsort(-gains, kind="stable").tolist():
            if max(_alike(columns[:, number], other) for other in chosen) < options.correlation:
                candidate, column = names[number], columns[:, number]
                break
        else:
            break
    return rules, tried, regression

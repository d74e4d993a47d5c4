"""Searches for rules of the targets; the model so far is a regression over the columns of its rules."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np

from lrnn_cli.hypotheses.bodies import Candidate
from lrnn_cli.hypotheses.refinement import Language
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.structure.features import Features
from lrnn_cli.structure.observer import Observer
from lrnn_cli.structure.problem import Problem
from lrnn_cli.structure.rules import Rules, Weights, rules_of
from lrnn_cli.structure.scoring import Regression, bounded, fit
from lrnn_cli.structure.search import Searched, SearchOptions, beam_search
from lrnn_cli.structure.side_by_side import own_processors
from lrnn_cli.structure.state import Nearest, ScoredRule

LARGEST_WEIGHT = 4.0
"""Training starts from refitted weights no larger than this: saturated neurons do not learn."""
EXPLAINED = 0.001
"""A target is learned when its loss is below this part of that of its frequency, or mean, alone."""


@dataclass(frozen=True)
class TargetRules:
    """Rules that were found, best first for each target, with the weights of all target rules refitted.

    tried: how many candidates were compared; nearest: the best of them, found or not.
    """

    best: tuple[ScoredRule, ...]
    weights: Weights
    tried: int
    nearest: Nearest


def regression_of(E: Problem, F: Features, R: Rules, W: Weights, predicate: Predicate) -> Regression:
    """The current model of a target as a regression over the columns of its rules.

    Where it is one of several classes, the sums of the others are given.
    """
    target = E.targets[predicate]
    activation, likelihood = E.kind.activation(E.activation), E.kind.likelihood
    matrix, start = _columns_and_weights(E, F, R, W, predicate)
    given = target.given
    others = [
        activation.scaled(np.matmul(*_columns_and_weights(E, F, R, W, other)), E.targets[other].given)
        for other in E.goal_of(predicate)
        if other != predicate
    ]
    if others:
        given = given - np.logaddexp.reduce(others, axis=0) / activation.steepness
    return fit(matrix, target.target, start, activation, given, likelihood=likelihood)


def _columns_and_weights(
    E: Problem, F: Features, R: Rules, W: Weights, predicate: Predicate
) -> tuple[np.ndarray, np.ndarray]:
    """(queries, rules) columns of the rules of a target, the bias first if it has one, and their weights (rules,)."""
    size = len(E.targets[predicate].target)
    columns = [np.ones(size)] if E.bias(predicate) else []
    columns += [F.column(candidate) for candidate in R.targets_of(predicate)]
    matrix = np.stack(columns, 1) if columns else np.zeros((size, 0))
    return matrix, np.array([W[rule.clause] for rule in rules_of(E, R, predicate)])


def is_explained(regression: Regression) -> bool:
    return regression.penalised < EXPLAINED * regression.likelihood.null(regression.target)


def search_targets(E: Problem, F: Features, R: Rules, W: Weights, gain: float, observer: Observer) -> TargetRules:
    """The best rules of all target predicates that raise the log likelihood by `gain` at least."""
    best: list[ScoredRule] = []
    tried = 0
    nearest: Nearest = {}
    weights = dict(W)
    language = E.language(R.latent)
    for predicate in E.targets:
        regression = regression_of(E, F, R, weights, predicate)
        if not is_explained(regression):
            observer.begin_search()
            options = SearchOptions(
                E.options.beam, E.options.rules, gain=gain / regression.count, ranking=E.options.ranking
            )
            searched = _search(E, F, R, predicate, regression, language, options, observer)
            tried += searched.tried
            best += searched.rules
            if searched.nearest is not None:
                candidate, log_loss = searched.nearest
                gain_of_it = (regression.log_loss - log_loss) * regression.count
                nearest[predicate] = E.words.written(candidate.rule()).clause, gain_of_it
            added = Rules(targets={predicate: tuple(candidate for candidate, _ in searched.rules)})
            names = [rule.clause for rule in rules_of(E, R | added, predicate)]
            refitted = bounded(searched.regression, LARGEST_WEIGHT)
            weights.update(zip(names, refitted.tolist(), strict=True))
    return TargetRules(tuple(best), weights, tried, nearest)


def closest_bodies(E: Problem, F: Features, R: Rules, W: Weights) -> list[Candidate]:
    """For each target the body below the last layer that would gain most as a rule, be it enough or not."""
    bodies: list[Candidate] = []
    language = E.language(R.latent)
    below = {layer: sorts for layer, sorts in language.layers.items() if layer < E.options.layers}
    for predicate in E.targets if E.options.layers > 1 else ():
        regression = regression_of(E, F, R, W, predicate)
        if not is_explained(regression):
            options = SearchOptions(E.options.beam, 1, gain=-1.0, ranking=E.options.ranking)
            searched = _search(E, F, R, predicate, regression, replace(language, layers=below), options, None)
            bodies += [candidate for candidate, _ in searched.rules]
    return bodies


def _search(
    E: Problem,
    F: Features,
    R: Rules,
    predicate: Predicate,
    regression: Regression,
    language: Language,
    options: SearchOptions,
    observer: Observer | None,
) -> Searched:
    def report(tried: int, best: Candidate, loss: float) -> None:
        if observer is not None:
            observer.scored(E, tried, best, loss)

    sorts, known = E.words.targets[predicate], set(R.targets_of(predicate))
    # Others are drawn in each iteration.
    random = np.random.default_rng([E.options.seed, 5, len(known)])
    with ThreadPoolExecutor(own_processors(E.allowed.jobs)) as threads:
        check = E.allowed.check_time
        return beam_search(predicate, sorts, F, language, regression, options, known, threads, random, report, check)

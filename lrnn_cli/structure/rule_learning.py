"""ruleLearning of Algorithm 1: a search for target rules, repeated with other latent predicates if it finds nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lrnn_cli.hypotheses.bodies import Candidate
from lrnn_cli.stages import stage
from lrnn_cli.structure.features import Features
from lrnn_cli.structure.observer import Observer
from lrnn_cli.structure.problem import Problem
from lrnn_cli.structure.rules import Rules, Weights, internal_template
from lrnn_cli.structure.starts import start_anew
from lrnn_cli.structure.state import Nearest, ScoredRule
from lrnn_cli.structure.target_search import search_targets
from lrnn_cli.structure.weights import count_rows

KEPT_ROW_BYTES = 40
"""What a grounding of a rule of the model takes while the network is made."""


@dataclass(frozen=True)
class LearnedRules:
    """The best rules, none if no candidate gains enough, and the model that they were chosen for.

    rules, weights: those there were, latent predicates that nothing uses perhaps started anew, target rules refitted.
    tried: how many candidates were compared; ahead: bodies that latent predicates were invented from before this.
    too_large: whether some bodies were left out for want of memory; nearest: what the last search found best.
    """

    best: tuple[ScoredRule, ...]
    rules: Rules
    weights: Weights
    tried: int
    ahead: list[Candidate]
    too_large: bool
    nearest: Nearest


def rule_learning(
    E: Problem, F: Features, R: Rules, W: Weights, observer: Observer, groundings: int | None = None
) -> LearnedRules:
    """The best rules of all targets, latent weights fixed; latent predicates start anew where there are none.

    groundings: of the rules so far, which leave the rest of the memory to others; counted if None.
    """
    F = replace(F, most_rows=_most_rows(E, R, W, groundings))
    ahead: list[Candidate] = []
    with stage("rule learning"):
        search = search_targets(E, F, R, W, E.options.gain, observer)
        tried = search.tried
        for _ in range(E.options.restarts):
            if search.best or not tried:
                break
            F, R, W, bodies = start_anew(E, F, R, search.weights)
            ahead += bodies
            observer.started_anew(E)
            # A new start is one more look at chance: what it finds must stand out among all that was tried.
            search = search_targets(E, F, R, W, E.options.gain + float(np.log(tried)), observer)
            tried += search.tried
    too_large = F.too_large()
    observer.end_search(too_large)
    return LearnedRules(search.best, R, search.weights, tried, ahead, bool(too_large), search.nearest)


def _most_rows(E: Problem, R: Rules, W: Weights, groundings: int | None) -> int:
    """The rules of one iteration, and what is invented from them, may take an even part of what is left."""
    if not E.allowed.memory:
        return 0
    if groundings is None:
        groundings = count_rows(E.grounder.ground(internal_template(E, R, W)))
    left = E.allowed.memory // 2 // KEPT_ROW_BYTES - groundings
    return max(1, left // (2 * E.options.rules))

"""createLayer1Rules and predicateInvention of Algorithm 1: rules that define latent predicates."""

from __future__ import annotations

from collections.abc import Iterable

from lrnn_cli.hypotheses.bodies import Candidate
from lrnn_cli.hypotheses.invention import cluster_rules, invented_rules
from lrnn_cli.language.clauses import Predicate, Rule
from lrnn_cli.structure.problem import Problem
from lrnn_cli.structure.rules import Rules
from lrnn_cli.structure.state import ScoredRule


def create_layer1_rules(E: Problem) -> Rules:
    """Soft clusters of the unary predicates of the data."""
    return Rules(tuple(cluster_rules(E.unary, E.options.dimension)))


def predicate_invention(E: Problem, R: Rules, best: Iterable[ScoredRule]) -> Rules:
    """The rules found, and those that the best one of each target makes."""
    targets: dict[Predicate, tuple[Candidate, ...]] = {}
    for candidate, _ in best:
        head = candidate.shape.head
        targets[head] = (*targets.get(head, ()), candidate)
    return Rules(new_invented_from(E, R, [candidates[0] for candidates in targets.values()]), targets)


def new_invented_from(E: Problem, R: Rules, bodies: Iterable[Candidate]) -> tuple[Rule, ...]:
    """The rules of predicate invention that are not there yet, up to the last layer."""
    known = {rule.clause for rule in R.latent}
    new: dict[str, Rule] = {}
    for candidate in bodies:
        if candidate.layer < E.options.layers:
            for rule in all_invented_from(E, candidate):
                if rule.clause not in known and E.grounder.fits(rule):
                    new[rule.clause] = rule
    return tuple(new.values())


def all_invented_from(E: Problem, body: Candidate) -> list[Rule]:
    return invented_rules(body, E.options.dimension, E.options.arity)

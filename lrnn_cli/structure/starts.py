"""initWeights of Algorithm 1: where the weights of latent predicates start, and start anew.

Clusters of layer 1 start with the roles that unary predicates play in what is left unexplained, invented predicates as
one of the bodies each; what is left over is drawn, as all are in the paper.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from lrnn_cli.hypotheses.bodies import Candidate
from lrnn_cli.hypotheses.invention import layer_of, layered
from lrnn_cli.language.clauses import Rule
from lrnn_cli.structure.features import Features
from lrnn_cli.structure.latent_rules import all_invented_from, new_invented_from
from lrnn_cli.structure.observer import Observer
from lrnn_cli.structure.pretraining import pretrain
from lrnn_cli.structure.problem import Problem
from lrnn_cli.structure.roles import Role, strongest, unexplained_roles
from lrnn_cli.structure.rules import Rules, Weights, used_predicates
from lrnn_cli.structure.target_search import closest_bodies, is_explained, regression_of
from lrnn_cli.structure.weights import weighted_facts

DEVIATION = 0.5
"""Of the weights that are drawn, around 0."""


def first_weights(E: Problem, R: Rules, observer: Observer) -> Weights:
    """The weights of the clusters of layer 1, and of the biases of targets."""
    W = _drawn(E, {}, R.latent)
    if E.options.pretrain and E.unary:
        W = _pretrained(E, R, W, observer)
    W = _drawn(E, W, (bias for bias in map(E.bias, E.targets) if bias is not None), 0.0)
    if not E.options.pretrain:
        W = start_clusters(E, weighted_facts(E, R, W), R, W, [rule.head.name for rule in R.latent])
    return W


def new_weights(E: Problem, R: Rules, W: Weights) -> Weights:
    """Weights with those of invented rules that have none yet.

    For latent predicates that target rules use already they start from 0, so as not to undo what these mean.
    """
    used = used_predicates(E, R, W)
    new = [rule for rule in R.latent if rule.clause not in W]
    W = _drawn(E, W, (rule for rule in new if rule.head.predicate in used), 0.0)
    return start_invented(E, R, W, [rule for rule in new if rule.head.predicate not in used])


def _drawn(E: Problem, W: Weights, rules: Iterable[Rule], weight: float | None = None) -> Weights:
    """Weights with those of more rules, drawn unless `weight` is given; those that are there stay."""
    weights = dict(W)
    for rule in rules:
        if rule.clause not in weights:
            drawn = float(E.random.normal(0.0, DEVIATION))
            weights[rule.clause] = drawn if weight is None else weight
    return weights


def _pretrained(E: Problem, R: Rules, W: Weights, observer: Observer) -> Weights:
    """Unsupervised pre-training of layer 1."""
    start = np.array([W[rule.clause] for rule in R.latent]).reshape(E.options.dimension, len(E.unary))
    facts = E.others, E.relations, E.unary
    trained, losses = pretrain(start, *facts, E.activation, E.random, check=E.allowed.check_time)
    if losses:
        observer.status(f"pre-training of layer 1: loss {losses[0]:.5f} to {losses[-1]:.5f}")
    return {**W, **dict(zip((rule.clause for rule in R.latent), trained.ravel().tolist(), strict=True))}


def start_clusters(E: Problem, F: Features, R: Rules, W: Weights, names: list[str]) -> Weights:
    """Latent predicates of layer 1 start with the roles that unary predicates play in what is left unexplained.

    Where there are too few such roles, others keep the weights that were drawn.
    """
    if E.options.start == "drawn" or not E.unary:
        return W
    unary = [predicate.name for predicate in E.unary]
    roles: list[Role] = []
    for predicate in E.targets:
        regression = regression_of(E, F, R, W, predicate)
        if not is_explained(regression):
            facts = F, E.language(R.latent), regression, unary
            roles += unexplained_roles(predicate, E.words.targets[predicate], *facts, E.random)
    free = list(dict.fromkeys(names))
    weights = dict(W)
    for name, role in zip(free, strongest(roles, len(free)), strict=False):
        start = dict(zip(unary, role.tolist(), strict=True))
        for rule in R.latent:
            if rule.head.name == name:
                weights[rule.clause] = start[rule.body[0].name]
    return weights


def start_invented(E: Problem, R: Rules, W: Weights, rules: list[Rule]) -> Weights:
    """Latent predicates of higher layers start as one of the bodies each, as long as there are more bodies.

    They are on where the body holds; weights of the other predicates are drawn.
    """
    weights = dict(W)
    if E.options.start != "drawn":
        for group in layered(rules):
            order = E.random.permutation(len(next(iter(group.values()))))
            for (head, own), chosen in zip(group.items(), order.tolist(), strict=False):
                weights.update({rule.clause: 0.0 for rule in R.latent if rule.head.predicate == head})
                weights[own[chosen].clause] = 1.0
    return _drawn(E, weights, rules)


def start_anew(E: Problem, F: Features, R: Rules, W: Weights) -> tuple[Features, Rules, Weights, list[Candidate]]:
    """Start the latent predicates that no target rule uses once more; with the bodies that they can now mean.

    Clusters start from what is still unexplained. Invented predicates start as the body below the last layer that
    comes closest to a rule: it need not gain anything itself for what is invented from it to gain.
    """
    most_rows = F.most_rows
    used = used_predicates(E, R, W)
    clusters = [rule for rule in R.latent if rule.head.predicate not in used and layer_of(rule.head.name) == 1]
    cleared = {rule.clause for rule in clusters}
    W = _drawn(E, {clause: weight for clause, weight in W.items() if clause not in cleared}, clusters)
    F = replace(weighted_facts(E, R, W), most_rows=most_rows)
    W = start_clusters(E, F, R, W, [rule.head.name for rule in clusters])
    F = replace(weighted_facts(E, R, W), most_rows=most_rows)
    ahead = closest_bodies(E, F, R, W)
    new = new_invented_from(E, R, ahead)
    R |= Rules(new)
    W = _drawn(E, W, (rule for rule in new if rule.head.predicate in used), 0.0)
    bodies = {rule.clause for body in ahead for rule in all_invented_from(E, body)}
    started = [rule for rule in R.latent if rule.clause in bodies and rule.head.predicate not in used]
    W = start_invented(E, R, W, started)
    return replace(weighted_facts(E, R, W), most_rows=most_rows), R, W, ahead

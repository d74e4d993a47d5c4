"""Unsupervised pre-training of layer 1: clusters that tell which unary predicates meet in the facts of relations.

For each relation, every combination of unary predicates of its arguments is an example. Combinations that occur more
often than the mean over all possible ones are positive, the others negative, and each counts as much as it is away from
the mean. A meeting in weighted facts counts for as much as their values beside those of plain facts. The model of a
relation is an LRNN with one rule for each combination of clusters,

    w_ijk :: frequent :- r(X, Y, Z), latent_1_i(X), latent_1_j(Y), latent_1_k(Z).

and the weights of layer 1 are trained together with those of all these rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lrnn_cli.grounding.joins.relations import Relations
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.semantics.activations import Activation
from lrnn_cli.semantics.losses import LOSSES
from lrnn_cli.training.optimisers import OPTIMISERS

LOSS = LOSSES["squared"]
EPOCHS = 200
RATE = 0.02
COMBINATIONS = 20_000
"""A relation with more combinations of unary predicates than this is left out."""
CHUNK = 1_000_000
"""So many combinations of facts, at most, are counted at once."""


@dataclass(frozen=True)
class Meetings:
    """Combinations of unary predicates in a relation.

    predicate: (arguments, combinations) the row of the unary predicate of each argument that has some;
    target: (combinations,) 1 where they meet more often than the mean; weight: (combinations,), mean 1.
    """

    predicate: np.ndarray
    target: np.ndarray
    weight: np.ndarray


def meetings(
    relation: Predicate, relations: Relations, unary: Sequence[Predicate], activation: Activation
) -> Meetings | None:
    """Count how often unary predicates meet in a relation; None where nothing can be told apart."""
    facts = relations.tables[relation].objects
    holds = []
    rows = []
    for position in range(relation.arity):
        column = facts[:, position]
        present = []
        for row, predicate in enumerate(unary):
            true = np.zeros(relations.objects)
            true[relations.tables[predicate].objects[:, 0]] = _shares(predicate, relations, activation)
            if true[column].any():
                present.append((row, true[column]))
        if present:
            rows.append(np.array([row for row, _ in present]))
            holds.append(np.array([true for _, true in present]))
    size = int(np.prod([len(row) for row in rows])) if rows else 0
    if not 1 < size <= COMBINATIONS:
        return None
    share = _shares(relation, relations, activation)
    count = np.zeros(size)
    step = max(1, CHUNK // size)
    for start in range(0, len(facts), step):
        part = slice(start, start + step)
        together = share[None, part]
        for more in holds:
            together = (together[:, None, :] * more[None, :, part]).reshape(-1, together.shape[1])
        count += together.sum(1)
    distance = np.abs(count - count.mean())
    if not distance.any():
        return None
    combinations = np.stack([grid.ravel() for grid in np.meshgrid(*rows, indexing="ij")])
    return Meetings(combinations, (count > count.mean()).astype(float), distance / distance.mean())


def _shares(predicate: Predicate, relations: Relations, activation: Activation) -> np.ndarray:
    """What each fact of a predicate counts for: 1 for a plain one."""
    table = relations.tables[predicate]
    weights = relations.weights(predicate, table.example, table.objects)
    return np.asarray(activation.facts(weights) / activation.facts(np.ones(1)))


@dataclass
class Relational:
    """The model of one relation: weights of its rules, one for each combination of clusters, and of its bias."""

    meetings: Meetings
    rules: np.ndarray
    bias: float


def loss_and_gradients(
    layer1: np.ndarray, model: Relational, activation: Activation
) -> tuple[float, np.ndarray, np.ndarray, float]:
    """The weighted squared loss of a relation, and its gradients by layer 1 (clusters, predicates), rules and bias."""
    fired = float(activation.rules(activation.rule_bias(1, 1)))
    values = activation.atoms(layer1 * fired)
    met = model.meetings
    arguments = len(met.predicate)
    clusters = len(layer1)
    total: np.ndarray = np.full((met.predicate.shape[1],) + (1,) * arguments, activation.rule_bias(arguments + 1, 1))
    for place, rows in enumerate(met.predicate):
        shape = [len(rows)] + [1] * arguments
        shape[1 + place] = clusters
        total = total + values[:, rows].T.reshape(shape)
    neurons = activation.rules(total)
    flat = neurons.reshape(len(neurons), -1)
    output = activation.atoms(flat @ model.rules + model.bias)
    count = len(output)
    loss = float((met.weight * LOSS.value(output, met.target)).mean())
    d_output = activation.slope(output, met.weight * LOSS.slope(output, met.target) / count)
    d_rules = flat.T @ d_output
    d_total = activation.slope(flat, d_output[:, None] * model.rules).reshape(neurons.shape)
    d_values = np.zeros_like(layer1)
    for place, rows in enumerate(met.predicate):
        others = tuple(axis for axis in range(1, arguments + 1) if axis != 1 + place)
        slope = d_total.sum(axis=others)
        for cluster in range(clusters):
            d_values[cluster] += np.bincount(rows, slope[:, cluster], layer1.shape[1])
    return loss, activation.slope(values, d_values) * fired, d_rules, float(d_output.sum())


def pretrain(
    layer1: np.ndarray,
    predicates: Sequence[Predicate],
    relations: Relations,
    unary: Sequence[Predicate],
    activation: Activation,
    random: np.random.Generator,
    epochs: int = EPOCHS,
    check: Callable[[], None] = lambda: None,
) -> tuple[np.ndarray, list[float]]:
    """Trained weights of layer 1 (clusters, unary predicates), and the loss summed over relations in each epoch.

    `check` is called in each epoch and may end the training.
    """
    models = []
    for relation in predicates:
        met = meetings(relation, relations, unary, activation)
        if met is not None:
            rules = random.normal(0.0, 0.5, len(layer1) ** len(met.predicate))
            models.append(Relational(met, rules, 0.0))
    optimiser = OPTIMISERS["adam"](RATE, layer1.size + sum(len(model.rules) + 1 for model in models))
    losses = []
    for _ in range(epochs if models else 0):
        check()
        loss = 0.0
        d_layer1 = np.zeros_like(layer1)
        gradients = [d_layer1.reshape(-1)]
        for model in models:
            own, d_own, d_rules, d_bias = loss_and_gradients(layer1, model, activation)
            loss += own
            d_layer1 += d_own
            gradients += [d_rules, np.array([d_bias])]
        step = optimiser(np.concatenate(gradients))
        layer1 = layer1 + step[: layer1.size].reshape(layer1.shape)
        start = layer1.size
        for model in models:
            model.rules = model.rules + step[start : start + len(model.rules)]
            model.bias += float(step[start + len(model.rules)])
            start += len(model.rules) + 1
        losses.append(loss)
    return layer1, losses

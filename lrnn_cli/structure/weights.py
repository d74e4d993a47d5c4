"""weightedFacts and trainWeights of Algorithm 1, and what a model says of queries."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lrnn_cli.allocation import give_back_free_memory
from lrnn_cli.grounding.groundings import Groundings
from lrnn_cli.hypotheses.invention import layer_of
from lrnn_cli.language.clauses import Predicate, Rule
from lrnn_cli.language.data import Queries
from lrnn_cli.language.template import Template
from lrnn_cli.network.compile import Compiler
from lrnn_cli.network.network import Network, assemble, assemble_all, compile_network
from lrnn_cli.stages import stage
from lrnn_cli.structure.features import Features, Kind, PredicateLayer, data_layer
from lrnn_cli.structure.problem import Problem
from lrnn_cli.structure.rules import Rules, Weights, internal_template, weighted
from lrnn_cli.training.loop import Epoch, Trained
from lrnn_cli.training.loop import train_weights as train_network
from lrnn_cli.training.options import TrainingOptions

STEP_SIZES = 4
"""Training is tried with steps of so many sizes."""


def weighted_facts(E: Problem, R: Rules, W: Weights) -> Features:
    """Values of all latent predicates for all atoms, the weights of their rules being fixed."""
    predicates = sorted({rule.head.predicate for rule in R.latent})
    layers: dict[Kind, PredicateLayer] = {}
    if predicates:
        template = Template(weighted(R.latent, W), E.settings)
        keep = frozenset(predicates)
        with stage("joining groundings"):
            groundings = E.grounder.ground(template, keep)
        with stage("compiling the network"):
            compiler = Compiler(groundings, keep=keep, memory=E.compiled)
            network, neuron = assemble_all(compiler)
        values, _ = network.forward(np.array([rule.weight for rule in template.rules], float))
        by_kind: dict[Kind, list[Predicate]] = {}
        for predicate in predicates:
            by_kind.setdefault((layer_of(predicate.name), predicate.arity), []).append(predicate)
        for kind, members in by_kind.items():
            members.sort(key=lambda predicate: int(predicate.name.split("_")[2]))
            group = compiler.groups[compiler.program.groups[members[0]]]
            table = np.stack([values[neuron[predicate][:-1]] for predicate in members])
            names = tuple(predicate.name for predicate in members)
            layers[kind] = PredicateLayer(names, group.index, group.value_class, table)
        if E.unary:
            layers[0, 1] = data_layer(E.unary, E.relations, layers[1, 1], E.activation)
    return E.features.with_layers(layers)


def rule_columns(E: Problem, R: Rules, W: Weights) -> dict[Predicate, list[np.ndarray]]:
    """For each target the columns (queries,) of its rules."""
    columns = {target: [np.zeros(len(own.target)) for _ in R.targets_of(target)] for target, own in E.targets.items()}
    for part, places in E.parts():
        F = weighted_facts(part, R, W)
        for target, own in places.items():
            for rule, column in zip(R.targets_of(target), columns[target], strict=True):
                column[own] = F.column(rule)
        give_back_free_memory()
    return columns


@dataclass(frozen=True)
class TrainedWeights:
    """Weights after training, the losses of its epochs, and the number of groundings of the rules."""

    weights: Weights
    history: tuple[Epoch, ...]
    loss: float
    groundings: int


def train_weights(E: Problem, R: Rules, W: Weights, epochs: int) -> TrainedWeights:
    """Train all weights that the queries can see."""
    template = internal_template(E, R, W)
    clauses = tuple(rule.clause for rule in template.rules)
    # The rules of the last iteration are trained once more at the end.
    network, groundings = E.compiled.recall(("network", clauses), lambda: _network(E, template))
    options = TrainingOptions(
        loss=E.options.loss,
        optimiser=E.options.optimiser,
        batch_size=E.options.batch_size,
        learning_rate=E.options.learning_rate,
        epochs=epochs,
        l2=E.options.penalty / network.queries,
        seed=E.options.seed,
    )
    with stage("training"):
        trained = _trained(E, network, template.rules, options)
    weights = zip((rule.clause for rule in template.rules), trained.weights.tolist(), strict=True)
    return TrainedWeights({**W, **dict(weights)}, tuple(trained.history), trained.epoch.training_loss, groundings)


def _network(E: Problem, template: Template) -> tuple[Network, int]:
    """The network of a template, and the number of groundings of its rules."""
    with stage("joining groundings"):
        groundings = E.grounder.ground(template)
    give_back_free_memory()
    with stage("compiling the network"):
        network = assemble(Compiler(groundings, memory=E.compiled))
    give_back_free_memory()
    return network, count_rows(groundings)


def count_rows(groundings: Groundings) -> int:
    return sum(len(table) for table in groundings.tables)


def _trained(E: Problem, network: Network, rules: tuple[Rule, ...], options: TrainingOptions) -> Trained:
    """Weights after training: where steps were so large that it did harm, after training with smaller ones."""
    start = np.array([rule.weight for rule in rules], float)
    for shorter in range(STEP_SIZES):
        steps = replace(options, learning_rate=E.options.learning_rate / 4.0**shorter)
        trained = train_network(network, rules, steps, lambda epoch: E.allowed.check_time())
        if trained.interrupted:
            raise KeyboardInterrupt
        first, last = trained.history[0].training_loss, trained.epoch.training_loss
        if last + options.l2 * (trained.weights @ trained.weights) <= first + options.l2 * (start @ start):
            return trained
    return Trained(start, trained.history[0], trained.history[:1])


def outputs(E: Problem, R: Rules, W: Weights, queries: Queries) -> np.ndarray:
    """What rules and weights say of queries (queries,) of the data, learned from or not."""
    template = internal_template(E, R, W)
    network = compile_network(E.grounder_of(queries).ground(template))
    values, _ = network.forward(np.array([rule.weight for rule in template.rules]))
    return network.outputs(values)

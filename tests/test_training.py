"""Losses, optimisers and the training loop, with steps worked out by hand.

Most problems are linear: in the family sigmoid an atom with fact inputs only has their sum as its value, so the output
for `W :: p.` is W itself, its squared loss (W - t)^2, and the gradient 2 (W - t).
"""

from __future__ import annotations

import csv
import io
import itertools
import math
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from lrnn_cli.commands import cli
from lrnn_cli.errors import TrainingError
from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder
from lrnn_cli.grounding.session import GroundingSession
from lrnn_cli.language.clauses import Rule
from lrnn_cli.language.files import Source
from lrnn_cli.network.network import Network, compile_network
from lrnn_cli.semantics.losses import LOSSES, Loss
from lrnn_cli.training.history import history_csv
from lrnn_cli.training.loop import Epoch, Trained, initial_weights, train_weights
from lrnn_cli.training.optimisers import adam, sgd
from lrnn_cli.training.options import TrainingOptions

LINEAR = "setting(activation, sigmoid).\n"
Rules = tuple[Rule, ...]


@pytest.fixture(scope="module")
def grounder() -> Iterator[GroundingSession]:
    with open_grounder("swi", GrounderOptions()) as opened:
        yield opened


def problem(grounder: GroundingSession, template: str, *examples: str) -> tuple[Network, Rules]:
    """A network over examples, each given by its facts and queries."""
    rules = grounder.read_template(Source("template.pl", template.encode()))
    data = "\n".join(f"begin(model(m{n})).\n{text}\nend(model(m{n}))." for n, text in enumerate(examples, 1))
    groundings = grounder.ground(rules, grounder.load(Source("data.pl", data.encode())))
    return compile_network(groundings), rules.rules


def sigm(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x))


def losses(trained: Trained) -> list[float]:
    return [epoch.training_loss for epoch in trained.history]


# Losses


def valued(loss: Loss, output: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return loss.value(output, target), loss.slope(output, target)


def test_squared_loss() -> None:
    """(0.3 - 1)^2 = 0.49 with slope 2 * -0.7; (2 - 0.5)^2 = 2.25 with slope 3."""
    value, slope = valued(LOSSES["squared"], np.array([0.3, 2.0]), np.array([1.0, 0.5]))
    assert value.tolist() == pytest.approx([0.49, 2.25], abs=1e-15)
    assert slope.tolist() == pytest.approx([-1.4, 3.0], abs=1e-15)


def test_log_loss() -> None:
    """y = 1/4: -ln(1/4) = 2 ln 2 with slope -1/y = -4; -ln(3/4) with slope 1/(1-y) = 4/3; t = 1/2 is their mean."""
    value, slope = valued(LOSSES["log"], np.array([0.25, 0.25, 0.25]), np.array([1.0, 0.0, 0.5]))
    assert value.tolist() == pytest.approx([1.3862943611198906, 0.2876820724517809, 0.8369882167858358], abs=1e-14)
    assert slope.tolist() == pytest.approx([-4.0, 4.0 / 3.0, -4.0 / 3.0], abs=1e-13)


def test_log_loss_is_finite_at_the_ends() -> None:
    """Outputs 0 and 1 count as 1e-15 and 1 - 1e-15: a wrong one costs 15 ln 10 = 34.5388, a right one nothing."""
    value, slope = valued(LOSSES["log"], np.array([0.0, 1.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0, 1.0]))
    assert value[:2].tolist() == pytest.approx([15 * math.log(10.0)] * 2, rel=2e-3)
    assert value[2:].tolist() == pytest.approx([0.0, 0.0], abs=1e-14)
    assert np.isfinite(slope).all()


# Optimisers


def test_sgd_steps() -> None:
    step = sgd(0.1, 2)
    assert step(np.array([2.0, -3.0])).tolist() == pytest.approx([-0.2, 0.3], abs=1e-15)
    assert step(np.array([0.0, 1.0])).tolist() == pytest.approx([0.0, -0.1], abs=1e-15)


def test_adam_steps() -> None:
    """Three steps of Adam with rate 0.5 for the gradients -4, -3, 1, as in Kingma and Ba.

    m1 = 0.1 * -4 = -0.4,                   v1 = 0.001 * 16 = 0.016
        m/(1 - 0.9) = -4,                   v/(1 - 0.999) = 16,                     root 4
    m2 = 0.9 * -0.4 + 0.1 * -3 = -0.66,     v2 = 0.999 * 0.016 + 0.001 * 9 = 0.024984
        m/(1 - 0.81) = -3.473684210526316,  v/(1 - 0.998001) = 12.498249124562281,  root 3.535286286082399
    m3 = 0.9 * -0.66 + 0.1 = -0.494,        v3 = 0.999 * 0.024984 + 0.001 = 0.025959016
        m/(1 - 0.729) = -1.822878228782288, v/(1 - 0.997002999) = 8.661664110222185, root 2.943070524167266
    """
    step = adam(0.5, 1)
    assert step(np.array([-4.0])) == pytest.approx([0.5 * 4.0 / 4.0], abs=1e-8)
    assert step(np.array([-3.0])) == pytest.approx([0.5 * 3.473684210526316 / 3.535286286082399], abs=1e-8)
    assert step(np.array([1.0])) == pytest.approx([0.5 * 1.822878228782288 / 2.943070524167266], abs=1e-8)


# Steps of training


def test_gradient_descent_over_all_examples(grounder: GroundingSession) -> None:
    """Two weights, averaged over two queries: the gradient is 2 (w - t) / 2 = w - t.

    w = (1, -2), t = (3, 1), rate 0.25: w - t shrinks by 3/4 in each step, from (-2, -3).
    Losses ((w1 - t1)^2 + (w2 - t2)^2) / 2: 13/2 = 6.5, then times 9/16 each.
    """
    network, rules = problem(grounder, LINEAR + "1.0 :: p. -2.0 :: r.", "query(p, 3). query(r, 1).")
    trained = train_weights(network, rules, TrainingOptions(optimiser="sgd", learning_rate=0.25, epochs=3))
    assert trained.weights.tolist() == pytest.approx([3 - 2 * 27 / 64, 1 - 3 * 27 / 64], abs=1e-14)
    assert losses(trained) == pytest.approx([6.5, 3.65625, 2.056640625, 1.1568603515625], abs=1e-14)
    assert [epoch.epoch for epoch in trained.history] == [0, 1, 2, 3]
    assert trained.epoch == trained.history[-1]
    assert not trained.interrupted


def test_adam_in_training(grounder: GroundingSession) -> None:
    """One weight from 1 to target 3 with rate 0.5: steps worked out once more in plain numbers."""
    network, rules = problem(grounder, LINEAR + "1.0 :: p.", "query(p, 3).")
    trained = train_weights(network, rules, TrainingOptions(learning_rate=0.5, epochs=3))
    weight, mean, square = 1.0, 0.0, 0.0
    for number in (1, 2, 3):
        gradient = 2.0 * (weight - 3.0)
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient * gradient
        weight -= 0.5 * (mean / (1 - 0.9**number)) / (math.sqrt(square / (1 - 0.999**number)) + 1e-8)
    assert trained.weights.tolist() == pytest.approx([weight], abs=1e-12)
    # The first step is the rate itself, whatever the gradient.
    assert losses(trained)[1] == pytest.approx((1.5 - 3.0) ** 2, abs=1e-7)


@pytest.mark.parametrize("loss", ["squared", "log"])
def test_descent_through_a_rule(grounder: GroundingSession, loss: str) -> None:
    """y = sigm(6 (w R - 0.5)) with R = sigm(6 (sigm(3) - 0.5)), so dy/dw = 6 y (1 - y) R."""
    network, rules = problem(grounder, "0.2 :: p :- c(X).", "c(a). query(p, 1).")
    options = TrainingOptions(loss=loss, optimiser="sgd", learning_rate=0.3, epochs=3)
    trained = train_weights(network, rules, options)
    fired = sigm(6 * (sigm(3.0) - 0.5))
    weight = 0.2
    for _ in range(3):
        output = sigm(6 * (weight * fired - 0.5))
        slope = 2 * (output - 1.0) if loss == "squared" else -1.0 / output
        weight -= 0.3 * slope * 6 * output * (1 - output) * fired
    assert trained.weights.tolist() == pytest.approx([weight], abs=1e-12)


# Batches: m1 asks p twice with targets 3 and 2, m2 once with 0, m3 twice with 1 and 5.

BATCHES = ("query(p, 3). query(p, 2).", "query(p, 0).", "query(p, 1). query(p, 5).")


def trained_weight(grounder: GroundingSession, examples: tuple[str, ...], options: TrainingOptions) -> float:
    network, rules = problem(grounder, LINEAR + "1.0 :: p.", *examples)
    return float(train_weights(network, rules, options).weights[0])


def one_epoch(batch_size: int) -> TrainingOptions:
    return TrainingOptions(optimiser="sgd", learning_rate=0.25, epochs=1, batch_size=batch_size, shuffle=False)


def test_batch_of_one_example_sums(grounder: GroundingSession) -> None:
    """From 1: m1 has 2 (1 - 3) + 2 (1 - 2) = -6, so 1 + 6/4 = 2.5; m2 has 2 * 2.5 = 5, so 2.5 - 5/4 = 1.25."""
    assert trained_weight(grounder, BATCHES[:2], one_epoch(1)) == pytest.approx(1.25, abs=1e-14)


def test_single_example_sums_in_batches_of_one_only(grounder: GroundingSession) -> None:
    """m1 alone: summed -6, so 2.5; as a batch of `all` averaged -3, so 1.75."""
    assert trained_weight(grounder, BATCHES[:1], one_epoch(1)) == pytest.approx(2.5, abs=1e-14)
    assert trained_weight(grounder, BATCHES[:1], one_epoch(0)) == pytest.approx(1.75, abs=1e-14)


def test_batch_of_all_examples_averages(grounder: GroundingSession) -> None:
    """m1 and m2: (-4 - 2 + 2) / 3 = -4/3, so 1 + 1/3; batches of two or more are the same thing."""
    for size in (0, 2, 7):
        assert trained_weight(grounder, BATCHES[:2], one_epoch(size)) == pytest.approx(4 / 3, abs=1e-14)


def test_last_batch_may_be_smaller(grounder: GroundingSession) -> None:
    """Batches of two: m1 and m2 lead to 4/3; m3 alone is averaged, too: (2/3 - 22/3) / 2 = -10/3, 4/3 + 10/12."""
    assert trained_weight(grounder, BATCHES, one_epoch(2)) == pytest.approx(13 / 6, abs=1e-14)


def test_loss_of_the_history_is_averaged_over_queries(grounder: GroundingSession) -> None:
    """Whatever the batches: ((1-3)^2 + (1-2)^2 + 1^2 + 0 + (1-5)^2) / 5 = 22/5 before training."""
    network, rules = problem(grounder, LINEAR + "1.0 :: p.", *BATCHES)
    for size in (0, 1, 2):
        assert losses(train_weights(network, rules, one_epoch(size)))[0] == pytest.approx(4.4, abs=1e-14)


def test_shuffling_takes_some_order(grounder: GroundingSession) -> None:
    """A pass in batches of one is w <- f3(f2(f1(w))) in some order of the examples; the seed says which.

    With rate 0.1: a query with target t moves w to w - 0.2 (w - t), two queries together to w - 0.2 (2 w - t1 - t2).
    """

    def after(order: tuple[int, ...]) -> float:
        weight = 1.0
        for example in order:
            weight -= 0.2 * sum(weight - target for target in ((3, 2), (0,), (1, 5))[example])
        return weight

    possible = [after(order) for order in itertools.permutations(range(3))]
    found = []
    for seed in range(12):
        options = TrainingOptions(optimiser="sgd", learning_rate=0.1, epochs=1, batch_size=1, seed=seed)
        weight = trained_weight(grounder, BATCHES, options)
        assert weight == trained_weight(grounder, BATCHES, options)
        found.append([index for index, value in enumerate(possible) if abs(value - weight) < 1e-12])
    assert all(len(matches) == 1 for matches in found)
    assert len({matches[0] for matches in found}) > 1


# Which weights move

MIXED = LINEAR + "2.0 :: p. fixed(3.0) :: p. 4.0 :: l(X) :- c(X). _ :: p."


@pytest.mark.parametrize("optimiser", ["sgd", "adam"])
def test_fixed_and_unused_weights_stay(grounder: GroundingSession, optimiser: str) -> None:
    """fixed(3.0) and the rule of a latent predicate that no query sees keep every digit; the others move."""
    network, rules = problem(grounder, MIXED, "c(a). query(p, 1).")
    options = TrainingOptions(optimiser=optimiser, epochs=5, l2=0.01)
    start = initial_weights(rules, options, 1)
    weights = train_weights(network, rules, options).weights
    assert (weights[1], weights[2]) == (3.0, 4.0)
    assert weights[0] != start[0] and weights[3] != start[3]


def test_l2_acts_on_trained_weights_with_neurons_only(grounder: GroundingSession) -> None:
    """p = 2 + 3 = 5 is its target, so only the penalty is left: 2 - 0.25 * 2 * 0.1 * 2 = 1.9 for the free weight.

    Second step: p = 4.9, gradient 2 * -0.1 + 2 * 0.1 * 1.9 = 0.18, so 1.9 - 0.25 * 0.18 = 1.855.
    """
    network, rules = problem(grounder, LINEAR + "2.0 :: p. fixed(3.0) :: p. 4.0 :: l(X) :- c(X).", "c(a). query(p, 5).")
    options = TrainingOptions(optimiser="sgd", learning_rate=0.25, l2=0.1, epochs=2)
    trained = train_weights(network, rules, options)
    assert trained.weights.tolist() == pytest.approx([1.855, 3.0, 4.0], abs=1e-14)
    # The penalty is no part of the losses that are reported: 0, then 0.1^2.
    assert losses(trained)[:2] == pytest.approx([0.0, 0.01], abs=1e-14)


def test_drawn_weights(grounder: GroundingSession) -> None:
    """`_` is drawn with the seed, each restart its own; weights that are given are where training starts."""
    _, rules = problem(grounder, MIXED, "c(a). query(p, 1).")
    first = initial_weights(rules, TrainingOptions(seed=1), 1)
    assert first[:3].tolist() == [2.0, 3.0, 4.0]
    assert first.tolist() == initial_weights(rules, TrainingOptions(seed=1), 1).tolist()
    drawn = {initial_weights(rules, TrainingOptions(seed=s), r)[3] for s in (1, 2, 3) for r in (1, 2, 3)}
    assert len(drawn) == 9
    assert initial_weights(rules, TrainingOptions(scale=0.0), 1)[3] == 0.0


def test_drawn_weights_have_the_scale(grounder: GroundingSession) -> None:
    """300 weights of deviation 2: their mean is within 4 * 2 / sqrt(300) = 0.46, their deviation within 4 * 0.082."""
    _, rules = problem(grounder, "\n".join(f"_ :: p{n} :- c(X)." for n in range(300)), "c(a). query(p0, 1).")
    weights = initial_weights(rules, TrainingOptions(scale=2.0), 1)
    assert abs(weights.mean()) < 0.46
    assert abs(weights.std() - 2.0) < 0.33
    half = initial_weights(rules, TrainingOptions(scale=1.0), 1)
    assert (2.0 * half).tolist() == pytest.approx(weights, abs=1e-12)


def test_reinitialise_draws_all_but_fixed_weights(grounder: GroundingSession) -> None:
    _, rules = problem(grounder, MIXED, "c(a). query(p, 1).")
    kept = initial_weights(rules, TrainingOptions(), 1)
    drawn = initial_weights(rules, TrainingOptions(reinitialise=True), 1)
    assert drawn[1] == 3.0
    assert drawn[0] != 2.0 and drawn[2] != 4.0
    assert drawn[3] == kept[3]


# Restarts


def test_restarts_keep_the_best(grounder: GroundingSession) -> None:
    """Runs differ in what they draw; the one that ends with the lowest loss is kept, weights and all."""
    template = "_ :: l(X) :- c(X). _ :: l(X) :- d(X). _ :: p :- l(X), l(Y)."
    network, rules = problem(grounder, template, "c(a). d(b). query(p, 1).", "d(a). query(p, 0).", "c(a). query(p, 0).")
    options = TrainingOptions(epochs=15, restarts=4)
    trained = train_weights(network, rules, options)
    ends = [epoch for epoch in trained.history if epoch.epoch == 15]
    assert [epoch.restart for epoch in ends] == [1, 2, 3, 4]
    assert len(trained.history) == 4 * 16
    assert len({epoch.training_loss for epoch in ends}) == 4
    assert trained.epoch == min(ends, key=lambda epoch: epoch.training_loss)
    values, _ = network.forward(trained.weights)
    mean = float(((network.outputs(values) - network.target) ** 2).mean())
    assert mean == pytest.approx(trained.epoch.training_loss, abs=1e-14)
    alone = train_weights(network, rules, TrainingOptions(epochs=15))
    assert losses(alone) == losses(trained)[:16]


# Validation


def test_validation_part(grounder: GroundingSession) -> None:
    """Three of ten examples are held out: no other three give both losses at the start.

    From w = 0 the losses are the squares of the targets, 2^0 to 2^9, so sums of them are all different.
    """
    examples = [f"query(p, {math.sqrt(2.0**n)!r})." for n in range(10)]
    network, rules = problem(grounder, LINEAR + "0.0 :: p.", *examples)
    start = train_weights(network, rules, TrainingOptions(validation=0.3, epochs=0)).epoch
    assert start.validation_loss is not None
    parts = [
        held
        for held in itertools.combinations(range(10), 3)
        if abs(sum(2.0**n for n in held) / 3 - start.validation_loss) < 1e-9
    ]
    assert len(parts) == 1
    assert start.training_loss == pytest.approx((1023 - sum(2.0**n for n in parts[0])) / 7, abs=1e-9)
    assert start.decisive_loss == start.validation_loss


def held_out(grounder: GroundingSession, seed: int) -> int:
    """Which of two examples is held out with this seed: from 0 the squared losses are 1 and 4."""
    network, rules = problem(grounder, LINEAR + "0.0 :: p.", "query(p, 1).", "query(p, 2).")
    start = train_weights(network, rules, TrainingOptions(validation=0.5, epochs=0, seed=seed)).epoch
    assert {start.training_loss, start.validation_loss} == {1.0, 4.0}
    return 0 if start.validation_loss == 1.0 else 1


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_validation_keeps_the_best_epoch(grounder: GroundingSession, seed: int) -> None:
    """The training target is 2, the held-out one 1, the start 0: w passes 1 on its way, and training stops later.

    With rate 0.05 w after n epochs is 2 (1 - 0.9^n): 0.937118 after 6, 1.0434062 after 7, which is nearest to 1, and
    farther from it ever after. Patience 4 ends training after epoch 11.
    """
    targets = ["query(p, 2).", "query(p, 2)."]
    targets[held_out(grounder, seed)] = "query(p, 1)."
    network, rules = problem(grounder, LINEAR + "0.0 :: p.", *targets)
    options = TrainingOptions(optimiser="sgd", learning_rate=0.05, epochs=100, validation=0.5, patience=4, seed=seed)
    trained = train_weights(network, rules, options)
    assert trained.epoch.epoch == 7
    assert trained.weights.tolist() == pytest.approx([2 * (1 - 0.9**7)], abs=1e-12)
    assert trained.epoch.validation_loss == pytest.approx((1 - 2 * 0.9**7) ** 2, abs=1e-12)
    assert [epoch.epoch for epoch in trained.history] == list(range(12))
    assert not trained.interrupted


def test_validation_without_improvement(grounder: GroundingSession) -> None:
    """The start is the held-out target: nothing gets better, and the weights of epoch 0 are kept."""
    targets = ["query(p, 2).", "query(p, 2)."]
    targets[held_out(grounder, 1)] = "query(p, 0)."
    network, rules = problem(grounder, LINEAR + "0.0 :: p.", *targets)
    trained = train_weights(network, rules, TrainingOptions(validation=0.5, patience=3))
    assert trained.weights.tolist() == [0.0]
    assert trained.epoch.epoch == 0
    assert len(trained.history) == 4


def test_validation_by_queries_in_one_example(grounder: GroundingSession) -> None:
    """One example is divided by its queries: one of four is held out, from 0 their losses are 1, 4, 16 and 64."""
    network, rules = problem(grounder, LINEAR + "0.0 :: p.", "query(p, 1). query(p, 2). query(p, 4). query(p, 8).")
    start = train_weights(network, rules, TrainingOptions(validation=0.25, epochs=0)).epoch
    assert start.validation_loss in (1.0, 4.0, 16.0, 64.0)
    assert start.training_loss == pytest.approx((85.0 - start.validation_loss) / 3, abs=1e-12)


@pytest.mark.parametrize("fraction", [0.1, 0.9])
def test_validation_that_leaves_a_part_empty(grounder: GroundingSession, fraction: float) -> None:
    network, rules = problem(grounder, LINEAR + "0.0 :: p.", "query(p, 1).", "query(p, 2).")
    with pytest.raises(TrainingError, match="leaves one part empty"):
        train_weights(network, rules, TrainingOptions(validation=fraction))


# What goes wrong


@pytest.mark.filterwarnings("ignore:overflow encountered", "ignore:invalid value encountered")
@pytest.mark.parametrize("batch_size", [0, 1])
def test_divergence_is_reported(grounder: GroundingSession, batch_size: int) -> None:
    """With rate 10 the distance from the target grows nineteenfold in each step, beyond all numbers in 300 epochs."""
    network, rules = problem(grounder, LINEAR + "0.0 :: p.", "query(p, 1).")
    options = TrainingOptions(optimiser="sgd", learning_rate=10.0, batch_size=batch_size)
    with pytest.raises(TrainingError, match=r"training diverged in epoch \d+.*--learning-rate"):
        train_weights(network, rules, options)


@pytest.mark.parametrize("target", ["-0.5", "1.5"])
def test_log_loss_refuses_targets_outside_0_to_1(grounder: GroundingSession, target: str) -> None:
    network, rules = problem(grounder, "0.1 :: p.", "query(p, 1).", f"query(p, {target}).")
    with pytest.raises(TrainingError, match=rf"1 of 2 are, the first is {target}"):
        train_weights(network, rules, TrainingOptions(loss="log"))
    train_weights(network, rules, TrainingOptions(loss="squared", epochs=1))


# Ctrl-C


class Interruption:
    """A report callback that stands for Ctrl-C after some epoch of some run."""

    def __init__(self, restart: int, epoch: int) -> None:
        self.at = (restart, epoch)

    def __call__(self, epoch: Epoch) -> None:
        if (epoch.restart, epoch.epoch) == self.at:
            raise KeyboardInterrupt


def test_interrupted_training_keeps_the_best(grounder: GroundingSession) -> None:
    """With rate 1.05 w - t changes by the factor 1 - 2.1 = -1.1: the start is best, each epoch is worse.

    Undisturbed training ends with its last weights, t - (-1.1)^6 * 2 = 3 - 2 * 1.771561.
    """
    network, rules = problem(grounder, LINEAR + "1.0 :: p.", "query(p, 3).")
    options = TrainingOptions(optimiser="sgd", learning_rate=1.05, epochs=6)
    undisturbed = train_weights(network, rules, options)
    assert undisturbed.weights.tolist() == pytest.approx([3 - 2 * 1.1**6], abs=1e-12)
    interrupted = train_weights(network, rules, options, Interruption(1, 4))
    assert interrupted.interrupted
    assert interrupted.weights.tolist() == [1.0]
    assert interrupted.epoch.epoch == 0
    assert [epoch.epoch for epoch in interrupted.history] == [0, 1, 2, 3, 4]


def test_interrupted_training_keeps_progress(grounder: GroundingSession) -> None:
    """With a rate that converges the last epoch before Ctrl-C is the best: 3 - 2 (3/4)^4 for rate 1/8."""
    network, rules = problem(grounder, LINEAR + "1.0 :: p.", "query(p, 3).")
    options = TrainingOptions(optimiser="sgd", learning_rate=0.125, epochs=1000)
    interrupted = train_weights(network, rules, options, Interruption(1, 4))
    assert interrupted.interrupted
    assert interrupted.epoch.epoch == 4
    assert interrupted.weights.tolist() == pytest.approx([3 - 2 * 0.75**4], abs=1e-14)


def test_interrupted_restart_keeps_the_better_run(grounder: GroundingSession) -> None:
    """Ctrl-C before the second run has learned anything: the first one is kept."""
    network, rules = problem(grounder, LINEAR + "_ :: p.", "query(p, 30).")
    options = TrainingOptions(optimiser="sgd", learning_rate=0.25, epochs=20, restarts=5)
    interrupted = train_weights(network, rules, options, Interruption(2, 1))
    assert interrupted.interrupted
    assert (interrupted.epoch.restart, interrupted.epoch.epoch) == (1, 20)
    assert interrupted.weights.tolist() == pytest.approx([30.0], abs=1e-3)
    assert len(interrupted.history) == 21 + 2


# Commands

TEMPLATE = "_ :: l(X) :- c(X).\n_ :: l(X) :- d(X).\nfixed(0.7) :: p :- l(X).\n0.25 :: p :- l(X), l(Y).\n0.5 :: p.\n"
DATA = "".join(
    f"begin(model(m{n})).\n{'c' if n % 2 else 'd'}(a). {'c' if n % 3 else 'd'}(b). query(p, {n % 2}).\n"
    f"end(model(m{n})).\n"
    for n in range(12)
)


@pytest.fixture(scope="module")
def grounding(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A grounding file of a small problem."""
    folder = tmp_path_factory.mktemp("training")
    (folder / "template.pl").write_text(TEMPLATE)
    (folder / "data.pl").write_text(DATA)
    path = folder / "grounding.npz"
    result = CliRunner().invoke(
        cli, ["ground", str(folder / "template.pl"), str(folder / "data.pl"), "-o", str(path), "--quiet"]
    )
    assert result.exit_code == 0, result.output
    return path


def train(grounding: Path, model: Path, *options: str) -> Result:
    return CliRunner().invoke(cli, ["train", str(grounding), "-o", str(model), "--quiet", *options])


def model_weights(model: Path) -> list[str]:
    """Weights as they stand in a model file."""
    return re.findall(r"^(\S+) :: ", model.read_text(), re.MULTILINE)


@pytest.mark.parametrize("options", [(), ("--batch-size", "1"), ("--batch-size", "5", "--validation", "0.25")])
def test_same_seed_same_bytes(grounding: Path, tmp_path: Path, options: tuple[str, ...]) -> None:
    """The same seed gives the same bytes of the model file, another seed another model."""
    contents = []
    for number, seed in enumerate(("7", "7", "8")):
        model = tmp_path / f"{number}.pl"
        result = train(grounding, model, "--epochs", "5", "--restarts", "2", "--seed", seed, *options)
        assert result.exit_code == 0, result.output
        contents.append(model.read_bytes().replace(b"seed 8", b"seed 7"))
    assert contents[0] == contents[1]
    assert contents[0] != contents[2]


def test_model_has_all_digits(grounding: Path, tmp_path: Path) -> None:
    """Weights in the model file are those of the training, bit by bit; what was fixed is written as fixed."""
    from lrnn_cli.grounding.groundings import load_groundings

    model = tmp_path / "model.pl"
    assert train(grounding, model, "--epochs", "7").exit_code == 0
    groundings = load_groundings(str(grounding))
    trained = train_weights(compile_network(groundings), groundings.template.rules, TrainingOptions(epochs=7))
    weights = model_weights(model)
    assert weights[2] == "fixed(0.7)"
    assert [float(text.removeprefix("fixed(").removesuffix(")")) for text in weights] == trained.weights.tolist()


def test_reinitialise_and_epochs_0(grounding: Path, tmp_path: Path) -> None:
    """--epochs 0 writes the weights that training would start from."""
    started, drawn = tmp_path / "started.pl", tmp_path / "drawn.pl"
    assert train(grounding, started, "--epochs", "0").exit_code == 0
    assert train(grounding, drawn, "--epochs", "0", "--reinitialise").exit_code == 0
    first, second = model_weights(started), model_weights(drawn)
    assert first[2:] == ["fixed(0.7)", "0.25", "0.5"]
    assert second[2] == "fixed(0.7)"
    assert second[:2] == first[:2]
    assert "0.25" not in second and "0.5" not in second


def test_history(grounding: Path, tmp_path: Path) -> None:
    """A row for each epoch of each run, the state before training included."""
    history = tmp_path / "history.csv"
    options = ["--epochs", "4", "--restarts", "3", "--history", str(history)]
    assert train(grounding, tmp_path / "model.pl", *options).exit_code == 0
    rows = list(csv.DictReader(io.StringIO(history.read_text())))
    assert list(rows[0]) == ["restart", "epoch", "training_loss", "validation_loss", "seconds"]
    assert [(row["restart"], row["epoch"]) for row in rows] == [
        (str(restart), str(epoch)) for restart in (1, 2, 3) for epoch in range(5)
    ]
    assert all(row["validation_loss"] == "" and 0.0 < float(row["training_loss"]) < 1.0 for row in rows)
    assert all(float(row["seconds"]) >= 0.0 for row in rows)


def test_history_with_validation(grounding: Path, tmp_path: Path) -> None:
    history = tmp_path / "history.csv"
    options = ["--epochs", "4", "--validation", "0.25", "--history", str(history)]
    assert train(grounding, tmp_path / "model.pl", *options).exit_code == 0
    rows = list(csv.DictReader(io.StringIO(history.read_text())))
    assert len(rows) == 5
    best = min(float(row["validation_loss"]) for row in rows)
    assert repr(best) in (tmp_path / "model.pl").read_text()


def test_history_keeps_all_digits() -> None:
    text = history_csv([Epoch(1, 0, 0.1 + 0.2, None, 0.0), Epoch(1, 1, 1 / 3, 2 / 3, 1.25)])
    assert text.splitlines()[1:] == [
        "1,0,0.30000000000000004,,0.000",
        "1,1,0.3333333333333333,0.6666666666666666,1.250",
    ]


@pytest.mark.parametrize(
    ("loss", "target", "fault"),
    [
        ("log", "2", "the log loss is not for targets that are numbers"),
        ("squared", "1.0e200", "1 of 1 targets are so large that their squares are infinite"),
    ],
)
def test_errors_of_training_are_messages(tmp_path: Path, loss: str, target: str, fault: str) -> None:
    """Exit code 1 with what is wrong; no model is written."""
    (tmp_path / "template.pl").write_text("_ :: p :- c(X).")
    (tmp_path / "data.pl").write_text(f"c(a). query(p, {target}).")
    grounding = tmp_path / "grounding.npz"
    files = [str(tmp_path / "template.pl"), str(tmp_path / "data.pl")]
    assert CliRunner().invoke(cli, ["ground", *files, "-o", str(grounding), "--quiet"]).exit_code == 0
    result = train(grounding, tmp_path / "model.pl", "--loss", loss)
    assert result.exit_code == 1
    assert fault in result.output
    assert not (tmp_path / "model.pl").exists()


def read_until(descriptor: int, pattern: bytes, seconds: float) -> bytes:
    """What a terminal shows until the pattern comes."""
    content = b""
    end = time.monotonic() + seconds
    while pattern not in content:
        ready, _, _ = select.select([descriptor], [], [], max(0.0, end - time.monotonic()))
        assert ready, f"{pattern!r} did not come: {content!r}"
        content += os.read(descriptor, 4096)
    return content


def test_interrupt_of_the_command(grounding: Path, tmp_path: Path) -> None:
    """SIGINT in a long training: the model is written, the user is told, the exit code is 130.

    Standard error is a terminal, where progress is shown at once, so the test knows when training is under way.
    """
    model = tmp_path / "model.pl"
    terminal, child_end = os.openpty()
    command = [sys.executable, "-m", "lrnn_cli", "train", str(grounding), "-o", str(model), "--epochs", "100000000"]
    process = subprocess.Popen(command, stderr=child_end, stdout=subprocess.DEVNULL)
    os.close(child_end)
    try:
        read_until(terminal, b"training: epoch", 30.0)
        process.send_signal(signal.SIGINT)
        shown = read_until(terminal, b"best weights so far", 30.0)
        assert process.wait(10.0) == 130
    finally:
        process.kill()
        process.wait()
        os.close(terminal)
    assert b"interrupted" in shown
    assert model_weights(model)[2] == "fixed(0.7)"
    assert not list(tmp_path.glob(".*.part"))

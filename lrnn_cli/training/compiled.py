"""Steps of training in compiled code. Importing this module imports numba."""

from __future__ import annotations

import numpy as np

from lrnn_cli.network.bundles import Parts, bundled, everything, parts_of
from lrnn_cli.network.network import Network
from lrnn_cli.semantics.losses import ALL_LOSSES, Loss
from lrnn_cli.training import kernels
from lrnn_cli.training.steps import Weights
from lrnn_cli.training.workspace import State, new_selection, new_work

NEURONS_OF_A_CALL = 20_000_000
"""Ctrl-C waits for the end of a call, so no call computes many more rule neurons than this."""


class CompiledSteps:
    """`Steps` in compiled code."""

    def __init__(self, network: Network, loss: Loss, queries_of: list[np.ndarray]) -> None:
        self._network = network
        self._queries_of = queries_of
        self._loss = ALL_LOSSES.index(loss)
        self._bundles = bundled(network)
        self._everything = everything(self._bundles)
        self._examples: Parts | None = None
        self._whole_is_selected = False
        self._selection = new_selection(self._bundles)
        self._work = new_work(self._bundles)

    def mean_loss(self, weights: np.ndarray) -> float:
        return self._whole(kernels.LOSS, weights)

    def loss_and_gradient(self, weights: np.ndarray) -> tuple[float, np.ndarray]:
        loss = self._whole(kernels.GRADIENT, weights)
        return loss, self._work.gradient.copy()

    def run(self, weights: Weights, order: np.ndarray, batch_size: int) -> None:
        if self._examples is None:
            self._examples = parts_of(self._network, self._bundles, self._queries_of)
        optimiser = weights.optimiser
        weights.values = weights.values.copy()
        state = State(
            weights.values,
            weights.trainable,
            optimiser.mean,
            optimiser.squares,
            optimiser.steps,
            kernels.OPTIMISER_NUMBERS[optimiser.name],
            optimiser.learning_rate,
            weights.l2,
        )
        examples = self._examples_of_a_call(self._examples, batch_size)
        for start in range(0, len(order), examples):
            piece = order[start : start + examples]
            self._run(kernels.UPDATE, self._examples, piece, batch_size, batch_size > 1, state)

    def _whole(self, task: int, weights: np.ndarray) -> float:
        none = np.zeros(0)
        state = State(weights, np.zeros(0, bool), none, none, np.zeros(1, np.int64), kernels.SGD, 0.0, 0.0)
        loss = self._run(task, self._everything, np.zeros(1, np.int64), 1, True, state)
        self._whole_is_selected = True
        return loss

    def _run(self, task: int, parts: Parts, order: np.ndarray, batch_size: int, averaged: bool, state: State) -> float:
        selected, self._whole_is_selected = self._whole_is_selected and parts is self._everything, False
        arguments = (order.astype(np.int64), batch_size, selected, averaged, self._loss)
        return kernels.run(task, self._bundles, parts, *arguments, state, self._selection, self._work)

    def _examples_of_a_call(self, parts: Parts, batch_size: int) -> int:
        """How many examples to take at a time, a multiple of the batch size."""
        rules = np.diff(self._bundles.rule_start)[self._bundles.column_bundle]
        neurons = int(rules[parts.column].sum())
        batches = NEURONS_OF_A_CALL * len(self._queries_of) // (max(1, neurons) * batch_size)
        return max(1, batches) * batch_size

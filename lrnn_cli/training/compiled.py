"""Steps of training in compiled code. Importing this module imports numba where the code has not been compiled yet."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from lrnn_cli.network import bundles
from lrnn_cli.network.bundles import Parts, bundled, everything, parts_of
from lrnn_cli.network.network import Network
from lrnn_cli.semantics import activations, aggregations, losses
from lrnn_cli.semantics.losses import ALL_LOSSES, Loss
from lrnn_cli.training import optimisers, workspace
from lrnn_cli.training.machine_code import Code, KeptCode
from lrnn_cli.training.steps import Weights
from lrnn_cli.training.workspace import (
    GRADIENT,
    LOSS,
    OPTIMISER_NUMBERS,
    SGD,
    UPDATE,
    State,
    new_selection,
    new_work,
)

NEURONS_OF_A_CALL = 20_000_000
"""Ctrl-C waits for the end of a call, so no call computes many more rule neurons than this."""
KERNELS = "lrnn_cli.training.kernels"
SOURCES = [
    *(Path(__file__).with_name(f"{name}.py") for name in ("kernels", "compilation")),
    *(Path(str(module.__file__)) for module in (bundles, activations, aggregations, losses, optimisers, workspace)),
]
"""Files that the compiled code depends on."""


def _compiled(arguments: Sequence[Any]) -> Code:
    from lrnn_cli.training.compilation import machine_code

    return machine_code(import_module(KERNELS).run, arguments)


run = KeptCode("run", SOURCES, _compiled)
"""`kernels.run` as machine code."""
if not run.is_there:
    # Who has no numba is to know now.
    import_module(KERNELS)


class CompiledSteps:
    """`Steps` in compiled code."""

    def __init__(self, network: Network, loss: Loss, queries_of: list[np.ndarray]) -> None:
        self._network = network
        self._queries_of = queries_of
        self._loss = ALL_LOSSES.index(loss)
        self.bundles = bundled(network)
        self._everything = everything(self.bundles)
        self._examples: Parts | None = None
        self._whole_is_selected = False
        self._selection = new_selection(self.bundles)
        self._work = new_work(self.bundles)

    def mean_loss(self, weights: np.ndarray) -> float:
        return self._whole(LOSS, weights)

    def loss_and_gradient(self, weights: np.ndarray) -> tuple[float, np.ndarray]:
        loss = self._whole(GRADIENT, weights)
        return loss, self._work.gradient.copy()

    def run(self, weights: Weights, order: np.ndarray, batch_size: int) -> None:
        if self._examples is None:
            self._examples = parts_of(self._network, self.bundles, self._queries_of)
        optimiser = weights.optimiser
        weights.values = weights.values.copy()
        state = State(
            weights.values,
            weights.trainable,
            optimiser.mean,
            optimiser.squares,
            optimiser.steps,
            OPTIMISER_NUMBERS[optimiser.name],
            optimiser.learning_rate,
            weights.l2,
        )
        examples = self._examples_of_a_call(self._examples, batch_size)
        for start in range(0, len(order), examples):
            piece = order[start : start + examples]
            self._run(UPDATE, self._examples, piece, batch_size, batch_size > 1, state)

    def _whole(self, task: int, weights: np.ndarray) -> float:
        none = np.zeros(0)
        state = State(weights, np.zeros(0, bool), none, none, np.zeros(1, np.int64), SGD, 0.0, 0.0)
        loss = self._run(task, self._everything, np.zeros(1, np.int64), 1, True, state)
        self._whole_is_selected = True
        return loss

    def _run(self, task: int, parts: Parts, order: np.ndarray, batch_size: int, averaged: bool, state: State) -> float:
        selected, self._whole_is_selected = self._whole_is_selected and parts is self._everything, False
        arguments = (order.astype(np.int64), batch_size, selected, averaged, self._loss)
        return run(task, self.bundles, parts, *arguments, state, self._selection, self._work)

    def _examples_of_a_call(self, parts: Parts, batch_size: int) -> int:
        """How many examples to take at a time, a multiple of the batch size."""
        rules = np.diff(self.bundles.rule_start)[self.bundles.column_bundle]
        neurons = int(rules[parts.column].sum())
        batches = NEURONS_OF_A_CALL * len(self._queries_of) // (max(1, neurons) * batch_size)
        return max(1, batches) * batch_size

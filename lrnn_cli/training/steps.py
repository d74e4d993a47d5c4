"""Steps of training in plain NumPy, and what a faster way to take them has to offer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from lrnn_cli.network.network import Network
from lrnn_cli.semantics.losses import Loss
from lrnn_cli.training.optimisers import Optimiser

CACHED_NEURONS = 20_000_000
"""Networks of single batches are kept while they have no more rule neurons than this in all."""


@dataclass
class Weights:
    """Weights in training. values, trainable: (rules,); l2 * w^2 is added to the loss for each w that is trained."""

    values: np.ndarray
    trainable: np.ndarray
    optimiser: Optimiser
    l2: float

    def update(self, gradient: np.ndarray) -> None:
        """A step down the gradient (rules,) of the loss."""
        if self.l2:
            gradient = gradient + 2.0 * self.l2 * self.values
        self.values = self.values + self.optimiser(np.where(self.trainable, gradient, 0.0)) * self.trainable


class Steps(Protocol):
    """Losses and steps of one network."""

    def mean_loss(self, weights: np.ndarray) -> float:
        """The loss averaged over all queries."""
        ...

    def loss_and_gradient(self, weights: np.ndarray) -> tuple[float, np.ndarray]:
        """The loss averaged over all queries, and its gradient (rules,)."""
        ...

    def run(self, weights: Weights, order: np.ndarray, batch_size: int) -> None:
        """A step for each batch of examples, in this order. The examples of a batch ascend.

        The loss of a step is summed over queries where batch_size is 1, averaged otherwise.
        """
        ...


class NumpySteps:
    """The reference. `recurring` says whether the same batches come again, so that it pays to keep their networks."""

    def __init__(self, network: Network, loss: Loss, queries_of: list[np.ndarray], recurring: bool) -> None:
        self.network = network
        self.loss = loss
        self.queries_of = queries_of
        self.recurring = recurring
        self._networks: dict[bytes, Network] = {}
        self._neurons = 0

    def mean_loss(self, weights: np.ndarray) -> float:
        values, _ = self.network.forward(weights)
        losses = self.loss.value(self.network.outputs(values), self.network.target)
        return float(losses.sum() / self.network.queries)

    def loss_and_gradient(self, weights: np.ndarray) -> tuple[float, np.ndarray]:
        return self._step(self.network, weights, True)

    def run(self, weights: Weights, order: np.ndarray, batch_size: int) -> None:
        for start in range(0, len(order), batch_size):
            network = self._part(order[start : start + batch_size])
            _, gradient = self._step(network, weights.values, batch_size > 1)
            weights.update(gradient)

    def _step(self, network: Network, weights: np.ndarray, averaged: bool) -> tuple[float, np.ndarray]:
        values, rule_values = network.forward(weights)
        output = network.outputs(values)
        loss = self.loss.value(output, network.target)
        slope = network.output.slopes(self.loss, output, network.target, network.query_group)
        if averaged:
            slope = slope / network.queries
        return float(loss.sum() / network.queries), network.backward(
            weights, values, rule_values, network.query_slope(slope)
        )

    def _part(self, batch: np.ndarray) -> Network:
        """The network of a batch."""
        key = batch.tobytes()
        part = self._networks.get(key)
        if part is None:
            part = self.network.restricted(np.concatenate([self.queries_of[example] for example in batch]))
            if self.recurring and self._neurons + part.rule_neurons <= CACHED_NEURONS:
                self._neurons += part.rule_neurons
                self._networks[key] = part
        return part

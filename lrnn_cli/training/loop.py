"""The training loop: batches of examples, restarts, a validation part, early stopping.

The loss of a step is summed over the queries of one example when a batch is one example, as in stochastic gradient
descent, and averaged over the queries of the batch otherwise. An L2 penalty l2 * w^2 is added for each weight that
is trained and has a neuron.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from lrnn_cli.errors import TrainingError
from lrnn_cli.language.clauses import Rule
from lrnn_cli.network.network import Network
from lrnn_cli.training.losses import LOSSES
from lrnn_cli.training.optimisers import LEARNING_RATES, OPTIMISERS

CACHED_NEURONS = 20_000_000
"""Networks of single batches are kept while they have no more rule neurons than this in all."""


@dataclass(frozen=True)
class TrainingOptions:
    loss: str = "squared"
    optimiser: str = "adam"
    learning_rate: float | None = None
    epochs: int = 300
    batch_size: int = 0
    """Examples in a batch; 0 for all."""
    shuffle: bool = True
    restarts: int = 1
    validation: float = 0.0
    """The part of the examples held out to choose the best epoch."""
    patience: int = 50
    """Epochs without a better validation loss after which training stops."""
    l2: float = 0.0
    scale: float = 0.5
    """Standard deviation of drawn weights."""
    reinitialise: bool = False
    seed: int = 1


@dataclass(frozen=True)
class Epoch:
    """A line of the history: losses averaged over queries, after so many epochs; 0 is before training."""

    restart: int
    epoch: int
    training_loss: float
    validation_loss: float | None
    seconds: float

    @property
    def decisive_loss(self) -> float:
        return self.training_loss if self.validation_loss is None else self.validation_loss


@dataclass
class Trained:
    """Weights of the best run, and the epoch they are of."""

    weights: np.ndarray
    epoch: Epoch
    history: list[Epoch] = field(default_factory=list)
    interrupted: bool = False


def initial_weights(rules: tuple[Rule, ...], options: TrainingOptions, restart: int) -> np.ndarray:
    """Weights given in the template; others drawn, each restart its own."""
    random = np.random.default_rng([options.seed, restart])
    drawn = random.normal(0.0, options.scale, len(rules))
    return np.array(
        [
            value if rule.weight is None or (options.reinitialise and not rule.fixed) else rule.weight
            for rule, value in zip(rules, drawn.tolist(), strict=True)
        ]
    )


def train_weights(
    network: Network,
    rules: tuple[Rule, ...],
    options: TrainingOptions,
    report: Callable[[Epoch], None] = lambda epoch: None,
) -> Trained:
    """Train all weights that are not fixed.

    A run ends with the weights of its last epoch or, with a validation part, of the epoch that does best on it. The
    best of several runs is that with the lowest loss. Ctrl-C ends training early, with the best weights so far.
    """
    _check_targets(network, options.loss)
    part, held_out = _parts(network, options)
    trainable = np.array([not rule.fixed for rule in rules]) & part.used_rules
    result: Trained | None = None
    history: list[Epoch] = []
    for restart in range(1, options.restarts + 1):
        run = _Run(part, held_out, options, restart, trainable, initial_weights(rules, options, restart))
        try:
            for epoch in run.epochs():
                history.append(epoch)
                report(epoch)
        except KeyboardInterrupt:
            run.interrupted = True
        if run.kept is not None and (result is None or run.kept.decisive_loss < result.epoch.decisive_loss):
            result = Trained(run.kept_weights, run.kept)
        if run.interrupted:
            if result is None:
                raise KeyboardInterrupt
            result.interrupted = True
            break
    assert result is not None
    result.history = history
    return result


class _Run:
    """One run from one set of initial weights."""

    def __init__(
        self,
        network: Network,
        held_out: Network | None,
        options: TrainingOptions,
        restart: int,
        trainable: np.ndarray,
        weights: np.ndarray,
    ) -> None:
        self.network = network
        self.held_out = held_out
        self.options = options
        self.restart = restart
        self.trainable = trainable
        self.weights = weights
        self.best: Epoch | None = None
        self.best_weights = weights
        self.last: Epoch | None = None
        self.interrupted = False
        rate = options.learning_rate or LEARNING_RATES[options.optimiser]
        self.optimiser = OPTIMISERS[options.optimiser](rate, len(weights))
        self.loss = LOSSES[options.loss]
        self.random = np.random.default_rng([options.seed, restart, 1])
        self.started = time.perf_counter()
        order = np.argsort(network.query_example, kind="stable")
        _, first = np.unique(network.query_example[order], return_index=True)
        self.queries_of = np.split(order, first[1:])
        size = options.batch_size or len(self.queries_of)
        self.batch_size = min(size, len(self.queries_of))
        self.full_batch = self.batch_size == len(self.queries_of) and options.batch_size != 1
        self._cache: dict[bytes, Network] = {}
        self._cached = 0

    @property
    def _keeps_best(self) -> bool:
        return self.held_out is not None or self.interrupted

    @property
    def kept(self) -> Epoch | None:
        return self.best if self._keeps_best else self.last

    @property
    def kept_weights(self) -> np.ndarray:
        return self.best_weights if self._keeps_best else self.weights

    def epochs(self) -> Iterator[Epoch]:
        """Yield the state before training and after each epoch."""
        stale = 0
        for number in range(self.options.epochs + 1):
            gradient = None
            if self.full_batch:
                training_loss, gradient = self._step(self.network)
            else:
                training_loss = self._mean_loss(self.network)
            epoch = self.last = self._epoch(number, training_loss)
            if self.best is None or epoch.decisive_loss < self.best.decisive_loss:
                self.best, self.best_weights = epoch, self.weights.copy()
                stale = 0
            else:
                stale += 1
            yield epoch
            if number == self.options.epochs or (self.held_out is not None and stale >= self.options.patience):
                return
            if gradient is not None:
                self._update(gradient)
            else:
                self._pass()

    def _epoch(self, number: int, training_loss: float) -> Epoch:
        validation_loss = None if self.held_out is None else self._mean_loss(self.held_out)
        if not np.isfinite(training_loss) or not np.isfinite(self.weights).all():
            raise TrainingError(
                f"training diverged in epoch {number}: the loss is not finite; try a smaller --learning-rate"
            )
        return Epoch(self.restart, number, training_loss, validation_loss, time.perf_counter() - self.started)

    def _pass(self) -> None:
        """One epoch of steps over batches of examples."""
        count = len(self.queries_of)
        order = self.random.permutation(count) if self.options.shuffle else np.arange(count)
        for start in range(0, count, self.batch_size):
            batch = np.sort(order[start : start + self.batch_size])
            _, gradient = self._step(self._batch_network(batch))
            self._update(gradient)

    def _batch_network(self, batch: np.ndarray) -> Network:
        key = batch.tobytes()
        found = self._cache.get(key)
        if found is None:
            found = self.network.restricted(np.concatenate([self.queries_of[example] for example in batch]))
            if self.batch_size == 1 or not self.options.shuffle:
                self._cached += found.rule_neurons
                if self._cached <= CACHED_NEURONS:
                    self._cache[key] = found
        return found

    def _step(self, network: Network) -> tuple[float, np.ndarray]:
        """The mean loss and the gradient of the loss of one step."""
        values, rule_values = network.forward(self.weights)
        loss, slope = self.loss(network.outputs(values), network.target)
        if self.batch_size > 1 or self.full_batch:
            slope = slope / len(slope)
        gradient = network.backward(self.weights, values, rule_values, network.query_slope(slope))
        if self.options.l2:
            gradient = gradient + 2.0 * self.options.l2 * self.weights
        return float(loss.mean()), gradient

    def _update(self, gradient: np.ndarray) -> None:
        self.weights = self.weights + self.optimiser(np.where(self.trainable, gradient, 0.0)) * self.trainable

    def _mean_loss(self, network: Network) -> float:
        values, _ = network.forward(self.weights)
        loss, _ = self.loss(network.outputs(values), network.target)
        return float(loss.mean())


def _check_targets(network: Network, loss: str) -> None:
    if not len(network.target):
        raise TrainingError("there is no query to train on")
    outside = ((network.target < 0.0) | (network.target > 1.0)).nonzero()[0]
    if loss == "log" and len(outside):
        value = network.target[outside[0]]
        raise TrainingError(
            f"the log loss takes targets from 0 to 1, but {len(outside)} of {len(network.target)} are outside, "
            f"the first is {value:g}; scale the targets or use --loss squared"
        )


def _parts(network: Network, options: TrainingOptions) -> tuple[Network, Network | None]:
    """Divide into training and validation part: by examples, or by queries where there is one example only."""
    if not options.validation:
        return network, None
    units = network.query_example
    if len(np.unique(units)) == 1:
        units = np.arange(len(units))
    names = np.unique(units)
    count = round(len(names) * options.validation)
    if not 1 <= count < len(names):
        raise TrainingError(
            f"--validation {options.validation:g} of {len(names)} examples leaves one part empty; "
            "choose another fraction or leave it out"
        )
    held = np.random.default_rng([options.seed, 0, 2]).permutation(names)[:count]
    chosen = np.isin(units, held)
    return network.restricted((~chosen).nonzero()[0]), network.restricted(chosen.nonzero()[0])

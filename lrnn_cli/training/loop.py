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
from lrnn_cli.language.template import LARGEST
from lrnn_cli.network.network import Network
from lrnn_cli.semantics.losses import Loss
from lrnn_cli.training.backends import amount_of_work, choose_backend
from lrnn_cli.training.optimisers import LEARNING_RATES, OPTIMISERS
from lrnn_cli.training.options import TrainingOptions
from lrnn_cli.training.steps import Steps, Weights
from lrnn_cli.training.validation import held_out


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
    loss = _checked_loss(network, options.loss)
    part, held_out = _parts(network, options)
    trainable = np.array([not rule.fixed for rule in rules]) & part.used_rules
    result: Trained | None = None
    history: list[Epoch] = []
    batches = _Batches.of(part, options)
    work = amount_of_work(part, options.epochs * options.restarts, batches.count)
    recurring = batches.size == 1 or not options.shuffle
    make_steps = choose_backend(options.backend, loss, work, recurring)
    steps = make_steps(part, batches.queries_of)
    validation = None if held_out is None else make_steps(held_out, [])
    for restart in range(1, options.restarts + 1):
        run = _Run(steps, validation, batches, options, restart, trainable, initial_weights(rules, options, restart))
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


@dataclass(frozen=True)
class _Batches:
    """How examples are divided into batches; `whole` for one batch of all of them."""

    queries_of: list[np.ndarray]
    """The queries of each example."""
    size: int
    whole: bool

    @staticmethod
    def of(network: Network, options: TrainingOptions) -> _Batches:
        order = np.argsort(network.query_example, kind="stable")
        _, first = np.unique(network.query_example[order], return_index=True)
        examples = len(first)
        size = min(options.batch_size or examples, examples)
        return _Batches(np.split(order, first[1:]), size, size == examples and options.batch_size != 1)

    @property
    def count(self) -> int:
        return -(-len(self.queries_of) // self.size)

    def ordered(self, order: np.ndarray) -> np.ndarray:
        """Examples in this order, those of each batch ascending."""
        return order[np.lexsort((order, np.arange(len(order)) // self.size))]


class _Run:
    """One run from one set of initial weights."""

    def __init__(
        self,
        steps: Steps,
        validation: Steps | None,
        batches: _Batches,
        options: TrainingOptions,
        restart: int,
        trainable: np.ndarray,
        initial: np.ndarray,
    ) -> None:
        self.steps = steps
        self.validation = validation
        self.batches = batches
        self.options = options
        self.restart = restart
        rate = options.learning_rate or LEARNING_RATES[options.optimiser]
        self.weights = Weights(initial, trainable, OPTIMISERS[options.optimiser](rate, len(initial)), options.l2)
        self.best: Epoch | None = None
        self.best_weights = initial
        self.last: Epoch | None = None
        self.interrupted = False
        self.random = np.random.default_rng([options.seed, restart, 1])
        self.started = time.perf_counter()

    @property
    def _keeps_best(self) -> bool:
        return self.validation is not None or self.interrupted

    @property
    def kept(self) -> Epoch | None:
        return self.best if self._keeps_best else self.last

    @property
    def kept_weights(self) -> np.ndarray:
        return self.best_weights if self._keeps_best else self.weights.values

    def epochs(self) -> Iterator[Epoch]:
        """Yield the state before training and after each epoch."""
        stale = 0
        for number in range(self.options.epochs + 1):
            gradient = None
            if self.batches.whole:
                training_loss, gradient = self.steps.loss_and_gradient(self.weights.values)
            else:
                training_loss = self.steps.mean_loss(self.weights.values)
            epoch = self.last = self._epoch(number, training_loss)
            if self.best is None or epoch.decisive_loss < self.best.decisive_loss:
                self.best, self.best_weights = epoch, self.weights.values.copy()
                stale = 0
            else:
                stale += 1
            yield epoch
            if number == self.options.epochs or (self.validation is not None and stale >= self.options.patience):
                return
            if gradient is not None:
                self.weights.update(gradient)
            else:
                self._pass()

    def _epoch(self, number: int, training_loss: float) -> Epoch:
        weights = self.weights.values
        validation_loss = None if self.validation is None else self.validation.mean_loss(weights)
        if not np.isfinite(training_loss) or not (np.abs(weights) <= LARGEST).all():
            raise TrainingError(
                f"training diverged in epoch {number}: the loss is not finite; try a smaller --learning-rate"
            )
        return Epoch(self.restart, number, training_loss, validation_loss, time.perf_counter() - self.started)

    def _pass(self) -> None:
        """One epoch of steps over batches of examples."""
        count = len(self.batches.queries_of)
        order = self.random.permutation(count) if self.options.shuffle else np.arange(count)
        self.steps.run(self.weights, self.batches.ordered(order), self.batches.size)


def _checked_loss(network: Network, name: str | None) -> Loss:
    """The loss of this name for the kind of the targets, all of which it must take."""
    if not len(network.target):
        raise TrainingError("there is no query to train on")
    kind = network.output.kind
    if name is not None and name not in kind.losses:
        choices = " or ".join(f"--loss {other}" for other in kind.losses)
        raise TrainingError(f"the {name} loss is not for targets that are {kind.words}; use {choices}")
    loss = kind.loss(name)
    outside = loss.refuses(network.target).nonzero()[0]
    if len(outside):
        value = network.in_units(network.target)[outside[0]]
        another = "" if kind.loss_name(name) == "squared" else " or use --loss squared"
        raise TrainingError(
            f"the {kind.loss_name(name)} loss takes no targets that are {loss.refusal}, but {len(outside)} of "
            f"{len(network.target)} are, the first is {value:g}; scale the targets{another}"
        )
    return loss


def _parts(network: Network, options: TrainingOptions) -> tuple[Network, Network | None]:
    """Divide into training and validation part: by examples, or by queries where there is one example only."""
    if not options.validation:
        return network, None
    held = held_out(network.query_example, network.query_group, options.validation, [options.seed, 0, 2])
    return network.restricted((~held).nonzero()[0]), network.restricted(held.nonzero()[0])

"""Which way to take the steps of training: NumPy, or compiled code where that wins back what it costs to start."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

import numpy as np

from lrnn_cli.errors import TrainingError
from lrnn_cli.network.network import Network
from lrnn_cli.semantics.losses import Loss
from lrnn_cli.training.steps import NumpySteps, Steps

NEURONS_OF_A_LEVEL = 800
"""NumPy takes as long for a level as for this many rule neurons, besides those that it computes."""
WORTHWHILE = 5_000_000
"""Rule neurons from which compiled code is used: a quarter of a second of NumPy, twice what loading the code takes."""

Maker = Callable[[Network, list[np.ndarray]], Steps]
"""Makes the steps of a network from the queries of each example."""


def amount_of_work(network: Network, epochs: int, steps: int) -> int:
    """The work of so many epochs of so many steps, counted in rule neurons."""
    return epochs * (network.rule_neurons + NEURONS_OF_A_LEVEL * len(network.levels) * steps)


def choose_backend(name: str, loss: Loss, work: int, recurring: bool) -> Maker:
    """The way of taking steps for a training; `recurring` as in `NumpySteps`.

    The choice depends on the amount of work, not on time, so that the same training gives the same bytes.
    """
    worthwhile = work >= WORTHWHILE
    if name == "compiled" or (name == "auto" and worthwhile and find_spec("numba") is not None):
        try:
            from lrnn_cli.training.compiled import CompiledSteps
        except ImportError as error:
            if name == "compiled":
                raise TrainingError(
                    f"compiled training needs numba, which can't be imported: {error}; "
                    "pip install 'lrnn[fast]', or train with --backend numpy"
                ) from None
        else:
            return lambda network, queries_of: CompiledSteps(network, loss, queries_of)
    return lambda network, queries_of: NumpySteps(network, loss, queries_of, recurring)

"""Where our defaults differ from the paper, and what the paper has there."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from lrnn_cli.structure.options import StructureOptions

PAPER: dict[str, Any] = {
    # One bestRule in each iteration, whatever it gains; its predicates of the data need not be latent.
    "rules": 1,
    "gain": 0.0,
    "crisp": True,
    # Weights of latent predicates are drawn, once.
    "start": "drawn",
    "restarts": 0,
    # Target rules stay as the search finds them.
    "conjunctions": 0,
    # Invention goes on as long as the algorithm does.
    "layers": 100,
    "object_identity": False,
    # The neurons of Section 2: a mean over groundings, and for target atoms nothing but their rules.
    "aggregation": "mean",
    "bias": False,
    # Stochastic gradient descent on the squared loss, example by example, and no training after the loop.
    "optimiser": "sgd",
    "batch_size": 1,
    "learning_rate": 0.1,
    "loss": "squared",
    "penalty": 0.0,
    "final_epochs": 0,
}
"""Options of `StructureOptions` by name. The paper does not say its learning rate; this is that of `lrnn train`."""


def with_the_papers_options(options: StructureOptions, given: Collection[str]) -> StructureOptions:
    """Options with the paper's in place of our defaults, but for those that were given."""
    return replace(options, **{name: value for name, value in PAPER.items() if name not in given})

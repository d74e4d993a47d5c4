"""Where and why we differ from the paper; --as-in-the-paper sets it back."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from lrnn_cli.structure.options import StructureOptions


@dataclass(frozen=True)
class Difference:
    """What the paper does, why our defaults do something else, and the options that set it back, if any do."""

    paper: str
    why: str
    options: Mapping[str, Any]


DIFFERENCES = (
    Difference(
        "one bestRule in each iteration",
        "a search has further rules for nothing, and each iteration costs a training",
        {"rules": 1},
    ),
    Difference(
        "it is added if the loss decreases, by whatever",
        "the best of many candidates gains something by chance, and such rules do harm",
        {"gain": 0.0},
    ),
    Difference(
        "bodies have predicates of the data beside latent ones",
        "candidates multiply, and small noisy data have too many; where small data tell that it pays they are there, "
        "and literals of the data come in with conjunctions",
        {"crisp": True},
    ),
    Difference(
        "the weights of latent predicates are drawn, once",
        "a drawn cluster mixes what matters with what does not, so that rules over it gain too little to be found",
        {"start": "drawn", "restarts": 0},
    ),
    Difference(
        "every candidate is refitted",
        "one Newton step promises about the same gain with far less work",
        {"ranking": "refit"},
    ),
    Difference(
        "target rules stay as the search finds them",
        "a sum of rules can't tell that two things come together; conjunctions of parts can, where held-out queries "
        "say that it pays",
        {"conjunctions": 0},
    ),
    Difference(
        "bodies may have any number of groundings",
        "where relations are dense a few bodies would take all the time",
        {"groundings": 0},
    ),
    Difference(
        "invention goes on as long as the algorithm does",
        "candidates grow with every layer; 100 layers are no bound",
        {"layers": 100},
    ),
    Difference(
        "variables of a rule may take one object",
        "a body with several variables tells how many things there are, and has fewer groundings",
        {"object_identity": False},
    ),
    Difference(
        "groundings of a rule: their mean",
        "a mean tells the share of groundings that hold, and not how many do",
        {"aggregation": "mean"},
    ),
    Difference(
        "an atom neuron has b0 and its rules, nothing else",
        "how frequent a target is need not be told by rules",
        {"bias": False},
    ),
    Difference(
        "stochastic gradient descent, example by example (at a rate that is not given; 0.1 is that of `lrnn train`)",
        "one step for all examples is one pass of matrix products, and Adam chooses the size of steps for each weight",
        {"optimiser": "sgd", "batch_size": 1, "learning_rate": 0.1},
    ),
    Difference(
        "the loss and nothing else is minimised",
        "there are more weights than the queries of small data can bear",
        {"penalty": 0.0},
    ),
    Difference(
        "training ends with the last iteration",
        "trainings in the loop can be short when a longer one follows",
        {"final_epochs": 0},
    ),
)
"""In the order of the docs, which have the same words."""

REMAINING = (
    Difference(
        "training starts from the refitted weights",
        "no larger than 4 here, refitted with as large a penalty as that takes: saturated neurons do not learn",
        {},
    ),
    Difference(
        "a refit has no penalty",
        "1e-5 here, or the weights of columns that tell the classes apart were infinite",
        {},
    ),
    Difference(
        "a training is what it is",
        "one that ends worse than it began is repeated with smaller steps",
        {},
    ),
    Difference(
        "all weights of new rules are drawn",
        "those of latent predicates in use start from 0, so that what these mean is not undone",
        {},
    ),
    Difference(
        "an invented predicate has the whole body of the rule",
        "literals that do not hang together with its arguments are left out: they would only multiply groundings",
        {},
    ),
    Difference(
        "a refinement adds one literal",
        "a relation may bring latent predicates of its new variables with it, and paths between the arguments of a "
        "target are tried as a whole: a relation alone hardly changes a mean",
        {},
    ),
)
"""What no option sets back. Left open by the paper are d, the length and variables of rules, the beam, the iterations
and the epochs: they have our defaults."""

PAPER: dict[str, Any] = {name: value for item in DIFFERENCES for name, value in item.options.items()}
"""Options of `StructureOptions` by name."""


def with_the_papers_options(options: StructureOptions, given: Collection[str]) -> StructureOptions:
    """Options with the paper's in place of our defaults, but for those that were given."""
    return replace(options, **{name: value for name, value in PAPER.items() if name not in given})

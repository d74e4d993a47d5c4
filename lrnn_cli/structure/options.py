"""The options of structure learning. Where they differ from the paper, and why, is told in `paper`."""

from __future__ import annotations

from dataclasses import dataclass

from lrnn_cli.settings import AGGREGATIONS, LOSSES, TASKS, setting

ITERATIONS = 14
VARIABLES = 5
LENGTH = 7
TELLING = 100
"""So many queries tell whether one way to say classes is better than another, or one column."""


@dataclass(frozen=True)
class StructureOptions:
    """Fields with a help text are options of the command; `seed` is that of all that is drawn."""

    task: str | None = setting(
        None,
        "What targets are.",
        choices=TASKS,
        default_text="classes if they are words, binary if they are from 0 to 1, regression if they are other numbers",
    )
    dimension: int = setting(6, "Latent predicates in a layer.", least=1)
    iterations: int | None = setting(
        None,
        "Iterations at most",
        kind=int,
        least=1,
        default_text=f"{ITERATIONS}; 3 with conjunctions of more than 1,000 queries, 2 if these are yes or no about "
        "whole examples",
    )
    rules: int = setting(3, "Rules that an iteration adds; 1 is the paper.", least=1, name="rules-per-iteration")
    length: int = setting(LENGTH, "Literals in a body at most.", least=1)
    variables: int | None = setting(
        None,
        "Variables in a rule at most",
        kind=int,
        least=1,
        default_text=f"{VARIABLES}; 7 for targets of three arguments, 9 of four",
    )
    layers: int = setting(2, "Layers of latent predicates at most; 1 switches predicate invention off.", least=1)
    arity: int = setting(1, "Arguments of invented predicates at most.", least=1)
    groundings: int = setting(
        300, "Groundings of a body for each query, on average, at most; 0 for as many as fit into memory.", least=0
    )
    beam: int = setting(5, "Rules that the search refines in each step.", least=1)
    ranking: str = setting(
        "newton",
        "Candidates are compared by what one Newton step promises, or each is refitted as in the paper.",
        choices=("newton", "refit"),
    )
    epochs: int = setting(150, "Epochs of training after each iteration.", least=0)
    final_epochs: int = setting(150, "More epochs after the last one.", least=0)
    learning_rate: float = setting(0.02, "Of the optimiser.", above=0)
    optimiser: str = setting("adam", "What trains weights.", choices=("adam", "sgd"))
    batch_size: int = setting(0, "Examples in a batch of training; 0 for all of them.", least=0)
    loss: str | None = setting(
        None, "What training minimises.", choices=LOSSES, default_text="squared; log for classes"
    )
    object_identity: bool = setting(True, "Variables of a rule take different objects.")
    aggregation: str = setting(
        "sqrt",
        "Groundings of a rule: their mean, or their sum divided by the root of their number",
        choices=AGGREGATIONS,
        default_text="sqrt; mean is the paper",
    )
    crisp: bool | None = setting(
        None,
        "Rules may contain unary predicates of the data beside latent ones",
        kind=bool,
        default_text="for classes, and where small data tell that it pays",
    )
    start: str = setting(
        "unexplained",
        "Latent predicates start from what is left unexplained, or drawn as in the paper.",
        choices=("unexplained", "drawn"),
    )
    restarts: int = setting(
        1,
        "So often a search that finds nothing is repeated, latent predicates started anew; with 0 there is no "
        "second run where most is explained, either.",
        least=0,
    )
    pretrain: bool = setting(
        False,
        "First train the clusters of layer 1, without targets, on which unary predicates meet in relations.",
        negative=False,
    )
    gain: float = setting(
        2.0,
        "How much a rule must raise the log likelihood of the targets; 2 is about a likelihood ratio test at 5 %.",
        least=0,
    )
    penalty: float = setting(
        0.1, "Training minimises the sum of losses plus this times the sum of squared weights.", least=0
    )
    bias: bool = setting(True, "Targets without arguments have a weighted fact beside their rules.")
    validation: float = setting(
        0.0,
        "Hold out this part of the examples, stop when their loss does not fall, keep the best iteration.",
        least=0,
        below=1,
        metavar="FRACTION",
    )
    patience: int = setting(3, "Iterations without a lower validation loss before learning stops.", least=1)
    conjunctions: int = setting(
        400,
        "Conjunctions of parts at most, where they predict better; 0 leaves the rules of the search as they are.",
        least=0,
    )
    parts: int = setting(6, "Parts of a conjunction at most.", least=1)
    support: int = 5
    """Queries for which a body of a part holds at least."""
    seed: int = 1

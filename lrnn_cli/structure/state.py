"""Where Algorithm 1 stands between two iterations; all it needs to go on."""

from __future__ import annotations

from dataclasses import dataclass, field

from lrnn_cli.hypotheses.bodies import Candidate
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.structure.rules import Rules, Weights
from lrnn_cli.training.loop import Epoch

Nearest = dict[Predicate, tuple[str, float]]
"""The best clause that a search for each target tried, and what it adds to the log likelihood."""
ScoredRule = tuple[Candidate, float]
"""A target rule, and the mean log loss after it was added and all target rules were refitted."""


@dataclass(frozen=True)
class Iteration:
    """What one iteration did."""

    number: int
    rules: list[ScoredRule]
    invented: int
    tried: int
    loss: float
    validation_loss: float | None
    search_seconds: float = 0.0
    training_seconds: float = 0.0
    ahead: list[Candidate] = field(default_factory=list)
    """Bodies that latent predicates were invented from when a first search had found nothing."""


@dataclass(frozen=True)
class LearningState:
    """Rules and weights, how they came about, and why learning ended.

    remedy: what to do about the reason where nothing was learned; nearest: what came nearest to it, where known.
    best: of all iterations, the least validation loss and its weights; None where nothing is held out.
    history: the losses of the last training; groundings: those of the rules it trained, None where it is not known.
    """

    rules: Rules
    weights: Weights
    iterations: tuple[Iteration, ...] = ()
    reason: str = ""
    remedy: str = "lower --gain, or look at the data with `lrnn check`"
    nearest: Nearest = field(default_factory=dict)
    best: tuple[float, Weights] | None = None
    history: tuple[Epoch, ...] = ()
    groundings: int | None = None

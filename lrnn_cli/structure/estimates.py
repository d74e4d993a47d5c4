"""What to expect of a learned model on new data, in words, and what to do where that is little."""

from __future__ import annotations

from lrnn_cli.language.clauses import Predicate
from lrnn_cli.structure.selection import Estimate

FAR = 0.15
"""Training and expected accuracies this far apart are worth a warning."""


def estimate_text(target: Predicate, estimate: Estimate) -> str:
    """One line, for the terminal and for the model file."""
    trivial = "majority" if estimate.measure == "accuracy" else "mean"
    return (
        f"{target}: expected {estimate.measure} on new data {estimate.accuracy:.3f}, {trivial} {estimate.majority:.3f} "
        f"(from {estimate.queries} queries held out; {estimate.training:.3f} in training)"
    )


def is_no_better(estimate: Estimate) -> bool:
    """Whether always predicting the larger class, or the mean, would do as well on queries held out."""
    return estimate.loss >= estimate.frequency_loss or estimate.accuracy <= estimate.majority


def estimate_warnings(target: Predicate, estimate: Estimate) -> list[str]:
    """What a user should know before trusting the model, each with a remedy."""
    if is_no_better(estimate):
        same = "larger class" if estimate.measure == "accuracy" else "mean"
        return [
            f"{target}: on queries held out the model is not better than always predicting the {same}; add "
            "examples, or predicates that say more of them, and look at the data with `lrnn check`"
        ]
    if estimate.training - estimate.accuracy > FAR:
        return [
            f"{target}: the {estimate.measure} in training, {estimate.training:.3f}, says little about new data; for a "
            "better model try --ensemble 5, fewer --conjunctions or more examples"
        ]
    return []

"""Conditions on arguments that hold numbers, as predicates of the other arguments: thresholds and comparisons."""

from __future__ import annotations

from lrnn_cli.hypotheses.comparisons import comparisons, with_comparisons
from lrnn_cli.hypotheses.thresholds import thresholds, with_thresholds
from lrnn_cli.hypotheses.vocabulary import Conditions, Vocabulary
from lrnn_cli.language.data import Queries
from lrnn_cli.semantics.activations import Activation
from lrnn_cli.semantics.aggregations import Aggregation
from lrnn_cli.semantics.targets import BERNOULLI, Likelihood


def with_conditions(
    words: Vocabulary,
    queries: Queries,
    aggregation: Aggregation,
    conditions: Conditions | None = None,
    likelihood: Likelihood = BERNOULLI,
    activation: Activation | None = None,
) -> Vocabulary:
    """The vocabulary with conditions in place of arguments that hold numbers.

    conditions: those to have, where they were chosen before; if None they are chosen for these queries.
    likelihood: of their targets. activation: of the network that rules are for, None for crisp clauses.
    """
    if conditions is None:
        chosen_for = queries, aggregation, likelihood
        conditions = Conditions(thresholds(words, *chosen_for), comparisons(words, *chosen_for))
    return with_thresholds(with_comparisons(words, conditions.comparisons, activation), conditions)

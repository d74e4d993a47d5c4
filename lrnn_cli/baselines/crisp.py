"""What learners for which facts are true and queries positive or negative ask of data."""

from __future__ import annotations

import numpy as np

from lrnn_cli.errors import LrnnError
from lrnn_cli.grounding.grounder import Knowledge
from lrnn_cli.hypotheses.conditions import with_conditions
from lrnn_cli.hypotheses.vocabulary import Conditions, Vocabulary, vocabulary
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.data import DataSet, Queries
from lrnn_cli.semantics.aggregations import AGGREGATIONS
from lrnn_cli.semantics.targets import BERNOULLI, Likelihood


def target_predicates(queries: Queries) -> list[Predicate]:
    return sorted({queries.predicate[number] for number in set(queries.predicate_index.tolist())})


def positions_of(queries: Queries, target: Predicate) -> np.ndarray:
    """Where the queries of one target predicate are among the queries."""
    return np.asarray((queries.predicate_index == queries.predicate.index(target)).nonzero()[0])


def crisp_vocabulary(
    data: DataSet,
    knowledge: Knowledge,
    queries: Queries,
    conditions: Conditions | None = None,
    likelihood: Likelihood = BERNOULLI,
) -> Vocabulary:
    """The vocabulary of data, none of whose facts is weighted as if it were false.

    conditions: those on numbers, where they have been chosen; else they are chosen for these queries.
    """
    known = vocabulary(data, knowledge, queries)
    words = with_conditions(known, queries, AGGREGATIONS["max"], conditions, likelihood)
    for predicate, facts in words.soft.items():
        if (facts.weight <= 0.0).any():
            raise LrnnError(
                f"{data.name}: {predicate} has facts with weights that are not above 0, and to crisp clauses every "
                "fact is true; remove such facts"
            )
    return words


def check_classes(data: DataSet, target: Predicate, positive: float, negative: float) -> None:
    """There must be queries of both classes, given by their numbers."""
    if not positive or not negative:
        kind = "above" if positive else "not above"
        raise LrnnError(
            f"{data.name}: all {positive + negative:.0f} queries of {target} have a target {kind} 0.5; "
            "there is nothing to learn from one class"
        )

"""Random forests and boosted trees over counts of neighbourhoods: from data to outputs for some of its queries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from lrnn_cli.baselines.crisp import check_classes, crisp_vocabulary, positions_of, target_predicates
from lrnn_cli.baselines.neighbourhoods import neighbourhood_counts
from lrnn_cli.baselines.options import TreeOptions
from lrnn_cli.errors import LrnnError
from lrnn_cli.grounding.grounder import Knowledge
from lrnn_cli.language.data import DataSet, Queries
from lrnn_cli.language.targets import target_kind
from lrnn_cli.semantics.targets import BINARY, REGRESSION, TargetKind

FOREST_TREES = 300
BOOSTING = {"learning_rate": 0.04, "num_leaves": 31, "feature_fraction": 0.2}
BOOSTING_TREES = 250
OCCURRENCES = 5
SHARE = 100
"""A feature occurs for at least OCCURRENCES training queries, in small data one in SHARE of them, 2 at least."""


@dataclass(frozen=True)
class TreePredictions:
    """Outputs (tested queries,), or (tested queries, classes), in their order, and what to tell about the features."""

    output: np.ndarray
    remarks: list[str]
    kind: TargetKind


def predict_with_trees(
    learner: str,
    data: DataSet,
    knowledge: Knowledge,
    training: Queries,
    testing: Queries,
    options: TreeOptions,
) -> TreePredictions:
    """Learn with "forest" or "lightgbm" from some queries of data, and predict others."""
    queries, tested = _together(training, testing)
    targets = target_predicates(training)
    kind = target_kind(data.name, training, options.task)
    # Which of its words count is told by what occurs in the training part; thresholds are chosen there, too.
    conditions = crisp_vocabulary(data, knowledge, training, likelihood=kind.likelihood).conditions
    words = crisp_vocabulary(data, knowledge, queries, conditions)
    outputs = np.full((len(queries), len(queries.classes) or 1), np.nan)
    remarks = []
    for target in targets:
        rows = positions_of(queries, target)
        counts = neighbourhood_counts(words.tables, words.objects, queries.select(rows), target, options.radius)
        learn, test = (~tested[rows]).nonzero()[0], tested[rows].nonzero()[0]
        known = queries.target[rows[learn]]
        if kind is BINARY:
            known = known > 0.5
            check_classes(data, target, known.sum(), (~known).sum())
        least = options.occurrences or least_occurrences(len(learn))
        kept = frequent_columns(counts[learn], least)
        if not len(kept):
            raise LrnnError(
                f"{data.name}: no feature occurs for {least} of {len(learn)} queries of {target} to learn from; "
                "choose smaller --occurrences"
            )
        remarks.append(
            f"{len(kept)} of {counts.shape[1]} features for {target} occur for at least {least} of {len(learn)} queries"
        )
        table = counts[:, kept].astype(np.float32).toarray()
        outputs[rows[test]] = _predicted(learner, kind, table[learn], known, table[test], len(outputs.T), options)
    output = outputs[tested]
    if np.isnan(output).any():
        number = tested.nonzero()[0][np.isnan(output[:, 0]).argmax()]
        raise LrnnError(
            f"{data.name}:{queries.line[number]}:1: no query to learn from asks for "
            f"{queries.predicate[queries.predicate_index[number]]}, as this one does; choose other folds"
        )
    return TreePredictions(output if kind.grouped else output[:, 0], remarks, kind)


def _together(training: Queries, testing: Queries) -> tuple[Queries, np.ndarray]:
    """The queries of two parts of one data file in the order of the file, and (queries,) which are of the second."""
    both = training.with_others(testing)
    order = np.lexsort((both.line, both.example))
    return both.select(order), order >= len(training)


def least_occurrences(queries: int) -> int:
    """For how many of so many training queries a feature must occur."""
    return min(OCCURRENCES, max(2, queries // SHARE))


def frequent_columns(counts: csr_array, least: int) -> np.ndarray:
    """The columns of counts (queries, features) that are not 0 for at least so many queries."""
    return np.asarray((np.bincount(counts.indices, minlength=counts.shape[1]) >= least).nonzero()[0])


def _predicted(
    learner: str,
    kind: TargetKind,
    table: np.ndarray,
    known: np.ndarray,
    tested: np.ndarray,
    width: int,
    options: TreeOptions,
) -> np.ndarray:
    """(tested queries, classes or 1) from features (queries, features) and targets (queries,) to learn from."""
    if not kind.grouped:
        return np.asarray(LEARNERS[learner](kind, table, known, tested, options)).reshape(len(tested), 1)
    classes, code = np.unique(known.astype(np.int64), return_inverse=True)
    output = np.zeros((len(tested), width))
    output[:, classes] = LEARNERS[learner](kind, table, code, tested, options) if len(classes) > 1 else 1.0
    return output


def _forest(
    kind: TargetKind, table: np.ndarray, known: np.ndarray, tested: np.ndarray, options: TreeOptions
) -> np.ndarray:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    learner = RandomForestRegressor if kind is REGRESSION else RandomForestClassifier
    forest = learner(FOREST_TREES, random_state=options.seed, n_jobs=options.jobs)
    forest.fit(table, known)
    # Several threads would add up the votes in any order, and sums of floats depend on it.
    forest.set_params(n_jobs=1)
    if kind is REGRESSION:
        return np.asarray(forest.predict(tested))
    votes = np.asarray(forest.predict_proba(tested))
    return votes if kind.grouped else votes[:, 1]


def _boosted_trees(
    kind: TargetKind, table: np.ndarray, known: np.ndarray, tested: np.ndarray, options: TreeOptions
) -> np.ndarray:
    import lightgbm

    fixed = {"deterministic": True, "force_row_wise": True, "num_threads": 1, "verbose": -1}
    classes = {"num_class": int(known.max()) + 1} if kind.grouped else {}
    goal = {"objective": OBJECTIVES[kind.name], **classes}
    seed = {"seed": options.seed}
    booster = lightgbm.train(BOOSTING | goal | fixed | seed, lightgbm.Dataset(table, known), BOOSTING_TREES)
    return np.asarray(booster.predict(tested, num_threads=1))


LEARNERS = {"forest": _forest, "lightgbm": _boosted_trees}
OBJECTIVES = {"binary": "binary", "classes": "multiclass", "regression": "regression"}

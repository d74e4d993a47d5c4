"""A classifier and a regressor for scikit-learn: examples of facts in, labels or numbers out.

    from lrnn_cli.sklearn import LrnnClassifier, LrnnRegressor

    X = ["c(a). o(b). bond(a, b).", [("c", "a"), ("n", "b"), ("bond", "a", "b")], ...]
    cross_val_score(LrnnClassifier(iterations=3), X, y)

It needs scikit-learn: pip install 'lrnn[sklearn]'.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from lrnn_cli.api import Example, Session, StructureOptions, learn, predict
from lrnn_cli.evaluation.predictions import Predictions
from lrnn_cli.language.facts import Fact

STRUCTURE = {field.name: field.default for field in fields(StructureOptions)}
del STRUCTURE["task"]
DEFAULTS: dict[str, Any] = {"target": "label", "background": "", "ensemble": 1, "jobs": 1, **STRUCTURE}
"""The parameters of estimators and their defaults: those of structure learning, and a few more."""


class LrnnEstimator(BaseEstimator):  # type: ignore[misc]
    """Learns rules for examples; the fitted model is kept as the text of a model file.

    X is a sequence of examples: texts of facts, or lists of facts as tuples or texts, see `lrnn_cli.language.facts`.

    target: the predicate of the queries, which must not occur in facts.
    background: facts and clauses that hold in all examples.
    ensemble: so many models, whose outputs are averaged.
    jobs: processes at most; the result does not depend on it.
    Other parameters are those of `StructureOptions`.

    Attribute: `model_text_`, the model as a file.
    """

    def __init__(self, **parameters: Any) -> None:
        unknown = sorted(set(parameters) - set(DEFAULTS))
        if unknown:
            raise TypeError(f"there is no parameter {unknown[0]}; parameters are {', '.join(DEFAULTS)}")
        for name, default in DEFAULTS.items():
            setattr(self, name, parameters.get(name, default))

    # scikit-learn finds the parameters of an estimator in its signature.
    __init__.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD),
            *(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=DEFAULTS[name]) for name in DEFAULTS),
        ]
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True
        tags.input_tags.string = True
        return tags

    def examples(self, X: Any) -> list[str | Sequence[Fact]]:
        """The facts of each example; an estimator of other data overrides this."""
        if isinstance(X, str) or not isinstance(X, Sequence | np.ndarray):
            raise ValueError("X is a sequence of examples, each a text or a list of facts")
        return list(X)

    def _checked(self, X: Any, y: Any) -> tuple[list[str | Sequence[Fact]], np.ndarray]:
        """Facts and targets, as many of these as of those."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        facts, targets = self.examples(X), column_or_1d(y, warn=True)
        check_consistent_length(facts, targets)
        return facts, targets

    def _learn(self, examples: list[Example], task: str | None) -> str:
        """The text of the model."""
        with Session(jobs=self.jobs) as session:
            data = session.read_examples(examples, self.background).in_memory()
        settings = {name: getattr(self, name) for name in STRUCTURE}
        return learn(data, ensemble=self.ensemble, task=task, **settings).model.text()

    def _predicted(self, examples: list[Example]) -> Predictions:
        check_is_fitted(self, "model_text_")
        with Session(jobs=self.jobs) as session:
            model = session.model_of_text(self.model_text_)
            return predict(model, session.read_examples(examples, self.background))


class LrnnClassifier(ClassifierMixin, LrnnEstimator):  # type: ignore[misc]
    """Learns rules for classes of examples; see `LrnnEstimator` for the parameters. `classes_` are the labels."""

    def fit(self, X: Any, y: Any) -> LrnnClassifier:
        """Learn rules for the labels `y`, (examples,) of two or more classes."""
        facts, labels = self._checked(X, y)
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"{type(self).__name__} needs examples of two classes at least; there is one class only")
        queries = [self._queries(code) for code in codes.tolist()]
        self.model_text_ = self._learn([Example(own, asked) for own, asked in zip(facts, queries, strict=True)], None)
        return self

    def _queries(self, code: int | None) -> list[tuple[Fact, float | str | None]]:
        """One query: of two classes yes or no, of more a word."""
        if code is None:
            return [((self.target,), None)]
        return [((self.target,), float(code == 1) if len(self.classes_) == 2 else f"class_{code}")]

    def predict_proba(self, X: Any) -> np.ndarray:
        """(examples, classes) outputs of the model."""
        check_is_fitted(self, "model_text_")
        predictions = self._predicted([Example(own, self._queries(None)) for own in self.examples(X)])
        if len(self.classes_) == 2:
            return np.column_stack([1.0 - predictions.output, predictions.output])
        return predictions.output[:, [predictions.classes.index(f"class_{code}") for code in range(len(self.classes_))]]

    def predict(self, X: Any) -> np.ndarray:
        """(examples,) the labels of the largest outputs."""
        largest = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[largest])


class LrnnRegressor(RegressorMixin, LrnnEstimator):  # type: ignore[misc]
    """Learns rules for numbers of examples; see `LrnnEstimator` for the parameters."""

    def fit(self, X: Any, y: Any) -> LrnnRegressor:
        """Learn rules for the numbers `y`, (examples,)."""
        facts, numbers = self._checked(X, y)
        pairs = zip(facts, numbers.astype(float).tolist(), strict=True)
        self.model_text_ = self._learn(
            [Example(own, [((self.target,), number)]) for own, number in pairs], "regression"
        )
        return self

    def predict(self, X: Any) -> np.ndarray:
        """(examples,) numbers."""
        check_is_fitted(self, "model_text_")
        return self._predicted([Example(own, [((self.target,), None)]) for own in self.examples(X)]).output

"""The classifier for scikit-learn: on examples of facts, and under scikit-learn's own checks."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from conftest import Folder
from sklearn.base import clone
from sklearn.exceptions import NotFittedError, SkipTestWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks
from sklearn.utils.validation import validate_data

import lrnn_cli as lrnn
from lrnn_cli.language.facts import Fact
from lrnn_cli.sklearn import LrnnClassifier

FAST: dict[str, Any] = {
    "iterations": 1,
    "dimension": 3,
    "epochs": 30,
    "final_epochs": 0,
    "conjunctions": 0,
    "gain": 0.0,
}


class Rows(LrnnClassifier):
    """Rows of a matrix as examples: one object, and which of its columns are above their mean."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.one_d_array, tags.input_tags.string = True, False, False
        return tags

    def fit(self, X: Any, y: Any) -> Rows:
        if y is not None:
            self.means_ = np.mean(validate_data(self, X, y)[0], axis=0)
        super().fit(X, y)
        return self

    def examples(self, X: Any) -> list[str | Sequence[Fact]]:
        high = validate_data(self, X, reset=False) > self.means_
        return [[("row", "x"), *((f"high_{j}", "x") for j in row.nonzero()[0].tolist())] for row in high]


@parametrize_with_checks([Rows(**FAST)], expected_failed_checks=lambda estimator: {})  # type: ignore[untyped-decorator]
def test_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    """All that scikit-learn knows for classifiers; none is expected to fail."""
    check(estimator)


def test_examples_are_no_matrix() -> None:
    """Facts are not rows of numbers, which scikit-learn is told: of its checks it tries that clones are equal."""
    with pytest.warns(SkipTestWarning, match="Can't test estimator LrnnClassifier which requires input"):
        checks = [check.func.__name__ for _, check in estimator_checks_generator(LrnnClassifier(**FAST))]
    assert checks == ["check_estimator_cloneable"]


def molecules(labels: Sequence[str]) -> list[Any]:
    """Examples of two atoms, one of which the label names; half of them as text."""
    found: list[Any] = []
    for number, label in enumerate(labels):
        facts = [("c", "a"), (label, "b"), ("bond", "a", "b"), ("ch"[number // 3 % 2], "d")]
        found.append(facts if number % 2 else " ".join(f"{name}({', '.join(terms)})." for name, *terms in facts))
    return found


Y = ["on"[number % 2] for number in range(24)]
X = molecules(Y)


def test_crossvalidation_and_grids() -> None:
    classifier = LrnnClassifier(**FAST)
    assert cross_val_score(classifier, X, Y, cv=3).tolist() == [1.0, 1.0, 1.0]
    grid = GridSearchCV(classifier, {"dimension": [2, 3]}, cv=2).fit(X, Y)
    assert grid.best_score_ == 1.0
    assert grid.predict(X[:2]).tolist() == Y[:2]


def test_clones_and_pickles() -> None:
    """A clone has the parameters and nothing that was learned; a pickle holds the model as text."""
    classifier = LrnnClassifier(**FAST, target="contains o").fit(X, Y)
    copy = clone(classifier)
    assert copy.get_params() == classifier.get_params()
    with pytest.raises(NotFittedError):
        copy.predict(X)
    stored = pickle.dumps(classifier)
    assert classifier.model_text_.encode() in stored
    again = pickle.loads(stored)
    assert again.predict_proba(X).tolist() == classifier.predict_proba(X).tolist()
    assert "'contains o'" in again.model_text_


def test_it_is_the_model_of_the_library(folder: Folder) -> None:
    classifier = LrnnClassifier(**FAST, ensemble=2, jobs=2).fit(X, Y)
    examples = [lrnn.Example(facts, [(("label",), float(label == "o"))]) for facts, label in zip(X, Y, strict=True)]
    with lrnn.Session(jobs=1) as session:
        data = session.read_examples(examples)
        model = lrnn.learn(data, ensemble=2, **FAST).model
        assert classifier.model_text_ == model.text()
        assert classifier.predict_proba(X)[:, 1].tolist() == lrnn.predict(model, data).output.tolist()
    assert classifier.classes_.tolist() == ["n", "o"]


def test_three_classes() -> None:
    labels = ["nos"[number % 3] for number in range(24)]
    classifier = LrnnClassifier(**FAST).fit(molecules(labels), labels)
    assert classifier.predict(molecules("son")).tolist() == ["s", "o", "n"]
    assert classifier.predict_proba(molecules("son")).sum(axis=1) == pytest.approx(np.ones(3))


def test_background_holds_in_all_examples() -> None:
    """What only clauses tell apart is learned with them alone."""
    texts = [f"{'ab'[n % 2]}{n // 2}(x)." for n in range(24)]
    background = "\n".join(f"kind(X) :- a{n}(X)." for n in range(12))
    classifier = LrnnClassifier(**FAST, background=background).fit(texts, Y)
    assert classifier.predict(["a3(z).", "b3(z)."]).tolist() == ["o", "n"]


def test_parameters_and_data_that_are_wrong() -> None:
    with pytest.raises(TypeError, match="there is no parameter iteration; parameters are"):
        LrnnClassifier(iteration=1)
    with pytest.raises(ValueError, match="there is one class only"):
        LrnnClassifier().fit(X[:2], ["o", "o"])
    with pytest.raises(ValueError, match="X is a sequence of examples"):
        LrnnClassifier().fit("c(a).", ["o"])
    with pytest.raises(lrnn.LrnnError, match="the option beam is 0"):
        LrnnClassifier(**FAST, beam=0).fit(X, Y)
    with pytest.raises(lrnn.LrnnError, match="is no term"):
        LrnnClassifier(**FAST).fit([[("c", None)]] * 24, Y)

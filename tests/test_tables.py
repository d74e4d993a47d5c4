"""The tables of `semantics`: every entry's slope is that of its function, and all that computes agrees with it.

Whole networks of every entry are in test_semantics.py and test_compiled.py, columns of the search in test_learning.py.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from lrnn_cli.language.template import Settings
from lrnn_cli.network.options import ModelSettings
from lrnn_cli.semantics.activations import ACTIVATIONS, SQUASHINGS, Activation
from lrnn_cli.semantics.aggregations import AGGREGATIONS, SELECTING, Selecting
from lrnn_cli.semantics.losses import ALL_LOSSES, CLASS_LOSSES, LOSSES, log_of_sums
from lrnn_cli.semantics.targets import KINDS
from lrnn_cli.structure.options import StructureOptions
from lrnn_cli.training.options import TrainingOptions

STEP = 1e-5
VALUES = np.array([0.3, 0.8, 0.1, 0.8, 0.5])
"""Rule neurons; the second and the fourth are equal."""


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activation_slopes(name: str) -> None:
    """The slope of a neuron, from its value, is the central difference of the neuron by its sum, times the rate."""
    activation = Activation.of(Settings(activation=name, steepness=2.5, offset=-0.2))
    total = np.linspace(-1.5, 1.5, 7)
    for neurons in (activation.atoms, activation.rules):
        expected = (neurons(total + STEP) - neurons(total - STEP)) / (2.0 * STEP)
        assert activation.slope(neurons(total)) == pytest.approx(expected, abs=1e-8)
        assert activation.slope(neurons(total), 3.0) == pytest.approx(3.0 * expected, abs=1e-8)


def test_products_of_factors_stand_for_sums() -> None:
    """sum_of is the inverse of value; value(x + y) comes from the product of the factors of x and y."""
    for entry in SQUASHINGS:
        x, y = np.linspace(-2.0, 2.0, 5), np.array([0.5, -0.25, 0.0, 1.5, -3.0])
        assert entry.sum_of(entry.value(x)) == pytest.approx(x, abs=1e-12)
        if entry.factor is not None:
            assert entry.of_product is not None
            assert entry.of_product(entry.factor(x) * entry.factor(y)) == pytest.approx(entry.value(x + y), abs=1e-15)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_sums_of_atoms(name: str) -> None:
    """total undoes scaled, one half is at half, and an atom so far above it has the value."""
    activation = Activation.of(Settings(activation=name, steepness=2.5, offset=-0.2))
    assert activation.total(float(activation.scaled(0.7))) == pytest.approx(0.7, abs=1e-15)
    assert activation.atom(activation.half) == pytest.approx(0.5, abs=1e-15)
    assert activation.atom(activation.half + activation.above_half(0.9)) == pytest.approx(0.9, abs=1e-15)
    assert activation.crisp == (1.0 if name == "sigmoid" else pytest.approx(1.0 / (1.0 + np.exp(-2.0)), abs=1e-15))


@pytest.mark.parametrize("name", LOSSES)
def test_loss_slopes(name: str) -> None:
    output, target = np.array([0.1, 0.4, 0.9, 0.6]), np.array([0.0, 1.0, 1.0, 0.3])
    loss = LOSSES[name]
    expected = (loss.value(output + STEP, target) - loss.value(output - STEP, target)) / (2.0 * STEP)
    assert loss.slope(output, target) == pytest.approx(expected, rel=1e-7)
    targets = np.array([loss.least * 1.1 - 0.1, loss.least, loss.largest, loss.largest * 1.1])
    assert loss.refuses(targets).tolist() == [True, False, False, True]
    assert np.isfinite(loss.value(0.5, targets[1:3])).all()


def test_log_loss_of_sums() -> None:
    """The log loss of sigm(x) at x = ln 3, of sigm = 3/4: -ln(3/4) and -ln(1/4); and far out, where sigm is 0 or 1."""
    found = log_of_sums(np.array([np.log(3.0), np.log(3.0), 800.0, -800.0]), np.array([1.0, 0.0, 0.0, 0.0]))
    assert found == pytest.approx([0.2876820724517809, 1.3862943611198906, 800.0, 0.0], abs=1e-14)


# Aggregations

EXPECTED = {"mean": 2.5 / 5, "sqrt": 2.5 / np.sqrt(5.0), "max": 0.8, "sum": 2.5}
SLOPES = {"mean": [0.2] * 5, "sqrt": [1.0 / np.sqrt(5.0)] * 5, "max": [0.0, 1.0, 0.0, 0.0, 0.0], "sum": [1.0] * 5}
TIMES = {"mean": None, "sqrt": 16.0, "max": None, "sum": 4.0}
"""How many equal groundings are aggregated to four times one of them."""


def test_every_aggregation_has_expected_values() -> None:
    assert set(EXPECTED) == set(SLOPES) == set(TIMES) == set(AGGREGATIONS)


@pytest.mark.parametrize("name", AGGREGATIONS)
def test_aggregations(name: str) -> None:
    """Values and slopes by hand; the slope of the largest belongs to the first of those that are equal."""
    aggregation = AGGREGATIONS[name]
    assert aggregation.value(VALUES) == pytest.approx(EXPECTED[name], abs=1e-15)
    assert aggregation.slopes(VALUES, 1.0) == pytest.approx(SLOPES[name], abs=1e-15)
    assert aggregation.slopes(VALUES, -2.0) == pytest.approx(-2.0 * np.array(SLOPES[name]), abs=1e-15)
    times = TIMES[name]
    if times is None:
        assert aggregation.groundings is None
        assert aggregation.value(np.full(16, 0.3)) == pytest.approx(0.3, abs=1e-15)
    else:
        assert aggregation.groundings is not None
        assert aggregation.groundings(4.0) == times
        assert aggregation.value(np.full(int(times), 0.3)) == pytest.approx(1.2, abs=1e-15)


@pytest.mark.parametrize("name", AGGREGATIONS)
def test_slopes_of_aggregations(name: str) -> None:
    """Central differences, where no two groundings are equal."""
    aggregation, values = AGGREGATIONS[name], np.array([0.3, 0.7, 0.1, 0.8, 0.5])
    moved = np.eye(5) * STEP
    expected = [(aggregation.value(values + m) - aggregation.value(values - m)) / (2.0 * STEP) for m in moved]
    assert aggregation.slopes(values, 1.0) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", AGGREGATIONS)
def test_counted_groundings(name: str) -> None:
    """Three atoms over four tuples, one without groundings; two columns, in the second of which tuples are missing.

    Equal groundings that are counted are aggregated as if each stood there, also after counts are reduced.
    """
    aggregation = AGGREGATIONS[name]
    counts = np.array([[2, 0, 4, 0], [0, 0, 0, 0], [3, 1, 0, 5]])
    values = np.array([[0.3, 0.2], [0.9, 0.6], [0.5, 0.7], [0.4, 0.1]])
    kept = np.array([[True, True], [True, False], [True, False], [True, True]])

    def expected(row: np.ndarray, column: int, there: np.ndarray) -> float:
        found = np.repeat(values[:, column], row * there)
        return aggregation.value(found) if len(found) else 0.0

    matrix = csr_array(counts)
    found, found_kept = aggregation.columns(matrix, values), aggregation.columns(matrix, values, kept)
    for atom, row in enumerate(counts):
        for column in (0, 1):
            every = np.ones(4, int)
            assert found[atom, column] == pytest.approx(expected(row, column, every), abs=1e-15)
            there = kept[:, column].astype(int)
            assert found_kept[atom, column] == pytest.approx(expected(row, column, there), abs=1e-15)
    assert aggregation.work(matrix) >= 4
    start = np.array([0, 2])
    reduced = aggregation.reduced(matrix.data, start)
    for entries in (slice(0, 2), slice(2, 5)):
        tuples = matrix.indices[entries]
        whole, fewer = (np.repeat(values[tuples, 0], count[entries]) for count in (matrix.data, reduced))
        assert aggregation.value(fewer) == pytest.approx(aggregation.value(whole), abs=1e-15)


@pytest.mark.parametrize("name", AGGREGATIONS)
def test_segments(name: str) -> None:
    aggregation = AGGREGATIONS[name]
    start = np.array([0, 1, 4])
    parts = np.split(VALUES, start[1:])
    if isinstance(aggregation, Selecting):
        assert aggregation.segments(VALUES, start).tolist() == [aggregation.value(part) for part in parts]
        slopes = np.concatenate([aggregation.slopes(part, 1.0) for part in parts])
        assert aggregation.segment_slopes(VALUES, start).tolist() == slopes.tolist()
        assert not len(aggregation.segments(np.zeros(0), np.zeros(0, int)))
    else:
        share = aggregation.share(np.array([2, 3]), np.array([5, 5]))
        assert share @ np.array([0.5, 0.25]) == pytest.approx(
            aggregation.value(np.repeat([0.5, 0.25], [2, 3])), abs=1e-15
        )


# What is made from the tables


@pytest.mark.parametrize(
    ("options", "name", "table"),
    [
        (ModelSettings, "activation", ACTIVATIONS),
        (ModelSettings, "aggregation", AGGREGATIONS),
        (StructureOptions, "aggregation", AGGREGATIONS),
        (StructureOptions, "loss", LOSSES),
        (TrainingOptions, "loss", LOSSES),
    ],
)
def test_choices_of_options(options: type, name: str, table: dict[str, Any]) -> None:
    (field,) = [field for field in fields(options) if field.name == name]
    assert list(field.metadata["choices"]) == list(table)


def test_losses_of_kinds_of_targets() -> None:
    """A loss says itself which kinds of targets it is for, and these take it from the table."""
    for name, kind in KINDS.items():
        table = CLASS_LOSSES if kind.grouped else LOSSES
        assert kind.losses == {own: loss for own, loss in table.items() if name in loss.kinds}
    assert all(loss.kinds for loss in ALL_LOSSES)


def test_compiled_functions() -> None:
    """Every entry that is compiled gives what the plain one gives."""
    kernels = pytest.importorskip("lrnn_cli.training.kernels", exc_type=ImportError)
    numba = pytest.importorskip("numba", exc_type=ImportError)

    def called(function: Any) -> Any:
        """A compiled function that is a part of others, from outside."""
        return numba.njit(lambda *arguments: function(*arguments))

    loss_value, loss_slope = called(kernels.loss_value), called(kernels.loss_slope)
    for number, loss in enumerate(LOSSES.values()):
        for output in (0.0, 0.2, 1.0):
            for compiled, plain in ((loss_value, loss.value), (loss_slope, loss.slope)):
                assert compiled(number, output, 1.0) == pytest.approx(plain(output, 1.0), rel=1e-13)
    squashed, slope = called(kernels.squashed), called(kernels.squashed_slope)
    for number, squashing in enumerate(SQUASHINGS):
        for x in (-900.0, -0.7, 0.0, 2.0):
            with np.errstate(over="ignore"):
                assert squashed(number, x) == pytest.approx(squashing.value(x), rel=1e-13)
        assert slope(number, 0.3, 2.0) == pytest.approx(squashing.slope(0.3, 2.0), rel=1e-13)
    choice = called(kernels.choice_of)
    for number, aggregation in enumerate(SELECTING):
        for pair in ((0.3, 0.7), (0.7, 0.3), (0.5, 0.5)):
            assert choice(number, *pair) == aggregation.value(np.array(pair))

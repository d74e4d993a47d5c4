"""Pre-training of layer 1: what is counted, its gradients, and that it tells combinations apart."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from lrnn_cli.commands import cli
from lrnn_cli.grounding.joins.relations import Relations
from lrnn_cli.grounding.tables import SoftFacts, Table
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.template import Settings
from lrnn_cli.semantics.activations import Activation
from lrnn_cli.structure.pretraining import Meetings, Relational, loss_and_gradients, meetings, pretrain

BOND = Predicate("bond", 2)
UNARY = [Predicate("c", 1), Predicate("h", 1), Predicate("o", 1)]
PAPER = Activation.of(Settings())
TRAINS = Path(__file__).resolve().parents[1] / "datasets" / "trains" / "trains.pl"


def table(*rows: tuple[int, ...]) -> Table:
    return Table(np.zeros(len(rows), np.int32), np.array(rows, np.int32))


def relations(tables: dict[Predicate, Table], soft: dict[Predicate, SoftFacts] | None = None) -> Relations:
    return Relations(tables, soft or {}, {}, 4, True)


TABLES = {
    BOND: table((0, 1), (0, 2), (0, 3), (3, 2)),
    UNARY[0]: table((0,)),
    UNARY[1]: table((1,), (2,)),
    UNARY[2]: table((3,)),
}


def test_counts_of_combinations() -> None:
    """c-h twice, c-o once, o-h once, o-o never: the mean is 1, so c-h alone is positive, and o-o is as far from it."""
    found = meetings(BOND, relations(TABLES), UNARY, PAPER)
    assert found is not None
    names = [tuple(UNARY[row].name for row in column) for column in found.predicate.T.tolist()]
    assert names == [("c", "h"), ("c", "o"), ("o", "h"), ("o", "o")]
    assert found.target.tolist() == [1.0, 0.0, 0.0, 0.0]
    assert found.weight.tolist() == [2.0, 0.0, 0.0, 2.0]


def test_weights_count_in_meetings() -> None:
    """A bond of weight 0.5, where sigm is 1/2, counts 0.5 / sigm(3) for c-h; so do 0.2 and 0.3."""
    half = 0.5 * (1.0 + math.exp(-3.0))
    for weights in ([0.5], [0.2, 0.3]):
        bond = SoftFacts(table(*[(0, 1)] * len(weights)), np.array(weights))
        found = meetings(BOND, relations(TABLES, {BOND: bond}), UNARY, PAPER)
        assert found is not None
        counts = [1.0 + half, 1.0, 1.0, 0.0]
        distance = [abs(count - sum(counts) / 4) for count in counts]
        assert found.weight == pytest.approx([4 * item / sum(distance) for item in distance], abs=1e-12)


def test_nothing_to_tell_apart() -> None:
    """One combination alone, or all equally frequent."""
    single = {BOND: table((0, 1)), UNARY[0]: table((0,), (1,))}
    assert meetings(BOND, relations(single), UNARY[:1], PAPER) is None
    equal = {BOND: table((0, 1), (1, 0), (0, 0), (1, 1)), UNARY[0]: table((0,)), UNARY[1]: table((1,))}
    assert meetings(BOND, relations(equal), UNARY[:2], PAPER) is None


def test_gradients_against_differences() -> None:
    """Every weight of layer 1, rules and bias, by central differences."""
    random = np.random.default_rng(1)
    found = Meetings(np.array([[0, 0, 1, 2], [1, 2, 2, 0]]), np.array([1.0, 0.0, 1.0, 0.0]), random.uniform(size=4))
    layer1 = random.normal(size=(2, 3))
    rules = random.normal(size=4)

    def loss(layer1: np.ndarray, rules: np.ndarray, bias: float) -> float:
        return loss_and_gradients(layer1, Relational(found, rules, bias), PAPER)[0]

    _, d_layer1, d_rules, d_bias = loss_and_gradients(layer1, Relational(found, rules, 0.2), PAPER)
    step = 1e-6
    for place in np.ndindex(layer1.shape):
        shift = np.zeros_like(layer1)
        shift[place] = step
        expected = (loss(layer1 + shift, rules, 0.2) - loss(layer1 - shift, rules, 0.2)) / (2 * step)
        assert d_layer1[place] == pytest.approx(expected, abs=1e-8)
    for rule in range(4):
        shift = np.zeros(4)
        shift[rule] = step
        expected = (loss(layer1, rules + shift, 0.2) - loss(layer1, rules - shift, 0.2)) / (2 * step)
        assert d_rules[rule] == pytest.approx(expected, abs=1e-8)
    expected = (loss(layer1, rules, 0.2 + step) - loss(layer1, rules, 0.2 - step)) / (2 * step)
    assert d_bias == pytest.approx(expected, abs=1e-8)


def test_the_loss_is_that_of_a_network() -> None:
    """One argument, one cluster: sigm(6 (w R - 0.5)) with R of a body of two atoms, worked out by hand."""
    found = Meetings(np.array([[0, 1]]), np.array([1.0, 0.0]), np.array([1.0, 1.0]))
    layer1 = np.array([[0.8, -0.3]])

    def sigm(x: float) -> float:
        return float(1.0 / (1.0 + np.exp(-x)))

    crisp = sigm(6 * (1.0 - 0.5))
    expected = 0.0
    for weight, target in zip(layer1[0], found.target, strict=True):
        latent = sigm(6 * (weight * sigm(6 * (crisp - 1 + 1 - 0.5)) - 0.5))
        rule = sigm(6 * (crisp + latent - 2 + 1 - 0.5))
        expected += (sigm(6 * (1.5 * rule + 0.1 - 0.5)) - target) ** 2 / 2
    assert loss_and_gradients(layer1, Relational(found, np.array([1.5]), 0.1), PAPER)[0] == pytest.approx(expected)


def test_pretraining_lowers_the_loss() -> None:
    random = np.random.default_rng(2)
    start = random.normal(0.0, 0.5, (3, 3))
    trained, losses = pretrain(start, [BOND], relations(TABLES), UNARY, PAPER, random)
    assert losses[-1] < 0.2 * losses[0]
    assert (trained != start).any()


def test_the_option_changes_the_start(tmp_path: Path) -> None:
    """Models with and without pre-training differ; each is the same when learned again."""
    texts = []
    for name, more in (("plain", []), ("first", ["--pretrain"]), ("again", ["--pretrain"])):
        options = ["--iterations", "1", "--conjunctions", "0", "--quiet", *more]
        arguments = ["learn-structure", str(TRAINS), "-o", str(tmp_path / name), *options]
        assert CliRunner().invoke(cli, arguments, catch_exceptions=False).exit_code == 0
        texts.append((tmp_path / name).read_text())
    assert texts[0] != texts[1] == texts[2]

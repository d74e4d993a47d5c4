"""Targets that are numbers: what networks compute, how weights and rules are learned, and what commands say of it."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import naive
import numpy as np
import pytest
from conftest import Folder
from hypothesis import assume, given
from hypothesis import strategies as st
from naive import Program
from test_compiled import close, queries_by_example, weights_in_training
from test_semantics import DEEP, difference, expected_outputs, grounded, network_outputs, programs, tried, weights_of

from lrnn_cli.evaluation.metrics import evaluate_outputs
from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder
from lrnn_cli.grounding.groundings import load_groundings, save_groundings
from lrnn_cli.grounding.session import GroundingSession
from lrnn_cli.language.template import Settings
from lrnn_cli.network.network import compile_network
from lrnn_cli.semantics.activations import ACTIVATIONS, Activation
from lrnn_cli.semantics.aggregations import AGGREGATIONS
from lrnn_cli.semantics.losses import LOSSES
from lrnn_cli.semantics.targets import NORMAL, REGRESSION, quantiles
from lrnn_cli.simplification.removal import Removal
from lrnn_cli.structure.scoring import fit
from lrnn_cli.training.compiled import CompiledSteps
from lrnn_cli.training.steps import NumpySteps

QUICK = ("--iterations", "3", "--length", "4", "--conjunctions", "60")
NUMBERS = replace(DEEP, task="regression", center=2.5, scale=1.5)


@pytest.fixture(scope="module")
def grounder() -> Iterator[GroundingSession]:
    with open_grounder("swi", GrounderOptions()) as opened:
        yield opened


def huber(distance: float) -> float:
    return distance**2 if abs(distance) <= 1.0 else 2.0 * abs(distance) - 1.0


def planted(count: int, seed: int) -> str:
    """Examples with a number: 3, plus 2 if there is a red object, minus 4 if a round one touches a square one."""
    source = random.Random(seed)
    blocks = []
    for name in range(count):
        colours = [source.choice(("red", "blue")) if source.random() < 0.3 else "blue" for _ in range(4)]
        forms = [source.choice(("round", "square", "flat")) for _ in range(4)]
        touching = source.sample([(one, two) for one in range(4) for two in range(4) if one != two], 3)
        things = list(zip(colours, forms, strict=True))
        number = 3.0 + 2.0 * ("red" in colours)
        number -= 4.0 * any((forms[one], forms[two]) == ("round", "square") for one, two in touching)
        lines = [f"{colour}(o{place}). {form}(o{place})." for place, (colour, form) in enumerate(things)]
        lines += [f"touches(o{one}, o{two})." for one, two in touching]
        blocks.append(
            f"begin(model(e{name})).\n" + "\n".join(lines) + f"\nquery(size, {number}).\nend(model(e{name})).\n"
        )
    return "".join(blocks)


# What is computed


@tried(60)
@given(program=programs())
def test_outputs_of_random_programs(grounder: GroundingSession, program: Program) -> None:
    """A network with numbers is what the naive interpreter says: sums of the atoms that are asked for, in units."""
    program = replace(program, task="regression", center=-3.0, scale=0.25)
    expected = expected_outputs(program)
    assume(expected is not None)
    groundings = grounded(grounder, program.template_text(), program.data_text())
    network = compile_network(groundings)
    found = network.in_units(network_outputs(network, weights_of(groundings)))
    assert found.tolist() == pytest.approx(expected, rel=1e-9, abs=1e-9)
    raw = compile_network(groundings, compress=False)
    assert raw.in_units(network_outputs(raw, weights_of(groundings))).tolist() == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("family", ACTIVATIONS)
@pytest.mark.parametrize("aggregation", AGGREGATIONS)
@pytest.mark.parametrize("loss", REGRESSION.losses)
def test_gradients(grounder: GroundingSession, family: str, aggregation: str, loss: str) -> None:
    """Against central differences of the naive interpreter, in standard deviations; compiled steps agree."""
    program = replace(NUMBERS, family=family, aggregation=aggregation)
    groundings = grounded(grounder, program.template_text(), program.data_text())
    ground = naive.ground(program)
    targets = [target for example in program.examples for _, target in example.queries]

    def mean_loss(weights: list[float]) -> float:
        pairs = zip(ground.outputs(weights), targets, strict=True)
        distances = [(output - target) / program.scale for output, target in pairs]
        return sum(huber(d) if loss == "huber" else d**2 for d in distances) / len(distances)

    expected = [difference(mean_loss, program.weights, index, 1e-3) for index in range(len(program.rules))]
    network, weights = compile_network(groundings), weights_of(groundings)
    queries_of = queries_by_example(network)
    numpy_steps = NumpySteps(network, LOSSES[loss], queries_of, False)
    compiled = CompiledSteps(network, LOSSES[loss], queries_of)
    found_loss, gradient = numpy_steps.loss_and_gradient(weights)
    assert found_loss == pytest.approx(mean_loss(program.weights), rel=1e-9)
    assert gradient.tolist() == pytest.approx(expected, rel=1e-6, abs=1e-6)
    assert close(compiled.loss_and_gradient(weights)[1], gradient)
    one, other = weights_in_training(weights, "adam"), weights_in_training(weights, "adam")
    numpy_steps.run(one, np.arange(len(queries_of)), 1)
    compiled.run(other, np.arange(len(queries_of)), 1)
    assert close(other.values, one.values)


@tried(30)
@given(program=programs(), source=st.randoms(use_true_random=False))
def test_networks_without_rules(grounder: GroundingSession, program: Program, source: random.Random) -> None:
    """Simplification weighs rules by what the naive interpreter says without them."""
    program = replace(program, task="regression")
    groundings = grounded(grounder, program.template_text(), program.data_text())
    weights = weights_of(groundings)
    assume(expected_outputs(program) is not None)
    gone = source.randrange(len(program.rules))
    smaller = replace(program, rules=tuple(rule for place, rule in enumerate(program.rules) if place != gone))
    assume(smaller.rules and expected_outputs(smaller) is not None)
    removal = Removal(compile_network(groundings), groundings.program, weights)
    assert removal.outputs([gone]).tolist() == pytest.approx(expected_outputs(smaller), rel=1e-9, abs=1e-9)


def test_grounding_files(grounder: GroundingSession, tmp_path: Path) -> None:
    """They say what targets are; those of yes and no mention none of it, so they are what they were."""
    for program in (NUMBERS, DEEP):
        groundings = grounded(grounder, program.template_text(), program.data_text())
        path = tmp_path / "grounding.npz"
        save_groundings(groundings, str(path))
        assert load_groundings(str(path)).template.settings == groundings.template.settings
        with np.load(path) as arrays:
            assert (b'"task"' in arrays["header"].tobytes()) == (program is NUMBERS)


# The search


def test_gains_are_those_of_least_squares() -> None:
    """The score test of a column promises the gain of the log likelihood to first order; the refit has all of it.

    With a constant column, targets 0, 0, 2, 2, 6 and a column 0, 0, 1, 1, 1: means 0 and 10/3, so squares go from
    44 - 20 = 24 to 32/3, and the log likelihood of 5 queries grows by 5/2 log(24 / (32/3)).
    """
    target, column = np.array([0.0, 0.0, 2.0, 2.0, 6.0]), np.array([0.0, 0.0, 1.0, 1.0, 1.0])
    linear = REGRESSION.activation(Activation.of(Settings()))
    regression = fit(np.ones((5, 1)), target, np.zeros(1), linear, likelihood=NORMAL)
    assert regression.weights.tolist() == pytest.approx([2.0], abs=1e-3)
    gain = regression.loss - regression.with_column(column).loss
    assert 5 * gain == pytest.approx(2.5 * math.log(24.0 / (32.0 / 3.0)), abs=1e-2)
    explained = (24.0 - 32.0 / 3.0) / 24.0
    assert regression.promised_gains(column[:, None])[0] == pytest.approx(explained / 2.0, abs=1e-3)


# Metrics and folds


def test_metrics_by_hand() -> None:
    """Errors 1, -1, 0, 2: squares 1, 1, 0, 4; targets 1, 2, 3, 6 have the mean 3 and squares 4, 1, 0, 9 around it."""
    metrics = evaluate_outputs(np.array([2.0, 1.0, 3.0, 8.0]), np.array([1.0, 2.0, 3.0, 6.0]), REGRESSION)
    assert metrics.values == pytest.approx(
        {
            "rmse": math.sqrt(1.5),
            "mae": 1.0,
            "r2": 1.0 - 6.0 / 14.0,
            "rank_correlation": 0.8,
            "squared_loss": 1.5,
            "queries": 4,
            "mean": 3.0,
            "deviation": math.sqrt(3.5),
        }
    )
    # Squares have the deviation sqrt(3); 1.96 sqrt(3) / 2 around their mean.
    half = 1.959964 * math.sqrt(3.0) / 2.0
    assert metrics.intervals["rmse"] == pytest.approx((0.0, math.sqrt(1.5 + half)), abs=1e-5)
    assert metrics.intervals["r2"] == pytest.approx((1.0 - (1.5 + half) / 3.5, 1.0), abs=1e-5)
    # atanh(0.8) = 1.098612, and 1.959964 sqrt(1.32 / 1) = 2.251844.
    assert metrics.intervals["rank_correlation"] == pytest.approx((math.tanh(-1.153232), math.tanh(3.350456)), abs=1e-5)


def test_undefined_metrics() -> None:
    metrics = evaluate_outputs(np.array([2.0, 2.0]), np.array([5.0, 5.0]), REGRESSION)
    assert metrics.values["r2"] is None and metrics.values["rank_correlation"] is None
    assert set(metrics.reasons) == {"r2", "rank_correlation"}
    assert metrics.values["rmse"] == 3.0


def test_quantiles() -> None:
    assert quantiles(np.array([3.0, 1.0, 3.0])).tolist() == [1.0, 0.0, 1.0]
    levels = quantiles(np.arange(20.0)[::-1])
    assert levels.tolist() == [4.0] * 4 + [3.0] * 4 + [2.0] * 4 + [1.0] * 4 + [0.0] * 4


def test_folds_have_their_share_of_each_fifth(folder: Folder) -> None:
    """20 examples with the numbers 1 to 20 in 4 folds: each has one of each fifth."""
    blocks = "".join(f"begin(model(e{n})). a(x). query(size, {n}). end(model(e{n})).\n" for n in range(1, 21))
    folder.write({"data.pl": blocks, "model.pl": "setting(task, regression).\n1.0 :: size :- a(X).\n"})
    for fold in range(1, 5):
        options = ["--folds", "4", "--fold", str(fold), "--no-group-duplicates"]
        outcome = folder.run("predict", "model.pl", "data.pl", *options)
        numbers = [float(line.split("\t")[2]) for line in outcome.stdout.splitlines()[1:]]
        assert sorted((number - 1) // 4 for number in numbers) == [0.0, 1.0, 2.0, 3.0, 4.0]


# Commands


def test_training_a_template(folder: Folder) -> None:
    """Two weights and a bias for the planted numbers: the template finds them, in units far from 0."""
    template = "_ :: size.\n_ :: size :- red(X).\n_ :: size :- touches(X, Y), round(X), square(Y).\n"
    settings = "setting(aggregation, max).\n"
    folder.write({"data.pl": planted(80, 1), "template.pl": settings + template})
    assert folder.run("ground", "template.pl", "data.pl", "-o", "g.npz").code == 0
    assert folder.run("train", "g.npz", "--epochs", "600", "-o", "model.pl").code == 0
    model = folder.read("model.pl")
    assert "setting(task, regression)." in model and "setting(center, " in model and "setting(scale, " in model
    metrics = json.loads(folder.run("evaluate", "model.pl", "data.pl", "--json").stdout)
    assert metrics["r2"] > 0.999 and "accuracy" not in metrics
    assert folder.run("train", "g.npz", "--loss", "log", "-o", "other.pl").code == 1


def test_huber_counts_outliers_less(folder: Folder) -> None:
    """One number of 1000 among 40: the squared loss follows it, Huber's does not."""
    blocks = [f"begin(model(e{n})). a(x). query(size, {n % 2}). end(model(e{n})).\n" for n in range(40)]
    blocks.append("begin(model(out)). a(x). query(size, 1000). end(model(out)).\n")
    folder.write({"data.pl": "".join(blocks), "template.pl": "_ :: size :- a(X).\n"})
    folder.run("ground", "template.pl", "data.pl", "-o", "g.npz")
    said = {}
    for loss in ("squared", "huber"):
        folder.run("train", "g.npz", "--loss", loss, "--epochs", "800", "-o", "model.pl")
        said[loss] = float(folder.run("predict", "model.pl", "data.pl").stdout.splitlines()[1].split("\t")[3])
    assert said["squared"] == pytest.approx(1020 / 41, rel=0.05)
    assert said["huber"] < said["squared"] / 2


@pytest.mark.usefixtures("two_parts")
def test_learning_the_planted_rules(folder: Folder) -> None:
    """Rules, weights and conjunctions; a model file says all that predicting takes."""
    folder.write({"data.pl": planted(150, 2), "new.pl": planted(60, 3)})
    outcome = folder.run("learn-structure", "data.pl", *QUICK, "-o", "model.pl")
    assert outcome.code == 0, outcome.stderr
    assert "size/0: expected R2 on new data" in folder.read("model.pl")
    metrics = json.loads(folder.run("evaluate", "model.pl", "new.pl", "--json").stdout)
    assert metrics["r2"] > 0.95
    table = folder.run("evaluate", "model.pl", "new.pl").stdout
    assert table.splitlines()[1].startswith("rmse") and "accuracy" not in table
    rows = folder.run("predict", "model.pl", "new.pl").stdout.splitlines()
    assert rows[0] == "example\tatom\ttarget\tvalue"
    values = [float(row.split("\t")[3]) for row in rows[1:]]
    text = folder.run("explain", "model.pl", "new.pl", "--example", "e0").stdout
    assert f"output {values[0]:.4f}" in text and f"size {values[0]:.4f} = " in text
    assert f"output {values[0]:.4f}" in folder.run("draw", "model.pl", "new.pl", "--example", "e0").stdout
    smaller = folder.run("simplify", "model.pl", "data.pl", "-o", "smaller.pl")
    assert smaller.code == 0, smaller.stderr
    assert len(folder.read("smaller.pl").splitlines()) < len(folder.read("model.pl").splitlines())
    kept = json.loads(folder.run("evaluate", "smaller.pl", "data.pl", "--json").stdout)
    assert kept["r2"] > 0.95


def test_ensembles_in_units(folder: Folder) -> None:
    """The mean of members, each in its own units."""
    members = "".join(
        f"begin(model({n})).\nsetting(task, regression).\nsetting(center, {n}.0).\nsetting(scale, 2.0).\n"
        f"fixed(1.0) :: size.\nend(model({n})).\n"
        for n in (1, 2)
    )
    folder.write({"model.pl": members, "data.pl": "begin(model(e)). query(size, 7). end(model(e))."})
    assert folder.run("predict", "model.pl", "data.pl").stdout.splitlines()[1] == "e\tsize\t7.0\t3.5"


@pytest.mark.usefixtures("two_parts")
def test_numbers_from_0_to_1(folder: Folder) -> None:
    """They are yes and no unless --task says otherwise; the folds of a crossvalidation keep what they are."""
    blocks = [
        f"begin(model(e{n})). {'a' if n % 2 else 'b'}(x). query(share, {0.2 + n % 2 * 0.5}). end(model(e{n})).\n"
        for n in range(40)
    ]
    folder.write({"data.pl": "".join(blocks)})
    options = ["--folds", "2", "--no-group-duplicates", "--fold"]
    assert folder.run("learn-structure", "data.pl", "--task", "regression", *options, "1", "-o", "model.pl").code == 0
    assert "setting(task, regression)." in folder.read("model.pl")
    folds = [f"results/data/lrnn/fold{fold}" for fold in (1, 2)]
    for fold, place in enumerate(folds, 1):
        (folder.path / place).mkdir(parents=True)
        folder.run("predict", "model.pl", "data.pl", *options, str(fold), "-o", f"{place}/predictions.tsv")
    summary = json.loads(folder.run("summarise", *folds, "--json").stdout)
    assert summary["task"] == "regression" and summary["pooled"]["r2"] > 0.99
    assert "rmse" in folder.run("summarise", *folds).stdout
    report = folder.run("report", "results", "--format", "html", "-o", "report.html")
    assert report.code == 0 and "of numbers RMSE" in folder.read("report.html")


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        ("query(a, 3). query(b, 4).", [], "numbers are learned for one target at a time, and there are a/0, b/0"),
        ("query(a, 3).", ["--task", "binary"], "with --task binary targets are from 0 to 1, but 2 of 2 are not"),
        ("query(a, 1e200).", [], "so large that their squares are infinite"),
        ("query(a, 3).", ["--loss", "log"], "the log loss is not for targets that are numbers"),
    ],
)
def test_faults(folder: Folder, data: str, options: list[str], message: str) -> None:
    blocks = "".join(f"begin(model(e{n})). p{n}(x). q(x). {data} end(model(e{n})).\n" for n in range(2))
    folder.write({"data.pl": blocks.replace("3)", "3)", 1).replace("query(a, 3)", "query(a, 5)", 1)})
    outcome = folder.run("learn-structure", "data.pl", *options, "-o", "model.pl")
    assert outcome.code == 1 and message in outcome.stderr
    assert not (folder.path / "model.pl").exists()


def test_baselines(folder: Folder) -> None:
    """The forest predicts numbers; nFOIL says that it can't."""
    folder.write({"data.pl": planted(60, 4)})
    folds = ["--folds", "3", "--fold", "1"]
    outcome = folder.run("baseline", "forest", "data.pl", *folds, "--metrics", "metrics.json")
    assert outcome.stdout.startswith("example\tatom\ttarget\tvalue\n")
    assert json.loads(folder.read("metrics.json"))["r2"] > 0.3
    refused = folder.run("baseline", "nfoil", "data.pl", *folds, "-o", "model.pl")
    assert refused.code == 1 and "`lrnn baseline forest`" in refused.stderr


def test_regressor() -> None:
    from lrnn_cli.sklearn import LrnnRegressor

    X = ["a(x).", "b(x)."] * 20
    y = [10.0, 20.0] * 20
    assert LrnnRegressor().fit(X, y).predict(X[:2]).tolist() == pytest.approx([10.0, 20.0], abs=0.5)


@pytest.mark.filterwarnings("error")
def test_a_scale_that_is_tiny_beside_targets(folder: Folder) -> None:
    """Targets in its units are infinite; NumPy has nothing to say to users about that."""
    folder.write({"m.pl": "setting(task, regression). setting(scale, 1.0e-320).\n1.0 :: p :- q(a).\n"})
    folder.write({"d.pl": "q(a). query(p, 1.0).\n"})
    assert folder.run("predict", "m.pl", "d.pl").code == 0

"""Targets that are classes: what networks compute, how weights and rules are learned, and what commands say of it."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import naive
import numpy as np
import pytest
from conftest import Folder
from naive import Atom, Clause, Example, Program, Rule, Variable
from test_compiled import close, queries_by_example, weights_in_training
from test_semantics import DEEP, difference, grounded, network_outputs, weights_of

from lrnn_cli.evaluation.metrics import evaluate_outputs
from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder
from lrnn_cli.grounding.groundings import load_groundings, save_groundings
from lrnn_cli.grounding.session import GroundingSession
from lrnn_cli.network.network import compile_network
from lrnn_cli.semantics.activations import ACTIVATIONS
from lrnn_cli.semantics.aggregations import AGGREGATIONS
from lrnn_cli.semantics.losses import CLASS_LOSSES
from lrnn_cli.semantics.targets import CLASSES
from lrnn_cli.training.compiled import CompiledSteps
from lrnn_cli.training.steps import NumpySteps

X, Y = Variable("X"), Variable("Y")
QUICK = ("--iterations", "3", "--length", "4", "--conjunctions", "60")
WORDS = ("blue", "green", "red")
HEADS = tuple(Atom("colour", (word,)) for word in WORDS)
RULES = (
    *DEEP.rules[:5],
    Rule(0.5, Clause(HEADS[1], (Atom("path", (X, Y)),))),
    Rule(-0.3, Clause(HEADS[1], (Atom("near", (X,)),))),
    Rule(0.4, Clause(HEADS[0])),
    Rule(0.7, Clause(HEADS[2], (Atom("far", (X,)),))),
)
RIGHT = (1, 0)
"""The places of the classes of the examples."""
PROGRAM = replace(
    DEEP,
    rules=RULES,
    examples=tuple(
        Example(example.name, example.facts, tuple((head, float(place == right)) for place, head in enumerate(HEADS)))
        for example, right in zip(DEEP.examples, RIGHT, strict=True)
    ),
    task="classes",
)
"""Three classes over the latent predicates of a deep program; naively, sums of three atoms for each query."""


def data_text(program: Program) -> str:
    """The data of the program as a user writes them: one query, with a word as its target."""
    text = program.data_text()
    for head, _ in program.examples[0].queries:
        text = text.replace(f"query({head}, 1.0).", f"query(colour, {head.arguments[0]}).")
        text = text.replace(f"query({head}, 0.0).\n", "")
    return text


def softmax(sums: Sequence[float]) -> list[float]:
    raised = [math.exp(value - max(sums)) for value in sums]
    return [value / sum(raised) for value in raised]


def naive_outputs(program: Program, weights: list[float] | None = None) -> list[float]:
    sums = naive.ground(program).outputs(weights)
    steepness = program.steepness if program.family == "lukasiewicz" else 1.0
    groups = (sums[start : start + 3] for start in range(0, len(sums), 3))
    return [output for group in groups for output in softmax([steepness * value for value in group])]


@pytest.fixture(scope="module")
def grounder() -> Iterator[GroundingSession]:
    with open_grounder("swi", GrounderOptions()) as opened:
        yield opened


def trains(count: int, seed: int) -> str:
    """Trains that go north if a car is red, else south if a long car carries coal, else nowhere."""
    source = random.Random(seed)
    blocks = []
    for name in range(count):
        cars = [
            (
                source.choice(("red", "grey", "grey", "grey")),
                source.choice(("long", "short")),
                source.choice(("coal", "ore")),
            )
            for _ in range(3)
        ]
        goes = "south" if any(car[1:] == ("long", "coal") for car in cars) else "nowhere"
        goes = "north" if any(car[0] == "red" for car in cars) else goes
        facts = [f"{word}(c{place})." for place, car in enumerate(cars) for word in car]
        block = f"model(t{name})"
        blocks.append("\n".join([f"begin({block}).", *facts, f"query(goes, {goes}).", f"end({block}).\n"]))
    return "".join(blocks)


# What is computed


@pytest.mark.parametrize("family", ACTIVATIONS)
@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_outputs(grounder: GroundingSession, family: str, aggregation: str) -> None:
    """A network gives the softmax of what the naive interpreter says of the atom of each class."""
    program = replace(PROGRAM, family=family, aggregation=aggregation)
    groundings = grounded(grounder, program.template_text(), data_text(program))
    assert groundings.queries.text == ("colour(blue)", "colour(green)", "colour(red)") * 2
    for compress in (True, False):
        found = network_outputs(compile_network(groundings, compress), weights_of(groundings))
        assert found.tolist() == pytest.approx(naive_outputs(program), rel=1e-9)


@pytest.mark.parametrize("family", ACTIVATIONS)
@pytest.mark.parametrize("aggregation", AGGREGATIONS)
@pytest.mark.parametrize("loss", CLASS_LOSSES)
def test_gradients(grounder: GroundingSession, family: str, aggregation: str, loss: str) -> None:
    """Against central differences of the naive interpreter; compiled steps agree."""
    program = replace(PROGRAM, family=family, aggregation=aggregation)
    groundings = grounded(grounder, program.template_text(), data_text(program))
    targets = [target for example in program.examples for _, target in example.queries]

    def mean_loss(weights: list[float]) -> float:
        pairs = list(zip(naive_outputs(program, weights), targets, strict=True))
        if loss == "log":
            return -sum(math.log(output) for output, target in pairs if target) / 2
        return sum((output - target) ** 2 for output, target in pairs) / 2

    expected = [difference(mean_loss, program.weights, index, 1e-3) for index in range(len(program.rules))]
    network, weights = compile_network(groundings), weights_of(groundings)
    queries_of = queries_by_example(network)
    numpy_steps = NumpySteps(network, CLASS_LOSSES[loss], queries_of, False)
    compiled = CompiledSteps(network, CLASS_LOSSES[loss], queries_of)
    found_loss, gradient = numpy_steps.loss_and_gradient(weights)
    assert found_loss == pytest.approx(mean_loss(program.weights), rel=1e-9)
    assert gradient.tolist() == pytest.approx(expected, rel=1e-6, abs=1e-6)
    compiled_loss, compiled_gradient = compiled.loss_and_gradient(weights)
    assert compiled_loss == pytest.approx(found_loss, rel=1e-12) and close(compiled_gradient, gradient)
    one, other = weights_in_training(weights, "adam"), weights_in_training(weights, "adam")
    numpy_steps.run(one, np.arange(2), 1)
    compiled.run(other, np.arange(2), 1)
    assert close(other.values, one.values)


def test_grounding_files(grounder: GroundingSession, tmp_path: Path) -> None:
    groundings = grounded(grounder, PROGRAM.template_text(), data_text(PROGRAM))
    path = str(tmp_path / "grounding.npz")
    save_groundings(groundings, path)
    found = load_groundings(path)
    assert found.template.rules == groundings.template.rules
    assert found.queries.predicate == groundings.queries.predicate
    outputs = [network_outputs(compile_network(own), weights_of(own)).tolist() for own in (found, groundings)]
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize("name", ["swi", "duckdb"])
def test_targets_with_arguments(folder: Folder, name: str) -> None:
    """Classes of objects: heads have the class as their last argument, whatever grounds them."""
    data = "sweet(a). sour(b). big(c). query(kind(a), 'Fruit \u00e9'). query(kind(b), nut). query(kind(c), nut)."
    model = (
        "setting(task, classes).\n1.0 :: kind(X, 'Fruit \u00e9') :- sweet(X).\n1.0 :: kind(X, nut) :- sour(X).\n"
        "0.0 :: kind(X, other) :- big(X).\n"
    )
    folder.write({"data.pl": data, "model.pl": model})
    rows = folder.run("predict", "model.pl", "data.pl", "--grounder", name).stdout.splitlines()
    assert rows[0].split("\t") == ["example", "atom", "target", "class", "'Fruit \u00e9'", "nut", "other"]
    assert [row.split("\t")[1:4] for row in rows[1:3]] == [
        ["kind(a)", "'Fruit \u00e9'", "'Fruit \u00e9'"],
        ["kind(b)", "nut", "nut"],
    ]
    # A rule that holds has 1 / (1 + exp(-6 (value - 0.5))) with a fact of the value 1 / (1 + exp(-3)).
    fact = 1.0 / (1.0 + math.exp(-3.0))
    neuron = 1.0 / (1.0 + math.exp(-6.0 * (fact - 0.5)))
    right, wrong, _ = softmax([6.0 * neuron, 0.0, 0.0])
    assert [float(cell) for cell in rows[1].split("\t")[4:]] == pytest.approx([right, wrong, wrong])
    assert [float(cell) for cell in rows[3].split("\t")[4:]] == pytest.approx([1 / 3, 1 / 3, 1 / 3])


# Metrics


def test_metrics_by_hand() -> None:
    """Classes a, b, c: of 2 a one is taken for b; the b is right; the c is taken for a."""
    output = np.array([[0.7, 0.2, 0.1], [0.3, 0.6, 0.1], [0.1, 0.8, 0.1], [0.5, 0.25, 0.25]])
    metrics = evaluate_outputs(output, np.array([0, 0, 1, 2]), CLASSES, ("a", "b", "c"))
    assert metrics.values["accuracy"] == 0.5 and metrics.values["error"] == 0.5
    assert metrics.confusion == {
        "a": {"a": 1, "b": 1, "c": 0},
        "b": {"a": 0, "b": 1, "c": 0},
        "c": {"a": 1, "b": 0, "c": 0},
    }
    assert metrics.classes["a"] == {"precision": 0.5, "recall": 0.5, "f1": 0.5, "queries": 2, "predicted": 2}
    assert metrics.classes["c"] == {"precision": None, "recall": 0.0, "f1": 0.0, "queries": 1, "predicted": 0}
    assert metrics.values["macro_f1"] == pytest.approx((1 / 2 + 2 / 3 + 0) / 3)
    assert metrics.values["log_loss"] == pytest.approx(-math.log(0.7 * 0.3 * 0.8 * 0.25) / 4)
    squares = [0.09 + 0.04 + 0.01, 0.49 + 0.36 + 0.01, 0.01 + 0.04 + 0.01, 0.25 + 0.0625 + 0.5625]
    assert metrics.values["squared_loss"] == pytest.approx(sum(squares) / 4)
    assert metrics.values["majority"] == 0.5


def test_several_targets_have_rows(folder: Folder) -> None:
    """Yes and no of two targets: each has figures of its own beside those of both."""
    folder.write(
        {
            "data.pl": "begin(model(e)). a(x). query(p, 1). query(q, 0). end(model(e)).\n"
            "begin(model(f)). b(x). query(p, 0). query(q, 0). end(model(f)).",
            "model.pl": "2.0 :: p :- a(X).\n2.0 :: q :- a(X).\n",
        }
    )
    metrics = json.loads(folder.run("evaluate", "model.pl", "data.pl", "--json").stdout)
    assert metrics["accuracy"] == 0.75
    assert {name: row["accuracy"] for name, row in metrics["targets"].items()} == {"p/0": 1.0, "q/0": 0.5}
    assert "\np/0 " in folder.run("evaluate", "model.pl", "data.pl").stdout


# Commands


@pytest.mark.usefixtures("two_parts")
def test_learning_the_planted_rules(folder: Folder) -> None:
    """Rules for all classes; every command understands the model from its file."""
    folder.write({"data.pl": trains(150, 1), "new.pl": trains(60, 2)})
    outcome = folder.run("learn-structure", "data.pl", *QUICK, "-o", "model.pl")
    assert outcome.code == 0, outcome.stderr
    model = folder.read("model.pl")
    assert "setting(task, classes)." in model and ":: goes(north) :- " in model
    assert "% goes/0: expected accuracy on new data" in model
    metrics = json.loads(folder.run("evaluate", "model.pl", "new.pl", "--json").stdout)
    assert metrics["accuracy"] >= 0.95
    table = folder.run("evaluate", "model.pl", "new.pl").stdout
    assert "macro_f1" in table and "is, predicted  north" in table
    rows = [row.split("\t") for row in folder.run("predict", "model.pl", "new.pl").stdout.splitlines()]
    assert rows[0] == ["example", "atom", "target", "class", "north", "nowhere", "south"]
    for row in rows[1:]:
        shares = [float(cell) for cell in row[4:]]
        assert sum(shares) == pytest.approx(1.0) and row[3] == rows[0][4 + int(np.argmax(shares))]
    shown = folder.run("explain", "model.pl", "new.pl", "--example", "t0", "--query", "goes").stdout
    assert f"t0: goes({rows[1][3]})" in shown and "= softmax of 6 * " in shown
    named = json.loads(
        folder.run("explain", "model.pl", "new.pl", "--example", "t0", "--query", "goes(south)", "--json").stdout
    )
    (explained,) = named["explanations"]
    assert explained["output"] == pytest.approx(float(rows[1][6]))
    assert sum(explained["probabilities"].values()) == pytest.approx(1.0)
    assert "goes(" in folder.run("draw", "model.pl", "new.pl", "--example", "t0").stdout
    smaller = folder.run("simplify", "model.pl", "data.pl", "-o", "smaller.pl", "--metric", "accuracy")
    assert smaller.code == 0, smaller.stderr
    kept = json.loads(folder.run("evaluate", "smaller.pl", "data.pl", "--json").stdout)
    assert set(kept["classes"]) == {"north", "nowhere", "south"}


def test_training_a_template(folder: Folder) -> None:
    """A template with a rule for each class; the one with weights of its own needs no setting for what targets are."""
    heads = ("north", "south", "nowhere")
    template = "".join(f"_ :: goes({head}).\n_ :: goes({head}) :- red(X).\n" for head in heads)
    template += "_ :: goes(south) :- long(X), coal(X).\n"
    folder.write({"data.pl": trains(100, 3), "template.pl": "setting(aggregation, max).\n" + template})
    assert folder.run("ground", "template.pl", "data.pl", "-o", "g.npz").code == 0
    outcome = folder.run("train", "g.npz", "--epochs", "400", "-o", "model.pl")
    assert outcome.code == 0 and "log loss" in outcome.stderr
    metrics = json.loads(folder.run("evaluate", "model.pl", "data.pl", "--json").stdout)
    assert metrics["accuracy"] == 1.0 and metrics["log_loss"] < 0.1
    lacking = "setting(task, classes).\n_ :: goes(north) :- red(X).\n"
    folder.write({"template.pl": lacking})
    refused = folder.run("ground", "template.pl", "data.pl", "-o", "g.npz")
    assert refused.code == 1 and "no rule is for goes(nowhere)" in refused.stderr


def test_unknown_classes(folder: Folder) -> None:
    """A class that a model does not know is never predicted, and counts as an error."""
    folder.write(
        {
            "model.pl": "setting(task, classes).\n1.0 :: c(a) :- p(X).\n0.0 :: c(b).\n",
            "data.pl": "begin(model(1)). p(x). query(c, a). end(model(1)).\n"
            "begin(model(2)). q(x). query(c, z). end(model(2)).\nbegin(model(3)). p(x). query(c). end(model(3)).",
        }
    )
    rows = folder.run("predict", "model.pl", "data.pl").stdout.splitlines()
    assert rows[0].endswith("\ta\tb\tz") and rows[3].split("\t")[2] == ""
    metrics = json.loads(folder.run("evaluate", "model.pl", "data.pl", "--json").stdout)
    assert metrics["accuracy"] == 0.5 and metrics["queries"] == 2
    assert metrics["classes"]["z"] == {"precision": None, "recall": 0.0, "f1": 0.0, "queries": 1, "predicted": 0}


def test_models_without_queries(folder: Folder) -> None:
    """Data that ask nothing are asked for the classes of the model."""
    folder.write({"model.pl": "setting(task, classes).\n1.0 :: c(a) :- p(X).\n0.0 :: c(b).\n", "data.pl": "p(x)."})
    rows = folder.run("predict", "model.pl", "data.pl").stdout.splitlines()
    assert rows[1].split("\t")[1:4] == ["c", "", "a"]


@pytest.mark.usefixtures("two_parts")
def test_numbers_as_classes(folder: Folder) -> None:
    """With --task classes each number is one."""
    blocks = [
        f"begin(model(e{n})). {('a', 'b', 'c')[n % 3]}(x). query(grade, {n % 3 + 1}). end(model(e{n})).\n"
        for n in range(60)
    ]
    folder.write({"data.pl": "".join(blocks)})
    outcome = folder.run("learn-structure", "data.pl", *QUICK, "--task", "classes", "-o", "model.pl")
    assert outcome.code == 0, outcome.stderr
    assert ":: grade(2)" in folder.read("model.pl")
    assert json.loads(folder.run("evaluate", "model.pl", "data.pl", "--json").stdout)["accuracy"] == 1.0


def test_crossvalidation(folder: Folder) -> None:
    """Folds have their share of each class; summaries and reports take classes, also one that a fold never met."""
    folder.write({"data.pl": trains(60, 5)})
    for fold in ("1", "2"):
        (folder.path / f"fold{fold}").mkdir()
        options = ["--folds", "2", "--fold", fold]
        outcome = folder.run("baseline", "forest", "data.pl", *options, "-o", f"fold{fold}/predictions.tsv")
        assert outcome.code == 0, outcome.stderr
    summary = json.loads(folder.run("summarise", "fold1", "fold2", "--json").stdout)
    assert summary["task"] == "classes" and summary["pooled"]["queries"] == 60
    for name in ("north", "nowhere", "south"):
        counts = [folder.read(f"fold{fold}/predictions.tsv").count(f"\tgoes\t{name}\t") for fold in (1, 2)]
        assert abs(counts[0] - counts[1]) <= 1
    assert "macro_f1" in folder.run("summarise", "fold1", "fold2").stdout


def test_nfoil(folder: Folder) -> None:
    """nFOIL learns each class against the others."""
    folder.write({"data.pl": trains(90, 6), "new.pl": trains(60, 7)})
    outcome = folder.run("baseline", "nfoil", "data.pl", "-o", "model.pl")
    assert outcome.code == 0, outcome.stderr
    metrics = json.loads(folder.run("evaluate", "model.pl", "new.pl", "--json").stdout)
    assert metrics["accuracy"] > 0.9


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            "query(a, x). query(a, 3).",
            "data.pl:2:1: some targets are words, such as x, and others numbers, such as 3 in",
        ),
        ("query(a, f(x)).", "must be a finite number or a word, not f(x)"),
        ("query(a, x).", "all queries of a/0 have the class x; there is nothing to learn from one class"),
        ("a(y). query(a, x).", "have heads of a/1, of which the data have facts or clauses"),
    ],
)
def test_faults(folder: Folder, data: str, message: str) -> None:
    blocks = "".join(f"begin(model(e{n})). q(x).\n{data} end(model(e{n})).\n" for n in range(2))
    folder.write({"data.pl": blocks})
    outcome = folder.run("learn-structure", "data.pl", "-o", "model.pl")
    assert outcome.code == 1 and message in outcome.stderr, outcome.stderr
    assert not (folder.path / "model.pl").exists()


def test_models_of_yes_and_no_take_no_words(folder: Folder) -> None:
    """The places of classes must not be taken for numbers."""
    folder.write({"model.pl": "1.0 :: c :- p(X).\n", "data.pl": "p(x). query(c, a)."})
    for command in ("evaluate", "predict", "explain"):
        outcome = folder.run(command, "model.pl", "data.pl")
        assert outcome.code == 1 and "targets are words, such as a, but model.pl is not for classes" in outcome.stderr


def test_going_on_with_a_run(folder: Folder) -> None:
    """Run directories keep rules of classes, and going on with the last iteration gives the same model."""
    folder.write({"data.pl": trains(60, 9)})
    options = ["--conjunctions", "0", "--dimension", "3", "--iterations", "2", "--run-dir", "run"]
    assert folder.run("learn-structure", "data.pl", *options, "-o", "model.pl").code == 0
    again = folder.run("learn-structure", "data.pl", *options, "--resume", "-o", "again.pl")
    assert again.code == 0 and folder.read("again.pl") == folder.read("model.pl")
    assert ",goes(" in folder.read("run/rules.csv").replace('"', "")


def test_template_without_classes(folder: Folder) -> None:
    folder.write({"t.pl": "_ :: c :- p(X).\n", "d.pl": "p(x). query(c, a)."})
    outcome = folder.run("ground", "t.pl", "d.pl", "-o", "g.npz")
    assert outcome.code == 1 and "t.pl:1:1: targets are classes, but no head names one" in outcome.stderr


def test_splitting_keeps_classes(folder: Folder) -> None:
    """One interpretation cut into examples: targets are still words."""
    words = [("sweet", "fruit"), ("sour", "nut")] * 4
    lines = [f"thing(o{n}). {taste}(o{n}). query(kind(o{n}), {kind})." for n, (taste, kind) in enumerate(words)]
    model = "setting(task, classes).\n1.0 :: kind(X, fruit) :- sweet(X).\n1.0 :: kind(X, nut) :- sour(X).\n"
    folder.write({"data.pl": "\n".join(lines), "model.pl": model})
    outcome = folder.run("evaluate", "model.pl", "data.pl", "--split-by", "thing/1", "--json")
    assert json.loads(outcome.stdout)["accuracy"] == 1.0


def test_bias_of_a_target(folder: Folder) -> None:
    """`lrnn import` of Aleph's classes declares what queries name, which no predicate of a class is called by."""
    text = "bias(kind(thing)).\nbias(has(thing, constant)).\n"
    for number in range(12):
        shape = ("wing", "fin", "leg")[number % 3]
        text += f"begin(model(m{number})). has(x, {shape}). query(kind(x), {shape}ed). end(model(m{number})).\n"
    folder.write({"data.pl": text})
    learned = folder.run("learn-structure", "data.pl", "--conjunctions", "0", "-o", "model.pl")
    assert learned.code == 0, learned.stderr
    assert ":: kind(V1, winged) :- " in folder.read("model.pl")
    outcome = folder.run("evaluate", "model.pl", "data.pl", "--json")
    assert json.loads(outcome.stdout)["accuracy"] == 1.0


def test_made_templates(folder: Folder) -> None:
    """`make-template` has rules for each class, and they can be trained."""
    folder.write({"data.pl": trains(30, 8)})
    made = folder.run("make-template", "data.pl", "--chain", "1", "-o", "template.pl")
    assert made.code == 0, made.stderr
    assert ":: goes(north) :- " in folder.read("template.pl")
    assert folder.run("ground", "template.pl", "data.pl", "-o", "g.npz").code == 0
    assert folder.run("train", "g.npz", "--epochs", "3", "-o", "model.pl").code == 0


def test_exports_say_what_they_can_not(folder: Folder) -> None:
    folder.write({"model.pl": "setting(task, classes).\n1.0 :: c(a) :- p(X).\n0.0 :: c(b).\n"})
    outcome = folder.run("export", "model.pl", "--format", "neuralogic", "-o", "exported")
    assert outcome.code == 1 and "only models of yes and no are exported" in outcome.stderr

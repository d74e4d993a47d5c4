"""Structure learning as a whole: what data can ask of it, when it stops, what it writes, and going on after a kill."""

from __future__ import annotations

import itertools
import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from lrnn_cli.commands import cli
from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder
from lrnn_cli.hypotheses.bodies import Candidate, Shape
from lrnn_cli.hypotheses.vocabulary import vocabulary
from lrnn_cli.language.files import Source
from lrnn_cli.language.template import Settings, Template
from lrnn_cli.network.network import compile_network
from lrnn_cli.semantics.aggregations import AGGREGATIONS
from lrnn_cli.structure import ensemble
from lrnn_cli.structure.algorithm import learn_rules
from lrnn_cli.structure.latent_rules import create_layer1_rules, predicate_invention
from lrnn_cli.structure.observer import Observer
from lrnn_cli.structure.options import StructureOptions
from lrnn_cli.structure.problem import Allowance, Problem, make_problem
from lrnn_cli.structure.rules import Rules, Weights, internal_template, weighted, written_template
from lrnn_cli.structure.starts import first_weights, new_weights
from lrnn_cli.structure.state import LearningState
from lrnn_cli.structure.target_search import search_targets
from lrnn_cli.structure.weights import train_weights, weighted_facts

DATASETS = Path(__file__).resolve().parents[1] / "datasets"
SHORT = ["--length", "3", "--variables", "3", "--conjunctions", "0"]
QUICK = ["--iterations", "2", "--epochs", "20", "--final-epochs", "10", *SHORT, "--quiet"]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], catch_exceptions=False)


def rings(bias: str = "", examples: int = 60) -> str:
    """Graphs with numbers at their nodes, active when a node of a triangle has the number 2."""
    draw = random.Random(5)
    blocks = [bias, "ring(A) :- bond(A, B), bond(B, C), bond(C, A)."]
    for example in range(examples):
        nodes = range(draw.randint(3, 6))
        number = {node: draw.choice([0, 1, 2, -1]) for node in nodes}
        bonds = {(node, draw.randrange(node)) for node in nodes if node}
        if draw.random() < 0.6:
            bonds |= {(1, 0), (2, 1), (2, 0)}
        bonds |= {(second, first) for first, second in bonds}
        inside = {a for a, b in bonds for c in nodes if (b, c) in bonds and (c, a) in bonds}
        active = any(number[node] == 2 for node in inside)
        facts = [f"charge(a{node}, {number[node]})." for node in nodes]
        facts += [f"bond(a{first}, a{second})." for first, second in sorted(bonds)]
        name = f"model(m{example})"
        blocks.append(f"begin({name}). {' '.join(facts)} query(active, {float(active)}). end({name}).")
    return "\n".join(blocks) + "\n"


BIAS = "bias(charge(atom, constant)).\nbias(bond(atom, atom)).\nbias(ring(atom))."


def problem(text: str, options: StructureOptions, jobs: int = 1) -> Problem:
    with open_grounder("swi", GrounderOptions()) as grounder:
        data = grounder.load(Source("data.pl", text.encode()))
        knowledge = grounder.knowledge(data)
    return make_problem(data, knowledge, data.queries, options, Allowance(jobs))


def first_layer(E: Problem) -> tuple[Rules, Weights]:
    """Clusters before any target rule."""
    R = create_layer1_rules(E)
    return R, first_weights(E, R, Observer())


def outputs(text: str, template: Template) -> np.ndarray:
    """What SWI-Prolog and the network make of a template."""
    with open_grounder("swi", GrounderOptions()) as grounder:
        groundings = grounder.ground(template, grounder.load(Source("data.pl", text.encode())))
    network = compile_network(groundings)
    return network.outputs(network.forward(np.array([rule.weight for rule in template.rules]))[0])


# What data can ask for


@pytest.mark.parametrize(
    ("bias", "message"),
    [
        (
            "bias(bond(A, atom)).",
            "1:1: bias(bond(A, atom)): a sort is a name that starts with a small letter, not A; write one for each "
            "argument, constant for arguments that take constants",
        ),
        (
            "bias(c(atom)).\nbias(c(x)).",
            "2:1: bias(c(x)): the sorts of c/1 were already given in line 1; delete one of them",
        ),
        (
            "bias(bond(atom)).",
            "1:1: bias for bond/1, which is true of nothing in these data; mend its name or arity",
        ),
        (
            "bias(ring(constant)).",
            "1:1: bias for ring/1: constants leave no argument for variables; give another sort",
        ),
    ],
)
def test_faults_of_a_bias(bias: str, message: str, tmp_path: Path) -> None:
    """They are told with their place, and nothing is written."""
    (tmp_path / "data.pl").write_text(rings(bias, 6))
    result = run("learn-structure", tmp_path / "data.pl", "-o", tmp_path / "model.pl", *QUICK)
    assert result.exit_code == 1
    assert f"data.pl:{message}" in result.stderr
    assert not (tmp_path / "model.pl").exists()


def test_a_bias_chooses_predicates_and_constants() -> None:
    """charge(X, N) becomes one unary predicate for each number that occurs twice; what is not declared is left out."""
    with open_grounder("swi", GrounderOptions()) as grounder:
        data = grounder.load(Source("data.pl", rings(BIAS).encode()))
        knowledge = grounder.knowledge(data)
    words = vocabulary(data, knowledge, data.queries)
    assert [str(name) for name, _ in sorted(words.tables)] == [
        "bond",
        "charge(_, -1)",
        "charge(_, 0)",
        "charge(_, 1)",
        "charge(_, 2)",
        "ring",
    ]
    atoms = {sort for sorts in words.sorts.values() for sort in sorts}
    assert len(atoms) == 1
    rows = sum(len(table) for name, table in words.tables.items() if name.name.startswith("charge"))
    assert rows == len(knowledge.tables[next(name for name in knowledge.tables if name.name == "charge")])


def test_background_clauses_and_constants_in_rules(tmp_path: Path) -> None:
    """The concept needs a background predicate and a constant; the model file predicts as the learner did."""
    text = rings(BIAS)
    E = problem(text, StructureOptions(length=3, variables=3, iterations=3, layers=1))
    state = learn_rules(E)
    template = written_template(E, state.rules, state.weights)
    written = template.text()
    assert ":- ring(X)" in written
    assert ":- charge(X, 2)" in written
    found = outputs(text, template)
    internal = internal_template(E, state.rules, state.weights)
    network = compile_network(E.grounder.ground(internal))
    weights = np.array([rule.weight for rule in internal.rules])
    assert np.abs(network.outputs(network.forward(weights)[0]) - found).max() < 1e-12
    assert ((found > 0.5) == (E.queries.target > 0.5)).mean() > 0.95


def test_latent_names_in_the_data_are_refused(tmp_path: Path) -> None:
    """A predicate of the data must not be taken for a learned one."""
    (tmp_path / "data.pl").write_text(rings("latent_1_1(x).", 6))
    result = run("learn-structure", tmp_path / "data.pl", "-o", tmp_path / "model.pl", *QUICK)
    assert result.exit_code == 1
    assert "latent_1_1/1 has the name of a latent predicate; rename it in the data" in result.stderr


def test_several_targets_are_learned_together(tmp_path: Path) -> None:
    """One model with rules for both."""
    draw = random.Random(2)
    blocks = []
    for example in range(60):
        red, round_ = draw.random() < 0.5, draw.random() < 0.5
        facts = f"part(x, y). {'red' if red else 'blue'}(x). {'round' if round_ else 'square'}(y)."
        queries = f"query(warm, {float(red)}). query(rolls, {float(round_)})."
        blocks.append(f"begin(model(m{example})). {facts} {queries} end(model(m{example})).\n")
    (tmp_path / "data.pl").write_text("".join(blocks))
    assert run("learn-structure", tmp_path / "data.pl", "-o", tmp_path / "model.pl", *QUICK).exit_code == 0
    text = (tmp_path / "model.pl").read_text()
    assert ":: warm :-" in text
    assert ":: rolls :-" in text
    metrics = json.loads(run("evaluate", tmp_path / "model.pl", tmp_path / "data.pl", "--json").stdout)
    assert metrics["accuracy"] == 1.0


# Search


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
@pytest.mark.parametrize("layer", [0, 1])
def test_columns_are_what_the_network_computes(layer: int, aggregation: str) -> None:
    """A column of a candidate gives the output of the network of its rule, latent or of the data itself."""
    text = rings(BIAS, 20)
    E = problem(text, StructureOptions(length=3, variables=3, crisp=True, aggregation=aggregation))
    R, W = first_layer(E)
    F = weighted_facts(E, R, W)
    names = F.layers[layer, 1].names
    bond = next(predicate for predicate in E.others if predicate.name == "bond")
    shape = Shape(next(iter(E.targets)), ((bond, (0, 1)),), (((0,), layer), ((1,), 1)))
    for name in names:
        candidate = Candidate(shape, (name, "latent_1_2"))
        column = F.column(candidate)
        rules = [*weighted(R.latent, W), candidate.rule(1.5)]
        settings = Settings(object_identity=True, aggregation=aggregation)
        template = Template(tuple(map(E.words.written, rules)), settings)
        expected = 1.0 / (1.0 + np.exp(-6.0 * (1.5 * column - 0.5)))
        assert outputs(text, template) == pytest.approx(expected, abs=1e-12)


def test_frozen_and_untrained_weights() -> None:
    """Search refits weights of target rules alone; training leaves latent predicates that nothing uses as they are.

    No step changes the weights that it is given.
    """
    E = problem(rings(BIAS), StructureOptions(length=3, variables=3, iterations=1, layers=1))
    R, W = first_layer(E)
    before = dict(W)
    search = search_targets(E, weighted_facts(E, R, W), R, W, 2.0, Observer())
    assert all(search.weights[name] == before[name] for name in before if name.startswith("latent"))
    assert search.weights.keys() > before.keys()
    R |= predicate_invention(E, R, search.best)
    used = {atom.name for candidate, _ in search.best for atom in candidate.atoms()}
    trained = train_weights(E, R, new_weights(E, R, search.weights), 5)
    for name, weight in before.items():
        if name.startswith("latent"):
            assert (trained.weights[name] != weight) == (name.split("(")[0] in used), name
    assert before == W


def test_new_rules_of_a_predicate_in_use_start_from_0() -> None:
    """The second invention adds rules to latent_2_1, which a target rule uses by then, and to others, which none do."""
    E = problem(rings(BIAS, 20), StructureOptions(length=3, variables=3, start="drawn"))
    R, W = first_layer(E)
    (head,) = E.targets
    bond = next(predicate for predicate in E.others if predicate.name == "bond")

    def invented(*bodies: tuple[int, str]) -> dict[str, set[float]]:
        """New weights by predicate after rules with bond(X, Y) and these predicates of X were found, the best first."""
        nonlocal R, W
        found = [Candidate(Shape(head, ((bond, (0, 1)),), (((0,), layer),)), (name,)) for layer, name in bodies]
        before = {**W, **{candidate.rule().clause: 1.0 for candidate in found}}
        R |= predicate_invention(E, R, [(candidate, 0.5) for candidate in found])
        W = new_weights(E, R, before)
        weights: dict[str, set[float]] = {}
        for name in W.keys() - before:
            weights.setdefault(name.partition("(")[0], set()).add(W[name])
        return weights

    assert all(0.0 not in weights for weights in invented((1, "latent_1_1")).values())
    second = invented((1, "latent_1_2"), (2, "latent_2_1"))
    assert len(second) == 6
    assert {name for name, weights in second.items() if weights == {0.0}} == {"latent_2_1"}
    assert all(0.0 not in weights for name, weights in second.items() if name != "latent_2_1")


def test_a_rule_must_raise_the_likelihood(tmp_path: Path) -> None:
    """The second and third rule of an iteration add at least the gain to the log likelihood of 60 queries."""
    options = StructureOptions(length=3, variables=3, iterations=2, epochs=20, final_epochs=0, gain=2.0, start="drawn")
    state = learn_rules(problem(rings(BIAS), options))
    gains = []
    for iteration in state.iterations:
        losses = [loss for _, loss in iteration.rules]
        gains += [60 * (first - second) for first, second in itertools.pairwise(losses)]
    assert gains
    assert min(gains) >= 2.0


def test_the_first_rule_need_not_gain_much(tmp_path: Path) -> None:
    """Its clusters have not been trained yet. Data that say nothing of the target still give nothing."""
    (tmp_path / "data.pl").write_text(rings(BIAS))
    (tmp_path / "same.pl").write_text(
        "".join(f"begin(model(m{n})). c(a). query(p, {n % 2}). end(model(m{n})).\n" for n in range(10))
    )
    options = ("--aggregation", "mean", "--gain", "60", *SHORT)
    result = run("learn-structure", tmp_path / "data.pl", *options, "-o", tmp_path / "model.pl")
    assert result.exit_code == 0
    assert "stopped after 1 iteration: none of" in result.stderr
    assert "raises the log likelihood by 60" in result.stderr
    assert (
        sum(line.endswith(".") and ":: active :-" in line for line in (tmp_path / "model.pl").read_text().splitlines())
        == 1
    )
    result = run("learn-structure", tmp_path / "same.pl", "-o", tmp_path / "none.pl")
    assert result.exit_code == 1
    assert "nothing was learned" in result.stderr


def test_training_in_the_loop_does_no_harm() -> None:
    """Steps that are far too large are made smaller until the loss falls, or no step is taken."""
    losses = {}
    for rate in (0.02, 5.0, 1e9):
        options = StructureOptions(
            length=3, variables=3, iterations=1, epochs=20, final_epochs=30, learning_rate=rate, penalty=0.0
        )
        history = learn_rules(problem(rings(BIAS, 24), options)).history
        assert history[-1].training_loss <= history[0].training_loss
        losses[rate] = history
    assert len(losses[0.02]) == 31
    assert len(losses[1e9]) == 1


def test_the_penalty_keeps_weights_small() -> None:
    size = {}
    for penalty in (0.0, 0.1, 10.0):
        options = StructureOptions(length=3, variables=3, iterations=1, epochs=20, penalty=penalty)
        E = problem(rings(BIAS, 24), options)
        state = learn_rules(E)
        template = written_template(E, state.rules, state.weights)
        size[penalty] = sum((rule.weight or 0.0) ** 2 for rule in template.rules)
    assert size[10.0] < 0.5 * size[0.1] < 0.5 * size[0.0]


@pytest.mark.parametrize("arity", [1, 2])
def test_the_same_bytes_with_one_and_two_jobs(arity: int, tmp_path: Path) -> None:
    (tmp_path / "data.pl").write_text(rings(BIAS, 24))
    said = []
    for jobs in (1, 2):
        arguments = ["-o", tmp_path / "model.pl", "--jobs", jobs, "--arity", arity, *QUICK]
        result = run("learn-structure", tmp_path / "data.pl", *arguments)
        assert result.exit_code == 0
        said.append(result.output)
        (tmp_path / "model.pl").rename(tmp_path / f"{jobs}.pl")
    assert said[0] == said[1]
    text = (tmp_path / "1.pl").read_bytes()
    assert text == (tmp_path / "2.pl").read_bytes()
    if arity == 2:
        assert b"latent_2_" not in text or b"latent_2_1(V1, V2)" in text or b"(V2, V1)" in text


def test_large_data_give_the_same_bytes_with_one_and_two_jobs(tmp_path: Path) -> None:
    """Of more than 1,000 queries trials and conjunctions go side by side, in processes of the command."""
    (tmp_path / "data.pl").write_text(rings(BIAS, 1002))
    environment = {**os.environ, "PYTHONPATH": str(DATASETS.parent)}
    models = []
    for jobs in ("1", "2"):
        command = [sys.executable, "-m", "lrnn_cli", "learn-structure", "data.pl", "--jobs", jobs]
        command += [*QUICK, "--conjunctions", "30"]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=True)
        models.append(done.stdout)
    assert b" :: active :- part_1." in models[0]
    assert models[0] == models[1]


# When it stops


def test_validation_keeps_the_best_iteration(tmp_path: Path) -> None:
    """Random targets can't be learned: the validation loss soon stops falling, and the best model is an early one."""
    draw = random.Random(3)
    text = "".join(
        line if "query" not in line else line.replace("1.0)", f"{draw.choice([0.0, 1.0])})")
        for line in rings(BIAS).splitlines(keepends=True)
    )
    options = StructureOptions(
        length=3, variables=3, validation=0.3, patience=2, epochs=60, gain=0.0, penalty=0.01, start="drawn"
    )
    E = problem(text, options)
    state = learn_rules(E)
    losses = [item.validation_loss for item in state.iterations]
    assert state.reason == "the validation loss has not fallen for 2 iterations"
    assert len(losses) < 14
    best = int(np.argmin([loss for loss in losses if loss is not None])) + 1
    assert best == len(losses) - 2
    rules = sum(len(item.rules) for item in state.iterations[:best])
    template = written_template(E, state.rules, state.weights)
    assert sum(rule.head.name == "active" and bool(rule.body) for rule in template.rules) == rules


def test_a_budget_ends_learning(tmp_path: Path) -> None:
    """Too little for one iteration is said; nothing is written."""
    arguments = ["-o", tmp_path / "model.pl", "--budget", "0.000001", "--quiet"]
    result = run("learn-structure", DATASETS / "family" / "family.pl", *arguments)
    assert result.exit_code == 1
    assert "nothing was learned: the time of --budget is over; allow more with --budget\n" in result.stderr
    assert not (tmp_path / "model.pl").exists()


def test_members_of_an_ensemble_share_the_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them end at one time; what some have learned until then is kept, and the rest is told."""
    deadlines = []

    def observed(E: Problem, state: LearningState | None, observer: Observer) -> LearningState:
        assert E.allowed.deadline is not None
        deadlines.append(E.allowed.deadline)
        if len(deadlines) == 2:
            E = replace(E, allowed=replace(E.allowed, deadline=0.0))
        return learn_rules(E, state, observer)

    monkeypatch.setattr(ensemble, "learn_rules", observed)
    (tmp_path / "data.pl").write_text(rings(BIAS, 24))
    options = [*QUICK[:-1], "--gain", "0", "--ensemble", "3", "--budget", "6000", "--conjunctions", "0"]
    before = time.monotonic()
    result = run("learn-structure", tmp_path / "data.pl", "-o", tmp_path / "model.pl", *options)
    assert result.exit_code == 0
    assert len(deadlines) == 3 and len(set(deadlines)) == 1
    assert before + 6000 < deadlines[0] < time.monotonic() + 6000
    told = "model 2 of 3, nothing was learned: the time of --budget is over; allow more with --budget\n"
    assert told in result.stderr
    assert "model.pl holds 2 of 3 models\n" in result.stderr
    text = (tmp_path / "model.pl").read_text()
    assert "learned from data.pl, seeds 1, 3" in text
    lines = run("predict", tmp_path / "model.pl", tmp_path / "data.pl", "--quiet").stdout.splitlines()
    assert len(lines) == 25


# What it writes


def test_an_ensemble_is_the_mean_of_its_members(tmp_path: Path) -> None:
    """Members have the seeds S, S + 1, ...; outputs are averaged; run directories tell of each."""
    (tmp_path / "data.pl").write_text(rings(BIAS, 24))
    data = tmp_path / "data.pl"
    outputs = []
    for name, more in (("1", []), ("2", ["--seed", "2"]), ("both", ["--ensemble", "2", "--run-dir", tmp_path / "run"])):
        assert run("learn-structure", data, "-o", tmp_path / name, *QUICK, "--gain", "0", *more).exit_code == 0
        lines = run("predict", tmp_path / name, data, "--quiet").stdout.splitlines()[1:]
        outputs.append([float(line.split("\t")[3]) for line in lines])
    assert outputs[2] == pytest.approx(np.mean(outputs[:2], axis=0), abs=1e-15)
    story = run("show", tmp_path / "run").stdout
    assert story.count("a run of structure learning") == 2
    assert "active :-" in story
    assert "ended: the number of iterations was reached" in story


def test_a_folder_without_a_run(tmp_path: Path) -> None:
    result = run("show", tmp_path)
    assert result.exit_code == 1
    assert "this folder holds no run; `lrnn learn-structure --run-dir` makes one" in result.stderr


def test_the_model_file_says_what_its_rules_are(tmp_path: Path) -> None:
    """Clusters with their strongest members first, layers apart."""
    (tmp_path / "data.pl").write_text(rings(BIAS, 24))
    assert run("learn-structure", tmp_path / "data.pl", "-o", tmp_path / "model.pl", *QUICK).exit_code == 0
    lines = (tmp_path / "model.pl").read_text().splitlines()
    assert "% Layer 1: soft clusters, the members with the largest weights first:" in lines
    clusters = [line for line in lines if line.startswith("%   latent_1_")]
    for line in clusters:
        weights = [
            abs(float(member.split()[-1])) for member in line.split("  ", 2)[2].split(", ") if "more" not in member
        ]
        assert weights == sorted(weights, reverse=True)
    assert "% Target rules of active/0, strongest first." in lines


# Going on


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no kill -9 here")
def test_kill_at_five_moments_and_resume(tmp_path: Path) -> None:
    """Whatever the moment of a kill -9, the run that is resumed ends in the same bytes."""
    (tmp_path / "data.pl").write_text(rings(BIAS, 20))
    common = [sys.executable, "-m", "lrnn_cli", "learn-structure", str(tmp_path / "data.pl"), "--quiet"]
    common += ["--iterations", "3", "--epochs", "10", "--final-epochs", "10", "--gain", "0", "--jobs", "1"]
    common += ["--length", "3", "--variables", "3", "--conjunctions", "5", "--parts", "2"]
    whole = [*common, "-o", str(tmp_path / "whole.pl"), "--run-dir", str(tmp_path / "whole")]
    started = time.monotonic()
    subprocess.run(whole, check=True)
    seconds = time.monotonic() - started
    parts = [*common, "-o", str(tmp_path / "parts.pl"), "--run-dir", str(tmp_path / "parts")]
    draw = random.Random(7)
    kills = 0
    while kills < 5:
        resume = ["--resume"] if (tmp_path / "parts" / "configuration.json").exists() else []
        process = subprocess.Popen([*parts, *resume], start_new_session=True)
        try:
            process.wait(draw.uniform(0.2, seconds))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        # A run that was quicker than its kill is whole and is resumed all the same.
        kills += 1
    resume = ["--resume"] if (tmp_path / "parts" / "configuration.json").exists() else []
    subprocess.run([*parts, *resume], check=True)
    assert (tmp_path / "parts.pl").read_bytes() == (tmp_path / "whole.pl").read_bytes()
    for path in (tmp_path / "whole").iterdir():
        if path.name not in ("iterations.csv", "state.json"):
            assert (tmp_path / "parts" / path.name).read_bytes() == path.read_bytes(), path.name


@pytest.mark.parametrize(("arguments", "variables"), [("", 5), ("(a, b)", 5), ("(a, b, c)", 7), ("(a, b, c, d)", 9)])
def test_wide_targets_have_more_variables(arguments: str, variables: int) -> None:
    """Two about each argument and one more, unless the option says how many."""
    texts = [f"begin(model({n})). r(a, b). r(c, d). query(t{arguments}, {n}). end(model({n})).\n" for n in range(2)]
    assert problem("".join(texts), StructureOptions()).variables == variables
    assert problem("".join(texts), StructureOptions(variables=4)).language(()).variables == 4

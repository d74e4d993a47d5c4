"""Depth: where latent predicates start, what happens when a search ends, and invented predicates of two arguments."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from lrnn_cli.commands import cli
from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder
from lrnn_cli.hypotheses.bodies import Candidate, Canonical, Shape
from lrnn_cli.hypotheses.refinement import Language, refinements
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.files import Source
from lrnn_cli.language.template import Settings, Template
from lrnn_cli.network.compile import Compiler
from lrnn_cli.network.network import assemble
from lrnn_cli.structure import rule_learning
from lrnn_cli.structure.algorithm import learn_rules
from lrnn_cli.structure.features import Features
from lrnn_cli.structure.latent_rules import all_invented_from, create_layer1_rules, predicate_invention
from lrnn_cli.structure.observer import Observer
from lrnn_cli.structure.options import StructureOptions
from lrnn_cli.structure.problem import Problem, make_problem
from lrnn_cli.structure.roles import Role, simple_structure, strongest
from lrnn_cli.structure.rules import Rules, Weights, weighted
from lrnn_cli.structure.run_directory import RunDirectory
from lrnn_cli.structure.starts import first_weights, new_weights, start_anew
from lrnn_cli.structure.state import LearningState
from lrnn_cli.structure.target_search import TargetRules
from lrnn_cli.structure.weights import weighted_facts

EDGE = Predicate("e", 2)
GOOD = Predicate("good", 0)


def chains(examples: int, seed: int = 1) -> str:
    """Graphs of typed nodes, good when an edge leads from a node of type t1 or t2 to one of type t3 or t4 and on to one
    of type t1 or t2.
    """
    draw = random.Random(seed)
    blocks = []
    for example in range(examples):
        types = [draw.randint(1, 6) for _ in range(9)]
        edges = sorted({(draw.randrange(9), draw.randrange(9)) for _ in range(12)})
        edges = [(first, second) for first, second in edges if first != second]
        first = {node for node in range(9) if types[node] in (1, 2)}
        middle = {a for a, b in edges if types[a] in (3, 4) and b in first}
        good = any(a in first and b in middle for a, b in edges)
        facts = [f"t{number}(n{node})." for node, number in enumerate(types)]
        facts += [f"e(n{a}, n{b})." for a, b in edges]
        name = f"model(g{example})"
        blocks.append(f"begin({name}). {' '.join(facts)} query(good, {float(good)}). end({name}).")
    return "\n".join(blocks) + "\n"


def problem(text: str, options: StructureOptions) -> Problem:
    with open_grounder("swi", GrounderOptions()) as grounder:
        data = grounder.load(Source("data.pl", text.encode()))
        return make_problem(data, grounder.knowledge(data), data.queries, options)


def first_layer(E: Problem) -> tuple[Rules, Weights]:
    """Clusters before any target rule."""
    R = create_layer1_rules(E)
    return R, first_weights(E, R, Observer())


# Invented predicates of two arguments


def clauses(found: list[Candidate]) -> set[str]:
    """Rules in which any stands for an open slot."""
    return {Candidate(item.shape, tuple(name or "any" for name in item.filling)).rule().clause for item in found}


def language(length: int, variables: int) -> Language:
    """A directed relation, clusters of one argument, invented predicates of two."""
    layers = {1: frozenset({(0,)}), 2: frozenset({(0, 0)})}
    return Language((EDGE,), {EDGE: (0, 0)}, Canonical({EDGE: ((0, 1),)}), layers, length, variables)


def test_an_invented_predicate_of_two_arguments_brings_in_variables() -> None:
    """It can begin a body, and lead from a variable of the body to a new one."""
    empty = Candidate(Shape(GOOD, (), ()), ())
    assert clauses(refinements(empty, language(1, 2), ())) == {
        "good :- any(V1)",
        "good :- any(V1, V2)",
        "good :- e(V1, V2)",
    }
    parent = Candidate(Shape(GOOD, (), (((0, 1), 2),)), ("latent_2_1",))
    assert clauses(refinements(parent, language(2, 3), ())) == {
        "good :- any(V1), latent_2_1(V1, V2)",
        "good :- any(V1), latent_2_1(V2, V1)",
        "good :- any(V1, V2), latent_2_1(V1, V2)",
        "good :- any(V1, V2), latent_2_1(V2, V1)",
        "good :- any(V1, V2), latent_2_1(V1, V3)",
        "good :- any(V1, V2), latent_2_1(V2, V3)",
        "good :- latent_2_1(V1, V2), any(V2, V3)",
        "good :- any(V1, V2), latent_2_1(V3, V2)",
        "good :- e(V1, V2), latent_2_1(V1, V2)",
        "good :- e(V1, V2), latent_2_1(V2, V1)",
        "good :- e(V1, V2), latent_2_1(V1, V3)",
        "good :- e(V1, V2), latent_2_1(V2, V3)",
        "good :- e(V1, V2), latent_2_1(V3, V1)",
        "good :- e(V1, V2), latent_2_1(V3, V2)",
    }


def test_bodies_that_differ_in_names_of_variables_are_one() -> None:
    """p(X, Y), q(Y, Z) and p(Z, X), q(X, Y), with variables that slots alone bring in."""
    canonical = Canonical({})
    first = canonical(Candidate(Shape(GOOD, (), (((0, 1), 2), ((1, 2), 2))), ("p", "q")))
    second = canonical(Candidate(Shape(GOOD, (), (((0, 1), 2), ((2, 0), 2))), ("q", "p")))
    other = canonical(Candidate(Shape(GOOD, (), (((0, 1), 2), ((1, 2), 2))), ("q", "p")))
    assert first == second
    assert first != other


@pytest.mark.parametrize("slots", [((0, 1),), ((0, 1), (1, 0)), ((0, 1), (1, 2))])
@pytest.mark.parametrize("identity", [True, False])
def test_columns_of_bodies_whose_variables_slots_bring_in(slots: tuple[tuple[int, int], ...], identity: bool) -> None:
    """The column of a candidate gives the output that the network of its rule has when SWI-Prolog grounds it."""
    text = chains(12)
    E = problem(text, StructureOptions(arity=2, object_identity=identity))
    R, W = first_layer(E)
    body = Candidate(Shape(GOOD, ((EDGE, (0, 1)), (EDGE, (1, 2))), (((1,), 1),)), ("latent_1_1",))
    R |= Rules(tuple(all_invented_from(E, body)))
    W = new_weights(E, R, W)
    names = ("latent_2_7", "latent_2_8")[: len(slots)]
    candidate = Candidate(Shape(GOOD, (), tuple((variables, 2) for variables in slots)), names)
    column = weighted_facts(E, R, W).column(candidate)
    rules = [*weighted(R.latent, W), candidate.rule(1.5)]
    template = Template(tuple(rules), Settings(object_identity=identity, aggregation="sqrt"))
    with open_grounder("swi", GrounderOptions()) as grounder:
        network = assemble(Compiler(grounder.ground(template, grounder.load(Source("data.pl", text.encode())))))
    outputs = network.outputs(network.forward(np.array([rule.weight for rule in template.rules]))[0])
    derived = column > 0.0
    assert derived.sum() > 2
    expected = 1.0 / (1.0 + np.exp(-6.0 * (1.5 * column - 0.5)))
    assert outputs[derived] == pytest.approx(expected[derived], rel=1e-9)


# Where latent predicates start


def test_turned_vectors_have_few_large_entries() -> None:
    """Two roles, mixed by a rotation of 30 degrees, are found again, up to order and sign."""
    roles = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.0, 0.0]])
    c, s = np.cos(np.pi / 6), np.sin(np.pi / 6)
    turned = np.abs(simple_structure(roles @ np.array([[c, -s], [s, c]])))
    assert turned[:, np.argsort(-turned[0])] == pytest.approx(roles, abs=1e-6)


def test_the_strongest_roles_are_unlike_each_other() -> None:
    """The second is nearly the first, the third its opposite."""
    roles = [Role(1.0, np.array([1.0, 0.0])), Role(3.0, np.array([0.1, 1.0])), Role(2.0, np.array([0.0, 1.0]))]
    roles.append(Role(0.5, np.array([0.0, -1.0])))
    assert [weights.tolist() for weights in strongest(roles, 3)] == [[0.1, 1.0], [1.0, 0.0], [0.0, -1.0]]
    assert len(strongest(roles, 1)) == 1


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_clusters_start_as_the_classes_that_matter(seed: int) -> None:
    """Some cluster has t1 and t2 above all others, some other t3 and t4, before any rule was learned."""
    R, W = first_layer(problem(chains(400), StructureOptions(seed=seed)))
    tops = []
    for number in range(1, 7):
        weights = {rule.body[0].name: W[rule.clause] for rule in R.latent if rule.head.name == f"latent_1_{number}"}
        tops.append(set(sorted(weights, key=lambda name: -weights[name])[:2]))
    assert {"t1", "t2"} in tops
    assert {"t3", "t4"} in tops


def test_invented_predicates_start_as_one_body_each() -> None:
    """Three variables, six predicates: three have the weight 1 for one head, the others are drawn."""
    E = problem(chains(12), StructureOptions())
    R, W = first_layer(E)
    body = Candidate(Shape(GOOD, ((EDGE, (0, 1)), (EDGE, (1, 2))), (((1,), 1),)), ("latent_1_1",))
    R |= predicate_invention(E, R, [(body, 0.5)])
    W = new_weights(E, R, {**W, body.rule().clause: 1.0})
    rows = [[W[rule.clause] for rule in R.latent if rule.head.name == f"latent_2_{number}"] for number in range(1, 7)]
    assert sorted(rows[:3]) == [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    assert all(0.0 not in row for row in rows[3:])


# What happens when a search ends


def test_a_search_that_ended_goes_on_after_a_new_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a new start the upper level is not found. With one, a run that is cut after each iteration ends in the
    same bytes.
    """
    (tmp_path / "data.pl").write_text(chains(60))
    common = ["learn-structure", str(tmp_path / "data.pl"), "--length", "3", "--variables", "2", "--gain", "3"]
    common += ["--epochs", "40", "--final-epochs", "40", "--conjunctions", "0", "--quiet"]

    def run(name: str, *more: str) -> int:
        arguments = [*common, "--run-dir", str(tmp_path / name), "-o", str(tmp_path / f"{name}.pl"), *more]
        return CliRunner().invoke(cli, arguments, catch_exceptions=False).exit_code

    def iterations(name: str) -> list[dict[str, object]]:
        return list(json.loads((tmp_path / name / "state.json").read_text())["iterations"])

    assert run("ended", "--restarts", "0") == 0
    assert run("whole") == 0
    ended, whole = iterations("ended"), iterations("whole")
    assert not any(item["ahead"] for item in ended)
    assert len(whole) > len(ended)
    assert whole[len(ended)]["ahead"]
    assert whole[-1]["loss"] < ended[-1]["loss"] / 2.0  # type: ignore[operator]

    record = RunDirectory.record

    def record_and_stop(directory: RunDirectory, E: Problem, state: LearningState) -> None:
        record(directory, E, state)
        raise KeyboardInterrupt

    with monkeypatch.context() as cut:
        cut.setattr(RunDirectory, "record", record_and_stop)
        for number in range(len(whole)):
            assert run("parts", *(["--resume"] if number else [])) == 130
    assert run("parts", "--resume") == 0
    assert (tmp_path / "parts.pl").read_bytes() == (tmp_path / "whole.pl").read_bytes()


def test_latent_predicates_in_use_keep_their_weights_when_others_start_anew() -> None:
    """Clusters that the target rule uses stay; the others get other weights."""
    E = problem(chains(60), StructureOptions(length=3, variables=2))
    R, W = first_layer(E)
    body = Candidate(Shape(GOOD, ((EDGE, (0, 1)),), (((0,), 1),)), ("latent_1_2",))
    R |= predicate_invention(E, R, [(body, 0.5)])
    before = new_weights(E, R, {**W, body.rule().clause: 1.0})
    _, _, after, _ = start_anew(E, weighted_facts(E, R, before), R, before)
    changed = {name.partition("(")[0] for name in before if after[name] != before[name]}
    assert changed & {f"latent_1_{number}" for number in range(1, 7)} == {
        f"latent_1_{number}" for number in (1, 3, 4, 5, 6)
    }


def test_what_a_new_start_finds_must_stand_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its gain is that of any rule, and the logarithm of the number of candidates tried before."""
    gains = []

    def search(E: Problem, F: Features, R: Rules, W: Weights, gain: float, observer: Observer) -> TargetRules:
        gains.append(gain)
        return TargetRules((), W, 1000, {})

    monkeypatch.setattr(rule_learning, "search_targets", search)
    learn_rules(problem(chains(20), StructureOptions(restarts=2)))
    assert gains == pytest.approx([2.0, 2.0 + np.log(1000.0), 2.0 + np.log(2000.0)])

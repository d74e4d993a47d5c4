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
from lrnn_cli.structure.algorithm import StructureLearner, StructureOptions
from lrnn_cli.structure.run_directory import RunDirectory
from lrnn_cli.structure.starts import Part, simple_structure, strongest

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


def learner(text: str, options: StructureOptions) -> StructureLearner:
    with open_grounder("swi", GrounderOptions()) as grounder:
        data = grounder.load(Source("data.pl", text.encode()))
        return StructureLearner(data, grounder.knowledge(data), None, options)


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
    learning = learner(text, StructureOptions(arity=2, object_identity=identity))
    learning._create_layer1()
    body = Candidate(Shape(GOOD, ((EDGE, (0, 1)), (EDGE, (1, 2))), (((1,), 1),)), ("latent_1_1",))
    learning.latent_rules += learning._invention(body)
    learning._init_weights(learning.latent_rules)
    learning._weighted_facts()
    names = ("latent_2_7", "latent_2_8")[: len(slots)]
    candidate = Candidate(Shape(GOOD, (), tuple((variables, 2) for variables in slots)), names)
    column = learning.features.columns(candidate.shape, [candidate.filling])[:, 0]
    rules = [*learning._weighted(learning.latent_rules), candidate.rule(1.5)]
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
    """Two parts, mixed by a rotation of 30 degrees, are found again, up to order and sign."""
    parts = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.0, 0.0]])
    c, s = np.cos(np.pi / 6), np.sin(np.pi / 6)
    turned = np.abs(simple_structure(parts @ np.array([[c, -s], [s, c]])))
    assert turned[:, np.argsort(-turned[0])] == pytest.approx(parts, abs=1e-6)


def test_the_strongest_parts_are_unlike_each_other() -> None:
    """The second is nearly the first, the third its opposite."""
    parts = [Part(1.0, np.array([1.0, 0.0])), Part(3.0, np.array([0.1, 1.0])), Part(2.0, np.array([0.0, 1.0]))]
    parts.append(Part(0.5, np.array([0.0, -1.0])))
    assert [weights.tolist() for weights in strongest(parts, 3)] == [[0.1, 1.0], [1.0, 0.0], [0.0, -1.0]]
    assert len(strongest(parts, 1)) == 1


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_clusters_start_as_the_classes_that_matter(seed: int) -> None:
    """Some cluster has t1 and t2 above all others, some other t3 and t4, before any rule was learned."""
    learning = learner(chains(400), StructureOptions(seed=seed))
    learning._create_layer1()
    learning._weighted_facts()
    learning._start_clusters([rule.head.name for rule in learning.latent_rules])
    tops = []
    for number in range(1, 7):
        weights = {
            rule.body[0].name: learning.weights[rule.clause]
            for rule in learning.latent_rules
            if rule.head.name == f"latent_1_{number}"
        }
        tops.append(set(sorted(weights, key=lambda name: -weights[name])[:2]))
    assert {"t1", "t2"} in tops
    assert {"t3", "t4"} in tops


def test_invented_predicates_start_as_one_body_each() -> None:
    """Three variables, six predicates: three have the weight 1 for one head, the others are drawn."""
    learning = learner(chains(12), StructureOptions())
    learning._create_layer1()
    body = Candidate(Shape(GOOD, ((EDGE, (0, 1)), (EDGE, (1, 2))), (((1,), 1),)), ("latent_1_1",))
    learning.weights[body.rule().clause] = 1.0
    learning._predicate_invention([(body, 0.5)])
    rows = [
        [learning.weights[rule.clause] for rule in learning.latent_rules if rule.head.name == f"latent_2_{number}"]
        for number in range(1, 7)
    ]
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

    def record_and_stop(directory: RunDirectory, learning: StructureLearner) -> None:
        record(directory, learning)
        raise KeyboardInterrupt

    with monkeypatch.context() as cut:
        cut.setattr(RunDirectory, "record", record_and_stop)
        for number in range(len(whole)):
            assert run("parts", *(["--resume"] if number else [])) == 130
    assert run("parts", "--resume") == 0
    assert (tmp_path / "parts.pl").read_bytes() == (tmp_path / "whole.pl").read_bytes()


def test_latent_predicates_in_use_keep_their_weights_when_others_start_anew() -> None:
    """Clusters that the target rule uses stay; the others get other weights."""
    learning = learner(chains(60), StructureOptions(length=3, variables=2))
    learning._create_layer1()
    learning._weighted_facts()
    body = Candidate(Shape(GOOD, ((EDGE, (0, 1)),), (((0,), 1),)), ("latent_1_2",))
    learning.weights[body.rule().clause] = 1.0
    learning._predicate_invention([(body, 0.5)])
    before = dict(learning.weights)
    learning._start_anew()
    changed = {name.partition("(")[0] for name in before if learning.weights[name] != before[name]}
    assert changed & {f"latent_1_{number}" for number in range(1, 7)} == {
        f"latent_1_{number}" for number in (1, 3, 4, 5, 6)
    }


def test_what_a_new_start_finds_must_stand_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its gain is that of any rule, and the logarithm of the number of candidates tried before."""
    gains = []

    def search(learning: StructureLearner, iteration: int, gain: float) -> tuple[list[tuple[Candidate, float]], int]:
        gains.append(gain)
        return [], 1000

    monkeypatch.setattr(StructureLearner, "_rule_learning", search)
    learner(chains(20), StructureOptions(restarts=2)).learn()
    assert gains == pytest.approx([2.0, 2.0 + np.log(1000.0), 2.0 + np.log(2000.0)])

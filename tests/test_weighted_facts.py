"""Weights of facts count in the search as in the network: columns, symmetries, facts of the target, learning itself."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import naive
import numpy as np
import pytest
from click.testing import CliRunner

from lrnn_cli.commands import cli
from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder
from lrnn_cli.grounding.joins.relations import Relations, symmetries
from lrnn_cli.grounding.tables import SoftFacts, Table
from lrnn_cli.hypotheses.bodies import OPEN, Candidate, Shape
from lrnn_cli.hypotheses.refinement import refinements
from lrnn_cli.language.clauses import Constant, Predicate, Rule, Variable
from lrnn_cli.language.files import Source
from lrnn_cli.language.template import Template
from lrnn_cli.network.network import compile_network
from lrnn_cli.semantics.aggregations import AGGREGATIONS
from lrnn_cli.semantics.losses import LOSSES
from lrnn_cli.structure.algorithm import learn_rules
from lrnn_cli.structure.features import Features
from lrnn_cli.structure.latent_rules import create_layer1_rules
from lrnn_cli.structure.observer import Observer
from lrnn_cli.structure.options import StructureOptions
from lrnn_cli.structure.problem import Problem, make_problem
from lrnn_cli.structure.rules import Rules, rules_of, weighted, written_template
from lrnn_cli.structure.starts import first_weights
from lrnn_cli.structure.target_search import regression_of
from lrnn_cli.structure.weights import outputs, weighted_facts

QUICK = ["--iterations", "2", "--epochs", "60", "--final-epochs", "60", "--conjunctions", "0", "--quiet"]


def examples(draw: random.Random, target: str) -> tuple[naive.Example, ...]:
    """Examples with facts of no, one, two and three arguments, some with a weight, some with several."""
    found = []
    for number in range(4):
        names = [f"o{index}" for index in range(draw.randint(2, 4))]
        facts: dict[tuple[naive.Atom, float | None], None] = {}

        def add(name: str, *arguments: str, facts: dict[tuple[naive.Atom, float | None], None] = facts) -> None:
            for _ in range(draw.choice([1, 1, 2])):
                facts[naive.Atom(name, arguments), draw.choice([None, None, 0.2, 0.9, -0.4, 1.5])] = None

        if draw.random() < 0.7:
            add("hot")
        for name in names:
            add(draw.choice(["c", "o"]), name)
            for other in names:
                if draw.random() < 0.5:
                    add("bond", name, other)
                if draw.random() < 0.2:
                    add("link", name, other, draw.choice(names))
        atoms = [naive.Atom(target)] if target == "p" else [naive.Atom(target, (name,)) for name in names]
        queries = tuple((atom, float(draw.random() < 0.5)) for atom in atoms)
        found.append(naive.Example(f"e{number}", tuple(facts), queries))
    return (*found, naive.Example("e4", (), ((naive.Atom("p"), 0.0),) if target == "p" else ()))


def naive_rule(rule: Rule) -> naive.Rule:
    def term(argument: Variable | Constant) -> naive.Term:
        return naive.Variable(argument.name) if isinstance(argument, Variable) else argument.text

    head, *body = [naive.Atom(atom.name, tuple(map(term, atom.arguments))) for atom in (rule.head, *rule.body)]
    assert rule.weight is not None
    return naive.Rule(rule.weight, naive.Clause(head, tuple(body)))


def candidates(E: Problem, F: Features, R: Rules, draw: random.Random) -> list[Candidate]:
    """Some bodies of one, two and three steps of refinement."""
    (target,) = E.targets
    found: list[Candidate] = []
    frontier = [Candidate(Shape(target, (), ()), ())]
    for _ in range(3):
        steps = [
            Candidate(
                refined.shape,
                tuple(
                    draw.choice(F.layers[layer, len(variables)].names) if name == OPEN else name
                    for (variables, layer), name in zip(refined.shape.slots, refined.filling, strict=True)
                ),
            )
            for parent in frontier
            for refined in refinements(parent, E.language(R.latent), E.words.targets[target])
        ]
        frontier = draw.sample(steps, min(4, len(steps)))
        found += [candidate for candidate in frontier if candidate.shape.safe]
    return found


@pytest.mark.parametrize("seed", range(10))
def test_columns_of_weighted_facts(seed: int) -> None:
    """The columns of random bodies over random facts give the outputs of the network and of the definitions."""
    draw = random.Random(seed)
    aggregation = list(AGGREGATIONS)[seed % len(AGGREGATIONS)]
    identity = draw.random() < 0.5
    options = StructureOptions(
        dimension=2, crisp=True, aggregation=aggregation, object_identity=identity, length=4, variables=4, seed=seed
    )
    given = naive.Program((), (), examples(draw, draw.choice(["p", "q"])))
    with open_grounder("swi", GrounderOptions()) as grounder:
        data = grounder.load(Source("data.pl", given.data_text().encode()))
        E = make_problem(data, grounder.knowledge(data), data.queries, options)
        R = create_layer1_rules(E)
        W = first_weights(E, R, Observer())
        F = weighted_facts(E, R, W)
        soft = 0
        for candidate in candidates(E, F, R, draw):
            soft += any(predicate in E.relations.soft for predicate, _ in candidate.shape.relations)
            column = F.column(candidate)
            latent = tuple(rule for rule in R.latent if rule.head.name in candidate.filling)
            rules = (*weighted(latent, W), candidate.rule(0.7))
            written = tuple(map(E.words.written, rules))
            expected = 1.0 / (1.0 + np.exp(-6.0 * (0.7 * column - 0.5)))
            program = naive.Program(
                tuple(map(naive_rule, written)),
                (),
                given.examples,
                object_identity=identity,
                aggregation=aggregation,
            )
            assert naive.ground(program).outputs() == pytest.approx(expected, abs=1e-12), candidate.rule()
            internal, model = Template(rules, E.settings), Template(written, E.settings)
            for groundings in (E.grounder.ground(internal), grounder.ground(model, data)):
                network = compile_network(groundings)
                values, _ = network.forward(np.array([rule.weight for rule in rules], float))
                assert network.outputs(values) == pytest.approx(expected, abs=1e-12), candidate.rule()
        assert soft > 2


def test_facts_of_the_target() -> None:
    """A query atom that is a fact as well has its weight: the regression and the trained network are the model's."""
    lines = []
    for number in range(12):
        facts = "c(a). o(b). bond(a, b)." if number % 3 else "c(a). c(b). bond(b, a)."
        facts += ["", " 0.3 :: active.", " active. 0.5 :: active.", " active."][number % 4]
        lines.append(f"begin(model(m{number})). {facts} query(active, {float(number % 3 > 0)}). end(model(m{number})).")
    text = "\n".join(lines)
    with open_grounder("swi", GrounderOptions()) as grounder:
        data = grounder.load(Source("data.pl", text.encode()))
        options = StructureOptions(iterations=1, gain=0.0)
        E = make_problem(data, grounder.knowledge(data), data.queries, options)
        (target,) = E.targets
        assert (E.targets[target].given == [0.0, 0.3, 1.5, 1.0] * 3).all()  # type: ignore[union-attr]
        state = learn_rules(E)
        R, W = state.rules, state.weights
        assert state.iterations
        template = written_template(E, R, W)
        network = compile_network(grounder.ground(template, data))
        values, _ = network.forward(np.array([rule.weight for rule in template.rules], float))
        assert outputs(E, R, W, data.queries) == pytest.approx(network.outputs(values), abs=1e-12)
        fitted = regression_of(E, weighted_facts(E, R, W), R, W, target)
        start = [W[rule.clause] for rule in rules_of(E, R, target)]
        shown = replace(fitted, weights=np.array(start)).output()
        assert shown == pytest.approx(network.outputs(values), abs=1e-12)
        losses = LOSSES["log"].value(fitted.output(), fitted.target)
        assert fitted.log_loss == pytest.approx(losses.mean(), abs=1e-12)


def test_directions_of_different_weights_are_not_symmetric() -> None:
    """A relation is symmetric when both directions of each fact have one sum of weights."""
    bond = Predicate("bond", 2)
    rows = Table(np.zeros(2, np.int32), np.array([[0, 1], [1, 0]], np.int32))

    def orders(atoms: list[list[int]], weights: list[float]) -> tuple[tuple[int, ...], ...]:
        table = Table(np.zeros(len(atoms), np.int32), np.array(atoms, np.int32))
        relations = Relations({bond: rows}, {bond: SoftFacts(table, np.array(weights))}, {}, 2, True)
        return symmetries(relations)[bond]

    assert orders([[0, 1], [1, 0]], [0.9, 0.2]) == ((0, 1),)
    assert orders([[0, 1]], [0.9]) == ((0, 1),)
    assert orders([[0, 1], [1, 0]], [0.5, 0.5]) == ((0, 1), (1, 0))
    assert orders([[0, 1], [1, 0], [1, 0]], [0.75, 0.5, 0.25]) == ((0, 1), (1, 0))


def test_learning_from_weights_alone(tmp_path: Path) -> None:
    """Examples that differ in the weight of a relation, and in nothing else."""
    lines = []
    for number in range(40):
        weight, target = (0.9, 1.0) if number % 2 else (0.2, 0.0)
        facts = f"{weight} :: bond(a, b). {weight} :: bond(b, c). c(a). c(b). c(c)."
        lines.append(f"begin(model(m{number})). {facts} query(active, {target}). end(model(m{number})).")
    data, model = tmp_path / "data.pl", tmp_path / "model.pl"
    data.write_text("\n".join(lines))
    run = CliRunner()
    assert run.invoke(cli, ["learn-structure", str(data), "-o", str(model), *QUICK]).exit_code == 0
    metrics = json.loads(run.invoke(cli, ["evaluate", str(model), str(data), "--json"]).stdout)
    assert metrics["accuracy"] == 1.0

"""Comparisons of two numbers: which there are, how rules with them are written, and planted ones."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from lrnn_cli.commands import cli
from lrnn_cli.grounding.grounder import GrounderOptions, Knowledge, open_grounder
from lrnn_cli.grounding.joins.relations import Literal
from lrnn_cli.hypotheses import comparisons
from lrnn_cli.hypotheses.bodies import Candidate, Shape
from lrnn_cli.hypotheses.conditions import with_conditions
from lrnn_cli.hypotheses.refinement import refinements
from lrnn_cli.hypotheses.vocabulary import Vocabulary, vocabulary
from lrnn_cli.language.clauses import Atom, Predicate, Rule, Variable
from lrnn_cli.language.data import DataSet, measured, sort_text
from lrnn_cli.language.files import Source
from lrnn_cli.language.template import Template
from lrnn_cli.network.network import Network, compile_network
from lrnn_cli.semantics.aggregations import AGGREGATIONS
from lrnn_cli.structure.latent_rules import create_layer1_rules
from lrnn_cli.structure.options import StructureOptions
from lrnn_cli.structure.problem import Problem, make_problem
from lrnn_cli.structure.weights import weighted_facts

FEW = ["--iterations=1", "--epochs=20", "--final-epochs=10", "--conjunctions=5", "--length=2", "--variables=2"]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], catch_exceptions=False)


def loaded(text: str) -> tuple[DataSet, Knowledge]:
    with open_grounder("swi", GrounderOptions()) as grounder:
        data = grounder.load(Source("data.pl", text.encode()))
        return data, grounder.knowledge(data)


def words_of(text: str) -> Vocabulary:
    data, knowledge = loaded(text)
    return with_conditions(vocabulary(data, knowledge, data.queries), data.queries, AGGREGATIONS["sqrt"])


def problem_of(text: str, identity: bool) -> Problem:
    data, knowledge = loaded(text)
    return make_problem(data, knowledge, data.queries, StructureOptions(object_identity=identity))


def names(text: str) -> list[str]:
    return sorted(words_of(text).comparisons)


def model(number: int, facts: list[str], queries: dict[str, bool]) -> str:
    lines = [f"begin(model(m{number})).", *(f"{fact}." for fact in facts)]
    lines += [f"query({atom}, {int(positive)})." for atom, positive in queries.items()]
    return "\n".join([*lines, f"end(model(m{number}))."]) + "\n"


def some(facts: str, bias: str = "", query: str = "p") -> str:
    """Eight examples, X being their number."""
    return bias + "".join(
        model(number, [fact.strip().replace("X", str(number)) for fact in facts.split(";")], {query: number > 3})
        for number in range(8)
    )


# Which there are


@pytest.fixture
def every(monkeypatch: pytest.MonkeyPatch) -> None:
    """All comparisons that can be, whatever they promise."""
    monkeypatch.setattr(comparisons, "GAIN", -math.inf)
    monkeypatch.setattr(comparisons, "MOST", 80)


TWO_BLOCKS = "size(a, 4.X); size(b, 2.X); size(c, 9.X)"


@pytest.mark.usefixtures("every")
def test_numbers_of_one_argument_are_compared_where_a_fact_joins_two_objects() -> None:
    """The fact is part of it; what is more one way round is less the other way round."""
    found = names(some(f"{TWO_BLOCKS}; on(a, b); on(b, c); on(a, a)"))
    assert found == [
        "on(X1, X2), size(X1, V1), size(X2, V2), V1 < V2",
        "on(X1, X2), size(X1, V1), size(X2, V2), V1 > V2",
    ]
    symmetric = names(some(f"{TWO_BLOCKS}; on(a, b); on(b, a); on(a, c); on(c, a)"))
    assert symmetric == ["on(X1, X2), size(X1, V1), size(X2, V2), V1 > V2"]


@pytest.mark.usefixtures("every")
def test_objects_that_no_fact_joins_are_compared_in_pairs() -> None:
    words = words_of(some(TWO_BLOCKS))
    assert list(words.comparisons) == ["size(X1, V1), size(X2, V2), V1 > V2"]
    # c > a, c > b and a > b in each of eight examples.
    assert len(words.tables[Predicate("size(X1, V1), size(X2, V2), V1 > V2", 2)]) == 24


@pytest.mark.usefixtures("every")
def test_too_many_pairs_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """There are 72 = 8 * 9."""
    monkeypatch.setattr(comparisons, "PAIRS", 72)
    assert names(some(TWO_BLOCKS))
    monkeypatch.setattr(comparisons, "PAIRS", 71)
    assert not names(some(TWO_BLOCKS))


@pytest.mark.usefixtures("every")
def test_a_target_about_two_objects_has_them_compared_whatever_joins_them() -> None:
    found = names(some(f"{TWO_BLOCKS}; on(a, b); on(b, c)", query="larger(a, b)"))
    assert "size(X1, V1), size(X2, V2), V1 > V2" in found


@pytest.mark.usefixtures("every")
def test_other_arguments_are_compared_where_a_bias_gives_them_one_sort() -> None:
    facts = "open(a, 4.X); close(a, 2.X); open(b, 1.X); close(b, 3.X)"
    assert all("open" not in name or "close" not in name for name in names(some(facts)))
    day = "bias(open(day, {})). bias(close(day, {})).\n"
    for one, other, equal in [
        ("price", "price", True),
        ("number(price)", "price", True),
        ("number(price)", "number(price)", True),
        ("number(price)", "number(prices)", False),
        ("number", "number", False),
        ("price", "number", False),
    ]:
        found = names(some(facts, day.format(one, other)))
        assert ("close(X1, V1), open(X1, V2), V1 > V2" in found) == equal
        assert ("close(X1, V1), open(X2, V2), V1 > V2" in found) == equal


@pytest.mark.usefixtures("every")
def test_integers_are_compared_where_a_bias_calls_them_numbers_and_may_be_equal() -> None:
    facts = "size(a, 2X); size(b, 13); size(c, 13); on(a, b); on(b, c); on(b, a)"
    assert not names(some(facts))
    found = names(some(facts, "bias(on(block, block)). bias(size(block, number)).\n"))
    facts = "on(X1, X2), size(X1, V1), size(X2, V2)"
    assert found == [f"{facts}, V1 =:= V2", f"{facts}, V1 > V2"]


@pytest.mark.usefixtures("every")
def test_numbers_of_the_example_and_of_one_fact() -> None:
    bias = "bias(warm(number(t))). bias(cold(number(t))). bias(likes(bird, number(t))). bias(range(bird, t, t)).\n"
    found = names(
        some("warm(4.X); cold(4.3); likes(a, 4.5); likes(b, 3.5); range(a, 4.X, 4.4); range(b, 0.5, 0.X)", bias)
    )
    assert "cold(V1), warm(V2), V1 > V2" in found
    assert "likes(X1, V1), warm(V2), V1 > V2" in found
    assert "range(X1, V1, V2), V1 > V2" in found
    assert "likes(X1, V1), range(X1, V2, V3), V1 < V2, V3 =:= V3" in found


@pytest.mark.usefixtures("every")
def test_what_holds_of_all_or_of_none_is_no_comparison() -> None:
    bias = "bias(low(day, price)). bias(high(day, price)).\n"
    assert not names(some("low(a, 1.X); high(a, 2.X)", bias))


@pytest.mark.usefixtures("every")
def test_numbers_of_weighted_facts_are_not_compared() -> None:
    assert not names(some(f"0.5 :: {TWO_BLOCKS}"))


def test_sorts_of_numbers(tmp_path: Path) -> None:
    assert [measured(sort) for sort in ("number", "number(length)", "block", "numbers")] == ["", "length", None, None]
    assert [sort_text(sort) for sort in ("number", "number(my length)", "Block")] == [
        "number",
        "number('my length')",
        "'Block'",
    ]
    (tmp_path / "data.pl").write_text("bias(q(day, number('A'))).\nq(a, 1). q(b, 2). query(p(a), 1). query(p(b), 0).\n")
    split = run("check", tmp_path / "data.pl", "--split-by", "p/1")
    assert split.exit_code == 0, split.output
    for wrong in ("number(3)", "number(a, b)", "size(a)", "number(_)"):
        (tmp_path / "data.pl").write_text(f"bias(q(day, {wrong})).\nq(a, 1). query(p, 1).\n")
        result = run("check", tmp_path / "data.pl")
        assert result.exit_code == 1 and "data.pl:1:1: bias(q(day," in result.stderr, wrong


@pytest.mark.usefixtures("every")
def test_a_relation_stands_once_in_a_body_with_a_comparison() -> None:
    """Also the other way round, where it is symmetric: bond(Y, X) is bond(X, Y) as it is written."""
    E = problem_of(some(f"{TWO_BLOCKS}; on(a, b); on(b, c); bond(a, b); bond(b, a); bond(b, c); bond(c, b)"), True)
    language = E.language(())
    for relation, orders in {"on": {(0, 1)}, "bond": {(0, 1), (1, 0)}}.items():
        plain = Predicate(relation, 2)
        compared = Predicate(f"{relation}(X1, X2), size(X1, V1), size(X2, V2), V1 > V2", 2)
        assert compared.name in E.words.comparisons
        for first in (plain, compared):
            shape = Shape(Predicate("p", 0), ((first, (0, 1)),), ())
            beside = [own.shape.relations for own in refinements(Candidate(shape, ()), language, ())]
            both = [own for own in beside if {name for name, _ in own} == {plain, compared}]
            pairs = {tuple(places for _, places in sorted(own)) for own in both}
            assert pairs
            for one, other in pairs:
                assert other not in {tuple(one[place] for place in order) for order in orders}


def test_comparisons_that_promise_nothing_are_no_words() -> None:
    """Blocks are on each other by chance: only where it matters how large they are, these are compared."""
    text = stacked(60)
    assert names(text) == ["on(X1, X2), size(X1, V1), size(X2, V2), V1 > V2"]
    draw = random.Random(3)
    assert not names(re.sub(r"unstable, \d", lambda _: f"unstable, {draw.randrange(2)}", text))


# What rules with them compute


def random_days(seed: int) -> str:
    """Days with numbers of one sort, some of them missing; other relations; numbers of the whole example."""
    draw = random.Random(seed)
    text = (
        "bias(close(day, price)). bias(range(day, price, price)). bias(limit(price)). bias(least(price)).\n"
        "bias(next(day, day)). bias(meet(day, person, day)). bias(size(person, number)). bias(sunny(day)).\n"
    )
    for number in range(12):
        facts = [f"limit({draw.randrange(4) / 2})", f"least({draw.randrange(3) / 2})"]
        for day in range(4):
            facts += [f"close(d{day}, {draw.randrange(4) / 2})"] * draw.choice([0, 1, 1])
            facts += [f"range(d{day}, {draw.randrange(4) / 2}, {draw.randrange(4) / 2})"]
            facts += [f"size(p{day}, {draw.randrange(3)})", f"next(d{day}, d{draw.randrange(4)})"]
            facts += [f"meet(d{day}, p{draw.randrange(4)}, d{draw.randrange(4)})"]
            facts += [f"sunny(d{day})"] * draw.choice([0, 1])
        text += model(number, facts, {"up": draw.random() < 0.5, "good(d0, d1)": draw.random() < 0.5})
    return text


def outputs_of(network: Network, rules: Sequence[Rule]) -> np.ndarray:
    return network.outputs(network.forward(np.array([rule.weight for rule in rules]))[0])


@pytest.mark.usefixtures("every")
@pytest.mark.parametrize("identity", [True, False])
def test_a_rule_with_a_comparison_is_what_is_written(identity: bool) -> None:
    """Each comparison alone, and one behind a relation: as one fact in joins, and as written facts and guards."""
    text = random_days(1)
    E = problem_of(text, identity)
    found = sorted(E.words.comparisons.items())
    assert {(len(own.body), own.arity) for _, own in found} >= {(1, 1), (2, 0), (2, 1), (2, 2), (3, 2), (3, 3)}
    assert {own.operator for _, own in found} == {">", "<", "=:="}
    rules = [
        Rule(
            Atom("good", (Variable("V1"), Variable("V2"))),
            (Atom("next", (Variable("V1"), Variable("V2"))),),
            weight=1.0,
        )
    ]
    for number, (name, own) in enumerate(found, 1):
        body = Atom(name, tuple(Variable(f"V{place + 1}") for place in range(own.arity)))
        rules.append(Rule(Atom("up"), (body,), weight=0.001 * number))
        if own.arity == 2:
            more = Atom("next", (Variable("V2"), Variable("V3")))
            rules.append(Rule(Atom("up"), (more, body), weight=-0.002 * number))
    expected = outputs_of(compile_network(E.grounder.ground(Template(tuple(rules), E.settings, "model.pl"))), rules)
    assert len(np.unique(expected)) > 8
    source = f"setting(object_identity, {str(identity).lower()}).\nsetting(aggregation, sqrt).\n"
    source += "\n".join(str(E.words.written(rule)) for rule in rules)
    for grounder_name in ("swi", "joins", "duckdb"):
        with open_grounder(grounder_name, GrounderOptions()) as grounder:
            data = grounder.load(Source("data.pl", text.encode()))
            template = grounder.read_template(Source("model.pl", source.encode()))
            outputs = outputs_of(compile_network(grounder.ground(template, data)), template.rules)
        assert np.abs(outputs - expected).max() < 1e-12, grounder_name


@pytest.mark.usefixtures("every")
def test_columns_of_the_search_are_those_of_the_network() -> None:
    """Of each comparison with a unary predicate of the data, for a target without arguments and one with two.

    What is compared in the whole example stands beside a relation, whose table is that without it, for some examples.
    """
    E = problem_of(random_days(2), True)
    R = create_layer1_rules(replace(E, options=replace(E.options, dimension=1)))
    F = weighted_facts(E, R, {rule.clause: 0.0 for rule in R.latent})
    sunny = E.words.sorts[Predicate("sunny", 1)][0]
    tried = set()
    for target in E.targets:
        for predicate in sorted(known for known in E.words.tables if known.name in E.words.comparisons):
            literals: tuple[Literal, ...] = ((predicate, tuple(range(predicate.arity))),)
            if not predicate.arity:
                literals = (*literals, (Predicate("next", 2), (0, 1)))
            elif predicate.arity == 1 or E.words.sorts[predicate][0] != sunny:
                continue
            candidate = Candidate(Shape(target, literals, (((0,), 0),)), ("sunny",))
            column, rules = F.column(candidate), (candidate.rule(0.7),)
            network = compile_network(E.grounder.ground(Template(rules, E.settings, "model.pl")))
            said = outputs_of(network, rules)[E.rows_of(target)]
            assert np.abs(E.activation.atoms(0.7 * column) - said).max() < 1e-12
            tried |= {predicate.arity} if 0 < np.count_nonzero(column) < len(column) else set()
    assert tried >= {0, 2}


# Planted comparisons


def stacked(examples: int = 60, seed: int = 1) -> str:
    """Unstable where some block is on a smaller one."""
    draw = random.Random(seed)
    text = ""
    for number in range(examples):
        size = [draw.randrange(100) / 10 for _ in range(4)]
        facts = [f"size(b{block}, {size[block]})" for block in range(4)]
        facts += [f"{draw.choice(['red', 'blue'])}(b{block})" for block in range(4)]
        pairs = [pair for pair in ((0, 1), (1, 2), (2, 3)) if draw.random() < 0.45]
        facts += [f"on(b{one}, b{other})" for one, other in pairs]
        text += model(number, facts, {"unstable": any(size[one] > size[other] for one, other in pairs)})
    return text


def rising(examples: int = 8, seed: int = 2) -> str:
    """Good days close higher than they open; prices are of one sort."""
    draw = random.Random(seed)
    text = "bias(open(day, price)). bias(close(day, price)). bias(next(day, day)).\n"
    for number in range(examples):
        facts, queries = [], {}
        for day in range(5):
            first, last = draw.randrange(100) / 10, draw.randrange(100) / 10
            facts += [f"open(d{day}, {first})", f"close(d{day}, {last})", f"next(d{day}, d{day + 1})"]
            queries[f"good(d{day})"] = last > first
        text += model(number, facts, queries)
    return text


@pytest.mark.parametrize(
    ("planted", "learner", "rule"),
    [
        (stacked, "learn-structure", r"on\(V1, V2\), size\(V1, V3\), size\(V2, V4\), V3 > V4\."),
        (rising, "learn-structure", r"close\(V1, V2\), open\(V1, V3\), V2 > V3\."),
        (stacked, "nfoil", r"on\(V1, V2\), size\(V1, V3\), size\(V2, V4\), V3 > V4\."),
    ],
    ids=["two objects", "one object", "nfoil"],
)
def test_a_planted_comparison_stands_in_the_model(planted: object, learner: str, rule: str, tmp_path: Path) -> None:
    """With few conjunctions tried, so that it takes a second; the model is right about new data."""
    assert callable(planted)
    data, new, model_file = tmp_path / "data.pl", tmp_path / "new.pl", tmp_path / "model.pl"
    data.write_text(planted())
    new.write_text(planted(seed=7))
    command = ["baseline", "nfoil"] if learner == "nfoil" else [learner, *FEW]
    result = run(*command, data, "-o", model_file, "--quiet")
    assert result.exit_code == 0, result.output
    assert re.search(rule, model_file.read_text())
    evaluated = run("evaluate", model_file, new, "--json")
    assert float(re.findall(r'"accuracy": ([0-9.]+)', evaluated.stdout)[0]) > 0.97


def test_every_command_takes_a_model_with_comparisons(tmp_path: Path) -> None:
    data, model_file = tmp_path / "data.pl", tmp_path / "model.pl"
    data.write_text(stacked(20))
    model_file.write_text("2.0 :: unstable :- on(X, Y), size(X, A), size(Y, B), A > B, A < 9.5.\n-0.5 :: unstable.\n")
    assert run("ground", model_file, data, "-o", tmp_path / "ground.npz").exit_code == 0
    outputs = set()
    for command in (
        ["predict", model_file, data],
        ["predict", model_file, data, "--grounder", "joins"],
        ["predict", model_file, data, "--grounder", "duckdb"],
        ["explain", model_file, data, "--example", "m3"],
        ["show", model_file],
        ["draw", model_file, data, "--example", "m3", "--format", "dot"],
        ["simplify", model_file, data, "-o", tmp_path / "simple.pl"],
        ["train", tmp_path / "ground.npz", "-o", tmp_path / "trained.pl", "--epochs", "2"],
        ["export", model_file, "-o", tmp_path / "exported.pl"],
    ):
        result = run(*command)
        assert result.exit_code == 0, (command, result.output)
        if command[0] == "predict":
            outputs.add(result.stdout)
    assert len(outputs) == 1 and len(outputs.pop().splitlines()) == 21

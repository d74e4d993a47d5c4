"""`lrnn explain`: contributions derived by hand, and random programs against the naive interpreter."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from conftest import Folder
from hypothesis import assume, given
from naive import Program
from test_semantics import DEEP, LUKASIEWICZ, SIGMOID, programs, sigm, tried

from lrnn_cli.evaluation.contributions import GroundNetwork
from lrnn_cli.evaluation.explanation import explanation, explanation_text
from lrnn_cli.evaluation.one_example import same_text
from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder
from lrnn_cli.grounding.groundings import Groundings
from lrnn_cli.grounding.session import GroundingSession
from lrnn_cli.language.files import Source
from lrnn_cli.network.network import compile_network

UWCSE = Path(os.environ.get("LRNN_DATA_DIR", "no such folder")) / "datasets" / "uwcse.pl"
EVERYTHING = 10**6
"""As --depth or --top: nothing is left out."""

Json = dict[str, Any]


@pytest.fixture(scope="module")
def grounder() -> Iterator[GroundingSession]:
    with open_grounder("swi", GrounderOptions()) as opened:
        yield opened


def groundings_by_example(grounder: GroundingSession, template: str, data: str) -> list[Groundings]:
    """Groundings of each example alone, as the command makes them."""
    rules = grounder.read_template(Source("template.pl", template.encode()))
    loaded = grounder.load(Source("data.pl", data.encode()))
    asked = sorted(set(loaded.queries.example.tolist()))
    return [grounder.ground(rules, loaded, [example], names=True) for example in asked]


def weights_of(groundings: Groundings) -> np.ndarray:
    return np.array([rule.weight for rule in groundings.template.rules], float)


def explained(groundings: Groundings, depth: int = EVERYTHING, top: int = EVERYTHING) -> list[Json]:
    """Explanations of all queries, each from a network of its own."""
    found = []
    for number in range(len(groundings.queries)):
        network = GroundNetwork(groundings, weights_of(groundings), np.array([number]))
        found.append(explanation(network, 0, depth, top))
    return found


def output_of_sum(found: Json) -> float:
    """The output once more, from the contributions that are shown."""
    query = found["atoms"][0]
    total: float = math.fsum(item["contribution"] for item in query["inputs"]) + query["contribution_of_others"]
    if query["linear"]:
        return total
    scaled: float = found["steepness"] * (total + found["offset"])
    return sigm(scaled) if scaled > -700 else 0.0


# By hand
#
# With a = 6 and b0 = -0.5 a plain fact is FACT = sigm(6 * (1 - 0.5)), and a rule neuron of k body atoms is
# sigm(6 * (sum - k + 0.5)).

TEMPLATE = """1.5 :: latent(X) :- c(X).
-0.5 :: latent(X) :- o(X).
2.0 :: target :- bond(X, Y), latent(X), latent(Y).
-1.0 :: target :- o(X).
0.1 :: target.
0.3 :: target :- cl(X).
"""
DATA = """begin(model(m1)).
bond(a1, a2). bond(a2, a3). c(a1). c(a2). o(a3).
query(target, 1.0).
end(model(m1)).
begin(model(m2)).
cl(a1).
query(target, 0.0).
end(model(m2)).
"""
FACT = sigm(3.0)
ONE = sigm(6 * (FACT - 0.5))  # a rule neuron over one fact
L = sigm(6 * (1.5 * ONE - 0.5))  # latent(a1) and latent(a2), carbons
M = sigm(6 * (-0.5 * ONE - 0.5))  # latent(a3), an oxygen
BOND_12 = sigm(6 * (FACT + L + L - 2.5))
BOND_23 = sigm(6 * (FACT + L + M - 2.5))
BONDS = 2.0 * (BOND_12 + BOND_23) / 2
TOTAL = BONDS - ONE + 0.1


def output(total: float) -> float:
    return sigm(6 * (total - 0.5))


def test_explanation_by_hand(folder: Folder) -> None:
    """The whole text, numbers to four digits, from the formulas above."""
    folder.write({"model.pl": TEMPLATE, "data.pl": DATA})
    result = folder.run("explain", "model.pl", "data.pl", "--example", "m1")
    assert result.code == 0, result.stderr
    sizes = BONDS + ONE + 0.1
    expected = f"""m1: target
output {output(TOTAL):.4f}, target 1

target {output(TOTAL):.4f} = sigm(6 * ({TOTAL:.4f} - 0.5)), and {TOTAL:.4f} is the sum of
  +{BONDS:.4f}  {100 * BONDS / sizes:3.0f} %  without it {output(0.1 - ONE):.4f}  \
2 * {BONDS / 2:.4f}  target :- bond(X, Y), latent(X), latent(Y)
      {BONDS / 2:.4f} is the mean of 2 groundings:
      {BOND_12:.4f}  target :- bond(a1, a2), latent(a1), latent(a2)
          latent(a1) {L:.4f} because c(a1)  +{1.5 * ONE:.4f}
          latent(a2) {L:.4f} because c(a2)  +{1.5 * ONE:.4f}
      {BOND_23:.4f}  target :- bond(a2, a3), latent(a2), latent(a3)
          latent(a2) {L:.4f}: see above
          latent(a3) {M:.4f} because o(a3)  -{0.5 * ONE:.4f}
  -{ONE:.4f}  {100 * ONE / sizes:3.0f} %  without it {output(BONDS + 0.1):.4f}  -1 * {ONE:.4f}  target :- o(X)
      {ONE:.4f}  target :- o(a3)
  +0.1000  {10 / sizes:3.0f} %  without it {output(BONDS - ONE):.4f}  a fact of the template
  1 rule has no groundings for it.

A plain fact has the value {FACT:.4f}.
"""
    assert result.stdout == expected


def test_json_by_hand(folder: Folder) -> None:
    """The same numbers to 1e-12, and the output of `lrnn predict`."""
    folder.write({"model.pl": TEMPLATE, "data.pl": DATA})
    result = folder.run("explain", "model.pl", "data.pl", "--example", "m1", "--json")
    document = json.loads(result.stdout)
    assert document["queries"] == 1
    (found,) = document["explanations"]
    target, *latent = found["atoms"]
    assert target["sum"] == pytest.approx(TOTAL, abs=1e-12)
    assert [item["contribution"] for item in target["inputs"]] == pytest.approx([BONDS, -ONE, 0.1], abs=1e-12)
    assert [item["without"] for item in target["inputs"]] == pytest.approx(
        [output(0.1 - ONE), output(BONDS + 0.1), output(BONDS - ONE)], abs=1e-12
    )
    assert [item["kind"] for item in target["inputs"]] == ["rule", "rule", "template fact"]
    assert [item["line"] for item in target["inputs"]] == [3, 4, 5]
    first, second = target["inputs"][0]["strongest"]
    assert [first["contribution"], second["contribution"]] == pytest.approx([BOND_12, BOND_23], abs=1e-12)
    assert first["body"][0] == {"atom": "bond(a1, a2)", "value": pytest.approx(FACT, abs=1e-12), "facts": [1.0]}
    assert [(atom["atom"], atom["value"]) for atom in latent] == [
        ("latent(a1)", pytest.approx(L, abs=1e-12)),
        ("latent(a2)", pytest.approx(L, abs=1e-12)),
        ("latent(a3)", pytest.approx(M, abs=1e-12)),
    ]
    predicted = folder.run("predict", "model.pl", "data.pl").stdout.splitlines()[1].split("\t")
    assert float(predicted[3]) == pytest.approx(found["output"], abs=1e-12)
    assert float(predicted[3]) == pytest.approx(output_of_sum(found), abs=1e-12)


def test_depth_and_top(folder: Folder) -> None:
    """--depth 0 explains the query only; --top 1 shows one input and one grounding, and sums up the others."""
    folder.write({"model.pl": TEMPLATE, "data.pl": DATA})
    result = folder.run("explain", "model.pl", "data.pl", "--example", "m1", "--depth", "0", "--top", "1")
    assert result.stdout.splitlines()[4:-2] == [
        f"  +{BONDS:.4f}  {100 * BONDS / (BONDS + ONE + 0.1):3.0f} %  without it {output(0.1 - ONE):.4f}  "
        f"2 * {BONDS / 2:.4f}  target :- bond(X, Y), latent(X), latent(Y)",
        f"      {BONDS / 2:.4f} is the mean of 2 groundings:",
        f"      {BOND_12:.4f}  target :- bond(a1, a2), latent(a1), latent(a2)",
        f"          latent(a1) {L:.4f}: explained with a larger --depth",
        f"          latent(a2) {L:.4f}: explained with a larger --depth",
        f"      1 more, {BOND_23:.4f} at most",
        f"  -{ONE - 0.1:.4f}         2 more inputs together",
        "  1 rule has no groundings for it.",
    ]


KINDS_TEMPLATE = """0.5 :: p(X) :- c(X), n(X, N), N < 3, M is N + 1, \\+ d(Z, X), X \\== k.
2.0 :: top :- p(X), polar(X), ring(X).
0.25 :: p(k).
1.0 :: alone(X) :- nothing(X).
"""
KINDS_DATA = """ring(X) :- c(X).
begin(model('Été 1')).
c(a). c('B c'). n(a, 1). n('B c', 2). 0.8 :: polar(a). 0.3 :: polar(a). polar('B c'). d(x, y). 0.4 :: p(a). nothing(z).
query(top, 1.0). query(alone(a), 0.0). query(top, 0.5). query(p(k), 1.0).
end(model('Été 1')).
begin(model(m2)). c(a). end(model(m2)).
"""


def test_kinds_of_inputs(folder: Folder) -> None:
    """Weighted facts, background, guards, a fact beside a rule, quoted and accented names, repeated queries."""
    folder.write({"model.pl": KINDS_TEMPLATE, "data.pl": KINDS_DATA})
    two = sigm(6 * (FACT + FACT - 1.5))
    p_a, p_b = sigm(6 * (0.4 + 0.5 * two - 0.5)), sigm(6 * (0.5 * two - 0.5))
    polar_a = sigm(6 * (0.8 + 0.3 - 0.5))
    over_a, over_b = sigm(6 * (p_a + polar_a + FACT - 2.5)), sigm(6 * (p_b + FACT + FACT - 2.5))
    mean = (over_a + over_b) / 2
    result = folder.run("explain", "model.pl", "data.pl", "--example", "Été 1", "--query", "top.")
    assert result.code == 0, result.stderr
    assert result.stdout == (
        f"""'Été 1': top
output {output(2 * mean):.4f}, target 1 and 0.5

top {output(2 * mean):.4f} = sigm(6 * ({2 * mean:.4f} - 0.5)), and {2 * mean:.4f} is the sum of
  +{2 * mean:.4f}  100 %  without it {output(0):.4f}  2 * {mean:.4f}  top :- p(X), polar(X), ring(X)
      {mean:.4f} is the mean of 2 groundings:
      {over_a:.4f}  top :- p(a), polar(a), ring(a)
          p(a) {p_a:.4f} because
            +{0.5 * two:.4f}   {50 * two / (0.4 + 0.5 * two):.0f} %  0.5 * {two:.4f}  """
        f"""p(X) :- c(X), n(X, N), N<3, M is N+1, \\+d(Z, X), X\\==k
                {two:.4f}  p(a) :- c(a), n(a, 1), 1<3, 2 is 1+1, \\+d(Z, a), a\\==k
            +0.4000   {40 / (0.4 + 0.5 * two):.0f} %  a fact of the data
          polar(a) {polar_a:.4f}, facts of weights 0.3 and 0.8
      {over_b:.4f}  top :- p('B c'), polar('B c'), ring('B c')
          p('B c') {p_b:.4f} because c('B c'), n('B c', 2), 2<3, 3 is 2+1, \\+d(Z, 'B c'), 'B c'\\==k  +{0.5 * two:.4f}

A plain fact has the value {FACT:.4f}.
Background knowledge: ring/1.
"""
    )
    several = folder.run("explain", "model.pl", "data.pl", "--example", "'Été 1'").stdout
    nothing = output(0)
    assert f"alone(a) {nothing:.4f} = sigm(6 * (0.0000 - 0.5))\n  Nothing derives it in this example.\n" in several
    assert "  1 rule has no groundings for it.\n" in several
    assert f"  +0.2500  100 %  without it {nothing:.4f}  a fact of the template\n" in several


def test_sigmoid_facts_only(folder: Folder) -> None:
    """Without its rule an atom of the family sigmoid is the sum of its facts, and 0.5 without any input."""
    model = "setting(activation, sigmoid).\n2.0 :: p :- c(X).\n0.1 :: p.\n3.0 :: r :- c(X).\n-7.5 :: q.\n"
    folder.write({"model.pl": model, "data.pl": "c(a). query(p, 1). query(r, 1). query(q, 1)."})
    result = folder.run("explain", "model.pl", "data.pl", "--json")
    p, r, q = (found["atoms"][0] for found in json.loads(result.stdout)["explanations"])
    rule = sigm(1.0)
    assert [item["without"] for item in p["inputs"]] == pytest.approx([0.1, sigm(2 * rule)], abs=1e-12)
    assert [item["without"] for item in r["inputs"]] == [0.5]
    assert (q["value"], q["linear"], q["inputs"][0]["without"]) == (-7.5, True, 0.5)
    text = folder.run("explain", "model.pl", "data.pl", "--query", "q").stdout
    assert "q -7.5000 is the sum of\n  -7.5000  100 %  without it 0.5000  a fact of the template\n" in text
    assert "A plain fact has the value 1.0000." in text


def test_object_identity(folder: Folder) -> None:
    """Groundings are those that the setting leaves."""
    folder.write({"model.pl": "1.0 :: p :- e(X, Y).\n", "data.pl": "e(a, a). e(a, b). query(p, 1)."})
    plain = folder.run("explain", "model.pl", "data.pl").stdout
    identity = folder.run("explain", "model.pl", "data.pl", "--object-identity").stdout
    assert "p :- e(a, a)" in plain and "p :- e(a, b)" in plain
    assert "p :- e(a, a)" not in identity and "p :- e(a, b)" in identity


def test_variables_that_guards_bind(folder: Folder) -> None:
    """Constants, and variables that occur in guards only or in guards and the head, show the right objects."""
    model = "1.0 :: q(Y, k, L) :- n(X, N, z), M is N + 1, K is M * 2, Y = X, \\+ n(Own, K, Any), L is K + M, 3 < M.\n"
    folder.write({"model.pl": model, "data.pl": "n(a, 4, z). n(b, 1, z). n(a, 7, y). query(q(a, k, 15), 1)."})
    text = folder.run("explain", "model.pl", "data.pl").stdout
    shown = "q(a, k, 15) :- n(a, 4, z), 5 is 4+1, 10 is 5*2, a=a, \\+n(Own, 10, Any), 15 is 10+5, 3<5"
    assert f"  {shown}\n" in text


def test_recursion_refers_back_and_ends(folder: Folder) -> None:
    """A chain of a hundred atoms is explained as far as asked, each atom once."""
    model = "1.0 :: path(X, Y) :- e(X, Y).\n0.9 :: path(X, Y) :- e(X, Z), path(Z, Y).\n"
    edges = " ".join(f"e({n}, {n + 1})." for n in range(1, 100))
    folder.write({"model.pl": model, "data.pl": f"{edges} query(path(1, 100), 1)."})
    for depth, atoms in ((5, 5), (98, 98), (100000, 98)):
        text = folder.run("explain", "model.pl", "data.pl", "--depth", str(depth)).stdout
        assert text.count(" because") == atoms
        assert ("larger --depth" in text) == (depth == 5)


@pytest.mark.parametrize(
    ("family", "name"), [("lukasiewicz", name) for name in LUKASIEWICZ] + [("sigmoid", name) for name in SIGMOID]
)
def test_contributions_of_samples(grounder: GroundingSession, family: str, name: str) -> None:
    """For the samples of test_semantics.py the contributions add up to the output derived by hand."""
    template, data, expected = (LUKASIEWICZ if family == "lukasiewicz" else SIGMOID)[name]
    parts = groundings_by_example(grounder, f"setting(activation, {family}).\n{template}", data)
    found = [item for groundings in parts for item in explained(groundings)]
    assert [item["output"] for item in found] == pytest.approx(expected, abs=1e-12)
    assert [output_of_sum(item) for item in found] == pytest.approx(expected, abs=1e-12)


# Against the naive interpreter


def naive_inputs(
    example: naive.GroundExample, atom: naive.Atom, values: dict[naive.Atom, float]
) -> list[tuple[int, list[str], float]]:
    """Rule (-1 for a fact of the data), bodies and contribution of each input of an atom."""
    weights = example.program.weights
    if not naive.holds(example.model, atom):
        return []
    found = [(-1, [""], weight) for weight in example.given.get(atom, [])]
    found += [(index, [""], weights[index]) for index in example.learned.get(atom, [])]
    for index, bodies in example.groundings.get(atom, {}).items():
        fired = [
            example.conjunction([example.atom_value(below, weights, values, []) for below in body]) for body in bodies
        ]
        texts = sorted("; ".join(map(str, body)) for body in bodies)
        found.append((index, texts, weights[index] * example.aggregation(fired)))
    return sorted(found)


def naive_value(program: Program, example: naive.GroundExample, inputs: list[tuple[int, list[str], float]]) -> float:
    total = sum(contribution for _, _, contribution in inputs)
    by_rule = any(index >= 0 and not program.rules[index].clause.is_fact for index, _, _ in inputs)
    return total if program.family == "sigmoid" and inputs and not by_rule else example.disjunction(total)


def shown_inputs(atom: Json, first_line: int) -> list[tuple[int, list[str], float]]:
    """Inputs of an atom in an explanation, in the form of `naive_inputs`."""
    found = []
    for item in atom["inputs"]:
        index = item["line"] - first_line if item["kind"] != "fact" else -1
        bodies = [""]
        if item["kind"] == "rule":
            bodies = sorted("; ".join(part["atom"] for part in one["body"]) for one in item["strongest"])
            assert len(bodies) == item["groundings"]
            together = math.fsum(one["contribution"] for one in item["strongest"])
            assert together == pytest.approx(item["contribution"], abs=1e-12)
        found.append((index, bodies, item["contribution"]))
    return sorted(found)


def check_program(grounder: GroundingSession, program: Program) -> None:
    """Each atom that a query sees is explained once, and its inputs are those of the naive interpreter."""
    first_line = program.template_text().splitlines().index(str(program.rules[0])) + 1
    ground = naive.ground(program)
    parts = groundings_by_example(grounder, program.template_text(), program.data_text())
    for groundings, example in zip(parts, ground.examples, strict=True):
        naive_values: dict[naive.Atom, float] = {}
        outputs = example.outputs(program.weights)
        predicted = compile_network(groundings)
        values, _ = predicted.forward(weights_of(groundings))
        found = explained(groundings)
        assert [item["output"] for item in found] == pytest.approx(predicted.outputs(values).tolist(), abs=1e-12)
        assert [item["output"] for item in found] == pytest.approx(outputs, abs=1e-9)
        for item, (query, _) in zip(found, example.example.queries, strict=True):
            assert output_of_sum(item) == pytest.approx(item["output"], abs=1e-12)
            seen = {query}
            frontier = [query]
            while frontier:
                new = example.inputs(frontier.pop()) - seen
                seen |= new
                frontier += new
            derived = {str(atom) for atom in seen if example.groundings.get(atom) or example.learned.get(atom)}
            assert sorted(atom["atom"] for atom in item["atoms"]) == sorted(derived | {str(query)})
            by_text = {str(atom): atom for atom in seen}
            for atom in item["atoms"]:
                expected = naive_inputs(example, by_text[atom["atom"]], naive_values)
                shown = shown_inputs(atom, first_line)
                assert [one[:2] for one in shown] == [one[:2] for one in expected]
                assert [one[2] for one in shown] == pytest.approx([one[2] for one in expected], abs=1e-9)
                assert atom["value"] == pytest.approx(naive_value(program, example, expected), abs=1e-9)
                sizes = [abs(one["contribution"]) for one in atom["inputs"]]
                assert sizes == sorted(sizes, reverse=True)
                without = [
                    naive_value(program, example, expected[:n] + expected[n + 1 :]) for n in range(len(expected))
                ]
                assert sorted(one["without"] for one in atom["inputs"]) == pytest.approx(sorted(without), abs=1e-9)
            text = explanation_text(item)
            assert text.count(" because") == len(item["atoms"]) - 1
            assert "larger --depth" not in text


@tried(40)
@given(program=programs())
def test_random_programs(grounder: GroundingSession, program: Program) -> None:
    try:
        naive.ground(program).outputs()
    except naive.CycleError:
        assume(False)
    check_program(grounder, program)


def test_a_deep_program(grounder: GroundingSession) -> None:
    check_program(grounder, DEEP)


# What users meet


def test_queries_are_found_however_they_are_written() -> None:
    texts = ("p('A b', f(x, 'Y', [1, 2]))", "'it\\'s'", "p(- 1)", "p(-1)", 'q("a b")', "p(-1)")
    assert same_text("p( 'A b',f(x,'Y',[1,2]) )", texts) == [0]
    assert same_text("p('A b', f('x', 'Y', [1, 2]))", texts) == [0]
    assert same_text("'it''s'", texts) == [1]
    assert same_text("it's", texts) == [1]
    assert same_text("p(-1)", texts) == [3, 5], "two terms that blanks tell apart"
    assert same_text("p( - 1 )", texts) == [2]
    assert same_text('q("a b")', texts) == [4]
    assert same_text('q("ab")', texts) == [], "blanks in quotes count"
    assert same_text("p('Ab', f(x, 'Y', [1, 2]))", texts) == []


MANY = "begin(model(m1)). " + " ".join(f"c(p{n}). query(good(p{n}), 1)." for n in range(1, 8)) + " end(model(m1))."


def test_first_queries_of_many(folder: Folder) -> None:
    folder.write({"model.pl": "1.0 :: good(X) :- c(X).\n", "data.pl": MANY})
    text = folder.run("explain", "model.pl", "data.pl").stdout
    assert [line for line in text.splitlines() if line.startswith("m1: ")] == [f"m1: good(p{n})" for n in (1, 2, 3)]
    assert text.endswith("\nThese are 3 of 7 queries; choose another with --query ATOM.\n")
    one = folder.run("explain", "model.pl", "data.pl", "--query", "good( 'p6' )").stdout
    assert one.startswith("m1: good(p6)\n") and "These are" not in one


def test_output_file_and_same_bytes(folder: Folder) -> None:
    folder.write({"model.pl": TEMPLATE, "data.pl": DATA})
    printed = folder.run("explain", "model.pl", "data.pl", "--example", "m2").stdout
    result = folder.run("explain", "model.pl", "data.pl", "--example", "m2", "-o", "why.txt")
    assert (result.code, result.stdout) == (0, "")
    assert folder.read("why.txt") == printed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--example", "m11"), "data.pl: there is no example m11; did you mean m1? There are 2 examples: m1, m2\n"),
        (("--example", "xyz"), "data.pl: there is no example xyz; there are 2 examples: m1, m2\n"),
        ((), "data.pl: there are 2 examples, m1, m2; choose one with --example\n"),
        (
            ("--example", "m1", "--query", "targt"),
            "data.pl: example m1 has no query targt; did you mean target? There is 1 query: target\n",
        ),
        (("--example", "m1", "-o", "no/file"), "no/file: the folder no does not exist; make it first\n"),
    ],
)
def test_wrong_names(folder: Folder, arguments: tuple[str, ...], message: str) -> None:
    files = {"model.pl": TEMPLATE, "data.pl": DATA}
    folder.write(files)
    result = folder.run("explain", "model.pl", "data.pl", *arguments)
    assert (result.code, result.stdout, result.stderr) == (1, "", message)
    assert folder.content() == {name: text.encode() for name, text in files.items()}


def test_an_example_without_a_query(folder: Folder) -> None:
    """It is asked for targets without arguments, if the model has any."""
    folder.write({"model.pl": KINDS_TEMPLATE, "data.pl": KINDS_DATA})
    assert folder.run("explain", "model.pl", "data.pl", "--example", "m2").stdout.startswith("m2: top\n")
    folder.write({"model.pl": "1.0 :: alone(X) :- nothing(X).\n"})
    result = folder.run("explain", "model.pl", "data.pl", "--example", "m2")
    assert result.code == 1
    assert result.stderr.startswith("data.pl:6:1: example m2 has no query; ")


def test_a_rule_without_a_weight(folder: Folder) -> None:
    folder.write({"model.pl": "_ :: p :- c(X).\n", "data.pl": "c(a). query(p, 1)."})
    result = folder.run("explain", "model.pl", "data.pl")
    assert (result.code, result.stdout) == (1, "")
    assert result.stderr.startswith("model.pl:1:1: the rule for p has no weight; ")


ENSEMBLE = """begin(model(1)). 1.0 :: p :- c(X). end(model(1)).
begin(model('B 2')). -2.0 :: p :- c(X). end(model('B 2')).
"""


def test_a_member_of_an_ensemble(folder: Folder) -> None:
    folder.write({"model.pl": ENSEMBLE, "data.pl": "c(a). query(p, 1).", "one.pl": "1.0 :: p :- c(X)."})
    text = folder.run("explain", "model.pl", "data.pl", "--member", "B 2").stdout
    assert text.splitlines()[1] == f"output of member 'B 2' {output(-2 * ONE):.4f}, target 1"
    for arguments, message in (
        (("model.pl", "data.pl"), "this is an ensemble of 2 models, 1, 'B 2'; choose one with --member"),
        (("model.pl", "data.pl", "--member", "3"), "there is no member 3; there are 2 members: 1, 'B 2'"),
        (("one.pl", "data.pl", "--member", "1"), "this model is not an ensemble; leave --member out"),
    ):
        result = folder.run("explain", *arguments)
        assert (result.code, result.stdout, result.stderr) == (1, "", f"{arguments[0]}: {message}\n")


@pytest.mark.skipif(not UWCSE.is_file(), reason="LRNN_DATA_DIR has no datasets")
def test_one_of_thousands_of_queries(folder: Folder) -> None:
    model = (
        "2.0 :: active(P) :- publication(T, P).\n0.5 :: coauthor(P, Q) :- publication(T, P), publication(T, Q).\n"
        "3.0 :: advisedby(P, Q) :- professor(Q), student(P), coauthor(P, Q).\n"
        "0.7 :: advisedby(P, Q) :- coauthor(P, R), coauthor(R, Q), active(R).\n"
    )
    folder.write({"model.pl": model})
    rows = folder.run("predict", "model.pl", str(UWCSE)).stdout.splitlines()[1:]
    predicted = {tuple(row.split("\t")[:2]): float(row.split("\t")[3]) for row in rows}
    example, query = max(predicted, key=lambda key: (predicted[key], key))
    result = folder.run(
        *("explain", "model.pl", str(UWCSE), "--example", example, "--query", query.replace(" ", ""), "--json")
    )
    (found,) = json.loads(result.stdout)["explanations"]
    assert found["output"] == pytest.approx(predicted[example, query], abs=1e-12)
    assert output_of_sum(found) == pytest.approx(predicted[example, query], abs=1e-12)

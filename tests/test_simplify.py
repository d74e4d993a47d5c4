"""`lrnn simplify`: what it drops, what it keeps, and that a network without rules is the network of fewer rules."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

import naive
import numpy as np
import pytest
from conftest import Folder
from hypothesis import given
from hypothesis import strategies as st
from test_semantics import acyclic, grounded, programs, tried, weights_of

from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder
from lrnn_cli.grounding.regrounding import Regrounder, joinable
from lrnn_cli.grounding.session import GroundingSession
from lrnn_cli.language.clauses import Atom, Constant, Guard, Rule, Variable
from lrnn_cli.language.files import Source
from lrnn_cli.language.template import Settings
from lrnn_cli.network.network import compile_network
from lrnn_cli.semantics.activations import Activation
from lrnn_cli.simplification import simplification
from lrnn_cli.simplification.condensing import Condensed, Definitions, TargetRule, condense
from lrnn_cli.simplification.removal import Removal
from lrnn_cli.simplification.simplification import Simplifier, can_drop, canonical, in_batches, live_rules, parts

SETTINGS = (
    "setting(activation, lukasiewicz).\nsetting(steepness, 6.0).\nsetting(offset, -0.5).\n"
    "setting(object_identity, false).\n"
)
DATA = """
begin(model(east)).
c(a). u(a). z(a).
query(p, 1.0).
end(model(east)).
begin(model(west)).
u(b). z(b).
query(p, 0.0).
end(model(west)).
"""
NO_TRAINING = ("--retrain", "0", "--quiet")


def sigm(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x))


@pytest.fixture(scope="module")
def grounder() -> Iterator[GroundingSession]:
    with open_grounder("swi", GrounderOptions()) as opened:
        yield opened


def simplified(folder: Folder, model: str, *options: str, data: str = DATA) -> list[str]:
    """The rules that are left, as lines, latent predicates first and the strongest rules of a predicate first."""
    folder.write({"m.pl": model, "d.pl": data})
    outcome = folder.run("simplify", "m.pl", "d.pl", "-o", "s.pl", *options)
    assert outcome.code == 0, outcome.stderr
    lines = folder.read("s.pl").splitlines()
    return [line for line in lines if line and not line.startswith(("%", "setting"))]


def variables(*names: str) -> tuple[Variable, ...]:
    return tuple(map(Variable, names))


# Many target rules at once


def test_one_of_two_equal_rules_takes_the_weight_of_both() -> None:
    """Rules 0 and 1 give the same, so one can go at no cost, and the other has 1 + 2; rule 2 gives something else.

    Of rule 3 a literal is always 1, so it goes: a body of Lukasiewicz's conjunction is the same without it.
    """
    activation = Activation.of(Settings())
    values = np.random.default_rng(1).random((5, 60))
    bodies = [("a",), ("a",), ("b",), ("c", "d")]
    model = [Rule(Atom("p"), tuple(map(Atom, names)), weight=1.0) for names in bodies]
    model += [Rule(Atom(name), (Atom(f"f{name}"),), weight=1.0) for name in "abcd"]
    rules = [TargetRule(number, (0,), values[number and number - 1], None) for number in range(3)]
    literals = np.stack([values[3], np.ones(60)])
    column = activation.rules(activation.rule_bias(2, 0) + literals.sum(axis=0))
    rules.append(TargetRule(3, (0, 1), column, literals))
    weights = np.array([1.0, 2.0, -1.0, 0.5])
    wanted = np.stack([rule.column for rule in rules], 1) @ weights

    def close(found: Condensed, alone: bool) -> bool:
        given = np.stack([rule.column for rule in found.rules], 1) @ found.weights
        return bool(np.abs(given - wanted).max() < 0.01)

    found = condense(rules, weights, np.ones(60), activation, Definitions(model), close)
    left = {rule.number: (rule.places, weight) for rule, weight in zip(found.rules, found.weights, strict=True)}
    assert [number for number in left if number in (2, 3)] == [2, 3]
    assert len(left) == 3
    assert left[min(left)][1] == pytest.approx(3.0, abs=0.02)
    assert left[2][1] == pytest.approx(-1.0, abs=0.02)
    assert left[3][0] == (0,)


def test_model_of_conjunctions_is_condensed(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """For two queries, the fact and one of the conjunctions give what both gave; parts that nothing uses go, too."""
    monkeypatch.setattr(simplification, "MANY_RULES", 3)
    parts = "2.0 :: part_1 :- c(X).\n-0.5 :: part_1.\n1.0 :: part_2 :- u(X).\n0.1 :: part_2.\n"
    rules = simplified(folder, f"{parts}1.0 :: p :- part_1.\n0.7 :: p :- part_1, part_2.\n0.1 :: p.\n", "--quiet")
    assert [rule.split(" :: ")[1] for rule in rules] == ["part_1.", "part_1 :- c(X).", "p.", "p :- part_1."]
    assert "0.1 :: p" not in rules


def test_rules_that_a_literal_stands_for() -> None:
    """Two literals share the two rules of a, and half of the three of c, which a and b use: (2 + 1.5) / 2 = 1.75.

    b stands for its one rule and the other half of c: 2.5. A predicate of facts stands for nothing; r needs itself, so
    it is asked for twice, and two rules define it. The rule of p and all it needs are 1 + 2 + 1 + 3 + 2.
    """
    heads = {"a": ["c", "f"], "b": ["c"], "c": ["f", "g", "h"], "r": ["r", "f"], "unused": ["c"]}
    latent = [Rule(Atom(head), (Atom(name),), weight=1.0) for head, names in heads.items() for name in names]
    model = Definitions([Rule(Atom("p"), tuple(map(Atom, "abafrc")), weight=1.0), *latent])
    target = TargetRule(0, (0, 1, 2, 3, 4), np.zeros(1), None)
    found = {predicate.name: share for predicate, share in model.shares([target]).items()}
    assert found == {"a": 1.75, "b": 2.5, "c": 1.5, "f": 0.0, "r": 1.0}
    assert model.size([target]) == 9


def one_rule_each(number: int) -> tuple[str, str]:
    """A model of as many rules as there are queries, the first the strongest, and data in which each has its own."""
    rules = [f"{0.6 - 0.1 * place:.1f} :: p :- f{place}(X).\n" for place in range(number)]
    queries = [f"f{place}(a).\nquery(p, 1.0)." for place in range(number)]
    examples = [f"begin(model(m{place})).\n{query}\nend(model(m{place})).\n" for place, query in enumerate(queries)]
    return "".join(rules), "".join(examples)


@pytest.mark.parametrize("many", [3, 100])
@pytest.mark.parametrize("most", [2, 4, 6, 9])
def test_number_of_rules(most: int, many: int, folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of six rules is all that a query has, so none can go within the tolerance: as many stay as were asked for.

    Condensed and one by one; a query loses the more by its rule the larger the weight, so the strongest stay.
    """
    monkeypatch.setattr(simplification, "MANY_RULES", many)
    model, data = one_rule_each(6)
    rules = simplified(folder, model, "--most-rules", str(most), "--tolerance", "0", *NO_TRAINING, data=data)
    assert [rule.split(":- ")[1] for rule in rules] == [f"f{place}(X)." for place in range(min(most, 6))]


def test_few_enough_rules_stay_within_the_tolerance(folder: Folder) -> None:
    """The rule of u can go at no cost, so it goes, though both would be few enough."""
    model = "1.0 :: p :- c(X).\n0.0 :: p :- u(X).\n"
    assert len(simplified(folder, model, "--most-rules", "2", *NO_TRAINING)) == 1


def test_fewer_rules_than_there_can_be(folder: Folder) -> None:
    """Rules of fixed weights stay, and it is said that there are more than were asked for."""
    folder.write({"m.pl": "fixed(1.0) :: p :- c(X).\nfixed(0.5) :: p :- u(X).\n1.0 :: p :- z(X).\n", "d.pl": DATA})
    outcome = folder.run("simplify", "m.pl", "d.pl", "-o", "s.pl", "--most-rules", "1", "--quiet")
    assert outcome.code == 0, outcome.stderr
    assert folder.read("s.pl").count(" :: ") == 2
    assert "not as few as 1 rules: those that are left are fixed or needed" in outcome.stdout


def test_condensed_model_learns_outputs_and_not_targets(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Targets are 1, and the model says less: what is left of it is trained to say the same, where it can."""
    monkeypatch.setattr(simplification, "MANY_RULES", 3)
    model, data = one_rule_each(4)
    rules = simplified(folder, model, "--most-rules", "3", "--retrain", "200", "--quiet", data=data)
    assert [float(rule.split(" ::")[0]) for rule in rules] == pytest.approx([0.6, 0.5, 0.4], abs=0.01)


# A network without some rules


def test_rule_of_weight_0_and_no_rule(grounder: GroundingSession) -> None:
    """A rule neuron over the crisp c(a) is R; l(a) is sigm(6 (2 R - 0.5)); l(b) has the weight 0: sigm(-3).

    p averages over both, but over l(a) alone when nothing derives l(b).
    """
    data = "begin(model(m)). c(a). o(b). query(p, 1). end(model(m))."
    groundings = grounded(grounder, "2.0 :: l(X) :- c(X). 0.0 :: l(X) :- o(X). 1.0 :: p :- l(X).", data)
    removal = Removal(compile_network(groundings), groundings.program, weights_of(groundings))
    rule = sigm(6 * (sigm(3) - 0.5))
    a, b = (sigm(6 * (value - 0.5)) for value in (sigm(6 * (2 * rule - 0.5)), sigm(-3)))
    assert removal.outputs() == pytest.approx([sigm(6 * ((a + b) / 2 - 0.5))], abs=1e-12)
    assert removal.outputs([1]) == pytest.approx([sigm(6 * (a - 0.5))], abs=1e-12)
    assert removal.outputs([0, 1]) == pytest.approx([sigm(-3)], abs=1e-12)
    removal.take([1])
    assert removal.kept.tolist() == [True, False, True]
    assert removal.outputs() == pytest.approx([sigm(6 * (a - 0.5))], abs=1e-12)
    assert removal.outputs([0]) == pytest.approx([sigm(-3)], abs=1e-12)


@tried(150)
@given(program=programs(), source=st.randoms(use_true_random=False))
def test_removal_from_random_programs(
    grounder: GroundingSession, program: naive.Program, source: random.Random
) -> None:
    """Rules are taken in two steps; outputs are those of the naive interpreter for the rules that are left.

    The weights of facts of one atom do not add up to 0 in these programs.
    """
    groundings, weights = acyclic(grounder, program)
    removal = Removal(compile_network(groundings), groundings.program, weights)
    left = list(range(len(program.rules)))
    for _ in range(2):
        gone = source.sample(left, source.randint(0, len(left)))
        left = [index for index in left if index not in gone]
        expected = naive.ground(replace(program, rules=tuple(program.rules[index] for index in left))).outputs()
        assert removal.outputs(gone).tolist() == pytest.approx(expected, abs=1e-9)
        removal.take(gone)


# Parts of the search


def test_batches_grow_and_shrink() -> None:
    """Items below 7 are accepted: 1, 2 and 4 of them, then the other 3 are refused, and so is each alone."""
    offered: list[list[int]] = []

    def attempt(batch: Sequence[int]) -> bool:
        offered.append(list(batch))
        return max(batch) < 7

    in_batches(list(range(10)), attempt)
    assert offered == [[0], [1, 2], [3, 4, 5, 6], [7, 8, 9], [7], [8], [9]]


def test_batches_of_nothing() -> None:
    in_batches([], lambda batch: pytest.fail("nothing to offer"))


def test_live_rules(grounder: GroundingSession) -> None:
    """Without rule 0 nothing derives l, so rules 2 and 3 are dead; what only they use, m, is of no use."""
    template = (
        "1.0 :: l(X) :- c(X). 1.0 :: m(X) :- c(X). 1.0 :: p :- l(X), m(X). 1.0 :: p :- m(X), l(Y). 1.0 :: p :- c(X). "
        "1.0 :: p."
    )
    groundings = grounded(grounder, template, DATA)
    rules, facts = groundings.template.rules, groundings.program.facts
    kept = np.ones(6, bool)
    assert live_rules(rules, facts, kept).tolist() == [True] * 6
    kept[0] = False
    assert live_rules(rules, facts, kept).tolist() == [False, False, False, False, True, True]


def test_predicates_with_facts_need_no_rules(grounder: GroundingSession) -> None:
    groundings = grounded(grounder, "1.0 :: c(X) :- u(X). 1.0 :: p :- c(X).", DATA)
    live = live_rules(groundings.template.rules, groundings.program.facts, np.array([False, True]))
    assert live.tolist() == [False, True]


X, Y, Z = variables("X", "Y", "Z")
BOND = Atom("bond", (X, Y))
CHAIN = (BOND, Atom("bond", (Y, Z)), Atom("c", (X,)))


@pytest.mark.parametrize(
    ("rule", "possible"),
    [
        (Rule(Atom("p"), CHAIN), [False, True, True]),
        (Rule(Atom("p", (Z,)), CHAIN), [False, False, True]),
        (Rule(Atom("p"), (BOND, Atom("c", (X,)), Atom("o", (Y,)))), [False, True, True]),
        (Rule(Atom("p"), CHAIN, (Guard(("", "X", "\\==", "Z", "")),)), [False, False, True]),
        (Rule(Atom("p"), (BOND,)), [False]),
        (Rule(Atom("p")), []),
        (Rule(Atom("p"), (Atom("c", (X,)), Atom("o", (Y,)))), [True, True]),
        (Rule(Atom("p"), (Atom("q"), Atom("c", (X,)))), [True, True]),
    ],
)
def test_literals_that_can_go(rule: Rule, possible: list[bool]) -> None:
    """A rule stays safe, guards keep their variables, and a body does not fall into more parts."""
    assert [can_drop(rule, place) for place in range(len(rule.body))] == possible


def test_parts_of_a_body() -> None:
    """Without the first bond of the chain, c(X) and bond(Y, Z) share no variable."""
    assert [parts(CHAIN), parts(CHAIN[1:]), parts(CHAIN[:1]), parts(())] == [1, 2, 1, 0]
    assert parts([Atom("c", (X,)), Atom("c", (Y,)), BOND]) == 1
    assert parts([Atom("c", (Constant("a"),)), Atom("c", (Constant("a"),))]) == 2


def test_copies_are_recognised() -> None:
    guard = Guard(("", "A", "<", "B", ""))
    first = Rule(Atom("p"), (Atom("q", variables("A", "B")), Atom("q", variables("B", "A"))), (guard,), 1.0)
    renamed = Rule(
        Atom("p"), (Atom("q", variables("B", "A")), Atom("q", variables("A", "B"))), (Guard(("", "B", "<", "A", "")),)
    )
    other = replace(first, guards=(Guard(("", "B", "<", "A", "")),))
    assert canonical(first) == canonical(renamed)
    assert canonical(first) != canonical(other)
    assert canonical(first) != canonical(replace(first, body=first.body[:1]))
    local = [Rule(Atom("p"), (Atom("q", (X,)),), (Guard(("\\+r(", a, ",", b, ")")),)) for a, b in ("YZ", "YY", "AB")]
    assert canonical(local[0]) == canonical(local[2]) != canonical(local[1])


# Groundings by joins


@pytest.mark.parametrize(
    ("template", "possible"),
    [
        ("1.0 :: l(X) :- c(X). 1.0 :: p :- l(X), u(X). 1.0 :: p.", True),
        ("1.0 :: p :- c(X), X \\== b.", False),
        ("1.0 :: p :- c(a).", False),
        ("1.0 :: l(X) :- c(X). 1.0 :: l(X) :- z(X), l(X). 1.0 :: p :- l(X).", False),
        ("1.0 :: c(X) :- u(X). 1.0 :: p :- c(X).", False),
        ("1.0 :: p :- unknown(X).", True),
        ("1.0 :: p :- r(X, Y), X < Y, 0.5 =< X.", True),
        ("1.0 :: p :- r(X, Y), X < Y + 1.", False),
        ("1.0 :: p :- c(X), \\+ u(X).", False),
        ("1.0 :: p :- c(X). 1.0 :: l(X) :- c(X).", False),
        ("1.0 :: l(X, X) :- c(X). 1.0 :: p :- l(X, Y).", False),
        ("1.0 :: l(X, Y) :- c(X), u(Y). 1.0 :: p :- l(X, Y).", True),
    ],
)
def test_what_joins_can_ground(template: str, possible: bool, grounder: GroundingSession) -> None:
    data = grounder.load(Source("d.pl", DATA.encode()))
    assert joinable(grounder.read_template(Source("t.pl", template.encode())), data) == possible


JOINED = """
1.0 :: l(X) :- c(X). 0.5 :: l(X) :- hot(X). -0.5 :: m(X) :- s(X). 0.7 :: m(X) :- r(X, Y), l(Y).
1.1 :: t(X) :- r(X, Y), l(Y), m(X). -0.9 :: t(X) :- m(X), r(Y, X). 0.3 :: t(X) :- l(X), m(Y). 0.2 :: g :- t2(X, Y).
-0.4 :: g :- r(X, Y), r(Y, Z), l(Z). 0.6 :: g. 0.8 :: t2(X, Y) :- r(X, Y), m(Y).
1.2 :: pair(X, Y) :- l(X), m(Y). -0.2 :: pair(X, Y) :- r(Z, X), t2(Y, Z).
"""
FACTS = """
begin(model(1)). fold(1). c(a). c(b). s(c). s(a). r(a, b). r(b, c). r(c, a). r(b, a). 0.4 :: hot(c).
query(t(a), 1). query(t(b), 0). query(t(c), 1). query(g, 0).
query(pair(a, b), 1). query(pair(a, a), 0). end(model(1)).
begin(model(2)). fold(2). c(d). s(e). r(d, e). query(t(d), 1). query(t(e), 0). query(t(nothing), 0). query(g, 1).
end(model(2)).
begin(model(3)). fold(3). s(f). query(g, 0). end(model(3)).
s(X) :- both(X, _).
"""


@pytest.mark.parametrize("examples", [None, [0, 2], [1]])
@pytest.mark.parametrize("identity", ["true", "false"])
def test_joins_give_the_outputs_of_the_grounder(
    examples: list[int] | None, identity: str, grounder: GroundingSession
) -> None:
    text = f"setting(object_identity, {identity}).{JOINED}"
    template = grounder.read_template(Source("t.pl", text.encode()))
    data = grounder.load(Source("d.pl", FACTS.encode()))
    assert joinable(template, data)
    found = []
    regrounder = Regrounder(grounder, data, examples)
    for groundings in (regrounder.ground(template), grounder.ground(template, data, examples)):
        network = compile_network(groundings)
        values, _ = network.forward(weights_of(groundings))
        found.append((groundings.queries.text, network.outputs(values).tolist()))
    assert found[0][0] == found[1][0]
    assert found[0][1] == pytest.approx(found[1][1], abs=1e-12)
    assert len(set(found[0][1])) > 1


# The command


def test_useless_rule(folder: Folder) -> None:
    """A target rule of weight 0 costs exactly nothing; without the other the output for `east` would be wrong.

    A rule neuron over one crisp atom is R = sigm(6 (sigm(3) - 0.5)), the outputs are sigm(6 (3 R - 0.5)) for `east` and
    sigm(-3) for `west`.
    """
    folder.write({"m.pl": "0.0 :: p :- z(X).\n3.0 :: p :- c(X).\n", "d.pl": DATA})
    outcome = folder.run("simplify", "m.pl", "d.pl", "-o", "s.pl", "--tolerance", "0", *NO_TRAINING)
    east = sigm(6 * (3 * sigm(6 * (sigm(3) - 0.5)) - 0.5))
    loss = ((east - 1.0) ** 2 + sigm(-3) ** 2) / 2
    assert outcome.stdout.splitlines() == [
        "                before     after",
        "rules                2         1",
        "literals             2         1",
        f"squared_loss  {loss:.6f}  {loss:.6f}",
        "accuracy      1.000000  1.000000",
        "",
        "dropped  squared_loss alone",
        "rule              +0.000000  0 :: p :- z(X)",
    ]
    assert (outcome.code, outcome.stderr) == (0, "")
    comments = (
        "% model of lrnn: m.pl simplified on d.pl\n% 2 rules before, 1 after\n"
        "% rules: 1, target rules: 1, average length: 1.0, layers: 1\n"
    )
    assert folder.read("s.pl") == (
        f"{comments}{SETTINGS}\n% Target rules of p/0, strongest first.\n3.0 :: p :- c(X).\n"
    )


def test_nothing_can_go(folder: Folder) -> None:
    """Not even the last rule of a predicate that is asked for, useless as it is."""
    assert simplified(folder, "0.0 :: p :- c(X).\n", "--tolerance", "1", *NO_TRAINING) == ["0.0 :: p :- c(X)."]
    outcome = folder.run("simplify", "m.pl", "d.pl", "-o", "s.pl", *NO_TRAINING)
    assert outcome.stdout.splitlines()[-1] == "nothing can be dropped within the tolerance"


def test_tolerance(folder: Folder) -> None:
    """Without the first rule the output for `east` is sigm(-3) and the squared loss rises by about 0.45."""
    model = "3.0 :: p :- c(X).\n0.01 :: p :- z(X).\n"
    assert simplified(folder, model, "--tolerance", "0.3", *NO_TRAINING) == ["3.0 :: p :- c(X)."]
    assert len(simplified(folder, model, "--tolerance", "0.6", *NO_TRAINING)) == 1
    model = "3.0 :: p :- c(X).\n-0.1 :: p :- z(X).\n"
    assert len(simplified(folder, model, "--tolerance", "0", *NO_TRAINING)) == 2


def test_latent_predicates_that_nothing_uses_any_more(folder: Folder) -> None:
    model = "1.0 :: l(X) :- c(X).\n1.0 :: l(X) :- z(X).\n0.0 :: p :- l(X).\n3.0 :: p :- c(X).\n"
    assert simplified(folder, model, *NO_TRAINING) == ["3.0 :: p :- c(X)."]


def test_rules_without_groundings_go(folder: Folder) -> None:
    """What the data do not have is said once, however often they are grounded."""
    folder.write({"m.pl": "3.0 :: p :- c(X).\n2.0 :: p :- 'no such'(X).\n", "d.pl": DATA})
    outcome = folder.run("simplify", "m.pl", "d.pl", "-o", "s.pl", *NO_TRAINING)
    assert outcome.stderr == "warning: m.pl:2:1: nothing defines 'no such'/1, so this rule has no groundings\n"
    assert folder.read("s.pl").endswith("first.\n3.0 :: p :- c(X).\n")


def test_fixed_weights(folder: Folder) -> None:
    """Rules with fixed weights stay, unless nothing uses them."""
    model = "fixed(0.0) :: p :- z(X).\n3.0 :: p :- c(X).\nfixed(1.0) :: l(X) :- c(X).\n"
    assert simplified(folder, model, *NO_TRAINING) == ["3.0 :: p :- c(X).", "fixed(0.0) :: p :- z(X)."]


def test_copies_become_one_rule(folder: Folder) -> None:
    model = "1.0 :: p :- c(X).\n2.0 :: p :- c(Thing).\nfixed(0.5) :: p :- c(X).\n"
    expected = ["3.0 :: p :- c(X).", "fixed(0.5) :: p :- c(X)."]
    assert simplified(folder, model, "--tolerance", "0", *NO_TRAINING) == expected
    outputs = [folder.run("predict", name, "d.pl").stdout for name in ("m.pl", "s.pl")]
    assert outputs[0] == outputs[1]


def test_literal(folder: Folder) -> None:
    """u(X) holds of everything; c(X) must stay, as otherwise the rule would fire for `west`."""
    model = "3.0 :: p :- c(X), u(X).\n"
    assert simplified(folder, model, *NO_TRAINING) == ["3.0 :: p :- c(X)."]
    outcome = folder.run("simplify", "m.pl", "d.pl", "-o", "s.pl", *NO_TRAINING)
    assert "literal" in outcome.stdout
    assert outcome.stdout.endswith("u(X) of 3 :: p :- c(X), u(X)\n")
    assert simplified(folder, model, "--literals", "off", *NO_TRAINING) == ["3.0 :: p :- c(X), u(X)."]


def test_literal_of_a_latent_predicate(folder: Folder) -> None:
    """l is high for all objects, so the rule can do without it, and then nothing uses l."""
    model = "2.0 :: l(X) :- u(X).\n3.0 :: p :- l(X), c(X).\n"
    assert simplified(folder, model, *NO_TRAINING) == ["3.0 :: p :- c(X)."]


def test_estimates_of_literals_are_checked(folder: Folder) -> None:
    """In its present groundings a rule does as well without c(X), but without it there are more groundings."""
    assert simplified(folder, "3.0 :: p :- c(X), u(X).\n", *NO_TRAINING) == ["3.0 :: p :- c(X)."]
    swapped = "3.0 :: p :- u(X), c(X).\n"
    assert simplified(folder, swapped, *NO_TRAINING) == ["3.0 :: p :- c(X)."]


def test_literal_that_keeps_atoms_from_depending_on_themselves(folder: Folder) -> None:
    """Without less(X, Y) there is a cycle: r(a, b) <- r(b, a) <- r(a, b). Without r(Y, X), r(c, d) would be low."""
    data = """
    begin(model(m)).
    e(a, b). e(b, a). less(a, b). e(c, d). less(c, d).
    query(r(a, b), 0.0). query(r(b, a), 1.0). query(r(c, d), 1.0).
    end(model(m)).
    """
    model = ["-9.0 :: r(X, Y) :- less(X, Y), r(Y, X).", "fixed(1.0) :: r(X, Y) :- e(X, Y)."]
    assert simplified(folder, "\n".join(model), *NO_TRAINING, data=data) == model


def test_literal_that_a_guard_needs(folder: Folder) -> None:
    """Without numeric(M), which holds of numbers only, the guard would meet the name `heavy`."""
    data = """
    begin(model(m)). mass(a, 5). mass(a, heavy). numeric(5). query(p, 1.0). end(model(m)).
    begin(model(n)). mass(a, 1). mass(a, heavy). numeric(1). query(p, 0.0). end(model(n)).
    """
    model = "3.0 :: p :- numeric(M), mass(X, M), M>3.\n"
    assert simplified(folder, model, *NO_TRAINING, data=data) == ["3.0 :: p :- numeric(M), M>3."]


def test_number_of_groundings_for_literals(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simplification, "LITERAL_CHECKS", 0)
    model = "3.0 :: p :- c(X), u(X).\n"
    assert simplified(folder, model, *NO_TRAINING) == ["3.0 :: p :- c(X), u(X)."]


def test_what_the_network_can_not_know(folder: Folder) -> None:
    """The weight of the fact l(a) is 0, which the network of the whole model takes for no fact at all.

    So it thinks that without the first rule l(a) is gone and p is low in `m`. In fact l(a) is then sigm(-3) rather than
    almost 0, and p is high: 1000 sigm(6 (sigm(-3) - 0.5)) - 48 = 14 where it was 1000 sigm(-3) - 48 = -0.6.
    """
    data = "begin(model(m)). c(a). 0.0 :: l(a). query(p, 0). end(model(m)).\n"
    data += "begin(model(n)). l(b). query(p, 1). end(model(n)).\n"
    model = ["-5.0 :: l(X) :- c(X).", "-48.0 :: p.", "1000.0 :: p :- l(X)."]
    assert simplified(folder, "\n".join(model), *NO_TRAINING, data=data) == model


def test_training_of_what_is_left(folder: Folder) -> None:
    """Weights are trained after something was dropped, fixed ones are not; otherwise the model stays as it is."""
    kept = simplified(folder, "0.5 :: p :- c(X).\n0.0 :: p :- z(X).\nfixed(0.1) :: p.\n", "--quiet")
    assert kept[:1] == ["fixed(0.1) :: p."]
    weight, clause = kept[1].split(" :: ")
    assert clause == "p :- c(X)."
    assert float(weight) > 0.5
    assert simplified(folder, "0.5 :: p :- c(X).\n", "--quiet") == ["0.5 :: p :- c(X)."]


@pytest.mark.parametrize("metric", ["squared_loss", "log_loss", "accuracy", "auc_pr"])
def test_metrics(metric: str, folder: Folder) -> None:
    """What is dropped costs nothing by any metric; the other rule is needed by all of them."""
    model = "3.0 :: p :- c(X).\n0.0 :: p :- z(X).\n"
    assert simplified(folder, model, "--metric", metric, *NO_TRAINING) == ["3.0 :: p :- c(X)."]
    outcome = folder.run("simplify", "m.pl", "d.pl", "-o", "s.pl", "--metric", metric, *NO_TRAINING)
    assert [line.split()[0] for line in outcome.stdout.splitlines()[1:4]] == ["rules", "literals", metric]


def test_accuracy_may_hide_what_the_loss_shows(folder: Folder) -> None:
    """-0.1 for z lowers all outputs a little, which changes no answer."""
    model = "3.0 :: p :- c(X).\n-0.1 :: p :- z(X).\n"
    tolerance = ("--tolerance", "0")
    assert simplified(folder, model, "--metric", "accuracy", *tolerance, *NO_TRAINING) == ["3.0 :: p :- c(X)."]
    assert len(simplified(folder, model, "--metric", "log_loss", *tolerance, *NO_TRAINING)) == 2


def test_undefined_metric(folder: Folder) -> None:
    folder.write({"m.pl": "1.0 :: p :- c(X).\n", "d.pl": DATA.replace("0.0", "1.0")})
    outcome = folder.run("simplify", "m.pl", "d.pl", "-o", "s.pl", "--metric", "auc_pr")
    assert outcome.code == 1
    assert outcome.stderr == "d.pl: auc_pr is undefined: all 2 queries are positive; choose another --metric\n"
    assert set(folder.content()) == {"m.pl", "d.pl"}


def test_ensemble(folder: Folder) -> None:
    """Members are simplified one by one and keep their names."""
    member = "3.0 :: p :- c(X).\n0.0 :: p :- z(X).\n"
    ensemble = f"begin(model(1)).\n{member}end(model(1)).\nbegin(model('Ω')).\n1.0 :: p :- c(X).\nend(model('Ω')).\n"
    lines = simplified(folder, ensemble, *NO_TRAINING)
    assert [line for line in lines if line] == [
        "begin(model(1)).",
        "3.0 :: p :- c(X).",
        "end(model(1)).",
        "begin(model('Ω')).",
        "1.0 :: p :- c(X).",
        "end(model('Ω')).",
    ]
    report = folder.run("simplify", "m.pl", "d.pl", "-o", "s.pl", *NO_TRAINING).stdout.splitlines()
    assert [line for line in report if line.startswith("model")] == ["model 1", "model 'Ω'"]
    assert report[-1] == "nothing can be dropped within the tolerance"


def test_part_of_the_data(folder: Folder) -> None:
    """All but the chosen fold count: without the only positive example, the rule for it is of no use."""
    data = DATA.replace("c(a).", "c(a). fold(1).").replace("u(b).", "u(b). fold(2).")
    model = "3.0 :: p :- c(X).\n-1.0 :: p :- z(X).\n"
    assert simplified(folder, model, "--fold", "1", *NO_TRAINING, data=data) == ["-1.0 :: p :- z(X)."]
    assert len(simplified(folder, model, *NO_TRAINING, data=data)) == 2


def test_standard_output(folder: Folder) -> None:
    """The model goes to standard output and the report to standard error, unless quiet."""
    folder.write({"m.pl": "3.0 :: p :- c(X).\n0.0 :: p :- z(X).\n", "d.pl": DATA})
    loud = folder.run("simplify", "m.pl", "d.pl", "-o", "-", "--retrain", "0")
    assert loud.stdout.endswith("strongest first.\n3.0 :: p :- c(X).\n")
    assert "dropped  squared_loss alone" in loud.stderr
    silent = folder.run("simplify", "m.pl", "d.pl", "-o", "-", *NO_TRAINING)
    assert (silent.stdout, silent.stderr) == (loud.stdout, "")


def test_same_bytes(folder: Folder) -> None:
    folder.write({"m.pl": "1.0 :: p :- c(X), u(X).\n0.1 :: p :- z(X).\n-0.3 :: p.\n", "d.pl": DATA})
    for jobs in ("1", "2"):
        assert folder.run("simplify", "m.pl", "d.pl", "-o", f"{jobs}.pl", "--jobs", jobs).code == 0
    assert folder.read("1.pl") == folder.read("2.pl")


def test_model_without_weights(folder: Folder) -> None:
    folder.write({"m.pl": "_ :: p :- c(X).\n", "d.pl": DATA})
    outcome = folder.run("simplify", "m.pl", "d.pl", "-o", "s.pl")
    assert outcome.stderr.startswith("m.pl:1:1: the rule for p has no weight; train the template first")
    assert outcome.code == 1


def test_interruption_keeps_what_is_there(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupted in the training after the first round, with another member to come."""

    def interrupted(self: Simplifier) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Simplifier, "retrain", interrupted)
    member = "3.0 :: p :- c(X).\n0.0 :: p :- z(X).\n"
    folder.write({"m.pl": "".join(f"begin(model({n})).\n{member}end(model({n})).\n" for n in (1, 2)), "d.pl": DATA})
    outcome = folder.run("simplify", "m.pl", "d.pl", "-o", "s.pl", "--quiet")
    assert outcome.code == 130
    assert outcome.stderr == "warning: interrupted: s.pl holds what has been reached so far\n"
    rules = [line for line in folder.read("s.pl").splitlines() if "::" in line]
    assert rules == ["3.0 :: p :- c(X).", "3.0 :: p :- c(X).", "0.0 :: p :- z(X)."]


def test_interruption_before_anything_was_dropped(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: Simplifier) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Simplifier, "drop_rules", interrupted)
    folder.write({"m.pl": "3.0 :: p :- c(X).\n0.0 :: p :- z(X).\n", "d.pl": DATA})
    outcome = folder.run("simplify", "m.pl", "d.pl", "-o", "s.pl", "--quiet")
    assert (outcome.code, outcome.stderr) == (130, "interrupted\n")
    assert set(folder.content()) == {"m.pl", "d.pl"}


def test_report_is_what_evaluation_finds(folder: Folder) -> None:
    """A model with latent predicates, simplified and trained: the figures are those of `lrnn evaluate`."""
    folder.write({"m.pl": "setting(object_identity, true).\n" + JOINED, "d.pl": FACTS})
    outcome = folder.run("simplify", "m.pl", "d.pl", "-o", "s.pl", "--tolerance", "0.02", "--quiet")
    figures = {line.split()[0]: line.split()[1:] for line in outcome.stdout.splitlines()[1:5]}
    assert int(figures["rules"][1]) < int(figures["rules"][0]) == 13
    for place, name in enumerate(("m.pl", "s.pl")):
        metrics = json.loads(folder.run("evaluate", name, "d.pl", "--json").stdout)
        for metric in ("squared_loss", "accuracy"):
            assert float(figures[metric][place]) == pytest.approx(metrics[metric], abs=1e-6)

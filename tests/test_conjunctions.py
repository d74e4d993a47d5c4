"""Frequent bodies, parts and boosted conjunctions, each by hand or against a second method."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

import naive
import numpy as np
import pytest
from scipy.sparse import csc_array
from test_learning import first_layer, outputs, problem

from lrnn_cli.hypotheses.bodies import Candidate, Shape
from lrnn_cli.hypotheses.parts import Conjunction, Part, conjunction_rules, rule_neurons
from lrnn_cli.language.clauses import Atom, Constant, Predicate, Rule, Variable
from lrnn_cli.language.template import Settings, Template
from lrnn_cli.network.part_texts import part_texts
from lrnn_cli.semantics.activations import Activation
from lrnn_cli.semantics.aggregations import AGGREGATIONS
from lrnn_cli.structure import patterns
from lrnn_cli.structure.algorithm import learn_rules
from lrnn_cli.structure.bins import cut
from lrnn_cli.structure.boosting import REUSE, BoostingOptions, BoostingStep, Thresholds, boosted, compiled_scores
from lrnn_cli.structure.latent_rules import create_layer1_rules
from lrnn_cli.structure.observer import Observer
from lrnn_cli.structure.options import StructureOptions
from lrnn_cli.structure.patterns import Columns, frequent_bodies
from lrnn_cli.structure.problem import Problem
from lrnn_cli.structure.rules import with_conjunctions, written_template
from lrnn_cli.structure.selection import FEW, FREQUENCY, MANY, RULES, TOGETHER, Choice, Estimate, Family
from lrnn_cli.structure.trials import bodies_of_targets, boosting, chosen
from lrnn_cli.structure.weights import outputs as learners_outputs
from lrnn_cli.structure.weights import rule_columns, weighted_facts

PAPER = Activation.of(Settings())
ACTIVE = Predicate("active", 0)
CRISP = 1.0 / (1.0 + math.exp(-3.0))
"""The value of a plain fact, sigm(6 (1 - 0.5))."""
NODES = "abcde"


def sigm(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x))


def bag(name: str, counts: dict[str, int], *queries: tuple[naive.Atom, float]) -> naive.Example:
    """An example of so many objects of each kind."""
    objects = [(kind, f"{kind}{number}") for kind, count in counts.items() for number in range(count)]
    return naive.Example(name, tuple((naive.Atom(kind, (item,)), None) for kind, item in objects), queries)


def switched(examples: int, seed: int) -> tuple[naive.Example, ...]:
    """Active are examples with three c if there is a b, and with three a if there is none: no sum of counts says so."""
    draw = random.Random(seed)
    found = []
    for number in range(examples):
        counts = {"a": draw.randint(0, 6), "b": draw.choice([0, 0, 1, 2]), "c": draw.randint(0, 6)}
        active = counts["c"] >= 3 if counts["b"] else counts["a"] >= 3
        found.append(bag(f"m{number}", counts, (naive.Atom("active"), float(active))))
    return tuple(found)


def graphs(examples: int, seed: int, arity: int) -> tuple[naive.Example, ...]:
    """Small graphs of one relation, whose nodes may be p, q, both or neither; queries of nodes or of the graph."""
    draw = random.Random(seed)
    found = []
    for number in range(examples):
        nodes = NODES[: draw.randint(3, 5)]
        facts = [naive.Atom(kind, (node,)) for node in nodes for kind in "pq" if draw.random() < 0.4]
        facts += [naive.Atom("r", pair) for pair in itertools.permutations(nodes, 2) if draw.random() < 0.3]
        atoms = [naive.Atom("active", (node,)) for node in nodes] if arity else [naive.Atom("active")]
        queries = tuple((atom, float(draw.random() < 0.5)) for atom in atoms)
        found.append(naive.Example(f"m{number}", tuple((fact, None) for fact in facts), queries))
    return tuple(found)


def text(examples: tuple[naive.Example, ...]) -> str:
    return naive.Program((), (), examples).data_text()


def problem_of(examples: tuple[naive.Example, ...], **options: object) -> Problem:
    return problem(text(examples), StructureOptions(start="drawn", **options))  # type: ignore[arg-type]


def bodies_of(E: Problem) -> Columns:
    (columns,) = bodies_of_targets(E, Observer()).values()
    return columns


# Frequent bodies

Literals = tuple[tuple[str, tuple[int, ...]], ...]


def all_bodies(length: int, variables: int, arity: int) -> Iterator[Literals]:
    """Sets of literals whose variables hang together, and with those of the head."""
    pairs = [("r", pair) for pair in itertools.permutations(range(variables), 2)]
    items = [(kind, (variable,)) for variable in range(variables) for kind in "pq"]
    for size in range(1, length + 1):
        for body in itertools.combinations([*pairs, *items], size):
            used = {variable for _, arguments in body for variable in arguments}
            if arity and 0 not in used:
                continue
            reached = {min(used)}
            for _ in used:
                reached |= {other for _, places in body if reached & set(places) for other in places}
            if reached == used:
                yield body


def counts_of(body: Literals, examples: tuple[naive.Example, ...], arity: int) -> tuple[int, ...]:
    """Groundings of a body with different objects, for each query."""
    found = []
    for example in examples:
        facts = {(atom.predicate, atom.arguments) for atom, _ in example.facts}
        used = sorted({variable for _, arguments in body for variable in arguments})
        nodes = sorted({str(argument) for atom, _ in example.facts for argument in atom.arguments})
        bound = [
            objects
            for objects in itertools.permutations(nodes, len(used))
            if all((kind, tuple(objects[used.index(v)] for v in places)) in facts for kind, places in body)
        ]
        for atom, _ in example.queries:
            found.append(sum(not arity or objects[0] == atom.arguments[0] for objects in bound))
    return tuple(found)


def ranks(values: np.ndarray | tuple[int, ...]) -> tuple[int, ...]:
    return tuple(np.unique(values, return_inverse=True)[1].tolist())


@pytest.mark.parametrize(("arity", "seed"), [(0, 1), (0, 2), (1, 3)])
def test_frequent_bodies_are_those_of_an_enumeration(arity: int, seed: int) -> None:
    """Whatever holds for enough queries is found once, up to how it orders them, with its number of groundings."""
    examples, least = graphs(14 if arity == 0 else 8, seed, arity), 4
    columns = bodies_of(problem_of(examples, length=3, variables=3, support=least))
    found = set()
    for number, body in enumerate(columns.bodies):
        literals: Literals = tuple(
            (atom.name, tuple(int(str(term)[1:]) - 1 for term in atom.arguments)) for atom in body.atoms()
        )
        counts = counts_of(literals, examples, arity)
        assert 1 <= len(literals) <= 3
        assert body.shape.variables <= 3
        assert sum(count > 0 for count in counts) >= least
        neuron = sigm(6.0 * (len(literals) * CRISP - len(literals) + 0.5))
        assert columns.column(number) == pytest.approx(neuron * np.sqrt(counts), abs=1e-12)
        assert ranks(counts) not in found
        found.add(ranks(counts))
    every = [counts_of(literals, examples, arity) for literals in all_bodies(3, 3, arity)]
    frequent = [counts for counts in every if sum(count > 0 for count in counts) >= least]
    expected = {ranks(counts) for counts in frequent if len(set(counts)) > 1}
    assert len(expected) > 20
    assert found == expected


@pytest.mark.parametrize(("examples", "apart"), [(60, True), (120, False)])
def test_literals_that_few_queries_can_not_tell_apart(examples: int, apart: bool) -> None:
    """Whatever has hair has milk, too: below 100 queries both stay, since new ones may differ. Longer bodies do not."""
    kinds = ({"hair": 1, "milk": 1}, {"gills": 1}, {"gills": 1, "wings": 1})
    animals = tuple(
        bag(f"m{number}", kinds[number % 3], (naive.Atom("active"), float(number % 2))) for number in range(examples)
    )
    clauses = [body.rule().clause for body in bodies_of(problem_of(animals, length=2)).bodies]
    told = ["active :- hair(V1)", "active :- milk(V1)"] if apart else ["active :- hair(V1)"]
    assert [clause for clause in clauses if "hair" in clause or "milk" in clause] == told


def test_bodies_of_a_target_of_two_arguments() -> None:
    """Unary literals are about other objects, or name one argument that no relation has: parts can ask the rest.

    Beside relations p names an argument, which is true of all of them, and relations hang together.
    """
    facts = [f"{kind}(a{number})." for number in range(12) for kind in ("p", "q")[: 1 + number % 2]]
    facts += [f"r(a{number}, a{(number + 1) % 12})." for number in range(12)]
    pairs = itertools.permutations(range(12), 2)
    asked = [f"query(near(a{one}, a{two}), {float((two - one) % 12 == 2)})." for one, two in pairs]
    E = problem("\n".join(facts + asked), StructureOptions(length=4, variables=3))
    clauses = {body.rule().clause for body in bodies_of(E).bodies}
    assert "near(V1, V2) :- r(V1, V3), r(V3, V2), q(V3)" in clauses
    assert "near(V1, V2) :- r(V1, V3), p(V2), q(V3)" in clauses
    assert "near(V1, V2) :- q(V1), q(V2)" in clauses
    assert "near(V1, V2) :- r(V1, V3), q(V2), q(V3)" not in clauses
    assert "near(V1, V2) :- r(V1, V2), r(V1, V3)" not in clauses
    for body in bodies_of(E).bodies:
        related = {variable for _, variables in body.shape.relations for variable in variables}
        about = [variables[0] for variables, _ in body.shape.slots if variables[0] < 2]
        assert sorted(about) == [argument for argument in range(2) if argument not in related]


@pytest.mark.parametrize("named", [False, True])
def test_relations_of_different_arguments_are_one_body_only_where_these_have_no_names(named: bool) -> None:
    """Else each of them is a part of its own. Two facts about one argument are two parts in any case."""
    facts = [f"r(a{number}, a{(number + 1) % 12})." for number in range(12)]
    facts += [f"p(a{number})." for number in range(12 if named else 0)]
    asked = [f"query(near(a{one}, a{two}), {float(two > one)})." for one, two in itertools.permutations(range(12), 2)]
    E = problem("\n".join(facts + asked), StructureOptions(length=2, variables=4))
    clauses = [body.rule().clause for body in bodies_of(E).bodies]
    assert ("near(V1, V2) :- r(V1, V3), r(V2, V4)" in clauses) == (not named)
    assert ("near(V1, V2) :- r(V1, V3), p(V2)" in clauses) == named
    joined = clauses.index("near(V1, V2) :- r(V1, V3), r(V3, V2)")
    assert joined < min([place for place, clause in enumerate(clauses) if "V4" in clause], default=len(clauses))
    assert "near(V1, V2) :- r(V1, V2), r(V1, V3)" not in clauses


def test_joins_that_are_too_long_are_described() -> None:
    """Of two edges, which have more variables than bodies may, all that is true of the three nodes is asked.

    A body is found for each way to mark three nodes that enough graphs have, and counts groundings with at least these
    marks. Others are those of before.
    """
    examples, least = graphs(40, 1, 0), 4
    E = problem_of(examples, length=7, variables=2, support=least)
    R = create_layer1_rules(E)
    F = weighted_facts(E, R, {rule.clause: 0.0 for rule in R.latent})
    (target,) = E.targets
    facts = F, E.language(R.latent), target, E.words.targets[target], least
    short, _ = frequent_bodies(*facts)
    columns, complete = frequent_bodies(*facts, described=2)
    assert complete
    longer = set(columns.bodies) - set(short.bodies)
    assert all(len(body.shape.relations) == 2 and body.shape.variables > 2 for body in longer)
    for number, body in enumerate(columns.bodies):
        literals = tuple((atom.name, tuple(int(str(term)[1:]) - 1 for term in atom.arguments)) for atom in body.atoms())
        neuron = sigm(6.0 * (len(literals) * CRISP - len(literals) + 0.5))
        counts = counts_of(literals, examples, 0)
        assert sum(count > 0 for count in counts) >= least
        assert columns.column(number) == pytest.approx(neuron * np.sqrt(counts), abs=1e-12)
    rank = {ranks(columns.column(number)) for number in range(len(columns))}
    shapes: list[Literals] = [(("r", one), ("r", two)) for one in ((0, 1), (1, 0)) for two in ((1, 2), (2, 1))]
    marked = 0
    for edges, kinds in itertools.product(shapes, itertools.product(("", "p", "q", "pq"), repeat=3)):
        marks = tuple((kind, (variable,)) for variable, own in enumerate(kinds) for kind in own)
        if sum(map(bool, exact_counts(edges, kinds, examples))) >= least:
            marked += 1
            assert ranks(counts_of((*edges, *marks), examples, 0)) in rank
    assert marked > 10


def charged_graphs(examples: int, charges: bool) -> str:
    """Edges between nodes of ten kinds; the charge of a node tells part of the target."""
    source = random.Random(4)
    blocks = []
    for example in range(examples):
        nodes = [f"n{place}" for place in range(6)]
        lines = [f"k{source.randrange(10)}({node})." for node in nodes]
        lines += [f"edge({one}, {two})." for one, two in itertools.pairwise(nodes)]
        numbers = [source.randrange(-200, 200) / 100.0 for _ in nodes]
        if charges:
            lines += [f"charge({node}, {number})." for node, number in zip(nodes, numbers, strict=True)]
        lines.append(f"query(active, {float(max(numbers) > 1.5)}).")
        blocks.append("\n".join([f"begin(model(g{example})).", *lines, f"end(model(g{example}))."]))
    return "\n".join(blocks)


def test_conditions_on_numbers_take_no_room_from_other_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bodies without them are those of the same data without numbers, in the same order, where there are too many."""
    monkeypatch.setattr(patterns, "MOST_BODIES", 90)
    monkeypatch.setattr(patterns, "MOST_OF_A_SHAPE", 60)
    options = StructureOptions(length=3, variables=3, support=4)
    plain, charged = (
        [body.rule().clause for body in bodies_of(problem(charged_graphs(60, charges), options)).bodies]
        for charges in (False, True)
    )
    assert len(plain) == 90
    assert [clause for clause in charged if "charge" not in clause] == plain
    conditioned = [clause for clause in charged if "charge" in clause]
    assert len(conditioned) == 90
    assert sum("edge" not in clause for clause in conditioned) <= 60


def exact_counts(edges: Literals, kinds: Sequence[str], examples: tuple[naive.Example, ...]) -> list[int]:
    """Groundings with different objects that have these marks and no others, for each graph."""
    found = []
    for example in examples:
        facts = {(atom.predicate, atom.arguments) for atom, _ in example.facts}
        nodes = sorted({str(argument) for atom, _ in example.facts for argument in atom.arguments})
        mark = {node: "".join(kind for kind in "pq" if (kind, (node,)) in facts) for node in nodes}
        found.append(
            sum(
                [mark[node] for node in objects] == list(kinds)
                and all((name, tuple(objects[variable] for variable in places)) in facts for name, places in edges)
                for objects in itertools.permutations(nodes, len(kinds))
            )
        )
    return found


def test_frequent_bodies_without_unary_predicates_and_without_relations() -> None:
    """Bodies of relations alone, and of unary predicates of one object alone."""
    draw = random.Random(1)
    relations = tuple(
        naive.Example(
            f"m{number}",
            tuple((naive.Atom("r", pair), None) for pair in itertools.permutations("abc", 2) if draw.random() < 0.5),
            ((naive.Atom("active"), float(number % 2)),),
        )
        for number in range(12)
    )
    bodies = bodies_of(problem_of(relations, length=2, variables=3)).bodies
    assert "active :- r(V1, V2)" in {body.rule().clause for body in bodies}
    assert all(atom.name == "r" for body in bodies for atom in body.atoms())
    bodies = bodies_of(problem_of(switched(20, 1), length=2)).bodies
    clauses = {body.rule().clause for body in bodies}
    assert clauses == {"active :- a(V1)", "active :- b(V1)", "active :- c(V1)"}


# Parts


def body(head: Predicate = ACTIVE, kind: str = "a") -> Candidate:
    return Candidate(Shape(head, (), (((0,), 0),)), (kind,))


@pytest.mark.parametrize("at_least", [True, False])
def test_weights_of_a_part_by_hand(at_least: bool) -> None:
    """Between 1 and 2 the threshold is 1.5; sigm(6 w / 2) = 0.97 at both ends, logit(0.97) = 3.4761."""
    part = Part(body(), 1.0, 2.0, at_least)
    weight, bias = part.weights(PAPER)
    sign = 1.0 if at_least else -1.0
    assert weight == pytest.approx(sign * math.log(0.97 / 0.03) / 6.0 / 0.5)
    assert bias == pytest.approx(0.5 - weight * 1.5)
    values = part.values(np.array([0.0, 1.0, 1.5, 2.0]), PAPER)
    assert values[1:] == pytest.approx([0.03, 0.5, 0.97] if at_least else [0.97, 0.5, 0.03])
    assert values[0] == pytest.approx(sigm(-sign * 3 * math.log(0.97 / 0.03)))
    assert part.holds(np.array([0.0, 1.0, 2.0])).tolist() == [not at_least, not at_least, at_least]


def test_a_small_gap_gives_a_bounded_weight() -> None:
    """logit(0.97) / 6 / 0.005 would be 116."""
    weight, bias = Part(body(), 1.0, 1.01, False).weights(PAPER)
    assert weight == -9.0
    assert bias == pytest.approx(0.5 + 9.0 * 1.005)


def test_a_part_with_arguments_says_that_its_body_holds_at_all() -> None:
    """No fact is true of all atoms: one rule, one half at the threshold, and 0 where nothing derives it."""
    part = Part(body(Predicate("active", 1)), 0.0, 0.9, True)
    weight, bias = part.weights(PAPER)
    assert bias is None
    assert weight == pytest.approx(0.5 / 0.45)
    assert part.values(np.array([0.0, 0.45, 0.9]), PAPER) == pytest.approx([0.0, 0.5, sigm(3.0)])
    assert [rule.clause for rule in part.rules("part_4", PAPER)] == ["part_4(V1) :- a(V1)"]


def test_rule_neurons_of_a_conjunction() -> None:
    """sigm(6 (sum - k + 0.5)), and 0 where a part is not derived."""
    values = [np.array([0.9, 0.2, 0.0]), np.array([0.8, 0.7, 0.9])]
    assert rule_neurons(values, PAPER) == pytest.approx([sigm(6 * 0.2), sigm(6 * -0.6), 0.0])


def test_conjunctions_of_the_same_parts_are_one_rule() -> None:
    """In whatever order; each part is defined once, and numbered after those that are known."""
    first, second = Part(body(), 0.0, 1.0, True), Part(body(kind="b"), 0.0, 1.0, False)
    conjunctions = [Conjunction((first, second), 0.5), Conjunction((first,), 2.0), Conjunction((second, first), 0.25)]
    defining, rules = conjunction_rules(conjunctions, Rule(_atom("active")).head, PAPER, known=6)
    assert [rule.clause for rule in defining] == ["part_7", "part_7 :- a(V1)", "part_8", "part_8 :- b(V1)"]
    assert [(rule.clause, rule.weight) for rule in rules] == [
        ("active :- part_7, part_8", 0.75),
        ("active :- part_7", 2.0),
    ]


def _atom(name: str) -> Atom:
    return Atom(name)


# Boosting


def random_columns(source: np.random.Generator, queries: int, count: int) -> Columns:
    kinds = [source.integers(0, size, queries).astype(float) for size in source.integers(2, 9, count)]
    kinds[0] = np.ones(queries)
    kinds[1] = kinds[1] + 1.0
    nothing = Columns((), csc_array((queries, 0)))
    return nothing.joined([body(kind=f"k{number}") for number in range(count)], kinds)


def best_by_hand(
    columns: Columns,
    chosen: np.ndarray,
    queries: np.ndarray,
    weighted: np.ndarray,
    options: BoostingOptions,
    with_arguments: bool,
) -> float:
    best = -1.0
    for number in chosen.nonzero()[0].tolist():
        column = columns.column(number)[queries]
        thresholds = np.unique(column)[1:].tolist()
        for value, at_least in itertools.product(thresholds, (True,) if with_arguments else (True, False)):
            slope, curvature, count = weighted[:, (column >= value) == at_least].sum(axis=1)
            if count >= options.covered:
                best = max(best, slope**2 / (curvature + options.penalty))
    return best


def test_bins_of_columns_put_together_are_those_of_all() -> None:
    """Those of frequent bodies are made once, whatever rules are added; members by a comparison of each value."""
    source = np.random.default_rng(5)
    first, more = random_columns(source, 50, 9), random_columns(source, 50, 4)
    first = Columns(first.bodies, first.values)
    joined = first.joined(more.bodies, [more.column(number) for number in range(4)])
    queries = np.sort(source.permutation(50)[:35])
    bins, whole = joined.bins(queries), cut(joined.values[queries])
    for name in ("columns", "sizes", "fullest", "start", "members", "low", "high"):
        assert np.array_equal(getattr(bins, name), getattr(whole, name), equal_nan=name in ("low", "high"))
    assert first.bins(queries) is first.bins(queries.copy()) is not first.bins(queries[1:])
    place = 0
    for number, size, fullest in zip(bins.columns.tolist(), bins.sizes.tolist(), bins.fullest.tolist(), strict=True):
        column = joined.column(number)[queries]
        code = np.searchsorted(bins.high[place + 1 : place + size], column, "right")
        assert fullest == np.bincount(code).argmax()
        for bin in range(size):
            members = bins.members[bins.start[place + bin] : bins.start[place + bin + 1]].tolist()
            assert members == ([] if bin == fullest else (code == bin).nonzero()[0].tolist())
        place += size
    assert place == len(bins.low)


@pytest.mark.parametrize("with_arguments", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_the_best_threshold_is_that_of_an_enumeration(with_arguments: bool, seed: int) -> None:
    """G^2 / (H + penalty) over all thresholds, both sides, of what covers enough queries.

    A target with arguments has no fact that is true of all its atoms, so its parts are true above thresholds only.
    """
    source = np.random.default_rng(seed)
    columns = random_columns(source, 60, 12)
    queries = np.sort(source.permutation(60)[:40])
    options = BoostingOptions(1, 0.5, penalty=2.0, covered=5)
    thresholds = Thresholds(columns, queries)
    weighted = np.stack([source.normal(size=40), source.random(40), np.ones(40)]) * (source.random(40) < 0.8)
    chosen = source.random(12) < 0.7
    best = thresholds.best(chosen, weighted, options, with_arguments)
    assert best is not None
    assert chosen[thresholds.column[best.bin]]
    assert best.score == pytest.approx(best_by_hand(columns, chosen, queries, weighted, options, with_arguments))
    part = thresholds.taken(best, columns)
    covered = part.holds(columns.column(int(thresholds.column[best.bin]))[queries])
    slope, curvature, count = weighted[:, covered].sum(axis=1)
    assert count >= options.covered
    assert best.score == pytest.approx(slope**2 / (curvature + 2.0))
    # The part is favoured from now on, but only where it raises the score.
    again = thresholds.best(chosen, weighted, options, with_arguments)
    assert again is not None
    assert again.score == best.score
    assert again.favoured == pytest.approx(REUSE * best.score)
    again = thresholds.best(chosen, weighted, options, with_arguments, best.score)
    assert again is not None
    assert again.favoured == again.score


@pytest.mark.parametrize("share", [0.3, 1.0])
def test_compiled_scores_are_those_of_arrays(share: float) -> None:
    """Up to last digits, and those of an enumeration of thresholds, at least and below them."""
    source = np.random.default_rng(7)
    columns = random_columns(source, 400, 30)
    thresholds = Thresholds(columns, np.arange(400))
    options = BoostingOptions(1, 0.5, penalty=2.0, covered=40)
    weighted = np.stack([source.normal(size=400), source.random(400), np.ones(400)]) * (source.random(400) < 0.6)
    own = (source.random(len(thresholds.first)) < share).nonzero()[0]
    bins = np.isin(thresholds.column, thresholds.bins.columns[own]).nonzero()[0]
    plain = thresholds.scores(own, bins, weighted, options)
    thresholds.score = compiled_scores(np.inf)
    assert thresholds.score is not None
    compiled = thresholds.scores(own, bins, weighted, options)
    assert compiled == pytest.approx(plain, rel=1e-10)
    assert ((compiled == -1.0) == (plain == -1.0)).all()
    for place, bin in enumerate(bins.tolist()):
        least = thresholds.bins.high[bin]
        column = columns.column(int(thresholds.column[bin]))
        for side, covers in enumerate((column >= least, column < least)):
            slope, curvature, count = (math.fsum(row[covers]) for row in weighted)
            enough = count >= 40 and not math.isnan(least)
            assert compiled[side, place] == pytest.approx(slope**2 / (curvature + 2.0) if enough else -1.0)


def test_conjunctions_do_not_depend_on_compiled_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are the same without numba, and where there is so little to add up that it is not worth while."""
    columns = random_columns(np.random.default_rng(3), 200, 20)
    target = (np.random.default_rng(4).random(200) < 0.4).astype(float)
    options = BoostingOptions(12, 0.5, penalty=1.0, covered=3)

    def learned() -> list[BoostingStep]:
        return list(boosted(columns, np.arange(200), target, PAPER, options, np.random.default_rng(1)))

    assert compiled_scores(1.0) is None
    plain = learned()
    monkeypatch.setattr("lrnn_cli.structure.boosting.WORTHWHILE", 0)
    compiled = learned()
    monkeypatch.setattr("lrnn_cli.structure.boosting.find_spec", lambda name: None)
    assert compiled_scores(np.inf) is None
    for steps in (compiled, learned()):
        assert [step.conjunction for step in steps] == [step.conjunction for step in plain]
        assert [step.logit.tobytes() for step in steps] == [step.logit.tobytes() for step in plain]


def test_a_part_is_not_taken_twice() -> None:
    """The favour of a part in use made it seem to raise the score of a conjunction that has it."""
    E = problem_of(switched(60, 1))
    columns = bodies_of(E)
    options = BoostingOptions(40, 0.5, penalty=1.0, covered=3, queries=1.0, columns=1.0)
    target = E.targets[ACTIVE].target
    steps = list(boosted(columns, np.arange(60), target, PAPER, options, np.random.default_rng(1)))
    assert len(steps) == 40
    assert all(len(set(step.conjunction.parts)) == len(step.conjunction.parts) for step in steps)


def as_naive(rule: Rule) -> naive.Rule:
    def atom(found: Atom) -> naive.Atom:
        terms = (naive.Variable(term.name) if isinstance(term, Variable) else str(term) for term in found.arguments)
        return naive.Atom(found.name, tuple(terms))

    assert rule.weight is not None
    return naive.Rule(rule.weight, naive.Clause(atom(rule.head), tuple(map(atom, rule.body))))


@pytest.mark.parametrize("arity", [0, 1])
@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_outputs_of_conjunctions_are_the_boosted_logits(arity: int, aggregation: str) -> None:
    """In the learner's own network, in that of SWI-Prolog's groundings, and by the naive interpreter."""
    examples = graphs(16, 5, arity)
    target = Predicate("active", arity)
    E = problem_of(examples, length=4, variables=3, support=3, aggregation=aggregation)
    R, W = first_layer(E)
    columns = bodies_of(E)
    # Columns of rules with latent predicates beside those of the data.
    soft = Candidate(Shape(target, (), (((0,), 1),)), ("latent_1_2",))
    columns = columns.joined([soft], [weighted_facts(E, R, W).column(soft)])
    options = BoostingOptions(25, 0.5, penalty=1.0, covered=3, queries=0.8, columns=0.5)
    goal = E.targets[target]
    everything = np.arange(len(goal.target))
    steps = list(boosted(columns, everything, goal.target, PAPER, options, np.random.default_rng(2)))
    assert len(steps) > 5
    R, W = with_conjunctions(E, R, W, target, [step.conjunction for step in steps], steps[-1].bias)
    expected = np.array([sigm(logit) for logit in steps[-1].logit.tolist()])
    template = written_template(E, R, W)
    assert any("latent_1_2" in rule.clause for rule in template.rules) or aggregation == "mean"
    assert learners_outputs(E, R, W, E.queries) == pytest.approx(expected, abs=1e-12)
    assert outputs(text(examples), template) == pytest.approx(expected, abs=1e-12)
    rules = tuple(map(as_naive, template.rules))
    program = naive.Program(rules, (), examples, object_identity=True, aggregation=aggregation)
    assert naive.ground(program).outputs() == pytest.approx(expected.tolist(), abs=1e-12)


@pytest.mark.parametrize("arity", [0, 1])
def test_several_ways_together_say_their_mean(arity: int) -> None:
    """The network has the mean of the sums of two kinds of conjunctions and of plain rules, each alone in its own."""
    E = problem_of(graphs(16, 5, arity), length=3, variables=3, support=3, iterations=1, epochs=20, final_epochs=0)
    state = learn_rules(E, None, Observer())
    columns, bodies = rule_columns(E, state.rules, state.weights), bodies_of_targets(E, Observer())
    options = BoostingOptions(9, 0.5, penalty=1.0, covered=3, queries=0.8, columns=0.5)
    ways = {MANY: Family(options, True), FEW: Family(replace(options, columns=1.0), False)}
    (target,) = E.targets

    def said(*chosen_ways: tuple[str, int], shares: tuple[float, ...] = ()) -> np.ndarray:
        estimate = Estimate(16, 1.0, 0.5, 0.0, 0.25, 1.0)
        name = chosen_ways[0][0] if len(chosen_ways) == 1 else TOGETHER
        own = shares or (1.0 / len(chosen_ways),) * len(chosen_ways)
        choice = {target: Choice(name, 1, estimate, dict(zip(chosen_ways, own, strict=True)), np.zeros(16))}
        with boosting(E, state, columns, bodies, ways) as boost:
            learned, training = chosen(E, state, columns, choice, boost)
        found = learners_outputs(E, learned.rules, learned.weights, E.queries)
        assert training[target][:, 0] == pytest.approx(found, abs=1e-12)
        return np.asarray(np.log(found / (1.0 - found)))

    alone = [said((MANY, 9)), said((FEW, 4)), said((RULES, 0))]
    assert np.abs(alone[0] - alone[1]).max() > 0.1 and np.abs(alone[0] - alone[2]).max() > 0.1
    assert said((MANY, 9), (FEW, 4), (RULES, 0)) == pytest.approx(np.mean(alone, axis=0), abs=1e-9)
    assert said((MANY, 9), (FEW, 4)) == pytest.approx(np.mean(alone[:2], axis=0), abs=1e-9)
    if arity:
        return
    # One query of each kind more than there are.
    positive = E.queries.target.sum()
    frequency = np.log((positive + 1.0) / (17.0 - positive))
    assert said((FREQUENCY, 0)) == pytest.approx(np.full(16, frequency), abs=1e-9)
    for way, own in (((MANY, 9), alone[0]), ((RULES, 0), alone[2])):
        drawn = said(way, (FREQUENCY, 0), shares=(0.7, 0.3))
        assert drawn == pytest.approx(0.7 * own + 0.3 * frequency, abs=1e-9)


# In words


@pytest.mark.parametrize(
    ("rules", "aggregation", "words"),
    [
        # Two literals: a rule neuron is sigm(6 (2 * 0.9526 - 1.5)) = 0.9192. -3 - 0.5 + 2 * 0.9192 sqrt(n) > 0 if
        # sqrt(n) > 1.904, n > 3.62.
        (["-3.0 :: part_1", "2.0 :: part_1 :- r(X, Y), p(X)"], "sqrt", "at least 4 of r(X, Y), p(X)"),
        (["4.0 :: part_1", "-2.0 :: part_1 :- r(X, Y), p(X)"], "sqrt", "fewer than 4 of r(X, Y), p(X)"),
        # One literal: 0.9379. The threshold lies between 0 and 1.
        (["0.0 :: part_1", "1.0 :: part_1 :- p(X)"], "sqrt", "some p(X)"),
        (["1.0 :: part_1", "-1.0 :: part_1 :- p(X)"], "sqrt", "no p(X)"),
        (["0.0 :: part_1", "1.0 :: part_1 :- p(X)"], "mean", "some p(X)"),
        (["-3.0 :: part_1", "2.0 :: part_1 :- p(X)"], "mean", "true of none"),
        (["-3.0 :: part_1", "2.0 :: part_1 :- p(X)"], "max", "true of none"),
        # -3 - 0.5 + 2 * 0.9379 n > 0 if n > 1.87.
        (["-3.0 :: part_1", "2.0 :: part_1 :- p(X)"], "sum", "at least 2 of p(X)"),
        (["3.0 :: part_1", "2.0 :: part_1 :- p(X)"], "sqrt", "true of all"),
        (["2.0 :: part_1 :- p(X)"], "sqrt", "some p(X)"),
        (["-3.0 :: part_1", "2.0 :: part_1 :- soft(X)"], "sqrt", "much of soft(X)"),
        (["4.0 :: part_1", "-2.0 :: part_1 :- soft(X)"], "sqrt", "little of soft(X)"),
        (["4.0 :: part_1"], "sqrt", "the same for all"),
        (["1.0 :: part_1 :- p(X)", "1.0 :: part_1 :- q(X)"], "sqrt", "several rules"),
    ],
)
def test_parts_in_words(rules: list[str], aggregation: str, words: str) -> None:
    made = [_parsed(rule) for rule in [*rules, "1.0 :: soft(X) :- p(X)", "1.0 :: active :- part_1"]]
    template = Template(tuple(made), Settings(object_identity=True, aggregation=aggregation))
    assert part_texts(template) == {Predicate("part_1", 0): words}


def _parsed(line: str) -> Rule:
    """A rule of atoms of one-letter variables."""
    weight, _, clause = line.partition(" :: ")
    head, _, rest = clause.partition(" :- ")

    def atom(found: str) -> Atom:
        name, _, arguments = found.rstrip(")").partition("(")
        terms = [Variable(term) if term.isupper() else Constant(term) for term in arguments.split(", ") if term]
        return Atom(name, tuple(terms))

    literals = [part if part.endswith(")") or "(" not in part else f"{part})" for part in rest.split("), ") if part]
    return Rule(atom(head), tuple(map(atom, literals)), weight=float(weight))

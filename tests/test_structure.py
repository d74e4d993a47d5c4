"""Structure learning, part by part, with samples worked out by hand or by a second method."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.optimize import minimize

from lrnn_cli.commands import cli
from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder
from lrnn_cli.grounding.joins.relations import Relations, Symmetries, symmetries
from lrnn_cli.grounding.tables import Table
from lrnn_cli.hypotheses.bodies import Candidate, Canonical, Shape
from lrnn_cli.hypotheses.invention import cluster_rules, invented_rules
from lrnn_cli.hypotheses.refinement import Language, paths, refinements
from lrnn_cli.hypotheses.sorts import ArgumentSorts
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.files import Source
from lrnn_cli.language.template import Settings
from lrnn_cli.network.compile import Compiler, Memory
from lrnn_cli.network.network import assemble, compile_network
from lrnn_cli.semantics.activations import Activation
from lrnn_cli.structure.algorithm import learn_rules
from lrnn_cli.structure.options import StructureOptions
from lrnn_cli.structure.problem import Problem, make_problem
from lrnn_cli.structure.rules import written_template
from lrnn_cli.structure.run_directory import RunDirectory
from lrnn_cli.structure.scoring import RIDGE, bounded, fit
from lrnn_cli.structure.state import LearningState

FAMILY = Path(__file__).resolve().parents[1] / "datasets" / "family" / "family.pl"
BOND = Predicate("bond", 2)
ACTIVE = Predicate("active", 0)
PAPER = Activation.of(Settings())


def table(*rows: tuple[int, ...]) -> Table:
    """Rows of objects, all in example 0."""
    return Table(np.zeros(len(rows), np.int32), np.array(rows, np.int32))


def language(length: int, variables: int, layers: tuple[int, ...] = (1,), symmetric: bool = True) -> Language:
    """One relation bond(X, Y) between objects of sort 0, latent predicates for them."""
    orders = ((0, 1), (1, 0)) if symmetric else ((0, 1),)
    canonical = Canonical({BOND: orders})
    return Language((BOND,), {BOND: (0, 0)}, canonical, dict.fromkeys(layers, frozenset({(0,)})), length, variables)


def test_layer_1_rules() -> None:
    """d clusters of all unary predicates, cluster by cluster."""
    rules = cluster_rules([Predicate("a", 1), Predicate("b", 1)], 2)
    assert [rule.clause for rule in rules] == [
        "latent_1_1(X) :- a(X)",
        "latent_1_1(X) :- b(X)",
        "latent_1_2(X) :- a(X)",
        "latent_1_2(X) :- b(X)",
    ]
    assert all(rule.weight is None for rule in rules)


def test_invented_rules_of_the_papers_second_example() -> None:
    """From p(A, B) <- bond(A, B), alpha^1_2(A), alpha^2_5(B) with k = 1: two rules for each predicate of layer 3."""
    best = Candidate(Shape(Predicate("p", 2), ((BOND, (0, 1)),), (((0,), 1), ((1,), 2))), ("latent_1_2", "latent_2_5"))
    assert best.rule().clause == "p(V1, V2) :- bond(V1, V2), latent_1_2(V1), latent_2_5(V2)"
    body = "bond(V1, V2), latent_1_2(V1), latent_2_5(V2)"
    assert [rule.clause for rule in invented_rules(best, 3)] == [
        f"latent_3_{number}({variable}) :- {body}" for number in (1, 2, 3) for variable in ("V1", "V2")
    ]


def test_invention_with_arity_2() -> None:
    """One predicate of one argument, one of two: all ordered pairs of different variables unify with its head."""
    best = Candidate(Shape(ACTIVE, ((BOND, (0, 1)),), ()), ())
    assert [rule.clause for rule in invented_rules(best, 1, arity=2)] == [
        "latent_2_1(V1) :- bond(V1, V2)",
        "latent_2_1(V2) :- bond(V1, V2)",
        "latent_2_2(V1, V2) :- bond(V1, V2)",
        "latent_2_2(V2, V1) :- bond(V1, V2)",
    ]


def test_invention_leaves_out_what_does_not_hang_together() -> None:
    """Of q(X, Y) <- latent(X), latent(Y) each invented rule keeps the literal of its own variable."""
    best = Candidate(Shape(Predicate("q", 2), (), (((0,), 1), ((1,), 1))), ("latent_1_1", "latent_1_2"))
    assert [rule.clause for rule in invented_rules(best, 1)] == [
        "latent_2_1(V1) :- latent_1_1(V1)",
        "latent_2_1(V2) :- latent_1_2(V2)",
    ]


def clauses(found: list[Candidate]) -> set[str]:
    """Rules in which any(V) stands for an open slot."""
    filled = [Candidate(item.shape, tuple(name or "any" for name in item.filling)) for item in found]
    assert len(filled) == len(set(filled))
    return {candidate.rule().clause for candidate in filled}


def test_refinements_of_the_empty_body() -> None:
    """A latent predicate, or the relation with none, one or both of its variables in a slot, which is open.

    bond is symmetric, so a slot at its first or at its second variable is the same body.
    """
    found = refinements(Candidate(Shape(ACTIVE, (), ()), ()), language(3, 2), ())
    assert clauses(found) == {
        "active :- any(V1)",
        "active :- bond(V1, V2)",
        "active :- bond(V1, V2), any(V1)",
        "active :- bond(V1, V2), any(V1), any(V2)",
    }


def test_refinements_of_a_relation() -> None:
    """A second literal in every way that is not a variant: the exact set for at most three variables."""
    parent = Candidate(Shape(ACTIVE, ((BOND, (0, 1)),), (((0,), 1),)), ("latent_1_2",))
    found = clauses(refinements(parent, language(3, 3), ()))
    assert found == {
        # One more slot, at the same or at the other variable.
        "active :- bond(V1, V2), any(V1), latent_1_2(V1)",
        "active :- bond(V1, V2), any(V1), latent_1_2(V2)",
        # One more relation, from the variable with the slot or from the other; no room for a slot of its variable.
        "active :- bond(V1, V2), bond(V1, V3), latent_1_2(V1)",
        "active :- bond(V1, V2), bond(V1, V3), latent_1_2(V2)",
    }


def test_a_relation_brings_so_many_literals_of_the_data() -> None:
    """Slots of layer 0 stand for them. Of a relation that is not symmetric either object may have one, beside a latent
    predicate of the other or not; both have one where that is allowed.
    """
    for together in (1, 2):
        words = replace(language(3, 2, (0, 1), symmetric=False), together=together)
        found = refinements(Candidate(Shape(ACTIVE, (), ()), ()), words, ())
        layers = Counter(tuple(layer for _, layer in item.shape.slots) for item in found if item.shape.relations)
        assert layers.pop((0, 0), 0) == together - 1
        assert layers == {(): 1, (0,): 2, (1,): 2, (0, 1): 1, (1, 0): 1, (1, 1): 1}


def test_refinements_respect_bounds() -> None:
    """No refinement is longer or has more variables than allowed."""
    small = language(2, 2)
    for start in refinements(Candidate(Shape(ACTIVE, (), ()), ()), small, ()):
        filled = Candidate(start.shape, tuple(name or "latent_1_1" for name in start.filling))
        for candidate in refinements(filled, small, ()):
            assert candidate.shape.length <= 2
            assert candidate.shape.variables <= 2


def test_variants_have_one_form() -> None:
    """All orders, all names and both directions of a symmetric relation give the same candidate."""
    canonical = Canonical({BOND: ((0, 1), (1, 0))})
    forms = set()
    for names in itertools.permutations(range(3)):
        for flip in (False, True):
            for order in itertools.permutations([(names[0], names[1]), (names[1], names[2])]):
                relations = tuple((BOND, pair[::-1] if flip else pair) for pair in order)
                slots = sorted([((names[0],), 1, "latent_1_4"), ((names[1],), 1, "latent_1_2")])
                shape = Shape(ACTIVE, relations, tuple((variables, layer) for variables, layer, _ in slots))
                forms.add(canonical(Candidate(shape, tuple(name for _, _, name in slots))))
    assert len(forms) == 1


def test_the_form_is_the_least_of_all_variants() -> None:
    """Told by going through all orders, turns and names of a body that has a symmetric relation and a head."""
    near, head = Predicate("near", 2), Predicate("linked", 1)
    turns: Symmetries = {BOND: ((0, 1), (1, 0))}
    given = ((near, (1, 2)), (BOND, (1, 0)), (BOND, (3, 1)), (near, (2, 3)))
    variants = []
    for order in itertools.permutations(given):
        for turned in itertools.product(*(turns.get(predicate, ((0, 1),)) for predicate, _ in order)):
            names = {0: 0}
            relations = []
            for (predicate, variables), places in zip(order, turned, strict=True):
                if names.keys().isdisjoint(variables):
                    break
                pair = [names.setdefault(variables[place], len(names)) for place in places]
                relations.append((predicate, tuple(pair)))
            else:
                variants.append((tuple(relations), names[3]))
    least, name = min(variants)
    form = Canonical(turns)(Candidate(Shape(head, given, (((3,), 1),)), ("latent_1_1",))).shape
    assert (form.relations, form.slots) == (least, (((name,), 1),))


def test_a_long_body_has_a_form_soon() -> None:
    """Ten literals of one variable have 3,628,800 orders, of which the names of predicates leave one."""
    letters = [Predicate(letter, 1) for letter in "jihgfedcba"]
    shape = Shape(Predicate("head", 1), tuple((letter, (0,)) for letter in letters), ())
    form = Canonical({})(Candidate(shape, ())).shape
    assert [predicate.name for predicate, _ in form.relations] == list("abcdefghij")


def test_paths_between_head_variables() -> None:
    """Both directions of one relation, and the paths of two."""
    head = Predicate("grand", 2)
    parent = Predicate("parent", 2)
    words = Language((parent,), {parent: (0, 0)}, Canonical({}), {}, 4, 3)
    found = {candidate.rule().clause for candidate in paths(head, words, (0, 0), longest=2)}
    assert found == {
        "grand(V1, V2) :- parent(V1, V2)",
        "grand(V1, V2) :- parent(V2, V1)",
        "grand(V1, V2) :- parent(V1, V3), parent(V2, V3)",
        "grand(V1, V2) :- parent(V1, V3), parent(V3, V2)",
        "grand(V1, V2) :- parent(V2, V3), parent(V3, V1)",
        "grand(V1, V2) :- parent(V3, V1), parent(V3, V2)",
    }


def test_paths_are_drawn_where_there_are_too_many() -> None:
    """Three relations: 6 paths of one, 36 of two. All shorter ones stay, and the same are drawn from the same seed."""
    head = Predicate("linked", 2)
    relations = tuple(Predicate(name, 2) for name in "abc")
    words = Language(relations, dict.fromkeys(relations, (0, 0)), Canonical({}), {}, 4, 3)

    def some(seed: int) -> list[Candidate]:
        return paths(head, words, (0, 0), longest=2, most=20, random=np.random.default_rng(seed))

    everything = paths(head, words, (0, 0), longest=2)
    assert len(everything) == 42
    assert len(some(1)) == 20 and set(some(1)) < set(everything)
    assert set(paths(head, words, (0, 0), longest=1)) < set(some(1))
    assert some(1) == some(1) != some(2)


def test_sorts_and_symmetry() -> None:
    """Arguments that share a constant have one sort; a relation is symmetric when each fact has its mirror image."""
    tables = {
        Predicate("bond", 3): table((0, 1, 5), (1, 0, 5)),
        Predicate("c", 1): table((0,)),
        Predicate("b_1", 1): table((5,)),
        Predicate("next", 2): table((7, 8), (8, 9)),
    }
    sorts = ArgumentSorts(tables, [f"o{number}" for number in range(10)]).sorts
    atoms, other, bonds = sorts[Predicate("bond", 3)]
    assert atoms == other == sorts[Predicate("c", 1)][0]
    assert bonds == sorts[Predicate("b_1", 1)][0] != atoms
    assert len(set(sorts[Predicate("next", 2)])) == 1
    orders = symmetries(Relations(tables, {}, {}, 10, True))
    assert orders[Predicate("bond", 3)] == ((0, 1, 2), (1, 0, 2))
    assert orders[Predicate("next", 2)] == ((0, 1),)


def test_scores_equal_a_plain_logistic_regression() -> None:
    """The refit minimises the penalised log loss: a general optimiser finds the same weights and loss."""
    random = np.random.default_rng(3)
    columns = np.column_stack([np.ones(200), random.uniform(size=(200, 3))])
    target = (random.uniform(size=200) < 0.5).astype(float)

    def loss(weights: np.ndarray) -> float:
        y = 1.0 / (1.0 + np.exp(-6.0 * (columns @ weights - 0.5)))
        penalty = RIDGE * float(weights @ weights)
        return float(-(target * np.log(y) + (1 - target) * np.log(1 - y)).mean()) + penalty

    best = minimize(loss, np.zeros(4), tol=1e-12)
    fitted = fit(columns, target, np.zeros(4), PAPER)
    assert fitted.loss == pytest.approx(best.fun, abs=1e-8)
    assert fitted.weights == pytest.approx(best.x, abs=1e-3)


def test_bounded_weights_still_separate() -> None:
    """Values below 7 are negative, above positive, so the bias is -7 times the weight of the column and both are large.

    Cut to 4 and -4, all outputs would be 1. A weight of 0.5 and a bias of -3 do it, sigm(6 (0.5 x - 3 - 0.5)).
    """
    column = np.linspace(5.0, 9.0, 40)
    target = (column > 7.0).astype(float)
    regression = fit(np.column_stack([np.ones(40), column]), target, np.zeros(2), PAPER)
    assert np.abs(regression.weights).max() > 8.0
    weights = bounded(regression, 4.0)
    assert np.abs(weights).max() <= 4.0
    assert ((regression.columns @ weights > 0.5) == (target > 0.5)).mean() > 0.9


def test_promised_gain_is_close_to_the_gain_of_a_weak_column() -> None:
    """For a column that helps little, one Newton step is nearly the whole gain."""
    random = np.random.default_rng(4)
    target = (random.uniform(size=500) < 0.4).astype(float)
    regression = fit(np.ones((500, 1)), target, np.zeros(1), PAPER)
    column = random.uniform(size=500) + 0.05 * target
    gain = regression.loss - regression.with_column(column).loss
    assert regression.promised_gains(column[:, None])[0] == pytest.approx(gain, rel=0.1)


def problem(options: StructureOptions) -> Problem:
    with open_grounder("swi", GrounderOptions()) as grounder:
        data = grounder.load(Source("family.pl", FAMILY.read_bytes()))
        knowledge = grounder.knowledge(data)
    return make_problem(data, knowledge, data.queries, options)


def test_joins_give_the_tables_of_the_grounder() -> None:
    """The learned model has the same outputs when SWI-Prolog grounds it as in the learner's own joins."""
    E = problem(StructureOptions(iterations=2, epochs=20, final_epochs=20))
    state = learn_rules(E)
    model = written_template(E, state.rules, state.weights)
    with open_grounder("swi", GrounderOptions()) as grounder:
        groundings = grounder.ground(model, grounder.load(Source("family.pl", FAMILY.read_bytes())))
    joined = E.grounder.ground(model)
    weights = np.array([rule.weight for rule in model.rules], float)
    results = []
    for item in (groundings, joined):
        network = compile_network(item)
        results.append(network.outputs(network.forward(weights)[0]))
    assert np.abs(results[0] - results[1]).max() < 1e-12
    for ours, theirs in zip(joined.tables, groundings.tables, strict=True):
        rows = [sorted(map(tuple, np.column_stack([t.example, t.objects]).tolist())) for t in (ours, theirs)]
        assert rows[0] == rows[1]


def test_memory_of_earlier_compilations() -> None:
    """A rule more makes more atoms of l2 true and so more rows of a table whose other literals stay the same."""
    data = Source("data.pl", b"e(x, y). e(x, z). c(x). a(y). b(z). query(p, 1).")
    rules = "0.5 :: l1(X) :- c(X). 0.7 :: l2(X) :- a(X). 1.0 :: p :- e(X, Y), l1(X), l2(Y)."
    memory = Memory()
    with open_grounder("swi", GrounderOptions()) as grounder:
        loaded = grounder.load(data)
        for text in (rules, rules + " 0.9 :: l2(X) :- b(X).", rules):
            template = grounder.read_template(Source("template.pl", text.encode()))
            groundings = grounder.ground(template, loaded)
            weights = np.array([rule.weight for rule in template.rules], float)
            outputs = []
            for compiler in (Compiler(groundings), Compiler(groundings, memory=memory)):
                network = assemble(compiler)
                outputs.append(network.outputs(network.forward(weights)[0]))
            assert outputs[0] == outputs[1]


def test_family_is_solved_and_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rule of grandparents comes first; a run that is cut after each iteration ends in the same bytes."""
    common = ["learn-structure", str(FAMILY), "--iterations", "3", "--epochs", "40", "--final-epochs", "40"]
    common += ["--conjunctions", "0", "--quiet"]

    def run(name: str, *more: str) -> int:
        arguments = [*common, "--run-dir", str(tmp_path / name), "-o", str(tmp_path / f"{name}.pl"), *more]
        return CliRunner().invoke(cli, arguments, catch_exceptions=False).exit_code

    assert run("whole") == 0
    rules = (tmp_path / "whole" / "rules.csv").read_text().splitlines()
    assert "grandparent(V1, V2) :- parent(V1, V3), parent(V3, V2)" in rules[1]
    metrics = CliRunner().invoke(cli, ["evaluate", str(tmp_path / "whole.pl"), str(FAMILY)])
    assert "accuracy      1.0000" in metrics.stdout

    record = RunDirectory.record

    def record_and_stop(directory: RunDirectory, E: Problem, state: LearningState) -> None:
        record(directory, E, state)
        raise KeyboardInterrupt

    with monkeypatch.context() as cut:
        cut.setattr(RunDirectory, "record", record_and_stop)
        assert run("parts") == 130
        assert (tmp_path / "parts.pl").read_bytes() != (tmp_path / "whole.pl").read_bytes()
        assert run("parts", "--resume") == 130
    assert run("parts", "--resume") == 0
    assert (tmp_path / "parts.pl").read_bytes() == (tmp_path / "whole.pl").read_bytes()
    names = {path.name for path in (tmp_path / "whole").iterdir()}
    assert {"rules.csv", "model_2.pl", "embedding_2.csv", "history_2.csv", "statistics.json"} <= names
    for name in names - {"iterations.csv", "state.json"}:
        assert (tmp_path / "parts" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
    assert run("parts") == 1


def test_one_class_only_is_said(tmp_path: Path) -> None:
    """Nothing can be learned from one class."""
    block = "begin(model({0})). c(x). query(p, 1). end(model({0})).\n"
    command = ["learn-structure", str(tmp_path / "data.pl"), "-o", str(tmp_path / "model.pl")]
    for names, message in (
        ("a", "there is one query of p/0 only"),
        ("ab", "all 2 queries of p/0 have the same target"),
    ):
        (tmp_path / "data.pl").write_text("".join(map(block.format, names)))
        result = CliRunner().invoke(cli, command)
        assert result.exit_code == 1
        assert message in result.stderr
        assert not (tmp_path / "model.pl").exists()


def test_joins_never_begin_with_parts_that_do_not_hang_together() -> None:
    """Of a(X, Y), b(Y, Z), a(Z, W) the form with both a in front would be a product of all their facts."""
    a, b = Predicate("a", 2), Predicate("b", 2)
    shape = Shape(ACTIVE, ((a, (0, 1)), (b, (1, 2)), (a, (2, 3))), ())
    form = Canonical({})(Candidate(shape, ())).shape
    assert [predicate.name for predicate, _ in form.relations] == ["a", "b", "a"]


def test_joins_compare_all_arguments_that_are_bound() -> None:
    """bond(X, Y), near(X, Y): rows of bond that are in near, found by either argument."""
    near = Predicate("near", 2)
    tables = {BOND: table((0, 1), (1, 2), (0, 2)), near: table((0, 2), (1, 0), (0, 1), (2, 2))}
    start = Table(np.zeros(1, np.int32), np.zeros((1, 0), np.int32))
    relations = Relations(tables, {}, {None: start}, 3, False)
    joined = relations.joined(None, ((BOND, (0, 1)), (near, (0, 1))))
    assert joined.objects.tolist() == [[0, 1], [0, 2]]


def test_query_atoms_with_an_object_twice_under_object_identity() -> None:
    """No rule derives likes(x, x): learner and network agree that its output is that of an atom without inputs."""
    blocks = "".join(
        f"begin(model(m{number})). knows(x, y). knows(y, x). {'happy' if number % 2 else 'sad'}(x). sad(y). "
        f"query(likes(x, y), {float(number % 2)}). query(likes(x, x), 0.0). end(model(m{number})).\n"
        for number in range(12)
    )
    with open_grounder("swi", GrounderOptions()) as grounder:
        data = grounder.load(Source("data.pl", blocks.encode()))
        E = make_problem(data, grounder.knowledge(data), data.queries, StructureOptions(iterations=1))
        state = learn_rules(E)
        model = written_template(E, state.rules, state.weights)
        network = compile_network(grounder.ground(model, data))
    weights = np.array([rule.weight for rule in model.rules], float)
    ours = compile_network(E.grounder.ground(model))
    outputs = [item.outputs(item.forward(weights)[0]) for item in (network, ours)]
    assert outputs[0] == pytest.approx(outputs[1], abs=1e-12)
    assert outputs[0][1::2] == pytest.approx(np.full(12, PAPER.underivable))

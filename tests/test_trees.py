"""Counts of neighbourhoods by hand and against a plain refinement of graphs; forests and boosted trees in runs."""

from __future__ import annotations

import importlib.util
import json
from collections import Counter

import numpy as np
import pytest
from conftest import Folder

from lrnn_cli.baselines.neighbourhoods import colours, neighbourhood_counts
from lrnn_cli.baselines.trees import frequent_columns, least_occurrences
from lrnn_cli.grounding.tables import Table
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.data import Queries

Edges = list[tuple[int, int, int]]


def molecule_tables(atoms: list[int], bonds: Edges) -> tuple[dict[Predicate, Table], int]:
    """One example: atoms of types t0, t1, ..., bonds as objects of types b0, b1, ..., each in both directions."""

    def table(rows: list[tuple[int, ...]]) -> Table:
        return Table(np.zeros(len(rows), np.int32), np.array(rows, np.int32))

    rows: list[tuple[int, ...]] = []
    tables: dict[Predicate, list[tuple[int, ...]]] = {}
    for atom, kind in enumerate(atoms):
        tables.setdefault(Predicate(f"t{kind}", 1), []).append((atom,))
    for number, (first, second, kind) in enumerate(bonds, len(atoms)):
        tables.setdefault(Predicate(f"b{kind}", 1), []).append((number,))
        rows += [(first, second, number), (second, first, number)]
    tables[Predicate("bond", 3)] = rows
    return {predicate: table(found) for predicate, found in tables.items()}, len(atoms) + len(bonds)


def plain_colours(atoms: list[int], bonds: Edges, radius: int) -> list[object]:
    """Weisfeiler-Leman on a graph whose edges have types."""
    current: list[object] = list(atoms)
    for _ in range(radius):
        around: list[list[str]] = [[] for _ in atoms]
        for first, second, kind in bonds:
            around[first].append(repr((kind, current[second])))
            around[second].append(repr((kind, current[first])))
        current = [(own, tuple(sorted(found))) for own, found in zip(current, around, strict=True)]
    return current


def queries_of(target: Predicate, arguments: list[tuple[int, ...]], example: list[int]) -> Queries:
    count = len(example)
    atoms = np.array(arguments, np.int32).reshape(count, target.arity)
    zeros = np.zeros(count, np.int64)
    return Queries(np.array(example), (target,), zeros, atoms, ("q",) * count, np.zeros(count), zeros)


def partition(labels: list[object]) -> list[int]:
    """The labels numbered by first occurrence."""
    number: dict[object, int] = {}
    return [number.setdefault(label, len(number)) for label in labels]


def test_bonds_that_are_objects_cost_no_radius() -> None:
    """Atoms are told apart exactly as in a graph with typed edges, at every radius."""
    random = np.random.default_rng(1)
    for _ in range(20):
        size = 14
        atoms = random.integers(0, 2, size).tolist()
        pairs = [(first, second) for first in range(size) for second in range(first)]
        chosen = random.permutation(len(pairs))[:15]
        bonds = [(*pairs[number], int(random.integers(0, 2))) for number in chosen.tolist()]
        found = colours(*molecule_tables(atoms, bonds), radius=3)
        for radius in range(4):
            assert partition(found[radius][:size].tolist()) == partition(plain_colours(atoms, bonds, radius))


def test_counts_of_a_molecule_by_hand() -> None:
    """Atoms C, C, O; C-C single, C=O double. Of radius 0: 2 C, 1 O, 1 single, 1 double; of radius 1 all differ.

    Counts of unary predicates are the same four as those of radius 0. So 4 + 5 + 4 columns; the sums are 5, 5 and 5.
    """
    tables, objects = molecule_tables([0, 0, 1], [(0, 1, 0), (1, 2, 1)])
    counts = neighbourhood_counts(tables, objects, queries_of(Predicate("p", 0), [()], [0]), Predicate("p", 0), 1)
    assert Counter(counts.toarray()[0].tolist()) == {2.0: 2, 1.0: 11}
    assert counts.sum() == 15.0


def test_what_is_true_of_examples_is_counted() -> None:
    """Two examples with one object each, n true in the first; two queries about the second, one about a third."""
    tables = {
        Predicate("n", 0): Table(np.array([0]), np.zeros((1, 0), np.int32)),
        Predicate("c", 1): Table(np.array([0, 1]), np.array([[0], [1]])),
    }
    target = Predicate("p", 0)
    counts = neighbourhood_counts(tables, 2, queries_of(target, [()] * 4, [0, 1, 1, 2]), target, 0)
    # The colour {c}; c; n.
    assert counts.toarray().tolist() == [[1, 1, 1], [1, 1, 0], [1, 1, 0], [0, 0, 0]]


def test_counts_around_arguments_by_hand() -> None:
    """r(0, 2), r(1, 2), r(0, 1); c is true of 2 alone. Queries p(0, 1) and p(1, 0).

    Columns, radius 0: the colours of the first argument (one, without c) and of the second. r with the first argument
    at its first place: another is the second argument, or has c. What both relate to: object 2, by r and r.
    """
    tables = {
        Predicate("c", 1): Table(np.array([0]), np.array([[2]])),
        Predicate("r", 2): Table(np.array([0, 0, 0]), np.array([[0, 2], [1, 2], [0, 1]])),
    }
    target = Predicate("p", 2)
    counts = neighbourhood_counts(tables, 3, queries_of(target, [(0, 1), (1, 0)], [0, 0]), target, 0)
    columns = Counter(tuple(column) for column in counts.toarray().T.tolist())
    # Both colours, r(argument, c) of both arguments, and r(0, X), r(1, X).
    assert columns[1.0, 1.0] == 5
    # For p(0, 1): r(first, second), seen from both ends. For p(1, 0): r(second, first), seen from both ends.
    assert columns[1.0, 0.0] == 2
    assert columns[0.0, 1.0] == 2
    assert set(columns) == {(1.0, 1.0), (1.0, 0.0), (0.0, 1.0)}


def test_features_must_occur_often_enough() -> None:
    assert [least_occurrences(queries) for queries in (20, 299, 300, 500, 3000)] == [2, 2, 3, 5, 5]
    counts = neighbourhood_counts(
        {Predicate("c", 1): Table(np.array([0, 0, 1]), np.array([[0], [1], [2]]))},
        3,
        queries_of(Predicate("p", 0), [()] * 3, [0, 1, 2]),
        Predicate("p", 0),
        0,
    )
    # Three objects, but in two examples.
    assert frequent_columns(counts, 2).tolist() == [0, 1]
    assert frequent_columns(counts, 3).tolist() == []


def planted(examples: int, dropped: int = -1) -> str:
    """Positive where a red object points to a blue one. Fold 2 has, in its first example, what nothing else has."""
    random = np.random.default_rng(1)
    blocks = []
    for number in range(examples):
        colour = random.integers(0, 3, 4).tolist()
        edges = {tuple(random.integers(0, 4, 2).tolist()) for _ in range(3)}
        positive = any(colour[first] == 0 and colour[second] == 1 for first, second in edges)
        facts = [f"{('red', 'blue', 'green')[kind]}(o{place})." for place, kind in enumerate(colour)]
        facts += [f"to(o{first}, o{second})." for first, second in sorted(edges)]
        if number == 1:
            facts += ["to(o0, extra).", "red(extra).", "blue(extra)."]
        facts += [f"fold({number % 2 + 1}).", f"query(p, {int(positive)})."]
        if number != dropped:
            blocks.append(f"begin(model(m{number})). {' '.join(facts)} end(model(m{number})).")
    return "\n".join(blocks)


@pytest.mark.parametrize("learner", ["forest", "lightgbm"])
def test_trees_in_whole_runs(folder: Folder, learner: str) -> None:
    """They find a planted concept, with the same bytes however many processes there are; metrics are of the file."""
    folder.write({"data.pl": planted(400)})
    for jobs in ("1", "2"):
        outcome = folder.run(
            "baseline",
            learner,
            "data.pl",
            "--fold",
            "2",
            "--jobs",
            jobs,
            "--metrics",
            f"{jobs}.json",
            "-o",
            f"{jobs}.tsv",
        )
        assert outcome.code == 0, outcome.stderr
    assert folder.read("1.tsv") == folder.read("2.tsv")
    rows = [line.split("\t") for line in folder.read("1.tsv").splitlines()]
    assert rows[0] == ["example", "atom", "target", "output"]
    assert [row[0] for row in rows[1:]] == [f"m{number}" for number in range(1, 400, 2)]
    right = [(float(row[3]) > 0.5) == (float(row[2]) > 0.5) for row in rows[1:]]
    assert json.loads(folder.read("1.json"))["accuracy"] == pytest.approx(np.mean(right))
    assert np.mean(right) > 0.9
    other = folder.run("baseline", learner, "data.pl", "--fold", "2", "--seed", "2")
    assert other.stdout != folder.read("1.tsv")


@pytest.mark.parametrize("learner", ["forest", "lightgbm"])
def test_predictions_depend_on_no_other_tested_example(folder: Folder, learner: str) -> None:
    """Without an example of fold 2 that has colours of its own, the outputs for the others stay."""
    folder.write({"all.pl": planted(100), "fewer.pl": planted(100, dropped=1)})
    everything = folder.run("baseline", learner, "all.pl", "--fold", "2").stdout.splitlines()
    fewer = folder.run("baseline", learner, "fewer.pl", "--fold", "2").stdout.splitlines()
    assert everything[1].startswith("m1\t")
    assert fewer == [everything[0], *everything[2:]]


def test_trees_for_pairs_of_objects(folder: Folder) -> None:
    """siblings(X, Y): both have the same parent; two families, tested on the second."""
    blocks = []
    for family in (1, 2):
        facts = [f"parent(p{child // 3}, c{child})." for child in range(12)] + [f"fold({family})."]
        facts += [
            f"query(siblings(c{first}, c{second}), {int(first // 3 == second // 3)})."
            for first in range(12)
            for second in range(12)
            if first != second
        ]
        blocks.append(f"begin(model(f{family})). {' '.join(facts)} end(model(f{family})).")
    folder.write({"data.pl": "\n".join(blocks)})
    outcome = folder.run("baseline", "forest", "data.pl", "--fold", "2", "--metrics", "metrics.json", "-o", "out.tsv")
    assert outcome.code == 0, outcome.stderr
    assert json.loads(folder.read("metrics.json"))["accuracy"] == 1.0


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((), 2, "say which part is left out and predicted: --fold K"),
        (("--fold", "2", "--metrics", "x", "-o", "x"), 1, "would overwrite"),
        (("--fold", "2", "--occurrences", "1000"), 1, "no feature occurs for 1000 of 10 queries of p/0 to learn from"),
    ],
)
def test_wrong_calls(folder: Folder, arguments: tuple[str, ...], code: int, message: str) -> None:
    folder.write({"data.pl": planted(20)})
    before = folder.content()
    outcome = folder.run("baseline", "forest", "data.pl", *arguments)
    assert (outcome.code, outcome.stdout) == (code, "")
    assert message in outcome.stderr
    assert folder.content() == before


def test_data_that_nothing_can_be_learned_from(folder: Folder) -> None:
    one_class = "begin(model(a)). c(x). fold(1). query(p, 1). end(model(a)).\n"
    folder.write({"data.pl": one_class + one_class.replace("(a)", "(b)").replace("fold(1)", "fold(2)")})
    outcome = folder.run("baseline", "forest", "data.pl", "--fold", "2")
    assert "all 1 queries of p/0 have a target above 0.5; there is nothing to learn from one class" in outcome.stderr
    # A target that is asked in the tested fold only.
    text = planted(20).replace("query(p, 0). end(model(m1))", "query(q, 0). end(model(m1))")
    assert "query(q" in text
    folder.write({"data.pl": text})
    outcome = folder.run("baseline", "forest", "data.pl", "--fold", "2")
    assert outcome.code == 1
    assert "data.pl:2:1: no query to learn from asks for q/0, as this one does; choose other folds" in outcome.stderr


@pytest.mark.parametrize(("learner", "package"), [("forest", "scikit-learn"), ("lightgbm", "LightGBM")])
def test_missing_packages(folder: Folder, monkeypatch: pytest.MonkeyPatch, learner: str, package: str) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    folder.write({"data.pl": planted(20)})
    outcome = folder.run("baseline", learner, "data.pl", "--fold", "2")
    assert outcome.code == 1
    assert f"needs {package}; install it with pip install 'lrnn[baselines]'" in outcome.stderr

"""Folds that keep duplicates together, and how duplicates are found."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from conftest import Folder

from lrnn_cli.evaluation.folds import assign_folds
from lrnn_cli.evaluation.survey import duplicate_groups
from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder
from lrnn_cli.grounding.groundings import load_groundings
from lrnn_cli.grounding.session import GroundingSession
from lrnn_cli.language.data import DataSet
from lrnn_cli.language.files import Source, read_source

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def grounder() -> Iterator[GroundingSession]:
    with open_grounder("swi", GrounderOptions()) as opened:
        yield opened


def load(grounder: GroundingSession, examples: Sequence[str], outside: str = "") -> DataSet:
    blocks = [f"begin(model(m{number})). {text} end(model(m{number}))." for number, text in enumerate(examples)]
    return grounder.load(Source("data.pl", "\n".join([outside, *blocks]).encode()))


def grouped(grounder: GroundingSession, examples: Sequence[str], outside: str = "") -> list[list[int]]:
    """Groups of positions of duplicates, singles included; `outside` stands before all examples."""
    data = load(grounder, examples, outside)
    groups = duplicate_groups(data, *grounder.relations(data), grounder.names(data)).tolist()
    return sorted([[place for place, group in enumerate(groups) if group == number] for number in set(groups)])


# Duplicates


def test_names_and_order_do_not_count(grounder: GroundingSession) -> None:
    """The same molecule thrice; the fourth has its bond turned round, the fifth another type."""
    examples = [
        "c(a1). o(a2). bond(a1, a2, b). query(p, 1).",
        "bond(x, y, z). o(y). c(x). query(p, 0).",
        "c('ž ß'). o([1, 2]). bond('ž ß', [1, 2], '7.5').",
        "c(a1). o(a2). bond(a2, a1, b).",
        "c(a1). n(a2). bond(a1, a2, b).",
    ]
    assert grouped(grounder, examples) == [[0, 1, 2], [3], [4]]


def test_numbers_count(grounder: GroundingSession) -> None:
    """Sixty examples that differ in one float are sixty groups; so are those that differ in an integer."""
    assert len(grouped(grounder, [f"thing(a). charge(a, {number / 100})." for number in range(60)])) == 60
    assert len(grouped(grounder, [f"thing(b{number}). charge(b{number}, {number % 5})." for number in range(60)])) == 5
    weighted = ["0.5 :: charge(a, 0.1).", "0.5 :: charge(b, 0.1).", "0.5 :: charge(a, 0.2)."]
    assert grouped(grounder, weighted) == [[0, 1], [2]]


def test_integers_that_name_objects_do_not_count(grounder: GroundingSession) -> None:
    """A molecule with its atoms numbered in three ways; kinds of bonds are numbers that count."""
    examples = [
        "c(1). o(2). n(3). bond(1, 2, 7). bond(2, 3, 1).",
        "c(2). o(3). n(1). bond(2, 3, 7). bond(3, 1, 1).",
        "c(30). o(2). n(1). bond(30, 2, 7). bond(2, 1, 1).",
        "c(1). o(2). n(3). bond(1, 2, 1). bond(2, 3, 7).",
    ]
    assert grouped(grounder, examples) == [[0, 1, 2], [3]]


def test_constants_of_a_bias_count(grounder: GroundingSession) -> None:
    """colour(c1, red) and colour(c1, blue) are one thing to a model, unless their second argument takes constants."""
    examples = ["car(c1). colour(c1, red).", "car(c2). colour(c2, blue).", "car(c). colour(c, red)."]
    assert grouped(grounder, examples) == [[0, 1, 2]]
    assert grouped(grounder, examples, "bias(colour(car, constant)). bias(car(car)).") == [[0, 2], [1]]


def test_constants_of_background_clauses_count(grounder: GroundingSession) -> None:
    examples = ["colour(c1, red).", "colour(c2, blue).", "colour(c3, 'Red one').", "colour(c4, green)."]
    assert grouped(grounder, examples, "warm(X) :- colour(X, red).") == [[0], [1, 2, 3]]
    assert grouped(grounder, examples, "warm(X) :- colour(X, Y), (Y = 'Red one' ; Y == red).") == [[0], [1, 3], [2]]
    assert grouped(grounder, examples, "warm(red).") == [[0], [1, 2, 3]]
    assert grouped(grounder, examples, "warm(pink).") == [[0, 1, 2, 3]]


def test_constants_of_rules_count_in_check(folder: Folder) -> None:
    blocks = [
        f"begin(model(m{n})). colour(c, {colour}). query(p, {n % 2}). end(model(m{n})).\n"
        for n, colour in enumerate(["red", "blue", "red", "green"])
    ]
    folder.write({"data.pl": "".join(blocks), "template.pl": "_ :: p :- colour(X, red).\n"})
    plain = json.loads(folder.run("check", "data.pl", "--json").stdout)
    assert plain["duplicates"]["first groups"] == [["m0", "m1", "m2", "m3"]]
    told = json.loads(folder.run("check", "data.pl", "--template", "template.pl", "--json").stdout)
    assert told["duplicates"]["first groups"] == [["m0", "m2"], ["m1", "m3"]]


def test_weights_and_numbers_of_facts_count(grounder: GroundingSession) -> None:
    """A weight, a second weight for the same atom, one more object; repeating a fact changes nothing."""
    examples = ["q(a).", "0.5 :: q(a).", "0.5 :: q(b).", "0.5 :: q(a). 0.7 :: q(a).", "q(a). q(b).", "q(c). q(c)."]
    assert grouped(grounder, examples) == [[0, 5], [1, 2], [3], [4]]


def test_examples_without_facts_are_equal(grounder: GroundingSession) -> None:
    assert grouped(grounder, ["query(p, 1).", "query(p, 0).", "q."]) == [[0, 1], [2]]


def test_differences_far_away_are_seen(grounder: GroundingSession) -> None:
    """Paths of 90 objects with two marks each, 40 or 45 steps apart: their neighbourhoods of 15 steps are the same."""

    def path(first: int, second: int) -> str:
        steps = " ".join(f"next(o{place}, o{place + 1})." for place in range(90))
        return f"{steps} mark(o{first}). mark(o{second})."

    assert grouped(grounder, [path(20, 60), path(20, 65), path(20, 60)]) == [[0, 2], [1]]


def test_duplicates_are_isomorphic(grounder: GroundingSession) -> None:
    """150 directed graphs of three objects, some of them marked, by trying all renamings.

    A pair of graphs is in one group exactly when some permutation of the objects turns one into the other.
    """
    drawn = random.Random(1)
    arcs = list(itertools.permutations(range(3), 2))
    graphs = []
    for _ in range(150):
        chosen = frozenset(arc for arc in arcs if drawn.random() < 0.5)
        marks = frozenset(node for node in range(3) if drawn.random() < 0.4)
        graphs.append((chosen, marks))

    def canonical(graph: tuple[frozenset[tuple[int, int]], frozenset[int]]) -> object:
        chosen, marks = graph
        return min(
            (sorted((order[a], order[b]) for a, b in chosen), sorted(order[node] for node in marks))
            for order in itertools.permutations(range(3))
        )

    texts = []
    for chosen, marks in graphs:
        facts = [f"node(n{node})." for node in range(3)]
        facts += [f"arc(n{a}, n{b})." for a, b in chosen] + [f"mark(n{node})." for node in marks]
        texts.append(" ".join(facts))
    data = load(grounder, texts)
    groups = duplicate_groups(data, *grounder.relations(data), grounder.names(data)).tolist()
    forms = [canonical(graph) for graph in graphs]
    for first, second in itertools.combinations(range(len(graphs)), 2):
        assert (groups[first] == groups[second]) == (forms[first] == forms[second]), (graphs[first], graphs[second])


def test_what_is_far_apart_counts(grounder: GroundingSession) -> None:
    """Chains of up to twelve, with a mark at the end or none: which differ is found out from their ends on."""

    def chain(length: int, marked: bool, names: str) -> str:
        arcs = [f"arc({names}{node}, {names}{node + 1})." for node in range(length)]
        return " ".join([*arcs[::-1], f"mark({names}{length})." if marked else "", f"node({names}0)."])

    kinds = [(length, marked) for length in range(1, 13) for marked in (False, True)]
    examples = [chain(*kind, names) for names in ("a", "b") for kind in kinds]
    assert grouped(grounder, examples) == [[number, number + len(kinds)] for number in range(len(kinds))]


def test_numbers_of_groups_stay(grounder: GroundingSession) -> None:
    """They decide what is held out while rules are learned: with others, the same data and seed give other models."""
    data = grounder.load(read_source(str(ROOT / "datasets" / "trains" / "trains.pl"), "data"))
    groups = duplicate_groups(data, *grounder.relations(data), grounder.names(data))
    assert groups[:10].tolist() == [190, 73, 184, 111, 10, 191, 106, 94, 12, 46]


# Folds


def with_targets(grounder: GroundingSession, targets: Sequence[float]) -> DataSet:
    return load(grounder, [f"query(p, {target})." for target in targets])


def spread(assigned: np.ndarray, chosen: np.ndarray, folds: int) -> int:
    """How much the numbers of chosen examples in the folds differ."""
    counts = [int(((assigned == fold) & chosen).sum()) for fold in range(1, folds + 1)]
    return max(counts) - min(counts)


@pytest.mark.parametrize("folds", [2, 3, 5, 10])
def test_pairs_stay_together_and_folds_stratified(grounder: GroundingSession, folds: int) -> None:
    """60 positives and 40 negatives, 15 pairs of equal and 3 of different class: the other examples fill up."""
    targets = np.array([1.0] * 60 + [0.0] * 40)
    groups = np.arange(100)
    groups[1:20:2] = groups[:20:2]
    groups[61:70:2] = groups[60:70:2]
    groups[[70, 71, 72]] = groups[[20, 21, 22]]
    data = with_targets(grounder, targets.tolist())
    for seed in range(5):
        assigned = assign_folds(data, folds, seed, groups)
        for group in np.unique(groups):
            assert len(set(assigned[groups == group].tolist())) == 1
        assert spread(assigned, targets == 1, folds) <= 1
        assert spread(assigned, targets == 0, folds) <= 1
        assert spread(assigned, targets >= 0, folds) <= 1


def test_a_large_group_leaves_no_fold_empty(grounder: GroundingSession) -> None:
    """20 of 24 examples are equal: they are one fold, and four others share the other two folds."""
    data = with_targets(grounder, [1.0] * 12 + [0.0] * 12)
    groups = np.array([0] * 10 + [1, 2] + [0] * 10 + [3, 4])
    assigned = assign_folds(data, 3, 1, groups)
    assert sorted(Counter(assigned.tolist()).values()) == [2, 2, 20]


def test_different_examples_are_dealt_as_without_groups(grounder: GroundingSession) -> None:
    """Where nothing is a duplicate, the option changes nothing."""
    data = with_targets(grounder, [number % 3 / 2 for number in range(31)])
    for seed in range(3):
        assert (assign_folds(data, 4, seed) == assign_folds(data, 4, seed, np.arange(31)[::-1])).all()


def test_folds_of_the_data_win(folder: Folder) -> None:
    """Duplicates in two given folds stay there, and `check` says so."""
    block = "begin(model(m{0})). q(a). fold({1}). query(p, 1). end(model(m{0})).\n"
    folder.write({"data.pl": "".join(block.format(number, number % 2 + 1) for number in range(4))})
    folder.write({"model.pl": "1.0 :: p :- q(X)."})
    rows = folder.run("predict", "model.pl", "data.pl", "--fold", "2", "--group-duplicates").stdout.splitlines()
    assert [row.split("\t")[0] for row in rows[1:]] == ["m1", "m3"]
    summary = json.loads(folder.run("check", "data.pl", "--json").stdout)
    assert summary["duplicates across folds"]["groups"] == 1


def test_one_graph_in_two_folds(folder: Folder) -> None:
    """Equal facts with other queries are duplicates, and no leak; the same query in another fold is one."""
    facts = "e(a, b). e(b, c). r(a)."
    block = "begin(model(m{0})). fold({0}). {1} query(likes({2}), 1). end(model(m{0})).\n"
    for second, leaks in (("c", 0), ("a", 1)):
        folder.write({"data.pl": block.format(1, facts, "a") + block.format(2, facts, second)})
        outcome = folder.run("check", "data.pl")
        assert "\nduplicates: 1 group, 2 examples\n" in outcome.stdout
        assert f"duplicates across folds: {'1 group, 2 examples' if leaks else 'none'}\n" in outcome.stdout


PART = ("--folds", "4", "--fold", "2", "--seed", "3")


@pytest.fixture
def tested(folder: Folder) -> set[str]:
    """Ten pairs of duplicates in data.pl, m0 = m1, m2 = m3 and so on; the examples that `predict` tests."""
    facts = [" ".join(f"t{bit}(a{bit})." for bit in range(5) if number >> bit & 1) for number in range(1, 11)]
    block = "begin(model(m{0})). {1} query(p, {2}). end(model(m{0})).\n"
    folder.write({"data.pl": "".join(block.format(n, facts[n // 2], n // 2 % 2) for n in range(20))})
    folder.write({"rules.pl": "1.0 :: p :- t0(X)."})
    rows = folder.run("predict", "rules.pl", "data.pl", *PART).stdout.splitlines()[1:]
    return {row.split("\t")[0] for row in rows}


def test_predict_takes_whole_pairs(tested: set[str]) -> None:
    pairs = [{f"m{number}", f"m{number + 1}"} for number in range(0, 20, 2)]
    assert tested == set().union(*(pair for pair in pairs if pair & tested))
    assert 4 <= len(tested) <= 6


def test_check_draws_the_same_folds(folder: Folder, tested: set[str]) -> None:
    together = json.loads(folder.run("check", "data.pl", "--folds", "4", "--seed", "3", "--json").stdout)
    assert together["duplicates"]["groups"] == 10
    assert together["duplicates across folds"]["groups"] == 0
    assert together["folds"]["2"] == len(tested)
    apart = json.loads(folder.run("check", "data.pl", "--folds", "4", "--no-group-duplicates", "--json").stdout)
    assert apart["duplicates across folds"]["groups"] > 0


def test_ground_takes_the_others(folder: Folder, tested: set[str]) -> None:
    assert folder.run("ground", "rules.pl", "data.pl", *PART, "-o", "g.npz").code == 0
    groundings = load_groundings("g.npz")
    learned = {groundings.example_name[example] for example in groundings.queries.example.tolist()}
    assert learned == {f"m{number}" for number in range(20)} - tested


def test_structure_is_learned_from_the_others(folder: Folder, tested: set[str]) -> None:
    """The model learned from all but a fold is that of a file without the examples of the fold."""
    options = ("--iterations", "1", "--epochs", "3", "--final-epochs", "0", "--gain", "0", "--quiet")
    assert folder.run("learn-structure", "data.pl", *PART, *options, "-o", "a.pl").code == 0
    kept = [line for line in folder.read("data.pl").splitlines() if line.split("(")[2].split(")")[0] not in tested]
    folder.write({"data.pl": "\n".join(kept)})
    assert folder.run("learn-structure", "data.pl", "--seed", "3", *options, "-o", "b.pl").code == 0
    assert folder.read("a.pl") == folder.read("b.pl")

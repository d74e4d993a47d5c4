"""What is chosen on queries held out, what is said of new data, and data of all kinds."""

from __future__ import annotations

import itertools
import math
import random
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import naive
import numpy as np
import pytest
from conftest import Folder
from test_conjunctions import bag, switched, text

import lrnn_cli as lrnn
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.data import Queries
from lrnn_cli.semantics.targets import BINARY, CLASSES, REGRESSION, TargetKind
from lrnn_cli.structure.boosting import BoostingOptions
from lrnn_cli.structure.ensemble import ALIKE, Trial
from lrnn_cli.structure.estimates import estimate_text, estimate_warnings
from lrnn_cli.structure.holding_out import SEARCHED, held_out_parts, searched_queries
from lrnn_cli.structure.options import StructureOptions
from lrnn_cli.structure.problem import Allowance
from lrnn_cli.structure.selection import (
    FEW,
    FEW_SHARED,
    FREQUENCY,
    MANY,
    RULES,
    TOGETHER,
    WITH_LATENT,
    Choice,
    Estimate,
    Family,
    HeldOut,
    are_better,
    best_way,
    families,
    may_be_about_literals,
    settled,
)
from lrnn_cli.structure.side_by_side import Result

SHORT = ("--length", "3", "--variables", "3", "--conjunctions", "60")
QUICK = ("--iterations", "2", "--epochs", "30", "--final-epochs", "30", *SHORT, "--jobs", "1")
AS_USERS_DO = ("--iterations", "14", "--epochs", "150", "--final-epochs", "150")
ACTIVE = Predicate("active", 0)
LINE = re.compile(
    r"expected accuracy on new data (\d\.\d{3}), majority (\d\.\d{3}) \(from (\d+) queries held out; "
    r"(\d\.\d{3}) in training\)"
)


def queries(example: list[int], target: list[float]) -> Queries:
    count = len(example)
    nothing = np.zeros(count, np.int64)
    arguments = np.zeros((count, 0), np.int64)
    return Queries(np.array(example), (ACTIVE,), nothing, arguments, ("active",) * count, np.array(target), nothing)


# Ways

TARGET = np.array([1.0, 1.0, 0.0, 0.0])[:, None]
FREQUENT = np.full((4, 1), 0.5)


def off(*errors: float) -> np.ndarray:
    """(4, 1) outputs that are so far from the targets."""
    return np.asarray(np.abs(TARGET - np.array(errors)[:, None]))


def way(few: np.ndarray, many: np.ndarray, rules: np.ndarray = FREQUENT, constant: bool = True) -> tuple[str, int]:
    trial = HeldOut(TARGET, rules, {FEW: np.stack([FREQUENT, few]), MANY: np.stack([FREQUENT, many])})
    chosen = best_way([trial], {}, BINARY, lambda text: None, constant)
    return chosen.name, chosen.conjunctions


def test_a_way_must_surely_be_better_than_many_conjunctions() -> None:
    """Many are .3 off, a loss of .09 for each query.

    Few are right for three queries, .57 off for the other: losses are less by .09 thrice and more by .2349 once, by
    .009 on the mean; the error of that is .141 / 2. With .33 it is less by .09 thrice, more by .0189: .063 +- .024.
    """
    many = off(0.3, 0.3, 0.3, 0.3)
    assert way(off(0.0, 0.0, 0.0, 0.57), many) == (MANY, 1)
    assert way(off(0.0, 0.0, 0.0, 0.33), many) == (FEW, 1)
    assert way(off(0.0, 0.0, 0.0, 0.33), many, TARGET) == (RULES, 0)


def test_the_simplest_way_to_explain_clean_data() -> None:
    """The frequency has a loss of .25, and what leaves .05 is clean: one query of four that is .1 off leaves .0025.

    If it is .5 off, .0625 are left: more than many conjunctions have, if not surely, and not clean.
    """
    many = off(0.0, 0.0, 0.0, 0.1)
    assert way(off(0.1, 0.0, 0.0, 0.0), many) == (FEW, 1)
    assert way(off(0.5, 0.0, 0.0, 0.0), many) == (MANY, 1)
    assert way(off(0.1, 0.0, 0.0, 0.0), many, off(0.0, 0.1, 0.0, 0.0)) == (RULES, 0)


def test_nothing_but_the_frequency_where_nothing_is_surely_better() -> None:
    """Losses of .16, .16, .16 and .49 beside .25: less by .0075 on the mean, with an error of .143 / 2."""
    unsure = off(0.4, 0.4, 0.4, 0.7)
    assert way(unsure, unsure) == (FREQUENCY, 0)
    assert way(unsure, unsure, constant=False) == (MANY, 1)
    assert way(unsure, off(0.4, 0.4, 0.4, 0.4)) == (MANY, 1)


def test_plain_rules_where_no_body_is_frequent() -> None:
    """Paths have their beginning only."""
    trial = HeldOut(TARGET, off(0.1, 0.1, 0.1, 0.1), {FEW: FREQUENT[None], MANY: FREQUENT[None]})
    assert best_way([trial], {}, BINARY, lambda text: None).name == RULES


@pytest.mark.parametrize(("few", "rules"), [(0.4, 0.45), (0.45, 0.4), (0.4, 0.4)])
def test_many_conjunctions_of_both_kinds_and_what_is_as_good_are_taken_together(few: float, rules: float) -> None:
    """Many conjunctions are .1 off for half of the queries and .6 for the others; with latent predicates contrary.

    logit .9 + logit .4 = 2.1972 - .4055 = 1.7918, half of it is the logit of .71: together they are .29 off for all, a
    loss of .0841. What is .05 off for half of the queries and .4 for the others has .0813; with .45 it has .1025.
    """
    target = np.tile([[1.0], [0.0]], (60, 1))

    def outputs(one: float, other: float) -> np.ndarray:
        return np.asarray(np.abs(target - np.tile([[one], [one], [other], [other]], (30, 1))))

    half = np.full_like(target, 0.5)
    errors = {
        (MANY, 1): (0.1, 0.6),
        (MANY + WITH_LATENT, 1): (0.6, 0.1),
        (FEW, 1): (0.05, few),
        (RULES, 0): (0.05, rules),
    }
    paths = {name: np.stack([half, outputs(*own)]) for (name, count), own in errors.items() if count}
    chosen = best_way([HeldOut(target, outputs(0.05, rules), paths)], {}, BINARY, lambda text: None)
    together = [way for way, own in errors.items() if own[1] != 0.45]
    assert chosen.shares == pytest.approx(dict.fromkeys(together, 1.0 / len(together)))
    assert (chosen.name, chosen.conjunctions) == (TOGETHER, sum(conjunctions for _, conjunctions in together))
    logits = np.mean([[math.log(1.0 / error - 1.0) for error in errors[way]] for way in together], axis=0)
    assert chosen.estimate.loss == pytest.approx(np.mean((1.0 / (1.0 + np.exp(logits))) ** 2))


@pytest.mark.parametrize(
    ("queries", "wrong", "constant", "small", "share"),
    [
        (100, 20, True, True, 0.6),
        (100, 20, False, True, 1.0),
        (100, 20, True, False, 1.0),
        (100, 4, True, True, 1.0),
        (90, 18, True, True, 1.0),
    ],
)
def test_what_small_data_say_is_drawn_to_the_frequency(
    queries: int, wrong: int, constant: bool, small: bool, share: float
) -> None:
    """Outputs are .9 for all queries and right for four fifths of them; .8 would be best, the logit of which is 1.386.

    The logit of .9 is 2.197, so .631 of it. Six tenths are .7888, with a loss of .8 * .2112^2 + .2 * .7888^2 = .1601;
    seven .8232 with .1605. Not without a fact to say the frequency, where data are clean or too few, or there are many.
    """
    target = np.tile([[1.0], [0.0]], (queries // 2, 1))
    said = np.where(np.arange(queries)[:, None] < wrong, 0.9 - 0.8 * target, 0.1 + 0.8 * target)
    half = np.full_like(target, 0.5)
    trial = HeldOut(target, half, {MANY: np.stack([half, said])})
    chosen = best_way([trial], {}, BINARY, lambda text: None, constant, small)
    expected = {(MANY, 1): share} | ({(FREQUENCY, 0): 1.0 - share} if share < 1.0 else {})
    assert chosen.shares == pytest.approx(expected)
    if share == 0.6:
        assert chosen.estimate.loss == pytest.approx(0.1601, abs=1e-4)


def test_noise_is_told_by_its_frequency(folder: Folder) -> None:
    """Atoms that have nothing to do with the target: the model is a fact. 20 of 60 are positive.

    Frequencies are those of one query more of each class: (20 + 1) / (60 + 2).
    """
    draw = random.Random(2)
    blocks = []
    for number in range(60):
        atoms = " ".join(f"{draw.choice('cno')}(a{atom})." for atom in range(3))
        blocks.append(
            f"begin(model(m{number})). {atoms} query(active, {float(number % 3 == 0)}). end(model(m{number}))."
        )
    folder.write({"noise.pl": "\n".join(blocks)})
    learned = folder.run("learn-structure", "noise.pl", *QUICK, "-o", "model.pl")
    assert "not better than always predicting the larger class" in learned.stderr
    rows = folder.run("predict", "model.pl", "noise.pl").stdout.splitlines()[1:]
    assert {round(float(row.split("\t")[-1]), 6) for row in rows} == {round(21 / 62, 6)}


def test_settings_of_conjunctions_follow_the_number_of_queries() -> None:
    """Of sixteen queries a conjunction of two is one; a hundred or more have the settings of large data."""
    found = {}
    for count in (16, 100, 500):
        ways = families(StructureOptions(), count)
        few, many = ways[FEW].options, ways[MANY].options
        found[count] = few.covered, few.columns, few.penalty, many.covered, many.penalty
        shared = [way.options.columns for name, way in ways.items() if name.startswith(FEW_SHARED)]
        assert shared == ([0.2, 0.2] if count == 16 else [])
    assert found[16] == (2, 1.0, 0.128, 2, 0.128)
    assert found[100] == found[500] == (3, 1.0, 1.0, 10, 5.0)
    assert settled(StructureOptions(), 16).support == 2
    assert settled(StructureOptions(), 60).support == 5


@pytest.mark.parametrize(
    ("queries", "kind", "with_arguments", "iterations"),
    [
        (1000, BINARY, False, 14),
        (1001, BINARY, False, 2),
        (1001, BINARY, True, 3),
        (1001, CLASSES, False, 3),
        (1001, REGRESSION, False, 3),
    ],
)
def test_iterations_on_large_data(queries: int, kind: TargetKind, with_arguments: bool, iterations: int) -> None:
    assert settled(StructureOptions(), queries, kind, with_arguments).iterations == iterations
    assert settled(StructureOptions(iterations=5), queries, kind, with_arguments).iterations == 5
    assert settled(StructureOptions(conjunctions=0), queries, kind, with_arguments).iterations == 14


@pytest.mark.parametrize("with_arguments", [False, True])
def test_many_queries_about_few_objects_may_not_bear_latent_predicates(with_arguments: bool) -> None:
    """Many conjunctions without them are the usual way there; of whole examples they are not tried."""
    ways = families(StructureOptions(), 5000, BINARY, with_arguments)
    usual = next(name for name in ways if name.startswith(MANY))
    assert (usual == MANY) == with_arguments == (MANY in ways)
    assert ways[usual].plenty
    assert FEW not in ways


@pytest.mark.parametrize(("count", "name"), [(120, RULES), (60, MANY)])
def test_the_simplest_way_to_say_classes(count: int, name: str) -> None:
    """Rules have two of the queries wrong, conjunctions another one: the difference is 1 / n, its deviation 1.7 / n.

    Enough queries don't tell the two apart, so the rules are taken. Of few queries many conjunctions are.
    """
    target = np.eye(3)[np.arange(count) % 3]
    rules, path = target.copy(), np.stack([np.full_like(target, 1 / 3), target.copy()])
    rules[:2], path[1, 5] = np.roll(target[:2], 1, axis=1), np.roll(target[5], 1)
    trial = HeldOut(target, rules, {MANY: path})
    ways = {MANY: families(StructureOptions(), count)[MANY]}
    assert best_way([trial], ways, CLASSES, lambda text: None).name == name


# How many


@pytest.mark.parametrize(("last", "chosen"), [(0.301, 3), (0.32, 2)])
def test_all_conjunctions_are_taken_where_plenty_are_wanted(last: float, chosen: int) -> None:
    """One query of each class, outputs e and 1 - e: losses are e squared, and .25 for the frequency.

    e falls to .3 at two conjunctions. A hundredth of what these explain, .16, is .0016: .301 is within it, .32 is not.
    """
    errors = np.array([0.5, 0.4, 0.3, last])
    path = np.stack([errors, 1.0 - errors], 1)[:, :, None]
    target = np.array([[0.0], [1.0]])
    trial = HeldOut(target, np.full((2, 1), 0.5), {MANY: path})
    for plenty, expected in ((True, chosen), (False, 2)):
        families = {MANY: Family(BoostingOptions(4, 0.1), True, plenty)}
        assert best_way([trial], families, BINARY, lambda line: None).conjunctions == expected


# Parts


def test_rules_are_searched_with_some_of_very_many_queries() -> None:
    """Whole queries, a row for each of two classes, in their order; which ones depends on the seed."""
    rows = np.arange(2 * SEARCHED + 10)
    few = queries([0] * len(rows), [0.0] * len(rows))
    assert searched_queries(few, rows[:SEARCHED], 1).tolist() == rows[:SEARCHED].tolist()
    chosen = searched_queries(few, rows, 1)
    assert len(chosen) == SEARCHED
    assert (np.diff(chosen) > 0).all()
    assert chosen.tolist() != searched_queries(few, rows, 2).tolist()
    of_classes = searched_queries(replace(few, group=rows // 2), rows, 1)
    assert np.bincount(of_classes // 2).tolist().count(2) == SEARCHED
    assert len(of_classes) == 2 * SEARCHED


def test_both_classes_are_dealt_evenly() -> None:
    """Of 20 positive and 30 negative queries each part has 4 and 6."""
    given = queries(list(range(50)), [1.0] * 20 + [0.0] * 30)
    part = held_out_parts(given, np.arange(50), 1)
    assert part is not None
    assert np.bincount(part[:20]).tolist() == [4] * 5
    assert np.bincount(part[20:]).tolist() == [6] * 5
    other = held_out_parts(given, np.arange(50), 2)
    assert other is not None
    assert (part != other).any()


def test_duplicates_are_held_out_together() -> None:
    """40 groups of two examples with two queries each."""
    given = queries(list(range(80)) * 2, [float(number // 2 % 2) for number in range(80)] * 2)
    part = held_out_parts(given, np.arange(80) // 2, 1)
    assert part is not None
    for group in range(40):
        assert len(set(part[(given.example // 2) == group].tolist())) == 1
    assert np.bincount(part).tolist() == [32] * 5


def test_queries_of_one_example_are_held_out_one_by_one() -> None:
    part = held_out_parts(queries([0] * 40, [1.0, 0.0] * 20), np.zeros(1, int), 1)
    assert part is not None
    assert np.bincount(part).tolist() == [8] * 5


def test_a_few_examples_are_held_out_one_after_the_other() -> None:
    """Unless one of them has more than half of the queries, or one has queries of one class only."""
    even = [0] * 8 + [1] * 10 + [2] * 6
    part = held_out_parts(queries(even, [1.0, 0.0] * 12), np.arange(3), 1)
    assert part is not None
    assert len(set(zip(even, part.tolist(), strict=True))) == 3 == len(set(part.tolist()))
    for example, target in (([0] * 13 + [1] * 11, [1.0, 0.0] * 12), (even, [1.0] * 8 + [1.0, 0.0, 0.0, 0.0] * 4)):
        part = held_out_parts(queries(example, target), np.arange(3), 1)
        assert part is not None
        assert len(set(part.tolist())) == 5


@pytest.mark.parametrize(("positive", "enough"), [(9, False), (10, True)])
def test_each_part_needs_two_queries_of_each_class(positive: int, enough: bool) -> None:
    given = queries(list(range(40)), [1.0] * positive + [0.0] * (40 - positive))
    assert (held_out_parts(given, np.arange(40), 1) is not None) == enough


def test_duplicates_that_contradict_each_other() -> None:
    """20 groups of five, one of each positive: by groups there is one class, by queries there are two."""
    given = queries(list(range(100)), [1.0, 0.0, 0.0, 0.0, 0.0] * 20)
    part = held_out_parts(given, np.arange(100) // 5, 1)
    assert part is not None
    assert np.bincount(part[given.target == 1.0]).tolist() == [4] * 5


@pytest.mark.parametrize(("positive", "enough"), [(1, False), (2, True), (10, True)])
def test_every_target_must_be_learned_without_any_part(positive: int, enough: bool) -> None:
    """Of a second target with one positive query nothing is left where that is held out."""
    target = [1.0, 0.0] * 20 + [1.0] * positive + [0.0] * (20 - positive)
    given = queries(list(range(60)), target)
    given = replace(given, predicate=(ACTIVE, Predicate("other", 0)), predicate_index=np.arange(60) // 40)
    part = held_out_parts(given, np.arange(60), 1)
    assert (part is not None) == enough
    if part is not None:
        assert np.bincount(part[40:]).tolist() == [4] * 5


# Whole runs


def learned(folder: Folder, data: str, *options: str) -> tuple[str, str]:
    """The model file and what was said."""
    folder.write({"data.pl": data})
    outcome = folder.run("learn-structure", "data.pl", "-o", "model.pl", *QUICK, *options)
    assert outcome.code == 0, outcome.stderr
    return folder.read("model.pl"), outcome.stderr


def accuracy(folder: Folder, model: str, data: str) -> float:
    folder.write({"m.pl": model, "d.pl": data})
    found = re.search(r"accuracy +(\S+)", folder.run("evaluate", "m.pl", "d.pl").stdout)
    assert found is not None
    return float(found.group(1))


def test_counts_and_their_interaction(folder: Folder) -> None:
    """No sum of rules can tell which count matters; conjunctions can, and new data are predicted without a fault."""
    new = text(switched(200, 2))
    plain, _ = learned(folder, text(switched(200, 1)), *AS_USERS_DO, "--conjunctions", "0")
    assert accuracy(folder, plain, new) < 0.9
    assert "part_" not in plain
    model, said = learned(folder, text(switched(200, 1)), *AS_USERS_DO)
    assert accuracy(folder, model, new) == 1.0
    assert re.search(r"^% part_\d+: (at least|fewer than) 3 of a\(V1\)$", model, re.MULTILINE)
    assert re.search(r"^% part_\d+: (some|no) b\(V1\)$", model, re.MULTILINE)
    # What is said of new data is in the file too, and not far from what they show.
    found = LINE.search(said)
    assert found is not None
    assert f"% active/0: {found.group()}" in model
    assert float(found.group(1)) > 0.9
    assert found.group(3) == "200"
    assert float(found.group(4)) == accuracy(folder, model, text(switched(200, 1)))


def test_the_same_bytes_with_one_and_two_processes(folder: Folder) -> None:
    data = text(switched(80, 1))
    one, _ = learned(folder, data, "--jobs", "1")
    two, _ = learned(folder, data, "--jobs", "2")
    assert "part_" in one
    assert one == two


def test_literals_of_the_data_where_most_is_explained(folder: Folder) -> None:
    """A t1 before a t2: one cluster can't stand for both, two conjunctions take half a step each. One rule says it all.

    With one and two processes it is the same to the byte, also of two members. Who says that literals are not wanted
    gets none.
    """
    draw = random.Random(5)
    blocks = []
    for number in range(60):
        types = [draw.randint(1, 3) for _ in range(6)]
        good = (1, 2) in itertools.pairwise(types)
        facts = [f"t{kind}(n{node})." for node, kind in enumerate(types)] + [f"r(n{a}, n{a + 1})." for a in range(5)]
        block = f"model(g{number})"
        blocks.append(f"begin({block}). {' '.join(facts)} query(good, {float(good)}). end({block}).")
    folder.write({"data.pl": "\n".join(blocks)})
    bounds = ("--dimension", "1", "--layers", "1", "--length", "3", "--variables", "2", "--conjunctions", "2")
    rule = re.compile(r"^\S+ :: good :- r\(V1, V2\), t1\(V1\), t2\(V2\)\.$", re.M)
    for ensemble in ("1", "2"):
        texts = set()
        for jobs in ("1", "2"):
            options = (*bounds, "--ensemble", ensemble, "--jobs", jobs)
            assert folder.run("learn-structure", "data.pl", *options, "-o", "model.pl").code == 0
            texts.add(folder.read("model.pl"))
        (text_of_model,) = texts
        assert len(rule.findall(text_of_model)) == int(ensemble)
    assert accuracy(folder, text_of_model, folder.read("data.pl")) == 1.0
    assert folder.run("learn-structure", "data.pl", *bounds, "--no-crisp", "-o", "soft.pl").code == 0
    assert not rule.search(folder.read("soft.pl"))


def test_literals_of_the_data_are_tried_if_there_is_time() -> None:
    """Allowed three seconds, two can be spent, ten can't; without a limit anything can."""
    allowed = Allowance(deadline=time.monotonic() + 3.0)
    assert allowed.has_left(2.0) and not allowed.has_left(10.0)
    assert Allowance().has_left(1e9)


@pytest.mark.parametrize(
    ("loss", "crisp", "kind", "tried"),
    [
        (0.1, None, BINARY, True),
        (0.13, None, BINARY, False),
        (0.0004, None, BINARY, False),
        (0.1, False, BINARY, False),
        (0.1, True, BINARY, False),
        (0.1, None, REGRESSION, False),
    ],
)
def test_when_literals_of_the_data_are_tried(loss: float, crisp: bool | None, kind: TargetKind, tried: bool) -> None:
    """Where less than half of .25 is left, but more than .002 of it; unless somebody has said what is wanted."""
    choices = [choice(1, np.full(60, loss / 0.25))]
    assert may_be_about_literals(StructureOptions(crisp=crisp), kind, choices) == tried


def choice(conjunctions: int, losses: np.ndarray) -> Choice:
    return Choice(FEW, conjunctions, Estimate(60, 0.9, 0.5, 0.1, 0.25, 1.0), {(FEW, conjunctions): 1.0}, losses)


def test_literals_of_the_data_are_taken_where_they_are_surely_better_or_simpler() -> None:
    """Of 100 queries 4 are lost, or one of them: .03 less, with a deviation of .171 and an error of .017.

    4 others are as many: there the one with fewer conjunctions is taken. Fewer are no help where more is lost for sure.
    """
    four = choice(20, (np.arange(100) < 4) * 1.0)
    one = choice(20, (np.arange(100) < 1) * 1.0)
    assert are_better([one], [four]) and not are_better([four], [one])
    assert are_better([one, four], [four, four]) and not are_better([four], [four])
    fewer, more = (choice(count, (np.arange(100) >= 96) * 1.0) for count in (5, 30))
    assert are_better([fewer], [four]) and not are_better([four], [fewer])
    assert not are_better([more], [four]) and not are_better([four, fewer], [fewer, four])
    assert not are_better([choice(5, four.losses)], [one])


def test_literals_of_the_data_stand_in_rules_of_classes() -> None:
    for kind, wanted in ((CLASSES, True), (BINARY, None), (REGRESSION, None)):
        assert settled(StructureOptions(), 200, kind).crisp is wanted
        assert settled(StructureOptions(crisp=False), 200, kind).crisp is False


def test_plain_rules_are_those_that_predicted_what_was_held_out_best() -> None:
    """Each of two members has the rules of a trial, the better one first, and not those learned from all queries."""
    trials: list[Trial] = []

    def recorded(
        task: Callable[[int], Result], count: int, jobs: int, expected: tuple[type[Exception], ...] = ()
    ) -> Iterator[Result]:
        results = [task(number) for number in range(count)]
        trials.extend(result for result in results if isinstance(result, Trial))
        yield from results

    examples = tuple(
        bag(f"m{number}", {"abc"[number % 3]: 1, "def"[number % 4 % 3]: 1}, (naive.Atom("active"), number % 3 // 2))
        for number in range(60)
    )
    quick = StructureOptions(iterations=1, epochs=30, final_epochs=30, length=2, variables=2, conjunctions=1, parts=1)
    with lrnn.Session(jobs=1) as session:
        learning = lrnn.learn(session.read_text(text(examples)), quick, ensemble=2, spread=recorded)
    assert "part_" not in learning.model.text()
    least = min(trial.loss for trial in trials)
    best = sorted(trials, key=lambda trial: (max(trial.loss - least, ALIKE), trial.literals, trial.loss))[:2]
    for member, trial in zip(learning.members, best, strict=True):
        target_rules = {rule.clause for rule in member.template.rules if rule.head.name == "active" and rule.body}
        assert target_rules == {candidate.rule().clause for candidate in trial.state.rules.targets_of(ACTIVE)}


def test_noise_is_called_noise(folder: Folder) -> None:
    """Targets that nothing explains: the estimate is near the majority, and a warning says so."""
    draw = random.Random(3)
    examples = tuple(
        bag(
            f"m{number}",
            {kind: draw.randint(0, 3) for kind in "abc"},
            (naive.Atom("active"), float(draw.random() < 0.3)),
        )
        for number in range(150)
    )
    model, said = learned(folder, text(examples), "--gain", "0.5")
    found = LINE.search(said)
    assert found is not None
    expected, majority = float(found.group(1)), float(found.group(2))
    assert abs(expected - majority) < 0.05
    assert "warning: active/0: on queries held out the model is not better than" in said
    new = tuple(
        replace(example, name=f"n{example.name}", queries=((naive.Atom("active"), 0.0),)) for example in examples
    )
    assert accuracy(folder, model, text(new)) > 0.9


def people(count: int) -> naive.Example:
    """One example: happy is who has two friends or more that are kind."""
    draw = random.Random(4)
    names = [f"x{number}" for number in range(count)]
    kind = {name for name in names if draw.random() < 0.5}
    friends = {(one, two) for one in names for two in draw.sample(names, 3) if one != two}
    facts = [naive.Atom("kind", (name,)) for name in sorted(kind)]
    facts += [naive.Atom("friend", pair) for pair in sorted(friends)]
    happy = {name for name in names if any(one == name and two in kind for one, two in friends)}
    asked = tuple((naive.Atom("happy", (name,)), float(name in happy)) for name in names)
    return naive.Example("town", tuple((fact, None) for fact in facts), asked)


def test_a_target_with_arguments_in_one_example(folder: Folder) -> None:
    """Queries are held out one by one, and what is learned is right for all of them."""
    data = text((people(120),))
    model, said = learned(folder, data)
    found = LINE.search(said)
    assert found is not None
    assert found.group(3) == "120"
    assert float(found.group(1)) > float(found.group(2))
    assert accuracy(folder, model, data) == 1.0


def test_several_targets(folder: Folder) -> None:
    """Each has an estimate, and parts are numbered through."""
    examples = []
    for example in switched(100, 1):
        counts = [sum(atom.predicate == kind for atom, _ in example.facts) for kind in "abc"]
        other = (naive.Atom("other"), float(counts[0] >= 2 if counts[1] else counts[2] >= 4))
        examples.append(replace(example, queries=(*example.queries, other)))
    model, said = learned(folder, text(tuple(examples)))
    assert {line.split(":")[0] for line in said.splitlines() if LINE.search(line)} == {"active/0", "other/0"}
    defined = re.findall(r"^% (part_\d+): ", model, re.MULTILINE)
    assert len(defined) == len(set(defined)) > 2
    bodies: dict[str, set[str]] = {target: set() for target in ("active", "other")}
    for line in model.splitlines():
        head = line.partition(":: ")[2].split(" ")[0]
        if head in bodies:
            bodies[head].update(re.findall(r"part_\d+", line))
    assert bodies["active"]
    assert bodies["active"].isdisjoint(bodies["other"])
    assert accuracy(folder, model, text(tuple(examples))) > 0.95


def test_targets_between_0_and_1(folder: Folder) -> None:
    """A soft target is learned as it is: the output is near 0.9 or 0.2."""
    examples = tuple(
        replace(example, queries=((example.queries[0][0], 0.9 if example.queries[0][1] else 0.2),))
        for example in switched(100, 1)
    )
    learned(folder, text(examples))
    table = folder.run("predict", "model.pl", "data.pl").stdout.splitlines()[1:]
    rows = [line.split("\t") for line in table]
    assert np.mean([(float(row[3]) - float(row[2])) ** 2 for row in rows]) < 0.01


def test_one_class_only(folder: Folder) -> None:
    examples = tuple(replace(example, queries=((naive.Atom("active"), 1.0),)) for example in switched(30, 1))
    folder.write({"data.pl": text(examples)})
    outcome = folder.run("learn-structure", "data.pl", "-o", "model.pl", *QUICK)
    assert outcome.code == 1
    assert "there is nothing to learn from one class" in outcome.stderr
    assert "model.pl" not in folder.content()


def test_too_few_queries_to_hold_any_out(folder: Folder) -> None:
    """Plain rules, and nothing is said of new data."""
    model, said = learned(folder, text(switched(15, 1)))
    assert "part_" not in model
    assert "expected accuracy" not in model + said


def test_relations_alone(folder: Folder) -> None:
    """Without unary predicates: active where there are two edges or more, but no way back."""
    draw = random.Random(6)
    examples = []
    for number in range(80):
        edges = {pair for pair in ("ab", "ba", "bc", "ca", "de", "ed") if draw.random() < 0.4}
        active = len(edges) >= 2 and not any(edge[::-1] in edges for edge in edges)
        facts = tuple((naive.Atom("edge", tuple(edge)), None) for edge in sorted(edges))
        examples.append(naive.Example(f"m{number}", facts, ((naive.Atom("active"), float(active)),)))
    model, _ = learned(folder, text(tuple(examples)))
    assert re.search(r"% part_\d+: no edge\(V1, V2\), edge\(V2, V1\)", model)
    assert accuracy(folder, model, text(tuple(examples))) == 1.0


# What is said of new data


def test_the_estimate_in_words() -> None:
    estimate = Estimate(200, 0.8125, 0.5, 0.1, 0.25, 0.9)
    assert estimate_text(ACTIVE, estimate) == (
        "active/0: expected accuracy on new data 0.812, majority 0.500 (from 200 queries held out; 0.900 in training)"
    )


@pytest.mark.parametrize(
    ("estimate", "said"),
    [
        (Estimate(200, 0.8, 0.5, 0.1, 0.25, 0.9), None),
        (Estimate(200, 0.45, 0.5, 0.2, 0.25, 0.9), "not better than always predicting the larger class"),
        (Estimate(200, 0.7, 0.7, 0.2, 0.21, 0.7), "not better than always predicting the larger class"),
        (Estimate(200, 0.55, 0.5, 0.26, 0.25, 0.9), "not better than always predicting the larger class"),
        (Estimate(200, 0.7, 0.5, 0.2, 0.25, 0.86), "in training, 0.860, says little about new data"),
        (Estimate(200, 0.7, 0.5, 0.2, 0.25, 0.84), None),
    ],
)
def test_warnings(estimate: Estimate, said: str | None) -> None:
    """Below the majority, no better loss than the frequency, or far from training; otherwise nothing."""
    warnings = estimate_warnings(ACTIVE, estimate)
    assert len(warnings) == (said is not None)
    assert all(said is not None and said in warning for warning in warnings)

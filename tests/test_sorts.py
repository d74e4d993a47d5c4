"""Sorts of arguments: joined by names, by integers only where these are names, and shown as declarations."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from conftest import Folder

from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder
from lrnn_cli.grounding.session import GroundingSession
from lrnn_cli.hypotheses.sorts import NAMED, OTHER, WHOLE, called_by
from lrnn_cli.hypotheses.vocabulary import Vocabulary, vocabulary, with_reflexive
from lrnn_cli.language.files import Source


@pytest.fixture(scope="module")
def grounder() -> Iterator[GroundingSession]:
    with open_grounder("swi", GrounderOptions()) as opened:
        yield opened


def words(grounder: GroundingSession, text: str) -> Vocabulary:
    data = grounder.load(Source("data.pl", text.encode()))
    return vocabulary(data, grounder.knowledge(data), data.queries)


def together(found: Vocabulary) -> set[frozenset[str]]:
    """Which arguments have one sort, as predicate and position, those of targets included."""
    places: dict[int, set[str]] = {}
    for predicate, sorts in {**found.sorts, **found.targets}.items():
        for position, sort in enumerate(sorts, 1):
            places.setdefault(sort, set()).add(f"{predicate.name} {position}")
    return {frozenset(members) for members in places.values()}


def sets(*texts: str) -> set[frozenset[str]]:
    return {frozenset(text.split(", ")) for text in texts}


def test_what_objects_are_called_by() -> None:
    names = ["a", "7", "-7", "1.5", "1.0e10", "-2.5e-3", "1.0Inf", "1r3", "'7'", '"7"', "-", "1-2", "- 1", "[1]", "x7"]
    whole, other = {"7", "-7"}, {"1.5", "1.0e10", "-2.5e-3", "1.0Inf", "1r3"}
    expected = [WHOLE if name in whole else OTHER if name in other else NAMED for name in names]
    assert called_by(names).tolist() == expected


def zendo(examples: int = 20) -> str:
    """One interpretation in which examples, sizes and coordinates are integers."""
    lines = [f"small({n})." for n in range(4)] + [f"large({n})." for n in range(4, 11)]
    for example in range(examples):
        for piece in range(3):
            number = 3 * example + piece
            name = f"p{example}_{piece}"
            lines.append(f"piece({example}, {name}). size({name}, {number % 11}). coord({name}, {7 * number % 12}).")
            lines.append(f"weight({name}, {number % 9}.5).")
        lines.append(f"contact(p{example}_0, p{example}_1). query(zendo({example}), {example % 2}).")
    return "\n".join(lines)


def test_numbers_of_examples_are_no_coordinates(grounder: GroundingSession) -> None:
    """Sizes and coordinates share nearly all integers; the predicates of sizes go with them, the target does not."""
    assert together(words(grounder, zendo())) == sets(
        "piece 1, zendo 1",
        "piece 2, contact 1, contact 2, size 1, coord 1, weight 1",
        "size 2, coord 2, small 1, large 1",
        "weight 2",
    )


def test_atoms_that_are_called_by_integers(grounder: GroundingSession) -> None:
    """Users number atoms: types, bonds and rings are about the same ones, charges and kinds of bonds are not."""
    blocks = []
    for molecule in range(8):
        atoms = range(1, 7 + molecule)
        facts = [f"{'con'[atom % 3]}({atom}). charge({atom}, {atom % 3 - 1})." for atom in atoms]
        facts += [f"bond({atom}, {atom + 1}, {1 + atom % 2})." for atom in atoms[:-1]]
        facts += [f"in_ring(r, {atom})." for atom in atoms]
        blocks.append(
            f"begin(model(m{molecule})). {' '.join(facts)} query(p, {molecule % 2}). end(model(m{molecule}))."
        )
    assert together(words(grounder, "\n".join(blocks))) == sets(
        "bond 1, bond 2, c 1, o 1, n 1, charge 1, in_ring 2", "bond 3", "charge 2", "in_ring 1"
    )


def test_successors_are_of_one_sort(grounder: GroundingSession) -> None:
    found = words(grounder, "next(1, 2). next(2, 3). next(3, 4). next(4, 5). age(ann, 2). query(p, 1.0).")
    assert together(found) == sets("next 1, next 2", "age 1", "age 2")


def test_quoted_digits_are_names(grounder: GroundingSession) -> None:
    found = words(grounder, "cites('17', '42'). topic('42', \"17\"). size(\"17\", 3). query(good('17'), 1).")
    assert together(found) == sets("cites 1, good 1", "cites 2, topic 1", "topic 2, size 1", "size 2")


def test_floats_join_nothing(grounder: GroundingSession) -> None:
    found = words(grounder, "low(a, 1.5). high(a, 1.5). query(p(1.5), 1).")
    assert together(found) == sets("low 1, high 1", "low 2", "high 2", "p 1")


def test_targets_of_which_nothing_tells(grounder: GroundingSession) -> None:
    found = words(grounder, "s(1, a). s(2, b). query(p(77, a), 1). query(p(78, b), 0).")
    assert list(found.targets.values()) == [(-1, next(iter(found.sorts.values()))[1])]


def test_check_shows_declarations_that_say_the_same(folder: Folder, grounder: GroundingSession) -> None:
    """With the lines in the data, the vocabulary has the same sorts; their names are legal, whatever predicates are."""
    text = f"{zendo()}\n'Odd one'(p1_1). 'Odd one'(p2_1). constant(k). made_of(p1_1, k). sunny."
    folder.write({"data.pl": text})
    summary = json.loads(folder.run("check", "data.pl", "--json").stdout)
    lines = summary["bias"]
    assert "bias(size(contact_1, coord_2))." in lines
    assert "bias('Odd one'(contact_1))." in lines
    assert "bias(sunny)." in lines
    assert "bias(constant(constant_))." in lines
    assert "bias(zendo(piece_1))." in lines
    assert {"sort": "coord_2", "objects": 12, "numbers": True}.items() <= next(
        sort for sort in summary["sorts"] if sort["sort"] == "coord_2"
    ).items()
    before = words(grounder, text)
    after = words(grounder, "\n".join([*lines, text]))
    assert together(after) == together(before)
    assert set(after.tables) == set(before.tables)
    shown = folder.run("check", "data.pl").stdout
    assert "\n".join(lines) in shown


def test_check_of_data_without_queries_shows_the_same_declarations(folder: Folder) -> None:
    folder.write({"data.pl": "begin(model(a)). bond(x, y). carbon(x). end(model(a))."})
    shown = folder.run("check", "data.pl").stdout
    assert shown.endswith("changed:\nbias(bond(carbon, bond_2)).\nbias(carbon(carbon)).\n\n")
    assert "positive" not in shown


def test_check_of_declared_data_shows_no_declarations(folder: Folder) -> None:
    folder.write({"data.pl": "bias(q(thing)).\nq(a). query(p(a), 1)."})
    summary = json.loads(folder.run("check", "data.pl", "--json").stdout)
    assert "bias" not in summary


def test_check_of_data_that_structure_learning_refuses(folder: Folder) -> None:
    folder.write({"data.pl": "latent_1_1(a). query(p, 1)."})
    outcome = folder.run("check", "data.pl")
    assert outcome.code == 0
    assert "has the name of a latent predicate" in outcome.stderr


def people(number: int = 24) -> str:
    """Everybody is the same person as himself; those who are no students are faculty, and nothing else tells."""
    lines = [f"same(p{n}, p{n})." for n in range(number)] + [f"student(p{n})." for n in range(number) if n % 3]
    lines += [f"query(faculty(p{n}), {0 if n % 3 else 1})." for n in range(number)]
    return "\n".join(lines)


def test_relations_to_oneself(folder: Folder, grounder: GroundingSession) -> None:
    """They are unary predicates, which models write as relations and `check` does not show."""
    for text in (people(), f"bias(same(person, person)). bias(student(person)). {people()}"):
        found = with_reflexive(words(grounder, text))
        loop = next(predicate for predicate in found.tables if predicate.name == "same(X, X)")
        assert loop.arity == 1 and len(found.tables[loop]) == 24
        assert len({sorts[0] for sorts in (*found.sorts.values(), *found.targets.values())}) == 1
    once = words(grounder, "same(a, a). same(a, b). q(a). query(p(a), 1). query(p(b), 0).")
    assert with_reflexive(once) == once
    folder.write({"data.pl": people()})
    assert json.loads(folder.run("check", "data.pl", "--json").stdout)["bias"] == [
        "bias(faculty(same_1)).",
        "bias(same(same_1, same_1)).",
        "bias(student(same_1)).",
    ]
    learned = folder.run("learn-structure", "data.pl", "--conjunctions", "0", "-o", "model.pl")
    assert learned.code == 0, learned.stderr
    assert "same(X, X)" in folder.read("model.pl")
    assert json.loads(folder.run("evaluate", "model.pl", "data.pl", "--json").stdout)["accuracy"] == 1.0


def test_weights_of_relations_to_oneself(grounder: GroundingSession) -> None:
    found = words(grounder, "0.5 :: s(a, a). s(b, b). 0.25 :: s(a, b). query(p(a), 1). query(p(b), 0).")
    found = with_reflexive(found)
    loop = next(predicate for predicate in found.soft if predicate.arity == 1)
    assert found.soft[loop].weight.tolist() == [0.5]


def test_check_tells_wrong_declarations(folder: Folder) -> None:
    """Only structure learning refuses them, so that check warns; numbers that are words, and a wrong arity."""
    folder.write({"data.pl": "bias(charge(atom, number)).\nbias(bond(atom)).\ncharge(a, high). query(p, 1).\n"})
    outcome = folder.run("check", "data.pl")
    assert outcome.code == 0 and "charge/2       1" in outcome.stdout
    assert outcome.stderr.splitlines() == [
        "warning: data.pl:1:1: bias for charge/2: high is no number that floats hold exactly; give another sort",
        "data.pl:2:1: bias for bond/1, which is true of nothing in these data; mend its name or arity",
    ]

"""Templates of chains: the rules they have, for molecules and for data of other shapes."""

from __future__ import annotations

import re

import pytest
from conftest import Folder

MOLECULES = """
begin(model(m1)). c(a1). o(a2). c(a3). bond(a1,a2,b1). bond(a2,a1,b1). bond(a2,a3,b2). bond(a3,a2,b2).
single(b1). double(b2). query(active, 1). end(model(m1)).
begin(model(m2)). c(a1). c(a2). bond(a1,a2,b1). bond(a2,a1,b1). double(b1). query(active, 0). end(model(m2)).
"""


def made(folder: Folder, data: str, *options: str) -> list[str]:
    """The rules of the template for these data, without settings and comments."""
    folder.write({"data.pl": data})
    outcome = folder.run("make-template", "data.pl", *options)
    assert outcome.code == 0, outcome.stderr
    return [line for line in outcome.stdout.splitlines() if "::" in line]


def refused(folder: Folder, data: str, *options: str) -> str:
    folder.write({"data.pl": data})
    outcome = folder.run("make-template", "data.pl", "-o", "template.pl", *options)
    assert outcome.code == 1
    assert "template.pl" not in folder.content()
    return outcome.stderr


@pytest.mark.parametrize(("chain", "rules"), [(1, 3), (2, 27), (3, 243)])
def test_numbers_of_rules_for_molecules(folder: Folder, chain: int, rules: int) -> None:
    """Three clusters of atoms and of bonds: 3, then 3 * 3 * 3, then 3 ^ 5 with three atoms and two bonds."""
    lines = made(folder, MOLECULES, "--chain", str(chain))
    assert sum(":- " in line and "active" in line for line in lines) == rules
    # Two types of atoms in three clusters, and two types of bonds where there are bonds.
    assert sum("active" not in line for line in lines) == (6 if chain == 1 else 12)
    assert len(set(lines)) == len(lines)


def test_all_shorter_chains(folder: Folder) -> None:
    lines = made(folder, MOLECULES, "--chain", "3", "--shorter")
    assert sum(":- " in line and "active" in line for line in lines) == 3 + 27 + 243


def test_rules_in_full(folder: Folder) -> None:
    """One cluster, two atoms: everything that is in the template."""
    assert made(folder, MOLECULES, "--chain", "2", "--clusters", "1") == [
        "_ :: cluster_1_1(X) :- c(X).",
        "_ :: cluster_1_1(X) :- o(X).",
        "_ :: cluster_2_1(X) :- double(X).",
        "_ :: cluster_2_1(X) :- single(X).",
        "_ :: active :- bond(X1, X2, Y1), cluster_1_1(X1), cluster_2_1(Y1), cluster_1_1(X2).",
        "_ :: active.",
    ]


@pytest.mark.parametrize(("options", "chains"), [([], 6), (["--object-identity"], 2)])
def test_object_identity_is_a_setting_of_the_template(folder: Folder, options: list[str], chains: int) -> None:
    """One path of three atoms, read both ways; without object identity also each of four steps and back."""
    folder.write({"data.pl": MOLECULES[: MOLECULES.index("begin(model(m2))")]})
    assert folder.run("make-template", "data.pl", "--chain", "3", *options, "-o", "t.pl").code == 0
    assert folder.run("ground", "t.pl", "data.pl", "-o", "g.npz").code == 0
    shown = folder.run("show", "g.npz").stdout.splitlines()
    assert [line.split()[0] for line in shown if "bond(V0" in line] == [str(chains)]


@pytest.mark.parametrize(("options", "setting"), [([], []), (["--aggregation", "sqrt"], ["aggregation, sqrt"])])
def test_aggregation_is_a_setting_of_the_template(folder: Folder, options: list[str], setting: list[str]) -> None:
    folder.write({"data.pl": MOLECULES})
    made = folder.run("make-template", "data.pl", "--chain", "2", *options).stdout
    assert re.findall(r"setting\((aggregation, \w+)\)\.", made) == setting


def test_all_combinations_occur_once(folder: Folder) -> None:
    """The numbers of clusters along the chain, read from the rules, are all pairs of numbers from 1 to 4."""
    data = "next(a, b). next(b, c). r(a). s(b). query(p, 1)."
    lines = made(folder, data, "--chain", "2", "--clusters", "4", "--no-bias")
    chains = [re.findall(r"cluster_1_(\d)\(X[12]\)", line) for line in lines if line.startswith("_ :: p ")]
    assert sorted(chains) == sorted([str(a), str(b)] for a in range(1, 5) for b in range(1, 5))


def test_ends_of_chains_are_arguments_of_the_target(folder: Folder) -> None:
    """grandparent(X1, X3) and elder(X1); objects without unary predicates are in no cluster."""
    data = "parent(a, b). parent(b, c). query(grandparent(a, c), 1). query(elder(a), 1)."
    assert made(folder, data, "--chain", "3") == [
        "_ :: elder(X1) :- parent(X1, X2), parent(X2, X3).",
        "_ :: grandparent(X1, X3) :- parent(X1, X2), parent(X2, X3).",
    ]
    assert made(folder, data, "--chain", "3", "--target", "elder/1") == [
        "_ :: elder(X1) :- parent(X1, X2), parent(X2, X3)."
    ]


def test_relations_between_two_sorts_are_followed_to_and_fro(folder: Folder) -> None:
    """Two authors of one paper: the chain that a target of two persons needs."""
    data = "author(t1, ann). author(t1, bob). new(t1). query(knows(ann, bob), 1)."
    assert made(folder, data, "--chain", "3", "--clusters", "1") == [
        "_ :: cluster_1_1(X) :- new(X).",
        "_ :: knows(X1, X3) :- author(X2, X1), author(X2, X3), cluster_1_1(X2).",
    ]


def test_a_chain_and_its_mirror_image_are_one(folder: Folder) -> None:
    """Owner, dog and dog, owner are the same two objects; with three there are two kinds of chains."""
    data = "owns(ann, rex). query(p, 1)."
    assert made(folder, data, "--chain", "2", "--no-bias") == ["_ :: p :- owns(X1, X2)."]
    assert made(folder, data, "--chain", "3", "--no-bias") == [
        "_ :: p :- owns(X1, X2), owns(X3, X2).",
        "_ :: p :- owns(X2, X1), owns(X2, X3).",
    ]


def test_each_relation_has_its_chains(folder: Folder) -> None:
    data = "left(a, b). above(b, a). query(p, 1)."
    both = ["_ :: p :- above(X1, X2).", "_ :: p :- left(X1, X2)."]
    assert made(folder, data, "--chain", "2", "--no-bias") == both
    assert made(folder, data, "--chain", "2", "--no-bias", "--relation", "left/2") == both[1:]


def test_facts_of_the_target_are_no_input(folder: Folder) -> None:
    """Otherwise the template would read the answer."""
    data = "q(a). r(a, b). p(a). p(b). query(p(a), 1)."
    assert not any("- p(" in line for line in made(folder, data, "--chain", "2"))


def test_names_are_quoted_and_not_taken(folder: Folder) -> None:
    """Names with capitals, spaces and letters of any language, and data that use the word cluster themselves."""
    data = "'Größe 1'(a). cluster_1_1(b). 'z y'(a, b). query('Žlutý kůň', 1)."
    assert made(folder, data, "--chain", "2", "--clusters", "1") == [
        "_ :: cluster__1_1(X) :- 'Größe 1'(X).",
        "_ :: cluster__2_1(X) :- cluster_1_1(X).",
        "_ :: 'Žlutý kůň' :- 'z y'(X1, X2), cluster__1_1(X1), cluster__2_1(X2).",
        "_ :: 'Žlutý kůň'.",
    ]
    folder.run("make-template", "data.pl", "--chain", "2", "-o", "t.pl")
    assert folder.run("ground", "t.pl", "data.pl", "-o", "g.npz").code == 0


def test_a_template_is_trained(folder: Folder) -> None:
    """From data to a model: an atom of oxygen beside a double bond makes a molecule active, which two atoms show."""
    folder.write({"data.pl": MOLECULES})
    assert folder.run("make-template", "data.pl", "--chain", "2", "-o", "t.pl").code == 0
    assert folder.run("ground", "t.pl", "data.pl", "-o", "g.npz").code == 0
    assert folder.run("train", "g.npz", "-o", "m.pl", "--epochs", "100").code == 0
    rows = folder.run("predict", "m.pl", "data.pl").stdout.splitlines()[1:]
    active, inactive = (float(row.split("\t")[3]) for row in rows)
    assert active > 0.8 and inactive < 0.2


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        ("q(a). query(p, 1).", ("--chain", "2"), "no facts of these data relate objects"),
        ("r(a, b). query(p, 1).", ("--chain", "1"), "no unary predicates tell objects of r/2 apart; use --chain 2"),
        ("r(a, b). query(p(a, b), 1).", ("--chain", "1"), "p/2 has 2 arguments, the ends of a chain"),
        ("r(a, b). query(p(a, b, a), 1).", ("--chain", "2"), "p/3 has 3 arguments; choose another --target"),
        ("r(a, b). q(c). query(p(c), 1).", ("--chain", "2"), "p/1 are not the ends of chains of 2 objects through r/2"),
        ("r(a, b). query(p, 1).", ("--chain", "2", "--relation", "s/2"), "there is no relation s/2 in these data"),
        ("r(a, b). query(p, 1).", ("--chain", "2", "--target", "s/0"), "there is no target predicate s/0"),
        ("r(a, b).", ("--chain", "2"), "there is no query in these data"),
        (MOLECULES, ("--chain", "6"), "177,147 rules for active/0 and chains of 6 objects; take fewer --clusters"),
    ],
)
def test_faults(folder: Folder, data: str, options: tuple[str, ...], message: str) -> None:
    assert message in refused(folder, data, *options)


def test_wrong_usage(folder: Folder) -> None:
    folder.write({"data.pl": MOLECULES})
    assert folder.run("make-template", "data.pl").code == 2
    assert folder.run("make-template", "data.pl", "--chain", "0").code == 2
    assert folder.run("make-template", "data.pl", "--chain", "1", "--clusters", "0").code == 2

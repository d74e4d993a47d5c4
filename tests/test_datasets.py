"""The bundled data sets: they can be made again, and their planted rules score what their README.md files state.

The planted rules are written here a second time, over the facts as they stand in the data files.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import pytest

DATASETS = Path(__file__).resolve().parent.parent / "datasets"
NAMES = ["trains", "family", "molecules"]

DONORS = {"t2", "t5", "t9", "t12"}
ACCEPTORS = {"t1", "t6", "t7", "t10"}


@dataclass
class Block:
    """One example of a data file: argument tuples by predicate, and queries as (name, arguments, target)."""

    facts: defaultdict[str, list[tuple[str, ...]]] = field(default_factory=lambda: defaultdict(list))
    queries: list[tuple[str, tuple[str, ...], float]] = field(default_factory=list)

    def holds(self, predicate: str, *arguments: str) -> bool:
        return arguments in self.facts[predicate]


def split_atom(text: str) -> tuple[str, tuple[str, ...]]:
    """Name and arguments of an atom without compound arguments."""
    name, _, arguments = text.rstrip(")").partition("(")
    return name, tuple(argument.strip() for argument in arguments.split(",")) if arguments else ()


def read_blocks(name: str) -> list[Block]:
    """The examples of a bundled data set, one fact a line."""
    blocks: list[Block] = []
    for line in (DATASETS / name / f"{name}.pl").read_text(encoding="utf-8").splitlines():
        if line.startswith(("%", "end(model(")):
            continue
        if line.startswith("begin(model("):
            blocks.append(Block())
        elif query := re.fullmatch(r"query\((.+), ([01]\.0)\)\.", line):
            blocks[-1].queries.append((*split_atom(query[1]), float(query[2])))
        else:
            predicate, arguments = split_atom(line.removesuffix("."))
            blocks[-1].facts[predicate].append(arguments)
    return blocks


def read_figures(name: str) -> dict[str, str]:
    """The rows of the table of figures in the README.md of a data set."""
    text = (DATASETS / name / "README.md").read_text(encoding="utf-8")
    table = text.split("<!-- figures -->")[1].split("<!-- end of figures -->")[0]
    return dict(re.findall(r"^\| (.+) \| (.+) \|$", table, flags=re.MULTILINE))


def targets(blocks: list[Block]) -> list[float]:
    return [target for block in blocks for _, _, target in block.queries]


def trains_rule(block: Block, _: tuple[str, ...]) -> bool:
    """A short car that has any roof but none."""
    return any(block.facts["roof_none"].count(car) == 0 for car in block.facts["length_short"])


def family_rule(block: Block, arguments: tuple[str, ...]) -> bool:
    """A child of the first person is a parent of the second."""
    first, second = arguments
    return any(parent == first and block.holds("parent", child, second) for parent, child in block.facts["parent"])


def molecules_rule(block: Block, _: tuple[str, ...]) -> bool:
    """A chain acceptor = donor - donor = acceptor."""
    kind = {atom: f"t{number}" for number in range(1, 13) for (atom,) in block.facts[f"t{number}"]}
    double = [(x, y) for x, y, bond in block.facts["bond"] if block.holds("b_2", bond)]
    single = [(x, y) for x, y, bond in block.facts["bond"] if block.holds("b_1", bond)]
    return any(
        kind[first] in DONORS
        and kind[second] in DONORS
        and any(x == first and kind[y] in ACCEPTORS for x, y in double)
        and any(x == second and kind[y] in ACCEPTORS for x, y in double)
        for first, second in single
    )


RULES = {"trains": trains_rule, "family": family_rule, "molecules": molecules_rule}


def test_generator_makes_the_same_bytes(tmp_path: Path) -> None:
    specification = importlib.util.spec_from_file_location("generate_datasets", DATASETS / "generate.py")
    assert specification is not None and specification.loader is not None
    generator = importlib.util.module_from_spec(specification)
    # Data classes look their module up while the file is being executed.
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "generate_datasets", generator)
        specification.loader.exec_module(generator)
        generator.generate(tmp_path)
    made = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file())
    assert [str(path.as_posix()) for path in made] == sorted(
        ["README.md", *(f"{name}/{file}" for name in NAMES for file in ("README.md", f"{name}.pl"))]
    )
    for path in made:
        assert (tmp_path / path).read_bytes() == (DATASETS / path).read_bytes(), path


@pytest.mark.parametrize("name", NAMES)
def test_planted_rule_scores_what_the_readme_states(name: str) -> None:
    blocks = read_blocks(name)
    answers = [RULES[name](block, arguments) for block in blocks for _, arguments, _ in block.queries]
    agreeing = sum(answer == target for answer, target in zip(answers, targets(blocks), strict=True))
    assert f"{agreeing / len(answers):.4f}" == read_figures(name)["accuracy of the planted rule"]


@pytest.mark.parametrize("name", NAMES)
def test_counts_are_those_of_the_readme(name: str) -> None:
    blocks, figures = read_blocks(name), read_figures(name)
    positives = sum(targets(blocks))
    queries = len(targets(blocks))
    assert figures["examples"] == str(len(blocks))
    assert figures["facts"] == str(sum(len(rows) for block in blocks for rows in block.facts.values()))
    assert figures["queries"] == str(queries)
    assert figures["positive queries"] == f"{positives:.0f}"
    assert figures["accuracy of the majority"] == f"{max(positives, queries - positives) / queries:.4f}"


@pytest.mark.parametrize(("name", "lowest", "highest"), [("trains", 0.5, 0.5), ("molecules", 0.4, 0.6)])
def test_classes_are_balanced(name: str, lowest: float, highest: float) -> None:
    values = targets(read_blocks(name))
    assert lowest <= sum(values) / len(values) <= highest


def test_families_ask_for_all_grandparents_and_three_times_as_many_others() -> None:
    for block in read_blocks("family"):
        asked = {arguments: target for _, arguments, target in block.queries}
        persons = [person for sex in ("female", "male") for (person,) in block.facts[sex]]
        true = {(x, y) for x in persons for y in persons if family_rule(block, (x, y))}
        assert {pair for pair, target in asked.items() if target == 1.0} == true
        assert len(asked) == len(block.queries) == 4 * len(true)
        near = {pair: target for pair, target in asked.items() if block.holds("parent", *pair) or pair[::-1] in true}
        assert near and not any(near.values())


def test_single_atoms_and_bonds_of_molecules_tell_little() -> None:
    figures = read_figures("molecules")
    for what in ("atom type", "typed bond", "bond of clusters"):
        assert 0.5 <= float(figures[f"accuracy of the best count of one {what}"]) <= 0.62


def test_folds_of_molecules_are_stratified() -> None:
    blocks = read_blocks("molecules")
    sizes = Counter((block.facts["fold"][0], block.queries[0][2]) for block in blocks)
    assert sizes == {((str(fold),), target): 40 for fold in range(1, 6) for target in (0.0, 1.0)}


def test_molecules_are_connected_and_of_the_stated_size() -> None:
    for block in read_blocks("molecules"):
        atoms = {atom for number in range(1, 13) for (atom,) in block.facts[f"t{number}"]}
        assert 15 <= len(atoms) <= 25
        neighbours = defaultdict(list)
        for first, second, bond in block.facts["bond"]:
            assert block.holds("bond", second, first, bond)
            neighbours[first].append(second)
        assert max(len(set(others)) for others in neighbours.values()) <= 4
        reached = waiting = {"a1"}
        while waiting:
            waiting = {other for atom in waiting for other in neighbours[atom]} - reached
            reached = reached | waiting
        assert reached == atoms


@pytest.mark.parametrize("name", NAMES)
def test_templates_use_predicates_of_the_data_or_their_own(name: str) -> None:
    text = re.sub("%.*", "", (DATASETS / name / "template.pl").read_text(encoding="utf-8"))
    clauses = [clause.partition(":-") for clause in re.findall(r"^\S+ :: ([^.]+)\.", text, flags=re.MULTILINE)]
    heads = {re.findall(r"[a-z]\w*", head)[0] for head, _, _ in clauses}
    in_bodies = {predicate for _, _, body in clauses for predicate in re.findall(r"[a-z]\w*", body)}
    in_data = {predicate for block in read_blocks(name) for predicate, rows in block.facts.items() if rows}
    assert in_bodies <= in_data | heads
    assert {query for block in read_blocks(name) for query, _, _ in block.queries} <= heads

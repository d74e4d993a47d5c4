"""The benchmarks: ratios and their table, data and templates in the peer's language, the memory of processes.

Nothing here is timed, and the peer need not be there.
"""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from measure import ProgramFailed, run  # noqa: E402
from molecules import (  # noqa: E402
    Example,
    Fact,
    molecule_chains,
    perturbed,
    read_data,
    read_peer_data,
    replicated,
    sized,
    type_kinds,
    write_data,
    write_peer_data,
)
from peer_table import Case, Spread, csv_text, goals, growth, number, ratio, spread, table  # noqa: E402
from peer_template import comparable, peer_template  # noqa: E402
from search import goal  # noqa: E402
from structure import Figures, searched  # noqa: E402
from structure import table as structure_table  # noqa: E402

from lrnn_cli.errors import LrnnError  # noqa: E402
from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder  # noqa: E402
from lrnn_cli.hypotheses.bodies import Shape  # noqa: E402
from lrnn_cli.language.clauses import Predicate  # noqa: E402
from lrnn_cli.language.files import Source  # noqa: E402
from lrnn_cli.language.template import Template  # noqa: E402


def figures(start: float, build: float, first: float, **more: float) -> dict[str, float]:
    return {"start": start, "build": build, "first_epochs": first, **more}


def case(*runs: tuple[dict[str, float], dict[str, float]], template: str = "t2", times: int = 1) -> Case:
    pairs = [{"peer": peer, "lrnn": lrnn} for peer, lrnn in runs]
    return Case(template, times, "replicated", 188 * times, pairs, 1e-15)


# Ratios and tables


def test_ratios_are_taken_within_each_run() -> None:
    """Ratios 10/1, 40/2 and 30/10: the median is 10, whereas the ratio of the medians 30 and 2 would be 15."""
    measured = case(
        (figures(10, 0, 0), figures(1, 0, 0)),
        (figures(40, 0, 0), figures(2, 0, 0)),
        (figures(30, 0, 0), figures(10, 0, 0)),
    )
    assert ratio(measured, "start") == Spread(10, 3, 20)
    assert spread(measured, "lrnn", "start") == Spread(2, 1, 10)


def test_sums_are_those_the_goals_speak_of() -> None:
    """2 + 6 seconds until ready against 0.5 + 0.3; 6 + 4 seconds of work against 0.3 + 0.2."""
    measured = case((figures(2, 6, 4), figures(0.5, 0.3, 0.2)))
    assert ratio(measured, "ready") == pytest.approx((10, 10, 10))
    assert ratio(measured, "work") == pytest.approx((20, 20, 20))


def test_batches_are_compared_with_the_only_epoch_the_peer_has() -> None:
    peer = figures(1, 1, 1, epoch=0.6)
    lrnn = figures(1, 1, 1, epoch=0.06, full_batch_epoch=0.003)
    assert ratio(case((peer, lrnn)), "full_batch_epoch") == pytest.approx((200, 200, 200))
    assert ratio(case((peer, lrnn)), "mini_batch_epoch") is None
    slower = {**lrnn, "mini_batch_epoch": 0.012}
    assert ratio(case((peer, slower)), "mini_batch_epoch") == pytest.approx((50, 50, 50))
    assert ratio(case((peer, slower)), "batch_epoch") == pytest.approx((200, 200, 200))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (1234567.8, "1,234,568"), (100, "100"), (99.94, "99.9"), (9.996, "10.00"), (5.128, "5.13"),
        (0.5, "0.500"), (0.01234, "0.0123"), (0.00045678, "0.000457"),
    ],
)  # fmt: skip
def test_numbers_have_three_digits(value: float, text: str) -> None:
    assert number(value) == text


def test_table_shows_medians_extremes_and_agreement() -> None:
    measured = case(
        (figures(2, 6, 4, epoch=0.02, peak=900e6), figures(0.5, 0.3, 0.2, epoch=0.002, peak=90e6)),
        (figures(4, 6, 4, epoch=0.04, peak=900e6), figures(0.5, 0.3, 0.2, epoch=0.002, peak=90e6)),
    )
    lines = {line.strip().split("  ")[0]: line.split() for line in table([measured]).splitlines() if line}
    head = "t2, 188 examples, replicated, 2 runs; outputs before training and after one epoch agree to 1e-15"
    assert head in lines
    assert lines["start, s"][2:] == ["3.00", "(2.00-4.00)", "0.500", "6.00", "(4.00-8.00)"]
    assert lines["epoch, per-example SGD, ms"][4:] == ["30.0", "(20.0-40.0)", "2.00", "15.0", "(10.0-20.0)"]
    assert lines["memory at most, MB"][4:] == ["900", "90.0", "10.0"]
    assert "neurons" not in lines


def test_table_without_the_peer() -> None:
    """It was not run, or it failed: our figures stand alone."""
    alone = Case("t3", 50, "new", 9400, [{"lrnn": figures(1, 2, 3)}], None, "exit code 1: out of memory\nmore")
    text = table([alone])
    assert "agree" not in text
    assert "no figures of NeuraLogic: exit code 1: out of memory\n" in text
    assert ratio(alone, "start") is None
    assert spread(alone, "peer", "start") is None
    assert spread(alone, "lrnn", "work") == Spread(5, 5, 5)


def test_csv_has_every_figure() -> None:
    measured = case((figures(2, 6, 4), figures(0.5, 0.25, 0.125)))
    rows = list(csv.DictReader(io.StringIO(csv_text([measured]))))
    found = {(row["system"], row["quantity"]): float(row["value"]) for row in rows}
    assert found["peer", "ready"] == 8
    assert found["lrnn", "work"] == 0.375
    assert {(row["template"], row["times"], row["examples"], row["run"]) for row in rows} == {("t2", "1", "188", "1")}


def test_goals_are_met_or_missed() -> None:
    met = case((figures(4, 4, 0, epoch=1.0), figures(0.5, 0.5, 0, epoch=0.2)))
    lines = goals([met]).splitlines()
    (ready,) = [line for line in lines if line.startswith("t2: start")]
    (epoch,) = [line for line in lines if line.startswith("t2: epoch")]
    assert ready.split()[-2:] == ["8", "8.00"]
    assert epoch.split()[-3:] == ["10", "5.00", "missed"]
    assert not [line for line in lines if line.startswith("t3")]
    assert goals([]) == ""


def test_growth_is_by_medians() -> None:
    peer = figures(1, 1, 1)
    small = case((peer, figures(1, 1, 1, peak=2)), (peer, figures(1, 1, 1, peak=4)))
    large = case((peer, figures(1, 1, 1, peak=30)), times=10)
    assert growth([small, large], "t2", 10, "replicated", "peak") == pytest.approx(10)
    assert growth([small, large], "t2", 50, "replicated", "peak") is None
    assert "t2, replicated data: lrnn's memory grows by the factor 10.0 at 10 times" in goals([small, large])


# Data


DATA = """
begin(model('Molekül 1')).
bond(a1, a2, b1).  bond(a2, a1, b1).
c(a1).  'O-'(a2).  single(b1).
0.5 :: polar(a2).
query(active, 1.0).
end(model('Molekül 1')).
begin(model(2)).
c(a1).
query(active, 0.0).
end(model(2)).
"""


def test_data_are_read_and_written_for_both_systems(tmp_path: Path) -> None:
    path = tmp_path / "data.pl"
    path.write_text(DATA)
    examples = read_data(str(path))
    assert [example.target for example in examples] == [1.0, 0.0]
    assert [len(example.facts) for example in examples] == [6, 1]
    write_data(examples, path)
    written = path.read_text().splitlines()
    assert set(written[1:9]) == {
        "bond(o0,o1,o2).",
        "bond(o1,o0,o2).",
        "c(o0).",
        "'O-'(o1).",
        "single(o2).",
        "0.5 :: polar(o1).",
        "query(active, 1.0).",
        "end(model(e1)).",
    }
    assert written[9:] == ["begin(model(e2)).", "c(o0).", "query(active, 0.0).", "end(model(e2))."]
    write_peer_data(examples, tmp_path / "examples.txt", tmp_path / "queries.txt")
    first, second = (tmp_path / "examples.txt").read_text().splitlines()
    assert second == "c(o0)."
    assert set(first.removesuffix(".").split(", ")) == {
        "bond(o0,o1,o2)",
        "bond(o1,o0,o2)",
        "c(o0)",
        "quoted_4f2d(o1)",
        "single(o2)",
        "0.5 polar(o1)",
    }
    assert (tmp_path / "queries.txt").read_text() == "1.0 active.\n0.0 active.\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("p(a).\nquery(q, 1.0).\nquery(r, 0.0).\n", ":1: example example has 2 queries; the benchmark takes examples"),
        (
            "begin(model(1)).\np(a).\nquery(q, 1.0).\nend(model(1)).\nr(X) :- p(X).\n",
            ":5:1: the benchmark takes no background knowledge; write what it derives as facts",
        ),
    ],
)
def test_data_that_the_peer_does_not_take(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "data.pl"
    path.write_text(text)
    with pytest.raises(LrnnError) as error:
        read_data(str(path))
    assert message in str(error.value)


def test_the_data_of_the_peer_are_read(tmp_path: Path) -> None:
    (tmp_path / "examples.txt").write_text("bond(d1_2, d1_5, 0), h(d1_2), bond(d1_5, d1_2, 0).\n\nc(x).\n")
    (tmp_path / "queries.txt").write_text("1.0 predict.\n0.0 predict.\n")
    facts = (Fact("bond", (0, 1, 2)), Fact("h", (0,)), Fact("bond", (1, 0, 2)))
    assert read_peer_data(tmp_path / "examples.txt", tmp_path / "queries.txt") == [
        Example("e1", facts, Fact("predict", ()), 1.0),
        Example("e2", (Fact("c", (0,)),), Fact("predict", ()), 0.0),
    ]


def molecules(count: int) -> list[Example]:
    """Chains of 50 atoms, carbon and oxygen in turn, with bonds of one type."""
    facts = [Fact("c" if atom % 2 else "o", (atom,)) for atom in range(50)]
    for atom in range(49):
        facts += [Fact("bond", (atom, atom + 1, 50 + atom)), Fact("bond", (atom + 1, atom, 50 + atom))]
        facts.append(Fact("single", (50 + atom,)))
    return [Example(f"e{place}", tuple(facts), Fact("active", ()), float(place % 2)) for place in range(count)]


def test_replicated_data_have_names_of_their_own() -> None:
    examples = molecules(2)
    more = list(replicated(examples, 3))
    assert [example.name for example in more] == ["e0_1", "e1_1", "e0_2", "e1_2", "e0_3", "e1_3"]
    assert {example.facts for example in more} == {examples[0].facts}


def test_new_data_differ_in_types_only() -> None:
    examples = molecules(2)
    more = list(perturbed(examples, 20))
    assert more == list(perturbed(examples, 20))
    assert more != list(perturbed(examples, 20, seed=2))
    assert len({frozenset(example.facts) for example in more}) > 30
    for example in more:
        typed = {fact.objects[0]: fact.predicate for fact in example.facts if len(fact.objects) == 1}
        assert len(typed) == 99
        assert {typed[place] for place in range(50)} <= {"c", "o"}
        assert {typed[place] for place in range(50, 99)} == {"single"}
        assert {fact for fact in example.facts if len(fact.objects) > 1} == {
            fact for fact in examples[0].facts if len(fact.objects) > 1
        }
    changed = sum(fact not in examples[0].facts for example in more for fact in example.facts)
    # A fifth of the types is drawn anew, half of those of atoms as they were: about 40 * 50 / 5 / 2 = 200 differ.
    assert 140 < changed < 260


def test_types_are_told_apart_by_where_their_objects_stand() -> None:
    kinds = type_kinds(molecules(1))
    assert kinds["c"] == kinds["o"] == {("bond", 0), ("bond", 1)}
    assert kinds["single"] == {("bond", 2)}
    text = molecule_chains(molecules(1), 2)
    assert "_ :: atom_1(X) :- o(X).\n" in text
    assert "_ :: bond_3(B) :- single(B).\n" in text
    assert text.count("_ :: active :- ") == 3 + 27
    with pytest.raises(LrnnError, match="no molecules"):
        molecule_chains([Example("e", (Fact("c", (0,)),), Fact("active", ()), 1.0)], 2)


# Templates


def template_of(text: str) -> Template:
    with open_grounder("swi", GrounderOptions()) as grounder:
        return grounder.read_template(Source("template.pl", text.encode()))


def test_templates_in_the_language_of_the_peer() -> None:
    template = comparable(
        template_of(
            "0.5 :: 'Type 1'(X) :- c(X).\nfixed(0.25) :: active :- 'Type 1'(X), bond(X, Y, B).\n2.0 :: active.\n"
        )
    )
    assert template.settings.activation == "sigmoid"
    assert peer_template(template) == (
        "$w1=0.5 quoted_547970652031(V0) :- c(V0). [transformation=sigmoid, aggregation=avg]\n"
        "<0.25> active :- quoted_547970652031(V0), bond(V0, V1, V2). [transformation=sigmoid, aggregation=avg]\n"
        "$w3=2.0 active :- always_true. [transformation=identity, aggregation=avg]\n"
        "always_true.\n"
        "quoted_547970652031/1 [transformation=sigmoid]\n"
        "active/0 [transformation=sigmoid]\n"
    )


def test_weights_are_what_the_peer_reads() -> None:
    """0.1 in single precision is 0x3dcccccd = 13421773 / 2^27; a missing weight is drawn, the same with each call."""
    text = "0.1 :: p(X) :- q(X).\n_ :: r :- p(X).\n"
    given, drawn = (rule.weight for rule in comparable(template_of(text)).rules)
    assert given == 13421773 / 2**27
    assert drawn is not None
    assert -1 <= drawn <= 1
    assert comparable(template_of(text)).rules[1].weight == drawn


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1.0 :: p :- q(X), r(Y), X \\== Y.\n", "template.pl:1:1: the benchmark takes rules without built-ins"),
        ("1.0 :: p :- q(X, a).\n", "template.pl:1:1: the benchmark takes rules without constants; the rule has a"),
        ("setting(object_identity, true).\n1.0 :: p :- q(X).\n", "template.pl: NeuraLogic has no object identity"),
    ],
)
def test_templates_that_the_peer_does_not_take(text: str, message: str) -> None:
    with pytest.raises(LrnnError) as error:
        peer_template(comparable(template_of(text)))
    assert message in str(error.value)


# Processes


@pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="needs /proc")
def test_memory_is_that_of_all_processes_together(tmp_path: Path) -> None:
    """60 MB here and 60 MB in a child, held for a while; this process with its 200 MB more does not count."""
    ballast = b"x" * 200_000_000
    child = "import sys, time; x = b'x' * 60_000_000; time.sleep(0.3)"
    program = f"import subprocess, sys; x = b'x' * 60_000_000; subprocess.run([sys.executable, '-c', {child!r}])"
    measured = run([sys.executable, "-c", program], tmp_path)
    assert 120_000_000 < measured.peak < len(ballast)


def test_a_program_that_fails_is_quoted(tmp_path: Path) -> None:
    with pytest.raises(ProgramFailed, match=r"exit code 3: half done\Z"):
        run([sys.executable, "-c", "print('half done'); raise SystemExit(3)"], tmp_path)


# Candidates as Prolog queries


def test_goal_of_a_candidate() -> None:
    """Two atoms of one sort differ, as soon as both are bound; an atom and a bond need no test."""
    bond, target = Predicate("bond", 3), Predicate("active", 1)
    shape = Shape(target, ((bond, (0, 1, 2)), (bond, (1, 3, 4))), (((1,), 1), ((2,), 2)))
    names: dict[Predicate | tuple[int, int], str] = {bond: "p0", target: "p1", (1, 1): "p2", (2, 1): "p3"}
    assert goal(shape, names, {bond: (7, 7, 8), target: (7,)}) == (
        "p1(V0), p0(V0,V1,V2), V1 \\== V0, p0(V1,V3,V4), V3 \\== V0, V3 \\== V1, V4 \\== V2, p2(V1), p3(V2)"
    )


# Structure learning beside others


def test_table_of_structure_learning() -> None:
    """Ratios within each run: 20/10 and 60/20, median 2.5; 100 candidates in 5 s of search are 20 a second."""
    found = [
        Figures(1000, 1, 1, "lrnn", 10.0, 500.0, 100, 5.0, 0.75),
        Figures(1000, 1, 1, "nfoil", 20.0, 250.0, 80, None, 0.5),
        Figures(1000, 2, 1, "lrnn", 20.0, 500.0, 100, 5.0, 0.75),
        Figures(1000, 2, 1, "nfoil", 60.0, 250.0, 240, None, 0.5),
        Figures(1000, 1, 2, "forest", 3.0, 100.0, accuracy=0.7),
    ]
    lines = structure_table(found).splitlines()
    assert lines[1].split() == [
        *("1,000", "1", "lrnn", "15.0", "(10.0-20.0)", "1.00", "5.00", "500", "100", "20.0", "0.750")
    ]
    assert lines[2].split()[3:8] == ["40.0", "(20.0-60.0)", "2.50", "(2.00-3.00)", "250"]
    assert lines[2].split()[-2:] == ["4.00", "0.500"]
    assert lines[3].split() == ["1,000", "2", "forest", "3.00", "100", "0.700"]


def test_candidates_of_a_run(tmp_path: Path) -> None:
    assert searched(tmp_path) == (None, None)
    (tmp_path / "candidates.json").write_text("7")
    assert searched(tmp_path) == (7, None)
    (tmp_path / "run").mkdir()
    (tmp_path / "run/iterations.csv").write_text("iteration,candidates,search_seconds\n1,30,0.25\n2,12,0.50\n")
    assert searched(tmp_path) == (42, 0.75)


def test_examples_of_a_size() -> None:
    """The first ones where there are enough; otherwise all, and new ones with names of their own."""
    query = Fact("p", ())
    examples = [Example(f"e{n}", (Fact("c", (0,)), Fact("b", (0, 1))), query, 1.0) for n in range(3)]
    assert list(sized(examples, 2)) == examples[:2]
    more = list(sized(examples, 7))
    assert more[:3] == examples
    assert len({example.name for example in more}) == 7

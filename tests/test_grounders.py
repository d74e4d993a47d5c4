"""Grounders beside SWI-Prolog: one from outside, found by its entry point, and joins over facts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from conftest import Folder
from hypothesis import given
from naive import Program
from test_duckdb import assert_same_rows
from test_semantics import grounded, programs, tried

from lrnn_cli.errors import GroundingError, LimitError
from lrnn_cli.grounding import program as plans
from lrnn_cli.grounding.facts import ExampleFacts
from lrnn_cli.grounding.grounder import GrounderOptions, GroundTables, grounder_names, open_grounder
from lrnn_cli.grounding.groundings import Groundings, load_groundings
from lrnn_cli.grounding.regrounding import Regrounder
from lrnn_cli.grounding.session import GroundingSession
from lrnn_cli.grounding.swi.grounder import SwiGrounder
from lrnn_cli.grounding.tables import ordered, row_bytes
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.files import Source

EDGES = """
begin(model(m1)). e(a, b). e(b, c). e(c, c). e(c, d). n(a). n(b). red(b). red(d).
query(p(a), 1). query(p(c), 0). query(q, 1). end(model(m1)).
begin(model(m2)). e(a, a). e(a, x). n(x). red(x). 0.5 :: n(a). query(p(a), 0). query(p(b), 0). end(model(m2)).
begin(model(m3)). query(q, 0). end(model(m3)).
"""
PATHS = """
_ :: path(X, Y) :- e(X, Y).
_ :: path(X, Z) :- path(X, Y), e(Y, Z).
_ :: p(X) :- path(X, Y), path(Y, X), X \\== b.
_ :: p(X) :- n(X), e(X, Y), \\+ red(X).
_ :: q :- n(X), path(X, d).
_ :: q :- unknown(X).
"""


def assert_same_tables(found: Groundings, expected: Groundings) -> None:
    assert found.program == expected.program
    assert found.objects == expected.objects
    assert list(found.facts) == list(expected.facts)
    tables = zip([*found.tables, *found.facts.values()], [*expected.tables, *expected.facts.values()], strict=True)
    for table, other in tables:
        assert_same_rows(ordered(table), ordered(other))


# From outside


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package with an entry point, as pip would install it."""
    information = tmp_path / "packages" / "nested_loops-1.0.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: nested-loops\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[lrnn.grounders]\nloops = nested_loops:NestedLoops\n")
    monkeypatch.syspath_prepend(str(information.parent))


@pytest.mark.parametrize("identity", ["true", "false"])
def test_a_grounder_from_outside(installed: None, folder: Folder, identity: str) -> None:
    assert "loops" in grounder_names()
    folder.write({"t.pl": f"setting(object_identity, {identity}).{PATHS}", "d.pl": EDGES})
    for name in ("swi", "loops"):
        done = folder.run("ground", "t.pl", "d.pl", "--grounder", name, "-o", f"{name}.npz", "--quiet")
        assert (done.code, done.stderr.count("Error")) == (0, 0)
    found, expected = load_groundings("loops.npz"), load_groundings("swi.npz")
    assert_same_tables(found, expected)
    assert [len(table) for table in expected.tables][:2] == ([4, 3] if identity == "true" else [6, 9])


def test_what_a_grounder_from_outside_refuses(installed: None, folder: Folder) -> None:
    folder.write({"t.pl": "_ :: p(X) :- far(X, Y). _ :: q.", "d.pl": f"far(X, Y) :- e(X, Z), e(Z, Y).\n{EDGES}"})
    done = folder.run("ground", "t.pl", "d.pl", "--grounder", "loops", "-o", "g.npz")
    assert done.code == 1
    assert "d.pl: nested loops take no background clauses; use --grounder swi\n" in done.stderr
    assert "g.npz" not in folder.content()


def test_learning_with_a_grounder_from_outside(installed: None, folder: Folder) -> None:
    """Its second method gives what is known besides the facts; here that is nothing, and it says so."""
    folder.write({"d.pl": f"far(X, Y) :- e(X, Z), e(Z, Y).\n{EDGES}"})
    done = folder.run("learn-structure", "d.pl", "--grounder", "loops", "--iterations", "1", "-o", "model.pl")
    assert done.code == 0
    assert "d.pl: nested loops do not derive far/2" in done.stderr
    assert "far(" not in folder.read("model.pl")


def test_unknown_grounder(folder: Folder) -> None:
    folder.write({"t.pl": PATHS, "d.pl": EDGES})
    done = folder.run("ground", "t.pl", "d.pl", "--grounder", "loops", "-o", "g.npz")
    assert done.code == 1
    assert "there is no grounder loops; there are auto, duckdb, joins, swi" in done.stderr


# Joins


@dataclass(frozen=True)
class Two:
    swi: GroundingSession
    joins: GroundingSession

    def assert_same(self, template: str, data: str) -> Groundings:
        found = grounded(self.joins, template, data)
        assert_same_tables(found, grounded(self.swi, template, data))
        return found


@pytest.fixture(scope="module")
def two() -> Iterator[Two]:
    with open_grounder("swi", GrounderOptions()) as swi, open_grounder("joins", GrounderOptions()) as joins:
        yield Two(swi, joins)


AUTOMATIC = {
    "a chain": ("_ :: p :- b(X, Y), b(Y, Z), X \\== Z.", False),
    "latent": ("_ :: l(X) :- b(X, Y). _ :: p :- l(X), b(X, Y), l(Y).", False),
    "recursion": ("_ :: l(X, Y) :- b(X, Y). _ :: l(X, Z) :- l(X, Y), b(Y, Z). _ :: p :- l(X, Y).", True),
    "arithmetic": ("_ :: p :- c(X, C), D is C + 1, D > 1.2.", True),
    "a comparison": ("_ :: p :- kind(X, K), K == K, c(Y, C), C < 0.4.", False),
}


@pytest.mark.parametrize("name", AUTOMATIC)
def test_automatic_grounder(name: str, two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    """Joins where they are enough, SWI-Prolog for all else: the same tables in the same order."""
    rules, by_prolog = AUTOMATIC[name]
    template = f"{rules} _ :: t(X) :- b(X, Y)."
    asked: list[plans.Program] = []

    def ground(self: SwiGrounder, program: plans.Program, facts: ExampleFacts) -> GroundTables:
        asked.append(program)
        return prolog(self, program, facts)

    expected = grounded(two.swi, template, CHARGES)
    prolog = SwiGrounder.ground
    monkeypatch.setattr(SwiGrounder, "ground", ground)
    with open_grounder("auto", GrounderOptions()) as automatic:
        found = grounded(automatic, template, CHARGES)
    assert bool(asked) == by_prolog
    assert_same_tables(found, expected)
    assert [table.objects.tolist() for table in found.tables] == [table.objects.tolist() for table in expected.tables]


def test_joins_that_take_too_much_are_left_to_prolog() -> None:
    """All pairs of three b's are 9 rows, more than there is room for; one of them is left by the guard."""
    options = GrounderOptions(table_memory=6 * row_bytes(4))
    template = "_ :: p :- b(X, Y), b(Z, W), X == Z, Y == W."
    data = "b(a1, a2). b(a2, a3). b(a3, a4). query(p, 1)."
    with open_grounder("joins", options) as joins, pytest.raises(LimitError):
        grounded(joins, template, data)
    with open_grounder("auto", options) as automatic:
        assert len(grounded(automatic, template, data).tables[0]) == 3


@tried(150)
@given(program=programs())
def test_joins_of_random_programs(two: Two, program: Program) -> None:
    """The tables of SWI-Prolog, rule by rule as far as joins take them; what is left has less to be grounded."""
    data = replace(program, background=()).data_text()
    lines = program.template_text().splitlines()
    while True:
        try:
            two.assert_same("\n".join(lines), data)
            return
        except GroundingError as error:
            refused = re.findall(r"^template\.pl:(\d+):\d+: .* is not for joins over facts; use", str(error), re.M)
            assert refused or "does not define" in str(error)
            if not refused or len(lines) < 2:
                return
            del lines[int(refused[0]) - 1]


CHARGES = """
begin(model(m1)). c(a1, 0.21). c(a2, -0.5). c(a3, 1). b(a1, a2). b(a2, a3). b(a1, a1). kind(a1, o). kind(a2, h).
query(t(a1), 1). query(t(a2), 0). query(p, 1). end(model(m1)).
begin(model(m2)). c(a1, 0.2). c(a2, 1.0e-10). b(a2, a1). kind(a2, o). query(t(a2), 1). query(p, 0). end(model(m2)).
"""


@pytest.mark.parametrize(
    ("template", "rows"),
    [
        ("1.0 :: p :- c(X, C), C >= 0.21.", 2),
        ("1.0 :: p :- c(X, C), 0.21 < C.", 1),
        ("1.0 :: p :- c(X, C), C =< 0.2.", 3),
        ("1.0 :: p :- c(X, C), C =:= 1.0.", 1),
        ("1.0 :: p :- c(X, C), C =\\= 1.0, C > -1.", 4),
        ("1.0 :: p :- b(X, Y), c(X, C), c(Y, D), C < D.", 2),
        ("1.0 :: p :- b(X, Y), X \\== Y.", 3),
        ("1.0 :: p :- b(X, Y), X = Y.", 1),
        ("1.0 :: p :- b(X, Y), Y \\= a2, dif(X, nothing).", 3),
        ("1.0 :: p :- c(X, C), C == 1.", 1),
        ("1.0 :: p :- c(X, C), a == a, 1 < 2.", 5),
        ("1.0 :: p :- c(X, C), a \\== a.", 0),
        ("1.0 :: p :- kind(X, o), c(X, C).", 2),
        ("1.0 :: p :- kind(X, gold).", 0),
        ("1.0 :: p :- b(X, X).", 1),
        ("1.0 :: t(X) :- kind(X, o), b(X, Y).", 3),
        ("1.0 :: t(X) :- c(Y, C), Y = X, C > 0.", 2),
        ("1.0 :: t(a1).", 1),
        ("1.0 :: t(Y) :- b(X, Y), s(X). 1.0 :: s(X) :- c(X, C), C > 0.2.", 2),
        ("setting(object_identity, true). 1.0 :: p :- b(X, Y), c(Y, C), C < 0.5.", 2),
        ("setting(object_identity, true). 1.0 :: p :- c(X, C), C >= 0.2, c(X, D), D < 5.", 3),
        ("setting(object_identity, true). 1.0 :: p :- c(X, C), C =:= C, c(Y, D), D =:= D.", 8),
    ],
)
def test_comparisons_and_constants(two: Two, template: str, rows: int) -> None:
    """Numbers of rows are counted by hand."""
    more = "" if " p " in template else " 1.0 :: p :- c(X, C)."
    assert len(two.assert_same(f"{template}{more} 1.0 :: t(X) :- c(X, C), X \\== X.", CHARGES).tables[0]) == rows


@pytest.mark.parametrize(
    ("template", "background", "message"),
    [
        ("p :- s(X). 1.0 :: s(X) :- b(X, Y), s(Y). 1.0 :: s(X) :- c(X, _).", "", "recursion"),
        ("p :- far(X).", "far(X) :- b(X, _).", "background knowledge"),
        ("p :- b(X, Y). 1.0 :: kind(X, Y) :- b(X, Y).", "", "kind/2, which has rules and facts,"),
        ("p :- b(X, Y), \\+ c(X, Y).", "", "the guard \\+c(X, Y)"),
        ("p :- c(X, C), C < 1+1.", "", "the guard C<1+1"),
        ("p :- c(X, C), D is C.", "", "the guard D is C"),
        ("p :- s(X). 1.0 :: s(made).", "", "a constant that stands in the head only"),
        ("p :- c(X, C), D = C.", "", "a variable that stands in a guard only"),
        ("p :- s(X, Y). 1.0 :: s(X, X) :- c(X, C).", "", "a head with a variable twice"),
    ],
)
def test_what_joins_refuse(two: Two, template: str, background: str, message: str) -> None:
    data = f"{background}\n{CHARGES.replace('query(t', 'query(x')}"
    with pytest.raises(GroundingError, match="is not for joins over facts; use --grounder swi") as error:
        grounded(two.joins, f"1.0 :: x(X) :- c(X, C). 1.0 :: {template}", data)
    assert f": {message} is not for joins" in str(error.value)


def test_joins_compare_numbers_only(two: Two) -> None:
    with pytest.raises(GroundingError, match=r"template\.pl:1:1: a comparison meets other objects than numbers"):
        grounded(two.joins, "1.0 :: p :- kind(X, K), K > 1. 1.0 :: t(X) :- c(X, _).", CHARGES)


def test_joins_and_memory() -> None:
    """Three facts in a chain of three are 27 rows of four objects, 60 bytes and more each."""
    data = "begin(model(m)). e(a, b). e(a, c). e(a, d). query(p, 1). end(model(m))."
    template = "1.0 :: p :- e(X, A), e(X, B), e(X, C)."
    with open_grounder("joins", GrounderOptions(table_memory=27 * row_bytes(4))) as enough:
        assert len(grounded(enough, template, data).tables[0]) == 27
    message = r"template\.pl:1:1: this rule has more than 26 groundings"
    little = GrounderOptions(table_memory=26 * row_bytes(4))
    with open_grounder("joins", little) as session, pytest.raises(LimitError, match=message):
        grounded(session, template, data)


def test_rows_that_a_test_drops_are_not_joined_any_further() -> None:
    """Three rows, one of which has a red A, are joined to three, one with a red B, and these to three again.

    Tests that came after all joins would need room for 27 rows. The rows are in the order of SWI-Prolog.
    """
    data = "begin(model(m)). e(a, b). e(a, c). e(a, d). red(c). query(p, 1). end(model(m))."
    template = "1.0 :: p :- e(X, A), e(X, B), e(X, C), red(A), red(B), e(X, C)."
    with open_grounder("joins", GrounderOptions(table_memory=3 * row_bytes(4))) as joins:
        found = grounded(joins, template, data)
    with open_grounder("swi", GrounderOptions()) as prolog:
        expected = grounded(prolog, template, data)
    assert len(found.tables[0]) == 3
    assert found.tables[0].objects.tolist() == expected.tables[0].objects.tolist()


# Models that are tried one after another


def regrounded(grounder: GroundingSession, template: str, data: str) -> tuple[Groundings, Groundings]:
    rules = grounder.read_template(Source("template.pl", template.encode()))
    loaded = grounder.load(Source("data.pl", data.encode()))
    return Regrounder(grounder, loaded, None).ground(rules), grounder.ground(rules, loaded)


@pytest.mark.parametrize("facts", ["", "c(a9, none)."])
def test_models_that_compare(two: Two, facts: str) -> None:
    """Learned rules may compare numbers; where an object is none, the grounder says what it thinks of it."""
    template = "1.0 :: p :- l(X), b(X, Y). 1.0 :: l(X) :- c(X, C), C >= 0.2. 1.0 :: t(X) :- l(X)."
    data = CHARGES.replace("b(a1, a2).", f"b(a1, a2). {facts}")
    if facts:
        with pytest.raises(GroundingError, match="none is not of type number"):
            regrounded(two.swi, template, data)
    else:
        found, expected = regrounded(two.swi, template, data)
        assert_same_rows(ordered(found.tables[0]), ordered(expected.tables[0]))
        assert sum(map(len, found.tables)) == sum(map(len, expected.tables)) > 5


def test_models_over_what_can_not_be_listed(two: Two) -> None:
    """Background knowledge that needs bound arguments is evaluated, not left out."""
    background = "more(X, Y) :- X > Y.\n"
    template = "1.0 :: p :- c(X, C), c(Y, D), more(C, D). 1.0 :: t(X) :- c(X, C)."
    found, expected = regrounded(two.swi, template, background + CHARGES)
    assert len(found.tables[0]) == len(expected.tables[0]) == 4
    assert two.swi.knowledge(two.swi.load(Source("d.pl", (background + CHARGES).encode()))).unlisted == {
        Predicate("more", 2)
    }


@pytest.mark.parametrize("name", ["swi", "duckdb"])
def test_knowledge_is_the_same(name: str, two: Two) -> None:
    """Both derive what background clauses define, here also from constants that no example has."""
    background = """
    far(X, Y) :- b(X, Y). far(X, Z) :- far(X, Y), b(Y, Z). metal(gold). metal(iron).
    charged(X, very) :- c(X, C), C > 0.5. kind(X, metal) :- kind(X, Y), metal(Y). lone(X) :- c(X, _), \\+ b(X, _).
    """
    source = Source("d.pl", f"{background}\n{CHARGES}".encode())
    with open_grounder(name, GrounderOptions()) as session:
        found = session.knowledge(session.load(source), [1, 0])
    expected = two.swi.knowledge(two.swi.load(source))
    assert (found.objects, list(found.names()), list(found.tables)) == (
        *(expected.objects, list(expected.names())),
        list(expected.tables),
    )
    for predicate, table in expected.tables.items():
        assert_same_rows(found.tables[predicate], table)
    # Paths of the first example: b's, a2 to a3 in one step more, a1 to a3 in two; of the second its only b.
    assert len(found.tables[Predicate("far", 2)]) == 5


def test_what_duckdb_does_not_list() -> None:
    warnings: list[str] = []
    data = f"next(X, Y) :- c(X, _), Y is X + 1. more(X, Y) :- X > Y. pair(X, Y) :- b(X, Y).\n{CHARGES}"
    with open_grounder("duckdb", GrounderOptions(warn=warnings.append)) as session:
        found = session.knowledge(session.load(Source("d.pl", data.encode())))
    assert found.unlisted == {Predicate("next", 2), Predicate("more", 2)}
    assert len(found.tables[Predicate("pair", 2)]) == 4
    assert warnings == [
        f"d.pl: DuckDB can't list {name}/2, so learned rules won't use it; use --grounder swi"
        for name in ("more", "next")
    ]

"""What the grounder on DuckDB refuses, its limits, and its part of the command line."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from conftest import Folder
from test_semantics import grounded

from lrnn_cli.errors import GroundingError, LimitError
from lrnn_cli.grounding.duckdb.database import Database
from lrnn_cli.grounding.duckdb.herbrand import sorting_keys
from lrnn_cli.grounding.grounder import GrounderOptions, grounder_names, open_grounder
from lrnn_cli.grounding.groundings import Groundings
from lrnn_cli.grounding.objects import kind_of, number_of, order_key
from lrnn_cli.grounding.session import GroundingSession
from lrnn_cli.language.clauses import Compound, Constant, Goal, Variable, goal_from_json, goal_json
from lrnn_cli.language.files import Source

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def grounder() -> Iterator[GroundingSession]:
    with open_grounder("duckdb", GrounderOptions()) as opened:
        yield opened


# What it refuses


FACTS = """
c(a). n(a, 1). n(b, 2.5). o(f(x)). big(9007199254740993). big(9007199254740992.0).
v(a, charge, 1). v(a, colour, red). v(b, charge, 2).
"""
REFUSED: dict[str, tuple[str, str, str]] = {
    "is": (
        "1.0 :: p :- n(X, N),\n  M is N + 1, n(Y, M).",
        "",
        "template.pl:1:1: M is N+1 is not function-free, so DuckDB can't ground it; use --grounder swi",
    ),
    "between": (
        "1.0 :: p :- c(X). 1.0 :: p :- n(_, N), between(1, N, M).",
        "",
        "template.pl:1:19: between(1, N, M) is not function-free, so DuckDB can't ground it; use --grounder swi",
    ),
    "arithmetic": (
        "1.0 :: p :- n(X, N), n(Y, M), N < M * 2.",
        "",
        "template.pl:1:1: N<M*2 is not function-free, so DuckDB can't ground it; use --grounder swi",
    ),
    "compound constant": (
        "1.0 :: p :- o(f(x)).",
        "",
        "template.pl:1:1: f(x) is not function-free, so DuckDB can't ground it; use --grounder swi",
    ),
    "two faults": (
        "1.0 :: p :- o([1, 2]).\n1.0 :: p :- n(X, N), 3 is N.",
        "",
        "template.pl:1:1: [1,2] is not function-free, so DuckDB can't ground it; use --grounder swi\n"
        "template.pl:2:1: 3 is N is not function-free, so DuckDB can't ground it; use --grounder swi",
    ),
    "list in the background": (
        "1.0 :: p :- first(X, Y).",
        "\n first(X, Y) :- list(X), X = [Y|_]. list([a, b]).",
        "data.pl:2:2: a list is not function-free, so DuckDB can't ground it; use --grounder swi",
    ),
    "compound term in a background fact": (
        "1.0 :: p :- pair(X, Y).",
        "pair(a, b). pair(a, f(b)).",
        "data.pl:1:13: the compound term f/1 is not function-free, so DuckDB can't ground it; use --grounder swi",
    ),
    "is in the background": (
        "1.0 :: p :- next(X, Y).",
        "next(X, Y) :- n(_, X), Y is X + 1.",
        "data.pl:1:1: is/2 is not function-free, so DuckDB can't ground it; use --grounder swi",
    ),
    "bound arguments": (
        "1.0 :: p :- c(X), c(Y), same(X, Y).",
        "same(X, Y) :- X == Y.",
        "data.pl:1:1: DuckDB can't enumerate this clause, since its body does not bind all its variables; "
        "use --grounder swi",
    ),
    "objects that are no numbers": (
        "1.0 :: p :- v(X, A, N), N > 0.",
        "",
        "template.pl:1:1: > meets other objects than numbers that floats hold exactly, which DuckDB can't compare as "
        "Prolog does; use --grounder swi",
    ),
    "test after the comparison": (
        "1.0 :: p :- v(X, A, N), N > 0, number(N).",
        "",
        "template.pl:1:1: > meets other objects than numbers that floats hold exactly, which DuckDB can't compare as "
        "Prolog does; use --grounder swi",
    ),
    "functions": (
        "1.0 :: p :- n(X, N), N > pi.",
        "",
        "template.pl:1:1: > meets other objects than numbers that floats hold exactly, which DuckDB can't compare as "
        "Prolog does; use --grounder swi",
    ),
    "large integers": (
        "1.0 :: p :- big(X), big(Y), X < Y.",
        "",
        "template.pl:1:1: < meets other objects than numbers that floats hold exactly, which DuckDB can't compare as "
        "Prolog does; use --grounder swi",
    ),
    "order of compound terms": (
        "1.0 :: p :- c(Y), o(X), X @< Y.",
        "",
        "template.pl:1:1: @< meets other objects than numbers and plain atoms, which DuckDB can't compare as Prolog "
        "does; use --grounder swi",
    ),
    "comparison in the background": (
        "1.0 :: p :- positive(X).",
        "positive(N) :- v(_, _, N), N > 0.",
        "data.pl:1:1: > meets other objects than numbers that floats hold exactly, which DuckDB can't compare as "
        "Prolog does; use --grounder swi",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(grounder: GroundingSession, name: str) -> None:
    template, background, message = REFUSED[name]
    data = f"{background}\nbegin(model(m)). {FACTS} query(p, 1). end(model(m)).\n"
    with pytest.raises(GroundingError) as error:
        grounded(grounder, template, data)
    assert str(error.value) == message


def test_database_is_shut_off(tmp_path: Path) -> None:
    """It neither reads nor writes files, and its settings stay."""
    (tmp_path / "file.csv").write_text("a,b\n1,2\n")
    with Database(GrounderOptions(), None) as database:
        for sql in (
            f"SELECT * FROM read_csv('{tmp_path}/file.csv')",
            f"COPY (SELECT 1) TO '{tmp_path}/out.csv'",
            f"ATTACH '{tmp_path}/other.db'",
            "INSTALL httpfs",
            "SET enable_external_access = true",
        ):
            with pytest.raises(duckdb.Error):
                database.run(sql)
    assert [path.name for path in tmp_path.iterdir()] == ["file.csv"]


# Limits

PAIRS = " ".join(f"c(o{n})." for n in range(1500))
PAIRS_TEMPLATE = "1.0 :: p :- pair(X, X)."
PAIRS_DATA = f"begin(model(m)). {PAIRS} query(p, 1). end(model(m)). pair(X, Y) :- c(X), c(Y)."


def limited(memory: int) -> Groundings:
    with open_grounder("duckdb", GrounderOptions(jobs=1, memory_limit=memory)) as grounder:
        return grounded(grounder, PAIRS_TEMPLATE, PAIRS_DATA)


def test_memory_limit_moves_data_to_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """2.25 million rows of 12 bytes do not fit into 16 MB: a part of them is in the temporary folder."""
    sizes: list[int] = []
    run = Database.run

    def observed(self: Database, sql: str) -> dict[str, np.ndarray]:
        result = run(self, sql)
        sizes[-1] = max(sizes[-1], sum(path.stat().st_size for path in Path(self.folder).iterdir()))
        return result

    monkeypatch.setattr(Database, "run", observed)
    for memory in (16, 1024):
        sizes.append(0)
        assert len(limited(memory).tables[0]) == 1500
    assert sizes[0] > 2**20
    assert sizes[1] == 0


def test_memory_limit_that_is_too_low() -> None:
    with pytest.raises(LimitError, match=r"DuckDB needed more than 2 MB of memory\. Allow more with --memory-limit"):
        limited(2)


def test_time_limit(folder: Folder) -> None:
    """No row of the last join is an answer, and there are 27 billion of them."""
    numbers = " ".join(f"n({n})." for n in range(3000))
    folder.write({"t.pl": "1.0 :: p :- n(X), n(Y), n(Z), X < Y, Y < Z, Z < X.", "d.pl": f"{numbers} query(p, 1)."})
    outcome = folder.run("ground", "t.pl", "d.pl", "-o", "g.npz", "--grounder", "duckdb", "--time-limit", "1")
    assert outcome.code == 1
    # Where all of it is slow, the limit of the whole command may come first.
    assert re.search(r"(DuckDB|the command) was stopped after 1 s\b.*--time-limit", outcome.stderr)
    assert sorted(folder.content()) == ["d.pl", "t.pl"]


def test_a_statement_is_stopped() -> None:
    options = GrounderOptions(time_limit=0.2)
    with (
        Database(options, time.monotonic() + 0.2) as database,
        pytest.raises(LimitError, match=r"DuckDB was stopped after 0\.2 s\. .* --time-limit"),
    ):
        database.run("SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range + b.range < 0")


def test_nothing_stays_behind(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    temporary = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    limited(60)
    assert list(temporary.iterdir()) == []


def test_a_limit_that_is_met_while_duckdb_starts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The watch over time and memory raises its error wherever the program stands."""

    def too_late(*_: object, **__: object) -> None:
        raise LimitError("the command was stopped after 2 s; allow more with --time-limit")

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(duckdb, "connect", too_late)
    with pytest.raises(LimitError) as error:
        limited(60)
    # The error holds on to all that was there when it was raised.
    assert list(tmp_path.iterdir()) == [], error


# The command line


def test_command_line(folder: Folder) -> None:
    """The whole chain gives the same outputs with both grounders, and the same bytes whatever --jobs is."""
    files = [str(ROOT / "datasets" / "trains" / name) for name in ("template.pl", "trains.pl")]
    for name, options in {
        "swi": ["--grounder", "swi"],
        "one": ["--grounder", "duckdb", "--jobs", "1"],
        "two": ["--grounder", "duckdb", "--jobs", "2"],
    }.items():
        outcome = folder.run("ground", *files, "-o", f"{name}.npz", *options)
        assert outcome.code == 0, outcome.stderr
        assert "3,660 groundings of 11 rules in 11 tables, 200 queries" in outcome.stderr
    content = folder.content()
    assert content["one.npz"] == content["two.npz"]
    outputs = []
    for name in ("swi", "one"):
        assert folder.run("train", f"{name}.npz", "-o", f"{name}.pl", "--epochs", "20", "--quiet").code == 0
        shown = folder.run("predict", f"{name}.pl", files[1], "--grounder", "duckdb" if name == "one" else "swi").stdout
        outputs.append([float(line.split("\t")[3]) for line in shown.splitlines()[1:]])
    assert len(outputs[0]) == 200
    assert outputs[1] == pytest.approx(outputs[0], abs=1e-9)


def test_refusal_of_a_command(folder: Folder) -> None:
    folder.write({"t.pl": "0.5 :: p :- n(X), Y is X + 1, n(Y).", "d.pl": "n(1). n(2). query(p, 1)."})
    outcome = folder.run("predict", "t.pl", "d.pl", "-o", "out.tsv", "--grounder", "duckdb")
    assert outcome.code == 1
    assert outcome.stderr.endswith(
        "t.pl:1:1: Y is X+1 is not function-free, so DuckDB can't ground it; use --grounder swi\n"
    )
    assert sorted(folder.content()) == ["d.pl", "t.pl"]


def test_duckdb_ends_in_silence(folder: Folder) -> None:
    """It lists all its objects that are left when Python ends, after an error 60 lines."""
    folder.write({"t.pl": "0.5 :: p :- n(X), Y is X + 1, n(Y).", "d.pl": "n(1). n(2). query(p, 1)."})
    command = [sys.executable, "-m", "lrnn_cli", "predict", "t.pl", "d.pl", "--grounder", "duckdb"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "t.pl:1:1: Y is X+1 is not function-free, so DuckDB can't ground it; use --grounder swi\n"


def test_missing_package(folder: Folder) -> None:
    """A package in the place of duckdb fails as an import does when there is none."""
    folder.write({"t.pl": "0.5 :: p :- c(X).", "d.pl": "c(a). query(p, 1)."})
    (folder.path / "duckdb.py").write_text("raise ModuleNotFoundError(\"No module named 'duckdb'\")\n")
    path = os.pathsep.join([str(folder.path), str(ROOT)])
    command = [sys.executable, "-m", "lrnn_cli", "predict", "t.pl", "d.pl", "--grounder", "duckdb"]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert (
        "DuckDB can't be used: No module named 'duckdb'\nInstall it with `pip install 'lrnn[duckdb]'`." in done.stderr
    )


def test_both_names_are_known() -> None:
    assert {"swi", "duckdb"} <= set(grounder_names())


# Parts


X, Y = Variable("X"), Variable("Y")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("X \\== Y", Goal("guard", "\\==", (X, Y))),
        ("X = -1", Goal("guard", "=", (X, Constant("-1")))),
        ("X = - 1", Goal("guard", "=", (X, Compound("-", (Constant("1"),))))),
        ("X = (+)", Goal("guard", "=", (X, Constant("+")))),
        ("-1.5e-10 < X", Goal("guard", "<", (Constant("-1.5e-10"), X))),
        ("\\+ r", Goal("negation", "r", ())),
        ("\\+ (+)", Goal("negation", "+", ())),
        ("\\+ 'A b'(X, Own)", Goal("negation", "A b", (X, Variable("Own")))),
        ("dif(X, 'it\\'s)(')", Goal("guard", "dif", (X, Constant("'it\\'s)('")))),
        ('X == "a,\\"b"', Goal("guard", "==", (X, Constant('"a,\\"b"')))),
        ("X \\= []", Goal("guard", "\\=", (X, Constant("[]")))),
        ("X = [é|Y]", Goal("guard", "=", (X, Compound("[|]", (Constant("é"), Y))))),
        ("X < Y * 2", Goal("guard", "<", (X, Compound("*", (Y, Constant("2")))))),
        ("X @< 'X'", Goal("guard", "@<", (X, Constant("'X'")))),
        ("fail", Goal("guard", "fail", ())),
        (f"X = {'f(' * 50}Y{')' * 50}", None),
    ],
)
def test_guards_as_terms(grounder: GroundingSession, text: str, expected: Goal | None) -> None:
    """SWI-Prolog takes guards of templates and clauses of the background apart; files keep what it finds."""
    template = grounder.read_template(Source("t.pl", f"1.0 :: p :- q(X, Y), {text}.".encode()))
    (guard,) = template.rules[0].guards
    assert guard.goal == expected
    if expected is not None:
        assert goal_from_json(json.loads(json.dumps(goal_json(expected)))) == expected
        names = {"X": "V0", "Y": "V1", "Own": "V2"}
        data = grounder.load(Source("d.pl", f"h(X) :- q(X, Y), {text}.\nbegin(model(m)). end(model(m)).".encode()))
        goals = [Goal("atom", "h", (X,)), Goal("atom", "q", (X, Y)), expected]
        assert data.background[0].goals == tuple(goal.renamed(names) for goal in goals)


def test_keys_of_names() -> None:
    assert [
        kind_of(name) for name in ("1", "-2.5e10", "1r3", '"a"', "'A b'", "é", "+", "[]", "f(x)", "a-b", "{a}")
    ] == [
        *("integer", "float", "rational", "string", "atom", "atom", "atom", "nil", "compound", "compound", "compound")
    ]
    assert [number_of(name) for name in ("12", "-0.5", "1.0Inf", "-1.0Inf", "1.5NaN", "9007199254740993", "a")] == [
        *(12.0, -0.5, float("inf"), float("-inf"), None, None, None)
    ]
    names = ["2", "1", "1.0", "b", "'A'", "'a b'", "aé", "ab"]
    keys: Callable[[str], Any] = order_key
    assert sorted(names, key=keys) == ["1.0", "1", "2", "'A'", "'a b'", "ab", "aé", "b"]
    assert [order_key(name) for name in ("f(x)", '"text"', "'a\\nb'", "[]", "-0.0")] == [None] * 5


@pytest.mark.parametrize("columns", [0, 1, 3, 60])
@pytest.mark.parametrize("made", [0, 2])
def test_sorting_keys(columns: int, made: int) -> None:
    """Keys order rows as tuples are ordered, also where objects were made and where rows are very wide."""
    source = np.random.default_rng(columns + made)
    first_object = np.array([0, 3, 3, 7, 12], np.int32)
    example = source.choice([0, 2, 3], 40).astype(np.int32)
    size = np.diff(first_object)[example]
    objects = (first_object[example] + source.integers(0, size, (columns, 40))).astype(np.int32)
    objects[:1, :made] = 12 + np.arange(made)
    keys = sorting_keys(example, list(objects), first_object).tolist()
    rows = list(zip(example.tolist(), *objects.tolist(), strict=True))
    assert [keys[i] < keys[j] for i in range(40) for j in range(40)] == [
        rows[i] < rows[j] for i in range(40) for j in range(40)
    ]

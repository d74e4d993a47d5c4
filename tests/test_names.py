"""Any name is a name: written anywhere and read again it is the same, and it moves no cursor and breaks no line."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import Folder
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from lrnn_cli.errors import LrnnError
from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder
from lrnn_cli.grounding.session import GroundingSession
from lrnn_cli.importers.imported_data import Fact, ImportedData, ImportedExample, Query
from lrnn_cli.language.clauses import quoted
from lrnn_cli.language.files import Source
from lrnn_cli.language.template import Template
from lrnn_cli.language.writing import csv_text, json_text, term_cell, visible
from lrnn_cli.network.model import Model
from lrnn_cli.network.network import compile_network

ROOT = Path(__file__).resolve().parents[1]
CONTROL = "\x1b\u202e\u2066\u2028\u2029\x85\x7f\x9b\r\x07\x00\u200b\ufeff\xad"
RULE = "x\n-9.0 :: q.\n% "
"""A name that makes a rule of itself where it is written raw."""


@pytest.fixture(scope="module")
def grounder() -> Iterator[GroundingSession]:
    with open_grounder("swi", GrounderOptions()) as found:
        yield found


def raw(text: str) -> set[str]:
    """Characters that must not be there."""
    return {char for char in text if not char.isprintable() and char not in "\n\t"}


WORDS = [
    "dynamic",
    "is",
    "mod",
    "table",
    "-",
    "+",
    "|",
    ",",
    "!",
    "[]",
    "{}",
    ";",
    "\\+",
    ":-",
    "::",
    "latent_1_1",
    RULE,
]
NAMES = st.one_of(
    st.text(st.sampled_from("ab'\"\\%*/.:-=+@ \n\t(),|" + CONTROL), min_size=1, max_size=12),
    st.text(min_size=1, max_size=6),
    st.sampled_from([*WORDS, *CONTROL, "=1+1", "@x", "*/ :- q.", "'", "\\", "\\x41\\", "a\\", "%", "/*"]),
)


def outputs(grounder: GroundingSession, template: Template, data: Source) -> list[float]:
    groundings = grounder.ground(template, grounder.load(data))
    network = compile_network(groundings)
    weights = np.array([rule.weight for rule in template.rules], float)
    found: list[float] = network.outputs(network.forward(weights)[0]).tolist()
    return found


def writings(template: Template, comments: tuple[str, ...]) -> dict[str, str]:
    """The template in all ways in which we write one."""
    return {
        "template": template.text(comments),
        "model": Model((template,), layered=True).text(),
        "ensemble": Model((replace(template, member=quoted(comments[0])),), comments, layered=True).text(),
        "clauses": Model((template,), comments, notes=comments[: len(template.rules)]).text(),
    }


@settings(max_examples=50, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(NAMES, NAMES, NAMES, NAMES)
@example("dynamic", "table", "is", "mod")
@example("is", "-", "dynamic", "|")
@example("-", "dynamic", "+", "dynamic")
@example(":", "'", "=:", ":")
def test_names_in_any_place(grounder: GroundingSession, predicate: str, target: str, constant: str, model: str) -> None:
    """Predicates, constants and examples of any name, and any names in comments."""
    p, t, c, e = map(quoted, (predicate, target, constant, model))
    rules = f"0.5 :: {t}(X) :- {p}(X), X \\== {c}.\n-0.25 :: {t}(X) :- {p}(X), r(X, {c}).\n"
    rules += f"0.75 :: ({t}) :- ({p}), r(a, {c}).\n0.125 :: ({t}).\n"
    facts = f"{p}(a). {p}({c}). r(a, {c}). ({p})."
    queries = f"query({t}, 1). query({t}(a), 1). query({t}({c}), 0)."
    text = f"begin(model({e})).\n{facts} {queries}\nend(model({e})).\n"
    data = Source("d.pl", text.encode())
    try:
        template = grounder.read_template(Source(model, rules.encode()))
        expected = outputs(grounder, template, data)
    except LrnnError:
        # The reader does not take such a name here: a predicate that is a part of the language, for example.
        assume(False)
    for kind, written in writings(template, (predicate, target, constant, model)).items():
        assert not raw(written.replace("\t", "\x00")), kind
        (found,) = grounder.read_model(Source("m.pl", written.encode()))
        assert found.settings == template.settings
        assert sorted(map(str, found.rules)) == sorted(map(str, template.rules)), kind
        assert outputs(grounder, found, data) == pytest.approx(expected, abs=1e-15)
    loaded = grounder.load(data)
    assert not raw(loaded.example_name[0] + "".join(loaded.queries.text))


@settings(max_examples=300, deadline=None, derandomize=True)
@given(NAMES, NAMES)
def test_names_in_tables_and_json(first: str, second: str) -> None:
    value = {"names": [first, {second: first}]}
    text = json_text(value)
    assert json.loads(text) == value
    assert not raw(text.replace("\t", "\x00"))
    table = csv_text([[first, second, -0.5, repr(-1e-7)]])
    assert not raw(table)
    (row,) = csv.reader(io.StringIO(table, newline=""))
    assert row[2:] == ["-0.5", "-1e-07"]
    for name, cell in zip((first, second), row, strict=False):
        assert not cell.startswith(("=", "+", "-", "@", "\t", "\r")) or cell.strip("+-").replace("_", "").isdecimal()
        assert cell in (visible(name), f"'{visible(name)}")


def test_cells_of_spreadsheets() -> None:
    assert csv_text([["=1+1", "+a", "-b", "@c", "\t=d", "\re", "x=1"]]) == "'=1+1,'+a,'-b,'@c,'\\x9\\=d,'\\xd\\e,x=1\n"
    assert csv_text([[-0.5, "-0.5", "+3", "1e-5", "-inf", ""]]) == "-0.5,-0.5,+3,1e-5,-inf,\n"
    assert [term_cell(text) for text in ("-5", "-a", "=(a)", '+hyperlink("x")', "'=a'")] == [
        "-5",
        "(-a)",
        "(=(a))",
        '(+hyperlink("x"))',
        "'=a'",
    ]


def test_names_of_predictions(folder: Folder) -> None:
    """A name that looks like a formula stands in brackets, and is still the name of that example."""
    folder.write(
        {
            "m.pl": "0.5 :: p(X) :- q(X).\n",
            "d.pl": "begin(model(-a)).\nq(-1). query(p(-1), 1).\nend(model(-a)).\n"
            "begin(model(-5)).\nq(b). query(p(b), -0.5).\nend(model(-5)).\n",
        }
    )
    rows = [line.split("\t") for line in folder.run("predict", "m.pl", "d.pl").stdout.splitlines()]
    assert [row[:3] for row in rows[1:]] == [["(-a)", "p(-1)", "1.0"], ["-5", "p(b)", "-0.5"]]


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(NAMES, NAMES)
def test_names_of_imported_data(grounder: GroundingSession, name: str, target: str) -> None:
    """Molecules and targets of any name, written as data and read again."""
    examples = [
        ImportedExample(quoted(example), ["c3(a1)"], [Query(Fact(target), value)])
        for example, value in ((name, 1.0), ("other", -0.5))
    ]
    text = ImportedData(examples, [], {}, []).text()
    assert not raw(text.replace("\t", "\x00"))
    assume(name != "other")
    try:
        loaded = grounder.load(Source("d.pl", text.encode()))
    except LrnnError:
        # A word of the language is no target.
        assume(False)
    assert loaded.queries.target.tolist() == [1.0, -0.5]
    assert [predicate.name for predicate in loaded.queries.predicate] == [target]
    again = grounder.load(Source("d.pl", text.replace(quoted(name), loaded.example_name[0]).encode()))
    assert again.example_name == loaded.example_name


HOSTILE = "\\e[31m\\x202e\\\\x2028\\\\x85\\\\x7f\\\\x9b\\\\r\\n-9.0 :: q.\\n% "


def hostile_data() -> str:
    """Examples to learn from, with names that hold everything."""
    blocks = []
    for number in range(12):
        positive = number % 2
        name, unary, relation = (f"'{HOSTILE}{word}'" for word in (number, "=u", "r"))
        facts = f"{unary}(a). {relation}(a, '{HOSTILE}'). c(a)." if positive else f"d(a). {relation}(a, b). c(b)."
        blocks.append(f"begin(model({name})).\n{facts}\nquery('{HOSTILE}t', {positive}).\nend(model({name})).\n")
    return "".join(blocks)


def test_hostile_names_in_all_outputs(folder: Folder) -> None:
    """No command shows or writes a character that moves a cursor, and no name becomes a rule."""
    data = f"\x1b[31m\u202e{RULE}.pl"
    folder.write({data: hostile_data()})
    learn = ["--iterations", "1", "--epochs", "2", "--final-epochs", "1", "--gain", "0"]
    example = folder.run("check", data, "--json")
    assert json.loads(example.stdout)["examples"] == 12

    def run(*arguments: str) -> None:
        outcome = folder.run(*arguments)
        assert outcome.code == 0, (arguments, outcome.stderr)
        assert not raw(outcome.stdout + outcome.stderr), arguments

    for arguments in (
        ["check", data],
        ["check", data, "--json"],
        ["learn-structure", data, "-o", "m.pl", "--run-dir", "run", *learn],
        ["learn-structure", data, "-o", "m2.pl", *learn, "--ensemble", "2"],
        ["baseline", "nfoil", data, "-o", "foil.pl"],
        ["make-template", data, "--chain", "2", "-o", "t.pl"],
        ["ground", "t.pl", data, "-o", "g.npz"],
        ["train", "g.npz", "-o", "trained.pl", "--history", "h.csv", "--epochs", "1"],
        ["show", "m.pl"],
        ["show", "m2.pl"],
        ["show", "foil.pl"],
        ["show", "g.npz", "--rows", "2"],
        ["show", "run"],
        ["plot", "run", "-o", "figures"],
        ["predict", "m.pl", data, "-o", "predictions.tsv"],
        ["predict", "trained.pl", data],
        ["evaluate", "m.pl", data],
        ["simplify", "m.pl", data, "-o", "small.pl"],
        ["draw", "m.pl", "-o", "t.dot"],
    ):
        run(*arguments)
    # The name of an example as it is shown names the example.
    shown = folder.read("predictions.tsv").split("\n")[2].split("\t")[0]
    run("explain", "m.pl", data, "--example", shown)
    run("explain", "m.pl", data, "--example", shown, "--json")
    run("draw", "m.pl", data, "--example", shown, "-o", "d.dot")
    for name, content in folder.content().items():
        if not name.endswith((".npz", "%.pl")) and name != data:
            assert not raw(content.decode()), name
            assert not any(line.startswith("-9.0 ::") for line in content.decode().split("\n")), name
    for name in ("m.pl", "m2.pl", "foil.pl", "t.pl", "trained.pl", "small.pl"):
        assert "\n-9.0" not in folder.read(name)


def test_hostile_names_in_messages(folder: Folder) -> None:
    name = "\x1b[2J\u202e\u2028x"
    folder.write({"m.pl": "0.5 :: p :- q.\n", "d.pl": "q.\nquery(p, 1).\n"})
    for arguments in (
        [name],
        ["predict", name, "d.pl"],
        ["predict", "m.pl", name],
        ["predict", "m.pl", "d.pl", "-o", f"{name}/x"],
        ["predict", "m.pl", "d.pl", f"--{name}"],
        ["predict", "m.pl", "d.pl", "--fold", name],
        ["explain", "m.pl", "d.pl", "--example", name],
        ["explain", "m.pl", "d.pl", "--query", name],
        ["predict", "m.pl", "d.pl", "--grounder", name],
        ["show", name],
        ["plot", name],
        ["summarise", name],
        ["report", name],
        ["learn-structure", "d.pl", "-o", "x.pl", "--run-dir", f"m.pl/{name}"],
    ):
        outcome = folder.run(*arguments)
        assert outcome.code in (1, 2), arguments
        assert outcome.stderr
        assert not raw(outcome.stdout + outcome.stderr), arguments


def test_names_of_files_that_are_no_text(folder: Folder) -> None:
    """File names are bytes, and may be in another encoding than that of the system."""
    name = os.fsdecode(b"d\xff\n-9.0 :: q.pl")
    folder.write({"t.pl": "_ :: p :- q.\n", name: "q.\nquery(p, 1).\n"})
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "lrnn_cli"]
    for arguments in (["ground", "t.pl", name, "-o", "g.npz"], ["train", "g.npz", "-o", "m.pl"], ["show", "g.npz"]):
        done = subprocess.run([*command, *arguments], env=environment, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        assert not raw(done.stdout.decode() + done.stderr.decode())
    assert folder.read("m.pl").startswith("% model of lrnn: t.pl trained on d\\xdcff\\\\xa\\-9.0 :: q.pl\n")

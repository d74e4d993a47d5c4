"""No file runs code, reaches the shell or reads another file; and any name is a name.

Hostile files try to make a file called `canary`. Each is refused with a message, or is plain data with the predictions
that plain data have.
"""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from conftest import Folder
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from lrnn_cli.engine import process
from lrnn_cli.engine.process import PrologProcess
from lrnn_cli.errors import LrnnError
from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder
from lrnn_cli.grounding.session import GroundingSession
from lrnn_cli.language.files import Source

TOUCH = "shell('touch canary')"
TEMPLATE = "0.5 :: p(X) :- q(X).\n"
DATA = "begin(model(m)).\nq(a).\nquery(p(a), 1.0).\nend(model(m)).\n"


def sigm(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-value))


FIRED = sigm(6 * (sigm(3) - 0.5))
"""The value of a rule neuron with one plain fact."""

DERIVED = sigm(6 * (0.5 * FIRED - 0.5))
"""The output for p(a)."""


REFUSED = {
    "directive": f":- {TOUCH}.",
    "initialization": f":- initialization({TOUCH}).",
    "initialization main": f":- initialization({TOUCH}, main).",
    "condition": f":- if({TOUCH}).\n:- endif.",
    "query": f"?- {TOUCH}.",
    "operator": ":- op(700, xfx, ===>).",
    "include": ":- include('canary.pl').",
    "consult": ":- consult('canary.pl').",
    "list of files": ":- ['canary.pl'].",
    "flag": ":- set_prolog_flag(double_quotes, codes).",
    "module": ":- module(lrnn_store, [clear_store/0]).",
    "encoding": ":- encoding(iso_latin_1).",
    "term expansion": f"term_expansion(X, X) :- q(X), {TOUCH}.",
    "goal expansion": f"goal_expansion(X, X) :- q(X), {TOUCH}.",
    "term expansion of user": f"user:term_expansion(X, X) :- {TOUCH}.",
    "portray": f"portray(X) :- q(X), {TOUCH}.",
    "portray of user": f"user:portray(X) :- {TOUCH}.",
    "load hook": f"user:prolog_load_file(_, _) :- {TOUCH}.",
    "message hook": f"message_hook(_, _, _) :- {TOUCH}.",
    "exception hook": f"exception(_, _, retry) :- {TOUCH}.",
    "quasi quotation": "r({|string(X)||touch canary|}).",
    "grammar rule": f"r --> {{{TOUCH}}}.",
    "grammar rule with pushback": f"r, [b] --> {{{TOUCH}}}.",
    "dict function": "r(_{a:1}.put(b, 2)).",
    "goal in a variable": f"r(X) :- q(X), G = {TOUCH}, G.",
    "goal": f"r(X) :- q(X), {TOUCH}.",
    "negated goal": f"r(X) :- q(X), \\+ {TOUCH}.",
    "qualified goal": f"r(X) :- q(X), system:{TOUCH}.",
    "call": f"r(X) :- q(X), call({TOUCH}).",
    "catch": f"r(X) :- q(X), catch({TOUCH}, _, true).",
    "findall": f"r(X) :- q(X), findall(Y, {TOUCH}, Y).",
    "arithmetic": f"r(X) :- q(X), Y is {TOUCH}, Y > 1.",
    "freeze": f"r(X) :- q(X), freeze(X, {TOUCH}).",
    "reading a file": "r(X) :- q(X), read_term_from_atom(X, Y, []).",
    "process": "r(X) :- q(X), process_create(path(touch), [canary], []).",
    "thread": f"r(X) :- q(X), thread_create({TOUCH}, X, []).",
    "assert": f"r(X) :- q(X), assertz(lrnn_server:(answer(_, _) :- {TOUCH})).",
    "own predicate": "r(X) :- q(X), handle.\nhandle :- clear_store.",
    "foreign library": "r(X) :- q(X), use_foreign_library(foreign(canary)).",
}


def refused(stderr: str, name: str) -> bool:
    """All lines say where and what, and none is a traceback or an error of Prolog's own."""
    lines = stderr.splitlines()
    return bool(lines) and all(re.match(rf"(warning: )?{re.escape(name)}:\d+:\d+: \S", line) for line in lines)


def assert_plain(predictions: str) -> None:
    row = predictions.splitlines()[1].split("\t")
    assert row[:3] == ["m", "p(a)", "1.0"]
    assert float(row[3]) == pytest.approx(DERIVED, abs=1e-12)


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("place", ["outside", "inside", "template"])
def test_hostile_text(text: str, place: str, folder: Folder) -> None:
    files = {"t.pl": TEMPLATE, "d.pl": DATA, "canary.pl": f":- {TOUCH}.\nq(canary).\n"}
    if place == "outside":
        files["d.pl"] = f"{text}\n{DATA}"
    elif place == "inside":
        files["d.pl"] = DATA.replace("q(a).", f"q(a).\n{text}")
    else:
        files["t.pl"] = f"{text}\n{TEMPLATE}0.5 :: p(X) :- r(X).\n"
    folder.write(files)
    outcome = folder.run("predict", "t.pl", "d.pl", "-o", "out.tsv")
    assert not (folder.path / "canary").exists()
    assert outcome.stdout == ""
    if outcome.code == 0:
        # A clause that no rule of the template needs is never called, and predicates may be undefined.
        assert place == "outside"
        assert_plain(folder.read("out.tsv"))
        assert outcome.stderr.startswith("warning: d.pl:")
    else:
        assert outcome.code == 1
        assert refused(outcome.stderr, "t.pl" if place == "template" else "d.pl"), outcome.stderr
        assert not (folder.path / "out.tsv").exists()


PLAIN = {
    "shell": f"{TOUCH}. halt. open(canary, write, s). consult('canary.pl').",
    "hooks": "term_expansion(a, b). goal_expansion(a, b). portray(a). prolog_load_file(a, b).",
    "system": "'$set_source_module'(user). '$load'. abort. prolog. trace.",
    "own": "lrnn_server. handle. clear_store. 'q/1'(1, a). writer. active_example(7).",
    "markers": "begin(a). end(a). model(a). setting(steepness, 1). fixed(a). none. all.",
    "queries": "'query p'(b). 'query p/1'(b). query(a, b, c).",
    "terms": "r((:- shell(x))). r((a :- b)). r((a --> b)). r({a}). r([a|b]). r(- 1). r(-(1)). r(1 - (2 - 3)).",
    "variables": "r('$VAR'(1)). r('$VAR'('X')). r('$VAR'(x, y)). r('_'). r('X').",
    "dicts": "r(x{a: 1}). r(x{a: 1}.put(b, 2)). r(a.b). r(1.e).",
    "empty": "r(f()). r(''). r(\"\"). r([]). r('[]'). r({}). r('{}').",
    "numbers": "r(1). r(1.0). r(-0.0). r(100000000000000000000000). r(1r3). r(0'a). r(0b101). r(1_000). r(inf).",
    "operators": "r(dynamic). r(-). r(:-). r('|'). r((',')). r(;). r(is). r(\\+). dynamic(a). ','(a, b, c). !(a).",
}


@pytest.mark.parametrize("text", PLAIN.values(), ids=PLAIN)
@pytest.mark.parametrize("place", ["outside", "inside"])
def test_plain_data(text: str, place: str, folder: Folder) -> None:
    """Names that mean something to Prolog are names like any other."""
    data = f"{text}\n{DATA}" if place == "outside" else DATA.replace("q(a).", f"q(a). {text}")
    folder.write(
        {"t.pl": f"{TEMPLATE}0.0 :: p(X) :- q(X), r(Y), Y \\== X.\n0.0 :: p(X) :- r(X), X == X.\n", "d.pl": data}
    )
    outcome = folder.run("predict", "t.pl", "d.pl")
    assert outcome.code == 0, outcome.stderr
    assert_plain(outcome.stdout)
    assert not (folder.path / "canary").exists()


def test_system_names_as_predicates(folder: Folder) -> None:
    """Where the data define shell/1 and halt/0, rules use those, and Prolog's own are never called."""
    folder.write(
        {
            "t.pl": "0.5 :: p(X) :- shell(X), \\+ halt, member(X, Y), print(Y).\n",
            "d.pl": f"begin(model(m)).\n{TOUCH}. member('touch canary', b).\nquery(p('touch canary'), 1).\n"
            "end(model(m)).\nbegin(model(n)).\nhalt. query(p(a), 0).\nend(model(n)).\nprint(X) :- member(_, X).\n",
        }
    )
    outcome = folder.run("predict", "t.pl", "d.pl")
    assert (outcome.code, outcome.stderr) == (0, "")
    row = outcome.stdout.splitlines()[1].split("\t")
    assert row[:3] == ["m", "p('touch canary')", "1.0"]
    # A rule with three atoms, all of them facts.
    assert float(row[3]) == pytest.approx(sigm(6 * (0.5 * sigm(6 * (3 * sigm(3) - 2.5)) - 0.5)), abs=1e-12)
    assert not (folder.path / "canary").exists()


def test_system_names_of_a_model_that_the_data_lack(folder: Folder) -> None:
    """A model learned where shell/1 was a predicate is applied where it is not: nothing is true, nothing is called."""
    rules = "0.5 :: p(X) :- q(X).\n0.5 :: p(X) :- q(X), shell(X).\n0.5 :: p(X) :- q(X), r(Y), shell(Y).\n"
    data = DATA.replace("q(a).", "q(a). r('touch canary').")
    folder.write({"model.pl": rules, "d.pl": data, "t.pl": rules.replace("0.5", "_")})
    outcome = folder.run("predict", "model.pl", "d.pl")
    assert outcome.code == 0
    assert_plain(outcome.stdout)
    assert "nothing defines shell/1, so this rule has no groundings" in outcome.stderr
    assert not (folder.path / "canary").exists()
    refused = folder.run("ground", "t.pl", "d.pl", "-o", "g.npz")
    assert (refused.code, "g.npz" in folder.content()) == (1, False)
    assert "the built-in shell/1 is not allowed in a body" in refused.stderr


NAMES = {
    "quote": "it''s",
    "double quote": 'say "a"',
    "backslash": "a\\\\b",
    "newline": "a\\nb",
    "tab": "a\\tb",
    "carriage return": "a\\rb",
    "control character": "a\\x1\\b",
    "record separator": "a\\x1e\\b",
    "escape": "\\e[31m",
    "nul": "a\\x0\\b",
    "delete": "a\\x7f\\b",
    "next line": "a\\x85\\b",
    "no-break space": "a\u00a0b",
    "zero width": "a\u200bb",
    "byte order mark": "a\ufeffb",
    "combining": "e\u0301",
    "right to left": "שלום",
    "Chinese": "分子",
    "Greek capital": "Ωmega",
    "beyond 16 bits": "𝒳😀",
    "slash": "a/b",
    "arity": "p/1",
    "spaces": " a  b ",
    "variable": "X",
    "underscore": "_",
    "empty": "",
    "comment": "/* a */ % b",
    "clause": "a :- b.",
    "mark of guards": "Mark0_",
    "list": "[]",
    "braces": "{}",
    "cut": "!",
    "bar": "|",
    "end": "end_of_file",
}


def named_program(names: Sequence[str]) -> dict[str, str]:
    """A template and data with a model, three predicates and constants for each name, given as a quoted atom."""
    rules = [
        f'_ :: {name}(X, 1, 2) :- {name}(X, Y), Y \\== X, Y == {name}, f(X, Y) \\== f({name}, "X").\n'
        f"_ :: {name}(X, 1, 2, 3) :- {name}(X, 1, 2), {name}(X, {name}), \\+ {name}({name}, X).\n"
        for name in names
    ]
    models = [
        f"begin(model({name})).\n{name}(a, {name}). {name}(b, c). 0.5 :: {name}(d, {name}).\n"
        f"query({name}(a, 1, 2, 3), 1). query({name}(b, 1, 2, 3), 0). query({name}(d, 1, 2, 3), 1).\n"
        f"query({name}({name}, 4, 5, 6, 7), 0).\nend(model({name})).\n"
        for name in names
    ]
    background = [f"{name}(X, 4, 5, 6, 7) :- {name}(_, X), X = {name}.\n" for name in names]
    # Only weighted facts make a predicate soft, and only crisp ones can be negated.
    return {"t.pl": "".join(rules), "d.pl": "".join(models + background).replace("0.5 :: ", "")}


def run_chain(folder: Folder, names: Sequence[str]) -> dict[str, str]:
    """What each command prints for a program with these names, and the predictions."""
    folder.write(named_program(names))
    texts = {}
    for arguments in (
        ("ground", "t.pl", "d.pl", "-o", "g.npz", "--quiet"),
        ("train", "g.npz", "-o", "m.pl", "--epochs", "2", "--quiet"),
        ("predict", "m.pl", "d.pl"),
        ("show", "m.pl"),
        ("show", "g.npz", "--rows", "5"),
        ("check", "d.pl", "--template", "m.pl"),
    ):
        outcome = folder.run(*arguments)
        assert (outcome.code, outcome.stderr) == (0, ""), outcome
        texts[" ".join(arguments[:2])] = outcome.stdout
    return texts


@pytest.mark.parametrize("first", range(0, len(NAMES), 9))
def test_names_round_trip(first: int, folder: Folder) -> None:
    """Names of models, predicates and constants through every stage; outputs are those of plain names."""
    names = [f"'{source}'" for source in list(NAMES.values())[first : first + 9]]
    found = run_chain(folder, names)
    model = folder.read("m.pl")
    plain = run_chain(folder, [f"n{number}" for number in range(len(names))])
    # Each text has as many lines as with plain names: nothing in a name breaks a line.
    assert {key: len(text.split("\n")) for key, text in found.items()} == {
        key: len(text.split("\n")) for key, text in plain.items()
    }
    rows = [line.split("\t") for line in found["predict m.pl"].rstrip("\n").split("\n")]
    assert [row[2:] for row in rows] == [line.split("\t")[2:] for line in plain["predict m.pl"].splitlines()]
    assert len({row[3] for row in rows[1::4]}) > 1
    # What was written reads back as the same names.
    folder.write({**named_program(names), "m.pl": model})
    assert folder.run("predict", "m.pl", "d.pl").stdout == found["predict m.pl"]


CONSTANTS = [
    "1",
    "-1",
    "1.5",
    '"text"',
    "[a, b]",
    "[]",
    "f(g(x), Y0)",
    "'A b'",
    "a-b",
    "{x}",
    "(a, b)",
    "- 1",
    "1 - -1",
]


@pytest.mark.parametrize("constant", [text.replace("Y0", "y") for text in CONSTANTS])
def test_constants(constant: str, folder: Folder) -> None:
    """Any ground term is a constant: in facts, queries, rules and guards; other terms are other constants."""
    folder.write(
        {
            "t.pl": f"0.5 :: p(X) :- q(X, {constant}).\n0.25 :: p(X) :- q(X, Y), Y = {constant}.\n"
            f"0.125 :: p({constant}) :- q(_, Y).\n",
            "d.pl": f"begin(model(m)).\nq(a, {constant}). q(b, other).\nquery(p(a), 1). query(p(b), 1).\n"
            f"query(p({constant}), 1).\nend(model(m)).\n",
        }
    )
    outcome = folder.run("predict", "t.pl", "d.pl")
    assert (outcome.code, outcome.stderr) == (0, "")
    outputs = [float(line.rsplit("\t", 1)[1]) for line in outcome.stdout.splitlines()[1:]]
    # p(a) has weights 0.5 and 0.25, p(b) has nothing, p(constant) has 0.125.
    expected = [sigm(6 * (weight * FIRED - 0.5)) for weight in (0.75, 0.0, 0.125)]
    assert outputs == pytest.approx(expected, abs=1e-12)


# Damaged files at random


@pytest.fixture(scope="module")
def grounder() -> Iterator[GroundingSession]:
    with open_grounder("swi", GrounderOptions(memory_limit=500, time_limit=120.0)) as grounder:
        yield grounder


SOUND_DATA = """begin(model(m1)).
fold(1). bond(a1, a2, 'B c'). c(a1). o("str"). v(3.5). l([a, b|c]). t(f(g(x), {y}, 1-2)).
0.8 :: polar(a2). -3 :: polar(a1). query(p(a1), 1.0). query(s, 0).
end(model(m1)).
r(X, Y) :- bond(X, Z, _), (c(Z) ; \\+ o(Z)), Y = f(X), X \\== Z.
n(0). k(X) :- n(Y), X is Y + 1, X < 3, number(X).
"""
SOUND_TEMPLATE = """setting(steepness, 6.0).
_ :: l1(X) :- c(X), \\+ o(X).
0.5 :: p(X) :- bond(X, Y, B), l1(Y), X \\== Y, B @< z.
fixed(-1) :: p(X) :- k(N), c(X), r(X, F), F \\= g, N >= 1.
0.1 :: s :- l1(X), bond(X, _, 'B c'), t(f(g(x), {y}, 1-2)).
"""
PIECES = (
    *"()[]{}|,.'\"`\\/*%:;!-+<>=_@#$&^~? \n\t09aXé",
    *("::", ":-", "/*", "*/", "\\+", ").", "is", "->", "'$VAR'(1)", "a()", "_{a:1}", "{|x||y|}", "0'", "1.0Inf"),
    *("1e999", "end_of_file.", "query(", "\\x41\\", "'\\", "a.b", "X.y", "\x01", "\x1e", ":- halt.\n", "1r3"),
    *("0x", "random(3)", "foo:bar", ",,", "..", "(:-)", "\r\n", "\ufeff", "𝒳", "begin(model(", "fixed(", "setting("),
)


@st.composite
def damaged(draw: st.DrawFn, text: str) -> str:
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(text)))
        if draw(st.booleans()):
            text = text[:start] + draw(st.sampled_from(PIECES)) + text[start:]
        else:
            text = text[:start] + text[start + draw(st.integers(1, 12)) :]
    return text


@settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(template=damaged(SOUND_TEMPLATE), data=damaged(SOUND_DATA))
def test_damaged_files(grounder: GroundingSession, template: str, data: str) -> None:
    """Whatever a file holds, it is grounded or refused with the place in every line."""
    try:
        rules = grounder.read_template(Source("t.pl", template.encode()))
        grounder.ground(rules, grounder.load(Source("d.pl", data.encode())))
    except LrnnError as error:
        for line in str(error).splitlines():
            assert re.match(r"[td]\.pl(:[1-9]\d*:[1-9]\d*)?: \S", line), line
            assert "error(" not in line


def test_files_of_the_current_folder_are_no_modules(tmp_path: Path) -> None:
    """A file called like a module of Python's library is not run when commands are called beside it."""
    for name in ("queue", "json", "signal", "resource", "pyswip", "readline"):
        (tmp_path / f"{name}.py").write_text(f"open('{name} was run', 'w')\n")
    (tmp_path / "t.pl").write_text("1.0 :: p :- q.\n")
    (tmp_path / "d.pl").write_text("q. query(p, 1).\n")
    lrnn = Path(sys.executable).parent / "lrnn"
    done = subprocess.run([lrnn, "predict", "t.pl", "d.pl"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.count("\n") == 2
    assert not list(tmp_path.glob("* was run"))


# Nothing of the current folder, the home or the environment reaches SWI-Prolog

CANARY = "open('{canary}', append, Stream), writeln(Stream, was_run), close(Stream)"
HOOKS = """:- multifile user:prolog_load_file/2, user:term_expansion/2.
:- dynamic user:prolog_load_file/2, user:term_expansion/2.
user:prolog_load_file(_, _) :- {canary}, fail.
user:term_expansion(_, _) :- {canary}, fail.
"""
INIT = ':- writeln(\'["1", ""]\').\n:- op(700, xfx, ===>).\n:- op(700, xfx, lrnn_syntax:(===>)).\n:- {canary}.\n'
LRNN = [str(Path(sys.executable).parent / "lrnn")]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders with saved states, init files and packs; whichever of them runs writes the file `canary`."""
    root = tmp_path_factory.mktemp("hostile")
    canary = CANARY.format(canary=root / "canary")
    (root / "hooks.pl").write_text(HOOKS.format(canary=canary))
    subprocess.run(["swipl", "-o", "state", "-c", "hooks.pl"], cwd=root, capture_output=True, check=True)
    for name in ("swipl.prc", ".prc", "boot.prc", "swipl"):
        (root / "here").mkdir(exist_ok=True)
        (root / "here" / name).write_bytes((root / "state").read_bytes())
    (root / "here" / "swipl").write_text(f"#!/bin/sh\necho was run >{root}/canary\n")
    (root / "here" / "swipl").chmod(0o755)
    (root / "here" / "operator.pl").write_text("q(a ===> b).\n")
    config = root / "home" / ".config" / "swi-prolog"
    config.mkdir(parents=True)
    for file in (config / "init.pl", root / "home" / ".swiplrc"):
        file.write_text(INIT.format(canary=canary))
    pack = root / "home" / ".local" / "share" / "swi-prolog" / "pack" / "lists"
    (pack / "prolog").mkdir(parents=True)
    (pack / "pack.pl").write_text("name(lists).\nversion('1.0.0').\ntitle('lists').\n")
    for folder in (pack / "prolog", config / "lib"):
        folder.mkdir(exist_ok=True)
        for name in ("lists", "apply", "error"):
            (folder / f"{name}.pl").write_text(f":- module({name}, []).\n:- {canary}.\n")
    # Each of them does run where SWI-Prolog takes it.
    for arguments, home in (["-x", "../state"], root), (["-q"], root / "home"):
        environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
        command = ["swipl", *arguments, "-g", "use_module(library(aggregate))", "-t", "halt"]
        subprocess.run(command, cwd=root / "here", env=environment, capture_output=True, check=True)
        (root / "canary").unlink()
    return root


SURROUNDINGS = {
    "current folder": {},
    "current folder in the path": {"PATH": f".:{os.environ['PATH']}", "LD_LIBRARY_PATH": "."},
    "home": {"HOME": "home"},
    "configuration": {"XDG_CONFIG_HOME": "home/.config", "XDG_CONFIG_DIRS": "home/.config"},
    "packs": {"XDG_DATA_HOME": "home/.local/share", "XDG_DATA_DIRS": "home/.local/share"},
    "home of SWI-Prolog": {"SWI_HOME_DIR": "here", "SWIPL": "here", "SWIPL_BOOT_FILE": "here/boot.prc"},
    "Python": {"PYTHONSTARTUP": "here/operator.pl", "PYTHONUSERBASE": "home"},
}


@pytest.mark.parametrize("changes", SURROUNDINGS.values(), ids=SURROUNDINGS)
def test_surroundings(changes: dict[str, str], hostile: Path) -> None:
    paths = {name: str(hostile / value) if (hostile / value).exists() else value for name, value in changes.items()}
    environment = {**os.environ, **paths}
    for command, code in (["doctor"], 0), (["check", "operator.pl"], 1):
        done = subprocess.run(
            [*LRNN, *command], cwd=hostile / "here", env=environment, capture_output=True, text=True, check=False
        )
        assert not (hostile / "canary").exists(), command
        assert done.returncode == code, done.stderr
    assert done.stderr.startswith("operator.pl:1:5: syntax error: ")


@pytest.mark.parametrize("line", ["ready", "1", '["1", ""]', "[]", "no end of line\r"])
def test_stray_output(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What else comes out of a worker is not taken for an answer."""
    stray = f"print({line!r}, end='' if {line!r}.endswith('\\r') else None, flush=True); "
    monkeypatch.setattr(process, "START", stray + process.START)
    with PrologProcess() as prolog:
        assert prolog.ask("version")["version"] >= 90000
        assert prolog.ask("data(0)", b"q(a).")["form"] == "single"


def test_worker_sees_nothing_else(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What a worker gets of Python's path and of the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", "relative", str(tmp_path), *sys.path])
    for name in ("PYTHONPATH", "SWI_HOME_DIR", "XDG_DATA_HOME", "LD_PRELOAD", "LC_MESSAGES"):
        monkeypatch.setenv(name, "here")
    assert not {"", "relative", str(tmp_path)} & set(process.module_path())
    assert str(Path(process.__file__).parents[2]) in process.module_path()
    assert process.worker_environment(tmp_path).keys() <= {*process.INHERITED, "HOME", "LC_CTYPE"}
    monkeypatch.setenv("LIBSWIPL_PATH", "there")
    assert {"LIBSWIPL_PATH", "SWI_HOME_DIR"} <= process.worker_environment(tmp_path).keys()

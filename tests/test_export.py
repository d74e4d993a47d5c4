"""`lrnn export`: programs that compute elsewhere what models compute here.

Prolog programs run in swipl, without anything of ours. Templates of PyNeuraLogic go through an interpreter in
`neuralogic_stand_in.py`, and through NeuraLogic itself where `make benchmark-peer` has installed it.
"""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from pathlib import Path
from typing import Any
from unittest import mock

import neuralogic_stand_in
import pytest
from conftest import Folder
from hypothesis import assume, given
from naive import Program
from test_semantics import expected_outputs, programs, tried

ROOT = Path(__file__).resolve().parents[1]
PEER = ROOT / "build" / "peer" / "bin" / "python"


def swipl(program: str, *data: str) -> subprocess.CompletedProcess[str]:
    command = shutil.which("swipl")
    assert command is not None, "SWI-Prolog is installed, but not its program"
    return subprocess.run([command, program, "--", *data], capture_output=True, text=True, encoding="utf-8")


def rows(text: str) -> list[list[str]]:
    return [line.split("\t") for line in text.splitlines()]


def program_rows(folder: Folder, model: str, data: str) -> tuple[list[list[str]], list[list[str]]]:
    """What the program of a model prints, and what `lrnn predict` does."""
    folder.write({"model.pl": model, "data.pl": data})
    assert folder.run("export", "model.pl", "-o", "program.pl").code == 0
    run = swipl("program.pl", "data.pl")
    assert (run.returncode, run.stderr) == (0, "")
    return rows(run.stdout), rows(folder.run("predict", "model.pl", "data.pl").stdout)


def check_program(folder: Folder, model: str, data: str) -> list[float]:
    """The program of a model and `lrnn predict` print the same, outputs to 1e-9; these outputs."""
    found, expected = program_rows(folder, model, data)
    assert found[0] == expected[0]
    assert [row[:3] for row in found] == [row[:3] for row in expected]
    outputs = [float(row[3]) for row in found[1:]]
    assert outputs == pytest.approx([float(row[3]) for row in expected[1:]], abs=1e-9)
    assert outputs
    return outputs


@tried(40)
@given(program=programs())
def test_random_programs_in_prolog(tmp_path_factory: pytest.TempPathFactory, program: Program) -> None:
    """All families, object identity, recursion, guards, negation, weighted facts and background clauses."""
    expected = expected_outputs(program)
    assume(expected is not None)
    path = tmp_path_factory.mktemp("export")
    (path / "model.pl").write_text(program.template_text())
    (path / "data.pl").write_text(program.data_text())
    assert Folder(path).run("export", str(path / "model.pl"), "-o", str(path / "program.pl")).code == 0
    run = swipl(str(path / "program.pl"), str(path / "data.pl"))
    assert (run.returncode, run.stderr) == (0, "")
    assert [float(row[3]) for row in rows(run.stdout)[1:]] == pytest.approx(expected, abs=1e-9)


def test_values_are_no_objects_in_prolog(folder: Folder) -> None:
    """With object identity three objects are different ones, but two of their numbers may be equal.

    Bodies of 3 facts of value 0.9526 each, sigm(3): a grounding is sigm(6 (3 * 0.9526 - 3 + 0.5)).
    """
    settings = "setting(object_identity, true).\nsetting(aggregation, sum).\n"
    model = settings + "1.0 :: p :- n(X, A), n(Y, B), n(Z, C), A > B, C >= A.\n"
    data = (
        "begin(model(1)). n(a, 2). n(b, 1). n(c, 2). query(p, 1). end(model(1)).\n"
        "begin(model(2)). n(a, 2). n(b, 2). n(c, 2). query(p, 0). end(model(2)).\n"
    )
    outputs = check_program(folder, model, data)
    fact = 1.0 / (1.0 + math.exp(-3.0))
    body = 1.0 / (1.0 + math.exp(-6.0 * (3.0 * fact - 2.5)))
    # The larger ones of b are a, with c for Z, and c, with a for Z.
    assert outputs == pytest.approx([1.0 / (1.0 + math.exp(-6.0 * (k * body - 0.5))) for k in (2, 0)], abs=1e-9)


def test_examples_without_a_query_in_prolog(folder: Folder) -> None:
    """They are asked for the targets of the model that have no arguments, as `lrnn predict` does."""
    model = (
        "0.7 :: latent_1_1(X) :- c(X).\n-1.5 :: 'Is active' :- bond(X, Y), latent_1_1(X).\n0.5 :: good(X) :- c(X).\n"
    )
    data = (
        "begin(model(1)). c(a). bond(a, b). end(model(1)).\n"
        "begin(model(2)). c(a). query(good(a), 0.5). end(model(2)).\n"
        "begin(model(3)). c(a). end(model(3)).\n"
    )
    assert len(check_program(folder, model, data)) == 3
    folder.write({"model.pl": "0.5 :: good(X) :- c(X).\n"})
    assert folder.run("export", "model.pl", "-o", "program.pl").code == 0
    run = swipl("program.pl", "data.pl")
    assert run.stderr == "data.pl: some examples have no query and get no output; add query(Atom). to them\n"
    assert [row[:3] for row in rows(run.stdout)] == [["example", "atom", "target"], ["2", "good(a)", "0.5"]]


def test_ensembles_in_prolog(folder: Folder) -> None:
    """The mean of members, each with settings and latent predicates of its own."""
    model = """
        begin(model(1)).
        setting(steepness, 2.5).
        0.7 :: latent_1_1(X) :- c(X).
        -1.5 :: active :- bond(X, Y), latent_1_1(X), latent_1_1(Y).
        end(model(1)).
        begin(model('Druhý')).
        setting(activation, sigmoid).
        setting(aggregation, sqrt).
        0.3 :: latent_1_1(X) :- o(X).
        2.0 :: active :- latent_1_1(X).
        end(model('Druhý')).
    """
    data = """
        linked(X, Y) :- bond(X, Y) ; bond(Y, X).
        begin(model('Ž 1')). c(a1). 0.4 :: c(a2). o(a3). bond(a1, a2). query(active, 1.0). end(model('Ž 1')).
        begin(model(2)). o(a1). o(a2). query(active, 0.0). query(linked(a1, a2), 0.0). end(model(2)).
        begin(model(3)). n(a1). query(active, 0.0). end(model(3)).
    """
    outputs = check_program(folder, model, data)
    # Nothing derives the last query: the mean of sigm(2.5 * -0.5) and sigm(0).
    assert outputs[-1] == pytest.approx((0.2227001388253089 + 0.5) / 2, abs=1e-12)


def test_classes_in_prolog(folder: Folder) -> None:
    """An ensemble whose first member knows a class that no rule derives for some queries: its sum is 0 there."""
    model = """
        begin(model(1)).
        setting(task, classes).
        0.7 :: latent_1_1(X) :- c(X).
        -1.5 :: kind(X, 'Big one') :- bond(X, Y), latent_1_1(Y).
        0.3 :: kind(X, small) :- c(X).
        0.2 :: kind(X, none) :- o(X), bond(X, Y).
        end(model(1)).
        begin(model(2)).
        setting(task, classes).
        setting(activation, sigmoid).
        2.0 :: kind(X, small) :- c(X).
        1.0 :: kind(X, 'Big one') :- o(X).
        0.0 :: kind(X, none) :- o(X).
        end(model(2)).
    """
    data = (
        "begin(model(1)). c(a). 0.4 :: c(b). o(d). bond(a, b). bond(d, a). query(kind(a), small). query(kind(d), none)."
    )
    data += " end(model(1)). begin(model(2)). n(a). query(kind(a)). end(model(2)).\n"
    found, expected = program_rows(folder, model, data)
    assert found[0] == expected[0] == ["example", "atom", "target", "class", "'Big one'", "none", "small"]
    for own, other in zip(found[1:], expected[1:], strict=True):
        assert own[:4] == other[:4]
        assert [float(cell) for cell in own[4:]] == pytest.approx([float(cell) for cell in other[4:]], abs=1e-12)
    # Nothing is known of the last one, so all sums are 0 in both.
    assert [float(cell) for cell in found[-1][4:]] == pytest.approx([1 / 3] * 3)


def test_numbers_in_prolog(folder: Folder) -> None:
    """boiling = 90 + 10 * sum; a fact is sigm(3), a rule of one or two of them sigm(6 (k sigm(3) - k + .5))."""
    settings = "setting(task, regression).\nsetting(center, 90.0).\nsetting(scale, 10.0).\nsetting(aggregation, sum).\n"
    model = settings + "0.5 :: boiling(X) :- p(X).\n-2.0 :: boiling(X) :- bond(X, Y), o(Y).\n"
    data = (
        "p(a). p(d). bond(a, b). bond(a, d). o(b). o(d). bond(d, a). query(boiling(a), 40.5). query(boiling(d), 95).\n"
    )
    outputs = check_program(folder, model, data)
    one, two = (1.0 / (1.0 + math.exp(-6.0 * (k / (1.0 + math.exp(-3.0)) - k + 0.5))) for k in (1, 2))
    assert outputs == pytest.approx([90.0 + 5.0 * one - 40.0 * two, 90.0 + 5.0 * one], abs=1e-9)


def test_names_in_prolog(folder: Folder) -> None:
    """Predicates that are Prolog's own, operators, quotes and data without blocks."""
    model = "0.9 :: 'Cíl'(X) :- length(X, Y), 'is it'(Y), append(X).\n0.2 :: 'Cíl'(Z) :- append(Z), Z \\== b.\n"
    data = "length(a, 'O\\'Neil').\n'is it'('O\\'Neil').\nappend(a).\nappend(b).\n"
    data += "query('Cíl'(a), 1.0).\nquery('Cíl'(b), 0).\n"
    check_program(folder, model, data)


def test_learned_model_in_prolog(folder: Folder) -> None:
    """Forty of the bundled molecules with a trained template."""
    molecules = ROOT / "datasets" / "molecules"
    blocks = (molecules / "molecules.pl").read_text().split("begin(model(")
    some = "begin(model(".join(blocks[:41])
    folder.write({"some.pl": some})
    folder.run("ground", str(molecules / "template.pl"), "some.pl", "-o", "g.npz")
    assert folder.run("train", "g.npz", "--epochs", "3", "-o", "model.pl").code == 0
    check_program(folder, folder.read("model.pl"), some)


def test_the_program_reads_and_runs_nothing_else(folder: Folder) -> None:
    """Directives of data are not run; without data the program says how it is called."""
    folder.write({"model.pl": "1.0 :: p :- q.\n", "data.pl": ":- shell('touch done').\nq.\nquery(p, 1.0).\n"})
    folder.run("export", "model.pl", "-o", "program.pl")
    swipl("program.pl", "data.pl")
    assert "done" not in folder.content()
    run = swipl("program.pl")
    assert run.returncode == 2
    assert "usage: swipl program.pl -- DATA..." in run.stderr


# PyNeuraLogic

FACTS = """\
begin(model(m1)). c(a1). c(a2). 0.6 :: o(a3). bond(a1, a2, 1). bond(a2, a1, 1). bond(a2, a3, 2.5). size(a1, 3).
size(a2, 3). query(active, 1.0). query(near(a1), 1.0). end(model(m1)).
begin(model(m2)). c(a1). o(a2). bond(a1, a2, 2). bond(a1, a1, 2). size(a1, 7). size(a2, 2).
query(active, 0.0). query(near(a1), 0.0). end(model(m2)).
"""
RULES = """\
0.53 :: latent_1_1(X) :- c(X).
-0.7 :: latent_1_1(X) :- o(X).
fixed(1.3) :: near(X) :- bond(X, Y, B), latent_1_1(Y).
-1.2 :: near(X) :- bond(X, Y, B), bond(Y, Z, C), latent_1_1(Z).
0.4 :: active :- near(X), latent_1_1(X).
1.7 :: active :- bond(X, Y, 2), latent_1_1(X).
0.9 :: active :- size(X, S), S >= 3, bond(X, Y, B), X \\== Y.
0.6 :: active :- size(X, S), size(Y, T), S >= T, c(X).
"""
SETTINGS = [
    "setting(activation, sigmoid).",
    "setting(activation, sigmoid).\nsetting(aggregation, sqrt).\nsetting(object_identity, true).",
    "setting(activation, lukasiewicz).",
    "setting(steepness, 2.5).\nsetting(offset, 0.2).\nsetting(aggregation, sqrt).\nsetting(object_identity, true).",
]
BIAS = "0.25 :: active.\n0.5 :: latent_1_1(a1).\n"


def atom_of(text: str) -> list[Any]:
    name, _, arguments = text.rstrip(")").partition("(")
    return [name, *(json.loads(part) if part[:1].isdigit() else part for part in arguments.split(", ") if part)]


def samples(data: str) -> list[tuple[list[Any], list[tuple[float, list[Any]]]]]:
    """Pairs of a query and facts with their values, of data without clauses."""
    found = []
    facts: list[tuple[float, list[Any]]] = []
    for clause in data.replace("\n", " ").split(". "):
        text = clause.strip().rstrip(".")
        weight, _, atom = text.rpartition(" :: ")
        if text.startswith("begin("):
            facts = []
        elif text.startswith("query("):
            found.append((atom_of(text[len("query(") :].rpartition(", ")[0]), facts))
        elif text and not text.startswith("end("):
            facts.append((float(weight or 1.0), atom_of(atom)))
    return found


def stand_in_outputs(template: str, data: str) -> list[float]:
    scope: dict[str, Any] = {}
    with mock.patch.dict("sys.modules", neuralogic_stand_in.module()):
        exec(compile(template, "template.py", "exec"), scope)
    outputs = []
    for query, facts in samples(data):
        given = [(tuple(atom), value) for value, atom in facts]
        outputs.append(neuralogic_stand_in.Interpreter(scope["template"], given).value(tuple(query)))
    return outputs


def exported_template(folder: Folder, model: str) -> tuple[str, list[float]]:
    """The template of a model, and what the model computes here."""
    folder.write({"model.pl": model, "data.pl": FACTS})
    outcome = folder.run("export", "model.pl", "--format", "neuralogic", "-o", "template.py")
    assert outcome.code == 0, outcome.stderr
    expected = [float(row[3]) for row in rows(folder.run("predict", "model.pl", "data.pl").stdout)[1:]]
    return folder.read("template.py"), expected


@pytest.mark.parametrize("settings", SETTINGS)
def test_neuralogic_template(folder: Folder, settings: str) -> None:
    """Steepness, offset and the root of the number of groundings are weights and relations of the template."""
    model = f"{settings}\n{RULES}"
    if "sigmoid" not in settings:
        model += BIAS
    template, expected = exported_template(folder, model)
    assert stand_in_outputs(template, FACTS) == pytest.approx(expected, abs=1e-9)


def test_facts_of_sigmoid_templates(folder: Folder) -> None:
    """A predicate of facts alone has their sum for a value."""
    model = "setting(activation, sigmoid).\n0.5 :: always.\n0.7 :: active :- always, c(X).\n1.0 :: near(X) :- c(X).\n"
    template, expected = exported_template(folder, model)
    assert stand_in_outputs(template, FACTS) == pytest.approx(expected, abs=1e-9)


@pytest.mark.skipif(not PEER.exists(), reason="NeuraLogic is not installed")
@pytest.mark.parametrize("settings", SETTINGS)
def test_neuralogic_itself(folder: Folder, settings: str) -> None:
    template, expected = exported_template(folder, f"{settings}\n{RULES}" + ("" if "sigmoid" in settings else BIAS))
    folder.write({"template.py": template, "samples.json": json.dumps(samples(FACTS))})
    command = [str(PEER), str(ROOT / "tests" / "run_neuralogic.py"), "template.py", "samples.json"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=folder.path)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout.splitlines()[-1]) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("_ :: p :- q.", "model.pl:1:1: this rule has no weight; train the template before it is exported"),
        ("1.0 :: p :- q, \\+ r.", "model.pl:1:1: NeuraLogic has no negation of crisp atoms: "),
        ("1.0 :: p(Y) :- q(X), Y is X + 1.", "model.pl:1:1: NeuraLogic has no built-in for "),
        ("1.0 :: 'P' :- q.", "model.pl:1:1: NeuraLogic can't have a predicate called 'P'/0; rename it"),
        ("1.0 :: p :- q('A b').", "model.pl:1:1: NeuraLogic can't have the constant 'A b'; rename it"),
        ("1.0 :: p__holds :- q.", "model.pl:1:1: NeuraLogic can't have a predicate called p__holds/0"),
        (
            "setting(activation, sigmoid).\n1.0 :: p :- q.\n0.5 :: p.",
            "model.pl:3:1: NeuraLogic has one function for all",
        ),
        (
            "begin(model(1)).\n1.0 :: p :- q.\nend(model(1)).\nbegin(model(2)).\n1.0 :: p :- q.\nend(model(2)).",
            "NeuraLogic has no mean of several models",
        ),
    ],
)
def test_what_neuralogic_does_not_have(folder: Folder, model: str, message: str) -> None:
    folder.write({"model.pl": model})
    outcome = folder.run("export", "model.pl", "--format", "neuralogic", "-o", "template.py")
    assert (outcome.code, outcome.stdout) == (1, "")
    assert message in outcome.stderr
    assert "template.py" not in folder.content()

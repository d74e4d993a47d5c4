"""Queries without targets: who takes them, who leaves them out and says so, and who asks for itself."""

from __future__ import annotations

import json

import numpy as np
import pytest
from conftest import Folder

from lrnn_cli.api import Example, Session, evaluate, learn, predict
from lrnn_cli.grounding.groundings import load_groundings

MODEL = "0.1 :: p.\n0.7 :: p :- q(X), r(X).\n"
SOME = """\
begin(model(a)). q(a). r(a). query(p). end(model(a)).
begin(model(b)). q(a). r(b). query(p, 0). end(model(b)).
begin(model(c)). q(a). r(a). query(p, 1). end(model(c)).
"""
NONE = SOME.replace(" query(p).", "").replace(" query(p, 0).", "").replace(" query(p, 1).", "")
LABELLED = SOME.replace(" query(p).", "")
TRUE = 1 / (1 + np.exp(-6 * (0.1 + 0.7 / (1 + np.exp(-6 * (2 / (1 + np.exp(-3)) - 1 - 0.5))) - 0.5)))
FALSE = 1 / (1 + np.exp(-6 * (0.1 - 0.5)))


def rows(text: str) -> list[list[str]]:
    return [line.split("\t") for line in text.splitlines()[1:]]


@pytest.mark.parametrize("data", ["some.pl", "none.pl"])
def test_outputs_without_targets(data: str, folder: Folder) -> None:
    """The output is that of the formula; the target is empty where there is none."""
    folder.write({"model.pl": MODEL, "some.pl": SOME, "none.pl": NONE})
    outcome = folder.run("predict", "model.pl", data)
    assert outcome.stderr == ""
    found = rows(outcome.stdout)
    targets = ["", "0.0", "1.0"] if data == "some.pl" else ["", "", ""]
    assert [row[:3] for row in found] == [[name, "p", target] for name, target in zip("abc", targets, strict=True)]
    assert [float(row[3]) for row in found] == pytest.approx([TRUE, FALSE, TRUE])


def test_examples_without_a_query_beside_others(folder: Folder) -> None:
    """They are asked for the target of the model where it has no arguments; where it has some, it is said."""
    folder.write({"model.pl": MODEL, "some.pl": SOME.replace(" query(p).", "")})
    outcome = folder.run("predict", "model.pl", "some.pl")
    assert outcome.stderr == ""
    found = rows(outcome.stdout)
    assert [row[:3] for row in found] == [["a", "p", ""], ["b", "p", "0.0"], ["c", "p", "1.0"]]
    assert [float(row[3]) for row in found] == pytest.approx([TRUE, FALSE, TRUE])
    assert json.loads(folder.run("evaluate", "model.pl", "some.pl", "--json").stdout)["queries"] == 2
    assert folder.run("explain", "model.pl", "some.pl", "--example", "a").stdout.startswith("a: p\noutput 0.8116\n")

    two = "begin(model(a)). q(a). query(p(a), 1). end(model(a)).\nbegin(model(b)). q(b). end(model(b)).\n"
    folder.write({"model.pl": "0.7 :: p(X) :- q(X).\n", "some.pl": two})
    outcome = folder.run("predict", "model.pl", "some.pl")
    assert [row[:2] for row in rows(outcome.stdout)] == [["a", "p(a)"]]
    assert outcome.stderr == "1 of 2 examples have no query and get no output; ask with --target p/1\n"


@pytest.mark.parametrize("grounder", ["swi", "duckdb"])
def test_ensembles_ask_for_the_targets_of_all_members(grounder: str, folder: Folder) -> None:
    model = f"begin(model(1)).\n{MODEL}end(model(1)).\nbegin(model(2)).\n0.2 :: p.\nend(model(2)).\n"
    folder.write({"model.pl": model, "none.pl": NONE})
    found = rows(folder.run("predict", "model.pl", "none.pl", "--grounder", grounder).stdout)
    other = 1 / (1 + np.exp(-6 * (0.2 - 0.5)))
    assert [float(row[3]) for row in found] == pytest.approx([(value + other) / 2 for value in (TRUE, FALSE, TRUE)])


def test_evaluation_is_of_labelled_queries(folder: Folder) -> None:
    folder.write({"model.pl": MODEL, "some.pl": SOME, "labelled.pl": LABELLED})
    outcome = folder.run("evaluate", "model.pl", "some.pl")
    assert outcome.stderr == "1 of 3 queries have no target and are left out\n"
    assert outcome.stdout == folder.run("evaluate", "model.pl", "labelled.pl").stdout
    assert folder.run("evaluate", "model.pl", "some.pl", "--quiet").stderr == ""


def many(unlabelled: bool) -> str:
    """p is true where an object is both q and r; every third example has no target, or no query."""
    blocks = []
    for number in range(36):
        query = f"query(p, {number % 2})." if number % 3 else "query(p)." if unlabelled else ""
        blocks.append(f"begin(model(m{number})). q(a). r({'ba'[number % 2]}). {query} end(model(m{number})).\n")
    return "".join(blocks)


@pytest.mark.parametrize(
    "command",
    [("learn-structure", "--iterations", "1", "--conjunctions", "5"), ("baseline", "nfoil")],
    ids=lambda command: command[0],
)
def test_learning_is_from_labelled_queries(command: tuple[str, ...], folder: Folder) -> None:
    """The rules and weights are those without the other queries."""
    folder.write({"some.pl": many(True), "labelled.pl": many(False)})
    found = folder.run(*command, "some.pl")
    assert found.code == 0
    assert found.stderr.startswith("12 of 36 queries have no target and are left out\n")
    expected = folder.run(*command, "labelled.pl")
    assert found.stdout.replace("some.pl", "labelled.pl") == expected.stdout


def test_groundings_keep_queries_without_targets(folder: Folder) -> None:
    """Training leaves them out and says so; the weights are those without them."""
    folder.write({"template.pl": MODEL, "some.pl": SOME, "labelled.pl": LABELLED})
    folder.run("ground", "template.pl", "some.pl", "-o", "some.npz")
    folder.run("ground", "template.pl", "labelled.pl", "-o", "labelled.npz")
    assert np.isnan(load_groundings("some.npz").queries.target).tolist() == [True, False, False]
    trained = folder.run("train", "some.npz", "--epochs", "5")
    assert trained.stderr.startswith("1 of 3 queries have no target and are left out\n")
    rules = [line for line in trained.stdout.splitlines() if "::" in line]
    expected = folder.run("train", "labelled.npz", "--epochs", "5").stdout
    assert rules == [line for line in expected.splitlines() if "::" in line]
    assert "3 queries" in folder.run("show", "some.npz").stdout


def test_simplification_is_on_labelled_queries(folder: Folder) -> None:
    folder.write({"model.pl": MODEL, "some.pl": SOME, "labelled.pl": LABELLED})
    some, labelled = (folder.run("simplify", "model.pl", name).stdout for name in ("some.pl", "labelled.pl"))
    assert some.replace("some.pl", "labelled.pl") == labelled


@pytest.mark.parametrize(
    "command",
    [("evaluate", "model.pl"), ("learn-structure",), ("simplify", "model.pl"), ("baseline", "nfoil")],
    ids=lambda command: command[0],
)
def test_commands_that_need_targets(command: tuple[str, ...], folder: Folder) -> None:
    """No query at all, and none with a target, are one line each."""
    folder.write({"model.pl": MODEL, "none.pl": NONE, "without.pl": NONE.replace("q(a).", "q(a). query(p).")})
    nothing = folder.run(*command, "none.pl")
    assert (nothing.code, nothing.stdout) == (1, "")
    assert nothing.stderr.endswith(
        "none.pl: there is no query in these data; add query(Atom, Target). to the examples\n"
    )
    without = folder.run(*command, "without.pl")
    assert (without.code, without.stdout) == (1, "")
    assert without.stderr == (
        "without.pl: no query has a target here, and this command needs some: query(Atom, Target). "
        "`lrnn predict` gives outputs without one\n"
    )


def test_explanations_and_drawings_without_targets(folder: Folder) -> None:
    folder.write({"model.pl": MODEL, "none.pl": NONE, "some.pl": SOME})
    for data in ("none.pl", "some.pl"):
        text = folder.run("explain", "model.pl", data, "--example", "a").stdout
        assert text.startswith(f"a: p\noutput {TRUE:.4f}\n\n")
        assert (
            json.loads(folder.run("explain", "model.pl", data, "--example", "a", "--json").stdout)["explanations"][0][
                "targets"
            ]
            == []
        )
        assert f"a: p, output {TRUE:.4f}\\n" in folder.run("draw", "model.pl", data, "--example", "a").stdout
    assert "output 0.0832, target 0\n" in folder.run("explain", "model.pl", "some.pl", "--example", "b").stdout


def test_check_counts_queries_without_targets(folder: Folder) -> None:
    folder.write({"some.pl": SOME, "none.pl": NONE})
    target = json.loads(folder.run("check", "some.pl", "--json").stdout)["targets"][0]
    assert (target["queries"], target["without target"], target["positive"]) == (3, 1, 1)
    assert "0: 1, 1: 1, none: 1" in folder.run("check", "some.pl").stdout
    assert folder.run("check", "none.pl").code == 0


# Questions with arguments

ADVISORS = """\
setting(object_identity, true).
0.7 :: advisedby(X, Y) :- leads(Y), wrote(X, P), wrote(Y, P).
0.3 :: leads(Y) :- professor(Y).
"""
PEOPLE = """\
begin(model('Dept 1')).
professor('Ann B.'). student(bob). student(c). wrote('Ann B.', t1). wrote(bob, t1). wrote(c, t2). year(t1, 1999).
query(advisedby(bob, 'Ann B.'), 1.0). query(tenured(c), 0.0).
end(model('Dept 1')).
begin(model(2)).
professor(d). student(e). wrote(d, t3).
end(model(2)).
"""


@pytest.mark.parametrize("grounder", ["swi", "duckdb"])
def test_all_pairs_that_fit(grounder: str, folder: Folder) -> None:
    """People with people, not with papers or years; targets of the data are kept; other examples are asked too."""
    folder.write({"model.pl": ADVISORS, "people.pl": PEOPLE})
    found = rows(
        folder.run("predict", "model.pl", "people.pl", "--target", "advisedby/2", "--grounder", grounder).stdout
    )
    first = ["'Ann B.'", "bob", "c"]
    pairs = [("'Dept 1'", x, y) for x in first for y in first if x != y] + [("2", "d", "e"), ("2", "e", "d")]
    expected = [[name, f"advisedby({x}, {y})"] for name, x, y in pairs]
    assert sorted(row[:2] for row in found) == sorted(expected)
    assert {tuple(row[1:3]) for row in found if row[2]} == {("advisedby(bob, 'Ann B.')", "1.0")}
    outputs = {row[1]: row[3] for row in found}
    derived = outputs.pop("advisedby(bob, 'Ann B.')")
    assert float(derived) > max(map(float, outputs.values()))


def test_sorts_of_questions_can_be_declared(folder: Folder) -> None:
    bias = "bias(student(student)). bias(professor(professor)). bias(advisedby(student, professor)).\n"
    folder.write({"model.pl": ADVISORS, "people.pl": bias + PEOPLE})
    found = rows(folder.run("predict", "model.pl", "people.pl", "--target", "advisedby/2").stdout)
    assert [row[1] for row in found] == ["advisedby(bob, 'Ann B.')", "advisedby(c, 'Ann B.')", "advisedby(e, d)"]


def test_rules_of_weight_0_tell_no_sort(folder: Folder) -> None:
    """A learned latent predicate has rules for papers, too, where it was asked of people only."""
    people = PEOPLE.replace("year(t1, 1999).", "paper(t1). paper(t2).")
    folder.write({"model.pl": ADVISORS + "0.0 :: leads(X) :- paper(X).\n", "people.pl": people})
    found = rows(folder.run("predict", "model.pl", "people.pl", "--target", "advisedby/2").stdout)
    assert len(found) == 3 * 2 + 2
    assert not any(paper in row[1] for row in found for paper in ("t1", "t2"))


def test_explain_asks_with_arguments(folder: Folder) -> None:
    folder.write({"model.pl": ADVISORS, "people.pl": PEOPLE})
    options = ("--example", "2", "--target", "advisedby/2", "--query", "advisedby(e, d)")
    outcome = folder.run("explain", "model.pl", "people.pl", *options)
    assert outcome.stdout.startswith("2: advisedby(e, d)\noutput ")
    missing = folder.run("explain", "model.pl", "people.pl", "--example", "2")
    assert missing.code == 1
    assert (
        "people.pl:5:1: example 2 has no query; choose another one, add query(Atom). to it, or ask with"
        in missing.stderr
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "people.pl: there is no query in these data; add query(Atom). to the examples, or ask for all that fits "
             "with --target advisedby/2\n"),
        (("--target", "advised_by/2"), "model.pl: the model does not define advised_by/2; did you mean advisedby/2?\n"),
        (("--target", "x"), "model.pl: the model does not define x; its targets are advisedby/2\n"),
    ],
)  # fmt: skip
def test_faults_of_questions(arguments: tuple[str, ...], message: str, folder: Folder) -> None:
    folder.write({"model.pl": ADVISORS, "people.pl": "professor(a). student(b)."})
    outcome = folder.run("predict", "model.pl", "people.pl", *arguments)
    assert (outcome.code, outcome.stdout, outcome.stderr) == (1, "", message)


def test_too_many_questions(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lrnn_cli.evaluation.questions.MOST_ATOMS", 12)
    folder.write({"model.pl": ADVISORS, "people.pl": PEOPLE})
    outcome = folder.run("predict", "model.pl", "people.pl", "--target", "advisedby/2")
    assert outcome.code == 1
    assert "people.pl: 13 atoms of advisedby/2 fit by their sorts, and 12 is the limit" in outcome.stderr


# Faults of queries


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("query(X).", "the query is a variable; write query(Atom, Target) with a ground atom"),
        ("query(p(X)).", "is not ground; ask one query for each object"),
        ("query(3).", "3"),
    ],
)
def test_faults_of_queries_without_targets(query: str, message: str, folder: Folder) -> None:
    folder.write({"model.pl": MODEL, "data.pl": f"begin(model(a)).\nq(a).\n{query}\nend(model(a)).\n"})
    outcome = folder.run("predict", "model.pl", "data.pl")
    assert outcome.code == 1
    assert outcome.stderr.startswith("data.pl:3:1: ")
    assert message in outcome.stderr


def test_summaries_leave_out_what_has_no_target(folder: Folder) -> None:
    folder.write({"model.pl": MODEL, "some.pl": SOME, "none.pl": NONE})
    for name in ("some", "none"):
        (folder.path / name).mkdir()
        folder.run("predict", "model.pl", f"{name}.pl", "-o", f"{name}/predictions.tsv")
    summary = json.loads(folder.run("summarise", "some", "--json").stdout)
    assert summary["pooled"]["queries"] == 2
    assert "there is no prediction with a target" in folder.run("summarise", "none").stderr


def test_queries_without_targets_in_python() -> None:
    """Learning leaves them out, also when the session is closed, and says so; examples may ask without a target."""
    notes: list[str] = []
    with Session(note=notes.append) as session:
        data = session.read_text(many(unlabelled=True)).in_memory()
        model = session.model_of_text(MODEL)
        asked = session.read_examples([Example("q(a). r(a).", [("p", None)]), Example("q(a). r(b).", [("p", 0.0)])])
        predictions = predict(model, asked)
        assert evaluate(model, asked).values["queries"] == 1
    assert predictions.output.tolist() == pytest.approx([TRUE, FALSE])
    assert np.isnan(predictions.target).tolist() == [True, False]
    assert notes == ["1 of 2 queries have no target and are left out"]
    learned = learn(data, conjunctions=0, iterations=1).model.text()
    assert notes[1] == "12 of 36 queries have no target and are left out"
    with Session() as session:
        labelled = session.read_text(many(unlabelled=False))
        assert learn(labelled, conjunctions=0, iterations=1).model.text() == learned

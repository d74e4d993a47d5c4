"""Ensembles: several models in one file, whose output is the mean of theirs."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterator

import pytest
from conftest import Folder

from lrnn_cli.engine.process import PrologProcess
from lrnn_cli.errors import ReadError
from lrnn_cli.grounding.reading.templates import read_model, read_template
from lrnn_cli.language.clauses import Atom, Rule
from lrnn_cli.language.files import Source
from lrnn_cli.language.template import Settings, Template
from lrnn_cli.network.model import Model

DATA = """
begin(model(m)).
q(a). q(b). r(b).
query(p(a), 1.0). query(p(b), 0.0).
end(model(m)).
begin(model(n)).
r(c).
query(p(c), 1.0).
end(model(n)).
"""
FIRST = "1.0 :: p(X) :- q(X).\n"
SECOND = "setting(activation, sigmoid).\n-0.5 :: p(X) :- r(X).\n2.0 :: p(a).\n"
ENSEMBLE = f"begin(model(1)).\n{FIRST}end(model(1)).\n\nbegin(model(2)).\n{SECOND}end(model(2)).\n"


def sigm(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x))


# The first member, a = 6 and b0 = -0.5: a fact is sigm(3), the rule neuron of one body atom sigm(6 * (sigm(3) - 0.5)),
# the atom sigm(6 * (w * rule - 0.5)); p(c) is not derived and gives sigm(-3).
# The second, of the family sigmoid: a fact is 1, the rule neuron sigm(1), the atom sigm(w * sigm(1)); p(a) has a fact
# only, so its value is the weight.
RULE = sigm(6 * (sigm(3) - 0.5))
OUTPUT = {
    "p(a)": (sigm(6 * (RULE - 0.5)) + 2.0) / 2,
    "p(b)": (sigm(6 * (RULE - 0.5)) + sigm(-0.5 * sigm(1))) / 2,
    "p(c)": (sigm(-3) + sigm(-0.5 * sigm(1))) / 2,
}


def rows(table: str) -> dict[str, float]:
    lines = [line.split("\t") for line in table.splitlines()[1:]]
    return {atom: float(output) for _, atom, _, output in lines}


@pytest.fixture(scope="module")
def prolog() -> Iterator[PrologProcess]:
    with PrologProcess() as process:
        yield process


def test_prediction_is_the_mean(folder: Folder) -> None:
    folder.write({"e.pl": ENSEMBLE, "d.pl": DATA})
    assert rows(folder.run("predict", "e.pl", "d.pl").stdout) == pytest.approx(OUTPUT, abs=1e-12)


def test_prediction_is_the_mean_of_the_members_predictions(folder: Folder) -> None:
    folder.write({"e.pl": ENSEMBLE, "1.pl": FIRST, "2.pl": SECOND, "d.pl": DATA})
    first, second, both = (rows(folder.run("predict", name, "d.pl").stdout) for name in ("1.pl", "2.pl", "e.pl"))
    assert both == pytest.approx({atom: (first[atom] + second[atom]) / 2 for atom in first}, abs=1e-15)


def test_one_member_in_a_block_is_a_model(folder: Folder) -> None:
    folder.write({"e.pl": f"begin(model(x)).\n{FIRST}end(model(x)).\n", "1.pl": FIRST, "d.pl": DATA})
    assert folder.run("predict", "e.pl", "d.pl") == folder.run("predict", "1.pl", "d.pl")
    assert folder.run("ground", "e.pl", "d.pl", "-o", "g.npz").code == 0


def test_options_override_the_settings_of_all_members(folder: Folder) -> None:
    folder.write({"e.pl": ENSEMBLE, "d.pl": DATA})
    found = rows(folder.run("predict", "e.pl", "d.pl", "--activation", "sigmoid").stdout)
    assert found["p(b)"] == pytest.approx((sigm(sigm(1)) + sigm(-0.5 * sigm(1))) / 2, abs=1e-12)


def test_part_of_the_data(folder: Folder) -> None:
    """A fold is chosen once, for all members."""
    data = DATA.replace("begin(model(m)).", "begin(model(m)). fold(1).").replace("r(c).", "r(c). fold(2).")
    folder.write({"e.pl": ENSEMBLE, "d.pl": data})
    assert rows(folder.run("predict", "e.pl", "d.pl", "--fold", "2").stdout) == pytest.approx({"p(c)": OUTPUT["p(c)"]})


def test_evaluation(folder: Folder) -> None:
    folder.write({"e.pl.gz": gzip.compress(ENSEMBLE.encode()), "d.pl": DATA})
    metrics = json.loads(folder.run("evaluate", "e.pl.gz", "d.pl", "--json").stdout)
    targets = {"p(a)": 1.0, "p(b)": 0.0, "p(c)": 1.0}
    squared = [(OUTPUT[atom] - target) ** 2 for atom, target in targets.items()]
    assert metrics["squared_loss"] == pytest.approx(sum(squared) / 3, abs=1e-12)


def test_evaluation_of_each_member(folder: Folder) -> None:
    """What `evaluate` says of a member is what it says of its file; one model has no members."""
    folder.write({"e.pl": ENSEMBLE, "1.pl": FIRST, "2.pl": SECOND, "d.pl": DATA})
    alone = [json.loads(folder.run("evaluate", name, "d.pl", "--json").stdout) for name in ("1.pl", "2.pl")]
    assert all("members" not in metrics for metrics in alone)
    members = json.loads(folder.run("evaluate", "e.pl", "d.pl", "--json").stdout)["members"]
    assert [member["squared_loss"] for member in members] == [metrics["squared_loss"] for metrics in alone]
    lines = folder.run("evaluate", "e.pl", "d.pl").stdout.splitlines()
    # The first gives p(a) .88 and p(b) .88, of which one is right, and p(c) .05, the second 2, .42 and .42.
    assert [line.split()[:2] for line in lines[-4:]] == [
        ["member", "accuracy"],
        ["1", "0.3333"],
        ["2", "0.6667"],
        ["mean", "0.5000"],
    ]


def test_show(folder: Folder) -> None:
    folder.write({"e.pl": ENSEMBLE})
    lines = folder.run("show", "e.pl").stdout.splitlines()
    assert lines[:5] == [
        "e.pl: an ensemble of 2 models, its output is the mean of theirs",
        "",
        "model  rules  target rules  average length  layers",
        "1          1             1            1.00       1",
        "2          2             1            1.00       1",
    ]
    assert "e.pl, model 1: 1 rules, 1 layers" in lines
    second = lines[lines.index("e.pl, model 2: 2 rules, 1 layers") :]
    assert second[-2:] == ["  2.0 :: p(a).", "  -0.5 :: p(X) :- r(X)."]
    assert "setting(activation, sigmoid)." in second


def test_ground_refuses_an_ensemble(folder: Folder) -> None:
    folder.write({"e.pl": ENSEMBLE, "d.pl": DATA})
    outcome = folder.run("ground", "e.pl", "d.pl", "-o", "g.npz")
    assert outcome.code == 1
    assert outcome.stderr == (
        "e.pl:1:1: this file is an ensemble of 2 models, and one is wanted here; copy what stands between one "
        "begin(model(_)) and its end(model(_)) into a file of its own\n"
    )
    assert set(folder.content()) == {"e.pl", "d.pl"}


def test_warnings_are_shown_once(folder: Folder) -> None:
    """Members that lack the same predicate of the data give one line each; a line is never repeated."""
    member = "1.0 :: p(X) :- q(X).\n1.0 :: p(X) :- z(X).\n"
    folder.write({"e.pl": f"begin(model(1)).\n{member}end(model(1)).\nbegin(model(2)).\n{member}end(model(2)).\n"})
    folder.write({"d.pl": DATA})
    warnings = folder.run("predict", "e.pl", "d.pl").stderr.splitlines()
    assert [line.split(": ")[1] for line in warnings] == ["e.pl:3:1", "e.pl:7:1"]


FAULTS = {
    "unclosed": (
        f"begin(model(1)).\n{FIRST}",
        ":1:1: model 1 is not closed; add end(model(1)). after its last rule",
    ),
    "nested": (
        f"begin(model(1)).\n{FIRST}begin(model(2)).\n{FIRST}end(model(2)).\nend(model(1)).\n",
        ":3:1: model 2 begins inside model 1 of line 1; add end(model(1)). before it",
        ":6:1: end(model(1)) without its begin(model(1)); delete it or add the begin",
    ),
    "other name": (
        f"begin(model(1)).\n{FIRST}end(model(2)).\n",
        ":3:1: end(model(2)) closes model 1 of line 1; the names must be the same",
    ),
    "rule outside": (f"{ENSEMBLE}{FIRST}", ":10:1: the rule for p(X) stands outside all models; move it into one"),
    "setting outside": (
        f"setting(offset, 0.1).\n{ENSEMBLE}",
        ":1:1: a setting outside all models; write it inside each model that it is for",
    ),
    "repeated name": (
        f"begin(model('ü')).\n{FIRST}end(model('ü')).\n  begin(model(ü)).\n{FIRST}end(model(ü)).\n",
        ":4:3: model ü was already defined in line 1; give each model a name of its own",
    ),
    "empty block": (
        f"{ENSEMBLE}begin(model(3)).\nend(model(3)).\n",
        ":10:1: there is no rule in model 3; write `_ :: head :- body.`",
    ),
    "settings only": (
        "begin(model(3)).\nsetting(offset, 0.1).\nend(model(3)).\n",
        ":1:1: there is no rule in model 3; write `_ :: head :- body.`",
    ),
    "setting given twice in one member": (
        f"begin(model(1)).\nsetting(offset, 1). setting(offset, 1).\n{FIRST}end(model(1)).\n",
        ":2:21: setting offset was already given in line 2; delete one",
    ),
    "faults of several members": (
        "begin(model(1)).\n_ :: p(X) :- q(Y).\nend(model(1)).\nbegin(model(2)).\nx :: p.\nend(model(2)).\n",
        ":2:1: unsafe rule: the head variable X does not occur in an atom of the body; add one that binds it",
        ":5:1: the weight x is not a finite number; write a number, `_` or fixed(Number)",
    ),
    "rule without weight": (
        "begin(model(1)).\nsetting(offset, 1).\np.\nend(model(1)).\n",
        ":3:1: the fact p has no weight; write `_ ::` before it to learn one, `fixed(1.0) ::` to fix it, "
        "or move it to the data",
    ),
    "weight to be drawn": (
        f"{ENSEMBLE}begin(model(3)).\n_ :: p(a).\nend(model(3)).\n",
        ":11:1: the rule for p(a) has no weight; train the template first with `lrnn ground` and `lrnn train`",
    ),
    "data": (DATA, ":2:1: an example begins here, so this is a data file; the template comes first, then the data"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault(name: str, folder: Folder) -> None:
    text, *messages = FAULTS[name]
    folder.write({"e.pl": text, "d.pl": DATA})
    outcome = folder.run("predict", "e.pl", "d.pl", "-o", "out.tsv")
    assert outcome.stderr.splitlines() == [f"e.pl{message}" for message in messages]
    assert (outcome.code, outcome.stdout) == (1, "")
    assert not (folder.path / "out.tsv").exists()


def test_same_setting_in_two_members(prolog: PrologProcess) -> None:
    text = f"begin(model(1)). setting(offset, 1). {FIRST} end(model(1)). begin(model(2)). setting(offset, 2). {FIRST}"
    members = read_model(Source("e.pl", f"{text} end(model(2)).".encode()), prolog)
    assert [member.settings.offset for member in members] == [1.0, 2.0]


@pytest.mark.parametrize("names", [("1", "2"), ("'B c'", "f(x,1.0)"), ("", "")])
def test_what_is_written_is_read_back(names: tuple[str, str], prolog: PrologProcess) -> None:
    rules = (Rule(Atom("p"), (Atom("q"),), weight=0.1), Rule(Atom("p"), weight=1e-300, fixed=True))
    members = (
        Template(rules, Settings(activation="sigmoid"), "e.pl", member=names[0]),
        Template(rules[:1], name="e.pl", member=names[1]),
    )
    text = Model(members, ("ü", "end(model(1)).")).text()
    assert text.startswith("% ü\n% end(model(1)).\n\nbegin(model(")
    found = read_model(Source("e.pl", text.encode()), prolog)
    assert [member.rules for member in found] == [rules, rules[:1]]
    assert [member.settings for member in found] == [member.settings for member in members]
    assert [member.member for member in found] == [name or str(number) for number, name in enumerate(names, 1)]


def test_one_model_without_a_name_is_written_without_blocks(prolog: PrologProcess) -> None:
    model = Template((Rule(Atom("p"), weight=0.1),), name="e.pl")
    text = Model((model,), ("comment",)).text()
    assert text == model.text(("comment",))
    assert read_template(Source("e.pl", text.encode()), prolog) == model
    assert "begin(model(a))." in Model((Template(model.rules, member="a"),)).text()


def test_names_are_numbers_unless_all_are_given(prolog: PrologProcess) -> None:
    """A number that is given as a name must not collide with one that is not."""
    model = Template((Rule(Atom("p"), weight=0.1),))
    text = Model((model, Template(model.rules, member="1"))).text()
    assert [member.member for member in read_model(Source("e.pl", text.encode()), prolog)] == ["1", "2"]


def test_ensemble_is_no_template(prolog: PrologProcess) -> None:
    with pytest.raises(ReadError, match=r"e\.pl:1:1: this file is an ensemble of 2 models"):
        read_template(Source("e.pl", ENSEMBLE.encode()), prolog)

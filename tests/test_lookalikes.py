"""Files of another kind: one line that says what they look like and which command takes them."""

from __future__ import annotations

import pytest
from conftest import Folder

TAKES = "`lrnn import` makes data of such"
TABLE = "this looks like a table, its cells separated by {}, not like Prolog facts; " + TAKES + " files"
CASES = {
    "CSV": ("name,age,class\nann,3,yes\nbob,4,no\n", f":1:1: {TABLE.format('commas')}"),
    "CSV of Windows": ("\r\nname;age\r\nann;3\r\nbob;4\r\n", f":2:1: {TABLE.format('semicolons')}"),
    "triples": ("a\tr\tb\nž\tr\tc\n", f":1:1: {TABLE.format('tabs')}"),
    "Aleph": (
        "% animals\n:- modeh(1, class(+animal)).\n:- modeb(1, has_milk(+animal)).\nhas_milk(dog).\n",
        f":2:1: this looks like modes of Aleph, not facts; {TAKES} files together",
    ),
    "Popper": (
        "max_vars(4).\nhead_pred(f,1).\ntype(f,(train,)).\n",
        f":2:1: this looks like the bias of Popper, not facts; {TAKES} folders",
    ),
    "answer sets": (
        "q(a).\n  #covering\nq(b).\n",
        ":2:3: this looks like a directive of an answer set program, not a fact; facts are Prolog, p(a)., and "
        f"{TAKES} folders of Popper",
    ),
    "comments": (
        "q(a).\n# the second part\nq(b).\n",
        ":2:1: this looks like a comment of another language; in Prolog % begins a comment",
    ),
    "slashes": (
        "// facts\nq(a).\n",
        ":1:1: this looks like a comment of another language; in Prolog % begins a comment",
    ),
    "srlearn": (
        "setParam: maxTreeDepth=3.\nmode: crim(+id, #v).\nx y.\n",
        f":1:1: this looks like the background of srlearn, not facts; {TAKES} folders",
    ),
    "NeuraLogic": (
        "<1.0> parent(a, b), <0.5> parent(b, c).\n",
        f":1:1: this looks like a weighted fact of NeuraLogic; {TAKES} files, and here it is written 0.5 :: fact.",
    ),
    "NeuraLogic queries": (
        "1.0 eastbound.\n0.0 eastbound.\n",
        f":1:1: this looks like a line of NeuraLogic; {TAKES} files, and here it is written 0.5 :: p(a).",
    ),
    "conjunctions": (
        "q(a), r(b).\nq(b), r(c).\n",
        f":1:1: facts are joined by commas, as in examples of NeuraLogic; end each with a full stop, or {TAKES} files",
    ),
    "JSON": ('{"q": ["a"]}\n', ":1:1: this looks like JSON, not Prolog facts; write p(a, b). for each fact"),
    "SDF": (
        "benzene\n  made\n\n  6  6  0  0  0  0  0  0  0  0999 V2000\n    3.7500    1.2990    0.0000 C   0  0\n",
        f":4:3: this looks like a molecule in the SDF format, not Prolog facts; {TAKES} files",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("command", [("learn-structure",), ("check",)], ids=lambda command: command[0])
def test_one_line_says_what_it_is(command: tuple[str, ...], case: tuple[str, str], folder: Folder) -> None:
    text, message = case
    folder.write({"data.pl": text})
    outcome = folder.run(*command, "data.pl")
    assert (outcome.code, outcome.stdout) == (1, "")
    assert outcome.stderr == f"data.pl{message}\n"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("pos(f(a)).\nneg(f(b)).\n", f"; pos(Atom) and neg(Atom) look like examples of Popper: {TAKES} folders"),
        (
            "regressionExample(medv(id1), 24.0).\n",
            f"; regressionExample(Atom, Value) looks like an example of srlearn: {TAKES} folders",
        ),
        ("q(a).\n", ""),
    ],
)
def test_facts_of_others_that_can_be_read(text: str, hint: str, folder: Folder) -> None:
    folder.write({"data.pl": text})
    outcome = folder.run("learn-structure", "data.pl")
    message = "data.pl: there is no query in these data; add query(Atom, Target). to the examples"
    assert (outcome.code, outcome.stderr) == (1, f"{message}{hint}\n")


@pytest.mark.parametrize(
    "text",
    [
        "q(a.\nr(b).\n",
        "q(a)\nr(b)\n",
        "query(p, yes).\nq(X).\n",
        "query(p, nan).\nquery(p, 1.0Inf).\n",
        "query(p, X).\n",
    ],
)
def test_our_own_faults_are_shown_as_they_are(text: str, folder: Folder) -> None:
    folder.write({"data.pl": text})
    outcome = folder.run("check", "data.pl")
    assert outcome.code == 1
    assert "looks like" not in outcome.stderr
    assert "lrnn import" not in outcome.stderr or "nan" in text

"""Grounding in parts: files that can't be cut everywhere, parts that differ, and what comes together from them."""

from __future__ import annotations

import gzip

import pytest
from conftest import Folder

from lrnn_cli.language.file_parts import file_parts

BLOCK = "begin(model({0})).\n{1} query({2}).\nend(model({0})).\n"
TEMPLATE = "_ :: h(X) :- a(X).\n_ :: h(X) :- b(X), c(X, Y), h(Y).\n_ :: p :- h(X), c(X, Y).\n_ :: p.\n"


def blocks(*queries: str) -> list[str]:
    facts = ["a(x). c(x, y).", "b(x). c(x, y). a(y).", "a(x). 0.3 :: c(x, x).", "b(y)."]
    return [BLOCK.format(f"m{number}", facts[number % 4], query) for number, query in enumerate(queries)]


TARGETS = [f"p, {number % 3 % 2}" for number in range(8)]
CLASSES = "_ :: p(red) :- a(X).\n_ :: p(green) :- b(X).\n_ :: p(blue).\n"
FILES = {
    "plain": (TEMPLATE, blocks(*TARGETS)),
    "queries without targets": (TEMPLATE, blocks("p", *TARGETS[:3], "p", "p, 1")),
    "numbers": (TEMPLATE, blocks("p, 1.5", "p, 0.5", "p, 0", "p, -3")),
    # Classes and predicates that one part has and another has not.
    "classes": (CLASSES, blocks("p, red", "p, green", "p, red", "p, blue")),
    "targets": (TEMPLATE, blocks("h(x), 1", "p, 0", "h(y), 1", "p, 1")),
    "background at the end": (TEMPLATE, [*blocks(*TARGETS[:4]), "b(y).\na(X) :- d(X).\nd(y).\n"]),
    "background everywhere": (TEMPLATE, ["a(X) :- d(X).\n", *blocks(*TARGETS[:4]), "d(y).\n", "d(y). d(x).\n"]),
    # What looks like the beginning of a model is none.
    "comment": (TEMPLATE, ["/*\nbegin(model(no)).\nbegin(model(no)).\n*/\n", *blocks(*TARGETS[:3])]),
    "name": (TEMPLATE, [*blocks(*TARGETS[:3]), "begin(model(n)).\na('\nbegin(model(').\nend(model(n)).\n"]),
    "one example": (TEMPLATE, ["a(x). c(x, y). query(p, 1).\n"]),
    "mark of the order of bytes": (TEMPLATE, ["\ufeff", *blocks(*TARGETS[:3])]),
}


@pytest.mark.parametrize("case", FILES)
def test_parts_of_files(folder: Folder, case: str) -> None:
    """The file does not depend on the number of parts, and the model is that of all groundings."""
    template, texts = FILES[case]
    folder.write({"t.pl": template, "d.pl": "".join(texts)})
    said = []
    for parts in (1, 3):
        outcome = folder.run("ground", "t.pl", "d.pl", "--parts", str(parts), "--jobs", "1", "-o", f"{parts}.npz")
        assert outcome.code == 0, outcome.stderr
        said.append(outcome.stderr)
    assert said[0] == said[1]
    assert folder.content()["1.npz"] == folder.content()["3.npz"]
    assert folder.run("ground", "t.pl", "d.pl", "-o", "all.npz").code == 0
    for name in ("all", "3"):
        outcome = folder.run("train", f"{name}.npz", "--epochs", "3", "-o", f"{name}.pl")
        assert outcome.code == 0, outcome.stderr
    assert folder.read("all.pl") == folder.read("3.pl")


def test_folds_of_parts(folder: Folder) -> None:
    """Folds that the file has and folds that are drawn; those that keep duplicates together need all facts at once."""
    texts = blocks(*TARGETS)
    given = [text.replace(").\n", f").\nfold({1 + number // 3}).\n", 1) for number, text in enumerate(texts)]
    folder.write({"t.pl": TEMPLATE, "drawn.pl": "".join(texts), "d.pl.gz": gzip.compress("".join(given).encode())})
    for data, options in (
        ("d.pl.gz", ["--fold", "1"]),
        ("drawn.pl", ["--folds", "3", "--fold", "2", "--no-group-duplicates"]),
    ):
        for name, parts in (("all", []), ("parts", ["--parts", "3", "--jobs", "2"])):
            assert folder.run("ground", "t.pl", data, *options, *parts, "-o", f"{name}.npz").code == 0
            assert folder.run("train", f"{name}.npz", "--epochs", "3", "-o", f"{name}.pl").code == 0
        assert folder.read("all.pl") == folder.read("parts.pl")
    outcome = folder.run("ground", "t.pl", "drawn.pl", "--folds", "3", "--fold", "2", "--parts", "2", "-o", "no.npz")
    assert outcome.code == 1 and "choose --no-group-duplicates" in outcome.stderr
    assert "no.npz" not in folder.content()


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ("begin(model(n)).\na(x.\nend(model(n)).\n", "d.pl:9:4: "),
        ("begin(model(m0)).\na(x).\nend(model(m0)).\n", "d.pl:8:1: "),
        ("begin(model(n)).\nquery(p, word).\nend(model(n)).\n", "targets are words"),
        ("begin(model(n)).\na(x) :- b(x).\n", "d.pl:9:"),
        (")\n", "d.pl:8:1: "),
    ],
)
def test_faults_are_those_of_the_file(folder: Folder, broken: str, message: str) -> None:
    """The same message as without parts, with the line of the whole file."""
    first, second, *others = blocks(*TARGETS[:4])
    folder.write({"t.pl": TEMPLATE, "d.pl": "".join([first, "\n", second, broken, *others])})
    expected = folder.run("ground", "t.pl", "d.pl", "-o", "all.npz")
    outcome = folder.run("ground", "t.pl", "d.pl", "--parts", "4", "--jobs", "1", "-o", "parts.npz")
    assert (outcome.code, outcome.stderr) == (expected.code, expected.stderr)
    assert outcome.code == 1 and message in outcome.stderr
    assert set(folder.content()) == {"t.pl", "d.pl"}


def test_wrong_calls(folder: Folder) -> None:
    folder.write({"t.pl": TEMPLATE, "d.pl": "".join(blocks(*TARGETS[:2])), "none.pl": "".join(blocks("p", "p"))})
    for arguments, code, message in (
        (["-"], 2, "parts of DATA are read from a file, so standard input does not go with --parts and --cluster"),
        (["d.pl", "--split-by", "a/1"], 2, "--split-by does not go with --parts"),
        (["missing.pl"], 1, "missing.pl: there is no such file"),
        (["none.pl"], 1, "none.pl: no query has a target here"),
    ):
        outcome = folder.run("ground", "t.pl", *arguments, "--parts", "2", "-o", "g.npz", stdin="")
        assert (outcome.code, message in outcome.stderr) == (code, True), outcome.stderr
        assert "g.npz" not in folder.content()


def test_what_is_shown(folder: Folder) -> None:
    """Groundings and neurons before compression are counted part by part; which groundings there were is not known.

    h(X) :- a(X) has three groundings in four examples, all of one kind.
    """
    folder.write({"t.pl": TEMPLATE, "d.pl": "".join(blocks(*TARGETS[:4]))})
    for name, options in (("all", []), ("parts", ["--parts", "4", "--jobs", "1"])):
        assert folder.run("ground", "t.pl", "d.pl", *options, "-o", f"{name}.npz").code == 0
    shown = {name: folder.run("show", f"{name}.npz", "--rows", "1").stdout for name in ("all", "parts")}
    neurons = {name: text.split("groundings")[0] for name, text in shown.items()}
    assert neurons["all"] == neurons["parts"]
    assert "groundings  distinct  rules  table\n         3         1      1  a(V0)\n" in shown["parts"]
    assert shown["parts"].endswith("the groundings themselves were not kept: this file was made in parts\n")


def test_where_files_are_cut(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts are the file, one after the other, and each but the first starts with a model, whatever blocks are read."""
    text = "% nothing\n" + "".join(blocks(*TARGETS)) + "d(x)."
    folder.write({"d.pl": text})
    found = []
    for size in (7, 64, 1000):
        monkeypatch.setattr("lrnn_cli.language.file_parts.BLOCK", size)
        found.append(file_parts("d.pl", 3))
    assert found[0] == found[1] == found[2]
    monkeypatch.setattr("lrnn_cli.language.file_parts.LARGEST", len(text) // 3 + 1)
    assert found[0] == file_parts("d.pl", None) != file_parts("d.pl", None, 4)
    parts = [text.encode()[part.start : part.stop].decode() for part in found[0].parts]
    assert "".join(parts) == text and len(parts) == 3
    assert [part.split("\n")[0] for part in parts] == ["% nothing", "begin(model(m3)).", "begin(model(m6))."]
    assert [part.lines for part in found[0].parts] == [0, 10, 19]
    assert [part.sent().source("data").text for part in found[0].parts] == [
        part.source("data").text for part in found[0].parts
    ]

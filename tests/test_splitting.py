"""One interpretation: folds of its queries, and cutting it where it falls apart."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from conftest import Folder

from lrnn_cli.evaluation.folds import assign_query_folds
from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder
from lrnn_cli.language.files import Source


def rows(text: str) -> list[list[str]]:
    return [line.split("\t") for line in text.splitlines()[1:]]


def people(count: int = 20) -> str:
    """One interpretation: good people know somebody tall."""
    facts = [f"knows(p{n}, q{n}). {'tall' if n % 2 else 'short'}(q{n})." for n in range(count)]
    return "\n".join([*facts, *(f"query(good(p{n}), {n % 2})." for n in range(count))])


# Folds of queries


def test_folds_of_queries_are_stratified() -> None:
    """17 positive and 33 negative queries of p, 10 of q without targets; two queries of one atom stay together."""
    lines = [f"query(p(a{n}), {int(n < 17)})." for n in range(50)] + [f"query(q(a{n}))." for n in range(10)]
    lines += ["query(p(a0), 0.0)."]
    with open_grounder("swi", GrounderOptions()) as grounder:
        data = grounder.load(Source("data.pl", "\n".join(lines).encode()))
    folds = assign_query_folds(data, 5, 1)
    assert folds[0] == folds[60]
    for chosen in (range(17), [*range(17, 50), 60], range(50, 60)):
        counts = Counter(folds[list(chosen)].tolist())
        assert max(counts.values()) - min(counts.get(fold, 0) for fold in range(1, 6)) <= 1
    assert (assign_query_folds(data, 5, 1) == folds).all()
    assert (assign_query_folds(data, 5, 2) != folds).any()


@pytest.mark.parametrize("grounder", ["swi", "duckdb"])
def test_crossvalidation_of_one_example(grounder: str, folder: Folder) -> None:
    """Each query is tested once; a fold's model is that of a file without the queries of the fold."""
    template = "_ :: good(X) :- knows(X, Y), tall(Y).\n0.1 :: good(X) :- knows(X, Y).\n"
    folder.write({"data.pl": people(), "template.pl": template})
    tested = []
    for fold in range(1, 5):
        part = ("--folds", "4", "--fold", str(fold), "--grounder", grounder)
        assert folder.run("ground", "template.pl", "data.pl", *part, "-o", "g.npz").code == 0
        assert folder.run("train", "g.npz", "--epochs", "20", "-o", "model.pl").code == 0
        found = rows(folder.run("predict", "model.pl", "data.pl", *part).stdout)
        assert len(found) == 5
        (folder.path / f"fold{fold}").mkdir()
        folder.run("predict", "model.pl", "data.pl", *part, "-o", f"fold{fold}/predictions.tsv")
        tested += [row[1] for row in found]
        asked = {row[1] for row in found}
        kept = [line for line in people().splitlines() if not any(f"query({atom}," in line for atom in asked)]
        folder.write({"part.pl": "\n".join(kept)})
        folder.run("ground", "template.pl", "part.pl", "--grounder", grounder, "-o", "h.npz")
        folder.run("train", "h.npz", "--epochs", "20", "-o", "other.pl")
        rules = [[line for line in folder.read(name).splitlines() if "::" in line] for name in ("model.pl", "other.pl")]
        assert rules[0] == rules[1]
    assert sorted(tested) == sorted(f"good(p{n})" for n in range(20))
    names = [f"fold{fold}" for fold in range(1, 5)]
    assert json.loads(folder.run("summarise", *names, "--json").stdout)["pooled"]["queries"] == 20


def test_learning_from_a_part_of_the_queries(folder: Folder) -> None:
    """The folds of learning, of evaluation and of trees fit together: queries that are tested had no part."""
    folder.write({"data.pl": people(40)})
    part = ("--folds", "4", "--fold", "2")
    learned = folder.run("learn-structure", "data.pl", "--iterations", "1", "--conjunctions", "5", *part)
    assert learned.code == 0
    evaluated = folder.run("evaluate", "-", "data.pl", *part, "--json", stdin=learned.stdout)
    assert json.loads(evaluated.stdout)["queries"] == 10
    assert json.loads(evaluated.stdout)["accuracy"] == 1.0
    forest = rows(folder.run("baseline", "forest", "data.pl", *part).stdout)
    predicted = rows(folder.run("predict", "-", "data.pl", *part, stdin=learned.stdout).stdout)
    assert [row[:3] for row in forest] == [row[:3] for row in predicted]


def test_a_run_goes_on_with_the_queries_it_began_with(folder: Folder) -> None:
    folder.write({"data.pl": people(40)})
    run = ("learn-structure", "data.pl", "--conjunctions", "0", "--folds", "4", "--run-dir", "run")
    first = folder.run(*run, "--fold", "2")
    assert folder.run(*run, "--fold", "2", "--resume").stdout == first.stdout
    other = folder.run(*run, "--fold", "3", "--resume")
    assert (other.code, other.stdout) == (1, "")


def test_check_shows_folds_of_queries(folder: Folder) -> None:
    folder.write({"data.pl": people()})
    assert "folds of queries: 1: 5, 2: 5, 3: 5, 4: 5" in folder.run("check", "data.pl", "--folds", "4").stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--fold", "1"), "data.pl: there is one example in these data; say how many folds of queries with --folds\n"),
        (
            ("--folds", "7", "--fold", "1"),
            "data.pl: 7 folds of queries for 6 atoms in one example; choose fewer folds\n",
        ),
        (("--folds", "3", "--fold", "4"), "data.pl: there is no fold 4; folds are 1 to 3\n"),
    ],
)
def test_faults_of_folds_of_queries(options: tuple[str, ...], message: str, folder: Folder) -> None:
    folder.write({"data.pl": people(6)})
    outcome = folder.run("learn-structure", "data.pl", *options)
    assert (outcome.code, outcome.stdout, outcome.stderr) == (1, "", message)


# Splitting

TRAINS = """\
bias(has_car(train, car)). bias(colour(car, constant)). bias(dark(colour)).
warm(X) :- colour(X, red).
has_car(1, c1). has_car(1, 'C 2'). has_car(2, c3). has_car(3, c4).
colour(c1, red). colour('C 2', blue). colour(c3, red). 0.4 :: colour(c4, blue).
wheels(c1, 2). wheels(c3, 2). wheels(c4, 3).
dark(blue). raining. spare(c9).
query(east(1), 1.0). query(east(2), 0.0). query(east(3)).
"""


def blocks(text: str, by: str) -> tuple[set[str], dict[str, set[str]]]:
    """What stands outside blocks, and in the block of each example."""
    from lrnn_cli.evaluation.splitting import split_examples

    with open_grounder("swi", GrounderOptions()) as grounder:
        data = grounder.load(Source("data.pl", text.encode()))
        split = split_examples(data, *grounder.relations(data), grounder.names(data), by)
    outside: set[str] = set()
    inside: dict[str, set[str]] = {}
    current = outside
    for line in split.source.text.decode().splitlines():
        if line.startswith("begin("):
            current = inside.setdefault(line[len("begin(model(") : -3], set())
        elif line.startswith("end("):
            current = outside
        else:
            current.add(line)
    return outside, inside


@pytest.mark.parametrize("by", ["query", "has_car/2", "east/1"])
def test_trains_fall_apart(by: str) -> None:
    """Colours and numbers connect nothing; what is true of them, and of nothing, is true everywhere."""
    outside, inside = blocks(TRAINS, by)
    assert inside == {
        "1": {"has_car(1, c1).", "has_car(1, 'C 2').", "colour(c1, red).", "colour('C 2', blue).", "wheels(c1, 2).",
              "query(east(1), 1.0)."},
        "2": {"has_car(2, c3).", "colour(c3, red).", "wheels(c3, 2).", "query(east(2), 0.0)."},
        "3": {"has_car(3, c4).", "0.4 :: colour(c4, blue).", "wheels(c4, 3).", "query(east(3))."},
    }  # fmt: skip
    assert {"bias(colour(car, constant)).", "dark(blue).", "raining."} <= outside
    assert len(outside) == 6


def test_colours_are_values_without_a_bias() -> None:
    plain = "\n".join(line for line in TRAINS.splitlines() if not line.startswith("bias"))
    assert blocks(plain, "query")[1] == blocks(TRAINS, "query")[1]


def test_outputs_of_split_data_are_the_same(folder: Folder) -> None:
    """Rules that stay with the object of the head see the same facts."""
    model = "0.8 :: east(X) :- has_car(X, Y), warm(Y).\n0.3 :: east(X) :- has_car(X, Y), colour(Y, C), dark(C).\n"
    folder.write({"model.pl": model, "data.pl": TRAINS})
    whole = rows(folder.run("predict", "model.pl", "data.pl").stdout)
    split = folder.run("predict", "model.pl", "data.pl", "--split-by", "query")
    assert split.stderr.startswith("3 examples, split by query\nwarning: 1 facts are about objects of no example")
    assert [row[1:] for row in rows(split.stdout)] == [row[1:] for row in whole]
    assert [row[0] for row in rows(split.stdout)] == ["1", "2", "3"]


def test_odd_names_survive_splitting() -> None:
    """Operators, quotes, strings, lists and Unicode are the same objects afterwards."""
    odd = ["'a b'", "(a:-b)", "[1,2]", '"s"', "'ž'", "f(x,'Y')", "(-)", "'it''s'", "1-2", "{x}"]
    text = " ".join(f"of(t{n}, {name}). has(t{n}, {name})." for n, name in enumerate(odd))
    text += "".join(f" query(p(t{n}), 1)." for n in range(len(odd)))
    outside, inside = blocks(text, "query")
    with open_grounder("swi", GrounderOptions()) as grounder:
        before = grounder.load(Source("data.pl", text.encode()))
        names = set(grounder.names(before))
        texts = [f"begin(model({name})). {' '.join(lines)} end(model({name}))." for name, lines in inside.items()]
        after = grounder.load(Source("data.pl", "\n".join(texts).encode()))
        assert set(grounder.names(after)) == names
    assert not outside
    assert len(after.example_name) == len(odd)


@pytest.mark.parametrize(
    ("text", "by", "message"),
    [
        ("parent(a, b). parent(b, c). query(p(a), 1). query(p(b), 0).", "query",
         "data.pl: the data do not fall apart by query: a and b are connected, through parent/2; leave --split-by out"),
        ("q(a). q(b). query(p(a, b), 1). query(p(b, a), 0).", "query",
         "data.pl:1:1: the query p(a, b) is about objects of two examples"),
        ("q(a). query(p, 1).", "query", "data.pl: no query has arguments to split by; name a predicate"),
        ("q(a). q(b). query(p, 1).", "q/1", "data.pl:1:1: the query p belongs to no one example"),
        ("q(a). query(p(a), 1).", "r/1", "data.pl: there is no predicate r/1 with arguments; there are p/1, q/1"),
        ("begin(model(a)). q(a). end(model(a)). begin(model(b)). q(a). end(model(b)).", "q/1",
         "data.pl: there are 2 examples already; leave --split-by out"),
    ],
)  # fmt: skip
def test_data_that_do_not_fall_apart(text: str, by: str, message: str, folder: Folder) -> None:
    folder.write({"data.pl": text})
    outcome = folder.run("check", "data.pl", "--split-by", by)
    assert (outcome.code, outcome.stdout) == (1, "")
    assert outcome.stderr.startswith(message)


def test_learning_from_split_data(folder: Folder) -> None:
    """Folds are of examples then, and a model of split data answers the queries of the whole."""
    folder.write({"data.pl": people(30)})
    options = ("--split-by", "query", "--folds", "3", "--fold", "1", "--no-group-duplicates")
    learned = folder.run("learn-structure", "data.pl", "--iterations", "1", "--conjunctions", "5", *options)
    assert learned.code == 0, learned.stderr
    for part in (options, ()):
        evaluated = json.loads(folder.run("evaluate", "-", "data.pl", *part, "--json", stdin=learned.stdout).stdout)
        assert evaluated["accuracy"] == 1.0
        assert evaluated["queries"] == (10 if part else 30)
    assert not np.isnan(evaluated["log_loss"])

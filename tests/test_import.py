"""`lrnn import`: each format from small files of our own, faults in each of them, and real folders."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import sqlite3
from pathlib import Path

import pytest
from conftest import Folder, Outcome

ROOT = Path(__file__).resolve().parents[1]
FORMATS = Path(os.environ.get("LRNN_DATA_DIR", "no such folder")) / "formats"
POPPER = {
    "p/bk.pl": "has_car(t1,c1).\nhas_car(t2,c2).\nhas_car(t2,c3).\nshort(c1).\nlong(c2).\nweight(c1,2.5).\n"
    "weight(c3,3.0).\nwheels(c1,two).\nwheels(c2,three).\nfar(X):-has_car(X,C),long(C).\n",
    "p/exs.pl": "pos(east(t1)).\nneg(east(t2)).\n",
    "p/bias.pl": "max_vars(4).\nhead_pred(east,1).\nbody_pred(has_car,2).\nbody_pred(weight,2).\nbody_pred(wheels,2).\n"
    "body_pred(far,1).\ntype(east,(train,)).\ntype(has_car,(train,car)).\ntype(weight,(car,real)).\n"
    "type(wheels,(car,number_word)).\ntype(far,(train,)).\nconstant(two,number_word).\ndirection(east,(in,)).\n"
    ":-\n    clause(C),\n    #count{V : var_type(C,V,train)} != 1.\n",
}
ALEPH = {
    "a/x.b": ":- modeh(1,east(+train)).\n:- modeb(*,has_car(+train,-car)).\n:- modeb(1,colour(+car,#colour)).\n"
    ":- modeb(1,unused(+car)).\n:- determination(east/1,has_car/2).\n:- determination(east/1,colour/2).\n:- set(i,2).\n"
    "has_car(t1,c1).\nhas_car(t2,c2).\ncolour(c1,'Červená').\ncolour(c2,blue).\nunused(c1).\n",
    "a/x.f": "east(t1).\n",
    "a/x.n": "east(t2).\n",
}
SRLEARN = {
    "s/background.txt": "friends(+person,-person).\nfriends(-person,+person).\n"
    "age(+person,#years).\ncancer(+person).\n",
    "s/train/train_pos.txt": "cancer(alice).\n",
    "s/train/train_neg.txt": "cancer(bob).\n",
    "s/train/train_facts.txt": "friends(alice,bob).\nage(alice,3).\n",
    "s/test/test_pos.txt": "cancer(zod).\n",
    "s/test/test_neg.txt": "",
    "s/test/test_facts.txt": "friends(zod,xena).\n",
}
NEURALOGIC = {
    "n/examples.txt": "<0.7> horse(aida), parent(star,aida).\n1.0 horse(dakota), parent(moon,dakota).\n",
    "n/queries.txt": "1.0 foal(star).\n0.0 foal(moon).\n",
    "n/template.txt": "{1} foal(X) <= parent(X,Y), horse(Y).\n0.5 foal(X) :- sibling(X,Y). [activation=tanh]\nfoal / 1 "
    "[transformation=sigmoid]\n{3,3} foal(X) :- deep(X).\nimport ./secret.txt\nsure(X) :- {1} horse(X).\n",
}
TUDATASET = {
    "t/G_A.txt": "1, 2\n2, 1\n3, 4\n",
    "t/G_graph_indicator.txt": "1\n1\n2\n2\n",
    "t/G_graph_labels.txt": "1\n-1\n",
    "t/G_node_labels.txt": "6\n8\n6\n-1\n",
    "t/G_edge_labels.txt": "0\n0\n2\n",
    "t/G_node_attributes.txt": "0.5, 1\n1, 2\n1, 3\n2, 2.25\n",
}
TRIPLES = {
    "r/train.tsv": "ann\tmother\tbob\nbob\tmother\tcyd\nann\tlikes\tcyd\ncyd\tlikes\tann\n",
    "r/test.tsv": "bob\tlikes\tann\n",
}
TABLES = {
    "d/customer.csv": "id,age,city,returned\n1,63,Brno,1\n2,31,Plzeň,0\n3,,Brno,\n",
    "d/purchase.csv": "id,customer_id,sum\n10,1,12.5\n11,1,3\n12,2,8\n",
}
ALL = [POPPER, ALEPH, SRLEARN, NEURALOGIC, TUDATASET, TRIPLES, TABLES]


def written(folder: Folder, files: dict[str, str]) -> str:
    """Write files, and the name of their folder."""
    for name in files:
        (folder.path / name).parent.mkdir(parents=True, exist_ok=True)
    folder.write(files)
    return next(iter(files)).split("/")[0]


def imported(folder: Folder, files: dict[str, str], *options: str) -> Outcome:
    return folder.run("import", written(folder, files), *options)


def lines(folder: Folder, files: dict[str, str], *options: str) -> list[str]:
    outcome = imported(folder, files, *options)
    assert outcome.code == 0, outcome.stderr
    return outcome.stdout.splitlines()


# What comes out


def test_popper(folder: Folder) -> None:
    """Each train has its own cars, so it is an example; types are sorts, reals numbers, constants are told."""
    outcome = imported(folder, POPPER)
    assert outcome.stdout.splitlines() == [
        "bias(east(train)).",
        "bias(has_car(train, car)).",
        "bias(weight(car, number)).",
        "bias(wheels(car, constant)).",
        "bias(far(train)).",
        "far(X):-has_car(X, C), long(C).",
        "begin(model(t1)).",
        "has_car(t1, c1).",
        "short(c1).",
        "weight(c1, 2.5).",
        "wheels(c1, two).",
        "query(east(t1), 1.0).",
        "end(model(t1)).",
        "begin(model(t2)).",
        "has_car(t2, c2).",
        "has_car(t2, c3).",
        "long(c2).",
        "weight(c3, 3.0).",
        "wheels(c2, three).",
        "query(east(t2), 0.0).",
        "end(model(t2)).",
    ]
    for note in (
        "p/bias.pl:1: max_vars/1 is not used",
        "p/bias.pl:13: directions are not needed",
        "p/bias.pl:14: constraints of answer set programming are not used",
        "2 examples, one for each first argument of a query",
        "Popper: 2 examples, 2 queries",
    ):
        assert note in outcome.stderr


def test_one_world_is_kept_whole(folder: Folder) -> None:
    """On demand, and where a fact, a clause or a shared object holds two examples together."""
    assert lines(folder, POPPER, "--examples", "one").count("begin(model(example)).") == 1
    for more, reason in (
        ("next(c1,c2).\n", "next(c1, c2) holds two of them together"),
        ("load(c1,l).\nload(c2,l).\n", "l belongs to several of them"),
        ("alike(X,Y):-short(X),long(Y).\n", "the clause `alike(X, Y):-short(X), long(Y)` may join facts of several"),
    ):
        files = {**POPPER, "p/bk.pl": POPPER["p/bk.pl"] + more}
        outcome = imported(folder, files)
        assert f"one example with all queries, since {reason}" in outcome.stderr
        assert outcome.stdout.count("begin(") == 1
        outcome = imported(folder, files, "--examples", "each", "-o", "x.pl")
        assert outcome.code == 1
        assert f"the data can't be cut into examples: {reason}; use --examples one" in outcome.stderr
    assert "x.pl" not in folder.content()


def test_aleph(folder: Folder) -> None:
    outcome = imported(folder, ALEPH)
    assert outcome.stdout.splitlines() == [
        "bias(east(train)).",
        "bias(has_car(train, car)).",
        "bias(colour(car, constant)).",
        *("begin(model(t1)).", "has_car(t1, c1).", "colour(c1, 'Červená').", "unused(c1).", "query(east(t1), 1.0)."),
        "end(model(t1)).",
        *("begin(model(t2)).", "has_car(t2, c2).", "colour(c2, blue).", "query(east(t2), 0.0).", "end(model(t2))."),
    ]
    assert "not determined, so not used: unused/1" in outcome.stderr
    assert "a/x.b:7: the directive set/2 is not run" in outcome.stderr


def test_what_limits_the_search_of_others_is_named(folder: Folder) -> None:
    """Integrity constraints of Aleph; of Popper's bias what begins with # or a brace. All else is as without them."""
    constrained = {**ALEPH, "a/x.b": ALEPH["a/x.b"] + "false :- has_car(X, Y), unused(Y).\n"}
    line = constrained["a/x.b"].count("\n")
    outcome = imported(folder, constrained)
    assert f"a/x.b:{line}: integrity constraints are not used" in outcome.stderr
    assert outcome.stdout == imported(folder, ALEPH).stdout
    directed = {**POPPER, "p/bias.pl": POPPER["p/bias.pl"] + "#const size = 3.\n{ body(X) : p(X) } 1 :- q.\n"}
    line = directed["p/bias.pl"].count("\n")
    outcome = imported(folder, directed)
    what = "directives and choices of answer set programming are not used"
    assert f"p/bias.pl:{line - 1}, {line}: {what}" in outcome.stderr
    assert outcome.stdout == imported(folder, POPPER).stdout


def test_types_of_aleph_that_are_numbers(folder: Folder) -> None:
    """`real` says no more than that it is a number; a type with a name of its own is a sort of numbers."""
    modes = ":- modeh(1, good(+day)).\n:- modeb(1, open(+day, -real)).\n:- modeb(1, close(+day, -price)).\n"
    modes += ":- determination(good/1, open/2).\n:- determination(good/1, close/2).\n"
    files = {"n/x.b": f"{modes}open(a, 1).\nopen(b, 2).\nclose(a, 1.5).\n"}
    found = lines(folder, {**files, "n/x.f": "good(a).\n", "n/x.n": "good(b).\n"})
    assert {"bias(open(day, number)).", "bias(close(day, price))."} <= set(found)


def test_aleph_in_other_files(folder: Folder) -> None:
    """pos.pl and neg.pl beside background and modes, or sections of one file, are the same problem."""
    expected = lines(folder, ALEPH)
    background = ALEPH["a/x.b"]
    apart = {"b/x.pl": background, "b/pos.pl": ALEPH["a/x.f"], "b/neg.pl": ALEPH["a/x.n"]}
    assert lines(folder, apart) == expected
    names = {"e/compos.pl": background, "e/some_pos.pl": ALEPH["a/x.f"], "e/some_neg.pl": ALEPH["a/x.n"]}
    assert lines(folder, names) == expected
    whole = f"{background}:- begin_in_pos.\neast(t1).\n:- end_in_pos.\n:- begin_in_neg.\neast(t2).\n:- end_in_neg.\n"
    folder.write({"whole.pl": whole})
    assert folder.run("import", "whole.pl").stdout.splitlines() == expected


def test_classes(folder: Folder) -> None:
    """Several pairs of files are classes: one is chosen, or all are kept as words."""
    files = {
        "c/mode.pl": ":- modeh(1,animal(+animal)).\n:- modeb(1,legs(+animal,#int)).\n",
        "c/facts.pl": "legs(dog,4).\nlegs(eagle,2).\n",
        **{f"c/{name}.pl": f"animal({animal}).\n" for name, animal in (("mammal.pos", "dog"), ("mammal.neg", "eagle"))},
        **{f"c/{name}.pl": f"animal({animal}).\n" for name, animal in (("bird.pos", "eagle"), ("bird.neg", "dog"))},
    }
    outcome = imported(folder, files)
    assert outcome.code == 1
    assert "there are examples of 2 classes, bird, mammal; choose one with --positive CLASS" in outcome.stderr
    assert "query(animal(dog), 1.0)." in lines(folder, files, "--positive", "mammal")
    assert "query(animal(dog), 0.0)." in lines(folder, files, "--positive", "bird")
    words = [line for line in lines(folder, files, "--classes") if line.startswith("query")]
    assert words == ["query(animal(eagle), bird).", "query(animal(dog), mammal)."]


def test_srlearn(folder: Folder) -> None:
    """Train and test are two worlds: fold 1 is what is tested."""
    assert lines(folder, SRLEARN) == [
        "bias(friends(person, person)).",
        "bias(age(person, constant)).",
        "bias(cancer(person)).",
        *("begin(model(test)).", "fold(1).", "friends(zod, xena).", "query(cancer(zod), 1.0).", "end(model(test))."),
        *("begin(model(train)).", "fold(2).", "friends(alice, bob).", "age(alice, 3)."),
        *("query(cancer(bob), 0.0).", "query(cancer(alice), 1.0).", "end(model(train))."),
    ]


def test_folds_of_srlearn(folder: Folder) -> None:
    """Folds are kept where each trains on what the others test; otherwise that is said."""
    worlds = {1: "p(a).\nq(a,b).\n", 2: "p(c).\nq(c,d).\n"}
    files = {}
    for fold, other in ((1, 2), (2, 1)):
        for part, world in (("test", fold), ("train", other)):
            name = "ac"[world - 1]
            files[f"k/fold{fold}/{part}/{part}_facts.txt"] = worlds[world]
            files[f"k/fold{fold}/{part}/{part}_pos.txt"] = f"r({name}).\n"
            files[f"k/fold{fold}/{part}/{part}_neg.txt"] = ""
    found = lines(folder, files)
    assert found[:3] == ["begin(model(fold1)).", "fold(1).", "p(a)."]
    assert found.count("fold(2).") == 1
    files["k/fold2/train/train_facts.txt"] += "p(z).\n"
    outcome = imported(folder, files)
    assert outcome.code == 1
    assert "the training part of fold2 is not what the other folds test" in outcome.stderr


def test_lists_and_tuples_of_other_readers(folder: Folder) -> None:
    files = {"h/train_pos.txt": "p(a).\n", "h/train_facts.txt": "q(a,[1,b],(c,d),\"s\",f(x,'Y z')).\n"}
    assert "q(a, [1, b], (c, d), \"s\", f(x, 'Y z'))." in lines(folder, files)


def test_regression(folder: Folder) -> None:
    files = {"g/train_pos.txt": "regressionExample(medv(id1),33.2).\n", "g/train_facts.txt": "rm(id1,6).\n"}
    assert "query(medv(id1), 33.2)." in lines(folder, files)


def test_neuralogic(folder: Folder) -> None:
    """Weights of facts, one query for each example, and the rules of the template that can be said."""
    outcome = imported(folder, NEURALOGIC, "--template", "template.pl")
    assert outcome.stdout.splitlines() == [
        *(
            "begin(model(e1)).",
            "0.7 :: horse(aida).",
            "parent(star, aida).",
            "query(foal(star), 1.0).",
            "end(model(e1)).",
        ),
        *("begin(model(e2)).", "horse(dakota).", "parent(moon, dakota).", "query(foal(moon), 0.0).", "end(model(e2))."),
    ]
    assert folder.read("template.pl").splitlines() == [
        "setting(activation, sigmoid).",
        "_ :: foal(X) :- parent(X, Y), horse(Y).",
        "0.5 :: foal(X) :- sibling(X, Y).",
        "_ :: sure(X) :- horse(X).",
    ]
    for note in (
        "n/template.txt:5: import is not followed: no other file is read",
        "n/template.txt:4: left out: weights are single numbers here",
        "n/template.txt:2: activation=tanh is not there",
        "n/template.txt:6: the weight of the only atom of the body becomes that of the rule",
    ):
        assert note in outcome.stderr
    folder.write({"data.pl": outcome.stdout})
    assert folder.run("ground", "template.pl", "data.pl", "-o", "g.npz").code == 0


def test_constants_of_a_template(folder: Folder) -> None:
    """Arguments for which it has constants take them; its variables tell that cars are cars, and not numbers."""
    facts = [f"shape({train}, 1, box), wheels({train}, 1, 2), seen({train})" for train in range(1, 9)]
    files = {
        "o/examples.txt": ", ".join(facts) + ".\n",
        "o/queries.txt": "".join(f"{(-1) ** train}.0 direction({train}).\n" for train in range(1, 9)),
        "o/template.txt": "form(X, Y) :- {1} shape(X, Y, box).\nround(X, Y) :- {1} wheels(X, Y, 2).\n"
        "car(X, Y) :- {1} form(X, Y), {1} round(X, Y).\ndirection(X) :- {1} car(X, 1).\n",
    }
    outcome = imported(folder, files)
    train, car = "direction_1_1", "car_2_2"
    assert outcome.stdout.splitlines()[:6] == [
        f"bias(shape({train}, {car}, constant)).",
        f"bias(wheels({train}, {car}, constant)).",
        f"bias(direction({train})).",
        f"bias(seen({train})).",
        "begin(model(1)).",
        "shape(1, 1, box).",
    ]
    assert "query(direction(1), 0.0)." in outcome.stdout
    assert "query(direction(2), 1.0)." in outcome.stdout
    assert "targets of -1 are 0" in outcome.stderr
    several = {name: text.replace("), shape", ").\nshape") for name, text in files.items()}
    assert f"bias(wheels({train}, {car}, constant))." in lines(folder, several)
    alone = {**files, "o/examples.txt": "wet.\n" * 8, "o/template.txt": "direction(X) :- dry(on), wet, up(X).\n"}
    assert "bias" not in imported(folder, alone).stdout
    alone["o/examples.txt"] = "dry(on).\n" * 8
    outcome = imported(folder, alone)
    assert "dry/1: a constant would leave no argument for variables" in outcome.stderr


def test_numbered_objects_fall_apart(folder: Folder) -> None:
    """Trains with numbers for names: first arguments with the same numbers are these trains."""
    files = {
        "o/examples.txt": "shape(1, 1, box), shape(1, 2, egg), shape(2, 1, box), wheels(2, 1, 3).\n",
        "o/queries.txt": "1.0 direction(1).\n0.0 direction(2).\n",
    }
    # Two trains share a shape, which might be an object: eight do, and it is a value.
    assert "begin(model(example))." in lines(folder, files)
    many = {
        "o/examples.txt": ", ".join(f"shape({train}, 1, box), wheels({train}, 1, 2)" for train in range(1, 9)) + ".\n",
        "o/queries.txt": "".join(f"1.0 direction({train}).\n" for train in range(1, 9)),
    }
    assert lines(folder, many)[:4] == [
        "begin(model(1)).",
        "shape(1, 1, box).",
        "wheels(1, 1, 2).",
        "query(direction(1), 1.0).",
    ]


def test_tudataset(folder: Folder) -> None:
    """An edge that goes both ways with one label is one object; labels are predicates, attributes numbers."""
    assert lines(folder, TUDATASET) == [
        "begin(model(g1)).",
        *("node_6(n1).", "node_8(n2).", "attribute_1(n1, 0.5).", "attribute_2(n1, 1.0)."),
        *("attribute_1(n2, 1.0).", "attribute_2(n2, 2.0).", "edge(n1, n2, e1).", "edge_0(e1).", "edge(n2, n1, e1)."),
        *("query(class, 1.0).", "end(model(g1)).", "begin(model(g2))."),
        *("node_6(n1).", "node_minus_1(n2).", "attribute_1(n1, 1.0).", "attribute_2(n1, 3.0)."),
        *("attribute_1(n2, 2.0).", "attribute_2(n2, 2.25).", "edge(n1, n2, e1).", "edge_2(e1)."),
        *("query(class, 0.0).", "end(model(g2))."),
    ]
    three = {**TUDATASET, "t/G_graph_labels.txt": "1\n3\n"}
    assert "labels are 1, 3; say which are positive with --positive CLASS" in imported(folder, three).stderr
    assert "query(active, 1.0)." in lines(folder, three, "--positive", "3", "--target", "active")
    plain = {name: text for name, text in TUDATASET.items() if name.endswith(("_A.txt", "indicator.txt"))}
    assert "edge(n1, n2)." in lines(folder, {f"u{name[1:]}": text for name, text in plain.items()})


def test_triples(folder: Folder) -> None:
    """Facts alone, or a relation to be predicted: its triples are asked, and pairs without one."""
    facts = lines(folder, TRIPLES)
    assert facts[1:-1] == [
        *("likes(bob, ann).", "mother(ann, bob).", "mother(bob, cyd).", "likes(ann, cyd).", "likes(cyd, ann)."),
    ]
    found = lines(folder, TRIPLES, "--target", "likes")
    assert found[:6] == [
        *("begin(model(test)).", "fold(1).", "mother(ann, bob).", "mother(bob, cyd).", "query(likes(bob, ann), 1.0)."),
        found[5],
    ]
    positive = {line for line in found if line.endswith(", 1.0).")}
    negative = [line for line in found if line.endswith(", 0.0).")]
    # Heads ann, bob, cyd and tails ann, cyd: six pairs, of which three have a triple.
    assert len(positive) == 3 and sorted(negative) == [
        *("query(likes(ann, ann), 0.0).", "query(likes(bob, cyd), 0.0).", "query(likes(cyd, cyd), 0.0)."),
    ]
    assert lines(folder, TRIPLES, "--target", "likes") == found
    assert (
        "there is no relation hates; relations are likes, mother"
        in imported(folder, TRIPLES, "--target", "hates").stderr
    )


def test_tables(folder: Folder) -> None:
    """Customers fall apart with their purchases; a missing age is no fact, a missing target no query."""
    outcome = imported(folder, TABLES, "--target", "customer.returned")
    assert outcome.stdout.splitlines() == [
        "bias(age(customer, constant)).",
        "bias(city(customer, constant)).",
        "bias(returned(customer)).",
        "bias(customer_id(purchase, customer)).",
        "bias(sum(purchase, number)).",
        *("begin(model(customer_1)).", "age(customer_1, 63).", "city(customer_1, 'Brno')."),
        *("customer_id(purchase_10, customer_1).", "customer_id(purchase_11, customer_1)."),
        *("sum(purchase_10, 12.5).", "sum(purchase_11, 3.0).", "query(returned(customer_1), 1.0)."),
        *("end(model(customer_1)).", "begin(model(customer_2)).", "age(customer_2, 31).", "city(customer_2, 'Plzeň')."),
        *("customer_id(purchase_12, customer_2).", "sum(purchase_12, 8.0).", "query(returned(customer_2), 0.0)."),
        *(
            "end(model(customer_2)).",
            "begin(model(customer_3)).",
            "city(customer_3, 'Brno').",
            "end(model(customer_3)).",
        ),
    ]
    assert "1 rows of customer have no target and no query" in outcome.stderr
    outcome = imported(folder, TABLES, "--target", "city")
    assert "customer.city: labels are words, Brno (2), Plzeň (1); say which are positive" in outcome.stderr
    outcome = imported(folder, TABLES, "--target", "city", "--positive", "brno")
    assert (outcome.code, outcome.stdout) == (1, "")
    assert "customer.city: no label is brno; labels are Brno (2), Plzeň (1); mend --positive, or " in outcome.stderr
    outcome = imported(folder, TABLES, "--target", "city", "--positive", "Plzeň", "--negative", "Prague")
    assert outcome.stderr == (
        "d/customer.csv:2:1: the label 'Brno' is neither positive nor negative; give it with one of the options "
        "(and 1 more like it)\n"
    )
    found = lines(folder, TABLES, "--target", "city", "--classes")
    assert "query(city(customer_1), 'Brno')." in found


def test_relations_without_a_key(folder: Folder) -> None:
    """A table of references is a relation, and its other columns are attributes of that."""
    likes = {**TABLES, "d/likes.csv": "customer_id;product_id;since\n1;7;2010\n1;8;2011\n2;7;2012\n"}
    found = lines(folder, likes)
    assert "likes(customer_1, product_7)." in found
    assert "likes_since(customer_1, product_8, 2011)." in found
    assert "bias(likes_since(customer, product, constant))." in found


def test_sqlite(folder: Folder) -> None:
    """Declared keys; views are not read, and binary columns are left out with a note."""
    database = sqlite3.connect(folder.path / "shop.sqlite")
    database.executescript(
        "CREATE TABLE person(nr INTEGER PRIMARY KEY, name TEXT, photo BLOB);"
        "CREATE TABLE knows(a INTEGER REFERENCES person(nr), b INTEGER REFERENCES person(nr), PRIMARY KEY(a, b));"
        "CREATE VIEW v AS SELECT load_extension('x') FROM person;"
        "INSERT INTO person VALUES(1, 'Ann', x'00'), (2, 'O''Neil', NULL); INSERT INTO knows VALUES(1, 2);"
    )
    database.close()
    before = (folder.path / "shop.sqlite").read_bytes()
    outcome = folder.run("import", "shop.sqlite", "--target", "person.name", "--positive", "Ann")
    assert outcome.stdout.splitlines() == [
        *("bias(name(person)).", "bias(knows(person, person)).", "begin(model(example))."),
        *(
            "knows(person_1, person_2).",
            "query(name(person_1), 1.0).",
            "query(name(person_2), 0.0).",
            "end(model(example)).",
        ),
    ]
    assert "v is a view or of an extension, and not read" in outcome.stderr
    assert "person.photo has binary or nested values and is left out" in outcome.stderr
    assert (folder.path / "shop.sqlite").read_bytes() == before


def test_parquet(folder: Folder) -> None:
    import duckdb

    with duckdb.connect() as database:
        rows = "VALUES (1, 'x', 2.5::DECIMAL(4,2), DATE '2010-01-02', true), (2, 'y', NULL, NULL, false)"
        database.execute(
            f"COPY (SELECT * FROM ({rows}) t(id, colour, size, day, good)) TO 'p.parquet' (FORMAT parquet)"
        )
    outcome = folder.run("import", "p.parquet", "--target", "good")
    assert outcome.stdout.splitlines()[4:] == [
        *(
            "begin(model(p_1)).",
            "colour(p_1, x).",
            "size(p_1, 2.5).",
            "day(p_1, '2010-01-02').",
            "query(good(p_1), 1.0).",
        ),
        *("end(model(p_1)).", "begin(model(p_2)).", "colour(p_2, y).", "query(good(p_2), 0.0).", "end(model(p_2))."),
    ]


SMILES = "name,smiles,active,kind\nphenol,c1ccccc1O,1,good\nacetate,CC(=O)[O-],0,bad\n"


def test_smiles(folder: Folder) -> None:
    """Types, charges, rings and aromaticity, each of which can be left out; SDF and SMILES of a molecule agree."""
    folder.write({"m.csv": SMILES, "m.smi": "CC(=O)[O-] acetate\n"})
    acetate = [
        *("begin(model(acetate)).", "c3(a1).", "c2(a2).", "oco2(a3).", "oco2(a4).", "charge_minus_1(a4)."),
        *("bond(a1, a2, b1).", "bond(a2, a1, b1).", "b_1(b1).", "bond(a2, a3, b2).", "bond(a3, a2, b2).", "b_2(b2)."),
        *("bond(a2, a4, b3).", "bond(a4, a2, b3).", "b_1(b3).", "end(model(acetate))."),
    ]
    assert folder.run("import", "m.smi").stdout.splitlines() == acetate
    found = folder.run("import", "m.csv", "--label", "active").stdout.splitlines()
    assert {"ring(a6, r1).", "ring_6(r1).", "aromatic(r1).", "car(a1).", "b_ar(b1).", "query(active, 1.0)."} <= {*found}
    plain = folder.run(
        "import", "m.csv", "--without", "rings", "--without", "charges", "--without", "aromaticity"
    ).stdout
    assert not any(word in plain for word in ("ring", "charge", "ar(", "aromatic", "query"))
    assert (
        folder.run("import", "m.csv", "--label", "kind", "--positive", "good").stdout.count("query(active, 1.0).") == 1
    )
    assert folder.run("import", "m.csv", "--target", "toxic").stdout.count("query(toxic).") == 2


# Line ends, standard input, repetition


@pytest.mark.parametrize("files", ALL)
def test_windows_line_ends(folder: Folder, files: dict[str, str]) -> None:
    """The same data, also with a mark of UTF-8 at the beginning, and the same bytes when done again."""
    expected = lines(folder, files)
    assert lines(folder, files) == expected
    name = written(folder, files)
    for path in files:
        folder.write({path: b"\xef\xbb\xbf" + files[path].replace("\n", "\r\n").encode() if files[path] else b""})
    outcome = folder.run("import", name)
    assert (outcome.code, outcome.stdout.splitlines()) == (0, expected), outcome.stderr


@pytest.mark.parametrize("files", ALL)
def test_the_data_are_read_back(folder: Folder, files: dict[str, str]) -> None:
    assert imported(folder, files, "-o", "data.pl").code == 0
    outcome = folder.run("check", "data.pl", "--json")
    assert outcome.code == 0, outcome.stderr
    assert json.loads(outcome.stdout)["facts"] > 0


def test_standard_input(folder: Folder) -> None:
    outcome = folder.run("import", "-", "--target", "good", stdin="name,size,good\nann,2,1\nbob,3,0\n")
    assert "size(ann, 2)." in outcome.stdout.splitlines()
    assert "query(good(bob), 0.0)." in outcome.stdout.splitlines()


def test_names_of_any_kind(folder: Folder) -> None:
    """Names with quotes, capital letters, line marks and formulas are one constant each."""
    names = ["O'Neil", "Žofie", "=1+1", "a\u2028b", "x\\y", "007", "4", "-2.5"]
    outcome = imported(folder, {"z/train.tsv": "".join(f"{name}\tlikes\tcyd\n" for name in names)}, "-o", "data.pl")
    assert outcome.code == 0
    assert "likes('007', cyd)." in folder.read("data.pl") and "likes(4, cyd)." in folder.read("data.pl")
    assert json.loads(folder.run("check", "data.pl", "--json").stdout)["facts"] == len(names)


# What is wrong


@pytest.mark.parametrize(
    ("files", "name", "text", "message"),
    [
        (POPPER, "p/bk.pl", "p(a).\nq(b.\n", "p/bk.pl:2:4: syntax error"),
        (POPPER, "p/bk.pl", "p(a).\nq(X):-shell(X),!.\n", "p/bk.pl:2:1: the cut has no meaning here"),
        (POPPER, "p/bk.pl", "p(a).\nq('b).\n", "p/bk.pl:2:3: syntax error: this quote is never closed"),
        (POPPER, "p/bk.pl", "p(X).\n", "p/bk.pl:1:1: the fact p(X) is not ground"),
        (POPPER, "p/exs.pl", "pos(east(t1)).\neast(t2).\n", "p/exs.pl:2:1: an example is pos(Atom) or neg(Atom)"),
        (POPPER, "p/exs.pl", "pos(3).\n", "p/exs.pl:1:1: an example is pos(Atom) or neg(Atom)"),
        (POPPER, "p/bias.pl", "head_pred(east,1)\nbody_pred(p,1).\n", "p/bias.pl:2:1: a full stop is expected here"),
        (POPPER, "p/bias.pl", "type(east,(train,).\n", "p/bias.pl:1:19: "),
        (POPPER, "p/bias.pl", "type(east,(f(X),)).\n", "p/bias.pl:1:1: write type(name, (type, type))"),
        (POPPER, "p/bias.pl", "type(f(x),(a,)).\n", "p/bias.pl:1:1: write type(name, (type, type))"),
        (POPPER, "p/bias.pl", "body_pred(p,99999999999).\n", "a number of arguments, 1000 at most"),
        (POPPER, "p/bias.pl", f"body_pred(p,{'9' * 5000}).\n", "a number of arguments, 1000 at most"),
        (POPPER, "p/exs.pl", "", "p/exs.pl: the file is empty; exs.pl of Popper is expected here"),
        (ALEPH, "a/x.b", ":- modeb(1,p(+a)).\np(a.\n", "a/x.b:2:4: syntax error"),
        (ALEPH, "a/x.f", "east(X):-p(X).\n", "a/x.f:1:1: an example is a ground atom"),
        (
            ALEPH,
            "a/x.b",
            ":- determination(east,p/1).\n:- determination(east/1,p).\n",
            "a/x.b:2:1: write determination(",
        ),
        (
            SRLEARN,
            "s/train/train_facts.txt",
            "friends(alice,bob).\nfriends(alice bob).\n",
            "train_facts.txt:2:15: ) is expected",
        ),
        (SRLEARN, "s/train/train_facts.txt", "smokes(Alice).\n", "train_facts.txt:1:1: this atom has a variable"),
        (SRLEARN, "s/train/train_pos.txt", "cancer(alice)\n", "train_pos.txt:1:1: this has no full stop"),
        (SRLEARN, "s/train/train_pos.txt", "regressionExample(m(a),b).\n", "train_pos.txt:1:1: b is no finite number"),
        (SRLEARN, "s/train/train_pos.txt", "regressionExample(m(a),nan).\n", "1:1: nan is no finite number"),
        (SRLEARN, "s/train/train_pos.txt", "regressionExample(m(a),1e999).\n", "1:1: 1e999 is no finite number"),
        (SRLEARN, "s/train/train_facts.txt", "p(\u0663).\n", "train_facts.txt:1:3: '\u0663' is not expected here"),
        (SRLEARN, "s/background.txt", "mode: friends(+f(x)).\n", "background.txt:1:1: arguments of a mode are +type"),
        (SRLEARN, "s/background.txt", "friends(person,person).\n", "background.txt:1:1: arguments of a mode are +type"),
        (SRLEARN, "s/train/train_facts.txt", "p(" * 9999, "train_facts.txt:1:1: this has no full stop"),
        (SRLEARN, "s/train/train_facts.txt", "p(" * 9999 + ".\n", "train_facts.txt:1:103: terms are nested 50 deep"),
        (SRLEARN, "s/train/train_facts.txt", "p(+-+-a).\n", "train_facts.txt:1:3: + is not expected here"),
        (NEURALOGIC, "n/examples.txt", "<0.7 horse(aida).\n", "n/examples.txt:1:6: > is expected here, not horse"),
        (
            NEURALOGIC,
            "n/examples.txt",
            "horse(aida) parent(a,b).\n",
            "n/examples.txt:1:13: a full stop is expected here",
        ),
        (NEURALOGIC, "n/examples.txt", "[1, 2] horse(aida).\n", "n/examples.txt:1:1: vectors and matrices"),
        (NEURALOGIC, "n/examples.txt", "horse(a) :- b.\n", "n/examples.txt:1:10: rules in examples are not supported"),
        (NEURALOGIC, "n/queries.txt", "1.0 foal(star).\n", "there are 2 examples and 1 queries"),
        (NEURALOGIC, "n/template.txt", "{1} foal(X) :- horse(X)\n", "n/template.txt:1:1: this has no full stop"),
        (TUDATASET, "t/G_A.txt", "1, 2\n2, x\n3, 4\n", "t/G_A.txt:2:4: 'x' is no finite number"),
        (TUDATASET, "t/G_A.txt", "1, 2\n2, 3\n3, 4\n", "t/G_A.txt:2:1: this edge joins graphs 1 and 2"),
        (TUDATASET, "t/G_A.txt", "1, 2\n2, 9\n3, 4\n", "t/G_A.txt:2:1: an edge is two numbers of nodes, from 1 to 4"),
        (TUDATASET, "t/G_node_labels.txt", "6\n", "t/G_node_labels.txt:1:1: there are 1 lines, and 4 nodes"),
        (TUDATASET, "t/G_graph_indicator.txt", "0\n1\n2\n2\n", "t/G_graph_indicator.txt:1:1: the number of a graph"),
        (TUDATASET, "t/G_graph_indicator.txt", "1\n1\n2\n99999999999\n", "t/G_graph_indicator.txt:4:1: the number of"),
        (TUDATASET, "t/G_graph_indicator.txt", "1\n\u00b2\n2\n2\n", "t/G_graph_indicator.txt:2:1: '\u00b2' is no"),
        (TUDATASET, "t/G_node_labels.txt", "6\n6\n6\n1e999\n", "t/G_node_labels.txt:4:1: '1e999' is no finite"),
        (TRIPLES, "r/train.tsv", "a\tb\tc\na\tb\t\n", "r/train.tsv:2:1: a part of the triple is empty"),
        (TABLES, "d/customer.csv", "id,age\n1,2\n3\n", "d/customer.csv:3:1: there are 1 cells, and the header has 2"),
        (TABLES, "d/customer.csv", 'id,age\n1,"2\n', "d/customer.csv:2:1: this is not CSV"),
        (TABLES, "d/customer.csv", "id,id\n1,2\n", "d/customer.csv:1:1: the column id is there twice"),
        (TABLES, "d/customer.csv", "id,age\n", "d/customer.csv: there is no row after the header line"),
    ],
)
def test_faults(folder: Folder, files: dict[str, str], name: str, text: str, message: str) -> None:
    """One fault in a format: its place and what to do, exit code 1, and nothing is written."""
    outcome = imported(folder, {**files, name: text}, "-o", "data.pl")
    assert (outcome.code, outcome.stdout) == (1, "")
    assert message in outcome.stderr
    assert "data.pl" not in folder.content()


def test_faulty_smiles(folder: Folder) -> None:
    folder.write({"m.csv": "id,smiles\na,CCO\nb,C1CC\nc,C(C)(C)(C)(C)C\n"})
    outcome = folder.run("import", "m.csv", "-o", "data.pl")
    assert outcome.code == 1
    assert "m.csv:3:1: record 2, b: this is not a SMILES that RDKit can read" in outcome.stderr
    assert "m.csv:4:1: record 3, c: the structure is not valid" in outcome.stderr
    outcome = folder.run("import", "m.csv", "-o", "data.pl", "--skip-faulty", "--quiet")
    assert outcome.code == 0
    assert outcome.stderr.count("warning: m.csv:") == 2
    for options, message in (
        (("--smiles", "structure"), "m.csv:1:1: there is no column structure; columns are id, smiles"),
        (("--label", "active"), "m.csv:1:1: there is no column active"),
        (("--positive", "x"), "--positive, --negative and --classes need labels"),
    ):
        assert message in folder.run("import", "m.csv", *options).stderr


def test_clauses_that_cannot_be_said_are_left_out_on_demand(folder: Folder) -> None:
    files = {**POPPER, "p/bk.pl": POPPER["p/bk.pl"] + "loud(X):-short(X),format(X),!.\n"}
    assert imported(folder, files).code == 1
    outcome = imported(folder, files, "--skip-faulty")
    assert outcome.code == 0
    assert "warning: p/bk.pl:11:1: the cut has no meaning here" in outcome.stderr
    assert "loud" not in outcome.stdout


def test_damaged_databases(folder: Folder) -> None:
    folder.write({"a.sqlite": b"SQLite format 3\0" + b"\1" * 100, "b.parquet": b"PAR1" + b"\1" * 100})
    for name, what in (("a.sqlite", "this database is cut short"), ("b.parquet", "this Parquet file can't be read")):
        outcome = folder.run("import", name, "-o", "data.pl")
        assert outcome.code == 1 and f"{name}: {what}" in outcome.stderr


def test_databases_that_are_not_whole(folder: Folder) -> None:
    """SQLite would read the pages that are there, and print text that is none."""
    with contextlib.closing(sqlite3.connect("whole.sqlite")) as database:
        database.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)")
        database.execute("INSERT INTO t VALUES (1, 'a')")
        database.commit()
    whole = Path("whole.sqlite").read_bytes()
    with contextlib.closing(sqlite3.connect("odd.sqlite")) as database:
        database.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)")
        database.execute("INSERT INTO t VALUES (1, CAST(x'1b5b324aff' AS TEXT))")
        database.commit()
    folder.write({"cut.sqlite": whole[:5000], "packed.sqlite.gz": gzip.compress(whole)})
    assert folder.run("import", "whole.sqlite").code == 0
    for outcome, message in (
        (folder.run("import", "cut.sqlite"), "cut.sqlite: this database is cut short"),
        (folder.run("import", "packed.sqlite.gz"), "packed.sqlite.gz: a database is read from a file that is not"),
        (folder.run("import", "-", stdin=whole), "<stdin>: a database is read from a file that is not compressed"),
        (folder.run("import", "odd.sqlite"), "odd.sqlite: this database can't be read: Could not decode"),
    ):
        assert (outcome.code, outcome.stdout) == (1, "")
        assert message in outcome.stderr and "\x1b" not in outcome.stderr


def test_tables_that_grow(folder: Folder) -> None:
    """A few bytes are a million rows, or values of megabytes, or are computed when they are read."""
    import duckdb

    duckdb.sql("COPY (SELECT 1 AS y, 'a' AS b FROM range(3000000)) TO 'rows.parquet' (FORMAT parquet)")
    duckdb.sql("COPY (SELECT repeat('a', 9000000) AS b FROM range(9)) TO 'values.parquet' (FORMAT parquet)")
    with contextlib.closing(sqlite3.connect("computed.sqlite")) as database:
        database.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, b AS (hex(zeroblob(9000000))))")
        database.executemany("INSERT INTO t VALUES (?)", [(number,) for number in range(9)])
        database.commit()
    assert Path("rows.parquet").stat().st_size < 50_000
    for name in ("rows.parquet", "values.parquet", "computed.sqlite"):
        outcome = folder.run("import", name, "-o", "data.pl", "--memory-limit", "400")
        assert outcome.code == 1
        assert outcome.stderr.startswith(f"{name}: ") and outcome.stderr.endswith("allow more with --memory-limit\n")
    assert "data.pl" not in folder.content()


@pytest.mark.parametrize("name", ["t.parquet", "t.sqlite"])
def test_memory_that_is_not_to_be_had_for_a_table(folder: Folder, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine may refuse it before any limit of ours is met: the message still names the file, and what to do."""
    import duckdb

    duckdb.sql("COPY (SELECT 1 AS y) TO 't.parquet' (FORMAT parquet)")
    with contextlib.closing(sqlite3.connect("t.sqlite")) as database:
        database.execute("CREATE TABLE t (y INTEGER)")

    def refused() -> int:
        raise MemoryError

    monkeypatch.setattr("lrnn_cli.importers.tables.most_text", refused)
    outcome = folder.run("import", name, "-o", "data.pl")
    assert outcome.code == 1
    assert outcome.stderr.startswith(f"{name}: ") and outcome.stderr.endswith("allow more with --memory-limit\n")
    assert "data.pl" not in folder.content()


def test_the_time_of_an_import_is_limited(folder: Folder) -> None:
    folder.write({"many.tsv": "".join(f"a{number}\tlikes\tb{number}\n" for number in range(3000))})
    outcome = folder.run("import", "many.tsv", "--target", "likes", "--negatives", "3000", "--time-limit", "0.3")
    assert outcome.code == 1
    assert "the command was stopped after 0.3 s; allow more with --time-limit" in outcome.stderr


def test_times_with_zones(folder: Folder) -> None:
    import duckdb

    duckdb.sql("COPY (SELECT 1 AS id, TIMESTAMPTZ '2020-01-02 03:04:05+00' AS t) TO 'd.parquet' (FORMAT parquet)")
    assert "t(d_1, '2020-01-02 03:04:05+00')." in folder.run("import", "d.parquet").stdout


def test_links_do_not_lead_out_of_a_folder(folder: Folder) -> None:
    """Who made the folder has no say in what else is read; files that are named are."""
    assert imported(folder, POPPER).code == 0
    bias = Path("p/bias.pl")
    for target in ("../secret.pl", "kept.pl"):
        Path("p", target).write_text(POPPER["p/bias.pl"])
        bias.unlink()
        bias.symlink_to(target)
        outcome = folder.run("import", "p")
        if target == "kept.pl":
            assert outcome.code == 0
        else:
            message = "p/bias.pl: this link leads out of the folder; name the file that it leads to\n"
            assert (outcome.code, outcome.stdout, outcome.stderr) == (1, "", message)
            assert folder.run("import", "p/bk.pl", "p/exs.pl", "p/bias.pl").code == 0


def test_lines_of_old_systems(folder: Folder) -> None:
    folder.write({"old.csv": "id,x,y\r1,2,1\r2,3,0\r", "new.csv": "id,x,y\n1,2,1\n2,3,0\n"})
    old, new = (folder.run("import", f"{name}.csv", "--target", "y").stdout for name in ("old", "new"))
    assert "query(y(old_1), 1.0)." in old
    assert old.replace("old", "new") == new


def test_numbers_that_are_too_large_are_names(folder: Folder) -> None:
    folder.write({"r.tsv": "1e999\tr\t1.5e999\n\u0663\tr\t1e5\n"})
    text = folder.run("import", "r.tsv").stdout
    assert "r('1e999', '1.5e999')." in text and "r('\u0663', 100000.0)." in text


def test_deep_terms(folder: Folder) -> None:
    """Terms of any depth in Prolog files stay what they are."""
    deep = "f(" * 500 + "x" + ")" * 500
    files = {**POPPER, "p/bk.pl": f"{POPPER['p/bk.pl']}odd(c1,{deep}).\nnumbers(c1,{'s(' * 500}0{')' * 500}).\n"}
    assert f"odd(c1, {deep})." in lines(folder, files)


def test_nothing_in_a_file_is_run(folder: Folder) -> None:
    """Directives, goals and names that would do something do nothing."""
    touch = ":- shell('touch done').\n:- initialization(shell('touch done')).\n"
    assert imported(folder, {**POPPER, "p/bk.pl": touch + POPPER["p/bk.pl"]}).code == 0
    assert imported(folder, {**ALEPH, "a/x.b": touch + ALEPH["a/x.b"]}).code == 0
    assert "done" not in folder.content()


def test_formats_are_named(folder: Folder) -> None:
    folder.write({"x.txt": "hello\n"})
    outcome = folder.run("import", "x.txt")
    assert outcome.code == 1
    assert "this looks like no format that is known; name it with --format, one of popper, aleph" in outcome.stderr
    assert "there is no format acehs; there are popper" in folder.run("import", "x.txt", "--format", "acehs").stderr
    outcome = folder.run("import", "x.txt", "--format", "triples")
    assert "x.txt:1:1: there are 1 parts; a triple is head, relation and tail" in outcome.stderr
    outcome = imported(folder, POPPER, "--hydrogens")
    assert outcome.code == 2
    assert "--hydrogens has no meaning for the format popper" in outcome.stderr
    assert "there is no such file" in folder.run("import", "nothing.csv").stderr
    os.mkdir("empty")
    assert "there is no file in this folder" in folder.run("import", "empty").stderr


def test_sources_are_not_overwritten(folder: Folder) -> None:
    outcome = imported(folder, POPPER, "-o", "p/bk.pl")
    assert outcome.code == 1
    assert "p/bk.pl: --output would overwrite SOURCE" in outcome.stderr


def test_formats_of_the_entry_points() -> None:
    """Those that an installation declares are those that a checkout finds."""
    import configparser

    from lrnn_cli.importers.importer import GROUP, OWN, named_importer

    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    points = [line.split(" = ") for line in setup["options.entry_points"][GROUP].strip().splitlines()]
    assert dict(points) == OWN
    for name in OWN:
        assert named_importer(name).name == name


# Real data

OPTIONS = {"aleph/animals": ("--positive", "mammal"), "triples/nations": ("--target", "embassy")}
REAL = {
    "popper/trains2": (1000, 101),
    "popper/trains3": (1000, 1000),
    "popper/zendo1": (40, 40),
    "popper/iggp-rps-next-score": (58, 464),
    "popper/kinship-pi": (1, 6),
    "popper/noisy-alzheimer_amine": (1, 548),
    "aleph/hepatitis": (500, 500),
    "aleph/animals": (17, 14),
    "srlearn/toy_cancer": (2, 11),
    "srlearn/webkb": (4, 746),
    "srlearn/boston_housing": (449, 449),
    "neuralogic/trains": (20, 20),
    "neuralogic/family": (1, 2),
    "neuralogic/nations": (1, 5347),
    "triples/nations": (3, 196),
    "triples/kinship": (1, 0),
    "tudataset/PTC_MR": (344, 344),
}


@pytest.mark.skipif(not FORMATS.is_dir(), reason="LRNN_DATA_DIR has no formats")
@pytest.mark.parametrize("name", sorted(REAL))
def test_real_folders(folder: Folder, name: str) -> None:
    outcome = folder.run("import", str(FORMATS / name), *OPTIONS.get(name, ()), "-o", "data.pl")
    assert outcome.code == 0, outcome.stderr
    summary = json.loads(folder.run("check", "data.pl", "--json").stdout)
    examples, queries = REAL[name]
    assert summary["examples"] == examples
    assert sum(target["queries"] for target in summary["targets"]) == queries

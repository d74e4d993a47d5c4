"""Where nothing is learned, the message says what was nearest and which facts no rule could use."""

from __future__ import annotations

from conftest import Folder

from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder
from lrnn_cli.hypotheses.vocabulary import vocabulary
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.files import Source
from lrnn_cli.structure.nothing_learned import nearest_text, unused_facts_text


def test_facts_that_never_meet_the_target() -> None:
    """Names with capitals in one place and without in the other."""
    lines = [f"tall(p{n}). rich('P{n}'). knows('P{n}', 'P{n + 1}')." for n in range(4)]
    text = "\n".join([*lines, *(f"query(good(p{n}), {n % 2})." for n in range(4))])
    with open_grounder("swi", GrounderOptions()) as grounder:
        data = grounder.load(Source("data.pl", text.encode()))
        knowledge = grounder.knowledge(data)
    words = vocabulary(data, knowledge, data.queries)
    assert [str(name) for name in words.tables] == ["tall/1"]
    nearest = {Predicate("good", 1): ("good(V1) :- tall(V1)", 1.234)}
    assert nearest_text(nearest, 2.0) == [
        "the nearest candidate is good(V1) :- tall(V1), which raises the log likelihood by 1.23 where --gain asks for 2"
    ]
    assert unused_facts_text(data, knowledge, words) == [
        "knows/2, rich/1: never met, no chain of facts leads from the objects of good/1 to theirs; are names written "
        "the same everywhere?",
    ]


def test_no_fact_meets_the_target(folder: Folder) -> None:
    lines = [f"rich('P{n}'). query(good(p{n}), {n % 2})." for n in range(12)]
    folder.write({"data.pl": "\n".join(lines)})
    outcome = folder.run("learn-structure", "data.pl")
    assert (outcome.code, outcome.stdout) == (1, "")
    assert outcome.stderr.endswith(
        "to make rules of; no fact is about an object of a query; are names written the same everywhere?\n"
    )


def test_the_nearest_candidate(folder: Folder) -> None:
    """Half of the positive and half of the negative examples have q: no rule raises the likelihood."""
    blocks = [
        f"begin(model(m{n})). {'q(a).' if n % 4 < 2 else 'r(a).'} query(p, {n % 2}). end(model(m{n}))."
        for n in range(16)
    ]
    folder.write({"data.pl": "\n".join(blocks)})
    outcome = folder.run("learn-structure", "data.pl", "--conjunctions", "0")
    assert outcome.code == 1
    nearest = outcome.stderr.splitlines()[-1]
    assert nearest.startswith("the nearest candidate is p :- ")
    assert "raises the log likelihood by 0.0" in nearest
    assert nearest.endswith("where --gain asks for 2")


def test_whole_numbers_that_no_rule_compares(folder: Folder) -> None:
    """Above 4 and below it: with the sort number a threshold, without it names of their own for each count."""
    blocks = [
        f"begin(model(m{n})). count(a, {n % 8}). owner(a, p{n % 2}). query(p, {int(n % 8 > 4)}). end(model(m{n}))."
        for n in range(40)
    ]
    folder.write({"data.pl": "\n".join(blocks), "bias.pl": "\n".join(["bias(count(thing, number)).", *blocks])})
    outcome = folder.run("learn-structure", "data.pl", "--conjunctions", "0")
    assert outcome.code == 1
    assert outcome.stderr.splitlines()[-1] == (
        "whole numbers are names here: argument 2 of count/2; for conditions on them write the sort number there, in "
        "bias/1 lines as `lrnn check` shows them"
    )
    outcome = folder.run("learn-structure", "bias.pl", "--conjunctions", "0")
    assert outcome.code == 0
    assert "count(X, V1), V1 >= 5" in outcome.stdout or "count(V1, V2), V2 >= 5" in outcome.stdout


def test_a_model_that_is_no_better_than_the_majority(folder: Folder) -> None:
    """Targets follow no fact, and two predicates are about objects that nothing connects with those of queries.

    Examples with `tall` are equal, so all are held out at once, and what is left has no fact that a rule could use.
    """
    blocks = [
        f"begin(model(m{n})). {'tall(a). ' * (n % 2)}rich(b). knows(b, c). query(good(a), {int(n % 3 == 0)}). "
        f"end(model(m{n}))."
        for n in range(48)
    ]
    folder.write({"data.pl": "\n".join(blocks)})
    outcome = folder.run("learn-structure", "data.pl")
    assert outcome.code == 0
    assert "warning: good/1: on queries held out the model is not better" in outcome.stderr
    assert "knows/2, rich/1: never met, no chain of facts leads from the objects of good/1 to theirs" in outcome.stderr


def test_predicates_that_are_not_declared(folder: Folder) -> None:
    blocks = [f"begin(model(m{n})). q(a). {'r(a).' * (n % 2)} query(p, {n % 2}). end(model(m{n}))." for n in range(16)]
    folder.write({"data.pl": "bias(q(thing)).\n" + "\n".join(blocks)})
    outcome = folder.run("learn-structure", "data.pl", "--conjunctions", "0")
    assert outcome.code == 1
    assert outcome.stderr.splitlines()[-1] == (
        "r/1: not declared, so rules can't use them; add bias/1 lines, or delete all"
    )


def test_targets_of_a_regression(folder: Folder) -> None:
    folder.write(
        {"data.pl": "\n".join(f"begin(model(m{n})). q(a). query(p, {n}). end(model(m{n}))." for n in range(9))}
    )
    outcome = folder.run("learn-structure", "data.pl")
    assert (outcome.code, outcome.stdout) == (1, "")
    assert outcome.stderr.startswith("data.pl: nothing was learned: none of ")
    outcome = folder.run("learn-structure", "data.pl", "--task", "binary")
    assert outcome.stderr == (
        "data.pl: with --task binary targets are from 0 to 1, but 7 of 9 are not, the first is 2; leave --task out, or "
        "scale the targets\n"
    )


def test_facts_without_connection_change_nothing(folder: Folder) -> None:
    """Objects that no chain of facts connects with those of queries have no part in the model."""
    lines = [f"has(t{n}, c{n}). {'short' if n % 2 else 'long'}(c{n})." for n in range(30)]
    queries = [f"query(east(t{n}), {n % 2})." for n in range(20)]
    folder.write({"all.pl": "\n".join([*lines, *queries]), "asked.pl": "\n".join([*lines[:20], *queries])})
    quick = ("--iterations", "1", "--conjunctions", "5")
    models = [folder.run("learn-structure", name, *quick).stdout for name in ("all.pl", "asked.pl")]
    assert " :: east" in models[0]
    assert models[0].replace("all.pl", "asked.pl") == models[1]

"""Data too large to be looked at all at once: what is learned or predicted from parts, beside a second way."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import Folder
from test_learning import problem

import lrnn_cli as lrnn
from lrnn_cli.errors import LrnnError
from lrnn_cli.evaluation import predictions
from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder
from lrnn_cli.grounding.objects import ObjectNames
from lrnn_cli.grounding.renumbering import own_data
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.files import Source
from lrnn_cli.structure import learning, weights
from lrnn_cli.structure import problem as structure_problem
from lrnn_cli.structure.algorithm import learn_rules
from lrnn_cli.structure.observer import Observer
from lrnn_cli.structure.options import StructureOptions
from lrnn_cli.structure.side_by_side import beside
from lrnn_cli.structure.trials import bodies_of_targets

GRAPHS = """
begin(model(one)). e(a, b). 0.5 :: e(b, a). c(a). query(p(b), 1.0). end(model(one)).
begin(model(two)). e(x, y). c(z). query(q, 0.0). end(model(two)).
begin(model(three)). e(a, c). c(d). query(p(c), 0.0). query(q, 1.0). end(model(three)).
d(X, 7) :- c(X).
"""
"""Objects are a, b; x, y, z; a, c, d; and 7, which background makes for each example."""
TRAINS = Path(__file__).parents[1] / "datasets/trains/trains.pl"


@pytest.fixture(scope="module")
def trains() -> str:
    """Twenty trains."""
    return "".join(f"begin({block}" for block in TRAINS.read_text().split("begin(")[1:21])


def test_own_data_by_hand() -> None:
    """Examples one and three: their objects are numbered from 0 to 4, 7 of each example comes after."""
    with open_grounder("swi", GrounderOptions()) as grounder:
        data = grounder.load(Source("graphs.pl", GRAPHS.encode()))
        own, known = own_data(data, grounder.knowledge(data), np.array([0, 2]))
    names = list(known.names())
    assert names[:5] == ["a", "b", "a", "c", "d"]
    assert set(names[5:]) == {"7"}
    assert known.objects == len(names)
    edges, derived = known.tables[Predicate("e", 2)], known.tables[Predicate("d", 2)]
    assert edges.example.tolist() == [0, 0, 1]
    assert edges.objects.tolist() == [[0, 1], [1, 0], [2, 3]]
    assert known.soft[Predicate("e", 2)].atoms.objects.tolist() == [[1, 0]]
    assert derived.objects[:, 0].tolist() == [0, 4]
    assert [names[number] for number in derived.objects[:, 1]] == ["7", "7"]
    assert own.example_name == ("one", "three")
    assert own.first_object.tolist() == [0, 2, 5]
    assert own.queries.example.tolist() == [0, 1, 1]
    assert own.queries.argument.tolist() == [[1], [3], [-1]]


def test_object_names_are_a_sequence() -> None:
    names = ObjectNames(["a", "b", "a", "1.5"])
    assert list(names) == ["a", "b", "a", "1.5"] and len(names) == 4
    assert names[2] == "a" and names[1:] == ["b", "a", "1.5"]
    assert list(names.part(np.array([3, 0]))) == ["1.5", "a"]
    assert names.each(len, int).tolist() == [1, 1, 1, 3]


def test_a_sample_is_learned_as_a_file_of_its_own(monkeypatch: pytest.MonkeyPatch, trains: str) -> None:
    """From 12 of 20 trains the same rules and weights are learned as from a file of these 12."""
    monkeypatch.setattr(learning, "LEARNED", 12)
    noted: list[str] = []
    with lrnn.Session() as session:
        model = lrnn.learn(session.read_text(trains), iterations=1, note=noted.append).model
    assert noted[0] == "12 of 20 queries, drawn at random, are learned from"
    drawn = sorted(np.random.default_rng([1, 6]).permutation(20)[:12].tolist())
    blocks = trains.split("begin(")[1:]
    alone = "".join(f"begin({blocks[number]}" for number in drawn)
    with lrnn.Session() as session:
        again = lrnn.learn(session.read_text(alone), iterations=1).model
    assert model.text() == again.text()


@pytest.mark.parametrize("bodies", [0, 1000])
def test_predictions_in_parts(bodies: int, monkeypatch: pytest.MonkeyPatch, trains: str) -> None:
    """Seven trains at a time get the outputs of all at once, by joins and by SWI-Prolog; warnings come once.

    Joins are made by processes of their own, whose warnings go to the terminal only.
    """
    monkeypatch.setattr("lrnn_cli.grounding.regrounding.MANY_BODIES", bodies)
    warned: list[str] = []
    rules = (
        "1.0 :: l(C) :- car(C), roof_none(C). 2.0 :: eastbound :- l(C), next(C, D), l(D). 1.0 :: eastbound :- none(X)."
    )
    outputs = []
    with lrnn.Session(warn=warned.append, jobs=2) as session:
        data = session.read_text(trains)
        model = session.model_of_text(rules)
        for at_once in (100, 7):
            monkeypatch.setattr(predictions, "AT_ONCE", at_once)
            outputs.append(lrnn.predict(model, data).output)
            outputs.append(lrnn.predict(model, data.part(range(3, 19))).output)
    assert outputs[2] == pytest.approx(outputs[0], abs=1e-12)
    assert outputs[3] == pytest.approx(outputs[1], abs=1e-12)
    assert outputs[1] == pytest.approx(outputs[0][3:19], abs=1e-12)
    assert len(set(outputs[0].tolist())) > 1
    assert sum("none" in text for text in warned) == (4 if bodies else 2)


@pytest.mark.parametrize("members", [1, 3])
def test_large_data_with_two_jobs(members: int, monkeypatch: pytest.MonkeyPatch, trains: str) -> None:
    """Frequent bodies are found beside the rules, and what is likely to be chosen is learned beside the trial.

    The models are those of one job.
    """
    for module in ("ensemble", "selection"):
        monkeypatch.setattr(f"lrnn_cli.structure.{module}.SMALL", 10)
    texts = []
    for jobs in (1, 2):
        with lrnn.Session(jobs=jobs) as session:
            data = session.read_text(trains)
            model = lrnn.learn(data, iterations=1, conjunctions=5, ensemble=members).model
            texts.append(model.text())
    assert texts[0] == texts[1]
    assert len(model.members) == members


def test_members_of_an_ensemble_share_two_searches(folder: Folder) -> None:
    """Of more than 1,000 queries, rules are searched for two members; the third has those of the first.

    One example in seven is labelled wrongly, so there is something to be learned and to be left.
    """
    dots = [f"dot(d{number})." for number in range(14)]
    blocks = [
        f"begin(model(e{number})). {'red' if number % 2 else 'blue'}(a). {' '.join(dots[: number % 15])}"
        f" query(t, {(number + (number % 7 == 0)) % 2}). end(model(e{number})).\n"
        for number in range(1002)
    ]
    folder.write({"d.pl": "".join(blocks)})
    options = ("--ensemble", "3", "--iterations", "1", "--conjunctions", "2", "--run-dir", "runs", "-o", "m.pl")
    outcome = folder.run("learn-structure", "d.pl", *options)
    assert outcome.code == 0, outcome.stderr
    recorded = [(folder.path / f"runs/member_{number}/iterations.csv").exists() for number in (1, 2, 3)]
    assert recorded == [True, True, False]
    members = folder.read("m.pl").split("begin(model(")[1:]
    first, _, third = ([line.split(" :: ")[1] for line in member.splitlines() if " :: " in line] for member in members)
    assert first == third and any("latent" in rule for rule in first)


def test_something_beside_something_else() -> None:
    """It is done by another process, which is there no more afterwards; what goes wrong there is raised here.

    What it is told has way more room than a pipe has by itself, 64 kB, so telling does not wait.
    """
    most = np.arange(100_000, dtype=np.int8)

    def last(told: Callable[[], np.ndarray]) -> tuple[int, int]:
        return int(told()[-1]), os.getpid()

    with beside(last, 2) as (tell, found):
        tell(most)
        number, child = found()
        assert found() == (number, child) == (most[-1], child) and child != os.getpid()
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
    with beside(last, 1) as (tell, found):
        tell(most)
        assert found() == (most[-1], os.getpid())

    def failing(told: Callable[[], np.ndarray]) -> int:
        raise LrnnError("no luck")

    with pytest.raises(LrnnError, match="no luck"), beside(failing, 2) as (_, result):
        result()


def test_telling_does_not_wait() -> None:
    """A task that listens only after something else has been told still hears all of it."""
    told = np.arange(900_000) % 7 == 0
    may_listen, let_listen = multiprocessing.get_context("fork").Pipe(duplex=False)

    def late(listen: Callable[[], np.ndarray]) -> tuple[str, np.ndarray]:
        return may_listen.recv(), listen()

    with beside(late, 2) as (tell, found):
        tell(told)
        let_listen.send("now")
        word, heard = found()
    assert word == "now" and np.array_equal(heard, told)


def test_columns_of_rules_in_parts(monkeypatch: pytest.MonkeyPatch, trains: str) -> None:
    """Seven trains at a time have the columns of all at once."""
    E = problem(trains, StructureOptions(iterations=1, epochs=5))
    state = learn_rules(E)
    (whole,) = weights.rule_columns(E, state.rules, state.weights).values()
    (bodies,) = bodies_of_targets(E, Observer()).values()
    monkeypatch.setattr(structure_problem, "AT_ONCE", 7)
    (parts,) = weights.rule_columns(E, state.rules, state.weights).values()
    assert len(whole) == len(parts) == 3
    for one, other in zip(whole, parts, strict=True):
        assert other == pytest.approx(one, abs=1e-12)
    # Bodies are those that hold for five of seven trains; not all of the others order these differently.
    (some,) = bodies_of_targets(E, Observer()).values()
    column = {body: number for number, body in enumerate(bodies.bodies)}
    known = [body for body in some.bodies if body in column]
    assert len(known) > 20 and len(some) < len(bodies)
    for number, body in enumerate(some.bodies):
        if body in column:
            assert some.column(number) == pytest.approx(bodies.column(column[body]), abs=1e-12)

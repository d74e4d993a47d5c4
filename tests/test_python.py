"""The library: its page of documentation runs, and gives the bytes of the commands."""

from __future__ import annotations

import doctest
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Folder

import lrnn_cli as lrnn
from lrnn_cli.language.facts import fact_text, term_text

ROOT = Path(__file__).resolve().parents[1]
TRAINS = ROOT / "datasets" / "trains" / "trains.pl"
MODEL = "1.5 :: p(X) :- q(X, Y), r(Y).\n"
DATA = "begin(model(m)).\nq(a, b). r(b).\nquery(p(a), 1.0). query(p(b), 0.0).\nend(model(m)).\n"


def test_the_page_runs_and_writes_the_bytes_of_the_commands(folder: Folder) -> None:
    (folder.path / "datasets" / "trains").mkdir(parents=True)
    shutil.copy(TRAINS, folder.path / "datasets" / "trains")
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    example = text.split("<!-- example -->")[1].split("<!-- end of example -->")[0].replace("```", "")
    names: dict[str, object] = {}
    page = doctest.DocTestParser().get_doctest(example, names, "python.md", "docs/python.md", 0)
    assert len(page.examples) > 20
    runner = doctest.DocTestRunner()
    runner.run(page, clear_globs=False)
    assert runner.summarize() == (0, len(page.examples))
    names = page.globs
    part = ["datasets/trains/trains.pl", "--folds", "5", "--fold", "1"]
    learned = folder.run("learn-structure", *part, "--iterations", "2", "--conjunctions", "0", "-o", "c.pl", "--quiet")
    assert learned.code == 0
    assert folder.read("c.pl") == folder.read("model.pl")
    assert folder.run("predict", "model.pl", *part).stdout == names["predictions"].text()  # type: ignore[attr-defined]
    explained = folder.run("explain", "model.pl", part[0], "--example", "t3", "--top", "1").stdout
    assert explained == names["explanations"].text()  # type: ignore[attr-defined]
    assert f"<pre>{explained[:10]}" in names["explanations"]._repr_html_()  # type: ignore[attr-defined]
    if shutil.which("dot"):
        assert "<svg" in names["drawing"]._repr_svg_()  # type: ignore[attr-defined]


def test_importing_the_package_changes_nothing() -> None:
    program = (
        "import os, sys; before = dict(os.environ); import lrnn_cli; assert dict(os.environ) == before; "
        "lrnn_cli.Session, lrnn_cli.learn; assert 'learn' in dir(lrnn_cli); "
        "print([name for name in ('numpy', 'scipy', 'pyswip', 'click') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_names_that_are_not_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'learm'"):
        _ = lrnn.learm
    for name in lrnn.api.__all__:
        assert getattr(lrnn, name) is getattr(lrnn.api, name)


def test_threads_are_given_back() -> None:
    """While the library computes there is one thread for matrix products, and after it as many as before."""
    program = (
        "import numpy\nfrom threadpoolctl import threadpool_info, threadpool_limits\n"
        "from lrnn_cli.threads import one_thread\n"
        "threads = lambda: {library['num_threads'] for library in threadpool_info()}\n"
        "with threadpool_limits(2):\n    before = threads()\n    with one_thread():\n        inside = threads()\n"
        "    print(before == threads(), inside)\n"
    )
    environment = {name: value for name, value in os.environ.items() if not name.endswith("NUM_THREADS")}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout == "True {1}\n"


def test_facts_of_python_are_those_of_a_file() -> None:
    """The same examples as tuples and as text, names of any kind among them."""
    tuples = lrnn.Example(
        [("q", "A b", 1), ("q", "it's", -2.5), (0.5, "r", ("f", "x", [1, "y"])), "s(c).", ("dynamic",)],
        [(("p", "A b"), 1.0), ("p(c)", 0)],
        name="ex 1",
        fold=2,
    )
    text = (
        "begin(model('ex 1')). fold(2). q('A b', 1). q('it\\'s', -2.5). 0.5 :: r(f(x, [1, y])). s(c). (dynamic).\n"
        "query(p('A b'), 1.0). query(p(c), 0.0). end(model('ex 1'))."
    )
    with lrnn.Session(jobs=1) as session:
        first, second = session.read_examples([tuples]), session.read_text(text)
        assert first.content.predicates == second.content.predicates
        assert first.queries.text == second.queries.text == ("p('A b')", "p(c)")
        assert first.queries.target.tolist() == [1.0, 0.0]
        assert first.example_names == second.example_names == ["'ex 1'"]
        assert first.content.example_fold.tolist() == [2]
        assert list(first.knowledge.names()) == list(second.knowledge.names())


@pytest.mark.parametrize("value", [None, True, float("nan"), float("inf"), {}, ("f",), (1, 2), object()])
def test_values_that_are_no_terms(value: object) -> None:
    with pytest.raises(lrnn.LrnnError, match=r"<examples>: .* is no term"):
        term_text(value)


@pytest.mark.parametrize("fact", [(), (0.5,), (None, "a"), (1.0, 2.0)])
def test_tuples_that_are_no_facts(fact: tuple[object, ...]) -> None:
    with pytest.raises(lrnn.LrnnError, match="is no fact"):
        fact_text(fact)


def test_examples_that_hold_others() -> None:
    """Facts as text can't smuggle in another example, and faults say where they are."""
    with lrnn.Session(jobs=1) as session:
        with pytest.raises(lrnn.LrnnError, match="the names must be the same"):
            session.read_examples([lrnn.Example("q(a). end(model(1)). begin(model(2)). q(b).")])
        with pytest.raises(lrnn.LrnnError, match="<examples>"):
            session.read_examples([lrnn.Example("q(a). end(model(1)). end_of_file."), lrnn.Example("q(a).")])
        with pytest.raises(lrnn.LrnnError, match="there is no example"):
            session.read_examples([])
        with pytest.raises(lrnn.LrnnError, match=r"<examples>:2:\d+: "):
            session.read_examples([lrnn.Example("q(a b).")])


def test_several_data_sets_in_one_session(folder: Folder) -> None:
    """Each keeps its facts, whichever was read last; models are read in between."""
    folder.write({"m.pl": MODEL, "d.pl": DATA})
    with lrnn.Session(jobs=1) as session:
        first = session.read("d.pl")
        second = session.read_text(DATA.replace("r(b).", ""))
        model = session.read_model(folder.path / "m.pl")
        outputs = [lrnn.predict(model, data).output.tolist() for data in (first, second, first)]
    assert outputs[0] == outputs[2]
    assert outputs[0][0] > outputs[1][0]
    assert folder.run("predict", "m.pl", "d.pl").stdout == lrnn_text(outputs[0])


def lrnn_text(outputs: list[float]) -> str:
    rows = [
        f"m\tp({name})\t{target}\t{output!r}\n" for name, target, output in zip("ab", (1.0, 0.0), outputs, strict=True)
    ]
    return "example\tatom\ttarget\toutput\n" + "".join(rows)


def test_a_session_that_is_closed(folder: Folder) -> None:
    """Facts that were taken before can be learned from; others are gone, which is said."""
    with lrnn.Session(jobs=1) as session:
        model, data = session.model_of_text(MODEL), session.read_text(DATA)
    with pytest.raises(lrnn.LrnnError, match="the session is closed"):
        lrnn.predict(model, data)
    with pytest.raises(lrnn.LrnnError, match="the session is closed"):
        session.read_text(DATA)


def test_options_are_held_to_their_bounds() -> None:
    with lrnn.Session(jobs=1) as session:
        data = session.read_text(DATA)
        with pytest.raises(lrnn.LrnnError, match="the option iterations is 0; give a number that is at least 1"):
            lrnn.learn(data, iterations=0)
        with pytest.raises(lrnn.LrnnError, match="there is no option itertions; options are"):
            lrnn.learn(data, itertions=1)
        with pytest.raises(lrnn.LrnnError, match="the option loss is 'hinge'; choose one of squared, log"):
            lrnn.train(lrnn.ground(session.template_of_text(MODEL), data), loss="hinge")
    with pytest.raises(lrnn.LrnnError, match="the option jobs is 0"):
        lrnn.Session(jobs=0)


def test_the_papers_options() -> None:
    """Those of the paper where nothing else is given."""
    assert lrnn.structure_options() == lrnn.StructureOptions()
    options = lrnn.structure_options(as_in_the_paper=True, rules=2)
    assert (options.rules, options.aggregation, options.conjunctions) == (2, "mean", 0)


def test_training_from_python_is_that_of_the_command(folder: Folder) -> None:
    folder.write({"t.pl": MODEL.replace("1.5", "_"), "d.pl": DATA})
    assert folder.run("ground", "t.pl", "d.pl", "-o", "g.npz", "--quiet").code == 0
    assert folder.run("train", "g.npz", "--epochs", "20", "--batch-size", "1", "-o", "c.pl", "--quiet").code == 0
    with lrnn.Session(jobs=1) as session:
        groundings = lrnn.ground(session.read_template("t.pl"), session.read("d.pl"))
        lrnn.save_groundings(groundings, "p.npz")
    trained = lrnn.train(lrnn.load_groundings("p.npz"), epochs=20, batch_size=1)
    assert trained.model.text() == folder.read("c.pl")
    assert (folder.path / "p.npz").read_bytes() == (folder.path / "g.npz").read_bytes()
    assert len(trained.history().splitlines()) == 22

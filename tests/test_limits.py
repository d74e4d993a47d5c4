"""Limits of memory, disk and time: what is too large is counted before it is made, and a watch stands behind it all."""

from __future__ import annotations

import gzip
import os
import re
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import Folder
from test_semantics import grounded

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from memory_limits import COMMANDS, TEMPLATE, graphs, measured  # noqa: E402

from lrnn_cli import limits  # noqa: E402
from lrnn_cli.baselines.clausal import learn_baseline  # noqa: E402
from lrnn_cli.baselines.options import BaselineOptions  # noqa: E402
from lrnn_cli.engine.process import PrologProcess  # noqa: E402
from lrnn_cli.errors import LimitError, ReadError  # noqa: E402
from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder  # noqa: E402
from lrnn_cli.grounding.joins.relations import Relations, TooManyRows  # noqa: E402
from lrnn_cli.grounding.reading.reader import Reader  # noqa: E402
from lrnn_cli.grounding.tables import Table, row_bytes  # noqa: E402
from lrnn_cli.language.clauses import Predicate  # noqa: E402
from lrnn_cli.language.files import Source, read_bytes  # noqa: E402
from lrnn_cli.limits import MB, Watch  # noqa: E402
from lrnn_cli.structure import problem  # noqa: E402
from lrnn_cli.structure.algorithm import learn_rules  # noqa: E402
from lrnn_cli.structure.observer import Observer  # noqa: E402
from lrnn_cli.structure.options import StructureOptions  # noqa: E402
from lrnn_cli.structure.problem import Allowance, Problem, make_problem  # noqa: E402
from lrnn_cli.structure.rules import written_template  # noqa: E402
from lrnn_cli.structure.state import LearningState  # noqa: E402
from lrnn_cli.structure.target_search import regression_of  # noqa: E402
from lrnn_cli.structure.weights import weighted_facts  # noqa: E402

LIMIT = 220
TOO_MANY = r"template\.pl:1:1: this rule has more than [\d,]+ groundings, counting partial ones, "
OUTCOMES = {
    "ground swi": (1, TOO_MANY),
    "ground duckdb": (1, TOO_MANY),
    "ground joins": (1, TOO_MANY),
    "learn-structure": (
        0,
        r"left out, since --groundings or --memory-limit is too small for them: edge\(V1, V2\), edge",
    ),
    "learn-structure, some bodies explode": (
        0,
        r"left out, since --groundings or --memory-limit is too small for them: edge",
    ),
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_complete_graphs_end_within_the_limit(name: str, tmp_path: Path) -> None:
    """All processes and temporary files together. Chains of three edges have 154 million groundings here."""
    names = {"folder": str(tmp_path), **{name: str(tmp_path / f"{name}.pl") for name in ("template", "data", "mixed")}}
    (tmp_path / "template.pl").write_text(TEMPLATE)
    (tmp_path / "data.pl").write_text(graphs(80, False))
    (tmp_path / "mixed.pl").write_text(graphs(80, True))
    (tmp_path / "temporary").mkdir()
    command = [word.format(**names) for word in COMMANDS[name]]
    peak = measured([*command, "--memory-limit", str(LIMIT), "--jobs", "2"], str(tmp_path / "temporary"))
    code, message = OUTCOMES[name]
    assert peak.code == code, peak.message
    assert re.search(message, peak.message), peak.message
    assert peak.together <= LIMIT * MB
    assert list((tmp_path / "temporary").iterdir()) == []
    if code == 0:
        assert (tmp_path / "model.pl").read_text().count(" :- ") > 1


# Joins


def star(leaves: int) -> Relations:
    """One node with edges to and from all others."""
    pairs = [(0, leaf) for leaf in range(1, leaves + 1)] + [(leaf, 0) for leaf in range(1, leaves + 1)]
    edges = Table(np.zeros(len(pairs), np.int32), np.array(pairs, np.int32))
    start = Table(np.zeros(1, np.int32), np.zeros((1, 0), np.int32))
    return Relations({Predicate("edge", 2): edges}, {}, {None: start}, leaves + 1, False)


def test_joins_are_counted_before_they_are_made() -> None:
    """Paths of two edges in a star of n leaves: n * n over its middle, n from the middle to a leaf and back."""
    edge = Predicate("edge", 2)
    path = ((edge, (0, 1)), (edge, (1, 2)))
    relations = star(50)
    assert len(relations.joined(None, path)) == 50 * 50 + 50
    relations = star(50)
    relations.memory = row_bytes(3) * 2550
    assert len(relations.joined(None, path)) == 2550
    relations = star(50)
    relations.memory = row_bytes(3) * 2549
    for _ in range(2):
        with pytest.raises(TooManyRows) as error:
            relations.joined(None, (*path, (edge, (2, 3))))
        assert error.value.rows == 2550
    assert relations.too_large() == {path: 2550}
    # Four thousand million rows are counted, not made.
    relations = star(65_536)
    relations.memory = 100 * MB
    with pytest.raises(TooManyRows) as error:
        relations.joined(None, path)
    assert error.value.rows == 65_536 * 65_537


def test_a_search_leaves_out_joins_that_are_out_of_proportion() -> None:
    """Whether the join is there already, for a rule of the model, or not; what begins with it is left out with it."""
    edge = Predicate("edge", 2)
    path = ((edge, (0, 1)), (edge, (1, 2)))
    for made_before in (False, True):
        relations = star(50)
        relations.most_rows = 2549
        if made_before:
            assert len(relations.joined(None, path)) == 2550
        for body in (path, (*path, (edge, (2, 0)))):
            with pytest.raises(TooManyRows) as error:
                relations.joined(None, body, searching=True)
            assert error.value.rows == 2550
        assert len(relations.joined(None, path)) == 2550
        assert relations.too_large() == {path: 2550}
    relations.most_rows = 2550
    assert len(relations.joined(None, path, searching=True)) == 2550


def test_bodies_with_too_many_groundings_for_each_query_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """4 graphs of 132 edges and 12 of 20: 768 for 16 queries."""
    monkeypatch.setattr(problem, "LEAST_ROWS", 0)
    _, state, notes = learned(graphs(12, True), 0, length=3, groundings=20)
    assert state.iterations
    too_small = "left out, since --groundings or --memory-limit is too small for them"
    assert notes == [f"{too_small}: edge(V1, V2) (768 groundings)"]
    assert learned(graphs(12, True), 0, length=3, groundings=0)[2] == []


def test_a_literal_of_known_variables_is_a_test() -> None:
    """It may be added to a table however many facts its arguments have, and keeps the order of rows."""
    edge = Predicate("edge", 2)
    relations = star(6)
    relations.memory = row_bytes(2) * 12
    table = relations.joined(None, ((edge, (0, 1)), (edge, (1, 0))))
    assert table.objects.tolist() == relations.tables[edge].objects.tolist()


def learned(
    text: str, memory: int, jobs: int = 1, length: int = 7, groundings: int = 300
) -> tuple[Problem, LearningState, list[str]]:
    """A run of Algorithm 1, and what it noted."""
    notes: list[str] = []
    with open_grounder("swi", GrounderOptions()) as grounder:
        data = grounder.load(Source("data.pl", text.encode()))
        knowledge = grounder.knowledge(data)
    options = StructureOptions(iterations=2, epochs=20, final_epochs=10, length=length, groundings=groundings)
    E = make_problem(data, knowledge, data.queries, options, Allowance(jobs, memory=memory))
    return E, learn_rules(E, None, Observer(note=notes.append)), notes


def test_left_out_bodies_are_told_once_and_learning_goes_on() -> None:
    """The same model whatever the number of threads; without a limit, nothing is left out."""
    text = graphs(24, True)
    memory = 4 * row_bytes(3) * 40_000
    models = []
    for jobs in (1, 2):
        E, state, notes = learned(text, memory, jobs)
        models.append(written_template(E, state.rules, state.weights))
        assert state.iterations
        assert any(atom.name == "link" for rule in models[-1].rules for atom in rule.body)
        told = [body for note in notes for body in re.findall(r"edge\([^;]* groundings\)", note)]
        assert told and len(set(told)) == len(told)
        assert len(notes) <= len(state.iterations) + 1
    assert models[0] == models[1]
    assert learned(text, 0, length=3)[2] == []


def test_rules_of_the_model_keep_their_columns() -> None:
    """What is left for further rules says nothing of those that are there."""
    E, state, _ = learned(graphs(8, True), 0, length=3)
    R, W = state.rules, state.weights
    F = weighted_facts(E, R, W)
    (target,) = E.targets
    before = regression_of(E, F, R, W, target).columns
    assert state.iterations and before[:, 1:].any()
    F = replace(F, most_rows=1)
    assert (regression_of(E, F, R, W, target).columns == before).all()
    assert F.collapsed(R.targets[target][0].shape) is None


def test_nothing_fits() -> None:
    """Then it is said that memory is the reason: of edges alone, too many for any rule, or of single objects."""
    text = graphs(12, False)
    with pytest.raises(
        LimitError, match=r"data\.pl: \d+ groundings of latent predicates take more memory than is allowed"
    ):
        learned(text, 200)
    _, state, _ = learned(re.sub(r"(red|blue)\(n\d+\)\.", "", text), 200)
    assert not state.iterations
    assert state.reason == "all candidate rules have too many groundings"
    assert state.remedy == "allow more with --groundings or --memory-limit"


def test_baselines_leave_out_what_is_too_large(tmp_path: Path) -> None:
    with open_grounder("swi", GrounderOptions()) as grounder:
        data = grounder.load(Source("data.pl", graphs(60, True).encode()))
        knowledge = grounder.knowledge(data)
    found = learn_baseline(data, knowledge, None, BaselineOptions(clauses=1, memory_limit=150))
    assert any("refinements with more than" in remark for remark in found.remarks)
    assert "gold" in str(found.models[0].clauses[0]) or "grey" in str(found.models[0].clauses[0])


# Grounders


@pytest.mark.parametrize("name", ["swi", "duckdb"])
def test_rows_of_a_rule(name: str) -> None:
    """12 nodes, 132 edges and 1452 paths: a table for them is made, one for fewer is an error."""
    edges = " ".join(f"edge(n{a}, n{b})." for a in range(12) for b in range(12) if a != b)
    data = f"begin(model(m)). {edges} query(p, 1). end(model(m))."
    template = "0.5 :: p :- edge(X, Y).\n1.0 :: p :- edge(X, Y), edge(Y, Z)."
    with open_grounder(name, GrounderOptions(table_memory=1700 * row_bytes(3))) as grounder:
        assert sorted(map(len, grounded(grounder, template, data).tables)) == [132, 1452]
    with open_grounder(name, GrounderOptions(table_memory=900 * row_bytes(3))) as grounder:
        with pytest.raises(LimitError, match=r"^template\.pl:2:1: this rule has more than 900 groundings, ") as error:
            grounded(grounder, template, data)
        assert str(error.value).endswith("or allow more with --memory-limit")


def test_endless_growth(folder: Folder) -> None:
    """Whether SWI-Prolog notices first or the watch, the clause is named."""
    folder.write(
        {
            "t.pl": "0.5 :: p(X) :- q(X), tree(Y).\n",
            "d.pl": "begin(model(m)). q(a). query(p(a), 1). end(model(m)).\ntree(a).\ntree(t(X, X)) :- tree(X).\n",
        }
    )
    outcome = folder.run("predict", "t.pl", "d.pl", "-o", "out.tsv", "--memory-limit", "400", "--jobs", "1")
    assert outcome.code == 1
    assert outcome.stderr.startswith(("d.pl:3:1: SWI-Prolog needed more than 68 MB", "d.pl:3:1: the command took "))
    assert outcome.stderr.rstrip(".\n").endswith("allow more with --memory-limit")
    assert sorted(folder.content()) == ["d.pl", "t.pl"]


# The watch


def test_memory_is_watched() -> None:
    with Watch() as watch:
        watch.limit_memory(150)
        with pytest.raises(LimitError, match=r"the command took \d+ MB of memory and 0 MB of temporary files"):
            kept = []
            for _ in range(1000):
                kept.append(bytearray(b"x" * MB))
                time.sleep(0.002)


def test_memory_that_was_reserved_before_is_not_counted() -> None:
    """Libraries of a program reserve what they never use, for threads say."""
    reserved = np.empty(800 * MB, np.uint8)
    with Watch() as watch:
        watch.limit_memory(150)
        assert len(bytearray(b"x" * (100 * MB))) == 100 * MB
        with pytest.raises(MemoryError):
            np.empty(2**33, np.uint8)
    assert len(reserved) == 800 * MB


def test_memory_of_other_processes_is_watched_and_shared_pages_count_once() -> None:
    """A copy of this process shares its memory at first; what it then takes for itself counts."""
    kept = bytearray(b"x" * (60 * MB))
    reading, writing = os.pipe()
    with Watch() as watch:
        watch.limit_memory(150)
        child = os.fork()
        if not child:
            # Whatever happens, tests go on in one process only.
            try:
                os.read(reading, 1)
                grown = []
                while True:
                    grown.append(bytearray(b"y" * MB))
                    time.sleep(0.002)
            finally:
                os._exit(1)
        try:
            time.sleep(0.5)
            os.write(writing, b"x")
            with pytest.raises(LimitError, match=r"the command took 1\d\d MB of memory"):
                time.sleep(600)
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(reading)
            os.close(writing)
    assert len(kept) == 60 * MB


def test_temporary_files_are_watched() -> None:
    with Watch() as watch, tempfile.TemporaryFile() as file:
        watch.limit_memory(150)
        with pytest.raises(LimitError, match="MB of temporary files, more than the 150 MB that it may"):
            for _ in range(1000):
                file.write(b"x" * MB)
                file.flush()
                time.sleep(0.002)


def test_a_single_step_can_not_allocate_more() -> None:
    """A step of NumPy is over before the watch looks; the system refuses it the memory."""
    with Watch() as watch:
        watch.limit_memory(200)
        with pytest.raises(MemoryError):
            np.ones(2**33, np.uint8)
    assert len(np.empty(2**33, np.uint8)) == 2**33


@pytest.mark.parametrize("name", ["d.pl", "t.pl", "more.pl"])
def test_the_end_of_the_time_names_the_file(name: str) -> None:
    """Whatever SWI-Prolog is asked for: facts of data that are loaded, a template, or other data."""
    with PrologProcess() as process, Reader(GrounderOptions(), process) as reader:
        data = reader.load(Source("d.pl", b"begin(model(m)). c(a). end(model(m))."))
        requests: dict[str, Callable[[], object]] = {
            "d.pl": lambda: reader.facts(data).store.object_names(),
            "t.pl": lambda: reader.read_template(Source("t.pl", b"_ :: p :- c(X).")),
            "more.pl": lambda: reader.load(Source("more.pl", b"begin(model(m)). c(a). end(model(m)).")),
        }
        process.limit_time(0.001, 0.001)
        with pytest.raises(LimitError, match=rf"^{name}: SWI-Prolog was stopped after 0\.001 s\. "):
            requests[name]()


def test_waiting_ends_with_the_time() -> None:
    with Watch() as watch:
        watch.limit_time(0.1)
        with pytest.raises(LimitError, match=r"the command was stopped after 0\.1 s; allow more with --time-limit"):
            time.sleep(600)


def test_the_time_limit_holds_for_learning(folder: Folder) -> None:
    folder.write({"data.pl": graphs(6, True)})
    options = ["--epochs", "100000000", "--time-limit", "3", "--quiet"]
    outcome = folder.run("learn-structure", "data.pl", "-o", "model.pl", *options)
    assert (outcome.code, outcome.stderr) == (1, "the command was stopped after 3 s; allow more with --time-limit\n")
    assert sorted(folder.content()) == ["data.pl"]


# What there is


@pytest.mark.parametrize(
    ("group", "files", "expected"),
    [
        ("0::/a/b\n", {"a/memory.max": "1073741824\n", "a/b/memory.max": "max\n"}, 512),
        ("0::/\n", {"memory.max": "2147483648\n"}, 1024),
        ("4:cpu,memory:/x\n0::/\n", {"memory/x/memory.limit_in_bytes": "536870912\n"}, 256),
    ],
)
def test_the_limit_of_a_control_group(
    group: str, files: dict[str, str], expected: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The least limit of the group and those around it; half of it is for the command."""
    for name, text in {"proc/self/cgroup": group, **{f"groups/{name}": text for name, text in files.items()}}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(limits, "PROCESSES", tmp_path / "proc")
    monkeypatch.setattr(limits, "GROUPS", tmp_path / "groups")
    assert limits.default_limit() == expected


def test_no_limit(folder: Folder) -> None:
    folder.write({"t.pl": "0.5 :: p :- c(X).", "d.pl": "c(a). query(p, 1)."})
    assert folder.run("predict", "t.pl", "d.pl", "--memory-limit", "0").code == 0


# Reading


def test_compressed_files_that_grow(tmp_path: Path) -> None:
    """100 KB that become 100 MB: reading stops at what memory is allowed for."""
    path = tmp_path / "data.pl.gz"
    path.write_bytes(gzip.compress(b"p(a).\n" * (100 * MB // 6)))
    assert path.stat().st_size < MB
    with Watch() as watch:
        watch.limit_memory(400)
        with pytest.raises(ReadError, match=r"data\.pl\.gz: there are more than 50 MB of text"):
            read_bytes(str(path))
    with Watch() as watch:
        watch.limit_memory(0)
        assert len(read_bytes(str(path))[1]) == 100 * MB // 6 * 6


def test_endless_files() -> None:
    with Watch() as watch:
        watch.limit_memory(80)
        with pytest.raises(ReadError, match="/dev/zero: there are more than 10 MB of text"):
            read_bytes("/dev/zero")

"""Figures of runs: projections by hand, names that do not cover each other, and whatever a run directory may hold."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from conftest import Folder

from lrnn_cli.report.run_records import RunRecord, ScoredRule, read_run

plots = pytest.importorskip("lrnn_cli.report.plots")

ROOT = Path(__file__).resolve().parents[1]
SVG = "{http://www.w3.org/2000/svg}"


def write_run(
    folder: Folder,
    name: str = "run",
    embeddings: Sequence[str] = ("predicate,latent_1_1,latent_1_2\nc,1.0,0.5\no,-1.0,0.25\n",),
    options: dict[str, object] | None = None,
) -> None:
    """A run of as many iterations as there are embeddings, with one rule and two epochs each."""
    (folder.path / name).mkdir(parents=True)
    rules, iterations = "iteration,log_loss,rule\n", "iteration,candidates,training_loss,validation_loss\n"
    for number, embedding in enumerate(embeddings, 1):
        folder.write({f"{name}/embedding_{number}.csv": embedding})
        folder.write({f"{name}/history_{number}.csv": f"epoch,loss\n0,{1 / number}\n1,{0.5 / number}\n"})
        rules += f'{number},{0.5 / number},"p(A) :- q(A, B), latent_1_1(B)"\n'
        iterations += f"{number},10,0.25,\n"
    configuration = json.dumps({"options": options or {"seed": 1}, "data_digest": "d"})
    folder.write(
        {
            f"{name}/configuration.json": configuration,
            f"{name}/rules.csv": rules,
            f"{name}/iterations.csv": iterations,
        }
    )


def texts(svg: str) -> list[str]:
    return ["".join(text.itertext()) for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def record(names: Sequence[str], embedding: np.ndarray) -> RunRecord:
    steps = len(embedding)
    losses = tuple(np.array([0.5, 0.4]) for _ in range(steps))
    rules = tuple(ScoredRule(number, 0.5 / number, "p :- q") for number in range(1, steps + 1))
    return RunRecord("run", {}, tuple(range(1, steps + 1)), tuple(names), embedding, losses, (None,) * steps, rules)


# Principal components


def test_components_of_points_on_a_line() -> None:
    """(0, 0, 7), (1, -1, 7), (2, -2, 7): all variance is in the direction (1, -1, 0) / sqrt 2."""
    projected, part = plots.principal_components(np.array([[0.0, 0.0, 7.0], [1.0, -1.0, 7.0], [2.0, -2.0, 7.0]]))
    root = np.sqrt(2.0)
    assert np.abs(projected[:, 0]) == pytest.approx([root, 0.0, root], abs=1e-12)
    assert projected[2, 0] == -projected[0, 0]
    assert projected[:, 1] == pytest.approx([0.0] * 3, abs=1e-12)
    assert part == pytest.approx([1.0, 0.0])


def test_components_are_eigenvectors_of_the_covariance() -> None:
    points = np.random.default_rng(3).normal(size=(40, 5)) * [3.0, 1.0, 2.0, 0.5, 1.0]
    projected, part = plots.principal_components(points)
    values, vectors = np.linalg.eigh(np.cov(points.T))
    for column, place in ((0, -1), (1, -2)):
        vector = vectors[:, place] * np.sign(vectors[np.abs(vectors[:, place]).argmax(), place])
        assert projected[:, column] == pytest.approx((points - points.mean(axis=0)) @ vector)
        assert part[column] == pytest.approx(values[place] / values.sum())


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        (np.array([[1.0], [3.0]]), [[-1.0, 0.0], [1.0, 0.0]]),
        (np.array([[2.0, 2.0], [2.0, 2.0]]), [[0.0, 0.0], [0.0, 0.0]]),
        (np.array([[2.0, 5.0]]), [[0.0, 0.0]]),
    ],
)
def test_components_of_few_points(points: np.ndarray, expected: list[list[float]]) -> None:
    projected, _ = plots.principal_components(points)
    assert projected.tolist() == expected


# Names beside points


def test_names_do_not_cover_each_other() -> None:
    """Of 60 crowded points most are named; the boxes of all names are apart, inside the panel and off the points."""
    names = [f"predicate_{number}" for number in range(60)]
    embedding = np.random.default_rng(5).normal(size=(3, 60, 4))
    figure, unnamed = plots.embedding_figure([record(names, embedding)], ["run"])
    panel = figure.axes[0]
    shown = [text for text in panel.texts if text.get_text() in names]
    assert len(shown) == 60 - unnamed
    assert unnamed < 10
    boxes = [text.get_window_extent() for text in shown]
    for number, box in enumerate(boxes):
        assert not any(box.shrunk(0.99, 0.99).overlaps(other.shrunk(0.99, 0.99)) for other in boxes[:number])
    frame = panel.get_window_extent()
    assert all(frame.x0 - 1 <= box.x0 and box.x1 <= frame.x1 + 1 for box in boxes)
    assert all(frame.y0 - 1 <= box.y0 and box.y1 <= frame.y1 + 1 for box in boxes)
    projected, _ = plots.principal_components(embedding.reshape(-1, 4))
    ends = panel.transData.transform(projected[-60:])
    assert not any(box.contains(*end) for box in boxes for end in ends)


def test_names_without_room_are_counted() -> None:
    """150 long names can't all find a place."""
    names = [f"a_rather_long_name_of_a_predicate_{number}" for number in range(150)]
    figure, unnamed = plots.embedding_figure([record(names, np.random.default_rng(1).normal(size=(1, 150, 2)))], [""])
    assert unnamed > 10
    assert len([text for text in figure.axes[0].texts if text.get_text() in names]) == 150 - unnamed


# The command


def test_figures_of_a_run(folder: Folder) -> None:
    """Both figures name what they show; a second call writes the same bytes."""
    first = "predicate,latent_1_1,latent_1_2\nc,1.0,0.5\no,-1.0,0.25\n"
    second = "predicate,latent_1_1,latent_1_2\nc,2.0,0.5\no,-2.0,0.75\n"
    write_run(folder, embeddings=(first, second))
    outcome = folder.run("plot", "run")
    assert (outcome.code, outcome.stdout) == (0, "")
    assert outcome.stderr == "embedding.svg and learning.svg in run\n"
    embedding, learning = folder.read("run/embedding.svg"), folder.read("run/learning.svg")
    assert {"c", "o", "iteration", "run"} <= set(texts(embedding))
    assert {"epoch", "loss", "log loss", "target rule", "1", "2"} <= set(texts(learning))
    root = ElementTree.fromstring(learning)
    assert root.get("role") == "img"
    assert root.findtext(f"{SVG}title") == "Learning curves"
    assert root.findtext(f"{SVG}desc") == (
        "Loss by epoch and log loss by rule; run: loss 0.2500 after the last epoch, log loss 0.2500 after 2 rules."
    )
    assert folder.run("plot", "run", "-o", "again/deep", "--quiet").stderr == ""
    assert (folder.read("again/deep/embedding.svg"), folder.read("again/deep/learning.svg")) == (embedding, learning)


def test_two_runs_side_by_side(folder: Folder) -> None:
    """Panels say in which options the runs differ."""
    write_run(folder, "runs/a", options={"seed": 1, "pretrain": True})
    write_run(folder, "runs/b", options={"seed": 1})
    assert folder.run("plot", "runs/a", "runs/b", "-o", "both").code == 0
    assert not (folder.path / "runs/a/embedding.svg").exists()
    titles = {"runs/a: pretrain True", "runs/b: pretrain None"}
    assert titles <= set(texts(folder.read("both/embedding.svg")))
    assert titles <= set(texts(folder.read("both/learning.svg")))


def test_names_of_all_kinds(folder: Folder) -> None:
    """Markup, formulas, leading underscores, other scripts and control characters are shown as they are."""
    names = ["<b>&amp;", "$x_1$", "_hidden", "原子", "a b", "'quoted'", "#0b0c0e"]
    rows = "".join(f'"{name}",{number}.0,{number**2}.0\n' for number, name in enumerate(names))
    write_run(folder, "$r$_<i>", embeddings=(f'predicate,latent_1_1,latent_1_2\n{rows}"two\nlines\x01",9.0,1.0\n',))
    assert folder.run("plot", "$r$_<i>").code == 0
    shown = set(texts(folder.read("$r$_<i>/embedding.svg")))
    assert {*names, "two\\xa\\lines\\x1\\", "$r$_<i>"} <= shown


def test_one_dimension_one_iteration(folder: Folder) -> None:
    write_run(folder, embeddings=("predicate,latent_1_1\nc,1.0\n",))
    assert folder.run("plot", "run").code == 0
    assert "second component, 0%" in texts(folder.read("run/embedding.svg"))


def test_validation_is_drawn(folder: Folder) -> None:
    write_run(folder)
    folder.write({"run/iterations.csv": "iteration,validation_loss\n1,0.375\n"})
    assert read_run("run").validation == (0.375,)
    assert folder.run("plot", "run").code == 0
    assert "run, validation" in texts(folder.read("run/learning.svg"))


def test_run_without_unary_predicates(folder: Folder) -> None:
    """There is nothing to embed; the learning curves are there."""
    write_run(folder, embeddings=("predicate\n",))
    outcome = folder.run("plot", "run")
    assert outcome.code == 0
    assert "warning: a run has no unary predicates, so there is no embedding to draw" in outcome.stderr
    assert not (folder.path / "run/embedding.svg").exists()
    assert (folder.path / "run/learning.svg").exists()


def test_latent_predicates_that_come_later(folder: Folder) -> None:
    """A rule that is not there has weight 0."""
    write_run(
        folder, embeddings=("predicate,latent_1_1\nc,1.0\n", "predicate,latent_1_1,latent_1_2\nc,2.0,3.0\no,4.0,5.0\n")
    )
    run = read_run("run")
    assert run.predicates == ("c", "o")
    assert run.embedding.tolist() == [[[1.0, 0.0], [0.0, 0.0]], [[2.0, 3.0], [4.0, 5.0]]]


def test_real_run(folder: Folder) -> None:
    """What `learn-structure` writes is what is read: a point for each of the unary predicates of the trains."""
    data = str(ROOT / "datasets" / "trains" / "trains.pl")
    learned = folder.run(
        "learn-structure", data, "--iterations", "2", "--epochs", "3", "--final-epochs", "1", "--beam", "1",
        "--length", "2", "--run-dir", "run", "-o", "model.pl", "--jobs", "1", "--conjunctions", "0",
    )  # fmt: skip
    assert learned.code == 0, learned.stderr
    assert folder.run("plot", "run").code == 0
    shown = texts(folder.read("run/embedding.svg"))
    assert {"length_short", "roof_none"} <= set(shown)
    run = read_run("run")
    assert len(run.iterations) == 2
    assert run.embedding.shape[:2] == (2, len(run.predicates))
    assert [rule.iteration for rule in run.rules] == sorted(rule.iteration for rule in run.rules)


# Faults


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "history_1.csv",
            "epoch,loss\n0,much\n",
            "run/history_1.csv:2:1: a line has a value for each column, numbers where they belong\n",
        ),
        ("history_1.csv", "epoch\n0\n", "run/history_1.csv:1:1: the column loss is missing; learn again\n"),
        ("rules.csv", "", "run/rules.csv:1:1: the column iteration is missing; learn again\n"),
        (
            "embedding_1.csv",
            "predicate,latent_1_1\nc\n",
            "run/embedding_1.csv:2:1: a line has a value for each column, numbers where they belong\n",
        ),
        (
            "embedding_1.csv",
            "predicate,latent_1_1\nc,inf\n",
            "run/embedding_1.csv:2:1: a line has a value for each column, numbers where they belong\n",
        ),
        ("embedding_1.csv", b"\xff\xfe", "run/embedding_1.csv: this file of the run is damaged; learn again\n"),
        (
            "iterations.csv",
            "iteration,validation_loss\n",
            "run: no iteration of this run is complete; wait, or go on with --resume\n",
        ),
        ("configuration.json", "{", "run/configuration.json:1:2: this is not valid JSON: "),
        ("configuration.json", "[]", "run/configuration.json:1:1: a JSON object is expected here; write it again\n"),
    ],
)
def test_damaged_runs(folder: Folder, name: str, content: str | bytes, message: str) -> None:
    write_run(folder)
    folder.write({f"run/{name}": content})
    outcome = folder.run("plot", "run", "-o", "figures")
    assert outcome.code == 1
    assert outcome.stderr.startswith(message)
    assert not (folder.path / "figures").exists()


def test_missing_file_of_a_run(folder: Folder) -> None:
    write_run(folder)
    (folder.path / "run/history_1.csv").unlink()
    outcome = folder.run("plot", "run")
    assert (outcome.code, outcome.stderr) == (1, "run/history_1.csv: this file of the run is missing; learn again\n")


def test_folders_that_are_no_runs(folder: Folder) -> None:
    (folder.path / "empty").mkdir()
    outcome = folder.run("plot", "empty")
    message = "empty: this folder holds no run; `lrnn learn-structure --run-dir` makes one\n"
    assert (outcome.code, outcome.stderr) == (1, message)
    write_run(folder, "runs/member_1")
    outcome = folder.run("plot", "runs")
    assert outcome.stderr == "runs: the runs of an ensemble; name one of them, such as runs/member_1\n"
    folder.write({"file": ""})
    outcome = folder.run("plot", "runs/member_1", "-o", "file")
    assert (outcome.code, outcome.stderr) == (
        1,
        "file: this folder can't be made: File exists; choose another\n",
    )


def test_matplotlib_is_missing(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    write_run(folder)
    monkeypatch.delitem(sys.modules, "lrnn_cli.report.plots")
    monkeypatch.delattr("lrnn_cli.report.plots")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    outcome = folder.run("plot", "run")
    assert outcome.code == 1
    assert outcome.stderr == "figures are drawn with matplotlib, which is missing; `pip install 'lrnn[plots]'`\n"


def test_settings_of_matplotlib_do_not_matter(folder: Folder) -> None:
    """Those that matplotlib finds in the current folder are not used."""
    write_run(folder)
    folder.write({"matplotlibrc": "text.usetex: True\naxes.grid: True\nfont.size: 30\nsvg.hashsalt: other\n"})
    subprocess.run([sys.executable, "-m", "lrnn_cli", "plot", "run", "-o", "theirs"], check=True, capture_output=True)
    assert folder.run("plot", "run", "-o", "ours").code == 0
    for name in ("embedding.svg", "learning.svg"):
        assert folder.read(f"theirs/{name}") == folder.read(f"ours/{name}")


def test_help_does_without_matplotlib() -> None:
    program = "import sys, lrnn_cli.commands; print([m for m in ('matplotlib', 'numpy') if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"

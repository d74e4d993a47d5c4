"""Summaries of folds by hand, and `make crossvalidate`: nothing is done twice, nothing is mixed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import Folder

ROOT = Path(__file__).resolve().parents[1]
HEADER = "example\tatom\ttarget\toutput\n"

# Summaries


def write_fold(folder: Folder, name: str, rows: list[tuple[str, float, float]], log: str = "") -> None:
    (folder.path / name).mkdir()
    lines = "".join(f"{example}\tp\t{target!r}\t{output!r}\n" for example, target, output in rows)
    folder.write({f"{name}/predictions.tsv": HEADER + lines})
    if log:
        folder.write({f"{name}/log": log})


def summary_of(folder: Folder, *names: str) -> dict[str, Any]:
    outcome = folder.run("summarise", *names, "--json")
    assert outcome.code == 0, outcome.stderr
    found: dict[str, Any] = json.loads(outcome.stdout)
    return found


def test_means_deviations_and_pooled_figures(folder: Folder) -> None:
    """Accuracies 1/2 and 3/4: mean 0.625, deviation sqrt(2 * 0.125^2) = 0.1767767; of all queries 4/6 are right.

    Squares are 0.01, 0.36 and 0.04, 0.49, 0.01, 0.09, in all 1.00.
    """
    write_fold(folder, "fold1", [("a", 1.0, 0.9), ("b", 0.0, 0.6)])
    write_fold(folder, "fold2", [("c", 1.0, 0.8), ("d", 1.0, 0.3), ("e", 0.0, 0.1), ("f", 0.0, 0.3)])
    summary = summary_of(folder, "fold1", "fold2")
    assert summary["mean"]["accuracy"] == pytest.approx(0.625)
    assert summary["deviation"]["accuracy"] == pytest.approx(0.1767767, abs=1e-7)
    assert summary["pooled"]["accuracy"] == pytest.approx(4 / 6)
    assert summary["mean"]["squared_loss"] == pytest.approx((0.185 + (0.04 + 0.49 + 0.01 + 0.09) / 4) / 2)
    assert summary["pooled"]["squared_loss"] == pytest.approx(1.0 / 6)
    # Fold 2: positives 0.8 and 0.3 against negatives 0.1 and 0.3: 1, 1, 1 and half a pair.
    assert summary["mean"]["auc_roc"] == pytest.approx((1.0 + 3.5 / 4) / 2)
    # All: 0.9 and 0.8 are above 0.6, 0.1, 0.3; 0.3 is above 0.1 and level with 0.3.
    assert summary["pooled"]["auc_roc"] == pytest.approx((3 + 3 + 1.5) / 9)
    assert (summary["pooled"]["queries"], summary["pooled"]["positives"]) == (6, 3)
    assert [fold["folder"] for fold in summary["folds"]] == ["fold1", "fold2"]


def test_the_table(folder: Folder) -> None:
    write_fold(folder, "fold1", [("a", 1.0, 0.9), ("b", 0.0, 0.6)], "seconds learn 2.0\nseconds learn 3.5\nbla\n")
    write_fold(folder, "fold2", [("c", 1.0, 0.8), ("d", 0.0, 0.3)], "seconds learn 1.5\nseconds predict x\n")
    lines = folder.run("summarise", "fold1/", "fold2").stdout.splitlines()
    assert lines[0] == "2 folds, 4 queries, 2 of them positive"
    assert lines[2].split() == ["accuracy", "0.7500", "0.3536", "0.7500", "0.3006", "to", "0.9544"]
    # A step that was done again counts as it was done last.
    assert lines[-1].split() == ["learn", "2.5", "5.0"]


def test_members_of_ensembles(folder: Folder) -> None:
    """Means over folds of each member, if all folds have them."""
    write_fold(folder, "fold1", [("a", 1.0, 0.9), ("b", 0.0, 0.6)])
    write_fold(folder, "fold2", [("c", 1.0, 0.8), ("d", 0.0, 0.3)])
    assert summary_of(folder, "fold1", "fold2")["members"] == []
    rows = [{"accuracy": 0.5, "auc_roc": None}, {"accuracy": 1.0, "auc_roc": 0.7}]
    folder.write({"fold1/metrics.json": json.dumps({"accuracy": 1.0, "members": rows})})
    assert summary_of(folder, "fold1", "fold2")["members"] == []
    rows = [{"accuracy": 0.75, "auc_roc": 0.8}, {"accuracy": 0.5, "auc_roc": 0.9}]
    folder.write({"fold2/metrics.json": json.dumps({"accuracy": 1.0, "members": rows})})
    first, second = summary_of(folder, "fold1", "fold2")["members"]
    assert (first["accuracy"], first["auc_roc"]) == (0.625, 0.8)
    assert (second["accuracy"], second["auc_roc"]) == (0.75, pytest.approx(0.8))
    lines = folder.run("summarise", "fold1", "fold2").stdout.splitlines()
    assert lines[-1].split()[:3] == ["mean", "0.6875", "0.8000"]
    folder.write({"fold2/metrics.json": '{"members": [1, 2]}'})
    assert "fold2/metrics.json: these are not metrics" in folder.run("summarise", "fold1", "fold2").stderr


def test_undefined_metrics(folder: Folder) -> None:
    """A fold of one class has no area: the mean is that of the other fold; one fold has no deviation."""
    write_fold(folder, "fold1", [("a", 1.0, 0.9), ("b", 0.0, 0.6)])
    write_fold(folder, "fold2", [("c", 1.0, 0.8)])
    summary = summary_of(folder, "fold1", "fold2")
    assert summary["mean"]["auc_roc"] == 1.0
    assert summary["deviation"]["auc_roc"] is None
    assert summary["defined"]["auc_roc"] == 1
    outcome = folder.run("summarise", "fold1", "fold2")
    assert "auc_roc is defined in 1 of 2 folds" in outcome.stderr
    assert "undefined" in folder.run("summarise", "fold2").stdout


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "fold/predictions.tsv:1:1: predictions begin with a line of example, atom, target, output"),
        ("a\tb\n", "fold/predictions.tsv:1:1: predictions begin with a line"),
        (HEADER, "fold/predictions.tsv: there is no prediction with a target in this file"),
        (HEADER + "a\tp\t1.0\t0.5\nb\tp\t1.0\n", "fold/predictions.tsv:3:1: a line has an example, an atom and two"),
        (HEADER + "a\tp\t1.0\tnan\n", "fold/predictions.tsv:2:1: a line has"),
        (HEADER + "a\tp\tone\t0.5\n", "fold/predictions.tsv:2:1: a line has"),
    ],
)
def test_faults_of_predictions(folder: Folder, content: str, message: str) -> None:
    (folder.path / "fold").mkdir()
    folder.write({"fold/predictions.tsv": content})
    outcome = folder.run("summarise", "fold", "-o", "summary.txt")
    assert outcome.code == 1
    assert outcome.stderr.startswith(message)
    assert "summary.txt" not in folder.content()


def test_faults_of_folders(folder: Folder) -> None:
    write_fold(folder, "fold1", [("a", 1.0, 0.9)])
    write_fold(folder, "fold2", [("a", 1.0, 0.8)])
    write_fold(folder, "fold3", [("a", 1.0, 0.8), ("b", 1.0, 0.8)])
    (folder.path / "empty").mkdir()
    for names, message in (
        (("nothing",), "nothing: this is not a folder"),
        (("empty",), "empty: there is no predictions.tsv in this folder"),
        (("fold1", "fold1"), "fold1: this folder is named twice"),
        (("fold1", "fold2"), "query p is in fold1 and in fold2"),
        (("fold1", "fold3"), "example a is in fold1 and in fold3"),
    ):
        outcome = folder.run("summarise", *names)
        assert (outcome.code, outcome.stdout) == (1, "")
        assert message in outcome.stderr


def test_names_of_examples_are_any_text(folder: Folder) -> None:
    """What other programs take for the end of a line is none here."""
    write_fold(folder, "fold1", [("'ž\u2028 \x85'", 1.0, 0.9), ("b", 0.0, 0.1)])
    assert summary_of(folder, "fold1")["pooled"]["queries"] == 2


# make


# Training of fold 2 does not end while there is a file `hang`.
HANGING = f"""#!/bin/sh
case "$1 $2" in "train "*fold2*) if [ -e hang ]; then touch hanging; exec sleep 600; fi ;; esac
exec "{sys.executable}" -m lrnn_cli "$@"
"""
# Writes its arguments where the program would write a model.
PRETENDING = f"""#!/bin/sh
for file; do :; done
case $1 in
    check) cat folds.json ;;
    summarise) exec "{sys.executable}" -m lrnn_cli "$@" ;;
    evaluate) echo '{{}}' > "$file" ;;
    baseline)
        echo "$@" > "$file"
        case $2 in forest|lightgbm)
            echo '{{}}' > "${{file%predictions.tsv}}metrics.json"
            printf 'example\\tatom\\ttarget\\toutput\\n%s\\tp\\t1.0\\t0.5\\n' "$file" > "$file" ;;
        esac ;;
    predict) printf 'example\\tatom\\ttarget\\toutput\\n%s\\tp\\t1.0\\t0.5\\n' "$file" > "$file" ;;
    *) echo "$@" > "$file" ;;
esac
"""


class Project:
    """A folder with the makefiles of the project, a data set of 12 different examples, and what stands in for lrnn."""

    def __init__(self, path: Path, program: str) -> None:
        self.path = path
        for name in ("Makefile", "experiments", "prolog", "setup.cfg", "pyproject.toml"):
            (path / name).symlink_to(ROOT / name)
        (path / "installed").touch()
        block = "begin(model(m{0})). {1} query(p, {2}). end(model(m{0})).\n"
        kinds = [" ".join(f"t{bit}(a{bit})." for bit in range(4) if number >> bit & 1) for number in range(1, 13)]
        (path / "data.pl").write_text("".join(block.format(n, kinds[n], n % 2) for n in range(12)))
        (path / "folds.json").write_text('{"folds": {}}')
        (path / "lrnn").write_text(program)
        (path / "lrnn").chmod(0o755)

    def command(self, *arguments: str) -> list[str]:
        tools = [f"BIN={Path(sys.executable).parent}", "LRNN=./lrnn", "INSTALLED=installed"]
        return ["make", "crossvalidate", *tools, "DATA=data.pl", "FOLDS=2", "LEARNER=chain1", *arguments]

    def make(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*arguments), cwd=self.path, capture_output=True, text=True, check=False, env=environment()
        )

    def times(self) -> dict[str, int]:
        """When each file of the results was written."""
        build = self.path / "build"
        return {str(path.relative_to(build)): path.stat().st_mtime_ns for path in build.rglob("*") if path.is_file()}

    def figures(self) -> dict[str, Any]:
        """The summary without times."""
        summary = json.loads((self.path / "build/data/chain1/summary.json").read_text())
        for part in [summary, *summary["folds"]]:
            del part["seconds"]
        return dict(summary)


def environment() -> dict[str, str]:
    """Without what a make that runs these tests hands down."""
    return {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}


needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")


@needs_make
def test_make_does_what_is_missing(tmp_path: Path) -> None:
    """A second call does nothing, a killed or deleted fold is done again, and the table stays the same."""
    project = Project(tmp_path, HANGING)
    (tmp_path / "hang").touch()
    running = subprocess.Popen(
        project.command("ARGS=--epochs 5", "-j2"),
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env=environment(),
    )
    folds = tmp_path / "build/data/chain1"
    deadline = time.monotonic() + 300
    while not ((folds / "fold1/metrics.json").exists() and (tmp_path / "hanging").exists()):
        assert running.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    (tmp_path / "hang").unlink()
    assert not (folds / "fold2/model.pl").exists()
    assert not (folds / "summary.txt").exists()
    first_fold = {name: when for name, when in project.times().items() if "/fold1/" in name}

    finished = project.make("ARGS=--epochs 5")
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.splitlines()[0] == "fold 2 of build/data/chain1"
    assert "2 folds, 12 queries, 6 of them positive" in finished.stdout
    times, figures = project.times(), project.figures()
    assert first_fold.items() <= times.items()

    again = project.make("ARGS=--epochs 5")
    assert again.stdout.startswith("2 folds")
    assert project.times() == times

    shutil.rmtree(folds / "fold1")
    assert project.make("ARGS=--epochs 5").returncode == 0
    assert {name for name, when in project.times().items() if times[name] != when} == {
        *(name for name in times if "/fold1/" in name),
        "data/chain1/summary.json",
        "data/chain1/summary.txt",
    }
    assert project.figures() == figures


@needs_make
def test_make_does_not_mix_settings(tmp_path: Path) -> None:
    """Other options of the learner, another seed or other folds: all again. Results of other names stay."""
    project = Project(tmp_path, PRETENDING)
    results = tmp_path / "build/data"
    assert project.make("ARGS=--epochs 1").returncode == 0
    first = project.times()
    assert project.make("ARGS=--epochs 2", "NAME=longer").returncode == 0
    assert first.items() <= project.times().items()
    for arguments in (("ARGS=--epochs 2",), ("ARGS=--epochs 1", "SEED=7"), ("FOLD_OPTIONS=--no-group-duplicates",)):
        assert project.make(*arguments).returncode == 0
        second = project.times()
        assert not [name for name, when in second.items() if "chain1/fold" in name and first.get(name) == when]
        first = second
    assert "--epochs" not in (results / "chain1/fold1/model.pl").read_text()
    assert "--epochs 2" in (results / "longer/fold1/model.pl").read_text()
    assert project.make("FOLDS=3").returncode == 0
    assert project.make("FOLDS=2").returncode == 0
    assert sorted(path.name for path in results.glob("chain1/fold*")) == ["fold1", "fold2"]


@needs_make
def test_changed_data_are_learned_from_again(tmp_path: Path) -> None:
    project = Project(tmp_path, PRETENDING)
    assert project.make().returncode == 0
    before = project.times()
    later = time.time() + 10
    os.utime(tmp_path / "data.pl", (later, later))
    assert project.make().returncode == 0
    after = project.times()
    assert all(after[name] != before[name] for name in before if "/fold" in name)


@needs_make
@pytest.mark.parametrize("learner", ["lrnn", "paper", "chain3", "nfoil", "kfoil", "forest", "lightgbm"])
def test_commands_of_the_learners(tmp_path: Path, learner: str) -> None:
    """The same part of the data for all; given folds win."""
    project = Project(tmp_path, PRETENDING)
    (tmp_path / "folds.json").write_text('{"folds": {"1": 5, "2": 3, "10": 4}}')
    made = project.make(f"LEARNER={learner}", "SEED=5", "ARGS=--some thing")
    assert "3 folds, 3 queries" in made.stdout, made.stderr
    results = tmp_path / "build/data" / learner
    log = (results / "fold2/log").read_text()
    part = "data.pl --folds 10 --fold 2 --seed 5 --jobs 1"
    fold = f"build/data/{learner}/fold2"
    expected = {
        "lrnn": f"learn-structure {part} --run-dir {fold}/run --some thing",
        "paper": f"learn-structure {part} --run-dir {fold}/run --as-in-the-paper --some thing",
        "chain3": f"ground {fold}/template.pl {part}",
        "nfoil": f"baseline nfoil {part} --some thing",
        "kfoil": f"baseline kfoil {part} --some thing",
        "forest": f"baseline forest {part} --some thing --metrics {fold}/metrics.json",
        "lightgbm": f"baseline lightgbm {part} --some thing --metrics {fold}/metrics.json",
    }
    assert f"$ ./lrnn {expected[learner]} " in log
    assert (f"predict {fold}/model.pl {part} " in log) == (learner not in ("forest", "lightgbm"))
    if learner == "chain3":
        assert (results / "fold2/template.pl").read_text().startswith(f"make-template {part} --chain 3 ")
        assert "grounding.npz --seed 5 --history build/data/chain3/fold2/history.csv --some thing" in log


@needs_make
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("DATA=my data.pl",), "names with spaces do not work here, such as DATA=my data.pl"),
        (("DATA=nothing.pl",), "there is no file nothing.pl; name the data with DATA=file.pl"),
        (("LEARNER=chains",), "forest or lightgbm, not chains"),
        (("LEARNER=chain0",), "not chain0"),
        (("ARGS=--epochs 3 --seed=2",), "make sets --seed=2 itself; leave it out of ARGS"),
    ],
)
def test_wrong_calls_of_make(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    made = Project(tmp_path, PRETENDING).make(*arguments)
    assert made.returncode == 2
    assert message in made.stderr
    assert not (tmp_path / "build").exists()


@needs_make
def test_a_fold_that_fails(tmp_path: Path) -> None:
    """The message of the command is shown, and no table is made."""
    made = Project(tmp_path, HANGING).make("ARGS=--epochs -1")
    assert made.returncode == 2
    assert "Invalid value for '--epochs'" in made.stderr
    assert not list((tmp_path / "build").rglob("summary.*"))

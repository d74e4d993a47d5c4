"""Summaries of folds by hand, and `lrnn crossvalidate`: nothing is done twice, nothing is mixed, nothing is lost."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from conftest import Folder
from pretended import Pretended

from lrnn_cli.commands import cli
from lrnn_cli.plan.executors import Commands, Stopped
from lrnn_cli.plan.learners import OF_TEMPLATES, OURS

ROOT = Path(__file__).resolve().parents[1]
HEADER = "example\tatom\ttarget\toutput\n"

# Summaries


def write_fold(
    folder: Folder,
    name: str,
    rows: list[tuple[str, float, float]],
    steps: list[dict[str, Any]] | None = None,
    **more: int,
) -> None:
    (folder.path / name).mkdir()
    lines = "".join(f"{example}\tp\t{target!r}\t{output!r}\n" for example, target, output in rows)
    folder.write({f"{name}/predictions.tsv": HEADER + lines})
    if steps is not None:
        folder.write({f"{name}/task.json": json.dumps({"steps": steps, **more})})


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


def step(name: str, seconds: float | None) -> dict[str, Any]:
    return {"name": name, "command": f"lrnn {name}", "seconds": seconds}


def test_the_table(folder: Folder) -> None:
    write_fold(folder, "fold1", [("a", 1.0, 0.9), ("b", 0.0, 0.6)], [step("learn", 2.0), step("learn", 3.5)])
    write_fold(folder, "fold2", [("c", 1.0, 0.8), ("d", 0.0, 0.3)], [step("learn", 1.5), step("predict", None)])
    lines = folder.run("summarise", "fold1/", "fold2").stdout.splitlines()
    assert lines[0] == "2 folds, 4 queries, 2 of them positive"
    assert lines[2].split() == ["accuracy", "0.7500", "0.3536", "0.7500", "0.3006", "to", "0.9544"]
    # A step that was done again counts as it was done last.
    assert lines[-1].split() == ["learn", "2.5", "5.0"]


def test_folds_that_were_drawn_twice(folder: Folder) -> None:
    """Examples are tested once in each draw; an interval of queries that count twice would be too narrow."""
    for draw in (1, 2):
        write_fold(folder, f"a{draw}", [("a", 1.0, 0.9), ("b", 0.0, 0.1)], [], seed=draw)
        write_fold(folder, f"b{draw}", [("c", 1.0, 0.9), ("d", 0.0, 0.7 * draw)], [], seed=draw)
    summary = summary_of(folder, "a1", "b1", "a2", "b2")
    assert summary["mean"]["accuracy"] == 0.75
    assert summary["pooled"]["intervals_95"] == {}
    assert folder.run("summarise", "a1", "b1", "a2", "b2").code == 0
    write_fold(folder, "c2", [("d", 1.0, 0.9)], [], seed=2)
    assert "example d is in b2 and in c2" in folder.run("summarise", "a1", "b1", "a2", "b2", "c2").stderr


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
        (HEADER + "a\tp\t1.0\t0.5\nb\tp\t1.0\t0.9", "fold/predictions.tsv:3:1: this line has no end: is the file cut"),
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


def test_predictions_that_were_lost(folder: Folder) -> None:
    """Whole lines may be missing; the metrics beside them were computed from all."""
    write_fold(folder, "fold", [("a", 1.0, 0.9)])
    folder.write({"fold/metrics.json": '{"queries": 2}'})
    outcome = folder.run("summarise", "fold")
    assert (outcome.code, outcome.stdout) == (1, "")
    assert outcome.stderr.startswith(
        "fold/predictions.tsv: there are 1 predictions with a target, and metrics.json is of 2"
    )
    folder.write({"fold/metrics.json": '{"queries": 1}'})
    assert folder.run("summarise", "fold").code == 0


def test_faults_of_folders(folder: Folder) -> None:
    write_fold(folder, "fold1", [("a", 1.0, 0.9)])
    write_fold(folder, "fold2", [("a", 1.0, 0.8)])
    write_fold(folder, "fold3", [("a", 1.0, 0.8), ("b", 1.0, 0.8)])
    (folder.path / "empty").mkdir()
    write_fold(folder, "record", [("a", 1.0, 0.9)], [{"name": "learn"}])
    for names, message in (
        (("nothing",), "nothing: this is not a folder"),
        (("empty",), "empty: there is no predictions.tsv in this folder"),
        (("fold1", "fold1"), "fold1: this folder is named twice"),
        (("fold1", "fold2"), "query p is in fold1 and in fold2"),
        (("fold1", "fold3"), "example a is in fold1 and in fold3"),
        (("record",), "record/task.json: this is not the record of a task"),
    ):
        outcome = folder.run("summarise", *names)
        assert (outcome.code, outcome.stdout) == (1, "")
        assert message in outcome.stderr


def test_names_of_examples_are_any_text(folder: Folder) -> None:
    """What other programs take for the end of a line is none here."""
    write_fold(folder, "fold1", [("'ž\u2028 \x85'", 1.0, 0.9), ("b", 0.0, 0.1)])
    assert summary_of(folder, "fold1")["pooled"]["queries"] == 2


# Crossvalidation


@pytest.fixture
def pretended(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> Pretended:
    """Commands of tasks are only pretended; there is a file of data."""
    return Pretended(folder, monkeypatch)


def times(folder: Folder) -> dict[str, int]:
    """When each file of the results was written."""
    results = folder.path / "results"
    return {str(path.relative_to(results)): path.stat().st_mtime_ns for path in results.rglob("*") if path.is_file()}


def crossvalidate(folder: Folder, *arguments: str, learner: str = "nfoil", code: int = 0) -> str:
    """Two folds with one learner; what is printed, or the messages where it is to fail."""
    outcome = folder.run("crossvalidate", "data.pl", "--folds", "2", "--learner", learner, *arguments)
    assert outcome.code == code, outcome.stderr
    return outcome.stderr if code else outcome.stdout


def test_a_second_call_does_nothing(folder: Folder, pretended: Pretended) -> None:
    """A fold that was deleted is done again, and the table stays the same."""
    first = crossvalidate(folder)
    assert first.startswith("2 folds, 2 queries")
    before = times(folder)
    pretended.said.clear()
    assert crossvalidate(folder) == first
    assert not pretended.said
    assert times(folder) == before
    shutil.rmtree(folder.path / "results/data/nfoil/fold1")
    assert crossvalidate(folder) == first
    assert [words[0] for words in pretended.said] == ["baseline", "predict"]
    assert all("--fold 1 " in " ".join(words) for words in pretended.said)


def test_settings_are_not_mixed(folder: Folder, pretended: Pretended) -> None:
    """Other options of the learner, another seed or other folds: all again. Results of other names stay."""
    crossvalidate(folder, learner="nfoil --clauses 1")
    first = times(folder)
    crossvalidate(folder, learner="nfoil-longer --clauses 2")
    assert first.items() <= times(folder).items()
    for learner, arguments in (
        ("nfoil --clauses 2", ()),
        ("nfoil --clauses 1", ("--seed", "7")),
        ("nfoil", ("--no-group-duplicates",)),
    ):
        crossvalidate(folder, *arguments, learner=learner)
        second = times(folder)
        assert not [name for name, when in second.items() if "nfoil/fold" in name and first.get(name) == when]
        first = second
    assert "--clauses" not in folder.read("results/data/nfoil/fold1/model.pl")
    assert "--clauses 2" in folder.read("results/data/nfoil-longer/fold1/model.pl")
    assert crossvalidate(folder, "--folds", "3").startswith("3 folds")
    assert crossvalidate(folder, "--folds", "2").startswith("2 folds")
    assert sorted(path.name for path in folder.path.glob("results/data/nfoil/fold*")) == ["fold1", "fold2"]


def test_changed_data_are_learned_from_again(folder: Folder, pretended: Pretended) -> None:
    """Data that were only touched are the same."""
    crossvalidate(folder)
    pretended.said.clear()
    os.utime(folder.path / "data.pl", (1e9, 1e9))
    crossvalidate(folder)
    assert not pretended.said
    folder.write({"data.pl": folder.read("data.pl") + "% more\n"})
    crossvalidate(folder)
    assert [words[0] for words in pretended.said].count("baseline") == 2


PART = "data.pl --folds 10 --fold 2 --seed 5 --split-by query"


@pytest.mark.parametrize(
    ("learner", "command"),
    [
        ("lrnn", f"learn-structure {PART} --jobs 3 --run-dir FOLD/run --some thing -o FOLD/model.pl"),
        (
            "paper",
            f"learn-structure {PART} --jobs 3 --run-dir FOLD/run --as-in-the-paper --some thing -o FOLD/model.pl",
        ),
        ("chain3", f"ground FOLD/template.pl {PART} --jobs 3 -o FOLD/grounding.npz"),
        ("nfoil", f"baseline nfoil {PART} --jobs 3 --some thing -o FOLD/model.pl"),
        ("kfoil", f"baseline kfoil {PART} --jobs 3 --some thing -o FOLD/model.pl"),
        ("forest", f"baseline forest {PART} --jobs 3 --some thing --metrics FOLD/metrics.json -o FOLD/predictions.tsv"),
        (
            "lightgbm",
            f"baseline lightgbm {PART} --jobs 3 --some thing --metrics FOLD/metrics.json -o FOLD/predictions.tsv",
        ),
    ],
)
def test_commands_of_the_learners(folder: Folder, pretended: Pretended, learner: str, command: str) -> None:
    """The same part of the data for all; folds given in the data win; results are where reports look for them."""
    pretended.folds = {"1": 5, "2": 3, "10": 4}
    more = ["--seed", "5", "--split-by", "query", "--processes", "3"]
    said = crossvalidate(folder, *more, learner=f"{learner} --some thing --clusters 2")
    assert said.startswith("3 folds, 3 queries")
    fold = f"results/data/{learner}/fold2"
    options = "--some thing" if learner == "chain3" else "--some thing --clusters 2"
    expected = f"$ lrnn {command}\n".replace("--some thing", options).replace("FOLD", fold)
    log = folder.read(f"{fold}/log")
    assert expected in log
    assert (f"predict {fold}/model.pl {PART} --jobs 3 --metrics " in log) == (learner not in ("forest", "lightgbm"))
    if learner == "chain3":
        assert f"make-template {PART} --jobs 3 --chain 3 --clusters 2 --quiet -o {fold}/template.pl\n" in log
        assert (
            f"train {fold}/grounding.npz --seed 5 --history {fold}/history.csv --some thing -o {fold}/model.pl\n" in log
        )
        assert not (folder.path / fold / "grounding.npz").exists()
    report = json.loads(folder.run("report", "results", "--format", "json", "--quiet").stdout)
    (result,) = report["results"]
    assert (result["folds"], result["missing"], result["seconds"]) == ([1, 2, 10], {}, pytest.approx(0, abs=1))


def test_options_go_to_the_commands_that_have_them() -> None:
    """What is taken for an option of make-template is one, and none of those that learn has it in another sense."""
    known = {name: {text for option in cli.commands[name].params for text in (*option.opts, *option.secondary_opts)}
             for name in ("make-template", "train", "learn-structure", "predict")}  # fmt: skip
    assert set(OF_TEMPLATES) <= known["make-template"] - known["train"]
    assert set(OURS) <= set.union(*known.values())


def test_several_seeds(folder: Folder, pretended: Pretended) -> None:
    """Fold 3 is the first of the second draw; what the first draw has done stays."""
    crossvalidate(folder)
    pretended.said.clear()
    assert crossvalidate(folder, "--seed", "1", "--seed", "9").startswith("4 folds")
    assert {words[words.index("--seed") + 1] for words in pretended.said} == {"9"}
    assert "--folds 2 --fold 1 --seed 9" in folder.read("results/data/nfoil/fold3/log")
    assert json.loads(folder.read("results/data/nfoil/settings.json"))["seeds"] == [1, 9]
    assert json.loads(folder.read("results/data/nfoil/summary.json"))["pooled"]["intervals_95"] == {}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nothing.pl",), "nothing.pl: there is no such file; name a file"),
        (("-",), "-: data are read many times, so they can't be standard input"),
        (("data.pl", "data.pl.gz"), "data.pl.gz and data.pl have one name; rename one of them"),
        (("data.pl", "--learner", "chains"), "--learner chains: learners are lrnn, paper, nfoil"),
        (("data.pl", "--learner", "chain0"), "--learner chain0: learners are"),
        (("data.pl", "--learner", "../lrnn"), "--learner ../lrnn: learners are"),
        (("data.pl", "--learner", ""), "--learner : learners are"),
        (("data.pl", "--learner", "nfoil 'x"), "--learner nfoil 'x: No closing quotation; write words as in a shell"),
        (("data.pl", "--learner", "nfoil --seed=2"), "--seed=2 is set by crossvalidation itself; leave it out"),
        (("data.pl", "--launch", "'"), "--launch ': No closing quotation"),
    ],
)
def test_wrong_calls(folder: Folder, pretended: Pretended, arguments: tuple[str, ...], message: str) -> None:
    folder.write({"data.pl.gz": ""})
    outcome = folder.run("crossvalidate", *arguments)
    assert (outcome.code, outcome.stdout) == (1, "")
    assert message in outcome.stderr
    assert not (folder.path / "results").exists()


def test_folds_that_fail(folder: Folder, pretended: Pretended) -> None:
    """The others go on; the end of the log is shown, no table is made, and the next call does the rest."""
    pretended.failing = "--fold 2 "
    said = crossvalidate(folder, code=1)
    assert "warning: data/nfoil fold 2 failed; results/data/nfoil/fold2/log ends with\nno luck\nat all\n" in said
    assert said.endswith("1 task failed; what is done is kept, and the same call does the rest\n")
    assert (folder.path / "results/data/nfoil/fold1/metrics.json").is_file()
    assert not (folder.path / "results/data/nfoil/fold2/model.pl").exists()
    assert not list(folder.path.rglob("summary.*"))
    report = json.loads(folder.run("report", "results", "--format", "json", "--quiet").stdout)
    assert report["results"][0]["missing"] == {"2": "failed: at all"}
    pretended.failing = "no more"
    pretended.said.clear()
    assert crossvalidate(folder).startswith("2 folds")
    assert all("--fold 2 " in " ".join(words) for words in pretended.said)


def test_data_that_cannot_be_read(folder: Folder, pretended: Pretended) -> None:
    """Nothing is learned from them."""
    pretended.failing = "check "
    said = crossvalidate(folder, code=1)
    assert "warning: data failed; results/data/log ends with\nno luck" in said
    assert [words[0] for words in pretended.said] == ["check"]


def test_what_cannot_be_done(folder: Folder, pretended: Pretended) -> None:
    """It is no failure beside others, but an answer to who asks for it alone."""
    pretended.failing = "make-template "
    outcome = folder.run("crossvalidate", "data.pl", "--learner", "chain1", "--learner", "nfoil", "--folds", "2")
    assert outcome.code == 0
    assert "warning: results/data/chain1: this can't be done: at all" in outcome.stderr
    assert [line.split()[:4] for line in outcome.stdout.splitlines()[1:]] == [
        ["data", "chain1", "can't", "be"], ["data", "nfoil", "2", "of"]
    ]  # fmt: skip
    assert "there is nothing that can be done" in crossvalidate(folder, learner="chain1", code=1)
    pretended.failing = "no more"
    assert crossvalidate(folder, learner="chain1").startswith("2 folds")
    assert not (folder.path / "results/data/chain1/impossible").exists()


def test_structure_learning_goes_on_where_it_was(folder: Folder, pretended: Pretended) -> None:
    """A run that was stopped is taken up; one that can't be, such as a damaged one, starts anew."""
    pretended.failing = "learn-structure "
    crossvalidate(folder, learner="lrnn", code=1)
    fold = folder.path / "results/data/lrnn/fold1"
    assert (fold / "run/configuration.json").is_file()
    pretended.failing = "no more"
    pretended.said.clear()
    crossvalidate(folder, learner="lrnn")
    learned = [words for words in pretended.said if words[0] == "learn-structure"]
    assert [words[-1] for words in learned] == ["--resume", "--resume"]

    shutil.rmtree(fold.parent)
    pretended.failing = "learn-structure "
    crossvalidate(folder, learner="lrnn", code=1)
    pretended.said.clear()
    pretended.failing = "--resume"
    crossvalidate(folder, learner="lrnn")
    again = [words[-1] for words in pretended.said if words[:1] + words[3:5] == ["learn-structure", "2", "--fold"]]
    assert len(again) == 4 and again.count("--resume") == 2


def test_two_calls_at_once(folder: Folder, pretended: Pretended) -> None:
    """The second is refused, unless it is about another learner."""
    (folder.path / "results/data/nfoil").mkdir(parents=True)
    with open(folder.path / "results/data/nfoil/.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "results/data/nfoil: another `lrnn crossvalidate` is at work here" in crossvalidate(folder, code=1)
        crossvalidate(folder, learner="kfoil")
    crossvalidate(folder)


def test_results_do_not_take_the_place_of_data(folder: Folder, pretended: Pretended) -> None:
    (folder.path / "data/nfoil/fold1").mkdir(parents=True)
    folder.write({"data/nfoil/fold1/data.pl": "x."})
    outcome = folder.run("crossvalidate", "data/nfoil/fold1/data.pl", "-o", ".")
    assert outcome.code == 1 and "would overwrite" in outcome.stderr


def test_commands_that_are_launched(folder: Folder) -> None:
    """`make LAUNCH="srun -n1 -c1"` and --launch put these words before each command; here srun is a script."""
    block = "begin(model(m{0})). {1}(x). query(p, {2}). end(model(m{0})).\n"
    folder.write({"d.pl": "".join(block.format(number, "ab"[number % 2], number % 2) for number in range(6))})
    folder.write({"srun": '#!/bin/sh\necho "$1 $2" >> srun.log\nshift 2\nexec "$@"\n'})
    (folder.path / "srun").chmod(0o755)
    plan = ("crossvalidate", "d.pl", "--folds", "2", "--learner", "nfoil", "--no-group-duplicates", "--jobs", "2")
    outcome = folder.run(*plan, "--launch", "./srun -n1 -c1")
    assert outcome.code == 0, outcome.stderr
    # Two commands a fold, and one that looks at the data.
    assert folder.read("srun.log") == "-n1 -c1\n" * 5
    assert outcome.stdout.startswith("2 folds, 6 queries")


def test_commands_are_ended(tmp_path: Path) -> None:
    """Whoever waits for a command learns that it was stopped, and no other is started."""
    commands = Commands(("sh", "-c", "exec sleep 600"))
    with open(tmp_path / "log", "wb") as log, ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(commands.run, (), log)
        time.sleep(0.1)
        commands.end()
        with pytest.raises(Stopped):
            waiting.result()
        with pytest.raises(Stopped):
            commands.run((), log)


def test_a_run_that_was_killed_goes_on(folder: Folder) -> None:
    """Real commands, killed in the second fold: none outlives the kill, and results are those of a run that was not."""
    block = "begin(model(m{0})). {1} query(p, {2}). end(model(m{0})).\n"
    kinds = [" ".join(f"t{bit}(a{bit})." for bit in range(4) if number >> bit & 1) for number in range(1, 13)]
    folder.write({"data.pl": "".join(block.format(n, kinds[n], n % 2) for n in range(12))})
    # Nothing in the current folder is taken for a module.
    folder.write({"numpy.py": "raise SystemExit('numpy of the current folder')"})
    command = [
        str(Path(sys.executable).parent / "lrnn"),
        "crossvalidate",
        "data.pl",
        "--folds",
        "2",
        "--learner",
        "nfoil",
    ]
    folds = folder.path / "results/data/nfoil"
    running = subprocess.Popen([*command, "--jobs", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while not (folds / "fold2/task.json").exists():
        assert running.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    running.kill()
    running.wait()
    while commands_in(folder.path):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert not (folds / "fold2/metrics.json").exists() and not (folds / "summary.txt").exists()
    first = {name: when for name, when in times(folder).items() if "/fold1/" in name}

    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    assert "2 folds, 12 queries, 6 of them positive" in finished.stdout
    assert "data/nfoil fold 2 done, 1 of 1\n" in finished.stderr and "fold 1" not in finished.stderr
    assert first.items() <= times(folder).items()
    # The same as the commands one by one.
    for name in ("model.pl", "predictions.tsv", "metrics.json"):
        (folder.path / name).touch()
    part = ("data.pl", "--folds", "2", "--fold", "2")
    assert folder.run("baseline", "nfoil", *part, "-o", "model.pl").code == 0
    assert folder.run("predict", "model.pl", *part, "--metrics", "metrics.json", "-o", "predictions.tsv").code == 0
    assert folder.run("evaluate", "model.pl", *part, "--json", "-o", "evaluated.json").code == 0
    for name in ("model.pl", "predictions.tsv", "metrics.json"):
        assert (folds / "fold2" / name).read_bytes() == (folder.path / name).read_bytes()
    assert folder.read("evaluated.json") == folder.read("metrics.json")


def commands_in(folder: Path) -> list[str]:
    """Processes of lrnn whose current folder this is."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            command = (process / "cmdline").read_bytes()
            if process.joinpath("cwd").resolve() == folder and b"lrnn_cli.plan.child" in command:
                found.append(process.name)
    return found


# make

# Says what it is called with; a report is made of what crossvalidation left.
PRETENDING = """#!/bin/sh
printf '%s|' "$@" >> called; echo >> called
case "$1" in crossvalidate) test ! -e broken ;; esac
"""


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_make(tmp_path: Path) -> None:
    """make hands on what it is asked for, and makes a report even where a learner failed."""
    for name in ("Makefile", "experiments", "prolog", "setup.cfg", "pyproject.toml"):
        (tmp_path / name).symlink_to(ROOT / name)
    for name in (
        "data/a.pl",
        "data/b.pl.gz",
        "sets/pairs/pairs.pl",
        "sets/pairs/template.pl",
        "sets/notes/x",
        "installed",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "lrnn").write_text(PRETENDING)
    (tmp_path / "lrnn").chmod(0o755)
    environment = {
        name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")
    }

    def make(*arguments: str) -> tuple[subprocess.CompletedProcess[str], list[str]]:
        (tmp_path / "called").write_text("")
        command = ["make", *arguments, f"BIN={Path(sys.executable).parent}", "LRNN=./lrnn", "INSTALLED=installed"]
        made = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env=environment)
        return made, (tmp_path / "called").read_text().splitlines()

    made, (only,) = make(
        "crossvalidate", "DATA=my data.pl", "LEARNER=nfoil", "ARGS=--clauses 3", "LAUNCH=srun -n1", "-j3"
    )
    assert made.returncode == 0, made.stderr
    assert only == (
        "crossvalidate|--folds|10|--seed|1|-o|build|--jobs|3|--launch|srun -n1|--learner|nfoil --clauses 3|my data.pl|"
    )
    _, (only,) = make("crossvalidate", "SEED=1 2", "FOLDS=4", "LEARNER=lrnn-shallow", "OPTIONS=--cluster local:2")
    assert "--folds|4|--seed|1|--seed|2|" in only and "--cluster|local:2|--jobs|1|" in only
    assert "--learner|lrnn-shallow --layers 1|" in only

    (tmp_path / "broken").touch()
    made, called = make("experiments", "DATA_DIR=data", "LEARNERS=lrnn-ensemble chain2-mean", "ARGS_nfoil=--clauses 2")
    assert made.returncode == 2
    assert "some results are missing, see build/experiments/report.html" in made.stderr
    chains = "--learner|chain2-mean --epochs 800 --object-identity --aggregation mean|"
    assert f"--learner|lrnn-ensemble --ensemble 5|{chains}data/a.pl|data/b.pl.gz|" in called[0]
    expected = "report|build|--dataset|a|--dataset|b|--learner|lrnn-ensemble|--learner|chain2-mean|"
    assert called[1:] == [
        f"{expected}--quiet|-o|build/experiments/report.json|",
        f"{expected}-o|build/experiments/report.html|",
    ]
    (tmp_path / "broken").unlink()
    made, called = make("experiments", "DATA_DIR=sets")
    assert made.returncode == 0, made.stderr
    assert called[0].endswith("|sets/pairs/pairs.pl|")

    for arguments, message in (
        (("DATA_DIR=",), "name the folder of the data with DATA_DIR=folder"),
        (("DATA_DIR=nowhere",), "there are no files in nowhere whose names end in .pl or .pl.gz"),
        (("DATA_DIR=data", "DATASETS=a c"), "one file c.pl or c.pl.gz is wanted in data, not: none"),
    ):
        made, called = make("experiments", *arguments)
        assert message in made.stderr and not called

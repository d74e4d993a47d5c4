"""Reports of experiments: figures by hand, nothing left out silently, and pages that only show what data say."""

from __future__ import annotations

import itertools
import json
import re
import sys
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from conftest import Folder

from lrnn_cli.errors import LrnnError
from lrnn_cli.evaluation.comparison import compare_errors, mean_ranks
from lrnn_cli.evaluation.experiments import read_experiments
from lrnn_cli.report.experiments import learner_title, page_title
from lrnn_cli.report.pages import Cell, PageTable, Section, markdown, page

HEADER = "example\tatom\ttarget\toutput\n"


def write_results(
    folder: Folder, data: str, learner: str, wrong: dict[int, int], folds: str = "1 2", seconds: float = 2.0
) -> None:
    """Folds of ten queries, of which so many are answered wrong; five are positive."""
    path = folder.path / "build" / data / learner
    path.mkdir(parents=True, exist_ok=True)
    settings = {"data": f"{data}.pl", "learner": learner, "folds": [int(word) for word in folds.split()], "seeds": [1]}
    (path / "settings.json").write_text(json.dumps(settings))
    for number, errors in wrong.items():
        fold = path / f"fold{number}"
        fold.mkdir()
        lines = [
            f"e{number}_{query}\tp\t{query % 2}.0\t{abs(query % 2 - (0.9 if query < errors else 0.1))!r}\n"
            for query in range(10)
        ]
        (fold / "predictions.tsv").write_text(HEADER + "".join(lines))
        learning = {"name": "learn", "command": f"lrnn learn-structure {data}.pl --fold {number}", "seconds": seconds}
        predicting = {"name": "predict", "command": "lrnn predict model.pl", "seconds": 1.0}
        write_record(fold, learning, predicting)


def write_record(fold: Path, *steps: Mapping[str, object]) -> None:
    (fold / "task.json").write_text(json.dumps({"versions": "lrnn 1.2.3, numpy 4.5.6", "steps": steps}))


def write_statistics(folder: Folder, data: str, learner: str, fold: int, **figures: float) -> None:
    run = folder.path / "build" / data / learner / f"fold{fold}" / "run"
    run.mkdir()
    named = {name.replace("_", " "): value for name, value in figures.items()}
    (run / "statistics.json").write_text(json.dumps({**named, "ended": "no gain"}))
    (run / "configuration.json").write_text('{"options": {"seed": 1}}')
    (run / "iterations.csv").write_text("iteration,validation_loss\n1,\n")
    (run / "embedding_1.csv").write_text("predicate,latent_1_1,latent_1_2\n<c>,1.0,2.0\no,2.0,0.5\n")
    (run / "history_1.csv").write_text("epoch,loss\n0,0.5\n1,0.25\n")
    (run / "rules.csv").write_text('iteration,log_loss,rule\n1,0.25,"p :- q(A, B), A < B"\n')


def report(folder: Folder, *arguments: str) -> str:
    outcome = folder.run("report", "build", "--quiet", *arguments)
    assert outcome.code == 0, outcome.stderr
    return outcome.stdout


# Comparisons


def test_wins_ties_losses_and_the_signed_rank_test() -> None:
    """Differences -0.1, -0.2, 0.3, 0: ranks 1, 2, 3, and 3 against 1 + 2.

    The sum of the ranks above 0 is 3: of the 8 equally likely signs, the sums are 0, 1, 2, 3, 3, 4, 5, 6, so 5 of 8 are
    at most 3 and as many at least 3; twice that is at most 1.
    """
    found = compare_errors([0.1, 0.2, 0.6, 0.4], [0.2, 0.4, 0.3, 0.4])
    assert (found.pairs, found.wins, found.ties, found.losses) == (4, 2, 1, 1)
    assert found.mean_difference == pytest.approx(0.0)
    assert found.p_value == pytest.approx(1.0)
    all_won = compare_errors([0.1, 0.2, 0.3], [0.2, 0.4, 0.6])
    assert all_won.p_value == pytest.approx(2 / 8)


def test_signed_rank_test_by_enumeration() -> None:
    """All signs of the ranks of nine differences are equally likely."""
    difference = np.random.default_rng(2).normal(0.5, 1.0, 9)
    found = compare_errors(difference.tolist(), [0.0] * 9)
    ranks = np.argsort(np.argsort(np.abs(difference))) + 1
    statistic = ranks[difference > 0].sum()
    sums = [sum(chosen) for signs in itertools.product((0, 1), repeat=9) for chosen in [signs * ranks]]
    tail = min(np.mean(np.array(sums) <= statistic), np.mean(np.array(sums) >= statistic))
    assert found.p_value == pytest.approx(min(1.0, 2 * tail))


def test_equal_errors_are_ties() -> None:
    """0.1 + 0.2 is 0.3 here; where all is tied there is nothing to test."""
    found = compare_errors([0.1 + 0.2, 0.5], [0.3, 0.5])
    assert (found.wins, found.ties, found.losses, found.p_value) == (0, 2, 0, None)
    assert compare_errors([], []).mean_difference is None


def test_mean_ranks() -> None:
    """Ranks 1 2 3, then 2.5 1 2.5."""
    assert mean_ranks(np.array([[0.1, 0.2, 0.3], [0.4, 0.2, 0.4]])).tolist() == [1.75, 1.5, 2.75]


# Results of a folder


def test_means_deviations_and_comparisons(folder: Folder) -> None:
    """Errors 0.1 and 0.3: mean 0.2, deviation sqrt(2 * 0.1^2) = 0.1414."""
    write_results(folder, "a", "lrnn", {1: 1, 2: 3})
    write_results(folder, "a", "nfoil", {1: 2, 2: 4}, seconds=4.5)
    write_results(folder, "b", "lrnn", {1: 4, 2: 4})
    write_results(folder, "b", "nfoil", {1: 4, 2: 4})
    found = json.loads(report(folder, "--format", "json"))
    first = found["results"][0]
    assert (first["data"], first["learner"], first["folds"], first["missing"]) == ("a", "lrnn", [1, 2], {})
    assert first["mean"]["error"] == pytest.approx(0.2)
    assert first["deviation"]["error"] == pytest.approx(0.1414214, abs=1e-7)
    assert first["settings"]["seeds"] == [1]
    assert first["versions"] == ["lrnn 1.2.3, numpy 4.5.6"]
    assert [result["seconds"] for result in found["results"]] == [2.0, 4.5, 2.0, 2.0]
    (comparison,) = found["comparisons"]
    assert comparison["data_sets"] == {
        "pairs": 2, "wins": 1, "ties": 1, "losses": 0, "mean_difference": pytest.approx(-0.05), "p_value": 1.0,
        "least_p_value": 1.0,
    }  # fmt: skip
    assert comparison["folds"]["wins"], comparison["folds"]["ties"] == (2, 2)


def test_tables_of_the_text(folder: Folder) -> None:
    """The lowest error is bold, ties both; ranks of a: 2 1, of b: 1.5 1.5."""
    write_results(folder, "a", "lrnn", {1: 2, 2: 4})
    write_results(folder, "a", "chain2", {1: 1, 2: 3})
    write_results(folder, "b", "lrnn", {1: 4, 2: 4})
    write_results(folder, "b", "chain2", {1: 4, 2: 4})
    text = report(folder)
    assert "2 learners on 2 data sets. 4 of 4 crossvalidations are complete." in text
    assert "Against chain template 2: a lower mean error on 0 of 2 data sets, a higher one on 1; Wilcoxon" in text
    table = """
| data set | learned LRNN | chain template 2 |
|---|---:|---:|
| a | 0.300 ± 0.141 | **0.200 ± 0.141** |
| b | **0.400 ± 0.000** | **0.400 ± 0.000** |
| mean of 2 | 0.350 | 0.300 |
| mean rank | 1.75 | 1.25 |
"""
    assert table in text
    assert "| chain template 2 | 2 | 0 | 1 | 1 | +0.0500 | 1 |" in text
    assert "| chain template 2 | 4 | 0 | 2 | 2 | +0.0500 | 0.5 |" in text
    assert "| a | 2.0 | 2.0 |" in text
    assert "missing" not in text.split("## Data sets")[0]


def test_data_sets_come_from_check(folder: Folder) -> None:
    write_results(folder, "a", "lrnn", {1: 2, 2: 4})
    folder.write(
        {
            "build/a/check.json": json.dumps(
                {
                    "examples": 1234,
                    "facts": 5678,
                    "folds": {"1": 617, "2": 617},
                    "targets": [{"queries": 900, "positive": 300}, {"queries": 100, "positive": 100}],
                }
            )
        }
    )
    assert "| a | 1,234 | 5,678 | 1,000 | 400 | 0.400 | 2 | given in the data |" in report(folder)


def test_targets_that_are_numbers(folder: Folder) -> None:
    """None of them is positive, and their mean takes the place of the majority: 0 to 3 have the deviation sqrt(1.25).

    Errors are roots of mean squares, here 0.5 and 1.
    """
    write_results(folder, "a", "lrnn", {1: 2, 2: 4})
    for number, difference in ((1, 0.5), (2, 1.0)):
        rows = "".join(f"e{number}_{query}\tp\t{query}.0\t{query + difference}\n" for query in range(4))
        folder.write({f"build/a/lrnn/fold{number}/predictions.tsv": "example\tatom\ttarget\tvalue\n" + rows})
    found = {"examples": 8, "facts": 20, "folds": {}, "targets": [{"queries": 8, "positive": None}]}
    folder.write({"build/a/check.json": json.dumps(found)})
    text = report(folder)
    assert "| a | 8 | 20 | 8 |  | 1.118 | 2 | drawn |" in text
    assert "| a | **0.750 ± 0.354** |" in text
    check_harmless(page_of(folder))


def test_rule_sets(folder: Folder) -> None:
    """Means over folds: (10 + 15) / 2 rules and so on."""
    write_results(folder, "a", "lrnn", {1: 2, 2: 4})
    write_results(folder, "b", "lrnn", {1: 2, 2: 4})
    write_statistics(folder, "a", "lrnn", 1, rules=10, target_rules=3, average_length=2.5, layers=2)
    write_statistics(folder, "a", "lrnn", 2, rules=15, target_rules=4, average_length=3.5, layers=3)
    text = report(folder)
    assert "| a | 12.5 | 3.5 | 3.0 | 2.5 |\n| b | *missing* | *missing* | *missing* | *missing* |" in text


# What is missing


def test_missing_results_are_marked(folder: Folder) -> None:
    """A fold that failed, one that runs, a learner and a data set that were never started."""
    write_results(folder, "a", "lrnn", {1: 1, 2: 3})
    write_results(folder, "a", "nfoil", {1: 2}, folds="1 2 3")
    for number, message in ((2, "a.pl: no query | here"), (3, "")):
        fold = folder.path / f"build/a/nfoil/fold{number}"
        fold.mkdir()
        write_record(fold, {"name": "learn", "command": "lrnn baseline", "message": message})
    arguments = ["--dataset", "a", "--dataset", "b", "--learner", "lrnn", "--learner", "nfoil", "--learner", "kfoil"]
    outcome = folder.run("report", "build", *arguments)
    assert outcome.code == 0
    for row in (
        "| a | nFOIL | 2 | failed: a.pl: no query \\| here |",
        "| a | nFOIL | 3 | not finished |",
        "| a | kFOIL | 1, 2, 3 | not started |",
        "| b | kFOIL | all | not started |",
        "| a | **0.200 ± 0.141** | *0.200, 1/3 folds* | *missing* |",
        "| b | *missing* | *missing* | *missing* |",
        "| mean of 1 | 0.200 | *missing* | *missing* |",
        "| kFOIL | 0 | *missing* | *missing* | *missing* | *missing* | *missing* |",
    ):
        assert row in outcome.stdout
    assert outcome.stderr.splitlines() == [
        "build/a/nfoil: 1 of 3 folds done",
        "build/a/kfoil: no fold done",
        *(f"build/b/{learner}: no fold done" for learner in ("lrnn", "nfoil", "kfoil")),
    ]
    missing = {
        (item["data"], item["learner"]): item["missing"]
        for item in json.loads(report(folder, *arguments, "--format", "json"))["results"]
    }
    assert missing["a", "nfoil"] == {"2": "failed: a.pl: no query | here", "3": "not finished"}


def test_other_folds_are_not_compared(folder: Folder) -> None:
    """Folds that test other examples are no pairs."""
    write_results(folder, "a", "lrnn", {1: 1, 2: 3})
    write_results(folder, "a", "nfoil", {1: 2, 2: 4})
    path = folder.path / "build/a/nfoil"
    (path / "fold1").rename(path / "fold0")
    (path / "fold2").rename(path / "fold1")
    (path / "fold0").rename(path / "fold2")
    found = read_experiments("build")
    assert found.different_folds() == [("a", "nfoil")]
    assert [compared.pairs for compared in found.compared("nfoil")] == [0, 0]
    assert "a: the folds of the nFOIL hold other examples than those of the learned LRNN" in report(folder)


def test_only_crossvalidations_are_found(folder: Folder) -> None:
    """Other folders and files beside the results do not matter; learners stand in the order of the paper."""
    for learner in ("chain1", "zeta", "kfoil", "nfoil", "lrnn"):
        write_results(folder, "b", learner, {1: 1, 2: 1})
    write_results(folder, "a", "lrnn", {1: 1, 2: 1})
    (folder.path / "build/demo/fold1").mkdir(parents=True)
    folder.write({"build/demo/fold1/predictions.tsv": HEADER, "build/notes.txt": "", "build/a/check.json": "{}"})
    found = read_experiments("build")
    assert found.datasets == ("a", "b")
    assert found.learners == ("lrnn", "nfoil", "kfoil", "chain1", "zeta")
    assert [learner_title(name) for name in ("chain12", "lrnn-shallow", "zeta-x")] == [
        "chain template 12", "learned LRNN, shallow", "zeta-x"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("nowhere",), 1, "nowhere: this is not a folder; name the one that `lrnn crossvalidate` writes to\n"),
        (("empty",), 1, "empty: no crossvalidation left its results here; `lrnn crossvalidate` does\n"),
        (("empty", "-o", "report.pdf"), 2, "What to write is not clear from the name report.pdf; add --format"),
        (("empty", "-o", "no/report.html"), 1, "no/report.html: the folder no does not exist; make it first\n"),
    ],
)
def test_faults_of_the_command(folder: Folder, arguments: tuple[str, ...], code: int, message: str) -> None:
    (folder.path / "empty").mkdir()
    outcome = folder.run("report", *arguments)
    assert outcome.code == code
    assert message in outcome.stderr


def test_damaged_results(folder: Folder) -> None:
    """The place of the fault is shown, and no report appears."""
    write_results(folder, "a", "lrnn", {1: 1, 2: 3})
    folder.write({"build/a/check.json": '{"examples": }'})
    outcome = folder.run("report", "build", "-o", "report.md")
    assert outcome.code == 1
    assert outcome.stderr == "build/a/check.json:1:14: this is not valid JSON: Expecting value\n"
    folder.write({"build/a/lrnn/settings.json": '{"folds": [1, "2"]}'})
    outcome = folder.run("report", "build", "-o", "report.md")
    assert (
        outcome.stderr
        == "build/a/lrnn/settings.json: `folds` is a list of numbers from 1; write these settings again\n"
    )
    folder.write({"build/a/lrnn/settings.json": "{}"})
    folder.write({"build/a/check.json": "[]", "build/a/lrnn/fold2/predictions.tsv": HEADER + "e\tp\t1.0\n"})
    outcome = folder.run("report", "build", "-o", "report.md")
    assert outcome.stderr.startswith("build/a/lrnn/fold2/predictions.tsv:2:1: ")
    assert not (folder.path / "report.md").exists()


def test_what_cannot_be_done(folder: Folder) -> None:
    """It is neither missing nor a failure, and the reason is shown."""
    write_results(folder, "a", "lrnn", {1: 1, 2: 3})
    write_results(folder, "a", "chain1", {1: 2, 2: 4})
    write_results(folder, "b", "lrnn", {1: 1, 2: 3})
    (folder.path / "build/b/chain1").mkdir(parents=True)
    folder.write({"build/b/chain1/impossible": "b.pl: p/2 has two | arguments\n"})
    outcome = folder.run("report", "build")
    assert outcome.code == 0
    for text in (
        "3 of 4 crossvalidations are complete.",
        "chain template 1 on b can't be done: b.pl: p/2 has two \\| arguments.",
        "| b | **0.200 ± 0.141** | can't be done |",
        "| b | 2.0 | can't be done |",
        "| mean of 1 | 0.200 | 0.300 |",
    ):
        assert text in outcome.stdout
    assert "What is missing" not in outcome.stdout and "not started" not in outcome.stdout
    assert outcome.stderr == "build/b/chain1: this can't be done: b.pl: p/2 has two | arguments\n"
    results = json.loads(report(folder, "--format", "json"))["results"]
    assert [result["impossible"] for result in results] == [None, None, None, "b.pl: p/2 has two | arguments"]
    assert "chain template 1: can't be done" in "".join(page_of(folder).texts)


@pytest.mark.parametrize(
    ("sets", "least", "said"), [(1, 1.0, True), (2, 0.5, True), (5, 0.0625, True), (6, 0.03125, False)]
)
def test_p_values_that_cannot_be_small(folder: Folder, sets: int, least: float, said: bool) -> None:
    """Where one learner wins all n data sets, p is 2 of 2^n orders of signs; below six sets that is above 0.05."""
    for number in range(sets):
        write_results(folder, f"d{number}", "lrnn", {1: 1, 2: 1})
        write_results(folder, f"d{number}", "nfoil", {1: 2, 2: 2 + number % 3})
    found, _ = read_experiments("build").compared("nfoil")
    assert found.least_p_value == least
    assert found.p_value == pytest.approx(least)
    untied = "1 untied data set" if sets == 1 else f"{sets} untied data sets"
    assert (f"and with {untied} it can't be below {least:.2g}." in report(folder)) == said


def test_the_title_names_the_data(folder: Folder) -> None:
    for number in range(6):
        write_results(folder, f"d{number}", "lrnn", {1: 1, 2: 1})
    titles = {
        1: "Experiments on d0",
        2: "Experiments on d0 and d1",
        4: "Experiments on d0, d1, d2 and d3",
        6: "Experiments on d0, d1, d2 and 3 other data sets",
    }
    for count, title in titles.items():
        experiments = read_experiments("build", [f"d{number}" for number in range(count)])
        assert page_title(experiments) == title


# Pages


class Page(HTMLParser):
    """Checks that elements are closed in order, and keeps what is in them."""

    VOID = ("meta", "br", "img", "link", "input")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def page_of(folder: Folder, *arguments: str) -> Page:
    pytest.importorskip("matplotlib")
    report(folder, *arguments, "-o", "report.html")
    return Page(folder.read("report.html"))


def check_harmless(found: Page) -> None:
    """Nothing runs, nothing is fetched, names are unique, and every reference leads somewhere."""
    names = [name for _, attributes in found.elements if (name := attributes.get("id")) is not None]
    assert len(names) == len(set(names))
    for tag, attributes in found.elements:
        assert tag not in ("script", "iframe", "object", "embed", "link", "img", "image", "foreignobject", "base")
        for name, value in attributes.items():
            assert not name.startswith("on")
            assert name not in ("src", "srcdoc", "action")
            if name in ("href", "xlink:href"):
                assert value is not None and value[0] == "#" and value[1:] in names
            if name in ("aria-labelledby", "aria-describedby"):
                assert set(str(value).split()) <= set(names)
            for target in re.findall(r"url\(([^)]*)\)", value or ""):
                assert target[0] == "#" and target[1:] in names


def test_page(folder: Folder) -> None:
    """Tables with heads, figures with titles and descriptions, commands with their seconds, versions, same bytes."""
    for learner in ("lrnn", "nfoil", "chain1", "lrnn-shallow"):
        write_results(folder, "a", learner, {1: 1, 2: 3})
    for learner in ("lrnn", "lrnn-shallow"):
        write_statistics(folder, "a", learner, 1, rules=10, target_rules=3, average_length=2.5, layers=2)
    found = page_of(folder)
    check_harmless(found)
    text = "".join(found.texts)
    assert "lrnn learn-structure a.pl --fold 2  # 2.00 s" in text
    assert "lrnn 1.2.3, numpy 4.5.6" in text
    assert "p :- q(A, B), A < B" in text
    assert "lrnn report build -o report.html" in text
    assert text.index("Target rules that the learned LRNN found") < text.index("projected on their first two")
    drawings = [attributes for tag, attributes in found.elements if tag == "svg"]
    # Three of errors: against nFOIL, the template, the variant; two of rule sets; embedding and learning curves.
    assert len(drawings) == 7
    assert all(attributes["role"] == "img" and attributes["aria-labelledby"] for attributes in drawings)
    heads = [attributes for tag, attributes in found.elements if tag == "th"]
    assert heads and all(attributes["scope"] in ("col", "row") for attributes in heads)
    first = folder.read("report.html")
    page_of(folder)
    assert folder.read("report.html") == first
    # The same figures of errors and rule sets as files; a page has both tables.
    assert folder.run("report", "build", "--figures", "new/figures", "-o", "report.md").code == 0
    files = {path.name: path.read_text() for path in (folder.path / "new/figures").iterdir()}
    assert sorted(files) == ["errors1.svg", "errors3.svg", "errors4.svg", "rule_sets1.svg", "rule_sets2.svg"]
    assert all(file.lstrip().startswith("<?xml") and "</svg>" in file for file in files.values())
    assert "Rule sets of the learned LRNN, shallow" in files["rule_sets2.svg"]


def test_names_on_a_page_are_only_shown(folder: Folder) -> None:
    """Markup in names of data sets, learners, predicates, rules and messages is text."""
    data, learner = "<script>alert(1)<", "\"onload='alert(2)'&$x$"
    write_results(folder, data, learner, {1: 1}, folds="1 2")
    write_results(folder, data, "_lrnn", {1: 1, 2: 3})
    write_statistics(folder, data, "_lrnn", 1, rules=1, target_rules=1, average_length=1.0, layers=1)
    (folder.path / "build" / data / learner / "fold2").mkdir()
    evil = "</code></pre><script>alert(3)</script> \x1b[1m"
    step = {"name": "learn", "command": f"lrnn {evil}", "message": evil}
    write_record(folder.path / "build" / data / learner / "fold2", step)
    found = page_of(folder)
    check_harmless(found)
    text = "".join(found.texts)
    assert data in text
    assert learner in text
    assert "_lrnn" in text
    assert "</code></pre><script>alert(3)</script>" in text
    assert "default-src 'none'" in folder.read("report.html")
    assert "\x1b" not in folder.read("report.html")


def test_page_without_any_result(folder: Folder) -> None:
    """All is missing, and the page says so."""
    (folder.path / "build").mkdir()
    found = page_of(folder, "--dataset", "a", "--learner", "lrnn", "--learner", "nfoil")
    check_harmless(found)
    assert "0 of 2 crossvalidations are complete" in "".join(found.texts)


def test_one_class_only(folder: Folder) -> None:
    """Areas that are undefined in all folds are called so."""
    write_results(folder, "a", "lrnn", {1: 1})
    folder.write(
        {
            "build/a/lrnn/fold1/predictions.tsv": HEADER + "e\tp\t1.0\t0.9\n",
            "build/a/lrnn/settings.json": '{"folds": [1]}',
        }
    )
    assert "| a | undefined |" in report(folder)


def test_text_does_without_matplotlib(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    write_results(folder, "a", "lrnn", {1: 1, 2: 3})
    for name in [name for name in sys.modules if name.startswith(("matplotlib", "lrnn_cli.report.plots"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr("lrnn_cli.report.plots", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "| a | **0.200 ± 0.141** |" in report(folder)
    outcome = folder.run("report", "build", "-o", "report.html")
    assert outcome.code == 1
    assert outcome.stderr == "figures are drawn with matplotlib, which is missing; `pip install 'lrnn[plots]'`\n"
    assert not (folder.path / "report.html").exists()


def test_markup_of_tables() -> None:
    """Markdown and HTML of one table, as a whole."""
    rows = [("a|b", Cell("1", best=True), "*")]
    table = PageTable("x < y", ("name", "n", "why"), rows, [("all", "2", "")], words=(2,))
    assert markdown([Section("One & all", [table])]) == (
        "## One & all\n\nx \\< y\n\n| name | n | why |\n|---|---:|---|\n| a\\|b | **1** | \\* |\n| all | 2 |  |\n"
    )
    text = page("T", [Section("One & all", [table])])
    assert '<section id="one-all">\n<h2>One &amp; all</h2>' in text
    assert '<tr><th scope="row">a|b</th><td class="number"><strong>1</strong></td><td class="words">*</td></tr>' in text
    assert "<figcaption>x &lt; y</figcaption>" in text


def test_pages_need_jinja(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(LrnnError, match="pages are made with Jinja, which is missing"):
        page("T", [])

"""--as-in-the-paper, and log losses as they are shown."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import asdict, fields
from pathlib import Path

import numpy as np
import pytest
from conftest import Folder

from lrnn_cli.language.template import Settings
from lrnn_cli.semantics.activations import Activation
from lrnn_cli.structure.options import StructureOptions
from lrnn_cli.structure.paper import DIFFERENCES, PAPER, REMAINING, with_the_papers_options
from lrnn_cli.structure.scoring import RIDGE, fit

TRAINS = str(Path(__file__).resolve().parents[1] / "datasets" / "trains" / "trains.pl")
SMALL = (
    *("--iterations", "2", "--length", "2", "--variables", "2", "--epochs", "3", "--conjunctions", "0"),
    *("--folds", "5", "--fold", "1"),
)


def test_the_papers_options_are_options() -> None:
    assert set(PAPER) <= {field.name for field in fields(StructureOptions)}
    ours = asdict(StructureOptions())
    found = asdict(with_the_papers_options(StructureOptions(beam=7, gain=3.0, aggregation="sqrt"), {"beam", "gain"}))
    assert {name: found[name] for name in PAPER} == {**PAPER, "gain": 3.0}
    assert found["beam"] == 7
    others = set(ours) - set(PAPER) - {"beam"}
    assert {name: found[name] for name in others} == {name: ours[name] for name in others}


def test_the_docs_list_all_differences() -> None:
    """With the same words, and the options and values that set each back."""
    text = (Path(__file__).resolve().parents[1] / "docs" / "structure-learning.md").read_text()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    names = {
        field.name: field.metadata.get("name") or field.name.replace("_", "-") for field in fields(StructureOptions)
    }

    def default(name: str) -> object:
        value = getattr(StructureOptions(), name)
        return StructureOptions.__dataclass_fields__[name].metadata["default_text"] if value is None else value

    def shown(values: list[object]) -> str:
        texts = {True: "on", False: "off"}
        return ", ".join(
            texts[value] if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)
            for value in values
        )

    for item in DIFFERENCES:
        options = ", ".join(f"`--{names[name]}`" for name in item.options)
        ours = shown([default(name) for name in item.options])
        assert [item.paper, options, ours, shown(list(item.options.values())), item.why] in rows
    assert all([item.paper, item.why] in rows for item in REMAINING)
    assert not any(item.options for item in REMAINING)


def test_ranking_by_refits_is_ranking_by_the_exact_gain(folder: Folder) -> None:
    """Gains of a refit are those of adding the column; a search by them finds a rule that is at least as good."""
    random = np.random.default_rng(3)
    target = (random.uniform(size=80) < 0.5).astype(float)
    regression = fit(np.ones((80, 1)), target, np.zeros(1), Activation.of(Settings()))
    columns = random.uniform(size=(80, 3)) + target[:, None] * [0.0, 0.2, 2.0]
    expected = [regression.loss - regression.with_column(column).loss for column in columns.T]
    assert regression.gains(columns) == pytest.approx(expected, abs=1e-15)
    losses = {}
    for ranking in ("newton", "refit"):
        options = "--iterations", "1", "--rules-per-iteration", "1", "--epochs", "1", "--final-epochs", "0", "--quiet"
        arguments = *options, "--conjunctions", "0", "--ranking", ranking, "--run-dir", ranking, "-o", f"{ranking}.pl"
        assert folder.run("learn-structure", TRAINS, "--length", "2", "--variables", "2", *arguments).code == 0
        rows = list(csv.DictReader(folder.read(f"{ranking}/rules.csv").splitlines()))
        losses[ranking] = float(rows[0]["log_loss"])
    assert losses["refit"] <= losses["newton"] + 1e-6


def test_a_run_as_in_the_paper(folder: Folder) -> None:
    """The run records the paper's options but for those given; the model has its neurons, and no bias."""
    given = "--gain", "0.5", "--rules-per-iteration", "2"
    result = folder.run(
        "learn-structure", TRAINS, "--as-in-the-paper", *SMALL, *given, "--run-dir", "run", "-o", "m.pl"
    )
    assert result.code == 0, result.stderr
    options = json.loads(folder.read("run/configuration.json"))["options"]
    assert {name: options[name] for name in PAPER} == {**PAPER, "gain": 0.5, "rules": 2}
    model = folder.read("m.pl")
    assert ":: eastbound." not in model
    assert ":: eastbound :- " in model
    assert "sqrt" not in model
    assert folder.run("learn-structure", TRAINS, *SMALL, "-o", "m.pl").code == 0
    assert ":: eastbound." in folder.read("m.pl")


def test_log_losses_are_shown_without_the_penalty(folder: Folder) -> None:
    """Two queries that a column of 1 and 0 tells apart: the weights grow until the penalty holds them."""
    activation = Activation.of(Settings())
    columns = np.array([[1.0, 1.0], [1.0, 0.0]])
    target = np.array([1.0, 0.0])
    fitted = fit(columns, target, np.zeros(2), activation)
    outputs = [1.0 / (1.0 + math.exp(-6.0 * (float(row @ fitted.weights) - 0.5))) for row in columns]
    expected = -(math.log(outputs[0]) + math.log(1.0 - outputs[1])) / 2
    assert fitted.log_loss == pytest.approx(expected, rel=1e-9)
    assert fitted.loss == pytest.approx(expected + RIDGE * float(fitted.weights @ fitted.weights), rel=1e-9)
    # An object that is c tells the classes apart, up to what a drawn cluster of it can say.
    blocks = [f"begin(model(m{n})). {'c' if n % 2 else 'd'}(x). query(p, {n % 2}). end(model(m{n}))." for n in range(8)]
    folder.write({"data.pl": "\n".join(blocks)})
    small = "--iterations", "1", "--epochs", "0", "--final-epochs", "0", "--crisp", "--conjunctions", "0"
    assert folder.run("learn-structure", "data.pl", *small, "--run-dir", "run", "-o", "m.pl").code == 0
    rows = list(csv.DictReader(folder.read("run/rules.csv").splitlines()))
    # The loss that the refit minimises is some 1e-4 here, nearly all of it penalty.
    assert 0.0 < float(rows[-1]["log_loss"]) < 5e-5

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
from lrnn_cli.network.network import Activation
from lrnn_cli.structure.algorithm import StructureOptions
from lrnn_cli.structure.paper import PAPER, with_the_papers_options
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

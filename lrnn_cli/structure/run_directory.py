"""The run directory: what a run of structure learning did, and all it needs to go on after an interruption.

    configuration.json   options and digest of the data
    state.json           the algorithm after the last whole iteration
    model_3.pl           the model after iteration 3
    history_3.csv        the loss in each epoch of its training
    embedding_3.csv      layer-1 weights after iteration 3: a row a unary predicate, a column a latent predicate
    rules.csv            every target rule with its score
    iterations.csv       candidates tried, seconds by stage, loss
    model.pl             the model at the end
    statistics.json      its rule set in figures, and why learning ended

Times aside, a run that was interrupted and resumed leaves the same bytes as one that was not.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lrnn_cli.errors import LrnnError
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.files import write_text
from lrnn_cli.language.template import Template
from lrnn_cli.structure.algorithm import Iteration, Learned, StructureLearner, StructureOptions
from lrnn_cli.structure.bodies import Candidate, Shape

STATE = "state.json"


class RunDirectory:
    """Writes a run as it goes; `resume` takes up one that is there."""

    def __init__(
        self, folder: str, options: StructureOptions, digest: str, resume: bool, text: Callable[[Template], str]
    ) -> None:
        """`digest` tells data from others; `text` writes a model."""
        self.folder = Path(folder)
        self._text = text
        configuration = {"options": asdict(options), "data_digest": digest}
        path = self.folder / "configuration.json"
        if path.exists() and not resume:
            raise LrnnError(f"{folder}: there is a run in this folder; go on with --resume or choose another folder")
        if resume:
            if not path.exists():
                raise LrnnError(f"{folder}: there is no run in this folder to resume")
            if json.loads(path.read_text()) != configuration:
                raise LrnnError(f"{folder}: the run in this folder has other options or other data; use the same ones")
        self.folder.mkdir(parents=True, exist_ok=True)
        self._write("configuration.json", json.dumps(configuration, indent=2) + "\n")

    def _write(self, name: str, text: str) -> None:
        write_text(str(self.folder / name), text)

    def restore(self, learner: StructureLearner) -> None:
        """Set a learner to the state of the last whole iteration, if there was one."""
        path = self.folder / STATE
        if path.exists():
            state = json.loads(path.read_text())
            learner.restore(
                {name: float(weight) for name, weight in state["weights"].items()},
                state["latent_rules"],
                state["random"],
                [_iteration(item) for item in state["iterations"]],
                None if state["best"] is None else (state["best"][0], state["best"][1]),
            )

    def record(self, learner: StructureLearner) -> None:
        """Write the state after an iteration; the state file comes last, it makes the iteration count."""
        number = learner.learned.iterations[-1].number
        self._write(f"model_{number}.pl", self._text(learner.learned.template))
        self._write(f"embedding_{number}.csv", _embedding(learner))
        history: list[list[object]] = [["epoch", "loss"]]
        history += [[epoch.epoch, repr(epoch.training_loss)] for epoch in learner.learned.history]
        self._write(f"history_{number}.csv", _csv(history))
        self._write("rules.csv", _rules(learner))
        self._write("iterations.csv", _iterations(learner.learned.iterations))
        state = {
            "weights": learner.weights,
            "latent_rules": [rule.clause for rule in learner.latent_rules],
            "random": learner.random.bit_generator.state,
            "iterations": [_iteration_json(iteration) for iteration in learner.learned.iterations],
            "best": learner.best,
        }
        self._write(STATE, json.dumps(state) + "\n")

    def finish(self, learned: Learned, statistics: dict[str, Any]) -> None:
        """Write the final model, the rule set in figures and why learning ended."""
        self._write("model.pl", self._text(learned.template))
        reason = learned.reason or "the number of iterations was reached"
        self._write("statistics.json", json.dumps({**statistics, "ended": reason}, indent=2) + "\n")


def _candidate_json(candidate: Candidate) -> list[Any]:
    shape = candidate.shape
    return [shape.head, shape.relations, shape.slots, candidate.filling]


def _candidate(item: list[Any]) -> Candidate:
    head, relations, slots, filling = item
    shape = Shape(
        Predicate(*head),
        tuple((Predicate(*predicate), tuple(variables)) for predicate, variables in relations),
        tuple((tuple(variables), layer) for variables, layer in slots),
    )
    return Candidate(shape, tuple(filling))


def _iteration_json(iteration: Iteration) -> dict[str, Any]:
    rules = [[_candidate_json(candidate), loss] for candidate, loss in iteration.rules]
    return {**asdict(iteration), "rules": rules, "ahead": [_candidate_json(body) for body in iteration.ahead]}


def _iteration(item: dict[str, Any]) -> Iteration:
    rules = [(_candidate(candidate), loss) for candidate, loss in item["rules"]]
    return Iteration(**{**item, "rules": rules, "ahead": [_candidate(body) for body in item["ahead"]]})


def _csv(rows: list[list[object]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue()


def _rules(learner: StructureLearner) -> str:
    rows: list[list[object]] = [["iteration", "log_loss", "rule"]]
    for iteration in learner.learned.iterations:
        for candidate, loss in iteration.rules:
            rows.append([iteration.number, repr(loss), learner.words.written(candidate.rule()).clause])
    return _csv(rows)


def _iterations(iterations: list[Iteration]) -> str:
    rows: list[list[object]] = [
        [
            "iteration",
            "candidates",
            "rules",
            "invented_rules",
            "training_loss",
            "validation_loss",
            "search_seconds",
            "training_seconds",
        ]
    ]
    for item in iterations:
        rows.append(
            [
                item.number,
                item.tried,
                len(item.rules),
                item.invented,
                repr(item.loss),
                "" if item.validation_loss is None else repr(item.validation_loss),
                f"{item.search_seconds:.2f}",
                f"{item.training_seconds:.2f}",
            ]
        )
    return _csv(rows)


def _embedding(learner: StructureLearner) -> str:
    """Layer-1 weights: the coordinates of unary predicates."""
    rules = [rule for rule in learner.latent_rules if rule.head.name.startswith("latent_1_")]
    names = list(dict.fromkeys(rule.head.name for rule in rules))
    weight = {(rule.body[0].name, rule.head.name): learner.weights[rule.clause] for rule in rules}
    rows: list[list[object]] = [["predicate", *names]]
    for unary in dict.fromkeys(rule.body[0].name for rule in rules):
        rows.append([unary, *(repr(weight[unary, name]) for name in names)])
    return _csv(rows)

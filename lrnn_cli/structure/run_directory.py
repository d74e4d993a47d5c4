"""The run directory: what a run of structure learning did, and all it needs to go on after an interruption.

    configuration.json   options and digest of the data
    state.json           the algorithm after the last whole iteration, with digests of it, of the configuration and of
                         the files of all iterations
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

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lrnn_cli.errors import LrnnError, ReadError
from lrnn_cli.hypotheses.bodies import Candidate, Shape
from lrnn_cli.language.clauses import Predicate, quoted
from lrnn_cli.language.files import make_folder, read_bytes, write_text
from lrnn_cli.language.json_files import read_json
from lrnn_cli.language.template import LARGEST, Template
from lrnn_cli.language.writing import csv_text, json_text, visible
from lrnn_cli.network.model_text import model_text
from lrnn_cli.network.rule_sets import model_statistics
from lrnn_cli.structure.latent_rules import create_layer1_rules, new_invented_from, predicate_invention
from lrnn_cli.structure.options import StructureOptions
from lrnn_cli.structure.problem import Problem
from lrnn_cli.structure.rules import Rules, Weights, written_template
from lrnn_cli.structure.state import Iteration, LearningState

CONFIGURATION = "configuration.json"
STATE = "state.json"
VERSION = 2
AGAIN = "start a new run in another folder"


class RunDirectories:
    """The run directories of the members of an ensemble, or of the only model; without a folder nothing is kept.

    resume: take up those that are there; part: tells data and examples from others.
    """

    def __init__(self, folder: str | None, members: Sequence[StructureOptions], part: str, resume: bool) -> None:
        self._runs: dict[int, RunDirectory] = {}
        for number, options in enumerate(members if folder is not None else ()):
            name = f"{folder}/member_{number + 1}" if len(members) > 1 else str(folder)
            # A run that was stopped early may not have got to the members after the first.
            there = number == 0 or (Path(name) / CONFIGURATION).exists()
            self._runs[number] = RunDirectory(name, options, part, resume and there)

    def restore(self, number: int, E: Problem) -> LearningState | None:
        """Where a member, counted from 0, was recorded before, if it was."""
        run = self._runs.get(number)
        return run.restore(E) if run is not None and run.resumed else None

    def record(self, number: int, E: Problem, state: LearningState) -> None:
        if number in self._runs:
            self._runs[number].record(E, state)

    def finish(self, number: int, template: Template, reason: str) -> None:
        if number in self._runs:
            self._runs[number].finish(template, reason)


class RunDirectory:
    """Writes a run as it goes; `resume` takes up one that is there."""

    def __init__(self, folder: str, options: StructureOptions, digest: str, resume: bool) -> None:
        """`digest` tells data from others."""
        self.folder = Path(folder)
        self.resumed = resume
        self._files: dict[str, str] = {}
        self._configuration: dict[str, Any] = {"options": asdict(options), "data_digest": digest}
        path = self.folder / CONFIGURATION
        name = visible(folder)
        if path.exists() and not resume:
            raise LrnnError(f"{name}: there is a run in this folder; go on with --resume or choose another folder")
        if resume:
            if not path.exists():
                raise LrnnError(f"{name}: there is no run in this folder to resume")
            if read_json(str(path)) != self._configuration:
                raise LrnnError(f"{name}: the run in this folder has other options or other data; use the same ones")
            return
        make_folder(folder)
        self._write(CONFIGURATION, json_text(self._configuration))

    def _write(self, name: str, text: str) -> None:
        write_text(str(self.folder / name), text)

    def _write_kept(self, name: str, text: str) -> None:
        """Write a file of an iteration, which later iterations leave as it is."""
        self._write(name, text)
        self._files[name] = _file_digest(self.folder / name)

    def restore(self, E: Problem) -> LearningState | None:
        """The state after the last whole iteration, if there was one; draws go on from there."""
        path = self.folder / STATE
        if not path.exists():
            return None
        recorded = self._verified(str(path))
        try:
            state = _restored(E, recorded)
            E.random.bit_generator.state = recorded["random"]
        except (KeyError, ValueError, TypeError, AttributeError, IndexError, OverflowError):
            raise ReadError(f"{visible(str(path))}: the state of this run is damaged; {AGAIN}") from None
        self._files = dict(recorded["files"])
        return state

    def _verified(self, path: str) -> dict[str, Any]:
        """The recorded state, if it is that of this run and all files that belong to it are as they were written."""
        name = visible(path)
        state = read_json(path)
        if "digest" not in state:
            raise ReadError(f"{name}: this run was recorded by an earlier version of lrnn; {AGAIN}")
        digest = state.pop("digest")
        if digest != _digest(state) or not isinstance(state.get("files"), dict):
            raise ReadError(f"{name}: the state of this run is damaged; {AGAIN}")
        if state.get("version") != VERSION:
            raise ReadError(f"{name}: this run was recorded by another version of lrnn; {AGAIN}")
        if state.get("configuration") != _digest(self._configuration):
            raise ReadError(f"{name}: this is the state of another run, with other options or other data; {AGAIN}")
        for file, written in state["files"].items():
            if file != Path(file).name or _file_digest(self.folder / file) != written:
                raise ReadError(f"{visible(str(self.folder / file))}: this file of the run is damaged; {AGAIN}")
        return state

    def record(self, E: Problem, state: LearningState) -> None:
        """Write the state after an iteration; the state file comes last, it makes the iteration count."""
        R, W, number = state.rules, state.weights, state.iterations[-1].number
        self._write_kept(f"model_{number}.pl", _model_text(written_template(E, R, W)))
        self._write_kept(f"embedding_{number}.csv", _embedding(R, W))
        history: list[list[object]] = [["epoch", "loss"]]
        history += [[epoch.epoch, repr(epoch.training_loss)] for epoch in state.history]
        self._write_kept(f"history_{number}.csv", csv_text(history))
        self._write("rules.csv", _rules(E, state.iterations))
        self._write("iterations.csv", _iterations(state.iterations))
        recorded = {
            "version": VERSION,
            "configuration": _digest(self._configuration),
            "files": self._files,
            "weights": W,
            "latent_rules": [rule.clause for rule in R.latent],
            "random": E.random.bit_generator.state,
            "iterations": [_iteration_json(iteration) for iteration in state.iterations],
            "best": state.best,
        }
        self._write(STATE, json.dumps({**recorded, "digest": _digest(recorded)}) + "\n")

    def finish(self, template: Template, reason: str) -> None:
        """Write the final model, the rule set in figures and why learning ended."""
        self._write("model.pl", _model_text(template))
        ended = reason or "the number of iterations was reached"
        self._write("statistics.json", json_text({**model_statistics(template), "ended": ended}))


def _model_text(template: Template) -> str:
    return model_text([template], layered=True)


def _restored(E: Problem, recorded: dict[str, Any]) -> LearningState:
    """A state from what was recorded: rules are made anew from those that each iteration found."""
    weights = _weights(recorded["weights"])
    best = None if recorded["best"] is None else (float(recorded["best"][0]), _weights(recorded["best"][1]))
    iterations = tuple(_iteration(item) for item in recorded["iterations"])
    R = create_layer1_rules(E)
    for iteration in iterations:
        R |= Rules(new_invented_from(E, R, iteration.ahead))
        R |= predicate_invention(E, R, iteration.rules)
    if [rule.clause for rule in R.latent] != recorded["latent_rules"]:
        raise ValueError("latent rules")
    for known in (weights, weights if best is None else best[1]):
        if not all(rule.clause in known for rule in R.latent):
            raise KeyError("weights")
    return LearningState(R, weights, iterations, best=best)


def _digest(value: dict[str, Any]) -> str:
    """Of a value ready for JSON; numbers are written with all digits, so that it is the same when they are read."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _file_digest(path: Path) -> str:
    return hashlib.sha256(read_bytes(str(path))[1]).hexdigest()


def _weights(items: dict[str, Any]) -> dict[str, float]:
    weights = {name: float(weight) for name, weight in items.items()}
    if not all(abs(weight) <= LARGEST for weight in weights.values()):
        raise ValueError("weights")
    return weights


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


def _rules(E: Problem, iterations: Sequence[Iteration]) -> str:
    rows: list[list[object]] = [["iteration", "log_loss", "rule"]]
    for iteration in iterations:
        for candidate, loss in iteration.rules:
            rows.append([iteration.number, repr(loss), E.words.written(candidate.rule()).clause])
    return csv_text(rows)


def _iterations(iterations: Sequence[Iteration]) -> str:
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
    return csv_text(rows)


def _embedding(R: Rules, W: Weights) -> str:
    """Layer-1 weights: the coordinates of unary predicates."""
    rules = [rule for rule in R.latent if rule.head.name.startswith("latent_1_")]
    names = list(dict.fromkeys(rule.head.name for rule in rules))
    weight = {(rule.body[0].name, rule.head.name): W[rule.clause] for rule in rules}
    rows: list[list[object]] = [["predicate", *names]]
    for unary in dict.fromkeys(rule.body[0].name for rule in rules):
        rows.append([quoted(unary), *(repr(weight[unary, name]) for name in names)])
    return csv_text(rows)

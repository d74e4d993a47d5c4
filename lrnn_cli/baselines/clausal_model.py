"""Models over crisp clauses, written as templates: what nFOIL and kFOIL learn is a lifted relational neural network.

A decision is a bias, plus a weight for each clause that covers the query; the output is its logistic function. With a
large steepness the neurons of facts and of bodies are 1, so that an atom neuron sigm(a (w1 + ... + wn + b0)) over the
clauses that cover is just that, each weight being divided by a. The bias is a weighted fact. A target with arguments
can't have one, and takes the offset b0 instead, which also is in the output of queries that no clause covers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lrnn_cli.hypotheses.vocabulary import Vocabulary
from lrnn_cli.language.clauses import Atom, Predicate, Rule, class_of, plain_name
from lrnn_cli.language.template import Settings, Template
from lrnn_cli.semantics.targets import CLASSES

STEEPNESS = 1000.0


@dataclass(frozen=True)
class Decision:
    """weights: what is added to the bias where all of some clauses, given by their numbers, cover; for each single one
    there is a weight.
    """

    bias: float
    weights: dict[tuple[int, ...], float]


@dataclass(frozen=True)
class ClausalModel:
    """Clauses for a target without weights, a note on each, and the decision over them."""

    target: Predicate
    clauses: list[Rule]
    notes: list[str]
    decision: Decision


def model_template(models: list[ClausalModel], words: Vocabulary, identity: bool) -> tuple[Template, list[str]]:
    """One template for the models of all targets, one with arguments at most, and a note on each of its rules.

    A note may be empty.
    """
    offset = sum((model.decision.bias / STEEPNESS for model in models if model.target.arity), 0.0)
    stem = "clause"
    while any(predicate.name.startswith(f"{stem}_") for predicate in words.tables):
        stem += "_"
    noted = [pair for model in models for pair in _rules(model, offset, f"{stem}_{plain_name(model.target.name)}")]
    rules = tuple(words.written(rule) for rule, _ in noted)
    task = CLASSES.name if any(class_of(model.target.name)[1] for model in models) else None
    settings = Settings(steepness=STEEPNESS, offset=offset, object_identity=identity, task=task)
    return Template(rules, settings, "<learned>"), [note for _, note in noted]


def _rules(model: ClausalModel, offset: float, stem: str) -> Iterator[tuple[Rule, str]]:
    """The rules of one target: its clauses with their weights, or clauses first and rules over sets of them."""
    weights = {members: weight / STEEPNESS for members, weight in model.decision.weights.items()}
    if all(len(members) == 1 for members in weights):
        for number, (clause, note) in enumerate(zip(model.clauses, model.notes, strict=True)):
            yield Rule(clause.head, clause.body, weight=weights[number,]), note
        head = Atom(model.target.name)
    else:
        head = model.clauses[0].head
        atoms = [Atom(f"{stem}_{number}", head.arguments) for number in range(1, len(model.clauses) + 1)]
        for number, (clause, note) in enumerate(zip(model.clauses, model.notes, strict=True)):
            yield Rule(atoms[number], clause.body, weight=1.0, fixed=True), note
        for members, weight in weights.items():
            yield Rule(head, tuple(atoms[number] for number in members), weight=weight), ""
    if not model.target.arity:
        yield Rule(head, weight=model.decision.bias / STEEPNESS - offset), "the bias"

"""Learners by name, and the commands of a fold of each.

    lrnn, paper                      structure learning, with our defaults or with those of the paper
    chain1, chain2, ...              the template of `make-template --chain N`, trained
    nfoil, kfoil, forest, lightgbm   those of `lrnn baseline`

A word after a hyphen makes a variant with results of its own, such as lrnn-shallow.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from lrnn_cli.errors import LrnnError
from lrnn_cli.evaluation.crossvalidation import METRICS, PREDICTIONS
from lrnn_cli.evaluation.experiments import KINDS
from lrnn_cli.plan.tasks import Own, Slot, Step, Word

TREES = ("forest", "lightgbm")
CHAIN = re.compile(r"chain([1-9][0-9]?)\Z")
NAME = re.compile(r"[A-Za-z0-9_.-]+\Z")
OURS = (
    *("--folds", "--fold", "--seed", "--jobs", "-o", "--output", "--metrics", "--run-dir", "--resume", "--history"),
    *("--group-duplicates", "--no-group-duplicates", "--split-by"),
)
"""Options of the commands of a fold that crossvalidation sets."""
OF_TEMPLATES = (
    *("--clusters", "--shorter", "--relation", "--target", "--bias", "--no-bias", "--object-identity"),
    "--aggregation",
)
"""Options of `make-template`; others of a chain are those of `train`."""
MODEL, TEMPLATE, GROUNDING, HISTORY = "model.pl", "template.pl", "grounding.npz", "history.csv"


@dataclass(frozen=True)
class Learner:
    """name: of its results; kind: that which stands before the hyphen; options: of the command that learns."""

    name: str
    kind: str
    options: tuple[str, ...] = ()

    @property
    def chain(self) -> str:
        """How long the chains of its template are; empty where it has none."""
        match = CHAIN.match(self.kind)
        return match.group(1) if match else ""


def shell_words(option: str, text: str) -> list[str]:
    """The words of an option that has some, as a shell would have them."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise LrnnError(f"{option} {text}: {error}; write words as in a shell") from None


def parse_learner(text: str) -> Learner:
    """A learner from its name and options, in the words of a shell."""
    name, *options = shell_words("--learner", text) or [""]
    kind = name.split("-")[0]
    if not NAME.match(name) or not (kind in KINDS or CHAIN.match(kind)):
        names = ", ".join([*KINDS, "chain1", "chain2"])
        raise LrnnError(f"--learner {text}: learners are {names}, ..., or one of these with a hyphen and a word")
    for option in options:
        if option.split("=")[0] in OURS:
            raise LrnnError(f"--learner {text}: {option} is set by crossvalidation itself; leave it out")
    return Learner(name, kind, tuple(options))


def template_step(learner: Learner, part: Sequence[Word] = ()) -> Step:
    """Writes the template of a learner that has one."""
    options, _ = _divided(learner.options)
    words = ("make-template", Slot.DATA, *part, "--jobs", Slot.JOBS, "--chain", learner.chain, *options)
    return Step("template", (*words, "--quiet", "-o", Own(TEMPLATE)), (TEMPLATE,))


def fold_steps(learner: Learner, seed: int, part: Sequence[str]) -> tuple[Step, ...]:
    """The commands of a fold; `part`: the words that choose it."""
    own: tuple[Word, ...] = (Slot.DATA, *part, "--jobs", Slot.JOBS)
    results: tuple[Word, ...] = ("--metrics", Own(METRICS), "-o", Own(PREDICTIONS))
    made = (PREDICTIONS, METRICS)
    if learner.kind in TREES:
        return (Step("learn", ("baseline", learner.kind, *own, *learner.options, *results), made),)
    predict = Step("predict", ("predict", Own(MODEL), *own, *results), made)
    if learner.chain:
        _, options = _divided(learner.options)
        return (
            template_step(learner, part),
            Step("ground", ("ground", Own(TEMPLATE), *own, "-o", Own(GROUNDING)), (GROUNDING,), passing=True),
            Step("learn", _training(seed, options), (MODEL, HISTORY)),
            predict,
        )
    if learner.kind in ("lrnn", "paper"):
        paper = ("--as-in-the-paper",) if learner.kind == "paper" else ()
        words = ("learn-structure", *own, "--run-dir", Own("run"), *paper, *learner.options, "-o", Own(MODEL))
        return (Step("learn", words, (MODEL,), goes_on=True), predict)
    return (Step("learn", ("baseline", learner.kind, *own, *learner.options, "-o", Own(MODEL)), (MODEL,)), predict)


def _training(seed: int, options: Sequence[str]) -> tuple[Word, ...]:
    return ("train", Own(GROUNDING), "--seed", str(seed), "--history", Own(HISTORY), *options, "-o", Own(MODEL))


def _divided(options: Sequence[str]) -> tuple[list[str], list[str]]:
    """Options of make-template and those of train, each with the words that follow it."""
    template: list[str] = []
    training: list[str] = []
    into = training
    for word in options:
        if word.startswith("-"):
            into = template if word.split("=")[0] in OF_TEMPLATES else training
        into.append(word)
    return template, training

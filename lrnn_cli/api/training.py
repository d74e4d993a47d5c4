"""A template of rules in data: its groundings, and the weights that are learned from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from os import fspath
from typing import TYPE_CHECKING, Any

from lrnn_cli.api.data import Data, tell_unlabelled
from lrnn_cli.api.settings import Path, chosen_options, silent
from lrnn_cli.errors import TrainingError
from lrnn_cli.stages import stage
from lrnn_cli.threads import one_thread

if TYPE_CHECKING:
    from lrnn_cli.grounding.groundings import Groundings
    from lrnn_cli.grounding.program import Program
    from lrnn_cli.language.data import DataSet
    from lrnn_cli.language.template import Template
    from lrnn_cli.network.model import Model
    from lrnn_cli.training.loop import Epoch, Trained
    from lrnn_cli.training.options import TrainingOptions


def ground(template: Template, data: Data, names: bool = True) -> Groundings:
    """All active groundings of a template in the examples of data that queries can see.

    Without `names` of objects they can be trained, but not saved or shown.
    """
    with stage("grounding"):
        return data.grounder.ground_program(*planned(template, data), data.examples, names)


def planned(template: Template, data: Data) -> tuple[Program, DataSet]:
    """What has to be grounded, and data with the queries that the template answers."""
    from lrnn_cli.language.targets import check_classes_known, with_task

    template = with_task(template, data.name, data.checked().queries)
    check_classes_known(template, data.content, data.queries)
    return data.grounder.plan(template, data.content)


def save_groundings(groundings: Groundings, path: Path) -> None:
    """Write a grounding file."""
    from lrnn_cli.grounding.groundings import save_groundings

    with stage("writing groundings"):
        save_groundings(groundings, fspath(path))


def load_groundings(path: Path) -> Groundings:
    """Read a grounding file."""
    from lrnn_cli.grounding.groundings import load_groundings

    with stage("loading groundings"):
        return load_groundings(fspath(path))


@dataclass(frozen=True)
class Training:
    """A trained model, and how its training went."""

    model: Model
    trained: Trained

    def history(self) -> str:
        """Losses by epoch as CSV."""
        from lrnn_cli.training.history import history_csv

        return history_csv(self.trained.history)


def train(
    groundings: Groundings,
    options: TrainingOptions | None = None,
    *,
    report: Callable[[Epoch], None] = lambda epoch: None,
    note: Callable[[str], None] = silent,
    **settings: Any,
) -> Training:
    """Learn the weights of the rules; see `TrainingOptions` for the settings.

    report: called after each epoch; note: with what is worth keeping.
    """
    from lrnn_cli.language.targets import with_standard_numbers
    from lrnn_cli.network.model import Model
    from lrnn_cli.network.network import compile_network
    from lrnn_cli.semantics.targets import kind_of
    from lrnn_cli.training.loop import train_weights
    from lrnn_cli.training.options import TrainingOptions

    chosen = chosen_options(TrainingOptions, options, settings)
    template, queries = groundings.template, groundings.queries
    tell_unlabelled(groundings.data_name, queries, note)
    groundings = groundings.asking(queries.labelled.nonzero()[0])
    template = with_standard_numbers(template, groundings.origin, groundings.queries)
    groundings = replace(groundings, program=replace(groundings.program, template=template))
    with one_thread():
        with stage("compiling the network"):
            network = compile_network(groundings)
        with stage("training"):
            try:
                trained = train_weights(network, template.rules, chosen, report)
            except TrainingError as error:
                raise TrainingError(f"{groundings.origin}: {error}") from None
    names = (name.rsplit("/", 1)[-1] for name in (template.name, groundings.data_name))
    loss = kind_of(template.settings).loss_name(chosen.loss)
    comments = (
        "model of lrnn: {} trained on {}".format(*names),
        f"{loss} loss {trained.epoch.decisive_loss!r} after epoch {trained.epoch.epoch}, seed {chosen.seed}",
    )
    model = template.with_weights([float(weight) for weight in trained.weights])
    return Training(Model((model,), comments), trained)

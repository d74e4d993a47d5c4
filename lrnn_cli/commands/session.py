"""What commands that ground have in common: from file names and options to groundings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from lrnn_cli.commands.options import Progress
from lrnn_cli.errors import LrnnError
from lrnn_cli.grounding.grounder import Grounder, GrounderOptions, open_grounder
from lrnn_cli.grounding.groundings import Groundings
from lrnn_cli.language.data import DataSet
from lrnn_cli.language.files import read_source
from lrnn_cli.language.template import Template

DATA = "data in Prolog facts"
TEMPLATE = "a template or model of weighted rules"


@contextmanager
def grounder_session(progress: Progress, options: dict[str, Any]) -> Iterator[Grounder]:
    """An open grounder, from the options of `grounding_options`."""
    settings = GrounderOptions(
        options["jobs"], options["memory_limit"], options["time_limit"], progress.status, progress.warn
    )
    with open_grounder(options["grounder"], settings) as grounder:
        yield grounder


def check_inputs(template_path: str | None, data_path: str) -> None:
    if template_path == "-" and data_path == "-":
        raise LrnnError("the template and the data can't both be standard input; name a file for one of them")


def ground_files(
    template_path: str, data_path: str, progress: Progress, testing: bool, options: dict[str, Any], names: bool = False
) -> Groundings:
    """Read a template and data, choose a fold, and ground."""
    import numpy as np

    from lrnn_cli.evaluation.folds import choose_examples

    check_inputs(template_path, data_path)
    with grounder_session(progress, options) as grounder:
        template = with_settings(
            grounder.read_template(read_source(template_path, TEMPLATE)),
            options["activation"],
            options["object_identity"],
        )
        data = load_data(grounder, data_path, progress)
        examples = choose_examples(data, options["folds"], options["fold"], options["seed"], testing)
        if examples is not None and not np.isin(data.queries.example, examples).any():
            raise LrnnError(f"{data.name}: there is no query in the chosen part of these data; choose another fold")
        return grounder.ground(template, data, examples, names)


def load_data(grounder: Grounder, path: str, progress: Progress) -> DataSet:
    source = read_source(path, DATA)
    progress.status(f"reading {source.name}")
    return grounder.load(source)


def with_settings(template: Template, activation: str | None, object_identity: bool | None) -> Template:
    """The template with settings of the command line."""
    settings = template.settings
    if activation is not None:
        settings = replace(settings, activation=activation)
    if object_identity is not None:
        settings = replace(settings, object_identity=object_identity)
    return replace(template, settings=settings)


def model_weights(template: Template) -> list[float]:
    """The weights of a model; a rule without one is an error."""
    weights = []
    for rule in template.rules:
        if rule.weight is None:
            raise LrnnError(
                f"{template.name}:{rule.line}:{rule.column}: the rule for {rule.head} has no weight; "
                "train the template first with `lrnn ground` and `lrnn train`"
            )
        weights.append(rule.weight)
    return weights


def predictions(model_path: str, data_path: str, progress: Progress, options: dict[str, Any]) -> tuple[Groundings, Any]:
    """Groundings of a model over a testing part of the data, and its outputs (queries,)."""
    import numpy as np

    from lrnn_cli.network.network import compile_network

    groundings = ground_files(model_path, data_path, progress, True, options)
    weights = np.array(model_weights(groundings.template))
    network = compile_network(groundings)
    values, _ = network.forward(weights)
    return groundings, network.outputs(values)

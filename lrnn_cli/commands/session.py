"""What commands that ground have in common: from file names and options to groundings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from lrnn_cli.commands.options import Progress
from lrnn_cli.errors import LrnnError
from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder
from lrnn_cli.grounding.groundings import Groundings
from lrnn_cli.grounding.session import GroundingSession
from lrnn_cli.language.data import DataSet, Queries
from lrnn_cli.language.files import read_source
from lrnn_cli.language.template import Template
from lrnn_cli.limits import MB, room
from lrnn_cli.stages import stage

DATA = "data in Prolog facts"
TEMPLATE = "a template or model of weighted rules"


@contextmanager
def grounder_session(progress: Progress, options: dict[str, Any]) -> Iterator[GroundingSession]:
    """An open grounder, from the options of `grounding_options`."""
    space = room(options["memory_limit"])
    settings = GrounderOptions(
        options["jobs"],
        # Prolog takes this for its stacks and once more for what clauses derive; this process holds the tables.
        space // 4 // options["jobs"] // MB,
        options["time_limit"],
        progress.status,
        progress.warn_once,
        space // 2,
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
    check_inputs(template_path, data_path)
    with grounder_session(progress, options) as grounder:
        template = with_settings(grounder.read_template(read_source(template_path, TEMPLATE)), options)
        data, examples = load_part(grounder, data_path, progress, testing, options)
        with stage("grounding"):
            return grounder.ground(template, data, examples, names)


def read_model(grounder: GroundingSession, path: str) -> list[Template]:
    """The members of the ensemble in a model file, or its only model."""
    return grounder.read_model(read_source(path, TEMPLATE))


def load_part(
    grounder: GroundingSession, path: str, progress: Progress, testing: bool, options: dict[str, Any]
) -> tuple[DataSet, list[int] | None]:
    """Data, and the examples that `fold_options` choose, some with a query; None for all."""
    import numpy as np

    data = load_data(grounder, path, progress)
    examples = chosen_examples(grounder, data, testing, options)
    if examples is not None and not np.isin(data.queries.example, examples).any():
        raise LrnnError(f"{data.name}: there is no query in the chosen part of these data; choose another fold")
    return data, examples


def load_data(grounder: GroundingSession, path: str, progress: Progress) -> DataSet:
    source = read_source(path, DATA)
    progress.status(f"reading {source.name}")
    with stage("reading data"):
        return grounder.load(source)


def chosen_examples(
    grounder: GroundingSession, data: DataSet, testing: bool, options: dict[str, Any]
) -> list[int] | None:
    """The examples that `fold_options` choose; None for all."""
    from lrnn_cli.evaluation.folds import choose_examples
    from lrnn_cli.evaluation.survey import duplicate_groups

    duplicates = None
    if options["fold"] is not None and options["group_duplicates"] and not data.example_fold.any():
        with stage("finding duplicates"):
            duplicates = duplicate_groups(data, *grounder.relations(data))
    return choose_examples(data, options["folds"], options["fold"], options["seed"], testing, duplicates)


def with_settings(template: Template, options: dict[str, Any]) -> Template:
    """The template with settings of the command line."""
    given = {name: options[name] for name in ("activation", "aggregation", "object_identity")}
    chosen = {name: value for name, value in given.items() if value is not None}
    return replace(template, settings=replace(template.settings, **chosen))


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


@dataclass(frozen=True)
class Predictions:
    """Outputs (queries,) of a model for queries, and the names of all examples of the data.

    members: (members, queries) the outputs whose mean the output is.
    """

    queries: Queries
    example_name: tuple[str, ...]
    output: Any
    members: Any


def predictions(model_path: str, data_path: str, progress: Progress, options: dict[str, Any]) -> Predictions:
    """What a model predicts for a testing part of the data; an ensemble the mean of its members' outputs."""
    import numpy as np

    check_inputs(model_path, data_path)
    outputs = []
    with grounder_session(progress, options) as grounder:
        # While SWI-Prolog starts.
        from lrnn_cli.grounding.regrounding import Regrounder
        from lrnn_cli.network.network import compile_network

        members = read_model(grounder, model_path)
        data, examples = load_part(grounder, data_path, progress, True, options)
        regrounder = Regrounder(grounder, data, examples, progress.warn_once)
        for member in members:
            member = with_settings(member, options)
            with stage("grounding"):
                groundings = regrounder.predict(member)
            with stage("compiling the network"):
                network = compile_network(groundings)
            with stage("computing outputs"):
                values, _ = network.forward(np.array(model_weights(member)))
                outputs.append(network.outputs(values))
    return Predictions(groundings.queries, groundings.example_name, np.mean(outputs, axis=0), np.stack(outputs))

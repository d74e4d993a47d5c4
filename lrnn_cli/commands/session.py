"""What commands that ground have in common: from file names and options to groundings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lrnn_cli.commands.options import Progress
from lrnn_cli.errors import LrnnError
from lrnn_cli.grounding.grounder import Grounder, GrounderOptions, open_grounder
from lrnn_cli.grounding.groundings import Groundings
from lrnn_cli.language.data import DataSet, Queries
from lrnn_cli.language.files import read_source
from lrnn_cli.language.lookalikes import examples_of_others
from lrnn_cli.language.template import Template
from lrnn_cli.limits import MB, room
from lrnn_cli.stages import stage

if TYPE_CHECKING:
    import numpy as np

DATA = "data in Prolog facts"
TEMPLATE = "a template or model of weighted rules"


@contextmanager
def grounder_session(progress: Progress, options: dict[str, Any]) -> Iterator[Grounder]:
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
        data, examples = load_part(grounder, data_path, progress, testing, options, labelled=False)
        with stage("grounding"):
            return grounder.ground(template, data, examples, names)


def read_model(grounder: Grounder, path: str) -> list[Template]:
    """The members of the ensemble in a model file, or its only model."""
    return grounder.read_model(read_source(path, TEMPLATE))


def load_part(
    grounder: Grounder, path: str, progress: Progress, testing: bool, options: dict[str, Any], labelled: bool = True
) -> tuple[DataSet, list[int] | None]:
    """Data with the queries, and the examples, that `fold_options` choose, some with a query; None for all examples.

    With `labelled` there are queries, and only those with a target are left.
    """
    import numpy as np

    data = load_data(grounder, path, progress, options["split_by"])
    asks = bool(len(data.queries))
    data, examples = chosen_part(grounder, data, testing, options)
    if labelled and not asks:
        hint = examples_of_others(list(data.predicates))
        raise LrnnError(f"{data.name}: there is no query in these data; add query(Atom, Target). to the examples{hint}")
    chosen = np.isin(data.queries.example, examples) if examples is not None else np.ones(len(data.queries), bool)
    if asks and not chosen.any():
        raise LrnnError(f"{data.name}: there is no query in the chosen part of these data; choose another fold")
    return (labelled_only(data, chosen, progress) if labelled else data), examples


def load_folds(
    grounder: Grounder, path: str, progress: Progress, options: dict[str, Any]
) -> tuple[DataSet, np.ndarray]:
    """Data with queries that have a target, and which of these (queries,) are in the fold to test on."""
    import numpy as np

    from lrnn_cli.evaluation.folds import in_fold

    data = load_data(grounder, path, progress, options["split_by"])
    duplicates = groups_of_duplicates(grounder, data, options)
    tested = in_fold(data, options["folds"], options["fold"], options["seed"], duplicates)
    labelled = data.queries.labelled
    return labelled_only(data, np.ones(len(labelled), bool), progress), tested[labelled]


def labelled_only(data: DataSet, chosen: np.ndarray, progress: Progress) -> DataSet:
    """The data with queries that have a target; how many others there are among those `chosen` (queries,) is told."""
    labelled = data.queries.labelled
    tell_unlabelled(data.name, labelled[chosen], progress)
    return data if labelled.all() else data.asking(labelled.nonzero()[0])


def labelled_groundings(groundings: Groundings, progress: Progress) -> Groundings:
    """Groundings for queries that have a target; how many others there are is told."""
    queries = groundings.queries
    tell_unlabelled(groundings.data_name, queries.labelled, progress)
    return replace(groundings, queries=queries.select(queries.labelled.nonzero()[0]))


def tell_unlabelled(name: str, labelled: np.ndarray, progress: Progress) -> None:
    """Say how many queries have no target; none with one is an error, unless there is no query."""
    others = int((~labelled).sum())
    if others and others == len(labelled):
        raise LrnnError(
            f"{name}: no query has a target here, and this command needs some: query(Atom, Target). "
            "`lrnn predict` asks for outputs without"
        )
    if others:
        progress.line(f"{others:,} of {len(labelled):,} queries have no target and are left out")


def load_data(grounder: Grounder, path: str, progress: Progress, split_by: str | None = None) -> DataSet:
    """The data in a file; with `split_by` its only example cut into several."""
    source = read_source(path, DATA)
    progress.status(f"reading {source.name}")
    with stage("reading data"):
        data = grounder.load(source)
    if split_by is None:
        return data
    from lrnn_cli.evaluation.splitting import split_examples

    with stage("splitting data"):
        split = split_examples(data, *grounder.relations(data), grounder.names(data), split_by)
        progress.line(f"{split.examples:,} examples, split by {split_by}")
        if split.left_out:
            progress.warn(f"{split.left_out:,} facts are about objects of no example and are left out")
        return grounder.load(split.source)


def chosen_part(
    grounder: Grounder, data: DataSet, testing: bool, options: dict[str, Any]
) -> tuple[DataSet, list[int] | None]:
    """The data with the queries, and the examples, that `fold_options` choose; None for all examples."""
    from lrnn_cli.evaluation.folds import choose_part

    duplicates = groups_of_duplicates(grounder, data, options)
    return choose_part(data, options["folds"], options["fold"], options["seed"], testing, duplicates)


def groups_of_duplicates(grounder: Grounder, data: DataSet, options: dict[str, Any]) -> np.ndarray | None:
    """(examples,) groups that stay in one fold, where folds are to be drawn; None where nothing is grouped."""
    from lrnn_cli.evaluation.survey import duplicate_groups

    drawn = options["fold"] is not None and not data.example_fold.any() and len(data.example_name) > 1
    if not drawn or not options["group_duplicates"]:
        return None
    with stage("finding duplicates"):
        return duplicate_groups(data, *grounder.relations(data), grounder.names(data))


def asking(
    grounder: Grounder, data: DataSet, examples: list[int] | None, members: list[Template], options: dict[str, Any]
) -> DataSet:
    """The data with the queries that `--target` asks or, where they ask none, those that a model answers."""
    from lrnn_cli.evaluation.questions import all_atoms, asked_predicate, targets_without_arguments

    if options["target"] is not None:
        predicate = asked_predicate(options["target"], members)
        return all_atoms(predicate, data, grounder.knowledge(data), examples, members)
    return data if len(data.queries) else targets_without_arguments(data, members)


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


def predictions(
    model_path: str, data_path: str, progress: Progress, options: dict[str, Any], labelled: bool
) -> Predictions:
    """What a model predicts for a testing part of the data; an ensemble the mean of its members' outputs.

    Without `labelled` also for queries that have no target, and those that the model asks where the data ask none.
    """
    import numpy as np

    check_inputs(model_path, data_path)
    outputs = []
    with grounder_session(progress, options) as grounder:
        # While SWI-Prolog starts.
        from lrnn_cli.grounding.regrounding import Regrounder
        from lrnn_cli.network.network import compile_network

        members = read_model(grounder, model_path)
        data, examples = load_part(grounder, data_path, progress, True, options, labelled)
        if not labelled:
            data = asking(grounder, data, examples, members, options)
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

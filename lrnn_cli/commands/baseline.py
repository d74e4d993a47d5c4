from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from lrnn_cli.commands.options import Command, FiniteRange, Progress, fold_options, grounding_options, output_option
from lrnn_cli.commands.parameters import Input, Output


@click.group(no_args_is_help=True)
def baseline() -> None:
    """Learners to compare with: nFOIL and kFOIL, a random forest and boosted trees

    nFOIL and kFOIL learn crisp clauses, one after the other, and a classifier over them. Their models are files of
    weighted rules like any other, for `predict`, `evaluate` and `show`. The forest and LightGBM learn from counts of
    neighbourhoods, and write predictions.

    \b
    Example:
        lrnn baseline nfoil data.pl -o model.pl
        lrnn baseline kfoil data.pl --folds 5 --fold 1 -o model.pl
        lrnn evaluate model.pl data.pl --folds 5 --fold 1
        lrnn baseline forest data.pl --folds 5 --fold 1 --metrics metrics.json -o predictions.tsv
    """


def foil_options(threshold: float, measure: str) -> Callable[[Command], Command]:
    """What both learners have."""

    def decorate(command: Command) -> Command:
        for option in (
            click.option(
                "--object-identity/--no-object-identity",
                default=False,
                show_default=True,
                help="Variables of a clause take different objects.",
            ),
            click.option(
                "--variables",
                type=click.IntRange(1),
                default=7,
                show_default=True,
                help="Variables of a clause at most.",
            ),
            click.option(
                "--length", type=click.IntRange(1), default=8, show_default=True, help="Literals in a body at most."
            ),
            click.option(
                "--threshold",
                type=FiniteRange(0),
                default=threshold,
                show_default=True,
                help=f"A clause must improve the {measure} by this.",
            ),
            click.option(
                "--beam",
                type=click.IntRange(1),
                default=10,
                show_default=True,
                help="Clauses that the search refines in each step.",
            ),
            click.option("--clauses", type=click.IntRange(1), default=20, show_default=True, help="Clauses at most."),
            output_option("The model file to write"),
        ):
            command = option(command)
        return command

    return decorate


@baseline.command(no_args_is_help=True, short_help="Clauses as features of a naive Bayes model.")
@click.argument("data", type=Input())
@foil_options(0.01, "log likelihood")
@fold_options(testing=False)
@grounding_options
def nfoil(data: str, output: str, quiet: bool, **options: Any) -> None:
    """Clauses as binary features of a naive Bayes model (Landwehr, Kersting, De Raedt 2007)

    Each step adds the clause that most improves the conditional log likelihood: the sum over queries of
    log P(class | clauses), with smoothed counts. A query is positive when its target is above 0.5. Weighted facts
    are true, like others.

    \b
    Example:
        lrnn baseline nfoil data.pl -o model.pl
        lrnn baseline nfoil data.pl --folds 5 --fold 1 --clauses 10 -o model.pl
    """
    _learn("nfoil", data, output, quiet, options)


@baseline.command(no_args_is_help=True, short_help="Clauses as a kernel of a support vector machine.")
@click.argument("data", type=Input())
@foil_options(0.0001, "score, which is between -1 and 1,")
@click.option(
    "--score",
    type=click.Choice(["machine", "alignment"]),
    default="machine",
    show_default=True,
    help="What clauses are chosen by: the loss of the support vector machine in training, or the alignment of the "
    "kernel with the targets.",
)
@click.option(
    "--degree",
    type=click.IntRange(1, 3),
    default=2,
    show_default=True,
    help="Of the kernel (k + 1)^degree, k being the number of clauses that cover both queries; 1 is k itself.",
)
@click.option(
    "--cost",
    type=FiniteRange(0, min_open=True),
    default=1.0,
    show_default=True,
    help="Of an error in training the support vector machine.",
)
@fold_options(testing=False)
@grounding_options
def kfoil(data: str, output: str, quiet: bool, **options: Any) -> None:
    """Clauses that make up a kernel, with a support vector machine (Landwehr, Passerini, De Raedt, Frasconi 2006)

    Each step adds the clause with which the machine has the lowest loss on the training queries or, with `--score
    alignment` (2010), with which the kernel is most like the targets. A query is positive when its target is above 0.5.
    Weighted facts are true, like others. Learning needs scikit-learn: pip install 'lrnn[baselines]'.

    \b
    Example:
        lrnn baseline kfoil data.pl -o model.pl
        lrnn baseline kfoil data.pl --degree 1 --score alignment -o model.pl
    """
    _check_installed("kFOIL", "scikit-learn", "sklearn")
    _learn("kfoil", data, output, quiet, options)


def tree_options(command: Command) -> Command:
    """What learners over counts have."""
    for option in (
        click.option(
            "--occurrences",
            type=click.IntRange(1),
            metavar="N",
            help="Take features that occur for N training queries at least (default: 5; fewer below 500 queries, one "
            "in a hundred, but 2 at least).",
        ),
        click.option(
            "--radius",
            type=click.IntRange(0),
            default=1,
            show_default=True,
            help="How far around an object its neighbourhood goes; counts of smaller ones are there as well.",
        ),
        click.option(
            "--metrics",
            type=Output(),
            metavar="FILE",
            help="Write metrics of the predictions as `evaluate --json` does.",
        ),
        output_option("Where predictions go"),
    ):
        command = option(command)
    return command


@baseline.command(no_args_is_help=True, short_help="A random forest over counts of neighbourhoods.")
@click.argument("data", type=Input())
@tree_options
@fold_options(testing=False)
@grounding_options
def forest(data: str, output: str, quiet: bool, **options: Any) -> None:
    """A random forest over counts of neighbourhoods (colours of Weisfeiler and Leman)

    Learns from all folds but K, and predicts the queries of fold K; a forest is no set of rules, so there is no model
    file. Predictions are those of `lrnn predict`. It needs scikit-learn: pip install 'lrnn[baselines]'.

    \b
    Example:
        lrnn baseline forest data.pl --folds 5 --fold 1 > predictions.tsv
        lrnn baseline forest data.pl --folds 5 --fold 1 --radius 2 --metrics metrics.json -o predictions.tsv
    """
    _check_installed("a forest", "scikit-learn", "sklearn")
    _predict("forest", data, output, quiet, options)


@baseline.command("lightgbm", no_args_is_help=True, short_help="Boosted trees over counts of neighbourhoods.")
@click.argument("data", type=Input())
@tree_options
@fold_options(testing=False)
@grounding_options
def boosted_trees(data: str, output: str, quiet: bool, **options: Any) -> None:
    """Boosted trees, by LightGBM, over counts of neighbourhoods (colours of Weisfeiler and Leman)

    Learns from all folds but K, and predicts the queries of fold K; there is no model file. Predictions are those of
    `lrnn predict`. It needs LightGBM: pip install 'lrnn[baselines]'.

    \b
    Example:
        lrnn baseline lightgbm data.pl --folds 5 --fold 1 > predictions.tsv
        lrnn baseline lightgbm data.pl --folds 5 --fold 1 --radius 2 --metrics metrics.json -o predictions.tsv
    """
    _check_installed("boosting", "LightGBM", "lightgbm")
    _predict("lightgbm", data, output, quiet, options)


def _check_installed(what: str, package: str, module: str) -> None:
    import importlib.util

    from lrnn_cli.errors import LrnnError

    if importlib.util.find_spec(module) is None:
        raise LrnnError(f"{what} needs {package}; install it with pip install 'lrnn[baselines]'")


def _predict(learner: str, path: str, output: str, quiet: bool, options: dict[str, Any]) -> None:
    import json

    from lrnn_cli.baselines.trees import TreeOptions, predict_with_trees
    from lrnn_cli.commands.session import grounder_session, load_folds
    from lrnn_cli.errors import LrnnError
    from lrnn_cli.evaluation.crossvalidation import predictions_text
    from lrnn_cli.evaluation.metrics import evaluate_outputs
    from lrnn_cli.language.files import write_text

    metrics_path = options["metrics"]
    if options["fold"] is None:
        raise click.UsageError("say which part is left out and predicted: --fold K, and --folds N or fold(K) facts")
    progress = Progress(quiet)
    with grounder_session(progress, options) as grounder:
        data, tested = load_folds(grounder, path, progress, options)
        knowledge = grounder.knowledge(data)
    queries = data.queries.select(tested.nonzero()[0])
    if not len(queries):
        raise LrnnError(f"{data.name}: there is no query in the fold to predict; choose another fold")
    settings = TreeOptions(options["radius"], options["occurrences"], options["seed"], options["jobs"])
    found = predict_with_trees(learner, data, knowledge, ~tested, tested, settings)
    for remark in found.remarks:
        progress.line(remark)
    write_text(output, predictions_text(queries, data.example_name, found.output))
    if metrics_path:
        metrics = evaluate_outputs(found.output, queries.target)
        for name, reason in metrics.reasons.items():
            progress.warn(f"{name} is undefined: {reason}")
        write_text(metrics_path, json.dumps(metrics.json(), indent=2) + "\n")


def _learn(learner: str, path: str, output: str, quiet: bool, options: dict[str, Any]) -> None:
    from dataclasses import fields

    from lrnn_cli.baselines.clausal import BaselineOptions, learn_baseline
    from lrnn_cli.baselines.clausal_model import STEEPNESS, model_template, model_text
    from lrnn_cli.commands.session import grounder_session, load_part
    from lrnn_cli.language.files import write_text

    progress = Progress(quiet)
    with grounder_session(progress, options) as grounder:
        data, examples = load_part(grounder, path, progress, False, options)
        knowledge = grounder.knowledge(data, examples)
    chosen = {field.name: options[field.name] for field in fields(BaselineOptions) if field.name in options}
    learned = learn_baseline(learner, data, knowledge, examples, BaselineOptions(**chosen), progress.status)
    template, notes = model_template(learned.models, learned.words, options["object_identity"])
    added = "the log odds" if learner == "nfoil" else "the decision of the support vector machine"
    comments = [
        f"model of lrnn baseline {learner}: learned from {data.name.rsplit('/', 1)[-1]}",
        *learned.remarks,
        f"{STEEPNESS:g} times the weight of a clause is what it adds to {added}",
    ]
    write_text(output, model_text(template, notes, comments))
    for remark in learned.remarks:
        progress.line(remark)
    if output != "-":
        progress.line(f"model in {output}")

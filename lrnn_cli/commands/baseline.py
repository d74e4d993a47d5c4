from __future__ import annotations

from typing import Any

import click

from lrnn_cli.baselines.options import BaselineOptions, KernelOptions, TreeOptions
from lrnn_cli.commands.options import (
    Command,
    Progress,
    chosen,
    fold_options,
    grounding_options,
    metrics_option,
    open_session,
    options_of,
    output_name,
    output_option,
    read_part,
    write_metrics,
)
from lrnn_cli.commands.parameters import Input
from lrnn_cli.evaluation.parts import FoldOptions


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


@baseline.command(no_args_is_help=True, short_help="Clauses as features of a naive Bayes model.")
@click.argument("data", type=Input())
@output_option("The model file to write")
@options_of(BaselineOptions)
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
    _learn(BaselineOptions, data, output, quiet, options)


@baseline.command(no_args_is_help=True, short_help="Clauses as a kernel of a support vector machine.")
@click.argument("data", type=Input())
@output_option("The model file to write")
@options_of(KernelOptions)
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
    _learn(KernelOptions, data, output, quiet, options)


def tree_options(command: Command) -> Command:
    """What learners over counts have."""
    for option in (
        options_of(TreeOptions),
        metrics_option,
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
    from lrnn_cli import api
    from lrnn_cli.language.files import write_text

    if options["fold"] is None:
        raise click.UsageError("say which part is left out and predicted: --fold K, and --folds N or fold(K) facts")
    progress = Progress(quiet)
    with open_session(progress, options) as session:
        data, fold = session.read(path, options["split_by"]), chosen(FoldOptions, options)
        training, testing = (data.of_fold(fold, testing) for testing in (False, True))
        predictions, remarks = api.predict_with_trees(learner, training, testing, chosen(TreeOptions, options))
    for remark in remarks:
        progress.line(remark)
    write_metrics(options["metrics"], predictions, progress)
    write_text(output, predictions.text())


def _learn(kind: type[BaselineOptions], path: str, output: str, quiet: bool, options: dict[str, Any]) -> None:
    from lrnn_cli import api

    progress = Progress(quiet)
    with open_session(progress, options) as session:
        data = read_part(session, path, options, testing=False).labelled().in_memory()
    model, remarks = api.learn_baseline(data, chosen(kind, options))
    model.save(output)
    for remark in remarks:
        progress.line(remark)
    if output != "-":
        progress.line(f"model in {output_name(output)}")

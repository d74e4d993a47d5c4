from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lrnn_cli.commands.options import (
    FiniteRange,
    Progress,
    fold_options,
    grounding_options,
    output_name,
    output_option,
)
from lrnn_cli.commands.parameters import Input

if TYPE_CHECKING:
    from lrnn_cli.language.template import Template
    from lrnn_cli.simplification.simplification import Badness, Simplifier


@click.command(no_args_is_help=True)
@click.argument("model", type=Input())
@click.argument("data", type=Input())
@output_option("The model file to write", replaces=("model",))
@click.option(
    "--metric",
    type=click.Choice(["squared_loss", "log_loss", "accuracy", "auc_pr"]),
    default="squared_loss",
    show_default=True,
    help="What must not get worse.",
)
@click.option(
    "--tolerance",
    type=FiniteRange(0),
    default=0.001,
    show_default=True,
    help="How much worse the metric may get in all.",
)
@click.option(
    "--literals",
    type=click.Choice(["on", "off"]),
    default="on",
    show_default=True,
    help="Try to shorten rules too; needs several groundings.",
)
@click.option(
    "--retrain",
    type=click.IntRange(0),
    default=50,
    show_default=True,
    metavar="EPOCHS",
    help="Epochs of training of the weights that are left, after each round; 0 leaves weights as they are.",
)
@fold_options(testing=False)
@grounding_options
def simplify(model: str, data: str, output: str, quiet: bool, **options: Any) -> None:
    """Drop rules and literals of MODEL that do not matter on DATA

    Rules whose removal costs least go first, then body literals, while the metric gets worse by no more than the
    tolerance; the weights that are left are trained a little. Every step is checked by the model it leads to. Rules
    with fixed weights stay while anything uses them. The members of an ensemble are simplified one by one.

    What was dropped is printed, on standard error when the model goes to standard output. Ctrl-C keeps what has been
    reached so far.

    \b
    Example:
        lrnn simplify model.pl data.pl -o smaller.pl
        lrnn simplify model.pl data.pl --metric accuracy --tolerance 0.01 --folds 5 --fold 1 -o smaller.pl
    """
    from lrnn_cli.commands.session import check_inputs, grounder_session, load_part, model_weights, read_model
    from lrnn_cli.grounding.regrounding import Regrounder
    from lrnn_cli.language.files import write_text
    from lrnn_cli.language.template import ensemble_text
    from lrnn_cli.report.model_text import model_text
    from lrnn_cli.report.simplifications import simplification_text
    from lrnn_cli.simplification.simplification import SimplificationOptions, Simplifier

    check_inputs(model, data)
    progress = Progress(quiet)
    settings = SimplificationOptions(
        tolerance=options["tolerance"],
        literals=options["literals"] == "on",
        epochs=options["retrain"],
        loss="log" if options["metric"] == "log_loss" else "squared",
    )
    simplifiers: list[Simplifier] = []
    interrupted = False
    with grounder_session(progress, options) as grounder:
        members = read_model(grounder, model)
        for member in members:
            model_weights(member)
        loaded, examples = load_part(grounder, data, progress, False, options)
        badness = _badness(options["metric"], loaded.name)
        regrounder = Regrounder(grounder, loaded, examples)
        try:
            for member in members:
                simplifiers.append(Simplifier(member, regrounder.ground, badness, settings, progress.status))
                simplifiers[-1].run()
        except KeyboardInterrupt:
            interrupted = True
    if interrupted and not any(simplifier.dropped for simplifier in simplifiers):
        raise KeyboardInterrupt
    smaller = [simplifier.now.model for simplifier in simplifiers] + members[len(simplifiers) :]
    write_text(output, ensemble_text(smaller, _comments(model, loaded.name, members, smaller), model_text))
    report = simplification_text(simplifiers, options["metric"])
    if output == "-":
        progress.line(report)
    else:
        write_text("-", f"{report}\n")
        progress.line(f"model in {output}")
    if interrupted:
        progress.warn(f"interrupted: {output_name(output)} holds what has been reached so far")
        click.get_current_context().exit(130)


def _badness(metric: str, data_name: str) -> Badness:
    """The metric as a quantity to keep low."""
    import numpy as np

    from lrnn_cli.errors import LrnnError
    from lrnn_cli.evaluation.metrics import evaluate_outputs

    def badness(outputs: np.ndarray, target: np.ndarray) -> float:
        metrics = evaluate_outputs(outputs, target)
        value = metrics.values[metric]
        if value is None:
            raise LrnnError(f"{data_name}: {metric} is undefined: {metrics.reasons[metric]}; choose another --metric")
        return float(value) if metric.endswith("loss") else -float(value)

    return badness


def _comments(model: str, data: str, members: list[Template], smaller: list[Template]) -> tuple[str, ...]:
    before, after = (sum(len(member.rules) for member in models) for models in (members, smaller))
    name, data_name = (path.rsplit("/", 1)[-1] for path in (model, data))
    return (f"model of lrnn: {name} simplified on {data_name}", f"{before} rules before, {after} after")

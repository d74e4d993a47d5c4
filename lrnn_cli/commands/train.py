from __future__ import annotations

from typing import Any

import click

from lrnn_cli.commands.options import FiniteRange, Progress, model_in, output_name, output_option, quiet_option
from lrnn_cli.commands.parameters import Input, Output


@click.command(no_args_is_help=True)
@click.argument("grounding", type=Input())
@output_option("The model file to write")
@click.option(
    "--loss", type=click.Choice(["squared", "log"]), default="squared", show_default=True, help="What is minimised."
)
@click.option("--optimizer", type=click.Choice(["sgd", "adam"]), default="adam", show_default=True, help="How.")
@click.option(
    "--learning-rate",
    type=FiniteRange(0, min_open=True),
    metavar="RATE",
    show_default="0.02 for adam, 0.1 for sgd",
    help="Size of the steps.",
)
@click.option("--epochs", type=click.IntRange(0), default=300, show_default=True, help="Passes over the examples.")
@click.option(
    "--batch-size",
    default="all",
    show_default=True,
    metavar="N|all",
    help="Examples in a step. The loss of a step is summed over the queries of one example, averaged otherwise.",
)
@click.option("--no-shuffle", is_flag=True, help="Take examples in the order of the file.")
@click.option(
    "--restarts",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Runs from other weights; the best is kept.",
)
@click.option(
    "--validation",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    metavar="FRACTION",
    help="Hold this part of the examples out, keep the weights that do best on it, and stop early.",
)
@click.option(
    "--patience",
    type=click.IntRange(1),
    default=50,
    show_default=True,
    help="Epochs to wait for a better validation loss.",
)
@click.option("--l2", type=FiniteRange(0), default=0.0, show_default=True, help="Penalty on squared weights.")
@click.option(
    "--scale", type=FiniteRange(0), default=0.5, show_default=True, help="Standard deviation of drawn weights."
)
@click.option("--reinitialise", is_flag=True, help="Draw all weights, also those that stand in the template.")
@click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, help="The same seed gives the same bytes."
)
@click.option(
    "--backend",
    type=click.Choice(["auto", "numpy", "compiled"]),
    default="auto",
    show_default=True,
    help="How steps are computed. `compiled` needs numba and loads for half a second; `auto` takes it for long work.",
)
@click.option("--history", type=Output(), metavar="FILE", help="Write losses by epoch as CSV.")
@quiet_option
def train(grounding: str, output: str, quiet: bool, history: str | None, **options: Any) -> None:
    """Learn the weights of the rules in GROUNDING

    Weights that stand in the template are where training starts, `_` is drawn, `fixed(W)` stays. The squared loss of
    a query is (output - target)^2. Compiled steps give the same weights as those of NumPy, but for rounding. Ctrl-C
    ends training and keeps the best weights so far.

    \b
    Example:
        lrnn train grounding.npz -o model.pl
        lrnn train grounding.npz --loss log --restarts 5 --validation 0.1 --history history.csv -o model.pl
    """
    from lrnn_cli.commands.session import labelled_groundings
    from lrnn_cli.grounding.groundings import load_groundings
    from lrnn_cli.language.files import write_text
    from lrnn_cli.network.network import compile_network
    from lrnn_cli.stages import stage
    from lrnn_cli.training.history import history_csv
    from lrnn_cli.training.loop import Epoch, TrainingOptions, train_weights

    progress = Progress(quiet)
    settings = TrainingOptions(
        loss=options["loss"],
        optimiser=options["optimizer"],
        learning_rate=options["learning_rate"],
        epochs=options["epochs"],
        batch_size=_batch_size(options["batch_size"]),
        shuffle=not options["no_shuffle"],
        restarts=options["restarts"],
        validation=options["validation"] or 0.0,
        patience=options["patience"],
        l2=options["l2"],
        scale=options["scale"],
        reinitialise=options["reinitialise"],
        seed=options["seed"],
        backend=options["backend"],
    )
    with stage("loading groundings"):
        groundings = labelled_groundings(load_groundings(grounding), progress)
    progress.status("compiling the network")
    with stage("compiling the network"):
        network = compile_network(groundings)
    template = groundings.template

    def report(epoch: Epoch) -> None:
        restart = f"restart {epoch.restart}, " if settings.restarts > 1 else ""
        validation = "" if epoch.validation_loss is None else f", validation {epoch.validation_loss:.6f}"
        progress.status(
            f"training: {restart}epoch {epoch.epoch} of {settings.epochs}, {settings.loss} loss "
            f"{epoch.training_loss:.6f}{validation}"
        )

    with stage("training"):
        trained = train_weights(network, template.rules, settings, report)
    comments = (
        f"model of lrnn: {_base(template.name)} trained on {_base(groundings.data_name)}",
        f"{settings.loss} loss {trained.epoch.decisive_loss!r} after epoch {trained.epoch.epoch}, seed {settings.seed}",
    )
    model = template.with_weights([float(weight) for weight in trained.weights])
    write_text(output, model.text(comments))
    if history:
        write_text(history, history_csv(trained.history))
    best = trained.epoch
    progress.line(f"{settings.loss} loss {best.decisive_loss:.6f} after epoch {best.epoch}{model_in(output)}")
    if trained.interrupted:
        progress.warn(f"interrupted: {output_name(output)} holds the best weights so far, of epoch {best.epoch}")
        click.get_current_context().exit(130)


def _batch_size(text: str) -> int:
    if text == "all":
        return 0
    try:
        size = int(text)
    except ValueError:
        size = 0
    if size < 1:
        raise click.BadParameter(f"{text!r} is not a number from 1 or `all`", param_hint="--batch-size")
    return size


def _base(name: str) -> str:
    return name.rsplit("/", 1)[-1]

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lrnn_cli.commands.options import (
    Progress,
    chosen,
    model_in,
    options_of,
    output_name,
    output_option,
    quiet_option,
)
from lrnn_cli.commands.parameters import Input, Output
from lrnn_cli.training.options import TrainingOptions

if TYPE_CHECKING:
    from lrnn_cli.training.loop import Epoch


@click.command(no_args_is_help=True)
@click.argument("grounding", type=Input())
@output_option("The model file to write")
@options_of(TrainingOptions)
@click.option("--history", type=Output(), metavar="FILE", help="Write losses by epoch as CSV.")
@quiet_option
def train(grounding: str, output: str, quiet: bool, history: str | None, **options: Any) -> None:
    """Learn the weights of the rules in GROUNDING

    Weights that stand in the template are where training starts, `_` is drawn, `fixed(W)` stays. The squared loss of
    a query is (output - target)^2; targets of regression are divided by their deviation before. Compiled steps give the
    same weights as those of NumPy, but for rounding. Ctrl-C ends training and keeps the best weights so far.

    \b
    Example:
        lrnn train grounding.npz -o model.pl
        lrnn train grounding.npz --loss log --restarts 5 --validation 0.1 --history history.csv -o model.pl
    """
    from lrnn_cli import api
    from lrnn_cli.language.files import write_text
    from lrnn_cli.semantics.targets import kind_of

    progress = Progress(quiet)
    settings = chosen(TrainingOptions, options)
    groundings = api.load_groundings(grounding)
    progress.status("compiling the network")
    loss = kind_of(groundings.template.settings).loss_name(settings.loss)
    training = api.train(
        groundings, settings, report=lambda epoch: progress.status(_epoch(epoch, settings, loss)), note=progress.line
    )
    write_text(output, training.model.text())
    if history:
        write_text(history, training.history())
    best = training.trained.epoch
    progress.line(f"{loss} loss {best.decisive_loss:.6f} after epoch {best.epoch}{model_in(output)}")
    if training.trained.interrupted:
        progress.warn(f"interrupted: {output_name(output)} holds the best weights so far, of epoch {best.epoch}")
        click.get_current_context().exit(130)


def _epoch(epoch: Epoch, settings: TrainingOptions, loss: str) -> str:
    """How far training is."""
    restart = f"restart {epoch.restart}, " if settings.restarts > 1 else ""
    validation = "" if epoch.validation_loss is None else f", validation {epoch.validation_loss:.6f}"
    return (
        f"training: {restart}epoch {epoch.epoch} of {settings.epochs}, {loss} loss "
        f"{epoch.training_loss:.6f}{validation}"
    )

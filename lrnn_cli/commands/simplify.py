from __future__ import annotations

from typing import Any

import click

from lrnn_cli.commands.options import (
    Progress,
    check_inputs,
    chosen,
    fold_options,
    grounding_options,
    open_session,
    options_of,
    output_name,
    output_option,
    read_part,
)
from lrnn_cli.commands.parameters import Input
from lrnn_cli.simplification.options import SimplificationOptions


@click.command(no_args_is_help=True)
@click.argument("model", type=Input())
@click.argument("data", type=Input())
@output_option("The model file to write", replaces=("model",))
@options_of(SimplificationOptions)
@fold_options(testing=False)
@grounding_options
def simplify(model: str, data: str, output: str, quiet: bool, **options: Any) -> None:
    """Drop rules and literals of MODEL that do not matter on DATA

    Rules whose removal costs least go first, then body literals, while the metric gets worse by no more than the
    tolerance; the weights that are left are trained a little. Every step is checked by the model it leads to. Rules
    with fixed weights stay while anything uses them. Of 100 target rules and more, many go at once, weights of the
    others making up for them, and nothing is trained. How many rules are worth reading is for the reader to say:
    --most-rules goes on until so few are left, and shows what that costs. The members of an ensemble are simplified
    one by one.

    What was dropped is printed, on standard error when the model goes to standard output. Ctrl-C keeps what has been
    reached so far.

    \b
    Example:
        lrnn simplify model.pl data.pl -o smaller.pl
        lrnn simplify model.pl data.pl --most-rules 100 -o short.pl
        lrnn simplify model.pl data.pl --metric accuracy --tolerance 0.01 --folds 5 --fold 1 -o smaller.pl
    """
    check_inputs(model, data)
    progress = Progress(quiet)
    settings = chosen(SimplificationOptions, options)
    with open_session(progress, options) as session:
        from lrnn_cli import api
        from lrnn_cli.language.files import write_text
        from lrnn_cli.report.simplifications import simplification_text

        weighted = session.read_model(model)
        simplified = api.simplify(weighted, read_part(session, data, options, testing=False), settings)
    write_text(output, simplified.model.text())
    report = simplification_text(simplified.simplifiers, settings.metric)
    if output == "-":
        progress.line(report)
    else:
        write_text("-", f"{report}\n")
        progress.line(f"model in {output_name(output)}")
    if simplified.interrupted:
        progress.warn(f"interrupted: {output_name(output)} holds what has been reached so far")
        click.get_current_context().exit(130)

from __future__ import annotations

import click

from lrnn_cli.commands.options import output_option, quiet_option
from lrnn_cli.commands.parameters import Input


@click.command(no_args_is_help=True)
@click.argument("model", type=Input())
@click.option(
    "--format",
    "format_name",
    type=click.Choice(["prolog", "neuralogic"]),
    default="prolog",
    show_default=True,
    help="A plain Prolog program, or a template of PyNeuraLogic.",
)
@output_option("The program to write")
@quiet_option
def export(model: str, format_name: str, output: str, quiet: bool) -> None:
    """MODEL as a program of another system

    A Prolog program runs in swipl alone: `swipl program.pl -- data.pl` prints what `lrnn predict` would. A template of
    PyNeuraLogic is a Python module with a `template`; what NeuraLogic has no functions for is refused by name.

    \b
    Example:
        lrnn export model.pl -o program.pl
        lrnn export model.pl --format neuralogic -o template.py
    """
    from lrnn_cli import api
    from lrnn_cli.language.files import write_text

    with api.Session(jobs=1) as session:
        members = session.read_model(model).members
    if format_name == "prolog":
        from lrnn_cli.exporters.prolog import prolog_program

        text = prolog_program(members)
    else:
        from lrnn_cli.exporters.neuralogic import neuralogic_template

        text = neuralogic_template(members)
    write_text(output, text)

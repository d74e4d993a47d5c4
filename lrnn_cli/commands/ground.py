from __future__ import annotations

import sys
from typing import Any

import click

from lrnn_cli.commands.options import (
    Progress,
    check_inputs,
    fold_options,
    grounding_options,
    open_session,
    output_option,
    read_part,
    settings_of,
    settings_options,
)
from lrnn_cli.commands.parameters import Input


@click.command(no_args_is_help=True)
@click.argument("template", type=Input())
@click.argument("data", type=Input())
@output_option("The grounding file to write, .npz")
@settings_options
@fold_options(testing=False)
@grounding_options
def ground(template: str, data: str, output: str, quiet: bool, **options: Any) -> None:
    """Apply the rules of TEMPLATE to the examples of DATA

    SWI-Prolog computes the least Herbrand model of each example and all active groundings of the rules that queries
    can see. The grounding file carries the template with its weights and settings, so `train` needs nothing else.

    \b
    Example:
        lrnn ground template.pl data.pl -o grounding.npz
        lrnn ground template.pl data.pl.gz --folds 5 --fold 1 | lrnn train - -o model.pl
    """
    if output == "-" and sys.stdout.isatty():
        raise click.UsageError("a grounding file is binary and no text for a terminal: name a file with -o, or a pipe")
    check_inputs(template, data)
    progress = Progress(quiet)
    with open_session(progress, options) as session:
        from lrnn_cli import api
        from lrnn_cli.network.model import with_settings

        rules = with_settings(session.read_template(template), **settings_of(options))
        groundings = api.ground(rules, read_part(session, data, options, testing=False))
    api.save_groundings(groundings, output)
    rows = sum(len(groundings.tables[rule.table]) for rule in groundings.program.rules if not rule.is_fact)
    progress.line(
        f"{rows:,} groundings of {len(groundings.program.rules)} rules in {len(groundings.tables)} tables, "
        f"{len(groundings.queries):,} queries"
    )

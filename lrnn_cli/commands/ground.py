from __future__ import annotations

import sys
from typing import Any

import click

from lrnn_cli.commands.options import Progress, fold_options, grounding_options, output_option, settings_options
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
    from lrnn_cli.commands.session import ground_files
    from lrnn_cli.grounding.groundings import save_groundings
    from lrnn_cli.stages import stage

    if output == "-" and sys.stdout.isatty():
        raise click.UsageError("a grounding file is binary and no text for a terminal: name a file with -o, or a pipe")
    progress = Progress(quiet)
    groundings = ground_files(template, data, progress, False, options, names=True)
    with stage("writing groundings"):
        save_groundings(groundings, output)
    rows = sum(len(groundings.tables[rule.table]) for rule in groundings.program.rules if not rule.is_fact)
    progress.line(
        f"{rows:,} groundings of {len(groundings.program.rules)} rules in {len(groundings.tables)} tables, "
        f"{len(groundings.queries):,} queries"
    )

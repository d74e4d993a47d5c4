from __future__ import annotations

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
@click.argument("model", type=Input())
@click.argument("data", type=Input())
@output_option("Where the metrics go")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
@settings_options
@fold_options(testing=True)
@grounding_options
def evaluate(model: str, data: str, output: str, as_json: bool, quiet: bool, **options: Any) -> None:
    """How well MODEL predicts the targets of DATA

    A query is positive when its target is above 0.5, and predicted positive when its output is. Metrics that are
    undefined, such as the area under a curve when there is one class only, are null, with the reason on standard
    error. The output of an ensemble is the mean of its members' outputs; metrics of each member stand below.

    \b
    Example:
        lrnn evaluate model.pl test.pl
        lrnn evaluate model.pl data.pl --folds 5 --fold 1 --json > metrics.json
    """
    check_inputs(model, data)
    progress = Progress(quiet)
    with open_session(progress, options) as session:
        from lrnn_cli import api
        from lrnn_cli.language.files import write_text
        from lrnn_cli.language.writing import json_text
        from lrnn_cli.report.tables import metrics_table

        weighted = session.read_model(model).with_settings(**settings_of(options))
        metrics = api.evaluate(weighted, read_part(session, data, options, testing=True))
    progress.undefined(metrics.reasons)
    write_text(output, json_text(metrics.json()) if as_json else metrics_table(metrics.json()))

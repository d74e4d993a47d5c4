from __future__ import annotations

from typing import Any

import click

from lrnn_cli.commands.options import (
    Progress,
    check_inputs,
    fold_options,
    grounding_options,
    metrics_option,
    open_session,
    output_option,
    read_part,
    settings_of,
    settings_options,
    target_option,
    write_metrics,
)
from lrnn_cli.commands.parameters import Input


@click.command(no_args_is_help=True)
@click.argument("model", type=Input())
@click.argument("data", type=Input())
@output_option("Where predictions go")
@metrics_option
@target_option
@settings_options
@fold_options(testing=True)
@grounding_options
def predict(
    model: str, data: str, output: str, metrics: str | None, target: str | None, quiet: bool, **options: Any
) -> None:
    """Outputs of MODEL for all queries of DATA

    Tab-separated text with a header line: example, atom, target, output; one row a query, in the order of the file.
    The target is empty where the query has none. Examples without queries are asked for the targets of the model that
    have no arguments. A query that the model does not derive gets the output of an atom without inputs. The output of
    an ensemble is the mean of its members' outputs.

    \b
    Example:
        lrnn predict model.pl test.pl > predictions.tsv
        lrnn predict model.pl people.pl --target advisedby/2
        zcat data.pl.gz | lrnn predict model.pl - | head
    """
    check_inputs(model, data)
    progress = Progress(quiet)
    with open_session(progress, options) as session:
        from lrnn_cli import api
        from lrnn_cli.language.files import write_text

        weighted = session.read_model(model).with_settings(**settings_of(options))
        predictions = api.predict(weighted, read_part(session, data, options, testing=True), target)
    write_metrics(metrics, predictions, progress)
    write_text(output, predictions.text())

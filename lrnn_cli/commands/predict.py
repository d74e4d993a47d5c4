from __future__ import annotations

from typing import Any

import click

from lrnn_cli.commands.options import (
    Progress,
    fold_options,
    grounding_options,
    output_option,
    settings_options,
    target_option,
)
from lrnn_cli.commands.parameters import Input


@click.command(no_args_is_help=True)
@click.argument("model", type=Input())
@click.argument("data", type=Input())
@output_option("Where predictions go")
@target_option
@settings_options
@fold_options(testing=True)
@grounding_options
def predict(model: str, data: str, output: str, quiet: bool, **options: Any) -> None:
    """Outputs of MODEL for all queries of DATA

    Tab-separated text with a header line: example, atom, target, output; one row a query, in the order of the file.
    The target is empty where the query has none. Data without queries are asked for the targets of the model that have
    no arguments. A query that the model does not derive gets the output of an atom without inputs. The output of an
    ensemble is the mean of its members' outputs.

    \b
    Example:
        lrnn predict model.pl test.pl > predictions.tsv
        lrnn predict model.pl people.pl --target advisedby/2
        zcat data.pl.gz | lrnn predict model.pl - | head
    """
    from lrnn_cli.commands.session import predictions
    from lrnn_cli.evaluation.crossvalidation import predictions_text
    from lrnn_cli.language.files import write_text

    found = predictions(model, data, Progress(quiet), options, labelled=False)
    write_text(output, predictions_text(found.queries, found.example_name, found.output))

from __future__ import annotations

from typing import Any

import click

from lrnn_cli.commands.options import Progress, fold_options, grounding_options, output_option, settings_options
from lrnn_cli.commands.parameters import Input


@click.command(no_args_is_help=True)
@click.argument("model", type=Input())
@click.argument("data", type=Input())
@output_option("-", "Where predictions go")
@settings_options
@fold_options(testing=True)
@grounding_options
def predict(model: str, data: str, output: str, quiet: bool, **options: Any) -> None:
    """Outputs of MODEL for all queries of DATA

    Tab-separated text with a header line: example, atom, target, output; one row a query, in the order of the file.
    A query that the model does not derive gets the output of an atom without inputs. The output of an ensemble is the
    mean of its members' outputs.

    \b
    Example:
        lrnn predict model.pl test.pl > predictions.tsv
        zcat data.pl.gz | lrnn predict model.pl - | head
    """
    from lrnn_cli.commands.session import predictions
    from lrnn_cli.language.files import write_text
    from lrnn_cli.language.writing import term_cell

    found = predictions(model, data, Progress(quiet), options)
    queries = found.queries
    lines = ["example\tatom\ttarget\toutput"]
    for example, text, target, value in zip(
        queries.example.tolist(), queries.text, queries.target.tolist(), found.output.tolist(), strict=True
    ):
        lines.append(f"{term_cell(found.example_name[example])}\t{term_cell(text)}\t{target!r}\t{value!r}")
    write_text(output, "\n".join(lines) + "\n")

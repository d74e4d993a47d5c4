from __future__ import annotations

from typing import Any

import click

from lrnn_cli.commands.options import (
    FiniteRange,
    Progress,
    check_inputs,
    grounding_options,
    member_option,
    open_session,
    output_option,
    settings_of,
    settings_options,
    target_option,
)
from lrnn_cli.commands.parameters import Input

ENDINGS = {".dot": "dot", ".gv": "dot", ".svg": "svg"}
TOP = 40


@click.command(no_args_is_help=True)
@click.argument("model", type=Input())
@click.argument("data", type=Input(), required=False)
@click.option("--example", metavar="ID", help="Draw the network of this example of DATA.")
@click.option("--query", metavar="ATOM", help="The query of the example (default: its first).")
@click.option(
    "--top",
    type=click.IntRange(1),
    metavar="N",
    help=f"Of a model, draw the N rules that carry most of its targets  [default: {TOP}]",
)
@click.option(
    "--least-weight",
    type=FiniteRange(0),
    metavar="W",
    help="Of a model, draw no rule whose weight is nearer to 0 than W.",
)
@click.option(
    "--neurons",
    type=click.IntRange(2),
    default=60,
    show_default=True,
    metavar="N",
    help="Of a network, draw about the N strongest atoms and rule neurons.",
)
@member_option
@click.option(
    "--format",
    "kind",
    type=click.Choice(["dot", "svg"]),
    help="Format of the drawing (default: by the name of the file, else dot).",
)
@output_option("Where the drawing goes")
@target_option
@settings_options
@grounding_options
def draw(
    model: str,
    data: str | None,
    example: str | None,
    query: str | None,
    top: int | None,
    least_weight: float | None,
    neurons: int,
    member: str | None,
    kind: str | None,
    output: str,
    target: str | None,
    quiet: bool,
    **options: Any,
) -> None:
    """MODEL, or its network for one example of DATA, as a graph

    Without DATA: predicates by layer and the rules between them, thick for large weights, blue for positive and red
    for negative ones; of a large model its strongest rules. With DATA: the atoms and rule neurons that carry most of
    the output of one query. Graphs are written in the DOT language; SVG is made by Graphviz.

    \b
    Example:
        lrnn draw model.pl -o model.svg
        lrnn draw model.pl --top 15 --least-weight 0.5 -o model.svg
        lrnn draw model.pl molecules.pl --example d1 -o d1.svg
        lrnn draw model.pl | dot -Tpdf > model.pdf
    """
    if data is None and (example is not None or query is not None or target is not None):
        raise click.UsageError("--example, --query and --target are about DATA; name the data file after the model.")
    if data is not None and (top is not None or least_weight is not None):
        raise click.UsageError("--top and --least-weight are about a model; for DATA there is --neurons.")
    kind = kind or _kind(output)
    check_inputs(model, data)
    progress = Progress(quiet)
    with open_session(progress, options) as session:
        from lrnn_cli import api
        from lrnn_cli.language.files import write_text
        from lrnn_cli.network.drawing import check_graphviz

        if kind == "svg":
            check_graphviz()
        weighted = session.read_model(model)
        if data is None:
            drawing = api.draw(weighted, member=member, top=top or TOP, least_weight=least_weight or 0.0)
        else:
            weighted = weighted.with_settings(**settings_of(options))
            asked = session.read(data), example, query
            drawing = api.draw(weighted, *asked, neurons=neurons, member=member, target=target)
    progress.status("drawing")
    write_text(output, drawing.svg() if kind == "svg" else drawing.dot)


def _kind(output: str) -> str:
    """The format that the name of a file asks for."""
    name = output.removesuffix(".gz").rsplit("/", 1)[-1]
    ending = name[name.rindex(".") :].lower() if "." in name else ".dot"
    if ending not in ENDINGS:
        raise click.UsageError(f"What to write is not clear from the name {output}; add --format dot or --format svg.")
    return ENDINGS[ending]

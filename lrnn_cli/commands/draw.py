from __future__ import annotations

from typing import Any

import click

from lrnn_cli.commands.options import Progress, grounding_options, output_option, settings_options, target_option
from lrnn_cli.commands.parameters import Input

ENDINGS = {".dot": "dot", ".gv": "dot", ".svg": "svg"}


@click.command(no_args_is_help=True)
@click.argument("model", type=Input())
@click.argument("data", type=Input(), required=False)
@click.option("--example", metavar="ID", help="Draw the network of this example of DATA.")
@click.option("--query", metavar="ATOM", help="The query of the example (default: its first).")
@click.option(
    "--neurons",
    type=click.IntRange(2),
    default=60,
    show_default=True,
    metavar="N",
    help="Of a network, draw about the N strongest atoms and rule neurons.",
)
@click.option("--member", metavar="NAME", help="The member, where MODEL is an ensemble.")
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
    neurons: int,
    kind: str | None,
    output: str,
    quiet: bool,
    **options: Any,
) -> None:
    """MODEL, or its network for one example of DATA, as a graph

    Without DATA: predicates by layer and the rules between them, thick for large weights, blue for positive and red
    for negative ones. With DATA: the atoms and rule neurons that carry most of the output of one query. Graphs are
    written in the DOT language; SVG is made by Graphviz.

    \b
    Example:
        lrnn draw model.pl -o model.svg
        lrnn draw model.pl molecules.pl --example d1 -o d1.svg
        lrnn draw model.pl | dot -Tpdf > model.pdf
    """
    import numpy as np

    from lrnn_cli.commands.one_example import choose_queries, ground_example, read_member
    from lrnn_cli.commands.session import grounder_session
    from lrnn_cli.language.files import write_text
    from lrnn_cli.report.contributions import GroundNetwork
    from lrnn_cli.report.drawing import check_graphviz, network_dot, svg, template_dot

    if data is None and (example is not None or query is not None):
        raise click.UsageError("--example and --query are about DATA; name the data file after the model.")
    kind = kind or _kind(output)
    if kind == "svg":
        check_graphviz()
    progress = Progress(quiet)
    with grounder_session(progress, options) as grounder:
        if data is None:
            dot = template_dot(read_member(grounder, model, options["member"]))
        else:
            groundings, weights = ground_example(grounder, model, data, example, progress, options)
            network = GroundNetwork(groundings, weights, np.array(choose_queries(groundings, query)[:1]))
            dot = network_dot(network, 0, neurons)
    progress.status("drawing")
    write_text(output, svg(dot) if kind == "svg" else dot)


def _kind(output: str) -> str:
    """The format that the name of a file asks for."""
    name = output.removesuffix(".gz").rsplit("/", 1)[-1]
    ending = name[name.rindex(".") :].lower() if "." in name else ".dot"
    if ending not in ENDINGS:
        raise click.UsageError(f"What to write is not clear from the name {output}; add --format dot or --format svg.")
    return ENDINGS[ending]

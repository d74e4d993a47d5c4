from __future__ import annotations

from typing import Any

import click

from lrnn_cli.commands.options import Progress, grounding_options, output_option, settings_options, target_option
from lrnn_cli.commands.parameters import Input

SHOWN_QUERIES = 3


@click.command(no_args_is_help=True)
@click.argument("model", type=Input())
@click.argument("data", type=Input())
@click.option("--example", metavar="ID", help="The example; not needed where there is one only.")
@click.option("--query", metavar="ATOM", help=f"The query (default: the first {SHOWN_QUERIES} of the example).")
@click.option(
    "--depth",
    type=click.IntRange(0),
    default=5,
    show_default=True,
    metavar="N",
    help="Explain atoms down to N rules below the query.",
)
@click.option(
    "--top",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    metavar="N",
    help="Show the N strongest inputs of an atom, and groundings of a rule.",
)
@click.option("--member", metavar="NAME", help="The member, where MODEL is an ensemble.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of text.")
@output_option("Where the explanation goes")
@target_option
@settings_options
@grounding_options
def explain(
    model: str,
    data: str,
    example: str | None,
    query: str | None,
    depth: int,
    top: int,
    as_json: bool,
    output: str,
    quiet: bool,
    **options: Any,
) -> None:
    """Why MODEL gives a query of DATA its output

    The inputs of the query by their contribution to its sum, a rule being its weight times the mean of its rule
    neurons; what the output would be without each; the strongest groundings of each rule, and the same for the
    atoms in them, down to facts.

    \b
    Example:
        lrnn explain model.pl molecules.pl --example d1
        lrnn explain model.pl uwcse.pl --example ai --query 'advisedby(p1,p2)' --top 5
    """
    import numpy as np

    from lrnn_cli.commands.one_example import choose_queries, ground_example
    from lrnn_cli.commands.session import grounder_session
    from lrnn_cli.language.files import write_text
    from lrnn_cli.language.writing import json_text
    from lrnn_cli.report.contributions import GroundNetwork
    from lrnn_cli.report.explanation import explanation, explanation_text

    progress = Progress(quiet)
    with grounder_session(progress, options) as grounder:
        groundings, weights = ground_example(grounder, model, data, example, progress, options)
    queries = groundings.queries
    asked = list(dict.fromkeys(queries.text[number] for number in choose_queries(groundings, query)))
    shown = asked[:SHOWN_QUERIES]
    chosen = [number for number, text in enumerate(queries.text) if text in shown]
    network = GroundNetwork(groundings, weights, np.array(chosen))
    found = [explanation(network, network.queries.text.index(text), depth, top) for text in shown]
    if as_json:
        text = json_text({"queries": len(asked), "explanations": found})
    else:
        text = "\n".join(map(explanation_text, found))
        if len(shown) < len(asked):
            text += f"\nThese are {len(shown)} of {len(asked)} queries; choose another with --query ATOM.\n"
    write_text(output, text)

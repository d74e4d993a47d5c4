from __future__ import annotations

from typing import Any

import click

from lrnn_cli.commands.options import (
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


@click.command(no_args_is_help=True)
@click.argument("model", type=Input())
@click.argument("data", type=Input())
@click.option("--example", metavar="ID", help="The example; not needed where there is one only.")
@click.option("--query", metavar="ATOM", help="The query (default: the first 3 of the example).")
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
@member_option
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
    member: str | None,
    as_json: bool,
    output: str,
    target: str | None,
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
    check_inputs(model, data)
    with open_session(Progress(quiet), options) as session:
        from lrnn_cli import api
        from lrnn_cli.language.files import write_text
        from lrnn_cli.language.writing import json_text

        weighted = session.read_model(model).with_settings(**settings_of(options))
        asked = session.read(data), example, query
        explanations = api.explain(weighted, *asked, depth=depth, top=top, member=member, target=target)
    write_text(output, json_text(explanations.json()) if as_json else explanations.text())

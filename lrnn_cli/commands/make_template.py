from __future__ import annotations

from typing import Any

import click

from lrnn_cli.commands.options import (
    Progress,
    chosen,
    field_option,
    fold_options,
    grounding_options,
    open_session,
    options_of,
    output_option,
    read_part,
)
from lrnn_cli.commands.parameters import Input
from lrnn_cli.hypotheses.options import ChainOptions


@click.command("make-template", no_args_is_help=True)
@click.argument("data", type=Input())
@field_option(ChainOptions, "chain", required=True)
@options_of(ChainOptions, left_out=("chain",))
@click.option(
    "--relation",
    "relations",
    multiple=True,
    metavar="NAME/ARITY",
    help="Chains go through this relation; may be given several times (default: through each relation of the data).",
)
@click.option(
    "--target",
    "targets",
    multiple=True,
    metavar="NAME/ARITY",
    help="Rules for this target predicate; may be given several times (default: all that are queried).",
)
@output_option("The template file to write")
@fold_options(testing=False)
@grounding_options
def make_template(data: str, output: str, quiet: bool, **options: Any) -> None:
    """Write the template that experts write by hand, for DATA

    Unary predicates of each sort of objects fall into soft clusters. A target rule stands for each combination of
    clusters along a chain of N objects, related one to the next: single atoms, bonds, and pairs of bonds for molecules
    and N of 1, 2, 3. Sorts are inferred: arguments have one sort when an object occurs in both. A relation between two
    objects of one sort is followed from the first to the second; any other to and fro. Arguments of a target predicate
    are the ends of the chain. With --fold, examples of that fold have no part in it. Weights are drawn by `train`.

    \b
    Example:
        lrnn make-template molecules.pl --chain 3 -o template.pl
        lrnn make-template molecules.pl --chain 2 --relation bond/3 | lrnn ground - molecules.pl -o grounding.npz
    """
    progress = Progress(quiet)
    settings = chosen(ChainOptions, options)
    with open_session(progress, options) as session:
        from lrnn_cli import api
        from lrnn_cli.language.files import write_text

        template = api.make_template(read_part(session, data, options, testing=False), settings)
    size = f"{'1 to ' if settings.shorter and settings.chain > 1 else ''}{settings.chain}"
    comment = f"chains of {size} objects, clusters of each sort: {settings.clusters}"
    write_text(output, template.text((comment,)))
    used = {atom.predicate for rule in template.rules for atom in rule.body}
    target_rules = [rule for rule in template.rules if rule.head.predicate not in used]
    chains = [rule for rule in target_rules if rule.body]
    heads = sorted({str(rule.head.predicate) for rule in chains})
    progress.line(
        f"{len(chains):,} rules for {', '.join(heads)}, {len(template.rules) - len(target_rules):,} for clusters"
    )

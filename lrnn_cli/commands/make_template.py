from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from lrnn_cli.commands.options import Progress, aggregation_option, fold_options, grounding_options, output_option
from lrnn_cli.commands.parameters import Input

if TYPE_CHECKING:
    from lrnn_cli.language.clauses import Predicate


@click.command("make-template", no_args_is_help=True)
@click.argument("data", type=Input())
@click.option("--chain", type=click.IntRange(1, 20), required=True, metavar="N", help="Objects in a chain.")
@click.option(
    "--clusters",
    type=click.IntRange(1, 100),
    default=3,
    show_default=True,
    metavar="D",
    help="Soft clusters of each sort.",
)
@click.option("--shorter", is_flag=True, help="Rules for all shorter chains too.")
@click.option(
    "--relation",
    multiple=True,
    metavar="NAME/ARITY",
    help="Chains go through this relation; may be given several times (default: through each relation of the data).",
)
@click.option(
    "--target",
    multiple=True,
    metavar="NAME/ARITY",
    help="Rules for this target predicate; may be given several times (default: all that are queried).",
)
@click.option(
    "--bias/--no-bias",
    default=True,
    show_default=True,
    help="A target without arguments is also a fact with a weight; without it training may not get off the ground.",
)
@click.option("--object-identity", is_flag=True, help="Objects of a chain, and others that its relations name, differ.")
@aggregation_option("mean", "mean")
@output_option("The template file to write")
@fold_options(testing=False)
@grounding_options
def make_template(
    data: str,
    chain: int,
    clusters: int,
    shorter: bool,
    relation: tuple[str, ...],
    target: tuple[str, ...],
    bias: bool,
    object_identity: bool,
    aggregation: str,
    output: str,
    quiet: bool,
    **options: Any,
) -> None:
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
    import numpy as np

    from lrnn_cli.commands.session import grounder_session, load_part
    from lrnn_cli.hypotheses.chains import chain_template, target_predicates
    from lrnn_cli.language.files import write_text

    progress = Progress(quiet)
    with grounder_session(progress, options) as grounder:
        loaded, examples = load_part(grounder, data, progress, False, options)
        facts, _ = grounder.relations(loaded, examples)
        names = grounder.names(loaded)
    if examples is not None:
        chosen = np.isin(loaded.queries.example, examples).nonzero()[0]
        loaded = replace(loaded, queries=loaded.queries.select(chosen))
    facts = {predicate: table for predicate, table in facts.items() if len(table)}
    targets = target_predicates(loaded)
    relations = [predicate for predicate in sorted(facts) if predicate.arity > 1 and predicate not in targets]
    template = chain_template(
        loaded,
        facts,
        names,
        range(1 if shorter else chain, chain + 1),
        clusters,
        _named(relation, relations, f"{loaded.name}: there is no relation"),
        _named(target, targets, f"{loaded.name}: there is no target predicate"),
        bias,
    )
    settings = replace(template.settings, object_identity=object_identity, aggregation=aggregation)
    template = replace(template, settings=settings)
    target_rules = [rule for rule in template.rules if rule.head.predicate in targets]
    chains = [rule for rule in target_rules if rule.body]
    heads = sorted({str(rule.head.predicate) for rule in chains})
    comment = f"chains of {'1 to ' if shorter and chain > 1 else ''}{chain} objects, clusters of each sort: {clusters}"
    write_text(output, template.text((comment,)))
    progress.line(
        f"{len(chains):,} rules for {', '.join(heads)}, {len(template.rules) - len(target_rules):,} for clusters"
    )


def _named(texts: tuple[str, ...], known: list[Predicate], missing: str) -> list[Predicate]:
    """The predicates that the user names, all known ones without names."""
    from lrnn_cli.errors import LrnnError

    found = []
    for text in texts:
        matching = [predicate for predicate in known if text in (str(predicate), f"{predicate.name}/{predicate.arity}")]
        if not matching:
            raise LrnnError(f"{missing} {text} in these data, only {', '.join(map(str, known)) or 'none'}")
        found += matching
    return found or known

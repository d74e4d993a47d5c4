from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from lrnn_cli.commands.options import (
    Progress,
    check_inputs,
    chosen,
    cluster_option,
    fold_options,
    grounding_options,
    open_session,
    output_option,
    read_part,
    settings_of,
    settings_options,
    shared_data_option,
)
from lrnn_cli.commands.parameters import Input
from lrnn_cli.evaluation.parts import FoldOptions
from lrnn_cli.grounding.options import SessionOptions

if TYPE_CHECKING:
    from lrnn_cli.api import Session
    from lrnn_cli.grounding.groundings import Groundings
    from lrnn_cli.language.template import Template
    from lrnn_cli.plan.parts import PartsGrounder


@click.command(no_args_is_help=True)
@click.argument("template", type=Input())
@click.argument("data", type=Input())
@output_option("The grounding file to write, .npz")
@click.option(
    "--parts",
    type=click.IntRange(1),
    metavar="N",
    help="Ground DATA in N parts, --jobs at a time, and keep what is distinct only: for data larger than memory. The "
    "file does not depend on N, and `train` gives the same model.",
)
@cluster_option
@shared_data_option
@settings_options
@fold_options(testing=False)
@grounding_options
def ground(template: str, data: str, output: str, quiet: bool, **options: Any) -> None:
    """Apply the rules of TEMPLATE to the examples of DATA

    SWI-Prolog computes the least Herbrand model of each example and all active groundings of the rules that queries
    can see. The grounding file carries the template with its weights and settings, so `train` needs nothing else.
    Workers of a cluster ground parts of DATA, and only what is distinct comes back, as with --parts.

    \b
    Example:
        lrnn ground template.pl data.pl -o grounding.npz
        lrnn ground template.pl data.pl.gz --folds 5 --fold 1 | lrnn train - -o model.pl
        lrnn ground template.pl large.pl --cluster tcp://host:8786 --shared-data -o grounding.npz
    """
    if output == "-" and sys.stdout.isatty():
        raise click.UsageError("a grounding file is binary and no text for a terminal: name a file with -o, or a pipe")
    check_inputs(template, data)
    progress = Progress(quiet)
    with open_session(progress, options) as session:
        from lrnn_cli import api
        from lrnn_cli.network.model import with_settings

        rules = with_settings(session.read_template(template), **settings_of(options))
        if options["parts"] is None and options["cluster"] is None:
            groundings = api.ground(rules, read_part(session, data, options, testing=False))
        else:
            groundings = _in_parts(session, rules, data, options)
    api.save_groundings(groundings, output)
    program = groundings.program
    rows = sum(groundings.rows(rule.table) for rule in program.rules if not rule.is_fact)
    progress.line(
        f"{rows:,} groundings of {len(program.rules)} rules in {len(program.tables)} tables, "
        f"{len(groundings.queries):,} queries"
    )


def _in_parts(session: Session, rules: Template, data: str, options: dict[str, Any]) -> Groundings:
    """What is distinct of the groundings, by processes here or elsewhere."""
    from lrnn_cli.language.file_parts import file_parts

    if data == "-" or options["split_by"] is not None:
        what = "standard input" if data == "-" else "--split-by"
        raise click.UsageError(f"parts of DATA are read from a file, so {what} does not go with --parts and --cluster")
    with _grounder(session, options) as (grounder, workers):
        session.report(f"looking through {data}")
        file = file_parts(data, options["parts"], workers)
        return grounder.ground(rules, file, chosen(FoldOptions, options))


@contextmanager
def _grounder(session: Session, options: dict[str, Any]) -> Iterator[tuple[PartsGrounder, int]]:
    """Who grounds parts, and how many of them there are."""
    from lrnn_cli.plan.parts import Here, PartsGrounder

    each_takes = replace(chosen(SessionOptions, options), jobs=1)
    if options["cluster"] is None:
        here = Here(options["jobs"])
        each_takes = replace(each_takes, memory_limit=options["memory_limit"] // here.processes)
        yield PartsGrounder(session, each_takes, here), here.processes
        return
    from lrnn_cli.plan.cluster import OnCluster, open_cluster

    with open_cluster(options["cluster"]) as client:
        send = not options["shared_data"]
        yield PartsGrounder(session, each_takes, OnCluster(client).each, send), sum(client.nthreads().values()) or 1

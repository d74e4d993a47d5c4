from __future__ import annotations

from typing import Any

import click

from lrnn_cli.commands.options import Progress, fold_options, grounding_options
from lrnn_cli.commands.parameters import Input


@click.command(no_args_is_help=True)
@click.argument("data", type=Input())
@click.option("--template", type=Input(), metavar="FILE", help="Also say which facts no rule of this template uses.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of text.")
@fold_options(testing=True)
@grounding_options
def check(data: str, template: str | None, as_json: bool, quiet: bool, **options: Any) -> None:
    """What is in DATA, and what looks wrong

    Counts examples, predicates and targets, and looks for duplicate examples (equal up to the names of their
    objects), duplicates with contradicting labels, and duplicates in different folds, which leak from training into
    testing. With --folds the folds are those that crossvalidation would draw. Sorts of arguments, which structure
    learning goes by, are shown as `bias/1` declarations, ready to be copied into the data.

    \b
    Example:
        lrnn check data.pl
        lrnn check data.pl --template template.pl --folds 5
    """
    from lrnn_cli.commands.session import TEMPLATE, check_inputs, grounder_session, load_data
    from lrnn_cli.errors import LrnnError
    from lrnn_cli.evaluation.folds import assign_folds, assign_query_folds, deals_queries
    from lrnn_cli.evaluation.survey import duplicate_groups, survey
    from lrnn_cli.grounding.checks import check_program, unused_predicates
    from lrnn_cli.hypotheses.vocabulary import vocabulary
    from lrnn_cli.language.files import read_source, write_text
    from lrnn_cli.language.writing import json_text
    from lrnn_cli.report.summaries import data_summary, fold_sizes, sort_summary, summary_text

    check_inputs(template, data)
    progress = Progress(quiet)
    with grounder_session(progress, options) as grounder:
        rules = None if template is None else grounder.read_template(read_source(template, TEMPLATE))
        loaded = load_data(grounder, data, progress, options["split_by"])
        relations, soft = grounder.relations(loaded)
        names = grounder.names(loaded)
        folds = loaded.example_fold
        of_queries = options["folds"] is not None and deals_queries(loaded)
        if options["folds"] is not None and not of_queries:
            duplicates = duplicate_groups(loaded, relations, soft, names) if options["group_duplicates"] else None
            folds = assign_folds(loaded, options["folds"], options["seed"], duplicates)
        found = survey(loaded, relations, soft, names, folds, rules.rules if rules is not None else ())
        knowledge = grounder.knowledge(loaded)
    summary = data_summary(loaded, found, folds)
    if of_queries:
        summary["folds of queries"] = fold_sizes(assign_query_folds(loaded, options["folds"], options["seed"]))
    if not loaded.bias:
        try:
            summary |= sort_summary(vocabulary(loaded, knowledge, loaded.queries), knowledge.names())
        except LrnnError as error:
            # Structure learning can't take these data; other commands can.
            progress.warn(str(error))
    if rules is not None:
        for warning in check_program(rules, loaded):
            progress.warn(warning)
        summary["unused predicates"] = [str(predicate) for predicate in unused_predicates(rules, loaded)]
    write_text("-", json_text(summary) if as_json else f"{summary_text(summary)}\n")

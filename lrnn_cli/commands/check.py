from __future__ import annotations

from typing import Any

import click

from lrnn_cli.commands.options import (
    Progress,
    check_inputs,
    chosen,
    fold_options,
    grounding_options,
    open_session,
    output_option,
)
from lrnn_cli.commands.parameters import Input
from lrnn_cli.evaluation.parts import FoldOptions


@click.command(no_args_is_help=True)
@click.argument("data", type=Input())
@click.option("--template", type=Input(), metavar="FILE", help="Also say which facts no rule of this template uses.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of text.")
@output_option("Where that goes")
@fold_options(testing=True)
@grounding_options
def check(data: str, template: str | None, as_json: bool, output: str, quiet: bool, **options: Any) -> None:
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
    check_inputs(template, data)
    progress = Progress(quiet)
    with open_session(progress, options) as session:
        from lrnn_cli.errors import LrnnError
        from lrnn_cli.grounding.checks import check_program, unused_predicates
        from lrnn_cli.hypotheses.vocabulary import vocabulary
        from lrnn_cli.language.files import write_text
        from lrnn_cli.language.writing import json_text
        from lrnn_cli.report.summaries import data_summary, fold_sizes, sort_summary, summary_text

        rules = None if template is None else session.read_template(template)
        loaded, parts = session.read(data, options["split_by"]), chosen(FoldOptions, options)
        content, folds = loaded.content, loaded.assigned_folds(parts)
        summary = data_summary(content, loaded.survey(folds, rules.rules if rules is not None else ()), folds)
        of_queries = loaded.folds_of_queries(parts)
        if of_queries is not None:
            summary["folds of queries"] = fold_sizes(of_queries)
        try:
            knowledge = loaded.knowledge
            words = vocabulary(content, knowledge, content.queries)
            if not content.bias:
                summary |= sort_summary(words, knowledge.names())
        except LrnnError as error:
            # Structure learning can't take these data; other commands can.
            progress.warn(str(error))
    if rules is not None:
        for warning in check_program(rules, content):
            progress.warn(warning)
        summary["unused predicates"] = [str(predicate) for predicate in unused_predicates(rules, content)]
    write_text(output, json_text(summary) if as_json else f"{summary_text(summary)}\n")

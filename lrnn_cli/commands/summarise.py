from __future__ import annotations

import click

from lrnn_cli.commands.options import Progress, output_option
from lrnn_cli.commands.parameters import FOLD_FILES, Input


@click.command(no_args_is_help=True)
@click.argument("folders", type=Input(*FOLD_FILES), nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
@output_option("Where the summary goes")
def summarise(folders: tuple[str, ...], as_json: bool, output: str) -> None:
    """One table for all folds of a crossvalidation

    Each of FOLDERS holds predictions.tsv, as `lrnn predict --fold K` writes it, for one fold. The table has the mean
    of each metric over the folds, its deviation (that of a sample), and the metric of all predictions together with
    its 95 % interval. Seconds of the commands, where task.json of `lrnn crossvalidate` is there, are summed up, too.

    \b
    Example:
        lrnn summarise results/molecules/lrnn/fold*
        lrnn summarise results/molecules/lrnn/fold* --json > summary.json
    """
    from lrnn_cli.evaluation.crossvalidation import read_fold, summarise_folds
    from lrnn_cli.language.files import write_text
    from lrnn_cli.language.writing import json_text
    from lrnn_cli.report.tables import crossvalidation_table

    summary = summarise_folds([read_fold(folder.rstrip("/") or folder) for folder in folders])
    progress = Progress(quiet=False)
    for name, defined in summary["defined"].items():
        if defined < len(folders):
            progress.warn(f"{name} is defined in {defined} of {len(folders)} folds, and its mean is over these")
    write_text(output, json_text(summary) if as_json else crossvalidation_table(summary))

from __future__ import annotations

import click

from lrnn_cli.commands.options import Progress, quiet_option
from lrnn_cli.commands.parameters import FIGURES, RUN_RECORDS, Input, Output, claim


def _folder(context: click.Context, parameter: click.Parameter, folder: str | None) -> str:
    if folder is not None:
        return folder
    run = str(context.params["run_dir"])
    claim(context, parameter, run, FIGURES, writes=True)
    return run


@click.command(no_args_is_help=True)
@click.argument("run_dir", type=Input(*RUN_RECORDS))
@click.argument("other_run_dir", type=Input(*RUN_RECORDS), required=False)
@click.option(
    "-o",
    "--output",
    type=Output(*FIGURES),
    metavar="DIR",
    help="The folder for the figures (default: RUN_DIR).",
    callback=_folder,
)
@quiet_option
def plot(run_dir: str, other_run_dir: str | None, output: str, quiet: bool) -> None:
    """Figures of a run of structure learning, or of two side by side

    embedding.svg shows the weights of the first layer as points, one for each unary predicate of the data, moving with
    the iterations: a projection on their first two principal components. learning.svg shows the loss in training and
    the log loss after each rule. A run that goes on is drawn as far as it is.

    \b
    Example:
        lrnn learn-structure data.pl --run-dir run1 -o model.pl
        lrnn plot run1
        lrnn plot run1 run2 -o figures
    """
    from lrnn_cli.language.files import write_figures
    from lrnn_cli.report import plots
    from lrnn_cli.report.run_records import read_run

    progress = Progress(quiet)
    runs = [read_run(folder) for folder in (run_dir, other_run_dir) if folder is not None]
    titles = plots.run_titles(runs)
    figures = {}
    if all(run.embedding.size for run in runs):
        progress.status("drawing the embedding")
        figure, unnamed = plots.embedding_figure(runs, titles)
        if unnamed:
            progress.line(
                f"{unnamed} of {sum(len(run.predicates) for run in runs)} points have no room for their names"
            )
        figures["embedding.svg"] = plots.svg_text(figure, *plots.embedding_words(runs))
    else:
        progress.warn("a run has no unary predicates, so there is no embedding to draw")
    progress.status("drawing the learning curves")
    figures["learning.svg"] = plots.svg_text(plots.learning_figure(runs, titles), *plots.learning_words(runs))
    write_figures(output, figures)
    progress.line(f"{' and '.join(figures)} in {output}")

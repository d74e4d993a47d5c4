from __future__ import annotations

import click

from lrnn_cli.commands.options import Progress, output_option, quiet_option
from lrnn_cli.commands.parameters import EXPERIMENT_FILES, Input, Output

ENDINGS = {".html": "html", ".htm": "html", ".json": "json", ".md": "text", ".txt": "text"}


@click.command(no_args_is_help=True)
@click.argument("folder", type=Input(*EXPERIMENT_FILES))
@click.option(
    "--dataset",
    "datasets",
    multiple=True,
    metavar="NAME",
    help="A data set that is expected; may be given several times (default: all with results).",
)
@click.option(
    "--learner",
    "learners",
    multiple=True,
    metavar="NAME",
    help="A learner that is expected; may be given several times. The first is compared with the others "
    "(default: all with results, lrnn first).",
)
@click.option(
    "--format",
    "kind",
    type=click.Choice(["text", "html", "json"]),
    help="Tables as Markdown, a page with figures, or all figures for programs "
    "(default: by the name of the file, else text).",
)
@click.option(
    "--figures",
    type=Output("*.svg"),
    metavar="DIR",
    help="Also write the figures of errors and of rule sets there, as SVG files.",
)
@output_option("Where the report goes")
@quiet_option
def report(
    folder: str,
    datasets: tuple[str, ...],
    learners: tuple[str, ...],
    kind: str | None,
    figures: str | None,
    output: str,
    quiet: bool,
) -> None:
    """Tables and figures of the crossvalidations in FOLDER

    FOLDER holds `<data>/<learner>/fold<k>/`, as `lrnn crossvalidate` writes it. Test errors by data set and learner,
    paired comparisons, times, learned rule sets. A page of HTML has figures too, and the commands of all runs; it needs
    no other files. What is expected and not there is marked as missing.

    \b
    Example:
        lrnn report build
        lrnn report build --learner lrnn --learner nfoil -o report.html
        lrnn report build --figures figures -o report.md
    """
    import shlex

    from lrnn_cli.evaluation.experiments import read_experiments
    from lrnn_cli.language.files import write_figures, write_text
    from lrnn_cli.language.writing import json_text
    from lrnn_cli.report.experiments import experiments_json, figure_files, page_sections, page_title, text_sections
    from lrnn_cli.report.pages import markdown, page

    kind = kind or _kind(output)
    progress = Progress(quiet)
    if kind == "html" or figures is not None:
        from lrnn_cli.report import plots  # noqa: F401  complains when matplotlib is missing
    experiments = read_experiments(folder, datasets, learners)
    if kind == "json":
        text = json_text(experiments_json(experiments))
    elif kind == "text":
        text = markdown(text_sections(experiments))
    else:
        progress.status("drawing")
        named = [f"--dataset={name}" for name in datasets] + [f"--learner={name}" for name in learners]
        command = shlex.join(["lrnn", "report", folder, *named, "-o", output])
        text = page(page_title(experiments), page_sections(experiments, command))
    write_text(output, text)
    if figures is not None:
        write_figures(figures, figure_files(experiments))
    for result in experiments.incomplete():
        done = f"{len(result.folds)} of {len(result.expected)} folds" if result.folds else "no fold"
        progress.line(f"{result.folder}: {done} done")
    for result in experiments.impossible():
        progress.line(f"{result.folder}: this can't be done: {result.impossible}")


def _kind(output: str) -> str:
    """The format that the name of a file asks for."""
    from pathlib import PurePath

    if output == "-":
        return "text"
    ending = PurePath(output.removesuffix(".gz")).suffix.lower()
    if ending not in ENDINGS:
        raise click.UsageError(f"What to write is not clear from the name {output}; add --format text, html or json.")
    return ENDINGS[ending]

from __future__ import annotations

import click

from lrnn_cli.commands.options import Progress, quiet_option
from lrnn_cli.commands.parameters import Input


@click.command(no_args_is_help=True)
@click.argument("file", type=Input())
@click.option(
    "--rows", type=click.IntRange(0), default=0, metavar="N", help="Also the first N groundings of each table."
)
@quiet_option
def show(file: str, rows: int, quiet: bool) -> None:
    """Any of our files as text

    A template or model: its rules by layer, latent predicates, statistics of the rule set; of an ensemble those of all
    members. A grounding file: its tables, and the neurons of its network by kind, before and after compression.
    Metrics: a table. The folder of a run of structure learning: what each iteration did.

    \b
    Example:
        lrnn show model.pl
        lrnn show grounding.npz --rows 5
        lrnn show run1
    """
    from pathlib import Path

    from lrnn_cli.language.files import read_bytes, write_text

    if Path(file).is_dir():
        from lrnn_cli.report.runs import run_summary

        write_text("-", f"{run_summary(Path(file))}\n")
        return
    name, content = read_bytes(file)
    progress = Progress(quiet)
    if content[:4] == b"PK\x03\x04":
        text = f"{_grounding(name, content, rows, progress)}\n"
    elif content.lstrip()[:1] == b"{":
        text = _metrics(name, content)
    else:
        text = f"{shown_model(name, content)}\n"
    write_text("-", text)


def _metrics(name: str, content: bytes) -> str:
    from lrnn_cli.errors import ReadError
    from lrnn_cli.language.json_files import parse_json
    from lrnn_cli.report.tables import metrics_table

    metrics = parse_json(name, content)
    try:
        return metrics_table(metrics)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError):
        raise ReadError(f"{name}: this JSON does not hold metrics; `lrnn evaluate --json` writes them") from None


def _grounding(name: str, content: bytes, rows: int, progress: Progress) -> str:
    from lrnn_cli.grounding.groundings import parse_groundings
    from lrnn_cli.network.collapsed_compiler import compiler_of
    from lrnn_cli.network.network import assemble
    from lrnn_cli.network.statistics import compressed_neurons, raw_neurons
    from lrnn_cli.report.summaries import grounding_summary

    groundings = parse_groundings(name, content)
    progress.status("compiling the network")
    compiler = compiler_of(groundings)
    before = raw_neurons(compiler) if groundings.collapsed is None else groundings.collapsed.neurons
    return grounding_summary(groundings, before, compressed_neurons(assemble(compiler)), rows)


def shown_model(name: str, content: bytes) -> str:
    """A template or model file that has been read already, in words."""
    from lrnn_cli import api
    from lrnn_cli.report.summaries import ensemble_summary

    with api.Session(jobs=1) as session:
        return ensemble_summary(session.model_of_text(content, name))

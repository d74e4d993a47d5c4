from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING, Any, NoReturn

import click

from lrnn_cli.commands.options import (
    FiniteRange,
    Progress,
    cluster_option,
    fold_options,
    given,
    grounding_options,
    model_in,
    open_session,
    options_of,
    output_name,
    output_option,
    read_part,
)
from lrnn_cli.commands.parameters import RUN_FILES, Input, Output, with_members
from lrnn_cli.structure.options import StructureOptions

if TYPE_CHECKING:
    from lrnn_cli.structure.learning import Learning
    from lrnn_cli.structure.side_by_side import Spread


@click.command("learn-structure", no_args_is_help=True)
@click.argument("data", type=Input())
@output_option("The model file to write")
@options_of(StructureOptions)
@click.option(
    "--budget",
    type=FiniteRange(0, min_open=True),
    metavar="SECONDS",
    help="Stop learning after this time, with the model of the last whole iteration; members of an ensemble share it.",
)
@click.option(
    "--as-in-the-paper",
    is_flag=True,
    help="Other defaults: those of the paper, for all options that differ; options that are given win.",
)
@click.option(
    "--ensemble",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="Learn N models with seeds S, S+1, ...; the output is the mean of theirs.",
)
@click.option(
    "--run-dir",
    "run_directory",
    type=Output(*with_members(RUN_FILES)),
    metavar="DIR",
    help="Keep models, rules with scores, embeddings and times of all iterations.",
)
@cluster_option
@click.option("--resume", is_flag=True, help="Go on with the run in --run-dir.")
@fold_options(testing=False)
@grounding_options
def learn_structure(data: str, output: str, quiet: bool, as_in_the_paper: bool, **options: Any) -> None:
    """Learn rules and their weights from the examples and queries of DATA

    Soft clusters of unary predicates first; then, in each iteration, a beam search for the target rules that lower
    the log loss most, latent predicates invented from the best of them, and training of all weights. The model is a
    file of weighted rules that `predict`, `evaluate` and `show` understand.

    \b
    Example:
        lrnn learn-structure data.pl -o model.pl
        lrnn learn-structure train.pl | lrnn evaluate - test.pl
        lrnn learn-structure data.pl --folds 5 --fold 1 --run-dir run1 -o model.pl
    """
    from lrnn_cli import api
    from lrnn_cli.language.files import write_text
    from lrnn_cli.language.writing import counted

    _check_usage(options)
    progress = Progress(quiet)
    # Reading waits for SWI-Prolog.
    with _imported_beside("lrnn_cli.structure.learning"), open_session(progress, options) as session:
        training = read_part(session, data, options, testing=False).labelled().in_memory()
    settings = api.structure_options(as_in_the_paper, **given(field.name for field in fields(StructureOptions)))
    run = {name: options[name] for name in ("ensemble", "budget", "run_directory", "resume")}
    with _spread(options) as spread:
        learning = api.learn(training, settings, note=progress.line, spread=spread, **run)
    _tell_members(learning, progress)
    write_text(output, learning.model.text())
    if learning.interrupted:
        _tell_interruption(learning, output, options["run_directory"], progress)
    if len(learning.model.members) < len(learning.members):
        progress.warn(f"{output_name(output)} holds {len(learning.model.members)} of {len(learning.members)} models")
    _tell_estimates(learning, progress)
    statistics = learning.model.statistics()
    rules = " + ".join(str(figures["rules"]) for figures in statistics)
    layers = counted(max(figures["layers"] for figures in statistics), "layer")
    progress.line(f"{'1 rule' if rules == '1' else f'{rules} rules'} in {layers}{model_in(output)}")


def _check_usage(options: dict[str, Any]) -> None:
    """Options that do not go together."""
    if options["resume"] and options["run_directory"] is None:
        raise click.UsageError("--resume needs --run-dir")
    if _is_spread(options) and (options["run_directory"] or options["budget"]):
        message = "--run-dir and --budget are for one machine; leave them out, or --cluster and DASK_SCHEDULER_ADDRESS"
        raise click.UsageError(message)


def _is_spread(options: dict[str, Any]) -> bool:
    """Whether other machines do the work; of one model there is nothing to be shared out."""
    return options["cluster"] is not None and options["ensemble"] > 1


@contextmanager
def _imported_beside(module: str) -> Iterator[None]:
    """A module is imported while what is inside goes on, and has been at its end.

    Where that fails, too: modules that register what to do at exit can't be imported once it has begun.
    """
    thread = Thread(target=import_module, args=(module,))
    thread.start()
    try:
        yield
    finally:
        thread.join()


@contextmanager
def _spread(options: dict[str, Any]) -> Iterator[Spread | None]:
    """Who does what members of an ensemble do side by side, if not this machine."""
    if not _is_spread(options):
        yield None
        return
    from lrnn_cli.plan.cluster import OnCluster, open_cluster

    with open_cluster(options["cluster"]) as client:
        yield OnCluster(client)


def _tell_members(learning: Learning, progress: Progress) -> None:
    """Why learning ended, member by member."""
    for number, member in enumerate(learning.members, 1):
        name = f"model {number} of {len(learning.members)}, " if len(learning.members) > 1 else ""
        if not member.iterations:
            progress.line(f"{name}nothing was learned: {member.reason}; {member.remedy}")
        elif member.reason and not learning.interrupted:
            count = member.iterations
            progress.line(f"{name}stopped after {count} iteration{'s' * (count > 1)}: {member.reason}")


def _tell_interruption(learning: Learning, output: str, folder: str | None, progress: Progress) -> NoReturn:
    """What the output holds after Ctrl-C, and the end of the command."""
    kept, ensemble = len(learning.model.members), len(learning.members)
    how = f"; go on with --run-dir {folder} --resume" if folder else ""
    what = f"{kept} of {ensemble} models" if ensemble > 1 else "the model of the last whole iteration"
    progress.warn(f"interrupted: {output_name(output)} holds {what}{how}")
    click.get_current_context().exit(130)


def _tell_estimates(learning: Learning, progress: Progress) -> None:
    """What to expect on new data."""
    from lrnn_cli.structure.estimates import estimate_text, estimate_warnings

    for target, estimate in learning.estimates.items():
        progress.line(estimate_text(target, estimate))
        for warning in estimate_warnings(target, estimate):
            progress.warn(warning)

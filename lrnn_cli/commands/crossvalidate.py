from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from lrnn_cli.commands.options import (
    Progress,
    cluster_option,
    fold_words,
    options_of,
    quiet_option,
    shared_data_option,
    split_option,
)
from lrnn_cli.commands.parameters import RESULT_FILES, Input, Output
from lrnn_cli.commands.terminal import fitting
from lrnn_cli.evaluation.parts import FoldOptions

if TYPE_CHECKING:
    from lrnn_cli.evaluation.experiments import Experiments
    from lrnn_cli.plan.crossvalidation import TaskWatch
    from lrnn_cli.plan.executors import Executor, Outcome
    from lrnn_cli.plan.tasks import Task

SAID = 60
"""Columns for what a task says while it runs."""
PLANNED = ("fold", "folds", "seed")
"""Options of a fold that the plan has for all."""


@click.command(no_args_is_help=True)
@click.argument("data", type=Input(), nargs=-1, required=True)
@click.option(
    "--learner",
    "learners",
    multiple=True,
    default=("lrnn",),
    show_default=True,
    metavar="'NAME [OPTION]...'",
    help="lrnn, paper, chain1, chain2, ..., nfoil, kfoil, forest or lightgbm, with options of the command that learns; "
    "may be given several times. NAME-WORD is a variant with results of its own.",
)
@click.option(
    "--folds", type=click.IntRange(2), default=10, show_default=True, metavar="N", help="Folds; those in DATA win."
)
@click.option(
    "--seed",
    "seeds",
    type=click.IntRange(0),
    multiple=True,
    default=(1,),
    show_default=True,
    metavar="S",
    help="Of folds and of learning; given several times, folds are drawn several times.",
)
@options_of(FoldOptions, left_out=PLANNED)
@split_option
@click.option(
    "-o",
    "--output",
    type=Output(*RESULT_FILES),
    default="results",
    show_default=True,
    metavar="DIR",
    help="The folder of the results, for `summarise` and `report`.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=os.cpu_count() or 1,
    show_default="number of processors",
    metavar="N",
    help="Tasks side by side.",
)
@click.option(
    "--processes", type=click.IntRange(1), default=1, show_default=True, metavar="N", help="--jobs of each task."
)
@click.option(
    "--launch", default="", metavar="WORDS", help="Words before each command, such as 'srun -n1 -c1' on a cluster."
)
@cluster_option
@shared_data_option
@quiet_option
def crossvalidate(data: tuple[str, ...], output: str, quiet: bool, **options: Any) -> None:
    """All folds of one or more learners on DATA

    Each fold is a task: a model is learned from the other folds and tested on this one. All folds of all learners, data
    sets and seeds are one plan, and so many tasks as --jobs says run at a time. Folds that are done are not done again:
    the same call goes on with a plan that was stopped, and does again only what other data or options concern. Results
    are in DIR/<data>/<learner>/fold<k>.

    \b
    Example:
        lrnn crossvalidate data.pl --folds 10
        lrnn crossvalidate data.pl --learner lrnn --learner nfoil --learner 'lrnn-shallow --layers 1'
        lrnn crossvalidate a.pl b.pl.gz --learner forest --seed 1 --seed 2 -o results
        lrnn crossvalidate data.pl --cluster tcp://host:8786
    """
    from lrnn_cli.language.files import write_text
    from lrnn_cli.plan import crossvalidation
    from lrnn_cli.plan.learners import parse_learner

    progress = Progress(quiet)
    plan = crossvalidation.Plan(
        data=crossvalidation.data_files(data),
        learners=tuple({learner.name: learner for learner in map(parse_learner, options["learners"])}.values()),
        seeds=tuple(dict.fromkeys(options["seeds"])),
        results=output,
        folds=options["folds"],
        part=tuple(fold_words(PLANNED)),
        jobs=options["processes"],
    )
    with _executor(options) as executor:
        experiments, failed = crossvalidation.crossvalidate(plan, executor, _watch(progress))
    write_text("-", _table(experiments))
    _tell_missing(experiments, failed, progress)


@contextmanager
def _executor(options: dict[str, Any]) -> Iterator[Executor]:
    """Who carries the plan out."""
    from lrnn_cli.plan.cluster import DaskCluster, open_cluster
    from lrnn_cli.plan.executors import LocalProcesses
    from lrnn_cli.plan.learners import shell_words

    launch = tuple(shell_words("--launch", options["launch"]))
    if options["cluster"] is None:
        yield LocalProcesses(options["jobs"], launch)
        return
    if launch:
        raise click.UsageError("--launch is for processes of this machine, and --cluster for others; give one of them")
    with open_cluster(options["cluster"]) as client:
        yield DaskCluster(client, options["shared_data"])


def _watch(progress: Progress) -> TaskWatch:
    """What people see while tasks run."""
    from pathlib import Path

    from lrnn_cli.plan.crossvalidation import TaskWatch
    from lrnn_cli.plan.tasks import last_line

    def running(tasks: Sequence[Task], ended: int, count: int) -> None:
        said = [": ".join(filter(None, (task.name, fitting(last_line(Path(task.folder)), SAID)))) for task in tasks]
        progress.status("; ".join([f"{ended} of {count} tasks done", *said]))

    def ended(outcome: Outcome, ended: int, count: int) -> None:
        how = "failed" if outcome.code else "done"
        progress.line(f"{outcome.task.name} {how}, {ended} of {count}")

    return TaskWatch(running, ended)


def _table(experiments: Experiments) -> str:
    """The table of the only crossvalidation, or a line for each."""
    from lrnn_cli.report.tables import crossvalidation_table, text_table

    results = list(experiments.results.values())
    if len(results) == 1:
        return crossvalidation_table(results[0].summary) if results[0].complete else ""
    rows = []
    for result in results:
        figures = (result.mean("error"), result.deviation("error"), result.seconds())
        shown = ["" if figure is None else f"{figure:.4f}" for figure in figures[:2]]
        seconds = "" if figures[2] is None else f"{figures[2]:.1f}"
        folds = "can't be done" if result.impossible else f"{len(result.folds)} of {len(result.expected)}"
        rows.append((result.data, result.learner, folds, *shown, seconds))
    return text_table(("data", "learner", "folds", "error", "deviation", "seconds"), rows, (3, 4, 5))


def _tell_missing(experiments: Experiments, failed: Sequence[Outcome], progress: Progress) -> None:
    """What can't be done, and what failed with the end of its log; failures end the command."""
    from lrnn_cli.errors import LrnnError

    impossible = experiments.impossible()
    for result in impossible:
        progress.warn(f"{result.folder}: this can't be done: {result.impossible}")
    shown: dict[str, list[Outcome]] = {}
    for outcome in failed:
        shown.setdefault(outcome.message, []).append(outcome)
    for message, outcomes in shown.items():
        names = ", ".join(outcome.task.name for outcome in outcomes)
        progress.warn(f"{names} failed; {outcomes[0].task.folder}/log ends with\n{message}")
    if failed:
        raise LrnnError(
            f"{len(failed)} task{'s' * (len(failed) > 1)} failed; what is done is kept, and the same call does the rest"
        )
    if len(impossible) == len(experiments.results):
        raise LrnnError("there is nothing that can be done; choose another learner")

"""Options that several commands share, as decorators, and progress on standard error."""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from lrnn_cli.commands.parameters import Output
from lrnn_cli.commands.terminal import say
from lrnn_cli.language.writing import visible

if TYPE_CHECKING:
    from lrnn_cli.limits import Watch

Command = TypeVar("Command", bound=Callable[..., Any])
JOBS = os.cpu_count() or 1
WATCH = "lrnn.watch"


class FiniteRange(click.FloatRange):
    """Numbers of a range that are neither infinite nor nan."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


def output_option(what: str, replaces: Sequence[str] = ()) -> Callable[[Command], Command]:
    """`replaces`: parameters whose file the output may take the place of."""
    shown = f"{what} (default: standard output)."
    return click.option("-o", "--output", type=Output(replaces=replaces), metavar="FILE", default="-", help=shown)


def output_name(output: str) -> str:
    """What an output is called in messages."""
    return "standard output" if output == "-" else visible(output)


def model_in(output: str) -> str:
    """Where the model is, as the end of a sentence; who has it on standard output knows."""
    return "" if output == "-" else f", model in {visible(output)}"


def target_option(command: Command) -> Command:
    return click.option(
        "--target",
        metavar="NAME/ARITY",
        help="Ask for this predicate of all objects that fit by their sorts, whatever DATA ask for.",
    )(command)


def quiet_option(command: Command) -> Command:
    command = click.option("--quiet", is_flag=True, help="No progress on standard error.")(command)
    return click.option(
        "--profile",
        is_flag=True,
        expose_value=False,
        callback=_profile,
        help="At the end, seconds and peak memory by stage on standard error.",
    )(command)


def _profile(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if not wanted:
        return
    from lrnn_cli.stages import start_profile, stop_profile

    profile = start_profile()

    def show() -> None:
        from lrnn_cli.report.tables import text_table

        stop_profile()
        say(text_table(("stage", "seconds", "times", "peak MB"), profile.finish(), (1, 2, 3)), nl=False)

    context.call_on_close(show)


def grounding_options(command: Command) -> Command:
    """How grounding is done."""
    for option in (
        click.option("--grounder", default="swi", show_default=True, metavar="NAME", help="What computes groundings."),
        click.option(
            "--jobs",
            type=click.IntRange(1),
            default=JOBS,
            show_default="number of processors",
            metavar="N",
            help="SWI-Prolog processes at most; the result does not depend on it.",
        ),
        click.option(
            "--memory-limit",
            type=click.IntRange(0),
            show_default="half of what there is",
            metavar="MB",
            callback=_memory_limit,
            help="Memory of all processes of the command and temporary files together; 0 for no limit.",
        ),
        click.option(
            "--time-limit",
            type=FiniteRange(0, min_open=True),
            metavar="SECONDS",
            callback=_time_limit,
            help="Time for the whole command; after it nothing is written.",
        ),
    ):
        command = option(command)
    return quiet_option(command)


def _memory_limit(context: click.Context, parameter: click.Parameter, megabytes: int | None) -> int:
    from lrnn_cli.limits import default_limit

    limit = default_limit() if megabytes is None else megabytes
    _watch(context).limit_memory(limit)
    return limit


def _time_limit(context: click.Context, parameter: click.Parameter, seconds: float | None) -> float | None:
    if seconds is not None:
        _watch(context).limit_time(seconds)
    return seconds


def _watch(context: click.Context) -> Watch:
    """What ends the command when it takes too much; it is there until the command has ended."""
    from lrnn_cli.limits import Watch

    if WATCH not in context.meta:
        context.meta[WATCH] = context.with_resource(Watch())
    watch: Watch = context.meta[WATCH]
    return watch


def fold_options(testing: bool) -> Callable[[Command], Command]:
    part = "use fold K only" if testing else "use all but fold K"

    def decorate(command: Command) -> Command:
        for option in (
            click.option(
                "--seed",
                type=click.IntRange(0),
                default=1,
                show_default=True,
                metavar="S",
                help="Of all that is drawn: the same seed gives the same bytes.",
            ),
            click.option("--fold", type=click.IntRange(1), metavar="K", help=f"For crossvalidation: {part}."),
            click.option(
                "--folds",
                type=click.IntRange(2),
                metavar="N",
                help="Number of folds, stratified by target; fold(K) facts in the data win. One example is split by "
                "its queries.",
            ),
            click.option(
                "--split-by",
                metavar="NAME/ARITY",
                help="Cut data of one example into one for each first argument of this predicate or, with `query`, of "
                "the queries, where they fall apart.",
            ),
            click.option(
                "--group-duplicates/--no-group-duplicates",
                default=True,
                show_default=True,
                help="Examples equal up to the names of their objects stay in one fold.",
            ),
        ):
            command = option(command)
        return command

    return decorate


def aggregation_option(shown: str, default: str | None) -> Callable[[Command], Command]:
    """`shown` says what the default is."""
    return click.option(
        "--aggregation",
        type=click.Choice(["mean", "sqrt"]),
        default=default,
        help=f"Groundings of a rule: their mean, or their sum divided by the root of their number (default: {shown}).",
    )


def settings_options(command: Command) -> Command:
    """Settings that win over those in the template."""
    for option in (
        click.option(
            "--object-identity/--no-object-identity",
            default=None,
            help="Variables of a rule take different objects (default: what the template says, else not).",
        ),
        aggregation_option("what the template says, else mean", None),
        click.option(
            "--activation",
            type=click.Choice(["lukasiewicz", "sigmoid"]),
            help="Activation functions (default: what the template says, else lukasiewicz).",
        ),
    ):
        command = option(command)
    return command


class Progress:
    """Lines on standard error: one that changes on a terminal, one every few seconds elsewhere."""

    def __init__(self, quiet: bool, every: float = 5.0) -> None:
        self.quiet = quiet
        self.every = every
        self.terminal = sys.stderr.isatty()
        self._shown = False
        self._last = time.monotonic()
        self._warnings: set[str] = set()

    def status(self, text: str) -> None:
        """What is going on; may be left out when much is going on."""
        if self.quiet:
            return
        now = time.monotonic()
        if self.terminal:
            if now - self._last > 0.05:
                say(visible(text)[:120], nl=False, clear=True)
                self._shown = True
                self._last = now
        elif now - self._last > self.every:
            say(text)
            self._last = now

    def line(self, text: str) -> None:
        """A result worth keeping on the screen."""
        if not self.quiet:
            self._clear()
            say(text)

    def warn(self, text: str) -> None:
        """Shown even when quiet."""
        self._clear()
        say(text if text.startswith("warning") else f"warning: {text}")

    def warn_once(self, text: str) -> None:
        """Several models, or one grounded several times, have the same faults."""
        if text not in self._warnings:
            self._warnings.add(text)
            self.warn(text)

    def _clear(self) -> None:
        if self._shown:
            say("", nl=False, clear=True)
            self._shown = False

"""Options that several commands share, as decorators, and progress on standard error."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import Field, asdict, fields
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from lrnn_cli.commands.parameters import NamedChoice, Output
from lrnn_cli.commands.terminal import can_rewrite, say, say_in_place
from lrnn_cli.errors import LrnnError
from lrnn_cli.evaluation.parts import FoldOptions
from lrnn_cli.grounding.options import SessionOptions
from lrnn_cli.language.writing import visible
from lrnn_cli.network.options import ModelSettings

if TYPE_CHECKING:
    from lrnn_cli.api import Data, Session
    from lrnn_cli.evaluation.predictions import Predictions
    from lrnn_cli.limits import Watch

Command = TypeVar("Command", bound=Callable[..., Any])
Options = TypeVar("Options")
WATCH = "lrnn.watch"
ON_OR_OFF = "on|off"
BOUNDS = (("least", "above"), ("most", "below"))


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


def member_option(command: Command) -> Command:
    return click.option("--member", metavar="NAME", help="The member, where MODEL is an ensemble.")(command)


def cluster_option(command: Command) -> Command:
    return click.option(
        "--cluster",
        envvar="DASK_SCHEDULER_ADDRESS",
        show_envvar=True,
        metavar="ADDRESS",
        help="Workers of a Dask cluster do the work, such as tcp://host:8786, or N processes here, local:N.",
    )(command)


def shared_data_option(command: Command) -> Command:
    return click.option(
        "--shared-data",
        is_flag=True,
        help="Workers of a cluster read DATA by their paths, on a file system that all share; otherwise DATA are sent.",
    )(command)


def metrics_option(command: Command) -> Command:
    return click.option(
        "--metrics",
        type=Output(),
        metavar="FILE",
        help="Write metrics of the predictions as `evaluate --json` does.",
    )(command)


def write_metrics(path: str | None, predictions: Predictions, progress: Progress) -> None:
    """Metrics of those predictions that have a target, where `metrics_option` asks for them."""
    if path is None:
        return
    from lrnn_cli.evaluation.metrics import evaluate_predictions
    from lrnn_cli.language.files import write_text
    from lrnn_cli.language.writing import json_text

    metrics = evaluate_predictions(predictions.labelled())
    progress.undefined(metrics.reasons)
    write_text(path, json_text(metrics.json()))


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


def options_of(kind: type, left_out: Collection[str] = (), **words: str) -> Callable[[Command], Command]:
    """Options of a command from the fields of a dataclass that have a help text, in their order.

    words: what stands in the place of names in braces in these texts.
    """
    known = [field for field in fields(kind) if "help" in field.metadata and field.name not in left_out]

    def decorate(command: Command) -> Command:
        for field in reversed(known):
            command = _option(field, words, {})(command)
        return command

    return decorate


def field_option(kind: type, name: str, **settings: Any) -> Callable[[Command], Command]:
    """The option of one field of a dataclass, with more settings of click."""
    (field,) = [field for field in fields(kind) if field.name == name]
    return _option(field, {}, settings)


def _option(field: Field[Any], words: dict[str, str], more: dict[str, Any]) -> Callable[[Command], Command]:
    """The option of a field, which says in its metadata what is allowed and how it is shown."""
    known = field.metadata
    name = known["name"] or field.name.replace("_", "-")
    declarations = [f"--{name}", field.name]
    settings: dict[str, Any] = {"metavar": known["metavar"]}
    if field.default is not None or known["kind"] is bool:
        # None that is given is a default, too: an option with one is not required.
        settings["default"] = field.default
    text = known["help"].format(**words)
    if known["kind"] is bool and known["metavar"] != ON_OR_OFF:
        if known["negative"]:
            declarations[0] = f"--{name}/--no-{name}"
        else:
            declarations[0] = f"--{'no-' if field.default else ''}{name}"
            settings["flag_value"] = not field.default
    else:
        settings["type"] = _type(field)
    if field.name in LIMITS:
        settings["callback"] = LIMITS[field.name]
    if known["default_text"] and not text.endswith("."):
        text = f"{text}  [default: {known['default_text']}]"
    elif known["default_text"] or (field.default is not None and known["negative"]):
        settings["show_default"] = known["default_text"] or True
    return click.option(*declarations, help=text, **{**settings, **more})


def _type(field: Field[Any]) -> Any:
    known = field.metadata
    if known["metavar"] in WRITTEN_OTHERWISE:
        return WRITTEN_OTHERWISE[known["metavar"]]
    if known["choices"] != ():
        return NamedChoice(known["choices"])
    least, most = (known[name] if known[name] is not None else known[other] for name, other in BOUNDS)
    if known["kind"] is int:
        return click.IntRange(least, most)
    if known["kind"] is float:
        opened = {"min_open": known["above"] is not None, "max_open": known["below"] is not None}
        return FiniteRange(least, most, **opened)
    return click.STRING


class NumberOrAll(click.IntRange):
    """A number from 1, or `all`, which is 0."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if value in (0, "all"):
            return 0
        if not str(value).isdecimal() or not int(value):
            raise click.BadParameter(f"{value!r} is not a number from 1 or `all`", param_hint="--batch-size")
        return int(value)


WRITTEN_OTHERWISE = {ON_OR_OFF: click.BOOL, "N|all": NumberOrAll(1)}
"""By what help shows of them, options that are written in another way than their values in Python."""


def chosen(kind: type[Options], options: dict[str, Any]) -> Options:
    """The dataclass of those options of the command line that are fields of it."""
    return kind(**{field.name: options[field.name] for field in fields(kind) if field.name in options})  # type: ignore[arg-type]


def given(names: Iterable[str]) -> dict[str, Any]:
    """Those of the options with these names that the command line gives."""
    context = click.get_current_context()
    source = context.get_parameter_source
    return {
        name: context.params[name]
        for name in names
        if name in context.params and source(name) is not ParameterSource.DEFAULT
    }


def grounding_options(command: Command) -> Command:
    """How grounding is done."""
    return options_of(SessionOptions)(quiet_option(command))


def limit_options(command: Command) -> Command:
    """What a command may take that grounds nothing."""
    return options_of(SessionOptions, left_out=("grounder", "jobs"))(command)


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


LIMITS = {"memory_limit": _memory_limit, "time_limit": _time_limit}
"""Options that also limit the command as a whole."""


def fold_options(testing: bool) -> Callable[[Command], Command]:
    """Which part of the data is used."""
    part = "use fold K only" if testing else "use all but fold K"
    return lambda command: options_of(FoldOptions, part=part)(split_option(command))


def split_option(command: Command) -> Command:
    return click.option(
        "--split-by",
        metavar="NAME/ARITY",
        help="Cut data of one example into one for each first argument of this predicate or, with `query`, of the "
        "queries, where they fall apart.",
    )(command)


def fold_words(left_out: Collection[str]) -> list[str]:
    """Those options of folds that the command line gives, as words of another one."""
    words = []
    for name, value in given([*(field.name for field in fields(FoldOptions)), "split_by"]).items():
        option = name.replace("_", "-")
        if name in left_out:
            continue
        words += [f"--{'' if value else 'no-'}{option}"] if isinstance(value, bool) else [f"--{option}", str(value)]
    return words


def settings_options(command: Command) -> Command:
    """Settings that win over those in the template."""
    return options_of(ModelSettings)(command)


class Progress:
    """Lines on standard error: one that changes on a terminal, one every few seconds elsewhere."""

    def __init__(self, quiet: bool, every: float = 5.0) -> None:
        self.quiet = quiet
        self.every = every
        self.terminal = can_rewrite()
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
                say_in_place(text)
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

    def undefined(self, reasons: dict[str, str]) -> None:
        """Metrics that are not defined, and why."""
        for name, reason in reasons.items():
            self.warn(f"{name} is undefined: {reason}")

    def _clear(self) -> None:
        if self._shown:
            say_in_place("")
            self._shown = False


def open_session(progress: Progress, options: dict[str, Any]) -> Session:
    """A session with the options of `grounding_options`."""
    from lrnn_cli.api import Session

    return Session(chosen(SessionOptions, options), report=progress.status, note=progress.line, warn=progress.warn_once)


def check_inputs(template_path: str | None, data_path: str | None) -> None:
    if template_path == "-" and data_path == "-":
        raise LrnnError("the template and the data can't both be standard input; name a file for one of them")


def read_part(session: Session, path: str, options: dict[str, Any], testing: bool) -> Data:
    """The data of a file, or the part of them that `fold_options` choose."""
    return session.read(path, options["split_by"]).of_fold(chosen(FoldOptions, options), testing)


def settings_of(options: dict[str, Any]) -> dict[str, Any]:
    """The settings of `settings_options`."""
    return asdict(chosen(ModelSettings, options))

"""The command line: click, and the one place where errors become messages and exit codes."""

from __future__ import annotations

import contextlib
import errno
import importlib
import io
import os
import signal
import sys
import warnings
from collections import UserDict
from typing import Any, NoReturn

import click

from lrnn_cli import __version__
from lrnn_cli.commands.terminal import say
from lrnn_cli.errors import LrnnError, system_message
from lrnn_cli.language.writing import visible

COMMANDS = {
    "learn-structure": "Learn rules and their weights from the examples of DATA",
    "baseline": "Learners to compare with, from nFOIL to a random forest",
    "make-template": "Write the template that experts write by hand, for DATA",
    "ground": "Apply the rules of TEMPLATE to the examples of DATA",
    "train": "Learn the weights of the rules in GROUNDING",
    "predict": "Outputs of MODEL for all queries of DATA",
    "evaluate": "How well MODEL predicts the targets of DATA",
    "crossvalidate": "All folds of one or more learners on DATA",
    "summarise": "One table for all folds of a crossvalidation",
    "report": "Tables and figures of the crossvalidations in FOLDER",
    "simplify": "Drop rules and literals of MODEL that do not matter",
    "explain": "Why MODEL gives a query of DATA its output",
    "draw": "MODEL, or its network for one example of DATA, as a graph",
    "plot": "Figures of a run of structure learning, or of two",
    "show": "Any of our files as text",
    "check": "What is in DATA, and what looks wrong",
    "import": "Data of other systems as data of ours",
    "export": "MODEL as a program of another system",
    "doctor": "Whether SWI-Prolog, pyswip and optional parts are there",
}
"""The commands in the order of work."""


class ImportedCommands(UserDict[str, Any]):
    """Each command is imported when it is asked for, so that all start fast."""

    def __getitem__(self, key: str) -> click.Command:
        if key not in COMMANDS:
            raise KeyError(key)
        # The word `import` can't be the name of a module.
        name = {"import": "import_data"}.get(key, key.replace("-", "_"))
        command: click.Command = getattr(importlib.import_module(f"lrnn_cli.commands.{name}"), name)
        return command


class CommandGroup(click.Group):
    """Commands in the order of work, with errors converted."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            say("interrupted")
            ctx.exit(130)

    def main(self, *arguments: Any, **options: Any) -> NoReturn:
        """Run a command and end with its exit code: whatever goes wrong is a message, from help texts to results."""
        try:
            code = super().main(*arguments, **{**options, "standalone_mode": False})
        except click.ClickException as error:
            message = io.StringIO()
            error.show(message)
            say(message.getvalue(), nl=False)
            code = error.exit_code
        except click.Abort:
            code = 130
        except LrnnError as error:
            say(str(error))
            code = 1
        except BrokenPipeError:
            # Whoever read our output has seen enough.
            _abandon_output()
            code = 0
        except OSError as error:
            _abandon_output()
            say(_system_error(error))
            code = 1
        except MemoryError:
            say("out of memory; use a smaller part of the data or shorter rules")
            code = 1
        sys.exit(code)


@click.group(
    cls=CommandGroup,
    commands=ImportedCommands(dict.fromkeys(COMMANDS)),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
)
@click.version_option(__version__, prog_name="lrnn")
def cli() -> None:
    """Lifted relational neural networks from Prolog facts

    `learn-structure` finds rules and weights by itself. With a template of rules at hand, `ground` applies it to data
    and `train` learns the weights. `predict` and `evaluate` apply a model to other data. Stages are chained through
    files; `-` stands for standard input or output.

    \b
    Example:
        lrnn learn-structure train.pl -o model.pl
        lrnn ground template.pl train.pl -o grounding.npz
        lrnn train grounding.npz -o model.pl
        lrnn evaluate model.pl test.pl
    """


def _abandon_output() -> None:
    """Replace standard output, so that closing it can't fail."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _system_error(error: OSError) -> str:
    if error.filename is not None:
        return f"{visible(os.fsdecode(error.filename))}: {system_message(error)}"
    if error.errno == errno.ENOENT and error.strerror == os.strerror(errno.ENOENT):
        return "the current folder does not exist any more; go to another one"
    return system_message(error)


def _terminate(number: int, frame: object) -> None:
    sys.exit(128 + number)


def _open_standard_streams() -> None:
    """Streams that are closed from the start go nowhere; otherwise the next files to be opened would become them.

    A letter that a stream does not have is shown by its code.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdin = sys.stdin or os.fdopen(0)
    sys.stdout = sys.stdout or os.fdopen(1, "w")
    sys.stderr = sys.stderr or os.fdopen(2, "w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def main() -> NoReturn:
    _open_standard_streams()
    signal.signal(signal.SIGTERM, _terminate)
    if not sys.warnoptions:
        # Warnings of libraries are for programmers: numbers that are not finite are found where they matter.
        warnings.simplefilter("ignore")
    cli.main(prog_name="lrnn")

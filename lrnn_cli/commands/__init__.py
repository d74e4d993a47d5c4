"""The command line: click, and the one place where errors become messages and exit codes."""

from __future__ import annotations

import errno
import os
import signal
import sys
from typing import Any

import click

from lrnn_cli import __version__
from lrnn_cli.commands.baseline import baseline
from lrnn_cli.commands.check import check
from lrnn_cli.commands.doctor import doctor
from lrnn_cli.commands.draw import draw
from lrnn_cli.commands.evaluate import evaluate
from lrnn_cli.commands.explain import explain
from lrnn_cli.commands.ground import ground
from lrnn_cli.commands.import_sdf import import_sdf
from lrnn_cli.commands.learn_structure import learn_structure
from lrnn_cli.commands.make_template import make_template
from lrnn_cli.commands.plot import plot
from lrnn_cli.commands.predict import predict
from lrnn_cli.commands.report import report
from lrnn_cli.commands.show import show
from lrnn_cli.commands.simplify import simplify
from lrnn_cli.commands.summarise import summarise
from lrnn_cli.commands.train import train
from lrnn_cli.errors import LrnnError


class Failure(click.ClickException):
    """An error that a user can mend: its text as it is, exit code 1."""

    def show(self, file: Any = None) -> None:
        click.echo(self.message, file=file, err=file is None)


class Commands(click.Group):
    """Commands in the order of work, with errors converted."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except LrnnError as error:
            raise Failure(str(error)) from None
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            ctx.exit(130)
        except BrokenPipeError:
            # Whoever read our output has seen enough.
            _abandon_output()
            ctx.exit(0)
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            _abandon_output()
            raise Failure("no space is left on the device; free some, or set TMPDIR to a larger folder") from None
        except MemoryError:
            raise Failure("out of memory; use a smaller part of the data or shorter rules") from None


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
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


for command in (
    learn_structure,
    baseline,
    make_template,
    ground,
    train,
    predict,
    evaluate,
    summarise,
    report,
    simplify,
    explain,
    draw,
    plot,
    show,
    check,
    import_sdf,
    doctor,
):
    cli.add_command(command)


def _abandon_output() -> None:
    """Replace standard output, so that closing it can't fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _terminate(number: int, frame: object) -> None:
    sys.exit(128 + number)


def _open_standard_streams() -> None:
    """Streams that are closed from the start go nowhere; otherwise the next files to be opened would become them."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdin = sys.stdin or os.fdopen(0)
    sys.stdout = sys.stdout or os.fdopen(1, "w")
    sys.stderr = sys.stderr or os.fdopen(2, "w")


def main() -> None:
    _open_standard_streams()
    signal.signal(signal.SIGTERM, _terminate)
    cli(prog_name="lrnn")

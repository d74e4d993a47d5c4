"""Parameters that name files: what a command reads and what it writes, which are never the same file.

Each argument and option with the name of a file has one of the types `Input` and `Output`. They remember what a command
line names, and refuse an output that is an input or another output, whatever it is called: a link, another path, or
standard input or output that come from or go to that file.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from lrnn_cli.errors import LrnnError
from lrnn_cli.language.files import check_writable
from lrnn_cli.language.writing import visible

RUN_RECORDS = (
    "configuration.json",
    "state.json",
    "statistics.json",
    "rules.csv",
    "iterations.csv",
    "embedding_*.csv",
    "history_*.csv",
)
"""Files of the folder of a run of structure learning that other commands read."""
RUN_FILES = (*RUN_RECORDS, "model.pl", "model_*.pl")
"""All files that such a run writes."""
FIGURES = ("embedding.svg", "learning.svg")
FOLD_FILES = ("predictions.tsv", "metrics.json", "task.json")
"""Files of a fold of a crossvalidation that are read."""
USES = "lrnn_cli.files"


def with_members(patterns: Iterable[str]) -> tuple[str, ...]:
    """The same files in the folder of a run, and in the folders of the members of an ensemble."""
    return tuple(name for pattern in patterns for name in (pattern, f"member_*/{pattern}"))


EXPERIMENT_FILES = (
    "*/check.json",
    "*/*/settings.json",
    "*/*/impossible",
    *(f"*/*/fold*/{name}" for name in FOLD_FILES),
    *(f"*/*/fold*/run/{name}" for name in with_members(RUN_RECORDS)),
)
"""Files that a report on crossvalidations reads."""
RESULT_FILES = (
    *("*/check.json", "*/task.json", "*/log", "*/*/fold*/*"),
    *(
        f"*/*/{name}"
        for name in ("settings.json", "summary.*", "impossible", "template.pl", "task.json", "log", ".lock")
    ),
)
"""Files that crossvalidation writes."""


if TYPE_CHECKING:
    Choice = click.Choice[str]
else:
    Choice = click.Choice


class NamedChoice(Choice):
    """One of some names, which are asked for when they are needed and not before."""

    def __init__(self, names: Collection[str]) -> None:
        self.case_sensitive = True
        self._names = names

    @property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(self._names)


@dataclass(frozen=True)
class FileUse:
    """A file, or files of a folder by their patterns, that a parameter of the command names."""

    parameter: str
    label: str
    path: str
    patterns: Sequence[str]
    writes: bool
    replaces: Sequence[str] = ()
    """Parameters whose file it may take the place of."""

    def identities(self) -> Iterator[tuple[object, ...]]:
        """What tells files apart: their place on the disk, or for files to be made their path."""
        if self.path == "-" and not self.patterns:
            yield from _standard(self.writes)
            return
        paths = [Path(self.path)]
        if self.patterns:
            paths = [path for pattern in self.patterns for path in sorted(Path(self.path).glob(pattern))]
        for path in paths:
            try:
                yield from _identity(os.stat(path))
            except OSError:
                yield ("path", os.path.realpath(path))

    def holds(self, path: str) -> bool:
        """Whether a path is that of one of these files of a folder, there already or not."""
        folder, real = os.path.realpath(self.path), os.path.realpath(path)
        inside = os.path.relpath(real, folder)
        return any(fnmatch(inside, pattern) for pattern in self.patterns)

    def meets(self, other: FileUse) -> bool:
        if set(self.identities()) & set(other.identities()):
            return True
        return self.holds(other.path) or other.holds(self.path)


def _standard(writes: bool) -> Iterator[tuple[object, ...]]:
    """Standard output, or standard input; where it is a file, also that file."""
    stream = sys.stdout if writes else sys.stdin
    if writes:
        yield ("standard output",)
    try:
        yield from _identity(os.fstat(stream.fileno()))
    except OSError:
        return


def _identity(status: os.stat_result) -> Iterator[tuple[object, ...]]:
    """Devices and pipes can be read and written, and by many."""
    if stat.S_ISREG(status.st_mode):
        yield (status.st_dev, status.st_ino)


def claim(
    context: click.Context,
    parameter: click.Parameter,
    path: str,
    patterns: Sequence[str] = (),
    writes: bool = False,
    replaces: Sequence[str] = (),
) -> None:
    """Remember the use of a file; complain if it is written and also used by another parameter, not in `replaces`."""
    label = parameter.opts[-1] if isinstance(parameter, click.Option) else parameter.human_readable_name
    use = FileUse(parameter.name or "", label, path, patterns, writes, replaces)
    uses: list[FileUse] = context.meta.setdefault(USES, [])
    for other in uses:
        written, used = (use, other) if use.writes else (other, use)
        if written.writes and used.parameter not in written.replaces and use.meets(other):
            name = "standard output" if written.path == "-" else visible(written.path)
            message = f"{name}: {written.label} would overwrite {used.label}; choose another name for what is written"
            raise LrnnError(message)
    uses.append(use)


class _FileType(click.types.StringParamType):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        path = str(super().convert(value, param, ctx))
        if "\0" in path:
            self.fail("a name of a file has no character of code 0.", param, ctx)
        if ctx is not None and param is not None and not ctx.resilient_parsing:
            self.use(path, param, ctx)
        return path

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The shell knows its files."""
        return [CompletionItem(incomplete, type="file")]

    def use(self, path: str, param: click.Parameter, ctx: click.Context) -> None:
        raise NotImplementedError


class Input(_FileType):
    """A file that is read or, with patterns, a folder and the files of it that are read."""

    def __init__(self, *patterns: str) -> None:
        self.patterns = patterns

    def use(self, path: str, param: click.Parameter, ctx: click.Context) -> None:
        claim(ctx, param, path, self.patterns)


class Output(_FileType):
    """A file that is written or, with patterns, a folder and the files in it that are written.

    replaces: names of parameters whose file the output may take the place of.
    """

    def __init__(self, *patterns: str, replaces: Sequence[str] = ()) -> None:
        self.patterns = patterns
        self.replaces = replaces

    def use(self, path: str, param: click.Parameter, ctx: click.Context) -> None:
        claim(ctx, param, path, self.patterns, True, self.replaces)
        if not self.patterns:
            check_writable(path)

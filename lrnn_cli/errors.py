"""Errors that a user can mend. The command line shows their text and exits with 1; anything else is a bug."""

from __future__ import annotations

import errno
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

SHOWN_FAULTS = 20
SHOWN_LINES = 3
REMEDIES = {
    errno.EACCES: "no permission; change it, or choose another file",
    errno.EAGAIN: "the system has no more room for processes; end some, or use fewer --jobs",
    errno.EDQUOT: "the disk quota is used up; delete files, or choose another folder",
    errno.EFBIG: "the file gets too large; raise the limit with `ulimit -f`, or use a smaller part of the data",
    errno.EIO: "the device has an error; check the disk, and choose a folder on another one",
    errno.ELOOP: "symbolic links lead in a circle; delete one of them",
    errno.EMFILE: "too many files are open; raise the limit with `ulimit -n`, or use fewer --jobs",
    errno.ENFILE: "the system has too many open files; end other programs, or use fewer --jobs",
    errno.ENOMEM: "out of memory; use a smaller part of the data or shorter rules",
    errno.ENOSPC: "no space is left on the device; free some, or set TMPDIR to a larger folder",
    errno.EPERM: "the system does not permit it; choose another file",
    errno.EROFS: "the file system can't be written to; choose another folder",
}
"""What the system says in words of ours, and what to do; other errors keep the words of the system."""
SHOWN_CHARACTERS = 600


class LrnnError(Exception):
    """Something a user can mend; the text says what is wrong and what to do."""


class ReadError(LrnnError):
    """A file can't be read, or what it says is not valid."""


class EngineError(LrnnError):
    """SWI-Prolog is missing, or was stopped."""


class LimitError(EngineError):
    """More time or memory was needed than may be used."""


class GroundingError(LrnnError):
    """A template and data do not fit together."""


class NetworkError(LrnnError):
    """The groundings are not a feed-forward network."""


class TrainingError(LrnnError):
    """Training can't start or go on."""


@dataclass(frozen=True, order=True)
class Fault:
    """One thing that is wrong in a file, lines and columns counted from 1."""

    line: int
    column: int
    message: str


def faults_error(name: str, faults: Sequence[Fault], kind: type[LrnnError] = ReadError) -> LrnnError:
    """All faults of a file as one error: the first twenty, then how many more; one of those that are the same."""
    same: dict[str, list[Fault]] = {}
    for fault in sorted(set(faults)):
        same.setdefault(fault.message, []).append(fault)
    shown = list(same.items())[:SHOWN_FAULTS]
    lines = [
        f"{name}:{equal[0].line}:{equal[0].column}: {shortened(message)}{_again(equal)}" for message, equal in shown
    ]
    if len(same) > SHOWN_FAULTS:
        lines.append(f"{name}: {sum(map(len, same.values())) - sum(len(equal) for _, equal in shown)} more faults")
    return kind("\n".join(lines))


def _again(faults: Sequence[Fault]) -> str:
    """Where the same fault is once more."""
    if len(faults) == 1:
        return ""
    others = list(dict.fromkeys(str(fault.line) for fault in faults if fault.line != faults[0].line))
    lines = ", ".join(others[:SHOWN_LINES]) + (", ..." if len(others) > SHOWN_LINES else "")
    where = f", line{'s' * (len(others) > 1)} {lines}" if others else ""
    return f" (and {len(faults) - 1} more like it{where})"


@contextmanager
def about(name: str) -> Iterator[None]:
    """Limits that are met inside are about this file, or this place in it."""
    try:
        yield
    except LimitError as error:
        raise LimitError(f"{name}: {error}") from None


def system_message(error: OSError) -> str:
    """What the system could not do, and the remedy where there is one."""
    return REMEDIES.get(error.errno or 0) or error.strerror or str(error) or type(error).__name__


def shortened(message: str) -> str:
    """A message without the middle of a very long term in it; what to do stands at its end."""
    half = SHOWN_CHARACTERS // 2
    return message if len(message) <= SHOWN_CHARACTERS else f"{message[:half]} ... {message[-half:]}"

"""Errors that a user can mend. The command line shows their text and exits with 1; anything else is a bug."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SHOWN_FAULTS = 20
SHOWN_CHARACTERS = 600


class LrnnError(Exception):
    """Something a user can mend; the text says what is wrong and what to do."""


class ReadError(LrnnError):
    """A file can't be read, or what it says is not valid."""


class EngineError(LrnnError):
    """SWI-Prolog is missing, or was stopped."""


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
    """All faults of a file as one error: the first twenty, then how many more."""
    ordered = sorted(set(faults))
    lines = [f"{name}:{fault.line}:{fault.column}: {shortened(fault.message)}" for fault in ordered[:SHOWN_FAULTS]]
    if len(ordered) > SHOWN_FAULTS:
        lines.append(f"{name}: {len(ordered) - SHOWN_FAULTS} more faults")
    return kind("\n".join(lines))


def shortened(message: str) -> str:
    """A message without the middle of a very long term in it; what to do stands at its end."""
    half = SHOWN_CHARACTERS // 2
    return message if len(message) <= SHOWN_CHARACTERS else f"{message[:half]} ... {message[-half:]}"

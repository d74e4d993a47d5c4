"""The options of learners to compare with."""

from __future__ import annotations

from dataclasses import dataclass

from lrnn_cli.settings import TASKS, setting


@dataclass(frozen=True)
class FoilOptions:
    """What the loop of FOIL has."""

    clauses: int = setting(20, "Clauses at most.", least=1)
    beam: int = setting(10, "Clauses that the search refines in each step.", least=1)
    threshold: float = setting(0.01, "A clause must improve the log likelihood by this.", least=0)


@dataclass(frozen=True)
class BaselineOptions(FoilOptions):
    """Those of nFOIL; memory_limit: MB of the whole command, 0 for no limit."""

    length: int = setting(8, "Literals in a body at most.", least=1)
    variables: int = setting(7, "Variables of a clause at most.", least=1)
    object_identity: bool = setting(False, "Variables of a clause take different objects.")
    memory_limit: int = 0


@dataclass(frozen=True)
class KernelOptions(BaselineOptions):
    """Those of kFOIL."""

    threshold: float = setting(0.0001, "A clause must improve the score, which is between -1 and 1, by this.", least=0)
    score: str = setting(
        "machine",
        "What clauses are chosen by: the loss of the support vector machine in training, or the alignment of the "
        "kernel with the targets.",
        choices=("machine", "alignment"),
    )
    degree: int = setting(
        2,
        "Of the kernel (k + 1)^degree, k being the number of clauses that cover both queries; 1 is k itself.",
        least=1,
        most=3,
    )
    cost: float = setting(1.0, "Of an error in training the support vector machine.", above=0)


@dataclass(frozen=True)
class TreeOptions:
    """Those of trees over counts of neighbourhoods."""

    task: str | None = setting(
        None,
        "What targets are.",
        choices=TASKS,
        default_text="classes if they are words, binary if they are from 0 to 1, regression if they are other numbers",
    )
    radius: int = setting(
        1, "How far around an object its neighbourhood goes; counts of smaller ones are there as well.", least=0
    )
    occurrences: int | None = setting(
        None,
        "Take features that occur for N training queries at least (default: 5; fewer below 500 queries, one in a "
        "hundred, but 2 at least).",
        kind=int,
        least=1,
        metavar="N",
    )
    seed: int = 1
    jobs: int = 1

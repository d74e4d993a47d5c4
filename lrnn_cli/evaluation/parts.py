"""Which part of the data is used: all, or all but one fold, or that fold."""

from __future__ import annotations

from dataclasses import dataclass

from lrnn_cli.settings import setting


@dataclass(frozen=True)
class FoldOptions:
    """A fold of a crossvalidation; without `fold`, all examples."""

    fold: int | None = setting(None, "For crossvalidation: {part}.", kind=int, least=1, metavar="K")
    folds: int | None = setting(
        None,
        "Number of folds, stratified by target; fold(K) facts in the data win. One example is split by its queries.",
        kind=int,
        least=2,
        metavar="N",
    )
    group_duplicates: bool = setting(True, "Examples equal up to the names of their objects stay in one fold.")
    seed: int = setting(1, "Of all that is drawn: the same seed gives the same bytes.", least=0, metavar="S")

"""What a session with a grounder may take."""

from __future__ import annotations

import os
from dataclasses import dataclass

from lrnn_cli.settings import setting


@dataclass(frozen=True)
class SessionOptions:
    grounder: str = setting(
        "auto", "What computes groundings: `auto` chooses joins of arrays where they are enough.", metavar="NAME"
    )
    jobs: int = setting(
        os.cpu_count() or 1,
        "SWI-Prolog processes at most; the result does not depend on it.",
        least=1,
        metavar="N",
        default_text="number of processors",
    )
    memory_limit: int | None = setting(
        None,
        "Memory of all processes of the command and temporary files together; 0 for no limit.",
        kind=int,
        least=0,
        metavar="MB",
        default_text="half of what there is",
    )
    time_limit: float | None = setting(
        None, "Time for the whole command; after it nothing is written.", kind=float, above=0, metavar="SECONDS"
    )

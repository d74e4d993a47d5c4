"""Commands of a crossvalidation that are only pretended: they leave files like those of real ones, at once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import pytest
from conftest import Folder

from lrnn_cli.plan.executors import Commands


class Pretended:
    """What is said to lrnn, in the order of ending.

    folds: of the data; failing: commands with these words in them fail.
    """

    def __init__(self, folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
        self.said: list[list[str]] = []
        self.folds: dict[str, int] = {}
        self.failing = "no command"
        folder.write({"data.pl": "begin(model(m)). query(p, 1). end(model(m)).\n"})
        monkeypatch.setattr(Commands, "run", lambda commands, words, log: self.run(words, log))

    def run(self, words: Sequence[str], log: IO[bytes]) -> int:
        self.said.append(list(words))
        return pretend(words, log, self.folds, self.failing in " ".join(words))


def pretend(words: Sequence[str], log: IO[bytes], folds: dict[str, int], failing: bool) -> int:
    """Each file that a command is to write holds its words; a fold has one prediction, of an example of its own."""
    output = Path(words[words.index("-o") + 1])
    if "--run-dir" in words:
        run = Path(words[words.index("--run-dir") + 1])
        run.mkdir(exist_ok=True)
        (run / "configuration.json").write_text("{}")
    if failing:
        output.write_text("half of it")
        log.write(b"no luck\nat all\n")
        return 1
    output.write_text(" ".join(words))
    if words[0] == "check":
        output.write_text(json.dumps({"folds": folds}))
    for option in ("--metrics", "--history"):
        if option in words:
            Path(words[words.index(option) + 1]).write_text("{}")
    if "--metrics" in words:
        part = words[words.index("--fold") + 1] + words[words.index("--seed") + 1]
        output.write_text(f"example\tatom\ttarget\toutput\ne{part}\tp\t1.0\t0.9\n")
    return 0

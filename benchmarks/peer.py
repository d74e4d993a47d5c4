"""Side by side with NeuraLogic: the same template, data and epochs, alternating, in processes of their own.

    python benchmarks/peer.py --peer build/peer [DATA [--template TEMPLATE]] [--cases t2x1,t3x1] [--backend NAME]

Without DATA, the 188 molecules that the peer itself brings along are taken. The templates are chains of 2 atoms (t2:
27 rules) and 3 atoms (t3: 243 more) over soft clusters of atoms and bonds; a template of your own is called `own`.
`t2x10` is t2 over 10 times the data, `t2x10new` over 10 times as many examples that differ from each other.

Figures count only where the outputs of both systems agree, before training and after one epoch. Table, CSV and plot
go to build/benchmark/peer/NAME, NAME being that of the data, beside the figures of each case. Cases that were
measured before are shown with the new ones.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from measure import ProgramFailed, run
from molecules import (
    Example,
    molecule_chains,
    perturbed,
    read_data,
    read_peer_data,
    replicated,
    write_data,
    write_peer_data,
)
from peer_table import FIRST_EPOCHS, Case, csv_text, goals, table
from peer_template import comparable, peer_template

from lrnn_cli.errors import LrnnError
from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder
from lrnn_cli.language.files import Source, read_source

HERE = Path(__file__).resolve().parent
AGREEMENT = 1e-9
"""Outputs may differ by rounding only: the order of additions is not the same."""
GIGABYTE = 2**30


@dataclass(frozen=True)
class Plan:
    """What to run: how often, and over how many warm epochs; no epochs of the peer leave it out."""

    runs: int
    epochs: int
    peer_epochs: int


PLANS = {
    "t2x1": Plan(5, 100, 100),
    "t3x1": Plan(3, 100, 10),
    "t2x10": Plan(3, 20, 20),
    "t2x10new": Plan(3, 20, 20),
    "t2x50": Plan(2, 20, 5),
    "t2x50new": Plan(2, 20, 0),
    "t3x10": Plan(2, 20, 0),
    "t3x50": Plan(2, 20, 0),
}
"""The peer runs where it ends within minutes and in the memory of a laptop."""
OTHER = Plan(3, 100, 20)
"""For cases that are not planned."""


class Bench:
    """One comparison: where its files are, and how both systems are called."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.peer_python = str((arguments.peer / "bin" / "python").absolute())
        self.folder: Path = arguments.output
        self.heap: int = arguments.heap
        self.backend: list[str] = ["--backend", arguments.backend] if arguments.backend else []

    def peer(self, folder: Path, epochs: int) -> dict[str, Any]:
        result = folder / "peer.json"
        command = [self.peer_python, str(HERE / "peer_run.py"), ".", "--heap", str(self.heap)]
        measured = run([*command, *_run_options(epochs, result)], folder)
        figures: dict[str, Any] = json.loads(result.read_text())
        figures["peak"] = measured.peak
        figures["commands"] = figures["start"] + figures["build"] + figures["first_epochs"]
        return figures

    def lrnn(self, folder: Path, epochs: int) -> dict[str, Any]:
        result = folder / "lrnn.json"
        command = [sys.executable, str(HERE / "lrnn_run.py"), ".", *self.backend]
        measured = run([*command, *_run_options(epochs, result)], folder)
        figures: dict[str, Any] = json.loads(result.read_text())
        figures["peak"] = measured.peak
        lrnn = [sys.executable, "-m", "lrnn_cli"]
        ground = run([*lrnn, "ground", "template.pl", "data.pl", "-o", "grounding.npz"], folder)
        options = ["--optimizer", "sgd", "--batch-size", "1", "--no-shuffle", "--epochs", str(FIRST_EPOCHS)]
        train = run([*lrnn, "train", "grounding.npz", "-o", "model.pl", *options, *self.backend], folder)
        figures["commands"] = ground.seconds + train.seconds
        figures["commands_peak"] = max(ground.peak, train.peak)
        return figures

    def case(self, name: str, template: Source, examples: Sequence[Example], plan: Plan) -> None:
        """Run both systems alternately; figures count only if the outputs agree."""
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        chosen = _case_name(name)
        many = list((perturbed if chosen["data"] == "new" else replicated)(examples, chosen["times"]))
        _write_case(folder, template, many)
        _say(f"{name}: {len(many):,} examples; once without the clock, to fill caches on disk")
        self.lrnn(folder, 1)
        runs = []
        difference = 0.0
        failure = ""
        for number in range(1, plan.runs + 1):
            figures = {}
            if plan.peer_epochs and not failure:
                _say(f"{name}: NeuraLogic, run {number} of {plan.runs}")
                try:
                    figures["peer"] = self.peer(folder, plan.peer_epochs)
                except ProgramFailed as error:
                    failure = str(error)
            _say(f"{name}: lrnn, run {number} of {plan.runs}")
            figures["lrnn"] = self.lrnn(folder, plan.epochs)
            for key in ("outputs", "trained_outputs"):
                outputs = [found.pop(key) for found in figures.values()]
                difference = max(difference, _difference(name, *outputs) if len(outputs) == 2 else 0.0)
            runs.append(figures)
        shutil.rmtree(folder)
        compared = any("peer" in figures for figures in runs)
        case = Case(
            **chosen, examples=len(many), runs=runs, difference=difference if compared else None, failure=failure
        )
        (self.folder / f"{name}.json").write_text(json.dumps(asdict(case), indent=1))


def _run_options(epochs: int, result: Path) -> list[str]:
    result.unlink(missing_ok=True)
    options = ["--first-epochs", str(FIRST_EPOCHS), "--epochs", str(epochs), "--result", str(result.absolute())]
    return [*options, "--spawned", repr(time.time())]


def _case_name(name: str) -> dict[str, Any]:
    match = re.fullmatch(r"(t2|t3|own)x([1-9][0-9]*)(new)?", name)
    if match is None:
        raise LrnnError(f"{name} is not a case; write one like t2x10, t3x1 or t2x10new, or own instead of t2")
    return {"template": match[1], "times": int(match[2]), "data": "new" if match[3] else "replicated"}


def _difference(name: str, theirs: list[float], ours: list[float]) -> float:
    if len(theirs) != len(ours):
        raise LrnnError(
            f"{name}: NeuraLogic has {len(theirs)} outputs for {len(ours)} examples: it drops those that no rule "
            "covers; leave them out of the data"
        )
    difference = max(abs(one - other) for one, other in zip(theirs, ours, strict=True))
    if difference > AGREEMENT:
        raise LrnnError(f"{name}: the outputs of the two systems differ by {difference}, so times can't be compared")
    return difference


def _write_case(folder: Path, source: Source, examples: Sequence[Example]) -> None:
    """Template and data in both languages."""
    with open_grounder("swi", GrounderOptions()) as grounder:
        template = comparable(grounder.read_template(source))
    (folder / "template.pl").write_text(template.text(), encoding="utf-8")
    (folder / "template.nl").write_text(peer_template(template), encoding="utf-8")
    write_data(examples, folder / "data.pl")
    write_peer_data(examples, folder / "examples.txt", folder / "queries.txt")


def _peer_molecules(python: str) -> list[Example]:
    """The molecules that come with the peer."""
    program = "import neuralogic, os; print(os.path.dirname(neuralogic.__file__))"
    found = subprocess.run([python, "-c", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    folder = Path(found.splitlines()[-1], "utils/data/datasets/molecules/mutagenesis")
    return read_peer_data(folder / "examples.txt", folder / "queries.txt")


def _report(folder: Path, peer_python: str) -> str:
    """Write table, CSV and plot of all cases that have been measured, and return the table."""
    files = sorted(folder.glob("*.json"), key=lambda path: [*PLANS, path.stem].index(path.stem))
    cases = [Case(**json.loads(path.read_text())) for path in files]
    text = f"{table(cases)}\n{goals(cases)}"
    (folder / "table.txt").write_text(text)
    figures = folder / "figures.csv"
    figures.write_text(csv_text(cases))
    # The peer's environment has matplotlib; ours need not.
    subprocess.run([peer_python, str(HERE / "peer_plot.py"), str(figures), str(folder / "figures.svg")], check=True)
    return text


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", help="examples with one query each; the peer's molecules otherwise")
    parser.add_argument("--peer", type=Path, required=True, help="the environment that has NeuraLogic")
    parser.add_argument("--template", help="a template of your own, for the case own")
    parser.add_argument("--cases", help="what to run, separated by commas; all otherwise")
    parser.add_argument("--runs", type=int, help="how often, instead of what is planned")
    parser.add_argument("--backend", help="the backend of training, the default one otherwise")
    parser.add_argument("--heap", type=int, default=max(1, memory * 2 // 3 // GIGABYTE), help="GiB for Java at most")
    parser.add_argument("--output", type=Path, help="a folder; build/benchmark/peer/NAME, after the data, otherwise")
    arguments = parser.parse_args()
    if arguments.output is None:
        name = Path(arguments.data).name.split(".")[0] if arguments.data else "mutagenesis"
        arguments.output = Path("build/benchmark/peer", name)
    try:
        bench = Bench(arguments)
        if not Path(bench.peer_python).is_file():
            raise LrnnError(f"{arguments.peer} is no environment with NeuraLogic; call `make benchmark-peer`")
        names = arguments.cases.split(",") if arguments.cases else ["ownx1"] if arguments.template else list(PLANS)
        examples = read_data(arguments.data) if arguments.data else _peer_molecules(bench.peer_python)
        for name in names:
            template = _case_name(name)["template"]
            if template == "own":
                if arguments.template is None:
                    raise LrnnError(f"{name}: name your own template with --template")
                source = read_source(arguments.template, "a template of weighted rules")
            else:
                source = Source(template, molecule_chains(examples, int(template[1:])).encode())
            plan = PLANS.get(name, OTHER)
            bench.case(name, source, examples, replace(plan, runs=arguments.runs or plan.runs))
        print(_report(bench.folder, bench.peer_python), end="")
    except LrnnError as error:
        sys.exit(str(error))
    except ProgramFailed as error:
        sys.exit(f"lrnn ended with {error}")


if __name__ == "__main__":
    main()

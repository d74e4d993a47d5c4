"""Problems of other systems, as they are: imported, checked, learned and evaluated, beside nFOIL and the majority.

    python experiments/problems.py FOLDER [--only popper/zendo1 ...] [-o build/problems]

FOLDER has the folders of the table of docs/problems.md; those that are not there are left out. Prints a line of it for
each. Everything is done by commands of lrnn, which stand in `commands.txt` of each problem's folder; a fold that is
done is not done again. Seconds are of processor time, of the slowest fold.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import resource
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Problem:
    """A folder, and how it is used.

    folds: to deal, 0 where the data have their own; tested: those that are tested, all if none is named; no fold at
    all, and the training data instead, for `training`. balanced: the mean of the accuracies of both classes.
    """

    options: tuple[str, ...] = ()
    folds: int = 0
    tested: tuple[int, ...] = ()
    seeds: tuple[int, ...] = (1,)
    nfoil: bool = True
    training: bool = False
    balanced: bool = False
    template: bool = False


PROBLEMS = {
    "popper/zendo1": Problem(folds=5),
    "popper/trains2": Problem(folds=3),
    "popper/trains3": Problem(folds=3, tested=(1,)),
    "popper/iggp-rps-next-score": Problem(folds=5, tested=(1,)),
    "popper/noisy-alzheimer_amine": Problem(folds=2, seeds=(1, 2, 3), balanced=True, nfoil=False),
    "popper/kinship-pi": Problem(training=True),
    "aleph/hepatitis": Problem(folds=5, tested=(1,)),
    "aleph/animals": Problem(("--positive", "mammal"), folds=3),
    "srlearn/toy_cancer": Problem(tested=(1,)),
    "srlearn/webkb": Problem(tested=(1, 2, 3, 4)),
    "srlearn/boston_housing": Problem(tested=(1,), nfoil=False),
    "neuralogic/trains": Problem(folds=3),
    "neuralogic/family": Problem(training=True, template=True, nfoil=False),
    "neuralogic/nations": Problem(folds=5, tested=(1,), nfoil=False),
    "triples/nations": Problem(("--target", "embassy"), tested=(1,)),
    "triples/kinship": Problem(("--target", "term16"), tested=(1,)),
    "tudataset/PTC_MR": Problem(folds=5, tested=(1,)),
}


@dataclass(frozen=True)
class Row:
    """A query that was tested: its target, and what was learned to be so."""

    target: float
    output: float


class Commands:
    """Runs commands of lrnn in a folder, and keeps them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.seconds = 0.0

    def run(self, *words: str) -> bool:
        """Whether a command succeeded; what it says is in `log.txt`."""
        with (self.folder / "commands.txt").open("a") as kept:
            kept.write(f"lrnn {shlex.join(words)}\n")
        with (self.folder / "log.txt").open("a") as log:
            log.write(f"$ lrnn {shlex.join(words)}\n")
            log.flush()
            before = _children_seconds()
            done = subprocess.run([sys.executable, "-m", "lrnn_cli", *words], cwd=self.folder, stdout=log, stderr=log)
        self.seconds = _children_seconds() - before
        return done.returncode == 0


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", choices=sorted(PROBLEMS), default=list(PROBLEMS))
    parser.add_argument("-o", "--output", type=Path, default=Path("build/problems"))
    arguments = parser.parse_args()
    print("| folder | examples | queries | tested on | majority | lrnn | nFOIL | seconds |")
    print("|---|---|---|---|---|---|---|---|")
    for name in arguments.only:
        source = arguments.folder / name
        if source.is_dir():
            line = line_of(name, PROBLEMS[name], source.resolve(), arguments.output.resolve() / name)
            print(line, flush=True)


def line_of(name: str, problem: Problem, source: Path, folder: Path) -> str:
    """Do one problem, as far as it is not done, and tell how well."""
    commands = Commands(folder)
    if not (folder / "check.json").exists():
        template = ("--template", "template.pl") if problem.template else ()
        if not commands.run("import", str(source), *problem.options, *template, "-o", "data.pl"):
            return f"| `{name}` | can't be imported, see {folder / 'log.txt'} |"
        commands.run("check", "data.pl", "--json", "-o", "check.json")
    summary = json.loads((folder / "check.json").read_text())
    rows: dict[str, list[Row]] = {"lrnn": [], "nfoil": []}
    slowest = 0.0
    failed = set()
    for learner in ("lrnn", "nfoil") if problem.nfoil else ("lrnn",):
        for seed in problem.seeds:
            for fold in (0,) if problem.training else problem.tested or range(1, problem.folds + 1):
                predictions, seconds = tested(problem, learner, seed, fold, commands)
                if predictions is None:
                    failed.add(learner)
                    continue
                rows[learner] += predictions
                slowest = max(slowest, seconds if learner == "lrnn" else 0.0)
    options = f", `{shlex.join(problem.options)}`" if problem.options else ""
    queries = sum(item["queries"] for item in summary["targets"])
    shown = [_figure(rows[learner], problem) if learner not in failed else "fails" for learner in rows]
    where = tested_on(problem)
    figures = " | ".join([trivial(rows["lrnn"], problem), *shown])
    return f"| `{name}`{options} | {summary['examples']:,} | {queries:,} | {where} | {figures} | {slowest:.0f} |"


def tested(problem: Problem, learner: str, seed: int, fold: int, commands: Commands) -> tuple[list[Row] | None, float]:
    """The test queries of a fold and the seconds that learning took; no queries where that failed."""
    stem = f"{learner}-{seed}-{fold}"
    done = commands.folder / f"{stem}.json"
    if not done.exists():
        part = ["--fold", str(fold), "--seed", str(seed)] if fold else ["--seed", str(seed)]
        part = ["--folds", str(problem.folds), *part] if problem.folds else part
        learned = learn(problem, learner, stem, part, commands)
        seconds = commands.seconds
        part = part if fold else []
        if not learned or not commands.run("predict", f"{stem}.pl", "data.pl", *part, "-o", f"{stem}.tsv"):
            return None, 0.0
        commands.run("evaluate", f"{stem}.pl", "data.pl", *part)
        done.write_text(json.dumps({"seconds": seconds}))
    with (commands.folder / f"{stem}.tsv").open(newline="") as file:
        lines = list(csv.DictReader(file, delimiter="\t"))
    rows = [Row(float(line["target"]), float(line.get("output") or line["value"])) for line in lines]
    return rows, float(json.loads(done.read_text())["seconds"])


def learn(problem: Problem, learner: str, stem: str, part: list[str], commands: Commands) -> bool:
    """Whether a model was learned; of a template, its weights."""
    if problem.template:
        return commands.run("ground", "template.pl", "data.pl", "-o", f"{stem}.npz") and commands.run(
            "train", f"{stem}.npz", "-o", f"{stem}.pl"
        )
    command = ["learn-structure", "--jobs", "1"] if learner == "lrnn" else ["baseline", "nfoil"]
    return commands.run(*command, "data.pl", *part, "-o", f"{stem}.pl")


def tested_on(problem: Problem) -> str:
    if problem.training:
        return "the training data"
    if not problem.folds:
        return f"the {len(problem.tested)} given folds" if len(problem.tested) > 1 else "the given test part"
    if problem.tested:
        return f"fold {problem.tested[0]} of {problem.folds}"
    seeds = f", {len(problem.seeds)} seeds" if len(problem.seeds) > 1 else ""
    return f"{problem.folds} folds{seeds}" + (", balanced" if problem.balanced else "")


def is_number(rows: list[Row]) -> bool:
    return any(not 0.0 <= row.target <= 1.0 for row in rows)


def trivial(rows: list[Row], problem: Problem) -> str:
    """The accuracy of the more frequent class of what is tested, or the error of the mean."""
    if not rows:
        return ""
    if is_number(rows):
        mean = sum(row.target for row in rows) / len(rows)
        return f"error {_error([Row(row.target, mean) for row in rows]):.3f}"
    positive = sum(row.target > 0.5 for row in rows)
    return f"{0.5 if problem.balanced else max(positive, len(rows) - positive) / len(rows):.3f}"


def _figure(rows: list[Row], problem: Problem) -> str:
    """The accuracy of all folds together, or the root of the mean squared error."""
    if not rows:
        return ""
    if is_number(rows):
        return f"error {_error(rows):.3f}"
    parts = [[row for row in rows if (row.target > 0.5) == positive] for positive in (False, True)]
    parts = [part for part in parts if part] if problem.balanced else [rows]
    shares = [sum((row.output > 0.5) == (row.target > 0.5) for row in part) / len(part) for part in parts]
    return f"{sum(shares) / len(shares):.3f}"


def _error(rows: list[Row]) -> float:
    return math.sqrt(sum((row.output - row.target) ** 2 for row in rows) / len(rows))


if __name__ == "__main__":
    main()

"""Structure learning end to end, beside nFOIL, a forest, and the same search by one Prolog query for each candidate.

    python benchmarks/structure.py DATA [--sizes 1000 3000] [--jobs 1 2] [--runs 1] [-o build/benchmark/structure]

Each learner is a command, from the data file to the model: its seconds, those of its search, the memory of all its
processes together at most, the candidates that it scored and how many in a second of search, and its accuracy on the
fifth of the examples that it did not learn from. For nFOIL nearly all is search, so its seconds are taken for it; a
forest predicts within the same command. From up to 1000 queries lrnn learns several times to choose between kinds of
models; candidates and search are those of the first time. Sizes beyond that of DATA are reached by new molecules: the
same ones with a fifth of the types drawn anew. Learners run in turn, with each number of --jobs. Ratios are taken
within each turn.

Prolog is a lower bound, see search.py: the time to enumerate the groundings of a sample of candidates of Algorithm 1,
for as many as lrnn scored, in one process that has all facts in memory. Training and all else are left out.

Writes table.txt, figures.csv (every figure of every run) and figures.svg.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import matplotlib
from measure import run
from molecules import read_data, sized, write_data
from peer_table import Spread
from search import draw, learn, prolog

from lrnn_cli.api import Session
from lrnn_cli.structure.options import StructureOptions
from lrnn_cli.structure.weights import weighted_facts

SYSTEMS = {"lrnn": "lrnn", "nfoil": "nFOIL", "forest": "forest", "prolog": "Prolog, at least"}
PART = ("--folds", "5", "--fold", "1")
HEADER = (
    "examples",
    "jobs",
    "learner",
    "seconds",
    "times lrnn",
    "of search",
    "MB",
    "candidates",
    "a second",
    "accuracy",
)
PANELS = {"seconds": "seconds", "megabytes": "memory at most, MB", "rate": "candidates a second of search"}
COLOURS = {"lrnn": "#4c72b0", "nfoil": "#dd8452", "forest": "#55a868", "prolog": "#c44e52"}
COUNTING = """
import json, sys
from lrnn_cli.baselines import foil
from lrnn_cli.commands import main
best_clause, tried = foil.best_clause, []
def counted(*arguments):
    found = best_clause(*arguments)
    tried.append(found[1])
    return found
foil.best_clause = counted
path = sys.argv.pop(1)
try:
    main()
finally:
    open(path, "w").write(json.dumps(sum(tried)))
"""
"""lrnn, and the number of candidates of nFOIL in a file."""


@dataclass(frozen=True)
class Figures:
    """Of one run of one learner; None where there is no such figure. `search`: seconds of it."""

    examples: int
    run: int
    jobs: int
    learner: str
    seconds: float
    megabytes: float
    candidates: int | None = None
    search: float | None = None
    accuracy: float | None = None

    @property
    def rate(self) -> float | None:
        return None if self.candidates is None else self.candidates / (self.search or self.seconds)


def measured(learner: str, data: Path, jobs: int, place: int, count: int) -> Figures:
    """A learner as a command, and its accuracy."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        part = (str(data), *PART, "--jobs", str(jobs))
        model = ("-o", "model.pl")
        results = ("--metrics", "metrics.json", "-o", "predictions.tsv")
        lrnn = (sys.executable, "-m", "lrnn_cli")
        commands = {
            "lrnn": (*lrnn, "learn-structure", *part, "--run-dir", "run", *model),
            "nfoil": (sys.executable, "-c", COUNTING, "candidates.json", "baseline", "nfoil", *part, *model),
            "forest": (*lrnn, "baseline", "forest", *part, *results),
        }
        found = run(commands[learner], folder)
        if learner != "forest":
            run((*lrnn, "predict", "model.pl", *part, *results), folder)
        accuracy = json.loads((folder / "metrics.json").read_text())["accuracy"]
        return Figures(count, place, jobs, learner, found.seconds, found.peak / 1e6, *searched(folder), accuracy)


def searched(folder: Path) -> tuple[int | None, float | None]:
    """How many candidates a learner that left its files in a folder has scored, and in what time, if that is known."""
    if (folder / "run/iterations.csv").is_file():
        with open(folder / "run/iterations.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        return sum(int(row["candidates"]) for row in rows), sum(float(row["search_seconds"]) for row in rows)
    counted = folder / "candidates.json"
    return int(json.loads(counted.read_text())) if counted.is_file() else None, None


def by_prolog(
    data: Path, sample: int, place: int, count: int, options: StructureOptions, candidates: int | None
) -> Figures:
    """So many candidates of Algorithm 1 on the same examples, all that it scores if None, one Prolog query each."""
    with Session(jobs=1) as session, tempfile.TemporaryDirectory() as folder:
        training, _ = session.read(data).fold(1, 5)
        E, state, scored, _ = learn(training.content, training.knowledge, training.queries, options)
        F = weighted_facts(E, state.rules, state.weights)
        each, found = prolog(E, F, draw(scored, sample, place), Path(folder))
    tried = sum(scored.values()) if candidates is None else candidates
    seconds = tried * float(each.mean())
    return Figures(count, place, 1, "prolog", seconds, found.peak / 1e6, tried, seconds)


def table(figures: Sequence[Figures]) -> str:
    """Medians and extremes of all runs; `times lrnn` within each run with as many jobs, Prolog beside one job."""
    rows = []
    for size, jobs, learner in dict.fromkeys((item.examples, item.jobs, item.learner) for item in figures):
        own = [item for item in figures if (item.examples, item.jobs, item.learner) == (size, jobs, learner)]
        ours = {
            item.run: item.seconds
            for item in figures
            if (item.examples, item.jobs, item.learner) == (size, jobs, "lrnn")
        }
        times = [item.seconds / ours[item.run] for item in own if item.run in ours]
        cells: tuple[Sequence[float | None], ...] = (
            [item.seconds for item in own],
            times,
            [item.search for item in own],
            [item.megabytes for item in own],
            [item.candidates for item in own],
            [item.rate for item in own],
            [item.accuracy for item in own],
        )
        rows.append((f"{size:,}", str(jobs), SYSTEMS[learner], *map(_cell, cells)))
    widths = [max(len(row[column]) for row in [HEADER, *rows]) for column in range(len(HEADER))]
    lines = ["  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True)) for row in [HEADER, *rows]]
    return "\n".join(lines) + "\n"


def _cell(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    return str(Spread.of(known)) if known else ""


def csv_text(figures: Sequence[Figures]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, [field.name for field in fields(Figures)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(item) for item in figures)
    return text.getvalue()


def draw_figures(figures: Sequence[Figures], path: Path) -> None:
    """Seconds, memory and rates against examples, a line for each learner and number of jobs."""
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "lrnn", "font.size": 9})
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(PANELS), figsize=(4 * len(PANELS), 3.6), constrained_layout=True)
    styles = dict(zip(sorted({item.jobs for item in figures}), ("-", "--", ":", "-."), strict=False))
    for axis, (quantity, title) in zip(axes, PANELS.items(), strict=True):
        for learner, jobs in dict.fromkeys((item.learner, item.jobs) for item in figures):
            found: dict[int, list[float]] = {}
            for item in figures:
                value = getattr(item, quantity)
                if (item.learner, item.jobs) == (learner, jobs) and value is not None:
                    found.setdefault(item.examples, []).append(value)
            points = sorted((size, Spread.of(values).median) for size, values in found.items())
            if points:
                label = f"{SYSTEMS[learner]}, {jobs} job{'s' * (jobs > 1)}"
                line = {"color": COLOURS[learner], "linestyle": styles.get(jobs, "-"), "marker": "o", "markersize": 4}
                axis.plot(*zip(*points, strict=True), label=label, **line)
        axis.set(xscale="log", yscale="log", title=title, xlabel="examples")
        axis.grid(True, which="major", alpha=0.3)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument(
        "--sizes", type=int, nargs="+", help="numbers of examples; a quarter, a half and all if not given"
    )
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--learners", nargs="+", choices=list(SYSTEMS), default=list(SYSTEMS), metavar="NAME")
    parser.add_argument("--sample", type=int, default=40, help="candidates that Prolog enumerates")
    parser.add_argument(
        "--iterations", type=int, help="of the search that the sample is of; those of lrnn if not given"
    )
    parser.add_argument("-o", "--output", type=Path, default=Path("build/benchmark/structure"), metavar="FOLDER")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    examples = read_data(arguments.data)
    options = StructureOptions(iterations=arguments.iterations)
    figures: list[Figures] = []
    for size in arguments.sizes or [max(1, len(examples) // part) for part in (4, 2, 1)]:
        path = arguments.output / f"molecules{size}.pl"
        write_data(sized(examples, size), path)
        for place in range(1, arguments.runs + 1):
            commands = [(name, jobs) for jobs in arguments.jobs for name in arguments.learners if name != "prolog"]
            for name, jobs in commands:
                figures.append(measured(name, path.resolve(), jobs, place, size))
                print(figures[-1], file=sys.stderr, flush=True)
            if "prolog" in arguments.learners:
                tried = [item.candidates for item in figures if (item.examples, item.learner) == (size, "lrnn")]
                sample = arguments.sample
                figures.append(by_prolog(path.resolve(), sample, place, size, options, tried[-1] if tried else None))
                print(figures[-1], file=sys.stderr, flush=True)
            # What was measured stays when a later run fails.
            (arguments.output / "figures.csv").write_text(csv_text(figures))
            (arguments.output / "table.txt").write_text(table(figures))
            draw_figures(figures, arguments.output / "figures.svg")
        path.unlink()
    print(table(figures), end="")


if __name__ == "__main__":
    main()

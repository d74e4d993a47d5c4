"""Structure learning from up to a quarter of a million molecules: seconds, memory and accuracy, by their number.

    python benchmarks/scale.py DATA... [--sizes 3000 10000 30000 100000 213612] [--jobs 2] [-o build/benchmark/scale]

The molecules of all files are one data set. A tenth of them, duplicates grouped, are for testing. Of the others, in
random order, each size takes the first ones; sizes beyond their number are reached by new molecules: the same ones with
a fifth of the types drawn anew. `lrnn learn-structure` learns with its defaults from a file of them, and
`lrnn evaluate` goes through the same file; the accuracy is that on the molecules for testing.

The memory is that of all processes together at most. Writes table.txt after each size.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from measure import run
from molecules import Example, read_data, sized, write_data

from lrnn_cli.api import Session

SIZES = [3_000, 10_000, 30_000, 100_000, 213_612]
ROW = "{:>9} {:>7} {:>10} {:>9} {:>13} {:>12} {:>9}"
HEADER = ROW.format("molecules", "MB", "learning s", "memory MB", "evaluation s", "memory MB", "accuracy")


def split(paths: list[str], folder: Path) -> tuple[list[Example], list[Example]]:
    """Molecules to learn from, in random order, and those for testing."""
    read = [(number, example) for number, path in enumerate(paths, 1) for example in read_data(path)]
    examples = [replace(example, name=f"s{number}_{example.name}") for number, example in read]
    path = folder / "all.pl"
    write_data(examples, path)
    with Session(jobs=1) as session:
        _, testing = session.read(path).fold(1, 10)
    assert testing.examples is not None
    held = set(testing.examples)
    others = [example for place, example in enumerate(examples) if place not in held]
    random.Random(1).shuffle(others)
    return others, [examples[place] for place in testing.examples]


def measured(size: int, training: Path, testing: Path, jobs: int, folder: Path) -> str:
    """A row of the table."""
    lrnn, model = (sys.executable, "-m", "lrnn_cli"), str(folder / "model.pl")
    learning = run((*lrnn, "learn-structure", str(training), "--jobs", str(jobs), "-o", model), folder)
    evaluation = run((*lrnn, "evaluate", model, str(training), "--jobs", str(jobs)), folder)
    run((*lrnn, "predict", model, str(testing), "--metrics", "metrics.json", "-o", "predictions.tsv"), folder)
    return ROW.format(
        f"{size:,}",
        f"{training.stat().st_size / 1e6:.0f}",
        f"{learning.seconds:.0f}",
        f"{learning.peak / 1e6:,.0f}",
        f"{evaluation.seconds:.0f}",
        f"{evaluation.peak / 1e6:,.0f}",
        f"{json.loads((folder / 'metrics.json').read_text())['accuracy']:.4f}",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="+")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("-o", "--output", type=Path, default=Path("build/benchmark/scale"), metavar="FOLDER")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    rows = [HEADER]
    print(HEADER)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        examples, held = split(arguments.data, folder)
        testing, training = folder / "testing.pl", folder / "training.pl"
        write_data(held, testing)
        for size in arguments.sizes:
            write_data(sized(examples, size), training)
            rows.append(measured(size, training, testing, arguments.jobs, folder))
            print(rows[-1], flush=True)
            (arguments.output / "table.txt").write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()

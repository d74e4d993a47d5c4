"""How much of a model there is to read, and what shorter ones are worth: the table of docs/experiments.md.

    python experiments/readable.py DATA... [--rules 300 100 30] [-o build/readable]

Learns a model of fold 1 of each file (5 folds, or those of the data), simplifies it on the same training part, once
within the tolerance and once to each number of rules, and tests all of them on the fold. Prints a row for each model.
Models are kept in the folder, and are not learned again.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import lrnn_cli as lrnn
from lrnn_cli.network.model import Model

FOLD, FOLDS, SEED = 1, 5, 1


def rows(path: Path, most_rules: Sequence[int], folder: Path, jobs: int) -> Iterator[tuple[str, ...]]:
    """Name, how it was simplified, rules, literals, accuracy on the fold, processor seconds of simplification."""
    name = path.name.split(".")[0]
    with lrnn.Session(jobs=jobs) as session:
        data = session.read(path)
        drawn = None if data.content.example_fold.any() else FOLDS
        training, testing = data.fold(FOLD, drawn, seed=SEED)
        kept = folder / f"{name}.pl"
        if not kept.exists():
            lrnn.learn(training, seed=SEED).model.save(str(kept))
        model = session.read_model(kept)
        yield name, "as learned", *figures(model, testing), ""
        for most in (None, *most_rules):
            start = time.process_time()
            smaller = lrnn.simplify(model, training, most_rules=most).model
            seconds = time.process_time() - start
            smaller.save(str(folder / f"{name}_{most or 'tolerance'}.pl"))
            wanted = "within the tolerance" if most is None else f"at most {most}"
            yield name, wanted, *figures(smaller, testing), f"{seconds:.0f}"


def figures(model: Model, testing: lrnn.Data) -> tuple[str, str, str]:
    """Rules, literals, and accuracy on the fold."""
    rules = [rule for member in model.members for rule in member.rules]
    accuracy = lrnn.evaluate(model, testing).values["accuracy"]
    return f"{len(rules)}", f"{sum(len(rule.body) for rule in rules)}", f"{accuracy:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Rules and accuracy of models of fold 1, simplified.")
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--rules", nargs="*", type=int, default=[300, 100, 30])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, default=Path("build/readable"))
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    for path in options.data:
        for row in rows(path, options.rules, options.output, options.jobs):
            print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()

"""Short cuts of the search beside the search without them: losses on what was learned from, and processor time.

    python benchmarks/shortcuts.py DATA... [--seeds 1 2 3] [--iterations 3]

Candidates are compared by the gain that one Newton step promises, and ten of each step are refitted; the exhaustive
search refits all of them (`--ranking refit`). Both learn plain rules from all of DATA. Losses of a seed tell less than
those of several: what the two differ by stands beside what seeds differ by.
"""

from __future__ import annotations

import argparse
import statistics
import time
from dataclasses import dataclass
from pathlib import Path

import lrnn_cli as lrnn

RANKINGS = ("newton", "refit")
COLUMNS = ("data", "loss", "all refitted", "difference", "deviation of seeds", "same rules", "seconds", "all refitted")


@dataclass(frozen=True)
class Run:
    """What one search came to. rules: its target rules, without weights."""

    loss: float
    rules: frozenset[str]
    seconds: float


def learned(data: lrnn.Data, ranking: str, seed: int, iterations: int) -> Run:
    """Plain rules of one search, their squared loss and the processor time they took."""
    start = time.process_time()
    learning = lrnn.learn(data, ranking=ranking, seed=seed, iterations=iterations, conjunctions=0)
    seconds = time.process_time() - start
    targets = {predicate.name for predicate in data.queries.predicate}
    rules = learning.members[0].template.rules
    return Run(
        float(lrnn.evaluate(learning.model, data).values["squared_loss"] or 0.0),
        frozenset(rule.clause for rule in rules if rule.head.name in targets and rule.body),
        seconds,
    )


def row(name: str, newton: list[Run], refit: list[Run]) -> str:
    """One line of the table, from the runs of each seed."""
    losses = [[run.loss for run in runs] for runs in (newton, refit)]
    same = sum(one.rules == other.rules for one, other in zip(newton, refit, strict=True))
    cells = [
        name,
        *(f"{statistics.mean(own):.4f}" for own in losses),
        f"{statistics.mean(losses[0]) - statistics.mean(losses[1]):+.4f}",
        f"{statistics.stdev(losses[0]):.4f}",
        f"{same} of {len(newton)}",
        *(f"{sum(run.seconds for run in runs):.0f}" for runs in (newton, refit)),
    ]
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="+")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--iterations", type=int, default=3)
    arguments = parser.parse_args()
    print(
        "| data | loss | loss, all refitted | difference | deviation over seeds | same rules | seconds | all refitted |"
    )
    print("|" + "---|" * 8)
    for path in arguments.data:
        with lrnn.Session(jobs=1) as session:
            data = session.read(path)
            runs = {
                ranking: [learned(data, ranking, seed, arguments.iterations) for seed in arguments.seeds]
                for ranking in RANKINGS
            }
        print(row(Path(path).name.partition(".")[0], *runs.values()), flush=True)


if __name__ == "__main__":
    main()

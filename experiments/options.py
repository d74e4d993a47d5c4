"""The effect of each option of structure learning, one at a time, crossvalidated.

    python experiments/options.py DATA [--folds 10] [--seeds 3] [--only='--gain 1' ...]

Prints a line of a Markdown table for each setting: test accuracy and log loss of one model, over all folds and the
seeds 1, 2, ..., accuracy of the mean output of these seeds, seconds of processor time and rules of a model. Folds are
those of `lrnn evaluate --folds` with seed 1.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from lrnn_cli.commands.options import Progress
from lrnn_cli.commands.session import chosen_part, grounder_session, load_data
from lrnn_cli.evaluation.metrics import evaluate_outputs
from lrnn_cli.structure.algorithm import StructureLearner, StructureOptions

SETTINGS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "--iterations 4": {"iterations": 4},
    "--iterations 25": {"iterations": 25},
    "--rules-per-iteration 1": {"rules": 1},
    "--rules-per-iteration 6": {"rules": 6},
    "--dimension 2": {"dimension": 2},
    "--dimension 12": {"dimension": 12},
    "--layers 1": {"layers": 1},
    "--layers 3": {"layers": 3},
    "--arity 2": {"arity": 2},
    "--length 3": {"length": 3},
    "--length 8": {"length": 8},
    "--variables 3": {"variables": 3},
    "--variables 7": {"variables": 7},
    "--beam 1": {"beam": 1},
    "--beam 20": {"beam": 20},
    "--gain 0": {"gain": 0.0},
    "--gain 1": {"gain": 1.0},
    "--gain 4": {"gain": 4.0},
    "--penalty 0": {"penalty": 0.0},
    "--penalty 1": {"penalty": 1.0},
    "--crisp": {"crisp": True},
    "--pretrain": {"pretrain": True},
    "--validation 0.2": {"validation": 0.2},
    "--epochs 30": {"epochs": 30},
    "--epochs 500": {"epochs": 500},
    "--final-epochs 0": {"final_epochs": 0},
    "--learning-rate 0.005": {"learning_rate": 0.005},
    "--learning-rate 0.1": {"learning_rate": 0.1},
    "--loss log": {"loss": "log"},
    "--no-object-identity": {"object_identity": False},
    "--aggregation mean": {"aggregation": "mean"},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", action="append", choices=list(SETTINGS), metavar="SETTING", help="may be repeated")
    arguments = parser.parse_args()
    grounding = {"time_limit": None, "memory_limit": 2048, "jobs": 1, "grounder": "swi"}
    progress = Progress(quiet=True)
    with grounder_session(progress, grounding) as grounder:
        data = load_data(grounder, arguments.data, progress)
        knowledge = grounder.knowledge(data)
        folds = []
        for fold in range(1, arguments.folds + 1):
            chosen = {"folds": arguments.folds, "fold": fold, "seed": 1, "group_duplicates": True}
            folds.append([chosen_part(grounder, data, testing, chosen)[1] for testing in (False, True)])
    print("| setting | accuracy | log loss | together | seconds | rules |\n|---|---|---|---|---|---|", flush=True)
    for name in arguments.only or SETTINGS:
        outputs: list[list[np.ndarray]] = [[] for _ in range(arguments.seeds)]
        targets, seconds, rules = [], [], []
        for training, testing in folds:
            queries = data.queries.select(np.isin(data.queries.example, testing or []).nonzero()[0])
            targets.append(queries.target)
            for seed, found in enumerate(outputs, 1):
                start = time.process_time()
                learner = StructureLearner(data, knowledge, training, StructureOptions(seed=seed, **SETTINGS[name]))
                learner.learn()
                seconds.append(time.process_time() - start)
                rules.append(len(learner.learned.template.rules))
                found.append(learner.outputs(queries))
        target = np.concatenate(targets)
        single = [evaluate_outputs(np.concatenate(found), target).values for found in outputs]
        together = evaluate_outputs(np.mean([np.concatenate(found) for found in outputs], axis=0), target).values
        accuracy, log_loss = (
            np.mean([float(values[key] or 0.0) for values in single]) for key in ("accuracy", "log_loss")
        )
        figures = f"{accuracy:.3f} | {log_loss:.3f} | {together['accuracy']:.3f}"
        print(f"| `{name}` | {figures} | {np.mean(seconds):.1f} | {np.mean(rules):.0f} |", flush=True)


if __name__ == "__main__":
    main()

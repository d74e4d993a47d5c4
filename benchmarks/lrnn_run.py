"""One run of lrnn that does what `peer_run.py` does: start, ground and build, first epochs, warm epochs.

`peer.py` calls it. One epoch is measured three ways: per-example SGD as the peer has it, mini-batches, and all
examples at once. Epochs include the loss over all examples that lrnn computes and reports after each.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from pathlib import Path
from typing import Any

MINI_BATCH = 32
COLD = 2
"""Epochs before those that count."""
MORE = 10
"""Epochs of batches are short, and a training has more of them: from some work on it runs in compiled code."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="holds template.pl and data.pl")
    parser.add_argument("--spawned", type=float, required=True, help="time.time() when the process was asked for")
    parser.add_argument("--first-epochs", type=int, required=True, help="epochs that are timed as a whole")
    parser.add_argument("--epochs", type=int, required=True, help="epochs after those")
    parser.add_argument("--backend", help="the backend of training, the default one otherwise")
    parser.add_argument("--result", type=Path, required=True)
    arguments = parser.parse_args()

    import numpy as np

    from lrnn_cli import Session, ground

    with Session() as session:
        # While SWI-Prolog starts.
        from lrnn_cli.network.network import compile_network
        from lrnn_cli.network.statistics import compressed_neurons
        from lrnn_cli.training.loop import Trained, train_weights
        from lrnn_cli.training.options import TrainingOptions

        template = session.read_template(arguments.folder / "template.pl")
        started = time.time()
        data = session.read(arguments.folder / "data.pl")
        loaded = time.time()
        groundings = ground(template, data, names=False)
        grounded = time.time()
    network = compile_network(groundings)
    ready = time.time()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    result: dict[str, object] = {
        "start": started - arguments.spawned,
        "build": ready - started,
        "read": loaded - started,
        "ground": grounded - loaded,
        "compile": ready - grounded,
        "ready_processor": time.process_time() + children.ru_utime + children.ru_stime,
        "neurons": sum(compressed_neurons(network).values()),
    }

    def outputs(weights: np.ndarray) -> list[float]:
        values, _ = network.forward(weights)
        found: list[float] = network.outputs(values).tolist()
        return found

    def train(epochs: int, batch_size: int) -> Trained:
        chosen: dict[str, Any] = {"backend": arguments.backend} if arguments.backend else {}
        options = TrainingOptions(
            optimiser="sgd", learning_rate=0.1, epochs=epochs, batch_size=batch_size, shuffle=False, **chosen
        )
        return train_weights(network, template.rules, options)

    result["outputs"] = outputs(np.array([rule.weight for rule in template.rules], float))
    before = time.time()
    train(arguments.first_epochs, 1)
    result["first_epochs"] = time.time() - before
    result["trained_outputs"] = outputs(train(1, 1).weights)
    for name, batch_size, times in (
        ("epoch", 1, 1),
        ("mini_batch_epoch", MINI_BATCH, MORE),
        ("full_batch_epoch", 0, MORE),
    ):
        epochs = times * arguments.epochs
        warm = train(COLD + epochs, batch_size).history[COLD:]
        result[name] = (warm[-1].seconds - warm[0].seconds) / epochs
    arguments.result.write_text(json.dumps(result))


if __name__ == "__main__":
    main()

"""One run of NeuraLogic, inside its own environment: start, ground and build, first epochs, warm epochs.

`peer.py` calls it; it imports nothing of lrnn. The result is one JSON object in a file, since the peer prints to
standard output as it likes. Seconds of the start count from `--spawned`, when the process was asked for.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="holds template.nl, examples.txt and queries.txt")
    parser.add_argument("--spawned", type=float, required=True, help="time.time() when the process was asked for")
    parser.add_argument("--first-epochs", type=int, required=True, help="epochs that also warm Java up")
    parser.add_argument("--epochs", type=int, required=True, help="epochs after those")
    parser.add_argument("--heap", type=int, required=True, help="GiB of Java heap at most")
    parser.add_argument("--result", type=Path, required=True)
    arguments = parser.parse_args()

    import neuralogic
    from neuralogic.core import Model, Settings
    from neuralogic.dataset import FileDataset
    from neuralogic.nn.loss import MSE
    from neuralogic.nn.optim import SGD

    neuralogic.set_max_memory_size(arguments.heap)
    neuralogic.initialize()

    import jpype

    jpype.JClass("java.util.logging.LogManager").getLogManager().reset()
    # Compression and pruning are on, as by default, but for the part of pruning that changes outputs.
    settings = Settings(optimizer=SGD(lr=0.1), error_function=MSE(), prune_only_identities=True)
    model = Model(model_file=str(arguments.folder / "template.nl"))
    model.build(settings)
    started = time.time()
    data = FileDataset(str(arguments.folder / "examples.txt"), str(arguments.folder / "queries.txt"))
    built = model.build_dataset(data)
    ready = time.time()
    result: dict[str, object] = {"start": started - arguments.spawned, "build": ready - started}
    result["ready_processor"] = time.process_time()
    result["outputs"] = model(built)
    result["neurons"] = sum(sample._java_sample.query.evidence.allNeuronsTopologic.size() for sample in built)
    before = time.time()
    model.train(built, epochs=1)
    first = time.time() - before
    result["trained_outputs"] = model(built)
    before = time.time()
    model.train(built, epochs=arguments.first_epochs - 1)
    result["first_epochs"] = first + time.time() - before
    before = time.time()
    model.train(built, epochs=arguments.epochs)
    result["epoch"] = (time.time() - before) / arguments.epochs
    arguments.result.write_text(json.dumps(result))


if __name__ == "__main__":
    main()

"""Compiled steps of training beside those of NumPy: processor time of an epoch, alternately in one process.

    python benchmarks/backends.py TEMPLATE DATA [--aggregation max] [--runs 5]

Both begin with the same weights. What it takes to load the compiled code stands apart.
"""

from __future__ import annotations

import argparse
import statistics
import time
from dataclasses import replace

import numpy as np

from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder
from lrnn_cli.language.files import read_source
from lrnn_cli.network.network import compile_network
from lrnn_cli.training.loop import train_weights
from lrnn_cli.training.options import TrainingOptions

BATCHES = {"full batch": (0, 60), "32 examples": (32, 6), "1 example": (1, 2)}
"""Examples in a step, and how many epochs are measured."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("template")
    parser.add_argument("data")
    parser.add_argument("--aggregation", help="instead of the template's")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    with open_grounder("swi", GrounderOptions()) as grounder:
        template = grounder.read_template(read_source(arguments.template, "a template"))
        if arguments.aggregation:
            template = replace(template, settings=replace(template.settings, aggregation=arguments.aggregation))
        groundings = grounder.ground(template, grounder.load(read_source(arguments.data, "data")))
    network = compile_network(groundings)
    print(f"{len(template.rules)} rules, {network.rule_neurons:,} rule neurons")

    def trained(backend: str, batch_size: int, epochs: int) -> tuple[float, np.ndarray]:
        """Seconds of an epoch, of the processor, and the weights at the end."""
        options = TrainingOptions(
            backend=backend, optimiser="sgd", learning_rate=0.01, epochs=epochs, batch_size=batch_size
        )
        start = time.process_time()
        weights = train_weights(network, template.rules, options).weights
        return (time.process_time() - start) / epochs, weights

    print(f"loading the compiled code {trained('compiled', 0, 1)[0]:.2f} s")
    for name, (batch_size, epochs) in BATCHES.items():
        figures: dict[str, list[float]] = {"numpy": [], "compiled": []}
        for _ in range(arguments.runs):
            found = {backend: trained(backend, batch_size, epochs) for backend in figures}
            for backend, (seconds, _) in found.items():
                figures[backend].append(seconds)
        apart = np.abs(found["numpy"][1] - found["compiled"][1]).max()
        ratios = [slow / fast for slow, fast in zip(figures["numpy"], figures["compiled"], strict=True)]
        shown = ", ".join(f"{backend} {1000 * statistics.median(times):.3g} ms" for backend, times in figures.items())
        print(
            f"{name:12} {shown}, ratio {statistics.median(ratios):.1f} ({min(ratios):.1f}-{max(ratios):.1f}), "
            f"weights apart by {apart:.1g}",
            flush=True,
        )


if __name__ == "__main__":
    main()

"""Draw the figures of `peer.py`: seconds and memory of both systems against the number of examples, as SVG.

    python benchmarks/peer_plot.py figures.csv figures.svg

Run it with any Python that has matplotlib; it needs nothing of lrnn.
"""

from __future__ import annotations

import csv
import statistics
import sys
from collections import defaultdict
from pathlib import Path

import matplotlib

PANELS = {
    "ready": ("start, ground and build", "s", 1.0),
    "epoch": ("epoch of per-example SGD", "s", 1.0),
    "peak": ("memory at most", "MB", 1e-6),
}
COLOURS = {
    ("peer", "replicated"): "#c44e52",
    ("peer", "new"): "#dd8452",
    ("lrnn", "replicated"): "#4c72b0",
    ("lrnn", "new"): "#55a868",
}
NAMES = {"peer": "NeuraLogic", "lrnn": "lrnn"}


def main() -> None:
    source, target = map(Path, sys.argv[1:3])
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "lrnn", "font.size": 9})
    from matplotlib import pyplot

    lines: dict[tuple[str, str, str, str], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    with source.open(newline="") as file:
        for row in csv.DictReader(file):
            key = row["quantity"], row["template"], row["data"], row["system"]
            lines[key][int(row["examples"])].append(float(row["value"]))
    for quantity, template, data, system in list(lines):
        if data == "new":
            # Once the data are the same for both.
            once = lines[quantity, template, "replicated", system]
            if once:
                lines[quantity, template, data, system][min(once)] = once[min(once)]
    figure, axes = pyplot.subplots(1, len(PANELS), figsize=(4 * len(PANELS), 3.6), constrained_layout=True)
    for axis, (quantity, (title, unit, scale)) in zip(axes, PANELS.items(), strict=True):
        for (found, template, data, system), points in sorted(lines.items()):
            if found != quantity:
                continue
            places = sorted(points)
            values = [[value * scale for value in points[place]] for place in places]
            medians = [statistics.median(each) for each in values]
            spread = [
                [median - min(each) for median, each in zip(medians, values, strict=True)],
                [max(each) - median for median, each in zip(medians, values, strict=True)],
            ]
            axis.errorbar(
                places,
                medians,
                spread,
                color=COLOURS[system, data],
                linestyle="-" if data == "replicated" else ":",
                marker="o" if template == "t2" else "s",
                markersize=4,
                capsize=2,
                label=f"{NAMES[system]}, {template}, {data}",
            )
        axis.set(xscale="log", yscale="log", title=f"{title}, {unit}", xlabel="examples")
        axis.grid(True, which="major", alpha=0.3)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    figure.savefig(target, metadata={"Date": None})


if __name__ == "__main__":
    main()

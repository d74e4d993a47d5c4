"""Ground, compile and train the 243-rule chain template on molecules, and print neurons, seconds and peak memory.

    python benchmarks/size.py DATA [--target active] [--epochs 100]

Each stage is a command of its own, so its peak memory is its own, SWI-Prolog's processes included.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from chains import chain_template

LRNN = [sys.executable, "-m", "lrnn_cli"]


def run(arguments: list[str]) -> str:
    """Run a command of lrnn, print its time and the largest process so far, return its output."""
    start = time.perf_counter()
    result = subprocess.run([*LRNN, *arguments], stdout=subprocess.PIPE, text=True, check=True)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    print(f"{arguments[0]:<8} {seconds:7.2f} s   largest process so far {peak} MB", flush=True)
    return result.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--template", help="a template instead of the generated one")
    parser.add_argument("--bond-prefix", default="b_", help="unary predicates of bonds start with this")
    parser.add_argument("--epochs", type=int, default=100)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        template = Path(folder, "template.pl")
        if arguments.template:
            template.write_text(Path(arguments.template).read_text())
        else:
            summary = json.loads(run(["check", arguments.data, "--json"]))
            unary = [
                item["predicate"].removesuffix("/1")
                for item in summary["predicates"]
                if item["predicate"].endswith("/1")
            ]
            bonds = [name for name in unary if name.startswith(arguments.bond_prefix)]
            atoms = [name for name in unary if name not in bonds]
            target = summary["targets"][0]["predicate"].removesuffix("/0")
            template.write_text(chain_template(target, atoms, bonds))
        grounding, model = str(Path(folder, "grounding.npz")), str(Path(folder, "model.pl"))
        run(["ground", str(template), arguments.data, "-o", grounding])
        print(run(["show", grounding]))
        run(["train", grounding, "-o", model, "--epochs", str(arguments.epochs)])
        print(run(["evaluate", model, arguments.data]))


if __name__ == "__main__":
    main()

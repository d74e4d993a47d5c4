"""Ground, compile and train the 243-rule chain template on molecules, and print neurons, seconds and peak memory.

    python benchmarks/size.py DATA [--template FILE] [--epochs 100]

Each stage is a command of its own, so its peak memory is its own, SWI-Prolog's processes included.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LRNN = [sys.executable, "-m", "lrnn_cli"]


def run(arguments: list[str]) -> str:
    """Run a command of lrnn, print its time and the largest process so far, return its output."""
    start = time.perf_counter()
    result = subprocess.run([*LRNN, *arguments], stdout=subprocess.PIPE, text=True, check=True)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    print(f"{arguments[0]:<13} {seconds:7.2f} s   largest process so far {peak} MB", flush=True)
    return result.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--template", help="a template instead of the generated one")
    parser.add_argument("--epochs", type=int, default=100)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        template = Path(folder, "template.pl")
        if arguments.template:
            template.write_text(Path(arguments.template).read_text())
        else:
            run(["make-template", arguments.data, "--chain", "3", "--shorter", "--no-bias", "-o", str(template)])
        grounding, model = str(Path(folder, "grounding.npz")), str(Path(folder, "model.pl"))
        run(["ground", str(template), arguments.data, "-o", grounding])
        print(run(["show", grounding]))
        run(["train", grounding, "-o", model, "--epochs", str(arguments.epochs)])
        print(run(["evaluate", model, arguments.data]))


if __name__ == "__main__":
    main()

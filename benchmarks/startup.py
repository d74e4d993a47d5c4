"""How long a user waits for the smallest work: `lrnn --help`, and `lrnn predict` on one molecule.

    python benchmarks/startup.py [DATA] [--repeat 11]

The model has the 273 rules of the largest chain template. `python -c pass` in the same run shows what the machine does
at the moment.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from measure import run
from molecules import molecule_chains, read_data, write_data
from peer_table import Spread
from peer_template import comparable

from lrnn_cli.api import Session

MOLECULES = Path(__file__).resolve().parents[1] / "datasets" / "molecules" / "molecules.pl"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", default=str(MOLECULES))
    parser.add_argument("--repeat", type=int, default=11)
    arguments = parser.parse_args()
    examples = read_data(arguments.data)
    with Session(jobs=1) as session:
        template = session.template_of_text(molecule_chains(examples, 3))
    lrnn = [sys.executable, "-m", "lrnn_cli"]
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "lrnn --help": [*lrnn, "--help"],
        "lrnn predict": [*lrnn, "predict", "model.pl", "one.pl"],
    }
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    peak = dict.fromkeys(commands, 0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "model.pl").write_text(comparable(template).text(), encoding="utf-8")
        write_data(examples[:1], folder / "one.pl")
        for _ in range(arguments.repeat):
            for command, words in commands.items():
                measured = run(words, folder)
                seconds[command].append(measured.seconds)
                peak[command] = max(peak[command], measured.peak)
    print(f"{arguments.repeat} runs: median (smallest-largest)")
    for command, values in seconds.items():
        print(f"{command:<16}{Spread.of(values)!s:>24} s{peak[command] // 10**6:>8} MB")


if __name__ == "__main__":
    main()

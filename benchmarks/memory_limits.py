"""How much memory and temporary disk commands take on data whose rules explode, over all their processes together.

    python benchmarks/memory_limits.py [--nodes 300] [--limit 500] [COMMAND ...]

Makes complete graphs, runs each command with --memory-limit, and samples /proc: the resident memory of the command and
all its descendants (as RSS, which counts shared pages in each process, and as PSS, which divides them), and the bytes
of files that they hold open in the temporary folder.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

INTERVAL = 0.02
TEMPLATE = "1.0 :: active :- edge(X, Y), edge(Y, Z), edge(Z, W), red(X), red(W).\n0.1 :: active.\n"
COMMANDS = {
    "ground swi": ["ground", "{template}", "{data}", "-o", "{folder}/grounding.npz", "--grounder", "swi"],
    "ground duckdb": ["ground", "{template}", "{data}", "-o", "{folder}/grounding.npz", "--grounder", "duckdb"],
    "ground joins": ["ground", "{template}", "{data}", "-o", "{folder}/grounding.npz", "--grounder", "joins"],
    "learn-structure": ["learn-structure", "{data}", "-o", "{folder}/model.pl"],
    "learn-structure, some bodies explode": ["learn-structure", "{mixed}", "-o", "{folder}/model.pl"],
    "baseline nfoil": ["baseline", "nfoil", "{data}", "-o", "{folder}/foil.pl"],
}


@dataclass
class Peak:
    """Largest figures of a command, in bytes, and how it ended."""

    rss: int = 0
    pss: int = 0
    files: int = 0
    together: int = 0
    seconds: float = 0.0
    code: int = 0
    message: str = ""


def complete_graph(nodes: int, reds: int, seed: int) -> str:
    """The facts of a complete graph, some of its nodes being red."""
    draw = random.Random(seed)
    red = set(draw.sample(range(nodes), reds))
    facts = [f"edge(n{a}, n{b})." for a in range(nodes) for b in range(nodes) if a != b]
    facts += [f"{'red' if node in red else 'blue'}(n{node})." for node in range(nodes)]
    return "\n".join(facts)


def graphs(nodes: int, mixed: bool) -> str:
    """Four complete graphs, active when most nodes are red; `mixed` adds small relations that tell the classes too."""
    blocks = []
    for number in range(4 if not mixed else 16):
        active = number % 2
        size = nodes if number < 4 else 5
        facts = complete_graph(size, size * (3 if active else 1) // 4, number)
        if mixed:
            facts += f"\nlink(n0, n1). link(n1, n2). {'gold' if active else 'grey'}(n1)."
        blocks.append(f"begin(model(g{number})).\n{facts}\nquery(active, {active}).\nend(model(g{number})).")
    return "\n".join(blocks) + "\n"


def descendants(root: int) -> list[int]:
    """A process and all that it started."""
    parents: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):
                parent = int(Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()[1])
                parents.setdefault(parent, []).append(int(entry))
    found = [root]
    for process in found:
        found += parents.get(process, [])
    return found


def memory(process: int) -> tuple[int, int]:
    """RSS and PSS of a process."""
    with contextlib.suppress(OSError):
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        sizes = {line.split()[0]: int(line.split()[1]) * 1024 for line in lines[1:]}
        return sizes["Rss:"], sizes["Pss:"]
    return 0, 0


def open_files(process: int, folder: str) -> dict[tuple[int, int], int]:
    """The bytes of files in a folder that a process holds open."""
    found = {}
    with contextlib.suppress(OSError):
        for descriptor in os.listdir(f"/proc/{process}/fd"):
            with contextlib.suppress(OSError):
                path = f"/proc/{process}/fd/{descriptor}"
                if os.readlink(path).startswith(folder + "/"):
                    status = os.stat(path)
                    found[status.st_dev, status.st_ino] = status.st_blocks * 512
    return found


def measured(command: list[str], temporary: str) -> Peak:
    peak = Peak()
    started = time.monotonic()
    environment = {**os.environ, "TMPDIR": temporary}
    with subprocess.Popen(
        [sys.executable, "-m", "lrnn_cli", *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment
    ) as process:
        while process.poll() is None:
            family = descendants(process.pid)
            sizes = [memory(member) for member in family]
            rss, pss = (sum(size[kind] for size in sizes) for kind in (0, 1))
            files: dict[tuple[int, int], int] = {}
            for member in family:
                files |= open_files(member, temporary)
            total = sum(files.values())
            peak.rss, peak.pss, peak.files = max(peak.rss, rss), max(peak.pss, pss), max(peak.files, total)
            peak.together = max(peak.together, rss + total)
            time.sleep(INTERVAL)
        assert process.stderr is not None
        peak.message = process.stderr.read().decode(errors="replace").strip()
    peak.seconds = time.monotonic() - started
    peak.code = process.returncode
    return peak


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commands", nargs="*", metavar="COMMAND", help=f"some of {', '.join(COMMANDS)}")
    parser.add_argument("--nodes", type=int, default=300)
    parser.add_argument("--limit", type=int, default=500, help="MB; 0 for none")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        temporary = Path(folder) / "temporary"
        temporary.mkdir()
        names = {"folder": folder, **{name: f"{folder}/{name}.pl" for name in ("template", "data", "mixed")}}
        Path(names["template"]).write_text(TEMPLATE)
        Path(names["data"]).write_text(graphs(arguments.nodes, False))
        Path(names["mixed"]).write_text(graphs(arguments.nodes, True))
        print("command\texit\tseconds\tRSS MB\tPSS MB\tfiles MB\tRSS + files MB")
        for name in arguments.commands or COMMANDS:
            command = [word.format(**names) for word in COMMANDS[name]]
            peak = measured([*command, "--memory-limit", str(arguments.limit)], str(temporary))
            sizes = "\t".join(f"{size / 2**20:.0f}" for size in (peak.rss, peak.pss, peak.files, peak.together))
            print(f"{name}\t{peak.code}\t{peak.seconds:.1f}\t{sizes}", flush=True)
            print("    " + peak.message.replace("\n", "\n    "), file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()

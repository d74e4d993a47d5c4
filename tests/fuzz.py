"""Looks for inputs that break commands: `python tests/fuzz.py --minutes 30`, or `make fuzz MINUTES=30`.

Batches of cases, each in a process of its own with a fixed seed, so that a crash ends a batch only and every finding
comes again. Findings are listed once for each cause, with a folder that holds the files and the commands.
"""

from __future__ import annotations

import json
import os
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import click
from fuzz_check import Case, Finding, Laboratory
from fuzz_files import groundings, results, runs
from fuzz_texts import terms, texts
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from kept_workers import fast_folder

KINDS: dict[str, Callable[[Laboratory], st.SearchStrategy[Case]]] = {
    "texts": lambda laboratory: texts(),
    "terms": lambda laboratory: terms(),
    "groundings": groundings,
    "runs": runs,
    "results": lambda laboratory: results(),
}
BATCH = {"texts": 400, "terms": 400, "groundings": 600, "runs": 250, "results": 250}
MEMORY = 6 * 2**30
"""Address space of a batch; a case that wants more fails rather than take the machine down."""


@dataclass(frozen=True)
class Report:
    """What a batch did: cases tried, and findings by place with the folder of a reproducer."""

    inputs: int
    findings: dict[str, str]


def run_batch(kind: str, number: int, count: int, folder: Path, known: set[str]) -> Report:
    """A batch in a process of its own. `known` places are not made smaller and kept again."""
    folder.mkdir(parents=True)
    command = [sys.executable, __file__, "--batch", kind, str(number), str(count), str(folder)]
    done = subprocess.run(
        command, input=json.dumps(sorted(known)), capture_output=True, text=True, check=False, cwd=folder
    )
    if done.returncode == 0:
        inputs, findings = json.loads(done.stdout)
        return Report(inputs, findings)
    kept = folder / "finding-crash"
    shutil.copytree(folder / "case", kept, dirs_exist_ok=True)
    (kept / "finding.txt").write_text(f"exit code {done.returncode}\n{done.stderr}")
    last = " ".join(done.stderr.strip().splitlines()[-1:])
    return Report(0, {f"a batch of {kind} died with exit code {done.returncode}: {last}": str(kept)})


def examine_batch(kind: str, number: int, count: int, folder: Path, known: set[str]) -> Report:
    """Run `count` cases in this process."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    kept: dict[str, str] = {}
    with Laboratory(folder) as laboratory:

        @seed(number)
        @settings(
            max_examples=count,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=KINDS[kind](laboratory))
        def examine(case: Case) -> None:
            for finding in laboratory.findings(case):
                if finding.place in kept:
                    continue
                kept[finding.place] = str(folder / f"finding-{len(kept) + 1}")
                if finding.place not in known:
                    _keep(laboratory.smaller(case, finding.place), finding, Path(kept[finding.place]))

        examine()
        return Report(laboratory.inputs, kept)


def _keep(case: Case, finding: Finding, folder: Path) -> None:
    """Write the files of a case, its commands as a script, and what was found."""
    for name, content in case.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    commands = "".join(f"lrnn {shlex.join(command)}\n" for command in case.commands)
    (folder / "commands.sh").write_text(commands)
    (folder / "finding.txt").write_text(f"{finding.place}\nlrnn {shlex.join(finding.command)}\n\n{finding.detail}\n")


@click.command()
@click.option("--minutes", type=float, default=30.0, show_default=True)
@click.option("--jobs", type=click.IntRange(1), default=os.cpu_count() or 1, show_default="number of processors")
@click.option("--seed", "first", type=int, default=1, show_default=True, help="Of the first batch.")
@click.option("--kind", "kinds", type=click.Choice(list(KINDS)), multiple=True, help="Default: all of them.")
@click.option("--batch", type=(click.Choice(list(KINDS)), int, int, click.Path(path_type=Path)), hidden=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("build/fuzz"), show_default=True)
def main(
    minutes: float,
    jobs: int,
    first: int,
    kinds: tuple[str, ...],
    batch: tuple[str, int, int, Path] | None,
    output: Path,
) -> None:
    """Run batches of all kinds in turn until the time is over; exit code 1 if there are findings."""
    if batch is not None:
        report = examine_batch(*batch, set(json.load(sys.stdin)))
        click.echo(json.dumps([report.inputs, report.findings]))
        return
    output = output.resolve()
    shutil.rmtree(output, ignore_errors=True)
    deadline = time.monotonic() + 60 * minutes
    tried: Counter[str] = Counter()
    found: dict[str, str] = {}
    order = kinds or tuple(KINDS)

    def worker(place: int) -> None:
        number = place
        while time.monotonic() < deadline:
            kind = order[number % len(order)]
            with tempfile.TemporaryDirectory(prefix="lrnn-fuzz-", dir=fast_folder()) as temporary:
                folder = Path(temporary) / "batch"
                report = run_batch(kind, first + number, BATCH[kind], folder, set(found))
                tried[kind] += report.inputs
                for where, kept in report.findings.items():
                    if where not in found:
                        found[where] = str(output / f"{kind}-{first + number}-{Path(kept).name}")
                        shutil.copytree(kept, found[where])
                        click.echo(f"finding: {where}\n    {found[where]}")
            click.echo(f"{sum(tried.values())} inputs, {len(found)} findings", err=True)
            number += jobs

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(worker, range(jobs)))
    counts = ", ".join(f"{tried[kind]} {kind}" for kind in order)
    click.echo(f"{sum(tried.values())} inputs ({counts}), {len(found)} findings")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()

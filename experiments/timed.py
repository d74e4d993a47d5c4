"""Run a step of an experiment: its messages, its seconds and the versions of the software go to a log.

    python experiments/timed.py LOG STEP COMMAND [ARGUMENT ...]

When the command fails, the end of the log is shown and its exit code is passed on.
"""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

SHOWN_LINES = 20


def main() -> int:
    log, step, *command = sys.argv[1:]
    with open(log, "a", encoding="utf-8") as messages:
        print(f"$ {shlex.join(command)}", f"versions {_versions()}", sep="\n", file=messages, flush=True)
        start = time.perf_counter()
        code = subprocess.run(command, stdout=messages, stderr=messages, check=False).returncode
        seconds = time.perf_counter() - start
        print(f"seconds {step} {seconds:.2f}" if code == 0 else f"exit code {code}", file=messages)
    if code:
        text = Path(log).read_text(encoding="utf-8", errors="replace")
        print(f"{step} failed; {log} ends with", *text.splitlines()[-SHOWN_LINES:], sep="\n", file=sys.stderr)
    # A process that a signal ended has a negative code.
    return code if code >= 0 else 128 - code


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def _versions() -> str:
    """The software that computes, and how many processors there are."""
    swipl = shutil.which("swipl")
    prolog = subprocess.run([swipl, "--version"], capture_output=True, text=True, check=False).stdout if swipl else ""
    packages = [f"{name} {_version(name)}" for name in ("lrnn", "numpy", "scipy")]
    processors = f"{os.cpu_count()} processors, {platform.machine()}"
    return ", ".join([*packages, f"Python {platform.python_version()}", prolog.strip() or "no swipl", processors])


if __name__ == "__main__":
    sys.exit(main())

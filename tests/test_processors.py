"""The rules that are learned don't depend on the processor, whose instructions decide the last digits of numbers."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
MOLECULES = ROOT / "datasets" / "molecules" / "molecules.pl"
NUMBER = re.compile(r"-?\d+\.\d+(e-?\d+)?")


def learned_rules(model: Path, processor: dict[str, str]) -> list[str]:
    """The rules of a model that a processor learns, without their weights and thresholds."""
    few = {
        "iterations": 1,
        "restarts": 0,
        "epochs": 20,
        "final-epochs": 0,
        "conjunctions": 100,
        "jobs": 1,
    }
    options = [f"--{name}={value}" for name, value in few.items()]
    subprocess.run(
        [sys.executable, "-m", "lrnn_cli", "learn-structure", str(MOLECULES), "-o", str(model), "--quiet", *options],
        cwd=ROOT,
        env={**os.environ, **processor},
        check=True,
        capture_output=True,
    )
    return sorted(NUMBER.sub("#", line) for line in model.read_text().splitlines() if " :: " in line)


def test_other_instructions_same_rules(tmp_path: Path) -> None:
    """As an old processor adds up: other kernels of BLAS, and none of the instructions that NumPy finds here."""
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    old = {"OPENBLAS_CORETYPE": "Nehalem", "NPY_DISABLE_CPU_FEATURES": " ".join(found)}
    here = learned_rules(tmp_path / "here.pl", {})
    assert len(here) > 500
    assert learned_rules(tmp_path / "old.pl", old) == here
    if platform.machine() == "x86_64" and found:
        assert (tmp_path / "old.pl").read_text() != (tmp_path / "here.pl").read_text()

"""`experiments/concepts.py`: small data with planted concepts."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"begin\(model\(\w+\)\)\.\n(.*?)query\(good, ([01])\.0\)\.\nend\(model\(\w+\)\)\.\n", re.DOTALL)


def written(folder: Path, *options: str) -> dict[str, str]:
    words = [sys.executable, str(ROOT / "experiments/concepts.py"), str(folder), *options]
    subprocess.run(words, check=True)
    return {path.stem: path.read_text() for path in sorted(folder.iterdir())}


def test_half_of_the_examples_have_the_concept(tmp_path: Path) -> None:
    """Told from the facts: a triangle is on the car before one with a circle; an edge, not white, an edge, in a row."""
    data = written(tmp_path / "clean", "--examples", "40")
    assert len(data) == 12
    for text in data.values():
        assert [target for _, target in BLOCK.findall(text)].count("1") == 20
    for facts, target in BLOCK.findall(data["behind"]):
        loaded = {kind: set(re.findall(rf"^{kind}\(l(\d)_", facts, re.M)) for kind in ("triangle", "circle")}
        assert (target == "1") == any(str(int(car) + 1) in loaded["circle"] for car in loaded["triangle"])
    for facts, target in BLOCK.findall(data["row"]):
        edges = re.findall(r"edge\((n\d),(n\d)\)", facts)
        red, white, green = (set(re.findall(rf"{colour}\((n\d)\)", facts)) for colour in ("red", "white", "green"))
        rows = [(a, b, d) for a, b in edges for c, d in edges if b == c and a != d]
        assert (target == "1") == any(a in red and b not in white and d in green for a, b, d in rows)


def test_noise_and_seeds(tmp_path: Path) -> None:
    """Targets turned around are about a tenth of 200; the same arguments give the same bytes."""
    noisy = ("--examples", "200", "--noise", "0.1")
    data = written(tmp_path / "noisy", *noisy)
    assert data == written(tmp_path / "again", *noisy)
    turned = 0
    for facts, target in BLOCK.findall(data["behind"]):
        loaded = {kind: set(re.findall(rf"^{kind}\(l(\d)_", facts, re.M)) for kind in ("triangle", "circle")}
        turned += (target == "1") != any(str(int(car) + 1) in loaded["circle"] for car in loaded["triangle"])
    assert 8 <= turned <= 35

"""`experiments/readable.py`: rows of a model that is there already, as learned and simplified."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
MODEL = "2.0 :: east :- short(X).\n0.01 :: east :- long(X).\n-0.1 :: east.\n"


def example(number: int) -> str:
    """A train that goes east if its car is short, in fold 1 or 2."""
    east = number % 2
    facts = f"fold({1 + number // 2 % 2}).\n{'short' if east else 'long'}(c).\nquery(east, {east}.0)."
    return f"begin(model(t{number})).\n{facts}\nend(model(t{number})).\n"


def test_rows_of_one_file(tmp_path: Path) -> None:
    """The fact and the rule of long cars matter little, so one rule is enough; both cars of fold 1 are right."""
    (tmp_path / "trains.pl").write_text("".join(map(example, range(8))))
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "trains.pl").write_text(MODEL)
    words = [sys.executable, str(ROOT / "experiments/readable.py"), "trains.pl", "--rules", "1", "-o", "kept"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in done.stdout.splitlines()]
    assert [row[:2] for row in rows] == [
        ["trains", "as learned"],
        ["trains", "within the tolerance"],
        ["trains", "at most 1"],
    ]
    assert rows[0][2:5] == ["3", "2", "1.000"]
    assert rows[2][2:5] == ["1", "1", "1.000"]
    assert (tmp_path / "kept" / "trains_1.pl").read_text().count(" :: ") == 1

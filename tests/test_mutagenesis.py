"""The conversion of mutagenesis from the format of the package it comes in."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

from conftest import Folder

SCRIPT = Path(__file__).resolve().parents[1] / "datasets" / "mutagenesis.py"
EXAMPLES = (
    "bond(d59_1, d59_2, 0), h(d59_1), c(d59_2), b_1(0), bond(d59_2, d59_1, 0), "
    "bond(d59_2, d59_3, 1), c(d59_2), o(d59_3), b_2(1), bond(d59_3, d59_2, 1).\n"
    "bond(d7_1, d7_2, 0), c(d7_1), c(d7_2), b_7(0), bond(d7_2, d7_1, 0).\n"
)
QUERIES = "1.0 predict.\n0.0 predict.\n"


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mutagenesis", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_molecules_become_blocks(folder: Folder) -> None:
    """Names of molecules and atoms are kept, bonds are named, and a fact that is repeated is written once."""
    text = script().data_text(EXAMPLES, QUERIES)
    assert text.startswith("begin(model(d59)).\nbond(d59_1, d59_2, b0).\nh(d59_1).\nc(d59_2).\nb_1(b0).\n")
    assert text.count("c(d59_2).") == 1
    assert text.endswith("query(mutagenic, 0.0).\nend(model(d7)).\n")
    folder.write({"data.pl": text})
    summary = json.loads(folder.run("check", "data.pl", "--json").stdout)
    assert (summary["examples"], summary["facts"]) == (2, 9 + 5)
    assert summary["targets"][0]["targets"] == {"0": 1, "1": 1}

"""Fetch the 188 molecules of mutagenesis that the package neuralogic ships, and write them as data of lrnn.

    python datasets/mutagenesis.py mutagenesis.pl

The package is downloaded with pip and read as an archive: it is neither installed nor run, and needs no Java.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGE = "neuralogic==0.9.2"
DIGEST = "203fb4b69d2db29324ac861d86c08f730b8bd1fdb6a5e06f78758f57e705b8b9"
"""Of the two files together: the same molecules for everybody."""
FOLDER = "neuralogic/utils/data/datasets/molecules/mutagenesis"
FACT = re.compile(r"(\w+)\(([^)]*)\)")


def main() -> None:
    output = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        download = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        done = subprocess.run([*download, "--only-binary", ":all:", "--dest", folder, PACKAGE], check=False)
        if done.returncode:
            sys.exit(f"{PACKAGE} could not be downloaded with pip; see its message above")
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            examples, queries = (archive.read(f"{FOLDER}/{name}.txt") for name in ("examples", "queries"))
    if hashlib.sha256(examples + queries).hexdigest() != DIGEST:
        sys.exit(f"the molecules in {wheel.name} are not those that this program knows; nothing was written")
    temporary = output.with_name(f"{output.name}.part")
    temporary.write_text(
        f"% mutagenesis, 188 molecules, from the package {PACKAGE}\n" + data_text(examples.decode(), queries.decode())
    )
    temporary.replace(output)


def data_text(examples: str, queries: str) -> str:
    """Blocks of facts, from a line of facts for each molecule and a line of its target."""
    blocks = []
    for line, query in zip(examples.splitlines(), queries.splitlines(), strict=True):
        facts: dict[str, None] = {}
        for name, arguments in FACT.findall(line):
            facts[f"{name}({', '.join(map(object_name, arguments.split(',')))})."] = None
        molecule = line.split("(", 1)[1].split("_", 1)[0]
        blocks.append(
            "\n".join(
                [
                    f"begin(model({molecule})).",
                    *facts,
                    f"query(mutagenic, {float(query.split()[0])}).",
                    f"end(model({molecule})).\n",
                ]
            )
        )
    return "".join(blocks)


def object_name(text: str) -> str:
    """Atoms are named after their molecule, bonds are numbered: d59_23, and 0, which becomes b0."""
    name = text.strip()
    return f"b{name}" if name.isdigit() else name


if __name__ == "__main__":
    main()

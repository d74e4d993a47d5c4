"""Structure-data files (SDF): records of a molfile and named properties, each closed by $$$$."""

from __future__ import annotations

from typing import Any

from lrnn_cli.errors import LrnnError
from lrnn_cli.importers.imported_data import ImportedData
from lrnn_cli.importers.importer import Options, Sources
from lrnn_cli.importers.molecules import OPTIONS, MoleculeRecord, imported_molecules

RECORD_END = "$$$$"


class Sdf:
    name = "sdf"
    what = "SDF: molecules of a structure-data file"
    options = OPTIONS

    def recognises(self, sources: Sources) -> bool:
        if len(sources.files) != 1:
            return False
        head = sources.head(sources.files[0])
        return RECORD_END in head or "\nM  END" in head or bool(sources.ending(".sdf", ".sd", ".mol"))

    def read(self, sources: Sources, options: Options) -> ImportedData:
        if len(sources.files) != 1:
            raise LrnnError(f"{sources.title}: name one structure-data file")
        name, text = sources.text(sources.files[0], "a structure-data file (SDF)")
        return imported_molecules(name, read_records(text, options.name), _structure, "a molfile", options)


def _structure(chemistry: Any, text: str) -> Any:
    return chemistry.MolFromMolBlock(text, sanitize=False, removeHs=False)


def read_records(text: str, name_property: str | None = None) -> list[MoleculeRecord]:
    """Cut a file into records. Names come from the first line of a record, or from a property."""
    records: list[MoleculeRecord] = []
    lines: list[str] = []
    start = 1
    for number, line in enumerate([*text.split("\n"), RECORD_END], 1):
        if line.rstrip() != RECORD_END:
            lines.append(line)
            continue
        if any(part.strip() for part in lines):
            records.append(_record(len(records) + 1, start, lines, name_property))
        lines = []
        start = number + 1
    return records


def _record(number: int, start: int, lines: list[str], name_property: str | None) -> MoleculeRecord:
    properties: dict[str, str] = {}
    end = next((place for place, line in enumerate(lines) if line.startswith("M  END")), len(lines) - 1)
    block, items = lines[: end + 1], lines[end + 1 :]
    name = None
    for line in items:
        if line.startswith(">") and "<" in line:
            name = line[line.index("<") + 1 :].rpartition(">")[0]
            properties[name] = ""
        elif not line.strip():
            name = None
        elif name is not None:
            properties[name] = f"{properties[name]}\n{line}".strip()
    title = lines[0].strip() if name_property is None else properties.get(name_property, "")
    return MoleculeRecord(number, start, title, "\n".join(block) + "\n", properties)

"""SMILES: a table (CSV) with a column of them, or a file with SMILES and a name on each line (.smi)."""

from __future__ import annotations

from typing import Any

from lrnn_cli.errors import LrnnError
from lrnn_cli.importers.delimited import Delimited, delimited, looks_delimited
from lrnn_cli.importers.imported_data import ImportedData
from lrnn_cli.importers.importer import Options, Sources
from lrnn_cli.importers.molecules import OPTIONS, MoleculeRecord, imported_molecules
from lrnn_cli.language.writing import visible

PLAIN = (".smi", ".smiles", ".ism")
NAMES = ("name", "id")


class Smiles:
    name = "smiles"
    what = "SMILES: molecules of a CSV table or a .smi file"
    options = OPTIONS | {"smiles"}

    def recognises(self, sources: Sources) -> bool:
        if len(sources.files) != 1:
            return False
        head = sources.head(sources.files[0])
        columns = looks_delimited(head)
        return bool(sources.ending(*PLAIN)) or any("smiles" in column.lower() for column in columns)

    def read(self, sources: Sources, options: Options) -> ImportedData:
        if len(sources.files) != 1:
            raise LrnnError(f"{sources.title}: name one file with SMILES")
        (path,) = sources.files
        name, text = sources.text(path, "SMILES")
        records = _plain(text) if sources.ending(*PLAIN) else _rows(delimited(name, text), options)
        return imported_molecules(name, records, _structure, "a SMILES", options)


def _structure(chemistry: Any, text: str) -> Any:
    return chemistry.MolFromSmiles(text, sanitize=False)


def _plain(text: str) -> list[MoleculeRecord]:
    """One molecule a line: SMILES, then its name after a blank."""
    records: list[MoleculeRecord] = []
    for line, content in enumerate(text.split("\n"), 1):
        if content.strip():
            smiles, _, name = content.strip().replace("\t", " ").partition(" ")
            records.append(MoleculeRecord(len(records) + 1, line, name.strip(), smiles, {}))
    return records


def _rows(table: Delimited, options: Options) -> list[MoleculeRecord]:
    column = _column(table, options.smiles)
    name = options.name or next((column for column in table.columns if column.lower() in NAMES), None)
    if name is not None and name not in table.columns:
        raise table.no_column(name)
    if options.label is not None and options.label not in table.columns:
        raise table.no_column(options.label)
    records = []
    for number, (line, row) in enumerate(zip(table.lines, table.rows, strict=True), 1):
        cells = dict(zip(table.columns, row, strict=True))
        records.append(MoleculeRecord(number, line, cells[name] if name is not None else "", cells[column], cells))
    return records


def _column(table: Delimited, given: str | None) -> str:
    """The column that was named, else the one called smiles or with smiles in its name."""
    if given is not None:
        if given not in table.columns:
            raise table.no_column(given)
        return given
    exact = [column for column in table.columns if column.lower() == "smiles"]
    candidates = exact or [column for column in table.columns if "smiles" in column.lower()]
    if len(candidates) != 1:
        known = ", ".join(map(visible, table.columns))
        raise LrnnError(f"{table.name}: name the column with SMILES with --smiles; columns are {known}")
    return candidates[0]

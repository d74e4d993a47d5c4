"""Molecules of structure-data files (SDF) as data: typed atoms, and bonds as objects that have a type, too.

    begin(model(ethanol)).
    c3(a1). c3(a2). o3(a3).
    bond(a1, a2, b1). bond(a2, a1, b1). b_1(b1).
    bond(a2, a3, b2). bond(a3, a2, b2). b_1(b2).
    query(active, 1.0).
    end(model(ethanol)).

RDKit reads the structures. Types of atoms follow those of SYBYL, written without dots: c3 is a carbon with single
bonds, car an aromatic one, nam the nitrogen of an amide, oco2 an oxygen of a carboxylate.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from lrnn_cli.errors import Fault, LrnnError, ReadError, faults_error
from lrnn_cli.language.clauses import quoted
from lrnn_cli.language.files import Source
from lrnn_cli.language.writing import prolog_text

RECORD_END = "$$$$"


@dataclass(frozen=True)
class Record:
    """A molecule as text: its number and first line in the file, from 1, its structure and its properties."""

    number: int
    line: int
    name: str
    block: str
    properties: dict[str, str]

    def fault(self, message: str) -> Fault:
        name = f", {self.name}" if self.name else ""
        return Fault(self.line, 1, f"record {self.number}{name}: {message}")


@dataclass(frozen=True)
class Molecule:
    """Facts of a molecule, without its name and label."""

    record: Record
    facts: tuple[str, ...]


@dataclass(frozen=True)
class Labels:
    """Where labels come from: a property of the record, or a table from names to labels.

    positive, negative: labels in words; without them labels are numbers. Any label that is not positive is negative
    when only `positive` is given.
    """

    property_name: str | None = None
    table: dict[str, str] | None = None
    table_name: str = ""
    positive: frozenset[str] = frozenset()
    negative: frozenset[str] = frozenset()

    def target(self, record: Record) -> float | Fault:
        """The target of a molecule, or what is wrong with its label."""
        if self.table is not None:
            label = self.table.get(record.name)
            if label is None:
                return record.fault(f"there is no label for this name in {self.table_name}")
        else:
            label = record.properties.get(self.property_name or "")
            if label is None:
                known = ", ".join(record.properties) or "none"
                return record.fault(f"there is no property {self.property_name}; properties are {known}")
        if label in self.positive:
            return 1.0
        if label in self.negative or (self.positive and not self.negative):
            return 0.0
        if self.positive or self.negative:
            return record.fault(
                f"the label {label!r} is neither positive nor negative; give it with one of the options"
            )
        try:
            number = float(label)
        except ValueError:
            return record.fault(f"the label {label!r} is not a number; say which are positive with --positive")
        return number if math.isfinite(number) else record.fault(f"the label {label!r} is not finite")


def read_records(source: Source, name_property: str | None = None) -> list[Record]:
    """Cut a file into records. Names come from the first line of a record, or from a property."""
    records: list[Record] = []
    lines: list[str] = []
    start = 1
    text = source.text.decode().split("\n")
    for number, raw in enumerate([*text, RECORD_END], 1):
        line = raw.rstrip("\r")
        if line.rstrip() != RECORD_END:
            lines.append(line)
            continue
        if any(part.strip() for part in lines):
            records.append(_record(len(records) + 1, start, lines, name_property))
        lines = []
        start = number + 1
    return records


def _record(number: int, start: int, lines: list[str], name_property: str | None) -> Record:
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
    return Record(number, start, title, "\n".join(block) + "\n", properties)


def read_labels(source: Source) -> dict[str, str]:
    """Labels by name: a table with a header line, then a name and a label in the first two columns."""
    labels: dict[str, str] = {}
    faults = []
    rows = csv.reader(io.StringIO(source.text.decode()))
    next(rows, None)
    for row in rows:
        if not any(cell.strip() for cell in row):
            continue
        if len(row) < 2:
            faults.append(Fault(rows.line_num, 1, "a line has a name and a label, with a comma between"))
            continue
        name, label = row[0].strip(), row[1].strip()
        if labels.setdefault(name, label) != label:
            faults.append(Fault(rows.line_num, 1, f"{name} has two labels, {labels[name]} and {label}; delete one"))
    if faults:
        raise faults_error(source.name, faults)
    if not labels:
        raise ReadError(f"{source.name}: there is no label after the header line")
    return labels


def molecules(
    records: Iterable[Record], hydrogens: bool, atom_types: str
) -> tuple[list[Molecule], list[tuple[Record, Fault]]]:
    """The molecules that RDKit understands, and what is wrong with the other records."""
    chemistry = _rdkit()
    found, faulty = [], []
    for record in records:
        molecule = chemistry.MolFromMolBlock(record.block, sanitize=False, removeHs=False)
        if molecule is None:
            faulty.append((record, record.fault("this is not a molfile that RDKit can read")))
            continue
        try:
            chemistry.SanitizeMol(molecule)
            molecule = chemistry.AddHs(molecule) if hydrogens else chemistry.RemoveHs(molecule)
        except chemistry.MolSanitizeException as error:
            faulty.append((record, record.fault(f"the structure is not valid: {error}")))
            continue
        if not molecule.GetNumAtoms():
            faulty.append((record, record.fault("there is no atom in this structure")))
            continue
        found.append(Molecule(record, tuple(_facts(molecule, atom_types))))
    return found, faulty


def _rdkit() -> Any:
    try:
        from rdkit import Chem, RDLogger
    except ImportError:
        raise LrnnError("RDKit is needed to read molecules; install it with pip install 'lrnn[rdkit]'") from None
    RDLogger.DisableLog("rdApp.*")
    return Chem


def data_text(found: list[Molecule], targets: list[float] | None, target_name: str, names: list[str]) -> str:
    """The data file: a block for each molecule, with a query where there are targets."""
    lines: list[str] = []
    for place, (molecule, name) in enumerate(zip(found, names, strict=True)):
        query = [] if targets is None else [f"query({quoted(target_name)}, {targets[place]!r})."]
        lines += [f"begin(model({quoted(name)})).", *molecule.facts, *query, f"end(model({quoted(name)}))."]
    return prolog_text(lines)


def _facts(molecule: Any, atom_types: str) -> Iterable[str]:
    for atom in molecule.GetAtoms():
        types = [] if atom_types == "sybyl" else [_element(atom)]
        types += [] if atom_types == "element" else [sybyl_type(atom)]
        for kind in dict.fromkeys(types):
            yield f"{quoted(kind)}(a{atom.GetIdx() + 1})."
    for bond in molecule.GetBonds():
        first, second, name = bond.GetBeginAtomIdx() + 1, bond.GetEndAtomIdx() + 1, f"b{bond.GetIdx() + 1}"
        yield f"bond(a{first}, a{second}, {name})."
        yield f"bond(a{second}, a{first}, {name})."
        kind = bond_type(bond, atom_types != "element")
        yield f"{quoted(f'b_{kind}')}({name})."


def _element(atom: Any) -> str:
    """The symbol in small letters; du for atoms that stand for anything."""
    return str(atom.GetSymbol()).lower() if atom.GetAtomicNum() else "du"


def bond_type(bond: Any, amides: bool) -> str:
    """1, 2, 3, ar for aromatic, am for that of an amide, RDKit's name for rare ones."""
    if bond.GetIsAromatic():
        return "ar"
    if amides and _is_amide(bond):
        return "am"
    name = str(bond.GetBondType()).lower()
    return {"single": "1", "double": "2", "triple": "3"}.get(name, name)


def sybyl_type(atom: Any) -> str:
    """The type of an atom by its element and its bonds."""
    element = _element(atom)
    bonds = [str(bond.GetBondType()) for bond in atom.GetBonds()]
    double = bonds.count("DOUBLE")
    if element == "c":
        if atom.GetIsAromatic():
            return "car"
        return "c1" if "TRIPLE" in bonds or double > 1 else "c2" if double else "c3"
    if element == "n":
        return _nitrogen(atom, bonds)
    if element == "o":
        if any(_is_carboxylate(neighbour) for neighbour in atom.GetNeighbors()) and atom.GetDegree() == 1:
            return "oco2"
        return "o2" if double or atom.GetIsAromatic() else "o3"
    if element == "s":
        oxides = sum(
            bond.GetOtherAtom(atom).GetSymbol() == "O" and str(bond.GetBondType()) == "DOUBLE"
            for bond in atom.GetBonds()
        )
        return "so2" if oxides > 1 else "so" if oxides else "s2" if double or atom.GetIsAromatic() else "s3"
    return "p3" if element == "p" else element


def _nitrogen(atom: Any, bonds: list[str]) -> str:
    neighbours = atom.GetTotalDegree()
    if atom.GetIsAromatic():
        return "npl3" if neighbours > 2 and not atom.GetFormalCharge() else "nar"
    if any(_is_amide(bond) for bond in atom.GetBonds()):
        return "nam"
    if "TRIPLE" in bonds or bonds.count("DOUBLE") > 1:
        return "n1"
    if "DOUBLE" in bonds:
        return "npl3" if neighbours > 2 else "n2"
    if neighbours > 3:
        return "n4"
    return "npl3" if str(atom.GetHybridization()) == "SP2" else "n3"


def _is_amide(bond: Any) -> bool:
    """The single bond between nitrogen and a carbon that also has a double bond to oxygen or sulphur."""
    ends = {bond.GetBeginAtom().GetSymbol(): bond.GetBeginAtom(), bond.GetEndAtom().GetSymbol(): bond.GetEndAtom()}
    if set(ends) != {"C", "N"} or str(bond.GetBondType()) != "SINGLE":
        return False
    return any(
        str(other.GetBondType()) == "DOUBLE" and other.GetOtherAtom(ends["C"]).GetSymbol() in ("O", "S")
        for other in ends["C"].GetBonds()
    )


def _is_carboxylate(atom: Any) -> bool:
    """A carbon or phosphorus with a double bond to oxygen and a single bond to a negative one."""
    if atom.GetSymbol() not in ("C", "P"):
        return False
    oxygens = [
        (str(bond.GetBondType()), bond.GetOtherAtom(atom).GetFormalCharge())
        for bond in atom.GetBonds()
        if bond.GetOtherAtom(atom).GetSymbol() == "O"
    ]
    return ("DOUBLE", 0) in oxygens and ("SINGLE", -1) in oxygens

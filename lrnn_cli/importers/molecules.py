"""Molecules as facts: typed atoms, bonds as objects that have a type, charges and rings.

    begin(model(phenol)).
    car(a1). car(a2). ... o3(a7).
    bond(a1, a2, b1). bond(a2, a1, b1). b_ar(b1). ...
    ring(a1, r1). ... ring_6(r1). aromatic(r1).
    query(active, 1.0).
    end(model(phenol)).

RDKit reads the structures. Types of atoms follow those of SYBYL, written without dots: c3 is a carbon with single
bonds, car an aromatic one, nam the nitrogen of an amide, oco2 an oxygen of a carboxylate. A charge is charge_1(a1) or
charge_minus_1(a1). Rings are the smallest ones.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from lrnn_cli.errors import Fault, LrnnError, ReadError, faults_error
from lrnn_cli.importers.imported_data import Fact, ImportedData, ImportedExample, Query
from lrnn_cli.importers.importer import Options
from lrnn_cli.importers.labels import is_message, targets
from lrnn_cli.language.clauses import quoted
from lrnn_cli.language.files import Source, read_source
from lrnn_cli.language.writing import visible

OPTIONS = frozenset(
    {
        *("target", "positive", "negative", "classes", "label", "labels", "name"),
        *("atom_types", "hydrogens", "without", "skip_faulty"),
    }
)
"""What can be said about all kinds of files with molecules."""


@dataclass(frozen=True)
class MoleculeRecord:
    """A molecule as text: its number and first line in the file, from 1, its structure and its properties."""

    number: int
    line: int
    name: str
    structure: str
    properties: dict[str, str]

    def fault(self, message: str) -> Fault:
        name = f", {self.name}" if self.name else ""
        return Fault(self.line, 1, f"record {self.number}{name}: {message}")


@dataclass(frozen=True)
class Molecule:
    """A record and its facts."""

    record: MoleculeRecord
    facts: list[str]


def imported_molecules(
    file: str, records: Sequence[MoleculeRecord], read: Callable[[Any, str], Any], form: str, options: Options
) -> ImportedData:
    """Data from the records of a file. `read` makes a structure with RDKit, None if it is not of this `form`."""
    if not records:
        raise ReadError(f"{file}: there is no molecule in this file")
    notes: list[str] = []
    options.progress(f"reading {len(records)} records")
    understood, faults = molecules(records, read, form, options)
    queries, more = _queries(understood, options, file, records, notes)
    faults += more
    if faults and not (options.skip_faulty and len(faults) < len(records)):
        raise faults_error(file, faults)
    kept = [molecule for molecule in understood if molecule.record.number in queries]
    names = _names([molecule.record for molecule in kept], notes)
    examples = [
        ImportedExample(quoted(name), molecule.facts, queries[molecule.record.number])
        for name, molecule in zip(names, kept, strict=True)
    ]
    left_out = tuple(f"{file}:{fault.line}:{fault.column}: {fault.message}; left out" for fault in sorted(faults))
    return ImportedData(examples, [], {}, notes, left_out=left_out)


def molecules(
    records: Iterable[MoleculeRecord], read: Callable[[Any, str], Any], form: str, options: Options
) -> tuple[list[Molecule], list[Fault]]:
    """The molecules that RDKit understands, and what is wrong with the other records."""
    chemistry = _rdkit()
    understood, faults = [], []
    for record in records:
        structure = read(chemistry, record.structure)
        if structure is None:
            faults.append(record.fault(f"this is not {form} that RDKit can read"))
            continue
        try:
            chemistry.SanitizeMol(structure)
            structure = chemistry.AddHs(structure) if options.hydrogens else chemistry.RemoveHs(structure)
            if "aromaticity" in options.without:
                chemistry.Kekulize(structure, clearAromaticFlags=True)
        except chemistry.MolSanitizeException as error:
            faults.append(record.fault(f"the structure is not valid: {error}"))
            continue
        if not structure.GetNumAtoms():
            faults.append(record.fault("there is no atom in this structure"))
            continue
        understood.append(Molecule(record, list(_facts(structure, options))))
    return understood, faults


def _rdkit() -> Any:
    try:
        from rdkit import Chem, RDLogger
    except ImportError:
        raise LrnnError("RDKit is needed to read molecules; install it with pip install 'lrnn[rdkit]'") from None
    RDLogger.DisableLog("rdApp.*")
    return Chem


def _names(records: list[MoleculeRecord], notes: list[str]) -> list[str]:
    """Names of molecules; their numbers in the file where names are missing or repeated."""
    names = [record.name for record in records]
    if all(names) and len(set(names)) == len(names):
        return names
    notes.append("names are missing or repeated, so molecules are called m1, m2, ... by the numbers of their records")
    return [f"m{record.number}" for record in records]


# Labels


def _queries(
    understood: list[Molecule], options: Options, file: str, records: Sequence[MoleculeRecord], notes: list[str]
) -> tuple[dict[int, list[Query]], list[Fault]]:
    """The queries of each record by its number, without those whose label is wrong; and these faults."""
    atom = Fact(options.target or "active")
    if options.label is None and options.labels is None:
        if options.positive or options.negative or options.classes:
            raise LrnnError("--positive, --negative and --classes need labels; name them with --label or --labels")
        if options.target is None:
            notes.append("no queries, since there are no labels")
        asked = [Query(atom)] if options.target is not None else []
        return {molecule.record.number: asked for molecule in understood}, []
    labels = _labels(understood, options, file, records, notes)
    labelled = [(record, label) for record, label in labels if isinstance(label, str)]
    faults = [label for _, label in labels if isinstance(label, Fault)]
    queries = {}
    values = targets([label for _, label in labelled], options, file)
    for (record, _), target in zip(labelled, values, strict=True):
        if is_message(target):
            faults.append(record.fault(str(target)))
        else:
            queries[record.number] = [Query(atom, target)]
    return queries, faults


def _labels(
    understood: list[Molecule], options: Options, file: str, records: Sequence[MoleculeRecord], notes: list[str]
) -> list[tuple[MoleculeRecord, str | Fault]]:
    """The label of each molecule, or why there is none. Where none has one, the name is wrong and not the records."""
    if options.labels is None:
        label = options.label or ""
        if not any(label in record.properties for record in records):
            known = ", ".join(dict.fromkeys(name for record in records for name in record.properties)) or "none"
            raise LrnnError(f"{file}: no record has the property {label}; properties are {known}")
        return [(molecule.record, _property(molecule.record, label)) for molecule in understood]
    source = read_source(options.labels, "a table of labels")
    table = read_labels(source)
    if not any(record.name in table for record in records):
        first, other = visible(next(iter(table))), visible(records[0].name) or "nothing"
        raise LrnnError(
            f"{source.name}: its names, such as {first}, are those of no record of {file}, such as {other}; "
            "mend them, or --name another property"
        )
    unused = sorted(table.keys() - {record.name for record in records})
    if unused:
        shown = visible(unused[0])
        notes.append(f"{source.name}: {len(unused)} names are those of no record, such as {shown}")
    missing = f"there is no label for this name in {source.name}"
    return [
        (molecule.record, table.get(molecule.record.name) or molecule.record.fault(missing)) for molecule in understood
    ]


def _property(record: MoleculeRecord, name: str) -> str | Fault:
    label = record.properties.get(name)
    if label is None:
        known = ", ".join(record.properties) or "none"
        return record.fault(f"there is no property {name}; properties are {known}")
    return label or record.fault(f"the label, {name}, is empty; write it, or leave the record out with --skip-faulty")


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


# Facts


def _facts(molecule: Any, options: Options) -> Iterable[str]:
    for atom in molecule.GetAtoms():
        types = [] if options.atom_types == "sybyl" else [_element(atom)]
        types += [] if options.atom_types == "element" else [sybyl_type(atom)]
        for kind in dict.fromkeys(types):
            yield f"{quoted(kind)}(a{atom.GetIdx() + 1})"
        charge = atom.GetFormalCharge()
        if charge and "charges" not in options.without:
            yield f"charge_{'minus_' if charge < 0 else ''}{abs(charge)}(a{atom.GetIdx() + 1})"
    for bond in molecule.GetBonds():
        first, second, name = bond.GetBeginAtomIdx() + 1, bond.GetEndAtomIdx() + 1, f"b{bond.GetIdx() + 1}"
        yield f"bond(a{first}, a{second}, {name})"
        yield f"bond(a{second}, a{first}, {name})"
        kind = bond_type(bond, options.atom_types != "element")
        yield f"{quoted(f'b_{kind}')}({name})"
    if "rings" not in options.without:
        yield from _rings(molecule)


def _rings(molecule: Any) -> Iterable[str]:
    rings = molecule.GetRingInfo()
    for number, (atoms, bonds) in enumerate(zip(rings.AtomRings(), rings.BondRings(), strict=True), 1):
        yield from (f"ring(a{atom + 1}, r{number})" for atom in atoms)
        yield f"ring_{len(atoms)}(r{number})"
        if all(molecule.GetBondWithIdx(bond).GetIsAromatic() for bond in bonds):
            yield f"aromatic(r{number})"


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

"""Molecules from structure-data files: facts by hand, labels, and records that are wrong."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

import pytest
from conftest import Folder, Outcome

SCREENING = Path(__file__).resolve().parents[1] / "datasets" / "screening"


def record(atoms: str, bonds: list[tuple[int, int, int]], name: str = "", charges: str = "", **properties: str) -> str:
    """A record of the given elements and bonds (from, to, order); coordinates do not matter."""
    symbols = atoms.split()
    lines = [name, "", "", f"{len(symbols):3d}{len(bonds):3d}  0  0  0  0            999 V2000"]
    lines += [f"    0.0000    0.0000    0.0000 {symbol:<3} 0  0" for symbol in symbols]
    lines += [f"{first:3d}{second:3d}{order:3d}  0" for first, second, order in bonds]
    if charges:
        lines.append(charges)
    lines.append("M  END")
    for key, value in properties.items():
        lines += [f">  <{key}>", value, ""]
    return "\n".join([*lines, "$$$$", ""])


ETHANOL = record("C C O", [(1, 2, 1), (2, 3, 1)], "ethanol", activity="1")
ACETAMIDE = record("C C O N", [(1, 2, 1), (2, 3, 2), (2, 4, 1)], "acetamide", activity="0")
RING = [(1, 2, 2), (2, 3, 1), (3, 4, 2), (4, 5, 1), (5, 6, 2), (6, 1, 1)]
FIVE_BONDS = record("C C C C C C", [(1, 2, 1), (1, 3, 1), (1, 4, 1), (1, 5, 1), (1, 6, 1)], "wrong", activity="1")


def imported(folder: Folder, sdf: str, *options: str) -> Outcome:
    pytest.importorskip("rdkit", reason="RDKit is not installed")
    folder.write({"molecules.sdf": sdf})
    return folder.run("import", "molecules.sdf", *options)


def facts(folder: Folder, sdf: str, *options: str) -> list[str]:
    """Facts of a file with one molecule."""
    outcome = imported(folder, sdf, *options)
    assert outcome.code == 0, outcome.stderr
    return [line for line in outcome.stdout.splitlines() if "model(" not in line]


def types(folder: Folder, atoms: str, bonds: list[tuple[int, int, int]], charges: str = "") -> list[str]:
    """Types of atoms, then types of bonds."""
    lines = facts(folder, record(atoms, bonds, charges=charges), "--without", "charges")
    return [line.split("(")[0] for line in lines if not line.startswith("bond")]


def test_a_molecule_in_full(folder: Folder) -> None:
    assert imported(folder, ETHANOL, "--label", "activity").stdout.splitlines() == [
        "begin(model(ethanol)).",
        "c3(a1).",
        "c3(a2).",
        "o3(a3).",
        "bond(a1, a2, b1).",
        "bond(a2, a1, b1).",
        "b_1(b1).",
        "bond(a2, a3, b2).",
        "bond(a3, a2, b2).",
        "b_1(b2).",
        "query(active, 1.0).",
        "end(model(ethanol)).",
    ]


@pytest.mark.parametrize(
    ("atoms", "bonds", "charges", "expected"),
    [
        ("C C O N", [(1, 2, 1), (2, 3, 2), (2, 4, 1)], "", "c3 c2 o2 nam b_1 b_2 b_am"),
        ("C C C C C C", RING, "", "car " * 6 + "b_ar " * 6),
        ("N C C C C C", RING, "", "nar " + "car " * 5 + "b_ar " * 6),
        ("N C C C C", [(1, 2, 1), (2, 3, 2), (3, 4, 1), (4, 5, 2), (5, 1, 1)], "", "npl3" + " car" * 4 + " b_ar" * 5),
        ("N C C C C C C", [(1, 2, 1), *((a + 1, b + 1, order) for a, b, order in RING)], "", "npl3" + " car" * 6),
        ("C C N", [(1, 2, 1), (2, 3, 3)], "", "c3 c1 n1 b_1 b_3"),
        ("C N C", [(1, 2, 1), (2, 3, 1)], "", "c3 n3 c3 b_1 b_1"),
        ("C N C", [(1, 2, 1), (2, 3, 2)], "", "c3 n2 c2 b_1 b_2"),
        ("C C O O", [(1, 2, 1), (2, 3, 2), (2, 4, 1)], "M  CHG  1   4  -1", "c3 c2 oco2 oco2 b_1 b_2 b_1"),
        ("C C O O", [(1, 2, 1), (2, 3, 2), (2, 4, 1)], "", "c3 c2 o2 o3 b_1 b_2 b_1"),
        ("C N O O", [(1, 2, 1), (2, 3, 2), (2, 4, 1)], "M  CHG  2   2   1   4  -1", "c3 npl3 o2 o3 b_1 b_2 b_1"),
        ("C S C", [(1, 2, 1), (2, 3, 1)], "", "c3 s3 c3 b_1 b_1"),
        ("C S C O", [(1, 2, 1), (2, 3, 1), (2, 4, 2)], "", "c3 so c3 o2 b_1 b_1 b_2"),
        ("C S C O O", [(1, 2, 1), (2, 3, 1), (2, 4, 2), (2, 5, 2)], "", "c3 so2 c3 o2 o2 b_1 b_1 b_2 b_2"),
        ("Cl C Br", [(1, 2, 1), (2, 3, 1)], "", "cl c3 br b_1 b_1"),
        ("C N C C C", [(1, 2, 1), (2, 3, 1), (2, 4, 1), (2, 5, 1)], "M  CHG  1   2   1", "c3 n4 c3 c3 c3"),
    ],
)
def test_types(folder: Folder, atoms: str, bonds: list[tuple[int, int, int]], charges: str, expected: str) -> None:
    """Acetamide, benzene, pyridine, pyrrole, aniline, acetonitrile, amine, imine, acetate, acetic acid and so on."""
    words = expected.split()
    assert types(folder, atoms, bonds, charges)[: len(words)] == words


def test_elements_and_both(folder: Folder) -> None:
    """Elements know no amides; with both, a chlorine is not said twice."""
    element = [line.split("(")[0] for line in facts(folder, ACETAMIDE, "--atom-types", "element")]
    assert [kind for kind in element if kind != "bond"] == ["c", "c", "o", "n", "b_1", "b_2", "b_1"]
    both = facts(folder, record("C Cl", [(1, 2, 1)]), "--atom-types", "both")
    assert both[:3] == ["c(a1).", "c3(a1).", "cl(a2)."]


def test_hydrogens(folder: Folder) -> None:
    """Ethanol has six; shown hydrogens are left out as well unless asked for."""
    assert sum(line.startswith("h(") for line in facts(folder, ETHANOL, "--hydrogens")) == 6
    shown = record("C H", [(1, 2, 1)])
    assert facts(folder, shown) == ["c3(a1)."]
    assert sum(line.startswith("h(") for line in facts(folder, shown, "--hydrogens")) == 4


def test_the_data_are_read_back(folder: Folder) -> None:
    """A name with quotes and letters of any language, Windows lines, a compressed file, targets as they were."""
    pytest.importorskip("rdkit", reason="RDKit is not installed")
    text = (ETHANOL + ACETAMIDE).replace("acetamide", "Kyselina 'citrónová'").replace("\n", "\r\n")
    folder.write({"molecules.sdf.gz": gzip.compress(text.encode())})
    outcome = folder.run("import", "molecules.sdf.gz", "--label", "activity", "-o", "data.pl.gz")
    assert (outcome.code, outcome.stderr) == (0, "SDF: 2 examples, 2 queries\n")
    summary = json.loads(folder.run("check", "data.pl.gz", "--json").stdout)
    assert summary["targets"][0]["targets"] == {"0": 1, "1": 1}
    assert summary["facts"] == 3 + 2 * 3 + 4 + 3 * 3


def test_labels_of_a_table(folder: Folder) -> None:
    folder.write({"labels.csv": "name,class\nacetamide,inactive\nethanol,active\nwater,active\n"})
    outcome = imported(
        folder, ETHANOL + ACETAMIDE, "--labels", "labels.csv", "--positive", "active", "--target", "Toxic"
    )
    assert [line for line in outcome.stdout.splitlines() if "query" in line] == [
        "query('Toxic', 1.0).",
        "query('Toxic', 0.0).",
    ]
    assert "labels.csv: 1 names are those of no record, such as water" in outcome.stderr


def test_names_of_a_property(folder: Folder) -> None:
    sdf = record("C", [], "x", id="m-1") + record("C", [], "x", id="m-2")
    assert "begin(model('m-2'))." in imported(folder, sdf, "--name", "id").stdout
    outcome = imported(folder, sdf)
    assert "begin(model(m2))." in outcome.stdout
    assert "names are missing or repeated" in outcome.stderr


def test_without_labels_there_are_no_queries(folder: Folder) -> None:
    outcome = imported(folder, ETHANOL)
    assert "query" not in outcome.stdout
    assert "no queries, since there are no labels" in outcome.stderr


# What is wrong


def test_faulty_records_are_named(folder: Folder) -> None:
    """The second of three: nothing is written, or the others with a warning."""
    sdf = ETHANOL + FIVE_BONDS + ACETAMIDE
    line = ETHANOL.count("\n") + 1
    outcome = imported(folder, sdf, "--label", "activity", "-o", "data.pl")
    assert outcome.code == 1
    assert outcome.stderr.startswith(f"molecules.sdf:{line}:1: record 2, wrong: the structure is not valid: ")
    assert "data.pl" not in folder.content()
    outcome = imported(folder, sdf, "--label", "activity", "-o", "data.pl", "--skip-faulty")
    assert outcome.code == 0
    assert f"warning: molecules.sdf:{line}:1: record 2, wrong: " in outcome.stderr
    assert outcome.stderr.endswith("SDF: 2 examples, 2 queries, 1 left out\n")
    assert folder.read("data.pl").count("begin(") == 2


@pytest.mark.parametrize(
    ("sdf", "options", "message"),
    [
        ("nonsense\n", (), "molecules.sdf:1:1: record 1, nonsense: this is not a molfile that RDKit can read"),
        (record("", []), (), "record 1: there is no atom in this structure"),
        (
            ETHANOL,
            ("--label", "class"),
            "molecules.sdf: no record has the property class; properties are activity\n",
        ),
        (
            ETHANOL.replace("\n1\n", "\nhigh\n"),
            ("--label", "activity"),
            "labels are words, high (1); say which are positive with --positive CLASS",
        ),
        (ETHANOL.replace("\n1\n", "\nnan\n"), ("--label", "activity"), "the label 'nan' is not finite"),
        (
            ETHANOL,
            ("--label", "activity", "--positive", "P", "--negative", "N"),
            "the label '1' is neither positive nor negative",
        ),
        (
            ETHANOL + ACETAMIDE.replace("activity", "mass"),
            ("--label", "activity"),
            "record 2, acetamide: there is no property activity; properties are mass",
        ),
        (
            ETHANOL,
            ("--labels", "labels.csv"),
            "labels.csv: its names, such as water, are those of no record of molecules.sdf, such as ethanol; ",
        ),
        (ETHANOL, ("--labels", "short.csv"), "short.csv:2:1: a line has a name and a label"),
        (ETHANOL, ("--labels", "twice.csv"), "twice.csv:3:1: ethanol has two labels, 1 and 0; delete one"),
        (ETHANOL, ("--labels", "header.csv"), "header.csv: there is no label after the header line"),
        ("", (), "molecules.sdf: the file is empty; a structure-data file (SDF) is expected here"),
    ],
)
def test_faults(folder: Folder, sdf: str, options: tuple[str, ...], message: str) -> None:
    folder.write(
        {
            "labels.csv": "name,label\nwater,1\n",
            "short.csv": "name,label\nwater\n",
            "twice.csv": "name,label\nethanol,1\nethanol,0\n",
            "header.csv": "name,label\n",
        }
    )
    outcome = imported(folder, sdf, *options, "-o", "data.pl")
    assert (outcome.code, outcome.stdout) == (1, "")
    assert message in outcome.stderr
    assert "data.pl" not in folder.content()


def test_without_rdkit(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rdkit", None)
    folder.write({"molecules.sdf": ETHANOL})
    outcome = folder.run("import", "molecules.sdf")
    assert outcome.code == 1
    assert "install it with pip install 'lrnn[rdkit]'" in outcome.stderr


def test_wrong_usage(folder: Folder) -> None:
    for options in (
        ("--label", "a", "--labels", "b.csv"),
        ("--label", "activity", "--positive", "a", "--negative", "a"),
    ):
        assert imported(folder, ETHANOL, *options).code == 2


def test_smiles_without_labels_are_scored(folder: Folder) -> None:
    """A model learned from SDF scores a table of SMILES in two commands: active are nitro groups on aromatic rings."""
    chemistry = pytest.importorskip("rdkit.Chem", reason="RDKit is not installed")
    table = (SCREENING / "candidates.csv").read_text()
    folder.write({"known.sdf": (SCREENING / "known.sdf").read_text(), "candidates.csv": table})
    assert folder.run("import", "known.sdf", "--label", "active", "-o", "known.pl").code == 0
    quick = ("--conjunctions", "0", "--iterations", "1")
    assert folder.run("learn-structure", "known.pl", *quick, "-o", "model.pl").code == 0
    assert folder.run("import", "candidates.csv", "-o", "candidates.pl").code == 0
    scored = folder.run("predict", "model.pl", "candidates.pl").stdout
    rows = [line.split("\t") for line in scored.splitlines()[1:]]
    nitro = chemistry.MolFromSmarts("[N+](=O)([O-])c")
    expected = [
        (name, "active", "", chemistry.MolFromSmiles(smiles).HasSubstructMatch(nitro))
        for name, smiles in (line.split(",") for line in table.splitlines()[1:])
    ]
    assert len(rows) == 100
    assert [(*row[:3], float(row[3]) > 0.5) for row in rows] == expected
    folder.run("import", "candidates.csv", "--target", "active", "-o", "asking.pl")
    assert folder.run("predict", "model.pl", "asking.pl").stdout == scored

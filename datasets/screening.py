"""Write datasets/screening: 80 molecules with labels as SDF, and 100 others without labels as SMILES.

    python datasets/screening.py

Molecules are rings with two substituents. Those with a nitro group on an aromatic ring are active; a nitro group on
another ring or at the end of a chain does nothing. RDKit writes the structures.
"""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

from rdkit import Chem

RINGS = (
    *("c1ccc({})c({})c1", "c1cc({})cc({})c1", "c1c({})ccc({})c1", "n1cc({})cc({})c1", "s1cc({})c({})c1"),
    *("C1CCC({})C({})C1", "C1C({})CCC({})C1", "C1C({})NCC({})C1", "C1CC({})C({})C1"),
)
NITRO = "[N+](=O)[O-]"
PARTS = ("F", "Cl", "Br", "C", "CC", "O", "OC", "N", "C#N", "C(=O)O", NITRO, f"C{NITRO}", f"CC{NITRO}")
ACTIVE = Chem.MolFromSmarts("a[N+](=O)[O-]")
FOLDER = Path(__file__).resolve().parent / "screening"
KNOWN, CANDIDATES = 80, 100


def drawn(seed: int) -> tuple[list[str], list[str]]:
    """SMILES of known molecules, half of them active, and of candidates, a quarter active, none of them known."""
    source = random.Random(seed)
    made = (ring.format(*parts) for ring, *parts in product(RINGS, PARTS, PARTS))
    smiles = list(dict.fromkeys(Chem.CanonSmiles(text) for text in made))
    source.shuffle(smiles)
    active = [text for text in smiles if is_active(text)]
    others = [text for text in smiles if not is_active(text)]
    known = [text for pair in zip(active, others, strict=False) for text in pair][:KNOWN]
    rest = [text for text in active if text not in known][: CANDIDATES // 4]
    rest += [text for text in others if text not in known][: CANDIDATES - len(rest)]
    source.shuffle(rest)
    return known, rest


def is_active(smiles: str) -> bool:
    return bool(Chem.MolFromSmiles(smiles).HasSubstructMatch(ACTIVE))


def sdf_text(smiles: list[str]) -> str:
    records = []
    for number, text in enumerate(smiles, 1):
        molecule = Chem.MolFromSmiles(text)
        molecule.SetProp("_Name", f"k{number}")
        records.append(f"{Chem.MolToMolBlock(molecule)}>  <active>\n{int(is_active(text))}\n\n$$$$\n")
    return "".join(records)


def main() -> None:
    known, candidates = drawn(1)
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "known.sdf").write_text(sdf_text(known))
    rows = [f"s{number},{text}\n" for number, text in enumerate(candidates, 1)]
    (FOLDER / "candidates.csv").write_text("".join(["name,smiles\n", *rows]))


if __name__ == "__main__":
    main()

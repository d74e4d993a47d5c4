"""Write datasets/shipments: what is planted is a threshold on one of two numbers.

    python datasets/thresholds.py [--folder datasets]

A shipment is late if it has a fragile parcel of 12.35 kg or more. Parcels of other kinds are as heavy, and the distance
does not matter. The same seed gives the same bytes.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from random import Random

import generate

SHIPMENTS = 120
"""Late ones, and as many that are not."""
KINDS = ("fragile", "food", "books")
HEAVY = 12.35


def make_shipments(seed: int = 1912) -> str:
    """Shipments with a distance in km, and with parcels that have a kind and a weight in kg."""
    random = Random(seed)
    made: dict[bool, list[list[str]]] = {True: [], False: []}
    while any(len(own) < SHIPMENTS for own in made.values()):
        distance = random.randrange(1000, 8000) / 10
        parcels = [(random.choice(KINDS), random.randrange(50, 2500) / 100) for _ in range(random.randint(2, 5))]
        late = any(kind == "fragile" and weight >= HEAVY for kind, weight in parcels)
        facts = [f"distance({distance})"]
        for number, (kind, weight) in enumerate(parcels, 1):
            facts += [f"{kind}(p{number})", f"weight(p{number}, {weight})"]
        if len(made[late]) < SHIPMENTS:
            made[late].append([*facts, f"query(late, {float(late)})"])
    drawn = made[True] + made[False]
    random.shuffle(drawn)
    lines = ["% Shipments that are late or not", f"% Made by datasets/thresholds.py with seed {seed}."]
    for number, facts in enumerate(drawn, 1):
        lines += [f"begin(model(s{number})).", *(f"{fact}." for fact in facts), f"end(model(s{number}))."]
    return "\n".join(lines) + "\n"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Make data with thresholds on numbers")
    parser.add_argument("--folder", type=Path, default=generate.HERE, help="where to write (default: beside this file)")
    arguments = parser.parse_args()
    generate.write(arguments.folder / "shipments" / "shipments.pl", make_shipments())


if __name__ == "__main__":
    main()

"""Make data with other targets than yes and no: three classes of trains, and a number for each bundled molecule.

    python datasets/targets.py [--folder datasets]

writes directions/directions.pl. The numbers of the molecules are not kept, since the molecules are there already:

    python datasets/targets.py --numbers numbers.pl

The same seeds give the same bytes.
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path
from random import Random

import generate
from generate import Car, Molecule

TRAINS = 100
"""Of each direction."""
CONTRIBUTIONS = {"hub": 1.5, "impostor": -1.0, "t4": 0.5}
"""What each hub, each impostor and each atom of the type t4 adds to the number of a molecule."""
NOISE = 0.5
"""The deviation of what is added to that."""


def direction(cars: tuple[Car, ...]) -> str:
    """The planted rules: a short car with a roof goes east; else a long car before one with a triangle goes west."""
    if generate.is_eastbound(cars):
        return "east"
    pairs = itertools.pairwise(cars)
    return "west" if any(one.length == "long" and other.load == "triangle" for one, other in pairs) else "nowhere"


def make_directions(seed: int = 1981) -> str:
    """As many trains of each direction, all with a short car, a long one and a triangle; no two are the same."""
    random = Random(seed)
    trains: dict[str, list[tuple[Car, ...]]] = {"east": [], "west": [], "nowhere": []}
    while any(len(found) < TRAINS for found in trains.values()):
        cars = tuple(generate.random_car(random) for _ in range(random.randint(3, 5)))
        tempting = {car.length for car in cars} == {"short", "long"} and any(car.load == "triangle" for car in cars)
        found = trains[direction(cars)]
        if tempting and len(found) < TRAINS and cars not in found:
            found.append(cars)
    drawn = [(cars, goes) for goes, found in trains.items() for cars in found]
    random.shuffle(drawn)
    lines = ["% Trains that go east, west or nowhere", f"% Made by datasets/targets.py with seed {seed}."]
    for number, (cars, goes) in enumerate(drawn, 1):
        facts = [f"{fact}." for fact in generate.train_facts(cars)]
        lines += [f"begin(model(t{number})).", *facts, f"query(direction, {goes}).", f"end(model(t{number}))."]
    return "\n".join(lines) + "\n"


def exact_number(molecule: Molecule) -> float:
    """The sum of contributions, without noise."""
    hubs = len(molecule.hubs())
    bonds = [
        {molecule.cluster(first), molecule.cluster(second)} for first, second, kind in molecule.bonds if kind == "b_2"
    ]
    impostors = bonds.count({"neutral", "acceptor"})
    counts = {"hub": hubs, "impostor": impostors, "t4": molecule.types.count("t4")}
    return sum(CONTRIBUTIONS[name] * count for name, count in counts.items())


def make_numbers(seed: int = 1998) -> tuple[str, float]:
    """The bundled molecules, with a number in place of their activity, and R2 of that number without noise."""
    random = Random(2017)
    arrangements = [item for item in generate.ARRANGEMENTS.values() for _ in range(item.molecules)]
    random.shuffle(arrangements)
    molecules = [generate.random_molecule(arrangement, random) for arrangement in arrangements]
    random = Random(seed)
    exact = [exact_number(molecule) for molecule in molecules]
    noisy = [round(number + random.gauss(0.0, NOISE), 4) for number in exact]
    lines = ["% Molecules with a number", f"% Made by datasets/targets.py with seed {seed}."]
    for place, (molecule, number) in enumerate(zip(molecules, noisy, strict=True)):
        facts = [f"{fact}." for fact in generate.molecule_facts(molecule, place % generate.FOLDS + 1)]
        lines += [f"begin(model(m{place + 1})).", *facts, f"query(score, {number}).", f"end(model(m{place + 1}))."]
    mean = sum(noisy) / len(noisy)
    left = sum((one - other) ** 2 for one, other in zip(exact, noisy, strict=True))
    return "\n".join(lines) + "\n", 1.0 - left / sum((number - mean) ** 2 for number in noisy)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Make data with classes and numbers as targets")
    parser.add_argument("--folder", type=Path, default=generate.HERE, help="where to write (default: beside this file)")
    parser.add_argument("--numbers", type=Path, help="write the molecules with numbers to this file, and nothing else")
    arguments = parser.parse_args()
    if arguments.numbers is None:
        generate.write(arguments.folder / "directions" / "directions.pl", make_directions())
        return
    text, explained = make_numbers()
    generate.write(arguments.numbers, text)
    print(f"R2 of the contributions without noise: {explained:.4f}")


if __name__ == "__main__":
    main()

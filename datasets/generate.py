"""Make the bundled data sets: trains, family and molecules.

    python datasets/generate.py [--folder datasets]

writes <name>/<name>.pl and the tables of figures in the README.md files; the text around those tables and the
template.pl files are written by hand. The same seeds give the same bytes: only `random.Random` of the standard library
draws, and nothing depends on the order of a set.
"""

from __future__ import annotations

import argparse
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

HERE = Path(__file__).resolve().parent

Figures = dict[str, str]
Pair = tuple[str, str]


@dataclass(frozen=True)
class Example:
    """One block of a data file: its facts, and its queries as pairs (atom, positive or not)."""

    facts: list[str]
    queries: list[tuple[str, bool]]


@dataclass(frozen=True)
class DataSet:
    """A data set with the truth of its planted rule: one value a query, in the order of the file."""

    name: str
    title: str
    prefix: str
    seed: int
    examples: list[Example]
    rule_values: list[bool]
    more_figures: Figures = field(default_factory=dict)

    def text(self) -> str:
        """The data file."""
        lines = [f"% {self.title}", f"% Made by datasets/generate.py with seed {self.seed}; README.md tells how."]
        for number, example in enumerate(self.examples, 1):
            lines.append(f"begin(model({self.prefix}{number})).")
            lines += [f"{fact}." for fact in example.facts]
            lines += [f"query({atom}, {float(positive)})." for atom, positive in example.queries]
            lines.append(f"end(model({self.prefix}{number})).")
        return "\n".join(lines) + "\n"

    def figures(self) -> Figures:
        """What the README.md states of this data set, label to value."""
        targets = [positive for example in self.examples for _, positive in example.queries]
        positives = sum(targets)
        agreeing = sum(target == value for target, value in zip(targets, self.rule_values, strict=True))
        counts = {
            "examples": str(len(self.examples)),
            "facts": str(sum(len(example.facts) for example in self.examples)),
            "queries": str(len(targets)),
            "positive queries": str(positives),
            "accuracy of the majority": f"{max(positives, len(targets) - positives) / len(targets):.4f}",
            "accuracy of the planted rule": f"{agreeing / len(targets):.4f}",
        }
        return {"seed": str(self.seed), **counts, **self.more_figures}


# ---- trains: eastbound if and only if some car is short and has a roof

TRAINS = 200
SHAPES = ["rectangle", "bucket", "ellipse", "hexagon", "u_shaped"]
ROOFS = ["none", "flat", "peaked", "arc", "jagged"]
LOADS = ["none", "circle", "triangle", "rectangle", "hexagon"]


@dataclass(frozen=True)
class Car:
    """The attributes of one car; the values are the ends of the predicate names."""

    shape: str
    length: str
    roof: str
    wheels: str
    load: str


def random_car(random: Random) -> Car:
    """A car; as in Michalski's trains, long cars are rectangles and only they can have three wheels a side."""
    length = random.choice(["short", "long"])
    shape = "rectangle" if length == "long" else random.choice(SHAPES)
    roof = "none" if random.random() < 0.5 else random.choice(ROOFS[1:])
    wheels = random.choice(["2", "3"]) if length == "long" else "2"
    return Car(shape, length, roof, wheels, random.choice(LOADS))


def is_eastbound(cars: Iterable[Car]) -> bool:
    """The planted rule: there is a short car with a roof."""
    return any(car.length == "short" and car.roof != "none" for car in cars)


def random_train(eastbound: bool, random: Random) -> tuple[Car, ...]:
    """A train of the given direction; whatever its direction, it has a short car and a car with a roof."""
    while True:
        cars = tuple(random_car(random) for _ in range(random.randint(2, 5)))
        tempting = any(car.length == "short" for car in cars) and any(car.roof != "none" for car in cars)
        if tempting and is_eastbound(cars) == eastbound:
            return cars


def train_facts(cars: tuple[Car, ...]) -> list[str]:
    """The facts of a train: its cars in their order, and their attributes as unary predicates."""
    names = [f"c{number}" for number in range(1, len(cars) + 1)]
    facts = [f"car({name})" for name in names]
    facts += [f"next({first},{second})" for first, second in itertools.pairwise(names)]
    for name, car in zip(names, cars, strict=True):
        facts += [f"{attribute}_{value}({name})" for attribute, value in vars(car).items()]
    return facts


def make_trains(seed: int = 1980) -> DataSet:
    """Half of the trains are eastbound, and no two are the same."""
    random = Random(seed)
    trains: list[tuple[Car, ...]] = []
    while len(trains) < TRAINS:
        train = random_train(len(trains) % 2 == 0, random)
        if train not in trains:
            trains.append(train)
    random.shuffle(trains)
    directions = [is_eastbound(train) for train in trains]
    examples = [
        Example(train_facts(train), [("eastbound", direction)])
        for train, direction in zip(trains, directions, strict=True)
    ]
    return DataSet("trains", "Trains, eastbound or not", "t", seed, examples, directions)


# ---- family: grandparent(X, Y) if and only if X is a parent of a parent of Y

FAMILIES = 6
NEGATIVES_PER_POSITIVE = 3
WOMEN = "anna berta clara dora emma frieda greta hanna ida julia klara lena mara nora olga paula rosa sara tina vera"
MEN = "adam boris carl david emil felix georg hugo ivan jakob karel leo max nils otto paul rudolf simon tomas viktor"


@dataclass(frozen=True)
class Family:
    """The members of a family with their sex, and the pairs (parent, child)."""

    sex: dict[str, str] = field(default_factory=dict)
    parents: list[Pair] = field(default_factory=list)

    def add_person(self, sex: str) -> str:
        """Add one member and return the name, a new one."""
        names = (WOMEN if sex == "female" else MEN).split()
        rounds, place = divmod(list(self.sex.values()).count(sex), len(names))
        name = names[place] + (str(rounds + 1) if rounds else "")
        self.sex[name] = sex
        return name


def random_family(random: Random) -> Family:
    """Up to four generations that descend from one couple; who marries in has no parents here."""
    family = Family()
    couples = [(family.add_person("female"), family.add_person("male"))]
    for generation in range(3):
        married: list[Pair] = []
        for couple in couples:
            for _ in range(random.randint(2, 3) if generation == 0 else random.randint(1, 3)):
                sex, other = random.sample(["female", "male"], 2)
                child = family.add_person(sex)
                family.parents.extend((parent, child) for parent in couple)
                if generation < 2 and random.random() < 0.75:
                    married.append((child, family.add_person(other)))
        couples = married
    return family


def composed(first: Iterable[Pair], second: Iterable[Pair]) -> list[Pair]:
    """The pairs (x, z) with (x, y) in the first relation and (y, z) in the second, x and z different; sorted."""
    second = list(second)
    return sorted({(x, z) for x, y in first for other, z in second if y == other and x != z})


def family_queries(family: Family, random: Random) -> list[tuple[str, bool]]:
    """All grandparents, and three times as many other pairs: up to a fifth from each of four near misses."""
    children = [(child, parent) for parent, child in family.parents]
    grandparents = composed(family.parents, family.parents)
    near_misses = [
        sorted(family.parents),
        composed(grandparents, family.parents),  # great-grandparents
        composed(children, family.parents),  # siblings
        composed(children, children),  # grandparents the wrong way round
    ]
    wanted = NEGATIVES_PER_POSITIVE * len(grandparents)
    negatives: list[Pair] = []
    for pairs in near_misses:
        negatives += random.sample(pairs, min(len(pairs), wanted // 5))
    known = set(grandparents + negatives)
    rest = [pair for pair in itertools.permutations(sorted(family.sex), 2) if pair not in known]
    negatives += random.sample(rest, wanted - len(negatives))
    pairs_and_targets = [(pair, True) for pair in grandparents] + [(pair, False) for pair in negatives]
    random.shuffle(pairs_and_targets)
    return [(f"grandparent({first},{second})", target) for (first, second), target in pairs_and_targets]


def make_family(seed: int = 1886) -> DataSet:
    """Every family is one example; the rule has no exceptions, so its values are the targets."""
    random = Random(seed)
    examples: list[Example] = []
    while len(examples) < FAMILIES:
        family = random_family(random)
        if not composed(composed(family.parents, family.parents), family.parents):
            continue  # it died out before the fourth generation
        facts = [f"parent({parent},{child})" for parent, child in family.parents]
        facts += [f"{sex}({name})" for name, sex in family.sex.items()]
        examples.append(Example(facts, family_queries(family, random)))
    rule_values = [target for example in examples for _, target in example.queries]
    return DataSet("family", "Families, who is whose grandparent", "f", seed, examples, rule_values)


# ---- molecules: active if and only if two hubs are neighbours; a hub is a donor with a double bond to an acceptor

FOLDS = 5
FLIPPED_PER_CLASS = 10
CLUSTERS = {"donor": ["t2", "t5", "t9"], "acceptor": ["t1", "t6", "t7"], "neutral": ["t3", "t4", "t8"]}
CLUSTER_OF = {atom_type: cluster for cluster, atom_types in CLUSTERS.items() for atom_type in atom_types}

Dyad = tuple[str, str, str]
"""Two atoms with a bond: cluster of the first, type of the bond, cluster of the second."""

DYADS: dict[str, list[Dyad]] = {
    "hub": [("donor", "b_2", "acceptor")],
    "decoy": [("donor", "b_2", "neutral"), ("donor", "b_2", "donor"), ("donor", "b_1", "acceptor")],
    "impostor": [("neutral", "b_2", "acceptor")],
}


@dataclass(frozen=True)
class Arrangement:
    """So many molecules consist of these two pairs of dyads; the dyads of a pair are joined by their first atoms."""

    molecules: int
    pairs: tuple[Pair, Pair]


ARRANGEMENTS = {
    "joined": Arrangement(500, (("hub", "hub"), ("decoy", "decoy"))),
    "crossed": Arrangement(200, (("hub", "decoy"), ("hub", "decoy"))),
    "lonely": Arrangement(50, (("hub", "decoy"), ("decoy", "decoy"))),
    "foreign": Arrangement(100, (("impostor", "impostor"), ("decoy", "decoy"))),
    "plain": Arrangement(150, (("decoy", "decoy"), ("decoy", "decoy"))),
}


@dataclass
class Molecule:
    """The types of the atoms, and the bonds as (atom, atom, bond type); atoms are numbers from 0."""

    types: list[str] = field(default_factory=list)
    bonds: list[tuple[int, int, str]] = field(default_factory=list)

    def add_atom(self, atom_type: str) -> int:
        """Add an atom and return its number."""
        self.types.append(atom_type)
        return len(self.types) - 1

    def cluster(self, atom: int) -> str:
        """The hidden cluster of an atom."""
        return CLUSTER_OF[self.types[atom]]

    def neighbours(self) -> list[list[tuple[int, str]]]:
        """For each atom its neighbours with the types of the bonds to them."""
        found: list[list[tuple[int, str]]] = [[] for _ in self.types]
        for first, second, kind in self.bonds:
            found[first].append((second, kind))
            found[second].append((first, kind))
        return found

    def hubs(self) -> set[int]:
        """The donors with a double bond to an acceptor."""
        return {
            atom
            for atom, others in enumerate(self.neighbours())
            if self.cluster(atom) == "donor"
            and any(kind == "b_2" and self.cluster(other) == "acceptor" for other, kind in others)
        }


def random_molecule(arrangement: Arrangement, random: Random) -> Molecule:
    """Two pairs of dyads hang, each by the second atom of a dyad, on a filling of one or two atoms of any type."""
    molecule = Molecule()
    filling = [molecule.add_atom(random.choice(list(CLUSTER_OF))) for _ in range(random.randint(1, 2))]
    molecule.bonds += [(first, second, "b_1") for first, second in itertools.pairwise(filling)]
    for pair in arrangement.pairs:
        dyads = [random.choice(DYADS[name]) for name in pair]
        firsts = [molecule.add_atom(random.choice(CLUSTERS[cluster])) for cluster, _, _ in dyads]
        seconds = [molecule.add_atom(random.choice(CLUSTERS[cluster])) for _, _, cluster in dyads]
        molecule.bonds += [
            (first, second, kind) for first, second, (_, kind, _) in zip(firsts, seconds, dyads, strict=True)
        ]
        molecule.bonds.append((firsts[0], firsts[1], "b_1"))
        molecule.bonds.append((random.choice(seconds), random.choice(filling), "b_1"))
    return renumbered(molecule, random)


def renumbered(molecule: Molecule, random: Random) -> Molecule:
    """The same molecule with atoms, bonds and directions of bonds in random order."""
    order = random.sample(range(len(molecule.types)), len(molecule.types))
    place = {atom: number for number, atom in enumerate(order)}
    bonds: list[tuple[int, int, str]] = []
    for bond in random.sample(molecule.bonds, len(molecule.bonds)):
        first, second = random.sample(bond[:2], 2)
        bonds.append((place[first], place[second], bond[2]))
    return Molecule([molecule.types[atom] for atom in order], bonds)


def is_active(molecule: Molecule) -> bool:
    """The planted rule: two hubs are neighbours."""
    hubs = molecule.hubs()
    return any(first in hubs and second in hubs for first, second, _ in molecule.bonds)


def molecule_facts(molecule: Molecule, fold: int) -> list[str]:
    """The facts of a molecule; a bond is an object, and relates its atoms in both directions."""
    facts = [f"fold({fold})"]
    for number, (first, second, kind) in enumerate(molecule.bonds, 1):
        bond = f"b{number}"
        facts.append(f"bond(a{first + 1},a{second + 1},{bond})")
        facts.append(f"bond(a{second + 1},a{first + 1},{bond})")
        facts.append(f"{kind}({bond})")
    return facts + [f"{kind}(a{number})" for number, kind in enumerate(molecule.types, 1)]


def best_threshold(molecules: list[Molecule], targets: list[bool], count: Callable[[Molecule], Counter[str]]) -> str:
    """The highest accuracy on all molecules of one test `count of one feature >= n`, or of its negation."""
    counts = [count(molecule) for molecule in molecules]
    best = 0.0
    for feature in sorted({feature for counter in counts for feature in counter}):
        for threshold in range(1, max(counter[feature] for counter in counts) + 1):
            guesses = [counter[feature] >= threshold for counter in counts]
            accuracy = sum(guess == target for guess, target in zip(guesses, targets, strict=True)) / len(targets)
            best = max(best, accuracy, 1 - accuracy)
    return f"{best:.4f}"


def count_types(molecule: Molecule) -> Counter[str]:
    """How many atoms there are of each type."""
    return Counter(molecule.types)


def count_bonds(molecule: Molecule) -> Counter[str]:
    """How many bonds there are of each type between each two clusters."""
    return Counter(
        " ".join([kind, *sorted([molecule.cluster(first), molecule.cluster(second)])])
        for first, second, kind in molecule.bonds
    )


def count_paths(molecule: Molecule) -> Counter[str]:
    """How many paths of three atoms there are, by clusters and types of bonds."""
    paths: Counter[str] = Counter()
    for atom, others in enumerate(molecule.neighbours()):
        for ends in itertools.combinations(others, 2):
            sides = sorted(f"{kind} {molecule.cluster(end)}" for end, kind in ends)
            paths[f"{molecule.cluster(atom)}: {sides[0]}, {sides[1]}"] += 1
    return paths


def stratified_folds(classes: list[tuple[bool, bool]], random: Random) -> list[int]:
    """A fold for each class in the list, every class spread evenly over the folds."""
    fold = [0] * len(classes)
    place = 0
    for name in sorted(set(classes)):
        members = [number for number, other in enumerate(classes) if other == name]
        for number in random.sample(members, len(members)):
            fold[number] = place % FOLDS + 1
            place += 1
    return fold


def make_molecules(seed: int = 2017) -> DataSet:
    """Half of the molecules are active; some targets of each class are flipped, as many in each fold."""
    random = Random(seed)
    arrangements = [item for item in ARRANGEMENTS.values() for _ in range(item.molecules)]
    random.shuffle(arrangements)
    molecules = [random_molecule(arrangement, random) for arrangement in arrangements]
    rule_values = [is_active(molecule) for molecule in molecules]
    targets = list(rule_values)
    for value in (True, False):
        for number in random.sample([n for n, truth in enumerate(rule_values) if truth == value], FLIPPED_PER_CLASS):
            targets[number] = not value
    fold = stratified_folds(list(zip(targets, rule_values, strict=True)), random)
    examples = [
        Example(molecule_facts(molecule, fold[number]), [("active", targets[number])])
        for number, molecule in enumerate(molecules)
    ]
    figures = {
        "flipped targets": str(2 * FLIPPED_PER_CLASS),
        "accuracy of the best count of one atom type": best_threshold(molecules, targets, count_types),
        "accuracy of the best count of one bond": best_threshold(molecules, targets, count_bonds),
        "accuracy of the best count of one path of three atoms": best_threshold(molecules, targets, count_paths),
    }
    return DataSet("molecules", "Molecules, active or not", "m", seed, examples, rule_values, figures)


# ---- files


def with_table(text: str, rows: list[list[str]]) -> str:
    """The text with the rows as the table between its two marks, `<!-- figures -->` and `<!-- end of figures -->`."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|---" * len(rows[0]) + "|")
    table = "<!-- figures -->\n\n" + "\n".join(lines) + "\n\n<!-- end of figures -->"
    return re.sub("<!-- figures -->.*<!-- end of figures -->", table, text, flags=re.DOTALL)


def write(path: Path, text: str) -> None:
    """Write a file with Unix line ends, with its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def generate(folder: Path) -> None:
    """Write all data files and README.md files into the folder."""
    columns = ["examples", "queries", "positive queries", "accuracy of the majority", "accuracy of the planted rule"]
    index = [["data set", *columns]]
    for data_set in (make_trains(), make_family(), make_molecules()):
        figures = data_set.figures()
        write(folder / data_set.name / f"{data_set.name}.pl", data_set.text())
        readme = (HERE / data_set.name / "README.md").read_text(encoding="utf-8")
        rows = [["figure", "value"], *([label, value] for label, value in figures.items())]
        write(folder / data_set.name / "README.md", with_table(readme, rows))
        index.append([f"[{data_set.name}]({data_set.name}/README.md)", *(figures[column] for column in columns)])
    write(folder / "README.md", with_table((HERE / "README.md").read_text(encoding="utf-8"), index))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Make the bundled data sets")
    parser.add_argument("--folder", type=Path, default=HERE, help="where to write (default: beside this file)")
    generate(parser.parse_args().folder)


if __name__ == "__main__":
    main()

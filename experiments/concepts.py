"""Small data with planted concepts: about trains, pieces of Zendo, graphs and chess boards.

    python experiments/concepts.py FOLDER [--examples 150] [--noise 0.1]
    lrnn crossvalidate FOLDER/*.pl --folds 3 --learner lrnn --learner nfoil

writes FOLDER/<concept>.pl for each of CONCEPTS, half of the examples positive. With noise, so many targets are turned
around. The same arguments give the same bytes.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any


@dataclass(frozen=True)
class World:
    """What an example is about, and the facts that say it."""

    things: Any
    facts: list[str]


@dataclass(frozen=True)
class Concept:
    """How worlds are drawn, and which are positive."""

    draw: Callable[[Random], World]
    holds: Callable[[Any], bool]


@dataclass(frozen=True)
class Car:
    length: str
    roof: str
    load: str
    loads: int
    wheels: int


def train(random: Random) -> World:
    """Two to five cars in a row, with up to three loads of one kind each."""
    cars: list[Car] = []
    facts: list[str] = []
    for number in range(random.randint(2, 5)):
        length = random.choice(["long", "short"])
        roof = random.choice(["open", "closed", "jagged"])
        load = random.choice(["triangle", "circle", "rect", "hexagon"])
        car = Car(length, roof, load, random.randint(0, 3), random.choice([2, 3]))
        name = f"c{number}"
        facts += [f"has_car({name})", f"{length}({name})", f"roof_{roof}({name})", f"wheels_{car.wheels}({name})"]
        if cars:
            facts.append(f"before(c{number - 1},{name})")
        for place in range(car.loads):
            facts += [f"has_load({name},l{number}_{place})", f"{load}(l{number}_{place})"]
        cars.append(car)
    return World(cars, facts)


def carries(car: Car, load: str) -> bool:
    return car.load == load and car.loads > 0


def three_kinds(cars: list[Car]) -> bool:
    """A short jagged car with three wheels, an open one before a long closed one, or an empty long closed one."""
    return (
        any((car.length, car.roof, car.wheels) == ("short", "jagged", 3) for car in cars)
        or any(
            first.roof == "open" and (second.roof, second.length) == ("closed", "long")
            for first, second in itertools.pairwise(cars)
        )
        or any((car.loads, car.roof, car.length) == (0, "closed", "long") for car in cars)
    )


@dataclass(frozen=True)
class Piece:
    colour: str
    size: str
    stance: str
    column: int


@dataclass(frozen=True)
class Structure:
    """touching: pairs of places in pieces, in both orders."""

    pieces: list[Piece]
    touching: set[tuple[int, int]]


def zendo(random: Random) -> World:
    """Three to six pieces, some of which touch each other."""
    pieces: list[Piece] = []
    facts: list[str] = []
    for number in range(random.randint(3, 6)):
        colour = random.choice(["red", "green", "blue"])
        size = random.choice(["small", "medium", "large"])
        stance = random.choice(["upright", "lhs", "rhs", "strange"])
        column, row = random.randint(0, 4), random.randint(0, 4)
        pieces.append(Piece(colour, size, stance, column))
        name = f"p{number}"
        facts += [f"{kind}({name})" for kind in ("piece", colour, size, stance)]
        facts += [f"coord1({name},x{column})", f"coord2({name},y{row})"]
    touching: set[tuple[int, int]] = set()
    for first, second in itertools.combinations(range(len(pieces)), 2):
        if random.random() < 0.3:
            touching |= {(first, second), (second, first)}
            facts += [f"contact(p{first},p{second})", f"contact(p{second},p{first})"]
    return World(Structure(pieces, touching), facts)


def blue_above_red(structure: Structure) -> bool:
    """A blue and a red piece in one column."""
    return any(
        (first.colour, second.colour) == ("blue", "red") and first.column == second.column
        for first, second in itertools.product(structure.pieces, repeat=2)
    )


def small_blue_touches_upright(structure: Structure) -> bool:
    pieces = structure.pieces
    return any(
        (pieces[first].size, pieces[first].colour, pieces[second].stance) == ("small", "blue", "upright")
        for first, second in structure.touching
    )


@dataclass(frozen=True)
class Graph:
    """colour: of each node; edges: from one node to another."""

    colour: list[str]
    edges: set[tuple[int, int]]

    def rows(self, length: int) -> list[tuple[int, ...]]:
        """So many different nodes, an edge from each to the next."""
        nodes = range(len(self.colour))
        return [
            row
            for row in itertools.permutations(nodes, length)
            if all(pair in self.edges for pair in itertools.pairwise(row))
        ]


def graph(random: Random) -> World:
    """Six to ten coloured nodes."""
    count = random.randint(6, 10)
    colour = [{"r": "red", "g": "green", "b": "blue", "w": "white"}[random.choice("rgbw")] for _ in range(count)]
    edges = {
        (first, second)
        for first, second in itertools.product(range(count), repeat=2)
        if first != second and random.random() < 0.18
    }
    facts = [f"{own}(n{node})" for node, own in enumerate(colour)]
    facts += [f"edge(n{first},n{second})" for first, second in sorted(edges)]
    return World(Graph(colour, edges), facts)


def red_in_a_triangle(graph: Graph) -> bool:
    return any(graph.colour[a] == "red" and (c, a) in graph.edges for a, b, c in graph.rows(3))


def red_before_two_blue(graph: Graph) -> bool:
    blue = [first for first, second in graph.edges if graph.colour[second] == "blue"]
    return any(colour == "red" and blue.count(node) >= 2 for node, colour in enumerate(graph.colour))


def red_not_white_green(graph: Graph) -> bool:
    """A red node, one that is not white and a green one in a row."""
    colour = graph.colour
    return any((colour[a], colour[c]) == ("red", "green") and colour[b] != "white" for a, b, c in graph.rows(3))


def chess(random: Random) -> World:
    """A white king and rook, and a black king: places (file, rank)."""
    places = {name: (random.randint(1, 8), random.randint(1, 8)) for name in ("wk", "wr", "bk")}
    facts = [
        fact
        for name, (file, rank) in places.items()
        for fact in (f"{name}({name})", f"file({name},v{file})", f"rank({name},h{rank})")
    ]
    for number in range(1, 8):
        for line in "vh":
            facts += [f"adj({line}{number},{line}{number + 1})", f"adj({line}{number + 1},{line}{number})"]
    for number in range(1, 9):
        facts += [f"adj(v{number},v{number})", f"adj(h{number},h{number})"]
    return World(places, facts)


def illegal(places: dict[str, tuple[int, int]]) -> bool:
    """The rook attacks the black king, or the kings are beside each other."""
    king, rook, other = places["wk"], places["wr"], places["bk"]
    beside = max(abs(king[0] - other[0]), abs(king[1] - other[1])) <= 1
    return rook[0] == other[0] or rook[1] == other[1] or beside


CONCEPTS = {
    "two_cars": Concept(
        train,
        lambda cars: (
            any((car.length, car.roof) == ("short", "closed") for car in cars)
            and any(carries(car, "triangle") for car in cars)
        ),
    ),
    "behind": Concept(
        train,
        lambda cars: any(carries(a, "triangle") and carries(b, "circle") for a, b in itertools.pairwise(cars)),
    ),
    "three_same": Concept(train, lambda cars: any(car.loads == 3 and car.load in ("circle", "rect") for car in cars)),
    "no_long": Concept(train, lambda cars: not any((car.length, car.wheels) == ("long", 3) for car in cars)),
    "three_kinds": Concept(train, three_kinds),
    "three_colours": Concept(zendo, lambda structure: len({piece.colour for piece in structure.pieces}) == 3),
    "column": Concept(zendo, blue_above_red),
    "contact": Concept(zendo, small_blue_touches_upright),
    "triangle": Concept(graph, red_in_a_triangle),
    "fork": Concept(graph, red_before_two_blue),
    "row": Concept(graph, red_not_white_green),
    "chess": Concept(chess, illegal),
}


def examples(concept: Concept, count: int, random: Random) -> list[tuple[World, bool]]:
    """Half of them positive, in random order."""
    drawn: dict[bool, list[tuple[World, bool]]] = {True: [], False: []}
    wanted = {True: count // 2, False: count - count // 2}
    while any(len(drawn[holds]) < wanted[holds] for holds in wanted):
        world = concept.draw(random)
        holds = concept.holds(world.things)
        if len(drawn[holds]) < wanted[holds]:
            drawn[holds].append((world, holds))
    together = drawn[True] + drawn[False]
    random.shuffle(together)
    return together


def data_text(name: str, count: int, noise: float) -> str:
    """The data file of a concept."""
    random = Random(f"{name} {count} {noise}")
    blocks = []
    for number, (world, holds) in enumerate(examples(CONCEPTS[name], count, random)):
        target = holds != (random.random() < noise)
        lines = [f"begin(model(e{number})).", *(f"{fact}." for fact in world.facts)]
        blocks.append("\n".join([*lines, f"query(good, {float(target)}).", f"end(model(e{number}))."]) + "\n")
    return "".join(blocks)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--examples", type=int, default=150)
    parser.add_argument("--noise", type=float, default=0.0)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name in CONCEPTS:
        text = data_text(name, arguments.examples, arguments.noise)
        (arguments.folder / f"{name}.pl").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

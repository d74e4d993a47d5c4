"""Bodies of candidate rules, equal ones in one form.

A body is relations over variables, and *slots*: places where a predicate of some layer is asked of variables. Layers
from 1 on hold latent predicates, layer 0 the unary predicates of the data. Bodies that differ in nothing but which
predicate fills each slot share one table of groundings. Variables are numbers; those of the head come first.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property

from lrnn_cli.grounding.joins.relations import Literal, Symmetries
from lrnn_cli.language.clauses import Atom, Predicate, Rule, Variable

Slot = tuple[tuple[int, ...], int]
"""Variables, layer. A slot of several variables can bring in variables that neither the head nor a relation has."""
Named = tuple[int, ...]
"""Variables that have new names: the first is now 0, the next 1."""
OPEN = ""
"""Fills a slot of a refinement: it stands for any predicate of the layer."""


@dataclass(frozen=True, order=True)
class Shape:
    """A body without the choice of latent predicates; slots ascend."""

    head: Predicate
    relations: tuple[Literal, ...]
    slots: tuple[Slot, ...]

    @cached_property
    def joined(self) -> int:
        """The number of variables of the head and of relations; they are the first ones."""
        return max([self.head.arity, *(variable + 1 for _, variables in self.relations for variable in variables)])

    @cached_property
    def variables(self) -> int:
        return max([self.joined, *(variable + 1 for variables, _ in self.slots for variable in variables)])

    @property
    def repeats(self) -> bool:
        """Whether a relation stands twice: one that is symmetric may come out as one that is there already."""
        return len(set(self.relations)) < len(self.relations)

    @property
    def safe(self) -> bool:
        """Every variable of the head occurs in the body."""
        used = {variable for _, variables in self.relations for variable in variables}
        used.update(variable for variables, _ in self.slots for variable in variables)
        return used.issuperset(range(self.head.arity))

    @property
    def of_example(self) -> bool:
        """Whether it has relations, and neither these nor the head have arguments."""
        return bool(self.relations) and not self.joined

    @property
    def length(self) -> int:
        return len(self.relations) + len(self.slots)


@dataclass(frozen=True, order=True)
class Candidate:
    """A shape, and for each slot the name of the predicate that fills it."""

    shape: Shape
    filling: tuple[str, ...]

    @property
    def layer(self) -> int:
        """The highest layer of a latent predicate in the body, 1 if there is none."""
        return max([1, *(layer for _, layer in self.shape.slots)])

    def atoms(self) -> tuple[Atom, ...]:
        atoms = [_atom(predicate.name, variables) for predicate, variables in self.shape.relations]
        for (variables, _), name in zip(self.shape.slots, self.filling, strict=True):
            atoms.append(_atom(name, variables))
        return tuple(atoms)

    def rule(self, weight: float | None = None) -> Rule:
        head = _atom(self.shape.head.name, tuple(range(self.shape.head.arity)))
        return Rule(head, self.atoms(), weight=weight)


def latent_name(layer: int, number: int) -> str:
    return f"latent_{layer}_{number}"


def variable_name(number: int) -> str:
    return f"V{number + 1}"


def _atom(name: str, variables: tuple[int, ...]) -> Atom:
    return Atom(name, tuple(Variable(variable_name(variable)) for variable in variables))


class Canonical:
    """Gives one form to all variants: bodies equal up to names of variables, order, and symmetry of relations."""

    def __init__(self, symmetries: Symmetries) -> None:
        self.symmetries = symmetries
        self._forms: dict[Shape, tuple[Shape, list[tuple[int, ...]]]] = {}

    def __call__(self, candidate: Candidate) -> Candidate:
        if candidate.shape not in self._forms:
            self._forms[candidate.shape] = self._form(candidate.shape)
        shape, orders = self._forms[candidate.shape]
        filling = candidate.filling
        return Candidate(shape, min(_ordered(shape, [filling[slot] for slot in order]) for order in orders))

    def _form(self, shape: Shape) -> tuple[Shape, list[tuple[int, ...]]]:
        """The least of all variants of a shape, and the orders of slots in which it comes about."""
        best: Shape | None = None
        orders: set[tuple[int, ...]] = set()
        relations, namings = self._least_relations(shape)
        for known in namings:
            for names in _slot_names(shape, known):
                slots = [(tuple(names[variable] for variable in variables), layer) for variables, layer in shape.slots]
                order = tuple(sorted(range(len(slots)), key=lambda slot: slots[slot]))
                variant = Shape(shape.head, relations, tuple(slots[slot] for slot in order))
                if best is None or variant < best:
                    best, orders = variant, set()
                if variant == best:
                    orders.add(order)
        assert best is not None
        return best, sorted(orders)

    def _least_relations(self, shape: Shape) -> tuple[tuple[Literal, ...], list[dict[int, int]]]:
        """The least of all variants of the relations, and all names of variables that make it of them.

        It grows by the least literal that can come next. Beginnings that leave the same literals over, and have the
        same names, are one.
        """
        beginnings: dict[tuple[Named, tuple[int, ...]], None]
        beginnings = {(tuple(range(shape.head.arity)), tuple(range(len(shape.relations)))): None}
        least: list[Literal] = []
        for _ in shape.relations:
            best: Literal | None = None
            longer: dict[tuple[Named, tuple[int, ...]], None] = {}
            for named, left in beginnings:
                for number in _next(shape, named, left):
                    predicate, variables = shape.relations[number]
                    rest = tuple(other for other in left if other != number)
                    for positions in self.symmetries.get(predicate, (tuple(range(predicate.arity)),)):
                        arguments, all_named = _with_names([variables[position] for position in positions], named)
                        literal = predicate, arguments
                        if best is None or literal < best:
                            best, longer = literal, {}
                        if literal == best:
                            longer[all_named, rest] = None
            assert best is not None
            least.append(best)
            beginnings = longer
        return tuple(least), [{variable: name for name, variable in enumerate(named)} for named, _ in beginnings]


def _next(shape: Shape, named: Named, left: tuple[int, ...]) -> list[int]:
    """Which of the relations that are left share a variable with what has names; all if none does."""
    known = set(named)
    connected = [
        number
        for number in left
        if not (known and shape.relations[number][1] and known.isdisjoint(shape.relations[number][1]))
    ]
    return connected or list(left)


def _with_names(variables: list[int], named: Named) -> tuple[tuple[int, ...], Named]:
    """The names of some variables, and all that have names then."""
    for variable in variables:
        if variable not in named:
            named = (*named, variable)
    return tuple(map(named.index, variables)), named


def _slot_names(shape: Shape, known: dict[int, int]) -> list[dict[int, int]]:
    """Names of all variables: the known ones, and those that slots bring in, slot by slot in every connected order."""
    binding = [variables for variables, _ in shape.slots if not known.keys() >= set(variables)]
    namings = []
    for order in itertools.permutations(dict.fromkeys(binding)):
        names = dict(known)
        for variables in order:
            if names and names.keys().isdisjoint(variables):
                break
            _renamed(variables, names)
        else:
            namings.append(names)
    return namings


def _ordered(shape: Shape, filling: list[str]) -> tuple[str, ...]:
    """Fillings of equal slots ascend."""
    filled = sorted(zip(shape.slots, filling, strict=True))
    return tuple(name for _, name in filled)


def _renamed(variables: tuple[int, ...], names: dict[int, int]) -> tuple[int, ...]:
    for variable in variables:
        if variable not in names:
            names[variable] = len(names)
    return tuple(names[variable] for variable in variables)

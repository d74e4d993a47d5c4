"""Sorts of arguments: which of them hold objects of the same kind.

Two arguments have one sort when a name occurs in both, or by a chain of such. A number is no name by itself: a piece of
size 3 has nothing to do with the third example. Integers are taken for names of objects where they look like it:

- two arguments of one predicate, as in next(1, 2), have at least half of their integers in common;
- arguments of two predicates have nearly all of them in common;
- a unary predicate of integers, small(1), goes with the argument that holds them and little else.

Other numbers join nothing. Quoted digits, '42' and "42", are names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lrnn_cli.grounding.objects import ObjectNames
from lrnn_cli.grounding.tables import Table, distinct_keys
from lrnn_cli.language.clauses import Predicate

INTEGER = re.compile(r"-?[0-9]+\Z")
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+(e[+-]?[0-9]+|Inf|NaN)?|r[0-9]+)?\Z")
NAMED, WHOLE, OTHER = 0, 1, 2
"""What an object is called by: a name, an integer, another number."""
ONE_PREDICATE = 0.5
TWO_PREDICATES = 0.8
"""The share of integers that arguments of one or of two predicates have in common where these are names."""

Place = tuple[Predicate, int]
Sorts = dict[Predicate, tuple[int, ...]]


def called_by(names: Sequence[str]) -> np.ndarray:
    """(objects,) what each object is called by: NAMED, WHOLE or OTHER."""

    def kind(name: str) -> int:
        if not NUMBER.match(name):
            return NAMED
        return WHOLE if INTEGER.match(name) else OTHER

    return ObjectNames.of(names).each(kind, np.int8)


@dataclass(frozen=True)
class _Integers:
    """The integers of an argument: as objects, each of one example, and as numbers whatever their example."""

    objects: np.ndarray
    values: np.ndarray

    def common(self, other: _Integers) -> float:
        """The share of the objects of the smaller of two arguments that the larger has."""
        smaller, larger = sorted((self.objects, other.objects), key=len)
        return float(np.isin(smaller, larger).mean())

    def closeness(self, other: _Integers) -> float:
        """The smaller number of values of two arguments divided by the larger."""
        smaller, larger = sorted((len(self.values), len(other.values)))
        return smaller / larger


class ArgumentSorts:
    """Sorts of the arguments of predicates with facts, from the facts in tables and the names of all objects.

    given: the sorts of all of them, where the data file says them.
    """

    def __init__(self, tables: dict[Predicate, Table], names: Sequence[str], given: Sorts | None = None) -> None:
        self._kind = called_by(names)
        self._names = names
        self._places = [(predicate, place) for predicate in sorted(tables) for place in range(predicate.arity)]
        self._columns = [distinct_keys(tables[predicate].objects[:, place]) for predicate, place in self._places]
        self._parent = list(range(len(self._places)))
        self._integers = {
            number: self._as_integers(column)
            for number, column in enumerate(self._columns)
            if len(column) and (self._kind[column] == WHOLE).all()
        }
        if given is None:
            self._join_names()
            self._join_integers()
        else:
            self._join_given(given)
        self.sorts: Sorts = dict.fromkeys(sorted(tables), ())
        for number, (predicate, _) in enumerate(self._places):
            self.sorts[predicate] += (self._root(number),)
        self.sorts.update(given or {})

    def of_objects(self, objects: np.ndarray) -> int:
        """The sort that these objects, those of an argument of a target, are of; -1 where there are several or none."""
        objects = distinct_keys(objects)
        if (self._kind[objects] == NAMED).any():
            named = objects[self._kind[objects] == NAMED]
            met = {self._sort(number) for number, column in enumerate(self._columns) if np.isin(column, named).any()}
            return met.pop() if len(met) == 1 else -1
        if not len(objects) or (self._kind[objects] != WHOLE).any():
            return -1
        closest = self._closest(self._as_integers(objects), list(self._integers))
        return -1 if closest is None else self._sort(closest)

    def _as_integers(self, objects: np.ndarray) -> _Integers:
        return _Integers(objects, np.unique([int(self._names[number]) for number in objects.tolist()]))

    def _sort(self, number: int) -> int:
        predicate, place = self._places[number]
        return self.sorts[predicate][place]

    def _root(self, number: int) -> int:
        parent = self._parent
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number

    def _join(self, one: int, other: int) -> None:
        self._parent[self._root(one)] = self._root(other)

    def _join_given(self, given: Sorts) -> None:
        first: dict[int, int] = {}
        for number, (predicate, place) in enumerate(self._places):
            self._join(number, first.setdefault(given[predicate][place], number))

    def _join_names(self) -> None:
        owner = np.full(len(self._kind), -1, np.int64)
        for number, column in enumerate(self._columns):
            named = column[self._kind[column] == NAMED]
            for other in np.unique(owner[named]):
                if other >= 0:
                    self._join(int(other), number)
            owner[named] = number

    def _join_integers(self) -> None:
        related = [number for number in self._integers if self._places[number][0].arity > 1]
        for one, other in _pairs(related):
            same = self._places[one][0] == self._places[other][0]
            least = ONE_PREDICATE if same else TWO_PREDICATES
            first, second = self._integers[one], self._integers[other]
            if first.closeness(second) >= least and first.common(second) >= least:
                self._join(one, other)
        for number, integers in self._integers.items():
            if number not in related:
                closest = self._closest(integers, related)
                if closest is not None:
                    self._join(number, closest)

    def _closest(self, integers: _Integers, among: list[int]) -> int | None:
        """The argument that holds these integers and as little else as possible; None for several of other sorts."""
        holding = [
            number
            for number in among
            if len(self._integers[number].objects) >= len(integers.objects)
            and integers.common(self._integers[number]) >= TWO_PREDICATES
        ]
        if not holding:
            return None
        closeness = {number: integers.closeness(self._integers[number]) for number in holding}
        best = [number for number in holding if closeness[number] == max(closeness.values())]
        return best[0] if len({self._root(number) for number in best}) == 1 else None


def _pairs(numbers: list[int]) -> Iterator[tuple[int, int]]:
    for place, one in enumerate(numbers):
        for other in numbers[place + 1 :]:
            yield one, other

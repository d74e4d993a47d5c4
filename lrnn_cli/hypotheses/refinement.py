"""Refinements of a body: one more literal, as the paper's top-down search makes them.

A relation shares a variable with the body; with it come, if wanted, latent predicates of its new variables, since a
relation alone hardly changes a mean, and literals of the data about them. A latent predicate of several arguments can
bring in variables as well. Arguments meet only where their sorts do. New slots of a refinement are open: they stand for
any predicate of their layer.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from lrnn_cli.grounding.joins.relations import Literal
from lrnn_cli.hypotheses.bodies import OPEN, Candidate, Canonical, Shape, Slot
from lrnn_cli.language.clauses import Predicate

Item = TypeVar("Item")


@dataclass(frozen=True)
class Language:
    """What bodies are made of, and how large they may be.

    sorts: of the arguments of relations; layers: for each layer the sorts that the arguments of its predicates have,
    all possible choices of them, -1 for any sort. alike: predicates with the same value are conditions on one number;
    a body has one of them at most for the same objects. together: so many literals of the data, at most, come with a
    relation.
    """

    relations: tuple[Predicate, ...]
    sorts: dict[Predicate, tuple[int, ...]]
    canonical: Canonical
    layers: dict[int, frozenset[tuple[int, ...]]]
    length: int
    variables: int
    alike: Mapping[str, Hashable] = field(default_factory=dict)
    together: int = sys.maxsize


def refinements(candidate: Candidate, language: Language, head_sorts: tuple[int, ...]) -> list[Candidate]:
    """All refinements, variants only once, in a fixed order."""
    bodies = {language.canonical(Candidate(*refined)) for refined in _refined(candidate, language, head_sorts)}
    return sorted(body for body in bodies if not body.shape.repeats)


def paths(
    head: Predicate,
    language: Language,
    head_sorts: tuple[int, ...],
    longest: int = 3,
    most: int = sys.maxsize,
    random: np.random.Generator | None = None,
) -> list[Candidate]:
    """Bodies that are paths of relations between the first two variables of a head, at most so many.

    A path of several relations says nothing before its last one is there, so a search that adds one at a time would
    not find it. Shorter ones come first; where there are too many of a length, some are drawn.
    """
    between: dict[Candidate, None] = {}
    frontier = [(Shape(head, (), ()), 0)]
    for _ in range(min(longest, language.length)):
        extended: list[tuple[Shape, int]] = []
        whole: list[Shape] = []
        for shape, end in drawn(frontier, most - len(between), random):
            for literal in _relations(shape, _variable_sorts(shape, language, head_sorts), language):
                if end not in literal[1]:
                    continue
                longer = Shape(head, (*shape.relations, literal), ())
                if 1 in literal[1]:
                    whole.append(longer)
                else:
                    extended += [(longer, variable) for variable in literal[1] if variable >= shape.variables]
        for shape in drawn(whole, most - len(between), random):
            between[language.canonical(Candidate(shape, ()))] = None
        frontier = extended
    return sorted(between)


def drawn(items: Sequence[Item], most: int, random: np.random.Generator | None) -> Sequence[Item]:
    """All of some items or, where there are more, so many of them that are drawn, in their order."""
    if len(items) <= most or random is None:
        return items
    return [items[place] for place in np.sort(random.choice(len(items), max(most, 0), replace=False)).tolist()]


def with_relation(shape: Shape, language: Language, head_sorts: tuple[int, ...]) -> list[Shape]:
    """Shapes of relations alone with one relation more, variants only once, in a fixed order.

    What is said of the whole example stands alone: conjunctions of parts bring it together with others.
    """
    shapes = set()
    if shape.of_example:
        return []
    for literal in _relations(shape, _variable_sorts(shape, language, head_sorts), language):
        if shape.relations and not shape.head.arity and not literal[1]:
            continue
        longer = Shape(shape.head, (*shape.relations, literal), ())
        if longer.length <= language.length:
            shapes.add(language.canonical(Candidate(longer, ())).shape)
    return sorted(item for item in shapes if not item.repeats)


def first_relations(head: Predicate, language: Language, head_sorts: tuple[int, ...]) -> Iterator[Literal]:
    """Relations that an empty body can begin with."""
    return _relations(Shape(head, (), ()), list(head_sorts), language)


def _refined(
    candidate: Candidate, language: Language, head_sorts: tuple[int, ...]
) -> Iterator[tuple[Shape, tuple[str, ...]]]:
    shape = candidate.shape
    if shape.length >= language.length:
        return
    sorts = _variable_sorts(shape, language, head_sorts)
    for slot in _binding_slots(shape, sorts, language):
        yield _with(candidate, (), (slot,))
    for slot in _slots(sorts, 0, language):
        yield _with(candidate, (), (slot,))
    for literal in _relations(shape, sorts, language):
        fresh = sorted({variable for variable in literal[1] if variable >= shape.variables})
        extended = sorts + [-1] * len(fresh)
        for variable, sort in zip(literal[1], language.sorts[literal[0]], strict=True):
            extended[variable] = sort
        slots = _slots(extended, shape.variables, language)
        for count in range(min(language.length - shape.length - 1, len(fresh)) + 1):
            for chosen in itertools.combinations(slots, count):
                of_data = sum(layer == 0 for _, layer in chosen)
                if of_data <= language.together and len({variables for variables, _ in chosen}) == count:
                    yield _with(candidate, (literal,), chosen)


def _variable_sorts(shape: Shape, language: Language, head_sorts: tuple[int, ...]) -> list[int]:
    """The sort of each variable, -1 where nothing tells."""
    sorts = [-1] * shape.variables
    sorts[: len(head_sorts)] = head_sorts
    for predicate, variables in shape.relations:
        for variable, sort in zip(variables, language.sorts[predicate], strict=True):
            sorts[variable] = sort
    return sorts


def _slots(sorts: list[int], first: int, language: Language) -> list[Slot]:
    """Slots whose sorts are those of variables, at least one of which is variable `first` or a later one."""
    slots: dict[Slot, None] = {}
    for layer, choices in language.layers.items():
        for wanted in sorted(choices):
            for variables in itertools.permutations(range(len(sorts)), len(wanted)):
                if max(variables) >= first and all(
                    -1 in (sort, sorts[variable]) or sort == sorts[variable]
                    for sort, variable in zip(wanted, variables, strict=True)
                ):
                    slots[variables, layer] = None
    return sorted(slots)


def _binding_slots(shape: Shape, sorts: list[int], language: Language) -> Iterator[Slot]:
    """Slots with new variables that share a variable with the body (any, for an empty one)."""
    for layer, choices in sorted(language.layers.items()):
        choices_of_variables: dict[tuple[int, ...], None] = {}
        for wanted in sorted(choices):
            for variables in _arguments(shape, sorts, wanted):
                if shape.variables <= max(variables) < language.variables:
                    choices_of_variables[variables] = None
        for variables in choices_of_variables:
            yield variables, layer


def _arguments(shape: Shape, sorts: list[int], wanted: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Variables for arguments of some sorts: of the body, at least one if it has any, and new ones."""
    choices: list[list[int | None]] = []
    for sort in wanted:
        choices.append([v for v, own in enumerate(sorts) if own == sort or -1 in (own, sort)] + [None])
    for arguments in itertools.product(*choices):
        known = [argument for argument in arguments if argument is not None]
        if (shape.variables and wanted and not known) or len(set(known)) < len(known):
            continue
        fresh = itertools.count(shape.variables)
        yield tuple(next(fresh) if argument is None else argument for argument in arguments)


def _relations(shape: Shape, sorts: list[int], language: Language) -> Iterator[Literal]:
    """Relations that share a variable with the body (any, for an empty one) and are not in it yet.

    Relations are joined before slots bring in variables, so it is a variable of the head or of a relation, if any is.
    """
    for predicate in language.relations:
        for variables in _arguments(shape, sorts, language.sorts[predicate]):
            apart = shape.joined and variables and min(variables) >= shape.joined
            if (
                not apart
                and max(variables, default=0) < language.variables
                and (predicate, variables) not in shape.relations
                and not _asked(predicate, variables, shape, language)
            ):
                yield predicate, variables


def _asked(predicate: Predicate, variables: tuple[int, ...], shape: Shape, language: Language) -> bool:
    """Whether a body has another condition on the number that a predicate is one on.

    Of a symmetric relation bond(Y, X) is bond(X, Y), also where it is part of a comparison, which is not symmetric.
    """
    number = language.alike.get(predicate.name)
    if number is None:
        return False
    symmetries = language.canonical.symmetries
    orders = {*symmetries.get(predicate, ()), tuple(range(predicate.arity))}
    if isinstance(number, Predicate):
        orders.update(symmetries.get(number, ()))
    variants = {tuple(variables[place] for place in order) for order in orders}
    return any(language.alike.get(other.name) == number and same in variants for other, same in shape.relations)


def _with(
    candidate: Candidate, relations: tuple[Literal, ...], slots: tuple[Slot, ...]
) -> tuple[Shape, tuple[str, ...]]:
    shape = candidate.shape
    filled = sorted([*zip(shape.slots, candidate.filling, strict=True), *((slot, OPEN) for slot in slots)])
    return (
        Shape(shape.head, shape.relations + relations, tuple(slot for slot, _ in filled)),
        tuple(name for _, name in filled),
    )

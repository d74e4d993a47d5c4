"""Hand-crafted templates of the paper's comparison, for any data: soft clusters along chains of objects.

A chain of N objects goes through a relation N - 1 times. Each of its objects, and each other object of the relation,
gets a soft cluster of the unary predicates of its sort, and each combination of clusters is a target rule. For
molecules, with bond(X, Y, B), 3 clusters of atoms and 3 of bonds: 3, 27 and 243 rules for chains of 1, 2 and 3 atoms.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lrnn_cli.errors import LrnnError
from lrnn_cli.grounding.tables import Table
from lrnn_cli.hypotheses.options import ChainOptions
from lrnn_cli.hypotheses.sorts import ArgumentSorts
from lrnn_cli.language.clauses import Atom, Predicate, Rule, Variable
from lrnn_cli.language.data import DataSet
from lrnn_cli.language.template import Template
from lrnn_cli.language.writing import counted

LARGEST_TEMPLATE = 100_000


@dataclass(frozen=True)
class Link:
    """A step of a chain: from the object at one position of a relation to the object at another."""

    relation: Predicate
    start: int
    end: int


@dataclass(frozen=True)
class Chain:
    """Objects with their sorts, in the order in which the chain meets them, and the relations between them.

    ends: the first and the last object of the chain itself.
    mirrored: another chain is this one read backwards.
    """

    variables: tuple[tuple[Variable, int], ...]
    relations: tuple[Atom, ...]
    ends: tuple[tuple[Variable, int], tuple[Variable, int]]
    mirrored: bool = False


def target_predicates(data: DataSet) -> list[Predicate]:
    return sorted({data.queries.predicate[number] for number in set(data.queries.predicate_index.tolist())})


def made_template(
    data: DataSet, facts: dict[Predicate, Table], names: Sequence[str], options: ChainOptions
) -> Template:
    """The template of chains for data with these facts and names of objects."""
    facts = {predicate: table for predicate, table in facts.items() if len(table)}
    targets = target_predicates(data)
    relations = [predicate for predicate in sorted(facts) if predicate.arity > 1 and predicate not in targets]
    template = chain_template(
        data,
        facts,
        names,
        range(1 if options.shorter else options.chain, options.chain + 1),
        options.clusters,
        _named(options.relations, relations, f"{data.name}: there is no relation"),
        _named(options.targets, targets, f"{data.name}: there is no target predicate"),
        options.bias,
    )
    settings = template.settings
    settings = replace(settings, object_identity=options.object_identity, aggregation=options.aggregation)
    return replace(template, settings=settings)


def _named(texts: tuple[str, ...], known: list[Predicate], missing: str) -> list[Predicate]:
    """The predicates that the user names, all known ones without names."""
    named = []
    for text in texts:
        matching = [predicate for predicate in known if text in (str(predicate), f"{predicate.name}/{predicate.arity}")]
        if not matching:
            raise LrnnError(f"{missing} {text} in these data, only {', '.join(map(str, known)) or 'none'}")
        named += matching
    return named or known


def chain_template(
    data: DataSet,
    facts: dict[Predicate, Table],
    names_of_objects: Sequence[str],
    lengths: range,
    clusters: int,
    relations: list[Predicate],
    targets: list[Predicate],
    bias: bool = True,
) -> Template:
    """Rules for the targets along chains of these lengths through the relations, with weights to be drawn.

    Targets that the longest chains don't fit are an error; shorter chains that don't fit are left out. With `bias`,
    a target without arguments is also a fact with a weight: training gets on even where all chains start out low.
    """
    queried = target_predicates(data)
    sorts = ArgumentSorts(
        {
            **{predicate: table for predicate, table in facts.items() if predicate not in queried},
            **{predicate: _query_table(data, predicate) for predicate in queried},
        },
        names_of_objects,
    ).sorts
    unary: dict[int, list[Predicate]] = {}
    for predicate in sorted(facts):
        if predicate.arity == 1 and predicate not in queried:
            unary.setdefault(sorts[predicate][0], []).append(predicate)
    names = _Names(unary, {*facts, *queried})
    target_rules: dict[Rule, None] = {}
    for length in lengths:
        chains = list(_chains(relations, sorts, length, unary))
        for target in targets:
            fitting = [chain for chain in chains if _fits(chain, target, sorts[target], length)]
            if not fitting and length == lengths[-1]:
                raise LrnnError(_no_chain(data, target, length, relations, unary))
            count = sum(clusters ** sum(sort in unary for _, sort in chain.variables) for chain in fitting)
            if count > LARGEST_TEMPLATE:
                raise LrnnError(
                    f"{data.name}: {count:,} rules for {target} and chains of {length} objects; take fewer --clusters, "
                    "a shorter --chain, or name one --relation"
                )
            for chain in fitting:
                target_rules.update(dict.fromkeys(_rules(chain, target, clusters, names)))
    variable = Variable("X")
    cluster_rules = [
        Rule(Atom(names.cluster(sort, number), (variable,)), (Atom(predicate.name, (variable,)),))
        for sort in names.used
        for number in range(1, clusters + 1)
        for predicate in unary[sort]
    ]
    facts_of_targets = [Rule(Atom(target.name)) for target in targets if bias and target.arity == 0]
    return Template((*cluster_rules, *target_rules, *facts_of_targets))


class _Names:
    """Names of clusters: sorts are numbered in the order in which rules use them."""

    def __init__(self, unary: dict[int, list[Predicate]], taken: set[Predicate]) -> None:
        self.unary = unary
        self.used: dict[int, int] = {}
        self._stem = "cluster"
        while any(predicate.name.startswith(f"{self._stem}_") for predicate in taken):
            self._stem += "_"

    def cluster(self, sort: int, number: int) -> str:
        return f"{self._stem}_{self.used.setdefault(sort, len(self.used) + 1)}_{number}"


def _query_table(data: DataSet, predicate: Predicate) -> Table:
    queries = data.queries
    rows = (queries.predicate_index == queries.predicate.index(predicate)).nonzero()[0]
    return Table(queries.example[rows], np.ascontiguousarray(queries.argument[rows, : predicate.arity]))


def _links(relation: Predicate, sorts: tuple[int, ...]) -> list[Link]:
    """Through the first two arguments of one sort or, where there are none, through the first two, to and fro."""
    for start, end in itertools.combinations(range(relation.arity), 2):
        if sorts[start] == sorts[end]:
            return [Link(relation, start, end)]
    return [Link(relation, 0, 1), Link(relation, 1, 0)]


def _chains(
    relations: list[Predicate], sorts: dict[Predicate, tuple[int, ...]], length: int, unary: dict[int, list[Predicate]]
) -> Iterator[Chain]:
    """All chains of `length` objects, each through one relation; without relations, single objects of any sort."""
    links = {relation: _links(relation, sorts[relation]) for relation in relations}
    if length == 1:
        starts = {sorts[relation][link.start] for relation in relations for link in links[relation]} or set(unary)
        for sort in sorted(starts & unary.keys()):
            end = (Variable("X1"), sort)
            yield Chain((end,), (), (end, end))
        return
    for relation in relations:
        for first in links[relation]:
            steps = [first]
            while len(steps) < length - 1:
                here = sorts[relation][steps[-1].end]
                steps.append(next(link for link in links[relation] if sorts[relation][link.start] == here))
            mirrored = len(steps) % 2 == 1 and first != links[relation][0]
            yield _chain(steps, sorts[relation], mirrored)


def _chain(steps: list[Link], sorts: tuple[int, ...], mirrored: bool) -> Chain:
    objects = [(Variable("X1"), sorts[steps[0].start])]
    met = list(objects)
    atoms = []
    others = itertools.count(1)
    for link in steps:
        arguments = {link.start: objects[-1]}
        for position, sort in enumerate(sorts):
            if position not in (link.start, link.end):
                arguments[position] = (Variable(f"Y{next(others)}"), sort)
                met.append(arguments[position])
        objects.append((Variable(f"X{len(objects) + 1}"), sorts[link.end]))
        arguments[link.end] = objects[-1]
        met.append(objects[-1])
        atoms.append(Atom(link.relation.name, tuple(arguments[position][0] for position in range(len(sorts)))))
    return Chain(tuple(met), tuple(atoms), (objects[0], objects[-1]), mirrored)


def _fits(chain: Chain, target: Predicate, sorts: tuple[int, ...], length: int) -> bool:
    """Whether the arguments of the target can be the ends of the chain, in this order."""
    if target.arity == 0:
        return not chain.mirrored
    ends = tuple(sort for _, sort in chain.ends)
    return target.arity <= min(2, length) and sorts == ends[: target.arity]


def _rules(chain: Chain, target: Predicate, clusters: int, names: _Names) -> Iterator[Rule]:
    head = Atom(target.name, tuple(variable for variable, _ in chain.ends[: target.arity]))
    clustered = [(variable, sort) for variable, sort in chain.variables if sort in names.unary]
    for numbers in itertools.product(range(1, clusters + 1), repeat=len(clustered)):
        soft = [
            Atom(names.cluster(sort, number), (variable,))
            for number, (variable, sort) in zip(numbers, clustered, strict=True)
        ]
        yield Rule(head, (*chain.relations, *soft))


def _no_chain(
    data: DataSet, target: Predicate, length: int, relations: list[Predicate], unary: dict[int, list[Predicate]]
) -> str:
    objects = f"chains of {counted(length, 'object')}"
    if target.arity > 2:
        return f"{data.name}: a chain has two ends, but {target} has {target.arity} arguments; choose another --target"
    if target.arity > length:
        return (
            f"{data.name}: {target} has 2 arguments, the ends of a chain; {objects} have one, so use --chain 2 or more"
        )
    if length > 1 and not relations:
        return f"{data.name}: no facts of these data relate objects, so there are no {objects}; use --chain 1"
    names = ", ".join(map(str, relations)) or "no relation"
    if length == 1 and target.arity == 0:
        return f"{data.name}: no unary predicates tell objects of {names} apart; use --chain 2 or more"
    return f"{data.name}: the arguments of {target} are not the ends of {objects} through {names}; use another --chain"

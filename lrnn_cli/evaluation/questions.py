"""Queries for data that ask none: the targets of a model, of each example or of all objects that fit."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lrnn_cli.errors import LrnnError
from lrnn_cli.grounding.grounder import Knowledge
from lrnn_cli.hypotheses.sorts import ArgumentSorts, Sorts
from lrnn_cli.language.clauses import Predicate, Variable, class_of, quoted
from lrnn_cli.language.data import DataSet, Queries
from lrnn_cli.language.template import Template

MOST_ATOMS = 5_000_000
"""Atoms to ask for at most."""


def model_targets(members: Sequence[Template]) -> list[Predicate]:
    """Predicates that have rules and occur in no body; those of a member whose rules are all recursive, if need be."""
    targets: dict[Predicate, None] = {}
    for member in members:
        heads = dict.fromkeys(rule.head.predicate for rule in member.rules)
        used = {atom.predicate for rule in member.rules for atom in rule.body if atom.predicate != rule.head.predicate}
        targets.update(dict.fromkeys(_asked(head) for head in heads if head not in used))
    return list(targets)


def _asked(head: Predicate) -> Predicate:
    """What a query asks for: of a class, the target that it is of."""
    return Predicate(class_of(head.name)[0], head.arity)


def asked_predicate(text: str, members: Sequence[Template]) -> Predicate:
    """The predicate called NAME/ARITY, which must have rules in the model."""
    known = list(dict.fromkeys(_asked(rule.head.predicate) for member in members for rule in member.rules))
    for predicate in known:
        if text in (str(predicate), f"{predicate.name}/{predicate.arity}"):
            return predicate
    shown = list(map(str, model_targets(members)))
    close = difflib.get_close_matches(text, list(map(str, known)), 1, 0.7)
    meant = f"; did you mean {close[0]}?" if close else f"; its targets are {', '.join(shown) or 'none'}"
    raise LrnnError(f"{members[0].name}: the model does not define {text}{meant}")


def unasked_examples(data: DataSet, examples: Sequence[int] | None) -> np.ndarray:
    """Those of some examples (all if None) that no query asks anything of."""
    chosen = np.arange(len(data.example_name)) if examples is None else np.sort(np.asarray(examples, np.int64))
    return np.asarray(chosen[~np.isin(chosen, data.queries.example)])


def targets_without_arguments(data: DataSet, members: Sequence[Template], examples: np.ndarray) -> DataSet:
    """The data with one query more of each target that has no arguments for each of some examples."""
    chosen = [target for target in model_targets(members) if target.arity == 0]
    queries = data.queries
    predicates = tuple(dict.fromkeys([*queries.predicate, *chosen]))
    added = Queries(
        np.repeat(examples, len(chosen)).astype(np.int32),
        predicates,
        np.tile([predicates.index(target) for target in chosen], len(examples)).astype(np.int32),
        np.full((len(examples) * len(chosen), queries.argument.shape[1]), -1, np.int32),
        tuple(quoted(target.name) for target in chosen) * len(examples),
        np.full(len(examples) * len(chosen), np.nan),
        np.repeat(data.example_line[examples], len(chosen)).astype(np.int32),
    )
    both = replace(queries, predicate=predicates).with_others(added)
    return replace(data, queries=both.select(np.argsort(both.example, kind="stable")))


def ways_to_ask(members: Sequence[Template]) -> str:
    """The options that ask for the targets of a model."""
    ways = " or ".join(f"--target {target}" for target in model_targets(members))
    return ways or "--target NAME/ARITY"


def all_atoms(
    target: Predicate,
    data: DataSet,
    knowledge: Knowledge,
    examples: Sequence[int] | None,
    members: Sequence[Template],
) -> DataSet:
    """The data with queries of a target for all objects whose sorts fit, in these examples (all if None).

    Queries of the data keep their targets. Where no variable of a rule may take two objects, no atom has one twice.
    """
    fitting = fitting_objects(target, data, knowledge, members)
    chosen = range(len(data.example_name)) if examples is None else examples
    identity = all(member.settings.object_identity for member in members)
    sizes = {example: [len(_inside(objects, data, example)) for objects in fitting] for example in chosen}
    count = sum(int(np.prod(size)) for size in sizes.values())
    if count > MOST_ATOMS:
        raise LrnnError(
            f"{data.name}: {count:,} atoms of {target} fit by their sorts, and {MOST_ATOMS:,} is the limit; write "
            "query(Atom). for those that matter, or declare narrower sorts with bias/1"
        )
    rows: list[tuple[int, tuple[int, ...]]] = []
    for example in chosen:
        inside = [_inside(objects, data, example).tolist() for objects in fitting]
        atoms = itertools.product(*inside)
        rows += [(example, atom) for atom in atoms if not identity or len(set(atom)) == len(atom)]
    if not rows:
        raise LrnnError(f"{data.name}: no objects fit the arguments of {target}; look at sorts with `lrnn check`")
    names = knowledge.names() if target.arity else []
    name = quoted(target.name)
    known = _known_targets(target, data)
    example_of = np.array([example for example, _ in rows], np.int32)
    return replace(
        data,
        queries=Queries(
            example_of,
            (target,),
            np.zeros(len(rows), np.int32),
            np.array([atom for _, atom in rows], np.int32).reshape(len(rows), target.arity),
            tuple(f"{name}({', '.join(names[place] for place in atom)})" if atom else name for _, atom in rows),
            np.array([known.get(row, np.nan) for row in rows], float),
            data.example_line[example_of].astype(np.int32),
            classes=data.queries.classes,
        ),
    )


def _inside(objects: np.ndarray, data: DataSet, example: int) -> np.ndarray:
    first, last = np.searchsorted(objects, data.first_object[[example, example + 1]])
    return objects[first:last]


def _known_targets(target: Predicate, data: DataSet) -> dict[tuple[int, tuple[int, ...]], float]:
    """The targets that the data give atoms, the last one of each."""
    queries = data.queries
    if target not in queries.predicate:
        return {}
    rows = ((queries.predicate_index == queries.predicate.index(target)) & queries.labelled).nonzero()[0]
    atoms = map(tuple, queries.argument[rows, : target.arity].tolist())
    keys = zip(queries.example[rows].tolist(), atoms, strict=True)
    return dict(zip(keys, queries.target[rows].tolist(), strict=True))


def fitting_objects(
    target: Predicate, data: DataSet, knowledge: Knowledge, members: Sequence[Template]
) -> list[np.ndarray]:
    """For each argument of a target the objects of its sort, ascending: that of arguments it meets in the rules.

    All objects fit where the rules tell nothing.
    """
    every = int(data.first_object[-1])
    declared = {bias.predicate: bias.sorts for bias in data.bias}
    tables = {name: table for name, table in knowledge.tables.items() if not declared or name in declared}
    number: dict[str, int] = {}
    given: Sorts | None = None
    if declared:
        for sort in itertools.chain.from_iterable(declared.values()):
            number.setdefault(sort, len(number))
        given = {name: tuple(number[sort] for sort in declared[name]) for name in tables}
    sorts = ArgumentSorts(tables, knowledge.names(), given).sorts
    fitting = []
    for place in range(target.arity):
        if target in declared:
            wanted = {number[declared[target][place]]}
        else:
            wanted = {sorts[name][at] for name, at in _met_in_rules(target, place, members) if name in sorts}
        columns = [
            tables[name].objects[:, at] for name, own in sorts.items() for at, sort in enumerate(own) if sort in wanted
        ]
        objects = np.unique(np.concatenate(columns)) if columns else np.arange(every)
        fitting.append(objects[objects < every])
    return fitting


def _met_in_rules(target: Predicate, place: int, members: Sequence[Template]) -> set[tuple[Predicate, int]]:
    """The arguments that a variable at this place of a head stands at in bodies, there and further down.

    Rules of weight 0 tell nothing: a latent predicate has one for each predicate of a sort that it never was asked of.
    """
    met: set[tuple[Predicate, int]] = set()
    for member in members:
        seen = {(target, place)}
        frontier = [(target, place)]
        while frontier:
            head, at = frontier.pop()
            for rule in member.rules:
                if _asked(rule.head.predicate) != head or not isinstance(rule.head.arguments[at], Variable):
                    continue
                if rule.weight == 0.0:
                    continue
                variable = rule.head.arguments[at]
                for atom in rule.body:
                    new = {
                        (atom.predicate, position)
                        for position, term in enumerate(atom.arguments)
                        if term == variable and (atom.predicate, position) not in seen
                    }
                    seen |= new
                    frontier += sorted(new)
        met |= seen
    return met

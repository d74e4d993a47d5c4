"""What a data file holds, apart from its facts, which stay where the reader keeps them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lrnn_cli.language.clauses import Goal, Predicate, quoted

Integers = np.ndarray
Floats = np.ndarray


@dataclass(frozen=True)
class BodyPredicate:
    predicate: Predicate
    negated: bool
    system: bool
    """Prolog itself has a predicate of this name."""


@dataclass(frozen=True)
class BackgroundClause:
    """A clause or, with an empty body and no guards, a fact that is true in every example.

    body: its atoms, negated ones too; text: the clause for SWI-Prolog; goals: the head and then all goals of the body
    as terms, None where they are nested too deeply for anything but Prolog.
    """

    head: Predicate
    body: tuple[BodyPredicate, ...]
    text: str
    is_fact: bool
    line: int
    column: int
    goals: tuple[Goal, ...] | None


CONSTANT = "constant"
NUMBER = "number"


@dataclass(frozen=True)
class Bias:
    """What the file says of rules to be learned: this predicate may occur in bodies, its arguments have these sorts.

    The sort `constant` is for arguments that take constants, `number` for numbers, which `number(length)` are compared
    with each other.
    """

    predicate: Predicate
    sorts: tuple[str, ...]
    line: int
    column: int


def measured(sort: str) -> str | None:
    """What the numbers of a sort measure: `length` for number(length), nothing for number; None for other sorts."""
    if sort == NUMBER:
        return ""
    inside = sort.removeprefix(f"{NUMBER}(")
    return inside.removesuffix(")") if inside != sort else None


def sort_text(sort: str) -> str:
    """A sort as a declaration has it."""
    inside = measured(sort)
    return f"{NUMBER}({quoted(inside)})" if inside else quoted(sort)


@dataclass(frozen=True)
class Queries:
    """Queries in the order of the file, all arrays of shape (queries,).

    `target` is nan where a query has none. `argument` (queries, widest arity) holds the objects of each query atom, -1
    beyond its arity.
    """

    example: Integers
    predicate: tuple[Predicate, ...]
    predicate_index: Integers
    argument: Integers
    text: tuple[str, ...]
    target: Floats
    line: Integers
    group: Integers | None = None
    """Of queries that are spread out, a row for each class: equal for rows of one query."""
    classes: tuple[str, ...] = ()
    """Words that are targets: these are the places of such words, and rows are not spread out."""

    def __len__(self) -> int:
        return len(self.text)

    def of_examples(self, examples: Sequence[int] | None) -> Queries:
        """The queries of these examples, all if None."""
        return self if examples is None else self.select(np.isin(self.example, np.asarray(examples)).nonzero()[0])

    @property
    def count(self) -> int:
        """How many queries there are, rows of one counting once."""
        return len(np.unique(self.groups()))

    def groups(self) -> Integers:
        """(queries,) equal for the rows of one query."""
        return np.arange(len(self)) if self.group is None else self.group

    @property
    def labelled(self) -> np.ndarray:
        """(queries,) whether there is a target."""
        return np.asarray(np.isfinite(self.target))

    def digest(self) -> str:
        """Tells these queries from others of the same data."""
        asked = zip(self.example.tolist(), self.text, self.line.tolist(), strict=True)
        return hashlib.sha256(repr(list(asked)).encode()).hexdigest()

    def with_others(self, others: Queries) -> Queries:
        """These queries, then others of the same data."""
        assert self.predicate == others.predicate, "queries of the same data"
        return Queries(
            np.concatenate([self.example, others.example]),
            self.predicate,
            np.concatenate([self.predicate_index, others.predicate_index]),
            np.concatenate([self.argument, others.argument]),
            self.text + others.text,
            np.concatenate([self.target, others.target]),
            np.concatenate([self.line, others.line]),
            classes=self.classes,
        )

    def select(self, chosen: Integers) -> Queries:
        """The queries at the positions `chosen`."""
        return Queries(
            self.example[chosen],
            self.predicate,
            self.predicate_index[chosen],
            self.argument[chosen],
            tuple(self.text[position] for position in chosen),
            self.target[chosen],
            self.line[chosen],
            None if self.group is None else self.group[chosen],
            self.classes,
        )


@dataclass(frozen=True)
class DataSet:
    """Examples and queries of a data file. Objects of example e are first_object[e] up to first_object[e + 1]."""

    name: str
    digest: str
    example_name: tuple[str, ...]
    example_line: Integers
    example_fold: Integers
    """The fold given in the file, 0 where there is none."""
    example_facts: Integers
    first_object: Integers
    queries: Queries
    predicates: dict[Predicate, int]
    """Predicates of facts and how many facts they have."""
    soft: frozenset[Predicate]
    """Those with a fact whose weight is not 1."""
    background: tuple[BackgroundClause, ...]
    bias: tuple[Bias, ...] = ()

    @property
    def background_predicates(self) -> set[Predicate]:
        return {clause.head for clause in self.background}

    def asking(self, chosen: np.ndarray) -> DataSet:
        """The same data with the queries at the positions `chosen` only."""
        return replace(self, queries=self.queries.select(chosen))


def joined_data(name: str, digest: str, parts: Sequence[DataSet]) -> DataSet | None:
    """Parts of a data file as the whole; None where together they are not what one reader would have read."""
    names = [example for part in parts for example in part.example_name]
    numbers = any(part.queries.labelled.any() and not part.queries.classes for part in parts)
    classes = sorted({word for part in parts for word in part.queries.classes})
    if len(set(names)) < len(names) or (classes and numbers):
        return None
    examples = _starts([len(part.example_name) for part in parts])
    objects = _starts([int(part.first_object[-1]) for part in parts])
    predicates: dict[Predicate, int] = {}
    for part in parts:
        for predicate, facts in part.predicates.items():
            predicates[predicate] = predicates.get(predicate, 0) + facts
    return DataSet(
        name,
        digest,
        tuple(names),
        np.concatenate([part.example_line for part in parts]),
        np.concatenate([part.example_fold for part in parts]),
        np.concatenate([part.example_facts for part in parts]),
        np.concatenate(
            [*(part.first_object[:-1] + start for part, start in zip(parts, objects, strict=False)), objects[-1:]]
        ),
        _joined_queries([part.queries for part in parts], examples, objects, tuple(classes)),
        predicates,
        frozenset().union(*(part.soft for part in parts)),
        tuple(clause for part in parts for clause in part.background),
        tuple(bias for part in parts for bias in part.bias),
    )


def _joined_queries(
    parts: Sequence[Queries], examples: Integers, objects: Integers, classes: tuple[str, ...]
) -> Queries:
    """Queries of parts whose examples and objects are numbered from these numbers on."""
    predicates = tuple(dict.fromkeys(predicate for part in parts for predicate in part.predicate))
    widest = max((predicate.arity for predicate in predicates), default=0)
    index, argument, target = [], [], []
    for part, start in zip(parts, objects, strict=False):
        places = np.array([predicates.index(predicate) for predicate in part.predicate], np.int32)
        index.append(places[part.predicate_index])
        missing = np.full((len(part), widest - part.argument.shape[1]), -1, np.int32)
        own = np.hstack([part.argument, missing])
        argument.append(np.where(own < 0, own, own + start))
        target.append(part.target.copy())
        if part.classes:
            known = part.labelled
            words = np.array([classes.index(word) for word in part.classes], float)
            target[-1][known] = words[part.target[known].astype(np.int64)]
    return Queries(
        np.concatenate([part.example + start for part, start in zip(parts, examples, strict=False)]),
        predicates,
        np.concatenate(index),
        np.concatenate(argument),
        tuple(text for part in parts for text in part.text),
        np.concatenate(target),
        np.concatenate([part.line for part in parts]),
        classes=classes,
    )


def _starts(sizes: Sequence[int]) -> Integers:
    """Where parts of these sizes start, one after another, and where the last ends."""
    return np.cumsum([0, *sizes]).astype(np.int32)

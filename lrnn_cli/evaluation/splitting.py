"""One interpretation cut into one example each, where its data fall apart.

Keys name the examples: the first arguments of a predicate or of the queries. Objects belong to the example of the key
that facts connect them with. Values connect nothing: numbers, arguments that `bias/1` calls constants and, if need be,
sorts that no fact is about, such as colours. What is said of values alone is true in every example.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from lrnn_cli.errors import LrnnError
from lrnn_cli.grounding.tables import SoftFacts, Table
from lrnn_cli.hypotheses.sorts import NAMED, ArgumentSorts, called_by
from lrnn_cli.language.clauses import Predicate, quoted
from lrnn_cli.language.data import CONSTANT, DataSet, sort_text
from lrnn_cli.language.files import Source
from lrnn_cli.language.writing import prolog_text

QUERY = "query"
"""What names the first argument of the queries, instead of a predicate."""
SIMPLE = re.compile(r"""\w+ | -?[0-9.]+ | '(?:[^'\\]|\\.|'')*' | "(?:[^"\\]|\\.)*" """, re.VERBOSE)
"""Terms that need no brackets."""
SHOWN_RELATIONS = 3
EVERYWHERE = -2
"""The place of facts that are true in every example."""


@dataclass(frozen=True)
class Split:
    """The data as the text of several examples, how many there are, and how many facts are about none of them."""

    source: Source
    examples: int
    left_out: int


def split_examples(
    data: DataSet, relations: dict[Predicate, Table], soft: dict[Predicate, SoftFacts], names: Sequence[str], by: str
) -> Split:
    """The only example of the data cut by the predicate `by`, NAME/ARITY, or by the queries."""
    if len(data.example_name) > 1:
        raise LrnnError(f"{data.name}: there are {len(data.example_name)} examples already; leave --split-by out")
    graph = _Graph(data, relations, names)
    keys, key_sort = _keys(data, relations, graph, by)
    if not graph.separate(key_sort, keys):
        one, other, through = graph.connected(key_sort, keys)
        raise LrnnError(
            f"{data.name}: the data do not fall apart by {by}: {names[one]} and {names[other]} are connected, through "
            f"{through}; leave --split-by out, and --folds deals the queries of the one example"
        )
    labels = graph.labels[key_sort][keys].tolist()
    examples = _Examples(graph, {label: place for place, label in enumerate(labels)})
    return _text(data, relations, soft, names, keys, examples)


def _keys(data: DataSet, relations: dict[Predicate, Table], graph: _Graph, by: str) -> tuple[np.ndarray, int]:
    """The objects that name the examples, and their sort."""
    queries = data.queries
    asked = {predicate for predicate in queries.predicate if predicate.arity}
    known = {str(predicate): predicate for predicate in [*relations, *asked] if predicate.arity}
    if by == QUERY:
        rows = np.isin(queries.predicate_index, [queries.predicate.index(predicate) for predicate in asked])
        objects = np.unique(queries.argument[rows, 0]) if asked else np.zeros(0, np.int32)
    elif by not in known:
        raise LrnnError(f"{data.name}: there is no predicate {by} with arguments; there are {', '.join(sorted(known))}")
    elif known[by] in relations:
        table = relations[known[by]]
        return np.unique(table.objects[:, 0]), graph.sorts[known[by]][0]
    else:
        rows = queries.predicate_index == queries.predicate.index(known[by])
        objects = np.unique(queries.argument[rows, 0])
    if not len(objects):
        raise LrnnError(f"{data.name}: no query has arguments to split by; name a predicate, --split-by NAME/ARITY")
    sort = graph.argument_sorts.of_objects(objects)
    if sort < 0:
        raise LrnnError(
            f"{data.name}: no argument of facts holds what the queries are about, and nothing else; name the predicate "
            "to split by, --split-by NAME/ARITY"
        )
    return objects, sort


class _Graph:
    """Objects by sort, connected by facts. A node is an object in a sort: 3 may be an example here and a size there."""

    def __init__(self, data: DataSet, relations: dict[Predicate, Table], names: Sequence[str]) -> None:
        self.relations = relations
        self.objects = len(names)
        self.argument_sorts = ArgumentSorts(relations, names)
        self.sorts = self.argument_sorts.sorts
        self.held: dict[int, np.ndarray] = {}
        for predicate, sorts in self.sorts.items():
            for place, sort in enumerate(sorts):
                own = relations[predicate].objects[:, place]
                self.held[sort] = np.union1d(self.held.get(sort, own[:0]), own)
        kind = called_by(names)
        self.values = {sort for sort, own in self.held.items() if (kind[own] != NAMED).all()}
        for bias in data.bias:
            for sort, declared in zip(self.sorts.get(bias.predicate, ()), bias.sorts, strict=False):
                if declared == CONSTANT:
                    self.values.add(sort)
        self.labels: dict[int, np.ndarray] = {}

    def separate(self, key_sort: int, keys: np.ndarray) -> bool:
        """Label objects of sorts that are no values with their component, one key in each; False if it can't be.

        Sorts become values if that helps, as few and as small ones as possible.
        """
        self.values.discard(key_sort)
        self._label()
        if self._apart(key_sort, keys):
            return True
        others = sorted(set(self.held) - self.values - {key_sort}, key=lambda sort: (len(self.held[sort]), sort))
        added = []
        for sort in others:
            if self._nothing_is_about(sort):
                self.values.add(sort)
                added.append(sort)
        self._label()
        helps = self._apart(key_sort, keys)
        for sort in reversed(added):
            self.values.discard(sort)
            self._label()
            if helps and not self._apart(key_sort, keys):
                self.values.add(sort)
        self._label()
        return helps

    def connected(self, key_sort: int, keys: np.ndarray) -> tuple[int, int, str]:
        """Two keys in one component, and the relations in it."""
        labels = self.labels[key_sort][keys]
        order = np.argsort(labels, kind="stable")
        place = int((labels[order][1:] == labels[order][:-1]).argmax())
        one, other = keys[order[place]], keys[order[place + 1]]
        through = []
        for predicate, table in sorted(self.relations.items()):
            places = [at for at, sort in enumerate(self.sorts[predicate]) if sort not in self.values]
            if len(places) > 1:
                own = self.labels[self.sorts[predicate][places[0]]][table.objects[:, places[0]]]
                if (own == labels[order[place]]).any():
                    through.append(str(predicate))
        more = f" and {len(through) - SHOWN_RELATIONS} more" if len(through) > SHOWN_RELATIONS else ""
        return int(one), int(other), ", ".join(through[:SHOWN_RELATIONS]) + more

    def _nothing_is_about(self, sort: int) -> bool:
        """Whether no fact with objects of other sorts has this sort first."""
        return not any(
            sorts and sorts[0] == sort and any(other != sort and other not in self.values for other in sorts)
            for sorts in self.sorts.values()
        )

    def _apart(self, key_sort: int, keys: np.ndarray) -> bool:
        labels = self.labels[key_sort][keys]
        return len(np.unique(labels)) == len(keys)

    def _label(self) -> None:
        """Give the objects of each sort that is no value the number of their component."""
        number = {sort: place for place, sort in enumerate(sorted(set(self.held) - self.values))}
        ends: list[np.ndarray] = [np.zeros((2, 0), np.int64)]
        for predicate, table in self.relations.items():
            places = [(at, number[sort]) for at, sort in enumerate(self.sorts[predicate]) if sort in number]
            nodes = [table.objects[:, at].astype(np.int64) + row * self.objects for at, row in places]
            ends += [np.stack(pair) for pair in itertools.pairwise(nodes)]
        first, second = np.concatenate(ends, axis=1)
        size = len(number) * self.objects
        edges = coo_array((np.ones(len(first), bool), (first, second)), (size, size))
        _, label = connected_components(edges, directed=False)
        self.labels = {sort: label[place * self.objects : (place + 1) * self.objects] for sort, place in number.items()}


@dataclass(frozen=True)
class _Examples:
    """Which example facts and queries belong to: the place of its key, -1 for none, EVERYWHERE."""

    graph: _Graph
    of_component: dict[int, int]

    def of_facts(self, predicate: Predicate, table: Table) -> np.ndarray:
        """(rows,) the example of each fact."""
        for place, sort in enumerate(self.graph.sorts[predicate]):
            if sort in self.graph.labels:
                return self._of(self.graph.labels[sort][table.objects[:, place]])
        return np.full(len(table), EVERYWHERE)

    def of_queries(self, data: DataSet) -> np.ndarray:
        """(queries,) the example of each query."""
        queries = data.queries
        part = np.full(len(queries), EVERYWHERE)
        for number, predicate in enumerate(queries.predicate):
            rows = (queries.predicate_index == number).nonzero()[0]
            for place in range(predicate.arity):
                objects = queries.argument[rows, place]
                sort = self.graph.argument_sorts.of_objects(objects)
                if sort not in self.graph.labels:
                    continue
                own = self._of(self.graph.labels[sort][objects])
                apart = (part[rows] >= 0) & (own != part[rows])
                if apart.any():
                    row = rows[apart.argmax()]
                    raise LrnnError(
                        f"{data.name}:{queries.line[row]}:1: the query {queries.text[row]} is about objects of two "
                        "examples; leave --split-by out, and --folds deals the queries of the one example"
                    )
                part[rows] = own
        lost = (part < 0).nonzero()[0]
        if len(lost):
            raise LrnnError(
                f"{data.name}:{queries.line[lost[0]]}:1: the query {queries.text[lost[0]]} belongs to no one example; "
                "split by something else, or leave --split-by out"
            )
        return part

    def _of(self, labels: np.ndarray) -> np.ndarray:
        return np.array([self.of_component.get(label, -1) for label in labels.tolist()], np.int64)


def _text(
    data: DataSet,
    relations: dict[Predicate, Table],
    soft: dict[Predicate, SoftFacts],
    names: Sequence[str],
    keys: np.ndarray,
    examples: _Examples,
) -> Split:
    """Declarations, clauses and what is true everywhere, then a block for each key."""
    head = [f"bias({_pattern(bias.predicate, bias.sorts)})." for bias in data.bias]
    head += [f"{clause.text}." for clause in data.background]
    blocks: list[list[str]] = [[] for _ in keys]
    left_out = 0
    for predicate, table in relations.items():
        weighted = soft.get(predicate)
        rows = [("", objects, place) for objects, place in _placed(predicate, table, examples)]
        if weighted is not None:
            known = set(map(tuple, weighted.atoms.objects.tolist()))
            rows = [row for row in rows if tuple(row[1]) not in known]
            pairs = zip(weighted.weight.tolist(), _placed(predicate, weighted.atoms, examples), strict=True)
            rows += [(f"{weight!r} :: ", objects, place) for weight, (objects, place) in pairs]
        for weight, objects, place in rows:
            line = f"{weight}{_atom(predicate, objects, names)}."
            if place == EVERYWHERE and not weight:
                head.append(line)
            elif place == EVERYWHERE:
                for block in blocks:
                    block.append(line)
            elif place < 0:
                left_out += 1
            else:
                blocks[place].append(line)
    queries = data.queries
    for text, target, place in zip(queries.text, queries.target.tolist(), examples.of_queries(data), strict=True):
        shown = queries.classes[int(target)] if queries.classes and not math.isnan(target) else repr(target)
        blocks[place].append(f"query({text})." if math.isnan(target) else f"query({text}, {shown}).")
    lines = head
    for key, block in zip(keys.tolist(), blocks, strict=True):
        name = _term(names[key])
        lines += [f"begin(model({name})).", *block, f"end(model({name}))."]
    return Split(Source(data.name, prolog_text(lines).encode()), len(keys), left_out)


def _placed(predicate: Predicate, table: Table, examples: _Examples) -> list[tuple[list[int], int]]:
    """The facts of a table, each with the example it belongs to."""
    return list(zip(table.objects.tolist(), examples.of_facts(predicate, table).tolist(), strict=True))


def _pattern(predicate: Predicate, sorts: Sequence[str]) -> str:
    return quoted(predicate.name) + (f"({', '.join(map(sort_text, sorts))})" if sorts else "")


def _term(name: str) -> str:
    return name if SIMPLE.fullmatch(name) else f"({name})"


def _atom(predicate: Predicate, objects: Sequence[int], names: Sequence[str]) -> str:
    name = quoted(predicate.name)
    return f"{name}({', '.join(_term(names[number]) for number in objects)})" if objects else name

"""Frequent bodies of literals of the data, found without looking at targets, and their columns.

Relations are joined breadth first. A joined table is collapsed to distinct tuples of the *classes* of its variables,
objects of one class having the same unary facts; which unary predicates to ask of which variables is then a search for
frequent sets of items over few tuples, the same for every query. Joins of more relations than that can be done for are
*described*: all that is true of their objects is asked. Bodies that order the queries alike are one; but single
literals that a few queries can't tell apart may differ on new data, so each of them stays.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.sparse import csc_array, csr_array, hstack

from lrnn_cli.grounding.joins.relations import TooManyRows
from lrnn_cli.hypotheses.bodies import Candidate, Shape
from lrnn_cli.hypotheses.refinement import Language, with_relation
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.structure.bins import Bins, cut
from lrnn_cli.structure.features import Features, PredicateLayer, counted_tuples
from lrnn_cli.structure.options import TELLING

MOST_BODIES = 3000
"""So many bodies at most, those of fewer relations first; as many more that have conditions on numbers."""
MOST_DESCRIBED = 4000
"""So many more that are descriptions."""
MOST_OF_A_SHAPE = 1500
"""So many bodies with the same relations at most, those with fewer unary predicates first; as many with conditions."""
ITEMS_OF_A_VARIABLE = 3
"""So many unary predicates at most are asked of one variable."""
MOST_SHAPES = 150
"""So many joins of relations at most."""
CHUNK = 4_000_000
"""So many counts, at most, are held at once."""
WORK = 4
"""Bytes that an item of a tuple takes while sets of items are looked for."""
VALUE_BYTES = 100
"""What a value of a column that is not 0 takes, the work of boosting included."""

Item = tuple[int, str]
"""A variable, and the unary predicate that is asked of it."""


@dataclass(frozen=True)
class Columns:
    """Bodies and, for each query, what each of them is aggregated to: values (queries, bodies), mostly zero.

    parts: the columns that these are put together from, if they are; known: bins that were made already, by queries.
    """

    bodies: tuple[Candidate, ...]
    values: csc_array
    parts: tuple[Columns, ...] = ()
    known: dict[bytes, Bins] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.bodies)

    def column(self, number: int) -> np.ndarray:
        """(queries,) the values of one body."""
        values = np.zeros(self.values.shape[0])
        inside = slice(self.values.indptr[number], self.values.indptr[number + 1])
        values[self.values.indices[inside]] = self.values.data[inside]
        return values

    def joined(self, bodies: Sequence[Candidate], columns: Sequence[np.ndarray]) -> Columns:
        """These and more bodies, each with its column (queries,)."""
        more = Columns(tuple(bodies), _stacked([_sparse(column) for column in columns], self.values.shape[0]))
        return Columns((*self.bodies, *bodies), csc_array(hstack([self.values, more.values])), (self, more))

    def bins(self, queries: np.ndarray) -> Bins:
        """The bins of some queries (places among all,), of which members are numbered in this order."""
        if self.parts:
            first, more = self.parts
            return first.bins(queries).beside(more.bins(queries), len(first))
        key = queries.tobytes()
        if key not in self.known:
            self.known[key] = cut(self.values[queries])
        return self.known[key]


@dataclass(frozen=True)
class _ClassTuples:
    """classes: (variables, tuples), -1 for objects without unary facts; counts: (query atoms, tuples)."""

    classes: np.ndarray
    counts: csr_array


def frequent_bodies(
    features: Features,
    language: Language,
    head: Predicate,
    head_sorts: tuple[int, ...],
    least: int,
    memory: int = 0,
    check: Callable[[], None] = lambda: None,
    described: int = 0,
) -> tuple[Columns, bool]:
    """The bodies that hold for at least so many query atoms of a target, with their columns.

    described: joins of so many relations that are longer than the language allows are described. Whether these are all
    or, if not, the first ones that fit into the memory (bytes; 0 for no limit), is said, too. `check` may end it.
    """
    unary = features.layers.get((0, 1))
    named = _named_arguments(features, head, unary)
    queries = len(features.targets[head].target)
    bodies: list[Candidate] = []
    columns: list[tuple[np.ndarray, np.ndarray]] = []
    seen: set[bytes] = set()
    left = memory // VALUE_BYTES if memory else sys.maxsize
    level = [Shape(head, (), ())]
    shapes = 0
    widest = max((predicate.arity for predicate in language.relations), default=0)
    wide = replace(
        language, length=max(language.length, described), variables=max(language.variables, described * widest)
    )
    # Of bodies without and with conditions on numbers, of which there are so many that others would find no room.
    taken = [0, 0]
    room = [MOST_BODIES + (MOST_DESCRIBED if described else 0), MOST_BODIES if language.alike else 0]
    while level and (taken[0] < room[0] or taken[1] < room[1]):
        extended: dict[Shape, None] = {}
        for shape in level:
            check()
            shapes += 1
            collapsed = _collapse(shape, features, unary)
            if collapsed is not None and _frequent(collapsed, least):
                most = MOST_BODIES if _allowed(shape, language) else room[0]
                for values, candidate in _bodies(shape, collapsed, features, language, least, check):
                    sparse = _sparse(values)
                    alone = candidate.shape.length == 1 and queries < TELLING
                    conditioned = any(name in language.alike for name in candidate.filling)
                    if taken[conditioned] < most and _is_new(sparse, queries, seen, alone):
                        taken[conditioned] += 1
                        left -= len(sparse[0])
                        if left < 0:
                            return Columns(tuple(bodies), _stacked(columns, queries)), False
                        bodies.append(language.canonical(candidate))
                        columns.append(sparse)
            elif shape.relations:
                # Without unary facts nothing can be asked of an object alone, but relations can.
                continue
            if shapes + len(extended) < MOST_SHAPES:
                for longer in with_relation(shape, wide, head_sorts):
                    within = _allowed(longer, language) or len(longer.relations) <= described
                    if within and not _falls_apart(longer, named):
                        extended[longer] = None
        level = _in_order(extended)
    return Columns(tuple(bodies), _stacked(columns, queries)), True


def _allowed(shape: Shape, language: Language) -> bool:
    """Whether a join is in the bounds of the language."""
    return shape.variables <= language.variables and shape.length <= language.length


def _groups(shape: Shape) -> list[set[int]]:
    """The variables of the relations, those together that relations join by more than arguments of the target."""
    arity = shape.head.arity
    groups: list[set[int]] = []
    for _, variables in shape.relations:
        new = {variable for variable in variables if variable >= arity}
        joined = [group for group in groups if not group.isdisjoint(new)]
        groups = [group for group in groups if group.isdisjoint(new)] + [set(variables).union(*joined)]
    return groups


def _falls_apart(shape: Shape, named: set[int]) -> bool:
    """Whether some relations of a target of several arguments can go, and no argument is lost but those with names.

    They are left to another part of a conjunction, which says the same: else there were so many bodies of several facts
    about one argument that few were about both.
    """
    arguments = set(range(shape.head.arity)) - named
    groups = [group & arguments for group in _groups(shape)] if shape.head.arity > 1 else []
    others = [set[int]().union(*groups[:place], *groups[place + 1 :]) for place in range(len(groups))]
    return len(groups) > 1 and any(group <= rest for group, rest in zip(groups, others, strict=True))


def _named_arguments(features: Features, head: Predicate, unary: PredicateLayer | None) -> set[int]:
    """Arguments of a target of which, in every query, something unary is true."""
    if unary is None:
        return set()
    atoms = features.targets[head].index.atoms
    places = [unary.index.position(atoms.example, atoms.objects[:, [place]]) for place in range(head.arity)]
    return {argument for argument, place in enumerate(places) if (place >= 0).all()}


def _in_order(shapes: Iterable[Shape]) -> list[Shape]:
    """Joins of a level: for a target of several arguments those first that join them, then those of some of them."""

    def place(shape: Shape) -> tuple[int, int, Shape]:
        groups = len(_groups(shape)) if shape.head.arity > 1 else 0
        return groups, len(_arguments_to_name(shape)), shape

    return sorted(shapes, key=place)


def columns_of(
    features: Features, head: Predicate, bodies: Sequence[Candidate], check: Callable[[], None] = lambda: None
) -> Columns:
    """Bodies that are known already, with their columns."""
    queries = len(features.targets[head].target)
    by_shape: dict[Shape, list[int]] = {}
    for number, body in enumerate(bodies):
        by_shape.setdefault(body.shape, []).append(number)
    columns: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    step = max(1, CHUNK // queries)
    # Shapes of the same relations follow each other, so that these are joined once.
    for shape, numbers in sorted(by_shape.items()):
        for start in range(0, len(numbers), step):
            check()
            some = numbers[start : start + step]
            values = features.columns(shape, [bodies[number].filling for number in some])
            columns.update((number, _sparse(column)) for number, column in zip(some, values.T, strict=True))
    return Columns(tuple(bodies), _stacked([columns[number] for number in range(len(bodies))], queries))


def put_together(parts: Sequence[tuple[np.ndarray, Columns]]) -> Columns:
    """The columns of all queries from those of parts of them, each with the places of its queries among all."""
    (place, first), *others = parts
    if not others:
        return first
    matrices = [(place, first.values), *((place, columns.values) for place, columns in others)]
    row = np.concatenate([place.astype(np.int32)[values.indices] for place, values in matrices])
    column = np.concatenate(
        [np.repeat(np.arange(values.shape[1], dtype=np.int32), np.diff(values.indptr)) for _, values in matrices]
    )
    data = np.concatenate([values.data for _, values in matrices])
    queries = sum(len(place) for place, _ in matrices)
    return Columns(first.bodies, csc_array((data, (row, column)), shape=(queries, len(first))))


def _sparse(column: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where a column is not 0, and its values there."""
    rows = column.nonzero()[0].astype(np.int32)
    return rows, column[rows]


def _stacked(columns: Sequence[tuple[np.ndarray, np.ndarray]], queries: int) -> csc_array:
    """Columns side by side."""
    starts = np.concatenate([[0], np.cumsum([len(rows) for rows, _ in columns])]).astype(np.int64)
    values = np.concatenate([np.zeros(0), *(values for _, values in columns)])
    places = np.concatenate([np.zeros(0, np.int32), *(rows for rows, _ in columns)])
    if starts[-1] < 2**31:
        starts = starts.astype(np.int32)
    return csc_array((values, places, starts), shape=(queries, len(columns)))


def _is_new(column: tuple[np.ndarray, np.ndarray], queries: int, seen: set[bytes], alone: bool = False) -> bool:
    """Whether no column before ordered the queries like this one; a constant column says nothing.

    alone: it is that of a single literal, which counts for itself.
    """
    rows, values = column
    distinct, rank = np.unique(values, return_inverse=True)
    below = int(np.searchsorted(distinct, 0.0))
    key = hashlib.sha256(b"%d " % below + rows.tobytes() + rank.astype(np.int32).tobytes()).digest()
    if len(distinct) + (len(rows) < queries) < 2 or (key in seen and not alone):
        return False
    seen.add(key)
    return True


def _collapse(shape: Shape, features: Features, unary: PredicateLayer | None) -> _ClassTuples | None:
    """The groundings of a shape by classes of their variables; None where there are none, or too many."""
    try:
        table = features.relations.joined(shape.head if shape.head.arity else None, shape.relations, searching=True)
    except TooManyRows:
        return None
    if not shape.variables:
        # The empty body of a target without arguments: one variable, for any object with unary facts.
        if unary is None:
            return None
        table = unary.index.atoms
    target = features.targets[shape.head]
    row = target.index.position(table.example, table.objects[:, : shape.head.arity])
    inside = row >= 0
    if not inside.any():
        return None
    if not inside.all():
        table, row = table.rows(inside.nonzero()[0]), row[inside]
    classes = [
        np.full(len(table), -1) if unary is None else unary.classes_at(table.example, objects[:, None])
        for objects in table.objects.T
    ]
    if not classes:
        groundings = np.bincount(row, minlength=len(target.index)).astype(np.float32)
        return _ClassTuples(np.zeros((0, 1), np.int64), csr_array(groundings[:, None]))
    first, counts = counted_tuples(row, classes, len(target.index))
    if unary is not None and features.leaves_out(
        shape, len(table), WORK * len(classes) * len(unary.names) * len(first)
    ):
        return None
    return _ClassTuples(np.stack([column[first] for column in classes]), counts)


def _frequent(collapsed: _ClassTuples, least: int) -> bool:
    return int((np.diff(collapsed.counts.indptr) > 0).sum()) >= least


def _bodies(
    shape: Shape,
    collapsed: _ClassTuples,
    features: Features,
    language: Language,
    least: int,
    check: Callable[[], None],
) -> Iterator[tuple[np.ndarray, Candidate]]:
    """Bodies of the relations of a shape and any frequent set of items, smaller sets first, each with its column.

    Of a shape that is longer than the language allows, descriptions.
    """
    bodies: list[tuple[Shape, tuple[str, ...]]] = []
    longest = 0 if shape.of_example else language.length - len(shape.relations)
    if _allowed(shape, language):
        item_sets = _item_sets(shape, collapsed, features, language, longest, least)
    else:
        item_sets = _descriptions(collapsed, features.layers.get((0, 1)), language, least)
    for items in item_sets:
        slots = tuple(((variable,), 0) for variable, _ in items)
        body = Shape(shape.head, shape.relations, slots)
        if body.safe and (body.length or shape.head.arity):
            bodies.append((body, tuple(name for _, name in items)))
    step = max(1, CHUNK // len(features.targets[shape.head].target))
    for start in range(0, len(bodies), step):
        check()
        by_shape: dict[Shape, list[tuple[str, ...]]] = {}
        order: list[tuple[Shape, int]] = []
        for body, filling in bodies[start : start + step]:
            fillings = by_shape.setdefault(body, [])
            order.append((body, len(fillings)))
            fillings.append(filling)
        columns = {body: features.columns(body, fillings) for body, fillings in by_shape.items()}
        for body, number in order:
            yield columns[body][:, number], Candidate(body, by_shape[body][number])


def _descriptions(
    collapsed: _ClassTuples, unary: PredicateLayer | None, language: Language, least: int
) -> list[tuple[Item, ...]]:
    """All that is true of the objects of a tuple, for tuples that enough query atoms have, the most frequent first.

    Tuples that the same query atoms have equally often are one: a join that is symmetric has many such.
    """
    if unary is None or unary.holds is None:
        return []
    counts = csc_array(collapsed.counts)
    support = np.diff(counts.indptr)
    true = [
        [number for number in holding.nonzero()[0].tolist() if unary.names[number] not in language.alike]
        for holding in unary.holds.T
    ]
    described: dict[bytes, tuple[Item, ...]] = {}
    for number in np.argsort(-support, kind="stable")[: int((support >= least).sum())].tolist():
        inside = slice(counts.indptr[number], counts.indptr[number + 1])
        key = counts.indices[inside].tobytes() + counts.data[inside].tobytes()
        classes = [true[place] if place >= 0 else [] for place in collapsed.classes[:, number].tolist()]
        if key not in described and all(len(items) <= ITEMS_OF_A_VARIABLE for items in classes):
            described[key] = tuple(
                (variable, unary.names[item]) for variable, items in enumerate(classes) for item in items
            )
    return list(described.values())[:MOST_OF_A_SHAPE]


def _item_sets(
    shape: Shape, collapsed: _ClassTuples, features: Features, language: Language, longest: int, least: int
) -> list[tuple[Item, ...]]:
    """Sets of items that hold together for enough query atoms, ascending, smaller ones first.

    Sets without and with conditions on numbers are bounded each for itself.
    """
    items, holds = _items(collapsed, features.layers.get((0, 1)))
    tuples = collapsed.counts.shape[1]
    variable = np.array([variable for variable, _ in items], np.int64)
    number = _numbers_asked(items, language)
    argument = np.isin(variable, _arguments_to_name(shape))
    left_to_others = (variable < shape.head.arity) & ~argument if shape.head.arity > 1 else np.zeros(len(items), bool)
    if shape.relations:
        left_to_others |= argument & ~_needed_names(variable, argument, holds, collapsed.counts)
    condition = number >= 0
    level: list[tuple[int, ...]] = [()]
    frequent_sets = _Sets(condition, [()] if shape.relations else [])
    for _ in range(min(longest, len(items))):
        sets: list[tuple[int, ...]] = []
        masks: list[np.ndarray] = []
        known = len(frequent_sets.all)
        for chosen in level:
            asks = bool(condition[list(chosen)].any())
            full = np.where(condition | asks, frequent_sets.full[1], frequent_sets.full[0])
            first = chosen[-1] + 1 if chosen else 0
            if full[first:].all():
                continue
            # Where all that is chosen holds; of an empty choice, everywhere.
            mask = np.asarray(holds[list(chosen)].all(axis=0))
            narrowed = holds[first:] & mask
            # An item that all tuples have already adds nothing.
            useful = np.asarray(narrowed.any(axis=1))
            if chosen:
                useful &= (narrowed != mask).any(axis=1)
            if len(chosen) >= ITEMS_OF_A_VARIABLE and variable[chosen[-ITEMS_OF_A_VARIABLE]] == variable[chosen[-1]]:
                useful &= variable[first:] != variable[chosen[-1]]
            useful &= ~np.isin(number[first:], [number[item] for item in chosen if number[item] >= 0])
            useful &= ~np.isin(variable[first:], [variable[item] for item in chosen if argument[item]])
            useful &= ~left_to_others[first:] & ~full[first:]
            for place in useful.nonzero()[0].tolist():
                sets.append((*chosen, first + place))
                masks.append(narrowed[place].copy())
            if len(masks) * tuples > CHUNK:
                frequent_sets.add(sets[place] for place in _supported(masks, collapsed.counts, least))
                sets, masks = [], []
        frequent_sets.add(sets[place] for place in _supported(masks, collapsed.counts, least))
        level = frequent_sets.all[known:]
        if not level:
            break
    return [tuple(items[item] for item in chosen) for chosen in frequent_sets.first()]


class _Sets:
    """Sets of items, those without and with conditions on numbers each bounded for themselves.

    condition: (items,) bool; full: whether there are enough of the sets without, and of those with conditions.
    """

    def __init__(self, condition: np.ndarray, known: list[tuple[int, ...]]) -> None:
        self.all = known
        self.full = [False, False]
        self._condition = condition
        self._conditioned: list[bool] = [False] * len(known)

    def add(self, sets: Iterable[tuple[int, ...]]) -> None:
        for chosen in sets:
            self.all.append(chosen)
            self._conditioned.append(bool(self._condition[list(chosen)].any()))
        conditioned = sum(self._conditioned)
        self.full = [len(self.all) - conditioned > MOST_OF_A_SHAPE, conditioned > MOST_OF_A_SHAPE]

    def first(self) -> list[tuple[int, ...]]:
        """As many of each kind as there may be, in their order."""
        of_kind = np.array(self._conditioned, bool)
        place = np.where(of_kind, of_kind.cumsum(), (~of_kind).cumsum())
        return [self.all[number] for number in (place <= MOST_OF_A_SHAPE).nonzero()[0].tolist()]


def _arguments_to_name(shape: Shape) -> list[int]:
    """Arguments of a target of several that no relation of a shape has; one unary literal names each.

    More of them, and literals about other arguments, are left to other parts of a conjunction, which says the same:
    else there were so many bodies about the arguments one by one that none was about both.
    """
    used = {variable for _, variables in shape.relations for variable in variables}
    return [argument for argument in range(shape.head.arity) if argument not in used] if shape.head.arity > 1 else []


def _needed_names(variable: np.ndarray, argument: np.ndarray, holds: np.ndarray, counts: csr_array) -> np.ndarray:
    """(items,) which of those that name an argument do so wherever others do not, the most frequent ones first.

    Beside relations a name is there for a body to be safe: what else is true of its argument is said by other parts.
    """
    needed = np.zeros(len(variable), bool)
    for own in np.unique(variable[argument]).tolist():
        names = (variable == own).nonzero()[0]
        left = np.asarray(counts.sum(axis=0), float).ravel()
        while (named := holds[names] @ left).any():
            best = names[named.argmax()]
            needed[best] = True
            left[holds[best]] = 0.0
    return needed


def _numbers_asked(items: list[Item], language: Language) -> np.ndarray:
    """(items,) the number that each item is a condition on, which depends on its variable, too; -1 for none."""
    asked = [(variable, language.alike[name]) if name in language.alike else None for variable, name in items]
    known = {number: place for place, number in enumerate(dict.fromkeys(asked))}
    return np.array([-1 if number is None else known[number] for number in asked], np.int64)


def _items(collapsed: _ClassTuples, unary: PredicateLayer | None) -> tuple[list[Item], np.ndarray]:
    """The items that hold for some tuple, and for which: (items, tuples)."""
    items: list[Item] = []
    holds = [np.zeros((0, collapsed.counts.shape[1]), bool)]
    if unary is not None:
        assert unary.holds is not None
        for variable, classes in enumerate(collapsed.classes):
            true = unary.holds[:, classes] & (classes >= 0)
            occurring = true.any(axis=1).nonzero()[0]
            items += [(variable, unary.names[number]) for number in occurring.tolist()]
            holds.append(true[occurring])
    return items, np.concatenate(holds)


def _supported(masks: list[np.ndarray], counts: csr_array, least: int) -> list[int]:
    """Those of some sets of tuples that occur for at least so many query atoms."""
    kept: list[int] = []
    step = max(1, CHUNK // max(counts.shape))
    for start in range(0, len(masks), step):
        chunk = np.stack(masks[start : start + step], 1).astype(np.float32)
        support = (counts @ chunk > 0.0).sum(axis=0)
        kept += (start + (support >= least).nonzero()[0]).tolist()
    return kept

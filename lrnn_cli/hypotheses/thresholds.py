"""Thresholds: conditions on arguments that hold numbers, as predicates of the other arguments.

The number of lumo(L) is one of the example, that of charge(X, C) one of X. Conditions on it, C >= 0.21, make predicates
of no argument or of X, which fall into soft clusters and stand in bodies like any other. A number that the other
arguments don't tell, as one of several measurements, stays an object.

Cut points lie half way between numbers that follow each other. All of them are scored in one pass over the sorted
numbers of the groundings of a body, by the score test of a rule with that body and the threshold:

    G^2 / (H + 1),    G = sum of (target - frequency) column,    H = its variance where the rule says nothing.

A column is what the groundings on one side of the cut point are aggregated to, or whether there are any: with counts
alone, a cut point that takes groundings from queries which have several scores as high as the right one. Bodies are the
atom alone, or behind a relation for targets with arguments; and these with a literal beside it, a unary predicate or,
in a second round, a condition that the first one has chosen for another number. The best cut points of both kinds and
some quantiles are kept, and intervals between two of them that score higher than both.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lrnn_cli.grounding.atoms import AtomIndex
from lrnn_cli.grounding.joins.relations import Literal, Relations
from lrnn_cli.grounding.objects import EXACT
from lrnn_cli.grounding.tables import SoftFacts, Table, distinct
from lrnn_cli.hypotheses.vocabulary import Condition, Conditions, NumericArgument, Pattern, Vocabulary, pattern_name
from lrnn_cli.language.clauses import Constant, Predicate
from lrnn_cli.language.data import Queries
from lrnn_cli.semantics.aggregations import AGGREGATIONS, Aggregation
from lrnn_cli.semantics.targets import Likelihood

Thresholds = dict[NumericArgument, tuple[Condition, ...]]

BEST = 2
"""So many cut points of an argument with the highest scores alone, and as many beside others, become conditions."""
QUANTILES = 3
"""So many more part its numbers evenly."""
INTERVALS = 2
"""So many intervals, at most, become conditions."""
APART = 0.03
"""Cut points have at least this part of the numbers of an argument between them."""
PENALTY = 1.0
DIGITS = 17
"""With so many digits a float is told from its neighbours."""


@dataclass(frozen=True)
class _Observed:
    """The groundings of a body: the query atom of each (groundings,), and its number; whether nothing is beside it."""

    atom: np.ndarray
    number: np.ndarray
    alone: bool


@dataclass(frozen=True)
class TargetSums:
    """The query atoms of a target: their index, the sums of slopes and of curvatures of each (atoms,)."""

    predicate: Predicate
    index: AtomIndex
    slope: np.ndarray
    curvature: np.ndarray

    def groundings(self, literals: tuple[Literal, ...], words: Vocabulary) -> tuple[Table, np.ndarray]:
        """The groundings of a body for the query atoms, and the position (groundings,) of the atom of each."""
        start = self.predicate if self.predicate.arity else None
        atoms = self.index.atoms
        nothing = Table(np.unique(atoms.example), np.zeros((len(np.unique(atoms.example)), 0), np.int32))
        relations = Relations(words.tables, {}, {start: atoms if start else nothing}, words.objects, False)
        table = relations.joined(start, literals)
        return table, self.index.position(table.example, table.objects[:, : self.predicate.arity])

    def score(self, atom: np.ndarray, aggregation: Aggregation) -> float:
        """The score of a column, given which query atom (groundings,) each grounding belongs to."""
        count = np.bincount(atom, minlength=len(self.slope)).astype(float)
        column = _aggregated(count, aggregation)
        sums = self.slope @ column, self.curvature @ column, self.curvature @ column**2
        return float(_score(*sums, float(self.curvature.sum())))


def thresholds(words: Vocabulary, queries: Queries, aggregation: Aggregation, likelihood: Likelihood) -> Thresholds:
    """The conditions on each argument that holds numbers, chosen for queries with targets of this likelihood."""
    chosen = _chosen(words, words, queries, aggregation, likelihood)
    if len(chosen) < 2:
        return chosen
    return _chosen(words, with_thresholds(words, Conditions(chosen)), queries, aggregation, likelihood)


def with_thresholds(words: Vocabulary, conditions: Conditions) -> Vocabulary:
    """The vocabulary with conditions in place of arguments that hold numbers."""
    replaced = {argument.predicate for argument in conditions.thresholds}
    tables = {name: table for name, table in words.tables.items() if name not in replaced}
    soft = {name: facts for name, facts in words.soft.items() if name not in replaced}
    sorts = {name: own for name, own in words.sorts.items() if name not in replaced}
    patterns = dict(words.patterns)
    conditioned = dict(words.conditioned)
    for argument, own in conditions.thresholds.items():
        if argument.predicate not in words.tables:
            continue
        for condition in own:
            name, pattern = _pattern(words, argument, condition)
            instance = Predicate(pattern_name(name, pattern), len(argument.free))
            table = words.tables[argument.predicate]
            kept = _projected(table, _holds(condition, argument, table, words.numbers), argument)
            if not len(kept):
                continue
            tables[instance] = distinct(kept)
            sorts[instance] = tuple(words.sorts[argument.predicate][place] for place in argument.free)
            patterns[instance.name] = name, pattern
            conditioned[instance.name] = argument
            if argument.predicate in words.soft:
                facts = words.soft[argument.predicate]
                rows = _holds(condition, argument, facts.atoms, words.numbers)
                soft[instance] = SoftFacts(_projected(facts.atoms, rows, argument), facts.weight[rows])
    made = replace(words, tables=tables, soft=soft, sorts=sorts, patterns=patterns)
    return replace(made, conditions=conditions, conditioned=conditioned)


def _holds(condition: Condition, argument: NumericArgument, table: Table, numbers: np.ndarray) -> np.ndarray:
    """(rows,) bool."""
    number = numbers[table.objects[:, argument.place]]
    holds = np.ones(len(table), bool)
    for name, constant in condition.tests:
        holds &= number >= float(constant.text) if name == ">=" else number < float(constant.text)
    return holds


def _projected(table: Table, rows: np.ndarray, argument: NumericArgument) -> Table:
    """Rows of facts without the number."""
    return Table(table.example[rows], np.ascontiguousarray(table.objects[rows][:, list(argument.free)]))


def _pattern(words: Vocabulary, argument: NumericArgument, condition: Condition) -> tuple[str, Pattern]:
    """How a condition is written; constants of the predicate stay, other numbers are any."""
    name, base = words.pattern(argument.predicate)
    own: dict[int, Condition | None] = dict.fromkeys(range(argument.predicate.arity), Condition())
    own |= {**dict.fromkeys(argument.free), argument.place: condition}
    places = iter(range(argument.predicate.arity))
    return name, tuple(own[next(places)] if item is None else item for item in base)


def _chosen(
    words: Vocabulary, others: Vocabulary, queries: Queries, aggregation: Aggregation, likelihood: Likelihood
) -> Thresholds:
    """The conditions on all numbers; `others` has the literals that are tried beside them."""
    targets = target_sums(words, queries, likelihood)
    arguments = (argument for name in sorted(words.numeric) for argument in words.numeric_arguments(name))
    return {argument: _conditions(argument, words, others, targets, aggregation) for argument in arguments}


def target_sums(words: Vocabulary, queries: Queries, likelihood: Likelihood) -> list[TargetSums]:
    """What the scores of columns depend on, for each target."""
    asked = {queries.predicate[number] for number in np.unique(queries.predicate_index).tolist()}
    return [_sums_of(words, queries, target, likelihood) for target in sorted(asked)]


def _sums_of(words: Vocabulary, queries: Queries, target: Predicate, likelihood: Likelihood) -> TargetSums:
    rows = (queries.predicate_index == queries.predicate.index(target)).nonzero()[0]
    atoms = Table(queries.example[rows], queries.argument[rows, : target.arity])
    index = AtomIndex([atoms], words.objects)
    place, value = index.position(atoms.example, atoms.objects), queries.target[rows]
    frequency = float(value.mean())
    slope = np.bincount(place, value - frequency, len(index))
    curvature = np.bincount(place, minlength=len(index)) * likelihood.variance(value)
    return TargetSums(target, index, slope, curvature)


def _conditions(
    argument: NumericArgument,
    words: Vocabulary,
    others: Vocabulary,
    targets: Sequence[TargetSums],
    aggregation: Aggregation,
) -> tuple[Condition, ...]:
    """Thresholds and intervals of one argument."""
    numbers, count = np.unique(_numbers_of(argument, words), return_counts=True)
    if len(numbers) < 2:
        return ()
    observed = [(target, body) for target in targets for body in _bodies(argument, words, others, target)]
    scores = np.zeros((2, len(numbers)))
    for (target, body), own in itertools.product(observed, _asked_of_counts(aggregation)):
        # The score of the cut point below each number.
        middle, score = cut_scores(body.atom, body.number, target.slope, target.curvature, own)
        place = np.minimum(np.searchsorted(numbers, middle, "right"), len(numbers) - 1)
        np.maximum.at(scores[0 if body.alone else 1], place, score)
    cuts = _apart(scores, np.cumsum(count) - count)
    constants = {cut: cut_constant(numbers[cut - 1], numbers[cut]) for cut in cuts}
    single = [Condition(((name, constants[cut]),)) for cut in cuts for name in (">=", "<")]
    return (*single, *_intervals(constants, observed, numbers, scores.max(axis=0), aggregation))


def _asked_of_counts(aggregation: Aggregation) -> tuple[Aggregation, ...]:
    """How many groundings there are, and whether there are any, which parts can tell apart."""
    return aggregation, AGGREGATIONS["max"]


def _numbers_of(argument: NumericArgument, words: Vocabulary) -> np.ndarray:
    numbers = words.numbers[words.tables[argument.predicate].objects[:, argument.place]]
    return np.asarray(numbers[np.isfinite(numbers)])


def _apart(scores: np.ndarray, below: np.ndarray) -> list[int]:
    """Cut points below the numbers in these places: the best ones, and some that part the facts evenly.

    scores: (2, numbers) alone and beside others; below: (numbers,) how many facts have smaller ones. The best of both
    kinds comes first: another one near it would keep it out.
    """
    chosen: list[int] = []
    total = below[-1] + 1

    def take(place: int) -> bool:
        near = any(abs(below[place] - below[other]) < APART * total for other in chosen)
        if near or not 0 < place < len(below):
            return False
        chosen.append(place)
        return True

    left = [BEST, BEST]
    kind, score = scores.argmax(axis=0), scores.max(axis=0)
    for place in np.argsort(-score, kind="stable").tolist():
        if score[place] and left[kind[place]] and take(place):
            left[kind[place]] -= 1
    for part in range(1, QUANTILES + 1):
        take(int(np.searchsorted(below, total * part / (QUANTILES + 1))))
    return sorted(chosen)


def cut_scores(
    atom: np.ndarray, number: np.ndarray, slope: np.ndarray, curvature: np.ndarray, aggregation: Aggregation
) -> tuple[np.ndarray, np.ndarray]:
    """The cut points between the numbers of groundings, and the score of each: that of the better one of its sides.

    atom: (groundings,) which query atom each belongs to; slope, curvature: (atoms,).
    """
    order = np.argsort(number, kind="stable")
    atom, number = atom[order], number[order]
    between = (number[1:] > number[:-1]).nonzero()[0] + 1
    low = _running_scores(atom, slope, curvature, aggregation)[between - 1]
    high = _running_scores(atom[::-1], slope, curvature, aggregation)[::-1][between]
    return number[between - 1] / 2.0 + number[between] / 2.0, np.maximum(low, high)


def _running_scores(atom: np.ndarray, slope: np.ndarray, curvature: np.ndarray, aggregation: Aggregation) -> np.ndarray:
    """(groundings,) the score of the column of each grounding and all before it."""
    order = np.argsort(atom, kind="stable")
    start = np.searchsorted(atom[order], atom[order], "left")
    before = np.empty(len(atom))
    before[order] = np.arange(len(atom)) - start
    now, then = _aggregated(before + 1.0, aggregation), _aggregated(before, aggregation)
    total = np.cumsum(slope[atom] * (now - then))
    mean = np.cumsum(curvature[atom] * (now - then))
    square = np.cumsum(curvature[atom] * (now**2 - then**2))
    return _score(total, mean, square, float(curvature.sum()))


def _aggregated(count: np.ndarray, aggregation: Aggregation) -> np.ndarray:
    """What so many groundings, all alike, are aggregated to."""
    return np.where(count > 0.0, aggregation.share(count, np.maximum(count, 1.0)), 0.0)


def _score(total: np.ndarray, mean: np.ndarray, square: np.ndarray, curvature: float) -> np.ndarray:
    """The score test of a column beside a constant one."""
    variance = np.maximum(square - mean**2 / max(curvature, 1e-12), 0.0)
    return np.asarray(total**2 / (variance + PENALTY))


def _bodies(
    argument: NumericArgument, words: Vocabulary, others: Vocabulary, target: TargetSums
) -> Iterator[_Observed]:
    """The groundings of an atom with a number, alone or behind a relation, and with each other literal beside it."""
    for literals in bodies_about(argument, words, target.predicate):
        literal = next(literal for literal in literals if literal[0] == argument.predicate)
        table, atom = target.groundings(literals, words)
        number = words.numbers[table.objects[:, literal[1][argument.place]]]
        inside = (atom >= 0) & np.isfinite(number)
        yield _Observed(atom[inside], number[inside], True)
        for beside in _beside(argument, words, others, table, literal):
            kept = inside & beside
            if kept.any():
                yield _Observed(atom[kept], number[kept], False)


def bodies_about(argument: NumericArgument, words: Vocabulary, target: Predicate) -> Iterator[tuple[Literal, ...]]:
    """Bodies with the atom: alone for a target without arguments, else about one of these or behind a relation."""
    own, head = words.sorts[argument.predicate], words.targets[target]
    if not head:
        yield ((argument.predicate, tuple(range(argument.predicate.arity))),)
        return
    if not argument.free:
        yield ((argument.predicate, (target.arity,)),)
    for place, variable in itertools.product(argument.free, range(target.arity)):
        if meet(own[place], head[variable]):
            yield (_literal(argument.predicate, place, variable, target.arity),)
    for relation, sorts in sorted(words.sorts.items()):
        if relation in words.numeric:
            continue
        for near, far in itertools.permutations(range(relation.arity), 2):
            for place, variable in itertools.product(argument.free, range(target.arity)):
                if meet(sorts[near], head[variable]) and sorts[far] == own[place]:
                    first = _literal(relation, near, variable, target.arity)
                    width = target.arity + relation.arity - 1
                    yield first, _literal(argument.predicate, place, first[1][far], width)


def meet(one: int, other: int) -> bool:
    return one == other or -1 in (one, other)


def _literal(predicate: Predicate, place: int, variable: int, known: int) -> Literal:
    """A literal with one variable that is known; the others come after all of these."""
    fresh = itertools.count(known)
    return predicate, tuple(variable if own == place else next(fresh) for own in range(predicate.arity))


def _beside(
    argument: NumericArgument, words: Vocabulary, others: Vocabulary, table: Table, literal: Literal
) -> Iterator[np.ndarray]:
    """(rows,) where a literal holds of an object of the atom, or of the example or of some object in it."""
    for predicate in sorted(others.tables):
        facts = others.tables[predicate]
        if predicate.arity > 1 or predicate in words.numeric or others.conditioned.get(predicate.name) == argument:
            continue
        if not predicate.arity or not argument.free:
            yield np.isin(table.example, facts.example)
            continue
        for place in argument.free:
            if others.sorts[predicate][0] == words.sorts[argument.predicate][place]:
                yield np.isin(table.objects[:, literal[1][place]], facts.objects[:, 0])


def _intervals(
    constants: dict[int, Constant],
    observed: Sequence[tuple[TargetSums, _Observed]],
    numbers: np.ndarray,
    best: np.ndarray,
    aggregation: Aggregation,
) -> list[Condition]:
    """Intervals between two cut points that score higher than these do alone."""
    scores = {}
    for low, high in itertools.combinations(constants, 2):
        score = 0.0
        for target, body in observed:
            inside = (body.number >= numbers[low]) & (body.number < numbers[high])
            score = max(score, *(target.score(body.atom[inside], own) for own in _asked_of_counts(aggregation)))
        if score > max(best[low], best[high]):
            scores[low, high] = score
    chosen = sorted(scores, key=lambda pair: (-scores[pair], pair))[:INTERVALS]
    return [Condition(((">=", constants[low]), ("<", constants[high]))) for low, high in chosen]


def cut_constant(low: float, high: float) -> Constant:
    """A number with few digits that parts two others; an integer where both of them are."""
    middle = low / 2.0 + high / 2.0
    if low.is_integer() and high.is_integer() and max(-low, high) < EXACT:
        return Constant(str(math.floor(middle) + 1))
    # No negative zero.
    rounded = (float(f"{middle:.{digits}g}") + 0.0 for digits in range(1, DIGITS + 1))
    text = repr(next((number for number in rounded if low < number < high), float(high)))
    mantissa, _, exponent = text.partition("e")
    mantissa = mantissa if "." in mantissa else f"{mantissa}.0"
    return Constant(f"{mantissa}e{exponent}" if exponent else mantissa)

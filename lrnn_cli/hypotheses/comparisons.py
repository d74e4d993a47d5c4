"""Comparisons of two numbers, A > B, as predicates of the objects that have them.

Numbers are compared where their sorts are equal: those of one argument, or of arguments that `bias/1` gives the same
sort. They belong to the same objects, open(D, A), close(D, B), A > B; one of them to the whole example; or to two
objects that a fact joins: on(X, Y), size(X, A), size(Y, B), A > B. Then that fact is part of the predicate, which has
its arguments, so there are no more pairs than facts. Pairs of all objects of an example are compared where no fact
joins two of them, or a target is about two, and there are not too many.

A comparison becomes a predicate where it promises something: where the score test of a rule with it, alone or beside a
unary predicate, is far above that of the rule without it.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lrnn_cli.grounding.atoms import AtomIndex
from lrnn_cli.grounding.joins.relations import Literal, Relations, TooManyRows, different
from lrnn_cli.grounding.tables import SoftFacts, Table, distinct, row_keys
from lrnn_cli.hypotheses.thresholds import TargetSums, bodies_about, meet, target_sums
from lrnn_cli.hypotheses.vocabulary import Comparison, NumericArgument, Vocabulary
from lrnn_cli.language.clauses import Atom, Predicate, Rule, Variable
from lrnn_cli.language.data import Queries
from lrnn_cli.semantics.activations import Activation
from lrnn_cli.semantics.aggregations import Aggregation
from lrnn_cli.semantics.targets import Likelihood

OPERATORS = {">": operator.gt, "<": operator.lt, "=:=": operator.eq}
PAIRS = 100_000
"""So many pairs of objects at most are compared."""
MOST = 8
"""So many comparisons at most."""
GAIN = 2.0
"""What a rule with a comparison must add to the log likelihood, beside the logarithm of how many are tried."""
FEWEST = 2
"""A comparison holds at least so often."""


@dataclass(frozen=True)
class _Body:
    """Facts with two numbers of equal sorts: that of `left` and that of `right`; the first variables are objects.

    same: both are of one argument, so that X > Y is Y < X.
    """

    literals: tuple[Literal, ...]
    arity: int
    left: int
    right: int
    same: bool = False


def comparisons(
    words: Vocabulary, queries: Queries, aggregation: Aggregation, likelihood: Likelihood
) -> tuple[Comparison, ...]:
    """Those that tell more about the targets of queries than their facts do without them, the best first.

    Weights of facts have no part in them, so numbers of weighted facts are not compared.
    """
    bodies = [(body, telling) for body in _all_bodies(words) for telling in _telling(body, words)]
    targets = target_sums(words, queries, likelihood) if bodies else []
    scores: dict[Comparison, float] = {}
    tried = 0
    for body, telling in bodies:
        gains = [gain for target in targets for gain in _gains(body, telling, words, target, aggregation)]
        scores[telling] = max(gains, default=0.0)
        tried += len(gains)
    enough = 2.0 * (GAIN + math.log(max(tried, 1)))
    chosen = sorted((own for own in scores if scores[own] > enough), key=lambda own: -scores[own])
    return tuple(chosen[:MOST])


def _all_bodies(words: Vocabulary) -> Iterator[_Body]:
    plain = [name for name in sorted(words.numeric) if name not in words.soft]
    arguments = [argument for name in plain for argument in words.numeric_arguments(name)]
    arguments = [own for own in arguments if not set(own.free) & set(words.numeric[own.predicate])]
    for one, other in itertools.combinations_with_replacement(arguments, 2):
        if _sort(one, words) == _sort(other, words):
            yield from _bodies(one, other, words)


def _gains(
    body: _Body, comparison: Comparison, words: Vocabulary, target: TargetSums, aggregation: Aggregation
) -> Iterator[float]:
    """By how much a comparison raises the score of a rule, alone and beside each unary predicate of its objects."""
    facts = Predicate("", body.arity)
    joined = _joined(body, words, 0)
    sort_of = {
        place: sort for name, places in body.literals for place, sort in zip(places, words.sorts[name], strict=True)
    }
    sorts = tuple(sort_of[place] for place in range(body.arity))
    every = distinct(Table(joined.example, np.ascontiguousarray(joined.objects[:, : body.arity])))
    known = replace(words, tables={**words.tables, facts: every}, sorts={**words.sorts, facts: sorts})
    true = AtomIndex([_facts(joined, body, comparison.operator, words)], words.objects)
    for literals in _uses(facts, known, target.predicate):
        table, atom = target.groundings(literals, known)
        own = table.objects[:, list(literals[-1][1])]
        inside = atom >= 0
        holds = true.position(table.example, own) >= 0
        for beside in _beside(words, sorts, own):
            kept = inside & beside
            without = target.score(atom[kept], aggregation)
            yield target.score(atom[kept & holds], aggregation) - without


def _uses(facts: Predicate, words: Vocabulary, target: Predicate) -> Iterator[tuple[Literal, ...]]:
    """Bodies that end with a literal of some facts; about several arguments of a target as well."""
    if not facts.arity:
        yield ((facts, ()),)
        return
    yield from bodies_about(NumericArgument(facts, -1, tuple(range(facts.arity))), words, target)
    own, head = words.sorts[facts], words.targets[target]
    for count in range(2, min(facts.arity, target.arity) + 1):
        for places in itertools.combinations(range(facts.arity), count):
            for variables in itertools.permutations(range(target.arity), count):
                if all(meet(own[place], head[variable]) for place, variable in zip(places, variables, strict=True)):
                    yield (_literal(facts, dict(zip(places, variables, strict=True)), target.arity),)


def _beside(words: Vocabulary, sorts: tuple[int, ...], objects: np.ndarray) -> Iterator[np.ndarray]:
    """(rows,) all rows, and those where a unary predicate holds of an object (rows, arguments)."""
    yield np.ones(len(objects), bool)
    for predicate in sorted(words.tables):
        if predicate.arity == 1 and predicate not in words.numeric:
            for place, sort in enumerate(sorts):
                if words.sorts[predicate][0] == sort:
                    yield np.isin(objects[:, place], words.tables[predicate].objects[:, 0])


def with_comparisons(
    words: Vocabulary, chosen: Sequence[Comparison], activation: Activation | None = None
) -> Vocabulary:
    """The vocabulary with comparisons as predicates.

    In rules a comparison is some facts beside each other. One fact of the predicate stands for them in the search: it
    has the weight that gives its neuron what they add to a body. Without an activation all facts are true alike.
    """
    tables, soft, sorts = dict(words.tables), dict(words.soft), dict(words.sorts)
    conditioned, written = dict(words.conditioned), dict(words.comparisons)
    for comparison in chosen:
        if any(predicate not in words.tables for predicate, _ in comparison.body):
            continue
        body = _Body(comparison.body, comparison.arity, comparison.left, comparison.right)
        table = _facts(_joined(body, words, 0), body, comparison.operator, words)
        if not len(table):
            continue
        instance = Predicate(_name(comparison, words), comparison.arity)
        tables[instance] = table
        sort_of = {
            place: sort
            for predicate, places in comparison.body
            for place, sort in zip(places, words.sorts[predicate], strict=True)
        }
        sorts[instance] = tuple(sort_of[place] for place in range(comparison.arity))
        first = comparison.body[0][0]
        # A body has one comparison of the same numbers, and a relation not once more beside it.
        conditioned[instance.name] = first if len(comparison.body) == 3 else comparison.body
        if len(comparison.body) == 3:
            conditioned[first.name] = first
        written[instance.name] = comparison
        if activation is not None and len(comparison.body) > 1:
            value = len(comparison.body) * (activation.crisp - 1.0) + 1.0
            weight = activation.half + activation.above_half(value)
            soft[instance] = SoftFacts(table, np.full(len(table), weight))
    return replace(words, tables=tables, soft=soft, sorts=sorts, conditioned=conditioned, comparisons=written)


def _sort(argument: NumericArgument, words: Vocabulary) -> int:
    return words.sorts[argument.predicate][argument.place]


def _free_sorts(argument: NumericArgument, words: Vocabulary) -> tuple[int, ...]:
    return tuple(words.sorts[argument.predicate][place] for place in argument.free)


def _bodies(one: NumericArgument, other: NumericArgument, words: Vocabulary) -> Iterator[_Body]:
    own, others = _free_sorts(one, words), _free_sorts(other, words)
    if one != other and (own == others or not own or not others):
        yield _side_by_side(one, other, tuple(range(len(own))), tuple(range(len(others))), max(len(own), len(others)))
    if not len(own) == len(others) == 1:
        return
    joined = False
    for relation, sorts in sorted(words.sorts.items()):
        if relation in words.numeric or relation in words.soft:
            continue
        literal = relation, tuple(range(relation.arity))
        for left, right in itertools.permutations(literal[1], 2):
            if (sorts[left], sorts[right]) == own + others and (one != other or left < right):
                joined = True
                body = _side_by_side(one, other, (left,), (right,), relation.arity)
                yield replace(body, literals=(literal, *body.literals))
    if not joined or any(_is_about(sorts, own + others) for sorts in words.targets.values()):
        yield _side_by_side(one, other, (0,), (1,), 2)


def _is_about(sorts: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    """Whether a target has two arguments of these sorts, if they are known."""
    return any(
        all(-1 in pair or len(set(pair)) == 1 for pair in zip(chosen, wanted, strict=True))
        for chosen in itertools.permutations(sorts, 2)
    )


def _side_by_side(
    one: NumericArgument, other: NumericArgument, own: tuple[int, ...], others: tuple[int, ...], arity: int
) -> _Body:
    """The facts of two numbers, each of some of the first variables; one fact where it has both numbers."""
    if one.predicate == other.predicate and own == others:
        places = {**dict(zip(one.free, own, strict=True)), one.place: arity, other.place: arity + 1}
        return _Body((_literal(one.predicate, places, arity + 2),), arity, arity, arity + 1)
    first = _literal(one.predicate, {**dict(zip(one.free, own, strict=True)), one.place: arity}, arity + 2)
    known = max(arity + 2, *(place + 1 for place in first[1]))
    places = {**dict(zip(other.free, others, strict=True)), other.place: arity + 1}
    return _Body((first, _literal(other.predicate, places, known)), arity, arity, arity + 1, one == other)


def _literal(predicate: Predicate, places: dict[int, int], known: int) -> Literal:
    """A literal with some variables at given places; numbers at the others are new."""
    fresh = itertools.count(known)
    return predicate, tuple(places[place] if place in places else next(fresh) for place in range(predicate.arity))


def _telling(body: _Body, words: Vocabulary) -> list[Comparison]:
    """The comparisons of a body that part its groundings; only integers are found to be equal."""
    try:
        table = different(_joined(body, words, PAIRS), range(body.arity))
    except TooManyRows:
        return []
    chosen: list[Comparison] = []
    whole = (words.numbers[table.objects[:, [body.left, body.right]]] % 1.0 == 0.0).all()
    for name in OPERATORS if whole else (">", "<"):
        facts = _facts(table, body, name, words)
        mirrored = body.same and name == "<" and chosen and _is_mirrored(table, body, facts, words)
        if FEWEST <= len(facts) < len(table) and not mirrored:
            chosen.append(Comparison(body.literals, body.arity, body.left, name, body.right))
    return chosen


def _is_mirrored(table: Table, body: _Body, facts: Table, words: Vocabulary) -> bool:
    """Whether what is less is what is more with the two objects exchanged."""
    one, other = (
        next(place for _, places in body.literals if number in places for place in places if place < body.arity)
        for number in (body.left, body.right)
    )
    columns = list(range(body.arity))
    columns[one], columns[other] = other, one
    more = _facts(table, body, ">", words).objects[:, columns]
    keys = row_keys(list(np.concatenate([facts.objects, more]).T), len(facts) + len(more))
    return np.array_equal(np.unique(keys[: len(facts)]), np.unique(keys[len(facts) :]))


def _joined(body: _Body, words: Vocabulary, most: int) -> Table:
    """The groundings of the facts of a body, variables in their order; too many rows are an error."""
    order: dict[int, int] = {}
    literals = []
    for predicate, places in body.literals:
        literals.append((predicate, tuple(order.setdefault(place, len(order)) for place in places)))
    example = np.unique(np.concatenate([words.tables[predicate].example for predicate, _ in literals]))
    start: dict[Predicate | None, Table] = {None: Table(example, np.zeros((len(example), 0), np.int32))}
    relations = Relations(words.tables, {}, start, words.objects, False, most_rows=most)
    table = relations.joined(None, tuple(literals), searching=True)
    return Table(table.example, table.objects[:, [order[place] for place in range(len(order))]])


def _facts(table: Table, body: _Body, name: str, words: Vocabulary) -> Table:
    """The objects of the groundings of a body whose numbers compare like this."""
    left, right = (words.numbers[table.objects[:, place]] for place in (body.left, body.right))
    holds = OPERATORS[name](left, right)
    return distinct(Table(table.example[holds], np.ascontiguousarray(table.objects[holds, : body.arity])))


def _name(comparison: Comparison, words: Vocabulary) -> str:
    """What the predicate is called by: what rules have in its place."""
    arguments = tuple(Variable(f"X{place + 1}") for place in range(comparison.arity))
    plain = replace(words, comparisons={"": comparison})
    return plain.written(Rule(Atom("_"), (Atom("", arguments),))).clause.partition(":-")[2].strip()

"""Many target rules at once: which of them, and which of their literals, a model can do without.

The input of a target is the sum of what its rules give, times their weights. Weights of rules that stay make up for
what goes: those with which inputs come closest to what they were, queries counting as much as their outputs depend on
the input. What a rule or literal costs is what remains of the difference (the *optimal brain surgeon* of B. Hassibi and
D. Stork, 1993); it goes if that is little for so many rules that nothing uses then. Nothing is grounded for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lrnn_cli.language.clauses import Predicate, Rule
from lrnn_cli.semantics.activations import Activation

AT_ONCE = 0.15
"""The part of the target rules that a step tries to do without, or shorten, at first."""
RIDGE = 1e-6
"""What is added to the diagonal of the normal equations, in parts of its mean: weights that do not matter stay."""


@dataclass(frozen=True)
class TargetRule:
    """A rule of a target, and what it gives without its weight: column (queries,).

    number: of the rule in the model; places: the literals of its body that are left
    literals: (literals of the body, queries) their values, if it has one grounding for each query, and can be shortened
    """

    number: int
    places: tuple[int, ...]
    column: np.ndarray
    literals: np.ndarray | None

    def without(self, place: int, activation: Activation) -> TargetRule:
        """The rule without a literal of its body."""
        assert self.literals is not None
        places = tuple(other for other in self.places if other != place)
        total = activation.rule_bias(len(places), 0) + self.literals[list(places)].sum(axis=0)
        return replace(self, places=places, column=activation.rules(total))


@dataclass(frozen=True)
class Condensed:
    """Target rules that are left, and their weights (rules,)."""

    rules: tuple[TargetRule, ...]
    weights: np.ndarray


@dataclass(frozen=True)
class _Move:
    """Without a rule or a literal of it: its place among the rules, what is there instead, cost of each rule saved."""

    place: int
    instead: TargetRule | None
    cost: float


def condense(
    rules: Sequence[TargetRule],
    weights: np.ndarray,
    importance: np.ndarray,
    activation: Activation,
    model: Sequence[Rule],
    accepted: Callable[[Condensed], bool],
) -> Condensed:
    """As few target rules and literals as are accepted.

    weights: (rules,); importance: (queries,) how much the output of each depends on its input; model: all its rules.
    """
    wanted = np.stack([rule.column for rule in rules], 1) @ weights
    now = Condensed(tuple(rules), weights)
    size = max(1, round(AT_ONCE * len(rules)))
    while size and now.rules:
        moves = sorted(_moves(now, importance, activation, model), key=lambda move: move.cost)
        chosen: dict[int, _Move] = {}
        for move in moves:
            if len(chosen) < size:
                chosen.setdefault(move.place, move)
        left = [chosen[place].instead if place in chosen else rule for place, rule in enumerate(now.rules)]
        there = np.array([rule is not None for rule in left])
        tried = _refitted([rule for rule in left if rule is not None], now.weights[there], wanted, importance)
        if chosen and tried.rules and accepted(tried):
            now = tried
            size = min(size, max(1, round(AT_ONCE * len(now.rules))))
        else:
            size //= 2
    return now


def _refitted(
    rules: Sequence[TargetRule], weights: np.ndarray, wanted: np.ndarray, importance: np.ndarray
) -> Condensed:
    """The weights with which rules come closest to the inputs (queries,) that are wanted, beginning with some."""
    if not rules:
        return Condensed((), weights)
    columns = np.stack([rule.column for rule in rules], 1)
    weighted = columns * importance[:, None]
    change = np.linalg.solve(_normal(columns, weighted), weighted.T @ (wanted - columns @ weights))
    return Condensed(tuple(rules), weights + change)


def _normal(columns: np.ndarray, weighted: np.ndarray) -> np.ndarray:
    """The matrix of the normal equations of columns (queries, rules)."""
    normal = weighted.T @ columns
    normal[np.diag_indices_from(normal)] += RIDGE * np.trace(normal) / len(normal)
    return np.asarray(normal)


def _moves(now: Condensed, importance: np.ndarray, activation: Activation, model: Sequence[Rule]) -> Iterator[_Move]:
    """All that could go next."""
    columns = np.stack([rule.column for rule in now.rules], 1)
    weighted = columns * importance[:, None]
    inverse = np.linalg.inv(_normal(columns, weighted))
    costs = now.weights**2 / np.diag(inverse)
    used = Counter(predicate for rule in now.rules for predicate in _asked(model[rule.number], rule.places))
    defining = Counter(rule.head.predicate for rule in model)

    def saved(rule: TargetRule, places: Sequence[int]) -> int:
        """Rules of predicates that nothing but these literals asks for."""
        asked = Counter(_asked(model[rule.number], places))
        return sum(defining[predicate] for predicate, times in asked.items() if used[predicate] == times)

    shorter: list[tuple[int, TargetRule, int]] = []
    for place, rule in enumerate(now.rules):
        if model[rule.number].body and not model[rule.number].fixed:
            yield _Move(place, None, float(costs[place]) / (1 + saved(rule, rule.places)))
            if rule.literals is not None and len(rule.places) > 1:
                shorter += [(place, rule.without(own, activation), saved(rule, [own])) for own in rule.places]
    if not shorter:
        return
    change = np.stack([other.column - columns[:, place] for place, other, _ in shorter], 1)
    change *= now.weights[[place for place, _, _ in shorter]]
    along = weighted.T @ change
    rest = (change**2 * importance[:, None]).sum(axis=0) - (along * (inverse @ along)).sum(axis=0)
    for (place, other, freed), cost in zip(shorter, rest.tolist(), strict=True):
        yield _Move(place, other, max(0.0, cost) / (1 + freed))


def _asked(rule: Rule, places: Sequence[int]) -> list[Predicate]:
    return [rule.body[place].predicate for place in places]

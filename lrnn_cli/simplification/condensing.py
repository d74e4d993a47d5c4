"""Many target rules at once: which of them, and which of their literals, a model can do without.

The input of a target is the sum of what its rules give, times their weights. Weights of rules that stay make up for
what goes: those with which inputs come closest to what they were, queries counting as much as their outputs depend on
the input. What a rule or literal costs is what remains of the difference (the *optimal brain surgeon* of B. Hassibi and
D. Stork, 1993); it goes if that is little for the rules that it stands for. Rules that define a predicate are shared by
all that ask for it, so what many rules use stays, and what needs much that nobody else uses goes first. Nothing is
grounded for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lrnn_cli.grounding.strata import components
from lrnn_cli.language.clauses import Predicate, Rule
from lrnn_cli.semantics.activations import Activation

AT_ONCE = 0.15
"""The part of the target rules that a step tries to do without, or shorten, at first."""
LITERAL = 0.1
"""What a literal by itself counts, in rules: of two that save as many rules, the one that costs less goes."""
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


class Definitions:
    """The rules of a model, and what the literals of target rules need of them."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = rules
        self._body = [[atom.predicate for atom in rule.body] for rule in rules]
        self._defining = Counter(rule.head.predicate for rule in rules)
        self._needed: dict[Predicate, set[Predicate]] = {predicate: set() for predicate in self._defining}
        for rule, body in zip(rules, self._body, strict=True):
            self._needed[rule.head.predicate].update(name for name in body if name in self._defining)
        self._order = [predicate for component in components(self._needed) for predicate in component]

    def asked(self, rule: TargetRule) -> list[Predicate]:
        """The predicates of the literals that a target rule has left."""
        return [self._body[rule.number][place] for place in rule.places]

    def size(self, targets: Sequence[TargetRule]) -> int:
        """These rules, and all that they need."""
        return len(targets) + sum(self._defining[predicate] for predicate in self._users(targets))

    def shares(self, targets: Sequence[TargetRule]) -> dict[Predicate, float]:
        """How many rules of the model a literal of each predicate stands for.

        Those that define it, and what these stand for, divided by the number of literals and predicates that ask for
        it; 0 where it has facts only.
        """
        users = self._users(targets)
        share = dict.fromkeys(users, 0.0)
        for predicate in self._order:
            if predicate in users:
                below = sum(share[other] for other in sorted(self._needed[predicate]))
                share[predicate] = (self._defining[predicate] + below) / users[predicate]
        return share

    def _users(self, targets: Sequence[TargetRule]) -> Counter[Predicate]:
        """By how many literals of target rules, and predicates, each is asked for that these need."""
        users = Counter(predicate for rule in targets for predicate in self.asked(rule))
        frontier = list(users)
        while frontier:
            for predicate in self._needed.get(frontier.pop(), ()):
                if predicate not in users:
                    frontier.append(predicate)
                users[predicate] += 1
        return users


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
    model: Definitions,
    accepted: Callable[[Condensed, bool], bool],
) -> Condensed:
    """As few target rules and literals as are accepted.

    weights: (rules,); importance: (queries,) how much the output of each depends on its input.
    accepted: asked for what is left, and whether one rule or literal alone went
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
        if chosen and tried.rules and accepted(tried, len(chosen) == 1):
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


def _moves(now: Condensed, importance: np.ndarray, activation: Activation, model: Definitions) -> Iterator[_Move]:
    """All that could go next."""
    columns = np.stack([rule.column for rule in now.rules], 1)
    weighted = columns * importance[:, None]
    inverse = np.linalg.inv(_normal(columns, weighted))
    costs = now.weights**2 / np.diag(inverse)
    share = model.shares(now.rules)
    shorter: list[tuple[int, TargetRule, float]] = []
    for place, rule in enumerate(now.rules):
        saved = [LITERAL + share[predicate] for predicate in model.asked(rule)]
        if model.rules[rule.number].body and not model.rules[rule.number].fixed:
            yield _Move(place, None, float(costs[place]) / (1 + sum(saved)))
            if rule.literals is not None and len(rule.places) > 1:
                own = zip(rule.places, saved, strict=True)
                shorter += [(place, rule.without(literal, activation), rules) for literal, rules in own]
    if not shorter:
        return
    change = np.stack([other.column - columns[:, place] for place, other, _ in shorter], 1)
    change *= now.weights[[place for place, _, _ in shorter]]
    along = weighted.T @ change
    rest = (change**2 * importance[:, None]).sum(axis=0) - (along * (inverse @ along)).sum(axis=0)
    for (place, other, saved_rules), cost in zip(shorter, rest.tolist(), strict=True):
        yield _Move(place, other, max(0.0, cost) / saved_rules)

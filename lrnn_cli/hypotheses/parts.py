"""Parts: latent predicates about the query itself, each a soft threshold on how often a body holds.

For a target without arguments a part is nullary, and two rules define it:

    2.1 :: part_7 :- bond(X,Y,B), c3(X), nar(Y), b_ar(B).
    -3.0 :: part_7.

The weighted fact moves the threshold, so a part says that there are many such groundings or, with a negative weight,
few. A target with arguments hands them on to its parts, and no fact is true of all its atoms: such a part says that
there are groundings, or many. Target rules are conjunctions of parts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lrnn_cli.hypotheses.bodies import Candidate
from lrnn_cli.language.clauses import Atom, Rule
from lrnn_cli.semantics.activations import Activation

SHARPNESS = 0.97
"""The value of a part where its column is just above the threshold, if a weight in bounds can reach it."""
LARGEST_WEIGHT = 9.0
PART = "part_"


@dataclass(frozen=True)
class Part:
    """The threshold lies between `low` and `high`, two values of the column of the body."""

    body: Candidate
    low: float
    high: float
    at_least: bool

    @property
    def threshold(self) -> float:
        return (self.low + self.high) / 2.0

    def holds(self, column: np.ndarray) -> np.ndarray:
        """(queries,) where the column is on the right side of the threshold."""
        return np.asarray((column > self.threshold) == self.at_least)

    def weights(self, activation: Activation) -> tuple[float, float | None]:
        """Of the rule with the body, and of the fact; None where there is none."""
        if self.body.shape.head.arity:
            return activation.half / self.threshold, None
        weight = min(activation.above_half(SHARPNESS) / (self.threshold - self.low), LARGEST_WEIGHT)
        weight = weight if self.at_least else -weight
        return weight, activation.half - weight * self.threshold

    def values(self, column: np.ndarray, activation: Activation) -> np.ndarray:
        """(queries,) the atom neurons of the part; 0 stands for atoms that are not derived."""
        weight, bias = self.weights(activation)
        if bias is None:
            return np.where(column > 0.0, activation.atoms(weight * column), 0.0)
        return activation.atoms(weight * column + bias)

    def rules(self, name: str, activation: Activation) -> list[Rule]:
        """Its definition, the predicate being called `name`."""
        weight, bias = self.weights(activation)
        rule = self.body.rule(weight)
        head = Atom(name, rule.head.arguments)
        fact = [] if bias is None else [Rule(head, weight=bias)]
        return [*fact, replace(rule, head=head)]


@dataclass(frozen=True)
class Conjunction:
    """A target rule: the target follows from several parts, with this weight."""

    parts: tuple[Part, ...]
    weight: float

    def times(self, share: float) -> Conjunction:
        return replace(self, weight=share * self.weight)


def rule_neurons(values: list[np.ndarray], activation: Activation) -> np.ndarray:
    """(queries,) the rule neurons of a conjunction from the values of its parts; 0 where one is not derived."""
    total = activation.rule_bias(len(values), 0) + np.sum(values, axis=0)
    derived = np.all([value > 0.0 for value in values], axis=0)
    return np.where(derived, activation.rules(total), 0.0)


def conjunction_rules(
    conjunctions: list[Conjunction],
    target: Atom,
    activation: Activation,
    known: int = 0,
    names: dict[Part, str] | None = None,
) -> tuple[list[Rule], list[Rule]]:
    """The rules that define parts, each part once, and the target rules; parts are numbered after `known` others.

    Conjunctions of the same parts are one rule. names: of parts that are defined already; new ones are added.
    """
    names = {} if names is None else names
    defining: list[Rule] = []
    bodies: dict[frozenset[Part], tuple[Atom, ...]] = {}
    weights: dict[frozenset[Part], float] = {}
    for conjunction in conjunctions:
        for part in conjunction.parts:
            if part not in names:
                names[part] = f"{PART}{known + len(names) + 1}"
                defining += part.rules(names[part], activation)
        same = frozenset(conjunction.parts)
        bodies.setdefault(same, tuple(Atom(names[part], target.arguments) for part in conjunction.parts))
        weights[same] = weights.get(same, 0.0) + conjunction.weight
    return defining, [Rule(target, body, weight=weights[same]) for same, body in bodies.items()]

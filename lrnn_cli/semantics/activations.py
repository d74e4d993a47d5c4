"""Activation families: what rule neurons and atom neurons make of the sums of their inputs.

    rule neuron    squashed(a * (bias + sum of body values)), the bias being that of the family's rules
    atom neuron    squashed(a * (sum of facts and aggregations + b0))

a is the steepness and b0 the offset. Functions of a `Squashing` take arrays as well as numbers, so that compiled code
is made from them, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

Numbers = Any
"""An array or a number."""
Function = Callable[[Numbers], Numbers]


@dataclass(frozen=True)
class Squashing:
    """A function that squashes sums, by its name in explanations.

    value: of a sum x; slope: the derivative by x times a rate, from the value and the rate; sum_of: the x of a value
    factor, of_product: two functions with value(x + y) = of_product(factor(x) * factor(y)). Products of factors need
    no exponential for a neuron; None where there are no such functions.
    """

    name: str
    value: Function
    slope: Callable[[Numbers, Numbers], Numbers]
    sum_of: Function
    factor: Function | None = None
    of_product: Function | None = None


def logistic(x: Numbers) -> Numbers:
    return 1.0 / (1.0 + np.exp(-x))


def logistic_slope(value: Numbers, rate: Numbers) -> Numbers:
    return rate * value * (1.0 - value)


def logistic_sum(value: Numbers) -> Numbers:
    return np.log(value / (1.0 - value))


def logistic_factor(x: Numbers) -> Numbers:
    return np.exp(-x)


def logistic_of_product(product: Numbers) -> Numbers:
    return 1.0 / (1.0 + product)


LOGISTIC = Squashing("sigm", logistic, logistic_slope, logistic_sum, logistic_factor, logistic_of_product)


def sigmoid(x: np.ndarray) -> np.ndarray:
    """The logistic function, without warnings."""
    # exp overflows to infinity for very negative x, and 1 / inf = 0 is right. SciPy's expit rounds differently.
    with np.errstate(over="ignore"):
        return np.asarray(logistic(x))


def conjunction(total: float, atoms: int, offset: float) -> float:
    """Lukasiewicz's: above 0 where all body atoms are true, up to the offset."""
    return total - atoms + 1 + offset


def plain_sum(total: float, atoms: int, offset: float) -> float:
    return total


@dataclass(frozen=True)
class ActivationFamily:
    """body: what a rule neuron scales, from the sum of its body values, their number and the offset; linear in the sum

    sums_facts: whether an atom that has facts only is their sum, not squashed
    numbers: steepness and offset; None where they are settings of the template
    """

    squashing: Squashing
    body: Callable[[float, int, float], float]
    sums_facts: bool
    numbers: tuple[float, float] | None


ACTIVATIONS: dict[str, ActivationFamily] = {
    "lukasiewicz": ActivationFamily(LOGISTIC, conjunction, sums_facts=False, numbers=None),
    "sigmoid": ActivationFamily(LOGISTIC, plain_sum, sums_facts=True, numbers=(1.0, 0.0)),
}
SQUASHINGS = tuple(dict.fromkeys(family.squashing for family in ACTIVATIONS.values()))


class ActivationSettings(Protocol):
    """The settings of a template that an activation depends on."""

    @property
    def activation(self) -> str: ...
    @property
    def steepness(self) -> float: ...
    @property
    def offset(self) -> float: ...


@dataclass(frozen=True)
class Activation:
    """A family with its steepness and offset."""

    family: ActivationFamily
    steepness: float
    offset: float

    @staticmethod
    def of(settings: ActivationSettings) -> Activation:
        family = ACTIVATIONS[settings.activation]
        return Activation(family, *(family.numbers or (settings.steepness, settings.offset)))

    # Atom neurons

    def scaled(self, total: np.ndarray | float, given: np.ndarray | float = 0.0) -> np.ndarray:
        """What is squashed for an atom with this sum of inputs, and more that is `given`."""
        return np.asarray(self.steepness * (total + (self.offset + given)))

    def total(self, scaled: float) -> float:
        """The sum of inputs that scales to this."""
        return scaled / self.steepness - self.offset

    def atoms(self, total: np.ndarray | float, given: np.ndarray | float = 0.0) -> np.ndarray:
        """Atom neurons from the sums of their inputs."""
        return self.squashed(self.scaled(total, given))

    def atom(self, total: float) -> float:
        return float(self.atoms(total))

    def facts(self, weights: np.ndarray) -> np.ndarray:
        """Atom neurons that only facts derive, given the sums of their weights."""
        return weights if self.family.sums_facts else self.atoms(weights)

    @property
    def crisp(self) -> float:
        """The value of the atom of a plain fact."""
        return float(self.facts(np.ones(())))

    @property
    def underivable(self) -> float:
        """The output of a query outside the least Herbrand model."""
        return self.atom(0.0)

    @property
    def half(self) -> float:
        """The sum of inputs where an atom is just as true as not."""
        return -self.offset

    def above_half(self, value: float) -> float:
        """How far above that sum an atom has this value."""
        return float(self.family.squashing.sum_of(value)) / self.steepness

    # Rule neurons

    def rule_bias(self, atoms: int, crisp: int) -> float:
        """What a rule neuron adds to the values of those of its `atoms` body atoms that are not crisp."""
        return self.family.body(crisp * self.crisp, atoms, self.offset)

    def rules(self, total: np.ndarray | float) -> np.ndarray:
        """Rule neurons from their biases and body values, summed up."""
        return self.squashed(self.steepness * total)

    def factors(self, values: np.ndarray | float) -> np.ndarray:
        """Values such that `rules_of_products` of their products is `rules` of the sums of what they are made from."""
        assert self.family.squashing.factor is not None
        return np.asarray(self.family.squashing.factor(self.steepness * values))

    def rules_of_products(self, products: np.ndarray) -> np.ndarray:
        assert self.family.squashing.of_product is not None
        return np.asarray(self.family.squashing.of_product(products))

    # Both

    def squashed(self, x: np.ndarray | float) -> np.ndarray:
        # Exponentials may overflow to infinity, whose reciprocal is the 0 that is right.
        with np.errstate(over="ignore"):
            return np.asarray(self.family.squashing.value(x))

    def slope(self, value: np.ndarray, rate: np.ndarray | float = 1.0) -> np.ndarray:
        """The derivative of neurons with these values by their sums, times a rate."""
        return np.asarray(self.family.squashing.slope(value, rate * self.steepness))

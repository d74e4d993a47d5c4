"""What an exported template needs of PyNeuraLogic, and a naive interpreter of it.

NeuraLogic itself wants Java; `test_export.py` compares both where it is installed. Atoms are tuples of a name and
arguments, variables are instances of `Variable`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

TRANSFORMATIONS: dict[str, Callable[[float], float]] = {
    "SIGMOID": lambda x: 1 / (1 + math.exp(-x)),
    "IDENTITY": lambda x: x,
    "SQRT": math.sqrt,
}
COMPARISONS: dict[str, Callable[..., bool]] = {
    "lt": lambda a, b: a < b,
    "leq": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "geq": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "neq": lambda a, b: a != b,
    "alldiff": lambda *terms: len(set(terms)) == len(terms),
}
Binding = dict[str, Any]


@dataclass(frozen=True)
class Variable:
    name: str


@dataclass(frozen=True)
class Relation:
    name: str
    terms: tuple[Any, ...] = ()
    weight: float = 1.0
    special: bool = False

    def __call__(self, *terms: Any) -> Relation:
        return replace(self, terms=terms)

    def __getitem__(self, weight: float) -> Relation:
        return replace(self, weight=weight)

    def fixed(self) -> Relation:
        return self

    def __le__(self, body: tuple[Relation, ...]) -> Rule:
        return Rule(self, body)

    def __truediv__(self, arity: int) -> Rule:
        return Rule(replace(self, terms=(None,) * arity), None)


@dataclass(frozen=True)
class Rule:
    """A rule or, without a body, what a relation does with its inputs."""

    head: Relation
    body: tuple[Relation, ...] | None
    functions: tuple[str, ...] = ()

    def __or__(self, functions: list[str]) -> Rule:
        return replace(self, functions=tuple(functions))


class _Special:
    def __getattr__(self, name: str) -> Any:
        return lambda *terms: Relation(name, terms, special=True)


class _Variables:
    def __getattr__(self, name: str) -> Variable:
        return Variable(name)


@dataclass
class Model:
    entries: list[Any] = field(default_factory=list)

    def add_rules(self, entries: list[Any]) -> None:
        self.entries += entries


def module() -> dict[str, SimpleNamespace]:
    """The modules that a template imports."""
    core = SimpleNamespace(
        R=SimpleNamespace(get=Relation, special=_Special()),
        V=_Variables(),
        Model=Model,
        Settings=lambda **_: None,
        Transformation=SimpleNamespace(**{name: name for name in TRANSFORMATIONS}),
        Aggregation=SimpleNamespace(AVG="AVG", SUM="SUM"),
        Combination=SimpleNamespace(PRODUCT="PRODUCT"),
    )
    return {
        "neuralogic": SimpleNamespace(core=core),
        "neuralogic.core": core,
        "neuralogic.dataset": SimpleNamespace(Dataset=None),
    }


class Interpreter:
    """The network of one example; facts are pairs of an atom and its value."""

    def __init__(self, model: Model, facts: list[tuple[tuple[Any, ...], float]]) -> None:
        given = [(entry.name, *entry.terms) for entry in model.entries if isinstance(entry, Relation)]
        self.values: dict[tuple[Any, ...], float] = {**dict.fromkeys(given, 1.0), **dict(facts)}
        rules = [entry for entry in model.entries if isinstance(entry, Rule)]
        self.rules = [rule for rule in rules if rule.body is not None]
        self.transformation = {
            (rule.head.name, len(rule.head.terms)): rule.functions[0] for rule in rules if rule.body is None
        }
        self.true = set(self.values)
        while True:
            new = {self.ground(rule.head, binding) for rule in self.rules for binding in self.bindings(rule)}
            if new <= self.true:
                break
            self.true |= new

    def ground(self, relation: Relation, binding: Binding) -> tuple[Any, ...]:
        terms = (binding[term.name] if isinstance(term, Variable) else term for term in relation.terms)
        return (relation.name, *terms)

    def bindings(self, rule: Rule) -> list[Binding]:
        """Distinct bindings of the variables of a rule for which its body is true."""
        found: list[Binding] = [{}]
        assert rule.body is not None
        for relation in (part for part in rule.body if not part.special):
            found = [extended for binding in found for extended in self.matches(relation, binding)]
        conditions = [part for part in rule.body if part.special]
        kept = [
            binding
            for binding in found
            if all(COMPARISONS[part.name](*self.ground(part, binding)[1:]) for part in conditions)
        ]
        return list({tuple(sorted(binding.items(), key=str)): binding for binding in kept}.values())

    def matches(self, relation: Relation, binding: Binding) -> Iterator[Binding]:
        for name, *terms in [atom for atom in self.true if atom[0] == relation.name]:
            if name != relation.name or len(terms) != len(relation.terms):
                continue
            extended = dict(binding)
            for wanted, term in zip(relation.terms, terms, strict=True):
                value = extended.setdefault(wanted.name, term) if isinstance(wanted, Variable) else wanted
                if value != term:
                    break
            else:
                yield extended

    def value(self, atom: tuple[Any, ...]) -> float:
        if atom not in self.values:
            total = sum(self.input(rule, atom) for rule in self.rules)
            name = self.transformation[atom[0], len(atom) - 1]
            self.values[atom] = TRANSFORMATIONS[name](total)
        return self.values[atom]

    def input(self, rule: Rule, atom: tuple[Any, ...]) -> float:
        fired = [
            self.neuron(rule, binding) for binding in self.bindings(rule) if self.ground(rule.head, binding) == atom
        ]
        if not fired:
            return 0.0
        total = sum(fired)
        return rule.head.weight * (total if "SUM" in rule.functions else total / len(fired))

    def neuron(self, rule: Rule, binding: Binding) -> float:
        assert rule.body is not None
        parts = [
            part.weight * self.value(self.ground(part, binding)) if part.weight else 0.0
            for part in rule.body
            if not part.special
        ]
        return TRANSFORMATIONS[rule.functions[0]](math.prod(parts) if "PRODUCT" in rule.functions else sum(parts))

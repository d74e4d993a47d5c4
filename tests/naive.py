"""The semantics of LRNNs once more: slow, short, in plain Python, independent of the program that it checks.

Programs are plain structures that can also write themselves as template and data files. A program is grounded by
brute force (`ground`): the least Herbrand model by forward chaining until nothing new comes, then all groundings of
each rule over it, one for each distinct substitution of its variables. Values are computed recursively from the
definitions (`GroundProgram.outputs`), one neuron after the other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

Constant = str | int


class Variable(NamedTuple):
    name: str

    def __str__(self) -> str:
        return self.name


Term = Variable | str | int
Binding = dict[Variable, Constant]
Signature = tuple[str, int]
Model = dict[Signature, set[tuple[Constant, ...]]]


class Atom(NamedTuple):
    predicate: str
    arguments: tuple[Term, ...] = ()

    @property
    def signature(self) -> Signature:
        return self.predicate, len(self.arguments)

    def __str__(self) -> str:
        return f"{self.predicate}({', '.join(map(str, self.arguments))})" if self.arguments else self.predicate


class Comparison(NamedTuple):
    """`left operator right`; only `=` binds a variable."""

    operator: str
    left: Term
    right: Term

    def __str__(self) -> str:
        return f"{self.left} {self.operator} {self.right}"


class Sum(NamedTuple):
    """`result is left + number`."""

    result: Term
    left: Term
    number: int

    def __str__(self) -> str:
        return f"{self.result} is {self.left} + {self.number}"


class Negation(NamedTuple):
    """Variables that occur in the negated atom only are its own."""

    atom: Atom

    def __str__(self) -> str:
        return f"\\+ {self.atom}"


Guard = Comparison | Sum | Negation
NUMBER_ORDER = ("<", "=<", ">", ">=", "=:=")


@dataclass(frozen=True)
class Clause:
    """A definite clause; a fact when it has neither body nor guards."""

    head: Atom
    body: tuple[Atom, ...] = ()
    guards: tuple[Guard, ...] = ()

    @property
    def is_fact(self) -> bool:
        return not self.body and not self.guards

    def __str__(self) -> str:
        goals = ", ".join(map(str, (*self.body, *self.guards)))
        return f"{self.head} :- {goals}." if goals else f"{self.head}."


@dataclass(frozen=True)
class Rule:
    """A weighted clause of the template."""

    weight: float
    clause: Clause

    def __str__(self) -> str:
        return f"{self.weight!r} :: {self.clause}"


@dataclass(frozen=True)
class Example:
    """Facts with their weights, None for a plain fact, and queries with their targets."""

    name: str
    facts: tuple[tuple[Atom, float | None], ...]
    queries: tuple[tuple[Atom, float], ...]

    def __str__(self) -> str:
        lines = [f"begin(model({self.name}))."]
        lines += [f"{atom}." if weight is None else f"{weight!r} :: {atom}." for atom, weight in self.facts]
        lines += [f"query({atom}, {target!r})." for atom, target in self.queries]
        return "\n".join([*lines, f"end(model({self.name}))."])


@dataclass(frozen=True, repr=False)
class Program:
    """A template, background clauses and examples."""

    rules: tuple[Rule, ...]
    background: tuple[Clause, ...]
    examples: tuple[Example, ...]
    family: str = "lukasiewicz"
    steepness: float = 6.0
    offset: float = -0.5
    object_identity: bool = False
    aggregation: str = "mean"
    task: str = "binary"
    center: float = 0.0
    scale: float = 1.0

    @property
    def asked(self) -> set[Signature]:
        """The predicates of queries, whose atoms are sums where targets are not yes or no."""
        return {atom.signature for example in self.examples for atom, _ in example.queries}

    @property
    def weights(self) -> list[float]:
        return [rule.weight for rule in self.rules]

    def __repr__(self) -> str:
        return f"Program\n{self.template_text()}\n{self.data_text()}"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """How hypothesis shows a program."""
        printer.text(repr(self))

    def template_text(self) -> str:
        settings = [
            f"setting(activation, {self.family}).",
            f"setting(object_identity, {str(self.object_identity).lower()}).",
            f"setting(aggregation, {self.aggregation}).",
        ]
        if self.family == "lukasiewicz":
            settings += [f"setting(steepness, {self.steepness!r}).", f"setting(offset, {self.offset!r})."]
        if self.task != "binary":
            settings += [f"setting(task, {self.task})."]
        if self.task == "regression":
            settings += [f"setting(center, {self.center!r}).", f"setting(scale, {self.scale!r})."]
        return "\n".join([*settings, *map(str, self.rules)]) + "\n"

    def data_text(self) -> str:
        return "\n".join([*map(str, self.background), *map(str, self.examples)]) + "\n"


class CycleError(Exception):
    """A ground atom that a query needs depends on itself."""


# Matching


def value_of(term: Term, binding: Binding) -> Constant | None:
    """The constant a term stands for, None for a variable that is not bound."""
    return binding.get(term) if isinstance(term, Variable) else term


def match(atom: Atom, binding: Binding, model: Model) -> Iterator[Binding]:
    """All ways to extend the binding so that the atom is true in the model."""
    for row in model.get(atom.signature, ()):
        extended = dict(binding)
        for term, constant in zip(atom.arguments, row, strict=True):
            if isinstance(term, Variable) and term not in extended:
                extended[term] = constant
            elif value_of(term, extended) != constant:
                break
        else:
            yield extended


def substituted(atom: Atom, binding: Binding) -> Atom:
    arguments = tuple(value_of(term, binding) for term in atom.arguments)
    assert None not in arguments, f"{atom} is not ground"
    return Atom(atom.predicate, arguments)  # type: ignore[arg-type]


def standard_order(constant: Constant) -> tuple[int, int, str]:
    """Numbers come before atoms, as in Prolog."""
    return (0, constant, "") if isinstance(constant, int) else (1, 0, constant)


def compared(operator: str, left: Constant, right: Constant) -> bool:
    if operator in ("=", "=="):
        return left == right
    if operator in ("\\=", "\\=="):
        return left != right
    if operator == "@<":
        return standard_order(left) < standard_order(right)
    assert isinstance(left, int) and isinstance(right, int), "arithmetic takes numbers"
    results = {"<": left < right, "=<": left <= right, ">": left > right, ">=": left >= right, "=:=": left == right}
    return results[operator]


def evaluated(guard: Comparison | Sum, binding: Binding) -> bool | None:
    """Whether a guard holds, None while a variable is not bound; the guard may bind one, in place."""
    left = value_of(guard.left, binding)
    free: Term
    value: Constant | None
    if isinstance(guard, Sum):
        free, value = guard.result, None if left is None else int(left) + guard.number
    elif guard.operator == "=" and left is None:
        free, value = guard.left, value_of(guard.right, binding)
    elif guard.operator == "=":
        free, value = guard.right, left
    else:
        right = value_of(guard.right, binding)
        return None if left is None or right is None else compared(guard.operator, left, right)
    if value is None:
        return None
    if isinstance(free, Variable):
        return binding.setdefault(free, value) == value
    return free == value


def guarded(guards: Sequence[Guard], binding: Binding, crisp: Model) -> Binding | None:
    """The binding, extended by guards that bind, or None when a guard does not hold. Negations come last."""
    binding = dict(binding)
    pending = [guard for guard in guards if not isinstance(guard, Negation)]
    while pending:
        results = [evaluated(guard, binding) for guard in pending]
        if False in results:
            return None
        assert True in results, f"nothing binds the variables of {pending[0]}"
        pending = [guard for guard, result in zip(pending, results, strict=True) if result is None]
    negated = [guard.atom for guard in guards if isinstance(guard, Negation)]
    return None if any(True for atom in negated for _ in match(atom, binding, crisp)) else binding


def solutions(clause: Clause, model: Model, crisp: Model, identity: bool) -> list[Binding]:
    """Distinct substitutions of the variables of a clause for which its body and guards hold.

    Object identity does not concern what is compared as a number.
    """
    numbers = [guard for guard in clause.guards if isinstance(guard, Comparison) and guard.operator in NUMBER_ORDER]
    values = {term for guard in numbers for term in (guard.left, guard.right)}
    bindings: list[Binding] = [{}]
    for atom in clause.body:
        bindings = [extended for binding in bindings for extended in match(atom, binding, model)]
    distinct = {}
    for binding in bindings:
        whole = guarded(clause.guards, binding, crisp)
        if whole is None:
            continue
        objects = [constant for term, constant in whole.items() if term not in values]
        if not identity or len(set(objects)) == len(objects):
            distinct[frozenset(whole.items())] = whole
    return list(distinct.values())


# The least Herbrand model


def add(model: Model, atom: Atom) -> bool:
    """Add a ground atom; whether it is new."""
    rows = model.setdefault(atom.signature, set())
    before = len(rows)
    rows.add(atom.arguments)  # type: ignore[arg-type]
    return len(rows) > before


def holds(model: Model, atom: Atom) -> bool:
    return atom.arguments in model.get(atom.signature, set())


def closed(model: Model, clauses: Sequence[Clause], crisp: Model | None, identity: bool) -> Model:
    """The model with all that the clauses derive; negation is looked up in `crisp`, or in the model itself."""
    model = {signature: set(rows) for signature, rows in model.items()}
    changed = True
    while changed:
        changed = False
        for clause in clauses:
            for binding in solutions(clause, model, model if crisp is None else crisp, identity):
                changed |= add(model, substituted(clause.head, binding))
    return model


def strata(clauses: Sequence[Clause]) -> list[list[Clause]]:
    """Background clauses in groups such that what is negated is complete before."""
    number = {clause.head.signature: 0 for clause in clauses}
    changed = True
    while changed:
        changed = False
        for clause in clauses:
            least = [number.get(atom.signature, 0) for atom in clause.body]
            least += [
                number.get(guard.atom.signature, -1) + 1 for guard in clause.guards if isinstance(guard, Negation)
            ]
            if max(least, default=0) > number[clause.head.signature]:
                number[clause.head.signature] = max(least)
                changed = True
                assert max(least) <= len(clauses), "negation in a circle"
    groups: dict[int, list[Clause]] = {}
    for clause in clauses:
        groups.setdefault(number[clause.head.signature], []).append(clause)
    return [groups[key] for key in sorted(groups)]


def crisp_model(example: Example, background: Sequence[Clause]) -> Model:
    """What is true in an example without the template. Object identity does not concern background clauses."""
    model: Model = {}
    for atom, _ in example.facts:
        add(model, atom)
    for group in strata(background):
        model = closed(model, group, None, False)
    return model


# Neurons


class Neurons(NamedTuple):
    """How many neurons of each kind the queries can see."""

    atom: int
    fact: int
    rule: int
    aggregation: int


class GroundExample:
    """The ground network of one example."""

    def __init__(self, program: Program, example: Example) -> None:
        self.program = program
        self.example = example
        crisp = crisp_model(example, program.background)
        clauses = [rule.clause for rule in program.rules]
        self.model = closed(crisp, clauses, crisp, program.object_identity)
        self.given: dict[Atom, list[float]] = {}
        """Weights of the fact neurons of each atom whose weights are given."""
        for atom, weight in {(atom, 1.0 if weight is None else weight) for atom, weight in example.facts}:
            self.given.setdefault(atom, []).append(weight)
        for (predicate, _), rows in crisp.items():
            for row in rows:
                self.given.setdefault(Atom(predicate, row), [1.0])
        self.learned: dict[Atom, list[int]] = {}
        """The facts of the template for each atom."""
        self.groundings: dict[Atom, dict[int, list[list[Atom]]]] = {}
        """The bodies of the groundings of each rule for each head."""
        for index, clause in enumerate(clauses):
            if clause.is_fact:
                self.learned.setdefault(clause.head, []).append(index)
                continue
            for binding in solutions(clause, self.model, crisp, program.object_identity):
                head = substituted(clause.head, binding)
                body = [substituted(atom, binding) for atom in clause.body]
                self.groundings.setdefault(head, {}).setdefault(index, []).append(body)

    def inputs(self, atom: Atom) -> set[Atom]:
        """The atoms that an atom is computed from."""
        rules = self.groundings.get(atom, {})
        return {below for bodies in rules.values() for body in bodies for below in body}

    def seen(self) -> set[Atom]:
        """All atoms that the queries of the example depend on, themselves included."""
        frontier = [atom for atom, _ in self.example.queries if holds(self.model, atom)]
        found = set(frontier)
        while frontier:
            new = self.inputs(frontier.pop()) - found
            found |= new
            frontier += new
        return found

    def neurons(self) -> Neurons:
        seen = self.seen()
        rules = [bodies for atom in seen for bodies in self.groundings.get(atom, {}).values()]
        facts = sum(len(self.given.get(atom, [])) + len(self.learned.get(atom, [])) for atom in seen)
        return Neurons(len(seen), facts, sum(map(len, rules)), len(rules))

    def outputs(self, weights: Sequence[float]) -> list[float]:
        values: dict[Atom, float] = {}
        found = [self.atom_value(atom, weights, values, []) for atom, _ in self.example.queries]
        return [self.program.center + self.program.scale * value for value in found]

    def atom_value(self, atom: Atom, weights: Sequence[float], values: dict[Atom, float], path: list[Atom]) -> float:
        """The value of an atom neuron; `values` are those known already, `path` the atoms above this one."""
        program = self.program
        if not holds(self.model, atom):
            return 0.0 if self.is_sum(atom) else self.disjunction(0.0)
        if atom in path:
            raise CycleError(" <- ".join(map(str, [*path[path.index(atom) :], atom])))
        if atom not in values:
            facts = sum(self.given.get(atom, [])) + sum(weights[index] for index in self.learned.get(atom, []))
            rules = self.groundings.get(atom, {})
            total = facts
            for index, bodies in rules.items():
                fired = [
                    self.conjunction([self.atom_value(below, weights, values, [*path, atom]) for below in body])
                    for body in bodies
                ]
                total += weights[index] * self.aggregation(fired)
            only_facts = program.family == "sigmoid" and not rules
            values[atom] = total if only_facts or self.is_sum(atom) else self.disjunction(total)
        return values[atom]

    def is_sum(self, atom: Atom) -> bool:
        return self.program.task != "binary" and atom.signature in self.program.asked

    def aggregation(self, fired: list[float]) -> float:
        if self.program.aggregation == "max":
            return max(fired)
        return sum(fired) / {"mean": len(fired), "sqrt": math.sqrt(len(fired)), "sum": 1}[self.program.aggregation]

    def disjunction(self, total: float) -> float:
        if self.program.family == "sigmoid":
            return sigmoid(total)
        return sigmoid(self.program.steepness * (total + self.program.offset))

    def conjunction(self, body: Sequence[float]) -> float:
        if self.program.family == "sigmoid":
            return sigmoid(sum(body))
        return sigmoid(self.program.steepness * (sum(body) - len(body) + 1 + self.program.offset))


class GroundProgram:
    """The ground networks of all examples."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.examples = [GroundExample(program, example) for example in program.examples]

    def outputs(self, weights: Sequence[float] | None = None) -> list[float]:
        """Outputs of all queries in order; CycleError if atoms depend on themselves."""
        chosen = self.program.weights if weights is None else weights
        return [value for example in self.examples for value in example.outputs(chosen)]

    def neurons(self) -> Neurons:
        counts: Iterable[Neurons] = [example.neurons() for example in self.examples]
        return Neurons(*(sum(column) for column in zip(*counts, strict=True)))


def ground(program: Program) -> GroundProgram:
    return GroundProgram(program)


def sigmoid(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x)) if x >= 0 else math.exp(x) / (1.0 + math.exp(x))

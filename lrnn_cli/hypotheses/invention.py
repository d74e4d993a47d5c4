"""Rules that define latent predicates: the soft clusters of layer 1, and those that are invented from a body."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from lrnn_cli.hypotheses.bodies import Candidate, latent_name, variable_name
from lrnn_cli.language.clauses import Atom, Predicate, Rule, Variable


def cluster_rules(unary: Sequence[Predicate], dimension: int) -> list[Rule]:
    """Layer 1: each of d latent predicates gets one rule for each unary predicate of the data."""
    variable = (Variable("X"),)
    return [
        Rule(Atom(latent_name(1, number), variable), (Atom(predicate.name, variable),))
        for number in range(1, dimension + 1)
        for predicate in unary
    ]


def invented_rules(best: Candidate, dimension: int, arity: int = 1) -> list[Rule]:
    """All rules with a latent predicate of the next layer in the head that unify its variables with those of `best`.

    There are d predicates of each number of arguments up to `arity`; those with more arguments come later. The body is
    that of the rule; literals that do not hang together with the head are left out, since all they could do is multiply
    groundings.
    """
    layer = best.layer + 1
    atoms = best.atoms()
    rules = []
    names = [variable_name(number) for number in range(best.shape.variables)]
    for number in range(1, dimension * arity + 1):
        for chosen in itertools.permutations(names, 1 + (number - 1) // dimension):
            body = connected(atoms, chosen)
            if set(chosen) <= {name for atom in body for name in atom.variables}:
                head = Atom(latent_name(layer, number), tuple(Variable(name) for name in chosen))
                rules.append(Rule(head, body))
    return rules


def layer_of(name: str) -> int:
    """The layer of a latent predicate."""
    return int(name.split("_")[1])


def layered(rules: list[Rule]) -> list[dict[Predicate, list[Rule]]]:
    """The rules of each latent predicate; those of one layer and arity together, since they have the same bodies."""
    groups: dict[tuple[int, int], dict[Predicate, list[Rule]]] = {}
    for rule in rules:
        head = rule.head.predicate
        groups.setdefault((layer_of(head.name), head.arity), {}).setdefault(head, []).append(rule)
    return list(groups.values())


def latent_sorts(
    rules: Iterable[Rule], sorts: dict[Predicate, tuple[int, ...]]
) -> dict[int, frozenset[tuple[int, ...]]]:
    """For each layer the sorts of arguments for which its rules derive atoms, -1 where a rule does not tell."""
    layers: dict[int, set[tuple[int, ...]]] = {}
    for rule in rules:
        known = {
            variable: sort
            for atom in rule.body
            if atom.predicate in sorts
            for variable, sort in zip(atom.variables, sorts[atom.predicate], strict=True)
        }
        choice = tuple(known.get(variable, -1) for variable in rule.head.variables)
        layers.setdefault(layer_of(rule.head.name), set()).add(choice)
    return {layer: frozenset(choices) for layer, choices in layers.items()}


def connected(atoms: tuple[Atom, ...], variables: tuple[str, ...]) -> tuple[Atom, ...]:
    """The atoms that hang together with some variables, in their order."""
    reached = set(variables)
    while True:
        grown = reached.union(*(atom.variables for atom in atoms if reached.intersection(atom.variables)))
        if grown == reached:
            return tuple(atom for atom in atoms if reached.intersection(atom.variables))
        reached = grown

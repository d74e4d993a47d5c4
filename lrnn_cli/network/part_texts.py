"""What the parts of a model say, in words.

A part is true, above one half, where what its body is aggregated to is on one side of a threshold. Of a body of plain
facts whose n groundings are summed and divided by their root this is c * sqrt(n), c being one rule neuron, so the
threshold is a number of groundings:

    -3.0 :: part_7.                                     part_7: at least 3 of bond(X, Y), c3(X)
    2.0 :: part_7 :- bond(X, Y), c3(X).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from lrnn_cli.language.clauses import Predicate, Rule
from lrnn_cli.language.template import Template
from lrnn_cli.semantics.activations import Activation
from lrnn_cli.semantics.aggregations import AGGREGATIONS, Aggregation

PART_NAME = re.compile(r"part_(\d+)\Z")


def part_texts(template: Template) -> dict[Predicate, str]:
    """All parts of a model, in the order of their numbers, and what each of them says."""
    derived = {rule.head.predicate for rule in template.rules}
    activation = Activation.of(template.settings)
    aggregation = AGGREGATIONS[template.settings.aggregation]
    return {part: _text(rules, activation, aggregation, derived) for part, rules in rules_of_parts(template).items()}


def rules_of_parts(template: Template) -> dict[Predicate, list[Rule]]:
    """All parts of a model, in the order of their numbers, and the rules of each."""
    rules: dict[Predicate, list[Rule]] = {}
    for rule in template.rules:
        if PART_NAME.match(rule.head.name):
            rules.setdefault(rule.head.predicate, []).append(rule)
    order = sorted(rules, key=lambda part: (int(part.name.removeprefix("part_")), part.arity))
    return {part: rules[part] for part in order}


def _text(rules: Sequence[Rule], activation: Activation, aggregation: Aggregation, derived: set[Predicate]) -> str:
    bodies = [rule for rule in rules if rule.body]
    if len(bodies) != 1 or any(rule.weight is None for rule in rules):
        return "several rules" if bodies else "the same for all"
    (rule,) = bodies
    body = ", ".join(map(str, [*rule.body, *rule.guards]))
    constant = -activation.half + sum(other.weight or 0.0 for other in rules if not other.body)
    weight = rule.weight or 0.0
    if not weight:
        return "the same for all"
    if any(atom.predicate in derived for atom in rule.body):
        return f"{'much' if weight > 0.0 else 'little'} of {body}"
    neuron = float(activation.rules(activation.rule_bias(len(rule.body), len(rule.body))))
    size = -constant / weight / neuron
    counted = aggregation.groundings
    if size < 0.0 or (size > 1.0 and counted is None):
        return "true of all" if (weight > 0.0) == (size < 0.0) else "true of none"
    groundings = 1 if counted is None else math.floor(counted(size)) + 1
    if groundings == 1:
        return f"{'some' if weight > 0.0 else 'no'} {body}"
    return f"{'at least' if weight > 0.0 else 'fewer than'} {groundings} of {body}"

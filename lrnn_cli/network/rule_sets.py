"""The rules of a model as layers, and in figures."""

from __future__ import annotations

from typing import Any

from lrnn_cli.grounding.program import dependencies
from lrnn_cli.grounding.strata import components
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.template import Template


def layers(template: Template) -> dict[Predicate, int]:
    """The layer of each predicate of a template: 0 for those without rules, else one above its bodies."""
    depends = dependencies(template)
    layer: dict[Predicate, int] = {}
    for component in components(depends):
        below = [layer.get(body, 0) for head in component for body in depends[head] if body not in component]
        for predicate in component:
            layer[predicate] = 1 + max(below, default=0)
    return layer


def model_statistics(template: Template, layer: dict[Predicate, int] | None = None) -> dict[str, Any]:
    """The rule set in figures, as in the paper: rules, conjunctive target rules, their average length, layers.

    layer: that of each predicate, where it is known.
    """
    used = {atom.predicate for rule in template.rules for atom in rule.body}
    conjunctive = [rule for rule in template.rules if rule.head.predicate not in used and rule.body]
    length = sum(len(rule.body) for rule in conjunctive) / len(conjunctive) if conjunctive else 0.0
    return {
        "rules": len(template.rules),
        "target rules": len(conjunctive),
        "average length": round(length, 2),
        "layers": max((layers(template) if layer is None else layer).values(), default=0),
    }

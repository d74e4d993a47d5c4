"""A template of ours in the peer's language."""

from __future__ import annotations

import random
from dataclasses import replace

from molecules import peer_name, single_precision

from lrnn_cli.errors import LrnnError
from lrnn_cli.language.clauses import Atom, Constant, Predicate
from lrnn_cli.language.template import Template

ALWAYS = "always_true"
"""A fact of weight 1."""


def comparable(template: Template, seed: int = 1) -> Template:
    """The template as both systems can compute it: NeuraLogic's activation functions, and every rule with a weight.

    NeuraLogic reads numbers of its files in single precision, so weights are rounded to that.
    """
    if template.settings.object_identity:
        raise LrnnError(f"{template.name}: NeuraLogic has no object identity; leave the setting out")
    drawn = random.Random(seed)
    weights = [drawn.uniform(-1.0, 1.0) if rule.weight is None else rule.weight for rule in template.rules]
    weights = [single_precision(weight) for weight in weights]
    return replace(template.with_weights(weights), settings=replace(template.settings, activation="sigmoid"))


def peer_template(template: Template) -> str:
    """The rules in the peer's syntax: one named weight each, the mean over groundings, the logistic everywhere.

    The peer does not add the weight of a fact to what rules derive, so a fact becomes a rule that passes 1 on.
    """
    lines = []
    for number, rule in enumerate(template.rules, 1):
        where = f"{template.name}:{rule.line}:{rule.column}"
        if rule.guards:
            raise LrnnError(f"{where}: the benchmark takes rules without built-ins; the rule has {rule.guards[0]}")
        names: dict[str, str] = {}
        head, *body = (_atom(atom, names, where) for atom in (rule.head, *rule.body))
        weight = f"<{rule.weight!r}>" if rule.fixed else f"$w{number}={rule.weight!r}"
        function = "identity" if rule.is_fact else "sigmoid"
        clause = f"{head} :- {', '.join(body or [ALWAYS])}."
        lines.append(f"{weight} {clause} [transformation={function}, aggregation=avg]")
    if any(rule.is_fact for rule in template.rules):
        lines.append(f"{ALWAYS}.")
    heads: dict[Predicate, None] = dict.fromkeys(rule.head.predicate for rule in template.rules)
    lines += [f"{peer_name(name)}/{arity} [transformation=sigmoid]" for name, arity in heads]
    return "\n".join(lines) + "\n"


def _atom(atom: Atom, names: dict[str, str], where: str) -> str:
    terms = []
    for term in atom.arguments:
        if isinstance(term, Constant):
            raise LrnnError(f"{where}: the benchmark takes rules without constants; the rule has {term}")
        terms.append(names.setdefault(term.name, f"V{len(names)}"))
    return f"{peer_name(atom.name)}({', '.join(terms)})" if terms else peer_name(atom.name)

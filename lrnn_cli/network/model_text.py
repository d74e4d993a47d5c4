"""The writer of model files: one model or, in blocks, the members of an ensemble.

Rules stand in their order, or by layer, strongest first, under comments that say what they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from lrnn_cli.language.clauses import Predicate, Rule, quoted
from lrnn_cli.language.template import Template
from lrnn_cli.language.writing import prolog_text
from lrnn_cli.network.part_texts import part_texts, rules_of_parts
from lrnn_cli.network.rule_sets import layers, model_statistics

LATENT = re.compile(r"latent_(\d+)_\d+\Z")
PARTS_COMMENT = [
    "% Parts: soft thresholds on how often a body holds, true above one half. Numbers are those of groundings, if no",
    "% fact has a weight.",
]
MEMBERS = 8
"""So many members of a soft cluster are named in a comment, those with the largest weights."""


def model_text(
    members: Sequence[Template], comments: Sequence[str] = (), layered: bool = False, notes: Sequence[str] = ()
) -> str:
    """Members of an ensemble as one file, numbered unless all have names; a model without a name as it is.

    notes: what stands above each rule of the only member, whose rules then are in their order; may be empty.
    """
    head = prolog_text(f"% {comment}" for comment in comments)
    texts = [_noted(member, notes) if notes else _layered(member) if layered else member.text() for member in members]
    if len(members) == 1 and not members[0].member:
        return head + texts[0]
    named = all(member.member for member in members)
    parts = [head] if head else []
    for number, (member, text) in enumerate(zip(members, texts, strict=True), 1):
        name = member.member if named else str(number)
        begin, end = (prolog_text([f"{word}(model({name}))."]) for word in ("begin", "end"))
        parts.append(begin + text + end)
    return "\n".join(parts)


def _noted(template: Template, notes: Sequence[str]) -> str:
    """Each rule under its note."""
    lines = template.settings.facts()
    for rule, note in zip(template.rules, notes, strict=True):
        lines += ["", f"% {note}"] if note else []
        lines.append(str(rule))
    return prolog_text(lines)


def _layered(template: Template) -> str:
    """Rules by layer; read again, it is the same model but for their order."""
    used = _used(template)
    parts = {part: text for part, text in part_texts(template).items() if part in used}
    layer = layers(template)
    statistics = {**model_statistics(template, layer), **({"parts": len(parts)} if parts else {})}
    figures = ", ".join(f"{name}: {value}" for name, value in statistics.items())
    lines = [f"% {figures}", *template.settings.facts()]
    for comments, rules in _sections(template, parts, used, layer):
        lines += [*comments, *map(str, rules)]
    return prolog_text(lines)


def in_layers(template: Template) -> Template:
    """The template with its rules in the order in which they are written by layer.

    Sums over rules are taken in their order: what is computed is the same to the last digit before and after a file.
    """
    used = _used(template)
    parts = {part: "" for part in rules_of_parts(template) if part in used}
    sections = _sections(template, parts, used, layers(template))
    return replace(template, rules=tuple(rule for _, rules in sections for rule in rules))


def _sections(
    template: Template, parts: dict[Predicate, str], used: set[Predicate], layer: dict[Predicate, int]
) -> Iterator[tuple[list[str], list[Rule]]]:
    """Lines of comments and the rules below them: latent predicates by layer, parts that rules use, targets.

    parts: with what they say; used: the predicates of bodies; layer: that of each predicate.
    """
    layer = {predicate: _layer(predicate, number) for predicate, number in layer.items()}
    latent = [predicate for predicate in layer if predicate in used and predicate not in parts]
    rules_of = _strongest_first(template)
    for number in sorted({layer[predicate] for predicate in latent}):
        rules = {predicate: rules_of[predicate] for predicate in latent if layer[predicate] == number}
        yield ["", *_layer_comment(number, rules)], [rule for members in rules.values() for rule in members]
    if parts:
        yield ["", *PARTS_COMMENT], []
    for part, text in parts.items():
        yield [f"% {quoted(part.name)}: {text}"], rules_of[part]
    for predicate in layer:
        if predicate not in used:
            yield ["", f"% Target rules of {predicate}, strongest first."], rules_of[predicate]


def _used(template: Template) -> set[Predicate]:
    """The predicates of bodies."""
    return {atom.predicate for rule in template.rules for atom in rule.body}


def _layer(predicate: Predicate, number: int) -> int:
    """The layer in the name of a latent predicate, else the given one."""
    match = LATENT.match(predicate.name)
    return int(match.group(1)) if match else number


def _strongest_first(template: Template) -> dict[Predicate, list[Rule]]:
    """The rules of each predicate, strongest first; a weighted fact leads."""
    rules: dict[Predicate, list[Rule]] = {}
    for rule in sorted(template.rules, key=lambda rule: (bool(rule.body), -abs(rule.weight or 0.0))):
        rules.setdefault(rule.head.predicate, []).append(rule)
    return rules


def _layer_comment(number: int, rules: dict[Predicate, list[Rule]]) -> list[str]:
    if not all(len(rule.body) == 1 for members in rules.values() for rule in members):
        return [f"% Layer {number}: latent predicates that were invented, strongest rules first."]
    width = max(len(quoted(predicate.name)) for predicate in rules)
    lines = [f"% Layer {number}: soft clusters, the members with the largest weights first:"]
    for predicate, members in rules.items():
        shown = [f"{quoted(rule.body[0].name)} {rule.weight or 0.0:+.2f}" for rule in members[:MEMBERS]]
        more = [f"{len(members) - MEMBERS} more"] if len(members) > MEMBERS else []
        lines.append(f"%   {quoted(predicate.name):<{width}}  {', '.join([*shown, *more])}")
    return lines

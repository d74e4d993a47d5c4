"""Template and model files: weighted rules, and settings that change what they compute.

A model file holds one model or, in blocks, the members of an ensemble, whose output is the mean of theirs.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields, replace
from typing import Any

from lrnn_cli.errors import Fault, faults_error
from lrnn_cli.language.clauses import (
    CLASS,
    Atom,
    Constant,
    Guard,
    Predicate,
    Rule,
    Term,
    Variable,
    class_name,
    goal_from_json,
    quoted,
)
from lrnn_cli.language.faults import located_faults
from lrnn_cli.language.files import Source, finite_number
from lrnn_cli.language.writing import prolog_text
from lrnn_cli.semantics.activations import ACTIVATIONS
from lrnn_cli.semantics.aggregations import AGGREGATIONS
from lrnn_cli.semantics.targets import CLASSES, KINDS

LARGEST = 1e300
"""Weights and settings are no larger than this in size, so that no sum or product of them is infinite."""
CHOICES = {"activation": tuple(ACTIVATIONS), "aggregation": tuple(AGGREGATIONS), "task": tuple(KINDS)}
"""What settings that are words can be."""


@dataclass(frozen=True)
class Settings:
    """What a model computes besides its rules: setting(Name, Value) facts in the file."""

    activation: str = "lukasiewicz"
    steepness: float = 6.0
    offset: float = -0.5
    object_identity: bool = False
    aggregation: str = "mean"
    task: str | None = None
    """The kind of its targets, binary where it is None."""
    center: float = 0.0
    scale: float = 1.0
    """What turns outputs of regression into the units of the data."""

    def facts(self) -> list[str]:
        """The settings as facts; steepness and offset only where the activation uses them, others where they differ."""
        shown = {field.name: getattr(self, field.name) for field in fields(self)}
        if ACTIVATIONS[self.activation].numbers is not None:
            del shown["steepness"], shown["offset"]
        for name in ("aggregation", "task", "center", "scale"):
            if shown[name] == getattr(Settings, name):
                del shown[name]
        text = {True: "true", False: "false"}
        return [
            f"setting({name}, {text[value] if isinstance(value, bool) else value})." for name, value in shown.items()
        ]


@dataclass(frozen=True)
class Template:
    """Rules in the order of the file. `name` is where they come from, for messages."""

    rules: tuple[Rule, ...]
    settings: Settings = Settings()
    name: str = "<template>"
    system_predicates: frozenset[Predicate] = frozenset()
    member: str = ""
    """Its name in an ensemble, as Prolog text."""

    @property
    def digest(self) -> str:
        """Of the rules without weights, and the settings."""
        lines = [rule.clause for rule in self.rules] + self.settings.facts()
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()

    def with_weights(self, weights: list[float]) -> Template:
        rules = tuple(replace(rule, weight=weight) for rule, weight in zip(self.rules, weights, strict=True))
        return replace(self, rules=rules)

    def text(self, comments: tuple[str, ...] = ()) -> str:
        """The template as a file, weights with all their digits."""
        lines = [f"% {comment}" for comment in comments]
        lines += self.settings.facts()
        lines += [str(rule) for rule in self.rules]
        return prolog_text(lines)


def parsed_members(source: Source, reply: dict[str, Any]) -> tuple[list[Template], list[tuple[int, int]]]:
    """The members of a file from what SWI-Prolog says of it, and the line and column where each begins."""
    faults = located_faults(source, reply["faults"])
    members = []
    for item in reply["members"]:
        faults += _weight_faults(item["rules"])
        settings, setting_faults = _settings(item["settings"])
        faults += setting_faults
        rules = tuple(_rule(rule) for rule in item["rules"])
        members.append(Template(rules, settings, source.name, _system_predicates(item["rules"]), item["name"]))
    places = [(item["line"], item["column"]) for item in reply["members"]]
    if not faults:
        for member, place in zip(members, places, strict=True):
            if not member.rules:
                what = f"model {member.member}" if member.member else "this template"
                faults.append(Fault(*place, f"there is no rule in {what}; write `_ :: head :- body.`"))
    if faults:
        raise faults_error(source.name, faults)
    return list(map(with_class_heads, members)), places


def with_class_heads(template: Template) -> Template:
    """A template whose heads that name a class, if its targets are classes, are those of predicates of classes.

    These are the heads with a constant as last argument that no body uses.
    """
    if template.settings.task != CLASSES.name or not template.rules:
        return template
    used = {atom.predicate for rule in template.rules for atom in rule.body}
    rules = tuple(rule if rule.head.predicate in used else _with_class_head(rule) for rule in template.rules)
    if not any(CLASS in rule.head.name for rule in rules):
        first = template.rules[0]
        message = "targets are classes, but no head names one; write rules such as `_ :: colour(green) :- body.`"
        raise faults_error(template.name, [Fault(first.line, first.column, message)])
    return replace(template, rules=rules)


def _with_class_head(rule: Rule) -> Rule:
    arguments = rule.head.arguments
    if not arguments or not isinstance(arguments[-1], Constant) or CLASS in rule.head.name:
        return rule
    return replace(rule, head=Atom(class_name(rule.head.name, arguments[-1].text), arguments[:-1]))


def _weight_faults(rules: list[list[Any]]) -> list[Fault]:
    return [
        Fault(line, column, f"the weight {weight} is too large; weights are no larger than {LARGEST:g} in size")
        for line, column, weight, *_ in rules
        if weight != "_" and abs(float(weight)) > LARGEST
    ]


def _system_predicates(rules: list[list[Any]]) -> frozenset[Predicate]:
    return frozenset(
        Predicate(name, len(arguments)) for rule in rules for name, arguments, is_system in rule[5] if is_system
    )


def _rule(item: list[Any]) -> Rule:
    line, column, weight, fixed, head, body, guards = item
    return Rule(
        head=_atom(head),
        body=tuple(_atom(atom) for atom in body),
        guards=tuple(map(_guard, guards)),
        weight=None if weight == "_" else float(weight),
        fixed=fixed,
        line=line,
        column=column,
    )


def _guard(item: list[Any]) -> Guard:
    parts, negated, goal = item
    return Guard(tuple(parts), Predicate(*negated) if negated else None, goal and goal_from_json(goal))


def _atom(item: list[Any]) -> Atom:
    arguments: list[Term] = [Variable(text) if variable else Constant(text) for variable, text in item[1]]
    return Atom(item[0], tuple(arguments))


def _settings(items: list[list[Any]]) -> tuple[Settings, list[Fault]]:
    settings = Settings()
    faults = []
    known = ", ".join(field.name for field in fields(Settings))
    seen: dict[str, int] = {}
    for line, column, name, value in items:
        if name in seen:
            faults.append(Fault(line, column, f"setting {name} was already given in line {seen[name]}; delete one"))
        seen[name] = line
        if name in CHOICES:
            *others, last = CHOICES[name]
            if value not in CHOICES[name]:
                faults.append(Fault(line, column, f"setting {name} is {', '.join(others)} or {last}, not {value}"))
            else:
                settings = replace(settings, **{name: value})
        elif name == "object_identity":
            if value in ("true", "false"):
                settings = replace(settings, object_identity=value == "true")
            else:
                faults.append(Fault(line, column, f"setting object_identity is true or false, not {value}"))
        elif name in ("steepness", "offset", "center", "scale"):
            number = finite_number(value)
            positive = name in ("steepness", "scale")
            if number is None or (positive and number <= 0) or abs(number) > LARGEST:
                wanted = "a number above 0" if positive else "a finite number"
                if number is not None and abs(number) > LARGEST:
                    wanted = f"no larger than {LARGEST:g} in size"
                faults.append(Fault(line, column, f"setting {name} must be {wanted}, not {value}"))
            else:
                changed: dict[str, Any] = {name: number}
                settings = replace(settings, **changed)
        else:
            faults.append(Fault(line, column, f"unknown setting {quoted(name)}; settings are {known}"))
    return settings, faults

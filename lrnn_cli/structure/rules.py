"""R and W of Algorithm 1: rules of latent and of target predicates, and their weights; no step changes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from lrnn_cli.hypotheses.bodies import Candidate, Shape
from lrnn_cli.hypotheses.parts import Conjunction, Part, conjunction_rules
from lrnn_cli.language.clauses import Predicate, Rule
from lrnn_cli.language.template import Template
from lrnn_cli.structure.problem import Problem

Weights = Mapping[str, float]
"""By the text of the clause of a rule."""


@dataclass(frozen=True)
class Rules:
    """Rules without weights: those that define latent predicates, and target rules by their predicate.

    parts, conjunctions: what has come in the place of target rules, rules that define parts and conjunctions of them.
    """

    latent: tuple[Rule, ...] = ()
    targets: Mapping[Predicate, tuple[Candidate, ...]] = field(default_factory=dict)
    parts: tuple[Rule, ...] = ()
    conjunctions: Mapping[Predicate, tuple[Rule, ...]] = field(default_factory=dict)

    def __or__(self, more: Rules) -> Rules:
        targets = {**self.targets}
        for predicate, candidates in more.targets.items():
            targets[predicate] = (*targets.get(predicate, ()), *candidates)
        return Rules(
            self.latent + more.latent, targets, self.parts + more.parts, {**self.conjunctions, **more.conjunctions}
        )

    def targets_of(self, predicate: Predicate) -> tuple[Candidate, ...]:
        return self.targets.get(predicate, ())


def rules_of(E: Problem, R: Rules, predicate: Predicate) -> list[Rule]:
    """The rules of a target predicate, the bias first if it has one."""
    bias = E.bias(predicate)
    rules = R.conjunctions.get(predicate)
    if rules is None:
        rules = tuple(candidate.rule() for candidate in R.targets_of(predicate))
    return [*([bias] if bias else []), *rules]


def weighted(rules: tuple[Rule, ...], W: Weights) -> tuple[Rule, ...]:
    return tuple(replace(rule, weight=W[rule.clause]) for rule in rules)


def internal_template(E: Problem, R: Rules, W: Weights) -> Template:
    """The rules with weights that queries can see; latent predicates that nothing uses are left out."""
    target_rules = [rule for predicate in E.targets for rule in rules_of(E, R, predicate) if rule.clause in W]
    latent_rules = [rule for rule in (*R.latent, *R.parts) if rule.clause in W]
    defining: dict[Predicate, list[Rule]] = {}
    for rule in latent_rules:
        defining.setdefault(rule.head.predicate, []).append(rule)
    seen: set[Predicate] = set()
    new = {atom.predicate for rule in target_rules for atom in rule.body}
    while new:
        seen |= new
        new = {atom.predicate for head in new for rule in defining.get(head, ()) for atom in rule.body} - seen
    rules = [rule for rule in latent_rules if rule.head.predicate in seen]
    return Template(weighted((*rules, *target_rules), W), E.settings, "<learned>")


def written_template(E: Problem, R: Rules, W: Weights) -> Template:
    """The model: the same rules with constants in their places, and outputs in the units of the data."""
    template = internal_template(E, R, W)
    settings = replace(template.settings, center=E.task.center, scale=E.task.scale)
    rules = [*template.rules, *_rules_of_others(E, template)]
    return replace(template, rules=tuple(E.words.written(rule) for rule in rules), settings=settings)


def _rules_of_others(E: Problem, template: Template) -> Iterator[Rule]:
    """For each class that no rule is for, one of weight 0 with the body of another: a model names all its classes."""
    heads = {rule.head.predicate for rule in template.rules}
    for target in E.targets if E.kind.grouped else ():
        bodies = (rule for rule in template.rules if rule.head.predicate in E.goal_of(target))
        model = next(bodies, None) if target not in heads else None
        if model is not None:
            yield replace(model, head=replace(model.head, name=target.name), weight=0.0)


def used_predicates(E: Problem, R: Rules, W: Weights) -> set[Predicate]:
    """The predicates that some target rule uses, itself or through others, and target predicates."""
    return {rule.head.predicate for rule in internal_template(E, R, W).rules}


def with_conjunctions(
    E: Problem,
    R: Rules,
    W: Weights,
    predicate: Predicate,
    conjunctions: list[Conjunction],
    bias: float | None,
    names: dict[Part, str] | None = None,
    plain: float = 0.0,
) -> tuple[Rules, Weights]:
    """Let conjunctions of parts be the target rules of a predicate.

    names: those of parts that other classes of the same query have; new ones are added. plain: the target rules there
    were stay beside the conjunctions with so much of their weights.
    """
    names = {} if names is None else names
    known = len({rule.head.predicate for rule in R.parts}) - len(names)
    head = Candidate(Shape(predicate, (), ()), ()).rule().head
    defining, rules = conjunction_rules(conjunctions, head, E.activation, known, names)
    weights = {rule.clause: rule.weight for rule in [*defining, *rules] if rule.weight is not None}
    if plain:
        kept = [candidate.rule() for candidate in R.targets_of(predicate)]
        weights |= {rule.clause: plain * W[rule.clause] for rule in kept}
        rules = [*kept, *rules]
    fact = E.bias(predicate)
    if fact is not None and bias is not None:
        weights[fact.clause] = bias
    return R | Rules(parts=tuple(defining), conjunctions={predicate: tuple(rules)}), {**W, **weights}

"""A model as a template of PyNeuraLogic: a Python module with a `template` and the `settings` to build it with.

NeuraLogic has the logistic function of a weighted sum for rules and for atoms, and the mean over groundings. That is
our family `sigmoid`. The family `lukasiewicz`, sigm(a (sum + b0)), has its steepness and offset as weights there:

    rule, k body atoms    sigm(a b1 + ... + a bk + a (1 - k + b0) true)
    atom                  sigm(a w1 r1 + ... + a b0 true), the offset by a rule that holds once for each atom
    fact p(X)             p__atom(X) = sigm(a p(X) + a b0 true)

The aggregation `sqrt` is the mean times the root of the number of groundings, which two relations of each rule compute.
Weights are written in Python, since NeuraLogic rounds those in its own files to single precision.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lrnn_cli.errors import Fault, LrnnError, faults_error
from lrnn_cli.exporters.checks import check_exportable
from lrnn_cli.grounding.program import compared_numbers
from lrnn_cli.language.clauses import ATOM_NAME, Atom, Constant, Guard, Predicate, Rule
from lrnn_cli.language.template import Settings, Template
from lrnn_cli.semantics.targets import BINARY, kind_of

TRUE = "lrnn_true"
"""A fact of value 1."""
EXPORTED_AGGREGATIONS = ("mean", "sqrt")
VALUE, HOLDS, MEAN, ROOT = "__atom", "__holds", "__mean", "__root"
OWN_NAME = re.compile(rf".*({VALUE}|{HOLDS}|{MEAN}\d+|{ROOT}\d+)\Z|{TRUE}\Z")
COMPARISONS = {"<": "lt", "=<": "leq", ">": "gt", ">=": "geq", "\\==": "neq", "\\=": "neq", "==": "eq"}
COMPARISON = re.compile(r"(?P<left>[\w.-]+)\s*(?P<operator><|=<|>=|>|\\==|\\=|==)\s*(?P<right>[\w.-]+)\Z")
NUMBER = re.compile(r"-?\d+(\.\d+([eE][+-]?\d+)?)?\Z")
HEADER = '''\
"""A model of lrnn as a template of PyNeuraLogic 0.9: outputs([Sample(R.get("{target}"), [...facts...]), ...])."""

from neuralogic.core import Aggregation, Combination, Model, R, Settings, Transformation, V
from neuralogic.dataset import Dataset

SUM = [Transformation.IDENTITY, Aggregation.AVG]
PRODUCT = [Transformation.IDENTITY, Aggregation.AVG, Combination.PRODUCT]
NUMBER = [Transformation.IDENTITY, Aggregation.SUM]
LOGISTIC = [Transformation.SIGMOID, Aggregation.AVG]

# The default pruning of NeuraLogic changes outputs.
settings = Settings(prune_only_identities=True)
template = Model()
template.add_rules(
    [
'''
FOOTER = '''\
    ]
)


def outputs(samples):
    """An output for each query of the samples, built one by one: NeuraLogic 0.9.2 fails on some of them together."""
    model = template.build(settings)
    return [value for sample in samples for value in model(model.build_dataset(Dataset([sample])))]
'''


def neuralogic_template(members: Sequence[Template]) -> str:
    """The text of the module."""
    check_exportable(members)
    kind = kind_of(members[0].settings)
    if kind is not BINARY:
        raise LrnnError(
            f"{members[0].name}: outputs of this model are {kind.words}, and only models of yes and no are exported to "
            "NeuraLogic; use `--format prolog`"
        )
    if len(members) > 1:
        raise LrnnError(
            f"{members[0].name}: NeuraLogic has no mean of several models: an atom that one does not derive has no "
            "value there; copy one begin(model(_)) block into a file of its own and export that"
        )
    (template,) = members
    _check(template)
    settings = template.settings
    writer = _Lukasiewicz(template) if settings.activation == "lukasiewicz" else _Sigmoid(template)
    lines = [f'R.get("{TRUE}")[1.0].fixed()', *writer.lines()]
    body = "".join(f"        {line},\n" for line in lines)
    return HEADER.format(target=template.rules[-1].head.name) + body + FOOTER


def _check(template: Template) -> None:
    """Name all that NeuraLogic has no counterpart for."""
    faults = []
    headed = {rule.head.predicate for rule in template.rules if not rule.is_fact}
    for rule in template.rules:
        for message in _rule_faults(rule, template.settings, headed):
            faults.append(Fault(rule.line, rule.column, message))
    if faults:
        raise faults_error(template.name, faults)


def _rule_faults(rule: Rule, settings: Settings, headed: set[Predicate]) -> list[str]:
    faults = []
    if rule.body and settings.aggregation not in EXPORTED_AGGREGATIONS:
        faults.append(f"the aggregation {settings.aggregation} is not exported to NeuraLogic; mean and sqrt are")
    for atom in (rule.head, *rule.body):
        if not ATOM_NAME.match(atom.name) or OWN_NAME.match(atom.name):
            faults.append(f"NeuraLogic can't have a predicate called {atom.predicate}; rename it")
        for term in atom.arguments:
            if isinstance(term, Constant) and not (ATOM_NAME.match(term.text) or NUMBER.match(term.text)):
                faults.append(f"NeuraLogic can't have the constant {term}; rename it")
    for guard in rule.guards:
        if guard.negated is not None:
            faults.append(f"NeuraLogic has no negation of crisp atoms: {guard}")
        elif _comparison(guard, {}) is None:
            faults.append(f"NeuraLogic has no built-in for {guard}; it has comparisons of variables and numbers")
    if rule.is_fact and settings.activation == "sigmoid" and rule.head.predicate in headed:
        faults.append(
            f"NeuraLogic has one function for all atoms of {rule.head.predicate}, and here those with facts alone have "
            "another; give the fact a predicate of its own"
        )
    return faults


def _comparison(guard: Guard, names: dict[str, str]) -> str | None:
    """A guard as a special relation, None where there is none for it."""
    text = str(guard)
    if len(guard.parts) > 1 and not guard.parts[0].strip("( "):
        text = text.strip("() ")
    match = COMPARISON.match(text) or _prefix_comparison(text)
    if match is None:
        return None
    sides = []
    for side in (match["left"], match["right"]):
        if side in guard.variables:
            sides.append(_variable(side, names))
        elif NUMBER.match(side):
            sides.append(side)
        else:
            return None
    return f"R.special.{COMPARISONS[match['operator']]}({', '.join(sides)})"


def _prefix_comparison(text: str) -> re.Match[str] | None:
    """<(X,3), as terms are written without operators."""
    return re.match(r"(?P<operator><|=<|>=|>|\\==|\\=|==)\((?P<left>[\w.-]+),\s*(?P<right>[\w.-]+)\)\Z", text)


def _variable(name: str, names: dict[str, str]) -> str:
    return f"V.{names.setdefault(name, f'X{len(names) + 1}')}"


def _relation(name: str, atom: Atom, names: dict[str, str]) -> str:
    """A relation with the arguments of an atom."""
    terms = []
    for term in atom.arguments:
        if not isinstance(term, Constant):
            terms.append(_variable(term.name, names))
        else:
            terms.append(term.text if NUMBER.match(term.text) else f'"{term.text}"')
    return f'R.get("{name}")({", ".join(terms)})' if terms else f'R.get("{name}")'


def _weighted(relation: str, weight: float) -> str:
    return f"{relation}[{weight!r}].fixed()"


def _true(value: float) -> str:
    """A number as a body atom."""
    return _weighted(f'R.get("{TRUE}")', value)


def _rule_text(head: str, body: Sequence[str], functions: str) -> str:
    return f"({head} <= ({', '.join(body)},)) | {functions}"


def _conditions(rule: Rule, identity: bool, names: dict[str, str]) -> list[str]:
    """Guards, and that all variables but those that are compared as numbers take different objects."""
    conditions = [text for guard in rule.guards if (text := _comparison(guard, names)) is not None]
    values = compared_numbers(rule)
    variables = [
        name
        for name in dict.fromkeys(name for atom in (rule.head, *rule.body) for name in atom.variables)
        if name not in values
    ]
    if identity and len(variables) > 1:
        conditions.append(f"R.special.alldiff({', '.join(_variable(name, names) for name in variables)})")
    return conditions


def _aggregated(
    rule: Rule,
    number: int,
    weight: float,
    atoms: list[str],
    more: list[str],
    settings: Settings,
    names: dict[str, str],
) -> list[str]:
    """A rule that is no fact: weight times the mean of its groundings, or their sum by the root of their number.

    atoms: those of the body without their weights; more: what else a grounding needs.
    """
    scale = settings.steepness if settings.activation == "lukasiewicz" else 1.0
    body = [atom if scale == 1.0 else _weighted(atom, scale) for atom in atoms] + more
    if settings.activation == "lukasiewicz":
        body.append(_true(scale * (1 - len(atoms) + settings.offset)))
    head = f"{_relation(rule.head.name, rule.head, names)}[{weight!r}]{'.fixed()' if rule.fixed else ''}"
    if settings.aggregation == "mean":
        return [_rule_text(head, body, "LOGISTIC")]
    arity = len(rule.head.arguments)
    mean, root = f"{rule.head.name}{MEAN}{number}", f"{rule.head.name}{ROOT}{number}"
    parts = [_relation(name, rule.head, names) for name in (mean, root)]
    # NeuraLogic's own count is wrong in some networks.
    ones = [*(_weighted(atom, 0.0) for atom in atoms), _true(1.0), *more]
    return [
        _rule_text(_weighted(parts[0], 1.0), body, "LOGISTIC"),
        f'R.get("{mean}") / {arity} | [Transformation.IDENTITY]',
        _rule_text(_weighted(parts[1], 1.0), ones, "NUMBER"),
        f'R.get("{root}") / {arity} | [Transformation.SQRT]',
        _rule_text(head, parts, "PRODUCT"),
    ]


def _given(rule: Rule, weight: float) -> str:
    """A fact of the template: a rule that passes 1 on, since NeuraLogic does not add facts to what rules derive."""
    head = f"{_relation(rule.head.name, rule.head, {})}[{weight!r}]{'.fixed()' if rule.fixed else ''}"
    return _rule_text(head, [f'R.get("{TRUE}")'], "SUM")


@dataclass(frozen=True)
class _Sigmoid:
    template: Template

    def lines(self) -> list[str]:
        settings = self.template.settings
        written = []
        for number, rule in enumerate(self.template.rules, 1):
            assert rule.weight is not None, "weights were checked before"
            if rule.is_fact:
                written.append(_given(rule, rule.weight))
                continue
            names: dict[str, str] = {}
            atoms = [_relation(atom.name, atom, names) for atom in rule.body]
            conditions = _conditions(rule, settings.object_identity, names)
            written += _aggregated(rule, number, rule.weight, atoms, conditions, settings, names)
        facts = {rule.head.predicate for rule in self.template.rules if rule.is_fact}
        for name, arity in dict.fromkeys(rule.head.predicate for rule in self.template.rules):
            function = "IDENTITY" if Predicate(name, arity) in facts else "SIGMOID"
            written.append(f'R.get("{name}") / {arity} | [Transformation.{function}]')
        return written


@dataclass(frozen=True)
class _Lukasiewicz:
    template: Template

    def lines(self) -> list[str]:
        heads = dict.fromkeys(rule.head.predicate for rule in self.template.rules)
        facts = dict.fromkeys(
            atom.predicate for rule in self.template.rules for atom in rule.body if atom.predicate not in heads
        )
        written = [line for predicate in facts for line in self._lifted(predicate)]
        for number, rule in enumerate(self.template.rules, 1):
            written += self._rule(rule, number, set(heads))
        for predicate in heads:
            written += self._offset(predicate)
        return written

    def _lifted(self, predicate: Predicate) -> list[str]:
        """The atoms of a predicate of the data."""
        name, arity = predicate
        settings = self.template.settings
        given, value = _general(name, arity), _general(name + VALUE, arity)
        body = [_weighted(given, settings.steepness), _true(settings.steepness * settings.offset)]
        return [
            _rule_text(_weighted(value, 1.0), body, "SUM"),
            f'R.get("{name + VALUE}") / {arity} | [Transformation.SIGMOID]',
        ]

    def _rule(self, rule: Rule, number: int, heads: set[Predicate]) -> list[str]:
        settings = self.template.settings
        names: dict[str, str] = {}
        assert rule.weight is not None, "weights were checked before"
        weight = settings.steepness * rule.weight
        atoms = [
            _relation(atom.name if atom.predicate in heads else atom.name + VALUE, atom, names) for atom in rule.body
        ]
        conditions = _conditions(rule, settings.object_identity, names)
        if rule.is_fact:
            written = [_given(rule, weight)]
        else:
            written = _aggregated(rule, number, weight, atoms, conditions, settings, names)
        holds = _relation(rule.head.name + HOLDS, rule.head, names)
        return [*written, _rule_text(_weighted(holds, 1.0), [*atoms, *conditions] or [f'R.get("{TRUE}")'], "SUM")]

    def _offset(self, predicate: Predicate) -> list[str]:
        """What an atom has beside its rules, once."""
        name, arity = predicate
        settings = self.template.settings
        head = _weighted(_general(name, arity), settings.steepness * settings.offset)
        return [
            _rule_text(head, [_weighted(_general(name + HOLDS, arity), 0.0), _true(1.0)], "SUM"),
            f'R.get("{name}") / {arity} | [Transformation.SIGMOID]',
            f'R.get("{name + HOLDS}") / {arity} | [Transformation.IDENTITY]',
        ]


def _general(name: str, arity: int) -> str:
    variables = ", ".join(f"V.X{number}" for number in range(1, arity + 1))
    return f'R.get("{name}")({variables})' if arity else f'R.get("{name}")'

"""Whether a template and data fit together: unknown predicates, negation, queries that nothing defines."""

from __future__ import annotations

import difflib
from collections.abc import Set as AbstractSet

from lrnn_cli.errors import Fault, GroundingError, faults_error
from lrnn_cli.grounding.program import Facts, used_predicates
from lrnn_cli.grounding.strata import components
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.data import DataSet
from lrnn_cli.language.template import Template

SHOWN_UNKNOWN = 3
BUILT_IN = "the built-in {} is not allowed in a body; leave it out, or define such a predicate in the data"


def check_program(template: Template, data: DataSet) -> list[str]:
    """Raise for what can't be grounded; return warnings about what is probably not meant."""
    facts = Facts.of(data)
    derived = {rule.head.predicate for rule in template.rules}
    defined = derived | facts.data | facts.background
    faults = []
    warnings = []
    unknown: dict[Predicate, str] = {}
    # The rules of a model come from other data, which had such a predicate: cd/1 is cadmium there, and missing here.
    is_model = all(rule.weight is not None for rule in template.rules)
    for rule in template.rules:
        where = (rule.line, rule.column)
        for predicate in dict.fromkeys(atom.predicate for atom in rule.body):
            if predicate in defined:
                continue
            if predicate in template.system_predicates and not is_model:
                faults.append(Fault(*where, BUILT_IN.format(predicate)))
            elif _other_arity(predicate, defined):
                faults.append(Fault(*where, f"nothing defines {predicate}{_meant(predicate, defined)}"))
            else:
                effect = "so this rule has no groundings"
                message = f"{template.name}:{rule.line}:{rule.column}: {_unknown(predicate, defined, effect)}"
                unknown.setdefault(predicate, message)
        for guard in rule.guards:
            if guard.negated is None:
                continue
            if guard.negated in derived or guard.negated in facts.soft:
                message = (
                    f"\\+ {guard.negated}: only crisp predicates can be negated, "
                    "not those with rules in the template or with weighted facts"
                )
                faults.append(Fault(*where, message))
            elif guard.negated not in defined:
                effect = "so its negation is always true"
                message = _unknown(guard.negated, defined, effect)
                warnings.append(f"{template.name}:{rule.line}:{rule.column}: {message}")
    if faults:
        raise faults_error(template.name, faults, GroundingError)
    # One molecule has few of the atom types of a model: the first few missing predicates are enough to see a mistake.
    warnings += list(unknown.values())[:SHOWN_UNKNOWN]
    if len(unknown) > SHOWN_UNKNOWN:
        others = ", ".join(map(str, list(unknown)[SHOWN_UNKNOWN:]))
        warnings.append(f"{template.name}: {data.name} has no facts of {others} either")
    warnings += _check_background(data, derived, facts)
    _check_queries(template, data, derived, defined)
    return list(dict.fromkeys(warnings))


def _check_queries(template: Template, data: DataSet, derived: set[Predicate], defined: set[Predicate]) -> None:
    queries = data.queries
    if not len(queries):
        raise GroundingError(f"{data.name}: there is no query in these data; add query(Atom, Target). to the examples")
    faults = []
    for index, predicate in enumerate(queries.predicate):
        if predicate in defined:
            continue
        at = (queries.predicate_index == index).nonzero()[0]
        if len(at):
            meant = _meant(predicate, derived) or f"; it defines {', '.join(map(str, sorted(derived)[:5]))}"
            message = (
                f"the query {queries.text[at[0]]} asks for {predicate}, which {template.name} does not define{meant}"
            )
            faults.append(Fault(int(queries.line[at[0]]), 1, message))
    if faults:
        raise faults_error(data.name, faults, GroundingError)


def _check_background(data: DataSet, derived: set[Predicate], facts: Facts) -> list[str]:
    faults = []
    warnings = []
    known = facts.data | facts.background
    graph: dict[Predicate, list[Predicate]] = {}
    for clause in data.background:
        graph.setdefault(clause.head, []).extend(goal.predicate for goal in clause.body)
    component_of = {predicate: number for number, component in enumerate(components(graph)) for predicate in component}
    for clause in data.background:
        where = (clause.line, clause.column)
        for goal in clause.body:
            if goal.predicate in derived:
                message = (
                    f"the background clause uses {goal.predicate}, which the template defines with weights; "
                    "move the clause into the template"
                )
                faults.append(Fault(*where, message))
            elif goal.predicate not in known and goal.system:
                faults.append(Fault(*where, BUILT_IN.format(goal.predicate)))
            elif goal.predicate not in known:
                effect = "so its negation is always true" if goal.negated else "so this clause derives nothing"
                message = _unknown(goal.predicate, known, effect)
                warnings.append(f"{data.name}:{clause.line}:{clause.column}: {message}")
            elif goal.negated and goal.predicate in facts.soft:
                message = f"\\+ {goal.predicate}: only crisp predicates can be negated, not those with weighted facts"
                faults.append(Fault(*where, message))
            elif goal.negated and component_of[clause.head] == component_of.get(goal.predicate):
                faults.append(Fault(*where, f"{clause.head} depends on its own negation; break the circle"))
    if faults:
        raise faults_error(data.name, faults, GroundingError)
    return warnings


def _other_arity(predicate: Predicate, defined: AbstractSet[Predicate]) -> list[Predicate]:
    return sorted(other for other in defined if other.name == predicate.name)


def _unknown(predicate: Predicate, defined: AbstractSet[Predicate], effect: str) -> str:
    """Say that nothing defines `predicate`, what follows from it, and what may have been meant."""
    return f"nothing defines {predicate}, {effect}{_meant(predicate, defined)}"


def _meant(predicate: Predicate, defined: AbstractSet[Predicate]) -> str:
    """A question after predicates of the same name or of one much like it, or nothing."""
    other = _other_arity(predicate, defined)
    if not other:
        names = sorted({other.name for other in defined if other.arity == predicate.arity})
        close = difflib.get_close_matches(predicate.name, names, 1, 0.75)
        other = [Predicate(name, predicate.arity) for name in close]
    return f"; did you mean {' or '.join(map(str, other))}?" if other else ""


def unused_predicates(template: Template, data: DataSet) -> list[Predicate]:
    """Predicates of facts that neither the rules nor the background clauses they use depend on."""
    used = used_predicates(template)
    frontier = list(used)
    while frontier:
        predicate = frontier.pop()
        for clause in data.background:
            if clause.head == predicate:
                new = {goal.predicate for goal in clause.body} - used
                used |= new
                frontier += new
    return sorted(set(data.predicates) - used)

"""What has to be grounded: which tables, shared by which rules, and in which order predicates are defined.

Predicates whose rules are equal up to the names of such predicates have the same extension; they form a *group*.
Rules whose bodies are equal when predicates are replaced by their groups have the same groundings; these bodies are
*skeletons*, and each is grounded into one table of (variables -> objects) however many rules share it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Generic, NamedTuple, TypeVar

from lrnn_cli.grounding.objects import NUMBER_ORDER
from lrnn_cli.grounding.strata import components
from lrnn_cli.language.clauses import Constant, Guard, Predicate, Rule, Variable
from lrnn_cli.language.data import BackgroundClause, DataSet
from lrnn_cli.language.template import Template


@dataclass(frozen=True)
class Facts:
    """What is known of the predicates of a data set."""

    data: frozenset[Predicate]
    soft: frozenset[Predicate]
    background: frozenset[Predicate]
    queried: frozenset[Predicate]

    @staticmethod
    def of(data: DataSet) -> Facts:
        queried = frozenset(data.queries.predicate[index] for index in set(data.queries.predicate_index.tolist()))
        return Facts(frozenset(data.predicates), data.soft, frozenset(data.background_predicates), queried)

    def has(self, predicate: Predicate) -> bool:
        return predicate in self.data or predicate in self.background


Literal = tuple[Predicate, tuple[int, ...]]
"""A predicate over columns of a table."""


@dataclass(frozen=True)
class Skeleton:
    """A body to ground: each column of its table is a variable or a constant.

    guards: column c is `variable(c)` in them; other variables belong to a negation alone, which they make one of all
    their values. constants: columns that hold a constant. queried: rows are restricted to these atoms of queries.
    identity: columns that must hold different objects; those that are compared as numbers hold values.
    """

    body: tuple[Literal, ...]
    guards: tuple[Guard, ...]
    constants: tuple[tuple[int, Constant], ...]
    columns: int
    queried: Literal | None
    identity: tuple[int, ...]


def variable(column: int) -> Variable:
    """What a column is called in guards."""
    return Variable(f"V{column}")


@dataclass(frozen=True)
class GroundRule:
    """A rule of the template over the columns of its table."""

    table: int
    head: Predicate
    head_columns: tuple[int, ...]
    body: tuple[Literal, ...]
    is_fact: bool


Clause = TypeVar("Clause", BackgroundClause, GroundRule)


@dataclass(frozen=True)
class Extension(Generic[Clause]):
    """Predicates that depend on each other, and the clauses that define them. Facts come on top of them."""

    predicates: tuple[Predicate, ...]
    clauses: tuple[Clause, ...]
    line: int
    column: int


@dataclass(frozen=True)
class Program:
    """A template made ready for grounding; `rules` run parallel to those of the template."""

    template: Template
    facts: Facts
    rules: tuple[GroundRule, ...]
    tables: tuple[Skeleton, ...]
    table_rule: tuple[int, ...]
    """The first rule that uses each table."""
    groups: dict[Predicate, Predicate]
    """The representative of each predicate that the template defines."""
    strata: tuple[tuple[Predicate, ...], ...]
    """Representatives, those depended on first; more than one, or one that depends on itself, is recursion."""
    background: tuple[Extension[BackgroundClause], ...]
    """Predicates with background clauses that the rules use, those depended on first."""
    derived: tuple[Extension[GroundRule], ...]
    """Predicates with rules that bodies use, those depended on first. They depend on the background."""
    mixed: tuple[Predicate, ...]
    """Predicates with facts, and also with rules in the template or queries."""
    soft: tuple[Predicate, ...]
    """Predicates with weighted facts that the rules use."""

    @property
    def recursive(self) -> bool:
        """Some predicate depends on itself."""
        return any(
            self.groups.get(name) in stratum
            for stratum in self.strata
            for rule in self.rules
            if rule.head in stratum
            for name, _ in rule.body
        )


class Way(NamedTuple):
    """How atoms of a group are derived: from which table, which of its columns being the head."""

    table: int
    head_columns: tuple[int, ...]
    is_fact: bool


def derivations(program: Program) -> dict[Predicate, list[Way]]:
    """How atoms of each group are derived; those of predicates with facts perhaps in no way."""
    ways_of: dict[Predicate, list[Way]] = {}
    for rule in program.rules:
        way = Way(rule.table, rule.head_columns, rule.is_fact)
        ways = ways_of.setdefault(program.groups[rule.head], [])
        if way not in ways:
            ways.append(way)
    for name in program.mixed:
        ways_of.setdefault(name, [])
    return ways_of


def dependencies(template: Template) -> dict[Predicate, list[Predicate]]:
    """What each predicate with rules depends on, all in the order of the file: so is what is made of it."""
    used: dict[Predicate, list[Predicate]] = {}
    for rule in template.rules:
        used.setdefault(rule.head.predicate, []).extend(atom.predicate for atom in rule.body)
    return {head: list(dict.fromkeys(bodies)) for head, bodies in used.items()}


def plan_program(
    template: Template,
    facts: Facts,
    background: tuple[BackgroundClause, ...] = (),
    keep: frozenset[Predicate] = frozenset(),
) -> Program:
    """Groups, tables and order of definition for a template over data with these facts.

    Atoms of predicates that no body uses are grounded where they are queried only, but for those in `keep`.
    """
    rules = template.rules
    derived = list(dict.fromkeys(rule.head.predicate for rule in rules))
    by_head: dict[Predicate, list[int]] = {predicate: [] for predicate in derived}
    for index, weighted in enumerate(rules):
        by_head[weighted.head.predicate].append(index)
    depends = dependencies(template)
    used = {atom.predicate for rule in rules for atom in rule.body}

    groups: dict[Predicate, Predicate] = {}
    signatures: dict[object, Predicate] = {}
    strata: list[tuple[Predicate, ...]] = []
    ground_rules: dict[int, GroundRule] = {}
    tables: dict[Skeleton, int] = {}
    table_rule: list[int] = []
    extensions: list[Extension[GroundRule]] = []
    identity = template.settings.object_identity

    for component in components(depends):
        recursive = len(component) > 1 or component[0] in depends[component[0]]
        for predicate in component:
            groups[predicate] = predicate
        skeletons = {}
        for predicate in component:
            restricted = predicate not in used and predicate not in keep and predicate.arity > 0
            for index in by_head[predicate]:
                skeletons[index] = _skeleton(rules[index], groups, restricted, identity)
        predicate = component[0]
        if not recursive and not facts.has(predicate) and not any(rules[i].is_fact for i in by_head[predicate]):
            signature = (
                predicate.arity,
                frozenset((skeletons[index][0], skeletons[index][1].head_columns) for index in by_head[predicate]),
            )
            groups[predicate] = signatures.setdefault(signature, predicate)
        for index, (skeleton, plan) in skeletons.items():
            if skeleton not in tables:
                tables[skeleton] = len(tables)
                table_rule.append(index)
            ground_rules[index] = replace(plan, table=tables[skeleton])
        if groups[predicate] == predicate:
            strata.append(tuple(component))
            clauses: dict[object, GroundRule] = {}
            for rule in (ground_rules[index] for index in skeletons):
                clauses.setdefault((rule.head, rule.head_columns, rule.table), rule)
            first = rules[by_head[predicate][0]]
            extensions.append(Extension(tuple(component), tuple(clauses.values()), first.line, first.column))
    # What no body uses needs no extension. A body may use another predicate of the group than its representative.
    called = {groups.get(predicate, predicate) for predicate in used}
    mentioned = used | set(derived) | facts.queried
    return Program(
        template,
        facts,
        tuple(ground_rules[index] for index in range(len(rules))),
        tuple(tables),
        tuple(table_rule),
        groups,
        tuple(strata),
        tuple(background_extensions(facts, background, used_predicates(template) | facts.queried)),
        tuple(item for item in extensions if called.intersection(item.predicates)),
        tuple(predicate for predicate in [*derived, *sorted(facts.queried - set(derived))] if facts.has(predicate)),
        tuple(sorted(facts.soft & mentioned)),
    )


def _skeleton(
    rule: Rule, groups: dict[Predicate, Predicate], restricted: bool, identity: bool
) -> tuple[Skeleton, GroundRule]:
    """The skeleton of a rule, and the rule over its columns. A constant has a column of its own."""
    columns: dict[str, int] = {}
    constants: dict[str, int] = {}
    width = 0

    def column(term: Variable | Constant) -> int:
        nonlocal width
        table = columns if isinstance(term, Variable) else constants
        key = str(term)
        if key not in table:
            table[key] = width
            width += 1
        return table[key]

    body = tuple((atom.predicate, tuple(column(term) for term in atom.arguments)) for atom in rule.body)
    for guard in rule.guards:
        # The variables of a negation that occur nowhere else are its own and not part of a grounding.
        if guard.negated is None:
            for name in guard.variables:
                column(Variable(name))
    head_columns = tuple(column(term) for term in rule.head.arguments)
    names = {name: variable(number).name for name, number in columns.items()}
    local = {name for guard in rule.guards for name in guard.variables} - set(names)
    names.update({name: f"L{number}" for number, name in enumerate(sorted(local))})
    values = compared_numbers(rule)
    skeleton = Skeleton(
        body=tuple((groups.get(predicate, predicate), numbers) for predicate, numbers in body),
        guards=tuple(guard.renamed(names) for guard in rule.guards),
        constants=tuple((number, Constant(text)) for text, number in constants.items()),
        columns=width,
        queried=(rule.head.predicate, head_columns) if restricted else None,
        identity=tuple(columns[name] for name in columns if name not in values) if identity else (),
    )
    return skeleton, GroundRule(-1, rule.head.predicate, head_columns, body, rule.is_fact)


def compared_numbers(rule: Rule) -> set[str]:
    """The variables that guards compare as numbers: two that take the same number are no objects taken twice."""
    return {
        name
        for guard in rule.guards
        if guard.goal is not None and guard.goal.kind == "guard" and guard.goal.name in NUMBER_ORDER
        for name in guard.variables
    }


def used_predicates(template: Template) -> set[Predicate]:
    """The predicates of heads, bodies and negations."""
    used = {atom.predicate for rule in template.rules for atom in rule.body}
    used |= {guard.negated for rule in template.rules for guard in rule.guards if guard.negated}
    used |= {rule.head.predicate for rule in template.rules}
    return used


def background_extensions(
    facts: Facts, background: tuple[BackgroundClause, ...], wanted: set[Predicate]
) -> list[Extension[BackgroundClause]]:
    """Extensions of the background predicates that `wanted` ones depend on."""
    by_head: dict[Predicate, list[BackgroundClause]] = {}
    for clause in background:
        by_head.setdefault(clause.head, []).append(clause)
    reached = wanted & set(by_head)
    frontier = list(reached)
    while frontier:
        for clause in by_head.get(frontier.pop(), []):
            for goal in clause.body:
                if goal.predicate in by_head and goal.predicate not in reached:
                    reached.add(goal.predicate)
                    frontier.append(goal.predicate)
    graph = {
        head: [goal.predicate for clause in clauses for goal in clause.body]
        for head, clauses in by_head.items()
        if head in reached
    }
    extensions = []
    for component in components(graph):
        clauses = [clause for predicate in component for clause in by_head[predicate]]
        # Facts alone need no extension, unless the data have facts of the same predicate.
        if all(clause.is_fact for clause in clauses) and component[0] not in facts.data:
            continue
        defining = tuple(clause for clause in clauses if not clause.is_fact)
        first = defining[0] if defining else clauses[0]
        extensions.append(Extension(tuple(component), defining, first.line, first.column))
    return extensions

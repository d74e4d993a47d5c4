"""A grounder for programs over facts alone: no background clauses, no recursion, no guards but comparisons."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lrnn_cli.errors import Fault, GroundingError, LimitError, faults_error
from lrnn_cli.grounding.facts import ExampleFacts
from lrnn_cli.grounding.grounder import REMEDY, GrounderOptions, GroundTables
from lrnn_cli.grounding.joins.comparisons import compares, compares_numbers, object_constants
from lrnn_cli.grounding.joins.grounder import chosen_relations, joined_tables
from lrnn_cli.grounding.joins.relations import JoinError, Relations, TooManyRows, constant_relation
from lrnn_cli.grounding.objects import object_numbers
from lrnn_cli.grounding.program import GroundRule, Program
from lrnn_cli.grounding.tables import Table, most_rows, nothing, too_many
from lrnn_cli.language.clauses import Constant, Predicate, Rule
from lrnn_cli.language.data import DataSet


class JoinsGrounder:
    """Grounds by joins in memory; see `Grounder` for the interface."""

    def __init__(self, options: GrounderOptions) -> None:
        self.options = options

    def ground(self, program: Program, facts: ExampleFacts) -> GroundTables:
        check_joinable(program, facts.data)
        relations = self._relations(program, facts)
        try:
            tables = joined_tables(program, relations)
        except JoinError as error:
            raise _placed(error, program, relations.memory) from None
        return GroundTables(tables, facts.tables(program.mixed))

    def atoms(self, predicates: Sequence[Predicate], facts: ExampleFacts) -> GroundTables:
        for predicate in predicates:
            self.options.warn(
                f"{facts.data.name}: joins can't list {predicate}, so learned rules won't use it; {REMEDY}"
            )
        return GroundTables((), {})

    def _relations(self, program: Program, facts: ExampleFacts) -> Relations:
        """The facts that bodies use, and the objects of constants."""
        goals = [guard.goal for skeleton in program.tables for guard in skeleton.guards if guard.goal]
        constants = {constant for skeleton in program.tables for _, constant in skeleton.constants}
        constants.update(*map(object_constants, goals))
        by_number = any(map(compares_numbers, goals))
        names = facts.names() if by_number or constants else []
        used = {predicate for skeleton in program.tables for predicate, _ in skeleton.body} - program.groups.keys()
        tables = {predicate: nothing(predicate.arity) for predicate in used} | facts.tables(sorted(used))
        tables |= constant_tables(constants, names, facts.data)
        identity = program.template.settings.object_identity
        memory = self.options.table_memory
        numbers = object_numbers(names) if by_number else None
        relations = chosen_relations(tables, {}, facts.objects, facts.queries, identity, memory, numbers)
        for skeleton in program.tables:
            if skeleton.queried:
                relations.starts.setdefault(skeleton.queried[0], nothing(skeleton.queried[0].arity))
        return relations


def _placed(error: JoinError, program: Program, memory: int) -> LimitError | GroundingError:
    """What is wrong, and with which rule."""
    rule = program.template.rules[program.table_rule[error.table]]
    where = f"{program.template.name}:{rule.line}:{rule.column}"
    if isinstance(error, TooManyRows):
        return LimitError(f"{where}: {too_many(most_rows(memory, program.tables[error.table].columns))}")
    return GroundingError(
        f"{where}: a comparison meets other objects than numbers that floats hold exactly, which joins can't compare; "
        f"{REMEDY}"
    )


def constant_tables(constants: set[Constant], names: Sequence[str], data: DataSet) -> dict[Predicate, Table]:
    """The objects of each constant, by the name of its relation."""
    objects: dict[Constant, list[int]] = {constant: [] for constant in sorted(constants)}
    for number, name in enumerate(names):
        if Constant(name) in objects:
            objects[Constant(name)].append(number)
    tables = {}
    for constant, numbers in objects.items():
        rows = np.array(numbers, np.int32)
        example = (np.searchsorted(data.first_object, rows, "right") - 1).astype(np.int32)
        tables[constant_relation(constant)] = Table(example, rows[:, None])
    return tables


def check_joinable(program: Program, data: DataSet) -> None:
    """Raise for all that joins over facts can't ground."""
    faults = set()
    template = program.template
    for rule, plan in zip(template.rules, program.rules, strict=True):
        problem = _problem(rule, plan, program, data)
        if problem:
            faults.add(Fault(rule.line, rule.column, f"{problem} is not for joins over facts; {REMEDY}"))
    if faults:
        raise faults_error(template.name, list(faults), GroundingError)


def _problem(rule: Rule, plan: GroundRule, program: Program, data: DataSet) -> str | None:
    """What of a rule joins can't ground."""
    head = rule.head.predicate
    skeleton = program.tables[plan.table]
    stratum = next(stratum for stratum in program.strata if program.groups[head] in stratum)
    bound = {column for _, columns in skeleton.body for column in columns}
    background = [predicate for predicate, _ in skeleton.body if predicate in data.background_predicates]
    unknown = next((guard for guard in rule.guards if not compares(guard.goal)), None)
    if len(set(rule.head.arguments)) < len(rule.head.arguments):
        return "a head with a variable twice"
    if any(program.groups.get(predicate) in stratum for predicate, _ in plan.body):
        return "recursion"
    if head in program.mixed:
        return f"{head}, which has rules and facts,"
    if background or any(predicate in data.background_predicates for predicate in program.mixed):
        return "background knowledge"
    if unknown is not None:
        return f"the guard {unknown}"
    if skeleton.constants and skeleton.identity:
        return "a constant with object identity"
    bound.update(skeleton.queried[1] if skeleton.queried else ())
    if any(column not in bound for column, _ in skeleton.constants):
        return "a constant that stands in the head only"
    if len(bound) < skeleton.columns:
        return "a variable that stands in a guard only"
    return None

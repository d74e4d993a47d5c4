"""A grounder as another package would write it: nested loops over facts, for programs without background clauses.

It is slow and short. `test_grounders.py` installs it with an entry point.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence

import numpy as np

from lrnn_cli.errors import GroundingError
from lrnn_cli.grounding.facts import ExampleFacts
from lrnn_cli.grounding.grounder import GrounderOptions, GroundTables
from lrnn_cli.grounding.program import Program, Skeleton, variable
from lrnn_cli.grounding.tables import Table
from lrnn_cli.language.clauses import Constant, Goal, Predicate

Row = tuple[int, ...]
Model = dict[Predicate, set[Row]]
"""The atoms that are true in one example: rows of objects."""
COMPARISONS = {"\\==": operator.ne, "==": operator.eq, "=": operator.eq}


class NestedLoops:
    def __init__(self, options: GrounderOptions) -> None:
        self.options = options

    def ground(self, program: Program, facts: ExampleFacts) -> GroundTables:
        if program.background or any(clause.head in program.facts.queried for clause in facts.data.background):
            raise GroundingError(f"{facts.data.name}: nested loops take no background clauses; use --grounder swi")
        names = list(facts.names())
        rows: list[list[Row]] = [[] for _ in program.tables]
        for example in facts.active.tolist():
            model = example_model(program, facts, example, names)
            asked = queried_atoms(facts, example)
            for found, skeleton in zip(rows, program.tables, strict=True):
                found += [(example, *row) for row in solutions(skeleton, model, names, asked)]
        tables = [table(found, skeleton.columns) for found, skeleton in zip(rows, program.tables, strict=True)]
        return GroundTables(tuple(tables), facts.tables(program.mixed))

    def atoms(self, predicates: Sequence[Predicate], facts: ExampleFacts) -> GroundTables:
        for predicate in predicates:
            self.options.warn(f"{facts.data.name}: nested loops do not derive {predicate}")
        return GroundTables((), {})


def table(rows: list[Row], columns: int) -> Table:
    whole = np.array(rows, np.int32).reshape(len(rows), columns + 1)
    return Table(whole[:, 0], whole[:, 1:])


def example_model(program: Program, facts: ExampleFacts, example: int, names: list[str]) -> Model:
    """The least Herbrand model of one example: rules are applied until nothing is new."""
    model: Model = {}
    for predicate, known in facts.tables(facts.data.predicates).items():
        model[predicate] = set(map(tuple, known.objects[known.example == example].tolist()))
    for extension in program.derived:
        new = True
        while new:
            new = False
            for rule in extension.clauses:
                heads = {
                    tuple(row[column] for column in rule.head_columns)
                    for row in solutions(program.tables[rule.table], model, names)
                }
                new = new or not heads <= model.get(rule.head, set())
                model[rule.head] = model.get(rule.head, set()) | heads
    return model


def queried_atoms(facts: ExampleFacts, example: int) -> Model:
    queries = facts.queries
    asked: Model = {}
    for place in (queries.example == example).nonzero()[0]:
        predicate = queries.predicate[queries.predicate_index[place]]
        asked.setdefault(predicate, set()).add(tuple(queries.argument[place, : predicate.arity].tolist()))
    return asked


def solutions(skeleton: Skeleton, model: Model, names: list[str], asked: Model | None = None) -> Iterator[Row]:
    """The rows of a table, restricted to atoms that are asked for if these are given."""
    literals = list(skeleton.body)
    for row in bindings(literals, model, {}):
        if len(row) < skeleton.columns:
            raise GroundingError("nested loops take no variables or constants that stand in heads or guards only")
        whole = tuple(row[column] for column in range(skeleton.columns))
        different = [whole[column] for column in skeleton.identity]
        constants = all(names[whole[column]] == constant.text for column, constant in skeleton.constants)
        if len(set(different)) < len(different) or not constants:
            continue
        if asked is not None and skeleton.queried is not None:
            predicate, columns = skeleton.queried
            if tuple(whole[column] for column in columns) not in asked.get(predicate, set()):
                continue
        if all(holds(guard.goal, whole, model, names) for guard in skeleton.guards):
            yield whole


def bindings(literals: list[tuple[Predicate, Row]], model: Model, row: dict[int, int]) -> Iterator[dict[int, int]]:
    if not literals:
        yield row
        return
    (predicate, columns), *rest = literals
    for atom in model.get(predicate, set()):
        more = dict(row)
        if all(more.setdefault(column, value) == value for column, value in zip(columns, atom, strict=True)):
            yield from bindings(rest, model, more)


def holds(goal: Goal | None, row: Row, model: Model, names: list[str]) -> bool:
    name_of = {variable(column): names[value] for column, value in enumerate(row)}
    if goal is None or not all(isinstance(term, Constant) or term in name_of for term in goal.arguments):
        raise GroundingError("nested loops don't know this guard")
    values = [term.text if isinstance(term, Constant) else name_of[term] for term in goal.arguments]  # type: ignore
    if goal.kind == "negation":
        return not any([names[value] for value in atom] == values for atom in model.get(goal.predicate, set()))
    if goal.name not in COMPARISONS:
        raise GroundingError(f"nested loops don't know the guard {goal.name}")
    return bool(COMPARISONS[goal.name](*values))

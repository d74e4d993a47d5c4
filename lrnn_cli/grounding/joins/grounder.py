"""Groundings of a learned program from joins over facts: the same tables that any grounder would give.

Learned rules have no recursion, and no guards but comparisons, so their tables are joins of relations that are in
memory already; each is extended from its parent's.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace

import numpy as np

from lrnn_cli.grounding.atoms import AtomIndex
from lrnn_cli.grounding.groundings import Groundings
from lrnn_cli.grounding.joins.comparisons import compared
from lrnn_cli.grounding.joins.relations import JoinError, Relations, TooManyRows, constant_relation, different
from lrnn_cli.grounding.program import Facts, GroundRule, Literal, Program, Skeleton, plan_program
from lrnn_cli.grounding.tables import SoftFacts, Table, distinct, part, soft_part
from lrnn_cli.language.clauses import Predicate, Rule
from lrnn_cli.language.data import DataSet, Queries
from lrnn_cli.language.template import Template


@dataclass
class JoinedGrounder:
    """Grounds templates over relations; `queries` are those of the examples that are learned from.

    given: facts of the target predicates, which no body has.
    """

    data: DataSet
    relations: Relations
    queries: Queries
    given: dict[Predicate, SoftFacts] = field(default_factory=dict)

    def ground(self, template: Template, keep: frozenset[Predicate] = frozenset()) -> Groundings:
        """Groundings that queries see, and all of the predicates in `keep`."""
        facts = replace(
            Facts.of(self.data),
            data=frozenset([*self.relations.tables, *self.given]),
            soft=frozenset([*self.relations.soft, *self.given]),
            background=frozenset(),
            queried=frozenset(
                self.queries.predicate[number] for number in np.unique(self.queries.predicate_index).tolist()
            ),
        )
        program = plan_program(template, facts, keep=keep)
        soft = {**self.relations.soft, **self.given}
        return Groundings(
            program,
            joined_tables(program, self.relations),
            {predicate: self.given[predicate].atoms for predicate in program.mixed},
            {predicate: soft[predicate] for predicate in program.soft},
            self.queries,
            self.data.example_name,
            self.relations.objects,
            self.data.name,
            self.data.digest,
        )

    def fits(self, rule: Rule) -> bool:
        """Whether a rule has so few groundings, whatever queries ask for, that a search may find it."""
        numbers: dict[str, int] = {}
        for atom in rule.body:
            if atom.predicate in self.relations.tables:
                numbers.update((name, numbers.get(name, len(numbers))) for name in atom.variables)
        body = tuple(
            (atom.predicate, tuple(numbers[name] for name in atom.variables))
            for atom in rule.body
            if atom.predicate in self.relations.tables
        )
        try:
            self.relations.joined(None, body, searching=True)
        except TooManyRows:
            return False
        return True


def joined_tables(program: Program, relations: Relations) -> tuple[Table, ...]:
    """The tables of a program whose predicates have either rules or facts, in `relations`, and no recursion."""
    tables: dict[int, Table] = {}
    extensions: dict[Predicate, AtomIndex] = {}
    rules: dict[Predicate, list[GroundRule]] = {}
    for rule in program.rules:
        rules.setdefault(program.groups[rule.head], []).append(rule)
    for name in itertools.chain.from_iterable(program.strata):
        # Many rules have the same body and the same arguments in the head.
        heads: dict[tuple[int, tuple[int, ...]], Table] = {}
        for rule in rules[name]:
            if rule.table not in tables:
                try:
                    tables[rule.table] = joined_table(program.tables[rule.table], relations, extensions)
                except JoinError as error:
                    error.table = rule.table
                    raise
            table = tables[rule.table]
            columns = list(rule.head_columns)
            heads[rule.table, rule.head_columns] = Table(table.example, table.objects[:, columns])
        extensions[name] = AtomIndex(list(heads.values()), relations.objects)
    return tuple(tables[number] for number in range(len(program.tables)))


def joined_table(skeleton: Skeleton, relations: Relations, extensions: dict[Predicate, AtomIndex]) -> Table:
    """Join the relations of a skeleton, then keep rows whose latent atoms are true and for which guards hold."""
    values = relations.identity and len(skeleton.identity) + len(skeleton.constants) < skeleton.columns
    if values:
        relations = relations.of_values
    order = list(skeleton.queried[1]) if skeleton.queried else []
    constants = [(constant_relation(constant), (column,)) for column, constant in skeleton.constants]
    given = [*constants, *(literal for literal in skeleton.body if literal[0] not in extensions)]
    latent = [literal for literal in skeleton.body if literal[0] in extensions]
    for _, columns in [*given, *latent]:
        order += [column for column in dict.fromkeys(columns) if column not in order]
    place = {column: number for number, column in enumerate(order)}
    body = tuple((name, tuple(place[column] for column in columns)) for name, columns in given)
    start, known = (skeleton.queried[0], len(skeleton.queried[1])) if skeleton.queried else (None, 0)
    table = relations.joined(start, _tests_early(body, known))
    for name, columns in latent:
        key = (name, tuple(place[column] for column in columns))
        if all(place[column] < table.objects.shape[1] for column in columns):
            rows = table.objects[:, [place[column] for column in columns]]
            keep = extensions[name].position(table.example, rows) >= 0
            if not keep.all():
                table = table.rows(keep.nonzero()[0])
        else:
            local = replace(relations, tables={name: extensions[name].atoms})
            table = local.extended(table, key)
    inverse = [place[column] for column in range(skeleton.columns)]
    if inverse != list(range(len(inverse))):
        table = Table(table.example, np.ascontiguousarray(table.objects[:, inverse]))
    if values:
        table = different(table, skeleton.identity)
    return compared(table, skeleton, relations)


def _tests_early(body: tuple[Literal, ...], known: int) -> tuple[Literal, ...]:
    """The same literals, those that bring in no variable as soon as theirs are known; the start has the first `known`.

    Rows that a test drops are not joined any further, and bodies with the same tests share what is left. The others
    keep their order, so what is joined has the same rows in the same order.
    """
    variables = set(range(known))
    left = list(body)
    early: list[Literal] = []
    while left:
        tests = [literal for literal in left if literal[1] and variables.issuperset(literal[1])]
        if not tests:
            tests = [left[0]]
            variables.update(left[0][1])
        early += tests
        left = [literal for literal in left if literal not in tests]
    return tuple(early)


def chosen_relations(
    tables: dict[Predicate, Table],
    soft: dict[Predicate, SoftFacts],
    objects: int,
    queries: Queries,
    identity: bool,
    memory: int = 0,
    numbers: np.ndarray | None = None,
    most_rows: int = 0,
) -> Relations:
    """The facts of the examples that have queries, and the query atoms of each target predicate.

    `memory` is what one join may take, `numbers` what objects are compared by, `most_rows` for joins of a search.
    """
    examples = np.unique(queries.example)
    kept = {predicate: part(table, examples) for predicate, table in tables.items()}
    weighted = {predicate: soft_part(facts, examples) for predicate, facts in soft.items()}
    weighted = {predicate: facts for predicate, facts in weighted.items() if len(facts.weight)}
    starts: dict[Predicate | None, Table] = {
        None: Table(examples.astype(np.int32), np.zeros((len(examples), 0), np.int32))
    }
    for number, predicate in enumerate(queries.predicate):
        rows = (queries.predicate_index == number).nonzero()[0]
        starts[predicate] = distinct(Table(queries.example[rows], queries.argument[rows, : predicate.arity]))
    return Relations(kept, weighted, starts, objects, identity, memory, numbers, most_rows)

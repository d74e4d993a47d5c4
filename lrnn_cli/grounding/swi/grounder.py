"""The default grounder: SWI-Prolog evaluates where it has read the facts, a part of the examples in each process."""

from __future__ import annotations

from collections.abc import Sequence

from lrnn_cli.engine.process import PrologError
from lrnn_cli.errors import Fault, GroundingError, LimitError, faults_error
from lrnn_cli.grounding.facts import ExampleFacts
from lrnn_cli.grounding.grounder import GrounderOptions, GroundTables, unlisted
from lrnn_cli.grounding.program import Facts, Program, background_extensions
from lrnn_cli.grounding.reading.rows import MadeObjects
from lrnn_cli.grounding.reading.store import PrologStore, indicator
from lrnn_cli.grounding.swi import requests
from lrnn_cli.grounding.tables import Table, distinct, most_rows, ordered, too_many
from lrnn_cli.language.clauses import Predicate


class SwiGrounder:
    """Drives SWI-Prolog; see `Grounder` for the interface."""

    def __init__(self, options: GrounderOptions) -> None:
        self.options = options

    def ground(self, program: Program, facts: ExampleFacts) -> GroundTables:
        data, template, store = facts.data, program.template, facts.store
        store.ask(data.queries)
        store.activate(facts.examples)
        for background in program.background:
            _run(store, requests.background(background), data.name, background.line, background.column)
        for derived in program.derived:
            _run(store, requests.derived(derived, program.tables), template.name, derived.line, derived.column)
        made = MadeObjects(store.parts)
        tables = []
        for number, (skeleton, index) in enumerate(zip(program.tables, program.table_rule, strict=True)):
            rule = template.rules[index]
            request = requests.table(skeleton)
            most = most_rows(self.options.table_memory, skeleton.columns)
            if most:
                request = f"limited({max(1, most // len(store.parts))}, {request})"
            _run(store, request, template.name, rule.line, rule.column)
            table = store.table(skeleton.columns, made)
            self.options.report(f"grounding: table {number + 1} of {len(program.tables)}, {len(table)} rows")
            tables.append(table)
        atoms = {}
        for predicate in program.mixed:
            clause = next((clause for clause in data.background if clause.head == predicate), None)
            where = (data.name, clause.line, clause.column) if clause else (data.name, 1, 1)
            atoms[predicate] = _atoms(store, predicate, made, *where)
        grounded = _numbered(tables, atoms, made)
        # Answers of tabled predicates come in an order that depends on how the examples were divided.
        return _ordered(grounded) if program.background else grounded

    def atoms(self, predicates: Sequence[Predicate], facts: ExampleFacts) -> GroundTables:
        data, store = facts.data, facts.store
        store.activate(facts.examples)
        made = MadeObjects(store.parts)
        atoms = {}
        for predicate in predicates:
            try:
                for extension in background_extensions(Facts.of(data), data.background, {predicate}):
                    _run(store, requests.background(extension), data.name, extension.line, extension.column)
                atoms[predicate] = _atoms(store, predicate, made, data.name, 1, 1)
            except GroundingError:
                self.options.warn(unlisted(data.name, predicate))
        return _numbered([], atoms, made)


def _atoms(store: PrologStore, predicate: Predicate, made: MadeObjects, name: str, line: int, column: int) -> Table:
    """The atoms of a predicate that are true without the template."""
    _run(store, f"facts({indicator(predicate)})", name, line, column)
    return distinct(store.table(predicate.arity, made))


def _run(store: PrologStore, request: str, name: str, line: int, column: int) -> None:
    try:
        store.broadcast(request, f"{name}:{line}:{column}")
    except PrologError as error:
        if error.kind == "rows":
            raise LimitError(f"{name}:{line}:{column}: {too_many(int(error.text))}") from None
        if error.kind != "guard":
            raise
        fault = Fault(line, column, f"a guard can't be evaluated: {error.text}")
        raise faults_error(name, [fault], GroundingError) from None


def _numbered(tables: list[Table], atoms: dict[Predicate, Table], made: MadeObjects) -> GroundTables:
    """Give objects that evaluation made numbers that do not depend on how the examples were divided."""
    names, final = made.finish([*tables, *atoms.values()])
    if names:
        tables = [final(table) for table in tables]
        atoms = {predicate: final(table) for predicate, table in atoms.items()}
    return GroundTables(tuple(tables), atoms, tuple(names))


def _ordered(grounded: GroundTables) -> GroundTables:
    atoms = {predicate: ordered(table) for predicate, table in grounded.atoms.items()}
    return GroundTables(tuple(map(ordered, grounded.tables)), atoms, grounded.made)

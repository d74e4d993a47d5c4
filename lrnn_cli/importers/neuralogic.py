"""Data of NeuraLogic: examples.txt, queries.txt and a template.

An example is facts with commas between and a full stop at its end, `<0.7> horse(aida)` with a weight. Queries are
targets and atoms, `1.0 foal(star).`, one for each example in the same order, or any number for the only example.
Of a template those rules are kept that our language can say; the others are named. Where they have constants for
arguments of facts, these arguments take constants, and variables tell which arguments are of one sort.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

from lrnn_cli.errors import LrnnError, faults_error
from lrnn_cli.importers.imported_data import CONSTANT, Fact, ImportedData, ImportedExample, Query, grouped_notes
from lrnn_cli.importers.importer import Options, Sources
from lrnn_cli.importers.interpretation import (
    ASKED,
    Interpretation,
    Pattern,
    argument_sorts,
    declared_bias,
    imported_interpretation,
    own_sort,
    root,
)
from lrnn_cli.importers.logic_text import Statement, Text, TextFault, Token
from lrnn_cli.importers.terms import Json, fact, is_variable, pattern, term_text
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.writing import prolog_text, visible

EXAMPLES, QUERIES, TEMPLATE = "examples.txt", "queries.txt", "template.txt"
IMPORT = re.compile(r"^[ \t]*import[ \t][^\n]*", re.MULTILINE)
Notes = list[tuple[str, str]]
Result = TypeVar("Result")


class NeuraLogic:
    name = "neuralogic"
    what = "NeuraLogic: examples.txt, queries.txt and template.txt"
    options = frozenset({"examples"})

    def recognises(self, sources: Sources) -> bool:
        return bool(sources.called(EXAMPLES) and sources.called(QUERIES, TEMPLATE))

    def read(self, sources: Sources, options: Options) -> ImportedData:
        notes: Notes = []
        worlds = _read(sources, EXAMPLES, _examples)
        queries = _read(sources, QUERIES, _queries) if sources.called(QUERIES) else []
        queries = _from_zero(queries, sources.title, notes)
        template, clauses = _template(sources, notes)
        known = (EXAMPLES, QUERIES, TEMPLATE)
        notes += [(visible(path), "not used") for path in sources.files if Path(path).name not in known]
        if len(worlds) == 1:
            worlds[0].queries = queries
            worlds[0].sorts = _sorts(clauses, worlds[0])
            data = imported_interpretation(worlds[0], options.examples, sources.title, grouped_notes(notes))
            return ImportedData(data.examples, data.background, data.bias, data.notes, template)
        if queries and len(queries) != len(worlds):
            raise LrnnError(
                f"{sources.title}: there are {len(worlds)} examples and {len(queries)} queries; "
                "write one query for each example, in the same order"
            )
        examples = [
            ImportedExample(
                f"e{number + 1}",
                [world.fact_text(place) for place in range(len(world.facts))],
                queries[number : number + 1],
            )
            for number, world in enumerate(worlds)
        ]
        together = Interpretation([fact for world in worlds for fact in world.facts], queries=queries)
        together.sorts = _sorts(clauses, together)
        shown = grouped_notes(notes)
        bias = declared_bias(together, shown)
        return ImportedData(examples, [], bias, shown, template)


def _read(sources: Sources, name: str, read: Callable[[Statement], Result]) -> list[Result]:
    """What is read from all files of this name, in order."""
    understood = []
    for path in sources.called(name):
        text = Text(*sources.text(path, f"{name} of NeuraLogic"))
        try:
            understood += [read(statement) for statement in text.statements()]
        except TextFault as error:
            raise faults_error(text.name, [text.fault(error)]) from None
    return understood


def _examples(statement: Statement) -> Interpretation:
    world = Interpretation()
    while True:
        weight = _weight(statement)
        if weight is not None and weight != 1.0:
            world.weights[len(world.facts)] = weight
        world.facts.append(_ground(statement))
        if not statement.skip(","):
            break
    if statement.sees(":-", "<="):
        raise TextFault(statement.take().start, "rules in examples are not supported; write facts with commas between")
    statement.expect_end()
    return world


def _weight(statement: Statement) -> float | None:
    if statement.skip("<"):
        weight = statement.number()
        statement.expect(">")
        return weight
    if statement.sees_kind("number"):
        return statement.number()
    if statement.sees("[", "{"):
        raise TextFault(statement.take().start, "vectors and matrices are not supported; a weight is one number")
    return None


def _ground(statement: Statement) -> Fact:
    start = statement.peek_start()
    atom = statement.atom()
    if not isinstance(atom, str) and any(is_variable(argument) for argument in atom[1:]):
        raise TextFault(start, "this atom has a variable; facts and queries have none")
    return fact(atom)


def _queries(statement: Statement) -> Query:
    target = _weight(statement)
    atom = _ground(statement)
    statement.expect_end()
    return Query(atom, 1.0 if target is None else target)


def _from_zero(queries: list[Query], title: str, notes: Notes) -> list[Query]:
    """Targets -1 and 1, those of a tanh, as 0 and 1; others as they are."""
    if not {query.target for query in queries} <= {-1.0, 1.0} or all(query.target == 1.0 for query in queries):
        return queries
    notes.append((title, "targets of -1 are 0: outputs are from 0 to 1 here"))
    return [Query(query.atom, float(query.target == 1.0)) for query in queries]


# Templates


class _Literal(NamedTuple):
    """An atom with its weight: a number, `_` for one to be learned, nothing for none."""

    weight: str
    scalar: bool
    atom: Json


def _template(sources: Sources, notes: Notes) -> tuple[str | None, list[list[Pattern]]]:
    """The rules that our language can say, None where there is no template, and the atoms of all rules."""
    paths = sources.called(TEMPLATE)
    lines = ["setting(activation, sigmoid)."]
    clauses = []
    for path in paths:
        name, content = sources.text(path, "a template of NeuraLogic")
        for match in IMPORT.finditer(content):
            place = f"{name}:{content.count(chr(10), 0, match.start()) + 1}"
            notes.append((place, "import is not followed: no other file is read"))
        text = Text(name, IMPORT.sub(lambda match: " " * len(match[0]), content))
        try:
            for statement in _rule_statements(text, notes):
                place = text.place(statement.first)
                head, body = _literals(statement)
                clauses.append([pattern(literal.atom) for literal in (head, *body)])
                rule = _rule(head, body, place, notes)
                lines += [rule] if rule is not None else []
        except TextFault as error:
            raise faults_error(name, [text.fault(error)]) from None
    return prolog_text(lines) if len(lines) > 1 else None, clauses


def _sorts(clauses: list[list[Pattern]], world: Interpretation) -> dict[Predicate, tuple[str, ...]]:
    """Sorts of the arguments of facts and queries, if clauses have constants for some of them; empty otherwise.

    Arguments are of one sort where a clause has the same variable for them, or by a chain of such; those of predicates
    that no clause has are inferred.
    """
    asked = {query.atom.predicate for query in world.queries}
    told = {fact.predicate for fact in world.facts} - asked
    constants = set()
    joined: dict[str, str] = {}
    for clause in clauses:
        holder: dict[str, str] = {}
        for atom in clause:
            for place, (argument, variable) in enumerate(zip(atom.arguments, atom.variable, strict=True)):
                if variable:
                    sort = root(joined, own_sort(atom.predicate, place))
                    first = root(joined, holder.setdefault(argument, sort))
                    joined.update({sort: first} if sort != first else {})
                elif atom.predicate in told:
                    constants.add((atom.predicate, place))
    if not constants:
        return {}
    sorts = {
        predicate: tuple(
            CONSTANT if (predicate, place) in constants else root(joined, own_sort(predicate, place))
            for place in range(predicate.arity)
        )
        for predicate in dict.fromkeys(atom.predicate for clause in clauses for atom in clause)
        if predicate in told | asked
    }
    inferred = argument_sorts(Interpretation(world.facts, queries=world.queries, sorts=sorts))
    numbered = next((sorts[predicate][0] for predicate in sorts if predicate in asked and predicate.arity), ASKED)
    for predicate in dict.fromkeys(predicate for predicate, _ in inferred):
        own = (inferred[predicate, place] for place in range(predicate.arity))
        sorts.setdefault(predicate, tuple(numbered if sort == ASKED else sort for sort in own))
    return sorts


def _rule_statements(text: Text, notes: Notes) -> list[Statement]:
    """Statements that go on after options in brackets and declarations such as `shape / 2 [activation=tanh]`."""
    statements = []
    tokens = list(text.tokens())
    position = 0
    rule: list[Token] = []
    while position < len(tokens):
        token = tokens[position]
        following = tokens[position + 1].text if position + 1 < len(tokens) else ""
        if not rule and token.text == "[" and token.kind == "symbol":
            position = _after_options(tokens, position, text, notes)
        elif not rule and token.kind == "name" and following == "/":
            position += 3
        elif token.kind == "end":
            if rule:
                statements.append(Statement(rule))
            position, rule = position + 1, []
        else:
            rule.append(token)
            position += 1
    if rule:
        raise TextFault(rule[0].start, "this has no full stop at its end; add one")
    return statements


def _after_options(tokens: list[Token], position: int, text: Text, notes: Notes) -> int:
    """The place after options such as [activation=tanh, aggregation=avg]; those that change the function are named."""
    start = tokens[position]
    words = []
    while position < len(tokens) and tokens[position].text != "]":
        words.append(tokens[position].text)
        position += 1
    if position == len(tokens):
        raise TextFault(start.start, "this bracket is never closed; add ]")
    for option in "".join(words[1:]).split(","):
        if option.partition("=")[2] not in ("sigmoid", "avg"):
            notes.append(
                (
                    text.place(start),
                    f"{option} is not there; rules and atoms have the logistic function, groundings their mean",
                )
            )
    return position + 1


def _literals(statement: Statement) -> tuple[_Literal, list[_Literal]]:
    """Head and body of a rule."""
    head = _literal(statement)
    body = []
    if statement.skip(":-") or statement.skip("<="):
        body.append(_literal(statement))
        while statement.skip(","):
            body.append(_literal(statement))
    statement.expect_end()
    return head, body


def _rule(head: _Literal, body: list[_Literal], place: str, notes: Notes) -> str | None:
    if not all(literal.scalar for literal in (head, *body)):
        notes.append((place, "left out: weights are single numbers here, not vectors or matrices"))
        return None
    weighted = [literal for literal in body if literal.weight]
    weight = head.weight
    if weighted and not weight and len(body) == 1:
        weight = weighted[0].weight
        notes.append((place, "the weight of the only atom of the body becomes that of the rule"))
    elif weighted:
        weight = weight or "_"
        notes.append((place, "weights of atoms of a body are not used: a rule has one"))
    goals = ", ".join(term_text(literal.atom) for literal in body)
    clause = f"{term_text(head.atom)} :- {goals}" if body else term_text(head.atom)
    return f"{weight or 'fixed(1.0)'} :: {clause}."


def _literal(statement: Statement) -> _Literal:
    weight, scalar = "", True
    if statement.skip("$"):
        statement.expect_name()
        statement.expect("=")
    if statement.skip("{"):
        sizes = [statement.number()]
        while statement.skip(","):
            sizes.append(statement.number())
        statement.expect("}")
        weight, scalar = "_", all(size == 1 for size in sizes)
    elif statement.skip("<"):
        weight = f"fixed({statement.number()!r})"
        statement.expect(">")
    elif statement.sees_kind("number"):
        weight = repr(statement.number())
    return _Literal(weight, scalar, statement.atom())

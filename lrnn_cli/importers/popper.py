"""Problems of Popper: a folder with bk.pl (facts and clauses), exs.pl (pos/1 and neg/1) and bias.pl.

Types become sorts of `bias/1`; arguments of a type that has `constant/2` take constants. Limits of Popper's search and
constraints in answer set programming have no counterpart and are named.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lrnn_cli.errors import LrnnError, faults_error
from lrnn_cli.importers.imported_data import CONSTANT, ImportedData, Query, grouped_notes
from lrnn_cli.importers.importer import Options, Sources
from lrnn_cli.importers.interpretation import (
    Interpretation,
    argument_sorts,
    call_numbers,
    imported_interpretation,
)
from lrnn_cli.importers.logic_text import Text, TextFault
from lrnn_cli.importers.prolog_files import PrologFile, PrologReader, add_clause, prolog_reader
from lrnn_cli.importers.terms import (
    MOST_ARGUMENTS,
    Json,
    fact,
    is_atom,
    name_and_arguments,
    unquoted,
    whole_number,
)
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.files import Source

BACKGROUND, EXAMPLES, BIAS = "bk.pl", "exs.pl", "bias.pl"
Notes = list[tuple[str, str]]


class Popper:
    name = "popper"
    what = "Popper: a folder with bk.pl, exs.pl and bias.pl"
    options = frozenset({"examples", "skip_faulty"})

    def recognises(self, sources: Sources) -> bool:
        return bool(sources.called(BACKGROUND) and sources.called(EXAMPLES))

    def read(self, sources: Sources, options: Options) -> ImportedData:
        world = Interpretation()
        with prolog_reader(options) as reader:
            _add_background(world, reader.read(_only(sources, BACKGROUND)), reader)
            _add_examples(world, reader.read(_only(sources, EXAMPLES)), reader)
            reader.faults.check()
        notes = reader.notes
        if sources.called(BIAS):
            name, text = sources.text(sources.called(BIAS)[0], "a bias of Popper")
            _add_bias(world, Text(name, text), notes)
        else:
            notes.append((sources.title, "there is no bias.pl, so all predicates may occur in rules"))
        others = [path for path in sources.files if Path(path).name not in (BACKGROUND, EXAMPLES, BIAS)]
        notes += [(path, "not used: this is no file of Popper's") for path in others]
        data = imported_interpretation(world, options.examples, sources.title, grouped_notes(notes))
        return replace(data, left_out=tuple(reader.left_out))


def _only(sources: Sources, name: str) -> Source:
    paths = sources.called(name)
    if len(paths) != 1:
        what = "there are several" if paths else "there is no"
        raise LrnnError(f"{sources.title}: {what} {name}; name one folder with {BACKGROUND}, {EXAMPLES} and {BIAS}")
    return sources.source(paths[0], f"{name} of Popper")


def _add_background(world: Interpretation, file: PrologFile, reader: PrologReader) -> None:
    for item in file.items:
        if item.kind == "fact":
            world.facts.append(fact(item.term))
        elif item.kind == "clause":
            add_clause(world, item)
        else:
            reader.notes.append((file.place(item), "directives are not run"))


def _add_examples(world: Interpretation, file: PrologFile, reader: PrologReader) -> None:
    for item in file.items:
        name, arguments = name_and_arguments(item.term)
        if item.kind == "fact" and name in ("pos", "neg") and len(arguments) == 1 and is_atom(arguments[0]):
            world.queries.append(Query(fact(arguments[0]), 1.0 if name == "pos" else 0.0))
        elif item.kind == "directive":
            reader.notes.append((file.place(item), "directives are not run"))
        else:
            message = "an example is pos(Atom) or neg(Atom); write it so, or move it into bk.pl"
            reader.faults.add(file.name, item.line, item.column, message)
    if not file.items and not len(reader.faults):
        raise LrnnError(f"{file.name}: there is no example; write pos(Atom) and neg(Atom)")


def _add_bias(world: Interpretation, text: Text, notes: Notes) -> None:
    """Sorts of the predicates that may occur in bodies, and of the target."""
    types: dict[Predicate, tuple[str, ...]] = {}
    allowed: dict[Predicate, None] = {}
    constants: set[str] = set()
    try:
        for statement in text.statements():
            place = text.place(statement.first)
            if statement.sees(":-"):
                notes.append((place, "constraints of answer set programming are not used"))
                continue
            if statement.sees("#", "{"):
                notes.append((place, "directives and choices of answer set programming are not used"))
                continue
            name, arguments = name_and_arguments(statement.atom())
            if statement.sees(":-"):
                notes.append((place, "rules of answer set programming are not used"))
                continue
            statement.expect_end()
            if name in ("head_pred", "body_pred") and len(arguments) == 2:
                arity = whole_number(arguments[1], MOST_ARGUMENTS)
                if arity is None or not isinstance(arguments[0], str):
                    message = f"{name} has a name and a number of arguments, {MOST_ARGUMENTS} at most"
                    raise TextFault(statement.first.start, message)
                allowed[Predicate(unquoted(arguments[0]), arity)] = None
            elif name == "type" and len(arguments) == 2:
                sorts = _sorts(arguments[1])
                if not all(isinstance(part, str) for part in (arguments[0], *sorts)):
                    raise TextFault(statement.first.start, "write type(name, (type, type))")
                types[Predicate(unquoted(arguments[0]), len(sorts))] = sorts
            elif name == "constant" and len(arguments) == 2 and isinstance(arguments[1], str):
                constants.add(unquoted(arguments[1]))
            elif name == "direction":
                notes.append(
                    (place, "directions are not needed: bodies are evaluated in an order that binds variables")
                )
            else:
                notes.append((place, f"{name}/{len(arguments)} is not used: it limits Popper's search"))
    except TextFault as error:
        raise faults_error(text.name, [text.fault(error)]) from None
    untyped = sorted(types.keys() - allowed.keys())
    if untyped:
        notes.append((text.name, f"not in head_pred or body_pred, so not used: {', '.join(map(str, untyped))}"))
    _set_sorts(world, types, list(allowed), constants)


def _sorts(term: Json) -> tuple[str, ...]:
    """The types of (a, b), (a,) or a; terms that are no names stay as they are."""
    parts = [term] if isinstance(term, str) else term[1:]
    return tuple(unquoted(part) if isinstance(part, str) else part for part in parts)


def _set_sorts(
    world: Interpretation, types: dict[Predicate, tuple[str, ...]], allowed: list[Predicate], constants: set[str]
) -> None:
    """Sorts of the allowed predicates; those without types get sorts by the constants that they share."""
    facts = {fact.predicate for fact in world.facts} | {clause.head.predicate for clause in world.clauses}
    targets = {query.atom.predicate for query in world.queries}
    if not types and facts <= {*allowed, *targets}:
        return
    inferred = argument_sorts(world)
    names: dict[str, str] = {}
    for predicate in allowed:
        sorts = types.get(predicate)
        if sorts is None:
            kinds = [inferred.get((predicate, place), str(predicate)) for place in range(predicate.arity)]
            sorts = tuple(names.setdefault(kind, f"sort_{len(names) + 1}") for kind in kinds)
        world.sorts[predicate] = tuple(CONSTANT if sort in constants else sort for sort in sorts)
    call_numbers(world)

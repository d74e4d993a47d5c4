"""Problems of Aleph: background with modes (.b), positive (.f) and negative (.n) examples, or files of these kinds.

Positive examples stand in a file called x.f, pos.pl, x.pos.pl or x_pos.pl, negative ones likewise. Modes become sorts
of `bias/1`: +t and -t are of sort t, #t takes constants. Determinations say which predicates rules may use. Several
pairs of positive and negative files are classes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from lrnn_cli.errors import LrnnError
from lrnn_cli.importers.imported_data import CONSTANT, Fact, ImportedData, Query, grouped_notes
from lrnn_cli.importers.importer import Options, Sources
from lrnn_cli.importers.interpretation import Interpretation, call_numbers, imported_interpretation
from lrnn_cli.importers.prolog_files import Item, PrologFile, PrologReader, add_clause, prolog_reader
from lrnn_cli.importers.terms import (
    MOST_ARGUMENTS,
    Json,
    fact,
    is_variable,
    name_and_arguments,
    term_text,
    unquoted,
    whole_number,
)
from lrnn_cli.language.clauses import Predicate, quoted
from lrnn_cli.language.writing import visible

EXAMPLES = re.compile(r"(?P<class>.+)\.(?P<letter>[fn])\Z|(?:(?P<name>.+)[._])?(?P<word>pos|neg)(?:\.pl)?\Z")
MODES = re.compile(r"^\s*:-\s*(modeh|modeb|mode|determination)\b", re.MULTILINE)
SECTIONS = {"bg": "background", "in_pos": "pos", "in_neg": "neg"}
ENDINGS = (".b", ".bk", ".pl")


@dataclass
class _Modes:
    """What the modes of all files say."""

    sorts: dict[Predicate, tuple[str, ...]] = field(default_factory=dict)
    heads: set[Predicate] = field(default_factory=set)
    determined: set[Predicate] = field(default_factory=set)


class Aleph:
    name = "aleph"
    what = "Aleph: background and modes (.b), positive (.f) and negative (.n) examples, or pos.pl, neg.pl and others"
    options = frozenset({"examples", "skip_faulty", "positive", "classes"})

    def recognises(self, sources: Sources) -> bool:
        if sources.ending(".b") and sources.ending(".f", ".n"):
            return True
        return any(MODES.search(sources.head(path)) for path in sources.ending(*ENDINGS))

    def read(self, sources: Sources, options: Options) -> ImportedData:
        pairs = example_files(sources)
        chosen = _chosen(sources, pairs, options)
        examples = {path for pair in pairs.values() for path in pair.values()}
        world, modes = Interpretation(), _Modes()
        with prolog_reader(options) as reader:
            for path in sources.files:
                if path in examples:
                    continue
                if path.removesuffix(".gz").endswith(ENDINGS):
                    source = sources.source(path, "background of Aleph", may_be_empty=True)
                    _add_background(world, modes, reader.read(source), reader)
                else:
                    reader.notes.append((visible(path), "not used: this is no file of Aleph's"))
            for name in chosen:
                for kind, path in sorted(pairs[name].items(), reverse=True):
                    source = sources.source(path, "examples of Aleph", may_be_empty=True)
                    if not options.classes:
                        _add_examples(world, reader.read(source), 1.0 if kind == "pos" else 0.0, reader)
                    elif kind == "pos":
                        _add_examples(world, reader.read(source), quoted(name), reader)
            reader.faults.check()
        if not world.queries:
            raise LrnnError(f"{sources.title}: there is no example; name files with .f and .n, or pos.pl and neg.pl")
        if options.classes:
            _one_class_each(world, sources.title)
        _set_sorts(world, modes, reader)
        data = imported_interpretation(world, options.examples, sources.title, grouped_notes(reader.notes))
        return replace(data, left_out=tuple(reader.left_out))


def example_files(sources: Sources) -> dict[str, dict[str, str]]:
    """Paths of files of positive and negative examples, by class; the class has no name where there is only one."""
    by_class: dict[str, dict[str, str]] = {}
    for path in sources.files:
        match = EXAMPLES.match(Path(path.removesuffix(".gz")).name)
        if match is not None and not path.endswith(".b"):
            kind = match["word"] or {"f": "pos", "n": "neg"}[match["letter"]]
            by_class.setdefault(match["class"] or match["name"] or "", {})[kind] = path
    return {"": next(iter(by_class.values()))} if len(by_class) == 1 else by_class


def _chosen(sources: Sources, pairs: dict[str, dict[str, str]], options: Options) -> list[str]:
    """The classes whose examples are read."""
    names = sorted(pairs)
    if len(names) < 2:
        if options.classes or options.positive:
            raise LrnnError(
                f"{sources.title}: there are no classes, only positive and negative examples; leave the option out"
            )
        return names
    if options.classes:
        return names
    wanted = options.positive & set(names)
    if len(wanted) != 1 or options.positive - set(names):
        raise LrnnError(
            f"{sources.title}: there are examples of {len(names)} classes, {', '.join(map(visible, names))}; choose "
            "one with --positive CLASS, or keep all of them with --classes"
        )
    return list(wanted)


def _add_background(world: Interpretation, modes: _Modes, file: PrologFile, reader: PrologReader) -> None:
    section = "background"
    for item in file.items:
        name, arguments = name_and_arguments(item.term)
        if item.kind == "directive":
            begun = re.fullmatch(r"(begin|end)_(bg|in_pos|in_neg)", name)
            if begun:
                section = SECTIONS[begun[2]] if begun[1] == "begin" else "background"
            else:
                _directive(modes, name, arguments, item, file, reader)
        elif section != "background":
            if item.kind == "fact":
                world.queries.append(Query(fact(item.term), 1.0 if section == "pos" else 0.0))
            else:
                reader.faults.add(file.name, item.line, item.column, "an example is a ground atom; move the clause")
        elif item.kind == "clause":
            add_clause(world, item)
        else:
            world.facts.append(fact(item.term))


def _directive(
    modes: _Modes, name: str, arguments: list[Json], item: Item, file: PrologFile, reader: PrologReader
) -> None:
    if name in ("modeh", "modeb", "mode") and len(arguments) in (1, 2):
        _add_mode(modes, name, arguments[-1], item, file, reader)
    elif name == "determination" and len(arguments) == 2:
        body, arity = _indicator(arguments[1])
        if arity is None:
            reader.faults.add(file.name, item.line, item.column, "write determination(head/1, body/2)")
        else:
            modes.determined.add(Predicate(body, arity))
    elif name == "false":
        reader.notes.append((file.place(item), "integrity constraints are not used"))
    else:
        reader.notes.append((file.place(item), f"the directive {name}/{len(arguments)} is not run"))


def _indicator(term: Json) -> tuple[str, int | None]:
    name, arguments = name_and_arguments(term)
    if name == "/" and len(arguments) == 2:
        return unquoted(arguments[0]) if isinstance(arguments[0], str) else "", whole_number(
            arguments[1], MOST_ARGUMENTS
        )
    return "", None


def _add_mode(modes: _Modes, kind: str, term: Json, item: Item, file: PrologFile, reader: PrologReader) -> None:
    name, arguments = name_and_arguments(term)
    sorts = [_sort(argument) for argument in arguments]
    predicate = Predicate(name, len(arguments))
    if kind == "modeh":
        modes.heads.add(predicate)
    if any(sort is None for sort in sorts):
        text = term_text(term)
        reader.notes.append((file.place(item), f"the mode {text} is not used: arguments are +type, -type or #type"))
        return
    known = tuple(sort for sort in sorts if sort is not None)
    if modes.sorts.setdefault(predicate, known) != known:
        message = f"{predicate} has another mode with other types before; the first one is used"
        reader.notes.append((file.place(item), message))


def _sort(argument: Json) -> str | None:
    if isinstance(argument, str) or is_variable(argument) or len(argument) != 2 or not isinstance(argument[1], str):
        return None
    sign, kind = argument
    return None if sign not in ("+", "-", "#") else CONSTANT if sign == "#" else unquoted(kind)


def _add_examples(world: Interpretation, file: PrologFile, target: float | str, reader: PrologReader) -> None:
    for item in file.items:
        if item.kind == "fact":
            world.queries.append(Query(fact(item.term), target))
        elif item.kind == "directive":
            reader.notes.append((file.place(item), "directives are not run"))
        else:
            message = "an example is a ground atom; move the clause into the background"
            reader.faults.add(file.name, item.line, item.column, message)


def _one_class_each(world: Interpretation, title: str) -> None:
    seen: dict[Fact, float | str | None] = {}
    for query in world.queries:
        if seen.setdefault(query.atom, query.target) != query.target:
            raise LrnnError(
                f"{title}: {query.atom} is a positive example of {seen[query.atom]} and of {query.target}; "
                "choose one class with --positive CLASS"
            )


def _set_sorts(world: Interpretation, modes: _Modes, reader: PrologReader) -> None:
    """Sorts of the predicates with modes that are determined; all with modes where nothing is."""
    targets = {query.atom.predicate for query in world.queries}
    unused = [
        predicate
        for predicate in modes.sorts
        if modes.determined and predicate not in modes.determined | modes.heads | targets
    ]
    if unused:
        reader.notes.append(("modes", f"not determined, so not used: {', '.join(map(str, unused))}"))
    world.sorts = {predicate: sorts for predicate, sorts in modes.sorts.items() if predicate not in unused}
    call_numbers(world)

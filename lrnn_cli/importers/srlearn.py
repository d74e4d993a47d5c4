"""Data of srlearn and BoostSRL: train/train_pos.txt, train_neg.txt, train_facts.txt, test likewise, background.txt.

Folders train and test are two worlds, and so are those of each fold. Where the training part of each fold is what the
others test, the parts that are tested are the examples, and `fold(K)` keeps the folds. A single pair of train and test
is two folds: the test part is fold 1, so `--fold 1` learns from the training part and tests on the other.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from pathlib import Path

from lrnn_cli.errors import LrnnError
from lrnn_cli.importers.imported_data import CONSTANT, Fact, ImportedData, ImportedExample, Query, grouped_notes
from lrnn_cli.importers.importer import Faults, Options, Sources
from lrnn_cli.importers.interpretation import Interpretation, declared_bias, imported_interpretation
from lrnn_cli.importers.logic_text import Text, TextFault
from lrnn_cli.importers.terms import Json, fact, is_variable, name_and_arguments, unquoted
from lrnn_cli.language.clauses import Predicate, quoted
from lrnn_cli.language.writing import visible

PART = re.compile(r"(?P<part>\w+)_(?P<kind>pos|neg|facts)\.txt(\.gz)?\Z")
BACKGROUND = re.compile(r"(?P<part>\w*?)_?(background|bk)\.txt(\.gz)?\Z")
Notes = list[tuple[str, str]]


@dataclass(frozen=True)
class _Part:
    """The files of one world: a fold (the empty text where there are none), and train or test."""

    fold: str
    name: str
    world: Interpretation


class Srlearn:
    name = "srlearn"
    what = "srlearn and BoostSRL: train_pos.txt, train_neg.txt, train_facts.txt and others like these"
    options = frozenset({"examples"})

    def recognises(self, sources: Sources) -> bool:
        return any(PART.match(Path(path).name) for path in sources.files)

    def read(self, sources: Sources, options: Options) -> ImportedData:
        faults, notes = Faults(), list[tuple[str, str]]()
        parts = _parts(sources, faults, notes)
        sorts = _modes(sources, faults, notes)
        faults.check()
        if not any(part.world.queries for part in parts):
            raise LrnnError(f"{sources.title}: there is no example; write atoms into train_pos.txt and train_neg.txt")
        for part in parts:
            part.world.sorts = sorts
        if len(parts) == 1:
            return imported_interpretation(parts[0].world, options.examples, sources.title, grouped_notes(notes))
        folds = _folds(parts, sources.title, notes)
        return _several(folds, options.examples, sources.title, grouped_notes(notes))


def _parts(sources: Sources, faults: Faults, notes: Notes) -> list[_Part]:
    """The worlds of all folders, in order."""
    worlds: dict[tuple[str, str], Interpretation] = {}
    for path in sources.files:
        match = PART.match(Path(path).name)
        if match is None:
            if BACKGROUND.match(Path(path).name) is None:
                notes.append((visible(path), "not used: this is no file of srlearn's"))
            continue
        fold = Path(path).parent.parent.name if Path(path).parent.name == match["part"] else Path(path).parent.name
        world = worlds.setdefault((fold, match["part"]), Interpretation())
        name, text = sources.text(path, "atoms", may_be_empty=True)
        _add_atoms(world, match["kind"], Text(name, text), faults)
    several = len({fold for fold, _ in worlds}) > 1
    return [_Part(fold if several else "", part, world) for (fold, part), world in worlds.items()]


def _add_atoms(world: Interpretation, kind: str, text: Text, faults: Faults) -> None:
    try:
        for statement in text.statements():
            start = statement.first.start
            term = statement.atom()
            statement.expect_end()
            if kind == "facts":
                world.facts.append(_ground(term, start))
            else:
                world.queries.append(_query(term, kind, start))
    except TextFault as error:
        fault = text.fault(error)
        faults.add(text.name, fault.line, fault.column, fault.message)


def _ground(term: Json, start: int) -> Fact:
    if not isinstance(term, str) and any(map(_has_variable, term[1:])):
        raise TextFault(start, "this atom has a variable; quote names that start with a capital letter or _")
    return fact(term)


def _has_variable(term: Json) -> bool:
    return not isinstance(term, str) and (is_variable(term) or any(map(_has_variable, term[1:])))


def _query(term: Json, kind: str, start: int) -> Query:
    name, arguments = name_and_arguments(term)
    if name != "regressionExample":
        return Query(_ground(term, start), 1.0 if kind == "pos" else 0.0)
    if len(arguments) != 2 or not isinstance(arguments[1], str):
        raise TextFault(start, "write regressionExample(Atom, Number)")
    try:
        target = float(arguments[1])
    except ValueError:
        target = math.nan
    if not math.isfinite(target):
        raise TextFault(start, f"{arguments[1]} is no finite number; write regressionExample(Atom, Number)")
    return Query(_ground(arguments[0], start), target)


def _modes(sources: Sources, faults: Faults, notes: Notes) -> dict[Predicate, tuple[str, ...]]:
    """Sorts by the modes of all background files, with or without `mode:` before them."""
    sorts: dict[Predicate, tuple[str, ...]] = {}
    for path in sources.files:
        if BACKGROUND.match(Path(path).name) is None:
            continue
        name, content = sources.text(path, "modes", may_be_empty=True)
        text = Text(name, content)
        try:
            for statement in text.statements():
                place = text.place(statement.first)
                if statement.first.text in ("usePrologVariables", "useStdLogicVariables", "setParam", "bridger"):
                    notes.append((place, f"{statement.first.text} is not used: it steers BoostSRL's search"))
                    continue
                start = statement.first.start
                term = statement.atom()
                if term == "mode" and statement.skip(":"):
                    term = statement.atom()
                elif not statement.ended:
                    notes.append((place, "not used: this is no mode"))
                    continue
                _add_mode(sorts, term, start)
        except TextFault as error:
            fault = text.fault(error)
            faults.add(text.name, fault.line, fault.column, fault.message)
    return sorts


def _add_mode(sorts: dict[Predicate, tuple[str, ...]], term: Json, start: int) -> None:
    """A predicate with several modes has the sorts of the first; a constant in any of them is one."""
    name, arguments = name_and_arguments(term)
    own_sorts = []
    for argument in arguments:
        known_sign = not isinstance(argument, str) and len(argument) == 2 and argument[0] in ("+", "-", "#")
        if not known_sign or not isinstance(argument[1], str):
            raise TextFault(start, "arguments of a mode are +type, -type or #type")
        own_sorts.append(CONSTANT if argument[0] == "#" else unquoted(argument[1]))
    predicate = Predicate(name, len(own_sorts))
    known = sorts.get(predicate, tuple(own_sorts))
    sorts[predicate] = tuple(
        CONSTANT if CONSTANT in (old, new) else old for old, new in zip(known, own_sorts, strict=True)
    )


def _folds(parts: list[_Part], title: str, notes: Notes) -> list[tuple[int, str, Interpretation]]:
    """Number, name and world of each fold."""
    tested = [part for part in parts if part.name == "test"]
    trained = {part.fold: part.world for part in parts if part.name == "train"}
    if len(parts) == 2 and len(tested) == 1 and len(trained) == 1:
        notes.append((title, "the test part is fold(1), the training part fold(2): --fold 1 tests on the one as given"))
        return [(1, "test", tested[0].world), (2, "train", next(iter(trained.values())))]
    if len(tested) < 2 or len(tested) != len(trained):
        raise LrnnError(f"{title}: parts are not train and test, nor folds of these; import one folder at a time")
    for part in tested:
        others = [other.world for other in tested if other is not part]
        if _content(others) != _content([trained[part.fold]]):
            raise LrnnError(
                f"{title}: the training part of {part.fold} is not what the other folds test, so folds can't be kept "
                "in one file; import the folders of one fold"
            )
    notes.append((title, f"{len(tested)} folds are kept: what each tests is an example with its fold(K)"))
    return [(number, part.fold, part.world) for number, part in enumerate(tested, 1)]


def _content(worlds: list[Interpretation]) -> tuple[set[Fact], set[Query]]:
    return (
        {fact for world in worlds for fact in world.facts},
        {query for world in worlds for query in world.queries},
    )


def _several(folds: list[tuple[int, str, Interpretation]], examples: str, title: str, notes: list[str]) -> ImportedData:
    """All folds in one file: each one example, or cut into several where all of them fall apart."""
    read = [imported_interpretation(world, examples, title, []) for _, _, world in folds]
    cut = examples == "each" or all(len(data.examples) > 1 and not data.background for data in read)
    if not cut:
        read = [imported_interpretation(world, "one", title, []) for _, _, world in folds]
    renamed: list[ImportedExample] = []
    for (number, name, _), data in zip(folds, read, strict=True):
        for example in data.examples:
            known = f"{quoted(name)}" if not cut else f"{quoted(name)}({example.name})"
            renamed.append(replace(example, name=known, fold=number))
    if cut:
        notes.append(
            f"{len(renamed)} examples, one for each first argument of a query; --examples one keeps them in one"
        )
    union = Interpretation(
        [fact for _, _, world in folds for fact in world.facts],
        queries=[query for _, _, world in folds for query in world.queries],
        sorts=folds[0][2].sorts,
    )
    background = sorted({clause for data in read for clause in data.background})
    return ImportedData(renamed, background, declared_bias(union, notes), notes)

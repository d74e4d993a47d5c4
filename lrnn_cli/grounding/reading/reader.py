"""Reading: SWI-Prolog in worker processes, one part of a large data file in each.

A large data file is cut where lines begin a new model. A cut may be wrong, say inside a quoted atom, but then one of
the parts does not end cleanly between two models, and the whole file is read by one process instead. When all parts
end cleanly, each began where the one before it ended, so the parts are what one process would have read.

Facts leave Prolog as tables as soon as a part is read. Where parts would be very large, they are cut into pieces, and
each process reads one after another, which it forgets with the next. Should Prolog have to evaluate over facts that it
has forgotten, it reads them again, and keeps them then.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from types import TracebackType
from typing import Any

import numpy as np

from lrnn_cli.allocation import give_back_free_memory
from lrnn_cli.engine.process import DepthError, PrologProcess
from lrnn_cli.errors import Fault, about, faults_error
from lrnn_cli.grounding.facts import ExampleFacts
from lrnn_cli.grounding.grounder import GrounderOptions
from lrnn_cli.grounding.reading.rows import PartOfFile
from lrnn_cli.grounding.reading.store import PrologStore, object_names
from lrnn_cli.grounding.reading.taken import TakenFacts, joined_facts, taken_facts
from lrnn_cli.grounding.reading.templates import read_model, read_template
from lrnn_cli.language.clauses import Predicate, goal_from_json
from lrnn_cli.language.data import BackgroundClause, Bias, BodyPredicate, DataSet, Queries
from lrnn_cli.language.faults import deepest_term, located_faults
from lrnn_cli.language.files import Source
from lrnn_cli.language.lookalikes import looks_like
from lrnn_cli.language.template import Template

PART_BYTES = 1_000_000
"""Parts are no smaller than this."""
PIECE_BYTES = 16_000_000
"""Larger parts are read in pieces of about this size."""


class Reader:
    """Files to data and templates. Used as a context manager; leaving it frees everything at once.

    The facts of the data that were loaded last stay in Prolog, and are given as tables.
    started: a process that is there already.
    """

    def __init__(self, options: GrounderOptions, started: PrologProcess | None = None) -> None:
        self.options = options
        first = started or PrologProcess(options.memory_limit, options.time_limit)
        self._deadline = first.deadline
        self._processes = [first]
        self._facts: ExampleFacts | None = None

    def __enter__(self) -> Reader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._keep(0)

    def _start(self, count: int) -> None:
        while len(self._processes) < count:
            self._processes.append(PrologProcess(self.options.memory_limit, self.options.time_limit, self._deadline))

    def _keep(self, count: int) -> None:
        while len(self._processes) > count:
            self._processes.pop().close()

    def read_template(self, source: Source) -> Template:
        """Read a template or model file that is not an ensemble."""
        return read_template(source, self._processes[0])

    def read_model(self, source: Source) -> list[Template]:
        """Read the members of an ensemble, or the only one of another template or model file."""
        return read_model(source, self._processes[0])

    def load(self, source: Source) -> DataSet:
        """Read a data file and keep its facts."""
        size = len(source.text)
        processes = min(self.options.jobs, max(1, size // PART_BYTES))
        cuts = split_text(source.text, max(processes, -(-size // PIECE_BYTES)))
        pieces = _Pieces()
        self._load(source, cuts, processes, pieces)
        if len(cuts) > 2 and not _parts_fit(pieces.replies):
            self._keep(1)
            cuts, pieces = [0, size], _Pieces()
            self._load(source, cuts, 1, pieces)
        faults = located_faults(source, [fault for reply in pieces.replies for fault in reply["faults"]])
        if faults:
            alike = looks_like(source, faults)
            raise faults_error(source.name, [alike] if alike else faults)
        taken = joined_facts(pieces.facts)
        data = _data_set(source, pieces.parts, pieces.replies, taken)
        facts = [clause.text for clause in data.background if clause.is_fact]
        background = f"background([{', '.join(facts)}])" if facts else ""
        if len(cuts) - 1 <= processes:
            store = PrologStore(lambda: pieces.parts, source.name, background)
            self._facts = ExampleFacts(data, store, taken)
            return data
        # The memory of the last pieces is free at once.
        self._keep(0)
        self._start(1)
        give_back_free_memory()
        whole = partial(self._whole, source, [*cuts[: -1 : -(-(len(cuts) - 1) // processes)], size])
        store = PrologStore(whole, source.name, background)
        self._facts = ExampleFacts(data, store, taken, names=b"".join(pieces.names))
        return data

    def _load(self, source: Source, cuts: list[int], processes: int, pieces: _Pieces) -> None:
        """Read what is between cuts, so many pieces at a time, until one can't be what it should."""
        for start in range(0, len(cuts) - 1, processes):
            replies = self._read(source, cuts[start : start + processes + 1])
            parts = pieces.add(replies, self._processes)
            if any(reply["faults"] for reply in replies):
                return
            pieces.facts += map(taken_facts, parts, replies)
            if len(cuts) - 1 > processes:
                if not _parts_fit(replies):
                    return
                pieces.names.append(object_names(parts, source.name))

    def _whole(self, source: Source, cuts: list[int]) -> list[PartOfFile]:
        """Read a file again that was read in pieces, so that all of it is in Prolog."""
        pieces = _Pieces()
        return pieces.add(self._read(source, cuts), self._processes)

    def _read(self, source: Source, cuts: list[int]) -> list[dict[str, Any]]:
        self._start(len(cuts) - 1)
        with about(source.name):
            for process, start, stop in zip(self._processes, cuts, cuts[1:], strict=False):
                lines = source.text.count(b"\n", 0, start)
                process.send(f"data({lines})", source.text[start:stop])
            try:
                return [process.receive() for process in self._processes[: len(cuts) - 1]]
            except DepthError as error:
                raise faults_error(source.name, [deepest_term(source, str(error))]) from None

    def facts(self, data: DataSet, examples: Sequence[int] | None = None) -> ExampleFacts:
        """The facts of these examples (all if None) of the data that were loaded last, with any queries."""
        whole = self._facts
        assert whole and data.digest == whole.data.digest, "ask for facts of the data that were loaded last"
        return whole if data is whole.data and examples is None else whole.part(data, examples)


class _Pieces:
    """What was read so far: parts, what Prolog says of each, their facts, and names of objects that it forgets."""

    def __init__(self) -> None:
        self.parts: list[PartOfFile] = []
        self.replies: list[dict[str, Any]] = []
        self.facts: list[TakenFacts] = []
        self.names: list[bytes] = []

    def add(self, replies: list[dict[str, Any]], processes: list[PrologProcess]) -> list[PartOfFile]:
        """The parts that processes have just read, which come after those before."""
        first_example = sum(part.examples for part in self.parts)
        first_object = sum(part.objects for part in self.parts)
        added = []
        for process, reply in zip(processes, replies, strict=False):
            objects = np.array([example[3] for example in reply["examples"]], np.int32)
            part = PartOfFile(process, first_example, first_object, objects, np.array(reply["weights"], float))
            first_example += part.examples
            first_object += part.objects
            added.append(part)
        self.parts += added
        self.replies += replies
        return added


def split_text(text: bytes, parts: int) -> list[int]:
    """Offsets that cut `text` into about equal parts before lines that begin a model."""
    cuts = [0]
    pattern = re.compile(rb"^begin\(model\(", re.MULTILINE)
    for number in range(1, parts):
        match = pattern.search(text, max(cuts[-1] + 1, len(text) * number // parts))
        if match:
            cuts.append(match.start())
    return [*cuts, len(text)]


def _parts_fit(replies: list[dict[str, Any]]) -> bool:
    """Whether parts are what one process would have read: no faults, no name twice, models in each."""
    if any(reply["form"] == "single" for reply in replies):
        return False
    names = [example[0] for reply in replies for example in reply["examples"]]
    return not any(reply["faults"] for reply in replies) and len(set(names)) == len(names)


def _data_set(source: Source, parts: list[PartOfFile], replies: list[dict[str, Any]], taken: TakenFacts) -> DataSet:
    examples = []
    first_object = [0]
    queries = []
    background = []
    bias = []
    for part, reply in zip(parts, replies, strict=True):
        examples += reply["examples"]
        for example in reply["examples"]:
            first_object.append(first_object[-1] + example[3])
        for example, name, arity, places, text, target, line in reply["queries"]:
            number = part.first_example + example - 1
            arguments = [first_object[number] + place - 1 for place in places]
            queries.append((number, Predicate(name, arity), arguments, text, target, line))
        background += [_background_clause(item) for item in reply["background"]]
        bias += [
            Bias(Predicate(name, len(sorts)), tuple(sorts), line, column) for line, column, name, sorts in reply["bias"]
        ]
    if not examples:
        message = "there is no example in these data; write begin(model(name)). facts end(model(name))."
        raise faults_error(source.name, [Fault(1, 1, message)])
    return DataSet(
        name=source.name,
        digest=source.digest,
        example_name=tuple(example[0] for example in examples),
        example_line=np.array([example[1] for example in examples], np.int32),
        example_fold=np.array([example[2] for example in examples], np.int32),
        example_facts=np.array([example[4] for example in examples], np.int32),
        first_object=np.array(first_object, np.int32),
        queries=_queries(source.name, queries),
        predicates={predicate: len(table) for predicate, table in taken.tables.items()},
        soft=frozenset(taken.soft),
        background=tuple(background),
        bias=tuple(bias),
    )


def _queries(name: str, items: list[tuple[int, Predicate, list[int], str, float | str | None, int]]) -> Queries:
    predicates = tuple(dict.fromkeys(item[1] for item in items))
    number = {predicate: index for index, predicate in enumerate(predicates)}
    arity = max((predicate.arity for predicate in predicates), default=0)
    place = _class_places(name, [(item[4], item[5]) for item in items])
    argument = np.full((len(items), arity), -1, np.int32)
    for row, item in enumerate(items):
        argument[row, : len(item[2])] = item[2]
    return Queries(
        np.array([item[0] for item in items], np.int32),
        predicates,
        np.array([number[item[1]] for item in items], np.int32),
        argument,
        tuple(item[3] for item in items),
        np.array([_target(item[4], place) for item in items], float),
        np.array([item[5] for item in items], np.int32),
        classes=tuple(place),
    )


def _target(target: float | str | None, place: dict[str, int]) -> float:
    """A target as a number: that of a class is its place."""
    if target is None:
        return np.nan
    return place[target] if isinstance(target, str) else target


def _class_places(name: str, items: Sequence[tuple[float | str | None, int]]) -> dict[str, int]:
    """The places of the words among targets, in alphabetical order; each target comes with its line."""
    words = {target: line for target, line in reversed(items) if isinstance(target, str)}
    number = next(((target, line) for target, line in items if isinstance(target, float | int)), None)
    if words and number is not None:
        word, line = min(words.items(), key=lambda item: item[1])
        message = (
            f"some targets are words, such as {word}, and others numbers, such as {number[0]:g} in line {number[1]}; "
            "give all queries classes, or all numbers"
        )
        raise faults_error(name, [Fault(line, 1, message)])
    return {word: place for place, word in enumerate(sorted(words))}


def _background_clause(item: dict[str, Any]) -> BackgroundClause:
    body = tuple(
        BodyPredicate(Predicate(name, arity), negated, system) for name, arity, negated, system in item["body"]
    )
    goals = None if item["goals"] is None else tuple(map(goal_from_json, item["goals"]))
    return BackgroundClause(
        Predicate(*item["head"]), body, item["text"], item["fact"], item["line"], item["column"], goals
    )

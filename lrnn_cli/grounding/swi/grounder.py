"""The default grounder: SWI-Prolog in worker processes, one part of the examples in each.

A large data file is cut where lines begin a new model. A cut may be wrong, say inside a quoted atom, but then one of
the parts does not end cleanly between two models, and the whole file is read by one process instead. When all parts
end cleanly, each began where the one before it ended, so the parts are what one process would have read.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import Any

import numpy as np

from lrnn_cli.engine.process import DepthError, PrologError, PrologProcess
from lrnn_cli.errors import Fault, GroundingError, LimitError, faults_error
from lrnn_cli.grounding.checks import check_program
from lrnn_cli.grounding.grounder import GrounderOptions, Knowledge
from lrnn_cli.grounding.groundings import Groundings, Names
from lrnn_cli.grounding.program import Extension, Facts, Program, background_extensions, plan_program
from lrnn_cli.grounding.swi.rows import MadeObjects, Part, identifier, rank, read_rows
from lrnn_cli.grounding.tables import SoftFacts, Table, distinct, most_rows, ordered, too_many
from lrnn_cli.language.clauses import Predicate, quoted
from lrnn_cli.language.data import BackgroundClause, Bias, BodyPredicate, DataSet, Queries
from lrnn_cli.language.faults import deepest_term, located_faults
from lrnn_cli.language.files import Source
from lrnn_cli.language.lookalikes import looks_like
from lrnn_cli.language.template import Template, read_model, read_template

PART_BYTES = 1_000_000


class SwiGrounder:
    """Drives SWI-Prolog; see `Grounder` for the interface."""

    def __init__(self, options: GrounderOptions) -> None:
        self.options = options
        self._deadline = None if options.time_limit is None else time.monotonic() + options.time_limit
        self._processes: list[PrologProcess] = []
        self._parts: list[Part] = []
        self._data: DataSet | None = None
        self._asked: Queries | None = None
        self._start(1)

    def __enter__(self) -> SwiGrounder:
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
        return read_template(source, self._processes[0])

    def read_model(self, source: Source) -> list[Template]:
        return read_model(source, self._processes[0])

    # Loading

    def load(self, source: Source) -> DataSet:
        cuts = split_text(source.text, min(self.options.jobs, max(1, len(source.text) // PART_BYTES)))
        replies = self._read(source, cuts)
        if len(cuts) > 2 and not _parts_fit(replies):
            self._keep(1)
            cuts = [0, len(source.text)]
            replies = self._read(source, cuts)
        faults = located_faults(source, [fault for reply in replies for fault in reply["faults"]])
        if faults:
            alike = looks_like(source, faults)
            raise faults_error(source.name, [alike] if alike else faults)
        self._parts = []
        first_example = first_object = 0
        for process, reply in zip(self._processes, replies, strict=False):
            objects = rank(reply["objects"])
            weights = np.array(reply["weights"], float)
            self._parts.append(Part(process, first_example, len(reply["examples"]), first_object, objects, weights))
            first_example += len(reply["examples"])
            first_object += objects
        self._data = self._data_set(source, replies)
        self._asked = self._data.queries
        facts = [clause.text for clause in self._data.background if clause.is_fact]
        if facts:
            self._broadcast(f"background([{', '.join(facts)}])")
        return self._data

    def _read(self, source: Source, cuts: list[int]) -> list[dict[str, Any]]:
        self._start(len(cuts) - 1)
        for process, start, stop in zip(self._processes, cuts, cuts[1:], strict=False):
            lines = source.text.count(b"\n", 0, start)
            process.send(f"data({lines})", source.text[start:stop])
        try:
            return [process.receive() for process in self._processes[: len(cuts) - 1]]
        except DepthError as error:
            raise faults_error(source.name, [deepest_term(source, str(error))]) from None

    def _data_set(self, source: Source, replies: list[dict[str, Any]]) -> DataSet:
        examples = []
        queries = []
        predicates: dict[Predicate, int] = {}
        soft = set()
        background = []
        bias = []
        for part, reply in zip(self._parts, replies, strict=True):
            for _, text, line, fold, first, _, facts in reply["examples"]:
                examples.append((text, line, fold, part.first_object + rank(first), facts))
            for example, name, arity, objects, text, target, line in reply["queries"]:
                arguments = [part.first_object + rank(identifier) for identifier in objects]
                place = part.first_example + example - 1
                queries.append((place, Predicate(name, arity), arguments, text, target, line))
            for item in reply["predicates"]:
                predicate = Predicate(item["name"], item["arity"])
                predicates[predicate] = predicates.get(predicate, 0) + item["facts"]
                if item["soft"]:
                    soft.add(predicate)
            background += [_background_clause(item) for item in reply["background"]]
            bias += [
                Bias(Predicate(name, len(sorts)), tuple(sorts), line, column)
                for line, column, name, sorts in reply["bias"]
            ]
        if not examples:
            message = "there is no example in these data; write begin(model(name)). facts end(model(name))."
            raise faults_error(source.name, [Fault(1, 1, message)])
        objects = sum(part.objects for part in self._parts)
        return DataSet(
            name=source.name,
            digest=source.digest,
            example_name=tuple(example[0] for example in examples),
            example_line=np.array([example[1] for example in examples], np.int32),
            example_fold=np.array([example[2] for example in examples], np.int32),
            example_facts=np.array([example[4] for example in examples], np.int32),
            first_object=np.array([example[3] for example in examples] + [objects], np.int32),
            queries=_queries(queries),
            predicates=predicates,
            soft=frozenset(soft),
            background=tuple(background),
            bias=tuple(bias),
        )

    def _broadcast(self, request: str) -> None:
        for part in self._parts:
            part.process.send(request)
        for part in self._parts:
            part.process.receive()

    # Grounding

    def ground(
        self, template: Template, data: DataSet, examples: Sequence[int] | None = None, names: bool = False
    ) -> Groundings:
        self._ask(data)
        for warning in check_program(template, data):
            self.options.warn(warning)
        program = plan_program(template, Facts.of(data), data.background)
        self._activate(examples)
        for extension in program.extensions:
            where = (data.name if extension.level == "crisp" else template.name, extension.line, extension.column)
            self._run(_extend(extension), *where)
        made = MadeObjects(self._parts)
        tables = []
        for number, (skeleton, index) in enumerate(zip(program.tables, program.table_rule, strict=True)):
            rule = template.rules[index]
            request = (
                f"table({skeleton.body_text}, {skeleton.column_text}, {skeleton.queried_text}, "
                f"{skeleton.identity_text})"
            )
            most = most_rows(self.options.table_memory, skeleton.columns)
            if most:
                request = f"limited({max(1, most // len(self._parts))}, {request})"
            self._run(request, template.name, rule.line, rule.column)
            table = self._table(skeleton.columns, made)
            self.options.report(f"grounding: table {number + 1} of {len(program.tables)}, {len(table)} rows")
            tables.append(table)
        facts = {}
        for predicate in program.mixed:
            clause = next((clause for clause in data.background if clause.head == predicate), None)
            where = (data.name, clause.line, clause.column) if clause else (data.name, 1, 1)
            self._run(f"facts({_indicator(predicate)})", *where)
            facts[predicate] = distinct(self._table(predicate.arity, made))
        soft = {predicate: self._soft_facts(predicate, made) for predicate in program.soft}
        queries = data.queries
        if examples is not None:
            queries = queries.select(np.isin(queries.example, np.asarray(examples)).nonzero()[0])
        # Recursion may end in a cycle, which is shown by names.
        blob = self._object_names() if names or program.recursive else b""
        return self._finished(program, tables, facts, soft, queries, data, made, blob)

    def relations(
        self, data: DataSet, examples: Sequence[int] | None = None
    ) -> tuple[dict[Predicate, Table], dict[Predicate, SoftFacts]]:
        self._activate(examples)
        made = MadeObjects(self._parts)
        tables = {}
        for predicate in sorted(data.predicates):
            self._broadcast(f"data_facts({_indicator(predicate)})")
            tables[predicate] = self._table(predicate.arity, made)
        return tables, {predicate: self._soft_facts(predicate, made) for predicate in sorted(data.soft)}

    def names(self, data: DataSet) -> list[str]:
        return Names(data.first_object, self._object_names(), ()).all()

    def knowledge(self, data: DataSet, examples: Sequence[int] | None = None) -> Knowledge:
        tables, soft = self.relations(data, examples)
        made = MadeObjects(self._parts)
        derived = {}
        for predicate in sorted(data.background_predicates):
            try:
                for extension in background_extensions(Facts.of(data), data.background, {predicate}):
                    self._run(_extend(extension), data.name, extension.line, extension.column)
                self._run(f"facts({_indicator(predicate)})", data.name, 1, 1)
                derived[predicate] = distinct(self._table(predicate.arity, made))
            except GroundingError:
                self.options.warn(
                    f"{data.name}: {predicate} can be evaluated with bound arguments only; learned rules won't use it"
                )
        names, final = made.finish(list(derived.values()))
        if names:
            derived = {predicate: final(table) for predicate, table in derived.items()}
        every = Names(data.first_object, self._object_names(), tuple(names))
        # A background clause of a predicate that has facts as well gives both.
        tables |= {predicate: ordered(table) for predicate, table in derived.items()}
        return Knowledge(tables, soft, int(data.first_object[-1]) + len(names), every.all)

    def _ask(self, data: DataSet) -> None:
        """Let Prolog know the queries of the data that were loaded last, where others are asked now."""
        assert self._data is not None and data.digest == self._data.digest, "ground the data that were loaded last"
        queries = data.queries
        if queries is self._asked:
            return
        for part in self._parts:
            inside = (queries.example >= part.first_example) & (queries.example < part.first_example + part.examples)
            part.process.send(f"queries([{', '.join(_asked(queries.select(inside.nonzero()[0]), part))}])")
        for part in self._parts:
            part.process.receive()
        self._asked = queries

    def _activate(self, examples: Sequence[int] | None) -> None:
        for part in self._parts:
            if examples is None:
                chosen = "all"
            else:
                inside = (e - part.first_example + 1 for e in examples)
                chosen = "[" + ", ".join(str(e) for e in inside if 1 <= e <= part.examples) + "]"
            part.process.send(f"active({chosen})")
        for part in self._parts:
            part.process.receive()

    def _run(self, request: str, name: str, line: int, column: int) -> None:
        try:
            self._broadcast(request)
        except PrologError as error:
            if error.kind == "rows":
                raise LimitError(f"{name}:{line}:{column}: {too_many(int(error.text))}") from None
            if error.kind != "guard":
                raise
            fault = Fault(line, column, f"a guard can't be evaluated: {error.text}")
            raise faults_error(name, [fault], GroundingError) from None
        except LimitError as error:
            raise LimitError(f"{name}:{line}:{column}: {error}") from None

    def _table(self, columns: int, made: MadeObjects) -> Table:
        """Read the rows that all parts wrote last."""
        examples = []
        objects = []
        for number, part in enumerate(self._parts):
            example, rows = read_rows(part, columns, partial(made.numbered, number))
            examples.append(example + np.int32(part.first_example))
            objects.append(rows)
        return Table(np.concatenate(examples), np.concatenate(objects))

    def _soft_facts(self, predicate: Predicate, made: MadeObjects) -> SoftFacts:
        self._broadcast(f"soft({_indicator(predicate)})")
        arity = predicate.arity
        examples = []
        objects = []
        weights = []
        for number, part in enumerate(self._parts):
            example, rows = read_rows(part, arity + 1, lambda codes: codes)
            examples.append(example + np.int32(part.first_example))
            objects.append(made.numbered(number, rows[:, :arity]))
            weights.append(part.weights[rows[:, arity] - 1] if len(rows) else np.empty(0))
        return SoftFacts(Table(np.concatenate(examples), np.concatenate(objects)), np.concatenate(weights))

    def _finished(
        self,
        program: Program,
        tables: list[Table],
        facts: dict[Predicate, Table],
        soft: dict[Predicate, SoftFacts],
        queries: Queries,
        data: DataSet,
        made: MadeObjects,
        blob: bytes,
    ) -> Groundings:
        """Give objects that evaluation made numbers that do not depend on how the examples were divided."""
        every = [*tables, *facts.values(), *(item.atoms for item in soft.values())]
        names, final = made.finish(every)
        if names:
            tables = [final(table) for table in tables]
            facts = {predicate: final(table) for predicate, table in facts.items()}
            soft = {predicate: replace(item, atoms=final(item.atoms)) for predicate, item in soft.items()}
        if any(extension.level == "crisp" for extension in program.extensions):
            # Answers of tabled predicates come in an order that depends on how the examples were divided.
            tables = [ordered(table) for table in tables]
            facts = {predicate: ordered(table) for predicate, table in facts.items()}
        count = int(data.first_object[-1])
        return Groundings(
            program,
            tuple(tables),
            facts,
            soft,
            queries,
            data.example_name,
            count + len(names),
            data.name,
            data.digest,
            Names(data.first_object, blob, tuple(names)),
        )

    def _object_names(self) -> bytes:
        self._broadcast("object_names")
        return b"".join(part.process.rows() for part in self._parts)


def _extend(extension: Extension) -> str:
    predicates = ", ".join(map(_indicator, extension.predicates))
    return f"extend({extension.level}, [{predicates}], [{', '.join(extension.clauses)}])"


def _indicator(predicate: Predicate) -> str:
    return f"({quoted(predicate.name)})/{predicate.arity}"


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
    names = [example[1] for reply in replies for example in reply["examples"]]
    return not any(reply["faults"] for reply in replies) and len(set(names)) == len(names)


def _queries(items: list[tuple[int, Predicate, list[int], str, float | None, int]]) -> Queries:
    predicates = tuple(dict.fromkeys(item[1] for item in items))
    number = {predicate: index for index, predicate in enumerate(predicates)}
    arity = max((predicate.arity for predicate in predicates), default=0)
    argument = np.full((len(items), arity), -1, np.int32)
    for row, item in enumerate(items):
        argument[row, : len(item[2])] = item[2]
    return Queries(
        np.array([item[0] for item in items], np.int32),
        predicates,
        np.array([number[item[1]] for item in items], np.int32),
        argument,
        tuple(item[3] for item in items),
        np.array([np.nan if item[4] is None else item[4] for item in items], float),
        np.array([item[5] for item in items], np.int32),
    )


def _asked(queries: Queries, part: Part) -> Iterator[str]:
    """Queries of one part, by predicate: rows of the example and the objects, as its process numbers them."""
    for number, predicate in enumerate(queries.predicate):
        rows = (queries.predicate_index == number).nonzero()[0]
        example = queries.example[rows, None] - part.first_example + 1
        objects = identifier(queries.argument[rows, : predicate.arity] - part.first_object)
        yield f"{_indicator(predicate)}-{np.hstack([example, objects]).tolist()}"


def _background_clause(item: dict[str, Any]) -> BackgroundClause:
    body = tuple(
        BodyPredicate(Predicate(name, arity), negated, system) for name, arity, negated, system in item["body"]
    )
    return BackgroundClause(Predicate(*item["head"]), body, item["text"], item["fact"], item["line"], item["column"])

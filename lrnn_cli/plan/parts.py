"""Grounding a data file part by part, by processes here or by workers of a cluster: for data larger than memory.

Each part is read twice. First for what one has to know of all parts: predicates, background knowledge, examples and
queries. With that it is grounded and collapsed: what is distinct in a part comes back, and no table of groundings.
What comes together does not depend on how the file was cut. A cut that was none between two models, such as one in a
comment, shows when parts are read; then the file is one part.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol, TypeVar

import numpy as np

from lrnn_cli.api.data import Data, tell_unlabelled
from lrnn_cli.api.sessions import DATA, Session
from lrnn_cli.api.training import planned
from lrnn_cli.errors import LrnnError, ReadError
from lrnn_cli.evaluation.parts import FoldOptions
from lrnn_cli.grounding.collapsed import Collapsed
from lrnn_cli.grounding.groundings import Groundings
from lrnn_cli.grounding.options import SessionOptions
from lrnn_cli.grounding.program import Program
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.data import BackgroundClause, DataSet, Queries, joined_data
from lrnn_cli.language.file_parts import FilePart, FileParts
from lrnn_cli.language.template import Template
from lrnn_cli.network.collapse import collapse, joined_parts
from lrnn_cli.structure.side_by_side import AT_ONCE, side_by_side

LOG = logging.getLogger("lrnn")
"""What tasks say while they run."""
SINGLE = ("example",)
"""The names of the examples of a file without blocks."""
Item = TypeVar("Item")
Result = TypeVar("Result")


class Each(Protocol):
    """Runs a task somewhere for item(0), item(1), ..., and gives its results in their order."""

    def __call__(self, task: Callable[[Item], Result], item: Callable[[int], Item], count: int) -> Iterator[Result]: ...


@dataclass(frozen=True)
class Here:
    """Processes of this machine side by side."""

    jobs: int

    @property
    def processes(self) -> int:
        return min(self.jobs, AT_ONCE)

    def __call__(self, task: Callable[[Item], Result], item: Callable[[int], Item], count: int) -> Iterator[Result]:
        return side_by_side(lambda number: task(item(number)), count, self.jobs)


@dataclass(frozen=True)
class ReadPart:
    """Reads a part of a data file; None for one that can't be read: the whole will tell why."""

    options: SessionOptions
    last: bool = False
    """The part is the whole: its faults are those of the file."""

    def __call__(self, part: FilePart) -> DataSet | None:
        with Session(self.options, report=LOG.info) as session:
            try:
                LOG.info("reading %s from line %d", part.name, part.lines + 1)
                return session.grounder().load(part.source(DATA))
            except ReadError:
                if self.last:
                    raise
                return None


@dataclass(frozen=True)
class AskedPart:
    """A part of a data file, its queries, and which of its examples (all if None) count, by its own numbers."""

    part: FilePart
    queries: Queries
    examples: tuple[int, ...] | None


@dataclass(frozen=True)
class GroundPart:
    """Grounds a part of data and collapses it.

    predicates, soft, background: of all parts, see `DataSet`.
    """

    options: SessionOptions
    program: Program
    predicates: dict[Predicate, int]
    soft: frozenset[Predicate]
    background: tuple[BackgroundClause, ...]

    def __call__(self, asked: AskedPart) -> Collapsed:
        with Session(self.options, report=LOG.info) as session:
            LOG.info("reading %s from line %d", asked.part.name, asked.part.lines + 1)
            grounder = session.grounder()
            data = grounder.load(asked.part.source(DATA))
            grounder.tell_background(data, self.background)
            data = replace(data, predicates=self.predicates, soft=self.soft, background=self.background)
            data = replace(data, queries=asked.queries)
            LOG.info("grounding %d examples", len(data.example_name if asked.examples is None else asked.examples))
            groundings = grounder.ground_program(self.program, data, asked.examples)
        LOG.info("collapsing %d groundings", sum(map(len, groundings.tables)))
        # Those of queries without targets are in the tables, as in a file of all groundings, and training leaves them.
        collapsed = collapse(groundings.asking(groundings.queries.labelled.nonzero()[0])).collapsed
        assert collapsed is not None
        return collapsed


@dataclass(frozen=True)
class PartsGrounder:
    """Grounds templates over a file in parts.

    session: reads templates and takes no data; options: what each task may take; each: who does the tasks; send: the
    text of parts goes to them, otherwise they read the file.
    """

    session: Session
    options: SessionOptions
    each: Each
    send: bool = False

    def ground(self, template: Template, file: FileParts, folds: FoldOptions) -> Groundings:
        """Collapsed groundings of those queries with targets that are learned from in a fold."""
        file, parts, content = self._read(file)
        data = _of_fold(Data(self.session, 0, content), folds)
        program, content = planned(template, data)
        queries = content.queries.of_examples(data.examples)
        tell_unlabelled(data.name, queries, self.session.note)
        asked = list(_asked_parts(parts, content, data.examples))
        task = GroundPart(self.options, program, content.predicates, content.soft, content.background)

        def item(place: int) -> AskedPart:
            number, own, examples = asked[place]
            return AskedPart(self._part(file, number), own, examples)

        queries = queries.select(queries.labelled.nonzero()[0])
        whole = Groundings(program, (), {}, {}, queries, content.example_name, 0, content.name, content.digest)
        return _together(whole, self._results(task, item, len(asked), "grounded"))

    def _read(self, file: FileParts) -> tuple[FileParts, list[DataSet], DataSet]:
        """What is in the parts of a file, and in all of it; where it can't be cut so it is one part."""
        if len(file.parts) > 1:
            parts = list(self._results(ReadPart(self.options), partial(self._part, file), len(file.parts), "read"))
            read = [part for part in parts if part is not None and part.example_name != SINGLE]
            content = joined_data(file.name, file.digest, read) if len(read) == len(parts) else None
            if content is not None:
                return file, read, content
            file = file.whole()
        (only,) = self._results(ReadPart(self.options, last=True), partial(self._part, file), 1, "read")
        assert only is not None
        return file, [only], replace(only, digest=file.digest)

    def _part(self, file: FileParts, number: int) -> FilePart:
        return file.parts[number].sent() if self.send else file.parts[number]

    def _results(
        self, task: Callable[[Item], Result], item: Callable[[int], Item], count: int, done: str
    ) -> Iterator[Result]:
        for number, result in enumerate(self.each(task, item, count), 1):
            self.session.report(f"{number} of {count} parts {done}")
            yield result


def _of_fold(data: Data, folds: FoldOptions) -> Data:
    """The examples to learn from in a fold."""
    drawn = folds.fold is not None and not data.content.example_fold.any() and len(data) > 1
    if drawn and folds.group_duplicates:
        raise LrnnError(
            f"{data.name}: folds that keep duplicates together are drawn from all facts at once, and here parts are "
            "grounded one by one; write fold(K) into the examples, or choose --no-group-duplicates"
        )
    return data.of_fold(folds, testing=False)


def _asked_parts(
    parts: Sequence[DataSet], data: DataSet, examples: Sequence[int] | None
) -> Iterator[tuple[int, Queries, tuple[int, ...] | None]]:
    """The numbers of parts with examples that count, and queries and examples of each by its own numbers."""
    chosen = np.zeros(len(data.example_name), bool)
    chosen[slice(None) if examples is None else list(examples)] = True
    first_example = first_object = 0
    for number, part in enumerate(parts):
        last = first_example + len(part.example_name)
        own = chosen[first_example:last]
        inside = ((data.queries.example >= first_example) & (data.queries.example < last)).nonzero()[0]
        queries = data.queries.select(inside)
        argument = np.where(queries.argument < 0, queries.argument, queries.argument - first_object)
        queries = replace(
            queries, example=queries.example - np.int32(first_example), argument=argument.astype(np.int32)
        )
        if own.any():
            yield number, queries, None if own.all() else tuple(own.nonzero()[0].tolist())
        first_example, first_object = last, first_object + int(part.first_object[-1])


def _together(whole: Groundings, parts: Iterator[Collapsed]) -> Groundings:
    """Parts as one; what is distinct in them is put together whenever there is twice as much."""

    def joined(collapsed: Sequence[Collapsed]) -> Groundings:
        return joined_parts(whole.asking(np.arange(sum(len(part.query_atom) for part in collapsed))), collapsed)

    kept: list[Collapsed] = []
    for part in parts:
        kept.append(part)
        if sum(other.size for other in kept[1:]) > kept[0].size:
            together = joined(kept).collapsed
            assert together is not None
            kept = [together]
    return joined(kept)

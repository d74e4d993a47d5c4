"""A session: files in, data and models out. Facts stay in its SWI-Prolog."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from importlib import import_module
from os import fspath
from types import TracebackType
from typing import TYPE_CHECKING, Any

from lrnn_cli.api.data import Data
from lrnn_cli.api.settings import Path, chosen_options, silent
from lrnn_cli.engine.process import PrologProcess
from lrnn_cli.errors import LrnnError
from lrnn_cli.grounding.options import SessionOptions
from lrnn_cli.language.files import Source, checked_source, read_source
from lrnn_cli.limits import MB, default_limit, room
from lrnn_cli.stages import stage

if TYPE_CHECKING:
    from lrnn_cli.grounding.session import GroundingSession
    from lrnn_cli.language.data import DataSet
    from lrnn_cli.language.facts import Example
    from lrnn_cli.language.template import Template
    from lrnn_cli.network.model import Model

DATA = "data in Prolog facts"
TEMPLATE = "a template or model of weighted rules"


class Session:
    """Reads files and grounds templates, with SWI-Prolog or another grounder; leaving it frees all facts.

    report: called with what is going on; note: with what is worth keeping; warn: with what is probably not meant.
    """

    def __init__(
        self,
        options: SessionOptions | None = None,
        *,
        report: Callable[[str], None] = silent,
        note: Callable[[str], None] = silent,
        warn: Callable[[str], None] = silent,
        **settings: Any,
    ) -> None:
        self.options = chosen_options(SessionOptions, options, settings)
        self.report = report
        self.note = note
        self.warn = warn
        limit = self.options.memory_limit
        self.memory = room(default_limit() if limit is None else limit)
        """Bytes for data and tables, 0 for no limit."""
        self._closing = ExitStack()
        self._grounders: list[GroundingSession] = []
        self._loaded = 0
        self._open()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._grounders.clear()
        self._closing.close()

    def _open(self) -> None:
        jobs, seconds = self.options.jobs, self.options.time_limit
        # Prolog takes this for its stacks and once more for what clauses derive; this process holds the tables.
        stacks = self.memory // 4 // jobs // MB
        with ExitStack() as starting:
            prolog = starting.enter_context(PrologProcess(stacks, seconds))
            # What nearly all work needs is imported while SWI-Prolog starts.
            from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder

            import_module("lrnn_cli.network.network")
            options = GrounderOptions(jobs, stacks, seconds, self.report, self.warn, self.memory // 2)
            grounder = open_grounder(self.options.grounder, options, prolog)
            self._grounders.append(self._closing.enter_context(grounder))
            starting.pop_all()

    def grounder(self, number: int = 0) -> GroundingSession:
        """The grounder of the data that were read as this one, from 0."""
        if not self._grounders:
            raise LrnnError("the session is closed; use data while it is open, or take them with in_memory() before")
        return self._grounders[number]

    def read(self, path: Path, split_by: str | None = None) -> Data:
        """The examples of a data file; - is standard input.

        split_by: NAME/ARITY of a predicate, or `query`, whose first arguments the only example is cut by.
        """
        return self._load(read_source(fspath(path), DATA), split_by)

    def read_text(self, text: str, name: str = "<text>", split_by: str | None = None) -> Data:
        """The examples in the text of a data file."""
        return self._load(checked_source(name, text.encode(), DATA), split_by)

    def read_examples(self, examples: Sequence[Example], background: str = "") -> Data:
        """Examples made in Python; `background`: facts and clauses that hold in all of them."""
        from lrnn_cli.language.facts import examples_source

        data = self._load(examples_source(examples, background))
        if len(data) != len(examples):
            raise LrnnError(f"{data.name}: {len(examples)} examples hold {len(data)}; leave begin and end out of facts")
        return data

    def _load(self, source: Source, split_by: str | None = None) -> Data:
        """A grounder holds one data set: the second has one of its own."""
        self.grounder()
        self.report(f"reading {source.name}")
        with stage("reading data"):
            if self._loaded == len(self._grounders):
                self._open()
            self._loaded += 1
            grounder = self._grounders[self._loaded - 1]
            content = grounder.load(source)
        if split_by is not None:
            with stage("splitting data"):
                content = grounder.load(self._split(grounder, content, split_by))
        return Data(self, self._loaded - 1, content)

    def _split(self, grounder: GroundingSession, content: DataSet, by: str) -> Source:
        """Data of one example as those of several."""
        from lrnn_cli.evaluation.splitting import split_examples

        split = split_examples(content, *grounder.relations(content), grounder.names(content), by)
        self.note(f"{split.examples:,} examples, split by {by}")
        if split.left_out:
            self.warn(f"{split.left_out:,} facts are about objects of no example and are left out")
        return split.source

    def read_template(self, path: Path) -> Template:
        """A template or model file that is not an ensemble."""
        return self.grounder().read_template(read_source(fspath(path), TEMPLATE))

    def template_of_text(self, text: str, name: str = "<template>") -> Template:
        """The template in the text of a file."""
        return self.grounder().read_template(checked_source(name, text.encode(), TEMPLATE))

    def read_model(self, path: Path) -> Model:
        """A model file."""
        return self._model(read_source(fspath(path), TEMPLATE))

    def model_of_text(self, text: str | bytes, name: str = "<model>") -> Model:
        """The model in the text of a model file."""
        return self._model(checked_source(name, text.encode() if isinstance(text, str) else text, TEMPLATE))

    def _model(self, source: Source) -> Model:
        members = self.grounder().read_model(source)
        from lrnn_cli.network.model import Model

        return Model(tuple(members))

"""Reading and grounding together: from files to groundings and to all that is true in the examples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType

from lrnn_cli.engine.process import PrologProcess
from lrnn_cli.grounding.checks import check_program
from lrnn_cli.grounding.grounder import Grounder, GrounderOptions, GroundTables, Knowledge
from lrnn_cli.grounding.groundings import Groundings, Names
from lrnn_cli.grounding.program import Facts, Program, plan_program
from lrnn_cli.grounding.reading.reader import Reader
from lrnn_cli.grounding.tables import SoftFacts, Table, ordered
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.data import BackgroundClause, DataSet
from lrnn_cli.language.files import Source
from lrnn_cli.language.targets import data_for
from lrnn_cli.language.template import Template


class GroundingSession:
    """A reader, and a grounder over what it has read. Used as a context manager; leaving it frees all of it.

    started: a process for the reader that is there already.
    """

    def __init__(self, grounder: Grounder, options: GrounderOptions, started: PrologProcess | None = None) -> None:
        self.options = options
        self._grounder = grounder
        self._reader = Reader(options, started)

    def __enter__(self) -> GroundingSession:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._reader.__exit__(kind, value, traceback)

    def read_template(self, source: Source) -> Template:
        """Read a template or model file that is not an ensemble."""
        return self._reader.read_template(source)

    def read_model(self, source: Source) -> list[Template]:
        """Read the members of an ensemble, or the only one of another template or model file."""
        return self._reader.read_model(source)

    def load(self, source: Source) -> DataSet:
        """Read a data file and keep its facts."""
        return self._reader.load(source)

    def ground(
        self,
        template: Template,
        data: DataSet,
        examples: Sequence[int] | None = None,
        names: bool = False,
        warn: Callable[[str], None] | None = None,
    ) -> Groundings:
        """All active groundings of the template in these examples (all if None) that queries can see.

        With `names` they carry the names of objects, to be kept or shown. warn: in place of that of the options.
        """
        return self.ground_program(*self.plan(template, data, warn), examples, names)

    def plan(
        self, template: Template, data: DataSet, warn: Callable[[str], None] | None = None
    ) -> tuple[Program, DataSet]:
        """What has to be grounded, and the data with the queries that the template answers."""
        data = data_for(template, data)
        for warning in check_program(template, data):
            (warn or self.options.warn)(warning)
        return plan_program(template, Facts.of(data), data.background), data

    def tell_background(self, data: DataSet, others: Sequence[BackgroundClause]) -> None:
        """Facts that are true in every example, and stand elsewhere than in the data that were loaded last."""
        known = {clause.text for clause in data.background}
        facts = [clause.text for clause in others if clause.is_fact and clause.text not in known]
        if facts:
            self._reader.facts(data).store.broadcast(f"background([{', '.join(facts)}])")

    def ground_program(
        self, program: Program, data: DataSet, examples: Sequence[int] | None = None, names: bool = False
    ) -> Groundings:
        """As `ground`, what has been planned."""
        facts = self._reader.facts(data, examples)
        grounded = self._grounder.ground(program, facts)
        # Recursion may end in a cycle, which is shown by names.
        blob = facts.names_text() if names or program.recursive else b""
        return Groundings(
            program,
            grounded.tables,
            grounded.atoms,
            facts.soft(program.soft),
            facts.queries,
            data.example_name,
            facts.objects + len(grounded.made),
            data.name,
            data.digest,
            Names(data.first_object, blob, grounded.made),
        )

    def relations(
        self, data: DataSet, examples: Sequence[int] | None = None
    ) -> tuple[dict[Predicate, Table], dict[Predicate, SoftFacts]]:
        """The facts of these examples (all if None): all atoms, and the weighted ones."""
        facts = self._reader.facts(data, examples)
        return facts.tables(sorted(data.predicates)), facts.soft(sorted(data.soft))

    def names(self, data: DataSet) -> Sequence[str]:
        """The names of all objects of the data, in their order, as Prolog writes them."""
        return self._reader.facts(data).names()

    def knowledge(self, data: DataSet, examples: Sequence[int] | None = None) -> Knowledge:
        """The facts of these examples (all if None), and the atoms that background clauses derive in them."""
        facts = self._reader.facts(data, examples)
        tables, soft = self.relations(data, examples)
        derived = sorted(data.background_predicates)
        grounded = self._grounder.atoms(derived, facts) if derived else GroundTables((), {})
        names = Names(data.first_object, facts.names_text(), grounded.made)
        # A background clause of a predicate that has facts as well gives both.
        tables |= {predicate: ordered(table) for predicate, table in grounded.atoms.items()}
        unlisted = frozenset(data.background_predicates - grounded.atoms.keys())
        return Knowledge(tables, soft, facts.objects + len(grounded.made), names.all, unlisted)

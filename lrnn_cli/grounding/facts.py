"""The facts of a data set, or of some of its examples, as tables: what a grounder works on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from lrnn_cli.grounding.groundings import Names
from lrnn_cli.grounding.reading.store import PrologStore
from lrnn_cli.grounding.reading.taken import TakenFacts
from lrnn_cli.grounding.tables import SoftFacts, Table, nothing, part, soft_part
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.data import DataSet, Queries


class ExampleFacts:
    """What stands in some examples (all if None) of data that were read.

    Facts that are true in every example are background clauses: `data.background`. The data may know predicates that
    have facts in other parts only. taken: the facts of all examples;
    names: those of all objects as one text, the control character RS after each, where they are known already.
    """

    def __init__(
        self,
        data: DataSet,
        store: PrologStore,
        taken: TakenFacts,
        examples: Sequence[int] | None = None,
        names: bytes | None = None,
        whole: ExampleFacts | None = None,
    ) -> None:
        self.data = data
        self.store = store
        """Where SWI-Prolog evaluates over the facts."""
        self.examples = examples
        self._whole = whole or self
        self._taken = taken
        self._names = names

    def part(self, data: DataSet, examples: Sequence[int] | None) -> ExampleFacts:
        """Those of some examples; `data` are the same, perhaps with other queries."""
        return ExampleFacts(data, self.store, self._taken, examples, whole=self._whole)

    @property
    def active(self) -> np.ndarray:
        """The numbers of the examples in ascending order."""
        if self.examples is None:
            return np.arange(len(self.data.example_name))
        return np.unique(np.asarray(self.examples, np.int64))

    @property
    def queries(self) -> Queries:
        """Those of the examples."""
        return self.data.queries.of_examples(self.examples)

    @property
    def objects(self) -> int:
        """How many objects the data have; those that evaluation makes are numbered from here on."""
        return int(self.data.first_object[-1])

    def tables(self, predicates: Iterable[Predicate]) -> dict[Predicate, Table]:
        """The atoms with facts of those of `predicates` that have any in the data."""
        wanted = {
            predicate: self._taken.tables.get(predicate, nothing(predicate.arity))
            for predicate in predicates
            if predicate in self.data.predicates
        }
        if self.examples is None:
            return wanted
        return {predicate: part(table, self.active) for predicate, table in wanted.items()}

    def soft(self, predicates: Iterable[Predicate]) -> dict[Predicate, SoftFacts]:
        """The weighted facts of `predicates` that have some in the data."""
        wanted = {
            predicate: self._taken.soft.get(predicate, SoftFacts(nothing(predicate.arity), np.empty(0)))
            for predicate in predicates
            if predicate in self.data.soft
        }
        if self.examples is None:
            return wanted
        return {predicate: soft_part(facts, self.active) for predicate, facts in wanted.items()}

    def names(self) -> Sequence[str]:
        """The names of all objects of the data, as Prolog text."""
        return Names(self.data.first_object, self.names_text(), ()).all()

    def names_text(self) -> bytes:
        """All names in one text, the control character RS after each."""
        if self._whole._names is None:
            self._whole._names = self.store.object_names()
        return self._whole._names

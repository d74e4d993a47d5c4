"""The facts of a data set, or of some of its examples, as tables: what a grounder works on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from lrnn_cli.grounding.groundings import Names
from lrnn_cli.grounding.reading.store import PrologStore, TakenFacts
from lrnn_cli.grounding.tables import SoftFacts, Table, part, soft_part
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.data import DataSet, Queries


class ExampleFacts:
    """What stands in some examples (all if None) of data that were read. Each predicate is read once for all examples.

    Facts that are true in every example are background clauses: `data.background`. taken: all facts, where they are
    known already.
    """

    def __init__(
        self,
        data: DataSet,
        store: PrologStore,
        examples: Sequence[int] | None,
        whole: ExampleFacts | None = None,
        taken: TakenFacts | None = None,
    ) -> None:
        self.data = data
        self.store = store
        """Where the facts are: SWI-Prolog evaluates there."""
        self.examples = examples
        self._whole = whole or self
        self._tables: dict[Predicate, Table] = {} if taken is None else taken.tables
        self._soft: dict[Predicate, SoftFacts] = {} if taken is None else taken.soft
        self._names: bytes | None = None if taken is None else taken.names

    def part(self, data: DataSet, examples: Sequence[int] | None) -> ExampleFacts:
        """Those of some examples; `data` are the same, perhaps with other queries."""
        return ExampleFacts(data, self.store, examples, self._whole)

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
        whole = self._whole
        wanted = [predicate for predicate in predicates if predicate in self.data.predicates]
        whole._read({predicate for predicate in wanted if predicate not in whole._tables}, set())
        if self.examples is None:
            return {predicate: whole._tables[predicate] for predicate in wanted}
        return {predicate: part(whole._tables[predicate], self.active) for predicate in wanted}

    def soft(self, predicates: Iterable[Predicate]) -> dict[Predicate, SoftFacts]:
        """The weighted facts of `predicates` that have some in the data."""
        whole = self._whole
        wanted = [predicate for predicate in predicates if predicate in self.data.soft]
        whole._read(set(), {predicate for predicate in wanted if predicate not in whole._soft})
        if self.examples is None:
            return {predicate: whole._soft[predicate] for predicate in wanted}
        return {predicate: soft_part(whole._soft[predicate], self.active) for predicate in wanted}

    def names(self) -> Sequence[str]:
        """The names of all objects of the data, as Prolog text."""
        return Names(self.data.first_object, self.names_text(), ()).all()

    def names_text(self) -> bytes:
        """All names in one text, the control character RS after each."""
        if self._whole._names is None:
            self._whole._names = self.store.object_names()
        return self._whole._names

    def _read(self, plain: set[Predicate], soft: set[Predicate]) -> None:
        if plain or soft:
            self.store.activate(None)
        self._tables.update((predicate, self.store.facts(predicate)) for predicate in sorted(plain))
        self._soft.update((predicate, self.store.soft_facts(predicate)) for predicate in sorted(soft))

"""The examples of a session, and parts of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from lrnn_cli.errors import LrnnError
from lrnn_cli.evaluation.parts import FoldOptions
from lrnn_cli.settings import check_settings
from lrnn_cli.stages import stage

if TYPE_CHECKING:
    import numpy as np

    from lrnn_cli.api.sessions import Session
    from lrnn_cli.evaluation.survey import Survey
    from lrnn_cli.grounding.grounder import Knowledge
    from lrnn_cli.grounding.session import GroundingSession
    from lrnn_cli.grounding.tables import SoftFacts, Table
    from lrnn_cli.language.clauses import Predicate, Rule
    from lrnn_cli.language.data import DataSet, Queries
    from lrnn_cli.network.model import Model


@dataclass(frozen=True)
class Data:
    """Examples of a session and their queries, or a part of them: `examples` are their places, None for all.

    A part of one example has some of its queries.
    """

    session: Session
    number: int
    content: DataSet
    examples: tuple[int, ...] | None = None

    def __len__(self) -> int:
        return len(self.content.example_name) if self.examples is None else len(self.examples)

    @property
    def name(self) -> str:
        return self.content.name

    @property
    def example_names(self) -> list[str]:
        names = self.content.example_name
        return list(names) if self.examples is None else [names[place] for place in self.examples]

    @property
    def grounder(self) -> GroundingSession:
        return self.session.grounder(self.number)

    @cached_property
    def queries(self) -> Queries:
        """Those of this part."""
        return self.content.queries.of_examples(self.examples)

    @cached_property
    def knowledge(self) -> Knowledge:
        """All that is true in the examples of this part."""
        with stage("taking facts from Prolog"):
            return self.grounder.knowledge(self.content, self.examples)

    def in_memory(self) -> Data:
        """Take the facts, so that `learn` can go on when the session is closed, and memory is free for it."""
        _ = self.knowledge
        return self

    def part(self, examples: Sequence[int]) -> Data:
        """Some examples, by their places in the file."""
        return replace(self, examples=tuple(examples))

    def asking(self, content: DataSet) -> Data:
        """The same with the queries of `content`, which is the same data with others; facts that were taken stay."""
        other = replace(self, content=content)
        other.__dict__.update({name: self.__dict__[name] for name in FACTS if name in self.__dict__})
        return other

    def fold(self, fold: int, folds: int | None = None, **options: Any) -> tuple[Data, Data]:
        """What to learn from and what to test on in a fold of a crossvalidation; see `FoldOptions`."""
        chosen = FoldOptions(fold, folds, **options)
        return self.of_fold(chosen, testing=False), self.of_fold(chosen, testing=True)

    def of_fold(self, options: FoldOptions, testing: bool) -> Data:
        """The examples of a fold when testing, all others when learning; all examples where no fold is chosen.

        Where there is one example only, the same of its queries.
        """
        from lrnn_cli.evaluation.folds import choose_part

        check_settings(options)
        duplicates = None
        drawn = options.fold is not None and not self.content.example_fold.any() and len(self.content.example_name) > 1
        if drawn and options.group_duplicates:
            with stage("finding duplicates"):
                duplicates = self.duplicates
        numbers = options.folds, options.fold, options.seed
        content, chosen = choose_part(self.content, *numbers, testing, duplicates)
        data = self if content is self.content else self.asking(content)
        return data if chosen is None else data.part(chosen)

    def assigned_folds(self, options: FoldOptions) -> np.ndarray:
        """(examples of the file,) the folds from 1 that would be drawn, those of the file where no number is given."""
        from lrnn_cli.evaluation.folds import assign_folds, deals_queries

        if options.folds is None or deals_queries(self.content):
            return self.content.example_fold
        duplicates = self.duplicates if options.group_duplicates else None
        return assign_folds(self.content, options.folds, options.seed, duplicates)

    def folds_of_queries(self, options: FoldOptions) -> np.ndarray | None:
        """(queries of the file,) the folds from 1 that would be drawn, None where folds are of examples."""
        from lrnn_cli.evaluation.folds import assign_query_folds, deals_queries

        if options.folds is None or not deals_queries(self.content):
            return None
        return assign_query_folds(self.content, options.folds, options.seed)

    @cached_property
    def names(self) -> Sequence[str]:
        """The names of all objects of the file, in their order, as Prolog writes them."""
        return self.grounder.names(self.content)

    @cached_property
    def relations(self) -> tuple[dict[Predicate, Table], dict[Predicate, SoftFacts]]:
        """The facts of the file: all atoms, and the weighted ones."""
        return self.grounder.relations(self.content)

    @cached_property
    def duplicates(self) -> np.ndarray:
        """(examples of the file,) the number of the group of each: equal up to the names of their objects."""
        from lrnn_cli.evaluation.survey import duplicate_groups

        return duplicate_groups(self.content, *self.relations, self.names)

    def survey(self, folds: np.ndarray, rules: Sequence[Rule] = ()) -> Survey:
        """Duplicates among the examples of the file, whose folds are given; rules: of a template for them."""
        from lrnn_cli.evaluation.survey import survey

        return survey(self.content, *self.relations, self.names, folds, rules)

    def checked(self) -> Data:
        """The same, if this part has a query or the data have none."""
        if len(self.content.queries) and not len(self.queries):
            raise LrnnError(f"{self.name}: there is no query in the chosen part of these data; choose another fold")
        return self

    def labelled(self) -> Data:
        """The same with those queries that have a target; there must be one. How many others there are is noted."""
        if not len(self.content.queries):
            from lrnn_cli.language.lookalikes import examples_of_others

            hint = examples_of_others(list(self.content.predicates))
            message = "there is no query in these data; add query(Atom, Target). to the examples"
            raise LrnnError(f"{self.name}: {message}{hint}")
        tell_unlabelled(self.name, self.checked().queries, self.session.note)
        known = self.content.queries.labelled
        return self if known.all() else self.asking(self.content.asking(known.nonzero()[0]))

    def asked(self, model: Model, target: str | None = None) -> Data:
        """The same with queries of `target`, NAME/ARITY, for all objects that fit by their sorts.

        Without a target, examples that have no query are asked for the targets of the model that have no arguments.
        """
        from lrnn_cli.evaluation.questions import (
            all_atoms,
            asked_predicate,
            targets_without_arguments,
            unasked_examples,
            ways_to_ask,
        )

        members = model.members
        if target is not None:
            knowledge = self.grounder.knowledge(self.content)
            predicate = asked_predicate(target, members)
            return self.asking(all_atoms(predicate, self.content, knowledge, self.examples, members))
        unasked = unasked_examples(self.content, self.examples)
        if not len(unasked):
            return self.checked()
        asking = self.asking(targets_without_arguments(self.content, members, unasked))
        if not len(self.content.queries) and not len(asking.content.queries):
            raise LrnnError(
                f"{self.name}: there is no query in these data; add query(Atom). to the examples, or ask for all that "
                f"fits with {ways_to_ask(members)}"
            )
        left = len(unasked_examples(asking.checked().content, self.examples))
        if left:
            examples = len(self.content.example_name) if self.examples is None else len(self.examples)
            self.session.note(
                f"{left:,} of {examples:,} examples have no query and get no output; ask with {ways_to_ask(members)}"
            )
        return asking


FACTS = ("knowledge", "names", "relations", "duplicates")
"""What data keep that does not depend on their queries."""


def tell_unlabelled(name: str, queries: Queries, note: Callable[[str], None]) -> None:
    """Note how many queries have no target; none with one is an error."""
    others = int((~queries.labelled).sum())
    if others and others == len(queries):
        raise LrnnError(
            f"{name}: no query has a target here, and this command needs some: query(Atom, Target). "
            "`lrnn predict` gives outputs without one"
        )
    if others:
        note(f"{others:,} of {len(queries):,} queries have no target and are left out")

"""Groundings of models that are tried one after another over the same data.

Learned models are grounded by joins over facts in memory, where what they have in common is joined once. Other models
are grounded by the grounder.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from lrnn_cli.grounding.checks import check_program
from lrnn_cli.grounding.grounder import Knowledge
from lrnn_cli.grounding.groundings import Groundings
from lrnn_cli.grounding.joins.comparisons import NotNumbers, compares_numbers
from lrnn_cli.grounding.joins.grounder import JoinedGrounder, chosen_relations
from lrnn_cli.grounding.program import Facts
from lrnn_cli.grounding.renumbering import own_data
from lrnn_cli.grounding.session import GroundingSession
from lrnn_cli.grounding.strata import components
from lrnn_cli.grounding.tables import Table
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.data import DataSet
from lrnn_cli.language.targets import classes_of, data_for
from lrnn_cli.language.template import Template

MANY_BODIES = 50
"""Up to so many bodies of facts of a model are left to the grounder when it predicts."""


class Regrounder:
    """Grounds models over some examples of data (all if None) that a grounder has loaded."""

    def __init__(
        self,
        grounder: GroundingSession,
        data: DataSet,
        examples: Sequence[int] | None,
        warn: Callable[[str], None] | None = None,
    ) -> None:
        self._grounder = grounder
        self._warn = warn or grounder.options.warn
        self._data = data
        self._examples = examples
        self._asked: dict[object, DataSet] = {}
        self._joined: dict[tuple[bool, bool, frozenset[Predicate], tuple[Predicate, ...]], JoinedGrounder] = {}

    def _data_for(self, model: Template) -> DataSet:
        """The data with the queries that a model answers, the same for models of the same classes."""
        key = model.settings.task, tuple(classes_of([model]).items())
        if key not in self._asked:
            self._asked[key] = data_for(model, self._data)
        return self._asked[key]

    def ground(self, model: Template) -> Groundings:
        data = self._data_for(model)
        if joinable(model, data) and not self._unlisted(model):
            for warning in check_program(model, data):
                self._warn(warning)
            try:
                return self._grounder_of(model).ground(model)
            except NotNumbers:
                pass
        return self._grounder.ground(model, data, self._examples, warn=self._warn)

    def predict(self, model: Template) -> Groundings:
        """Groundings by joins only where a model has many bodies: the grounder would enumerate each of them anew."""
        if _has_many_bodies(model):
            return self.ground(model)
        return self._grounder.ground(model, self._data_for(model), self._examples, warn=self._warn)

    @cached_property
    def _own(self) -> tuple[DataSet, Knowledge]:
        """Data of the examples alone, and all that is true in them."""
        known = self._grounder.knowledge(self._data, self._examples)
        if self._examples is None:
            return self._data, known
        return own_data(self._data, known, np.unique(np.asarray(self._examples, np.int64)))

    def _unlisted(self, model: Template) -> bool:
        """Whether a model uses background knowledge whose atoms the grounder could not list."""
        used = {atom.predicate for rule in model.rules for atom in rule.body} & self._data.background_predicates
        return bool(used) and not used.isdisjoint(self._own[1].unlisted)

    def _grounder_of(self, model: Template) -> JoinedGrounder:
        own, known = self._own
        used = {atom.predicate for rule in model.rules for atom in rule.body}
        missing = used - {rule.head.predicate for rule in model.rules} - set(known.tables)
        compares = any(rule.guards for rule in model.rules)
        data = data_for(model, own)
        key = model.settings.object_identity, compares, frozenset(missing), data.queries.predicate
        if key not in self._joined:
            nothing = {
                predicate: Table(np.zeros(0, np.int32), np.zeros((0, predicate.arity), np.int32))
                for predicate in sorted(missing)
            }
            facts = known.tables | nothing, known.soft, known.objects
            numbers = known.numbers() if compares else None
            relations = chosen_relations(*facts, data.queries, model.settings.object_identity, numbers=numbers)
            self._joined[key] = JoinedGrounder(data, relations, data.queries)
        return self._joined[key]


def _has_many_bodies(model: Template) -> bool:
    """Of those that ask for nothing but facts."""
    heads = {rule.head.predicate for rule in model.rules}
    bodies = {rule.body for rule in model.rules if len(rule.body) > 1}
    return sum(heads.isdisjoint(atom.predicate for atom in body) for body in bodies) > MANY_BODIES


def always_joined(model: Template, data: DataSet) -> bool:
    """Whether the groundings that predictions need come from joins of facts of the examples, whatever these are."""
    plain = not data.background and not any(rule.guards for rule in model.rules)
    return plain and _has_many_bodies(model) and joinable(model, data)


def joinable(model: Template, data: DataSet) -> bool:
    """Whether joins over facts give all groundings.

    There are no constants, recursion, or facts of what has rules or is asked for, no guards but comparisons of numbers,
    and all that is defined is used.
    """
    facts = Facts.of(data)
    heads = {rule.head.predicate for rule in model.rules}
    used = {atom.predicate for rule in model.rules for atom in rule.body}
    atoms = [atom for rule in model.rules for atom in (rule.head, *rule.body)]
    return (
        all(compares_numbers(guard.goal) for rule in model.rules for guard in rule.guards)
        and all(len(set(atom.variables)) == len(atom.arguments) for atom in atoms)
        and not any(facts.has(predicate) for predicate in heads | facts.queried)
        and heads <= used | facts.queried
        and not _recursive(model)
    )


def _recursive(model: Template) -> bool:
    depends: dict[Predicate, set[Predicate]] = {}
    for rule in model.rules:
        depends.setdefault(rule.head.predicate, set()).update(atom.predicate for atom in rule.body)
    return any(len(group) > 1 or group[0] in depends[group[0]] for group in components(depends))

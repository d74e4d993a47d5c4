"""Groundings of models that are tried one after another over the same data.

Learned models are grounded by joins over facts in memory, where what they have in common is joined once. Other models
may need Prolog, and are grounded by the grounder.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lrnn_cli.grounding.checks import check_program
from lrnn_cli.grounding.grounder import Grounder, Knowledge
from lrnn_cli.grounding.groundings import Groundings
from lrnn_cli.grounding.program import Facts
from lrnn_cli.grounding.strata import components
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.data import DataSet
from lrnn_cli.language.template import Template
from lrnn_cli.structure.joined import JoinedGrounder, chosen_relations


class Regrounder:
    """Grounds models over some examples of data (all if None) that a grounder has loaded."""

    def __init__(self, grounder: Grounder, data: DataSet, examples: Sequence[int] | None) -> None:
        self._grounder = grounder
        self._data = data
        self._examples = examples
        self._queries = data.queries
        if examples is not None:
            self._queries = data.queries.select(np.isin(data.queries.example, np.asarray(examples)).nonzero()[0])
        self._knowledge: Knowledge | None = None
        self._joined: dict[bool, JoinedGrounder] = {}

    def ground(self, model: Template) -> Groundings:
        if not joinable(model, self._data):
            return self._grounder.ground(model, self._data, self._examples)
        # All that it could warn of is left to the grounder, as such models are not joinable.
        check_program(model, self._data)
        identity = model.settings.object_identity
        if identity not in self._joined:
            if self._knowledge is None:
                self._knowledge = self._grounder.knowledge(self._data, self._examples)
            known = self._knowledge
            relations = chosen_relations(known.tables, known.soft, known.objects, self._queries, identity)
            self._joined[identity] = JoinedGrounder(self._data, relations, self._queries)
        return self._joined[identity].ground(model)


def joinable(model: Template, data: DataSet) -> bool:
    """Whether joins over facts give all groundings.

    There are no guards, constants, recursion, or facts of what has rules or is asked for; all that bodies use is
    defined, and all that is defined is used.
    """
    facts = Facts.of(data)
    heads = {rule.head.predicate for rule in model.rules}
    used = {atom.predicate for rule in model.rules for atom in rule.body}
    atoms = [atom for rule in model.rules for atom in (rule.head, *rule.body)]
    return (
        not any(rule.guards for rule in model.rules)
        and all(len(set(atom.variables)) == len(atom.arguments) for atom in atoms)
        and not any(facts.has(predicate) for predicate in heads | facts.queried)
        and all(predicate in heads or facts.has(predicate) for predicate in used)
        and heads <= used | facts.queried
        and not _recursive(model)
    )


def _recursive(model: Template) -> bool:
    depends: dict[Predicate, set[Predicate]] = {}
    for rule in model.rules:
        depends.setdefault(rule.head.predicate, set()).update(atom.predicate for atom in rule.body)
    return any(len(group) > 1 or group[0] in depends[group[0]] for group in components(depends))

"""What is learned from: E of Algorithm 1, its facts and queries made ready once, and what learning may take."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from lrnn_cli.errors import LrnnError, TrainingError
from lrnn_cli.grounding.atoms import AtomIndex
from lrnn_cli.grounding.grounder import Knowledge
from lrnn_cli.grounding.joins.grounder import JoinedGrounder, chosen_relations
from lrnn_cli.grounding.joins.relations import Relations, symmetries
from lrnn_cli.grounding.tables import Table
from lrnn_cli.hypotheses.bodies import Canonical
from lrnn_cli.hypotheses.conditions import with_conditions
from lrnn_cli.hypotheses.invention import latent_sorts
from lrnn_cli.hypotheses.refinement import Language
from lrnn_cli.hypotheses.vocabulary import Conditions, Vocabulary, vocabulary, with_reflexive
from lrnn_cli.language.clauses import Atom, Predicate, Rule, class_of
from lrnn_cli.language.data import DataSet, Queries
from lrnn_cli.language.template import Settings
from lrnn_cli.network.compile import Memory
from lrnn_cli.semantics.activations import Activation
from lrnn_cli.semantics.aggregations import AGGREGATIONS
from lrnn_cli.semantics.targets import TargetKind, TargetTask
from lrnn_cli.structure.features import CollapsedTables, Features, Target
from lrnn_cli.structure.options import ITERATIONS, VARIABLES, StructureOptions
from lrnn_cli.training.validation import held_out

LEAST_ROWS = 400_000
"""A join of a search may have so many rows in any case."""


AT_ONCE = 10_000
"""Columns are computed for so many examples at most at a time."""


class OutOfTime(Exception):
    """The time limit has passed; what is under way is given up."""


@dataclass(frozen=True)
class Allowance:
    """What learning may take.

    jobs: threads that score candidates; the result does not depend on them.
    deadline: when time is over, as time.monotonic() tells it; None for no limit.
    memory: bytes for tables of groundings, 0 for no limit; bodies that need more are left out.
    """

    jobs: int = 1
    deadline: float | None = None
    memory: int = 0

    def has_left(self, seconds: float) -> bool:
        """Whether something that takes so long will end in time."""
        return self.deadline is None or time.monotonic() + seconds < self.deadline

    def check_time(self) -> None:
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise OutOfTime


@dataclass(frozen=True)
class Problem:
    """Examples, their queries and the predicates for rules about them, and the options of learning.

    held_out: queries that choose the best iteration and are not learned from.
    unary, others: predicates that are true of something, in order; `others` are the relations of bodies.
    features: columns before there are latent predicates.
    random: all draws of a run; compiled: parts of networks that later ones have as well.
    """

    data: DataSet
    options: StructureOptions
    allowed: Allowance
    words: Vocabulary
    queries: Queries
    held_out: Queries | None
    grounder: JoinedGrounder
    targets: dict[Predicate, Target]
    unary: tuple[Predicate, ...]
    others: tuple[Predicate, ...]
    canonical: Canonical
    features: Features
    random: np.random.Generator
    task: TargetTask = field(default_factory=TargetTask)
    compiled: Memory = field(default_factory=Memory)

    @property
    def kind(self) -> TargetKind:
        return self.task.kind

    @property
    def goals(self) -> dict[Predicate, tuple[Predicate, ...]]:
        """Targets that are chosen together, the classes of a query, by what is asked for."""
        return _goals(self.targets, self.kind)

    def goal_of(self, predicate: Predicate) -> tuple[Predicate, ...]:
        """The targets that are chosen together with this one, itself too."""
        return next(targets for targets in self.goals.values() if predicate in targets)

    @property
    def relations(self) -> Relations:
        return self.grounder.relations

    @property
    def settings(self) -> Settings:
        """While a model is learned, its outputs are in standard deviations."""
        return template_settings(self.options, self.task)

    @property
    def activation(self) -> Activation:
        return self.features.activation

    @property
    def iterations(self) -> int:
        return ITERATIONS if self.options.iterations is None else self.options.iterations

    @property
    def variables(self) -> int:
        """Variables of a rule at most: enough for two about each argument of the target and one more."""
        widest = max(predicate.arity for predicate in self.targets)
        return max(VARIABLES, 2 * widest + 1) if self.options.variables is None else self.options.variables

    def bias(self, predicate: Predicate) -> Rule | None:
        """A weighted fact, for targets without arguments."""
        return Rule(Atom(predicate.name)) if self.options.bias and predicate.arity == 0 else None

    def language(self, latent: tuple[Rule, ...]) -> Language:
        """Bodies over the relations, the latent predicates that rules define and, if wanted, literals of the data.

        But for classes one literal of the data comes with a relation: with several candidates would multiply.
        """
        layers = latent_sorts(latent, self.words.sorts)
        if self.options.crisp and 1 in layers:
            layers[0] = layers[1]
        bounds = self.options.length, self.variables
        conditioned, together = self.words.conditioned, sys.maxsize if self.kind.grouped else 1
        return Language(self.others, self.words.sorts, self.canonical, layers, *bounds, conditioned, together)

    def rows_of(self, predicate: Predicate) -> np.ndarray:
        """The positions of the queries of a target among those that are learned from, in the order of its columns."""
        return np.flatnonzero(self.queries.predicate_index == self.queries.predicate.index(predicate))

    def rows_of_goal(self, targets: tuple[Predicate, ...]) -> np.ndarray:
        """(queries, classes) the positions of the rows of queries with several classes, or of one target."""
        return np.stack([self.rows_of(target) for target in targets], 1)

    def parts(self) -> Iterator[tuple[Problem, dict[Predicate, np.ndarray]]]:
        """The same for some examples after others, from all over the file; only itself where they are not many.

        With it come the places of its columns (queries of a target,) among those of all.
        """
        examples = np.unique(self.queries.example)
        count = -(-len(examples) // AT_ONCE)
        if count < 2:
            yield self, {target: np.arange(len(own.target)) for target, own in self.targets.items()}
            return
        for first in range(count):
            chosen = np.isin(self.queries.example, examples[first::count]).nonzero()[0]
            part = self._of_queries(self.queries.select(chosen))
            rows = {target: chosen[part.rows_of(target)] for target in part.targets}
            yield part, {target: np.searchsorted(self.rows_of(target), own) for target, own in rows.items()}

    def _of_queries(self, queries: Queries) -> Problem:
        """The same for some of the queries."""
        grounder = self.grounder_of(queries)
        asked = {queries.predicate[number] for number in np.unique(queries.predicate_index).tolist()}
        targets = {name: _target(name, self.data, self.words, queries) for name in self.targets if name in asked}
        tables = CollapsedTables(grounder.relations.memory)
        features = replace(self.features, relations=grounder.relations, targets=targets, tables=tables)
        return replace(self, queries=queries, grounder=grounder, targets=targets, features=features, compiled=Memory())

    def grounder_of(self, queries: Queries) -> JoinedGrounder:
        """For queries of the data, learned from or not."""
        return _grounder(self.data, self.words, queries, self.options, self.allowed)


def _goals(targets: Iterable[Predicate], kind: TargetKind) -> dict[Predicate, tuple[Predicate, ...]]:
    goals: dict[Predicate, tuple[Predicate, ...]] = {}
    for predicate in targets:
        goal = Predicate(class_of(predicate.name)[0], predicate.arity) if kind.grouped else predicate
        goals[goal] = (*goals.get(goal, ()), predicate)
    return goals


def template_settings(options: StructureOptions, task: TargetTask) -> Settings:
    return Settings(object_identity=options.object_identity, aggregation=options.aggregation, task=task.name)


def make_problem(
    data: DataSet,
    knowledge: Knowledge,
    queries: Queries,
    options: StructureOptions,
    allowed: Allowance | None = None,
    conditions: Conditions | None = None,
    task: TargetTask | None = None,
) -> Problem:
    """What is to be learned from queries of data; `check_problem` tells whether anything can be.

    queries: their targets are as they are learned in the task, which is by default to tell yes from no.

    conditions: those on numbers, where they have been chosen; else they are chosen for these queries.
    """
    allowed = Allowance() if allowed is None else allowed
    task = TargetTask() if task is None else task
    aggregation = AGGREGATIONS[options.aggregation]
    words = vocabulary(data, knowledge, queries)
    if options.object_identity:
        words = with_reflexive(words)
    predicates = sorted({queries.predicate[number] for number in set(queries.predicate_index.tolist())})
    queries, held_out = _split(data, queries, options)
    activation = Activation.of(template_settings(options, task))
    words = with_conditions(words, queries, aggregation, conditions, task.kind.likelihood, activation)
    grounder = _grounder(data, words, queries, options, allowed)
    relations = grounder.relations
    targets = {predicate: _target(predicate, data, words, queries) for predicate in predicates}
    true = [predicate for predicate, table in sorted(relations.tables.items()) if len(table)]
    features = Features(
        *(relations, activation, aggregation, targets),
        CollapsedTables(relations.memory),
        alike={target: own[0] for own in _goals(targets, task.kind).values() for target in own},
    )
    return Problem(
        data,
        options,
        allowed,
        words,
        queries,
        held_out,
        grounder,
        targets,
        tuple(predicate for predicate in true if predicate.arity == 1),
        tuple(predicate for predicate in true if predicate.arity != 1),
        Canonical(symmetries(relations)),
        features,
        np.random.default_rng(options.seed),
        task,
    )


def _split(data: DataSet, queries: Queries, options: StructureOptions) -> tuple[Queries, Queries | None]:
    """Queries to learn from and those held out: by examples, or one by one where there is one example only."""
    if not options.validation:
        return queries, None
    try:
        held = held_out(queries.example, queries.groups(), options.validation, [options.seed, 2])
    except TrainingError as error:
        raise LrnnError(f"{data.name}: {error}") from None
    return queries.select((~held).nonzero()[0]), queries.select(held.nonzero()[0])


def _grounder(
    data: DataSet, words: Vocabulary, queries: Queries, options: StructureOptions, allowed: Allowance
) -> JoinedGrounder:
    facts = words.tables, words.soft, words.objects
    most_rows = max(LEAST_ROWS, options.groundings * len(queries)) if options.groundings else 0
    relations = chosen_relations(
        *facts, queries, options.object_identity, memory=allowed.memory // 2, most_rows=most_rows
    )
    return JoinedGrounder(data, relations, queries, words.given)


def _target(predicate: Predicate, data: DataSet, words: Vocabulary, queries: Queries) -> Target:
    rows = (queries.predicate_index == queries.predicate.index(predicate)).nonzero()[0]
    if not len(rows):
        raise LrnnError(f"{data.name}: no query of {predicate} is left to learn from; choose a smaller --validation")
    atoms = Table(queries.example[rows], queries.argument[rows, : predicate.arity])
    index = AtomIndex([atoms], words.objects)
    place = index.position(atoms.example, atoms.objects)
    return Target(index, place, queries.target[rows], _given_sums(predicate, atoms, words))


def _given_sums(predicate: Predicate, atoms: Table, words: Vocabulary) -> np.ndarray | float:
    """What facts of a target predicate, which no body has, add to each of some atoms of it."""
    if predicate not in words.given:
        return 0.0
    facts = words.given[predicate]
    index = AtomIndex([facts.atoms], words.objects)
    # The position -1 of atoms without facts is the last one.
    sums = np.zeros(len(index) + 1)
    sums[index.position(facts.atoms.example, facts.atoms.objects)] = facts.weight
    return np.asarray(sums[index.position(atoms.example, atoms.objects)])


def check_problem(problem: Problem) -> None:
    """Targets or facts that nothing can be learned from are an error."""
    name = problem.data.name
    for predicate, target in problem.targets.items():
        if len(np.unique(target.target)) < 2:
            number = len(target.target)
            one_class = f"all {number} queries of {predicate} have the same target"
            one_query = f"there is one query of {predicate} only"
            raise LrnnError(
                f"{name}: {one_class if number > 1 else one_query}; there is nothing to learn from one class"
            )
    if not problem.unary and not problem.others:
        given = [predicate for predicate in problem.data.predicates if predicate not in problem.targets]
        met = "no fact is about an object of a query; are names written the same everywhere?"
        remedy = met if given else "add facts to the examples"
        raise LrnnError(f"{name}: there are neither unary predicates nor relations to make rules of; {remedy}")

"""nFOIL and kFOIL as learners beside ours: from a data set to clauses and a decision over them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lrnn_cli.baselines.clausal_model import STEEPNESS, ClausalModel, model_template
from lrnn_cli.baselines.coverage import Coverage, CoveringClause
from lrnn_cli.baselines.crisp import check_classes, crisp_vocabulary, positions_of, target_predicates
from lrnn_cli.baselines.foil import Scorer, learn_clauses
from lrnn_cli.baselines.naive_bayes import NaiveBayes
from lrnn_cli.baselines.options import BaselineOptions, KernelOptions
from lrnn_cli.baselines.relational_kernel import KernelAlignment, KernelMachine
from lrnn_cli.errors import LrnnError
from lrnn_cli.grounding.grounder import Knowledge
from lrnn_cli.grounding.joins.grounder import chosen_relations
from lrnn_cli.grounding.joins.relations import Relations, symmetries
from lrnn_cli.grounding.tables import Table
from lrnn_cli.hypotheses.bodies import Canonical
from lrnn_cli.hypotheses.refinement import Language
from lrnn_cli.hypotheses.vocabulary import Vocabulary
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.data import DataSet, Queries
from lrnn_cli.language.targets import learned_queries, target_kind
from lrnn_cli.limits import room
from lrnn_cli.network.model import Model
from lrnn_cli.semantics.targets import REGRESSION, TargetTask

KERNELS: dict[str, type[KernelMachine] | type[KernelAlignment]] = {
    "machine": KernelMachine,
    "alignment": KernelAlignment,
}


@dataclass(frozen=True)
class ClauseTask:
    """A target predicate, its clauses, and (query atoms,) how many positive and negative queries ask for each."""

    target: Predicate
    coverage: Coverage
    positive: np.ndarray
    negative: np.ndarray


@dataclass(frozen=True)
class LearnedBaseline:
    """The models of all targets, the words they are made of, and what to tell about them."""

    models: list[ClausalModel]
    words: Vocabulary
    remarks: list[str]


def learn_baseline(
    data: DataSet,
    knowledge: Knowledge,
    examples: list[int] | None,
    options: BaselineOptions,
    report: Callable[[str], None] = lambda text: None,
) -> LearnedBaseline:
    """Learn with nFOIL or, where the options are its, kFOIL from some examples, all if None."""
    words, tasks = learning_tasks(data, knowledge, examples, options)

    def report_clause(number: int, score: float, clause: CoveringClause) -> None:
        report(f"clause {number}: score {score:.6g}, {words.written(clause.candidate.rule()).clause}")

    models = []
    remarks = []
    for task in tasks:
        scorer: Scorer
        if isinstance(options, KernelOptions):
            scorer = KERNELS[options.score].of(task.positive, task.negative, options.degree, options.cost)
        else:
            scorer = NaiveBayes.of(task.positive, task.negative)
        learned = learn_clauses(task.coverage, scorer, options, report_clause)
        if not learned.clauses:
            many = f" ({_left_out(task)})" if task.coverage.left_out else ""
            raise LrnnError(
                f"{data.name}: nothing was learned for {task.target}: {learned.reason}{many}; lower --threshold, or "
                "look at the data with `lrnn check`"
            )
        rules = [clause.candidate.rule() for clause in learned.clauses]
        notes = [_note(clause, task) for clause in learned.clauses]
        models.append(ClausalModel(task.target, rules, notes, learned.scorer.decision()))
        score = f"{learned.scorer.measure} {learned.scorer.score:.6g}"
        why = f"; {learned.reason}" if learned.reason else ""
        remarks.append(f"{len(rules)} clause{'s' * (len(rules) > 1)} for {task.target}, {score}{why}")
        if task.coverage.left_out:
            remarks.append(_left_out(task))
    return LearnedBaseline(models, words, remarks)


def baseline_model(learned: LearnedBaseline, data_name: str, options: BaselineOptions) -> Model:
    """What was learned from data of this name as a model, each rule under a note."""
    template, notes = model_template(learned.models, learned.words, options.object_identity)
    kernel = isinstance(options, KernelOptions)
    added = "the decision of the support vector machine" if kernel else "the log odds"
    comments = (
        f"model of lrnn baseline {'kfoil' if kernel else 'nfoil'}: learned from {data_name.rsplit('/', 1)[-1]}",
        *learned.remarks,
        f"{STEEPNESS:g} times the weight of a clause is what it adds to {added}",
    )
    return Model((template,), comments, notes=tuple(notes))


def learning_tasks(
    data: DataSet, knowledge: Knowledge, examples: list[int] | None, options: BaselineOptions
) -> tuple[Vocabulary, list[ClauseTask]]:
    """The words of clauses, and the task of each target predicate of some examples."""
    queries = data.queries.of_examples(examples)
    kind = target_kind(data.name, queries, None)
    if kind is REGRESSION:
        raise LrnnError(
            f"{data.name}: targets are numbers outside 0 to 1, and nFOIL and kFOIL tell classes apart; "
            "`lrnn baseline forest` and `lrnn learn-structure` predict numbers"
        )
    queries = learned_queries(data, queries, TargetTask(kind))
    targets = target_predicates(queries)
    if sum(target.arity > 0 for target in targets) > 1:
        names = " and ".join(str(target) for target in targets if target.arity)
        raise LrnnError(
            f"{data.name}: there are queries of {names}, but a model has one target with arguments; keep those of one"
        )
    words = crisp_vocabulary(data, knowledge, queries)
    # To crisp clauses a weighted fact is a fact.
    memory = room(options.memory_limit) // 4
    relations = chosen_relations(words.tables, {}, words.objects, queries, options.object_identity, memory)
    language = _language(relations, words, options)
    if not language.relations and not language.layers:
        raise LrnnError(f"{data.name}: there are no facts to make clauses of; add facts to the examples")
    tasks = []
    for target in targets:
        rows = positions_of(queries, target)
        atoms = Table(queries.example[rows], queries.argument[rows, : target.arity])
        coverage = Coverage(relations, target, atoms, language, words.targets[target])
        positive, negative = _classes(coverage, queries, target)
        check_classes(data, target, positive.sum(), negative.sum())
        tasks.append(ClauseTask(target, coverage, positive, negative))
    return words, tasks


def _language(relations: Relations, words: Vocabulary, options: BaselineOptions) -> Language:
    true = [predicate for predicate, table in sorted(relations.tables.items()) if len(table)]
    sorts = frozenset((words.sorts[predicate][0],) for predicate in true if predicate.arity == 1)
    return Language(
        tuple(predicate for predicate in true if predicate.arity != 1),
        words.sorts,
        Canonical(symmetries(relations)),
        {0: sorts} if sorts else {},
        options.length,
        options.variables,
    )


def _classes(coverage: Coverage, queries: Queries, target: Predicate) -> tuple[np.ndarray, np.ndarray]:
    """(query atoms,) the numbers of positive and of negative queries that ask for each."""
    rows = positions_of(queries, target)
    atom = coverage.index.position(queries.example[rows], queries.argument[rows, : target.arity])
    positive = queries.target[rows] > 0.5
    size = len(coverage.index)
    return np.bincount(atom, positive, size), np.bincount(atom, ~positive, size)


def _left_out(task: ClauseTask) -> str:
    return f"{task.coverage.left_out} refinements with more than {task.coverage.most:,} groundings were left out"


def _note(clause: CoveringClause, task: ClauseTask) -> str:
    positive, negative = task.positive @ clause.cover, task.negative @ clause.cover
    return (
        f"covers {positive:.0f} of {task.positive.sum():.0f} positive and {negative:.0f} of "
        f"{task.negative.sum():.0f} negative queries"
    )

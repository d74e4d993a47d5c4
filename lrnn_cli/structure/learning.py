"""Structure learning from a data set to models: members of an ensemble, their run directories, going on with them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lrnn_cli.allocation import give_back_free_memory
from lrnn_cli.errors import LrnnError
from lrnn_cli.grounding.grounder import Knowledge
from lrnn_cli.grounding.renumbering import own_data
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.data import DataSet
from lrnn_cli.language.targets import learned_queries, learning_task, target_levels
from lrnn_cli.language.template import Template
from lrnn_cli.network.model import Model
from lrnn_cli.network.model_text import in_layers
from lrnn_cli.settings import check_settings
from lrnn_cli.structure.ensemble import Ensemble
from lrnn_cli.structure.estimates import estimate_text, is_no_better
from lrnn_cli.structure.holding_out import held_out_parts
from lrnn_cli.structure.nothing_learned import nearest_text, unmeasured_text, unused_facts_text
from lrnn_cli.structure.observer import Observer
from lrnn_cli.structure.options import StructureOptions
from lrnn_cli.structure.problem import Allowance, check_problem, make_problem
from lrnn_cli.structure.run_directory import RunDirectories
from lrnn_cli.structure.selection import Estimate, families, settled
from lrnn_cli.structure.side_by_side import AT_ONCE, Spread, side_by_side

LEARNED = 100_000
"""Of more queries so many are drawn, and all is learned from these."""


@dataclass(frozen=True)
class LearnedMember:
    """What was learned with one seed; `iterations` is 0 where that is nothing.

    reason: why learning ended before it had to; remedy: what to do about it where nothing was learned.
    """

    template: Template
    seed: int
    iterations: int
    reason: str
    remedy: str


@dataclass(frozen=True)
class Learning:
    """The model of what was learned, and what to expect of it on new data.

    interrupted: Ctrl-C ended learning; the model is that of the last whole iteration.
    """

    model: Model
    members: tuple[LearnedMember, ...]
    estimates: dict[Predicate, Estimate]
    interrupted: bool


@dataclass(frozen=True)
class LearningTask:
    """What is learned from, and with what.

    examples: all if None; groups: gives (examples,) which are not parted when queries are held out.
    report: called with what is going on; note: with what is worth keeping.
    jobs: threads and processes; memory: bytes for tables, 0 for no limit.
    spread: runs what members of an ensemble do side by side.
    """

    data: DataSet
    knowledge: Knowledge
    examples: list[int] | None
    groups: Callable[[], np.ndarray]
    report: Callable[[str], None] = lambda text: None
    note: Callable[[str], None] = lambda text: None
    jobs: int = 1
    memory: int = 0
    spread: Spread = side_by_side


def learned_part(
    data: DataSet, knowledge: Knowledge, examples: list[int] | None, seed: int, note: Callable[[str], None]
) -> tuple[DataSet, Knowledge, list[int] | None]:
    """The same or, where there are very many queries, data of those that are learned from."""
    queries = data.queries.of_examples(examples)
    if len(queries) <= LEARNED:
        return data, knowledge, examples
    note(f"{LEARNED:,} of {len(queries):,} queries, drawn at random, are learned from")
    drawn = np.random.default_rng([seed, 6]).permutation(len(queries))[:LEARNED]
    asking = replace(data, queries=queries.select(np.sort(drawn)))
    part = own_data(asking, knowledge, np.unique(asking.queries.example))
    give_back_free_memory()
    return (*part, None)


def learn_model(
    task: LearningTask,
    options: StructureOptions,
    ensemble: int = 1,
    budget: float | None = None,
    run_directory: str | None = None,
    resume: bool = False,
) -> Learning:
    """Learn one model, or an ensemble of several with seeds that follow each other, in the time of the budget.

    run_directory: a folder that keeps all iterations; with `resume`, learning goes on with what it holds.
    """
    check_settings(options)
    learners = _ensemble(task, options, ensemble, budget, run_directory, resume)
    interrupted = False
    try:
        learners.learn()
    except KeyboardInterrupt:
        interrupted = True
    members = [
        LearnedMember(template, E.options.seed, len(state.iterations), state.reason, state.remedy)
        for E, state, template in zip(learners.problems, learners.states, learners.templates(), strict=True)
    ]
    kept = [member for member in members if member.iterations]
    E = learners.problems[0]
    if not kept:
        if interrupted:
            raise KeyboardInterrupt
        first, nearest = members[0], nearest_text(learners.states[0].nearest, E.options.gain)
        nothing = f"{task.data.name}: nothing was learned: {first.reason}; {first.remedy}"
        unused = [*unused_facts_text(task.data, task.knowledge, E.words), *unmeasured_text(E.words)]
        raise LrnnError("\n".join([nothing, *nearest, *unused]))
    if any(map(is_no_better, learners.estimates.values())):
        for line in [*unused_facts_text(task.data, task.knowledge, E.words), *unmeasured_text(E.words)]:
            task.note(line)
    for number, member in enumerate(() if interrupted else members):
        if member.iterations:
            learners.runs.finish(number, member.template, member.reason)
    comments = _comments(task.data, kept, learners.estimates)
    model = Model(tuple(in_layers(member.template) for member in kept), comments, layered=True)
    return Learning(model, tuple(members), learners.estimates, interrupted)


def _ensemble(
    task: LearningTask,
    options: StructureOptions,
    members: int,
    budget: float | None,
    run_directory: str | None,
    resume: bool,
) -> Ensemble:
    """Learners of the queries of a task, with seeds that follow each other; all end when the budget is used up."""
    data, knowledge, examples = task.data, task.knowledge, task.examples
    queries = data.queries.of_examples(examples)
    goal = learning_task(data, queries, options.task)
    with_arguments = any(queries.predicate[number].arity for number in np.unique(queries.predicate_index).tolist())
    options = settled(options, len(queries), goal.kind, with_arguments)
    queries = learned_queries(data, queries, goal)
    allowed = Allowance(task.jobs, None if budget is None else time.monotonic() + budget, task.memory // AT_ONCE)
    own = [replace(options, seed=options.seed + number) for number in range(members)]
    problems = [make_problem(data, knowledge, queries, own[0], allowed, None, goal)]
    problems += [
        make_problem(data, knowledge, queries, item, allowed, problems[0].words.conditions, goal) for item in own[1:]
    ]
    for problem in problems:
        check_problem(problem)
    used = problems[0].queries
    part = f"{data.digest} {queries.digest()}"
    return Ensemble(
        problems,
        lambda problem, some, conditions: make_problem(
            data, knowledge, some, problem.options, allowed, conditions, goal
        ),
        RunDirectories(run_directory, own, part, resume),
        Observer(task.report, task.note),
        families(options, queries.count, goal.kind, with_arguments),
        (lambda: held_out_parts(used, task.groups(), options.seed, target_levels(used, goal.kind)))
        if options.conjunctions
        else None,
        task.spread,
    )


def _comments(data: DataSet, kept: Sequence[LearnedMember], estimates: dict[Predicate, Estimate]) -> tuple[str, ...]:
    seeds = ", ".join(str(member.seed) for member in kept)
    first = f"model of lrnn: learned from {data.name.rsplit('/', 1)[-1]}, seed{'s' * (len(kept) > 1)} {seeds}"
    return (first, *(estimate_text(target, estimate) for target, estimate in estimates.items()))

"""Algorithm 1 of the paper, in its order and words.

R <- createLayer1Rules(E, d); W <- initWeights(R); (F, V) <- weightedFacts(E, R, W)
while not StoppingCriterion:
    bestRule  <- ruleLearning(F, V, R)
    bestRules <- predicateInvention(bestRule)
    R <- R u bestRules
    W <- trainWeights(R, E, W)
    (F, V) <- weightedFacts(E, R, W)

Where and why we differ from it is listed in `paper`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from lrnn_cli.allocation import share_free_memory
from lrnn_cli.errors import LimitError
from lrnn_cli.grounding.joins.relations import TooManyRows
from lrnn_cli.structure.latent_rules import create_layer1_rules, predicate_invention
from lrnn_cli.structure.observer import Observer
from lrnn_cli.structure.problem import OutOfTime, Problem
from lrnn_cli.structure.rule_learning import LearnedRules, rule_learning
from lrnn_cli.structure.rules import Rules, Weights, internal_template
from lrnn_cli.structure.selection import SMALL
from lrnn_cli.structure.starts import first_weights, new_weights
from lrnn_cli.structure.state import Iteration, LearningState
from lrnn_cli.structure.weights import TrainedWeights, outputs, train_weights, weighted_facts

UNFINISHED = 0.03, 0.4
"""Where rules leave a part of the loss between these unexplained, Algorithm 1 is run once more; a concept that was
learned leaves half of the first, since outputs do not reach 0 and 1."""
FAR_MORE = 0.5
"""The second run is kept if it leaves less than this part of what the first one leaves."""


def algorithm_1(E: Problem, state: LearningState, observer: Observer) -> Iterator[LearningState]:
    """The states after one iteration and the next; the last one says why it ended, where nothing was found."""
    R, W = state.rules, state.weights
    if not state.iterations:
        R = create_layer1_rules(E)
        W = first_weights(E, R, observer)
    while not stopping_criterion(E, state):
        observer.begin(len(state.iterations) + 1)
        F = weighted_facts(E, R, W)
        search = rule_learning(E, F, R, W, observer, state.groundings)
        R, W = search.rules, search.weights
        if not search.best:
            yield _after_nothing(E, state, search)
            return
        R |= predicate_invention(E, R, search.best)
        trained = train_weights(E, R, new_weights(E, R, W), E.options.epochs)
        W = trained.weights
        state = _after_iteration(E, R, state, search, trained, observer)
        yield state


def stopping_criterion(E: Problem, state: LearningState) -> bool:
    """Enough iterations, or no better validation loss for some."""
    return len(state.iterations) >= E.iterations or bool(_no_better(E, state))


def learn_rules(E: Problem, state: LearningState | None = None, observer: Observer | None = None) -> LearningState:
    """Run Algorithm 1 from its beginning, or from the state after an iteration, and train what it has learned.

    Where rules explain most of the targets but not all, a concept is there that was not found as a whole. It is run
    once more, with other draws, and what explains far more is kept. When time is over, it is the state after the last
    whole iteration.
    """
    share_free_memory()
    observer = Observer() if observer is None else observer
    state = _learned(E, LearningState(Rules(), {}) if state is None else state, observer)
    if not _is_worth_another_run(E, state):
        return state
    observer.status("most of the targets is explained: once more, with other draws")
    states: list[LearningState] = []
    other = replace(E, random=np.random.default_rng([E.options.seed, 6]))
    second = _learned(other, LearningState(Rules(), {}), observer.without_keeping(states.append))
    if not second.iterations or unexplained(E, second) >= FAR_MORE * unexplained(E, state):
        return state
    for kept in states:
        observer.keep(other, kept)
    return second


def unexplained(E: Problem, state: LearningState) -> float:
    """The part of the squared loss of the frequencies of targets that rules leave."""
    target = E.queries.target
    frequency = np.bincount(E.queries.predicate_index, target) / np.bincount(E.queries.predicate_index)
    error = outputs(E, state.rules, state.weights, E.queries) - target
    return float((error**2).sum() / ((target - frequency[E.queries.predicate_index]) ** 2).sum())


def _is_worth_another_run(E: Problem, state: LearningState) -> bool:
    if not state.iterations or E.options.restarts == 0 or E.queries.count > SMALL:
        return False
    low, high = UNFINISHED
    return low < unexplained(E, state) < high


def _learned(E: Problem, state: LearningState, observer: Observer) -> LearningState:
    """One run of Algorithm 1, and the training at its end."""
    try:
        for state in algorithm_1(E, state, observer):  # noqa: B020
            if not state.reason:
                observer.keep(E, state)
        state = replace(state, reason=state.reason or _no_better(E, state))
        if state.iterations:
            state = final_training(E, state, observer)
    except OutOfTime:
        state = stopped_for_time(state)
    except TooManyRows as error:
        raise LimitError(
            f"{E.data.name}: {error.rows:,} groundings of latent predicates take more memory than is allowed; "
            "use a smaller part of the data, or allow more with --memory-limit"
        ) from None
    return state if state.best is None else replace(state, weights=state.best[1])


def final_training(E: Problem, state: LearningState, observer: Observer) -> LearningState:
    """More training of the rules that were learned."""
    R = state.rules
    observer.status(f"final training of {len(internal_template(E, R, state.weights).rules)} rules")
    trained = train_weights(E, R, state.weights, E.options.final_epochs)
    _, best = _validated(E, R, trained.weights, state.best)
    return replace(state, weights=trained.weights, best=best, history=trained.history, groundings=trained.groundings)


def stopped_for_time(state: LearningState) -> LearningState:
    return replace(state, reason="the time of --budget is over", remedy="allow more with --budget")


def _after_iteration(
    E: Problem, R: Rules, state: LearningState, search: LearnedRules, trained: TrainedWeights, observer: Observer
) -> LearningState:
    loss, best = _validated(E, R, trained.weights, state.best)
    number, invented = len(state.iterations) + 1, len(R.latent) - len(search.rules.latent)
    figures = invented, search.tried, trained.loss, loss
    iteration = observer.end(E, Iteration(number, list(search.best), *figures, ahead=search.ahead))
    return replace(
        state,
        rules=R,
        weights=trained.weights,
        iterations=(*state.iterations, iteration),
        best=best,
        history=trained.history,
        groundings=trained.groundings,
    )


def _after_nothing(E: Problem, state: LearningState, search: LearnedRules) -> LearningState:
    """The end: why an iteration found no rule, and what to do about it."""
    remedy = state.remedy
    if search.tried:
        reason = f"none of {search.tried} candidates raises the log likelihood by {E.options.gain:g}"
    elif state.iterations:
        reason = "the rules explain all targets"
    elif search.too_large:
        reason = "all candidate rules have too many groundings"
        remedy = "allow more with --groundings or --memory-limit"
    else:
        reason = "no candidate rule has groundings"
        remedy = "allow more --variables or --length, or look at the data with `lrnn check`"
    state = replace(state, rules=search.rules, weights=search.weights)
    return replace(state, reason=reason, remedy=remedy, nearest=search.nearest)


def _validated(
    E: Problem, R: Rules, W: Weights, best: tuple[float, Weights] | None
) -> tuple[float | None, tuple[float, Weights] | None]:
    """The mean loss on queries held out, if there are any, and the least one so far with its weights."""
    if E.held_out is None:
        return None, best
    losses = E.kind.loss(E.options.loss).value(outputs(E, R, W, E.held_out), E.held_out.target)
    loss = float(losses.sum() / len(np.unique(E.held_out.groups())))
    return loss, (loss, W) if best is None or loss < best[0] else best


def _no_better(E: Problem, state: LearningState) -> str:
    """That the validation loss has not fallen for some iterations; empty where it has."""
    losses = [item.validation_loss for item in state.iterations if item.validation_loss is not None]
    patience = E.options.patience
    if len(losses) > patience and min(losses[-patience:]) >= min(losses[:-patience]):
        return f"the validation loss has not fallen for {patience} iterations"
    return ""

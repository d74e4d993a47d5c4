"""Algorithm 1 over frozen rules and weights: no step changes what it is given; an observer keeps iterations."""

from __future__ import annotations

import numpy as np
import pytest
from test_learning import BIAS, first_layer, problem, rings

from lrnn_cli.hypotheses.bodies import Candidate, Shape
from lrnn_cli.structure import algorithm
from lrnn_cli.structure.algorithm import algorithm_1, learn_rules, unexplained
from lrnn_cli.structure.latent_rules import predicate_invention
from lrnn_cli.structure.observer import Observer
from lrnn_cli.structure.options import StructureOptions
from lrnn_cli.structure.problem import Problem
from lrnn_cli.structure.rules import Rules, written_template
from lrnn_cli.structure.starts import new_weights
from lrnn_cli.structure.state import LearningState
from lrnn_cli.structure.weights import weighted_facts

SMALL = StructureOptions(iterations=2, epochs=5, final_epochs=3, gain=0.0, length=3, variables=2)


def bond_of(E: Problem, layer: int, name: str) -> Candidate:
    (head,) = E.targets
    bond = next(predicate for predicate in E.others if predicate.name == "bond")
    return Candidate(Shape(head, ((bond, (0, 1)),), (((0,), layer),)), (name,))


def test_states_stay_as_they_were() -> None:
    """What was yielded after an iteration is the same when the algorithm has ended, and is what the observer keeps."""
    E = problem(rings(BIAS, 24), SMALL)
    states, weights = [], []
    for state in algorithm_1(E, LearningState(Rules(), {}), Observer()):
        states.append(state)
        weights.append(dict(state.weights))
    assert [len(state.iterations) for state in states] == [1, 2]
    assert [dict(state.weights) for state in states] == weights
    assert weights[0] != {name: weights[1][name] for name in weights[0]}
    assert states[1].rules.latent[: len(states[0].rules.latent)] == states[0].rules.latent
    kept: list[LearningState] = []
    E = problem(rings(BIAS, 24), SMALL)
    last = learn_rules(E, None, Observer(keep=lambda E, state: kept.append(state)))
    assert [dict(state.weights) for state in kept] == weights
    assert last.rules == kept[-1].rules
    assert last.weights != kept[-1].weights


def test_a_state_is_gone_on_with() -> None:
    """From the state after the first iteration, and its draws, learning ends in the same model."""
    E = problem(rings(BIAS, 24), SMALL)
    kept: list[tuple[LearningState, object]] = []
    whole = learn_rules(E, None, Observer(keep=lambda E, state: kept.append((state, E.random.bit_generator.state))))
    other = problem(rings(BIAS, 24), SMALL)
    state, other.random.bit_generator.state = kept[0]  # type: ignore[assignment]
    again = learn_rules(other, state)
    assert written_template(other, again.rules, again.weights) == written_template(E, whole.rules, whole.weights)


@pytest.mark.parametrize(("enough", "second"), [(np.inf, True), (0.0, False)])
def test_what_explains_most_is_learned_once_more(enough: float, second: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other run, with draws of its own, is kept, iterations too, if it leaves less than a part of what is left."""
    first: list[LearningState] = []
    once = learn_rules(problem(rings(BIAS, 24), SMALL), None, Observer(keep=lambda E, state: first.append(state)))
    monkeypatch.setattr(algorithm, "UNFINISHED", (0.0, np.inf))
    monkeypatch.setattr(algorithm, "FAR_MORE", enough)
    E = problem(rings(BIAS, 24), SMALL)
    kept: list[LearningState] = []
    state = learn_rules(E, None, Observer(keep=lambda E, state: kept.append(state)))
    assert [kept_state.weights for kept_state in kept[: len(first)]] == [kept_state.weights for kept_state in first]
    assert (len(kept) > len(first)) == second
    assert (state.weights != once.weights) == second
    assert state.rules == kept[-1].rules


def test_what_is_unexplained_is_a_part_of_the_loss_of_the_frequency() -> None:
    """A bias of .5 makes all outputs sigm(6 * (.5 - .5)) = .5, and losses .25; 7 of 24 queries are positive."""
    E = problem(rings(BIAS, 24), SMALL)
    assert E.queries.target.sum() == 7.0
    (bias,) = [rule for rule in map(E.bias, E.targets) if rule is not None]
    state = LearningState(Rules(), {bias.clause: 0.5})
    assert unexplained(E, state) == pytest.approx(0.25 / (7 * 17 / 24**2))


def test_facts_of_several_models_side_by_side() -> None:
    """Columns of one are the same after those of another, with other classes and weights, were computed."""
    E = problem(rings(BIAS, 20), StructureOptions(layers=3))
    R, W = first_layer(E)
    body = bond_of(E, 1, "latent_1_1")
    R |= predicate_invention(E, R, [(body, 0.5)])
    W = new_weights(E, R, {**W, body.rule().clause: 1.0})
    F = weighted_facts(E, R, W)
    second = bond_of(E, 2, "latent_2_1")
    before = F.column(second)
    # The same predicates derive atoms of all objects now, and mean something else.
    more = Candidate(Shape(body.shape.head, (), (((0,), 1),)), ("latent_1_2",))
    R2 = R | predicate_invention(E, R, [(more, 0.5)])
    W2 = {**new_weights(E, R2, W), **{rule.clause: 0.7 for rule in R2.latent}}
    F2 = weighted_facts(E, R2, W2)
    assert (F.column(second) == before).all()
    assert np.abs(F2.column(second) - before).max() > 0.01
    assert (F.column(second) == before).all()


def test_rules_are_united() -> None:
    """Target rules of a predicate follow each other; those that were there stay in front."""
    E = problem(rings(BIAS, 20), StructureOptions())
    first, second = bond_of(E, 1, "latent_1_1"), bond_of(E, 1, "latent_1_2")
    head = first.shape.head
    R, _ = first_layer(E)
    united = R | Rules(targets={head: (first,)}) | Rules(targets={head: (second,)})
    assert united.targets_of(head) == (first, second)
    assert united.latent == R.latent
    assert R.targets_of(head) == ()

"""Compiled steps against those of NumPy: on random programs, on samples worked out by hand, and on bundled data.

The two compute the same sums and products in different orders, so after one step they agree to 1e-12. Random programs
are those of `test_semantics.py`.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from conftest import Folder
from hypothesis import given
from hypothesis import strategies as st
from naive import Program
from test_damaged_files import SMALL_CODE
from test_semantics import DEEP, acyclic, grounded, network_gradient, programs, tried, weights_of

from lrnn_cli.errors import TrainingError
from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder
from lrnn_cli.grounding.groundings import Groundings
from lrnn_cli.grounding.session import GroundingSession
from lrnn_cli.network.bundles import bundled, parts_of
from lrnn_cli.network.network import Network, compile_network
from lrnn_cli.semantics.activations import ACTIVATIONS
from lrnn_cli.semantics.aggregations import AGGREGATIONS
from lrnn_cli.semantics.losses import LOSSES
from lrnn_cli.training import backends
from lrnn_cli.training.backends import choose_backend
from lrnn_cli.training.compilation import machine_code, njit
from lrnn_cli.training.compiled import CompiledSteps
from lrnn_cli.training.loop import Trained, train_weights
from lrnn_cli.training.machine_code import KeptCode
from lrnn_cli.training.optimisers import OPTIMISERS
from lrnn_cli.training.options import TrainingOptions
from lrnn_cli.training.steps import NumpySteps, Steps, Weights

ROOT = Path(__file__).resolve().parents[1]
DATASETS = ROOT / "datasets"
LARGE = "setting(steepness, 1000.0).\n"


@pytest.fixture(scope="module")
def grounder() -> Iterator[GroundingSession]:
    with open_grounder("swi", GrounderOptions()) as opened:
        yield opened


def queries_by_example(network: Network) -> list[np.ndarray]:
    return [(network.query_example == example).nonzero()[0] for example in np.unique(network.query_example)]


def both(network: Network, loss: str) -> tuple[NumpySteps, CompiledSteps]:
    queries_of = queries_by_example(network)
    return NumpySteps(network, LOSSES[loss], queries_of, False), CompiledSteps(network, LOSSES[loss], queries_of)


def weights_in_training(values: np.ndarray, optimiser: str, l2: float = 0.0) -> Weights:
    """Weights of which the first is not trained."""
    trainable = np.arange(len(values)) > 0
    return Weights(values.copy(), trainable, OPTIMISERS[optimiser](0.05, len(values)), l2)


def close(found: np.ndarray | list[float], expected: np.ndarray | list[float]) -> bool:
    """To 1e-12, in relation to the largest number."""
    scale = max(1e-3, float(np.abs(np.asarray(expected)).max(initial=0.0)))
    return bool(np.allclose(found, expected, rtol=1e-12, atol=1e-12 * scale))


# Random programs


@pytest.mark.parametrize("loss", ["squared", "log"])
@tried(40)
@given(program=programs(least=2), source=st.randoms(use_true_random=False))
def test_random_programs(grounder: GroundingSession, loss: str, program: Program, source: random.Random) -> None:
    groundings, weights = acyclic(grounder, program)
    for compress in (True, False):
        network = compile_network(groundings, compress)
        reference, steps = both(network, loss)
        check_gradient(reference, steps, weights)
        check_parts(network)
        for batch_size in (1, 2):
            check_steps(reference, steps, weights, batch_size, source)


def check_gradient(reference: NumpySteps, steps: CompiledSteps, weights: np.ndarray) -> None:
    expected_loss, expected = reference.loss_and_gradient(weights)
    found_loss, found = steps.loss_and_gradient(weights)
    assert found_loss == pytest.approx(expected_loss, rel=1e-12)
    assert steps.mean_loss(weights) == found_loss
    assert close(found, expected)


def check_steps(
    reference: NumpySteps, steps: CompiledSteps, start: np.ndarray, batch_size: int, source: random.Random
) -> None:
    """A pass over the examples in some order, with some optimiser, and one more step."""
    optimiser, l2 = source.choice(["sgd", "adam"]), source.choice([0.0, 0.01])
    examples = len(reference.queries_of)
    order = np.array(source.sample(range(examples), examples))
    order[:batch_size].sort()
    expected, found = (weights_in_training(start, optimiser, l2) for _ in range(2))
    for some in (order, order[:1]):
        reference.run(expected, some, batch_size)
        steps.run(found, some, batch_size)
    assert found.values[0] == start[0]
    if optimiser == "sgd":
        assert close(found.values, expected.values)
    else:
        # Adam's first steps have the size of the learning rate however small a gradient is, also one of 1e-18.
        clear = np.abs(expected.optimiser.mean) > 1e-9
        assert close(found.values[clear], expected.values[clear])
    assert close(found.optimiser.mean, expected.optimiser.mean)
    assert found.optimiser.steps.tolist() == expected.optimiser.steps.tolist()


def check_parts(network: Network) -> None:
    """The atoms and neurons of each example are as many as those of the network restricted to its queries.

    Neurons whose body atoms are all crisp are constant, so they are left out.
    """
    bundles = bundled(network)
    queries_of = queries_by_example(network)
    parts = parts_of(network, bundles, queries_of)
    rules = np.diff(bundles.rule_start)[bundles.column_bundle]
    for number, queries in enumerate(queries_of):
        part = network.restricted(queries)
        begin, end = number * bundles.levels, (number + 1) * bundles.levels
        atoms = parts.atom[parts.atom_start[begin] : parts.atom_start[end]]
        columns = parts.column[parts.column_start[begin] : parts.column_start[end]]
        assert len(set(atoms.tolist())) == len(atoms) == part.atoms - 1
        assert len(set(columns.tolist())) == len(columns)
        assert rules[columns].sum() == sum(level.body_atom.any(0).sum() for level in part.levels)
        assert parts.query[parts.query_start[number] : parts.query_start[number + 1]].tolist() == queries.tolist()


# Programs with something special


@pytest.mark.parametrize("family", ACTIVATIONS)
@pytest.mark.parametrize("aggregation", AGGREGATIONS)
@pytest.mark.parametrize("loss", LOSSES)
def test_deep_program(grounder: GroundingSession, family: str, aggregation: str, loss: str) -> None:
    """Five levels, recursion, learned facts: all rules matter, and the two agree on all of the gradient."""
    program = replace(DEEP, family=family, aggregation=aggregation)
    groundings = grounded(grounder, program.template_text(), program.data_text())
    network, weights = compile_network(groundings), weights_of(groundings)
    _, gradient = CompiledSteps(network, LOSSES[loss], queries_by_example(network)).loss_and_gradient(weights)
    assert (gradient[1:] != 0.0).all()
    assert close(gradient * len(network.target), network_gradient(network, weights, loss))


def agree(groundings: Groundings, weights: np.ndarray | None = None) -> CompiledSteps:
    """Loss, gradient and a step of each kind agree."""
    network = compile_network(groundings)
    values = weights_of(groundings) if weights is None else weights
    reference, steps = both(network, "squared")
    expected_loss, expected = reference.loss_and_gradient(values)
    found_loss, found = steps.loss_and_gradient(values)
    assert found_loss == pytest.approx(expected_loss, rel=1e-12, abs=1e-300)
    assert close(found, expected)
    order = np.arange(len(reference.queries_of))
    for optimiser in ("sgd", "adam"):
        after = [weights_in_training(values, optimiser) for _ in range(2)]
        reference.run(after[0], order, 1)
        steps.run(after[1], order, 1)
        assert close(after[1].values, after[0].values)
    return steps


def test_steep_functions_take_sums(grounder: GroundingSession) -> None:
    """With steepness 1000 exp(-1000 * value) is 0: products of such factors would be 0 times infinity."""
    data = "begin(model(m)). c(a). 0.4 :: c(b). c(d). query(p, 1). query(r, 0). end(model(m))."
    groundings = grounded(
        grounder, LARGE + "0.5 :: l(X) :- c(X). 0.7 :: p :- l(X), l(Y), c(X). 0.2 :: r :- l(X).", data
    )
    steps = agree(groundings)
    assert not steps.bundles.products
    assert np.isfinite(steps.loss_and_gradient(weights_of(groundings))[1]).all()


@pytest.mark.parametrize("weight", [1e-3, 12.5, 400.0, -400.0, 5000.0])
def test_large_facts_of_the_family_sigmoid(grounder: GroundingSession, weight: float) -> None:
    """An atom with facts only is as large as they are: 5000 is far beyond what exp can take."""
    data = f"{weight} :: c(a). 0.1 :: c(b). c(d). query(p, 1)."
    steps = agree(grounded(grounder, "setting(activation, sigmoid). 0.5 :: p :- c(X), c(Y).", data))
    assert steps.bundles.products == (abs(weight) < 100.0)


def test_learned_facts_of_the_family_sigmoid(grounder: GroundingSession) -> None:
    """A learned fact in a body can grow without bound while the network stays the same."""
    groundings = grounded(
        grounder, "setting(activation, sigmoid). 0.5 :: l(a). -0.5 :: p :- l(X), c(X).", "c(a). query(p, 1)."
    )
    for weight in (0.5, 2000.0, -2000.0):
        assert not agree(groundings, np.array([weight, 0.8])).bundles.products


def test_queries_without_atom(grounder: GroundingSession) -> None:
    """r is underivable in both examples, p in the second: it costs, but it has no gradient."""
    data = (
        "begin(model(m1)). c(a). query(p, 1). query(r, 1). end(model(m1)). "
        "begin(model(m2)). query(p, 0). query(r, 0). end(model(m2))."
    )
    agree(
        grounded(
            grounder, "0.5 :: p :- c(X). 0.5 :: r :- e(X, Y).", data + " begin(model(m3)). e(a, b). end(model(m3))."
        )
    )


def test_network_without_neurons(grounder: GroundingSession) -> None:
    """Nothing is derived: sigm(-3) for both queries, and gradient 0."""
    groundings = grounded(grounder, "0.5 :: p :- e(X, Y).", "c(a). query(p, 0). query(p, 0).")
    network = compile_network(groundings)
    assert network.rule_neurons == 0
    steps = CompiledSteps(network, LOSSES["squared"], queries_by_example(network))
    loss, gradient = steps.loss_and_gradient(np.array([0.5]))
    assert loss == pytest.approx(0.04742587317756678**2, rel=1e-12)
    assert gradient.tolist() == [0.0]
    steps.run(weights_in_training(np.array([0.5]), "adam"), np.array([0]), 1)


def test_widths_of_tiles(grounder: GroundingSession) -> None:
    """Bundles of 1 to 9 columns, of 63 to 65 and of 130: whole tiles, widened ones, and what is left over."""
    for columns in (*range(1, 10), 63, 64, 65, 130):
        facts = " ".join(f"{(n + 1) / (columns + 1)} :: c(o{n}). query(p(o{n}), {n % 2})." for n in range(columns))
        rules = "0.3 :: p(X) :- c(X). -0.8 :: p(X) :- c(X), c(Y). 1.5 :: p(X) :- c(X), c(Y)."
        network = compile_network(grounded(grounder, rules, facts))
        assert columns in np.diff(bundled(network).column_start)
        reference, steps = both(network, "log")
        weights = np.array([0.3, -0.8, 1.5])
        assert close(steps.loss_and_gradient(weights)[1], reference.loss_and_gradient(weights)[1])


# Whole trainings


def trainings(groundings: Groundings, **options: object) -> tuple[Trained, Trained]:
    network = compile_network(groundings)
    first, second = (
        train_weights(network, groundings.template.rules, TrainingOptions(backend=backend, **options))  # type: ignore[arg-type]
        for backend in ("numpy", "compiled")
    )
    return first, second


@pytest.fixture(scope="module")
def trains(grounder: GroundingSession) -> Groundings:
    folder = DATASETS / "trains"
    return grounded(grounder, (folder / "template.pl").read_text(), (folder / "trains.pl").read_text())


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"loss": "log", "optimiser": "sgd", "l2": 0.001},
        {"batch_size": 1, "validation": 0.25, "patience": 4},
        {"batch_size": 1, "optimiser": "sgd", "shuffle": False, "restarts": 2},
        {"batch_size": 7, "loss": "log", "reinitialise": True},
    ],
    ids=str,
)
def test_trainings(trains: Groundings, options: dict[str, object]) -> None:
    """Ten epochs on the bundled trains: the same history, but for rounding, and the same order of examples."""
    expected, found = trainings(trains, epochs=10, **options)
    assert len(found.history) == len(expected.history)
    for before, after in zip(expected.history, found.history, strict=True):
        assert after.training_loss == pytest.approx(before.training_loss, rel=1e-9)
        assert after.validation_loss == (before.validation_loss and pytest.approx(before.validation_loss, rel=1e-9))
    assert found.weights.tolist() == pytest.approx(expected.weights, rel=1e-8, abs=1e-8)


def test_short_calls_change_nothing(trains: Groundings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Passes are cut into calls so that Ctrl-C does not wait long; batches stay whole."""
    for batch_size in (1, 3):
        _, whole = trainings(trains, epochs=2, batch_size=batch_size)
        monkeypatch.setattr("lrnn_cli.training.compiled.NEURONS_OF_A_CALL", 1)
        _, cut = trainings(trains, epochs=2, batch_size=batch_size)
        monkeypatch.undo()
        assert cut.weights.tolist() == whole.weights.tolist()


def test_divergence_is_reported(grounder: GroundingSession) -> None:
    groundings = grounded(grounder, "setting(activation, sigmoid). 0.0 :: p.", "query(p, 1).")
    network = compile_network(groundings)
    for batch_size in (0, 1):
        options = TrainingOptions(optimiser="sgd", learning_rate=10.0, batch_size=batch_size, backend="compiled")
        with pytest.raises(TrainingError, match="training diverged"):
            train_weights(network, groundings.template.rules, options)


# The choice of a backend


def chosen(name: str, work: int, network: Network) -> type[Steps]:
    return type(choose_backend(name, LOSSES["squared"], work, False)(network, queries_by_example(network)))


def test_choice_of_a_backend(trains: Groundings) -> None:
    """Short work stays with NumPy."""
    network = compile_network(trains)
    assert chosen("auto", backends.WORTHWHILE - 1, network) is NumpySteps
    assert chosen("auto", backends.WORTHWHILE, network) is CompiledSteps
    assert chosen("numpy", backends.WORTHWHILE, network) is NumpySteps
    assert chosen("compiled", 1, network) is CompiledSteps


def test_amount_of_work(grounder: GroundingSession) -> None:
    """Rule neurons in each epoch, and 800 for each level in each step.

    c(a) and c(b) have weights, so they are a level of their own, l has two rule neurons, and p one for each of the
    four pairs.
    """
    groundings = grounded(
        grounder, "1.0 :: l(X) :- c(X). 1.0 :: p :- l(X), l(Y).", "0.5 :: c(a). 0.7 :: c(b). query(p, 1)."
    )
    network = compile_network(groundings)
    assert backends.amount_of_work(network, 1, 0) == 6
    assert len(network.levels) == 3
    assert backends.amount_of_work(network, 10, 5) == 10 * (6 + 3 * 5 * 800)


def test_without_numba(trains: Groundings, monkeypatch: pytest.MonkeyPatch) -> None:
    """`auto` does without; `compiled` is an error that says what to do."""
    network = compile_network(trains)
    monkeypatch.setitem(sys.modules, "lrnn_cli.training.compiled", None)
    assert chosen("auto", backends.WORTHWHILE, network) is NumpySteps
    with pytest.raises(TrainingError, match=r"needs numba.*pip install 'lrnn\[fast\]'.*--backend numpy"):
        choose_backend("compiled", LOSSES["squared"], 1, False)
    monkeypatch.setattr(backends, "find_spec", lambda name: None)
    assert chosen("auto", backends.WORTHWHILE, network) is NumpySteps


# The command


def test_command(folder: Folder) -> None:
    """Both backends end in the same model but for the last digits; the same one gives the same bytes."""
    trains = DATASETS / "trains"
    assert folder.run("ground", str(trains / "template.pl"), str(trains / "trains.pl"), "-o", "g.npz").code == 0
    for name, backend in (("numpy", "numpy"), ("first", "compiled"), ("second", "compiled")):
        options = ["--batch-size", "1", "--epochs", "3", "--quiet", "--backend", backend]
        assert folder.run("train", "g.npz", "-o", f"{name}.pl", *options).code == 0
    assert folder.read("first.pl") == folder.read("second.pl")
    models = [[float(line.split(" ::")[0]) for line in folder.read(f"{name}.pl").splitlines() if " :: " in line]
              for name in ("numpy", "first")]  # fmt: skip
    assert len(models[0]) == 11
    assert models[1] == pytest.approx(models[0], rel=1e-9)


class Pair(NamedTuple):
    values: np.ndarray
    factor: float


def scaled(pair: Pair, places: np.ndarray, negative: bool, shift: int) -> float:
    """All kinds of arguments that compiled code takes."""
    total = 0.0
    for place in places:
        total += pair.values[place] * pair.factor
    pair.values[0] = shift
    return -total if negative else total


def test_machine_code_takes_its_arguments(folder: Folder) -> None:
    """In named tuples and alone; arrays are changed in place. (1 + 3) * 0.5 and its negative."""
    code = KeptCode("scaled", [folder.path / "none.py"], partial(machine_code, njit(scaled)))
    assert not code.is_there
    values = np.array([1.0, 2.0, 3.0])
    places = np.array([0, 2], np.int32)
    assert code(Pair(values, 0.5), places, False, 7) == 2.0
    assert values.tolist() == [7.0, 2.0, 3.0]
    assert code(Pair(np.array([1.0, 2.0, 3.0]), 0.5), places, True, 7) == -2.0
    kept = KeptCode("scaled", [folder.path / "none.py"], partial(machine_code, pytest.fail))
    assert kept.is_there
    assert kept(Pair(np.array([1.0, 2.0, 3.0]), 0.5), places, True, 7) == -2.0
    with pytest.raises(TypeError, match="int64"):
        kept(Pair(np.array([1, 2, 3]), 0.5), places, True, 7)


def test_machine_code_that_another_process_has_compiled(folder: Folder) -> None:
    """Both began when there was none; the second takes what the first has made meanwhile."""
    first = KeptCode("scaled", [folder.path / "none.py"], partial(machine_code, njit(scaled)))
    second = KeptCode("scaled", [folder.path / "none.py"], partial(machine_code, pytest.fail))
    arguments = (np.array([0, 2], np.int32), True, 7)
    assert first(Pair(np.array([1.0, 2.0, 3.0]), 0.5), *arguments) == -2.0
    assert not second.is_there
    assert second(Pair(np.array([1.0, 2.0, 3.0]), 0.5), *arguments) == -2.0


def test_machine_code_leaves_names_to_others() -> None:
    """What functions of numba and of Python are linked to there must not be found by what numba compiles later."""
    values, places = np.array([1.0, 2.0]), np.array([0], np.int32)
    code = machine_code(njit(scaled), (Pair(values, 0.5), places, False, 7))
    assert code.unused
    assert all(name.startswith("lrnn_unused_") for name in code.unused)


def test_folder_of_compiled_code_that_is_none(folder: Folder) -> None:
    """NUMBA_CACHE_DIR is below a file, so nothing can be kept there."""
    folder.write({"file": "no folder", "small.py": SMALL_CODE})
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder.path / "file" / "cache")}
    command = [sys.executable, "small.py"]
    result = subprocess.run(command, cwd=folder.path, env=environment, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (0, "285.0\n", "")


def test_help_names_the_backends(folder: Folder) -> None:
    assert "--backend [auto|numpy|compiled]" in folder.run("train", "--help").stdout


def test_loading_takes_no_numba(folder: Folder) -> None:
    """The code is there from the tests before: a process that trains imports LLVM only."""
    trains = DATASETS / "trains"
    assert folder.run("ground", str(trains / "template.pl"), str(trains / "trains.pl"), "-o", "g.npz").code == 0
    program = (
        "import sys; from lrnn_cli import load_groundings, train; "
        "train(load_groundings('g.npz'), epochs=1, backend='compiled'); print('numba' in sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", program]
    for expected in (None, "False\n"):
        done = subprocess.run(command, cwd=folder.path, env=environment, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert expected in (None, done.stdout)

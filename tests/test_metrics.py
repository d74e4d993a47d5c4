"""Metrics and their intervals, by hand and by a second method; folds of crossvalidation."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from lrnn_cli.commands import cli
from lrnn_cli.errors import LrnnError
from lrnn_cli.evaluation.folds import assign_folds, choose_examples
from lrnn_cli.evaluation.metrics import Metrics, auc_pr, auc_roc, evaluate_outputs, newcombe, wilson
from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder
from lrnn_cli.grounding.session import GroundingSession
from lrnn_cli.language.data import DataSet
from lrnn_cli.language.files import Source

# Metrics


def metrics_of(output: Sequence[float], target: Sequence[float]) -> Metrics:
    return evaluate_outputs(np.array(output), np.array(target))


def test_accuracy_and_losses() -> None:
    """Five queries; predicted positive is 0.9 only, positive are targets 1, 1 and 0.6. Right are 0.9, 0.2 and 0.5.

    Squares: 0.01 + 0.36 + 0.09 + 0.04 + 0.25 = 0.75, mean 0.15.
    Log losses: -ln 0.9 - ln 0.4 - (0.6 ln 0.3 + 0.4 ln 0.7) - ln 0.8 - ln 0.5
              = 0.1053605 + 0.9162907 + 0.8650535 + 0.2231436 + 0.6931472 = 2.8029955, mean 0.5605991.
    """
    metrics = metrics_of([0.9, 0.4, 0.3, 0.2, 0.5], [1, 1, 0.6, 0, 0])
    values = metrics.values
    assert list(values) == [
        "accuracy",
        "error",
        "auc_roc",
        "auc_pr",
        "log_loss",
        "squared_loss",
        "queries",
        "positives",
        "majority",
    ]
    assert (values["queries"], values["positives"], values["majority"]) == (5, 3, 0.6)
    assert values["accuracy"] == pytest.approx(0.6, abs=1e-12)
    assert values["error"] == pytest.approx(0.4, abs=1e-12)
    assert values["squared_loss"] == pytest.approx(0.15, abs=1e-12)
    assert values["log_loss"] == pytest.approx(0.5605991, abs=1e-7)
    # The deviation of 0.01, 0.36, 0.09, 0.04, 0.25 from 0.15: squares 0.0196 + 0.0441 + 0.0036 + 0.0121 + 0.01 =
    # 0.0894, over 4 = 0.02235, over 5 = 0.00447, root 0.0668581, times 1.959964 = 0.1310395.
    assert metrics.intervals["squared_loss"] == pytest.approx((0.15 - 0.1310395, 0.15 + 0.1310395), abs=1e-6)


def test_half_is_negative() -> None:
    """An output or a target of exactly 0.5 is not above 0.5."""
    values = metrics_of([0.5, 0.5, 0.51], [0.5, 1.0, 1.0]).values
    assert values["positives"] == 2
    assert values["accuracy"] == pytest.approx(2 / 3)


def test_areas_with_ties() -> None:
    """Positives 0.9, 0.8, 0.5, negatives 0.8, 0.3.

    Of 6 pairs 4 are in order, one is a tie: 4.5 / 6. Precision is 1/1 at 0.9, 2/3 at 0.8 and 3/4 at 0.5, each adding
    a recall of 1/3: (1 + 2/3 + 3/4) / 3 = 29/36.
    """
    values = metrics_of([0.9, 0.8, 0.8, 0.5, 0.3], [1, 1, 0, 1, 0]).values
    assert values["auc_roc"] == pytest.approx(0.75, abs=1e-12)
    assert values["auc_pr"] == pytest.approx(29 / 36, abs=1e-12)


def test_areas_at_their_ends() -> None:
    """Perfect order, reversed order (precision 1/3 and 2/4 at the positives), and all outputs equal."""
    target = [0, 0, 1, 1]
    perfect = metrics_of([0.1, 0.2, 0.3, 0.4], target).values
    reverse = metrics_of([0.4, 0.3, 0.2, 0.1], target).values
    equal = metrics_of([0.7] * 4, target).values
    assert (perfect["auc_roc"], perfect["auc_pr"]) == (1.0, 1.0)
    assert reverse["auc_roc"] == 0.0
    assert reverse["auc_pr"] == pytest.approx((1 / 3 + 2 / 4) / 2)
    assert (equal["auc_roc"], equal["auc_pr"]) == (0.5, 0.5)


ranked = st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=2, max_size=30).filter(
    lambda pairs: len({positive for _, positive in pairs}) == 2
)


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(pairs=ranked)
def test_areas_by_a_second_method(pairs: list[tuple[int, bool]]) -> None:
    """The area under the ROC curve by counting pairs, average precision by going through thresholds."""
    output = [value / 7 for value, _ in pairs]
    positive = [is_positive for _, is_positive in pairs]
    above = [value for value, chosen in zip(output, positive, strict=True) if chosen]
    below = [value for value, chosen in zip(output, positive, strict=True) if not chosen]
    won = sum(1.0 if p > n else 0.5 if p == n else 0.0 for p in above for n in below)
    assert auc_roc(np.array(output), np.array(positive)) == pytest.approx(won / (len(above) * len(below)), abs=1e-12)
    average = 0.0
    recall = 0.0
    for threshold in sorted(set(output), reverse=True):
        chosen = [is_positive for value, is_positive in zip(output, positive, strict=True) if value >= threshold]
        average += (sum(chosen) / len(above) - recall) * sum(chosen) / len(chosen)
        recall = sum(chosen) / len(above)
    assert auc_pr(np.array(output), np.array(positive)) == pytest.approx(average, abs=1e-12)


@pytest.mark.parametrize(("target", "word"), [(1.0, "positive"), (0.0, "negative")])
def test_one_class_only(target: float, word: str) -> None:
    """The areas are undefined, with the reason; all else is there."""
    metrics = metrics_of([0.9, 0.2], [target, target])
    assert metrics.values["auc_roc"] is None and metrics.values["auc_pr"] is None
    assert metrics.reasons == dict.fromkeys(("auc_roc", "auc_pr"), f"all 2 queries are {word}")
    assert "auc_roc" not in metrics.intervals
    assert metrics.values["accuracy"] == 0.5
    assert metrics.values["majority"] == 1.0


def test_targets_outside_0_to_1() -> None:
    """They are numbers then: there is no accuracy to report."""
    metrics = metrics_of([0.9, 0.2], [3.0, 0.0])
    assert "accuracy" not in metrics.values and "log_loss" not in metrics.values
    assert metrics.values["rmse"] == pytest.approx(math.sqrt((2.1**2 + 0.2**2) / 2))
    assert metrics.values["squared_loss"] == pytest.approx((4.41 + 0.04) / 2, abs=1e-12)


def test_one_query() -> None:
    """One query has no deviation, so its losses have no interval."""
    metrics = metrics_of([0.9], [1.0])
    assert metrics.values["squared_loss"] == pytest.approx(0.01, abs=1e-12)
    assert set(metrics.intervals) == {"accuracy", "error"}


# Intervals, with z = 1.959964 and z^2 = 3.841459


def test_wilson_by_hand() -> None:
    """8 of 10: (0.8 + z^2/20) / (1 + z^2/10) = 0.992073 / 1.384146 = 0.716740, plus or minus
    z sqrt(0.8 * 0.2 / 10 + z^2 / 400) / 1.384146 = 1.959964 * 0.160011 / 1.384146 = 0.226578.

    None of 10: from 0 to z^2 / (10 + z^2) = 3.841459 / 13.841459 = 0.277533.
    """
    assert wilson(8, 10) == pytest.approx((0.490162, 0.943318), abs=1e-6)
    assert wilson(0, 10) == pytest.approx((0.0, 0.277533), abs=1e-6)
    assert wilson(10, 10) == pytest.approx((0.722467, 1.0), abs=1e-6)


@pytest.mark.parametrize(("successes", "trials"), [(1, 2), (3, 7), (50, 60), (999, 1000)])
def test_wilson_by_its_definition(successes: int, trials: int) -> None:
    """Its ends are the proportions p from which what was seen is z standard deviations of p away."""
    for end in wilson(successes, trials):
        away = abs(successes / trials - end) / math.sqrt(end * (1 - end) / trials)
        assert away == pytest.approx(1.959963984540054, abs=1e-9)


def test_error_interval_mirrors_accuracy() -> None:
    metrics = metrics_of([0.9, 0.9, 0.9, 0.1], [1, 1, 0, 0])
    low, high = wilson(3, 4)
    assert metrics.intervals["accuracy"] == (low, high)
    assert metrics.intervals["error"] == pytest.approx((1 - high, 1 - low), abs=1e-15)


def test_intervals_of_areas_by_hand() -> None:
    """One positive and one negative: the variance of an area t is t (1 - t).

    From an area of 1: (1 - t)^2 = z^2 t (1 - t), so t = 1 / (1 + z^2) = 1 / 4.841459 = 0.2065493. From one of 1/2:
    (1/2 - t)^2 = z^2 t (1 - t), so (t - 1/2)^2 (1 + z^2) = z^2 / 4, and t = 1/2 -+ 1.959964 / 2 / 2.200332.
    """
    assert newcombe(1.0, 1, 1) == pytest.approx((0.2065493, 1.0), abs=1e-7)
    assert newcombe(0.0, 1, 1) == pytest.approx((0.0, 1 - 0.2065493), abs=1e-7)
    assert newcombe(1.0, 5, 5)[1] == 1.0 and newcombe(0.0, 5, 5)[0] == 0.0
    assert newcombe(0.5, 1, 1) == pytest.approx((0.5 - 0.4453792, 0.5 + 0.4453792), abs=1e-6)


@pytest.mark.parametrize("area", [0.0, 0.02, 0.3, 0.5, 0.7, 0.9, 1.0])
@pytest.mark.parametrize(("positives", "negatives"), [(1, 1), (5, 5), (10, 20), (300, 2)])
def test_ends_of_intervals_of_areas(area: float, positives: int, negatives: int) -> None:
    """From an end the area is z standard errors away, and Hanley and McNeil's form of the variance gives the same."""
    low, high = newcombe(area, positives, negatives)
    assert 0.0 <= low <= area <= high <= 1.0 and low < high
    size = (positives + negatives) / 2
    for end in {low, high} - {0.0, 1.0}:
        q1, q2 = end / (2 - end), 2 * end**2 / (1 + end)
        variance = end * (1 - end) + (size - 1) * (q1 - end**2 + q2 - end**2)
        assert abs(area - end) == pytest.approx(1.959964 * (variance / (positives * negatives)) ** 0.5, abs=1e-6)


def test_intervals_of_areas_cover() -> None:
    """Two normal classes with a true area of 0.97, 15 queries of each: 93 of 100 intervals hold it, or more."""
    random = np.random.default_rng(1)
    distance = 2.659816  # The normal quantile of 0.97 is 1.880794, times the root of 2.
    held = 0
    for _ in range(1000):
        output = np.concatenate([random.normal(distance, 1, 15), random.normal(0, 1, 15)])
        low, high = newcombe(auc_roc(output, np.arange(30) < 15), 15, 15)
        held += low <= 0.97 <= high
    assert held >= 930


# The command


def evaluated(folder: Path, template: str, data: str, *options: str) -> Result:
    (folder / "model.pl").write_text(template)
    (folder / "data.pl").write_text(data)
    files = [str(folder / "model.pl"), str(folder / "data.pl")]
    return CliRunner().invoke(cli, ["evaluate", *files, "--jobs", "1", *options])


# In the family sigmoid the output for a weighted fact is its weight.
WEIGHTS = "setting(activation, sigmoid).\n1.0 :: p :- c(X).\n"


def test_evaluate_json(tmp_path: Path) -> None:
    """The numbers of `test_areas_with_ties`, through the command."""
    facts = [("a", 0.9, 1), ("b", 0.8, 1), ("d", 0.8, 0), ("e", 0.5, 1), ("f", 0.3, 0)]
    data = " ".join(f"{weight} :: c({name}). query(c({name}), {target})." for name, weight, target in facts)
    result = evaluated(tmp_path, WEIGHTS, data, "--json")
    assert result.exit_code == 0, result.output
    metrics = json.loads(result.stdout)
    assert metrics["auc_roc"] == pytest.approx(0.75, abs=1e-12)
    assert metrics["auc_pr"] == pytest.approx(29 / 36, abs=1e-12)
    # Right are 0.9, 0.8 and 0.3: 3 of 5. Squares 0.01 + 0.04 + 0.64 + 0.25 + 0.09 = 1.03.
    assert metrics["accuracy"] == pytest.approx(0.6, abs=1e-12)
    assert metrics["squared_loss"] == pytest.approx(1.03 / 5, abs=1e-12)
    assert (metrics["queries"], metrics["positives"]) == (5, 3)
    assert metrics["intervals_95"]["accuracy"] == pytest.approx(list(wilson(3, 5)), abs=1e-12)


def test_evaluate_one_class(tmp_path: Path) -> None:
    """Undefined metrics are null, and the reason goes to standard error."""
    result = evaluated(tmp_path, WEIGHTS, "0.9 :: c(a). query(c(a), 1).", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["auc_roc"] is None
    assert "auc_roc is undefined: all 1 queries are positive" in result.stderr


def test_evaluate_without_queries(tmp_path: Path) -> None:
    """A fold without queries is a fault of the data: a message, not a division by zero."""
    data = (
        "begin(model(m1)). fold(1). c(a). query(p, 1). end(model(m1)). begin(model(m2)). fold(2). c(a). end(model(m2))."
    )
    result = evaluated(tmp_path, WEIGHTS, data, "--fold", "2")
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == 1
    assert "quer" in result.output


# Folds


@pytest.fixture(scope="module")
def grounder() -> Iterator[GroundingSession]:
    with open_grounder("swi", GrounderOptions()) as opened:
        yield opened


def data_set(grounder: GroundingSession, targets: Sequence[Sequence[float]], folds: Sequence[int] = ()) -> DataSet:
    """Examples with these targets; with folds, fold(K) facts where K is not 0."""
    blocks = []
    for number, queries in enumerate(targets):
        items = [f"query(p, {target})." for target in queries]
        if folds and folds[number]:
            items.append(f"fold({folds[number]}).")
        blocks.append("\n".join([f"begin(model(m{number})).", "c(a).", *items, f"end(model(m{number}))."]))
    return grounder.load(Source("data.pl", "\n".join(blocks).encode()))


@pytest.mark.parametrize(
    ("classes", "folds"), [((20, 10), 5), ((7, 5), 4), ((3, 1), 2), ((11, 2, 5), 3), ((1, 1), 2), ((9,), 10 - 1)]
)
def test_folds_are_stratified(grounder: GroundingSession, classes: tuple[int, ...], folds: int) -> None:
    """Sizes of folds, and of each class in the folds, differ by one at most."""
    targets = [[float(number)] for number, count in enumerate(classes) for _ in range(count)]
    data = data_set(grounder, targets)
    for seed in range(5):
        assigned = assign_folds(data, folds, seed).tolist()
        sizes = Counter(assigned)
        assert set(sizes) == set(range(1, folds + 1))
        assert max(sizes.values()) - min(sizes.values()) <= 1
        for number in range(len(classes)):
            inside = [fold for fold, target in zip(assigned, targets, strict=True) if target == [float(number)]]
            counts = [inside.count(fold) for fold in range(1, folds + 1)]
            assert max(counts) - min(counts) <= 1


def test_class_of_an_example_with_several_queries(grounder: GroundingSession) -> None:
    """Examples of one positive and two negative queries count as negative, those without queries are a class."""
    targets = [[1.0, 0.0, 0.0]] * 4 + [[1.0, 1.0, 0.0]] * 4 + [[]] * 2
    assigned = assign_folds(data_set(grounder, targets), 2, 1).tolist()
    assert Counter(assigned[:4]) == Counter(assigned[4:8]) == {1: 2, 2: 2}
    assert sorted(assigned[8:]) == [1, 2]


def test_folds_come_from_the_seed(grounder: GroundingSession) -> None:
    data = data_set(grounder, [[float(number % 2)] for number in range(30)])
    drawn = [tuple(assign_folds(data, 5, seed).tolist()) for seed in (1, 1, 2, 3)]
    assert drawn[0] == drawn[1]
    assert len(set(drawn)) == 3


def test_learning_and_testing_parts(grounder: GroundingSession) -> None:
    """Testing takes fold K, learning all others; over all K each example is tested once."""
    data = data_set(grounder, [[float(number % 3 == 0)] for number in range(17)])
    tested: list[int] = []
    for fold in range(1, 5):
        testing = choose_examples(data, 4, fold, 1, True)
        learning = choose_examples(data, 4, fold, 1, False)
        assert testing is not None and learning is not None
        assert sorted(testing + learning) == list(range(17))
        tested += testing
    assert sorted(tested) == list(range(17))
    assert choose_examples(data, None, None, 1, True) is None


def test_given_folds_win(grounder: GroundingSession) -> None:
    """fold(K) facts are used whatever the seed, with --folds of the same number or without."""
    data = data_set(grounder, [[0.0]] * 5, [2, 1, 3, 1, 2])
    for seed in (1, 2):
        assert choose_examples(data, None, 1, seed, True) == [1, 3]
        assert choose_examples(data, 3, 2, seed, True) == [0, 4]
        assert choose_examples(data, 3, 2, seed, False) == [1, 2, 3]


@pytest.mark.parametrize(
    ("given_folds", "folds", "fold", "testing", "message"),
    [
        ([], None, 1, True, "there are no fold(K) facts"),
        ([], 3, None, True, "--folds needs --fold K"),
        ([], 3, 4, True, "there is no fold 4; folds are 1 to 3"),
        ([], 7, 1, True, "7 folds of 6 examples"),
        ([1, 2, 3, 1, 2, 3], None, 4, True, "there is no fold 4; folds are 1 to 3"),
        ([1, 2, 3, 1, 2, 3], 5, 1, True, "the fold(K) facts in these data make 3 folds"),
        ([1, 2, 0, 1, 2, 1], None, 1, True, "data.pl:11:1: example m2 has no fold(K) while others have"),
        ([1, 1, 1, 1, 1, 1], None, 1, False, "no example is left without fold 1"),
    ],
)
def test_faults_of_folds(
    grounder: GroundingSession, given_folds: list[int], folds: int | None, fold: int | None, testing: bool, message: str
) -> None:
    data = data_set(grounder, [[0.0]] * 6, given_folds)
    with pytest.raises(LrnnError) as error:
        choose_examples(data, folds, fold, 1, testing)
    assert message in str(error.value)


def test_folds_of_the_commands(tmp_path: Path) -> None:
    """Predictions of all folds together are those of the whole; faults and wrong usage have their exit codes."""
    (tmp_path / "model.pl").write_text("1.0 :: p :- c(X).")
    blocks = [f"begin(model(m{n})). c(a). d{n}(a). query(p, {n % 2}). end(model(m{n}))." for n in range(7)]
    (tmp_path / "data.pl").write_text("\n".join(blocks))

    def predict(*options: str) -> Result:
        files = [str(tmp_path / "model.pl"), str(tmp_path / "data.pl")]
        return CliRunner().invoke(cli, ["predict", *files, "--jobs", "1", "--quiet", *options])

    whole = predict().stdout.splitlines()[1:]
    parts = [predict("--folds", "3", "--fold", str(fold)).stdout.splitlines()[1:] for fold in (1, 2, 3)]
    assert sorted(line for part in parts for line in part) == sorted(whole)
    # Rows keep the order of the file.
    assert all(part == [line for line in whole if line in part] for part in parts)
    assert predict("--folds", "3").exit_code != 0
    assert predict("--fold", "1").exit_code == 1
    assert predict("--folds", "3", "--fold", "4").exit_code == 1
    assert predict("--folds", "1", "--fold", "1").exit_code == 2
    assert predict("--folds", "3", "--fold", "0").exit_code == 2


def test_ground_leaves_the_fold_out(tmp_path: Path) -> None:
    """`ground --fold K` takes the queries of all other folds; train and test parts have nothing in common."""
    (tmp_path / "template.pl").write_text("_ :: p :- c(X).")
    blocks = [f"begin(model(m{n})). c(a). query(p, {n}.25). fold({n % 2 + 1}). end(model(m{n}))." for n in range(6)]
    (tmp_path / "data.pl").write_text("\n".join(blocks))
    arguments = [str(tmp_path / "template.pl"), str(tmp_path / "data.pl"), "-o", str(tmp_path / "grounding.npz")]
    result = CliRunner().invoke(cli, ["ground", *arguments, "--fold", "2", "--quiet"])
    assert result.exit_code == 0, result.output
    from lrnn_cli.grounding.groundings import load_groundings

    assert load_groundings(str(tmp_path / "grounding.npz")).queries.target.tolist() == [0.25, 2.25, 4.25]

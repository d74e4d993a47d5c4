"""nFOIL and kFOIL: scores against hand-made figures and plain computations, covers against SWI-Prolog, whole runs."""

from __future__ import annotations

import importlib.util
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Folder
from scipy.sparse import csc_array
from sklearn.svm import SVC

from lrnn_cli.baselines.clausal import learn_baseline, learning_tasks
from lrnn_cli.baselines.clausal_model import Decision
from lrnn_cli.baselines.coverage import Coverage, CoveringClause
from lrnn_cli.baselines.foil import best_clause
from lrnn_cli.baselines.naive_bayes import NaiveBayes
from lrnn_cli.baselines.options import BaselineOptions, KernelOptions
from lrnn_cli.baselines.relational_kernel import BEHIND, REFITTED, KernelAlignment, KernelMachine, expanded
from lrnn_cli.grounding.grounder import GrounderOptions, Knowledge, open_grounder
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.data import DataSet
from lrnn_cli.language.files import Source
from lrnn_cli.language.template import Settings, Template

BUNDLED = Path(__file__).resolve().parents[1] / "datasets"
DATASETS = Path(os.environ.get("LRNN_DATA_DIR", "no such folder")) / "datasets"

# Four examples, two of each class; only the first has an object that is c.
FOUR = """
begin(model(a)). c(x). d(x). query(p, 1.0). end(model(a)).
begin(model(b)). d(x). query(p, 1.0). end(model(b)).
begin(model(e)). d(x). query(p, 0.0). end(model(e)).
begin(model(f)). d(x). query(p, 0.0). end(model(f)).
"""


def sigm(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x))


def outputs(predictions: str) -> list[float]:
    return [float(line.split("\t")[3]) for line in predictions.splitlines()[1:]]


def drawn_covers(seed: int, queries: int, clauses: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers of positive and negative queries of each query atom, and what clauses cover."""
    random = np.random.default_rng(seed)
    positive = random.integers(0, 3, queries).astype(float)
    negative = np.where(positive == 0, random.integers(1, 3, queries), random.integers(0, 2, queries)).astype(float)
    return positive, negative, random.uniform(size=(queries, clauses)) < random.uniform(0.1, 0.9, clauses)


# Naive Bayes


def test_conditional_log_likelihood_by_hand() -> None:
    """Two positive, two negative queries, one clause that covers the first.

    P(q | +) = (1 + 1) / (2 + 2) = 1/2, P(q | -) = (0 + 1) / (2 + 2) = 1/4, P(+) = P(-). Where it covers the odds are
    2 to 1, elsewhere 1/2 to 3/4, so 2 to 3.
    """
    positive, negative = np.array([1.0, 1, 0, 0]), np.array([0.0, 0, 1, 1])
    model = NaiveBayes.of(positive, negative)
    assert model.score == pytest.approx(4 * math.log(1 / 2))
    cover = np.array([True, False, False, False])
    expected = math.log(2 / 3) + math.log(2 / 5) + 2 * math.log(3 / 5)
    assert model.scores(csc_array(cover[:, None])) == pytest.approx([expected])
    grown = model.with_clause(cover)
    assert grown.score == pytest.approx(expected)
    decision = grown.decision()
    assert decision.bias == pytest.approx(math.log(2 / 3))
    assert decision.weights == pytest.approx({(0,): math.log(2) - math.log(2 / 3)})


def test_scores_equal_plain_naive_bayes() -> None:
    """All candidates at once give what products of probabilities give, query by query."""
    positive, negative, covers = drawn_covers(1, 60, 8)
    model = NaiveBayes.of(positive, negative)
    for clause in range(3):
        model = model.with_clause(covers[:, clause])
    found = model.scores(csc_array(covers[:, 3:]))
    counts = {True: positive, False: negative}
    total = positive.sum() + negative.sum()
    for number, candidate in enumerate(range(3, 8)):
        likelihood = 0.0
        for atom in range(len(positive)):
            joint = {}
            for label, count in counts.items():
                joint[label] = (count.sum() + 1) / (total + 2)
                for clause in (0, 1, 2, candidate):
                    covered = (count @ covers[:, clause] + 1) / (count.sum() + 2)
                    joint[label] *= covered if covers[atom, clause] else 1 - covered
            for label, count in counts.items():
                likelihood += count[atom] * math.log(joint[label] / sum(joint.values()))
        assert found[number] == pytest.approx(likelihood, rel=1e-12)


# Kernels


def test_kernel_target_alignment_by_hand() -> None:
    """Targets 1, 1, -1, -1; a clause covers the first three queries, a second one the first two.

    One clause: <K, yy'> = (1 + 1 - 1)^2 = 1, <K, K> = 3^2, so 1 / (4 * 3). Both: 1 + 2^2 = 5, 9 + 2 * 2^2 + 2^2 = 21.
    """
    model = KernelAlignment.of(np.array([1.0, 1, 0, 0]), np.array([0.0, 0, 1, 1]), 1, 1.0)
    assert model.score == 0.0
    first, second = np.array([True, True, True, False]), np.array([True, True, False, False])
    assert model.scores(csc_array(first[:, None])) == pytest.approx([1 / 12])
    model = model.with_clause(first)
    assert model.score == pytest.approx(1 / 12)
    assert model.scores(csc_array(second[:, None])) == pytest.approx([5 / (4 * math.sqrt(21))])
    assert model.with_clause(second).score == pytest.approx(5 / (4 * math.sqrt(21)))


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_alignment_equals_that_of_the_whole_matrix(degree: int) -> None:
    """The kernel matrix of all queries, one by one."""
    positive, negative, covers = drawn_covers(2, 40, 7)
    atom = np.concatenate([np.repeat(np.arange(40), count.astype(int)) for count in (positive, negative)])
    target = np.concatenate([np.ones(int(positive.sum())), -np.ones(int(negative.sum()))])

    def alignment(clauses: list[int]) -> float:
        features = covers[atom][:, clauses].astype(float)
        matrix = features @ features.T if degree == 1 else (features @ features.T + 1) ** degree
        return float(target @ matrix @ target / (len(target) * np.sqrt((matrix**2).sum())))

    model = KernelAlignment.of(positive, negative, degree, 1.0)
    chosen: list[int] = []
    for clause in range(3):
        model = model.with_clause(covers[:, clause])
        chosen.append(clause)
        assert model.score == pytest.approx(alignment(chosen), rel=1e-12)
        rest = list(range(clause + 1, 7))
        found = model.scores(csc_array(covers[:, rest]))
        assert found == pytest.approx([alignment([*chosen, other]) for other in rest], rel=1e-12)


def each_query(positive: np.ndarray, negative: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The atom and the class of every query by itself."""
    atom = np.concatenate([np.repeat(np.arange(len(c)), c.astype(int)) for c in (positive, negative)])
    return atom, np.repeat([1, 0], [int(positive.sum()), int(negative.sum())])


@pytest.mark.parametrize("kind", [KernelAlignment, KernelMachine])
@pytest.mark.parametrize("degree", [1, 2, 3])
def test_the_machine_is_that_of_all_queries(degree: int, kind: type[KernelAlignment] | type[KernelMachine]) -> None:
    """scikit-learn on every query by itself, not on queries grouped by what covers them, has the same decisions."""
    positive, negative, covers = drawn_covers(3, 50, 4)
    model = kind.of(positive, negative, degree, 0.7)
    for clause in range(4):
        model = model.with_clause(covers[:, clause])
    atom, label = each_query(positive, negative)
    settings: dict[str, Any] = {"kernel": "linear"} if degree == 1 else {"kernel": "poly", "gamma": 1, "coef0": 1}
    machine = SVC(C=0.7, degree=degree, tol=1e-8, **settings).fit(covers[atom].astype(float), label)
    expected = machine.decision_function(covers.astype(float))
    assert decided(model.decision(), covers) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("degree", [1, 2])
def test_promises_are_slopes_of_the_loss(degree: int) -> None:
    """Growing the kernel by a small part of what a candidate adds changes the dual objective as was promised.

    The objective is convex in the kernel, with a kink where multipliers are not unique: slopes are between those of
    both sides.
    """
    positive, negative, covers = drawn_covers(5, 40, 5)
    model = KernelMachine.of(positive, negative, degree, 0.5)
    for clause in range(3):
        model = model.with_clause(covers[:, clause])
    promised = model.promised(csc_array(covers[:, 3:]))
    atom, label = each_query(positive, negative)
    known = covers[atom, :3].astype(float)
    common = known @ known.T
    before, after = (common, common + 1) if degree == 1 else ((common + 1) ** 2, (common + 2) ** 2)
    for number, candidate in enumerate((3, 4)):
        both = np.outer(covers[atom, candidate], covers[atom, candidate])
        objective = []
        for part in (-1e-4, 0.0, 1e-4):
            matrix = before + part * (after - before) * both
            machine = SVC(C=0.5, kernel="precomputed", tol=1e-12).fit(matrix, label)
            dual = machine.dual_coef_[0]
            quadratic = dual @ matrix[np.ix_(machine.support_, machine.support_)] @ dual
            objective.append(np.abs(dual).sum() - quadratic / 2)
        size = covers[atom, candidate].sum()
        low, high = np.diff(objective) / 1e-4
        slope = -promised[number] * size * (1 - size / len(atom)) / 2
        assert low - 1e-2 <= slope <= high + 1e-2
        assert low < -0.5


def test_machines_are_trained_for_the_best_candidates() -> None:
    """Those that promise most have the score of the model with them, the others come behind in their order."""
    positive, negative, covers = drawn_covers(7, 60, 32)
    model = KernelMachine.of(positive, negative, 2, 1.0)
    smaller = min(positive.sum(), negative.sum())
    assert model.score == pytest.approx(-2 * smaller / (positive + negative).sum())
    for clause in range(2):
        model = model.with_clause(covers[:, clause])
    found = model.scores(csc_array(covers[:, 2:]))
    promised = model.promised(csc_array(covers[:, 2:]))
    order = np.argsort(-promised)
    for number in order[:REFITTED]:
        assert found[number] == pytest.approx(model.with_clause(covers[:, 2 + number]).score)
        assert found[number] >= -1.0
    behind = found[order[REFITTED:]]
    assert (behind <= BEHIND + 1.0).all()
    assert (np.diff(behind) <= 0.0).all()


def test_polynomial_of_binary_features_by_hand() -> None:
    """(x1 + x2 + 1)^2 for x in {0, 1}: 1 + 3 x1 + 3 x2 + 2 x1 x2, twice of it plus the intercept 5."""
    found = expanded(np.array([[1.0, 1.0]]), np.array([2.0]), 5.0, 2)
    assert found.bias == 7.0
    assert found.weights == {(0,): 6.0, (1,): 6.0, (0, 1): 4.0}


def decided(decision: Decision, covers: np.ndarray) -> np.ndarray:
    """Decisions (queries,) from covers (queries, clauses)."""
    found = np.full(len(covers), decision.bias)
    for members, weight in decision.weights.items():
        found += weight * covers[:, members].all(1)
    return found


# Covers


def loaded(path: Path, text: bytes | None = None) -> tuple[DataSet, Knowledge]:
    with open_grounder("swi", GrounderOptions()) as grounder:
        data = grounder.load(Source(path.name, path.read_bytes() if text is None else text))
        return data, grounder.knowledge(data)


def loops() -> bytes:
    """Queries for all pairs of objects, an object with itself as well, and relations in circles."""
    queries = " ".join(f"query(p({x}, {y}), {int(x < y)})." for x in "uvw" for y in "uvw")
    facts = "r(u, u). r(u, v). r(v, w). r(w, u). s(v, v, u). s(u, w, u). a(u). a(v). b(v). b(w)."
    return f"begin(model(m)). {facts} {queries} end(model(m)).".encode()


def coverage_of(data: DataSet, knowledge: Knowledge, options: BaselineOptions) -> Coverage:
    (task,) = learning_tasks(data, knowledge, None, options)[1]
    return task.coverage


@pytest.mark.parametrize("identity", [False, True])
@pytest.mark.parametrize("name", ["family", "trains", "loops"])
def test_covers_equal_groundings_of_the_grounder(name: str, identity: bool) -> None:
    """Refinements of refinements cover the queries for which SWI-Prolog finds groundings of their bodies."""
    text = loops() if name == "loops" else (BUNDLED / name / f"{name}.pl").read_bytes()
    path = Path(f"{name}.pl")
    data, knowledge = loaded(path, text)
    coverage = coverage_of(data, knowledge, BaselineOptions(length=5, variables=5, object_identity=identity))
    random = np.random.default_rng(5)
    clauses: list[CoveringClause] = []
    for _ in range(30):
        clause = coverage.empty()
        for _ in range(random.integers(1, 4)):
            found = coverage.refinements(clause)
            if not found:
                break
            refinement = found[random.integers(len(found))]
            clause = coverage.filled(clause, refinement, int(random.integers(len(refinement.choice))))
        if clause.candidate.shape.safe and clause.candidate.shape.length:
            clauses.append(clause)
    assert len(clauses) >= 15
    with open_grounder("swi", GrounderOptions()) as grounder:
        again = grounder.load(Source(path.name, text))
        for clause in clauses:
            rule = clause.candidate.rule(1.0)
            groundings = grounder.ground(Template((rule,), Settings(object_identity=identity)), again)
            table, columns = groundings.tables[0], list(groundings.program.rules[0].head_columns)
            covered = coverage.index.position(table.example, table.objects[:, columns])
            assert set(covered[covered >= 0].tolist()) == set(clause.cover.nonzero()[0].tolist()), rule.clause


def test_every_refinement_is_there() -> None:
    """The best first clause of a search with an endless beam is the best of all that can be written down.

    One relation and two unary predicates, at most two literals after the relation, bodies enumerated by hand.
    """
    random = np.random.default_rng(6)
    blocks = []
    for number in range(40):
        objects = [f"o{item}" for item in range(3)]
        facts = [f"r({random.choice(objects)}, {random.choice(objects)})." for _ in range(2)]
        facts += [f"{name}({item})." for name in ("a", "b") for item in objects if random.uniform() < 0.4]
        blocks.append(f"begin(model(m{number})). {' '.join(facts)} query(p, {number % 2}). end(model(m{number})).")
    data, knowledge = loaded(Path("random.pl"), "\n".join(blocks).encode())
    coverage = coverage_of(data, knowledge, BaselineOptions(length=3, variables=2))
    positive = (data.queries.target > 0.5).astype(float)
    model = NaiveBayes.of(positive, 1.0 - positive)
    clause, _ = best_clause(coverage, model, 1000, [])
    assert clause is not None
    bodies = ["a(X)", "b(X)", "a(X), b(X)"]
    unary = ["", "a(X)", "b(X)", "a(Y)", "b(Y)"]
    for relation in ("r(X, Y)", "r(X, Y), r(Y, X)"):
        for first in unary:
            for second in unary if relation == "r(X, Y)" else [""]:
                bodies.append(", ".join(part for part in (relation, first, second) if part))
    best = -math.inf
    with open_grounder("swi", GrounderOptions()) as grounder:
        again = grounder.load(Source("random.pl", "\n".join(blocks).encode()))
        for body in dict.fromkeys(bodies):
            template = grounder.read_template(Source("t.pl", f"_ :: p :- {body}.".encode()))
            cover = np.zeros(40, bool)
            cover[grounder.ground(template, again).tables[0].example] = True
            best = max(best, model.with_clause(cover).score)
    assert model.with_clause(clause.cover).score == pytest.approx(best, abs=1e-9)


# Whole runs


def test_predictions_of_nfoil_by_hand(folder: Folder) -> None:
    """The naive Bayes model of the first test, from a file and through a file."""
    folder.write({"four.pl": FOUR})
    result = folder.run("baseline", "nfoil", "four.pl", "-o", "model.pl", "--clauses", "1")
    assert result.code == 0, result.stderr
    assert "1 clause for p/0, conditional log likelihood -2.34341" in result.stderr
    text = folder.read("model.pl")
    assert ":: p :- c(V1)." in text
    assert "% covers 1 of 2 positive and 0 of 2 negative queries" in text
    assert outputs(folder.run("predict", "model.pl", "four.pl").stdout) == pytest.approx([2 / 3, 0.4, 0.4, 0.4])
    shown = folder.run("show", "model.pl").stdout
    assert "target rules: 1, average length 1.00" in shown


def test_predictions_of_kfoil_by_hand(folder: Folder) -> None:
    """Queries 1 and 2 are positive and c, 3 and 4 are neither: the widest margin is a weight of 2 and a bias of -1.

    The loss is |w|^2 / 2 = 2 over a cost of 10 and 4 queries. <K, yy'> = 4, <K, K> = 4, m = 4 for the alignment.
    """
    text = FOUR.replace("begin(model(b)). d(x).", "begin(model(b)). c(x).")
    folder.write({"four.pl": text})
    options = "four.pl", "-o", "model.pl", "--clauses", "1", "--cost", "10", "--degree", "1"
    for score, shown in (("alignment", "kernel target alignment 0.5"), ("machine", "negative loss of the support")):
        result = folder.run("baseline", "kfoil", *options, "--score", score)
        assert result.code == 0, result.stderr
        assert f"1 clause for p/0, {shown}" in result.stderr
        found = outputs(folder.run("predict", "model.pl", "four.pl").stdout)
        assert found == pytest.approx([sigm(1), sigm(1), sigm(-1), sigm(-1)], abs=1e-5)
    assert "negative loss of the support vector machine -0.05" in result.stderr


def test_targets_with_arguments(folder: Folder) -> None:
    """Queries that no clause covers have the bias, too, and an atom that is asked for twice counts twice.

    c(X) covers 2 of 3 positive and 0 of 3 negative queries: odds 3/5 to 1/5 there, 2/5 to 4/5 elsewhere.
    """
    queries = "query(p(x), 1). query(p(x), 1). query(p(y), 1). query(p(y), 0). query(p(z), 0). query(p(w), 0)."
    folder.write({"data.pl": f"begin(model(a)). c(x). d(x). d(y). d(z). {queries} end(model(a))."})
    result = folder.run("baseline", "nfoil", "data.pl", "-o", "model.pl", "--clauses", "1")
    assert result.code == 0, result.stderr
    assert ":: p(V1) :- c(V1)." in folder.read("model.pl")
    found = outputs(folder.run("predict", "model.pl", "data.pl").stdout)
    assert found == pytest.approx([3 / 4, 3 / 4, 1 / 3, 1 / 3, 1 / 3, 1 / 3])


def test_several_targets_without_arguments(folder: Folder) -> None:
    """Each target has clauses and a bias of its own: the odds of q are those of p the other way round."""
    text = FOUR.replace("query(p, 1.0).", "query(p, 1). query(q, 0).").replace(
        "query(p, 0.0).", "query(p, 0). query(q, 1)."
    )
    folder.write({"data.pl": text})
    assert folder.run("baseline", "nfoil", "data.pl", "-o", "model.pl", "--clauses", "1").code == 0
    found = outputs(folder.run("predict", "model.pl", "data.pl").stdout)
    assert found == pytest.approx([2 / 3, 1 / 3, 0.4, 0.6, 0.4, 0.6, 0.4, 0.6])


def test_a_target_with_arguments_beside_one_without(folder: Folder) -> None:
    """The offset is the bias of the one, and no part of the other's output."""
    folder.write({"data.pl": FOUR.replace("query(p, 1.0).", "query(p, 1). query(q(x), 1). query(q(y), 0).")})
    assert folder.run("baseline", "nfoil", "data.pl", "-o", "model.pl", "--clauses", "1").code == 0
    text = folder.run("predict", "model.pl", "data.pl").stdout
    found = [float(line.split("\t")[3]) for line in text.splitlines()[1:] if line.split("\t")[1] == "p"]
    assert found == pytest.approx([2 / 3, 0.4, 0.4, 0.4])
    assert "setting(offset, 0.0)" not in folder.read("model.pl")


@pytest.mark.parametrize("learner", [("nfoil",), ("kfoil",), ("kfoil", "--degree", "1")])
@pytest.mark.parametrize("name", ["family", "trains"])
def test_models_predict_what_was_learned(name: str, learner: tuple[str, ...], folder: Folder) -> None:
    """Outputs of the model file are logistic functions of the decisions over the covers that the learner saw."""
    path = BUNDLED / name / f"{name}.pl"
    options = BaselineOptions(clauses=4, beam=4, length=4)
    if learner[0] == "kfoil":
        options = KernelOptions(clauses=4, beam=4, length=4, degree=1 if "--degree" in learner else 2)
    data, knowledge = loaded(path)
    (model,) = learn_baseline(data, knowledge, None, options).models
    assert (
        folder.run(
            *("baseline", *learner, str(path), "-o", "model.pl", "--clauses", "4", "--beam", "4", "--length", "4")
        ).code
        == 0
    )
    covers = []
    with open_grounder("swi", GrounderOptions()) as grounder:
        again = grounder.load(Source(path.name, path.read_bytes()))
        for clause in model.clauses:
            assert f"{clause.clause.split(' :- ')[1]}." in folder.read("model.pl")
            groundings = grounder.ground(Template((clause,)), again)
            table, columns = groundings.tables[0], list(groundings.program.rules[0].head_columns)
            true = {
                (example, *row)
                for example, row in zip(table.example.tolist(), table.objects[:, columns].tolist(), strict=True)
            }
            asked = np.column_stack([again.queries.example, again.queries.argument]).tolist()
            covers.append([tuple(row) in true for row in asked])
    decisions = decided(model.decision, np.array(covers).T)
    found = outputs(folder.run("predict", "model.pl", str(path)).stdout)
    assert found == pytest.approx([sigm(decision) for decision in decisions], abs=1e-9)
    # One clause is all that grandparents need.
    assert len(model.clauses) > (name != "family")


@pytest.mark.parametrize("learner", ["nfoil", "kfoil"])
def test_family_is_solved(learner: str, folder: Folder) -> None:
    """The rule of grandparents is found in two thirds of the families and holds in the others."""
    data = str(BUNDLED / "family" / "family.pl")
    part = ("--folds", "3", "--fold", "1")
    assert folder.run("baseline", learner, data, *part, "-o", "model.pl").code == 0
    assert "grandparent(V1, V2) :- parent(V1, V3), parent(V3, V2)." in folder.read("model.pl")
    assert "accuracy      1.0000" in folder.run("evaluate", "model.pl", data, *part).stdout


def test_trains_that_were_not_seen(folder: Folder) -> None:
    """The planted rule is a disjunction of four clauses; nFOIL finds most of them in three quarters of the trains."""
    data = str(BUNDLED / "trains" / "trains.pl")
    part = ("--folds", "4", "--fold", "1")
    assert folder.run("baseline", "nfoil", data, *part, "--length", "4", "-o", "model.pl").code == 0
    predictions = folder.run("predict", "model.pl", data, *part).stdout
    found = outputs(predictions)
    targets = [float(line.split("\t")[2]) for line in predictions.splitlines()[1:]]
    right = sum((output > 0.5) == (target > 0.5) for output, target in zip(found, targets, strict=True))
    assert right >= 16, f"{right} of {len(found)}"


@pytest.mark.skipif(not DATASETS.is_dir(), reason="LRNN_DATA_DIR has no datasets")
@pytest.mark.parametrize("learner", ["nfoil", "kfoil"])
@pytest.mark.parametrize("name", ["trains10.pl", "trains20.pl"])
def test_michalskis_trains_are_told_apart(name: str, learner: str, folder: Folder) -> None:
    assert folder.run("baseline", learner, str(DATASETS / name), "-o", "model.pl").code == 0
    assert "accuracy      1.0000" in folder.run("evaluate", "model.pl", str(DATASETS / name)).stdout


def test_the_same_bytes(folder: Folder) -> None:
    """Whatever the number of processes."""
    data = str(BUNDLED / "trains" / "trains.pl")
    for learner in ("nfoil", "kfoil"):
        for jobs in ("1", "2"):
            name = f"{learner}{jobs}.pl"
            assert (
                folder.run("baseline", learner, data, "--clauses", "2", "--beam", "3", "--jobs", jobs, "-o", name).code
                == 0
            )
        assert folder.read(f"{learner}1.pl") == folder.read(f"{learner}2.pl")


def test_no_clause_twice(folder: Folder) -> None:
    """A second clause that covers the same queries would be the same feature; here there is no other."""
    folder.write({"four.pl": FOUR.replace("d(x).", "")})
    result = folder.run("baseline", "nfoil", "four.pl", "-o", "model.pl")
    assert "1 clause for p/0" in result.stderr
    assert folder.read("model.pl").count(":- c(V1)") == 1


def test_background_clauses_and_constants(folder: Folder) -> None:
    """Derived predicates occur in clauses, and constants where the data ask for them."""
    blocks = []
    for number, (element, charge) in enumerate([("cl", 3), ("f", 3), ("cl", 3), ("c", 1), ("c", 2), ("n", 3)]):
        target = int(number < 3)
        blocks.append(
            f"begin(model(m{number})). {element}(x). charge(x, {charge}). query(p, {target}). end(model(m{number}))."
        )
    folder.write({"data.pl": "halogen(X) :- cl(X) ; f(X).\n" + "\n".join(blocks)})
    assert folder.run("baseline", "nfoil", "data.pl", "-o", "model.pl", "--clauses", "1").code == 0
    assert ":: p :- halogen(V1)." in folder.read("model.pl")
    found = outputs(folder.run("predict", "model.pl", "data.pl").stdout)
    # All three positive queries and none of the negative ones: odds 4/5 to 1/5 there, 1/5 to 4/5 elsewhere.
    assert found == pytest.approx([0.8, 0.8, 0.8, 0.2, 0.2, 0.2])
    folder.write({"data.pl": "bias(charge(atom, constant)).\n" + "\n".join(blocks)})
    assert folder.run("baseline", "nfoil", "data.pl", "-o", "model.pl", "--clauses", "1").code == 0
    assert ":: p :- charge(V1, 3)." in folder.read("model.pl")
    found = outputs(folder.run("predict", "model.pl", "data.pl").stdout)
    # 3 of 3 positive and 1 of 3 negative queries: 4/5 to 2/5 there, 1/5 to 3/5 elsewhere.
    assert found == pytest.approx([2 / 3, 2 / 3, 2 / 3, 1 / 4, 1 / 4, 2 / 3])


def test_weighted_facts_are_true(folder: Folder) -> None:
    """In learning as in predicting."""
    folder.write({"data.pl": FOUR.replace("c(x).", "0.3 :: c(x).")})
    assert folder.run("baseline", "nfoil", "data.pl", "-o", "model.pl", "--clauses", "1").code == 0
    assert "% covers 1 of 2 positive and 0 of 2 negative queries" in folder.read("model.pl")
    assert outputs(folder.run("predict", "model.pl", "data.pl").stdout) == pytest.approx([2 / 3, 0.4, 0.4, 0.4])


def test_any_names(folder: Folder) -> None:
    """Quoted and Unicode names come through; so do predicates that are called like our own clauses."""
    text = FOUR.replace("c(x).", "'Größe ≥ 1'(x). clause_1(x).").replace("query(p,", "query('it''s',")
    folder.write({"data.pl": text})
    for learner in (("nfoil",), ("kfoil",), ("kfoil", "--score", "alignment")):
        assert folder.run("baseline", *learner, "data.pl", "-o", "model.pl", "--clauses", "1").code == 0
        assert "(V1)" in folder.read("model.pl")
        found = outputs(folder.run("predict", "model.pl", "data.pl").stdout)
        assert found[0] > found[1] == found[2] == found[3]


# What users meet


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "begin(model(a)). c(x). query(p, 1). end(model(a)).",
            "data.pl: all 1 queries of p/0 have a target above 0.5; there is nothing to learn from one class",
        ),
        (
            "begin(model(a)). query(p, 1). end(model(a)). begin(model(b)). query(p, 0). end(model(b)).",
            "data.pl: there are no facts to make clauses of; add facts to the examples",
        ),
        (
            "begin(model(a)). c(x). end(model(a)).",
            "data.pl: there is no query in these data; add query(Atom, Target). to the examples",
        ),
        (
            "begin(model(a)). c(x). query(p(x), 1). query(q(x), 0). end(model(a)).",
            "data.pl: there are queries of p/1 and q/1, but a model has one target with arguments; keep those of one",
        ),
        (
            "begin(model(a)). c(x). query(p, 1). end(model(a)). begin(model(b)). c(y). query(p, 0). end(model(b)).",
            "data.pl: nothing was learned for p/0: none of 1 clauses improves the conditional log likelihood by 0.01; "
            "lower --threshold, or look at the data with `lrnn check`",
        ),
        (
            "begin(model(a)). -1.0 :: c(x). query(p, 1). end(model(a)).",
            "data.pl: c/1 has facts with weights that are not above 0, and to crisp clauses every fact is true; "
            "remove such facts",
        ),
        ("begin(model(a)). c(x", "data.pl:1:"),
    ],
)
def test_faults(text: str, message: str, folder: Folder) -> None:
    """What is wrong, and no model file."""
    folder.write({"data.pl": text})
    result = folder.run("baseline", "nfoil", "data.pl", "-o", "model.pl", "--quiet")
    assert result.code == 1
    assert result.stderr.startswith(message), result.stderr
    assert list(folder.content()) == ["data.pl"]


def test_kfoil_without_scikit_learn(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says so before it learns."""
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "sklearn" else find(name))
    folder.write({"four.pl": FOUR})
    result = folder.run("baseline", "kfoil", "four.pl", "-o", "model.pl")
    assert result.code == 1
    assert result.stderr == "kFOIL needs scikit-learn; install it with pip install 'lrnn[baselines]'\n"


def test_too_many_groundings_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refinements with larger tables are not tried, and the user is told how many."""
    monkeypatch.setattr("lrnn_cli.baselines.coverage.ROWS", 3)
    blocks = [
        f"begin(model(m{number})). r(x, y). r(y, z). r(z, x). {name}(x). query(p, {number}). end(model(m{number}))."
        for number, name in enumerate(["a", "b"])
    ]
    data, knowledge = loaded(Path("data.pl"), "\n".join(blocks).encode())
    learned = learn_baseline(data, knowledge, None, BaselineOptions(clauses=1))
    assert [clause.clause for clause in learned.models[0].clauses] in (["p :- a(V1)"], ["p :- b(V1)"])
    assert any("groundings were left out" in remark for remark in learned.remarks)


def test_predicates_of_all_arities() -> None:
    """Facts without arguments are literals as well."""
    blocks = [
        f"begin(model(m{number})). d(x). {'wet.' * target} query(p, {target}). end(model(m{number}))."
        for number, target in enumerate([1, 1, 0, 0])
    ]
    data, knowledge = loaded(Path("data.pl"), "\n".join(blocks).encode())
    (model,) = learn_baseline(data, knowledge, None, BaselineOptions(clauses=1)).models
    assert model.target == Predicate("p", 0)
    assert model.clauses[0].clause == "p :- wet"

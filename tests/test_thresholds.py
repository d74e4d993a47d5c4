"""Numbers: cut points and their scores, conditions as words of rules, and how rules with them are written."""

from __future__ import annotations

import itertools
import random
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from lrnn_cli.commands import cli
from lrnn_cli.grounding.grounder import GrounderOptions, Knowledge, open_grounder
from lrnn_cli.hypotheses.conditions import with_conditions
from lrnn_cli.hypotheses.thresholds import cut_constant, cut_scores
from lrnn_cli.hypotheses.vocabulary import Condition, Vocabulary, vocabulary
from lrnn_cli.language.clauses import Atom, Constant, Predicate, Rule, Variable
from lrnn_cli.language.data import DataSet
from lrnn_cli.language.files import Source
from lrnn_cli.language.template import Template
from lrnn_cli.network.network import compile_network
from lrnn_cli.semantics.aggregations import AGGREGATIONS
from lrnn_cli.structure.algorithm import learn_rules
from lrnn_cli.structure.options import StructureOptions
from lrnn_cli.structure.problem import make_problem
from lrnn_cli.structure.rules import written_template
from lrnn_cli.structure.weights import outputs

FRAGILE = re.compile(r"\bfragile\(p\d\)\.\nweight\(p\d, ([0-9.]+)\)\.")
DATASETS = Path(__file__).resolve().parent.parent / "datasets"
QUICK = ["--iterations", "2", "--epochs", "20", "--final-epochs", "10", "--length", "4", "--conjunctions", "10"]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], catch_exceptions=False)


def loaded(text: str) -> tuple[DataSet, Knowledge]:
    with open_grounder("swi", GrounderOptions()) as grounder:
        data = grounder.load(Source("data.pl", text.encode()))
        return data, grounder.knowledge(data)


def words_of(text: str) -> Vocabulary:
    data, knowledge = loaded(text)
    return with_conditions(vocabulary(data, knowledge, data.queries), data.queries, AGGREGATIONS["sqrt"])


def model(number: int, facts: list[str], queries: dict[str, bool]) -> str:
    lines = [f"begin(model(m{number})).", *(f"{fact}." for fact in facts)]
    lines += [f"query({atom}, {int(positive)})." for atom, positive in queries.items()]
    return "\n".join([*lines, f"end(model(m{number}))."]) + "\n"


# Planted thresholds. Numbers have two digits, so cut points are 0.01 apart at most where there are enough of them.

ATOM_CUT, EXAMPLE_CUT, LOW, HIGH = 0.37, -1.52, 2.25, 3.75


def charged_atoms(examples: int = 150, seed: int = 1) -> str:
    """Active where some carbon has a charge of at least 0.37; other atoms have such charges anywhere."""
    draw = random.Random(seed)
    text = ""
    for number in range(examples):
        facts, active = [], False
        for atom in range(draw.randint(2, 5)):
            kind, charge = draw.choice(["c", "n", "o"]), draw.randrange(-100, 100) / 100
            facts += [f"{kind}(a{atom})", f"charge(a{atom}, {charge})"]
            active |= kind == "c" and charge >= ATOM_CUT
        text += model(number, facts, {"active": active})
    return text


def charged_examples(examples: int = 150, seed: int = 2) -> str:
    """Active where lumo is below -1.52 and logp between 2.25 and 3.75, or never below."""
    draw = random.Random(seed)
    text = ""
    for number in range(examples):
        lumo, logp = draw.randrange(-300, 0) / 100, draw.randrange(0, 600) / 100
        active = lumo < EXAMPLE_CUT and LOW <= logp < HIGH
        text += model(number, [f"lumo({lumo})", f"logp({logp})"], {"active": active})
    return text


def sized_parts(examples: int = 20, seed: int = 3) -> str:
    """Many products in each example: good ones have a part of size 7 or more. Sizes are told to be numbers."""
    draw = random.Random(seed)
    text = "bias(part(product, part)). bias(size(part, number)). bias(red(part)). bias(good(product)).\n"
    for number in range(examples):
        facts, queries = [], {}
        for product in range(10):
            good = False
            for part in range(draw.randint(1, 3)):
                name, size = f"q{product}_{part}", draw.randrange(12)
                facts += [f"part(p{product}, {name})", f"size({name}, {size})"]
                facts += [f"red({name})"] * draw.choice([0, 1])
                good |= size >= 7
            queries[f"good(p{product})"] = good
        text += model(number, facts, queries)
    return text


def cuts(template: str, predicate: str, operator: str) -> list[float]:
    """The constants that the numbers of a predicate are compared with in the rules of a model."""
    constants = []
    for clause in re.findall(r":: (.*)\.$", template, re.M):
        for number in re.findall(rf"\b{predicate}\((?:\w+, )?(\w+)\)", clause):
            constants += re.findall(rf"\b{number} {operator} (-?[0-9.e-]+)", clause)
    return [float(constant) for constant in constants]


def text_of(text: str, *options: object, folder: Path) -> str:
    (folder / "data.pl").write_text(text)
    result = run("learn-structure", folder / "data.pl", "-o", folder / "model.pl", "--quiet", *options)
    assert result.exit_code == 0, result.output
    return (folder / "model.pl").read_text()


def values(text: str, predicate: str) -> np.ndarray:
    return np.unique([float(found) for found in re.findall(rf"\b{predicate}\((?:\w+, )?(-?[0-9.]+)\)", text)])


def beside(text: str, predicate: str, planted: float) -> tuple[float, float]:
    """The numbers of a predicate one cut point below and above the planted one."""
    known = values(text, predicate)
    place = int(np.searchsorted(known, planted))
    return float(known[place - 2]), float(known[place + 1])


@pytest.mark.parametrize(
    ("text", "predicate", "operator", "planted"),
    [
        (charged_atoms(), "charge", ">=", ATOM_CUT),
        (charged_examples(), "lumo", "<", EXAMPLE_CUT),
        (charged_examples(), "logp", ">=", LOW),
        (charged_examples(), "logp", "<", HIGH),
        (sized_parts(), "size", ">=", 7.0),
    ],
    ids=["atoms", "example", "interval from", "interval to", "parts of arguments"],
)
def test_planted_thresholds_are_words_to_within_a_cut_point(
    text: str, predicate: str, operator: str, planted: float
) -> None:
    """Of hundreds of cut points a few become words, and the planted one is among them."""
    conditions = {argument.predicate.name: chosen for argument, chosen in words_of(text).conditions.thresholds.items()}
    tests = [test for condition in conditions[predicate] for test in condition.tests]
    low, high = beside(text, predicate, planted)
    assert any(name == operator and low < float(constant.text) <= high for name, constant in tests)
    assert len(tests) < 20


@pytest.mark.usefixtures("two_parts")
@pytest.mark.parametrize(
    ("text", "predicate", "planted"),
    [(charged_atoms(), "charge", ATOM_CUT), (sized_parts(), "size", 7.0)],
    ids=["atoms", "parts of arguments"],
)
def test_planted_thresholds_stand_in_the_model(text: str, predicate: str, planted: float, tmp_path: Path) -> None:
    """They are read off the rules, and the model is right about new data."""
    template = text_of(text, "--iterations", 1, "--length", 3, "--conjunctions", 20, folder=tmp_path)
    low, high = beside(text, predicate, planted)
    assert any(low < cut <= high for cut in cuts(template, predicate, ">=") + cuts(template, predicate, "<"))
    fresh = charged_atoms(seed=11) if predicate == "charge" else sized_parts(seed=12)
    (tmp_path / "new.pl").write_text(fresh)
    result = run("evaluate", tmp_path / "model.pl", tmp_path / "new.pl", "--json")
    accuracy = float(re.findall(r'"accuracy": ([0-9.]+)', result.stdout)[0])
    assert accuracy > 0.95


def test_a_planted_interval_stands_in_the_model(tmp_path: Path) -> None:
    """One rule has all of it, with cut points between numbers of examples that the rest of it fits."""
    text = charged_examples(300)
    template = text_of(text, "--iterations", 2, folder=tmp_path)
    rule = re.findall(r":: active :- logp\(V1\), lumo\(V2\), V1 >= (\S+), V1 < (\S+), V2 < (\S+)\.$", template, re.M)
    low, high, most = map(float, rule[0])
    for lumo, logp in re.findall(r"lumo\((\S+)\)\.\nlogp\((\S+)\)\.", text):
        planted = float(lumo) < EXAMPLE_CUT and LOW <= float(logp) < HIGH
        assert planted == (float(lumo) < most and low <= float(logp) < high)
    assert beside(text, "logp", LOW)[0] < low <= beside(text, "logp", LOW)[1]


def test_the_threshold_of_the_bundled_shipments_is_read_off_the_rules(tmp_path: Path) -> None:
    """Late with a fragile parcel of 12.35 kg or more: the strongest rule has a cut point between the same parcels.

    One that is best for parcels of all kinds together must not keep out a better one for the fragile ones near it.
    """
    text = (DATASETS / "shipments" / "shipments.pl").read_text()
    template = text_of(text, "--iterations", 1, "--layers", 1, "--length", 3, "--conjunctions", 20, folder=tmp_path)
    (cut,) = set(re.findall(r":- fragile\(V1\), weight\(V1, V2\), V2 >= (\S+)\.$", template, re.M))
    weights = {float(weight) for weight in FRAGILE.findall(text)}
    assert not any(min(float(cut), 12.35) <= weight < max(float(cut), 12.35) for weight in weights)


def test_the_bundled_shipments_are_late_by_the_planted_rule() -> None:
    """As many are late as are not."""
    text = (DATASETS / "shipments" / "shipments.pl").read_text()
    late = []
    for block in text.split("begin(model(")[1:]:
        late.append(max(map(float, FRAGILE.findall(block)), default=0.0) >= 12.35)
        assert f"query(late, {float(late[-1])})." in block
    assert (len(late), sum(late)) == (240, 120)


# Scores


@pytest.mark.parametrize("name", list(AGGREGATIONS))
def test_scores_of_one_pass_are_those_of_each_cut_point(name: str) -> None:
    draw = np.random.default_rng(5)
    atom, number = draw.integers(0, 12, 60), np.round(draw.normal(size=60), 1)
    slope, curvature = draw.normal(size=12), draw.random(12)
    middle, score = cut_scores(atom, number, slope, curvature, AGGREGATIONS[name])
    known = np.unique(number)
    assert np.allclose(middle, (known[1:] + known[:-1]) / 2)
    for cut, found in zip(middle, score, strict=True):
        best = 0.0
        for side in (number >= cut, number < cut):
            count = np.array([(side & (atom == one)).sum() for one in range(12)])
            value = {"mean": np.sign(count), "max": np.sign(count), "sqrt": np.sqrt(count), "sum": count}[name]
            mean = (curvature * value).sum() / curvature.sum()
            best = max(best, (slope @ value) ** 2 / ((curvature * (value - mean) ** 2).sum() + 1.0))
        assert found == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0.2, 0.22, "0.21"),
        (-0.117, -0.087, "-0.1"),
        (2.0, 3.0, "3"),
        (-3.0, -2.0, "-2"),
        (0.5, 3.0, "2.0"),
        (-0.5, 0.5, "0.0"),
        (1e-7, 3e-7, "2.0e-07"),
        (1e299, 1e300, "6.0e+299"),
        (0.1, np.nextafter(0.1, 1.0), "0.10000000000000002"),
        (-1.7e308, 1.7e308, "0.0"),
    ],
)
def test_constants_of_cut_points_have_few_digits(low: float, high: float, text: str) -> None:
    assert cut_constant(np.float64(low), np.float64(high)).text == text
    assert low < float(text) <= high


# Words


def some(facts: str, bias: str = "") -> str:
    """Eight examples, X being their number."""
    return bias + "".join(
        model(number, [fact.strip().replace("X", str(number)) for fact in facts.split(";")], {"p": number > 3})
        for number in range(8)
    )


def names(text: str) -> list[str]:
    return sorted(str(name.name) for name in words_of(text).tables)


def test_floats_are_numbers() -> None:
    found = names(some("charge(a, 0.X); charge(b, 1.5)"))
    assert "charge(_, >= 0.35)" in found and "charge(_, < 0.35)" in found
    assert "charge" not in found


def test_integers_are_numbers_where_a_bias_says_so() -> None:
    facts = "charge(a, X); charge(b, 9)"
    assert names(some(facts)) == ["charge"]
    assert "charge(_, >= 4)" in names(some(facts, "bias(charge(atom, number)).\n"))
    constants = names(some(facts, "bias(charge(atom, constant)).\n"))
    assert constants == ["charge(_, 9)"]


def test_arguments_of_mixed_kinds_are_none() -> None:
    """Where a name stands among numbers there is nothing to compare; a bias that says so is an error."""
    assert names(some("charge(a, 0.X); charge(b, unknown)")) == ["charge"]
    with pytest.raises(Exception, match=r"data\.pl:1:1: bias for charge/2: unknown is no number"):
        words_of(some("charge(a, 0.X); charge(b, unknown)", "bias(charge(atom, number)).\n"))


def test_numbers_that_other_arguments_do_not_tell_stay_objects() -> None:
    assert names(some("measured(a, 0.X); measured(a, 1.5)")) == ["measured"]
    found = names(some("measured(a, 0.X, 1.5); measured(a, 0.9, 2.5)"))
    assert "measured(_, _, >= 2.0)" in found and "measured" not in found


def test_numbers_of_examples_make_conditions_without_arguments() -> None:
    words = words_of(some("lumo(0.X); a(b)"))
    assert words.tables[Predicate("lumo(>= 0.35)", 0)].example.tolist() == [4, 5, 6, 7]


def test_constants_beside_numbers() -> None:
    words = words_of(some("at(a, x, 0.X); at(a, y, 1.5); at(b, x, 1.5)", "bias(at(thing, constant, number)).\n"))
    rule = Rule(Atom("p"), (Atom("at(_, x, >= 0.35)", (Variable("V1"),)), Atom("at(_, x, < 0.35)", (Variable("V2"),))))
    assert words.written(rule).clause == "p :- at(V1, x, V3), at(V2, x, V4), V3 >= 0.35, V4 < 0.35"


def test_numbers_beside_numbers_are_any() -> None:
    words = words_of(some("at(a, 0.X, 1.5); at(b, 1.5, 1.5)"))
    rule = Rule(Atom("p"), (Atom("at(_, >= 0.35, _)", (Variable("X"),)),))
    assert words.written(rule).clause == "p :- at(X, V1, V2), V1 >= 0.35, V2 =:= V2"


def test_conditions_are_written_as_they_are_read() -> None:
    condition = Condition(((">=", Constant("-0.5")), ("<", Constant("3"))))
    words = words_of(some("lumo(0.X); a(b)"))
    written = [str(guard) for guard in condition.guards(Variable("V1"))]
    assert written == ["V1 >= -0.5", "V1 < 3"] and words.conditions


def test_sorts_of_numbers_are_called_so() -> None:
    data, knowledge = loaded(some("lumo(0.X); charge(a, 1.X); size(a, 2.5); a(a)"))
    plain = vocabulary(data, knowledge, data.queries)
    assert [sort.name for sort in plain.named_sorts()] == ["a", "number", "number", "number"]


def test_a_bias_that_calls_names_numbers(tmp_path: Path) -> None:
    (tmp_path / "data.pl").write_text(some("charge(a, 0.X); charge(b, 'é')", "bias(charge(atom, number)).\n"))
    result = run("learn-structure", tmp_path / "data.pl", "-o", tmp_path / "model.pl", *QUICK, "--quiet")
    assert result.exit_code == 1 and not (tmp_path / "model.pl").exists()
    assert "data.pl:1:1: bias for charge/2: é is no number that floats hold exactly; give another sort" in result.stderr


# Models


def random_numbers(seed: int, weighted: bool = False) -> str:
    """Graphs whose nodes have numbers, many of them equal, one, two or none of a kind; whole examples have one, too."""
    draw = random.Random(seed)
    text = ""
    for number in range(24):
        facts = [f"whole({draw.randrange(5) / 4})"]
        nodes = range(draw.randint(2, 4))
        for node in nodes:
            weight = f"{draw.choice([0.5, 2.0])} :: " if weighted and draw.random() < 0.4 else ""
            if draw.random() < 0.8:
                facts.append(f"{weight}charge(a{node}, {draw.randrange(4) / 2})")
            facts += [
                f"at(a{node}, {draw.randrange(3) / 2}, {draw.randrange(3) / 2})",
                f"{draw.choice('cno')}(a{node})",
            ]
        facts += [f"bond(a{one}, a{other})" for one, other in itertools.permutations(nodes, 2) if draw.random() < 0.6]
        text += model(number, facts, {"active": draw.random() < 0.5, "marked(a0)": draw.random() < 0.5})
    return text


@pytest.mark.parametrize(("seed", "weighted", "layers"), [(1, False, 1), (2, True, 2), (3, False, 2)])
def test_written_models_say_what_was_learned(seed: int, weighted: bool, layers: int) -> None:
    """The outputs of conditions as predicates, and of guards grounded by SWI-Prolog and by joins."""
    text = random_numbers(seed, weighted)
    data, knowledge = loaded(text)
    options = StructureOptions(iterations=2, layers=layers, gain=0.0, epochs=5, final_epochs=5, crisp=True)
    E = make_problem(data, knowledge, data.queries, options)
    state = learn_rules(E)
    template = written_template(E, state.rules, state.weights)
    assert sum(">=" in rule.clause or "<" in rule.clause for rule in template.rules) > 5
    expected = outputs(E, state.rules, state.weights, data.queries)
    for name in ("swi", "joins"):
        again = _outputs(name, text, template)
        assert np.abs(again - expected).max() < 1e-12, name
    assert len(np.unique(expected)) > 5


def _outputs(name: str, text: str, template: Template) -> np.ndarray:
    with open_grounder(name, GrounderOptions()) as grounder:
        data = grounder.load(Source("data.pl", text.encode()))
        source = "".join(f"setting({key}, {value}).\n" for key, value in settings(template)) + "\n".join(
            str(rule) for rule in template.rules
        )
        again = grounder.read_template(Source("model.pl", source.encode()))
        network = compile_network(grounder.ground(again, data))
        found, _ = network.forward(np.array([rule.weight for rule in again.rules]))
        return network.outputs(found)


def settings(template: Template) -> list[tuple[str, object]]:
    own = template.settings
    return [("object_identity", str(own.object_identity).lower()), ("aggregation", own.aggregation)]


@pytest.mark.usefixtures("two_parts")
def test_every_command_takes_a_model_with_thresholds(tmp_path: Path) -> None:
    assert cuts(text_of(charged_atoms(60), *QUICK, folder=tmp_path), "charge", ">=")
    model, data = tmp_path / "model.pl", tmp_path / "data.pl"
    for command in (
        ["predict", model, data],
        ["evaluate", model, data, "--grounder", "joins"],
        ["explain", model, data, "--example", "m3"],
        ["show", model],
        ["draw", model, data, "--example", "m3", "-o", tmp_path / "model.dot"],
        ["simplify", model, data, "-o", tmp_path / "simple.pl"],
        ["train", tmp_path / "ground.npz", "-o", tmp_path / "trained.pl", "--epochs", "2"],
    ):
        if command[0] == "train":
            assert run("ground", model, data, "-o", tmp_path / "ground.npz").exit_code == 0
        result = run(*command)
        assert result.exit_code == 0, (command, result.output)
    assert run("predict", tmp_path / "simple.pl", data).exit_code == 0


@pytest.mark.usefixtures("two_parts")
def test_cut_points_come_from_the_training_part(tmp_path: Path) -> None:
    """Other numbers and other targets in the fold that is left out change no byte of the model."""
    models = []
    for changed in (False, True):
        text = charged_atoms(80)
        examples = text.split("begin(")[1:]
        for number, example in enumerate(examples):
            fold = number % 4 + 1
            if changed and fold == 1:
                example = re.sub(r"-?[0-9.]+\)\.", "0.377).", example).replace("query(active, 1", "query(active, 0")
            examples[number] = example.replace(".\n", f".\nfold({fold}).\n", 1)
        models.append(text_of("".join(f"begin({one}" for one in examples), "--fold", 1, *QUICK, folder=tmp_path))
    assert cuts(models[0], "charge", ">=")
    assert models[0].split("\n", 1)[1] == models[1].split("\n", 1)[1]

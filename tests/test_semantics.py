"""What networks compute: samples derived by hand, and random programs against a naive interpreter.

Hand-derived samples write `sigm` for the sigmoid function and go through `lrnn predict`. Random programs are drawn by
hypothesis and grounded by one SWI-Prolog process; `naive.py` computes what they should give.
"""

from __future__ import annotations

import math
import os
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from itertools import pairwise, permutations
from pathlib import Path

import naive
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from naive import Atom, Clause, Comparison, Example, Guard, Negation, Program, Rule, Sum, Term, Variable

from lrnn_cli.commands import cli
from lrnn_cli.errors import NetworkError
from lrnn_cli.grounding.collapsed import Collapsed
from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder
from lrnn_cli.grounding.groundings import Groundings, load_groundings, save_groundings
from lrnn_cli.grounding.reading import reader
from lrnn_cli.grounding.session import GroundingSession
from lrnn_cli.language.files import Source
from lrnn_cli.network.collapse import collapse, joined_parts
from lrnn_cli.network.compile import Compiler
from lrnn_cli.network.matrices import RowMatrix
from lrnn_cli.network.network import Level, Network, compile_network
from lrnn_cli.network.statistics import raw_neurons
from lrnn_cli.semantics.activations import ACTIVATIONS
from lrnn_cli.semantics.aggregations import AGGREGATIONS, Selecting
from lrnn_cli.semantics.losses import LOSSES


def sigm(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x))


@pytest.fixture(scope="module")
def grounder() -> Iterator[GroundingSession]:
    with open_grounder("swi", GrounderOptions()) as opened:
        yield opened


def grounded(grounder: GroundingSession, template: str, data: str) -> Groundings:
    """Template and data, given as text, grounded by an open grounder."""
    rules = grounder.read_template(Source("template.pl", template.encode()))
    return grounder.ground(rules, grounder.load(Source("data.pl", data.encode())))


def weights_of(groundings: Groundings) -> np.ndarray:
    return np.array([rule.weight for rule in groundings.template.rules], float)


def network_outputs(network: Network, weights: np.ndarray) -> np.ndarray:
    values, _ = network.forward(weights)
    return network.outputs(values)


def predicted(folder: Path, template: str, data: str, *options: str) -> list[tuple[str, str, float, float]]:
    """Rows of `lrnn predict`: example, atom, target, output."""
    (folder / "template.pl").write_text(template)
    (folder / "data.pl").write_text(data)
    files = [str(folder / "template.pl"), str(folder / "data.pl")]
    result = CliRunner().invoke(cli, ["predict", *files, "--jobs", "1", "--quiet", *options])
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0] == "example\tatom\ttarget\toutput"
    rows = [line.split("\t") for line in lines[1:]]
    return [(example, atom, float(target), float(output)) for example, atom, target, output in rows]


# (a) Samples derived by hand
#
# The family lukasiewicz has a = 6 and b0 = -0.5, so
#     atom neuron  sigm(6 * (sum - 0.5)),  rule neuron of k body atoms  sigm(6 * (sum - k + 0.5)).
# A plain fact is a fact neuron of value 1.0, and its atom neuron is FACT = sigm(6 * (1 - 0.5)) = sigm(3).

FACT = 0.9525741268224334  # sigm(3) = 1 / (1 + e^-3) = 1 / 1.0497870683678639
NOTHING = 0.04742587317756678  # sigm(6 * (0 - 0.5)) = sigm(-3) = 1 - sigm(3)

LUKASIEWICZ: dict[str, tuple[str, str, list[float]]] = {
    # A fact: sigm(6 * (1.0 - 0.5)). Not a fact, so no neuron: sigm(6 * -0.5).
    "fact": ("1.0 :: p :- c(X).", "c(a). d(b). query(c(a), 1). query(c(b), 0).", [FACT, NOTHING]),
    # Weight 0.8: 0.8 - 0.5 = 0.3, times 6 = 1.8. Weight -0.4: -0.9 * 6 = -5.4. Weight 0.0: -0.5 * 6 = -3.
    "weighted fact": (
        "1.0 :: p :- c(X).",
        "0.8 :: c(a). -0.4 :: c(b). 0.0 :: c(d). query(c(a), 1). query(c(b), 1). query(c(d), 1).",
        [sigm(1.8), sigm(-5.4), sigm(-3.0)],
    ),
    # a: two fact neurons 0.8 and 0.3: 1.1 - 0.5 = 0.6, times 6 = 3.6. b: the same pair twice is one fact: 0.3 * 6.
    # d: plain and 0.3: 1.3 - 0.5 = 0.8, times 6 = 4.8. e: plain, and weight 1.0, are the same pair: sigm(3).
    "two weights": (
        "1.0 :: p :- c(X).",
        "0.8 :: c(a). 0.3 :: c(a). 0.8 :: c(b). 0.8 :: c(b). c(d). 0.3 :: c(d). c(e). 1.0 :: c(e). "
        "query(c(a), 1). query(c(b), 1). query(c(d), 1). query(c(e), 1).",
        [sigm(3.6), sigm(1.8), sigm(4.8), sigm(3.0)],
    ),
    # R = sigm(6 * (FACT - 1 + 0.5)), aggregation 2 * R, atom sigm(6 * (2 * R - 0.5)).
    "rule of one atom": (
        "2.0 :: p(X) :- c(X).",
        "c(a). query(p(a), 1). query(p(b), 1).",
        [sigm(6 * (2.0 * sigm(6 * (FACT - 0.5)) - 0.5)), NOTHING],
    ),
    # c(a) = FACT and d(a) = sigm(6 * (0.6 - 0.5)) = sigm(0.6). R = sigm(6 * (FACT + sigm(0.6) - 2 + 0.5)).
    "rule of two atoms": (
        "1.5 :: p(X) :- c(X), d(X).",
        "c(a). 0.6 :: d(a). c(b). query(p(a), 1). query(p(b), 0).",
        [sigm(6 * (1.5 * sigm(6 * (FACT + sigm(0.6) - 1.5)) - 0.5)), NOTHING],
    ),
    # Three groundings: c is sigm(3), sigm(6 * 0.3), sigm(6 * -0.3). The mean of the three rule neurons, times 1.2.
    "mean over groundings": (
        "1.2 :: p :- c(X).",
        "c(a). 0.8 :: c(b). 0.2 :: c(d). query(p, 1).",
        [
            sigm(
                6
                * (
                    1.2 * (sigm(6 * (FACT - 0.5)) + sigm(6 * (sigm(1.8) - 0.5)) + sigm(6 * (sigm(-1.8) - 0.5))) / 3
                    - 0.5
                )
            )
        ],
    ),
    # Head p(a) has groundings Y = b and Y = d, p(b) has Y = d: edges are all facts, so means do not differ.
    "mean for each head": (
        "0.7 :: p(X) :- e(X, Y), c(Y).",
        "e(a, b). e(a, d). e(b, d). 0.5 :: c(b). c(d). query(p(a), 1). query(p(b), 1).",
        [
            # c(b) = sigm(0) = 0.5, so R = sigm(6 * (FACT + 0.5 - 1.5)); c(d) = FACT, so R = sigm(6 * (2 FACT - 1.5))
            sigm(6 * (0.7 * (sigm(6 * (FACT - 1.0)) + sigm(6 * (2 * FACT - 1.5))) / 2 - 0.5)),
            sigm(6 * (0.7 * sigm(6 * (2 * FACT - 1.5)) - 0.5)),
        ],
    ),
    # p(a): both rules, 0.9 * R + -0.4 * R; p(b): the second only. R = sigm(6 * (FACT - 0.5)) for each.
    "two rules": (
        "0.9 :: p(X) :- c(X). -0.4 :: p(X) :- d(X).",
        "c(a). d(a). d(b). query(p(a), 1). query(p(b), 1).",
        [sigm(6 * (0.5 * sigm(6 * (FACT - 0.5)) - 0.5)), sigm(6 * (-0.4 * sigm(6 * (FACT - 0.5)) - 0.5))],
    ),
    # The weight of a fact of the template enters as it is: 0.1 - 0.5 = -0.4, times 6 = -2.4; with a rule 0.1 + 2 * R.
    "bias": (
        "0.1 :: p. 0.1 :: r. 2.0 :: r :- c(X).",
        "c(a). query(p, 1). query(r, 1).",
        [sigm(-2.4), sigm(6 * (0.1 + 2.0 * sigm(6 * (FACT - 0.5)) - 0.5))],
    ),
    # Two facts of the template and one of the data: 0.1 + 0.25 + 0.5 - 0.5 = 0.35, times 6 = 2.1. In the other
    # example 0.1 + 0.25 - 0.5 = -0.15, times 6 = -0.9.
    "facts of template and data": (
        "0.1 :: p(a). 0.25 :: p(a).",
        "begin(model(m1)). 0.5 :: p(a). query(p(a), 1). end(model(m1)). "
        "begin(model(m2)). query(p(a), 1). end(model(m2)).",
        [sigm(2.1), sigm(-0.9)],
    ),
    # A query that nothing derives, of a predicate with rules, in an example without the facts they need.
    "underivable": ("5.0 :: p :- c(X).", "d(a). query(p, 1).", [NOTHING]),
    # p(a) has a fact 0.3 and a rule with R = sigm(6 * (FACT - 0.5)); p(b) has only its plain fact; p(d) only the rule.
    "fact and rule": (
        "0.5 :: p(X) :- c(X).",
        "0.3 :: p(a). c(a). p(b). c(d). query(p(a), 1). query(p(b), 1). query(p(d), 1).",
        [
            sigm(6 * (0.3 + 0.5 * sigm(6 * (FACT - 0.5)) - 0.5)),
            FACT,
            sigm(6 * (0.5 * sigm(6 * (FACT - 0.5)) - 0.5)),
        ],
    ),
    # Atoms that background clauses derive are facts of weight 1.0, unless the example gives the atom a weight.
    "background": (
        "1.0 :: r(X) :- p(X).",
        "begin(model(m)). c(a). c(b). 0.2 :: p(b). query(p(a), 1). query(p(b), 1). query(r(b), 1). end(model(m)). "
        "p(X) :- c(X).",
        # p(b): 0.2 - 0.5 = -0.3, times 6 = -1.8
        [FACT, sigm(-1.8), sigm(6 * (1.0 * sigm(6 * (sigm(-1.8) - 0.5)) - 0.5))],
    ),
    # Guards and negations choose groundings but are no neurons: k = 1. Left are X = b (2 < 3, not d): one grounding.
    "guards": (
        "1.0 :: p :- c(X), n(X, N), N < 3, \\+ d(X), X \\= z.",
        "c(a). c(b). c(e). 0.5 :: c(z). n(a, 1). n(b, 2). n(e, 3). n(z, 0). d(a). query(p, 1).",
        [sigm(6 * (sigm(6 * (FACT + FACT - 1.5)) - 0.5))],
    ),
    # A rule whose body is a guard only: k = 0, R = sigm(6 * (0 - 0 + 1 - 0.5)) = sigm(3).
    "rule without body atoms": ("0.4 :: p :- 1 < 2.", "c(a). query(p, 1).", [sigm(6 * (0.4 * FACT - 0.5))]),
    # Groundings of e(X, Y): (a, a), (a, b); with object identity only (a, b). t(a, b) is weighted, t(a, a) is plain.
    "object identity": (
        "setting(object_identity, true). 1.0 :: p :- e(X, Y).",
        "e(a, a). 0.9 :: e(a, b). query(p, 1).",
        # 0.9 - 0.5 = 0.4, times 6 = 2.4
        [sigm(6 * (sigm(6 * (sigm(2.4) - 0.5)) - 0.5))],
    ),
    # Steepness 2 and offset -0.25: fact sigm(2 * 0.75), rule of one atom sigm(2 * (x - 1 + 1 - 0.25)), nothing
    # sigm(2 * -0.25).
    "settings": (
        "setting(steepness, 2.0). setting(offset, -0.25). 3.0 :: p(X) :- c(X).",
        "c(a). query(p(a), 1). query(p(b), 1).",
        [sigm(2 * (3.0 * sigm(2 * (sigm(1.5) - 0.25)) - 0.25)), sigm(-0.5)],
    ),
    # Constants: the body names a, the head names k; only e(a, b) and e(a, d) match. e(a, d): 0.7 * 6 = sigm(1.2).
    "constants": (
        "1.0 :: p(k) :- e(a, Y).",
        "e(a, b). 0.7 :: e(a, d). e(b, d). query(p(k), 1). query(p(a), 0).",
        [sigm(6 * ((sigm(6 * (FACT - 0.5)) + sigm(6 * (sigm(1.2) - 0.5))) / 2 - 0.5)), NOTHING],
    ),
    # A chain a -> b -> d. path(b, d) and path(a, b): P1 = sigm(6 * (R1 - 0.5)) with R1 = sigm(6 * (FACT - 0.5)).
    # path(a, d): only the second rule, from e(a, b) and path(b, d): 0.8 * sigm(6 * (FACT + P1 - 1.5)).
    "recursion": (
        "1.0 :: path(X, Y) :- e(X, Y). 0.8 :: path(X, Y) :- e(X, Z), path(Z, Y).",
        "e(a, b). e(b, d). query(path(b, d), 1). query(path(a, d), 1).",
        [
            sigm(6 * (sigm(6 * (FACT - 0.5)) - 0.5)),
            sigm(6 * (0.8 * sigm(6 * (FACT + sigm(6 * (sigm(6 * (FACT - 0.5)) - 0.5)) - 1.5)) - 0.5)),
        ],
    ),
    # R = 0.94 or so: 6 * (1000 R - 0.5) is beyond what a sigmoid of doubles can tell from 1, or from 0.
    "large weights": (
        "1000.0 :: p :- c(X). -1000.0 :: r :- c(X). -1e300 :: s :- c(X).",
        "c(a). query(p, 1). query(r, 0). query(s, 0).",
        [1.0, 0.0, 0.0],
    ),
    # 1 and 1.0 are two objects: c(1) = sigm(6 * (0.5 - 0.5)) = 0.5 and c(1.0) = FACT.
    "numbers": (
        "1.0 :: p :- c(X). 1.0 :: r :- c(X), c(Y), X \\== Y, X =:= Y.",
        "0.5 :: c(1). c(1.0). query(p, 1). query(c(1), 1). query(r, 1).",
        [
            sigm(6 * ((sigm(0.0) + sigm(6 * (FACT - 0.5))) / 2 - 0.5)),
            0.5,
            sigm(6 * (sigm(6 * (0.5 + FACT - 1.5)) - 0.5)),
        ],
    ),
    # The same atom twice in a body counts twice: k = 2, R = sigm(6 * (2 * FACT - 1.5)).
    "repeated body atom": (
        "1.0 :: p(X) :- c(X), c(X).",
        "c(a). query(p(a), 1).",
        [sigm(6 * (sigm(6 * (2 * FACT - 1.5)) - 0.5))],
    ),
}

# In the family sigmoid the atom of facts only is their sum, a rule neuron is sigm(sum of the body), the atom of
# rules sigm(sum of its inputs), and a query that nothing derives sigm(0) = 0.5.

SIGMOID: dict[str, tuple[str, str, list[float]]] = {
    "fact": ("1.0 :: p :- c(X).", "c(a). query(c(a), 1). query(c(b), 0).", [1.0, 0.5]),
    "weighted fact": ("1.0 :: p :- c(X).", "-0.4 :: c(a). query(c(a), 1).", [-0.4]),
    # 0.8 + 0.3 = 1.1; a plain fact and 0.3 are 1.3; the same pair twice is one fact.
    "two weights": (
        "1.0 :: p :- c(X).",
        "0.8 :: c(a). 0.3 :: c(a). c(b). 0.3 :: c(b). 0.8 :: c(d). 0.8 :: c(d). "
        "query(c(a), 1). query(c(b), 1). query(c(d), 1).",
        [1.1, 1.3, 0.8],
    ),
    # R = sigm(1), p(a) = sigm(2 * sigm(1)).
    "rule of one atom": ("2.0 :: p(X) :- c(X).", "c(a). query(p(a), 1).", [sigm(2.0 * sigm(1.0))]),
    # R = sigm(1 + 0.6).
    "rule of two atoms": ("1.5 :: p(X) :- c(X), d(X).", "c(a). 0.6 :: d(a). query(p(a), 1).", [sigm(1.5 * sigm(1.6))]),
    "mean over groundings": (
        "1.2 :: p :- c(X).",
        "c(a). 0.8 :: c(b). 0.2 :: c(d). query(p, 1).",
        [sigm(1.2 * (sigm(1.0) + sigm(0.8) + sigm(0.2)) / 3)],
    ),
    # Four groundings, twice as much as their mean; p(b) has one, which is its mean.
    "sum over the root of the number of groundings": (
        "setting(aggregation, sqrt). 1.2 :: p(X) :- e(X, Y).",
        "e(a, c). 0.8 :: e(a, d). 0.2 :: e(a, e). 0.2 :: e(a, f). e(b, c). query(p(a), 1). query(p(b), 1).",
        [sigm(1.2 * (sigm(1.0) + sigm(0.8) + 2 * sigm(0.2)) / 2), sigm(1.2 * sigm(1.0))],
    ),
    "sum over groundings": (
        "setting(aggregation, sum). 1.2 :: p(X) :- e(X, Y).",
        "e(a, c). 0.8 :: e(a, d). 0.2 :: e(a, e). 0.2 :: e(a, f). e(b, c). query(p(a), 1). query(p(b), 1).",
        [sigm(1.2 * (sigm(1.0) + sigm(0.8) + 2 * sigm(0.2))), sigm(1.2 * sigm(1.0))],
    ),
    # Of each rule the largest, also where its weight is negative.
    "largest of the groundings": (
        "setting(aggregation, max). 1.2 :: p(X) :- e(X, Y). -0.7 :: p(X) :- e(Y, X).",
        "0.9 :: e(a, c). 0.8 :: e(a, d). 0.2 :: e(a, f). 0.3 :: e(c, a). 0.5 :: e(d, a). query(p(a), 1)."
        " query(p(f), 0).",
        [sigm(1.2 * sigm(0.9) - 0.7 * sigm(0.5)), sigm(-0.7 * sigm(0.2))],
    ),
    # 0.9 * sigm(1) - 0.4 * sigm(1) = 0.5 * sigm(1).
    "two rules": ("0.9 :: p(X) :- c(X). -0.4 :: p(X) :- d(X).", "c(a). d(a). query(p(a), 1).", [sigm(0.5 * sigm(1.0))]),
    # A bias alone is a fact: its weight. With a rule the sum is squashed.
    "bias": (
        "0.1 :: p. 0.1 :: r. 2.0 :: r :- c(X).",
        "c(a). query(p, 1). query(r, 1).",
        [0.1, sigm(0.1 + 2.0 * sigm(1.0))],
    ),
    "underivable": ("5.0 :: p :- c(X).", "d(a). query(p, 1).", [0.5]),
    # p(b) has its fact only, so it is 1; p(d) has the rule only; p(a) both: 0.3 + 0.5 * sigm(1). A rule above p(b)
    # sees 1: sigm(0.7 * sigm(1)).
    "fact and rule": (
        "0.5 :: p(X) :- c(X). 0.7 :: r(X) :- p(X).",
        "0.3 :: p(a). c(a). p(b). c(d). query(p(a), 1). query(p(b), 1). query(p(d), 1). query(r(b), 1).",
        [sigm(0.3 + 0.5 * sigm(1.0)), 1.0, sigm(0.5 * sigm(1.0)), sigm(0.7 * sigm(1.0))],
    ),
    # k = 0: R = sigm(0) = 0.5.
    "rule without body atoms": ("0.4 :: p :- 1 < 2.", "c(a). query(p, 1).", [sigm(0.4 * 0.5)]),
    # l(a) = sigm(1.1 * sigm(1)), and the rule above it sigm(1 + l(a)).
    "two levels": (
        "1.1 :: l(X) :- c(X). -0.6 :: p :- c(X), l(X).",
        "c(a). query(p, 1).",
        [sigm(-0.6 * sigm(1.0 + sigm(1.1 * sigm(1.0))))],
    ),
}

SAMPLES = [("lukasiewicz", name) for name in LUKASIEWICZ] + [("sigmoid", name) for name in SIGMOID]


@pytest.mark.parametrize(("family", "name"), SAMPLES)
def test_sample(family: str, name: str, tmp_path: Path) -> None:
    """Outputs of `lrnn predict` are those derived by hand."""
    template, data, expected = (LUKASIEWICZ if family == "lukasiewicz" else SIGMOID)[name]
    rows = predicted(tmp_path, f"setting(activation, {family}).\n{template}", data)
    assert [output for _, _, _, output in rows] == pytest.approx(expected, abs=1e-12)


def test_constants_of_the_samples() -> None:
    """The two numbers that the samples are built on, from a table of e^-3 = 0.049787068367863944."""
    assert pytest.approx(1.0 / 1.049787068367863944, abs=1e-15) == FACT
    assert pytest.approx(0.049787068367863944 / 1.049787068367863944, abs=1e-15) == NOTHING


def test_activation_option_wins(tmp_path: Path) -> None:
    """--activation, --aggregation and --object-identity override the settings of the template."""
    template = "setting(activation, lukasiewicz). 1.0 :: p :- e(X, Y)."
    data = "0.25 :: e(a, a). 0.75 :: e(a, b). query(p, 1)."
    plain = predicted(tmp_path, template, data, "--activation", "sigmoid")
    identity = predicted(tmp_path, template, data, "--activation", "sigmoid", "--object-identity")
    assert plain[0][3] == pytest.approx(sigm((sigm(0.25) + sigm(0.75)) / 2), abs=1e-12)
    assert identity[0][3] == pytest.approx(sigm(sigm(0.75)), abs=1e-12)
    root = predicted(tmp_path, template, data, "--activation", "sigmoid", "--aggregation", "sqrt")
    assert root[0][3] == pytest.approx(sigm((sigm(0.25) + sigm(0.75)) / math.sqrt(2)), abs=1e-12)


def test_rows_are_queries_in_order(tmp_path: Path) -> None:
    """One row a query, in the order of the file, repeated queries included."""
    data = "begin(model(m2)). c(b). query(p(b), 0). query(p(a), 1). query(p(b), 0.5). end(model(m2)). " + (
        "begin(model(m1)). c(a). query(p(a), 1). end(model(m1))."
    )
    rows = predicted(tmp_path, "2.0 :: p(X) :- c(X).", data)
    assert [row[:3] for row in rows] == [
        ("m2", "p(b)", 0.0),
        ("m2", "p(a)", 1.0),
        ("m2", "p(b)", 0.5),
        ("m1", "p(a)", 1.0),
    ]
    derived = sigm(6 * (2.0 * sigm(6 * (FACT - 0.5)) - 0.5))
    assert [row[3] for row in rows] == pytest.approx([derived, NOTHING, derived, derived], abs=1e-12)


# Small programs in which one part of the machinery could lead another astray


def test_predicates_with_equal_rules(grounder: GroundingSession) -> None:
    """Predicates with equal rules share a table, also when a body uses only the second of them.

    l2: R = sigm(6 * (FACT - 0.5)), atom sigm(6 * (0.9 * R - 0.5)); p above it likewise with weight 1.
    """
    data = "c(a). query(p, 1). query(r(a), 1)."
    groundings = grounded(
        grounder, "0.1 :: l1 :- c(X). 0.9 :: l2 :- c(X). 1.0 :: p :- l2. 1.0 :: r(X) :- c(X), l2.", data
    )
    latent = sigm(6 * (0.9 * sigm(6 * (FACT - 0.5)) - 0.5))
    expected = [sigm(6 * (sigm(6 * (latent - 0.5)) - 0.5)), sigm(6 * (sigm(6 * (FACT + latent - 1.5)) - 0.5))]
    assert network_outputs(compile_network(groundings), weights_of(groundings)) == pytest.approx(expected, abs=1e-12)


def test_repeated_variable_over_background_facts(grounder: GroundingSession) -> None:
    """e(X, X) is true for b only: p has one grounding, and r(a) none."""
    data = "e(a, b). e(b, b). begin(model(m)). query(p, 1). query(r(a), 1). query(r(b), 1). end(model(m))."
    groundings = grounded(grounder, "1.0 :: p :- e(X, X). 1.0 :: l(X) :- e(X, X). 1.0 :: r(X) :- l(X).", data)
    assert [len(table) for table in groundings.tables[:2]] == [1, 1]
    latent = sigm(6 * (sigm(6 * (FACT - 0.5)) - 0.5))
    expected = [latent, NOTHING, sigm(6 * (sigm(6 * (latent - 0.5)) - 0.5))]
    assert network_outputs(compile_network(groundings), weights_of(groundings)) == pytest.approx(expected, abs=1e-12)


def test_groundings_that_no_query_sees(grounder: GroundingSession) -> None:
    """Only p(a) is queried, which has a fact but no grounding of the rule; l(b) derives p(b), which nobody asks for."""
    data = "p(a). c(b). query(r(a), 1)."
    groundings = grounded(grounder, "1.0 :: l(X) :- c(X). 1.0 :: p(X) :- l(X). 1.0 :: r(X) :- p(X).", data)
    outputs = network_outputs(compile_network(groundings), weights_of(groundings))
    assert outputs == pytest.approx([sigm(6 * (sigm(6 * (FACT - 0.5)) - 0.5))], abs=1e-12)


def test_weighted_facts_in_other_folds_only(tmp_path: Path) -> None:
    """c has weighted facts in fold 1 and plain ones in fold 2."""
    data = (
        "begin(model(m1)). fold(1). 0.5 :: c(a). query(p, 1). end(model(m1)). "
        "begin(model(m2)). fold(2). c(b). query(p, 0). end(model(m2))."
    )
    rows = predicted(tmp_path, "1.0 :: p :- c(X).", data, "--fold", "2")
    assert rows[0][:2] == ("m2", "p")
    assert rows[0][3] == pytest.approx(sigm(6 * (sigm(6 * (FACT - 0.5)) - 0.5)), abs=1e-12)


def test_one_grounder_for_several_templates(grounder: GroundingSession) -> None:
    """Data that are loaded once can be grounded again: with other rules, and in other examples."""
    first, second = (
        grounder.read_template(Source("template.pl", text.encode()))
        for text in ("1.0 :: l(X) :- c(X). 1.0 :: p :- l(X).", "1.0 :: l(X) :- d(X). 1.0 :: p :- l(X).")
    )
    data = grounder.load(
        Source(
            "data.pl",
            b"begin(model(m1)). c(a). c(b). d(b). query(p, 1). end(model(m1)). "
            b"begin(model(m2)). c(a). d(a). d(e). query(p, 1). end(model(m2)).",
        )
    )
    assert [len(table) for table in grounder.ground(first, data).tables] == [3, 3]
    assert [len(table) for table in grounder.ground(second, data).tables] == [3, 3]
    assert [len(table) for table in grounder.ground(second, data, [1]).tables] == [2, 2]
    assert [len(table) for table in grounder.ground(first, data, [0]).tables] == [2, 2]


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_cycle_beside_a_predicate_without_atoms(grounder: GroundingSession, order: tuple[int, ...]) -> None:
    """p(k) and r(k) depend on each other; s depends on them and they on s, but no atom of s is true."""
    rules = ["1.0 :: p(X) :- r(X).", "1.0 :: r(X) :- p(X).", "1.0 :: s(X) :- p(X), s(X).", "1.0 :: p(X) :- r(X), s(X)."]
    groundings = grounded(grounder, " ".join(rules[index] for index in order), "r(k). query(p(k), 1).")
    with pytest.raises(NetworkError) as error:
        compile_network(groundings)
    assert re.search(r"p\(k\) <- r\(k\) <- p\(k\)|r\(k\) <- p\(k\) <- r\(k\)", str(error.value))


def test_cycle_that_no_query_sees(grounder: GroundingSession) -> None:
    """p(k) depends on itself, p(a) does not; only p(a) is asked for."""
    groundings = grounded(
        grounder, "1.0 :: p(X) :- c(X). 1.0 :: p(X) :- e(X, Y), p(Y).", "c(a). c(k). e(k, k). query(p(a), 1)."
    )
    outputs = network_outputs(compile_network(groundings), weights_of(groundings))
    assert outputs == pytest.approx([sigm(6 * (sigm(6 * (FACT - 0.5)) - 0.5))], abs=1e-12)


def test_background_that_needs_a_bound_argument(tmp_path: Path) -> None:
    """next(1, 2) holds when 1 is known: the query r(2) must not keep the rule from starting with n(1)."""
    data = "begin(model(m)). n(1). query(r(2), 1). query(r(3), 1). end(model(m)). next(X, Y) :- Y is X + 1."
    rows = predicted(tmp_path, "0.5 :: r(Y) :- n(X), next(X, Y).", data)
    expected = [sigm(6 * (0.5 * sigm(6 * (2 * FACT - 1.5)) - 0.5)), NOTHING]
    assert [row[3] for row in rows] == pytest.approx(expected, abs=1e-12)


def test_query_of_background_that_needs_a_bound_argument(tmp_path: Path) -> None:
    """Such an atom is a fact where it is queried; at the least the query is refused with a message."""
    (tmp_path / "template.pl").write_text("1.0 :: p :- n(X).")
    data = "begin(model(m)). n(1). query(next(1, 2), 1). query(next(1, 3), 0). end(model(m)). next(X, Y) :- Y is X + 1."
    (tmp_path / "data.pl").write_text(data)
    result = CliRunner().invoke(cli, ["predict", str(tmp_path / "template.pl"), str(tmp_path / "data.pl")])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    if result.exit_code == 0:
        values = [float(line.split("\t")[3]) for line in result.stdout.splitlines()[1:]]
        assert values == pytest.approx([FACT, NOTHING], abs=1e-12)


def test_more_objects_than_the_first_range_of_identifiers(grounder: GroundingSession) -> None:
    """Objects around and after number 0xD800, where identifiers leave out a range, are still told apart.

    In the family sigmoid c(o) is the weight of its fact, and r(o) = sigm(w * sigm(1 + weight of the next object)).
    """
    count = 0xD800 + 600
    asked = [1, 500, *range(0xD7F0, 0xD810), count - 2]
    weight = {n: 0.25 + n / count for n in asked + [n + 1 for n in asked]}
    lines = [f"{weight[n]!r} :: c({n})." if n in weight else f"c({n})." for n in range(count)]
    lines += [f"e({n}, {n + 1}). query(c({n}), 1). query(r({n}), 1). query(s({n}), 1)." for n in asked]
    template = "setting(activation, sigmoid). 0.5 :: r(X) :- e(X, Y), c(Y). 0.5 :: s(X) :- e(X, Y), made(Y, Z)."
    background = f"made(X, Y) :- e(_, X), Y is X + {count}.\n"
    groundings = grounded(grounder, template, background + "\n".join(lines))
    outputs = network_outputs(compile_network(groundings), weights_of(groundings))
    expected = [[weight[n], sigm(0.5 * sigm(1.0 + weight[n + 1])), sigm(0.5 * sigm(2.0))] for n in asked]
    assert outputs.tolist() == pytest.approx([value for row in expected for value in row], abs=1e-12)
    assert groundings.names is not None
    assert groundings.names.made == tuple(sorted(str(n + 1 + count) for n in asked))


# Random programs

OBJECTS = ["a", "b", "c", "d"]
NUMBERS = [1, 2, 3]
X, Y, Z, M, N, FRESH, LOCAL = (Variable(name) for name in ("X", "Y", "Z", "M", "N", "Fresh", "Local"))
VARIABLES = {"o": [X, Y, Z], "n": [M, N]}

# Predicates and the kinds of their arguments: objects and numbers.
DATA = {"edge": "oo", "red": "o", "blue": "o", "warm": "o", "tie": "oo", "size": "on", "rain": ""}
SOFT = {"blue", "warm", "tie", "rain"}
BACKGROUND = {"marked": "o", "linked": "oo", "larger": "on", "known": "o"}
TARGETS = {"goal": "", "goal_one": "o", "goal_two": "oo"}
Predicates = dict[str, str]


class Drawing:
    """Draws the parts of a program from a source of random numbers that hypothesis controls."""

    def __init__(self, source: random.Random) -> None:
        self.random = source
        self.objects = OBJECTS[: source.choice([2, 2, 3, 3, 4])]
        self.data = sorted({"edge", *source.sample(sorted(DATA), 3)})
        """The predicates of the data that rules use."""

    def chance(self, percent: int) -> bool:
        return self.random.randrange(100) < percent

    def weight(self) -> float:
        return self.random.randint(-20, 20) / 8

    def constant(self, kind: str) -> str | int:
        return self.random.choice(self.objects) if kind == "o" else self.random.choice(NUMBERS)

    def ground_atom(self, predicates: Predicates, names: Sequence[str]) -> Atom:
        name = self.random.choice(names)
        return Atom(name, tuple(self.constant(kind) for kind in predicates[name]))

    def body_atom(self, predicates: Predicates, names: Sequence[str]) -> Atom:
        name = self.random.choice(names)
        arguments: list[Term] = []
        for kind in predicates[name]:
            arguments.append(self.constant(kind) if self.chance(8) else self.random.choice(VARIABLES[kind]))
        return Atom(name, tuple(arguments))

    def bound(self, predicates: Predicates, body: Sequence[Atom], kind: str) -> list[Variable]:
        """Variables of a kind in the body, in a fixed order."""
        found = {term for atom in body for term in atom.arguments if isinstance(term, Variable)}
        return [variable for variable in VARIABLES[kind] if variable in found]

    def head(self, name: str, kinds: str, variables: dict[str, list[Variable]]) -> Atom:
        arguments: list[Term] = []
        for kind in kinds:
            choices = variables[kind]
            arguments.append(self.random.choice(choices) if choices and not self.chance(8) else self.constant(kind))
        return Atom(name, tuple(arguments))

    def guards(self, variables: dict[str, list[Variable]], negated: Predicates, binding: bool) -> list[Guard]:
        """Up to two guards over bound variables; one that binds adds a variable to `variables`."""
        guards: list[Guard] = []
        objects, numbers = variables["o"], variables["n"]
        if objects and self.chance(20):
            operator = self.random.choice(["\\=", "\\==", "@<", "=="])
            right: Term = self.random.choice([*objects, self.constant("o")])
            guards.append(Comparison(operator, self.random.choice(objects), right))
        if numbers and self.chance(40):
            operator = self.random.choice(["<", "=<", ">", ">=", "=:="])
            right = self.random.choice([*numbers, self.constant("n")])
            guards.append(Comparison(operator, self.random.choice(numbers), right))
        if negated and self.chance(20):
            name = self.random.choice(sorted(negated))
            arguments: list[Term] = []
            for kind in negated[name]:
                choices = [*variables[kind], self.constant(kind), *([] if LOCAL in arguments else [LOCAL])]
                arguments.append(self.random.choice(choices))
            guards.append(Negation(Atom(name, tuple(arguments))))
        if binding and numbers and self.chance(30):
            guards.append(Sum(FRESH, self.random.choice(numbers), self.random.randint(-1, 2)))
            variables["n"] = [*numbers, FRESH]
        elif binding and objects and self.chance(8):
            guards.append(Comparison("=", FRESH, self.random.choice(objects)))
            variables["o"] = [*objects, FRESH]
        self.random.shuffle(guards)
        return guards

    def clause(
        self, head: str, kinds: str, predicates: Predicates, names: Sequence[str], negated: Predicates, binding: bool
    ) -> Clause:
        body = [self.body_atom(predicates, names) for _ in range(self.random.choice([1, 1, 2, 2, 3]))]
        variables = {kind: self.bound(predicates, body, kind) for kind in "on"}
        guards = self.guards(variables, negated, binding)
        return Clause(self.head(head, kinds, variables), tuple(body), tuple(guards))

    # Parts of a program

    def background(self) -> list[Clause]:
        """Crisp clauses and facts; some are recursive, some add to predicates of the data."""
        clauses = []
        everything = DATA | BACKGROUND
        if self.chance(35):
            clauses.append(Clause(Atom("linked", (X, Y)), (Atom("edge", (X, Y)),)))
            clauses.append(Clause(Atom("linked", (X, Y)), (Atom("edge", (X, Z)), Atom("linked", (Z, Y)))))
        if self.chance(25):
            larger = Atom("larger", (X, N))
            clauses.append(Clause(larger, (Atom("size", (X, M)),), (Sum(N, M, self.random.randint(1, 2)),)))
        for _ in range(self.random.choice([0, 0, 1, 2, 3])):
            head = self.random.choice(["marked", "linked", "marked", "warm", "blue", "edge", "rain"])
            names = [*self.data * 2, "marked", "linked", "known"]
            clauses.append(self.clause(head, everything[head], everything, names, {"red": "o"}, False))
        for _ in range(self.random.choice([0, 0, 0, 1, 2])):
            clauses.append(Clause(self.ground_atom(everything, ["known", "marked", "edge", "warm", "rain"])))
        self.random.shuffle(clauses)
        return clauses

    def rules(self, recursive: bool, crisp: list[str], extra: list[str]) -> tuple[list[Rule], Predicates]:
        """Rules for families of latent predicates and for targets; members of a family share skeletons.

        `extra` are predicates of the data and the background that get rules, too.
        """
        families = {
            "first": self.random.choice(["o", "o", "oo", "on"]),
            "second": self.random.choice(["o", "o", "oo", ""]),
        }
        members = {name: [f"{name}_{n}" for n in range(1, self.random.randint(1, 3) + 1)] for name in families}
        predicates = DATA | BACKGROUND | families | TARGETS
        negated = {"red": "o", "edge": "oo", "size": "on", "linked": "oo", "larger": "on", "known": "o"}
        rules: list[Rule] = []
        available = [*self.data * 4, *crisp]
        for level, kinds in [*families.items(), *TARGETS.items()]:
            names = available + list(families) * 8 if recursive and level in families else list(available)
            for _ in range(self.random.choice([1, 1, 2])):
                skeleton = self.clause(level, kinds, predicates, names, negated, not recursive)
                for head in members.get(level, [level]):
                    for _ in range(self.random.choice([1, 1, 2])):
                        if self.chance(92):
                            rules.append(Rule(self.weight(), self.instance(skeleton, head, members)))
            if level in families:
                available += [level] * 8
        for name in extra:
            rules.append(
                Rule(self.weight(), self.clause(name, predicates[name], predicates, self.data, negated, False))
            )
        for _ in range(self.random.choice([0, 0, 1, 2])):
            name = self.random.choice(["goal", "goal_one", *families])
            member = self.random.choice(members.get(name, [name]))
            rules.append(Rule(self.weight(), Clause(replaced(self.ground_atom(predicates, [name]), member))))
        if self.chance(5):
            rules.append(Rule(self.weight(), Clause(Atom("goal"), (), (Comparison("<", 1, 2),))))
        rules.append(Rule(self.weight(), Clause(Atom("goal"), (self.body_atom(DATA, ["edge", "warm", "size"]),))))
        self.random.shuffle(rules)
        expanded = {member: kinds for name, kinds in families.items() for member in members[name]}
        return rules, expanded

    def instance(self, skeleton: Clause, head: str, members: dict[str, list[str]]) -> Clause:
        """The skeleton with a member of each family in place of the family."""
        body = [
            replaced(atom, self.random.choice(members.get(atom.predicate, [atom.predicate]))) for atom in skeleton.body
        ]
        return Clause(replaced(skeleton.head, head), tuple(body), skeleton.guards)

    def counting(self) -> list[Rule]:
        """A recursion that makes its own objects: level(1), level(2) and so on up to a bound."""
        step = Clause(
            Atom("level", (FRESH,)),
            (Atom("level", (M,)), *([Atom("warm", (X,))] if self.chance(50) else [])),
            (Comparison("<", M, self.random.randint(2, 5)), Sum(FRESH, M, 1)),
        )
        return [
            Rule(self.weight(), Clause(Atom("level", (1,)))),
            Rule(self.weight(), step),
            Rule(self.weight(), Clause(Atom("goal"), (Atom("level", (N,)),))),
        ]

    def facts(self, predicates: Predicates, mixed: list[str]) -> list[tuple[Atom, float | None]]:
        """Facts of one example, some of them weighted, some of them twice."""
        facts: list[tuple[Atom, float | None]] = []
        names = [*self.data * 4, *DATA, "known", *mixed * 2]
        for _ in range(self.random.choice([0, 5, 10, 15, 15, 20, 20, 25])):
            atom = self.ground_atom(predicates, names)
            soft = atom.predicate in SOFT or atom.predicate in mixed
            weights = [None, None, 0.5, 0.25, -0.75, 1.0, 2.0, 0.0] if soft else [None]
            for _ in range(2 if self.chance(15) else 1):
                facts.append((atom, self.random.choice(weights)))
        return facts

    def queries(self, program: Program, example: Example, predicates: Predicates, asked: list[str]) -> Example:
        """Queries about these predicates, most of them about atoms that are true."""
        model = naive.GroundExample(program, example).model
        queries = []
        for _ in range(self.random.randint(1, 4)):
            atom = self.ground_atom(predicates, asked)
            if self.chance(80):
                true = [name for name in asked if model.get((name, len(predicates[name])))]
                name = self.random.choice(true or [atom.predicate])
                rows = sorted(model.get((name, len(predicates[name])), ()), key=str)
                atom = Atom(name, self.random.choice(rows)) if rows else atom
            queries.append((atom, self.random.choice([0.0, 1.0, 1.0, 0.5])))
        return replace(example, queries=tuple(queries))

    def program(self, examples: int) -> Program:
        background = self.background()
        crisp = sorted({clause.head.predicate for clause in background})
        bodies = {atom.predicate for clause in background for atom in clause.body}
        extra = [name for name in ("marked", "tie", "warm") if name not in bodies and self.chance(15)]
        rules, latent = self.rules(self.chance(30), crisp, extra)
        predicates = DATA | BACKGROUND | latent | TARGETS
        if self.chance(15):
            rules += self.counting()
            predicates["level"] = "n"
        mixed = [name for name in (*latent, *TARGETS, "marked") if self.chance(12)]
        found = [Example(f"m{n}", tuple(self.facts(predicates, mixed)), ()) for n in range(1, examples + 1)]
        family = self.random.choice(["lukasiewicz", "lukasiewicz", "sigmoid"])
        steepness, offset = self.random.choice([(6.0, -0.5), (6.0, -0.5), (2.5, -0.2), (1.0, 0.25)])
        identity = self.chance(25)
        aggregation = self.random.choice(list(AGGREGATIONS))
        numbers = family, steepness, offset
        program = Program(tuple(rules), tuple(background), tuple(found), *numbers, identity, aggregation)
        heads = sorted({rule.clause.head.predicate for rule in rules})
        facts = sorted({atom.predicate for example in found for atom, _ in example.facts})
        asked = heads + [name for name in heads if name in TARGETS] * 4 + crisp + facts[:2]
        chosen = [self.queries(program, example, predicates, asked) for example in found]
        return replace(program, examples=tuple(chosen))


def replaced(atom: Atom, predicate: str) -> Atom:
    return Atom(predicate, atom.arguments)


@st.composite
def programs(draw: Callable[[st.SearchStrategy[random.Random]], random.Random], least: int = 1) -> Program:
    """A program of at least so many examples, at most three."""
    drawing = Drawing(draw(st.randoms(use_true_random=False)))
    return drawing.program(drawing.random.randint(least, 3))


SHARE = float(os.environ.get("LRNN_RANDOM_PROGRAMS", "0.5"))
"""The share of random programs that is tried."""


def tried(examples: int) -> settings:
    """So many random programs, the same ones each time. One that fails is shown as it is: shrinking takes minutes."""
    return settings(
        max_examples=max(1, round(SHARE * examples)),
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


def expected_outputs(program: Program) -> list[float] | None:
    """Outputs by the naive interpreter, None for a ground cycle."""
    try:
        return naive.ground(program).outputs()
    except naive.CycleError:
        return None


def acyclic(grounder: GroundingSession, program: Program) -> tuple[Groundings, np.ndarray]:
    """Groundings and weights of a program; those with a ground cycle are passed over."""
    assume(expected_outputs(program) is not None)
    groundings = grounded(grounder, program.template_text(), program.data_text())
    return groundings, weights_of(groundings)


# (b) Outputs


@tried(400)
@given(program=programs())
def test_outputs_of_random_programs(grounder: GroundingSession, program: Program) -> None:
    """Outputs equal those of the naive interpreter; a ground cycle is an error that shows a real cycle."""
    groundings = grounded(grounder, program.template_text(), program.data_text())
    expected = expected_outputs(program)
    if expected is None:
        with pytest.raises(NetworkError) as error:
            compile_network(groundings)
        check_cycle(program, str(error.value))
    else:
        outputs = network_outputs(compile_network(groundings), weights_of(groundings))
        assert outputs.tolist() == pytest.approx(expected, abs=1e-9)


def check_cycle(program: Program, message: str) -> None:
    """The message names an example and atoms each of which depends on the next, the last being the first."""
    found = re.search(r"in example (\w+) atoms depend on themselves: (.*)\. A network must", message)
    assert found, message
    atoms = [parsed_atom(text) for text in found[2].split(" <- ")]
    position = [example.name for example in program.examples].index(found[1])
    example = naive.ground(program).examples[position]
    assert len(atoms) > 1 and atoms[0] == atoms[-1]
    for above, below in pairwise(atoms):
        assert below in example.inputs(above)
    assert atoms[0] in example.seen()


def parsed_atom(text: str) -> Atom:
    name, _, arguments = text.rstrip(")").partition("(")
    return Atom(name, tuple(int(a) if a.isdigit() else a for a in arguments.split(",") if a))


@tried(40)
@given(program=programs())
def test_predict_on_random_programs(tmp_path_factory: pytest.TempPathFactory, program: Program) -> None:
    """The whole command gives the rows of the naive interpreter, in order."""
    expected = expected_outputs(program)
    assume(expected is not None)
    rows = predicted(tmp_path_factory.mktemp("predict"), program.template_text(), program.data_text())
    asked = [(example.name, str(atom), target) for example in program.examples for atom, target in example.queries]
    assert [row[:3] for row in rows] == asked
    assert [row[3] for row in rows] == pytest.approx(expected, abs=1e-9)


@tried(100)
@given(program=programs())
def test_neuron_counts_of_random_programs(grounder: GroundingSession, program: Program) -> None:
    """The neurons that `lrnn show` counts before compression are those of the definition."""
    groundings, _ = acyclic(grounder, program)
    assert raw_neurons(Compiler(groundings)) == naive.ground(program).neurons()._asdict()


# Distinct groundings


def content(value: object) -> object:
    """All that a network holds, to the byte."""
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.shape, value.tobytes()
    if isinstance(value, tuple | list):
        return tuple(map(content, value))
    if isinstance(value, Network | Level | RowMatrix):
        return tuple(content(getattr(value, field.name)) for field in fields(value))
    return repr(value)


@tried(40)
@given(program=programs(least=2))
def test_parts_of_random_programs(
    grounder: GroundingSession, tmp_path_factory: pytest.TempPathFactory, program: Program
) -> None:
    """Distinct groundings of each example together are those of all examples, and so is the network, to the byte.

    It does not matter in which order parts come together, and a file of them is read as it was written.
    """
    whole, _ = acyclic(grounder, program)
    data = grounder.load(Source("data.pl", program.data_text().encode()))
    parts = [collapse(grounder.ground(whole.template, data, [place])) for place in range(len(program.examples))]
    collapsed = collapse(whole)
    expected = content(compile_network(whole))
    assert content(compile_network(collapsed)) == expected
    one_by_one = parts[0]
    for part in parts[1:]:
        queries = one_by_one.queries.with_others(part.queries)
        one_by_one = joined_parts(replace(one_by_one, queries=queries), [distinct(one_by_one), distinct(part)])
    at_once = joined_parts(whole, list(map(distinct, parts)))
    folder = tmp_path_factory.mktemp("distinct")
    written = []
    for name, found in (("whole", collapsed), ("one_by_one", one_by_one), ("at_once", at_once)):
        save_groundings(found, str(folder / name))
        written.append((folder / name).read_bytes())
    assert written[0] == written[1] == written[2]
    assert content(compile_network(load_groundings(str(folder / "whole")))) == expected
    assert distinct(collapsed).neurons == naive.ground(program).neurons()._asdict()


def distinct(groundings: Groundings) -> Collapsed:
    assert groundings.collapsed is not None
    return groundings.collapsed


# (c) Gradients


def total_loss(outputs: Sequence[float], targets: Sequence[float], loss: str) -> float:
    pairs = list(zip(outputs, targets, strict=True))
    if loss == "squared":
        return sum((y - t) ** 2 for y, t in pairs)
    if loss == "huber":
        return sum((y - t) ** 2 if abs(y - t) <= 1.0 else 2.0 * abs(y - t) - 1.0 for y, t in pairs)
    return -sum(t * math.log(y) + (1.0 - t) * math.log(1.0 - y) for y, t in pairs)


def difference(function: Callable[[list[float]], float], weights: list[float], index: int, step: float) -> float:
    """The derivative by one weight: central differences of fourth order."""

    def at(move: float) -> float:
        return function([weight + move * (position == index) for position, weight in enumerate(weights)])

    return (8.0 * (at(step) - at(-step)) - (at(2.0 * step) - at(-2.0 * step))) / (12.0 * step)


def network_gradient(network: Network, weights: np.ndarray, loss: str) -> np.ndarray:
    """The gradient of the loss summed over all queries."""
    values, rule_values = network.forward(weights)
    slope = LOSSES[loss].slope(network.outputs(values), network.target)
    return network.backward(weights, values, rule_values, network.query_slope(slope))


def check_gradient(groundings: Groundings, program: Program, loss: str) -> None:
    """Compare with differences of the naive interpreter.

    With steps of h = 1e-3 the differences are off by h^4 / 30 = 3e-14 times a fifth derivative, which for nested
    sigmoids of steepness 6 stays below 1e7, and by rounding of about 1e-15 / h = 1e-12: hence 1e-6.
    """
    naive_program = naive.ground(program)
    targets = [target for example in program.examples for _, target in example.queries]

    def function(weights: list[float]) -> float:
        return total_loss(naive_program.outputs(weights), targets, loss)

    expected = [difference(function, program.weights, index, 1e-3) for index in range(len(program.rules))]
    gradient = network_gradient(compile_network(groundings), weights_of(groundings), loss)
    assert gradient.tolist() == pytest.approx(expected, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("loss", ["squared", "log"])
@tried(60)
@given(program=programs())
def test_gradients_of_random_programs(grounder: GroundingSession, loss: str, program: Program) -> None:
    """Gradients are the derivatives of the loss. The log loss takes outputs inside (0, 1) only.

    Where two groundings are equally large the largest has no derivative: random programs have such groundings.
    """
    assume(not isinstance(AGGREGATIONS[program.aggregation], Selecting))
    outputs = expected_outputs(program)
    assume(outputs is not None)
    if loss == "log":
        assume(all(1e-4 < output < 1.0 - 1e-4 for output in outputs or []))
    groundings, _ = acyclic(grounder, program)
    check_gradient(groundings, program, loss)


DEEP = Program(
    (
        Rule(0.3, Clause(Atom("path", ("a", "a")))),
        Rule(0.9, Clause(Atom("near", (X,)), (Atom("warm", (X,)),))),
        Rule(-0.7, Clause(Atom("far", (X,)), (Atom("warm", (X,)),))),
        Rule(1.1, Clause(Atom("path", (X, Y)), (Atom("edge", (X, Y)), Atom("near", (X,))))),
        Rule(-0.8, Clause(Atom("path", (X, Y)), (Atom("edge", (X, Z)), Atom("path", (Z, Y)), Atom("far", (Z,))))),
        Rule(0.6, Clause(Atom("goal"), (Atom("path", (X, Y)),))),
        Rule(0.2, Clause(Atom("goal"))),
        Rule(-0.4, Clause(Atom("goal_one", (X,)), (Atom("path", (X, Y)), Atom("goal")))),
    ),
    (Clause(Atom("edge", (Y, X)), (Atom("tie", (X, Y)),)),),
    (
        Example(
            "m1",
            (
                (Atom("edge", ("b", "c")), None),
                (Atom("tie", ("b", "a")), None),
                (Atom("warm", ("a",)), 0.7),
                (Atom("warm", ("b",)), 0.4),
                (Atom("warm", ("b",)), 0.2),
                (Atom("warm", ("c",)), None),
                (Atom("path", ("b", "c")), -0.3),
            ),
            ((Atom("goal"), 1.0), (Atom("goal_one", ("a",)), 0.0), (Atom("path", ("a", "c")), 0.5)),
        ),
        Example("m2", ((Atom("edge", ("b", "c")), None), (Atom("warm", ("b",)), 0.1)), ((Atom("goal"), 0.0),)),
    ),
)
"""Five levels, recursion, bias facts, weighted facts, an atom with two weights, one with a fact and rules."""


@pytest.mark.parametrize("family", ACTIVATIONS)
@pytest.mark.parametrize("aggregation", AGGREGATIONS)
@pytest.mark.parametrize("loss", LOSSES)
def test_gradient_of_a_deep_program(grounder: GroundingSession, family: str, aggregation: str, loss: str) -> None:
    program = replace(DEEP, family=family, aggregation=aggregation)
    groundings = grounded(grounder, program.template_text(), program.data_text())
    check_gradient(groundings, program, loss)
    # All rules matter, but for the first where a larger grounding is taken.
    assert (network_gradient(compile_network(groundings), weights_of(groundings), loss)[1:] != 0.0).all()


# (d) Compression


@tried(120)
@given(program=programs())
def test_compression_is_exact(grounder: GroundingSession, program: Program) -> None:
    """Compressed and uncompressed networks have equal outputs and gradients, and no more neurons."""
    groundings, weights = acyclic(grounder, program)
    compressed = compile_network(groundings)
    whole = compile_network(groundings, compress=False)
    assert network_outputs(compressed, weights).tolist() == pytest.approx(network_outputs(whole, weights), abs=1e-10)
    gradient = network_gradient(compressed, weights, "squared")
    assert gradient.tolist() == pytest.approx(network_gradient(whole, weights, "squared"), rel=1e-10, abs=1e-10)
    assert compressed.atoms <= whole.atoms
    assert compressed.rule_neurons <= whole.rule_neurons


def test_compression_saves_neurons(grounder: GroundingSession) -> None:
    """Twenty equal examples of a star with five equal rays need the neurons of one ray.

    Uncompressed: 100 atoms l(X) with a rule neuron each, 20 atoms p with 5 rule neurons each. Compressed: one of
    each. Crisp facts need no neuron at all, and atom 0 is padding.
    """
    facts = " ".join(f"c(o{n})." for n in range(5))
    data = "\n".join(f"begin(model(m{n})). {facts} query(p, 1). end(model(m{n}))." for n in range(20))
    groundings = grounded(grounder, "1.0 :: l(X) :- c(X). 1.0 :: p :- l(X).", data)
    whole, compressed = compile_network(groundings, compress=False), compile_network(groundings)
    assert (whole.atoms - 1, whole.rule_neurons) == (120, 200)
    assert (compressed.atoms - 1, compressed.rule_neurons) == (2, 2)


# (e) Parts of a network


@tried(100)
@given(program=programs(least=2), source=st.randoms(use_true_random=False))
def test_restricted_networks(grounder: GroundingSession, program: Program, source: random.Random) -> None:
    """A part of the queries has the same outputs, and gradients of the parts add up to that of the whole."""
    groundings, weights = acyclic(grounder, program)
    network = compile_network(groundings)
    outputs = network_outputs(network, weights)
    examples = network.query_example
    total = np.zeros(network.rules)
    for example in np.unique(examples):
        positions = (examples == example).nonzero()[0]
        part = network.restricted(positions)
        assert network_outputs(part, weights).tolist() == pytest.approx(outputs[positions], abs=1e-12)
        assert part.target.tolist() == network.target[positions].tolist()
        total += network_gradient(part, weights, "squared")
    assert total.tolist() == pytest.approx(network_gradient(network, weights, "squared"), rel=1e-10, abs=1e-10)
    some = np.array(source.choices(range(len(outputs)), k=source.randint(1, 5)))
    assert network_outputs(network.restricted(some), weights).tolist() == pytest.approx(outputs[some], abs=1e-12)
    used = network.restricted(some).used_rules
    assert not (used & ~network.used_rules).any()


# (f) The grounding file


@tried(60)
@given(program=programs())
def test_grounding_file_round_trip(
    grounder: GroundingSession, tmp_path_factory: pytest.TempPathFactory, program: Program
) -> None:
    """A grounding file gives back the same network, and written again the same bytes."""
    groundings, weights = acyclic(grounder, program)
    first, second = (tmp_path_factory.mktemp("file") / name for name in ("first.npz", "second.npz"))
    save_groundings(groundings, str(first))
    loaded = load_groundings(str(first))
    assert loaded.template.rules == groundings.template.rules
    assert loaded.template.settings == groundings.template.settings
    assert loaded.queries.text == groundings.queries.text
    outputs = network_outputs(compile_network(groundings), weights)
    assert network_outputs(compile_network(loaded), weights_of(loaded)).tolist() == outputs.tolist()
    save_groundings(loaded, str(second))
    assert second.read_bytes() == first.read_bytes()


# (g) The number of processes


def file_bytes(groundings: Groundings, folder: Path) -> bytes:
    path = folder / "grounding.npz"
    save_groundings(groundings, str(path))
    return path.read_bytes()


@pytest.fixture(scope="module")
def two_processes() -> Iterator[GroundingSession]:
    """A grounder that divides even the smallest file between two processes."""
    with pytest.MonkeyPatch.context() as patch, open_grounder("swi", GrounderOptions(jobs=2)) as opened:
        patch.setattr(reader, "PART_BYTES", 1)
        yield opened


@tried(60)
@given(program=programs(least=2))
def test_same_bytes_from_two_processes(
    grounder: GroundingSession,
    two_processes: GroundingSession,
    tmp_path_factory: pytest.TempPathFactory,
    program: Program,
) -> None:
    """Two processes, each with a part of the examples, give the grounding file of one process."""
    folder = tmp_path_factory.mktemp("jobs")
    template, data = program.template_text(), program.data_text()
    assume(len(reader.split_text(data.encode(), 2)) == 3)
    alone = grounded(grounder, template, data)
    assert file_bytes(grounded(two_processes, template, data), folder) == file_bytes(alone, folder)


NUMBERED = [
    f"begin(model(m{n})).\n"
    + " ".join(f"n({7 * n * k % 31}). e({n * k}, o{k})." for k in range(1, 6))
    + f"\nquery(p, 1.0). query(r({7 * n}), 0.0).\nend(model(m{n}))."
    for n in range(1, 9)
]
"""Eight examples with numbers of their own."""

MAKERS = {
    # The background makes numbers that the examples do not have.
    "sum": ("1.0 :: p :- next(X, Y). 0.5 :: r(Y) :- next(X, Y).", "next(X, Y) :- n(X), Y is X + 1."),
    # A clause that needs a bound argument is evaluated when it is called, with many answers for each call.
    "bound argument": (
        "1.0 :: p :- n(X), near(X, Y). 0.5 :: l(Y) :- n(X), near(X, Y). 0.3 :: r(X) :- n(X), near(X, Y), l(Y).",
        "near(X, Y) :- between(1, 40, D), Y is (X * 13 + D * 7) mod 101.",
    ),
    "recursion": (
        "1.0 :: p :- n(X), below(X, Y). 0.5 :: r(Y) :- below(X, Y).",
        "below(X, Y) :- n(X), Y is X - 1. below(X, Y) :- below(X, Z), Z > 0, Y is Z - 1.",
    ),
    # The rules make numbers, and name constants that are in no example.
    "template": (
        "0.2 :: l(1000). 0.7 :: l(Y) :- n(X), Y is X * 2. 1.0 :: p :- l(X), \\+ n(X). 0.4 :: r(X) :- n(X), l(new).",
        "known(fact).",
    ),
    "background facts": (
        "1.0 :: p :- pair(X, Y). 0.5 :: r(X) :- pair(X, Y), n(X).",
        "pair(2, b). pair(3, c). pair(9, n).",
    ),
    "texts": (
        "1.0 :: p :- word(X, Y), l(X). 0.5 :: l(X) :- word(X, _). 0.5 :: r(X) :- n(X), word(_, Y), l('Zweiter Satz').",
        "word('Zweiter Satz', \"text\"). word(f(1, [a]), X) :- n(X). word(X, 'é') :- e(_, X).",
    ),
}


def test_background_larger_than_a_part(grounder: GroundingSession, two_processes: GroundingSession) -> None:
    """Background facts that fill more than half of a file are no example of their own."""
    background = "\n".join(f"link(o{n}, p{n})." for n in range(50))
    models = "\n".join(f"begin(model(m{n})).\nc(o{n}). query(p, 1).\nend(model(m{n}))." for n in range(4))
    for opened in (grounder, two_processes):
        groundings = grounded(opened, "1.0 :: p :- c(X), link(X, Y).", f"{background}\n{models}\n")
        assert groundings.example_name == ("m0", "m1", "m2", "m3")
        outputs = network_outputs(compile_network(groundings), weights_of(groundings))
        assert outputs == pytest.approx([sigm(6 * (sigm(6 * (2 * FACT - 1.5)) - 0.5))] * 4, abs=1e-12)


@pytest.mark.parametrize("place", ["before", "between", "after"])
@pytest.mark.parametrize("name", MAKERS)
def test_same_bytes_where_evaluation_makes_objects(
    name: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`lrnn ground --jobs 1` and `--jobs 2` write the same bytes, wherever the background stands in the file.

    So it does when the file is read in eight pieces, and again where Prolog evaluates over it.
    """
    template, background = MAKERS[name]
    models = list(NUMBERED)
    position = {"before": 0, "between": 2, "after": len(models)}[place]
    models.insert(position, background)
    (tmp_path / "template.pl").write_text(template)
    (tmp_path / "data.pl").write_text("\n".join(models) + "\n")
    monkeypatch.setattr(reader, "PART_BYTES", 1)
    written = set()
    for jobs, piece in (("1", 1000000), ("2", 1000000), ("2", 150)):
        arguments = ["ground", "template.pl", "data.pl", "-o", "grounding.npz", "--jobs", jobs, "--quiet"]
        with monkeypatch.context() as inside:
            inside.chdir(tmp_path)
            inside.setattr(reader, "PIECE_BYTES", piece)
            result = CliRunner().invoke(cli, arguments)
        assert result.exit_code == 0, result.output
        written.add((tmp_path / "grounding.npz").read_bytes())
    assert len(written) == 1

"""Odd terms in every place: each is grounded, or refused with the place and what is wrong. Nothing else happens."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from conftest import Folder

from lrnn_cli.engine.process import DepthError
from lrnn_cli.errors import LrnnError
from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder
from lrnn_cli.grounding.session import GroundingSession
from lrnn_cli.language.faults import deepest_term
from lrnn_cli.language.files import Source

TEMPLATE = "0.5 :: p(X) :- q(X).\n"
USE = "0.1 :: p(X) :- q(X), z(Y).\n"


def nested(depth: int, inner: str = "a") -> str:
    return "f(" * depth + inner + ")" * depth


def wide(count: int) -> str:
    return f"w({', '.join(['a'] * count)})"


def data(inside: str = "", query: str = "", outside: str = "") -> str:
    """Data in which `inside` stands in line 3, `query` in line 5 and `outside` in line 7."""
    facts = "q(a). r(a, b). n(1). n(2)."
    return f"begin(model(m)).\n{facts}\n{inside}\nquery(p(a), 1.0).\n{query}\nend(model(m)).\n{outside}\n"


PLACES: dict[str, Callable[[str], tuple[str, str]]] = {
    "fact": lambda t: (TEMPLATE, data(f"{t}.")),
    "argument of a fact": lambda t: (TEMPLATE + USE, data(f"z({t}).")),
    "weighted fact": lambda t: (TEMPLATE, data(f"0.5 :: {t}.")),
    "argument of a weighted fact": lambda t: (TEMPLATE + USE, data(f"0.5 :: z({t}).")),
    "weight of a fact": lambda t: (TEMPLATE + USE, data(f"{t} :: z(a).")),
    "query": lambda t: (TEMPLATE, data(query=f"query({t}, 1).")),
    "argument of a query": lambda t: (TEMPLATE, data(query=f"query(p({t}), 1).")),
    "target": lambda t: (TEMPLATE, data(query=f"query(p(b), {t}).")),
    "query without a target": lambda t: (TEMPLATE, data(query=f"query({t}).")),
    "fold": lambda t: (TEMPLATE, data(f"fold({t}).")),
    "model": lambda t: (TEMPLATE, data().replace("model(m)", f"model({t})")),
    "bias": lambda t: (TEMPLATE, data(outside=f"bias({t}).")),
    "sort": lambda t: (TEMPLATE, data(outside=f"bias(q({t})).")),
    "background fact": lambda t: (TEMPLATE, data(outside=f"{t}.")),
    "argument of a background fact": lambda t: (TEMPLATE + USE, data(outside=f"z({t}).")),
    "head of a clause": lambda t: (TEMPLATE, data(outside=f"{t} :- q(a).")),
    "argument of such a head": lambda t: (TEMPLATE + USE, data(outside=f"z({t}) :- q(a).")),
    "body": lambda t: (TEMPLATE + USE, data(outside=f"z(Y) :- q(Y), {t}.")),
    "negation": lambda t: (TEMPLATE + USE, data(outside=f"z(Y) :- q(Y), \\+ {t}.")),
    "argument in a body": lambda t: (TEMPLATE + USE, data(outside=f"z(Y) :- q(Y), r({t}, _).")),
    "argument of a negation": lambda t: (TEMPLATE + USE, data(outside=f"z(Y) :- q(Y), \\+ r({t}, _).")),
    "equation": lambda t: (TEMPLATE + USE, data(outside=f"z(Y) :- q(_), Y = {t}.")),
    "arithmetic": lambda t: (TEMPLATE + USE, data(outside=f"z(Y) :- n(X), Y is {t}.")),
    "comparison": lambda t: (TEMPLATE + USE, data(outside=f"z(X) :- n(X), X < {t}.")),
    "order of terms": lambda t: (TEMPLATE + USE, data(outside=f"z(X) :- q(X), X @< {t}.")),
    "inequation": lambda t: (TEMPLATE + USE, data(outside=f"z(X) :- q(X), dif(X, {t}).")),
    "type test": lambda t: (TEMPLATE + USE, data(outside=f"z(X) :- q(X), atom({t}).")),
    "head of a rule": lambda t: (f"{TEMPLATE}0.1 :: {t} :- q(X).\n", data()),
    "argument of a rule's head": lambda t: (f"{TEMPLATE}0.1 :: p({t}) :- q(X).\n", data()),
    "weighted fact of a template": lambda t: (f"{TEMPLATE}0.1 :: {t}.\n", data()),
    "body of a rule": lambda t: (f"{TEMPLATE}0.1 :: p(X) :- q(X), {t}.\n", data()),
    "negation in a rule": lambda t: (f"{TEMPLATE}0.1 :: p(X) :- q(X), \\+ {t}.\n", data()),
    "argument in a rule": lambda t: (f"{TEMPLATE}0.1 :: p(X) :- r(X, {t}).\n", data()),
    "argument of a rule's negation": lambda t: (f"{TEMPLATE}0.1 :: p(X) :- q(X), \\+ r(X, {t}).\n", data()),
    "equation in a rule": lambda t: (f"{TEMPLATE}0.1 :: p(X) :- q(X), X = {t}.\n", data()),
    "arithmetic in a rule": lambda t: (f"{TEMPLATE}0.1 :: p(Y) :- n(X), Y is {t}.\n", data()),
    "comparison in a rule": lambda t: (f"{TEMPLATE}0.1 :: p(X) :- n(X), X < {t}.\n", data()),
    "weight": lambda t: (f"{TEMPLATE}{t} :: p(X) :- q(X).\n", data()),
    "fixed weight": lambda t: (f"{TEMPLATE}fixed({t}) :: p(X) :- q(X).\n", data()),
    "setting": lambda t: (f"{TEMPLATE}setting(steepness, {t}).\n", data()),
    "name of a setting": lambda t: (f"{TEMPLATE}setting({t}, 1).\n", data()),
    "term of a template": lambda t: (f"{TEMPLATE}{t}.\n", data()),
    "member of an ensemble": lambda t: (f"begin(model({t})).\n{TEMPLATE}end(model({t})).\n", data()),
}
TERMS = (
    *("2147483648", "9223372036854775808", "-2147483649", "9" * 6000, "1r3", "1.0Inf", "1.5NaN", "-0.0", "5e-324"),
    *("[](b)", "[]()", "p()", "'p q'()", "{}(b)", "{}()", "'[|]'(a, b)", "'[|]'(a)", "dict(a)", "_{a: 1}", "[a|X]"),
    *(wide(1000), wide(1001), wide(2000), f"v({', '.join(f'X{n}' for n in range(900))})", "'" + "a" * 100_000 + "'"),
    *(nested(20_000), nested(20_000, "X"), "[" * 5000 + "]" * 5000, "- " * 5000 + "a", "a" + "^a" * 5000),
    *("a:b", "X:Y", "!", "(a, b)", "(a ; b)", "(a -> b)", "(a :- b)", "(:- a)", "(a --> b)", "(0.5 :: a)", "a.b"),
    *("X", "_", "'$VAR'(1)", "'$VAR'(99999999999999999999)", "end_of_file", "''", "'a\\0\\b'", "'\\uFEFF'", '"abc"'),
    *(
        "X is 1",
        "X = f(X)",
        "fold(1)",
        "query(a, 1)",
        "setting(a, b)",
        "begin(model(a))",
        "end(model(a))",
        "bias(a(b))",
    ),
    *("msb(0)", "2**1000000000", "1 << (1 << 70)", "10**5000", "0/0", "0**(-1)", "log(0)", "cmpflags(1)", "1 + f(X)"),
)


@pytest.fixture(scope="module", params=["swi", "duckdb"])
def grounder(request: pytest.FixtureRequest) -> Iterator[GroundingSession]:
    with open_grounder(request.param, GrounderOptions(memory_limit=2000, time_limit=300.0)) as grounder:
        yield grounder


def ground(grounder: GroundingSession, template: str, data: str) -> str:
    """What is wrong with a template and data, or nothing."""
    try:
        members = grounder.read_model(Source("t.pl", template.encode()))
        grounder.ground(members[0], grounder.load(Source("d.pl", data.encode())), names=True)
    except LrnnError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("number", range(len(PLACES)), ids=PLACES)
def test_odd_terms(number: int, grounder: GroundingSession) -> None:
    """Some of the terms in each place, others in the next one."""
    for term in TERMS[number % 11 :: 11]:
        message = ground(grounder, *list(PLACES.values())[number](term))
        for line in message.splitlines():
            assert re.match(r"[td]\.pl:[1-9]\d*:[1-9]\d*: \S", line), (term[:50], line)
            assert "error(" not in line and len(line) < 700, (term[:50], line)


DISJUNCTIONS = ", ".join(f"(q(Y) ; r(Y, Z{number}))" for number in range(30))
NOT_AN_ATOM = "is not an atom; write a predicate with its arguments"
TOO_WIDE = "has more arguments than the 1000 that a predicate can have; divide it into several"
REFUSED = [
    ("fold", "2147483648", "d.pl:3:1: fold(2147483648): the fold must be a whole number from 1 to 2147483647"),
    ("fact", "[](b)", f"d.pl:3:1: [](b) {NOT_AN_ATOM}"),
    ("query", "[](b)", f"d.pl:5:1: [](b) {NOT_AN_ATOM}"),
    ("background fact", "[](b)", f"d.pl:7:1: [](b) {NOT_AN_ATOM}"),
    ("term of a template", "p()", "t.pl:2:1: p() has no arguments; write p without brackets"),
    ("fact", wide(2000), f"d.pl:3:1: w/2000 {TOO_WIDE}"),
    ("query", wide(1001), f"d.pl:5:1: w/1001 {TOO_WIDE}"),
    ("body", wide(1001), f"d.pl:7:1: w/1001 {TOO_WIDE}"),
    ("body of a rule", wide(1001), f"t.pl:2:1: w/1001 {TOO_WIDE}"),
    ("weighted fact", "begin(model(a))", "d.pl:3:1: begin(model(a)) has no weight; write it without"),
    (
        "body",
        DISJUNCTIONS,
        f"d.pl:7:1: the disjunctions of this body stand for {2**30} clauses, and 1000 is the limit; "
        "define predicates for some of them",
    ),
    (
        "body",
        ", ".join(["q(Y)"] * 300),
        "d.pl:7:1: this body has 301 goals, and 200 is the limit; define a predicate for some of them",
    ),
    (
        "body of a rule",
        ", ".join(["q(Y)"] * 3000),
        "t.pl:2:1: this body has 3001 goals, and 200 is the limit; define a predicate for some of them",
    ),
]
EVALUATED = [
    (
        "arithmetic",
        "msb(0)",
        "d.pl:7:1: a guard can't be evaluated: 0 is outside of what msb/1 takes; compare it before",
    ),
    (
        "arithmetic",
        "2**1000000000",
        "d.pl:7:1: a guard can't be evaluated: the result has more than 3000 digits",
    ),
]


@pytest.mark.parametrize(("place", "term", "message"), REFUSED)
def test_refused(place: str, term: str, message: str, grounder: GroundingSession) -> None:
    assert ground(grounder, *PLACES[place](term)) == message


@pytest.mark.parametrize("grounder", ["swi"], indirect=True)
@pytest.mark.parametrize(("place", "term", "message"), EVALUATED)
def test_evaluated(place: str, term: str, message: str, grounder: GroundingSession) -> None:
    assert ground(grounder, *PLACES[place](term)) == message


@pytest.mark.parametrize("place", ["argument of a fact", "argument of a query", "model"])
def test_deep_terms(place: str, grounder: GroundingSession) -> None:
    """20,000 levels are no matter."""
    assert ground(grounder, *PLACES[place](nested(20_000))) == ""


@pytest.mark.parametrize("place", ["argument of a fact", "term of a template"])
def test_too_deep(place: str, folder: Folder) -> None:
    """Deeper than the stack of the worker: it ends, and the term is named."""
    template, text = PLACES[place](nested(1_000_000))
    folder.write({"t.pl": template, "d.pl": text})
    outcome = folder.run("predict", "t.pl", "d.pl")
    where = {"argument of a fact": "d.pl:3:2", "term of a template": "t.pl:2:2"}[place]
    message = f"{where}: SWI-Prolog can't go so deep into nested terms; write flatter ones\n"
    assert (outcome.code, outcome.stdout, outcome.stderr) == (1, "", message)


def test_place_of_the_deepest_term() -> None:
    """Brackets in quotes and comments do not count."""
    text = "a(b(c)).\n% ((((((\nd('((((((', \"[[[[\", 0'().\n  e([f(g)]). /* (((((( */ h(i(j)).\n"
    fault = deepest_term(Source("d.pl", text.encode()), str(DepthError("deep")))
    assert (fault.line, fault.column, fault.message) == (4, 4, "deep")

"""The grounder on DuckDB gives the tables of SWI-Prolog, row for row, or says that it can't."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from naive import Program, Sum
from test_semantics import grounded, programs, tried

from lrnn_cli.errors import GroundingError
from lrnn_cli.grounding.duckdb.database import Database
from lrnn_cli.grounding.grounder import GrounderOptions, open_grounder
from lrnn_cli.grounding.groundings import Groundings
from lrnn_cli.grounding.session import GroundingSession
from lrnn_cli.grounding.tables import Table, ordered
from lrnn_cli.language.data import DataSet
from lrnn_cli.language.files import Source, read_source

ROOT = Path(__file__).resolve().parents[1]
DATASETS = Path(os.environ.get("LRNN_DATA_DIR", "no such folder")) / "datasets"


@dataclass(frozen=True)
class Both:
    """The two grounders side by side."""

    swi: GroundingSession
    duckdb: GroundingSession

    def ground(self, template: str, data: str) -> tuple[Groundings, Groundings]:
        return grounded(self.swi, template, data), grounded(self.duckdb, template, data)


@pytest.fixture(scope="module")
def both() -> Iterator[Both]:
    with open_grounder("swi", GrounderOptions()) as swi, open_grounder("duckdb", GrounderOptions()) as sql:
        yield Both(swi, sql)


def assert_same(swi: Groundings, sql: Groundings) -> None:
    """Equal in all that training sees; rows of tables in ascending order."""
    assert sql.program == swi.program
    assert sql.names is not None and swi.names is not None
    assert (sql.objects, sql.names.made, sql.names.blob) == (swi.objects, swi.names.made, swi.names.blob)
    assert [*sql.facts, *sql.soft] == [*swi.facts, *swi.soft]
    expected = [*swi.tables, *swi.facts.values()]
    for table, other in zip([*sql.tables, *sql.facts.values()], expected, strict=True):
        assert_same_rows(table, ordered(other))
    for predicate, soft in swi.soft.items():
        assert_same_rows(sql.soft[predicate].atoms, soft.atoms)
        assert sql.soft[predicate].weight.tolist() == soft.weight.tolist()
    assert sql.queries.text == swi.queries.text
    assert sql.queries.example.tolist() == swi.queries.example.tolist()


def assert_same_rows(table: Table, expected: Table) -> None:
    assert table.example.dtype == expected.example.dtype and table.objects.dtype == expected.objects.dtype
    assert table.objects.shape == expected.objects.shape
    assert (table.example == expected.example).all() and (table.objects == expected.objects).all()


# Random programs


def computes(program: Program) -> bool:
    clauses = [*program.background, *(rule.clause for rule in program.rules)]
    return any(isinstance(guard, Sum) for clause in clauses for guard in clause.guards)


@tried(60)
@given(program=programs())
def test_function_free_random_programs(both: Both, program: Program) -> None:
    """Recursion, negation, comparisons, weighted facts, background, object identity: always the same tables."""
    assume(not computes(program))
    assert_same(*both.ground(program.template_text(), program.data_text()))


@tried(30)
@given(program=programs())
def test_random_programs_that_compute(both: Both, program: Program) -> None:
    """A sum is refused where it stands, unless nothing uses the clause."""
    assume(computes(program))
    swi = grounded(both.swi, program.template_text(), program.data_text())
    try:
        sql = grounded(both.duckdb, program.template_text(), program.data_text())
    except GroundingError as error:
        for line in str(error).splitlines():
            found = re.fullmatch(r"(template|data)\.pl:(\d+):1: (.*) is not function-free, so .* --grounder swi", line)
            assert found, line
            text = program.template_text() if found[1] == "template" else program.data_text()
            assert " is " in text.splitlines()[int(found[2]) - 1]
            assert " is " in found[3] or found[3] == "is/2"
    else:
        assert_same(swi, sql)


# Samples in which SQL could go astray

EDGES = "e(a, b). e(b, d). e(d, d). e(d, f). c(a). c(b). c(g)."
NUMBERS = "n(a, 1). n(b, 1.0). n(d, -3). n(f, 2.5). n(g, 10000000000.0). n(h, 1.5e-10). n(i, 1.0Inf). n(j, -0.0)."
MIXED = "v(a, charge, 1). v(b, charge, -2.5). v(a, colour, red). v(b, size, 3). v(d, charge, 2)."
NAMES = "o(é). o('É'). o(z). o('Z'). o('a b'). o(+). o(日本). o(3). o(1.0). o(1). o(''). o({}). o(a_b). o(aB)."
THINGS = "o(1). o(1.5). o(\"text\"). o('A b'). o(word). o([]). o([1, 2]). o(f(x)). o(1 - 2). o('it\\'s'). o(-). o(1r3)."

SAMPLES: dict[str, tuple[str, str]] = {
    "chain": ("1.0 :: p :- e(X, Y), e(Y, Z), X \\== Z. 1.0 :: q(X) :- e(X, Y), c(Y).", f"{EDGES} query(q(a), 1)."),
    "repeated variables": ("1.0 :: p :- e(X, X). 1.0 :: p :- e(X, Y), e(Y, X).", EDGES),
    "no shared variables": ("1.0 :: p :- c(X), e(Y, Z), rain. 1.0 :: p :- rain, c(X).", f"{EDGES} rain."),
    "a link through a third atom": ("1.0 :: p :- c(X), e(Y, Y), e(X, Y).", f"{EDGES} e(b, b). c(d)."),
    "numbers": (
        "1.0 :: p :- n(X, N), N < 2.5. 1.0 :: p :- n(X, N), n(Y, M), N =:= M, N \\== M. 1.0 :: p :- n(X, N), -3 >= N. "
        "1.0 :: p :- n(X, N), n(Y, M), N =\\= M, M =< N. 1.0 :: p :- n(X, 0.0). 1.0 :: p :- n(X, N), N =:= 0.",
        NUMBERS,
    ),
    "numbers of one attribute": ("1.0 :: p :- v(X, charge, N), N > 0. 1.0 :: p :- v(X, size, N), N >= 3.", MIXED),
    "numbers after a test": ("1.0 :: p :- v(X, A, N), number(N), N > 0.", MIXED),
    "standard order": (
        "1.0 :: p :- o(X), o(Y), X @< Y. 1.0 :: p :- o(X), X @>= 'b c'. 1.0 :: p :- o(X), X @=< 2.",
        NAMES,
    ),
    **{
        f"kind {kind}": (f"1.0 :: p :- o(X), {kind}(X).", THINGS)
        for kind in ("atom", "atomic", "compound", "float", "integer", "number", "string")
    },
    "constants": (
        "1.0 :: p :- e(a, X). 1.0 :: p :- e(nowhere, X). 1.0 :: q(k) :- c(X). 1.0 :: q(a) :- c(b). 1.0 :: p :- q(k). "
        "1.0 :: p :- c(X), X \\= b, X \\== nowhere. 1.0 :: p :- c(X), X == b. 1.0 :: p :- c(X), \\+ e(X, elsewhere). "
        "1.0 :: p :- c(X), \\+ e(a, X). 0.5 :: l(made). 1.0 :: p :- l(X), dif(X, b).",
        EDGES,
    ),
    "equations": (
        "1.0 :: p :- c(X), Y = X, Z = Y, e(Z, W). 1.0 :: q(Y) :- c(X), Y = new. 1.0 :: p :- q(X), X = Y. "
        "1.0 :: p :- e(X, Y), c(Z), X = Z. 1.0 :: p :- a = b. 1.0 :: p :- a = a, 1 \\= 1.0. 1.0 :: p :- X = 3, X < 4.",
        EDGES,
    ),
    "guards alone": ("1.0 :: p :- 1 < 2. 1.0 :: p :- 2 < 1. 1.0 :: p :- fail. 1.0 :: p :- c(X), false.", EDGES),
    "negation": (
        "1.0 :: p :- c(X), \\+ e(X, X). 1.0 :: p :- c(X), \\+ e(X, Y). 1.0 :: p :- \\+ rain. "
        "1.0 :: p :- \\+ snow, c(X). 1.0 :: p :- c(X), \\+ e(Y, Y). 1.0 :: p :- c(X), \\+ e(_, X), \\+ e(X, _).",
        f"{EDGES} rain.",
    ),
    "object identity": (
        "setting(object_identity, true). 1.0 :: p :- e(X, Y), e(Y, Z). 1.0 :: p :- e(X, Y), X = Z. "
        "1.0 :: p :- e(X, b), c(X). 1.0 :: p :- e(X, Y), \\+ e(Y, L).",
        EDGES,
    ),
    "names that need quotes": (
        "1.0 :: p :- 'hello world'(X), \\+ 'It''s'(X, 'A'). 1.0 :: p :- 'É'(X), X \\= 'a\\nb', X \\= '日本 語'. "
        "1.0 :: p :- 'hello world'((+)), X = (-), 'hello world'(X). 1.0 :: p :- é(X), X \\== \"a \\\"b\\\"\".",
        "'hello world'(+). 'hello world'(-). 'hello world'('A'). 'It\\'s'(-, 'A'). 'É'('a\\nb'). 'É'('日本 語'). "
        '\'É\'(b). é("a \\"b\\""). é("c").',
    ),
    "words of other scripts": ("1.0 :: p :- o(X), atom(X), X \\== हिन्दी.", "o(हिन्दी). o('हिन्दी'). o(ελληνικά). o(1)."),
    "terms as objects": (
        "1.0 :: p :- o(X), o(Y), X \\= Y. 1.0 :: q(X) :- o(X), X \\= 'A b'.",
        f"{THINGS} query(q(f(x)), 1).",
    ),
    "recursion": (
        "1.0 :: path(X, Y) :- e(X, Y). 1.0 :: path(X, Y) :- e(X, Z), path(Z, Y). 1.0 :: p :- path(a, X), \\+ c(X).",
        f"{EDGES} query(path(a, f), 1).",
    ),
    "recursion twice in a body": (
        "1.0 :: path(X, Y) :- e(X, Y). 1.0 :: path(X, Y) :- path(X, Z), path(Z, Y). 1.0 :: p :- path(X, Y).",
        EDGES,
    ),
    "mutual recursion": (
        "1.0 :: odd(X, Y) :- e(X, Y). 1.0 :: odd(X, Y) :- e(X, Z), even(Z, Y). "
        "1.0 :: even(X, Y) :- e(X, Z), odd(Z, Y). 1.0 :: p :- even(X, Y), odd(Y, X). 1.0 :: p :- even(X, Y).",
        f"{EDGES} even(f, a).",
    ),
    "facts beside rules": (
        "1.0 :: l(X) :- c(X). 0.5 :: l(b). 1.0 :: p :- l(X), e(X, Y). 1.0 :: p :- rain.",
        f"{EDGES} 0.5 :: l(a). l(z). 0.3 :: l(z). 0.2 :: rain.",
    ),
}

BACKGROUND: dict[str, tuple[str, str]] = {
    "facts": (
        "1.0 :: p :- pair(X, Y). 1.0 :: p :- pair(X, Y), c(X). 1.0 :: p :- snow.",
        "pair(a, 1). pair(z, 'B'). snow.",
    ),
    "facts as in the data": ("1.0 :: p :- e(X, Y). 1.0 :: q(X) :- c(X).", "e(a, b). e(new, a). c(new). c(new)."),
    "clauses": (
        "1.0 :: p :- far(X, Y), \\+ near(X, Y). 1.0 :: q(X) :- lonely(X). 1.0 :: p :- end(X, both).",
        "near(X, Y) :- e(X, Y) ; e(Y, X). far(X, Y) :- e(X, Z), e(Z, Y), X \\== Y. lonely(X) :- c(X), \\+ near(X, _). "
        "end(X, left) :- e(X, _). end(X, both) :- end(X, left), e(_, X). end(X, Y) :- e(X, X), Y = loop.",
    ),
    "recursion": (
        "1.0 :: p :- path(X, Y), c(X). 1.0 :: q(X) :- path(X, X).",
        "path(X, Y) :- e(X, Y). path(X, Y) :- path(X, Z), path(Z, Y).",
    ),
    "recursion over two predicates": (
        "1.0 :: p :- even(X, Y).",
        "odd(X, Y) :- e(X, Y). odd(X, Y) :- even(X, Z), e(Z, Y). even(X, Y) :- odd(X, Z), e(Z, Y). even(X, X) :- c(X).",
    ),
    "adds to the data": (
        "1.0 :: p :- e(X, Y), c(Y). 1.0 :: q(X) :- c(X).",
        "e(Y, X) :- e(X, Y). c(X) :- e(X, X). c(k).",
    ),
    "numbers": ("1.0 :: p :- heavy(X), c(X).", "mass(a, 12). mass(b, 35.5). heavy(X) :- mass(X, M), M > 30."),
    "a clause that nothing uses": (
        "1.0 :: p :- c(X).",
        "next(X, Y) :- Y is X + 1. first(X, Y) :- X = [Y|_]. pair(f(x)).",
    ),
    "no variables": ("1.0 :: p :- wet.", "wet :- rain. wet :- \\+ c(a). rain :- c(g), 1 < 2."),
}
TARGETS = "query(p, 1.0). query(q(a), 1.0). query(q(k), 0.0). query(q(new), 0.0)."
ALWAYS = "0.1 :: p. 0.1 :: q(X) :- never(X)."


def with_queries(template: str, facts: str, background: str = "") -> tuple[str, str]:
    """Two examples that differ, one without any fact, and rules for all that is queried."""
    first = f"begin(model(m1)). {facts} {TARGETS} never(0). end(model(m1))."
    second = "begin(model(m2)). c(b). e(b, a). e(a, k). query(p, 0.0). query(q(b), 1.0). end(model(m2))."
    third = "begin(model(m3)). query(p, 0.5). end(model(m3))."
    return f"{template} {ALWAYS}", f"{background} {first} {second} {third}"


@pytest.mark.parametrize("name", SAMPLES)
def test_sample(both: Both, name: str) -> None:
    swi, sql = both.ground(*with_queries(*SAMPLES[name]))
    assert_same(swi, sql)
    assert sum(map(len, swi.tables)) > 3, "the sample has groundings beside the bias"


@pytest.mark.parametrize("name", BACKGROUND)
def test_background(both: Both, name: str) -> None:
    template, background = BACKGROUND[name]
    swi, sql = both.ground(*with_queries(template, EDGES, background))
    assert_same(swi, sql)
    assert sum(map(len, swi.tables)) > 3


def test_tables_by_hand(both: Both) -> None:
    """a, b, d are objects 0, 1, 2 of the first example; of the second, a and d are 3 and 4."""
    data = (
        "begin(model(m1)). e(a, b). e(b, d). query(p, 1). end(model(m1)). "
        "begin(model(m2)). e(a, d). query(p, 1). end(model(m2))."
    )
    template = (
        "1.0 :: t(X, Y) :- e(X, Y). 1.0 :: t(X, Y) :- e(X, Z), t(Z, Y). 1.0 :: p :- t(X, k). 1.0 :: p :- t(a, X)."
    )
    tables = grounded(both.duckdb, template, data).tables
    rows = [np.column_stack([table.example, table.objects]).tolist() for table in tables]
    # e(X, Y); X, Z, Y of e(X, Z), t(Z, Y); nothing for k; the constant a and X of t(a, X).
    assert rows == [[[0, 0, 1], [0, 1, 2], [1, 3, 4]], [[0, 0, 1, 2]], [], [[0, 0, 1], [0, 0, 2], [1, 3, 4]]]


def test_some_examples_and_several_templates(both: Both) -> None:
    """Data that are loaded once can be grounded again: other rules, other examples, names or none."""
    template, data = with_queries(*SAMPLES["constants"])
    other = "0.7 :: p :- e(X, Y), \\+ c(Y). 1.0 :: q(X) :- c(X)."
    loaded = [grounder.load(Source("data.pl", data.encode())) for grounder in (both.swi, both.duckdb)]
    for text in (template, other):
        rules = both.swi.read_template(Source("template.pl", text.encode()))
        for examples in (None, [0], [2, 1], []):
            swi = both.swi.ground(rules, loaded[0], examples, names=True)
            assert_same(swi, both.duckdb.ground(rules, loaded[1], examples, names=True))


def test_example_without_objects(both: Both) -> None:
    """Objects that are made are then the first of all."""
    assert_same(*both.ground("1.0 :: p :- l(X). 0.5 :: l(k). 0.5 :: l(j).", "query(p, 1.0)."))


def test_no_trace_of_texts_in_sql(both: Both, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of predicates and objects, hostile ones, never become SQL."""
    statements: list[str] = []
    run = Database.run

    def observed(self: Database, sql: str) -> dict[str, np.ndarray]:
        statements.append(sql)
        return run(self, sql)

    monkeypatch.setattr(Database, "run", observed)
    hostile = "'; DROP TABLE active; --'"
    template = f'1.0 :: p :- {hostile}(X, {hostile}), \\+ secret(X), X \\= "x\') OR 1=1 --", X @< secret.'
    data = f"{hostile}(a, {hostile}). secret(secret). query(p, 1)."
    assert_same(*both.ground(template, data))
    assert len(statements) > 4
    assert not any("DROP" in sql or "secret" in sql or "1=1" in sql for sql in statements)


# Real data


def chains(data: DataSet, identity: bool) -> str:
    """Soft clusters of unary predicates; chains of two and pairs that meet, over every relation of the data."""
    target = data.queries.predicate[0]
    head = f"{target.name}({', '.join('XYZ'[: target.arity])})" if target.arity else target.name
    lines = [f"setting(object_identity, {str(identity).lower()})."]
    lines += [f"_ :: l(X) :- {predicate.name}(X)." for predicate in data.predicates if predicate.arity == 1]
    for predicate in data.predicates:
        if predicate.arity < 2 or predicate == target:
            continue
        more = [[f", E{atom}{n}" for n in range(predicate.arity - 2)] for atom in range(2)]
        first, second = ("".join(terms) for terms in more)
        name = predicate.name
        lines.append(f"_ :: {head} :- {name}(X, Y{first}), {name}(Y, Z{second}), l(X), X \\== Z.")
        lines.append(f"_ :: {head} :- {name}(X, Z{first}), {name}(Y, Z{second}), \\+ {name}(X, Y{first}).")
        lines.append(f"_ :: near(X, Y) :- {name}(X, Y{first}).")
    return "\n".join([*lines, f"_ :: {head} :- near(X, Y), near(Y, X).", "_ :: l(X) :- near(X, X)."])


def assert_same_chains(path: Path, jobs: int) -> None:
    source = read_source(str(path), "data")
    options = GrounderOptions(jobs=jobs)
    with open_grounder("swi", options) as swi, open_grounder("duckdb", options) as sql:
        data = [grounder.load(source) for grounder in (swi, sql)]
        for identity in (False, True):
            template = swi.read_template(Source("template.pl", chains(data[0], identity).encode()))
            assert_same(swi.ground(template, data[0]), sql.ground(template, data[1]))


@pytest.mark.parametrize("name", ["trains", "family", "molecules"])
def test_bundled_data(both: Both, name: str) -> None:
    folder = ROOT / "datasets" / name
    assert_same(*both.ground((folder / "template.pl").read_text(), (folder / f"{name}.pl").read_text()))
    assert_same_chains(folder / f"{name}.pl", 1)


def quick(path: Path) -> bool:
    """Compressed files are large ones."""
    return path.stat().st_size < (150_000 if path.suffix == ".gz" else 1_000_000)


@pytest.mark.skipif(not DATASETS.is_dir(), reason="LRNN_DATA_DIR has no datasets")
@pytest.mark.parametrize("path", sorted(filter(quick, DATASETS.glob("*.pl*"))), ids=lambda path: path.name)
def test_real_data(path: Path) -> None:
    assert_same_chains(path, 2)

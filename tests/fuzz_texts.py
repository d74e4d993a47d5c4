"""Cases for the fuzzer from Prolog texts: sound files that are damaged, and odd terms in every place of sound files."""

from __future__ import annotations

import re

from fuzz_check import Case
from hypothesis import strategies as st

LIMITS = ("--time-limit", "2", "--memory-limit", "500", "--jobs", "1", "--quiet")
LEARN = (*("--iterations", "1", "--epochs", "2", "--final-epochs", "2", "--dimension", "2", "--length", "3"), *LIMITS)

DATA = r"""% Four molecules
bias(bond(atom, atom, bond)).
begin(model(m1)).
fold(1). bond(a1, a2, 'B c'). c(a1). c(a2). o("str"). v(3.5). l([a, b|c]). t(f(g(x), {y}, 1-2)).
0.8 :: polar(a2). -3 :: polar(a1). query(p(a1), 1.0). query(s, 0).
end(model(m1)).
begin(model(m2)).
fold(2). bond(a1, a2, b). bond(a2, a3, b). c(a1). n(a2). o(a3). query(p(a1), 0). query(s, 1).
end(model(m2)).
begin(model('M 3')).
fold(1). bond(é, x, b). n(x). c(é). 0.25 :: polar(x). query(p(x), 0.0). query(s, 0.0).
end(model('M 3')).
begin(model(m(4))).
fold(2). bond(a1, a2, b). bond(a2, a1, b). c(a1). o(a1). query(p(a1), 1). query(s, 1).
end(model(m(4))).
r(X, Y) :- bond(X, Z, _), (c(Z) ; \+ o(Z)), Y = f(X), X \== Z.
k0(0). k(X) :- k0(Y), X is Y + 1, X < 3, number(X).
path(X, Y) :- bond(X, Y, _).
path(X, Y) :- bond(X, Z, _), path(Z, Y).
"""
TEMPLATE = r"""setting(steepness, 6.0).
_ :: l1(X) :- c(X), \+ o(X).
0.5 :: p(X) :- bond(X, Y, B), l1(Y), X \== Y, B @< z.
fixed(-1) :: p(X) :- k(N), c(X), r(X, F), F \= g, N >= 1.
0.1 :: s :- l1(X), bond(X, _, 'B c'), t(f(g(x), {y}, 1-2)).
0.3 :: s :- polar(X), path(X, Y), n(Y).
-0.2 :: s.
"""
PLAIN_DATA = """begin(model(t1)).
car(c1). car(c2). next(c1, c2). short(c1). roof(c1). long(c2). query(east, 1).
end(model(t1)).
begin(model(t2)).
car(c1). car(c2). next(c1, c2). short(c1). long(c2). roof(c2). query(east, 0).
end(model(t2)).
begin(model(t3)).
car(c1). car(c2). next(c1, c2). long(c1). short(c2). roof(c2). query(east, 1).
end(model(t3)).
begin(model(t4)).
car(c1). 0.7 :: long(c1). roof(c1). query(east, 0).
end(model(t4)).
"""
ENSEMBLE = """% An ensemble
begin(model(1)).
setting(activation, sigmoid). setting(aggregation, sqrt).
0.53 :: small(X) :- short(X).
-1.2 :: east :- next(X, Y), small(X), roof(Y).
end(model(1)).

begin(model('two')).
setting(object_identity, true). setting(offset, -0.5).
0.7 :: east :- roof(X), short(X).
-0.1 :: east.
end(model('two')).
"""
PAIRS = ((DATA, TEMPLATE), (PLAIN_DATA, ENSEMBLE), (PLAIN_DATA, "0.5 :: east :- next(X, Y), roof(X).\n_ :: east.\n"))

PREDICT = tuple(("predict", "t.pl", "d.pl", "--grounder", grounder, *LIMITS) for grounder in ("swi", "duckdb"))
GROUND = ("ground", "t.pl", "d.pl", "-o", "g.npz", *LIMITS)
TRAIN = ("train", "g.npz", "-o", "m.pl", "--epochs", "2", "--history", "h.csv", "--quiet")
CHAINS: tuple[tuple[tuple[str, ...], ...], ...] = (
    PREDICT,
    (GROUND, ("show", "g.npz", "--rows", "3"), TRAIN, ("show", "m.pl"), ("predict", "m.pl", *PREDICT[0][2:])),
    ((*GROUND[:3], "--grounder", "duckdb", *GROUND[3:]), TRAIN, ("show", "m.pl")),
    (("check", "d.pl", "--template", "t.pl", *LIMITS),),
    (("check", "d.pl", "--json", "--folds", "2", *LIMITS),),
    (("evaluate", "t.pl", "d.pl", "--json", "-o", "metrics.json", *LIMITS), ("show", "metrics.json")),
    (("evaluate", "t.pl", "d.pl", "--fold", "1", *LIMITS),),
    (("explain", "t.pl", "d.pl", "--example", "m1", *LIMITS),),
    (("explain", "t.pl", "d.pl", "--example", "t1", "--member", "1", "--json", *LIMITS),),
    (("draw", "t.pl", "-o", "x.dot"), ("draw", "t.pl", "d.pl", "--example", "m1", "-o", "y.dot", *LIMITS)),
    (("simplify", "t.pl", "d.pl", "-o", "s.pl", "--retrain", "2", *LIMITS), ("show", "s.pl")),
    (("show", "t.pl"),),
    (("learn-structure", "d.pl", "-o", "m.pl", *LEARN), ("show", "m.pl"), ("predict", "m.pl", *PREDICT[0][2:])),
    (("learn-structure", "d.pl", "-o", "m.pl", "--fold", "1", "--crisp", *LEARN), ("show", "m.pl")),
    (
        ("make-template", "d.pl", "--chain", "2", "-o", "u.pl", *LIMITS),
        ("ground", "u.pl", "d.pl", "-o", "g.npz", *LIMITS),
    ),
    (("baseline", "nfoil", "d.pl", "-o", "b.pl", *LIMITS), ("show", "b.pl")),
)


# Damage


PIECES = tuple(
    piece.encode()
    for piece in (
        *"()[]{}|,.'\"`\\/*%:;!-+<>=_@#$&^~? \n\t09aXé",
        *("::", ":-", "/*", "*/", "\\+", ").", "is", "->", "'$VAR'(1)", "a()", "_{a:1}", "{|x||y|}", "0'", "1.0Inf"),
        *("1e999", "end_of_file.", "query(", "\\x41\\", "'\\", "a.b", "X.y", "\x01", "\x1e", ":- halt.\n", "1r3"),
        *(
            "0x",
            "random(3)",
            "foo:bar",
            ",,",
            "..",
            "(:-)",
            "\r\n",
            "\ufeff",
            "𝒳",
            "begin(model(",
            "fixed(",
            "setting(",
        ),
        *(
            "fold(0).",
            "fold(2147483648).",
            "[](b).",
            "p().",
            "\x1b[2J",
            "\u202e",
            "'\\n'",
            "'%\\n'",
            "9" * 400,
            "1.5NaN",
        ),
        *("?-", "-->", ":- op(700, xfx, foo).\n", "|", "dif(X,Y),", "end(model(m1)).", "bias(", "0.5::", "1e308 :: "),
        *("((((((((((", "f(" * 30, "X = f(X),", ";a" * 30, "inf", "nan", "1.0e-320", "-0.0", "2**99999", "1 rdiv 0"),
    )
)
TOKEN = re.compile(rb"'[^'\n]*'|\"[^\"\n]*\"|\w+|\s+|[^\w\s]")


@st.composite
def damaged(draw: st.DrawFn, text: bytes, most: int = 4) -> bytes:
    """A text with some bytes, tokens or lines changed."""
    for _ in range(draw(st.integers(1, most))):
        unit = draw(st.sampled_from(("byte", "token", "token", "line")))
        if unit == "byte":
            text = draw(damaged_bytes(text))
            continue
        parts = TOKEN.findall(text) if unit == "token" else text.splitlines(keepends=True)
        if not parts:
            return text
        place = draw(st.integers(0, len(parts) - 1))
        other = draw(st.integers(0, len(parts) - 1))
        change = draw(st.sampled_from(("delete", "double", "exchange", "replace", "insert", "insert")))
        if change == "delete":
            del parts[place]
        elif change == "double":
            parts.insert(other, parts[place])
        elif change == "exchange":
            parts[place], parts[other] = parts[other], parts[place]
        elif change == "replace":
            parts[place] = draw(st.sampled_from(PIECES))
        else:
            parts.insert(place, draw(st.sampled_from(PIECES)))
        text = b"".join(parts)
    return text


@st.composite
def damaged_bytes(draw: st.DrawFn, content: bytes) -> bytes:
    """Bytes with one of them, or a stretch of them, changed."""
    place = draw(st.integers(0, len(content)))
    length = draw(st.sampled_from((1, 1, 2, 4, 8, 30, 200)))
    change = draw(st.sampled_from(("flip", "flip", "delete", "insert", "cut", "repeat", "overwrite")))
    before, stretch, after = content[:place], content[place : place + length], content[place + length :]
    if change == "flip" and stretch:
        return before + bytes([stretch[0] ^ 1 << draw(st.integers(0, 7))]) + stretch[1:] + after
    if change == "delete":
        return before + after
    if change == "insert":
        return before + draw(st.binary(min_size=1, max_size=8)) + stretch + after
    if change == "cut":
        return before
    if change == "repeat":
        return before + stretch * draw(st.sampled_from((2, 3, 50))) + after
    return before + draw(st.binary(min_size=1, max_size=length)) + after


@st.composite
def texts(draw: st.DrawFn) -> Case:
    """Data and a template, one or both of them damaged."""
    data, template = (text.encode() for text in draw(st.sampled_from(PAIRS)))
    which = draw(st.sampled_from(("data", "template", "both")))
    if which != "template":
        data = draw(damaged(data))
    if which != "data":
        template = draw(damaged(template))
    return Case("texts", {"d.pl": data, "t.pl": template}, draw(st.sampled_from(CHAINS)))


# Terms


NUMBERS = (
    *("0", "-1", "1", "7", "-0.0", "1.0", "0.1", "1e308", "-1e308", "1.0e-320", "inf", "nan", "1.0Inf", "-1.0Inf"),
    *("1.5NaN", "2147483647", "2147483648", "-2147483649", "9223372036854775808", "1r3", "0'a", "0xff", "1_000"),
    *("9" * 30, "9" * 5000, "1." + "3" * 400, "- 1", "+1", "1.0e400"),
)
ATOMS = (
    *(
        "a",
        "a1",
        "m1",
        "c",
        "p",
        "s",
        "'A b'",
        "''",
        "[]",
        "{}",
        "!",
        ";",
        "','",
        "'|'",
        "(:-)",
        "(::)",
        "'\\n'",
        "'%'",
    ),
    *("'\\e[2J'", "'\\u202e'", "'\\x0\\'", "'\\x1e\\'", "'\\t'", "'it''s'", "'\\\\'", "'*/'", "'x\\n-9.0 :: q.\\n% '"),
    *("end_of_file", "'$VAR'", "'V0'", "'_'", "é", "𝒳", "'\\ud800'", "'a.b'", "fixed", "query", "fold", "constant"),
    *("=csv", "'=1+1'", "'@x'", "true", "fail", "is", "dynamic", "'" + "n" * 3000 + "'", "'<script>'", "'&'", "'\"'"),
)
STRINGS = ('"text"', '""', '"\\n"', '"\\e"', "`codes`", '"' + "s" * 3000 + '"', '"\\""')
VARIABLES = ("X", "Y", "_", "_X", "V0", "X0")
SUMS = (
    *(
        "msb(0)",
        "msb(-1)",
        "2**1000000000",
        "1/0",
        "1/0.0",
        "foo+1",
        '"a"+0',
        "cot(0)",
        "cot(0.0)",
        "random(3)",
        "cputime",
    ),
    *(
        "acos(2)",
        "0**(-1)",
        "0.0**(-1)",
        "7 mod 0",
        "1<<10000000000",
        "1>>(-10000000000)",
        "integer(inf)",
        "nan",
        "inf",
    ),
    *("truncate(1e300)", "gcd(a, 2)", "gcd(1.0, 2)", "Y+1", "1r3", "max(1, a)", "10**400", "10.0**400", "e", "pi", "X"),
    *("nexttoward(1, 2)", "5 rdiv 0", "cmpflags", "2.0**5000", "-(-(1))", "[1]", "[]", "[1, 2]", "7**7**7", "3.0*inf"),
    *("log(0)", "log(-1)", "sqrt(-1)", "lgamma(0)", "2** -1", "2^(-1)", "0^0", "shift(1)", "trig", "copysign(1, nan)"),
    *("roundtoward(1/3, up)", "tzcount(0)", "popcount(-1)", "getbit(1, -1)", "powm(2, -1, 0)", "cot(a)", "atan2(0, 0)"),
    *("trunc(nan)", "integer(nan)", "char", '"ab"', "a", "{1}", "random_float", "max_tagged_integer+1", "1 xor 1.0"),
    *(
        "\\ 1.5",
        "plus(1, a)",
        "cmpflags(1)",
        "rationalize(inf)",
        "numerator(0.5)",
        "9999999999999999999**99999",
        "1" + "+1" * 3000,
    ),
    *(
        "divmod(1, 2)",
        "nth_integer_root_and_remainder(2, 2)",
        "realtime",
        "maxr",
        "succ(0)",
        "truncate(inf)",
        "ceiling(nan)",
    ),
)
GOALS = (
    *(
        "c(X)",
        "X = f(X)",
        "X == Y",
        "X \\= a",
        "dif(X, f(X))",
        "between(1, inf, X)",
        "between(a, b, X)",
        "between(1, 3, X)",
    ),
    *(
        "between(1, 3.0, X)",
        "between(3, 1, X)",
        "1 < a",
        "a @< Y",
        "\\+ \\+ c(X)",
        "\\+ (c(X), o(X))",
        "\\+ X = a",
        "[]",
    ),
    *(
        "(c(X) ; o(X))",
        "(c(X) -> o(X) ; n(X))",
        "!",
        "call(c, X)",
        "findall(Y, c(Y), X)",
        "assertz(c(b))",
        "halt",
        "[](X)",
    ),
    *("shell(ls)", "lists:append(X, Y, [a])", "user:c(X)", "X", "atom(X)", "compound(f(X))", "\\+ path(X, Y)", "true"),
    *("[X]", "{c(X)}", "c(X), X", "forall(c(X), o(X))", "X = Y, Y = f(X)", "f(X, b) = f(Y, g(Y))", "number(X), X > 0"),
    *(
        "path(X, X)",
        "r(X, f(X))",
        "0.5 :: c(X)",
        "c(Y), Y = f(X)",
        "X = [X|X], c(X)",
        "Y = f(Y), Y @< X",
        "c(X), X > 1",
    ),
    *("Y = f(Y), Z = f(Z), Y = Z, c(X)", "X = a ; X = f(X)", "c(Y), X = g(Y, Y)", "atom(Y), Y = X", "c(X), \\+ w(X)"),
    ";".join(["c(X)"] * 30),
    ",".join(["(c(X);o(X))"] * 20),
    ",".join(["c(X)"] * 300),
)
ODD = (
    *("[](b)", "p()", "X(a)", "_{a:1}", "a{b:1}.b", "'$VAR'(1)", "'$VAR'(x)", "f(,)", "a:b:c", "{a, b}", "(a :- b)"),
    *("(:- a)", "\\+a", "a- -1", "- - 1", "1 - -1", "f(A, A)", "[a|b]", "[a|X]", "'[]'", "[](X)", "{}(X)", "','(a, b)"),
    *("f(;)", "(a , b)", "(a ; b)", "p:-q", "@(a)", "$", "f(:-)", "- (1)", "-(1)", "-(-(1))", "1.0.0", "a.b.c", "{-}"),
    "f(" * 50 + "a" + ")" * 50,
    "f(" * 20_000 + "a" + ")" * 20_000,
    "[" * 3000 + "]" * 3000,
    "-" * 2000 + "1",
    "1+" * 20_000 + "1",
    "f(" + ",".join(["a"] * 1030) + ")",
    "f(" + ",".join(["a"] * 2000) + ")",
    "[" + ",".join(["a"] * 3000) + "]",
    "(" + ",".join(["a"] * 3000) + ")",
)
LEAVES = st.sampled_from(NUMBERS) | st.sampled_from(ATOMS) | st.sampled_from(STRINGS) | st.sampled_from(VARIABLES)
OPERATORS = (
    "+",
    "-",
    "*",
    "/",
    "**",
    "^",
    ":",
    "::",
    ":-",
    ",",
    ";",
    "->",
    "=",
    "<",
    "@<",
    "is",
    "mod",
    "|",
    "=..",
    ">:<",
)


def _larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    names = st.sampled_from(("f", "c", "bond", "query", "model", "'A b'", "[]", "{}", "-", "fixed", "fold", "\\+"))
    return (
        st.builds(lambda name, arguments: f"{name}({', '.join(arguments)})", names, st.lists(inner, max_size=3))
        | st.builds(
            lambda left, operator, right: f"({left} {operator} {right})", inner, st.sampled_from(OPERATORS), inner
        )
        | st.builds(lambda items, rest: f"[{', '.join(items)}|{rest}]", st.lists(inner, min_size=1, max_size=2), inner)
        | st.builds(lambda item: f"{{{item}}}", inner)
    )


TERMS = (
    LEAVES
    | st.sampled_from(GOALS)
    | st.sampled_from(ODD)
    | st.recursive(LEAVES | st.sampled_from(GOALS), _larger, max_leaves=6)
)
PLACES = {
    "example": (
        *(
            "c(<constant>).",
            "<clause>.",
            "<number> :: c(a1).",
            "0.5 :: <clause>.",
            "0.5 :: c(<constant>).",
            "o(<constant>).",
        ),
        *("bond(<constant>, a2, b).", "bond(a1, <constant>, <constant>).", "fold(<number>).", "query(<clause>, 1)."),
        *("query(p(<constant>), 1).", "query(s, <number>).", "query(<clause>).", "begin(model(<constant>))."),
        *("end(model(<constant>)).", "w(<constant>, <constant>).", "w(<constant>)."),
    ),
    "background": (
        *(
            "<clause>.",
            "w(<constant>).",
            "w(X) :- <goal>.",
            "w(X) :- c(X), <goal>.",
            "<clause> :- c(X).",
            "<clause> --> c.",
        ),
        *("w(<constant>) :- c(X).", "w(X) :- c(<constant>).", "c(<constant>).", "w(X) :- bond(X, <constant>, B)."),
        *(
            "w(X) :- c(X), X = <constant>.",
            "w(X) :- c(X), Y is <sum>, Y > 0.",
            "w(X) :- X is <sum>.",
            "bias(<clause>).",
        ),
        *("w(X) :- c(X), \\+ <goal>.", "w(X) :- (<goal> ; c(X)).", "w(X) :- c(X), <sum> < 1.", "bias(c(<constant>))."),
        *("w(X) :- c(X), X @< <constant>.", ":- <goal>.", "bias(w(<constant>)). w(a1).", "0.5 :: <clause> :- c(X)."),
        *(
            "bias(bond(atom, <constant>, constant)).",
            "w(X) :- between(1, <number>, X).",
            "w(X) :- c(X), w(<constant>).",
        ),
        *("w(<constant>) :- w(<constant>).", "w(X) :- c(X), number(<sum>).", "w(X) :- c(X), dif(X, <constant>)."),
        *("w(X) :- <goal>, <goal>.", "w(<constant>). w(X) :- w(Y), X = f(Y), <goal>."),
    ),
    "rule": (
        *("<number> :: s :- c(X).", "fixed(<number>) :: s :- c(X).", "0.5 :: <clause> :- c(X).", "0.5 :: s :- <goal>."),
        *(
            "0.5 :: p(<constant>) :- c(X).",
            "0.5 :: s :- c(<constant>).",
            "0.5 :: s :- c(X), <goal>.",
            "0.5 :: <clause>.",
        ),
        *("0.5 :: s :- c(X), X = <constant>.", "0.5 :: s :- c(X), Y is <sum>, Y > 0.", "setting(<constant>, 1)."),
        *(
            "setting(steepness, <number>).",
            "setting(offset, <number>).",
            "setting(activation, <constant>).",
            "<clause>.",
        ),
        *(
            "setting(object_identity, <constant>).",
            "setting(<clause>).",
            "0.5 :: s :- c(X), \\+ <goal>.",
            "<number> :: s.",
        ),
        *("0.5 :: s :- w(<constant>), c(<constant>).", "0.5 :: s :- c(X), <constant> @< X.", ":- <goal>."),
        *("begin(model(<constant>)).\n0.5 :: s :- c(X).\nend(model(<constant>)).", "setting(aggregation, <constant>)."),
        *("0.5 :: l(X) :- w(X).\n0.5 :: s :- l(<constant>).", "0.5 :: s :- w(X), dif(X, <constant>).", "<clause>(X)."),
        *("0.5 :: s :- c(X), Y = f(X), w(Y).", "0.5 :: s :- c(X), Y is <sum>.", "0.5 :: s :- <sum> < <sum>."),
    ),
}
"""Lines with places for terms, by where they stand; a place says what is most likely to be odd there."""
FITTING = {
    "constant": LEAVES | st.sampled_from(ODD),
    "number": st.sampled_from(NUMBERS) | st.sampled_from(SUMS),
    "sum": st.sampled_from(SUMS) | st.sampled_from(NUMBERS),
    "goal": st.sampled_from(GOALS) | st.builds("X is {}".format, st.sampled_from(SUMS)),
    "clause": st.sampled_from(ODD) | st.sampled_from(GOALS) | st.sampled_from(ATOMS),
}
SMALL = """begin(model(m1)).
c(a1). o(a2). bond(a1, a2, b). query(s, 1). query(p(a1), 1).
INSIDE
end(model(m1)).
begin(model(m2)).
c(a1). n(a1). query(s, 0). query(p(a1), 0).
end(model(m2)).
path(X, Y) :- bond(X, Y, _).
OUTSIDE
"""
SMALL_TEMPLATE = "0.5 :: s :- c(X), w(X).\n0.3 :: p(X) :- c(X).\n0.1 :: s.\n"


@st.composite
def terms(draw: st.DrawFn) -> Case:
    """Odd terms in one place of data or of a template."""
    data, template = SMALL, SMALL_TEMPLATE
    part, place = draw(st.sampled_from([(part, line) for part, lines in PLACES.items() for line in lines]))
    pieces = re.split("<([a-z]+)>", place)
    for number in range(1, len(pieces), 2):
        pieces[number] = draw(FITTING[pieces[number]] if draw(st.integers(0, 2)) else TERMS)
    line = "".join(pieces)
    if part == "rule" and "begin" in place:
        template = line
    elif part == "rule":
        template += line
    data = data.replace("INSIDE", line if part == "example" else "")
    data = data.replace("OUTSIDE", line if part == "background" else "")
    files = {"d.pl": data.encode("utf-8", "surrogatepass"), "t.pl": template.encode("utf-8", "surrogatepass")}
    # Most of what happens to a term happens when groundings and outputs are computed.
    return Case("terms", files, PREDICT if draw(st.booleans()) else draw(st.sampled_from(CHAINS)))

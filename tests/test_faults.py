"""What users do wrong: each fault has its exact message, its exit code, and leaves nothing behind."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from conftest import Folder

from lrnn_cli.errors import ReadError
from lrnn_cli.grounding.groundings import parse_groundings

TEMPLATE = "0.5 :: p(X) :- q(X).\n"
DATA = "begin(model(m)).\nq(a).\nquery(p(a), 1.0).\nend(model(m)).\n"
PREDICT = ("predict", "t.pl", "d.pl", "-o", "out.tsv")
TRAIN = ("train", "g.npz", "-o", "model.pl")

NOT_GROUND = "names that start with a capital letter or _ are variables, quote them"
NO_DIRECTIVES = "delete it, files hold facts and clauses only"
MISSING = "syntax error: a comma, a bracket, an operator or a full stop is missing before this"
TOO_MANY = "syntax error: a term can't start here; is there a comma or a bracket too many, or of the wrong kind?"
NO_BUILT_IN = "is not allowed in a body; leave it out, or define such a predicate in the data"
ONLY = "is not allowed in a body: only atoms, comparison, arithmetic and \\+ are"
NO_WEIGHT = "write `_ ::` before it to learn one, `fixed(1.0) ::` to fix it, or move it to the data"
SETTINGS = "settings are activation, steepness, offset, object_identity, aggregation, task, center, scale"
SWAPPED = "The template comes first, then the data"
NO_DEFINITION = "is part of the language and can't be defined; choose another name"
NOT_AN_ATOM = "is not an atom; write a predicate with its arguments"
LIMITS = "Look for background clauses that never end, or allow more with"
DAMAGED = "g.npz: the grounding file is damaged or of another kind; ground again"


@dataclass(frozen=True)
class Fault:
    """Files, a command, and what it says. `files` come on top of a template and data without faults."""

    name: str
    message: str
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    arguments: tuple[str, ...] = PREDICT
    stdin: str | None = None
    code: int = 1


def data(name: str, text: str | bytes, *messages: str, template: str = TEMPLATE) -> Fault:
    """A fault in data, all its messages without the name of the file."""
    return Fault(name, "\n".join(f"d.pl{message}" for message in messages), {"d.pl": text, "t.pl": template})


def block(name: str, text: str, *messages: str) -> Fault:
    """A fault in an example: `text` begins in line 2."""
    return data(name, f"begin(model(m)).\n{text}\nquery(p(a), 1.0).\nend(model(m)).\n", *messages)


def background(name: str, text: str, *messages: str, template: str = "0.5 :: p(X) :- s(X).\n") -> Fault:
    """A fault outside examples: `text` begins in line 5."""
    return data(name, f"{DATA}{text}\n", *messages, template=template)


def template(name: str, text: str | bytes, *messages: str, data: str = DATA) -> Fault:
    return Fault(name, "\n".join(f"t.pl{message}" for message in messages), {"t.pl": text, "d.pl": data})


def usage(name: str, message: str, *arguments: str) -> Fault:
    """Wrong use of a command: exit code 2."""
    arguments_of = {"train": "GROUNDING", "ground": "TEMPLATE DATA", "predict": "MODEL DATA", "learn-structure": "DATA"}
    takes = arguments_of[arguments[0]]
    text = (
        f"Usage: lrnn {arguments[0]} [OPTIONS] {takes}\nTry 'lrnn {arguments[0]} --help' for help.\n\nError: {message}"
    )
    return Fault(name, text, {}, arguments, code=2)


def archive(**arrays: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=True, **arrays)
    return buffer.getvalue()


def zipped_text() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("hello.txt", "hello")
    return buffer.getvalue()


SYNTAX = [
    block("missing comma", "q(a b).", f":2:5: {MISSING}"),
    block("missing full stop", "q(a)\nq(b).", f":3:1: {MISSING}"),
    block("missing full stop, indented", "  q(a)\n\n\tq(b).", f":4:9: {MISSING}"),
    block("missing closing bracket", "q(a.", f":2:4: {MISSING}"),
    block("bracket too many", "q(a)).", f":2:5: {TOO_MANY}"),
    block("wrong bracket", "q([a).", f":2:5: {TOO_MANY}"),
    block("comma too many", "q(a, , b).", f":2:6: {TOO_MANY}"),
    block("after a comment inside a clause", "q(a, /* one\ntwo */ b\n c).", f":4:2: {MISSING}"),
    block("unclosed quote", "r(0'a). s('it''s', 'b).", ":2:20: syntax error: this quote is never closed"),
    block("unclosed double quote", 's(b, "x).', ":2:6: syntax error: this quote is never closed"),
    block("unclosed comment", "q(a). /* one", ":2:7: syntax error: this comment is never closed; add */"),
    block("bad escape", "q('a\\qb').", ":2:6: syntax error: unknown escape sequence \\q; write \\\\ for a backslash"),
    block("bad character code", "q('\\x110000\\').", ":2:6: syntax error: there is no character of this code"),
    block("number too large", "q(1e400).", ":2:3: syntax error: this number is too large"),
    block("not a number", "q(0x).", ":2:3: syntax error: this is not a valid number"),
    block("quasi quotation", "q({|a||b|}).", ":2:6: syntax error: quasi quotations are not supported"),
    data(
        "no full stop at the end",
        DATA.rstrip()[:-1] + "\n\n",
        ":4:14: syntax error: the file ends inside a clause; is a full stop missing?",
    ),
    data("Windows line ends", "q(a).\r\nr(b)\r\ns(c).\r\n", f":3:1: {MISSING}"),
    data("end_of_file", f"end_of_file.\n{DATA}", ":1:1: end_of_file. stands before the end of the file; delete it"),
    template("syntax in a template", "0.5 :: p(X) :- q(X)\n0.5 :: p(X) :- r(X).\n", f":2:1: {MISSING}"),
    template("comment in a template", f"{TEMPLATE}/*\n", ":2:1: syntax error: this comment is never closed; add */"),
    template(
        "end_of_file in a template",
        f"end_of_file.\n{TEMPLATE}",
        ":1:1: end_of_file. stands before the end of the file; delete it",
    ),
    block(
        "all faults in order of lines",
        "q(a b).\nq(X).\n5.\n:- halt.\nfold(x).\nq('a\\zb').",
        f":2:5: {MISSING}",
        f":3:1: the fact q(X) is not ground; {NOT_GROUND}",
        f":4:1: 5 {NOT_AN_ATOM}",
        f":5:1: the directive `:- halt` is not run; {NO_DIRECTIVES}",
        ":6:1: fold(x): the fold must be a whole number from 1 to 2147483647",
        ":7:6: syntax error: unknown escape sequence \\z; write \\\\ for a backslash",
    ),
    block(
        "twenty faults, then a count",
        "".join(f"q{line}(X).\n" for line in range(2, 27)),
        *(f":{line}:1: the fact q{line}(X) is not ground; {NOT_GROUND}" for line in range(2, 22)),
        ": 5 more faults",
    ),
    block(
        "equal faults once",
        "q(X).\n" * 25,
        f":2:1: the fact q(X) is not ground; {NOT_GROUND} (and 24 more like it, lines 3, 4, 5, ...)",
    ),
]

BLOCKS = [
    data(
        "unclosed", "begin(model(m)).\nq(a).\n", ":1:1: model m is not closed; add end(model(m)). after its last fact"
    ),
    data(
        "nested",
        "begin(model(m)).\nq(a).\nbegin(model(n)).\nq(b).\nend(model(n)).\n",
        ":3:1: model n begins inside model m of line 1; add end(model(m)). before it",
    ),
    data(
        "nested and unclosed",
        "begin(model(m)).\nq(a).\n  begin(model(n)).\nq(b).\n",
        ":3:3: model n begins inside model m of line 1; add end(model(m)). before it",
        ":3:3: model n is not closed; add end(model(n)). after its last fact",
    ),
    data(
        "end without begin",
        f"end(model('N 1')).\n{DATA}",
        ":1:1: end(model('N 1')) without its begin(model('N 1')); delete it or add the begin",
    ),
    data(
        "end of another",
        "begin(model(m)).\nq(a).\nend(model(n)).\n",
        ":3:1: end(model(n)) closes model m of line 1; the names must be the same",
    ),
    data("name twice", DATA * 2, ":5:1: model m was already defined in line 1; give each model a name of its own"),
    data(
        "name not ground",
        "begin(model(M1)).\nq(a).\nend(model(M1)).\n",
        ":1:1: the name M1 of the model is not ground; quote it if it starts with a capital letter",
    ),
    block(
        "clause in a model",
        "r(X) :- q(X).",
        ":2:1: a clause for r(X) inside a model; move it outside all models to make it background knowledge",
    ),
    block(
        "weighted rule in a model",
        "0.5 :: r(X) :- q(X).",
        ":2:1: the weighted rule for r(X) stands inside a model; move it into the template",
    ),
    data(
        "query outside",
        f"{DATA}query(p(b), 1).\n",
        ":5:1: a query outside a model; move it into the model it belongs to",
    ),
    data("fold outside", f"{DATA}fold(1).\n", ":5:1: fold/1 outside a model; move it into the model it belongs to"),
    block("fold not a number", "fold(a).", ":2:1: fold(a): the fold must be a whole number from 1 to 2147483647"),
    block("fold from 1", "fold(0).", ":2:1: fold(0): the fold must be a whole number from 1 to 2147483647"),
    block("fold not whole", "fold(1.0).", ":2:1: fold(1.0): the fold must be a whole number from 1 to 2147483647"),
    block("two folds", "fold(1). fold(2).", ":2:10: fold(2) contradicts fold(1) of the same example"),
]

FACTS = [
    block("fact not ground", "q(a, [X, _Y|_]).", f":2:1: the fact q(a, [X, _Y|_]) is not ground; {NOT_GROUND}"),
    block("variable as fact", "X.", f":2:1: a variable is not a fact; {NOT_GROUND}"),
    block("number as fact", "5.", f":2:1: 5 {NOT_AN_ATOM}"),
    block("string as fact", '"text".', f':2:1: "text" {NOT_AN_ATOM}'),
    block("list as fact", "[a, b].", f":2:1: [a, b] {NOT_AN_ATOM}"),
    block("braces as fact", "{a}.", f":2:1: {{a}} {NOT_AN_ATOM}"),
    block("dict as fact", "x{a:1}.", f":2:1: x{{a:1}} {NOT_AN_ATOM}"),
    block("empty brackets", "q().", ":2:1: q() has no arguments; write q without brackets"),
    block("built-in as fact", "a < b.", f":2:1: (<)/2 {NO_DEFINITION}"),
    data("equality as fact", f"{DATA}X = Y.\n", f":5:1: (=)/2 {NO_DEFINITION}"),
    data("qualified fact", f"{DATA}user:q(a).\n", f":5:1: (:)/2 {NO_DEFINITION}"),
    block(
        "directive in a model", ":- dynamic q/1.", f":2:1: the directive `:- dynamic q/1` is not run; {NO_DIRECTIVES}"
    ),
    block(
        "Prolog query",
        "?- q(X).",
        ":2:1: the query `?- q(X)` is not run; queries stand in the examples as query(Atom, Target)",
    ),
    block("grammar rule", "a --> b.", ":2:1: grammar rules are not supported; write facts and clauses"),
    *(
        block(
            f"weight {weight}",
            f"{weight} :: r(a).",
            f":2:1: the weight {weight} of fact r(a) is not a finite number; write one, such as 0.5",
        )
        for weight in ("inf", "nan", "1.0Inf", "1.5NaN", "big", '"1"', "_", "1r3")
    ),
    block("weight too large", "1e400 :: r(a).", ":2:1: syntax error: this number is too large"),
    block("weighted fact not ground", "0.5 :: r(X).", f":2:1: the fact r(X) is not ground; {NOT_GROUND}"),
    data(
        "weighted fact outside",
        f"{DATA}0.5 :: r(a).\n",
        ":5:1: the weighted fact r(a) stands outside a model; background knowledge has no weights, "
        "move it into a model or into the template",
    ),
    block("query not ground", "query(p(X), 1).", ":2:1: the query p(X) is not ground; ask one query for each object"),
    block(
        "query a variable",
        "query(X, 1).",
        ":2:1: the query is a variable; write query(Atom, Target) with a ground atom",
    ),
    block("query a number", "query(3, 1).", f":2:1: 3 {NOT_AN_ATOM}"),
    block("query without target that is no atom", "query(3).", f":2:1: 3 {NOT_AN_ATOM}"),
    *(
        block(
            f"target {target}",
            f"query(p(a), {target}).",
            f":2:1: the target of query p(a) must be a finite number or a word, not {target}",
        )
        for target in ("inf", "1.0Inf", "_", "[1]", '"1"')
    ),
]

BACKGROUND = [
    background(
        "weighted rule",
        "0.5 :: s(X) :- q(X).",
        ":5:1: the weighted rule for s(X) belongs in a template; background clauses have no weights",
    ),
    background("variable as head", "X :- q(X).", ":5:1: the head of the clause is a variable; write an atom"),
    background("variable as goal", "s(X) :- q(X), Y.", ":5:1: the goal Y is a variable; write an atom"),
    background("number as goal", "s(X) :- q(X), 5.", f":5:1: 5 {NOT_AN_ATOM}"),
    background("redefinition", "X = Y :- q(X), q(Y).", f":5:1: (=)/2 {NO_DEFINITION}"),
    *(
        background(f"built-in {name}", f"s(X) :- q(X), {goal}.", f":5:1: the built-in {name} {NO_BUILT_IN}")
        for name, goal in (
            ("shell/1", "shell('touch x')"),
            ("open/3", "open(f, write, S)"),
            ("assertz/1", "assertz(q(b))"),
            ("consult/1", "consult(f)"),
            ("halt/0", "halt"),
            ("findall/3", "findall(Y, q(Y), L)"),
            ("member/2", "member(X, [a])"),
            ("length/2", "length(X, 1)"),
        )
    ),
    background("negated built-in", "s(X) :- q(X), \\+ shell(X).", f":5:1: the built-in shell/1 {NO_BUILT_IN}"),
    background("cut", "s(X) :- q(X), !.", ":5:1: the cut has no meaning here: all solutions count; remove it"),
    background("if-then-else", "s(X) :- ( q(X) -> q(X) ; q(X) ).", f":5:1: (->)/2 {ONLY}"),
    background("call/1", "s(X) :- call(q(X)).", f":5:1: call/1 {ONLY}"),
    background("module", "s(X) :- user:q(X).", f":5:1: (:)/2 {ONLY}"),
    background("not/1", "s(X) :- q(X), not(q(X)).", ":5:1: not/1 is not allowed in a body; write \\+"),
    background(
        "negated conjunction",
        "s(X) :- q(X), \\+ ( q(X), r(X) ).",
        ":5:1: \\+ takes one atom, not q(X), r(X); use the opposite comparison, "
        "or define a predicate for it in the data",
    ),
    background(
        "random numbers",
        "s(X) :- q(X), 1 < random(6).",
        ":5:1: the arithmetic function random/1 changes from call to call and is not allowed",
    ),
    background("no such function", "s(X) :- q(X), 1 < f(2).", ":5:1: there is no arithmetic function f/1"),
    background(
        "unsafe guard",
        "s(X) :- q(X), Y < X.",
        ":5:1: unsafe clause: nothing binds the variables of Y<X; add an atom that does",
    ),
    background(
        "negation of weighted facts",
        "s(X) :- q(X), \\+ w(X).\nbegin(model(n)).\n0.5 :: w(a). query(p(a), 1).\nend(model(n)).",
        ":5:1: \\+ w/1: only crisp predicates can be negated, not those with weighted facts",
    ),
    background(
        "negation through recursion",
        "s(X) :- q(X), \\+ u(X).\nu(X) :- q(X), s(X).",
        ":5:1: s/1 depends on its own negation; break the circle",
    ),
    background(
        "predicate of the template",
        "s(X) :- q(X), l(X).",
        ":5:1: the background clause uses l/1, which the template defines with weights; "
        "move the clause into the template",
        template="0.5 :: p(X) :- s(X).\n0.5 :: l(X) :- q(X).\n",
    ),
    Fault(
        "unbound argument",
        "t.pl:1:1: a guard can't be evaluated: a variable is not bound; let atoms before it bind the arguments of s/2",
        {"t.pl": "0.5 :: p(X) :- s(X, Y).\n", "d.pl": f"{DATA}s(X, Y) :- q(X).\n"},
    ),
    background(
        "query of a predicate that needs arguments",
        "older(X, Y) :- X > Y.\nbegin(model(n)).\nquery(older(2, 1), 1).\nend(model(n)).",
        ":5:1: a guard can't be evaluated: a variable is not bound; let atoms before it bind the arguments of older/2",
        template=TEMPLATE,
    ),
    background(
        "guard of another type",
        "s(X) :-\n    q(X),\n    X < 3.",
        ":5:1: a guard can't be evaluated: a is not of type number; test it with number/1 before",
    ),
    background("division by zero", "s(X) :- q(X), 1 < 2 / 0.", ":5:1: a guard can't be evaluated: division by zero"),
    Fault(
        "endless",
        f"d.pl:6:1: SWI-Prolog was stopped after 2 s. {LIMITS} --time-limit.",
        {"t.pl": "0.5 :: p(X) :- q(X), nat(Y).\n", "d.pl": f"{DATA}nat(0).\nnat(N) :- nat(M), N is M+1.\n"},
        (*PREDICT, "--time-limit", "2"),
    ),
]

TEMPLATES = [
    template(
        "rule without weight",
        "p(X) :- q(X).\n",
        f":1:1: the rule for p(X) has no weight; {NO_WEIGHT} as background knowledge",
    ),
    template("fact without weight", "p(a).\n", f":1:1: the fact p(a) has no weight; {NO_WEIGHT}"),
    template("variable", "X.\n", ":1:1: a variable is not a rule; write `_ :: head :- body.`"),
    template("number", "5.\n", f":1:1: 5 {NOT_AN_ATOM}"),
    template("variable as head", "_ :: X :- q(X).\n", ":1:1: the head of the rule is a variable; write an atom"),
    template("number as head", "_ :: 5 :- q(X).\n", f":1:1: 5 {NOT_AN_ATOM}"),
    template("variable as goal", "_ :: p(X) :- q(X), Goal.\n", ":1:1: the goal Goal is a variable; write an atom"),
    template("string as goal", '_ :: p(X) :- q(X), "q".\n', f':1:1: "q" {NOT_AN_ATOM}'),
    template("list as goal", "_ :: p(X) :- q(X), [a].\n", f":1:1: [a] {NOT_AN_ATOM}"),
    *(
        template(
            f"weight {weight}",
            f"{weight} :: p(X) :- q(X).\n",
            f":1:1: the weight {weight} is not a finite number; write a number, `_` or fixed(Number)",
        )
        for weight in ("inf", "nan", "1.0Inf", "big", '"1"', "fixed", "[1]")
    ),
    template("fixed(_)", "fixed(_) :: p(X) :- q(X).\n", ":1:1: fixed(_): a fixed weight must be a finite number"),
    template("fixed(x)", "fixed(x) :: p(X) :- q(X).\n", ":1:1: fixed(x): a fixed weight must be a finite number"),
    template(
        "directive",
        f":- use_module(library(lists)).\n{TEMPLATE}",
        f":1:1: the directive `:- use_module(library(lists))` is not run; {NO_DIRECTIVES}",
    ),
    template(
        "Prolog query",
        f"?- p(X).\n{TEMPLATE}",
        ":1:1: the query `?- p(X)` is not run; queries stand in the examples as query(Atom, Target)",
    ),
    template("grammar rule", f"a --> b.\n{TEMPLATE}", ":1:1: grammar rules are not supported; write facts and clauses"),
    template("query", f"query(p(a), 1).\n{TEMPLATE}", ":1:1: query/2 in a template; queries belong in the data"),
    template("end", f"end(model(m)).\n{TEMPLATE}", ":1:1: end(model(_)) in a template; examples belong in the data"),
    template("redefinition", "_ :: X = Y :- q(X), q(Y).\n", f":1:1: (=)/2 {NO_DEFINITION}"),
    *(
        template(f"built-in {name}", f"_ :: p(X) :- q(X), {goal}.\n", f":1:1: the built-in {name} {NO_BUILT_IN}")
        for name, goal in (
            ("shell/1", "shell('touch x')"),
            ("assertz/1", "assertz(q(X))"),
            ("findall/3", "findall(Y, q(Y), L)"),
            ("halt/0", "halt"),
        )
    ),
    template("cut", "_ :: p(X) :- q(X), !.\n", ":1:1: the cut has no meaning here: all solutions count; remove it"),
    template(
        "disjunction",
        "_ :: p(X) :- q(X) ; r(X).\n",
        ":1:1: a disjunction in a rule; write one rule for each alternative",
    ),
    template("if-then-else", "_ :: p(X) :- ( q(X) -> r(X) ; s(X) ).\n", f":1:1: (->)/2 {ONLY}"),
    template("call/2", "_ :: p(X) :- q(X), call(q, X).\n", f":1:1: call/2 {ONLY}"),
    template(
        "name in arithmetic",
        "_ :: p(X) :- q(X), X < b.\n",
        ":1:1: b is not a number; compare names with ==, \\== or @<",
    ),
    template(
        "compound term",
        "_ :: p(X) :- q(f(X)).\n",
        ":1:1: f(X): a compound term with variables; rules take variables and constants, "
        "background clauses in the data can take terms apart",
    ),
    template(
        "unsafe head",
        "_ :: p(X, Other) :- q(X).\n",
        ":1:1: unsafe rule: the head variable Other does not occur in an atom of the body; add one that binds it",
    ),
    template(
        "unsafe through negation",
        "_ :: p(X) :- \\+ q(X).\n",
        ":1:1: unsafe rule: the head variable X does not occur in an atom of the body; add one that binds it",
    ),
    template(
        "unsafe guard",
        "_ :: p(X) :- q(X), Y < 3.\n",
        ":1:1: unsafe rule: nothing binds the variables of Y<3; add an atom that does",
    ),
    template(
        "negation of a latent predicate",
        "_ :: p(X) :- q(X), \\+ l(X).\n_ :: l(X) :- q(X).\n",
        ":1:1: \\+ l/1: only crisp predicates can be negated, "
        "not those with rules in the template or with weighted facts",
    ),
    template(
        "negation of weighted facts",
        "_ :: p(X) :- q(X), \\+ w(X).\n",
        ":1:1: \\+ w/1: only crisp predicates can be negated, "
        "not those with rules in the template or with weighted facts",
        data=DATA.replace("q(a).", "q(a). 0.5 :: w(a)."),
    ),
    template("other arity", "0.5 :: p(X) :- q(X, Y).\n", ":1:1: nothing defines q/2; did you mean q/1?"),
    template(
        "guard of another type",
        "% one\n0.5 :: p(X) :- q(X), X < 3.\n",
        ":2:1: a guard can't be evaluated: a is not of type number; test it with number/1 before",
    ),
    template(
        "name of a number in a guard",
        "0.5 :: p(X) :- q(X), X < 3.\n",
        ":1:1: a guard can't be evaluated: e is not of type number; test it with number/1 before",
        data=DATA.replace("(a)", "(e)"),
    ),
    template(
        "division by zero",
        "% one\n0.5 :: p(X) :- q(X), Y is 1 / 0, Y > 3.\n",
        ":2:1: a guard can't be evaluated: division by zero",
    ),
    template(
        "no rule", "setting(offset, -0.5).\n", ":1:1: there is no rule in this template; write `_ :: head :- body.`"
    ),
    template("unknown setting", f"setting(slope, 1).\n{TEMPLATE}", f":1:1: unknown setting slope; {SETTINGS}"),
    template("strange setting", f"setting('a\nb', 1).\n{TEMPLATE}", f":1:1: unknown setting 'a\\nb'; {SETTINGS}"),
    template(
        "setting twice",
        f"setting(offset, 1).\nsetting(offset, 2).\n{TEMPLATE}",
        ":2:1: setting offset was already given in line 1; delete one",
    ),
    *(
        template(f"setting {name} {value}", f"setting({name}, {value}).\n{TEMPLATE}", f":1:1: setting {name} {message}")
        for name, value, message in (
            ("steepness", "0", "must be a number above 0, not 0"),
            ("steepness", "'6'", "must be a number above 0, not '6'"),
            ("offset", "nan", "must be a finite number, not nan"),
            ("activation", "relu", "is lukasiewicz or sigmoid, not relu"),
            ("object_identity", "yes", "is true or false, not yes"),
            ("aggregation", "least", "is mean, sqrt, max or sum, not least"),
        )
    ),
    *(
        template(f"{text}", f"{text}\n{TEMPLATE}", ":1:1: a setting is written setting(name, value).")
        for text in ("setting(X, 1).", "setting(offset, X).", "setting(offset).")
    ),
    Fault(
        "weight that was never trained",
        "t.pl:2:1: the rule for p(X) has no weight; train the template first with `lrnn ground` and `lrnn train`",
        {"t.pl": f"{TEMPLATE}_ :: p(X) :- q(X).\n"},
    ),
    Fault(
        "ground cycle",
        "t.pl: in example m atoms depend on themselves: p(a) <- p(b) <- p(a). "
        "A network must be free of cycles: add an argument that grows, or object identity",
        {
            "t.pl": "0.5 :: p(X) :- e(X, Y), p(Y).\n0.5 :: p(X) :- q(X).\n",
            "d.pl": DATA.replace("q(a)", "q(a). e(a, b). e(b, a)"),
        },
    ),
]

QUERIES = [
    data(
        "unknown query",
        DATA.replace("p(a)", "mutagenc"),
        ":3:1: the query mutagenc asks for mutagenc/0, which t.pl does not define; did you mean mutagenic/0?",
        template="0.5 :: mutagenic :- q(X).\n",
    ),
    data(
        "query of another arity",
        DATA.replace("p(a)", "p(a, b)"),
        ":3:1: the query p(a, b) asks for p/2, which t.pl does not define; did you mean p/1?",
    ),
    data(
        "query unlike anything",
        DATA.replace("p(a)", "zebra"),
        ":3:1: the query zebra asks for zebra/0, which t.pl does not define; it defines p/1",
    ),
    data(
        "no query",
        "begin(model(m)).\nq(a).\nend(model(m)).\n",
        ": there is no query in these data; add query(Atom). to the examples, or ask for all that fits with "
        "--target p/1",
    ),
    data(
        "no example",
        "% nothing\n/* but\ncomments */\n",
        ":1:1: there is no example in these data; write begin(model(name)). facts end(model(name)).",
    ),
]

FILES = [
    Fault(
        "data as template",
        f"d.pl:1:1: an example begins here, so this is a data file; {SWAPPED[0].lower()}{SWAPPED[1:]}",
        arguments=("predict", "d.pl", "t.pl", "-o", "out.tsv"),
    ),
    Fault(
        "template as data",
        f"t.pl:1:1: the weighted rule for p(X) belongs in a template; is this file one? {SWAPPED}",
        arguments=("predict", "t.pl", "t.pl", "-o", "out.tsv"),
    ),
    Fault(
        "grounding as data",
        "g.npz: this is a grounding file or another archive; data in Prolog facts is expected here",
        {"g.npz": archive(x=np.arange(3))},
        ("predict", "t.pl", "g.npz", "-o", "out.tsv"),
    ),
    Fault(
        "grounding as template",
        "g.npz: this is a grounding file or another archive; a template or model of weighted rules is expected here",
        {"g.npz": archive(x=np.arange(3))},
        ("predict", "g.npz", "d.pl", "-o", "out.tsv"),
    ),
    Fault("another archive as grounding", DAMAGED, {"g.npz": archive(x=np.arange(3))}, TRAIN),
    Fault("objects in a grounding", DAMAGED, {"g.npz": archive(header=np.array([{}], object))}, TRAIN),
    Fault("zip as grounding", DAMAGED, {"g.npz": zipped_text()}, TRAIN),
    data("empty data", "", ": the file is empty; data in Prolog facts is expected here"),
    data("blank data", " \n\t\n", ": the file is empty; data in Prolog facts is expected here"),
    template("empty template", "", ": the file is empty; a template or model of weighted rules is expected here"),
    template("comments only", "% nothing\n", ":1:1: there is no rule in this template; write `_ :: head :- body.`"),
    data("binary data", b"\x89PNG\0\0\x12", ": this is a binary file; data in Prolog facts is expected here"),
    data("UTF-16", DATA.encode("utf-16"), ": this is a binary file; data in Prolog facts is expected here"),
    data(
        "Latin-1",
        "% ok\nq('é').\nq('café').\n".encode().replace("fé".encode(), "fé".encode("latin-1")),
        ":3:7: byte 0xe9 is not UTF-8; convert the file, for example with iconv",
    ),
    Fault(
        "cut gz",
        "d.pl.gz: the compressed file is cut short; fetch or make it again",
        {"d.pl.gz": gzip.compress(DATA.encode())[:-12]},
        ("predict", "t.pl", "d.pl.gz", "-o", "out.tsv"),
    ),
    Fault(
        "damaged gz",
        "d.pl.gz: the compressed file is damaged; fetch or make it again",
        {"d.pl.gz": gzip.compress(DATA.encode())[:-8] + bytes(8)},
        ("predict", "t.pl", "d.pl.gz", "-o", "out.tsv"),
    ),
    Fault(
        "gz by name only",
        "d.pl.gz: the name ends in .gz, but the file is not compressed; rename it",
        {"d.pl.gz": DATA},
        ("predict", "t.pl", "d.pl.gz", "-o", "out.tsv"),
    ),
    Fault("missing file", "no.pl: there is no such file", arguments=("predict", "t.pl", "no.pl", "-o", "out.tsv")),
    Fault(
        "folder as file",
        ".: this is a folder; name a file in it, or let `lrnn import .` make data of a folder of another system",
        arguments=("predict", ".", "d.pl"),
    ),
    Fault(
        "empty name",
        "the name of an input file is empty; name a file, or - for standard input",
        arguments=("predict", "", "d.pl"),
    ),
    Fault("file as folder", "t.pl/x: can't be read: Not a directory", arguments=("predict", "t.pl/x", "d.pl")),
    Fault(
        "output in no folder",
        "no/out.tsv: the folder no does not exist; make it first",
        arguments=("predict", "t.pl", "d.pl", "-o", "no/out.tsv"),
    ),
    Fault(
        "output to a folder",
        ".: this is a folder; name a file in it",
        arguments=("ground", "t.pl", "d.pl", "-o", "."),
    ),
    Fault(
        "output without name",
        "the name of the output file is empty; name a file, or - for standard output",
        arguments=("evaluate", "t.pl", "d.pl", "-o", ""),
    ),
    Fault(
        "name of output too long",
        f"{'x' * 300}: can't be written: File name too long",
        arguments=("predict", "t.pl", "d.pl", "-o", "x" * 300),
    ),
    Fault(
        "standard input twice",
        "the template and the data can't both be standard input; name a file for one of them",
        arguments=("predict", "-", "-", "-o", "out.tsv"),
        stdin=DATA,
    ),
    Fault(
        "standard input twice in check",
        "the template and the data can't both be standard input; name a file for one of them",
        arguments=("check", "-", "--template", "-"),
        stdin=DATA,
    ),
    Fault(
        "faults in standard input",
        f"<stdin>:2:1: the fact q(X) is not ground; {NOT_GROUND}",
        arguments=("predict", "t.pl", "-"),
        stdin=DATA.replace("q(a)", "q(X)"),
    ),
    Fault(
        "nothing in standard input",
        "<stdin>: the file is empty; data in Prolog facts is expected here",
        arguments=("predict", "t.pl", "-"),
        stdin="",
    ),
    Fault(
        "no JSON",
        "x.json:1:2: this is not valid JSON: Expecting property name enclosed in double quotes",
        {"x.json": "{accuracy}"},
        ("show", "x.json"),
    ),
    Fault(
        "JSON of another kind",
        "x.json: this JSON does not hold metrics; `lrnn evaluate --json` writes them",
        {"x.json": '{"name": "value"}'},
        ("show", "x.json"),
    ),
]

EXAMPLES = "".join(DATA.replace("(m)", f"(m{number})") for number in range(4))
OPTIONS = [
    Fault(
        "fold out of range",
        "d.pl: there is no fold 3; folds are 1 to 2",
        {"d.pl": EXAMPLES},
        (*PREDICT, "--folds", "2", "--fold", "3", "--no-group-duplicates"),
    ),
    Fault(
        "more folds than different examples",
        "d.pl: 2 folds, but the examples are 1 group of duplicates, each kept in one fold; "
        "choose fewer folds, or --no-group-duplicates",
        {"d.pl": EXAMPLES},
        (*PREDICT, "--folds", "2", "--fold", "1"),
    ),
    Fault(
        "more folds than examples",
        "d.pl: 5 folds of 4 examples; choose fewer folds",
        {"d.pl": EXAMPLES},
        (*PREDICT, "--folds", "5", "--fold", "1"),
    ),
    Fault(
        "fold without folds",
        "d.pl: there are no fold(K) facts in these data; say how many folds with --folds",
        {"d.pl": EXAMPLES},
        (*PREDICT, "--fold", "1"),
    ),
    Fault("folds without fold", "--folds needs --fold K to choose one of them", {}, (*PREDICT, "--folds", "2")),
    Fault(
        "fold of some examples",
        "d.pl:1:1: example m0 has no fold(K) while others have; give all examples a fold or none",
        {"d.pl": EXAMPLES.replace("begin(model(m1)).", "begin(model(m1)). fold(1).")},
        (*PREDICT, "--fold", "1"),
    ),
    Fault(
        "other number of folds",
        "d.pl: --folds 5, but the fold(K) facts in these data make 2 folds",
        {"d.pl": EXAMPLES.replace("q(a).", "q(a). fold(2).")},
        (*PREDICT, "--folds", "5", "--fold", "1"),
    ),
    Fault(
        "one fold only",
        "d.pl: no example is left without fold 1",
        {"d.pl": EXAMPLES.replace("q(a).", "q(a). fold(1).")},
        ("ground", "t.pl", "d.pl", "-o", "g.npz", "--fold", "1"),
    ),
    Fault(
        "unknown grounder",
        "there is no grounder duck; there are auto, duckdb, joins, swi",
        {},
        (*PREDICT, "--grounder", "duck"),
    ),
    usage("fold 0", "Invalid value for '--fold': 0 is not in the range x>=1.", *PREDICT, "--folds", "2", "--fold", "0"),
    usage("jobs 0", "Invalid value for '--jobs': 0 is not in the range x>=1.", *PREDICT, "--jobs", "0"),
    usage(
        "time limit nan",
        "Invalid value for '--time-limit': nan is not a finite number.",
        *PREDICT,
        "--time-limit",
        "nan",
    ),
    usage(
        "activation",
        "Invalid value for '--activation': 'relu' is not one of 'lukasiewicz', 'sigmoid'.",
        *PREDICT,
        "--activation",
        "relu",
    ),
    usage("no data", "Missing argument 'DATA'.", "ground", "t.pl"),
    *(
        usage(
            f"batch size {size}",
            f"Invalid value for --batch-size: '{size}' is not a number from 1 or `all`",
            *TRAIN,
            "--batch-size",
            size,
        )
        for size in ("0", "-1", "1.5", "few")
    ),
    *(
        usage(
            f"{option} {value}",
            f"Invalid value for '{option}': {value} is not a finite number.",
            *TRAIN,
            option,
            value,
        )
        for option, value in (
            ("--learning-rate", "inf"),
            ("--validation", "nan"),
            ("--l2", "nan"),
            ("--scale", "inf"),
        )
    ),
    *(
        usage(
            f"learning with {option} {value}",
            f"Invalid value for '{option}': {value} is not a finite number.",
            "learn-structure",
            "d.pl",
            "-o",
            "model.pl",
            option,
            value,
        )
        for option, value in (
            ("--gain", "nan"),
            ("--penalty", "inf"),
            ("--learning-rate", "nan"),
            ("--validation", "nan"),
        )
    ),
    usage(
        "validation 1",
        "Invalid value for '--validation': 1.0 is not in the range 0<x<1.",
        *TRAIN,
        "--validation",
        "1",
    ),
    Fault(
        "history over the model",
        "model.pl: --history would overwrite --output; choose another name for what is written",
        arguments=(*TRAIN, "--history", "model.pl"),
    ),
]

FAULTS = {
    "syntax": SYNTAX,
    "blocks": BLOCKS,
    "facts": FACTS,
    "background": BACKGROUND,
    "template": TEMPLATES,
    "query": QUERIES,
    "file": FILES,
    "options": OPTIONS,
}


@pytest.mark.parametrize(
    "fault",
    [pytest.param(fault, id=f"{group}: {fault.name}") for group, faults in FAULTS.items() for fault in faults],
)
def test_fault(fault: Fault, folder: Folder) -> None:
    folder.write({"t.pl": TEMPLATE, "d.pl": DATA, **fault.files})
    before = folder.content()
    outcome = folder.run(*fault.arguments, stdin=fault.stdin)
    assert outcome.stderr == fault.message + "\n"
    assert outcome.stdout == ""
    assert outcome.code == fault.code
    assert folder.content() == before


def test_faults_are_many() -> None:
    names = [(group, fault.name) for group, faults in FAULTS.items() for fault in faults]
    assert len(set(names)) == len(names) >= 50


# Grounding files


@pytest.fixture
def grounding(folder: Folder) -> bytes:
    """A grounding file of one example with target 5, in g.npz."""
    folder.write({"t.pl": "_ :: p(X) :- q(X).\n", "d.pl": DATA.replace("1.0", "5")})
    assert folder.run("ground", "t.pl", "d.pl", "-o", "g.npz", "--quiet").code == 0
    return (folder.path / "g.npz").read_bytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--loss", "log"),
            "g.npz: the log loss is not for targets that are numbers; use --loss squared or --loss huber",
        ),
        (
            ("--validation", "0.5"),
            "g.npz: --validation 0.5 of 1 examples leaves one part empty; choose another fraction or leave it out",
        ),
        (("--history", "no/history.csv"), "no/history.csv: the folder no does not exist; make it first"),
    ],
    ids=["log loss of a number", "empty validation part", "history in no folder"],
)
def test_training_fault(options: tuple[str, ...], message: str, folder: Folder, grounding: bytes) -> None:
    before = folder.content()
    outcome = folder.run(*TRAIN, *options)
    assert (outcome.code, outcome.stdout, outcome.stderr) == (1, "", message + "\n")
    assert folder.content() == before


@pytest.mark.parametrize("name", ["t.pl", "d.pl"])
def test_other_files_are_no_groundings(name: str, folder: Folder, grounding: bytes) -> None:
    outcome = folder.run("train", name, "-o", "model.pl")
    assert (outcome.code, outcome.stdout) == (1, "")
    assert outcome.stderr.startswith(f"{name}: this is not a grounding file; make one with `lrnn ground TEMPLATE DATA ")
    assert not (folder.path / "model.pl").exists()


@pytest.mark.parametrize("length", [10, 100, 1000, -1], ids=["10", "100", "1000", "all but one"])
def test_cut_grounding(length: int, folder: Folder, grounding: bytes) -> None:
    folder.write({"g.npz": grounding[:length]})
    for arguments in (TRAIN, ("show", "g.npz")):
        outcome = folder.run(*arguments)
        assert (outcome.code, outcome.stdout, outcome.stderr) == (1, "", DAMAGED + "\n")
    assert not (folder.path / "model.pl").exists()


def test_flipped_bits_of_arrays(folder: Folder, grounding: bytes) -> None:
    """A damaged grounding file is refused or, where the damage is in a part that does not matter, read as it was."""
    sound = parse_groundings("g.npz", grounding)
    directory = grounding.index(b"PK\x01\x02")
    refused = 0
    for position in range(4, directory, 5):
        damaged = bytearray(grounding)
        damaged[position] ^= 0x10
        try:
            found = parse_groundings("g.npz", bytes(damaged))
        except ReadError:
            refused += 1
        else:
            assert found.queries.text == sound.queries.text
            assert found.template == sound.template
    assert refused > directory / 5 / 3


def test_flipped_bits_of_the_directory(folder: Folder, grounding: bytes) -> None:
    for position in range(grounding.index(b"PK\x01\x02"), len(grounding)):
        damaged = bytearray(grounding)
        damaged[position] ^= 0x01
        try:
            parse_groundings("g.npz", bytes(damaged))
        except ReadError as error:
            assert str(error) == DAMAGED


# Output


def test_nothing_but_the_fault_is_told_by_a_process_of_its_own(folder: Folder) -> None:
    """Modules that are imported while data are read must not be at it when the process ends."""
    folder.write({"data.pl": "begin(model(a)).\nquery(p, 1).\n"})
    command = [sys.executable, "-m", "lrnn_cli", "learn-structure", "data.pl", "-o", "model.pl"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "data.pl:1:1: model a is not closed; add end(model(a)). after its last fact\n"
    assert not (folder.path / "model.pl").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_unwritable_folder(folder: Folder) -> None:
    folder.write({"t.pl": TEMPLATE, "d.pl": DATA})
    (folder.path / "closed").mkdir(mode=0o500)
    outcome = folder.run("predict", "t.pl", "d.pl", "-o", "closed/out.tsv")
    assert (outcome.code, outcome.stdout) == (1, "")
    assert outcome.stderr == "closed/out.tsv: no permission to write in closed\n"


def test_no_permission(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same for root, who has to be told that there is no permission."""
    folder.write({"t.pl": TEMPLATE, "d.pl": DATA})
    os.mkfifo("pipe")
    monkeypatch.setattr(os, "access", lambda *_: False)
    outcome = folder.run(*PREDICT)
    assert (outcome.code, outcome.stdout, outcome.stderr) == (1, "", "out.tsv: no permission to write in .\n")
    outcome = folder.run("predict", "t.pl", "d.pl", "-o", "pipe")
    assert (outcome.code, outcome.stdout, outcome.stderr) == (1, "", "pipe: no permission to write to it\n")


def test_output_to_a_pipe_keeps_the_pipe(folder: Folder) -> None:
    """Devices and pipes are written to. They were once replaced by a file, /dev/null among them."""
    folder.write({"t.pl": TEMPLATE, "d.pl": DATA})
    os.mkfifo("pipe")
    with subprocess.Popen(["timeout", "20", "cat", "pipe"], stdout=subprocess.PIPE) as reader:
        outcome = folder.run("predict", "t.pl", "d.pl", "-o", "pipe")
        read, _ = reader.communicate()
    assert outcome.code == 0
    assert read.decode().startswith("example\tatom\ttarget\toutput\nm\tp(a)\t1.0\t0.4")
    assert Path("pipe").is_fifo()


def test_output_through_a_link(folder: Folder) -> None:
    folder.write({"t.pl": TEMPLATE, "d.pl": DATA, "real.tsv": "old"})
    Path("link.tsv").symlink_to("real.tsv")
    assert folder.run("predict", "t.pl", "d.pl", "-o", "link.tsv").code == 0
    assert Path("link.tsv").is_symlink()
    assert folder.read("real.tsv").startswith("example\t")


def test_long_name_of_output(folder: Folder) -> None:
    """Names as long as the file system takes them have a temporary name, too."""
    folder.write({"t.pl": TEMPLATE, "d.pl": DATA})
    assert folder.run("predict", "t.pl", "d.pl", "-o", "ä" * 120).code == 0
    assert len(folder.read("ä" * 120).splitlines()) == 2


def test_failure_keeps_the_old_output(folder: Folder) -> None:
    folder.write({"t.pl": TEMPLATE, "d.pl": "q(a", "out.tsv": "old"})
    assert folder.run(*PREDICT).code == 1
    assert folder.read("out.tsv") == "old"


# What is no fault


@pytest.mark.parametrize(
    ("template", "data", "warning"),
    [
        (TEMPLATE, DATA.replace("query(p(a)", "query(p(b)"), ""),
        ("0.5 :: p(X) :- q(X), r(X).\n", DATA, "t.pl:1:1: nothing defines r/1, so this rule has no groundings"),
        (
            "0.5 :: p(X) :- bond(X, Y).\n",
            DATA.replace("q(a)", "bonds(a, b)"),
            "t.pl:1:1: nothing defines bond/2, so this rule has no groundings; did you mean bonds/2?",
        ),
        (
            "0.5 :: p(X) :- s(X).\n",
            f"{DATA}s(X) :- q(X), r(X).\n",
            "d.pl:5:1: nothing defines r/1, so this clause derives nothing",
        ),
        # The guard waits for an atom that binds its variables, though the query could: `a` is no number.
        ("0.5 :: p(X) :- r(X), X < 3.\n", DATA.replace("q(a)", "r(1)"), ""),
        ("0.5 :: p(X) :- q(X), number(X), X < 3.\n", DATA, ""),
    ],
    ids=["underivable", "unknown", "like a known one", "unknown in background", "guard on a query", "test of a type"],
)
def test_query_that_nothing_derives(template: str, data: str, warning: str, folder: Folder) -> None:
    """Without inputs an atom neuron gives sigm(6 * -0.5) = 0.0474."""
    folder.write({"t.pl": template, "d.pl": data})
    outcome = folder.run("predict", "t.pl", "d.pl")
    assert outcome.code == 0
    assert outcome.stderr == (f"warning: {warning}\n" if warning else "")
    assert outcome.stdout.splitlines()[1].endswith("\t1.0\t0.04742587317756678")


def test_unknown_negation(folder: Folder) -> None:
    folder.write({"t.pl": "0.5 :: p(X) :- q(X), \\+ r(X).\n", "d.pl": DATA})
    outcome = folder.run("predict", "t.pl", "d.pl")
    assert outcome.code == 0
    assert outcome.stderr == "warning: t.pl:1:1: nothing defines r/1, so its negation is always true\n"


def test_many_unknown_predicates(folder: Folder) -> None:
    """Each predicate once, three with the place of a rule, the others in one line."""
    rules = "".join(f"0.5 :: p(X) :- q(X), {name}(X).\n" for name in ("fa", "gb", "hc", "id", "je", "fa"))
    folder.write({"t.pl": rules, "d.pl": DATA})
    outcome = folder.run("predict", "t.pl", "d.pl")
    assert outcome.code == 0
    assert outcome.stderr.splitlines() == [
        "warning: t.pl:1:1: nothing defines fa/1, so this rule has no groundings",
        "warning: t.pl:2:1: nothing defines gb/1, so this rule has no groundings",
        "warning: t.pl:3:1: nothing defines hc/1, so this rule has no groundings",
        "warning: t.pl: d.pl has no facts of id/1, je/1 either",
    ]


def test_byte_order_mark(folder: Folder) -> None:
    folder.write({"t.pl": b"\xef\xbb\xbf" + TEMPLATE.encode(), "d.pl": b"\xef\xbb\xbf" + DATA.encode()})
    outcome = folder.run("predict", "t.pl", "d.pl")
    assert (outcome.code, outcome.stderr) == (0, "")


def test_one_class_only(folder: Folder) -> None:
    folder.write({"t.pl": TEMPLATE, "d.pl": DATA})
    outcome = folder.run("evaluate", "t.pl", "d.pl", "--json")
    metrics = json.loads(outcome.stdout)
    assert outcome.code == 0
    assert [metrics["auc_roc"], metrics["auc_pr"]] == [None, None]
    assert outcome.stderr == (
        "warning: auc_roc is undefined: all 1 queries are positive\n"
        "warning: auc_pr is undefined: all 1 queries are positive\n"
    )

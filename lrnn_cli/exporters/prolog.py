"""A model as a plain Prolog program: its rules as facts, and in Prolog what they compute.

swipl program.pl -- data.pl      prints what `lrnn predict` does
"""

from __future__ import annotations

import importlib.resources
from collections.abc import Sequence

from lrnn_cli.evaluation.predictions import LAST
from lrnn_cli.evaluation.questions import model_targets
from lrnn_cli.exporters.checks import check_exportable
from lrnn_cli.language.clauses import quoted
from lrnn_cli.language.targets import classes_of
from lrnn_cli.language.template import Template
from lrnn_cli.language.writing import prolog_text
from lrnn_cli.semantics.targets import kind_of

PREAMBLE = """\
% A model of lrnn as a Prolog program: swipl program.pl -- DATA... prints the outputs for all queries of the data.

:- encoding(utf8).
:- use_module(library(lists)).
:- use_module(library(apply)).
:- op(1150, xfx, ::).
:- style_check(-singleton).
:- set_prolog_flag(example:unknown, fail).
:- initialization(main, main).

% task(Kind, Column): what targets are, and the name of the column of outputs; classes(Classes): if they are any;
% targets(Targets): those without arguments, which examples without a query are asked for.
% model(Member, Activation, Steepness, Offset, ObjectIdentity, Aggregation, Center, Scale); a number is center + scale *
% sum, and the output is the mean of all members.
"""
RULES = "% rule(Member, Number, Weight, Head, Body)\n"


def prolog_program(members: Sequence[Template]) -> str:
    """The text of the program."""
    check_exportable(members)
    kind = kind_of(members[0].settings).name
    classes = sorted({word for words in classes_of(members).values() for word in words})
    targets = [quoted(target.name) for target in model_targets(members) if target.arity == 0]
    models = [f"task({kind}, {LAST[kind]}).", f"classes([{', '.join(classes)}]).", f"targets([{', '.join(targets)}])."]
    rules = []
    for member, template in enumerate(members, 1):
        settings = template.settings
        identity = "true" if settings.object_identity else "false"
        models.append(
            f"model({member}, {settings.activation}, {settings.steepness!r}, {settings.offset!r}, {identity}, "
            f"{settings.aggregation}, {settings.center!r}, {settings.scale!r})."
        )
        for number, rule in enumerate(template.rules, 1):
            goals = ", ".join(f"({goal})" for goal in (*rule.body, *rule.guards))
            rules.append(f"rule({member}, {number}, {rule.weight!r}, {rule.head}, [{goals}]).")
    runtime = (importlib.resources.files("lrnn_cli.exporters") / "program.pl").read_text(encoding="utf-8")
    return "\n".join([PREAMBLE + prolog_text(models), RULES + prolog_text(rules), runtime])

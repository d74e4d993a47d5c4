"""One example of a data file and its queries, chosen by name, for commands that look into a network."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

import numpy as np

from lrnn_cli.errors import LrnnError
from lrnn_cli.grounding.groundings import Groundings
from lrnn_cli.grounding.session import GroundingSession
from lrnn_cli.language.clauses import quoted
from lrnn_cli.language.data import DataSet
from lrnn_cli.language.targets import query_texts
from lrnn_cli.language.template import Template
from lrnn_cli.language.writing import counted
from lrnn_cli.network.model import Model, model_weights

SHOWN_NAMES = 5
TOKEN = re.compile(r"""'(?:[^'\\]|\\.|'')*' | "(?:[^"\\]|\\.|"")*" | \s+ | .""", re.VERBOSE | re.DOTALL)


def ground_example(
    grounder: GroundingSession, model: Template, data: DataSet, example: int
) -> tuple[Groundings, np.ndarray]:
    """Groundings of a model in one example with a query, with names of objects, and its weights (rules,)."""
    weights = np.array(model_weights(model))
    if not (data.queries.example == example).any():
        raise LrnnError(
            f"{data.name}:{data.example_line[example]}:1: example {data.example_name[example]} has no query; "
            "choose another one, add query(Atom). to it, or ask with --target NAME/ARITY"
        )
    return grounder.ground(model, data, [example], names=True), weights


def choose_member(model: Model, name: str | None) -> Template:
    """One member of an ensemble, or the only one of another model."""
    members = model.members
    names = [member.member for member in members]
    if name is None:
        if len(members) == 1:
            return members[0]
        raise LrnnError(
            f"{model.name}: this is an ensemble of {len(names)} models, {_some(names)}; choose one with --member"
        )
    if names == [""]:
        raise LrnnError(f"{model.name}: this model is not an ensemble; leave --member out")
    same = same_text(name, names)
    if not same:
        raise LrnnError(f"{model.name}: there is no member {name}; {_others(name, names, 'member', 'members')}")
    return members[same[0]]


def choose_example(data: DataSet, name: str | None) -> int:
    """The number of an example; without a name it is the only one."""
    names = data.example_name
    if name is None:
        if len(names) > 1:
            raise LrnnError(f"{data.name}: there are {len(names)} examples, {_some(names)}; choose one with --example")
        return 0
    same = same_text(name, names)
    if not same:
        raise LrnnError(f"{data.name}: there is no example {name}; {_others(name, names, 'example', 'examples')}")
    return same[0]


def choose_queries(groundings: Groundings, atom: str | None) -> list[int]:
    """The numbers of the queries of one example that ask for this atom, or of all.

    Of a query with classes, all rows or that of one class.
    """
    queries = groundings.queries
    if atom is None:
        return list(range(len(queries)))
    wanted = atom.strip().removesuffix(".")
    same = same_text(wanted, queries.text) or same_text(wanted, query_texts(queries))
    if not same:
        example = groundings.example_name[queries.example[0]]
        texts = list(dict.fromkeys(query_texts(queries)))
        raise LrnnError(
            f"{groundings.data_name}: example {example} has no query {atom}; {_others(atom, texts, 'query', 'queries')}"
        )
    return same


def same_text(wanted: str, texts: Sequence[str]) -> list[int]:
    """The places of a term among texts of terms, or else of the one that differs from it in blanks and quotes only."""
    exact = [place for place, text in enumerate(texts) if text == wanted]
    forms = {_plain(wanted), _plain(quoted(wanted))}
    alike = [place for place, text in enumerate(texts) if _plain(text) in forms]
    return exact or [place for place in alike if texts[place] == texts[alike[0]]]


def _plain(text: str) -> str:
    """A term without blanks and without quotes that are not needed."""
    tokens = []
    for token in TOKEN.findall(text):
        if token.startswith("'") and len(token) > 1:
            token = quoted(token[1:-1].replace("''", "'").replace("\\'", "'"))
        tokens.append("" if token.isspace() else token)
    return "".join(tokens)


def _others(wanted: str, names: Sequence[str], one: str, many: str) -> str:
    """What may have been meant, and what there is."""
    close = difflib.get_close_matches(wanted, names, 3, 0.7)
    meant = f"did you mean {' or '.join(close)}? There" if close else "there"
    return f"{meant} {'is' if len(names) == 1 else 'are'} {counted(len(names), one, many)}: {_some(names)}"


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:SHOWN_NAMES])
    return shown if len(names) <= SHOWN_NAMES else f"{shown}, ..., {names[-1]}"

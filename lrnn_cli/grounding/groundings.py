"""Groundings: the tables that grounding yields, and the file they are kept in between `ground` and `train`."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from lrnn_cli.errors import ReadError
from lrnn_cli.grounding.program import Facts, Program, plan_program
from lrnn_cli.grounding.tables import SoftFacts, Table
from lrnn_cli.language.clauses import Atom, Constant, Guard, Predicate, Rule, Variable
from lrnn_cli.language.data import Queries
from lrnn_cli.language.files import read_bytes, whole_output
from lrnn_cli.language.template import Settings, Template

FORMAT = "lrnn grounding"
VERSION = 1


@dataclass(frozen=True)
class Names:
    """Names of objects: those read from the file in their order, and those that evaluation made."""

    first_object: np.ndarray
    blob: bytes
    made: tuple[str, ...]

    def all(self) -> list[str]:
        names = self.blob.decode().split("\x1e")[:-1]
        return [*names, *self.made]


@dataclass(frozen=True)
class Groundings:
    """All that training needs: the program, its tables over the data, and the queries."""

    program: Program
    tables: tuple[Table, ...]
    facts: dict[Predicate, Table]
    """Crisp atoms of predicates that also have rules."""
    soft: dict[Predicate, SoftFacts]
    queries: Queries
    example_name: tuple[str, ...]
    objects: int
    """How many objects there are."""
    data_name: str
    data_digest: str
    names: Names | None = field(default=None, repr=False)

    @property
    def template(self) -> Template:
        return self.program.template


def save_groundings(groundings: Groundings, path: str) -> None:
    """Write a grounding file: arrays, and one JSON header."""
    program = groundings.program
    queries = groundings.queries
    assert groundings.names is not None
    header = {
        "format": FORMAT,
        "version": VERSION,
        "template_digest": program.template.digest,
        "data_digest": groundings.data_digest,
        "data_name": groundings.data_name,
        "template_name": program.template.name,
        "settings": asdict(program.template.settings),
        "rules": [_rule_json(rule) for rule in program.template.rules],
        "facts": {name: sorted(getattr(program.facts, name)) for name in ("data", "soft", "background", "queried")},
        "fact_predicates": list(groundings.facts),
        "soft_predicates": list(groundings.soft),
        "examples": groundings.example_name,
        "objects": groundings.objects,
        "made": groundings.names.made,
        "query_predicates": queries.predicate,
        "query_text": queries.text,
    }
    arrays: dict[str, np.ndarray] = {
        "header": np.frombuffer(json.dumps(header, ensure_ascii=False).encode(), np.uint8),
        "names": np.frombuffer(groundings.names.blob, np.uint8),
        "first_object": groundings.names.first_object,
        "query_example": queries.example,
        "query_predicate": queries.predicate_index,
        "query_argument": queries.argument,
        "query_target": queries.target,
        "query_line": queries.line,
    }
    tables = {f"table{index}": table for index, table in enumerate(groundings.tables)}
    tables |= {f"fact{index}": table for index, table in enumerate(groundings.facts.values())}
    tables |= {f"soft{index}": soft.atoms for index, soft in enumerate(groundings.soft.values())}
    for name, table in tables.items():
        arrays[f"{name}_example"] = table.example
        arrays[f"{name}_objects"] = table.objects
    for index, soft in enumerate(groundings.soft.values()):
        arrays[f"soft{index}_weight"] = soft.weight
    with whole_output(path) as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def load_groundings(path: str) -> Groundings:
    """Read a grounding file; complain about anything that is not one."""
    return parse_groundings(*read_bytes(path))


def parse_groundings(name: str, content: bytes) -> Groundings:
    """A grounding file that has been read already."""
    if content[:4] != b"PK\x03\x04":
        raise ReadError(f"{name}: this is not a grounding file; make one with `lrnn ground TEMPLATE DATA -o FILE.npz`")
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            arrays = {key: file[key] for key in file.files}
        header = json.loads(arrays["header"].tobytes())
        if header["format"] != FORMAT:
            raise KeyError("format")
        if header["version"] != VERSION:
            raise ReadError(
                f"{name}: grounding file of version {header['version']}, this program reads version {VERSION}; "
                "ground again"
            )
        return _groundings(header, arrays)
    except (KeyError, ValueError, EOFError, OSError, TypeError, RuntimeError, zipfile.BadZipFile, zlib.error):
        # RuntimeError is what zipfile raises for flags it does not know.
        raise ReadError(f"{name}: the grounding file is damaged or of another kind; ground again") from None


def _groundings(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> Groundings:
    template = Template(
        tuple(_rule(item) for item in header["rules"]), Settings(**header["settings"]), header["template_name"]
    )
    if template.digest != header["template_digest"]:
        raise ValueError("template digest")
    facts = Facts(**{key: frozenset(Predicate(*item) for item in items) for key, items in header["facts"].items()})

    def table(key: str) -> Table:
        return Table(arrays[f"{key}_example"], arrays[f"{key}_objects"])

    program = plan_program(template, facts)
    queries = Queries(
        arrays["query_example"],
        tuple(Predicate(*item) for item in header["query_predicates"]),
        arrays["query_predicate"],
        arrays["query_argument"],
        tuple(header["query_text"]),
        arrays["query_target"],
        arrays["query_line"],
    )
    return Groundings(
        program,
        tuple(table(f"table{index}") for index in range(len(program.tables))),
        {Predicate(*item): table(f"fact{index}") for index, item in enumerate(header["fact_predicates"])},
        {
            Predicate(*item): SoftFacts(table(f"soft{index}"), arrays[f"soft{index}_weight"])
            for index, item in enumerate(header["soft_predicates"])
        },
        queries,
        tuple(header["examples"]),
        header["objects"],
        header["data_name"],
        header["data_digest"],
        Names(arrays["first_object"], arrays["names"].tobytes(), tuple(header["made"])),
    )


def _rule_json(rule: Rule) -> list[Any]:
    return [
        _atom_json(rule.head),
        [_atom_json(atom) for atom in rule.body],
        [[guard.parts, guard.negated] for guard in rule.guards],
        rule.weight,
        rule.fixed,
        rule.line,
        rule.column,
    ]


def _atom_json(atom: Atom) -> list[Any]:
    return [atom.name, [[isinstance(term, Variable), str(term)] for term in atom.arguments]]


def _rule(item: list[Any]) -> Rule:
    head, body, guards, weight, fixed, line, column = item
    return Rule(
        _atom(head),
        tuple(_atom(atom) for atom in body),
        tuple(Guard(tuple(parts), Predicate(*negated) if negated else None) for parts, negated in guards),
        weight,
        fixed,
        line,
        column,
    )


def _atom(item: list[Any]) -> Atom:
    return Atom(item[0], tuple(Variable(text) if variable else Constant(text) for variable, text in item[1]))

"""Groundings: the tables that grounding yields, and the file they are kept in between `ground` and `train`."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from lrnn_cli.errors import ReadError
from lrnn_cli.grounding.archive import MAGIC, DamagedError, read_archive, write_archive
from lrnn_cli.grounding.collapsed import Atoms, Collapsed, Heads, group_of_query, literal_groups
from lrnn_cli.grounding.objects import ObjectNames
from lrnn_cli.grounding.program import Facts, Program, Skeleton, dependencies, derivations, plan_program
from lrnn_cli.grounding.strata import components
from lrnn_cli.grounding.tables import SoftFacts, Table
from lrnn_cli.language.clauses import (
    CLASS,
    Atom,
    Constant,
    Guard,
    Predicate,
    Rule,
    Variable,
    class_name,
    class_of,
    goal_from_json,
    goal_json,
)
from lrnn_cli.language.data import Queries
from lrnn_cli.language.files import read_bytes
from lrnn_cli.language.template import LARGEST, Settings, Template, with_class_heads
from lrnn_cli.semantics.activations import ACTIVATIONS
from lrnn_cli.semantics.aggregations import AGGREGATIONS
from lrnn_cli.semantics.targets import KINDS

FORMAT = "lrnn grounding"
VERSION = 4
"""Version 1 has no digest, versions 1 and 2 no terms of guards. Version 4 is for collapsed groundings."""
WHOLE = 3
"""The version of other groundings."""
NEURONS = ("atom", "fact", "rule", "aggregation")
AT_ONCE = 1_000_000
"""Bytes of names that are split at once."""
LATER = {name: getattr(Settings, name) for name in ("task", "center", "scale")}
"""Settings that came after version 3, and what they are where a file does not mention them."""


@dataclass(frozen=True)
class Names:
    """Names of objects: those read from the file in their order, and those that evaluation made."""

    first_object: np.ndarray
    blob: bytes
    made: tuple[str, ...]

    def all(self) -> ObjectNames:
        return self._all

    @cached_property
    def _all(self) -> ObjectNames:
        pieces = (self.blob[start : start + AT_ONCE] for start in range(0, len(self.blob), AT_ONCE))
        return ObjectNames(itertools.chain(_split(pieces), self.made))


@dataclass(frozen=True)
class Groundings:
    """All that training needs: the program, its tables over the data, and the queries.

    Where they are collapsed, tables, facts, objects and arguments of queries are not there.
    """

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
    file_name: str = ""
    """The grounding file that they were read from, if any."""
    collapsed: Collapsed | None = field(default=None, repr=False)

    @property
    def origin(self) -> str:
        """What a fault in them is about: their file, or the data."""
        return self.file_name or self.data_name

    @property
    def template(self) -> Template:
        return self.program.template

    def asking(self, chosen: np.ndarray) -> Groundings:
        """The same with the queries at the positions `chosen` only."""
        collapsed = self.collapsed
        if collapsed is not None:
            collapsed = replace(collapsed, query_atom=collapsed.query_atom[chosen])
        return replace(self, queries=self.queries.select(chosen), collapsed=collapsed)

    def rows(self, table: int) -> int:
        """How many groundings a table has."""
        return len(self.tables[table]) if self.collapsed is None else self.collapsed.groundings[table]

    def object_names(self) -> Sequence[str]:
        """Names of all objects, or their numbers where names were not asked for."""
        assert self.names is not None
        return self.names.all() if self.names.blob else [str(number) for number in range(self.objects)]


def _split(pieces: Iterable[bytes]) -> Iterator[str]:
    """The names in a text that comes in pieces, the control character RS after each."""
    rest = b""
    for piece in pieces:
        *names, rest = (rest + piece).split(b"\x1e")
        yield from map(bytes.decode, names)


def save_groundings(groundings: Groundings, path: str) -> None:
    """Write a grounding file: arrays, and one JSON header."""
    program = groundings.program
    queries = groundings.queries
    header = {
        "format": FORMAT,
        "version": WHOLE if groundings.collapsed is None else VERSION,
        "template_digest": program.template.digest,
        "data_digest": groundings.data_digest,
        "data_name": groundings.data_name,
        "template_name": program.template.name,
        "settings": _settings_json(program.template.settings),
        "rules": [_rule_json(rule) for rule in program.template.rules],
        "tables": list(map(_table_json, program.tables)),
        "facts": {
            name: list(map(_predicate_json, sorted(getattr(program.facts, name))))
            for name in ("data", "soft", "background", "queried")
        },
        "fact_predicates": list(program.mixed),
        "soft_predicates": list(program.soft),
        "examples": groundings.example_name,
        "query_predicates": [_predicate_json(predicate) for predicate in queries.predicate],
        "query_text": queries.text,
    }
    arrays: dict[str, np.ndarray] = {
        "query_example": queries.example,
        "query_predicate": queries.predicate_index,
        "query_target": queries.target,
        "query_line": queries.line,
    }
    if queries.group is not None:
        arrays["query_group"] = queries.group
    if groundings.collapsed is None:
        header |= _write_tables(groundings, arrays)
    else:
        header |= _write_collapsed(groundings.collapsed, arrays)
    write_archive(path, {"header": np.frombuffer(json.dumps(header).encode(), np.uint8), **arrays})


def _write_tables(groundings: Groundings, arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    """Add arrays of tables and of what is in them; what the header has of them."""
    names = groundings.names
    assert names is not None
    arrays["names"] = np.frombuffer(names.blob, np.uint8)
    arrays["first_object"] = names.first_object
    arrays["query_argument"] = groundings.queries.argument
    tables = {f"table{index}": table for index, table in enumerate(groundings.tables)}
    tables |= {f"fact{index}": table for index, table in enumerate(groundings.facts.values())}
    tables |= {f"soft{index}": soft.atoms for index, soft in enumerate(groundings.soft.values())}
    for name, table in tables.items():
        arrays[f"{name}_example"] = table.example
        arrays[f"{name}_objects"] = table.objects
    for index, soft in enumerate(groundings.soft.values()):
        arrays[f"soft{index}_weight"] = soft.weight
    return {"objects": groundings.objects, "made": names.made}


def _write_collapsed(collapsed: Collapsed, arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    """Add arrays of distinct groundings; what the header has of them."""
    arrays["query_atom"] = collapsed.query_atom
    for index, table in enumerate(collapsed.tables):
        arrays[f"table{index}_atoms"] = table
    for index, atoms in enumerate(collapsed.atoms.values()):
        arrays[f"atoms{index}_sum"] = atoms.fact_sum
        arrays[f"atoms{index}_fact"] = atoms.has_fact
    for index, heads in enumerate(collapsed.heads):
        arrays[f"head{index}_atom"] = heads.atom
        arrays[f"head{index}_row"] = heads.row
        arrays[f"head{index}_count"] = heads.count
    return {"groundings": collapsed.groundings, "neurons": collapsed.neurons}


def load_groundings(path: str) -> Groundings:
    """Read a grounding file; complain about anything that is not one."""
    return parse_groundings(*read_bytes(path))


def parse_groundings(name: str, content: bytes) -> Groundings:
    """A grounding file that has been read already.

    Numbers are checked one by one in all files, since a digest is easily made.
    """
    if content[:4] != MAGIC:
        raise ReadError(f"{name}: this is not a grounding file; make one with `lrnn ground TEMPLATE DATA -o FILE.npz`")
    try:
        arrays, vouched = read_archive(content)
        header = json.loads(arrays["header"].tobytes())
        _true(header["format"] == FORMAT)
        version = _integer(header["version"])
        if version > VERSION:
            message = f"grounding file of version {version}, this program reads versions up to {VERSION}"
            raise ReadError(f"{name}: {message}; ground again")
        _true(vouched or version == 1)
        return replace(_groundings(header, arrays), file_name=name)
    except _AmbiguousError:
        message = "grounding file of version 1, which does not tell which of its tables is which"
        raise ReadError(f"{name}: {message}; ground again") from None
    except (DamagedError, LookupError, ValueError, TypeError, AttributeError, RecursionError):
        raise ReadError(f"{name}: the grounding file is damaged or of another kind; ground again") from None


class _AmbiguousError(Exception):
    """The order of tables depended on chance when the file was written."""


def _groundings(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> Groundings:
    """Groundings from a header and arrays; what does not fit together is a ValueError or KeyError."""
    examples = _texts(header["examples"])
    program = _program(header)
    whole = header["version"] <= WHOLE
    queries = Queries(
        arrays["query_example"],
        tuple(_predicates(header["query_predicates"])),
        arrays["query_predicate"],
        arrays["query_argument"] if whole else np.zeros((len(arrays["query_example"]), 0), np.int32),
        _texts(header["query_text"]),
        arrays["query_target"],
        arrays["query_line"],
        arrays.get("query_group"),
    )
    named = _text(header["data_name"]), _text(header["data_digest"])
    if not whole:
        check_queries(queries, len(examples))
        collapsed = _collapsed(header, arrays, program, queries)
        return Groundings(program, (), {}, {}, queries, examples, 0, *named, collapsed=collapsed)
    names = Names(arrays["first_object"], arrays["names"].tobytes(), _texts(header["made"]))
    check = Check(len(examples), header["objects"], names.first_object)
    kept = names.blob.decode().count("\x1e")
    _true(
        names.first_object[-1] == check.objects - len(names.made) and (not names.blob or kept == names.first_object[-1])
    )
    check.queries(queries)

    def table(key: str, columns: int) -> Table:
        checked = Table(arrays[f"{key}_example"], arrays[f"{key}_objects"])
        check.table(checked, columns)
        return checked

    def soft(key: str, columns: int) -> SoftFacts:
        checked = SoftFacts(table(key, columns), arrays[f"{key}_weight"])
        check_numbers(checked.weight, len(checked.atoms))
        return checked

    return Groundings(
        program,
        tuple(table(f"table{index}", skeleton.columns) for index, skeleton in enumerate(program.tables)),
        {predicate: table(f"fact{index}", predicate.arity) for index, predicate in enumerate(program.mixed)},
        {predicate: soft(f"soft{index}", predicate.arity) for index, predicate in enumerate(program.soft)},
        queries,
        examples,
        check.objects,
        *named,
        names,
    )


def _program(header: dict[str, Any]) -> Program:
    """The program that the template of a file is made ready for."""
    rules = tuple(map(_rule, header["rules"]))
    template = with_class_heads(Template(rules, _settings(header["settings"]), _text(header["template_name"])))
    _true(template.digest == header["template_digest"])
    facts = Facts(**{key: frozenset(_predicates(items)) for key, items in header["facts"].items()})
    program = plan_program(template, facts)
    if header["version"] > 1:
        # Version 2 has a text for each table, made of the same rules in the same order.
        _true(len(header["tables"]) == len(program.tables))
        _true(header["version"] == 2 or header["tables"] == list(map(_table_json, program.tables)))
    else:
        depends = dependencies(template)
        if components(depends) != components({head: bodies[::-1] for head, bodies in depends.items()}):
            raise _AmbiguousError
    _true(_predicates(header["fact_predicates"]) == list(program.mixed))
    _true(_predicates(header["soft_predicates"]) == list(program.soft))
    return program


def _collapsed(header: dict[str, Any], arrays: dict[str, np.ndarray], program: Program, queries: Queries) -> Collapsed:
    """Distinct groundings; all that a program asks for is there, and numbers are within their bounds."""
    ways = derivations(program)
    names = list(dict.fromkeys([*ways, *program.soft]))
    atoms = {name: Atoms(arrays[f"atoms{index}_sum"], arrays[f"atoms{index}_fact"]) for index, name in enumerate(names)}
    for group in atoms.values():
        check_numbers(group.fact_sum, len(group.fact_sum))
        check_integers(group.has_fact, group.fact_sum.shape, 2)
    sizes = {name: len(group.fact_sum) for name, group in atoms.items()}
    tables, whole = [], []
    for index, groups in enumerate(literal_groups(program)):
        table = arrays[f"table{index}_atoms"]
        _true(table.ndim == 2 and table.shape[1] == len(groups))
        for name, column in zip(groups, table.T, strict=True):
            check_integers(column, (len(table),), sizes[name], -1)
        tables.append(table)
        derived = [place for place, name in enumerate(groups) if name in ways]
        whole.append(np.asarray((table[:, derived] >= 0).all(axis=1)))
    heads = []
    for index, (name, way) in enumerate((name, way) for name, own in ways.items() for way in own):
        head = Heads(*(arrays[f"head{index}_{part}"] for part in ("atom", "row", "count")))
        check_integers(head.atom, (len(head),), sizes[name])
        check_integers(head.row, (len(head),), len(tables[way.table]))
        check_integers(head.count, (len(head),), 2**31, 1)
        # What a query sees is derived from what it sees.
        _true(whole[way.table][head.row].all())
        heads.append(head)
    most = np.array([sizes.get(name, 0) for name in group_of_query(program, queries.predicate)], np.int64)
    check_integers(arrays["query_atom"], (len(queries),), 2**31, -1)
    _true((arrays["query_atom"] < most[queries.predicate_index]).all())
    groundings = tuple(map(_count, header["groundings"]))
    _true(len(groundings) == len(tables) and list(header["neurons"]) == list(NEURONS))
    neurons = {kind: _count(count) for kind, count in header["neurons"].items()}
    return Collapsed(atoms, tuple(tables), tuple(heads), arrays["query_atom"], groundings, neurons)


@dataclass(frozen=True)
class Check:
    """Whether arrays of a file fit together: what there is of examples and objects, and whose the objects are."""

    examples: int
    objects: int
    first_object: np.ndarray

    def __post_init__(self) -> None:
        _integer(self.objects)
        check_integers(self.first_object, (self.examples + 1,), self.objects + 1)
        _true(self.first_object[0] == 0 and bool((np.diff(self.first_object) >= 0).all()))

    def table(self, table: Table, columns: int) -> None:
        """Rows of objects, each of its own example; objects beyond those of the file can be of any."""
        size = len(table.example)
        check_integers(table.example, (size,), self.examples)
        check_integers(table.objects, (size, columns), self.objects)
        _true(self._own(table.example, table.objects))

    def queries(self, queries: Queries) -> None:
        check_queries(queries, self.examples)
        size = len(queries.text)
        arity = np.array([predicate.arity for predicate in queries.predicate], np.int64)
        _true(queries.argument.ndim == 2)
        widest = queries.argument.shape[1]
        check_integers(queries.argument, (size, widest), self.objects, -1)
        _true(int(arity.max(initial=0)) <= widest)
        beyond = np.arange(widest) >= arity[queries.predicate_index, None]
        _true(bool(((queries.argument < 0) == beyond).all()))
        _true(self._own(queries.example, queries.argument))

    def _own(self, example: np.ndarray, objects: np.ndarray) -> bool:
        first, last = self.first_object[example, None], self.first_object[example + 1, None]
        inside = (first <= objects) & (objects < last)
        return bool((inside | (objects < 0) | (objects >= self.first_object[-1])).all())


def check_integers(array: np.ndarray, shape: tuple[int, ...], end: int, least: int = 0) -> None:
    """Integers from `least` up to, but not including, `end`."""
    _true(array.dtype == np.int32 and array.shape == shape)
    _true(not array.size or (least <= int(array.min()) and int(array.max()) < end))


def check_numbers(array: np.ndarray, size: int) -> None:
    """Finite numbers."""
    _true(array.dtype == np.float64 and array.shape == (size,) and bool(np.isfinite(array).all()))


def check_queries(queries: Queries, examples: int) -> None:
    """All of queries but their arguments."""
    size = len(queries.text)
    check_integers(queries.example, (size,), examples)
    check_integers(queries.predicate_index, (size,), len(queries.predicate))
    _true(queries.target.dtype == np.float64 and queries.target.shape == (size,))
    _true(not np.isinf(queries.target).any())
    check_integers(queries.line, (size,), 2**31)
    if queries.group is not None:
        # Rows of one query follow each other.
        check_integers(queries.group, (size,), 2**31)
        _true(bool((np.diff(queries.group) >= 0).all()))


def _true(condition: object) -> None:
    if not condition:
        raise ValueError("parts do not fit together")


def _text(value: Any) -> str:
    _true(type(value) is str)
    return str(value)


def _texts(values: Any) -> tuple[str, ...]:
    _true(type(values) is list)
    return tuple(map(_text, values))


def _integer(value: Any) -> int:
    _true(type(value) is int and 0 <= value < 2**31)
    return int(value)


def _count(value: Any) -> int:
    _true(type(value) is int and value >= 0)
    return int(value)


def _predicates(items: Any) -> list[Predicate]:
    _true(type(items) is list)
    return [Predicate(_predicate_name(*words), _integer(arity)) for *words, arity in items]


def _predicate_name(name: Any, *word: Any) -> str:
    _true(CLASS not in _text(name) and len(word) <= 1)
    return class_name(name, _text(word[0])) if word else _text(name)


def _predicate_json(predicate: Predicate) -> list[Any]:
    """Name and arity, or the name of a target, one of its classes and the arity."""
    target, word = class_of(predicate.name)
    return [target, word, predicate.arity] if word else [predicate.name, predicate.arity]


def _settings_json(settings: Settings) -> dict[str, Any]:
    """Those that came later stand there where they are not what they are by default."""
    return {name: value for name, value in asdict(settings).items() if name not in LATER or value != LATER[name]}


def _settings(items: dict[str, Any]) -> Settings:
    settings = Settings(**items)
    _true(settings.task is None or settings.task in list(KINDS))
    _true(_number(settings.scale) > 0 and _number(settings.center) is not None)
    _true(settings.activation in list(ACTIVATIONS) and settings.aggregation in list(AGGREGATIONS))
    _true(type(settings.object_identity) is bool)
    _true(_number(settings.steepness) > 0 and _number(settings.offset) is not None)
    return settings


def _number(value: Any) -> float:
    _true(type(value) in (int, float) and abs(value) <= LARGEST)
    return float(value)


def _table_json(skeleton: Skeleton) -> Any:
    """What a table is a table of, as it is read from a file."""
    return json.loads(json.dumps(asdict(skeleton)))


def _rule_json(rule: Rule) -> list[Any]:
    return [
        _atom_json(rule.head),
        [_atom_json(atom) for atom in rule.body],
        [[guard.parts, guard.negated, guard.goal and goal_json(guard.goal)] for guard in rule.guards],
        rule.weight,
        rule.fixed,
        rule.line,
        rule.column,
    ]


def _atom_json(atom: Atom) -> list[Any]:
    """An atom as it is written: a class is its last argument."""
    target, word = class_of(atom.name)
    if word:
        return _atom_json(Atom(target, (*atom.arguments, Constant(word))))
    return [atom.name, [[isinstance(term, Variable), str(term)] for term in atom.arguments]]


def _rule(item: list[Any]) -> Rule:
    head, body, guards, weight, fixed, line, column = item
    _true(type(fixed) is bool)
    return Rule(
        _atom(head),
        tuple(map(_atom, body)),
        tuple(map(_guard, guards)),
        None if weight is None else _number(weight),
        fixed,
        _integer(line),
        _integer(column),
    )


def _guard(item: list[Any]) -> Guard:
    parts, negated, *goal = item
    negation = _predicates([negated])[0] if negated else None
    return Guard(_texts(parts), negation, goal_from_json(goal[0]) if goal and goal[0] is not None else None)


def _atom(item: list[Any]) -> Atom:
    name, arguments = item
    return Atom(_text(name), tuple((Variable if variable else Constant)(_text(text)) for variable, text in arguments))

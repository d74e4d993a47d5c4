"""What guards ask of objects: their kind, their number, their place in the standard order of terms.

All of it is told from names, which are terms as SWI-Prolog writes them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np

PATTERNS = {
    "integer": r"-?[0-9]+",
    "rational": r"-?[0-9]+r[0-9]+",
    "float": r"-?[0-9]+\.[0-9]+(?:e[+-]?[0-9]+)?(?:Inf|NaN)?",
    "string": r'"(?:[^"\\]|\\.)*"',
    # Quoted, a word, symbols, and the others. Beyond ASCII all characters without quotes are parts of words.
    "atom": r"'(?:[^'\\]|\\.)*'|[^\x00-\x2f:-@\[-^`{-\x7f]+|[-#$&*+./:<=>?@^~\\]+|\{\}|[!;]",
    "nil": r"\[\]",
}
KIND = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in PATTERNS.items()), re.DOTALL)
KINDS = (*PATTERNS, "compound")
TESTS = {
    "integer": ("integer",),
    "float": ("float",),
    "number": ("integer", "rational", "float"),
    "string": ("string",),
    "atom": ("atom",),
    "atomic": ("integer", "rational", "float", "string", "atom", "nil"),
    "compound": ("compound",),
}
"""The kinds for which each type test holds."""
EQUATIONS = frozenset({"=", "=="})
INEQUATIONS = frozenset({"\\=", "\\==", "dif"})
NUMBER_ORDER = frozenset({"<", "=<", ">", ">=", "=:=", "=\\="})
TERM_ORDER = frozenset({"@<", "@=<", "@>", "@>="})
EXACT = 2**53
"""SWI-Prolog compares integers with floats as floats: only up to here that is the same as comparing numbers."""
UNKNOWN = -1

Key = tuple[int, float, str]


def kind_of(name: str) -> str:
    match = KIND.fullmatch(name)
    return match.lastgroup if match and match.lastgroup else "compound"


def number_of(name: str) -> float | None:
    """The number that is called `name`; None for other objects, and for numbers that floats do not hold exactly."""
    kind = kind_of(name)
    if kind == "integer":
        return float(name) if len(name) <= 17 and abs(int(name)) <= EXACT else None
    if kind != "float" or name.endswith("NaN"):
        return None
    return math.copysign(math.inf, float(name.removesuffix("Inf"))) if name.endswith("Inf") else float(name)


def order_key(name: str) -> Key | None:
    """Keys of numbers and atoms are ordered as these terms are; None for other terms and for names with escapes."""
    number = number_of(name)
    if number is not None:
        # Of two equal numbers the float comes first; of two zeros the negative one.
        return None if name == "-0.0" else (0, number, kind_of(name))
    if kind_of(name) != "atom":
        return None
    if name[0] != "'":
        return 1, 0.0, name
    return None if "\\" in name else (1, 0.0, name[1:-1])


class ObjectNames(Sequence[str]):
    """Names of objects, each different one kept once: those of atoms, say, are the same in most molecules.

    distinct: the different ones; code: (objects,) the place of each among them.
    """

    def __init__(self, names: Iterable[str]) -> None:
        places: dict[str, int] = {}
        self.code = np.fromiter((places.setdefault(name, len(places)) for name in names), np.int32)
        self.distinct = list(places)

    @staticmethod
    def of(names: Sequence[str]) -> ObjectNames:
        return names if isinstance(names, ObjectNames) else ObjectNames(names)

    def __len__(self) -> int:
        return len(self.code)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self.distinct[code] for code in self.code[place].tolist()]
        return self.distinct[int(self.code[place])]

    def __iter__(self) -> Iterator[str]:
        return map(self.distinct.__getitem__, self.code.tolist())

    def part(self, objects: np.ndarray) -> ObjectNames:
        """The names of these objects."""
        chosen = ObjectNames(())
        chosen.code, chosen.distinct = self.code[objects], self.distinct
        return chosen

    def each(self, function: Callable[[str], Any], kind: type) -> np.ndarray:
        """(objects,) what a function gives for the name of each, as numbers of a kind."""
        return np.asarray(np.array([function(name) for name in self.distinct], kind)[self.code])


def object_numbers(names: Sequence[str]) -> np.ndarray:
    """The number that each name denotes, (names,), not a number where there is none that floats hold exactly."""

    def number(name: str) -> float:
        value = number_of(name)
        return math.nan if value is None else value

    return ObjectNames.of(names).each(number, float)


def object_arrays(names: Sequence[str]) -> dict[str, np.ndarray]:
    """For each name its kind, the rank of its number and its place in the standard order, UNKNOWN for none."""
    distinct = list(dict.fromkeys(names))
    numbers = {name: number for name in distinct if (number := number_of(name)) is not None}
    keys = {name: key for name in distinct if (key := order_key(name)) is not None}
    rank = {number: index for index, number in enumerate(sorted(set(numbers.values())))}
    place = {key: index for index, key in enumerate(sorted(set(keys.values())))}
    row = {
        name: (
            KINDS.index(kind_of(name)),
            rank[numbers[name]] if name in numbers else UNKNOWN,
            place[keys[name]] if name in keys else UNKNOWN,
        )
        for name in distinct
    }
    rows = np.array([row[name] for name in names], np.int32).reshape(-1, 3)
    return {"kind": rows[:, 0], "number": rows[:, 1], "place": rows[:, 2]}

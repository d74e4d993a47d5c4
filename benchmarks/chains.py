"""Hand-crafted chain templates for molecules in which typed bonds are objects: bond(X, Y, B).

Soft clusters of atom types and of bond types, then a target rule for every combination of clusters along chains of
1, 2 and 3 atoms: with 3 clusters of each, 3 + 27 + 243 rules.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable


def chain_template(
    target: str, atom_types: Iterable[str], bond_types: Iterable[str], atoms: int = 3, clusters: int = 3
) -> str:
    """The template as text, weights to be drawn."""
    numbers = range(1, clusters + 1)
    lines = [f"_ :: atom_{i}(X) :- {name}(X)." for i in numbers for name in atom_types]
    lines += [f"_ :: bond_{i}(B) :- {name}(B)." for i in numbers for name in bond_types]
    for length in range(1, atoms + 1):
        for chosen in itertools.product(numbers, repeat=2 * length - 1):
            body = [f"atom_{chosen[0]}(X0)"]
            for step in range(1, length):
                bond_cluster, atom_cluster = chosen[2 * step - 1], chosen[2 * step]
                body += [
                    f"bond(X{step - 1}, X{step}, B{step})",
                    f"bond_{bond_cluster}(B{step})",
                    f"atom_{atom_cluster}(X{step})",
                ]
            lines.append(f"_ :: {target} :- {', '.join(body)}.")
    return "\n".join(lines) + "\n"

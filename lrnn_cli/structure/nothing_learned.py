"""What to look at where structure learning found little: the nearest candidates, and facts that no rule could use."""

from __future__ import annotations

import numpy as np

from lrnn_cli.grounding.grounder import Knowledge
from lrnn_cli.hypotheses.vocabulary import Vocabulary
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.data import DataSet
from lrnn_cli.structure.state import Nearest

SHOWN_PREDICATES = 8
FEWEST_NUMBERS = 3
"""So many different whole numbers at least look like a measure."""


def nearest_text(nearest: Nearest, needed: float) -> list[str]:
    """A line on each target: the best clause that was tried, and how much it raises the likelihood."""
    return [
        f"the nearest candidate is {clause}, which raises the log likelihood by {max(gain, 0.0):.2f} where --gain "
        f"asks for {needed:g}"
        for _, (clause, gain) in sorted(nearest.items())
    ]


def unused_facts_text(data: DataSet, knowledge: Knowledge, words: Vocabulary) -> list[str]:
    """Lines on predicates of the data that no rule could use, and why."""
    lines = []
    declared = {bias.predicate for bias in data.bias}
    written = {name for name, _ in words.patterns.values()}
    used = {*words.tables, *words.targets}
    unused = [name for name in sorted(knowledge.tables) if name not in used and name.name not in written]
    undeclared = [name for name in unused if declared and name not in declared]
    unmet = [name for name in unused if name not in undeclared]
    targets = ", ".join(map(str, sorted(words.targets)))
    if unmet:
        lines.append(
            f"{_some(unmet)}: never met, no chain of facts leads from the objects of {targets} to theirs; are names "
            "written the same everywhere?"
        )
    if undeclared:
        lines.append(f"{_some(undeclared)}: not declared, so rules can't use them; add bias/1 lines, or delete all")
    return lines


def unmeasured_text(words: Vocabulary) -> list[str]:
    """A line on whole numbers that rules can't compare, since they are names as long as bias/1 doesn't say otherwise.

    Names that meet others, of the same sort in another argument or in a target, tell which objects are the same.
    """
    places = [(name, place) for name, sorts in sorted(words.sorts.items()) for place in range(len(sorts))]
    sorts = [words.sorts[name][place] for name, place in places]
    met = {sort for own in words.targets.values() for sort in own}
    measures = []
    for (name, place), sort in zip(places, sorts, strict=True):
        if name not in words.tables or place in words.numeric.get(name, ()) or sort in met or sorts.count(sort) > 1:
            continue
        held = np.unique(words.tables[name].objects[:, place])
        if name.name not in words.patterns and len(held) >= FEWEST_NUMBERS and not np.isnan(words.numbers[held]).any():
            measures.append(f"argument {place + 1} of {name}")
    if not measures:
        return []
    more = f" and {len(measures) - SHOWN_PREDICATES} more" if len(measures) > SHOWN_PREDICATES else ""
    return [
        f"whole numbers are names here: {', '.join(measures[:SHOWN_PREDICATES])}{more}; for conditions on them write "
        "the sort number there, in bias/1 lines as `lrnn check` shows them"
    ]


def _some(names: list[Predicate]) -> str:
    more = f" and {len(names) - SHOWN_PREDICATES} more" if len(names) > SHOWN_PREDICATES else ""
    return ", ".join(map(str, names[:SHOWN_PREDICATES])) + more

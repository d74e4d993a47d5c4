"""Labels as targets: numbers, words of which some are positive, or classes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from lrnn_cli.errors import LrnnError
from lrnn_cli.importers.importer import Options
from lrnn_cli.language.clauses import quoted
from lrnn_cli.language.writing import visible

SHOWN = 8


def targets(labels: Sequence[str], options: Options, title: str) -> list[float | str]:
    """A target for each label: a number, the text of a class, or a message, which begins with `the label`."""
    if options.positive and not options.negative and labels and not set(labels) & set(options.positive):
        missing = " or ".join(map(visible, sorted(options.positive)))
        raise LrnnError(
            f"{title}: no label is {missing}; labels are {_shown(Counter(labels))}; mend --positive, or name those "
            "that are 0 with --negative"
        )
    given = [_target(label, options) for label in labels]
    words = Counter(label for label, target in zip(labels, given, strict=True) if _is_word(target))
    if labels and words.total() == len(labels):
        raise LrnnError(
            f"{title}: labels are words, {_shown(words)}; say which are positive with --positive CLASS, "
            "or keep them as classes with --classes"
        )
    return given


def _shown(words: Counter[str]) -> str:
    return ", ".join(f"{visible(word)} ({count})" for word, count in words.most_common(SHOWN))


def is_message(target: float | str) -> bool:
    return isinstance(target, str) and target.startswith("the label ")


def _is_word(target: float | str) -> bool:
    return is_message(target) and "is not a number" in str(target)


def _target(label: str, options: Options) -> float | str:
    if options.classes:
        return quoted(label)
    if label in options.positive:
        return 1.0
    if label in options.negative or (options.positive and not options.negative):
        return 0.0
    if options.positive or options.negative:
        return f"the label {label!r} is neither positive nor negative; give it with one of the options"
    try:
        number = float(label)
    except ValueError:
        return f"the label {label!r} is not a number; say which are positive with --positive CLASS"
    return number if math.isfinite(number) else f"the label {label!r} is not finite"

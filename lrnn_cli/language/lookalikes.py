"""Files that are no data of ours, told by what they look like, and the command that takes them.

A file of another kind has a fault in nearly every line. One line that says what it is helps more than twenty of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from lrnn_cli.errors import Fault
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.language.files import Source

TAKES = "`lrnn import` makes data of such"
FILES = (
    (r":-\s*(?:modeh|modeb|determination|aleph_set|induce)\b", f"modes of Aleph, not facts; {TAKES} files together"),
    (r"(?:head_pred|body_pred)\(\w+,", f"the bias of Popper, not facts; {TAKES} folders"),
    (r"(?:mode|usePrologVariables|setParam|okIfUnknown)\s*:", f"the background of srlearn, not facts; {TAKES} folders"),
    (r"regressionExample\(", f"a regression example of srlearn, not a fact; {TAKES} folders"),
    (r"<[-+0-9.]+>\s*\w", f"a weighted fact of NeuraLogic; {TAKES} files, and here it is written 0.5 :: fact."),
    (
        r"[-+]?[0-9][0-9.]*[ \t]+[^\W\d]\w*[ \t]*(?:\(|:-|\.)",
        f"a line of NeuraLogic; {TAKES} files, and here it is written 0.5 :: p(a).",
    ),
    (r".*V[23]000\s*$", f"a molecule in the SDF format, not Prolog facts; {TAKES} files"),
)
"""How lines begin that make a whole file one of another format, and what they are."""
LINES = (
    (
        r"#\s*(?:pos|neg|modeh|modeb|modeha|bias|show|count|const|covering|include|maxv)\b",
        f"a directive of an answer set program, not a fact; facts are Prolog, p(a)., and {TAKES} folders of Popper",
    ),
    (r"#(?!\s*\w+\()", "a comment of another language; in Prolog % begins a comment"),
    (r"//", "a comment of another language; in Prolog % begins a comment"),
    (r"[\[{]\s*[\"'{\[]", "JSON, not Prolog facts; write p(a, b). for each fact"),
)
"""How lines begin that are faults in themselves."""
OTHERS = {
    Predicate("pos", 1): "pos(Atom) and neg(Atom) look like examples of Popper",
    Predicate("neg", 1): "pos(Atom) and neg(Atom) look like examples of Popper",
    Predicate("regressionExample", 2): "regressionExample(Atom, Value) looks like an example of srlearn",
}
"""Facts that can be read, but are what other systems call examples or modes."""
SEPARATORS = {",": "commas", "\t": "tabs", ";": "semicolons"}
LOOKED_AT = 50
"""Lines that are compared with each other to see whether they are rows of a table."""
WORD = re.compile(
    r"the target of query (?P<query>.*) must be a finite number, not (?P<word>(?!inf|nan)[^\W\d_A-Z].*|'.*')\Z",
    re.DOTALL,
)


def looks_like(source: Source, faults: Sequence[Fault]) -> Fault | None:
    """What a file with these faults looks like, at the line that shows it, instead of them; None for anything else."""
    return _words(faults) or _conjunctions(faults) or _table(source) or _file(source) or _line(source, faults)


def examples_of_others(predicates: Sequence[Predicate]) -> str:
    """What to do with data that have no query but facts of other systems, as an addition to a message."""
    for predicate, what in OTHERS.items():
        if predicate in predicates:
            return f"; {what}: {TAKES} folders"
    return ""


def _words(faults: Sequence[Fault]) -> Fault | None:
    """Targets that are names of classes, if nothing else is wrong."""
    matches = [match for fault in faults if (match := WORD.match(fault.message))]
    if not matches or len(matches) < len(faults):
        return None
    counts = Counter(match["word"] for match in matches).most_common(4)
    shown = ", ".join(f"{word} ({count})" for word, count in counts[:3]) + (", ..." if len(counts) > 3 else "")
    first = min(faults)
    query = matches[list(faults).index(first)]["query"]
    message = (
        f"{len(matches)} target{'s are words' if len(matches) > 1 else ' is a word'}, {shown}; a target is a number: "
        f"write query({query}, 1.0). for one class and query({query}, 0.0). for the others, or let `lrnn import "
        "--positive CLASS` do it"
    )
    return Fault(first.line, first.column, message)


def _table(source: Source) -> Fault | None:
    """Rows with the same number of cells each, and nothing that ends like a clause."""
    lines = source.text[:100_000].decode(errors="ignore").splitlines()[:LOOKED_AT]
    rows = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    # The last line may be cut.
    rows = rows[: max(2, len(rows) - 1)]
    if len(rows) < 2 or any(line.rstrip().endswith((".", ":-")) or "(" in line for _, line in rows[:2]):
        return None
    for separator, name in SEPARATORS.items():
        cells = {line.count(separator) for _, line in rows}
        if len(cells) == 1 and min(cells) > 0:
            message = f"this looks like a table, its cells separated by {name}, not like Prolog facts; {TAKES} files"
            return Fault(rows[0][0], 1, message)
    return None


def _file(source: Source) -> Fault | None:
    """The first line that only files of another format have."""
    text = source.text.decode()
    for pattern, message in FILES:
        match = re.search(rf"^[ \t]*(?={pattern})", text, re.MULTILINE)
        if match:
            line = text.count("\n", 0, match.end()) + 1
            return Fault(line, len(match[0]) + 1, f"this looks like {message}")
    return None


def _line(source: Source, faults: Sequence[Fault]) -> Fault | None:
    """The first line that begins as those of other languages do, if it is what is wrong first."""
    lines = source.text.decode().splitlines()
    first = min(faults)
    # A line that can't be read may be found out in one of those after it.
    for number in range(max(1, first.line - 2), min(first.line, len(lines)) + 1):
        line = lines[number - 1]
        for pattern, message in LINES:
            match = re.match(rf"\s*(?={pattern})", line)
            if match:
                return Fault(number, len(match[0]) + 1, f"this looks like {message}")
    return None


def _conjunctions(faults: Sequence[Fault]) -> Fault | None:
    """Facts with commas between them, if nothing else is wrong."""
    if not all(fault.message.startswith("(',')/2 is part") for fault in faults):
        return None
    message = f"facts are joined by commas, as in examples of NeuraLogic; end each with a full stop, or {TAKES} files"
    return Fault(min(faults).line, min(faults).column, message)

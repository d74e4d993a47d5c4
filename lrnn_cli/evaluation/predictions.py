"""What a model predicts for queries, and the file of that."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lrnn_cli.errors import Fault, LrnnError, ReadError, faults_error
from lrnn_cli.grounding.session import GroundingSession
from lrnn_cli.language.data import DataSet, Queries
from lrnn_cli.language.files import finite_number, read_bytes
from lrnn_cli.language.targets import as_classes, class_columns, classes_of
from lrnn_cli.language.writing import term_cell
from lrnn_cli.network.model import Model, model_weights
from lrnn_cli.semantics.targets import BINARY, CLASSES, KINDS, TargetKind, kind_of
from lrnn_cli.stages import stage

AT_ONCE = 4_000
"""So many examples at most are looked at together; of more, one part after another."""
COLUMNS = ("example", "atom", "target")
LAST = {"binary": "output", "regression": "value", "classes": "class"}
"""What the column of outputs is called, by the kind of targets. Those of classes have a column each after it."""


@dataclass(frozen=True)
class Predictions:
    """Outputs (queries,) of a model for queries, and the names of all examples of the data.

    members: (members, queries) the outputs whose mean the output is.
    classes: where targets are classes, their names; outputs then are (queries, classes), probabilities.
    """

    queries: Queries
    example_name: tuple[str, ...]
    output: np.ndarray
    members: np.ndarray
    kind: TargetKind = BINARY
    classes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.queries)

    @property
    def target(self) -> np.ndarray:
        """(queries,) numbers or, of classes, their places."""
        if not self.classes or not self.queries.classes:
            return self.queries.target
        place = np.array([self.classes.index(name) for name in self.queries.classes], float)
        labelled = self.queries.labelled
        target = np.full(len(self), np.nan)
        target[labelled] = place[self.queries.target[labelled].astype(np.int64)]
        return target

    @property
    def predicted(self) -> list[str]:
        """The classes with the largest probabilities."""
        return [self.classes[place] for place in self.output.argmax(axis=1).tolist()]

    @property
    def example(self) -> list[str]:
        """The names of the examples of the queries."""
        return [self.example_name[number] for number in self.queries.example.tolist()]

    @property
    def atom(self) -> tuple[str, ...]:
        """The texts of the queries."""
        return self.queries.text

    def labelled(self) -> Predictions:
        """Those with a target; there must be one."""
        known = self.queries.labelled.nonzero()[0]
        if not len(known):
            raise LrnnError("no query has a target here, so there are no metrics; leave --metrics out")
        queries = self.queries.select(known)
        return replace(self, queries=queries, output=self.output[known], members=self.members[:, known])

    def text(self) -> str:
        """A file: tab-separated, a header line, one row a query, in the order of the queries.

        The cell of a target that there is not is empty.
        """
        names = map(term_cell, self.classes)
        lines = ["\t".join((*COLUMNS, LAST[self.kind.name], *names))]
        for example, atom, target, output in zip(self.example, self.atom, self.targets(), self._outputs(), strict=True):
            lines.append("\t".join((term_cell(example), term_cell(atom), target, *output)))
        return "\n".join(lines) + "\n"

    def targets(self) -> list[str]:
        """Targets as text, empty where there is none."""
        words = [term_cell(name) for name in self.classes]
        return [
            "" if math.isnan(target) else words[int(target)] if words else repr(target)
            for target in self.target.tolist()
        ]

    def _outputs(self) -> Iterator[Sequence[str]]:
        if not self.classes:
            yield from ((repr(output),) for output in self.output.tolist())
            return
        for predicted, output in zip(self.predicted, self.output.tolist(), strict=True):
            yield term_cell(predicted), *map(repr, output)


def predict_queries(
    grounder: GroundingSession,
    model: Model,
    data: DataSet,
    examples: Sequence[int] | None,
    warn: Callable[[str], None] = lambda text: None,
) -> Predictions:
    """What a model predicts for the queries of some examples, all if None; an ensemble the mean of its members."""
    kind = kind_of(model.members[0].settings)
    queries, classes = _asked_of(model, data.queries.of_examples(examples))
    asked = np.unique(queries.example)
    if len(asked) <= AT_ONCE:
        outputs = _predicted(grounder, model, data, examples, queries, classes, warn)
    else:
        from lrnn_cli.structure.side_by_side import side_by_side

        parts = [asked[start : start + AT_ONCE] for start in range(0, len(asked), AT_ONCE)]
        places = [np.isin(queries.example, part).nonzero()[0] for part in parts]

        def predicted(number: int) -> np.ndarray:
            # What is worth a warning is so for the first part, too.
            heard = _silent if number else warn
            chosen = parts[number].tolist(), queries.select(places[number])
            return _predicted(grounder, model, data, *chosen, classes, heard)

        outputs = np.zeros((len(model.members), len(queries), *((len(classes),) if classes else ())))
        jobs = grounder.options.jobs if _are_joined(grounder, model, data) else 1
        for place, part_outputs in zip(places, side_by_side(predicted, len(parts), jobs), strict=True):
            outputs[:, place] = part_outputs
    return Predictions(queries, data.example_name, outputs.mean(axis=0), outputs, kind, classes)


def _silent(text: str) -> None:
    """Nobody wants to know."""


def _are_joined(grounder: GroundingSession, model: Model, data: DataSet) -> bool:
    """Whether all members are grounded by joins of facts, which are at hand then, so that processes can do it."""
    from lrnn_cli.grounding.regrounding import always_joined

    if not all(always_joined(member, data) for member in model.members):
        return False
    grounder.relations(data)
    return True


def _predicted(
    grounder: GroundingSession,
    model: Model,
    data: DataSet,
    examples: Sequence[int] | None,
    queries: Queries,
    classes: tuple[str, ...],
    warn: Callable[[str], None],
) -> np.ndarray:
    """(members, queries) or (members, queries, classes) outputs for the queries of some examples, all if None."""
    from lrnn_cli.grounding.regrounding import Regrounder
    from lrnn_cli.network.network import compile_network

    regrounder = Regrounder(grounder, data, examples, warn)
    outputs = []
    for member in model.members:
        with stage("grounding"):
            groundings = regrounder.predict(member)
        with stage("compiling the network"):
            network = compile_network(groundings)
        with stage("computing outputs"):
            values, _ = network.forward(np.array(model_weights(member)))
            output = network.in_units(network.outputs(values))
            outputs.append(class_columns(queries, groundings.queries, output, classes) if classes else output)
    return np.stack(outputs)


def _asked_of(model: Model, queries: Queries) -> tuple[Queries, tuple[str, ...]]:
    """Queries as a model takes their targets, and all classes if these are any; it may lack some of the data."""
    if kind_of(model.members[0].settings) is not CLASSES:
        return queries, ()
    queries = as_classes(queries)
    known = {word for words in classes_of(model.members).values() for word in words}
    return queries, (*sorted(known), *(word for word in queries.classes if word not in known))


@dataclass(frozen=True)
class Predicted:
    """A file of predictions: names of examples, atoms, targets (queries,) and outputs (queries,) or (queries, classes).

    Queries without a target do not count. Targets that are classes are their places in `classes`.
    """

    example: tuple[str, ...]
    atom: tuple[str, ...]
    target: np.ndarray
    output: np.ndarray
    kind: TargetKind
    classes: tuple[str, ...]


def read_predictions(path: str) -> Predicted:
    """What a file of predictions holds."""
    name, content = read_bytes(path)
    header, *lines = content.decode(errors="replace").rstrip("\n").split("\n")
    *columns, last = header.split("\t")[: len(COLUMNS) + 1]
    classes = tuple(header.split("\t")[len(COLUMNS) + 1 :])
    kind = next((KINDS[kind] for kind, word in LAST.items() if word == last), None)
    if tuple(columns) != COLUMNS or kind is None or bool(classes) != kind.grouped or len(set(classes)) < len(classes):
        shown = ", ".join((*COLUMNS, LAST["binary"]))
        message = f"predictions begin with a line of {shown} with tabs between; `lrnn predict` writes them"
        raise faults_error(name, [Fault(1, 1, message)])
    if not content.endswith(b"\n"):
        raise faults_error(name, [Fault(len(lines) + 1, 1, "this line has no end: is the file cut short?")])
    place = {word: float(number) for number, word in enumerate(classes)}
    width = len(COLUMNS) + 1 + len(classes)
    named, targets, outputs, faults = [], [], [], []
    for number, line in enumerate(lines, 2):
        cells = line.split("\t")
        output = [finite_number(cell) for cell in (cells[len(COLUMNS) + 1 :] if classes else cells[len(COLUMNS) :])]
        if len(cells) == width and cells[2] == "" and None not in output:
            continue
        target = place.get(cells[2]) if classes and len(cells) > 2 else finite_number("".join(cells[2:3]))
        if len(cells) != width or target is None or None in output:
            what = "a class and its probabilities" if classes else "two numbers"
            faults.append(Fault(number, 1, f"a line has an example, an atom and {what}, with tabs between"))
            continue
        named.append(cells[:2])
        targets.append(target)
        outputs.append(output)
    if faults:
        raise faults_error(name, faults)
    if not named:
        raise ReadError(f"{name}: there is no prediction with a target in this file; choose another fold")
    examples, atoms = zip(*named, strict=True)
    output_array = np.array(outputs, float)
    return Predicted(examples, atoms, np.array(targets), output_array if classes else output_array[:, 0], kind, classes)

"""What a model predicts for queries, and the file of that."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lrnn_cli.errors import Fault, LrnnError, ReadError, faults_error
from lrnn_cli.grounding.session import GroundingSession
from lrnn_cli.language.data import DataSet, Queries
from lrnn_cli.language.files import finite_number, read_bytes
from lrnn_cli.language.writing import term_cell
from lrnn_cli.network.model import Model, model_weights
from lrnn_cli.stages import stage

COLUMNS = ("example", "atom", "target", "output")


@dataclass(frozen=True)
class Predictions:
    """Outputs (queries,) of a model for queries, and the names of all examples of the data.

    members: (members, queries) the outputs whose mean the output is.
    """

    queries: Queries
    example_name: tuple[str, ...]
    output: np.ndarray
    members: np.ndarray

    def __len__(self) -> int:
        return len(self.queries)

    @property
    def target(self) -> np.ndarray:
        """(queries,)"""
        return self.queries.target

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
        return Predictions(queries, self.example_name, self.output[known], self.members[:, known])

    def text(self) -> str:
        """A file: tab-separated, a header line, one row a query, in the order of the queries.

        The cell of a target that there is not is empty.
        """
        lines = ["\t".join(COLUMNS)]
        for example, atom, target, output in zip(
            self.example, self.atom, self.target.tolist(), self.output.tolist(), strict=True
        ):
            shown = "" if math.isnan(target) else repr(target)
            lines.append(f"{term_cell(example)}\t{term_cell(atom)}\t{shown}\t{output!r}")
        return "\n".join(lines) + "\n"


def predict_queries(
    grounder: GroundingSession,
    model: Model,
    data: DataSet,
    examples: Sequence[int] | None,
    warn: Callable[[str], None] = lambda text: None,
) -> Predictions:
    """What a model predicts for the queries of some examples, all if None; an ensemble the mean of its members."""
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
            outputs.append(network.outputs(values))
    return Predictions(groundings.queries, groundings.example_name, np.mean(outputs, axis=0), np.stack(outputs))


def read_predictions(path: str) -> tuple[tuple[str, ...], tuple[str, ...], np.ndarray, np.ndarray]:
    """Names of examples, atoms, targets (queries,) and outputs (queries,) of a file of predictions.

    Queries without a target do not count.
    """
    name, content = read_bytes(path)
    header, *lines = content.decode(errors="replace").rstrip("\n").split("\n")
    if tuple(header.split("\t")) != COLUMNS:
        message = f"predictions begin with a line of {', '.join(COLUMNS)} with tabs between; `lrnn predict` writes them"
        raise faults_error(name, [Fault(1, 1, message)])
    named, numbers, faults = [], [], []
    for number, line in enumerate(lines, 2):
        cells = line.split("\t")
        if len(cells) == len(COLUMNS) and cells[2] == "" and finite_number(cells[3]) is not None:
            continue
        values = [finite_number(cell) for cell in cells[2:]]
        if len(cells) != len(COLUMNS) or None in values:
            faults.append(Fault(number, 1, "a line has an example, an atom and two numbers, with tabs between"))
            continue
        named.append(cells[:2])
        numbers.append(values)
    if faults:
        raise faults_error(name, faults)
    if not named:
        raise ReadError(f"{name}: there is no prediction with a target in this file; choose another fold")
    target, output = np.array(numbers, float).T
    examples, atoms = zip(*named, strict=True)
    return examples, atoms, target, output

"""Graphs of TUDataset: DS_A.txt (edges), DS_graph_indicator.txt, DS_graph_labels.txt and labels of nodes and edges.

    begin(model(g1)).
    node_6(n1). node_8(n2).
    edge(n1, n2, e1). edge(n2, n1, e1). edge_0(e1).
    query(class, 1.0).
    end(model(g1)).

Without labels of edges they are edge(n1, n2). Attributes are numbers: attribute_1(n1, 0.25). Labels of graphs 1 and -1,
or 1 and 0, are positive and negative; of others --positive says which.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from pathlib import Path

from lrnn_cli.errors import LrnnError
from lrnn_cli.importers.imported_data import Fact, ImportedData, ImportedExample, Query, grouped_notes
from lrnn_cli.importers.importer import Faults, Options, Sources
from lrnn_cli.importers.labels import is_message, targets
from lrnn_cli.importers.terms import whole_number
from lrnn_cli.language.writing import visible

FILE = re.compile(
    r"(?P<set>.+)_(?P<kind>A|graph_indicator|graph_labels|graph_attributes|node_labels|node_attributes|edge_labels"
    r"|edge_attributes)\.txt(\.gz)?\Z"
)
CELL = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?\Z")


@dataclass
class _LabelledGraph:
    """Facts of a graph, and its undirected edges with labels, to be named once."""

    facts: list[str] = field(default_factory=list)
    nodes: int = 0
    edges: dict[tuple[int, int, tuple[str, ...]], str] = field(default_factory=dict)


class TuDataset:
    name = "tudataset"
    what = "TUDataset: DS_A.txt, DS_graph_indicator.txt, DS_graph_labels.txt and others like these"
    options = frozenset({"target", "positive", "negative", "classes"})

    def recognises(self, sources: Sources) -> bool:
        kinds = {match["kind"] for path in sources.files if (match := FILE.match(Path(path).name))}
        return {"A", "graph_indicator"} <= kinds

    def read(self, sources: Sources, options: Options) -> ImportedData:
        faults = Faults()
        tables = _tables(sources, faults)
        faults.check()
        graphs, node_of = _nodes(tables, faults)
        _add_edges(tables, graphs, node_of, faults)
        _add_graph_attributes(tables, graphs, faults)
        queries = _queries(tables, len(graphs), options, faults)
        faults.check()
        examples = [
            ImportedExample(f"g{number + 1}", graph.facts, queries[number : number + 1])
            for number, graph in enumerate(graphs)
        ]
        others = [path for path in sources.files if FILE.match(Path(path).name) is None]
        return ImportedData(examples, [], {}, grouped_notes([(visible(path), "not used") for path in others]))


@dataclass(frozen=True)
class _Table:
    name: str
    rows: list[list[str]]


def _tables(sources: Sources, faults: Faults) -> dict[str, _Table]:
    """All files by what they hold: rows of numbers with commas between."""
    tables: dict[str, _Table] = {}
    for path in sources.files:
        match = FILE.match(Path(path).name)
        if match is None:
            continue
        if match["kind"] in tables:
            raise LrnnError(f"{sources.title}: there are several sets; name the folder of one")
        name, text = sources.text(path, "rows of numbers")
        rows = []
        for number, line in enumerate(text.split("\n"), 1):
            cells = [cell.strip() for cell in line.split(",")]
            if not line.strip():
                continue
            wrong = next((cell for cell in cells if not CELL.match(cell) or math.isinf(float(cell))), None)
            if wrong is not None:
                faults.add(
                    name, number, line.index(wrong) + 1 if wrong else 1, f"{wrong!r} is no finite number; write one"
                )
            rows.append(cells)
        tables[match["kind"]] = _Table(name, rows)
    if not {"A", "graph_indicator"} <= tables.keys():
        raise LrnnError(f"{sources.title}: files *_A.txt and *_graph_indicator.txt are needed")
    return tables


def _count(table: _Table, wanted: int, what: str, faults: Faults) -> bool:
    """Whether a table has as many rows as there are nodes, edges or graphs."""
    if len(table.rows) == wanted:
        return True
    faults.add(
        table.name, len(table.rows), 1, f"there are {len(table.rows)} lines, and {wanted} {what}; mend one of them"
    )
    return False


def _nodes(tables: dict[str, _Table], faults: Faults) -> tuple[list[_LabelledGraph], list[tuple[int, str]]]:
    """Graphs with the facts of their nodes, and for each node its graph and name."""
    indicator = tables["graph_indicator"]
    # Graphs without a node have no line; where there are more of these than lines, a number is wrong.
    most = 2 * len(indicator.rows) + 1000
    numbers = [whole_number(row[0], most) or 0 for row in indicator.rows]
    if 0 in numbers:
        message = f"the number of a graph is a whole number from 1, here to {most:,} at most"
        faults.add(indicator.name, numbers.index(0) + 1, 1, message)
        faults.check()
    graphs = [_LabelledGraph() for _ in range(max(numbers, default=0))]
    node_of = []
    for number in numbers:
        graphs[number - 1].nodes += 1
        node_of.append((number - 1, f"n{graphs[number - 1].nodes}"))
    for kind in ("node_labels", "node_attributes"):
        if kind in tables and _count(tables[kind], len(node_of), "nodes", faults):
            for (graph, name), row in zip(node_of, tables[kind].rows, strict=True):
                graphs[graph].facts += _facts(kind, row, (name,))
    return graphs, node_of


def _facts(kind: str, row: list[str], objects: tuple[str, ...]) -> list[str]:
    """Labels as predicates, attributes as numbers."""
    what, _, form = kind.partition("_")
    if form == "labels":
        names = [what if len(row) == 1 else f"{what}_{place}" for place in range(1, len(row) + 1)]
        return [str(Fact(f"{name}_{_word(cell)}", objects)) for name, cell in zip(names, row, strict=True)]
    prefix = "attribute" if what == "node" else f"{what}_attribute"
    return [str(Fact(f"{prefix}_{place}", (*objects, repr(float(cell))))) for place, cell in enumerate(row, 1)]


def _word(cell: str) -> str:
    return cell.replace("-", "minus_").replace("+", "").replace(".", "_")


def _add_edges(
    tables: dict[str, _Table], graphs: list[_LabelledGraph], node_of: list[tuple[int, str]], faults: Faults
) -> None:
    """Edges that go both ways with the same label are one object."""
    table = tables["A"]
    kinds = [
        kind
        for kind in ("edge_labels", "edge_attributes")
        if kind in tables and _count(tables[kind], len(table.rows), "edges", faults)
    ]
    for line, row in enumerate(table.rows):
        ends = [(whole_number(cell, len(node_of)) or 0) - 1 for cell in row]
        if len(ends) != 2 or not all(0 <= end < len(node_of) for end in ends):
            faults.add(table.name, line + 1, 1, f"an edge is two numbers of nodes, from 1 to {len(node_of)}")
            continue
        (graph, first), (other, second) = node_of[ends[0]], node_of[ends[1]]
        if graph != other:
            faults.add(table.name, line + 1, 1, f"this edge joins graphs {graph + 1} and {other + 1}")
            continue
        facts = graphs[graph].facts
        if not kinds:
            facts.append(f"edge({first}, {second})")
            continue
        told = tuple(cell for kind in kinds for cell in tables[kind].rows[line])
        key = (min(ends), max(ends), told)
        new = key not in graphs[graph].edges
        name = graphs[graph].edges.setdefault(key, f"e{len(graphs[graph].edges) + 1}")
        facts.append(f"edge({first}, {second}, {name})")
        if new:
            for kind in kinds:
                facts += _facts(kind, tables[kind].rows[line], (name,))


def _add_graph_attributes(tables: dict[str, _Table], graphs: list[_LabelledGraph], faults: Faults) -> None:
    table = tables.get("graph_attributes")
    if table is not None and _count(table, len(graphs), "graphs", faults):
        for graph, row in zip(graphs, table.rows, strict=True):
            graph.facts += _facts("graph_attributes", row, ())


def _queries(tables: dict[str, _Table], graphs: int, options: Options, faults: Faults) -> list[Query]:
    table = tables.get("graph_labels")
    atom = Fact(options.target or "class")
    if table is None:
        return [Query(atom) for _ in range(graphs)] if options.target else []
    if not _count(table, graphs, "graphs", faults):
        return []
    labels = [row[0] for row in table.rows]
    given = options.positive or options.negative or options.classes
    values = {float(label) for label in labels}
    if not given and not (values <= {0.0, 1.0} or values <= {-1.0, 1.0}):
        shown = ", ".join(sorted(set(labels), key=float))
        raise LrnnError(
            f"{table.name}: labels are {shown}; say which are positive with --positive CLASS, "
            "or keep them as classes with --classes"
        )
    if not given:
        return [Query(atom, max(0.0, float(label))) for label in labels]
    asked = targets(labels, options, table.name)
    for line, target in enumerate(asked, 1):
        if is_message(target):
            faults.add(table.name, line, 1, str(target))
    return [Query(atom, target) for target in asked]

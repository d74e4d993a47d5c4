"""Templates and ground networks as graphs in the DOT language of Graphviz, facts at the bottom, targets on top."""

from __future__ import annotations

import heapq
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import count

from lrnn_cli.errors import LrnnError
from lrnn_cli.language.clauses import Atom, Predicate, Rule
from lrnn_cli.language.template import Template
from lrnn_cli.language.writing import visible
from lrnn_cli.report.contributions import GroundAtom, Grounding, GroundNetwork, number_text
from lrnn_cli.report.summaries import layers

POSITIVE, NEGATIVE, UNKNOWN = "#2166ac", "#b2182b", "#777777"
FACT = {"shape": "box", "style": "filled", "fillcolor": "#eeeeee"}
DERIVED = {"shape": "box", "style": "rounded,filled", "fillcolor": "#fdf6dc"}
TARGET = {"shape": "box", "style": "rounded,filled,bold", "fillcolor": "#d9ead3"}
RULE = {"shape": "circle", "style": "filled", "fillcolor": "white", "width": "0.15", "margin": "0.02", "fontsize": "9"}
LABELLED = {"shape": "box", "style": "filled", "fillcolor": "white", "margin": "0.04", "height": "0.2", "fontsize": "9"}
THINNEST, THICKEST = 0.5, 5.0


def quote(text: str) -> str:
    """`text` as a string of DOT that shows as it is: no escape sequences, no HTML entities, no control characters."""
    safe = visible(text, "\n").replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("&", "&amp;")
    return f'"{safe}"'


@dataclass
class Graph:
    """Lines of a drawing. Nodes are called n1, n2 and so on; what they show is in their labels."""

    caption: str
    _nodes: int = 0
    _lines: list[str] = field(default_factory=list)

    def node(self, label: str, style: dict[str, str], tooltip: str) -> str:
        self._nodes += 1
        name = f"n{self._nodes}"
        self._lines.append(f"  {name} {_attributes({'label': label, 'tooltip': tooltip, **style})};")
        return name

    def edge(self, start: str, end: str, attributes: dict[str, str]) -> None:
        self._lines.append(f"  {start} -> {end} {_attributes(attributes)};")

    def rank(self, names: Iterable[str], lowest: bool) -> None:
        """Nodes of one height."""
        self._lines.append(f"  {{ rank={'min' if lowest else 'same'}; {'; '.join(names)}; }}")

    def text(self) -> str:
        style = {"rankdir": "BT", "label": self.caption, "labelloc": "b", "fontname": "Helvetica", "fontsize": "12"}
        start = [
            "digraph lrnn {",
            f"  graph {_attributes(style)};",
            '  node [fontname="Helvetica", fontsize="11"];',
            '  edge [fontname="Helvetica", fontsize="9", arrowsize="0.6"];',
        ]
        return "\n".join([*start, *self._lines, "}"]) + "\n"


def _attributes(attributes: dict[str, str]) -> str:
    return "[" + ", ".join(f"{name}={quote(value)}" for name, value in attributes.items()) + "]"


def _weight_style(weight: float | None, largest: float) -> dict[str, str]:
    """Colour by sign and thickness by size; a weight to be drawn is grey and dashed."""
    if weight is None:
        return {"color": UNKNOWN, "style": "dashed"}
    width = THINNEST + (THICKEST - THINNEST) * (abs(weight) / largest if largest else 0.0)
    return {"color": NEGATIVE if weight < 0 else POSITIVE, "penwidth": f"{width:.2f}"}


# Templates


def template_dot(template: Template) -> str:
    """Predicates by layer; a rule of one body atom is an edge, any other a small node between its body and its head."""
    rules = template.rules
    layer = layers(template)
    used = {atom.predicate for rule in rules for atom in rule.body}
    for predicate in sorted(used - set(layer)):
        layer[predicate] = 0
    member = f", member {template.member}" if template.member else ""
    size = "1 rule" if len(rules) == 1 else f"{len(rules)} rules"
    graph = Graph(f"{_base(template.name)}{member}: {size}; weights above 0 are blue, below 0 red")
    node: dict[Predicate, str] = {}
    for number in sorted(set(layer.values())):
        names = []
        for predicate in [predicate for predicate in layer if layer[predicate] == number]:
            style = FACT if number == 0 else DERIVED if predicate in used else TARGET
            node[predicate] = graph.node(str(predicate), style, f"layer {number}")
            names.append(node[predicate])
        graph.rank(names, number == 0)
    largest = max((abs(rule.weight) for rule in rules if rule.weight is not None), default=0.0)
    for rule in rules:
        _add_rule(graph, rule, node, largest)
    return graph.text()


def _add_rule(graph: Graph, rule: Rule, node: dict[Predicate, str], largest: float) -> None:
    weight = {**_weight_style(rule.weight, largest), "label": _weight_label(rule), "tooltip": str(rule)}
    head = node[rule.head.predicate]
    if len(rule.body) == 1 and not rule.guards:
        (atom,) = rule.body
        variables = set(atom.variables)
        same = atom.arguments == rule.head.arguments if rule.head.arguments else len(variables) == len(atom.arguments)
        if not same:
            weight["label"] += f"\n{rule.clause}"
        graph.edge(node[atom.predicate], head, weight)
        return
    inside = "fact" if rule.is_fact else ", ".join(map(str, rule.guards))
    middle = graph.node(inside, LABELLED if inside else RULE, str(rule))
    for atom in rule.body:
        graph.edge(node[atom.predicate], middle, {"label": _arguments(atom), "color": UNKNOWN, "tooltip": str(rule)})
    if rule.head.arguments:
        weight["label"] += f"\n{_arguments(rule.head)}"
    graph.edge(middle, head, weight)


def _weight_label(rule: Rule) -> str:
    if rule.weight is None:
        return "_"
    return f"{rule.weight:.3g}{' fixed' if rule.fixed else ''}"


def _arguments(atom: Atom) -> str:
    return ", ".join(map(str, atom.arguments))


def _base(name: str) -> str:
    return name.rsplit("/", 1)[-1]


# Ground networks


@dataclass(frozen=True)
class Drawn:
    """A rule neuron that is drawn, and its head."""

    head: GroundAtom
    rule: int
    grounding: Grounding


def strongest_groundings(network: GroundNetwork, query: int, neurons: int) -> list[Drawn]:
    """Rule neurons by how much of the output they carry, with their body atoms at most so many neurons.

    The query carries all of the output. What an atom carries is divided among its inputs by their share, what an
    input carries among its groundings by their values, and what a grounding carries each of its body atoms does.
    """
    numbers = count()
    waiting: list[tuple[float, int, Drawn]] = []

    def expand(atom: GroundAtom, carried: float) -> None:
        for item in network.inputs(atom):
            if item.rule is not None and len(item.row):
                total = float(item.fired.sum())
                for grounding in network.strongest(item, neurons):
                    part = carried * item.share * (grounding.value / total if total else 0.0)
                    heapq.heappush(waiting, (-part, next(numbers), Drawn(atom, item.rule, grounding)))

    start = network.query(query)
    atoms = {start}
    drawn: list[Drawn] = []
    expand(start, 1.0)
    while waiting:
        carried, _, found = heapq.heappop(waiting)
        new = [atom for atom in dict.fromkeys(found.grounding.body) if atom not in atoms]
        if len(atoms) + len(drawn) + 1 + len(new) > neurons and drawn:
            break
        drawn.append(found)
        atoms.update(new)
        for atom in new:
            if network.is_derived(atom):
                expand(atom, -carried)
    return drawn


def network_dot(network: GroundNetwork, query: int, neurons: int) -> str:
    """The strongest part of the network of one query: atoms with their values, and between them rule neurons."""
    drawn = strongest_groundings(network, query, neurons)
    start = network.query(query)
    atoms = list(dict.fromkeys([start, *(atom for found in drawn for atom in found.grounding.body)]))
    inputs = {atom: network.inputs(atom) for atom in atoms}
    drawn_below = Counter(found.head for found in drawn)
    contributions = [found.grounding.contribution for found in drawn]
    contributions += [item.contribution for found in inputs.values() for item in found if not len(item.row)]
    largest = max(map(abs, contributions), default=0.0)
    graph = Graph(_network_caption(network, query, len(atoms) + len(drawn)))
    node = {}
    facts = []
    for atom in atoms:
        derived = network.is_derived(atom)
        style = TARGET if atom == start else DERIVED if derived else FACT
        if drawn_below[atom] < sum(len(item.row) for item in inputs[atom]):
            style = {**style, "style": f"{style['style']},dashed"}
        label = network.text(atom)
        node[atom] = graph.node(f"{label}\n{number_text(network.value(atom), 3)}", style, label)
        if not derived:
            facts.append(node[atom])
        # The facts of other atoms are clear from their values.
        for item in inputs[atom] if derived else ():
            if not len(item.row):
                what = "fact" if item.rule is None else str(network.rules[item.rule])
                _add_contribution(graph, graph.node("fact", LABELLED, what), node[atom], item.contribution, largest)
    if facts:
        graph.rank(facts, True)
    for found in drawn:
        grounding = found.grounding
        tooltip = f"{grounding.clause}\n{network.rules[found.rule]}"
        middle = graph.node(number_text(grounding.value, 2), RULE, tooltip)
        for atom in grounding.body:
            graph.edge(node[atom], middle, {"color": UNKNOWN, "tooltip": tooltip})
        _add_contribution(graph, middle, node[found.head], grounding.contribution, largest)
    return graph.text()


def _network_caption(network: GroundNetwork, query: int, shown: int) -> str:
    queries = network.queries
    member = network.groundings.template.member
    of_member = f" of member {member}" if member else ""
    example = network.groundings.example_name[queries.example[query]]
    value = number_text(network.value(network.query(query)))
    given = f", target {queries.target[query]:g}" if queries.labelled[query] else ""
    everything = network.neurons("atom", "rule")
    part = f"all {shown:,}" if shown == everything else f"the strongest {shown:,} of {everything:,}"
    lines = [
        f"{example}: {queries.text[query]}, output{of_member} {value}{given}",
        f"{part} atoms and rule neurons with their values; edges into atoms are contributions, blue above 0, red below",
    ]
    if shown < everything:
        lines.append("dashed: some of its groundings are left out")
    return "\n".join(lines)


def _add_contribution(graph: Graph, start: str, end: str, contribution: float, largest: float) -> None:
    label = f"{contribution:+.3g}"
    graph.edge(start, end, {**_weight_style(contribution, largest), "label": label, "tooltip": label})


# Graphviz


def check_graphviz() -> str:
    """The path of the program `dot`."""
    found = shutil.which("dot")
    if found is None:
        raise LrnnError(
            "SVG is made by the program dot of Graphviz, which is not installed; install the package graphviz of your "
            "system, or write DOT with --format dot"
        )
    return found


def svg(dot: str) -> str:
    """A graph in DOT drawn by Graphviz."""
    result = subprocess.run([check_graphviz(), "-Tsvg"], input=dot.encode(), capture_output=True, check=False)
    if result.returncode:
        raise LrnnError(f"Graphviz can't draw this graph: {result.stderr.decode(errors='replace').strip()}")
    return result.stdout.decode()

"""Graphs in the DOT language of Graphviz: how they look, and models as graphs.

Facts are at the bottom and targets on top; where there are many nodes, facts are at the left and targets at the right,
since labels are wider than high.
"""

from __future__ import annotations

import shutil
import subprocess
import textwrap
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from lrnn_cli.errors import LrnnError
from lrnn_cli.language.clauses import Atom, Predicate, Rule
from lrnn_cli.language.template import Template
from lrnn_cli.language.writing import counted, visible
from lrnn_cli.network.rule_sets import layers

POSITIVE, NEGATIVE, UNKNOWN = "#2166ac", "#b2182b", "#777777"
FACT = {"shape": "box", "style": "filled", "fillcolor": "#eeeeee"}
DERIVED = {"shape": "box", "style": "rounded,filled", "fillcolor": "#fdf6dc"}
TARGET = {"shape": "box", "style": "rounded,filled,bold", "fillcolor": "#d9ead3"}
RULE = {"shape": "circle", "style": "filled", "fillcolor": "white", "width": "0.15", "margin": "0.02", "fontsize": "9"}
LABELLED = {"shape": "box", "style": "filled", "fillcolor": "white", "margin": "0.04", "height": "0.2", "fontsize": "9"}
THINNEST, THICKEST = 0.5, 5.0
MANY = 25
"""More nodes than this stand one below the other."""
BODIES_ON_EDGES = 20
"""More rules than this have their bodies in nodes, in lines of so many letters:"""
LINE = 48


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
        """Nodes of one layer."""
        self._lines.append(f"  {{ rank={'min' if lowest else 'same'}; {'; '.join(names)}; }}")

    def text(self) -> str:
        style = {"rankdir": "BT", "label": self.caption, "labelloc": "b", "fontname": "Helvetica", "fontsize": "12"}
        if self._nodes > MANY:
            style |= {"rankdir": "LR", "nodesep": "0.08"}
        start = [
            "digraph lrnn {",
            f"  graph {_attributes(style)};",
            '  node [fontname="Helvetica", fontsize="11"];',
            '  edge [fontname="Helvetica", fontsize="9", arrowsize="0.6"];',
        ]
        return "\n".join([*start, *self._lines, "}"]) + "\n"


def _attributes(attributes: dict[str, str]) -> str:
    return "[" + ", ".join(f"{name}={quote(value)}" for name, value in attributes.items()) + "]"


def weight_style(weight: float | None, largest: float) -> dict[str, str]:
    """Colour by sign and thickness by size; a weight to be drawn is grey and dashed."""
    if weight is None:
        return {"color": UNKNOWN, "style": "dashed"}
    width = THINNEST + (THICKEST - THINNEST) * (abs(weight) / largest if largest else 0.0)
    return {"color": NEGATIVE if weight < 0 else POSITIVE, "penwidth": f"{width:.2f}"}


# Templates


def strongest_rules(template: Template, top: int, least_weight: float = 0.0) -> list[Rule]:
    """At most `top` rules, those that carry most of the targets, none with a weight nearer to 0 than `least_weight`.

    A target carries all; what a predicate carries is divided among its rules by the size of their weights, and each
    body predicate carries as much as the strongest rule it is in. So what is chosen hangs together. A weight to be
    drawn counts as 1, and is never too near to 0.
    """
    rules, layer = template.rules, layers(template)
    size = [1.0 if rule.weight is None else abs(rule.weight) for rule in rules]
    heads = [rule.head.predicate for rule in rules]
    total = {head: sum(each for each, other in zip(size, heads, strict=True) if other == head) for head in layer}
    above = {atom.predicate for rule in rules for atom in rule.body if _below(atom, rule, layer)}
    carried = {head: 0.0 if head in above else 1.0 for head in layer}
    part: dict[int, float] = {}
    for number in sorted(range(len(rules)), key=lambda number: -layer[heads[number]]):
        head = heads[number]
        part[number] = carried[head] * size[number] / total[head] if total[head] else 0.0
        for atom in rules[number].body:
            if _below(atom, rules[number], layer):
                carried[atom.predicate] = max(carried.get(atom.predicate, 0.0), part[number])
    kept = [number for number in part if rules[number].weight is None or size[number] >= least_weight]
    return [rules[number] for number in sorted(sorted(kept, key=lambda number: -part[number])[:top])]


def _below(atom: Atom, rule: Rule, layer: dict[Predicate, int]) -> bool:
    """Whether a body atom is of a lower layer than the head, which in recursion it may not be."""
    return layer.get(atom.predicate, 0) < layer[rule.head.predicate]


def template_dot(template: Template, top: int, least_weight: float = 0.0) -> str:
    """Predicates by layer; a rule of one body atom is an edge, any other a small node between its body and its head.

    Of large templates only the strongest rules are drawn, and predicates of them. Where these are still many, bodies
    stand in their nodes, and not on the edges to them.
    """
    rules = strongest_rules(template, top, least_weight)
    layer = layers(template)
    used = {atom.predicate for rule in template.rules for atom in rule.body}
    for predicate in sorted(used - set(layer)):
        layer[predicate] = 0
    drawn = {predicate for rule in rules for predicate in (rule.head.predicate, *(a.predicate for a in rule.body))}
    left_out = Counter(rule.head.predicate for rule in template.rules)
    left_out.subtract(rule.head.predicate for rule in rules)
    graph = Graph(_template_caption(template, len(rules)))
    node: dict[Predicate, str] = {}
    for number in sorted({layer[predicate] for predicate in drawn}):
        names = []
        for predicate in [predicate for predicate in layer if layer[predicate] == number and predicate in drawn]:
            style = FACT if number == 0 else DERIVED if predicate in used else TARGET
            if left_out[predicate]:
                style = dashed(style)
            node[predicate] = graph.node(str(predicate), style, f"layer {number}")
            names.append(node[predicate])
        graph.rank(names, number == 0)
    largest = max((abs(rule.weight) for rule in rules if rule.weight is not None), default=0.0)
    for rule in rules:
        _add_rule(graph, rule, node, largest, len(rules) > BODIES_ON_EDGES)
    return graph.text()


def _template_caption(template: Template, shown: int) -> str:
    member = f", member {template.member}" if template.member else ""
    rules = len(template.rules)
    size = counted(rules, "rule")
    part = size if shown == rules else f"the strongest {shown} of {size}"
    caption = f"{_base(template.name)}{member}: {part}; weights above 0 are blue, below 0 red"
    return caption if shown == rules else f"{caption}\ndashed: some of its rules are left out"


def dashed(style: dict[str, str]) -> dict[str, str]:
    return {**style, "style": f"{style['style']},dashed"}


def _add_rule(graph: Graph, rule: Rule, node: dict[Predicate, str], largest: float, crowded: bool) -> None:
    weight = {**weight_style(rule.weight, largest), "label": _weight_label(rule), "tooltip": str(rule)}
    head = node[rule.head.predicate]
    if len(rule.body) == 1 and not rule.guards:
        (atom,) = rule.body
        variables = set(atom.variables)
        same = atom.arguments == rule.head.arguments if rule.head.arguments else len(variables) == len(atom.arguments)
        if not same:
            weight["label"] += f"\n{rule.clause}"
        graph.edge(node[atom.predicate], head, weight)
        return
    shown = ", ".join(map(str, (*rule.body, *rule.guards) if crowded else rule.guards))
    inside = "fact" if rule.is_fact else textwrap.fill(shown, LINE)
    middle = graph.node(inside, LABELLED if inside else RULE, str(rule))
    edge = {"color": UNKNOWN, "tooltip": str(rule)}
    if crowded:
        for predicate in dict.fromkeys(atom.predicate for atom in rule.body):
            graph.edge(node[predicate], middle, edge)
    else:
        for atom in rule.body:
            graph.edge(node[atom.predicate], middle, {"label": _arguments(atom), **edge})
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


# Graphviz


def check_graphviz() -> str:
    """The path of the program `dot`."""
    program = shutil.which("dot")
    if program is None:
        raise LrnnError(
            "SVG is made by the program dot of Graphviz, which is not installed; install the package graphviz of your "
            "system, or write DOT with --format dot"
        )
    return program


def svg(dot: str) -> str:
    """A graph in DOT drawn by Graphviz."""
    result = subprocess.run([check_graphviz(), "-Tsvg"], input=dot.encode(), capture_output=True, check=False)
    if result.returncode:
        raise LrnnError(f"Graphviz can't draw this graph: {result.stderr.decode(errors='replace').strip()}")
    return result.stdout.decode()


@dataclass(frozen=True)
class Drawing:
    """A graph in DOT; notebooks show it where Graphviz is there."""

    dot: str

    def svg(self) -> str:
        return svg(self.dot)

    def _repr_svg_(self) -> str | None:
        return self.svg() if shutil.which("dot") else None

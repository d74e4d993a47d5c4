"""Ground networks as graphs in the DOT language of Graphviz, facts at the bottom, the query on top."""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass
from itertools import count

import numpy as np

from lrnn_cli.evaluation.contributions import GroundAtom, Grounding, GroundNetwork, number_text
from lrnn_cli.evaluation.one_example import choose_queries
from lrnn_cli.grounding.groundings import Groundings
from lrnn_cli.network.drawing import (
    DERIVED,
    FACT,
    LABELLED,
    RULE,
    TARGET,
    UNKNOWN,
    Drawing,
    Graph,
    dashed,
    weight_style,
)


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
        carried, _, neuron = heapq.heappop(waiting)
        new = [atom for atom in dict.fromkeys(neuron.grounding.body) if atom not in atoms]
        if len(atoms) + len(drawn) + 1 + len(new) > neurons and drawn:
            break
        drawn.append(neuron)
        atoms.update(new)
        for atom in new:
            if network.is_derived(atom):
                expand(atom, -carried)
    return drawn


def query_drawing(groundings: Groundings, weights: np.ndarray, query: str | None, neurons: int) -> Drawing:
    """The network of the first query of the only example that was grounded, or of one atom."""
    chosen, groups = choose_queries(groundings, query), groundings.queries.groups()
    # The probability of a class takes the others; the first that is asked for with the largest one is drawn.
    rows = (groups == groups[chosen[0]]).nonzero()[0]
    network = GroundNetwork(groundings, weights, rows)
    asked = [place for place, row in enumerate(rows.tolist()) if row in chosen]
    return Drawing(network_dot(network, max(asked, key=network.output_of), neurons))


def network_dot(network: GroundNetwork, query: int, neurons: int) -> str:
    """The strongest part of the network of one query: atoms with their values, and between them rule neurons."""
    drawn = strongest_groundings(network, query, neurons)
    start = network.query(query)
    atoms = list(dict.fromkeys([start, *(atom for neuron in drawn for atom in neuron.grounding.body)]))
    inputs = {atom: network.inputs(atom) for atom in atoms}
    drawn_below = Counter(neuron.head for neuron in drawn)
    contributions = [neuron.grounding.contribution for neuron in drawn]
    contributions += [item.contribution for own in inputs.values() for item in own if not len(item.row)]
    largest = max(map(abs, contributions), default=0.0)
    graph = Graph(_network_caption(network, query, len(atoms) + len(drawn)))
    node = {}
    facts = []
    for atom in atoms:
        derived = network.is_derived(atom)
        style = TARGET if atom == start else DERIVED if derived else FACT
        if drawn_below[atom] < sum(len(item.row) for item in inputs[atom]):
            style = dashed(style)
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
    for neuron in drawn:
        grounding = neuron.grounding
        tooltip = f"{grounding.clause}\n{network.rules[neuron.rule]}"
        middle = graph.node(number_text(grounding.value, 2), RULE, tooltip)
        for atom in grounding.body:
            graph.edge(node[atom], middle, {"color": UNKNOWN, "tooltip": tooltip})
        _add_contribution(graph, middle, node[neuron.head], grounding.contribution, largest)
    return graph.text()


def _network_caption(network: GroundNetwork, query: int, shown: int) -> str:
    queries = network.queries
    member = network.groundings.template.member
    of_member = f" of member {member}" if member else ""
    example = network.groundings.example_name[queries.example[query]]
    value = number_text(network.output_of(query))
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
    graph.edge(start, end, {**weight_style(contribution, largest), "label": label, "tooltip": label})

"""Why a query has its output: its inputs by contribution, their strongest groundings, and so on down to facts.

`explanation` gives a structure ready for JSON, `explanation_text` writes it for reading:

    eastbound 0.9999 = sigm(6 * (2.0011 - 0.5)), and 2.0011 is the sum of
      +2.1787   81 %  without it 0.0169  4.687 * 0.4648  eastbound :- small(C), covered(C)
          0.4648 is the mean of 2 groundings:
          0.9295  eastbound :- small(c2), covered(c2)
              small(c2) 0.9781 because length_short(c2) +1.1333
"""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any

import numpy as np

from lrnn_cli.evaluation.contributions import GroundAtom, GroundNetwork, NeuronInput, number_text
from lrnn_cli.evaluation.one_example import choose_queries
from lrnn_cli.grounding.groundings import Groundings
from lrnn_cli.language.clauses import Predicate
from lrnn_cli.network.part_texts import part_texts
from lrnn_cli.semantics.activations import ACTIVATIONS
from lrnn_cli.semantics.aggregations import AGGREGATIONS

INDENT = "  "
SHOWN_QUERIES = 3
Json = dict[str, Any]
Mention = tuple[int, list[Json]]
"""Body atoms of a grounding, still to be explained with this indentation."""


@dataclass(frozen=True)
class Explanations:
    """Why some queries of an example have their outputs, ready for JSON; asked: how many there are to explain."""

    explanations: list[Json]
    asked: int

    def json(self) -> Json:
        return {"queries": self.asked, "explanations": self.explanations}

    def text(self) -> str:
        text = "\n".join(map(explanation_text, self.explanations))
        if len(self.explanations) < self.asked:
            shown = f"{len(self.explanations)} of {self.asked} queries"
            text += f"\nThese are {shown}; choose another with --query ATOM.\n"
        return text

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text())}</pre>"


def explained_queries(
    groundings: Groundings, weights: np.ndarray, query: str | None, depth: int, top: int
) -> Explanations:
    """The first queries of the only example that was grounded, or those of one atom, explained."""
    queries = groundings.queries
    if queries.group is not None:
        return _explained_classes(groundings, weights, query, depth, top)
    asked = list(dict.fromkeys(queries.text[number] for number in choose_queries(groundings, query)))
    shown = asked[:SHOWN_QUERIES]
    chosen = [number for number, text in enumerate(queries.text) if text in shown]
    network = GroundNetwork(groundings, weights, np.array(chosen))
    explanations = [explanation(network, network.queries.text.index(text), depth, top) for text in shown]
    return Explanations(explanations, len(asked))


def _explained_classes(
    groundings: Groundings, weights: np.ndarray, query: str | None, depth: int, top: int
) -> Explanations:
    """The classes of the first queries that are predicted and, where another is right, that one too; or one class."""
    queries, groups = groundings.queries, groundings.queries.groups()
    chosen = choose_queries(groundings, query)
    asked = list(dict.fromkeys(groups[chosen].tolist()))
    rows = np.isin(groups, asked[:SHOWN_QUERIES]).nonzero()[0]
    network = GroundNetwork(groundings, weights, rows)
    explanations = []
    for group in asked[:SHOWN_QUERIES]:
        own = [place for place, row in enumerate(rows.tolist()) if groups[row] == group]
        explained = [place for place in own if rows[place] in chosen]
        if len(explained) > 1:
            predicted = max(own, key=network.output_of)
            explained = [
                predicted,
                *(place for place in own if queries.target[rows[place]] == 1 and place != predicted),
            ]
        explanations += [explanation(network, place, depth, top) for place in explained]
    return Explanations(explanations, len(asked))


def explanation(network: GroundNetwork, query: int, depth: int, top: int) -> Json:
    """One query: its output, and each atom within `depth` rules of it once, by its `top` inputs and groundings."""
    start = network.query(query)
    queries = network.queries
    text = queries.text[query]
    atoms: dict[GroundAtom, Json] = {}
    background: set[Predicate] = set()
    template = network.groundings.template
    parts = part_texts(template)
    frontier = [start]
    while frontier and depth >= 0:
        mentioned: dict[GroundAtom, None] = {}
        for atom in frontier:
            atoms[atom] = _atom_json(network, atom, top, mentioned)
            if atom.predicate in parts:
                atoms[atom]["part"] = parts[atom.predicate]
        background.update(atom.predicate for atom in mentioned if network.is_background(atom.predicate))
        frontier = [atom for atom in mentioned if atom not in atoms and network.is_derived(atom)]
        depth -= 1
    return {
        "member": template.member or None,
        "example": network.groundings.example_name[queries.example[query]],
        "query": text,
        "targets": [
            float(target)
            for other, target, known in zip(queries.text, queries.target, queries.labelled, strict=True)
            if other == text and known
        ],
        "output": network.output_of(query),
        "task": network.output.kind.name,
        **({"probabilities": network.probabilities(query)} if queries.group is not None else {}),
        "center": network.output.center,
        "scale": network.output.scale,
        "activation": template.settings.activation,
        "steepness": network.activation.steepness,
        "offset": network.activation.offset,
        "plain_fact": network.activation.crisp,
        "background": [str(predicate) for predicate in sorted(background)],
        "atoms": list(atoms.values()),
    }


def _atom_json(network: GroundNetwork, atom: GroundAtom, top: int, mentioned: dict[GroundAtom, None]) -> Json:
    """An atom by its strongest inputs; body atoms of their strongest groundings are added to `mentioned`."""
    inputs = network.inputs(atom)
    others = inputs[top:]
    return {
        "atom": network.text(atom),
        "value": network.value(atom),
        "sum": sum(item.contribution for item in inputs),
        "linear": network.is_linear(atom, inputs),
        "inputs": [_input_json(network, item, top, mentioned) for item in inputs[:top]],
        "other_inputs": len(others),
        "contribution_of_others": sum(item.contribution for item in others),
        "rules_without_groundings": len(set(network.rules_of(atom.predicate)) - {item.rule for item in inputs}),
    }


def _input_json(network: GroundNetwork, item: NeuronInput, top: int, mentioned: dict[GroundAtom, None]) -> Json:
    figures: Json = {"contribution": item.contribution, "share": item.share, "without": item.without}
    if item.rule is None:
        return {"kind": "fact", **figures}
    rule = network.rules[item.rule]
    figures |= {"rule": rule.clause, "weight": rule.weight, "line": rule.line}
    if rule.is_fact:
        return {"kind": "template fact", **figures}
    groundings = []
    for grounding in network.strongest(item, top):
        mentioned.update(dict.fromkeys(grounding.body))
        groundings.append(
            {
                "clause": grounding.clause,
                "value": grounding.value,
                "contribution": grounding.contribution,
                "body": [_body_json(network, atom) for atom in grounding.body],
            }
        )
    return {
        "kind": "rule",
        **figures,
        "groundings": len(item.row),
        "mean": float(item.fired.mean()),
        "aggregation": network.groundings.template.settings.aggregation,
        "aggregated": network.aggregation.value(item.fired),
        "strongest": groundings,
        "strongest_of_others": float(item.fired[top]) if len(item.row) > top else None,
    }


def _body_json(network: GroundNetwork, atom: GroundAtom) -> Json:
    """A body atom; one that no rule derives with the weights of its facts."""
    atom_json: Json = {"atom": network.text(atom), "value": network.value(atom)}
    if not network.is_derived(atom):
        atom_json["facts"] = network.facts(atom)
    return atom_json


# Text


def explanation_text(told: Json) -> str:
    """An explanation for reading, each atom explained where it is first mentioned."""
    query = told["atoms"][0]
    targets = " and ".join(f"{target:g}" for target in told["targets"])
    member = "" if told["member"] is None else f" of member {told['member']}"
    lines = [f"{told['example']}: {told['query']}"]
    given = f", target {targets}" if targets else ""
    lines += [f"output{member} {number_text(told['output'])}{given}", ""]
    if told["task"] == "classes":
        shares = ", ".join(f"{word} {number_text(share)}" for word, share in told["probabilities"].items())
        lines[-1:] = [f"of {shares}", ""]
    value = told["output"] if told["task"] != "binary" else query["value"]
    lines += [f"{query['atom']} {number_text(value)} {_formula(told, query)}"]
    if not query["inputs"]:
        lines.append(f"{INDENT}Nothing derives it in this example.")
    atoms = {atom["atom"]: atom for atom in told["atoms"]}
    explained = {query["atom"]}
    waiting: list[str | Mention] = _input_lines(query, 1, True)[::-1]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            lines.append(item)
            continue
        indent, parts = item
        margin = INDENT * indent
        known = [part for part in parts if part["atom"] in explained]
        others = [part for part in parts if part["atom"] not in explained]
        if known:
            lines.append(f"{margin}{', '.join(map(_valued, known))}: see above")
        if not others:
            continue
        part = others[0]
        if others[1:]:
            waiting.append((indent, others[1:]))
        if "facts" in part:
            lines.append(f"{margin}{_valued(part)}, {_facts(part['facts'])}")
        elif part["atom"] not in atoms:
            lines.append(f"{margin}{_valued(part)}: explained with a larger --depth")
        else:
            explained.add(part["atom"])
            atom = atoms[part["atom"]]
            reason = _part_reason(atom) if "part" in atom else f" because{_short_reason(atom)}"
            lines.append(f"{margin}{_valued(part)}{reason}")
            if reason == " because" or ("part" in atom and not _is_counted(atom)):
                waiting += _input_lines(atom, indent + 1, False)[::-1]
    silent = query["rules_without_groundings"]
    if silent:
        lines.append(f"{INDENT}{silent} {'rule has' if silent == 1 else 'rules have'} no groundings for it.")
    lines += ["", f"A plain fact has the value {number_text(told['plain_fact'])}."]
    if told["background"]:
        lines.append(f"Background knowledge: {', '.join(told['background'])}.")
    return "\n".join(lines) + "\n"


def _formula(told: Json, atom: Json) -> str:
    """How the value of an atom follows from the sum of its inputs."""
    total = number_text(atom["sum"])
    rest = f", and {total} is the sum of" if atom["inputs"] else ""
    if told["task"] == "regression" and atom is told["atoms"][0]:
        return f"= {told['center']:g} + {told['scale']:g} * {total}{rest}"
    if told["task"] == "classes" and atom is told["atoms"][0]:
        return f"= softmax of {told['steepness']:g} * {total} among the classes{rest}"
    if atom["linear"]:
        return "is the sum of"
    function = ACTIVATIONS[told["activation"]].squashing.name
    if told["steepness"] == 1.0 and told["offset"] == 0.0:
        return f"= {function}({total}){rest}"
    sign = "-" if told["offset"] < 0 else "+"
    return f"= {function}({told['steepness']:g} * ({total} {sign} {abs(told['offset']):g})){rest}"


def _input_lines(atom: Json, indent: int, with_effect: bool) -> list[str | Mention]:
    """The inputs of an atom, below each rule its groundings, and below these body atoms that are no plain facts."""
    margin = INDENT * indent
    lines: list[str | Mention] = []
    for item in atom["inputs"]:
        start = f"{margin}{_signed(item['contribution'])}  {100 * item['share']:3.0f} %  "
        if with_effect:
            start += f"without it {number_text(item['without'])}  "
        if item["kind"] == "fact":
            lines.append(f"{start}a fact of the data")
        elif item["kind"] == "template fact":
            lines.append(f"{start}a fact of the template")
        else:
            lines.append(f"{start}{item['weight']:.4g} * {number_text(item['aggregated'])}  {item['rule']}")
            lines += _grounding_lines(item, indent + 2)
    if atom["other_inputs"]:
        more = "1 more input" if atom["other_inputs"] == 1 else f"{atom['other_inputs']} more inputs together"
        lines.append(f"{margin}{_signed(atom['contribution_of_others'])}         {more}")
    return lines


def _grounding_lines(item: Json, indent: int) -> list[str | Mention]:
    margin = INDENT * indent
    lines: list[str | Mention] = []
    if item["groundings"] > 1:
        words = AGGREGATIONS[item["aggregation"]].words.format(n=item["groundings"])
        lines.append(f"{margin}{number_text(item['aggregated'])} is {words}:")
    for grounding in item["strongest"]:
        lines.append(f"{margin}{number_text(grounding['value'])}  {grounding['clause']}")
        if parts := _not_plain(grounding):
            lines.append((indent + 2, parts))
    if item["strongest_of_others"] is not None:
        more, most = item["groundings"] - len(item["strongest"]), number_text(item["strongest_of_others"])
        lines.append(f"{margin}{more} more, {most} at most")
    return lines


def _not_plain(grounding: Json) -> list[Json]:
    """The body atoms, each once, that are not just a plain fact."""
    parts = {part["atom"]: part for part in grounding["body"] if part.get("facts") != [1.0]}
    return list(parts.values())


def _short_reason(atom: Json) -> str:
    """The one grounding of plain facts that an atom comes from, if it is that simple."""
    if len(atom["inputs"]) != 1 or atom["other_inputs"]:
        return ""
    (item,) = atom["inputs"]
    if item["kind"] != "rule" or item["groundings"] != 1 or _not_plain(item["strongest"][0]):
        return ""
    return f" {item['strongest'][0]['clause'].partition(' :- ')[2]}  {_signed(item['contribution'])}"


def _part_reason(atom: Json) -> str:
    """Whether a part holds, what it says, and how many groundings its body has here."""
    groundings = sum(item["groundings"] for item in atom["inputs"] if item["kind"] == "rule")
    here = f"; here {groundings}" if _is_counted(atom) else ""
    return f" {'holds' if atom['value'] > 0.5 else 'does not hold'}: {atom['part']}{here}"


def _is_counted(atom: Json) -> bool:
    """Whether a part counts groundings of plain facts."""
    groundings = [grounding for item in atom["inputs"] for grounding in item.get("strongest", ())]
    return not any(map(_not_plain, groundings))


def _facts(weights: list[float]) -> str:
    if len(weights) == 1:
        return f"a fact of weight {weights[0]:g}"
    return f"facts of weights {' and '.join(f'{weight:g}' for weight in weights)}"


def _valued(part: Json) -> str:
    return f"{part['atom']} {number_text(part['value'])}"


def _signed(value: float) -> str:
    return f"{'-' if value < 0 else '+'}{number_text(abs(value))}"

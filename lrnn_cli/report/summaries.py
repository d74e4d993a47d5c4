"""What files hold, in words: data sets, models, groundings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lrnn_cli.evaluation.survey import Survey
from lrnn_cli.grounding.groundings import Groundings
from lrnn_cli.hypotheses.sorts import called_by
from lrnn_cli.hypotheses.vocabulary import Vocabulary
from lrnn_cli.language.clauses import Predicate, Rule, quoted
from lrnn_cli.language.data import DataSet
from lrnn_cli.language.template import Template
from lrnn_cli.language.writing import counted
from lrnn_cli.network.model import Model
from lrnn_cli.network.part_texts import part_texts
from lrnn_cli.network.rule_sets import layers, model_statistics
from lrnn_cli.report.tables import text_table

SHOWN_GROUPS = 5
SHOWN_ARGUMENTS = 5


def data_summary(data: DataSet, survey: Survey, folds: np.ndarray) -> dict[str, Any]:
    """Counts and findings of `lrnn check`, ready for JSON."""
    queries = data.queries
    targets = []
    for index, predicate in enumerate(queries.predicate):
        asked = queries.predicate_index == index
        chosen = asked & queries.labelled
        values, counts = np.unique(queries.target[chosen], return_counts=True)
        names = [queries.classes[int(value)] if queries.classes else f"{value:g}" for value in values]
        shown = dict(zip(names, counts.tolist(), strict=True)) if len(values) <= 10 or queries.classes else {}
        yes_no = not queries.classes and bool(((values >= 0.0) & (values <= 1.0)).all())
        targets.append(
            {
                "predicate": str(predicate),
                "queries": int(asked.sum()),
                "without target": int((asked & ~chosen).sum()),
                "positive": int((queries.target[chosen] > 0.5).sum()) if yes_no else None,
                "targets": shown,
            }
        )
    of_examples = np.bincount(queries.example, minlength=len(data.example_name))
    return {
        "file": data.name,
        "examples": len(data.example_name),
        "facts": int(data.example_facts.sum()),
        "objects": int(data.first_object[-1]),
        "background clauses": len(data.background),
        "predicates": [
            {"predicate": str(predicate), "facts": count, "weighted": predicate in data.soft}
            for predicate, count in sorted(data.predicates.items())
        ],
        "targets": targets,
        "examples without a query": int((of_examples == 0).sum()),
        "folds": fold_sizes(folds),
        "duplicates": _groups(data, survey.duplicates),
        "contradicting duplicates": _groups(data, survey.contradicting),
        "duplicates across folds": _groups(data, survey.across_folds),
    }


def fold_sizes(folds: np.ndarray) -> dict[str, int]:
    """How many examples, or queries, there are in each fold; 0 is none."""
    return {str(fold): int((folds == fold).sum()) for fold in np.unique(folds).tolist() if fold}


def sort_summary(words: Vocabulary, names: Sequence[str]) -> dict[str, Any]:
    """Sorts of arguments, and the declarations that say the same, ready for JSON."""
    sorts = words.named_sorts()
    shown = {sort.number: quoted(sort.name) for sort in sorts}
    declared = {**{target: own for target, own in words.targets.items() if own and -1 not in own}, **words.sorts}
    return {
        "sorts": [
            {
                "sort": shown[sort.number],
                "objects": len(sort.objects),
                "numbers": bool(called_by([names[number] for number in sort.objects.tolist()]).all()),
                "arguments": [f"{predicate} {place + 1}" for predicate, place in sort.arguments],
            }
            for sort in sorts
        ],
        "bias": [
            f"bias({quoted(predicate.name)}" + (f"({', '.join(shown[sort] for sort in own)})" if own else "") + ")."
            for predicate, own in sorted(declared.items())
        ],
    }


def _groups(data: DataSet, groups: list[list[int]]) -> dict[str, Any]:
    return {
        "groups": len(groups),
        "examples": sum(map(len, groups)),
        "first groups": [[data.example_name[example] for example in group] for group in groups[:SHOWN_GROUPS]],
    }


def summary_text(summary: dict[str, Any]) -> str:
    """A data summary as text."""
    lines = [
        f"{summary['file']}: {counted(summary['examples'], 'example')}, {counted(summary['facts'], 'fact')}, "
        f"{counted(summary['objects'], 'object')}"
    ]
    if summary["background clauses"]:
        lines.append(f"background knowledge: {counted(summary['background clauses'], 'clause')}")
    rows = [
        (item["predicate"], item["facts"], "weighted" if item["weighted"] else "") for item in summary["predicates"]
    ]
    lines += ["", text_table(("predicate", "facts", ""), rows, (1,)).rstrip()]
    rows_of_targets = [
        (
            item["predicate"],
            item["queries"],
            "" if item["positive"] is None else item["positive"],
            ", ".join(f"{t}: {n}" for t, n in _with_none(item).items()),
        )
        for item in summary["targets"]
    ]
    if rows_of_targets:
        lines += ["", text_table(("query", "queries", "positive", "targets"), rows_of_targets, (1, 2)).rstrip()]
    lines.append("")
    if summary["examples without a query"]:
        lines.append(f"examples without a query: {summary['examples without a query']}")
    for name in ("folds", "folds of queries"):
        if summary.get(name):
            lines.append(f"{name}: " + ", ".join(f"{fold}: {count}" for fold, count in summary[name].items()))
    for name in ("duplicates", "contradicting duplicates", "duplicates across folds"):
        groups = summary[name]
        if name == "duplicates across folds" and not summary["folds"]:
            continue
        if not groups["groups"]:
            lines.append(f"{name}: none")
            continue
        lines.append(f"{name}: {counted(groups['groups'], 'group')}, {groups['examples']} examples")
        lines += [
            "  " + " = ".join(group[:8]) + (" = ..." if len(group) > 8 else "") for group in groups["first groups"]
        ]
    if summary.get("sorts"):
        rows_of_sorts = [
            (item["sort"], item["objects"], "numbers" if item["numbers"] else "", _first(item["arguments"]))
            for item in summary["sorts"]
        ]
        lines += ["", text_table(("sort", "objects", "", "arguments"), rows_of_sorts, (1,)).rstrip(), ""]
    if summary.get("bias"):
        lines += ["sorts as declarations, to be copied into the data and changed:", *summary["bias"], ""]
    if "unused predicates" in summary:
        lines.append("facts that no rule uses: " + (", ".join(summary["unused predicates"]) or "none"))
    return "\n".join(lines)


def _with_none(item: dict[str, Any]) -> dict[str, int]:
    """How many queries have each target, or none."""
    none = {"none": int(item["without target"])} if item["without target"] else {}
    return {**item["targets"], **none}


def _first(texts: list[str]) -> str:
    shown = ", ".join(texts[:SHOWN_ARGUMENTS])
    return shown + (f" and {len(texts) - SHOWN_ARGUMENTS} more" if len(texts) > SHOWN_ARGUMENTS else "")


def ensemble_summary(model: Model) -> str:
    """The members of an ensemble: their statistics side by side, then each of them; one model alone as it is."""
    members = model.members
    if len(members) == 1:
        return model_summary(members[0])
    statistics = model.statistics()
    rows = [
        (member.member, *(f"{value:.2f}" if isinstance(value, float) else value for value in figures.values()))
        for member, figures in zip(members, statistics, strict=True)
    ]
    header = ("model", *statistics[0])
    return "\n\n".join(
        [
            f"{model.name}: an ensemble of {len(members)} models, its output is the mean of theirs",
            text_table(header, rows, range(1, len(header))).rstrip(),
            *(model_summary(member) for member in members),
        ]
    )


def model_summary(template: Template) -> str:
    """A model or template: statistics of its rule set, its rules by layer, strongest first."""
    layer = layers(template)
    used = {atom.predicate for rule in template.rules for atom in rule.body}
    parts = part_texts(template)
    latent = [predicate for predicate in layer if predicate in used and predicate not in parts]
    targets = [predicate for predicate in layer if predicate not in used]
    statistics = model_statistics(template)
    name = f"{template.name}, model {template.member}" if template.member else template.name
    lines = [
        f"{name}: {statistics['rules']} rules, {statistics['layers']} layers",
        f"target predicates: {', '.join(map(str, targets)) or 'none'}",
        f"latent predicates: {', '.join(map(str, latent)) or 'none'}",
        *([f"parts: {len(parts)}"] if parts else []),
        f"target rules: {statistics['target rules']}, average length {statistics['average length']:.2f}",
        f"weights: {sum(rule.weight is None for rule in template.rules)} to be drawn, "
        f"{sum(rule.fixed for rule in template.rules)} fixed",
        *template.settings.facts(),
    ]
    for number in sorted(set(layer.values())):
        lines += ["", f"layer {number}"]
        for predicate in layer:
            if layer[predicate] == number:
                rules = [rule for rule in template.rules if rule.head.predicate == predicate]
                lines += [f"  % {quoted(predicate.name)}: {parts[predicate]}"] if predicate in parts else []
                lines += [f"  {rule}" for rule in sorted(rules, key=_strength)]
    return "\n".join(lines)


def _strength(rule: Rule) -> float:
    return -abs(rule.weight) if rule.weight is not None else 0.0


def grounding_summary(groundings: Groundings, before: dict[str, int], after: dict[str, int], rows: int) -> str:
    """A grounding file: its tables and network, and the first `rows` groundings of each table."""
    program = groundings.program
    lines = [
        f"template {program.template.name} ({len(program.rules)} rules), digest {program.template.digest[:16]}",
        f"data {groundings.data_name} ({len(groundings.example_name)} examples, {len(groundings.queries)} queries), "
        f"digest {groundings.data_digest[:16]}",
        *program.template.settings.facts(),
        "",
        text_table(
            ("neurons", "before", "after compression"),
            [(kind, f"{before[kind]:,}", f"{after[kind]:,}") for kind in before]
            + [("all", f"{sum(before.values()):,}", f"{sum(after.values()):,}")],
            (1, 2),
        ),
        _tables_text(groundings),
    ]
    if rows and groundings.collapsed is not None:
        lines += ["", "the groundings themselves were not kept: this file was made in parts"]
    elif rows:
        names = groundings.object_names()
        for number, table in enumerate(groundings.tables):
            lines += ["", _skeleton_text(groundings, number)]
            for example, objects in zip(table.example[:rows].tolist(), table.objects[:rows].tolist(), strict=True):
                bound = ", ".join(f"V{column} = {names[item]}" for column, item in enumerate(objects))
                lines.append(f"  {groundings.example_name[example]}: {bound or 'true'}")
    return "\n".join(lines)


def _tables_text(groundings: Groundings) -> str:
    """How many groundings each table has and, where they are collapsed, how many of them are distinct."""
    program, collapsed = groundings.program, groundings.collapsed
    header = ("groundings", *(("distinct",) if collapsed else ()), "rules", "table")
    rows = []
    for number in range(len(program.tables)):
        distinct = (f"{len(collapsed.tables[number]):,}",) if collapsed else ()
        rules = sum(rule.table == number for rule in program.rules)
        rows.append((f"{groundings.rows(number):,}", *distinct, rules, _skeleton_text(groundings, number)))
    return text_table(header, rows, range(len(header) - 1)).rstrip()


def _skeleton_text(groundings: Groundings, number: int) -> str:
    """The body of a table, each group of predicates named by its first and their number."""
    program = groundings.program
    sizes: dict[Predicate, int] = {}
    for name in program.groups.values():
        sizes[name] = sizes.get(name, 0) + 1
    skeleton = program.tables[number]
    goals = []
    for predicate, columns in skeleton.body:
        text = quoted(predicate.name) + (f"[{sizes[predicate]}]" if sizes.get(predicate, 1) > 1 else "")
        goals.append(text + (f"({', '.join(f'V{column}' for column in columns)})" if columns else ""))
    goals += [*map(str, skeleton.guards), *(f"V{column} = {constant}" for column, constant in skeleton.constants)]
    return ", ".join(goals) or "true"

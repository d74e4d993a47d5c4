"""What simplification did, in words: figures before and after, and what was dropped."""

from __future__ import annotations

from collections.abc import Sequence

from lrnn_cli.evaluation.metrics import HEADLINES, LOW, evaluate_outputs
from lrnn_cli.language.template import Template
from lrnn_cli.report.tables import text_table
from lrnn_cli.simplification.simplification import Dropped, Evaluated, Simplifier


def simplification_text(simplifiers: Sequence[Simplifier], metric: str) -> str:
    """One part for each model: a table of figures and a table of what was dropped, in order."""
    return "\n\n".join(_model_text(simplifier, metric) for simplifier in simplifiers)


def _model_text(simplifier: Simplifier, metric: str) -> str:
    before, after = _figures(simplifier.first, metric), _figures(simplifier.now, metric)
    lines = [f"model {simplifier.first.model.member}"] if simplifier.first.model.member else []
    rows = [(name, before[name], after[name]) for name in before]
    lines.append(text_table(("", "before", "after"), rows, (1, 2)))
    if simplifier.too_many:
        lines.append(f"not as few as {simplifier.options.most_rules} rules: those that are left are fixed or needed\n")
    if simplifier.dropped:
        header = ("dropped", f"{metric} alone", "")
        lines.append(text_table(header, [_dropped(item, metric) for item in simplifier.dropped], (1,)).rstrip())
    else:
        lines.append("nothing can be dropped within the tolerance")
    return "\n".join(lines)


def _figures(evaluated: Evaluated, metric: str) -> dict[str, str]:
    kind = evaluated.network.output.kind
    metrics = evaluate_outputs(*evaluated.network.compared(evaluated.outputs), kind).values
    figures = {"rules": f"{len(evaluated.model.rules)}", "literals": f"{literals(evaluated.model)}"}
    return figures | {name: f"{metrics[name]:.6f}" for name in dict.fromkeys((metric, HEADLINES[kind.name]))}


def literals(model: Template) -> int:
    """Body atoms of all rules."""
    return sum(len(rule.body) for rule in model.rules)


def _dropped(item: Dropped, metric: str) -> tuple[str, str, str]:
    """What kind of thing it is, how the metric changed by it alone (for a literal about so much), and the text."""
    change = round(item.alone if metric.endswith(LOW) else -item.alone, 6) + 0.0
    rule = f"{item.rule.weight:.4g} :: {item.rule.clause}"
    if item.literal is None:
        return item.kind, f"{change:+.6f}", rule
    return item.kind, f"~{change:+.6f}", f"{item.literal} of {rule}"

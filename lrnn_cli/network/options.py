"""Settings that win over those of a template."""

from __future__ import annotations

from dataclasses import dataclass

from lrnn_cli.settings import ACTIVATIONS, AGGREGATIONS, TASKS, setting


@dataclass(frozen=True)
class ModelSettings:
    """None leaves what the template says."""

    activation: str | None = setting(
        None,
        "Activation functions (default: what the template says, else lukasiewicz).",
        choices=ACTIVATIONS,
    )
    aggregation: str | None = setting(
        None,
        "Groundings of a rule: their mean, or their sum divided by the root of their number "
        "(default: what the template says, else mean).",
        choices=AGGREGATIONS,
    )
    task: str | None = setting(
        None,
        "What targets are (default: what the template says; else, for `ground`, what they look like).",
        choices=TASKS,
    )
    object_identity: bool | None = setting(
        None,
        "Variables of a rule take different objects (default: what the template says, else not).",
        kind=bool,
    )

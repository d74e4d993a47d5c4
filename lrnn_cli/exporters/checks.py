"""What a model must be to be exported."""

from __future__ import annotations

from collections.abc import Sequence

from lrnn_cli.errors import Fault, faults_error
from lrnn_cli.language.template import Template


def check_exportable(members: Sequence[Template]) -> None:
    """Every rule has its weight."""
    faults = [
        Fault(rule.line, rule.column, "this rule has no weight; train the template before it is exported")
        for member in members
        for rule in member.rules
        if rule.weight is None
    ]
    if faults:
        raise faults_error(members[0].name, faults)

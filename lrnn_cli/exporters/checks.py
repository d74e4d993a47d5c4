"""What a model must be to be exported."""

from __future__ import annotations

from collections.abc import Sequence

from lrnn_cli.errors import Fault, LrnnError, faults_error
from lrnn_cli.language.template import Template
from lrnn_cli.semantics.targets import BINARY, kind_of


def check_exportable(members: Sequence[Template]) -> None:
    """Every rule has its weight, and outputs are yes or no."""
    kind = kind_of(members[0].settings)
    if kind is not BINARY:
        raise LrnnError(
            f"{members[0].name}: outputs of this model are {kind.words}, and models of yes and no alone are exported; "
            "use `lrnn predict`, or lrnn_cli from Python"
        )
    faults = [
        Fault(rule.line, rule.column, "this rule has no weight; train the template before it is exported")
        for member in members
        for rule in member.rules
        if rule.weight is None
    ]
    if faults:
        raise faults_error(members[0].name, faults)

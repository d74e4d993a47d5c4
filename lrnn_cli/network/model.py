"""Models: one template with weights, or the members of an ensemble, whose output is the mean of theirs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from lrnn_cli.errors import LrnnError
from lrnn_cli.language.files import write_text
from lrnn_cli.language.template import Template, with_class_heads
from lrnn_cli.network.model_text import model_text
from lrnn_cli.network.rule_sets import model_statistics


@dataclass(frozen=True)
class Model:
    """What a model file holds.

    comments: what stands at its head.
    layered: rules are written by layer, strongest first, with comments that say what they are; else in their order.
    notes: what stands above each rule of the only member of such a model; may be empty.
    """

    members: tuple[Template, ...]
    comments: tuple[str, ...] = ()
    layered: bool = False
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Where it comes from, for messages."""
        return self.members[0].name

    def text(self) -> str:
        """The model as a file."""
        return model_text(self.members, self.comments, self.layered, self.notes)

    def statistics(self) -> list[dict[str, Any]]:
        """The rule set of each member in figures."""
        return [model_statistics(member) for member in self.members]

    def save(self, path: str) -> None:
        write_text(path, self.text())

    def with_settings(self, **settings: Any) -> Model:
        """The model with other settings; None leaves one as it is."""
        return replace(self, members=tuple(with_settings(member, **settings) for member in self.members))

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(self.text())}</pre>"


def with_settings(template: Template, **settings: Any) -> Template:
    """A template with other settings; None leaves one as it is."""
    chosen = {name: value for name, value in settings.items() if value is not None}
    return with_class_heads(replace(template, settings=replace(template.settings, **chosen)))


def model_weights(template: Template) -> list[float]:
    """The weights of a model; a rule without one is an error."""
    weights = []
    for rule in template.rules:
        if rule.weight is None:
            raise LrnnError(
                f"{template.name}:{rule.line}:{rule.column}: the rule for {rule.head} has no weight; "
                "train the template first with `lrnn ground` and `lrnn train`"
            )
        weights.append(rule.weight)
    return weights

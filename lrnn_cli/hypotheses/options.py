"""The options of templates of chains."""

from __future__ import annotations

from dataclasses import dataclass

from lrnn_cli.settings import setting


@dataclass(frozen=True)
class ChainOptions:
    """relations, targets: names with arities, all if there are none."""

    chain: int = setting(None, "Objects in a chain.", kind=int, least=1, most=20, metavar="N")
    clusters: int = setting(3, "Soft clusters of each sort.", least=1, most=100, metavar="D")
    shorter: bool = setting(False, "Rules for all shorter chains too.", negative=False)
    relations: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    bias: bool = setting(
        True, "A target without arguments is also a fact with a weight; without it training may not get off the ground."
    )
    object_identity: bool = setting(
        False, "Objects of a chain, and others that its relations name, differ.", negative=False
    )
    aggregation: str = setting(
        "mean",
        "Groundings of a rule: their mean, or their sum divided by the root of their number",
        choices=("mean", "sqrt"),
        default_text="mean",
    )

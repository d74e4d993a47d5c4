"""The options of simplification."""

from __future__ import annotations

from dataclasses import dataclass

from lrnn_cli.settings import setting


@dataclass(frozen=True)
class SimplificationOptions:
    metric: str = setting(
        "squared_loss",
        "What must not get worse.",
        choices=("squared_loss", "log_loss", "accuracy", "auc_pr", "macro_f1", "rmse", "mae", "r2"),
    )
    tolerance: float = setting(
        0.001, "How much worse the metric may get in all; of numbers, in parts of their variance or deviation.", least=0
    )
    most_rules: int | None = setting(
        None,
        "Go on until so many rules are left, whatever the tolerance; of each member of an ensemble.",
        kind=int,
        least=1,
        metavar="N",
    )
    literals: bool = setting(
        True, "Try to shorten rules too; needs several groundings.", metavar="on|off", default_text="on"
    )
    epochs: int = setting(
        50,
        "Epochs of training of the weights that are left, after each round; 0 leaves weights as they are.",
        least=0,
        name="retrain",
        metavar="EPOCHS",
    )

    @property
    def loss(self) -> str:
        """What this training minimises."""
        return "log" if self.metric == "log_loss" else "squared"

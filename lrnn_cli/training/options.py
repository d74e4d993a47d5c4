"""The options of training."""

from __future__ import annotations

from dataclasses import dataclass

from lrnn_cli.settings import LOSSES, setting


@dataclass(frozen=True)
class TrainingOptions:
    """learning_rate: None for that of the optimiser; batch_size: 0 for all examples."""

    loss: str | None = setting(None, "What is minimised.", choices=LOSSES, default_text="squared; log for classes")
    optimiser: str = setting("adam", "How.", choices=("sgd", "adam"), name="optimizer")
    learning_rate: float | None = setting(
        None, "Size of the steps.", kind=float, above=0, metavar="RATE", default_text="0.02 for adam, 0.1 for sgd"
    )
    epochs: int = setting(300, "Passes over the examples.", least=0)
    batch_size: int = setting(
        0,
        "Examples in a step. The loss of a step is summed over the queries of one example, averaged otherwise.",
        least=0,
        metavar="N|all",
        default_text="all",
    )
    shuffle: bool = setting(True, "Take examples in the order of the file.", negative=False)
    restarts: int = setting(1, "Runs from other weights; the best is kept.", least=1)
    validation: float | None = setting(
        None,
        "Hold this part of the examples out, keep the weights that do best on it, and stop early.",
        kind=float,
        above=0,
        below=1,
        metavar="FRACTION",
    )
    patience: int = setting(50, "Epochs to wait for a better validation loss.", least=1)
    l2: float = setting(0.0, "Penalty on squared weights.", least=0)
    scale: float = setting(0.5, "Standard deviation of drawn weights.", least=0)
    reinitialise: bool = setting(False, "Draw all weights, also those that stand in the template.", negative=False)
    seed: int = setting(1, "The same seed gives the same bytes.", least=0)
    backend: str = setting(
        "auto",
        "How steps are computed. `compiled` needs numba and loads for half a second; `auto` takes it for long work.",
        choices=("auto", "numpy", "compiled"),
    )

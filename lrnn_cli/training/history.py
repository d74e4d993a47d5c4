"""The history of a training as CSV."""

from __future__ import annotations

from lrnn_cli.language.writing import csv_text
from lrnn_cli.training.loop import Epoch


def history_csv(history: list[Epoch]) -> str:
    rows: list[list[object]] = [["restart", "epoch", "training_loss", "validation_loss", "seconds"]]
    for epoch in history:
        validation = "" if epoch.validation_loss is None else repr(epoch.validation_loss)
        rows.append([epoch.restart, epoch.epoch, repr(epoch.training_loss), validation, f"{epoch.seconds:.3f}"])
    return csv_text(rows)

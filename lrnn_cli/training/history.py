"""The history of a training as CSV."""

from __future__ import annotations

import csv
import io

from lrnn_cli.training.loop import Epoch


def history_csv(history: list[Epoch]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["restart", "epoch", "training_loss", "validation_loss", "seconds"])
    for epoch in history:
        validation = "" if epoch.validation_loss is None else repr(epoch.validation_loss)
        writer.writerow([epoch.restart, epoch.epoch, repr(epoch.training_loss), validation, f"{epoch.seconds:.3f}"])
    return buffer.getvalue()

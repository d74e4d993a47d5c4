"""A command of a task as a process: it ends when the process that started it does, however that ended."""

from __future__ import annotations

import ctypes
import runpy
import signal
import sys

from lrnn_cli.structure.side_by_side import PARENT_DEATH_SIGNAL


def main() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGTERM)
    runpy.run_module("lrnn_cli", run_name="__main__", alter_sys=True)

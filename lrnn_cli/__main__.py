"""Where the program starts: before anything else is imported, so that Ctrl-C has an answer from the start."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys

INTERRUPTED = 130
FEWER_COLLECTIONS = 500_000
"""Objects to be made before Python looks for garbage: with its default a tenth of the start goes into that, with 50,000
a fiftieth of structure learning."""


def main() -> None:
    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:
        # Nothing has been done and nothing is open while modules are imported: the process can end where it stands.
        signal.signal(signal.SIGINT, _leave)
    gc.set_threshold(FEWER_COLLECTIONS)
    from lrnn_cli.threads import settle_threads

    settle_threads()
    from lrnn_cli.commands import main as run

    signal.signal(signal.SIGINT, usual)
    try:
        run()
    except SystemExit as end:
        # Python ends by the signal instead, with another exit code, if it came while code in a string was run.
        if end.code == INTERRUPTED:
            with contextlib.suppress(OSError):
                sys.stdout.flush()
            os._exit(INTERRUPTED)
        raise
    finally:
        # The system takes all memory back at once. DuckDB would tell of each of its objects that is left, in 60 lines.
        if "duckdb" not in sys.modules:
            gc.freeze()


def _leave(number: int, frame: object) -> None:
    os.write(2, b"interrupted\n")
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()

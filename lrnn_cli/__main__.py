"""Where the program starts: before anything else is imported, so that Ctrl-C has an answer from the start."""

from __future__ import annotations

import os
import signal


def main() -> None:
    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:
        # Nothing has been done and nothing is open while modules are imported: the process can end where it stands.
        signal.signal(signal.SIGINT, _leave)
    from lrnn_cli.commands import main as run

    signal.signal(signal.SIGINT, usual)
    run()


def _leave(number: int, frame: object) -> None:
    os.write(2, b"interrupted\n")
    os._exit(128 + number)


if __name__ == "__main__":
    main()

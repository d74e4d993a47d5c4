"""The process that runs SWI-Prolog: the only place that imports pyswip.

Its arguments are FOLDER MEGABYTES TEXT REQUEST REPLY ROWS..., the last being file
descriptors of nameless files it shares with its parent. A line on standard input asks for one request to be handled,
the same line on standard output says that it is done. When standard input ends, the process ends at once, whatever
Prolog is doing: nothing outlives the parent.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading

MISSING = 3  # exit code: SWI-Prolog or pyswip is not there


def watch_input(requests: queue.SimpleQueue[str]) -> None:
    for line in sys.stdin:
        requests.put(line)
    os._exit(0)


def limit_memory(megabytes: int) -> None:
    if megabytes:
        import resource

        # What Python and Prolog map without using it is not the user's concern, so some room is added.
        size = (megabytes + 1024) * 2**20
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        if hard == resource.RLIM_INFINITY or size < hard:
            resource.setrlimit(resource.RLIMIT_AS, (size, hard))


def main() -> None:
    folder, megabytes, *descriptors = sys.argv[1:]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=watch_input, args=(requests,), daemon=True).start()
    limit_memory(int(megabytes))
    try:
        from pyswip.prolog import Prolog
    except (ImportError, OSError) as error:
        print(error, file=sys.stderr)
        sys.exit(MISSING)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Prolog.consult(os.path.join(folder, "lrnn_server.pl"))
    paths = [f"'/dev/fd/{descriptor}'" for descriptor in descriptors]
    list(Prolog.query(f"lrnn_server:start([{', '.join(paths[:3])}], [{', '.join(paths[3:])}])"))
    print("ready", flush=True)
    while True:
        line = requests.get()
        list(Prolog.query("lrnn_server:handle"))
        sys.stdout.write(line)
        sys.stdout.flush()

"""The process that runs SWI-Prolog: the only place that imports pyswip.

Its arguments are MEGABYTES ANSWERS TEXT REQUEST REPLY ROWS..., all but the first being file descriptors: a pipe for
answers and nameless files that it shares with its parent. The current folder is that of our Prolog modules. A line on
standard input is the token of a request to be handled; the answer is a line of JSON: the token and what went wrong
with the reply, or nothing. When standard input ends, the process ends at once, whatever Prolog is doing: nothing
outlives the parent.
"""

from __future__ import annotations

import importlib.util
import json
import os
import queue
import signal
import sys
import threading
from typing import Any

MISSING = 3  # exit code: SWI-Prolog or pyswip is not there

C_STACK = 256 * 2**20
ARGUMENTS = ["swipl", "-q", "--no-signals", "-f", "none", "-F", "none", "--no-packs"]
"""SWI-Prolog without init files and packs."""
NEEDED = ("ctypes.util", "inspect", "pathlib")
"""What pyswip imports and takes long."""


def limit_memory(megabytes: int) -> None:
    if megabytes:
        import resource

        # What Python and Prolog map without using it is not the user's concern, so some room is added.
        size = (megabytes + 1024) * 2**20
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        if hard == resource.RLIM_INFINITY or size < hard:
            resource.setrlimit(resource.RLIMIT_AS, (size, hard))


def ask_for_library() -> int | None:
    """Let SWI-Prolog say where its shared library is, while modules are imported: what its answer is read from."""
    if "LIBSWIPL_PATH" in os.environ:
        return None
    answer, end = os.pipe()
    try:
        os.posix_spawnp(
            "swipl",
            ["swipl", "--dump-runtime-variables"],
            os.environ,
            file_actions=[(os.POSIX_SPAWN_DUP2, end, 1)],
        )
    except OSError:
        return None
    finally:
        os.close(end)
    return answer


def name_library(answer: int | None) -> None:
    """Tell pyswip what was answered. Where that says nothing, pyswip searches by itself."""
    if answer is None:
        return
    with open(answer, encoding="utf-8", errors="surrogateescape") as lines:
        words = dict(line.rstrip().rstrip(";").partition("=")[::2] for line in lines)
    library, home = (words.get(name, "").strip('"') for name in ("PLLIBSWIPL", "PLBASE"))
    if os.path.exists(library) and os.path.exists(home):
        os.environ |= {"LIBSWIPL_PATH": library, "SWI_HOME_DIR": home}


def start_prolog() -> Any:
    """SWI-Prolog, started with arguments of our own.

    The package pyswip starts it when it is imported, from a saved state in the current folder and with the user's
    init file. So its modules are imported without the package, and what it does later finds Prolog running.
    """
    answer = ask_for_library()
    package = importlib.util.find_spec("pyswip")
    if package is None:
        raise ImportError("No module named 'pyswip'")
    sys.modules["pyswip"] = importlib.util.module_from_spec(package)
    for name in NEEDED:
        importlib.import_module(name)
    name_library(answer)
    core = importlib.import_module("pyswip.core")
    arguments = [*ARGUMENTS, *([f"--home={core.SWI_HOME_DIR}"] if core.SWI_HOME_DIR else [])]
    if not core.PL_initialise(len(arguments), arguments):
        raise OSError("SWI-Prolog does not start")
    return importlib.import_module("pyswip.prolog").Prolog


def serve(requests: queue.SimpleQueue[str], answers: int, descriptors: list[str]) -> None:
    """Answer requests as they come."""
    prolog = start_prolog()
    paths = [f"'/dev/fd/{descriptor}'" for descriptor in descriptors]
    list(prolog.query("consult('lrnn_server.pl')"))
    list(prolog.query(f"lrnn_server:start([{', '.join(paths[:3])}], [{', '.join(paths[3:])}])"))
    with open(answers, "w", encoding="utf-8") as channel:
        while True:
            token = requests.get()
            outcome = list(prolog.query("lrnn_server:handle(Outcome)"))
            channel.write(json.dumps([token, str(outcome[0]["Outcome"])]) + "\n")
            channel.flush()


def run(*arguments: Any) -> None:
    """Serve until something goes wrong, and end the process then."""
    code = 1
    try:
        serve(*arguments)
    except (ImportError, OSError) as error:
        print(error, file=sys.stderr)
        code = MISSING
    finally:
        if code == 1:
            import traceback

            traceback.print_exc()
        sys.stderr.flush()
        os._exit(code)


def main() -> None:
    megabytes, answers, *descriptors = sys.argv[1:]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    limit_memory(int(megabytes))
    requests: queue.SimpleQueue[str] = queue.SimpleQueue()
    # Prolog reads and writes terms by recursion in C, so it gets a thread with a stack for terms of any sensible depth.
    threading.stack_size(C_STACK)
    threading.Thread(target=run, args=(requests, int(answers), descriptors), daemon=True).start()
    for line in sys.stdin:
        requests.put(line.strip())
    os._exit(0)

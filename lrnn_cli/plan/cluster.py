"""Tasks on a Dask cluster, https://distributed.dask.org: its workers run the commands in folders of their own.

A worker gets tasks and, unless all machines share the file, the data, once; what comes back are the files of a task.
The scheduler keeps both: a task of a worker that died is given to another one, and a worker that comes later has the
data, too.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import tempfile
import threading
import time
import traceback
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from lrnn_cli import __version__
from lrnn_cli.errors import EngineError, LrnnError
from lrnn_cli.evaluation.records import RECORD, DoneStep, Record
from lrnn_cli.language.files import make_folder, whole_output
from lrnn_cli.language.writing import visible
from lrnn_cli.plan.executors import Commands, Outcome, outcome_of
from lrnn_cli.plan.parts import LOG
from lrnn_cli.plan.tasks import SHOWN_LINES, Task, clear, run_task
from lrnn_cli.structure.side_by_side import Spread, side_by_side
from lrnn_cli.threads import one_thread

LOCAL = re.compile(r"local:([1-9][0-9]*)\Z")
LOOK = 0.05
"""Seconds between two looks at what has ended."""
COUNT = 1.0
"""Seconds between two questions how many workers there are, unless something has ended."""
QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.system-monitor.disk": False,
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.admin.tick.interval": "500ms",
}
"""Settings of clusters here: nobody looks at how workers do, which takes a twentieth of two processors otherwise."""
PATIENCE = 20
"""Seconds to reach a scheduler."""
RETRIES = 2
"""How often a task that fails for no fault of its data is tried again, on any worker."""
Item = TypeVar("Item")
Result = TypeVar("Result")
LOST = "the connection to the cluster is lost; what is done is kept, and the same call does the rest"


@dataclass(frozen=True)
class Returned:
    """What comes back from a worker: the exit code of the last command, and the files of the task."""

    code: int
    files: dict[str, bytes]


@contextmanager
def open_cluster(address: str) -> Iterator[Any]:
    """A client of the cluster at an address such as tcp://host:8786, or of new processes here, local:4."""
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError:
        raise LrnnError("clusters need Dask; install it with pip install 'lrnn[cluster]'") from None
    local = LOCAL.match(address)
    if not local and "://" not in address:
        message = "name a scheduler, such as tcp://host:8786, or processes here, local:4"
        raise LrnnError(f"--cluster {visible(address)}: {message}")
    with ExitStack() as closing:
        place: Any = address
        if local:
            settings = {"n_workers": int(local.group(1)), "threads_per_worker": 1, "memory_limit": None}
            closing.enter_context(dask.config.set(QUIET))
            place = closing.enter_context(
                LocalCluster(**settings, dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL)
            )
        try:
            client = closing.enter_context(Client(place, timeout=PATIENCE))
        except (OSError, ValueError, TypeError) as error:
            shown = visible(address)
            raise LrnnError(f"{shown}: the cluster does not answer: {error}; is its scheduler running?") from None
        yield client


@dataclass(frozen=True)
class DaskCluster:
    """Tasks by workers of a cluster, as many at a time as it has threads.

    shared: workers read the data by their path; otherwise the file is sent to them.
    """

    client: Any
    shared: bool = False

    def run(self, tasks: Sequence[Task], tell: Callable[[Sequence[Task]], None]) -> Iterator[Outcome]:
        paths = {} if self.shared else {task.digest: task.data for task in tasks}

        def submit(task: Task) -> Any:
            path = os.path.abspath(task.data) if self.shared else None
            return _asked(self.client.submit, run_elsewhere, task, path, __version__, pure=False)

        with _sent(self.client, {digest: Path(path).read_bytes() for digest, path in paths.items()}):
            for task, future in _ended(self.client, tasks, submit, tell):
                yield _outcome(task, future)


def _here() -> Spread:
    return side_by_side


@dataclass(frozen=True)
class OnCluster:
    """What members of an ensemble, or tasks for parts of data, do, by workers of a cluster; see `Spread` and `Each`."""

    client: Any

    def __reduce__(self) -> tuple[object, ...]:
        """What a worker does it does there."""
        return _here, ()

    def __call__(
        self, task: Callable[[int], Result], count: int, jobs: int, expected: tuple[type[Exception], ...] = ()
    ) -> Iterator[Result]:
        return self.each(task, int, count, expected)

    def each(
        self,
        task: Callable[[Item], Result],
        item: Callable[[int], Item],
        count: int,
        expected: tuple[type[Exception], ...] = (),
    ) -> Iterator[Result]:
        """The results of a task for item(0), item(1), ..., in their order; each is made when a worker can take it."""
        from distributed.protocol.pickle import dumps

        content = dumps(task)
        digest = hashlib.sha256(content).hexdigest()
        log = f"lrnn-{uuid.uuid4()}"

        def submit(number: int) -> Any:
            place = number, log
            words = digest, item(number), place, expected, __version__
            return _asked(self.client.submit, run_item, *words, pure=False, retries=RETRIES)

        results: dict[int, Result] = {}
        given = 0
        with _sent(self.client, {digest: content}):
            for number, future in _ended(self.client, range(count), submit):
                results[number] = self._result(future, number, count, log)
                while given in results:
                    yield results.pop(given)
                    given += 1

    def _result(self, future: Any, number: int, count: int, log: str) -> Any:
        """The result of an item; errors are raised as they were there, others with what the task said."""
        if future.status == "error":
            events = _asked(self.client.get_events, log)
            said = [text for _, (place, text) in events if place == number][-SHOWN_LINES:]
            why = f"{type(future.exception()).__name__}: {future.exception()}"
            message = f"part {number + 1} of {count} of the work was given up by the cluster: {why}"
            raise EngineError("\n".join([f"{message}; its log ends with", *said] if said else [message]))
        result, error = future.result()
        if error is not None:
            raise error
        return result


def _ended(
    client: Any,
    items: Sequence[Item],
    submit: Callable[[Item], Any],
    tell: Callable[[Sequence[Item]], None] = lambda items: None,
) -> Iterator[tuple[Item, Any]]:
    """Submit all items, and give each with its future when that has ended; tell: called with those that run."""
    left = list(reversed(items))
    running: dict[Any, Item] = {}
    counted, threads = -COUNT, 1
    try:
        while left or running:
            if left and time.monotonic() - counted >= COUNT:
                counted, threads = time.monotonic(), max(1, sum(_asked(client.nthreads).values()))
            # No more than run at once: a task that waits behind one that kills its worker is killed, too.
            while left and len(running) < threads:
                item = left.pop()
                running[submit(item)] = item
            done = [future for future in running if future.done()]
            for future in done:
                if future.status not in ("finished", "error"):
                    raise LrnnError(LOST)
                yield running.pop(future), future
            tell(list(running.values()))
            if done:
                counted = -COUNT
            else:
                time.sleep(LOOK)
    finally:
        with suppress(LrnnError):
            _asked(client.cancel, list(running), force=True)


def _asked(question: Callable[..., Any], *words: Any, **options: Any) -> Any:
    """The answer of the scheduler, if it is still there."""
    try:
        return question(*words, **options)
    except (OSError, RuntimeError, TimeoutError):
        raise LrnnError(LOST) from None


@contextmanager
def _sent(client: Any, content: dict[str, bytes]) -> Iterator[None]:
    """Files are, by their digests, in the folder of each worker meanwhile, of those that come later, too."""
    from distributed import WorkerPlugin

    class Sent(WorkerPlugin):  # type: ignore[misc]
        """Writes files when a worker starts."""

        def __init__(self, content: dict[str, bytes]) -> None:
            self.content = content

        def setup(self, worker: Any) -> None:
            for digest, content in self.content.items():
                Path(worker.local_directory, digest).write_bytes(content)

        def teardown(self, worker: Any) -> None:
            for digest in self.content:
                Path(worker.local_directory, digest).unlink(missing_ok=True)

    name = f"lrnn-{uuid.uuid4()}"
    _asked(client.register_plugin, Sent(content), name=name)
    try:
        yield
    finally:
        with suppress(LrnnError):
            _asked(client.unregister_worker_plugin, name)


def _sent_file(digest: str) -> str:
    """On a worker: the path of a file that was sent to it."""
    from distributed import get_worker

    return os.path.abspath(os.path.join(get_worker().local_directory, digest))


def _check_version(version: str) -> None:
    if version != __version__:
        raise LrnnError(f"this worker has lrnn {__version__}, the plan is of {version}; install one version everywhere")


def run_item(
    digest: str, item: Any, place: tuple[int, str], expected: tuple[type[Exception], ...], version: str
) -> tuple[Any, Exception | None]:
    """What a worker does: a task of which it was sent a copy, for one item; errors of users are results, too.

    place: the number of the item, and the name of the log that the scheduler keeps of all of them.
    """
    from distributed.protocol.pickle import loads

    _check_version(version)
    task = loads(Path(_sent_file(digest)).read_bytes())
    handed_on: tuple[type[Exception], ...] = (LrnnError, MemoryError, *expected)
    with _logged(*place) as tell:
        try:
            with one_thread():
                return task(item), None
        except handed_on as error:
            return None, error
        except Exception:
            for line in traceback.format_exc().splitlines():
                tell(line)
            raise


@contextmanager
def _logged(number: int, log: str) -> Iterator[Callable[[str], None]]:
    """On a worker: what a task says goes to the scheduler, so that it is there when the worker is no more."""
    from distributed import get_worker

    worker, thread = get_worker(), threading.get_ident()

    def tell(text: str) -> None:
        worker.log_event(log, (number, f"{worker.address} {text}"))

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.thread == thread:
                tell(record.getMessage())

    handler = Handler()
    LOG.setLevel(logging.INFO)
    LOG.addHandler(handler)
    try:
        yield tell
    finally:
        LOG.removeHandler(handler)


def run_elsewhere(task: Task, path: str | None, version: str) -> Returned:
    """What a worker does: the commands of a task, in a folder that is gone afterwards; without a path on sent data."""
    _check_version(version)
    with tempfile.TemporaryDirectory(prefix="lrnn-") as name:
        folder, data = Path(name) / "task", path
        if data is None:
            # It has the name that the user gave it: whether it is compressed shows in it.
            data = os.path.join(name, os.path.basename(task.data))
            os.symlink(_sent_file(task.digest), data)
        code = run_task(task, Commands().run, data, str(folder))
        # Messages name files as the user does.
        names = {data: task.data, str(folder): task.folder}
        return Returned(code, {name: _renamed(content, names) for name, content in _content(folder)})


def _content(folder: Path) -> Iterator[tuple[str, bytes]]:
    return ((str(path.relative_to(folder)), path.read_bytes()) for path in folder.rglob("*") if path.is_file())


def _renamed(content: bytes, names: dict[str, str]) -> bytes:
    for here, there in names.items():
        content = content.replace(os.fsencode(here), os.fsencode(there))
    return content


def _outcome(task: Task, future: Any) -> Outcome:
    """Put the files of a task where they belong; a task that was lost leaves a record that says why."""
    place = Path(task.folder)
    clear(task, place)
    if future.status == "finished":
        returned: Returned = future.result()
        # The record comes last: it makes the others count.
        for name, content in sorted(returned.files.items(), key=lambda item: item[0] == RECORD):
            make_folder(str((place / name).parent))
            with whole_output(str(place / name)) as file:
                file.write(content)
        return outcome_of(task, returned.code)
    why = f"{type(future.exception()).__name__}: {future.exception()}"
    make_folder(str(place))
    Record(task.asked(), task.seed, steps=(DoneStep("cluster", task.name, message=why),)).write(place)
    return Outcome(task, 1, why)

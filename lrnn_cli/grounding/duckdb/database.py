"""DuckDB, shut off from everything but a temporary folder of its own, with limits on time and memory."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING

import numpy as np

from lrnn_cli.engine.resources import os_refusal
from lrnn_cli.errors import EngineError, LimitError
from lrnn_cli.grounding.grounder import GrounderOptions

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def check_installed() -> None:
    try:
        import duckdb  # noqa: F401
    except ImportError as error:
        raise EngineError(f"DuckDB can't be used: {error}\nInstall it with `pip install 'lrnn[duckdb]'`.") from None


def connect(options: GrounderOptions, folder: str) -> DuckDBPyConnection:
    """A database in memory that moves what is beyond the limit of memory to `folder`."""
    import duckdb

    # Rows are put in order where that matters, so DuckDB need not keep any.
    settings: dict[str, str | bool | int | float | list[str]] = {
        "threads": options.jobs,
        "temp_directory": folder,
        "preserve_insertion_order": False,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    if options.memory_limit:
        settings["memory_limit"] = f"{max(options.memory_limit, options.table_memory // 2**21)}MiB"
    if options.table_memory:
        settings["max_temp_directory_size"] = f"{options.table_memory // 2}B"
    connection = duckdb.connect(":memory:", config=settings)
    connection.execute("SET enable_progress_bar = false")
    connection.execute("SET python_enable_replacements = false")
    connection.execute("SET allow_persistent_secrets = false")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


class Database:
    """Tables of integers, used as a context manager. `deadline` is a time of `time.monotonic()`.

    Statements run in a thread, so that Ctrl-C and the end of the time are noticed while DuckDB works.
    """

    def __init__(self, options: GrounderOptions, deadline: float | None) -> None:
        self.options = options
        self.deadline = deadline
        self._tables = 0
        # A limit may be met while DuckDB starts, which takes long enough for that.
        with ExitStack() as opened:
            try:
                self.folder = opened.enter_context(tempfile.TemporaryDirectory(prefix="lrnn-"))
            except OSError as error:
                raise os_refusal("DuckDB has no temporary folder", error) from None
            self._connection = opened.enter_context(connect(options, self.folder))
            self._thread = opened.enter_context(ThreadPoolExecutor(1))
            self._opened = opened.pop_all()

    def __enter__(self) -> Database:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._opened.close()

    def run(self, sql: str) -> dict[str, np.ndarray]:
        """Execute a statement; the columns of its result."""
        import duckdb

        work = self._thread.submit(lambda: self._connection.execute(sql).fetchnumpy())
        try:
            left = None if self.deadline is None else max(0.0, self.deadline - time.monotonic())
            if not wait([work], left).done:
                raise LimitError(
                    f"DuckDB was stopped after {self.options.time_limit:g} s. Look for rules with very many "
                    "groundings, or allow more with --time-limit."
                )
            return work.result()
        except duckdb.OutOfMemoryException:
            limit = f"{self.options.memory_limit} MB" if self.options.memory_limit else "four fifths of all"
            raise LimitError(
                f"DuckDB needed more than {limit} of memory. Allow more with --memory-limit, or use fewer --jobs."
            ) from None
        except duckdb.IOException as error:
            what = str(error).splitlines()[0]
            raise EngineError(
                f"DuckDB can't write to its temporary folder: {what}; set TMPDIR to a folder with more space"
            ) from None
        finally:
            # An interrupt that comes before the statement starts is lost, so it is repeated.
            while not work.done():
                self._connection.interrupt()
                wait([work], 0.1)

    def new_name(self) -> str:
        self._tables += 1
        return f"t{self._tables}"

    def store(self, name: str, columns: Mapping[str, np.ndarray]) -> str:
        """Make a table of these columns, arrays of shape (rows,)."""
        view = {key: np.ascontiguousarray(column, np.int32) for key, column in columns.items()}
        self._connection.register("arrays", view)
        self.run(f"CREATE TABLE {name} AS SELECT * FROM arrays")
        self._connection.unregister("arrays")
        return name

    def create(self, sql: str) -> tuple[str, int]:
        """Make a table of what a statement selects; its name and how many rows it has."""
        name = self.new_name()
        return name, int(self.run(f"CREATE TABLE {name} AS {sql}")["Count"][0])

    def drop(self, names: Iterable[str]) -> None:
        for name in names:
            self.run(f"DROP TABLE {name}")

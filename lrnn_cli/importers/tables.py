"""Tables of CSV, Parquet and SQLite files: keys become objects and relations, other columns attributes.

    customer(id, age, city)        age(customer_1, 63).  city(customer_1, 'Brno').
    purchase(id, customer_id, sum) customer_id(purchase_7, customer_1).  sum(purchase_7, 12.5).
    likes(customer_id, product_id) likes(customer_1, product_4).

Keys are those that a database declares. Elsewhere the key of a table is a column called id, or after the table, or its
first column, if no value is missing or repeated; a column called after another table or its key refers to it. Whole
numbers as keys get the name of their table; names stay names. Where `table.column` is the target, it is asked.
"""

from __future__ import annotations

import datetime
import decimal
import itertools
import math
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lrnn_cli.errors import LrnnError
from lrnn_cli.importers.delimited import delimited, looks_delimited
from lrnn_cli.importers.imported_data import CONSTANT, NUMBER, Fact, ImportedData, Query, grouped_notes
from lrnn_cli.importers.importer import Options, Sources
from lrnn_cli.importers.interpretation import Interpretation, imported_interpretation
from lrnn_cli.importers.labels import is_message, targets
from lrnn_cli.language.clauses import Predicate, quoted
from lrnn_cli.language.writing import visible
from lrnn_cli.limits import most_text

DELIMITED = (".csv", ".tsv")
MOST_FAULTS = 20
PARQUET, SQLITE = b"PAR1", b"SQLite format 3\0"
FEW = 10
"""A column of whole numbers with more different values than this is one of numbers, else of constants."""
VALUE = 16
"""Bytes of text that a value is counted as, beside its own."""
LARGEST_VALUE = 2**30 - 1
AT_ONCE = 1000
"""Rows."""
INTEGER = re.compile(r"-?(0|[1-9]\d{0,17})\Z")
FLOAT = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?\Z")
REFERENCE = re.compile(r"(?P<table>\w+?)_(id|ID|Id)\Z")
Notes = list[tuple[str, str]]


@dataclass
class SourceTable:
    """Rows of values, None for missing ones; keys and references as declared, then as found."""

    file: str
    name: str
    columns: list[str]
    rows: list[tuple[Any, ...]]
    key: list[str] = field(default_factory=list)
    refers: dict[str, str] = field(default_factory=dict)
    """The table that a column refers to by its key."""
    lines: list[int] = field(default_factory=list)

    def values(self, column: str) -> list[Any]:
        place = self.columns.index(column)
        return [row[place] for row in self.rows]

    def place(self, row: int) -> str:
        return f"{self.file}:{self.lines[row]}:1" if self.lines else f"{self.file}: {self.name}, row {row + 1}"


class Tables:
    name = "tables"
    what = "tables: CSV, Parquet and SQLite files"
    options = frozenset({"target", "positive", "negative", "classes", "examples"})

    def recognises(self, sources: Sources) -> bool:
        return all(map(sources.files.__contains__, _table_files(sources))) and bool(_table_files(sources))

    def read(self, sources: Sources, options: Options) -> ImportedData:
        notes: Notes = []
        tables = [table for path in sources.files for table in _read(sources, path, notes)]
        twice = [name for name, count in Counter(table.name for table in tables).items() if count > 1]
        if twice:
            raise LrnnError(f"{sources.title}: there are two tables called {visible(twice[0])}; rename a file")
        _find_keys(tables, notes)
        world = _world(tables, _target(tables, options, sources.title), options, notes)
        return imported_interpretation(world, options.examples, sources.title, grouped_notes(notes))


def _table_files(sources: Sources) -> list[str]:
    return [path for path in sources.files if _kind(sources, path)]


def _kind(sources: Sources, path: str) -> str:
    start = sources.content(path)[:16]
    if start.startswith(PARQUET):
        return "parquet"
    if start == SQLITE:
        return "sqlite"
    lowered = path.lower().removesuffix(".gz")
    named = lowered.endswith(DELIMITED) or path == "-"
    return "delimited" if named and len(looks_delimited(sources.head(path))) > (path == "-") else ""


def _read(sources: Sources, path: str, notes: Notes) -> list[SourceTable]:
    kind = _kind(sources, path)
    if kind in ("parquet", "sqlite"):
        _check_whole(sources, path, kind)
        return [_parquet(path, notes)] if kind == "parquet" else _sqlite(path, notes)
    if kind == "delimited" or len(sources.files) == 1:
        return [_delimited(sources, path)]
    notes.append((visible(path), "not used: this is no table"))
    return []


def _check_whole(sources: Sources, path: str, kind: str) -> None:
    """Libraries open these files by their names; of a database that is cut short SQLite reads what is there."""
    name, content = sources.name(path), sources.content(path)
    if path == "-" or Path(path).stat().st_size != len(content):
        what = "a database" if kind == "sqlite" else "a Parquet file"
        raise LrnnError(f"{name}: {what} is read from a file that is not compressed; unpack it into one")
    # In the header of a database: bytes of a page, 1 for 65,536, and pages, where the same version wrote both.
    page, pages = int.from_bytes(content[16:18], "big"), int.from_bytes(content[28:32], "big")
    if kind == "sqlite" and content[24:28] == content[92:96] and len(content) < pages * (65_536 if page == 1 else page):
        raise LrnnError(f"{name}: this database is cut short; fetch or make it again")


def _table_name(path: str) -> str:
    name = "table" if path == "-" else Path(path).name.partition(".")[0]
    return re.sub(r"\W+", "_", name) or "table"


# Reading


def _delimited(sources: Sources, path: str) -> SourceTable:
    """Columns are whole numbers, numbers or names; empty cells are missing values."""
    name, text = sources.text(path, "a table with a header line")
    read = delimited(name, text)
    columns = [_typed([row[place] for row in read.rows]) for place in range(len(read.columns))]
    return SourceTable(name, _table_name(path), read.columns, list(zip(*columns, strict=True)), lines=read.lines)


def _typed(cells: list[str]) -> list[Any]:
    given = [cell for cell in cells if cell]
    for pattern, kind in ((INTEGER, int), (FLOAT, float)):
        if given and all(map(pattern.match, given)):
            return [kind(cell) if cell else None for cell in cells]
    return [cell or None for cell in cells]


def _parquet(path: str, notes: Notes) -> SourceTable:
    try:
        import duckdb
    except ImportError:
        raise LrnnError("DuckDB is needed to read Parquet files; install it with pip install 'lrnn[duckdb]'") from None
    if any(sign in path for sign in "*?["):
        raise LrnnError(f"{visible(path)}: DuckDB takes such a name for a pattern; rename the file")
    settings: dict[str, Any] = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
    # Without one it would make a folder for what does not fit into memory in the current one.
    settings["temp_directory"] = ""
    try:
        with duckdb.connect(":memory:", config=settings) as database:
            described = database.execute("DESCRIBE SELECT * FROM read_parquet(?)", [path]).fetchall()
            # Python would need another package for times with zones.
            zones = [_identifier(name) for name, kind, *_ in described if kind.endswith("WITH TIME ZONE")]
            replaced = f" REPLACE ({', '.join(f'{name}::VARCHAR AS {name}' for name in zones)})" if zones else ""
            result = database.execute(f"SELECT *{replaced} FROM read_parquet(?)", [path])
            columns = [str(column[0]) for column in result.description or []]
            pieces = iter(lambda: result.fetchmany(AT_ONCE), [])
            rows = _bounded((row for piece in pieces for row in piece), visible(path))
    except (duckdb.OutOfMemoryException, MemoryError):
        raise _too_large(visible(path)) from None
    except duckdb.Error as error:
        message = str(error).partition("\n")[0]
        raise LrnnError(f"{visible(path)}: this Parquet file can't be read: {visible(message)}") from None
    return _without_strange(SourceTable(visible(path), _table_name(path), columns, rows), notes)


def _sqlite(path: str, notes: Notes) -> list[SourceTable]:
    """The tables of a database; views and tables of extensions are not read. The file is never written."""
    name = visible(path)
    tables = []
    try:
        database = sqlite3.connect(f"{Path(path).resolve().as_uri()}?mode=ro&immutable=1", uri=True)
        try:
            database.execute("PRAGMA trusted_schema = OFF")
            if hasattr(database, "setlimit") and most_text():
                # Columns can be computed from others when they are read. Python 3.11 can bound such values.
                database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(most_text(), LARGEST_VALUE))
            listed = database.execute("SELECT name, type, sql FROM sqlite_schema ORDER BY rowid").fetchall()
            for table, kind, sql in listed:
                if kind == "view" or (kind == "table" and re.match(r"\s*CREATE\s+VIRTUAL", sql or "", re.IGNORECASE)):
                    notes.append((name, f"{visible(table)} is a view or of an extension, and not read"))
                elif kind == "table" and not table.startswith("sqlite_"):
                    tables.append(_without_strange(_sqlite_table(database, name, table), notes))
        finally:
            database.close()
    except MemoryError:
        raise _too_large(name) from None
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise LrnnError(f"{name}: this database can't be read: {visible(str(error))}") from None
    if not tables:
        raise LrnnError(f"{name}: there is no table in this database")
    return tables


def _sqlite_table(database: sqlite3.Connection, file: str, name: str) -> SourceTable:
    result = database.execute(f"SELECT * FROM {_identifier(name)}")
    columns = [str(column[0]) for column in result.description]
    rows = _bounded(result, file)
    info = database.execute(f"PRAGMA table_info({_identifier(name)})").fetchall()
    key = [column for _, column, _, _, _, rank in sorted(info, key=lambda row: int(row[5])) if rank]
    references = database.execute(f"PRAGMA foreign_key_list({_identifier(name)})").fetchall()
    composed = Counter(row[0] for row in references)
    refers = {row[3]: row[2] for row in references if composed[row[0]] == 1}
    return SourceTable(file, name, columns, rows, key, refers)


def _too_large(file: str) -> LrnnError:
    return LrnnError(f"{file}: a table needs more memory than may be taken; allow more with --memory-limit")


def _bounded(rows: Iterable[tuple[Any, ...]], file: str) -> list[tuple[Any, ...]]:
    """All rows, if memory is allowed for them: small files can have many values, and long ones, again and again."""
    most = most_text()
    kept: list[tuple[Any, ...]] = []
    size = 0
    for row in rows:
        size += sum(VALUE + (len(value) if isinstance(value, str | bytes) else 0) for value in row)
        if most and size > most:
            raise LrnnError(
                f"{file}: memory is not allowed for more than {len(kept):,} rows of this table; use a smaller part, or "
                "allow more with --memory-limit"
            )
        kept.append(row)
    return kept


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _without_strange(table: SourceTable, notes: Notes) -> SourceTable:
    """Binary and nested values are left out, column by column."""
    strange = {
        column
        for place, column in enumerate(table.columns)
        if any(isinstance(row[place], bytes | list | dict | tuple) for row in table.rows)
    }
    for column in sorted(strange):
        notes.append((table.file, f"{visible(f'{table.name}.{column}')} has binary or nested values and is left out"))
    kept = [place for place, column in enumerate(table.columns) if column not in strange]
    rows = [tuple(row[place] for place in kept) for row in table.rows]
    columns = [table.columns[place] for place in kept]
    key = table.key if not strange & set(table.key) else []
    return SourceTable(table.file, table.name, columns, rows, key, table.refers, table.lines)


# Keys


def _find_keys(tables: list[SourceTable], notes: Notes) -> None:
    """Keys and references that are not declared, by names and values."""
    for table in tables:
        if not table.key:
            table.key = _key(table, {"id", *_called(table.name)})
    named = {form for table in tables for form in _called(table.name) | _own_key(table)}
    for table in tables:
        if not table.key and table.columns[0].lower() not in named and not REFERENCE.match(table.columns[0]):
            table.key = _key(table, {table.columns[0].lower()})
    by_name = {table.name: table for table in tables}
    for table in tables:
        declared = {column: other for column, other in table.refers.items() if other in by_name}
        table.refers = {**_references(table, tables), **declared}
        for column, name in table.refers.items():
            if name in by_name:
                _check_references(table, column, by_name[name], notes)


def _key(table: SourceTable, names: set[str]) -> list[str]:
    """The column with one of these names, if no value is missing or repeated."""
    return next(([column] for column in table.columns if column.lower() in names and _is_key(table.values(column))), [])


def _references(table: SourceTable, tables: list[SourceTable]) -> dict[str, str]:
    """The tables that columns refer to by their names: given ones, else x of x_id."""
    references = {}
    for column in table.columns:
        others = [
            other.name
            for other in tables
            if other is not table and len(other.key) == 1 and column.lower() in _called(other.name) | _own_key(other)
        ]
        match = REFERENCE.match(column)
        if others:
            references[column] = others[0]
        elif match and [column] != table.key:
            references[column] = match["table"].lower()
    return references


def _check_references(table: SourceTable, column: str, other: SourceTable, notes: Notes) -> None:
    known = set(other.values(other.key[0])) if len(other.key) == 1 else set()
    unknown = {value for value in table.values(column) if value is not None} - known
    if unknown:
        what, shown = visible(f"{table.name}.{column}"), visible(str(min(unknown, key=str)))
        notes.append(
            (table.file, f"{what}: {len(unknown)} values are no keys of {visible(other.name)}, such as {shown}")
        )


def _called(name: str) -> set[str]:
    """How columns that hold keys of a table may be called."""
    words = {name.lower(), name.lower().removesuffix("s")}
    return {form for word in words for form in (word, f"{word}_id", f"{word}id", f"id_{word}")}


def _own_key(table: SourceTable) -> set[str]:
    return {table.key[0].lower()} - {"id", "name"} if len(table.key) == 1 else set()


def _is_key(values: list[Any]) -> bool:
    return None not in values and len(set(values)) == len(values) and not any(isinstance(v, float) for v in values)


# Facts


@dataclass(frozen=True)
class _Subject:
    """What the attributes of a table are about: for each row its objects, and their sorts."""

    columns: list[str]
    objects: list[tuple[str, ...]]
    sorts: tuple[str, ...]


def _target(tables: list[SourceTable], options: Options, title: str) -> tuple[str, str] | None:
    if options.target is None:
        return None
    table, _, column = options.target.rpartition(".")
    owners = [other for other in tables if (other.name == table or not table) and column in other.columns]
    if len(owners) != 1:
        what = "several tables have" if owners else "there is no"
        names = ", ".join(visible(f"{other.name}.{column}") for other in tables for column in other.columns)
        raise LrnnError(f"{title}: {what} {visible(options.target)}; --target is one of {names}")
    return owners[0].name, column


def _world(tables: list[SourceTable], target: tuple[str, str] | None, options: Options, notes: Notes) -> Interpretation:
    world = Interpretation()
    columns = Counter(column for table in tables for column in table.columns)
    taken = {table.name for table in tables}
    by_name = {table.name: table for table in tables}
    for table in tables:
        subject = _subject(table, by_name)
        rest = [column for column in table.columns if column not in subject.columns]
        if len(subject.sorts) > 1 or not rest:
            _add(world, Predicate(table.name, len(subject.sorts)), subject.sorts, subject.objects)
        for column in rest:
            alone = columns[column] == 1 and column not in taken and len(subject.sorts) == 1
            name = column if alone else f"{table.name}_{column}"
            if (table.name, column) == target:
                _ask(world, table, column, name, subject, options, notes)
            else:
                _add_column(world, table, column, name, subject, by_name)
    if target is None:
        files = ", ".join(dict.fromkeys(table.file for table in tables))
        notes.append((files, "no queries: name what is to be predicted with --target table.column"))
    return world


def _subject(table: SourceTable, by_name: dict[str, SourceTable]) -> _Subject:
    """The key, else the references of a row where they tell rows apart, else the row itself."""
    if len(table.key) == 1:
        (column,) = table.key
        # A key that refers to another table is the object of that one.
        owner = table.refers.get(column, table.name)
        return _Subject([column], [(_object(owner, value),) for value in table.values(column)], (owner,))
    references = [column for column in table.columns if column in table.refers]
    columns = table.key if table.key and set(table.key) <= set(references) else references
    keys = list(zip(*(table.values(column) for column in columns), strict=True)) if columns else []
    if columns and not any(None in key for key in keys) and len(set(keys)) == len(keys):
        sorts = tuple(table.refers[column] for column in columns)
        return _Subject(
            columns,
            [tuple(_object(sort, value) for sort, value in zip(sorts, key, strict=True)) for key in keys],
            sorts,
        )
    return _Subject([], [(quoted(f"{table.name}_{row + 1}"),) for row in range(len(table.rows))], (table.name,))


def _object(table: str, value: Any) -> str:
    """A key as the name of an object."""
    return quoted(value) if isinstance(value, str) else quoted(f"{table}_{value}")


def _add(world: Interpretation, predicate: Predicate, sorts: tuple[str, ...], arguments: list[tuple[str, ...]]) -> None:
    world.sorts[predicate] = sorts
    world.facts += [Fact(predicate.name, row) for row in arguments]


def _add_column(
    world: Interpretation,
    table: SourceTable,
    column: str,
    name: str,
    subject: _Subject,
    by_name: dict[str, SourceTable],
) -> None:
    values = table.values(column)
    other = table.refers.get(column)
    sort = other if other is not None else _value_sort(values)
    texts = [
        None if value is None else _object(other, value) if other is not None else _value(value) for value in values
    ]
    rows = [(*objects, text) for objects, text in zip(subject.objects, texts, strict=True) if text is not None]
    if rows:
        _add(world, Predicate(name, len(subject.sorts) + 1), (*subject.sorts, sort), rows)


def _value_sort(values: list[Any]) -> str:
    given = {value for value in values if value is not None}
    if all(isinstance(value, int | float | decimal.Decimal) and not isinstance(value, bool) for value in given):
        whole = all(isinstance(value, int) for value in given)
        return CONSTANT if whole and len(given) <= FEW else NUMBER
    return CONSTANT


def _value(value: Any) -> str | None:
    """A value as a Prolog constant; None for numbers that are none."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float | decimal.Decimal):
        number = float(value)
        return repr(number) if math.isfinite(number) else None
    if isinstance(value, datetime.date | datetime.time):
        return quoted(value.isoformat())
    return quoted(str(value))


def _ask(
    world: Interpretation,
    table: SourceTable,
    column: str,
    name: str,
    subject: _Subject,
    options: Options,
    notes: Notes,
) -> None:
    values = table.values(column)
    given = [row for row, value in enumerate(values) if value is not None]
    if not given:
        raise LrnnError(f"{table.file}: all values of {visible(f'{table.name}.{column}')} are missing")
    labels = [_label(values[row]) for row in given]
    asked = targets(labels, options, f"{table.file}: {visible(f'{table.name}.{column}')}")
    wrong: dict[str, list[int]] = {}
    for row, target in zip(given, asked, strict=True):
        if is_message(target):
            wrong.setdefault(str(target), []).append(row)
    if wrong:
        raise LrnnError("\n".join(itertools.islice(_faults(table, wrong), MOST_FAULTS)))
    if len(given) < len(values):
        notes.append(
            (table.file, f"{len(values) - len(given)} rows of {visible(table.name)} have no target and no query")
        )
    world.sorts[Predicate(name, len(subject.sorts))] = subject.sorts
    world.queries += [Query(Fact(name, subject.objects[row]), target) for row, target in zip(given, asked, strict=True)]


def _faults(table: SourceTable, wrong: dict[str, list[int]]) -> Iterator[str]:
    """What is wrong with some rows, each message once."""
    for message, rows in wrong.items():
        more = f" (and {len(rows) - 1} more like it)" if len(rows) > 1 else ""
        yield f"{table.place(rows[0])}: {message}{more}"


def _label(value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    return str(value)

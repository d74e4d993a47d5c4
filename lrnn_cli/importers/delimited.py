"""Delimited text: a header line, then rows with as many cells, divided by commas, semicolons or tabs."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

from lrnn_cli.errors import Fault, LrnnError, ReadError, faults_error
from lrnn_cli.language.writing import visible

DIVIDERS = ",;\t"
LONGEST_CELL = 1 << 24


@dataclass(frozen=True)
class Delimited:
    """A table: names of columns, rows of cells without blanks around them, and the line where each row ends."""

    name: str
    columns: list[str]
    rows: list[list[str]]
    lines: list[int]

    def no_column(self, column: str) -> LrnnError:
        known = ", ".join(map(visible, self.columns))
        return LrnnError(f"{self.name}:1:1: there is no column {visible(column)}; columns are {known}")


def divider(header: str) -> str:
    """The sign that divides the header line into most columns."""
    return max(DIVIDERS, key=header.count)


def looks_delimited(head: str) -> list[str]:
    """The columns of a text that looks like a table: a header and, if there is more, a row with as many cells."""
    lines = head.split("\n")
    if not lines[0].strip():
        return []
    rows = list(csv.reader(lines[:2], delimiter=divider(lines[0])))
    columns = [cell.strip() for cell in rows[0]]
    alike = len(rows) < 2 or not rows[1] or len(rows[1]) == len(columns) or '"' in lines[1]
    return columns if alike else []


def delimited(name: str, text: str) -> Delimited:
    """Read a table; rows of another length than the header are faults."""
    header = text.partition("\n")[0]
    csv.field_size_limit(LONGEST_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=divider(header), strict=True)
    faults: list[Fault] = []
    rows: list[list[str]] = []
    lines: list[int] = []
    try:
        columns = [cell.strip() for cell in next(reader)]
        for row in reader:
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != len(columns):
                message = f"there are {len(row)} cells, and the header has {len(columns)}; is one missing, or a quote?"
                faults.append(Fault(reader.line_num, 1, message))
            rows.append([cell.strip() for cell in row])
            lines.append(reader.line_num)
    except csv.Error as error:
        faults.append(Fault(max(1, reader.line_num), 1, f"this is not CSV: {error}; mend the quotes"))
        raise faults_error(name, faults) from None
    doubled = sorted({column for column in columns if columns.count(column) > 1})
    if doubled or not all(columns):
        what = f"the column {visible(doubled[0])} is there twice" if doubled and doubled[0] else "a column has no name"
        faults.append(Fault(1, 1, f"{what}; give each a name of its own"))
    if faults:
        raise faults_error(name, faults)
    if not rows:
        raise ReadError(f"{name}: there is no row after the header line")
    return Delimited(name, columns, rows, lines)

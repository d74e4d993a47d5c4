"""Files in and out: `-` is standard input or output, `.gz` is compressed, output appears only when it is whole."""

from __future__ import annotations

import errno
import gzip
import io
import math
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from lrnn_cli.errors import Fault, LrnnError, ReadError, faults_error, system_message
from lrnn_cli.language.writing import visible
from lrnn_cli.limits import MB, most_text

COMPRESSED = b"\x1f\x8b"
"""What gzip begins with."""


@dataclass(frozen=True)
class Source:
    """The text of a Prolog file, UTF-8."""

    name: str
    text: bytes

    @property
    def digest(self) -> str:
        import hashlib

        return hashlib.sha256(self.text).hexdigest()


def read_bytes(path: str) -> tuple[str, bytes]:
    """The name to show and the uncompressed content of a file."""
    if path == "":
        raise ReadError("the name of an input file is empty; name a file, or - for standard input")
    name = "<stdin>" if path == "-" else visible(path)
    with _readable(name):
        if path == "-":
            content = _bounded(sys.stdin.buffer, name)
        else:
            with Path(path).open("rb") as file:
                content = _bounded(file, name)
        if name.endswith(".gz") or content[:2] == COMPRESSED:
            with _unpacking(name, content[:2]), gzip.GzipFile(fileobj=io.BytesIO(content)) as unpacked:
                content = _bounded(unpacked, name)
    return name, content


@contextmanager
def open_input(path: str) -> Iterator[IO[bytes]]:
    """The uncompressed content of a file that is no pipe, to be read piece by piece."""
    name = visible(path)
    with _readable(name), Path(path).open("rb") as file:
        start = file.read(2)
        file.seek(0)
        if not name.endswith(".gz") and start != COMPRESSED:
            yield file
            return
        with _unpacking(name, start), gzip.GzipFile(fileobj=file) as unpacked:
            yield unpacked  # type: ignore[misc]


@contextmanager
def _readable(name: str) -> Iterator[None]:
    """What is wrong with a file that can't be read."""
    try:
        yield
    except FileNotFoundError:
        raise ReadError(f"{name}: there is no such file") from None
    except IsADirectoryError:
        remedy = f"name a file in it, or let `lrnn import {name}` make data of a folder of another system"
        raise ReadError(f"{name}: this is a folder; {remedy}") from None
    except OSError as error:
        raise ReadError(f"{name}: can't be read: {system_message(error)}") from None


@contextmanager
def _unpacking(name: str, start: bytes) -> Iterator[None]:
    """What is wrong with a compressed file, of which the first two bytes are given."""
    try:
        yield
    except EOFError:
        raise ReadError(f"{name}: the compressed file is cut short; fetch or make it again") from None
    except (gzip.BadGzipFile, zlib.error):
        if start != COMPRESSED:
            raise ReadError(f"{name}: the name ends in .gz, but the file is not compressed; rename it") from None
        raise ReadError(f"{name}: the compressed file is damaged; fetch or make it again") from None


def _bounded(stream: IO[bytes] | gzip.GzipFile, name: str) -> bytes:
    """All that a stream has, if memory is allowed for it: no more than that is ever read or decompressed."""
    most = most_text()
    content = stream.read(most + 1) if most else stream.read()
    if most and len(content) > most:
        raise ReadError(
            f"{name}: there are more than {most // MB:,} MB of text, and memory is not allowed for the facts of more; "
            "use a smaller part, or allow more with --memory-limit"
        )
    return content


def read_source(path: str, what: str) -> Source:
    """Read the Prolog text at `path`; `what` says what is expected there."""
    return checked_source(*read_bytes(path), what)


def checked_source(name: str, content: bytes, what: str) -> Source:
    """Text that has been read already, if it is text."""
    if content[:4] == b"PK\x03\x04":
        raise ReadError(f"{name}: this is a grounding file or another archive; {what} is expected here")
    if content.startswith(b"\xef\xbb\xbf"):
        content = content[3:]
    if not content.strip():
        raise ReadError(f"{name}: the file is empty; {what} is expected here")
    if b"\0" in content:
        raise ReadError(f"{name}: this is a binary file; {what} is expected here")
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        line_start = content.rfind(b"\n", 0, error.start) + 1
        column = len(content[line_start : error.start].decode("utf-8")) + 1
        message = f"byte 0x{content[error.start]:02x} is not UTF-8; convert the file, for example with iconv"
        raise faults_error(name, [Fault(line, column, message)]) from None
    return Source(name, content)


def check_writable(path: str | None) -> None:
    """Complain now rather than after long work."""
    if path is None or path == "-":
        return
    if path == "":
        raise LrnnError("the name of the output file is empty; name a file, or - for standard output")
    name = visible(path)
    if os.path.isdir(path):
        raise LrnnError(f"{name}: this is a folder; name a file in it")
    if _is_special(path):
        if not os.access(path, os.W_OK):
            raise LrnnError(f"{name}: no permission to write to it")
        return
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise LrnnError(f"{name}: the folder {visible(folder)} does not exist; make it first")
    if not os.access(folder, os.W_OK):
        raise LrnnError(f"{name}: no permission to write in {visible(folder)}")


def _is_special(path: str) -> bool:
    """A device or a pipe: it is written to, and never replaced by a file."""
    return os.path.exists(path) and not os.path.isfile(path)


def make_folder(path: str) -> None:
    """Make a folder and those it is in; it is fine if it is there."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        message = f"{visible(path)}: this folder can't be made: {system_message(error)}; choose another"
        raise LrnnError(message) from None


@contextmanager
def whole_output(path: str) -> Iterator[IO[bytes]]:
    """A binary file that appears at `path` when the block ends well, and leaves no trace otherwise.

    What has appeared is on the disk: it survives a crash of the machine.
    """
    check_writable(path)
    if path == "-" or _is_special(path):
        buffer = io.BytesIO()
        yield buffer
        _write_through(path, buffer.getvalue())
        return
    try:
        target = Path(os.path.realpath(path))
        temporary = target.with_name(f".{target.name[:40]}.{os.getpid()}.part")
        # A file of this name is what a process that was killed left behind.
        temporary.unlink(missing_ok=True)
        try:
            with open(temporary, "xb") as raw:
                if path.endswith(".gz"):
                    # NumPy moves about in the file. No name and time: the same content gives the same bytes.
                    buffer = io.BytesIO()
                    yield buffer
                    with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as compressed:
                        compressed.write(buffer.getbuffer())
                else:
                    yield raw
                raw.flush()
                os.fsync(raw.fileno())
            os.replace(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)
        _keep_name(target.parent)
    except OSError as error:
        raise LrnnError(f"{visible(path)}: can't be written: {system_message(error)}") from None


def _keep_name(folder: Path) -> None:
    """A new name in a folder is on the disk when the folder is; some file systems can't be told to write it."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)


def _write_through(path: str, content: bytes) -> None:
    """Write to standard output, a device or a pipe."""
    if path == "-":
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    try:
        with open(path, "wb") as file:
            file.write(content)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise LrnnError(f"{visible(path)}: can't be written: {system_message(error)}") from None


def write_text(path: str, text: str) -> None:
    """All text that leaves for a file or for standard output goes this way, and nothing in it moves a cursor."""
    with whole_output(path) as file:
        file.write(visible(text, "\n\t").encode())


def write_figures(folder: str, figures: dict[str, str]) -> None:
    """Files by name in a folder, which is made if it is not there."""
    make_folder(folder)
    for name, text in figures.items():
        write_text(os.path.join(folder, name), text)


def finite_number(text: str) -> float | None:
    """The number that a text stands for, None where it stands for none or for an infinite one."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None

"""A data file in parts, cut where lines begin a new model; no more than a part of it is ever in memory."""

from __future__ import annotations

import bisect
import codecs
import hashlib
import os
import re
import zlib
from dataclasses import dataclass, replace

from lrnn_cli.errors import ReadError
from lrnn_cli.language.files import Source, checked_source, open_input
from lrnn_cli.language.writing import visible

BLOCK = 2**24
LARGEST = 64_000_000
"""Parts whose number is not given have no more bytes than this."""
BEGINNING = re.compile(rb"^begin\(model\(", re.MULTILINE)


@dataclass(frozen=True)
class FilePart:
    """The bytes `start` up to `stop` of a file, which come after so many lines; packed: these bytes, if they are known.

    What is read of it has empty lines in place of those before, so that messages name lines of the file.
    """

    path: str
    name: str
    start: int
    stop: int
    lines: int
    packed: bytes | None = None

    def source(self, what: str) -> Source:
        """Its text; `what` says what is expected there."""
        text = self._read() if self.packed is None else zlib.decompress(self.packed)
        if len(text) < self.stop - self.start:
            raise ReadError(f"{self.name}: the file is shorter than it was; start again when it stays as it is")
        return checked_source(self.name, b"\n" * self.lines + text, what)

    def sent(self) -> FilePart:
        """The same with its bytes."""
        return replace(self, packed=zlib.compress(self._read(), 1))

    def _read(self) -> bytes:
        with open_input(self.path) as file:
            file.seek(self.start)
            return file.read(self.stop - self.start)


@dataclass(frozen=True)
class FileParts:
    """A file that has been looked through: what it is called, the digest of its text, and its parts."""

    name: str
    digest: str
    parts: tuple[FilePart, ...]

    def whole(self) -> FileParts:
        """The same as one part."""
        return replace(self, parts=(replace(self.parts[0], stop=self.parts[-1].stop),))


def file_parts(path: str, count: int | None, least: int = 1) -> FileParts:
    """A file in so many parts of about one size, fewer where it has not so many models.

    Where no number is given there are at least so many, and more where they would be too large.
    """
    digest = hashlib.sha256()
    begins: list[tuple[int, int]] = []
    start = lines = 0
    rest = b""
    with open_input(path) as file:
        while block := file.read(BLOCK):
            if not start and not lines and not rest and block.startswith(codecs.BOM_UTF8):
                start, block = len(codecs.BOM_UTF8), block[len(codecs.BOM_UTF8) :]
            digest.update(block)
            block = rest + block
            end = block.rfind(b"\n") + 1
            begins += _begins(block[:end], start, lines)
            start, lines, rest = start + end, lines + block.count(b"\n", 0, end), block[end:]
    begins += _begins(rest, start, lines)
    size = start + len(rest)
    if count is None:
        count = max(least, -(-size // LARGEST))
    cuts = [(0, 0)]
    for number in range(1, count):
        # The first model is in the first part, with what stands before it.
        place = bisect.bisect_left(begins, (max(cuts[-1][0] + 1, size * number // count), 0), 1)
        if place < len(begins):
            cuts.append(begins[place])
    ends = [offset for offset, _ in cuts[1:]] + [size]
    name, place_of = visible(path), os.path.abspath(path)
    parts = (FilePart(place_of, name, offset, end, line) for (offset, line), end in zip(cuts, ends, strict=True))
    return FileParts(name, digest.hexdigest(), tuple(parts))


def _begins(text: bytes, start: int, lines: int) -> list[tuple[int, int]]:
    """Where models begin in lines of a file, and how many lines stand before; the text starts after so much of both."""
    begins = []
    counted = 0
    for match in BEGINNING.finditer(text):
        lines += text.count(b"\n", counted, match.start())
        counted = match.start()
        begins.append((start + counted, lines))
    return begins

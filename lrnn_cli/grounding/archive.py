"""Arrays in a file, with a digest of all of them: NumPy's .npz, read without trust.

What comes in is bytes that may be anything; what goes out are arrays of numbers of three kinds, no larger than the file
says they are, or a `DamagedError`.
"""

from __future__ import annotations

import hashlib
import io
import math
import zipfile
import zlib
from typing import IO

import numpy as np

from lrnn_cli.language.files import whole_output

KINDS = (np.dtype(np.uint8), np.dtype(np.int32), np.dtype(np.float64))
MAGIC = b"PK\x03\x04"
DIGEST = "digest"
UNPACKED = 2**28
"""Files that unpack to no more bytes than this are read however small they are packed."""
RATIO = 500
"""Larger ones unpack to no more than so many times their size; groundings to far less, a file made to harm to more."""


class DamagedError(Exception):
    """The bytes are not those of arrays that were written here."""


def write_archive(path: str, arrays: dict[str, np.ndarray]) -> None:
    """Write arrays, and a digest of them."""
    digest = np.frombuffer(_digest(arrays), np.uint8)
    with whole_output(path) as file:
        np.savez_compressed(file, allow_pickle=False, **arrays, **{DIGEST: digest})


def read_archive(content: bytes) -> tuple[dict[str, np.ndarray], bool]:
    """The arrays, and whether a digest vouches for them; it is an error if one does not fit."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            _check_sizes(members, len(content))
            arrays = {}
            for member in members:
                with archive.open(member) as file:
                    arrays[member.filename.removesuffix(".npy")] = _array(file, member.file_size)
    except (ValueError, EOFError, OSError, RuntimeError, OverflowError, zipfile.BadZipFile, zlib.error) as error:
        # RuntimeError is what zipfile raises for flags it does not know.
        raise DamagedError(str(error)) from None
    digest = arrays.pop(DIGEST, None)
    if digest is None:
        return arrays, False
    if digest.tobytes() != _digest(arrays):
        raise DamagedError("the digest does not fit")
    return arrays, True


def _check_sizes(members: list[zipfile.ZipInfo], size: int) -> None:
    """Before anything is unpacked: no two arrays in one place or of one name, and not too much in all."""
    if sum(member.compress_size for member in members) > size:
        raise DamagedError("arrays overlap")
    if len({member.filename for member in members}) < len(members):
        raise DamagedError("two arrays have one name")
    unpacked = sum(member.file_size for member in members)
    if unpacked > max(UNPACKED, RATIO * size):
        raise DamagedError(f"it would unpack to {unpacked:,} bytes")


def _array(file: IO[bytes], size: int) -> np.ndarray:
    """An array of one of our kinds in the format of NumPy, all of whose bytes are there."""
    version = np.lib.format.read_magic(file)
    if version != (1, 0):
        raise DamagedError("another version of the format of NumPy")
    shape, by_columns, kind = np.lib.format.read_array_header_1_0(file)
    if kind not in KINDS:
        raise DamagedError(f"numbers of the type {kind}")
    content = file.read(size)
    if any(length < 0 for length in shape) or math.prod(shape) * kind.itemsize != len(content) or file.read(1):
        raise DamagedError("an array has another size than it says")
    return np.frombuffer(content, kind).reshape(shape, order="F" if by_columns else "C")


def _digest(arrays: dict[str, np.ndarray]) -> bytes:
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.data if array.size else b"")
    return digest.digest()

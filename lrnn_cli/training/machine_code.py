"""Compiled code without its compiler: kept on disk as machine code, and called through tables of addresses.

numba takes half a second until a function that it has compiled before can be called, LLVM, which it compiles with, a
tenth of that. So numba is imported only where there is no code yet, or where that is damaged.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import numpy as np

from lrnn_cli.errors import LrnnError
from lrnn_cli.language.files import whole_output

LIBRARIES = ("libm.so.6", "libc.so.6", "libSystem.dylib")
"""Where machine code finds the functions of C, such as exp; those that a system has."""
SIGNATURE = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p)
"""Functions of a table of integers and addresses, and one of other numbers."""


class Code(NamedTuple):
    """Machine code of a function.

    layout: of its arguments; unused: names of functions that it is linked to, but calls in case of an error only
    """

    function: str
    layout: list[Any]
    unused: list[str]
    machine_code: bytes


def layout(value: Any) -> Any:
    """What an argument is made of: named tuples with their fields, arrays of one dimension, numbers."""
    if isinstance(value, tuple):
        return [type(value).__name__, *map(layout, value)]
    if isinstance(value, np.ndarray):
        assert value.ndim == 1 and value.flags.c_contiguous
        return _array_of(value.dtype)
    return "bool" if isinstance(value, bool | np.bool_) else "float" if isinstance(value, float) else "int"


@cache
def _array_of(kind: np.dtype[Any]) -> str:
    """How an array is written; NumPy puts the name of a kind together each time that it is asked for."""
    return f"{kind.name}[]"


def leaves(values: Iterable[Any]) -> Iterator[Any]:
    """The arrays and numbers that arguments are made of."""
    for value in values:
        if isinstance(value, tuple):
            yield from leaves(value)
        else:
            yield value


def tables(arguments: Sequence[Any]) -> tuple[np.ndarray, np.ndarray]:
    """Integers, with the address and the length of each array, and other numbers, in their order."""
    integers: list[int] = []
    numbers: list[float] = []
    for value in leaves(arguments):
        if isinstance(value, np.ndarray):
            integers += (value.ctypes.data, len(value))
        elif isinstance(value, float):
            numbers.append(value)
        else:
            integers.append(int(value))
    return np.array(integers, np.int64), np.array(numbers)


def target_machine() -> Any:
    """This machine, as LLVM compiles for it."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=3,
        reloc="default" if os.uname().machine not in ("x86_64", "i386") else "static",
        codemodel="jitdefault",
        jit=True,
    )


class Loaded:
    """Machine code that can be called."""

    def __init__(self, code: Code) -> None:
        for name in LIBRARIES:
            with contextlib.suppress(RuntimeError):
                llvm.load_library_permanently(name)
        ending = ctypes.cast(ctypes.CDLL(None).abort, ctypes.c_void_p).value
        for name in code.unused:
            if llvm.address_of_symbol(name) is None:
                llvm.add_symbol(name, ending)
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target_machine())
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code.machine_code))
        self._engine.finalize_object()
        self._function = SIGNATURE(self._engine.get_function_address(code.function))
        self._layout = code.layout

    def __call__(self, *arguments: Any) -> float:
        layouts = list(map(layout, arguments))
        if layouts != self._layout:
            raise TypeError(f"compiled code for {self._layout} is called with {layouts}")
        integers, numbers = tables(arguments)
        return float(self._function(integers.ctypes.data, numbers.ctypes.data))


class KeptCode:
    """A function whose machine code is kept: that of another run, or what `compile` gives for the first arguments.

    sources: files that the code depends on.
    """

    def __init__(self, name: str, sources: Sequence[Path], compile: Callable[[Sequence[Any]], Code]) -> None:
        self._compile = compile
        self._loaded: Loaded | None = None
        content = [llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten(), str(llvm.llvm_version_info)]
        digest = hashlib.blake2b("\n".join(content).encode(), digest_size=16)
        for file in [*sources, *_version_of_numba()]:
            with contextlib.suppress(OSError):
                digest.update(file.read_bytes())
        self._path = cache_folder(sources[0]) / f"{name}-{digest.hexdigest()}.code"
        code = read_code(self._path)
        if code is not None:
            self._loaded = Loaded(code)

    @property
    def is_there(self) -> bool:
        """Whether it need not be compiled."""
        return self._loaded is not None

    def __call__(self, *arguments: Any) -> float:
        if self._loaded is None:
            # Another process may have compiled it since this one began.
            self._loaded = Loaded(read_code(self._path) or self._compiled(arguments))
        return self._loaded(*arguments)

    def _compiled(self, arguments: Sequence[Any]) -> Code:
        code = self._compile(arguments)
        # Where it can't be kept, it is compiled again the next time.
        with contextlib.suppress(LrnnError, OSError):
            write_code(self._path, code)
        return code


def cache_folder(source: Path) -> Path:
    """Where code is kept: a folder of the user's choice, else beside the program or, if that can't be, the user's."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return Path(chosen)
    return source.parent / "__pycache__" if os.access(source.parent, os.W_OK) else Path.home() / ".cache" / "lrnn"


def _version_of_numba() -> list[Path]:
    """The file that says which numba there is, without importing it."""
    numba = find_spec("numba")
    return [Path(numba.origin).with_name("_version.py")] if numba and numba.origin else []


def write_code(path: Path, code: Code) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    content = json.dumps(code[:-1]).encode() + b"\n" + code.machine_code
    with whole_output(str(path)) as file:
        file.write(hashlib.sha256(content).digest() + content)


def read_code(path: Path) -> Code | None:
    """What was kept in a file, None if nothing was or not all of it is there as it was."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    if hashlib.sha256(content[32:]).digest() != content[:32]:
        return None
    head, _, machine_code = content[32:].partition(b"\n")
    function, arguments, unused = json.loads(head)
    return Code(function, arguments, unused, machine_code)

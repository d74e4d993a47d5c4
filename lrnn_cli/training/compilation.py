"""Machine code from functions of Python. Importing this module imports numba."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.numpy_support import carray

from lrnn_cli.training.machine_code import Code, layout, leaves, target_machine

UNUSED = ("numba_", "NRT_", "Py", "_Py")
"""What functions for errors and for memory that Python owns begin with; arrays that are handed over are not owned."""
types: Any = numba.types
njit: Any = numba.njit(error_model="numpy")


def machine_code(function: Callable[..., Any], arguments: Sequence[Any]) -> Code:
    """The code of a function of arguments that are like these; the function is compiled by numba, or can be."""
    environment: dict[str, Any] = {"carray": carray, "function": function}
    for value in leaves(arguments):
        if isinstance(value, np.ndarray):
            environment[f"read_{value.dtype.name}"] = _reader(value.dtype)
    text = _entry(arguments, environment)
    exec(text, environment)
    signature = types.float64(types.CPointer(types.int64), types.CPointer(types.float64))
    compiled = numba.cfunc(signature, error_model="numpy")(environment["entry"])
    module = llvm.parse_assembly(compiled.inspect_llvm())
    declared = [item for item in [*module.functions, *module.global_variables] if item.is_declaration]
    unused = [item for item in declared if item.name.startswith(UNUSED)]
    for item in unused:
        # Under their own names numba, if it comes later, would take what they are linked to for the functions.
        item.name = f"lrnn_unused_{item.name}"
    names = sorted(item.name for item in unused)
    return Code(compiled.native_name, list(map(layout, arguments)), names, target_machine().emit_object(module))


def _as_pointer(context: Any, address: Any) -> Any:
    """An address as a pointer: its type, and how LLVM computes it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(types.int64), generate


_pointer: Any = intrinsic(_as_pointer)


def _reader(kind: np.dtype[Any]) -> Callable[..., Any]:
    """A compiled function from an address and a length to the array there."""

    def read(address: int, length: int) -> Any:
        return carray(_pointer(address), (length,), kind)

    compiled: Callable[..., Any] = njit(read)
    return compiled


def _entry(arguments: Sequence[Any], environment: dict[str, Any]) -> str:
    """The text of a function that takes arguments out of tables, in the order of `tables`, and calls `function`."""
    integers = numbers = 0

    def text(value: Any) -> str:
        nonlocal integers, numbers
        if isinstance(value, tuple):
            environment[type(value).__name__] = type(value)
            return f"{type(value).__name__}({', '.join(map(text, value))})"
        kind = layout(value)
        if kind == "float":
            numbers += 1
            return f"numbers[{numbers - 1}]"
        integers += 2 if kind.endswith("[]") else 1
        if kind.endswith("[]"):
            return f"read_{kind[:-2]}(integers[{integers - 2}], integers[{integers - 1}])"
        return f"bool(integers[{integers - 1}])" if kind == "bool" else f"integers[{integers - 1}]"

    call = f"function({', '.join(map(text, arguments))})"
    return f"""
def entry(first, second):
    integers = carray(first, {integers})
    numbers = carray(second, {numbers})
    return {call}
"""

"""How kernels are compiled: those that Python calls, and the parts of them that only kernels call.

A trap for those who change kernels: numba's cache notices changes of the file that a kernel is in, but not of the files
with its parts. Delete `__pycache__/*.nb*` after a change of a part that kernels in other files call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from llvmlite import ir
from numba import njit, types
from numba.core.cgutils import get_item_pointer
from numba.extending import intrinsic

F = TypeVar("F", bound=Callable[..., Any])
_njit: Any = njit  # its types know only some of its options


def kernel(function: F) -> F:
    """Give a function that is compiled at its first call; the code is kept on disk, for the next process."""
    compiled: F = _njit(nogil=True, cache=True)(function)
    return compiled


def part(function: F) -> F:
    """Give a function that kernels can call, but not Python: without the code for that a fifth less is compiled."""
    compiled: F = _njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)
    return compiled


def lean(function: F) -> F:
    """Give a part that makes no arrays: references to those that it is given are not counted.

    Counting them at each call took three quarters of the time of a look-up in a table.
    """
    compiled: F = _njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False)(function)
    return compiled


def inlined(function: F) -> F:
    """Give a part that is copied into its callers: in an inner loop a call would spend more on references."""
    compiled: F = _njit(nogil=True, inline="always")(function)
    return compiled


@intrinsic
def prefetch(typing: Any, array: Any, row: Any, column: Any) -> Any:  # numba's own types
    """Begin to load an item of a two-dimensional array into the cache; no check of bounds, and no effect but on time."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.args[0]
        struct = context.make_array(kind)(context, builder, arguments[0])
        pointer = get_item_pointer(context, builder, kind, struct, list(arguments[1:]), wraparound=False)
        byte = ir.IntType(8).as_pointer()
        number = ir.IntType(32)
        function = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        call = builder.module.declare_intrinsic("llvm.prefetch", [byte], function)
        builder.call(call, [builder.bitcast(pointer, byte), number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, types.intp, types.intp), emit

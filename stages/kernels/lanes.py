"""What vector units and caches can do and Python cannot say: compare a cache line at once, load ahead of need.

Each is a few instructions of LLVM, for any processor; none checks bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

Numba: TypeAlias = Any  # objects of numba's and llvmlite's, which ship no types
LANES = 16  # of 32 bits: 64 bytes, a cache line
_BYTE, _INT, _LONG = ir.IntType(8), ir.IntType(32), ir.IntType(64)
_LINE = ir.VectorType(_INT, LANES)


def _emitted(function: Callable[..., Numba]) -> Callable[..., int]:
    """Give the call of what a function emits; its first argument is numba's own."""
    made: Callable[..., int] = intrinsic(function)
    return made


def _pointer(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
    kind = signature.args[0]
    array = context.make_array(kind)(context, builder, arguments[0])
    codegen: Numba = cgutils  # not typed
    return codegen.get_item_pointer(context, builder, kind, array, list(arguments[1:3]), wraparound=False)


@_emitted
def prefetch(_typing: Numba, array: Numba, row: Numba, column: Numba) -> Numba:
    """Begin to load the cache line of an item of a two-dimensional array, without waiting for it."""

    def emit(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
        pointer = builder.bitcast(_pointer(context, builder, signature, arguments), _BYTE.as_pointer())
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, _INT, _INT, _INT])
        call = builder.module.declare_intrinsic("llvm.prefetch", [pointer.type], kind)
        builder.call(call, [pointer, _INT(0), _INT(3), _INT(1)])  # to read, into the innermost cache, data
        return context.get_dummy_value()

    return types.void(array, types.intp, types.intp), emit


@_emitted
def equal_lanes(_typing: Numba, array: Numba, row: Numba, column: Numba, wanted: Numba) -> Numba:
    """Compare 16 items of a row of a two-dimensional uint32 array with a value: bit i is set where item i equals it."""

    def emit(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
        pointer = builder.bitcast(_pointer(context, builder, signature, arguments), _LINE.as_pointer())
        first = builder.insert_element(ir.Constant(_LINE, ir.Undefined), arguments[3], _INT(0))
        alike = builder.shuffle_vector(first, first, ir.Constant(_LINE, [0] * LANES))
        equal = builder.icmp_unsigned("==", builder.load(pointer, align=4), alike)
        return builder.zext(builder.bitcast(equal, ir.IntType(LANES)), _LONG)

    return types.int64(array, types.intp, types.intp, types.uint32), emit


@_emitted
def lowest_lane(_typing: Numba, lanes: Numba) -> Numba:
    """Give the number of the lowest bit that is set; one has to be."""

    def emit(_context: Numba, builder: Numba, _signature: Numba, arguments: Numba) -> Numba:
        return builder.cttz(arguments[0], ir.IntType(1)(1))

    return types.int64(types.int64), emit

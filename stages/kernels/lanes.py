"""What vector units and caches can do and Python cannot say: compare a cache line at once, load ahead of need.

Each is a few instructions of LLVM, for any processor; none checks bounds.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core.cgutils import get_item_pointer
from numba.extending import intrinsic

LANES = 16  # of 32 bits: 64 bytes, a cache line
_BYTE, _INT, _LONG = ir.IntType(8), ir.IntType(32), ir.IntType(64)
_LINE = ir.VectorType(_INT, LANES)


def _pointer(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind = signature.args[0]
    array = context.make_array(kind)(context, builder, arguments[0])
    return get_item_pointer(context, builder, kind, array, list(arguments[1:3]), wraparound=False)


@intrinsic
def prefetch(_typing: Any, array: Any, row: Any, column: Any) -> Any:
    """Begin to load the cache line of an item of a two-dimensional array, without waiting for it."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = builder.bitcast(_pointer(context, builder, signature, arguments), _BYTE.as_pointer())
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, _INT, _INT, _INT])
        call = builder.module.declare_intrinsic("llvm.prefetch", [pointer.type], kind)
        builder.call(call, [pointer, _INT(0), _INT(3), _INT(1)])  # to read, into the innermost cache, data
        return context.get_dummy_value()

    return types.void(array, types.intp, types.intp), emit


@intrinsic
def equal_lanes(_typing: Any, array: Any, row: Any, column: Any, wanted: Any) -> Any:
    """Compare 16 items of a row of a two-dimensional uint32 array with a value: bit i is set where item i equals it."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = builder.bitcast(_pointer(context, builder, signature, arguments), _LINE.as_pointer())
        first = builder.insert_element(ir.Constant(_LINE, ir.Undefined), arguments[3], _INT(0))
        alike = builder.shuffle_vector(first, first, ir.Constant(_LINE, [0] * LANES))
        equal = builder.icmp_unsigned("==", builder.load(pointer, align=4), alike)
        return builder.zext(builder.bitcast(equal, ir.IntType(LANES)), _LONG)

    return types.int64(array, types.intp, types.intp, types.uint32), emit


@intrinsic
def lowest_lane(_typing: Any, lanes: Any) -> Any:
    """Give the number of the lowest bit that is set; one has to be."""

    def emit(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.IntType(1)(1))

    return types.int64(types.int64), emit

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
BYTES = 32
_BYTE, _INT, _LONG = ir.IntType(8), ir.IntType(32), ir.IntType(64)
_LINE, _TEXT = ir.VectorType(_INT, LANES), ir.VectorType(_BYTE, BYTES)


def emitted(function: Callable[..., Numba]) -> Callable[..., int]:
    """Give the call of what a function emits; its first argument is numba's own."""
    made: Callable[..., int] = intrinsic(function)
    return made


def pointer_to(context: Numba, builder: Numba, kind: Numba, value: Numba, place: Numba) -> Numba:
    """Emit the pointer to an item of an array, without a question whether a place counts from the end."""
    array = context.make_array(kind)(context, builder, value)
    codegen: Numba = cgutils  # not typed
    return codegen.get_item_pointer(context, builder, kind, array, list(place), wraparound=False)


def _text(context: Numba, builder: Numba, kind: Numba, value: Numba, place: Numba) -> Numba:
    return builder.bitcast(pointer_to(context, builder, kind, value, [place]), _TEXT.as_pointer())


def _all(value: int) -> Numba:
    return ir.Constant(_TEXT, [value] * BYTES)


@emitted
def prefetch(_typing: Numba, array: Numba, row: Numba, column: Numba) -> Numba:
    """Begin to load the cache line of an item of a two-dimensional array, without waiting for it."""

    def emit(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
        pointer = builder.bitcast(
            pointer_to(context, builder, signature.args[0], arguments[0], arguments[1:3]), _BYTE.as_pointer()
        )
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, _INT, _INT, _INT])
        call = builder.module.declare_intrinsic("llvm.prefetch", [pointer.type], kind)
        builder.call(call, [pointer, _INT(0), _INT(3), _INT(1)])  # to read, into the innermost cache, data
        return context.get_dummy_value()

    return types.void(array, types.intp, types.intp), emit


@emitted
def equal_lanes(_typing: Numba, array: Numba, row: Numba, column: Numba, wanted: Numba) -> Numba:
    """Compare 16 items of a row of a two-dimensional uint32 array with a value: bit i is set where item i equals it."""

    def emit(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
        pointer = builder.bitcast(
            pointer_to(context, builder, signature.args[0], arguments[0], arguments[1:3]), _LINE.as_pointer()
        )
        first = builder.insert_element(ir.Constant(_LINE, ir.Undefined), arguments[3], _INT(0))
        alike = builder.shuffle_vector(first, first, ir.Constant(_LINE, [0] * LANES))
        equal = builder.icmp_unsigned("==", builder.load(pointer, align=4), alike)
        return builder.zext(builder.bitcast(equal, ir.IntType(LANES)), _LONG)

    return types.int64(array, types.intp, types.intp, types.uint32), emit


@emitted
def lowest_lane(_typing: Numba, lanes: Numba) -> Numba:
    """Give the number of the lowest bit that is set; one has to be."""

    def emit(_context: Numba, builder: Numba, _signature: Numba, arguments: Numba) -> Numba:
        return builder.cttz(arguments[0], ir.IntType(1)(1))

    return types.int64(types.int64), emit


@emitted
def bytes_below(_typing: Numba, data: Numba, at: Numba, limit: Numba) -> Numba:
    """Compare the 32 bytes at a place with a limit: bit i is set where byte i is below it."""

    def emit(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
        value = builder.trunc(arguments[2], _BYTE)
        first = builder.insert_element(ir.Constant(_TEXT, ir.Undefined), value, _INT(0))
        limits = builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(_INT, BYTES), [0] * BYTES))
        text = builder.load(_text(context, builder, signature.args[0], *arguments[:2]), align=1)
        below = builder.icmp_unsigned("<", text, limits)
        return builder.zext(builder.bitcast(below, ir.IntType(BYTES)), _LONG)

    return types.int64(data, types.intp, types.int64), emit


@emitted
def copy_folded(_typing: Numba, data: Numba, at: Numba, out: Numba, to: Numba) -> Numba:
    """Copy 32 bytes of ASCII: capital letters as small ones, and all below a space as a space."""

    def emit(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
        text = builder.load(_text(context, builder, signature.args[0], *arguments[:2]), align=1)
        capital = builder.icmp_unsigned("<", builder.sub(text, _all(ord("A"))), _all(26))
        small = builder.select(capital, builder.add(text, _all(32)), text)
        blank = builder.icmp_unsigned("<", small, _all(32))
        folded = builder.select(blank, _all(32), small)
        builder.store(folded, _text(context, builder, signature.args[2], *arguments[2:]), align=1)
        return context.get_dummy_value()

    return types.void(data, types.intp, out, types.intp), emit

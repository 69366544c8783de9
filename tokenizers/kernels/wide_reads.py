"""Reads of many bytes at once that the kernels of tokenization add to those of `schemas/text_lanes.py`."""

from __future__ import annotations

from llvmlite import ir
from numba import types

from headrace.schemas.lanes import Numba, emitted, pointer_to

_BYTE, _INT, _LONG = ir.IntType(8), ir.IntType(32), ir.IntType(64)
_TEXT, _FOUR = ir.VectorType(_BYTE, 64), ir.VectorType(_INT, 4)


def _all(builder: Numba, value: Numba) -> Numba:
    first = builder.insert_element(ir.Constant(_TEXT, ir.Undefined), builder.trunc(value, _BYTE), _INT(0))
    return builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(_INT, 64), [0] * 64))


@emitted
def bits_between(_typing: Numba, data: Numba, at: Numba, first: Numba, last: Numba) -> Numba:
    """Tell which of the 64 bytes from a place on lie between two others, both included."""

    def emit(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
        data, at, first, last = arguments
        place = pointer_to(context, builder, signature.args[0], data, [at])
        text = builder.load(builder.bitcast(place, _TEXT.as_pointer()), align=1)
        above = builder.sub(text, _all(builder, first))
        inside = builder.icmp_unsigned("<=", above, _all(builder, builder.sub(last, first)))
        return builder.bitcast(inside, _LONG)

    return types.uint64(data, types.intp, types.int64, types.int64), emit


@emitted
def copy_four(_typing: Numba, rows: Numba, row: Numba, column: Numba, out: Numba, to: Numba) -> Numba:
    """Copy four numbers of 32 bits from a row of a table to a flat array."""

    def emit(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
        rows, row, column, out, to = arguments
        source = pointer_to(context, builder, signature.args[0], rows, [row, column])
        target = pointer_to(context, builder, signature.args[3], out, [to])
        four = builder.load(builder.bitcast(source, _FOUR.as_pointer()), align=4)
        builder.store(four, builder.bitcast(target, _FOUR.as_pointer()), align=4)
        return context.get_dummy_value()

    return types.void(rows, types.intp, types.intp, out, types.intp), emit


@emitted
def item_at(_typing: Numba, items: Numba, at: Numba) -> Numba:
    """Give an item of a flat array of bytes or codes, without a question whether the place counts from the end."""

    def emit(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
        place = pointer_to(context, builder, signature.args[0], arguments[0], arguments[1:])
        return builder.zext(builder.load(place), _LONG)

    return types.int64(items, types.intp), emit


@emitted
def word_at(_typing: Numba, words: Numba, at: Numba) -> Numba:
    """Give a number of 64 bits, as `item_at` gives a smaller one."""

    def emit(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
        return builder.load(pointer_to(context, builder, signature.args[0], arguments[0], arguments[1:]))

    return types.uint64(words, types.intp), emit

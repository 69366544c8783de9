"""Copying 32 bytes of text at once, and finding the first of them that may not be copied so.

A few instructions of LLVM, for any processor; bounds are not checked.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types

from headrace.schemas.lanes import BYTES, Numba, emitted, pointer_to

_LONG, _MASK = ir.IntType(64), ir.IntType(BYTES)
_TEXT = ir.VectorType(ir.IntType(8), BYTES)
_RANGES = 5
_SPACES = ir.Constant(_TEXT, [ord(" ")] * BYTES)


def _lanes(context: Numba, builder: Numba, kind: Numba, array: Numba, *place: Numba) -> Numba:
    return builder.bitcast(pointer_to(context, builder, kind, array, place), _TEXT.as_pointer())


def _mask(builder: Numba, lanes: Numba) -> Numba:
    return builder.zext(builder.bitcast(lanes, _MASK), _LONG)


@emitted
def copy_lanes(_typing: Numba, data: Numba, at: Numba, out: Numba, to: Numba, stops: Numba) -> Numba:
    """Copy 32 bytes; bit i of what comes back says that byte i is in a range of `stops`, bit 32 + i that it is a space.

    Rows 2 * r and 2 * r + 1 of `stops` hold, 32 times each, the first byte of range r and how many follow it.
    """

    def emit(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
        data, at, out, to, stops = arguments
        text = builder.load(_lanes(context, builder, signature.args[0], data, at), align=1)
        builder.store(text, _lanes(context, builder, signature.args[2], out, to), align=1)

        def within(number: int) -> Numba:
            rows = (
                _lanes(context, builder, signature.args[4], stops, _LONG(2 * number + row), _LONG(0)) for row in (0, 1)
            )
            first, behind = (builder.load(row, align=1) for row in rows)
            return builder.icmp_unsigned("<=", builder.sub(text, first), behind)

        found = within(0)
        for number in range(1, _RANGES):
            found = builder.or_(found, within(number))
        spaces = _mask(builder, builder.icmp_unsigned("==", text, _SPACES))
        return builder.or_(_mask(builder, found), builder.shl(spaces, _LONG(BYTES)))

    return types.uint64(data, types.intp, out, types.intp, stops), emit

"""Copying 32 bytes of text at once, and finding the first of them that may not be copied so.

A few instructions of LLVM, for any processor; bounds are not checked. Tables of bytes hold each of them 32 times.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types

from headrace.schemas.lanes import BYTES, Numba, emitted, pointer_to
from headrace.tokenizers.kernels.normalize_tables import STOP_RANGES, SWAPS

_LONG, _MASK = ir.IntType(64), ir.IntType(BYTES)
_TEXT = ir.VectorType(ir.IntType(8), BYTES)
_SPACES, _NONE = (ir.Constant(_TEXT, [byte] * BYTES) for byte in (ord(" "), 0))
_LAST = _LONG(1 << BYTES - 1)


def _lanes(context: Numba, builder: Numba, kind: Numba, array: Numba, *place: Numba) -> Numba:
    return builder.bitcast(pointer_to(context, builder, kind, array, place), _TEXT.as_pointer())


def _row(context: Numba, builder: Numba, kind: Numba, table: Numba, number: int) -> Numba:
    return builder.load(_lanes(context, builder, kind, table, _LONG(number), _LONG(0)), align=1)


def _mask(builder: Numba, lanes: Numba) -> Numba:
    return builder.zext(builder.bitcast(lanes, _MASK), _LONG)


def _swapped(context: Numba, builder: Numba, kind: Numba, swaps: Numba, text: Numba) -> Numba:
    """Emit what the text becomes where bytes are in ranges: some of their bits, and a number added."""
    made = text
    for number in range(SWAPS):
        first, behind, bits, more = (_row(context, builder, kind, swaps, 4 * number + row) for row in range(4))
        inside = builder.icmp_unsigned("<=", builder.sub(text, first), behind)
        made = builder.select(inside, builder.add(builder.and_(text, bits), more), made)
    return made


def _stopped(context: Numba, builder: Numba, kind: Numba, stops: Numba, text: Numba) -> Numba:
    found = None
    for number in range(STOP_RANGES):
        first, behind = (_row(context, builder, kind, stops, 2 * number + row) for row in range(2))
        inside = builder.icmp_unsigned("<=", builder.sub(text, first), behind)
        found = inside if found is None else builder.or_(found, inside)
    return _mask(builder, found)


def _held(builder: Numba, text: Numba, hold: Numba) -> Numba:
    """Emit, if wanted, the bits of bytes before one that is not ASCII, and of the last one, whose next is not known."""
    beyond = _mask(builder, builder.icmp_signed("<", text, _NONE))
    before = builder.or_(builder.lshr(beyond, _LONG(1)), _LAST)
    return builder.and_(before, builder.sub(_LONG(0), hold))


@emitted
def copy_lanes(
    _typing: Numba, data: Numba, at: Numba, out: Numba, to: Numba, stops: Numba, swaps: Numba, hold: Numba
) -> Numba:
    """Copy 32 bytes, some of them swapped for others; bit i of what comes back says that a copy has to stop at byte i.

    That is so in a range of `stops`, compared with what is written, and, if `hold` is 1, before a byte that is
    not ASCII and at the last one. Bit 32 + i says that byte i is a space now. Rows 2 * r and 2 * r + 1 of `stops` hold
    the first byte of range r and how many follow it. The four rows of a swap hold that, too, and then which bits of a
    byte are kept and what is added to them.
    """

    def emit(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
        data, at, out, to, stops, swaps, hold = arguments
        text = builder.load(_lanes(context, builder, signature.args[0], data, at), align=1)
        made = _swapped(context, builder, signature.args[5], swaps, text)
        builder.store(made, _lanes(context, builder, signature.args[2], out, to), align=1)
        found = _stopped(context, builder, signature.args[4], stops, made)
        spaces = _mask(builder, builder.icmp_unsigned("==", made, _SPACES))
        return builder.or_(builder.or_(found, _held(builder, text, hold)), builder.shl(spaces, _LONG(BYTES)))

    return types.uint64(data, types.intp, out, types.intp, stops, swaps, types.uint64), emit

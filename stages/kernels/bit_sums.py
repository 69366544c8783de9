"""How many of some hashes have each bit set: 64 sums side by side, one bit of each sum a plane.

Harley and Seal's way to count bits, turned by ninety degrees: carry-save adders take hashes, 16 in each of 8 lanes at
once, and carry on to higher planes. Sums are neither added up bit by bit nor written out: the planes of all lanes are
added, and compared with a number, as they are.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from headrace.schemas.arrays import Hashes
from headrace.schemas.compiled import part
from headrace.schemas.lanes import Numba, emitted, pointer_to

LANES, DEPTH = 8, 4
AT_ONCE = LANES << DEPTH  # hashes
LEVELS = 64  # planes that any sums need
_LONG = ir.IntType(64)
_LINE = ir.VectorType(_LONG, LANES)
_ONE, _NONE = np.uint64(1), np.uint64(0)


@emitted
def add_hashes(_typing: Numba, values: Numba, at: Numba, planes: Numba, depth: Numba) -> Numba:
    """Add `AT_ONCE` hashes to sums of `depth` planes, which must be enough."""

    def emit(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
        values, at, planes, depth = arguments
        codegen: Numba = cgutils  # not typed

        def line(array: Numba, number: int, *place: Numba) -> Numba:
            pointer = pointer_to(context, builder, signature.args[number], array, place)
            return builder.bitcast(pointer, _LINE.as_pointer())

        places = (builder.add(at, _LONG(LANES * number)) for number in range(1 << DEPTH))
        carried = [builder.load(line(values, 0, place), align=8) for place in places]
        for level in range(DEPTH):
            plane = line(planes, 2, _LONG(level), _LONG(0))
            left, carries = builder.load(plane, align=8), []
            for one, two in zip(carried[::2], carried[1::2], strict=True):
                carry, left = _added(builder, left, one, two)
                carries.append(carry)
            builder.store(left, plane, align=8)
            carried = carries
        carry = codegen.alloca_once_value(builder, carried[0])
        with codegen.for_range_slice(builder, _LONG(DEPTH), depth, _LONG(1)) as (level, _):
            plane = line(planes, 2, level, _LONG(0))
            sums, more = builder.load(plane, align=8), builder.load(carry)
            builder.store(builder.xor(sums, more), plane, align=8)
            builder.store(builder.and_(sums, more), carry)
        return context.get_dummy_value()

    return types.void(values, types.intp, planes, types.intp), emit


def _added(builder: Numba, one: Numba, two: Numba, three: Numba) -> tuple[Numba, Numba]:
    """Emit what `add` gives."""
    either = builder.xor(one, two)
    carry = builder.or_(builder.and_(one, two), builder.and_(either, three))
    return carry, builder.xor(either, three)


@part
def add(one: np.uint64, two: np.uint64, three: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Add three bits in each of 64 places: what is carried, and what is left."""
    either = one ^ two
    return (one & two) | (either & three), either ^ three


@part
def depth_for(count: int) -> int:
    """Give how many planes the sums of so many hashes need in a lane."""
    depth = DEPTH
    while count >> depth >= LANES:
        depth += 1
    return depth


@part
def sums_above(planes: Hashes, depth: int, limit: int) -> np.uint64:
    """Tell the bits whose sums over all lanes are greater than a limit; the sums are gone then."""
    lanes = LANES // 2
    while lanes:
        for lane in range(lanes):
            carry = _NONE
            for level in range(depth):
                carry, planes[level, lane] = add(planes[level, lane], planes[level, lane + lanes], carry)
            planes[depth, lane] = carry
        depth, lanes = depth + 1, lanes // 2
    greater, equal = _NONE, ~_NONE
    for level in range(depth - 1, -1, -1):
        wanted = _NONE - (np.uint64(limit) >> np.uint64(level) & _ONE)
        greater |= equal & planes[level, 0] & ~wanted
        equal &= ~(planes[level, 0] ^ wanted)
    return greater

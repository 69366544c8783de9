"""SimHash (Charikar 2002): bit j of a fingerprint is set where more than half of a view's hashes have it set."""

from __future__ import annotations

import numpy as np

from headrace.stages.kernels.arrays import Counts, Hashes, Offsets
from headrace.stages.kernels.compiled import kernel, part

BITS = 64
_SIXTEEN = 16  # hashes that adders take at once
_ONE = np.uint64(1)


@kernel
def fingerprints(values: Hashes, ends: Offsets, out: Hashes) -> None:
    """Write the fingerprint of each view; of no hashes it is 0."""
    counts = np.empty(BITS, np.int64)
    for document in range(len(ends) - 1):
        begin, end = ends[document], ends[document + 1]
        count_bits(values[begin:end], counts)
        found = np.uint64(0)
        for bit in range(BITS):
            found |= np.uint64(2 * counts[bit] > end - begin) << np.uint64(bit)
        out[document] = found


@part
def count_bits(values: Hashes, counts: Counts) -> None:
    """Count for each bit the hashes that have it set.

    Sixteen hashes pass through carry-save adders, which hold 64 sums side by side, one bit of each sum a number (Harley
    and Seal's way to count bits, turned by ninety degrees); only what they carry out is added up bit by bit.
    """
    for bit in range(BITS):
        counts[bit] = 0
    ones = twos = fours = eights = np.uint64(0)
    whole = len(values) // _SIXTEEN * _SIXTEEN
    for at in range(0, whole, _SIXTEEN):
        carried_fours = np.uint64(0)
        first_eights = np.uint64(0)
        for quarter in range(0, _SIXTEEN, 4):
            here = at + quarter
            first, ones = add(ones, values[here], values[here + 1])
            second, ones = add(ones, values[here + 2], values[here + 3])
            carry, twos = add(twos, first, second)
            if quarter % 8 == 0:
                carried_fours = carry
                continue
            carry, fours = add(fours, carried_fours, carry)
            if quarter == 4:
                first_eights = carry
                continue
            carry, eights = add(eights, first_eights, carry)
            for bit in range(BITS):
                counts[bit] += np.int64(carry >> np.uint64(bit) & _ONE) << 4
    for bit in range(BITS):
        place = np.uint64(bit)
        counts[bit] += np.int64((ones >> place & _ONE) + ((twos >> place & _ONE) << _ONE))
        counts[bit] += np.int64(((fours >> place & _ONE) + ((eights >> place & _ONE) << _ONE)) << np.uint64(2))
    for at in range(whole, len(values)):
        for bit in range(BITS):
            counts[bit] += np.int64(values[at] >> np.uint64(bit) & _ONE)


@part
def add(one: np.uint64, two: np.uint64, three: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Add three bits in each of 64 places: what is carried, and what is left."""
    either = one ^ two
    return (one & two) | (either & three), either ^ three

"""SimHash (Charikar 2002): bit j of a fingerprint is set where more than half of a view's hashes have it set.

Each hash counts once. A repeat is not taken out, but votes once more, against itself: of n + r hashes, r of which are
repeats turned around, more than half have a bit set where more than half of the n - r different ones have.
"""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Counts, Hashes, Offsets
from headrace.schemas.compiled import kernel, lean, part
from headrace.schemas.text_lanes import bit_count
from headrace.stages.kernels.bit_sums import AT_ONCE, LANES, LEVELS, add_hashes, depth_for, sums_above
from headrace.stages.kernels.distinct import find_repeats, places

BITS = 64


@kernel
def fingerprints(values: Hashes, ends: Offsets, out: Hashes, counts: Counts) -> None:
    """Write the fingerprint of each view's hashes, and how many different ones there are; of none it is 0."""
    most = 0
    for document in range(len(ends) - 1):
        most = max(most, ends[document + 1] - ends[document])
    seen = np.zeros(places(most), np.uint32)
    votes = np.empty(most + 2 * AT_ONCE, np.uint64)
    planes = np.empty((LEVELS, LANES), np.uint64)
    for document in range(len(ends) - 1):
        begin, end = ends[document], ends[document + 1]
        repeats = find_repeats(values[begin:end], seen, begin - ends[0] + 1, votes)
        for i in range(repeats):
            votes[i] = ~votes[i]
        out[document] = majority(values[begin:end], votes, repeats, planes)
        counts[document] = end - begin - repeats


@part
def majority(values: Hashes, votes: Hashes, more: int, planes: Hashes) -> np.uint64:
    """Tell the bits that more than half of all hashes and of `more` votes have set.

    Hashes that are left over after as many as are added at once are put behind those votes, and zeros behind them.
    """
    whole, cast = len(values) // AT_ONCE * AT_ONCE, more
    for i in range(whole, len(values)):
        votes[cast] = values[i]
        cast += 1
    while cast % AT_ONCE:
        votes[cast] = 0
        cast += 1
    depth = depth_for(whole + cast)
    for level in range(depth):
        for lane in range(LANES):
            planes[level, lane] = 0
    for at in range(0, whole, AT_ONCE):
        add_hashes(values, at, planes, depth)
    for at in range(0, cast, AT_ONCE):
        add_hashes(votes, at, planes, depth)
    return sums_above(planes, depth, (len(values) + more) // 2)


@lean
def differing_bits(one: np.uint64, other: np.uint64) -> int:
    """Count the bits in which two fingerprints differ."""
    return bit_count(one ^ other)

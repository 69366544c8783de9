"""Which hashes of a text are repeats."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Hashes, Signatures
from headrace.schemas.compiled import kernel, part

_LEAST = 16  # places of the table of a text
_SPARE = 8  # places a hash: where few places are taken, few hashes meet
_ONE = np.uint64(1)


@part
def places(count: int) -> int:
    """Give the size of a table for so many hashes, a power of two."""
    room = _LEAST
    while room < _SPARE * count:
        room *= 2
    return room


@kernel
def find_repeats(values: Hashes, seen: Signatures, base: int, out: Hashes) -> int:
    """Write the hashes that came before in a text, as often as they come again, and give their number.

    `out` has a place for each hash. `seen` is a table of `places` or more, and tells in which of its places which hash
    lies: `base` plus the hash's number. What is below it is of texts before, so nothing need be cleared between them;
    the next text's base is at least the number of hashes more.

    The first hash at its place stays there, and who comes later is a candidate: without a branch, of which one in
    ten would be foreseen wrongly. Only candidates are compared, and look on for a free place.
    """
    mask, first = np.uint64(places(len(values)) - 1), np.uint32(base)
    count = np.uint64(0)
    for i in range(np.uint64(len(values))):
        slot = values[i] & mask
        there = seen[slot]
        taken = there >= first
        out[count] = i
        count += np.uint64(taken)
        seen[slot] = there if taken else first + np.uint32(i)
    repeats = np.uint64(0)
    for candidate in range(count):
        value = values[out[candidate]]
        slot = value & mask
        while seen[slot] >= first and values[np.uint64(seen[slot] - first)] != value:
            slot = (slot + _ONE) & mask
        if seen[slot] < first:
            seen[slot] = first + np.uint32(out[candidate])
        else:
            out[repeats] = value
            repeats += _ONE
    return int(np.int64(repeats))

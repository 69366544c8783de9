"""Which two tokens each token of a rank file is merged from: such files hold the tokens alone."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Links, Offsets
from headrace.schemas.compiled import kernel, part

NO_PAIR = -1
_FNV_OFFSET, _FNV_PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)  # Fowler, Noll and Vo, FNV-1a
_MIX = np.uint64(32)


@part
def _slot(data: Bytes, start: int, stop: int, mask: int) -> int:
    state = _FNV_OFFSET
    for i in range(start, stop):
        state = (state ^ np.uint64(data[i])) * _FNV_PRIME
    return int(np.int64(state ^ (state >> _MIX))) & mask


@part
def _rank(data: Bytes, offsets: Offsets, slots: Links, start: int, stop: int) -> int:
    """Give the rank of the bytes from `start` to `stop`, or -1 when they are no token."""
    size, mask = stop - start, len(slots) - 1
    slot = _slot(data, start, stop, mask)
    while slots[slot] >= 0:
        rank = slots[slot]
        first = offsets[rank]
        if offsets[rank + 1] - first == size:
            same = 0
            while same < size and data[first + same] == data[start + same]:
                same += 1
            if same == size:
                return int(rank)
        slot = (slot + 1) & mask
    return -1


@part
def _enter(data: Bytes, offsets: Offsets, slots: Links) -> None:
    mask = len(slots) - 1
    for rank in range(len(offsets) - 1):
        slot = _slot(data, offsets[rank], offsets[rank + 1], mask)
        while slots[slot] >= 0:
            slot = (slot + 1) & mask
        slots[slot] = rank


@part
def _last_cut(data: Bytes, offsets: Offsets, slots: Links, token: int, cuts: Offsets, pairs: Links) -> int:
    """Merge the token's bytes by ranks below its own until two parts are left; give the size of the first.

    `cuts` (where the parts begin) and `pairs` (the rank of each part with the next) are room to work in.
    """
    start, parts = offsets[token], offsets[token + 1] - offsets[token]
    for i in range(parts + 1):
        cuts[i] = start + i
    for i in range(parts - 1):
        pairs[i] = _rank(data, offsets, slots, cuts[i], cuts[i + 2])
    while parts > 2:
        best, at = token, -1
        for i in range(parts - 1):
            if 0 <= pairs[i] < best:
                best, at = pairs[i], i
        if at < 0:
            return NO_PAIR
        for i in range(at + 1, parts):
            cuts[i] = cuts[i + 1]
        for i in range(at, parts - 2):
            pairs[i] = pairs[i + 1]
        parts -= 1
        for i in range(max(at - 1, 0), min(at + 1, parts - 1)):
            pairs[i] = _rank(data, offsets, slots, cuts[i], cuts[i + 2])
    return int(cuts[1] - start)


@kernel
def last_merges(data: Bytes, offsets: Offsets) -> Links:
    """Give for each token, in order of ranks, the bytes in the left of the two tokens that it is merged from.

    0 for tokens of one byte; -1 for tokens that no merges of lower rank reach. The tokens must be distinct.
    """
    tokens = len(offsets) - 1
    size = 2
    while size < 2 * tokens:
        size *= 2
    slots = np.full(size, -1, np.int32)
    _enter(data, offsets, slots)
    longest = 0
    for token in range(tokens):
        longest = max(longest, offsets[token + 1] - offsets[token])
    cuts, pairs = np.empty(longest + 1, np.int64), np.empty(longest + 1, np.int32)
    sizes = np.zeros(tokens, np.int32)
    for token in range(tokens):
        if offsets[token + 1] - offsets[token] > 1:
            sizes[token] = _last_cut(data, offsets, slots, token, cuts, pairs)
    return sizes

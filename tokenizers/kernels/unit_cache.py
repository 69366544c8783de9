"""WideIds of units that were met before: short texts with few ids in one table, longer ones in another.

Nothing is ever wrong in it: both tables hold the whole text, and a unit whose ids depend on what is before it is
marked. What is full is written over.

A row of `short`, 32 bytes: the text of up to 15 bytes with its length on top, three ids of 32 bits, their number.
A row of `long`, 128 bytes: the length and the number of ids, 48 bytes of text, and 16 ids.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headrace.schemas.arrays import Bytes
from headrace.schemas.compiled import lean
from headrace.schemas.lanes import prefetch
from headrace.schemas.text_lanes import eight_bytes
from headrace.tokenizers.kernels.piece_tables import Words
from headrace.tokenizers.kernels.units import IN_TABLE, LONG, Block
from headrace.tokenizers.kernels.wide_reads import copy_four, word_at

Rows = npt.NDArray[np.uint64]
IdRows = npt.NDArray[np.uint32]
WideIds = npt.NDArray[np.uint32]

SHORT_BYTES, SHORT_IDS = 15, 3
LONG_BYTES, LONG_IDS = 48, 16
COUNT_MASK = 0xFF  # of what is kept as the number of ids; above it is how small the score before a unit has to be
LEVEL = 8  # the first bit of that
DEPENDS = 0  # kept for a unit whose ids depend on the score before it, however small
ABSENT = -1
COPIED = 16  # ids that are written at once at most, so there must be room for them
_IDS, _COUNT = 4, 7  # columns of a short row as numbers of 32 bits
_HEAD, _TEXT, _LONG_COUNT, _LONG_FIRST = 0, 1, 1, 16  # of a long row: 64 bits, 64, 32 and 32
_MIX, _MIX_TOO = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_ALL, _TOP, _HALF = np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(56), np.uint64(32)
_HIGH_MASKS = 16  # masks for the first eight bytes of a text of each size, then those for the other seven
_EMPTY = np.uint64(0)


class UnitCache(NamedTuple):
    """Both tables, each a second time as numbers of 32 bits, and masks that cut what was read to a length."""

    short: Rows
    short_ids: IdRows
    long: Rows
    long_ids: IdRows
    masks: Words


def new_cache(short_bits: int = 18, long_bits: int = 16) -> UnitCache:
    """Give an empty cache with 2 ** `short_bits` and 2 ** `long_bits` rows: 8 MiB each unless said otherwise."""
    short, long = np.zeros((1 << short_bits, 4), np.uint64), np.zeros((1 << long_bits, 16), np.uint64)
    lows = [(1 << 8 * min(size, 8)) - 1 for size in range(_HIGH_MASKS)]
    highs = [(1 << 8 * max(size - 8, 0)) - 1 for size in range(_HIGH_MASKS)]
    masks = np.array(lows + highs, np.uint64)
    return UnitCache(short, short.view(np.uint32), long, long.view(np.uint32), masks)


@lean
def find_places(data: Bytes, units: int, block: Block, cache: UnitCache) -> None:
    """Make keys of the units that are to be looked up, and begin to load the rows where they may be."""
    begins, fates, lows, highs = block.begins, block.fates, block.low_keys, block.high_keys
    short, masks = cache.short, cache.masks
    last = len(short) - 1
    for unit in range(units):
        at = begins[unit]
        size = begins[unit + 1] - at
        if fates[unit] < IN_TABLE:
            continue
        if size > SHORT_BYTES:
            fates[unit] = LONG
            continue
        low = eight_bytes(data, at) & word_at(masks, size)
        high = (eight_bytes(data, at + 8) & word_at(masks, _HIGH_MASKS + size)) | (np.uint64(size) << _TOP)
        mixed = (low * _MIX) ^ (high * _MIX_TOO)
        place = np.int64(((mixed ^ (mixed >> _HALF)) * _MIX) >> np.uint64(36)) & last
        prefetch(short, place, 0)
        lows[unit], highs[unit], fates[unit] = low, high, place


@lean
def short_row(cache: UnitCache, place: int, low: np.uint64, high: np.uint64) -> int:
    """Give the row of a short text, at its place or the one beside it, or ABSENT."""
    short = cache.short
    if short[place, 0] == low and short[place, 1] == high:
        return place
    beside = place ^ 1
    return beside if short[beside, 0] == low and short[beside, 1] == high else ABSENT


@lean
def copy_short(cache: UnitCache, row: int, out: WideIds, to: int) -> int:
    """Write the ids of a short row and give their number as it was kept."""
    copy_four(cache.short_ids, row, _IDS, out, to)
    return int(cache.short_ids[row, _COUNT])


@lean
def keep_short(
    cache: UnitCache, place: int, low: np.uint64, high: np.uint64, count: int, out: WideIds, to: int
) -> None:
    """Keep a short text with its ids from out[to] on, `count` of them with a level, or DEPENDS."""
    row = place ^ 1 if cache.short[place ^ 1, 1] == _EMPTY else place
    cache.short[row, 0], cache.short[row, 1] = low, high
    for number in range(count & COUNT_MASK):
        cache.short_ids[row, _IDS + number] = out[to + number]
    cache.short_ids[row, _COUNT] = count


@lean
def long_place(data: Bytes, at: int, size: int, cache: UnitCache) -> int:
    """Give the row where a longer text is put, or beside which."""
    mixed = np.uint64(size) * _MIX_TOO
    for place in range(0, size, 8):
        mixed = (mixed ^ (eight_bytes(data, at + place) & cache.masks[min(size - place, 8)])) * _MIX
        mixed ^= mixed >> np.uint64(29)
    return int(np.int64(mixed >> np.uint64(40)) & (len(cache.long) - 1))


@lean
def long_row(data: Bytes, at: int, size: int, cache: UnitCache, place: int) -> int:
    """Give the row of a longer text, at its place or the one beside it, or ABSENT."""
    if _is_long_row(data, at, size, cache, place):
        return place
    return place ^ 1 if _is_long_row(data, at, size, cache, place ^ 1) else ABSENT


@lean
def _is_long_row(data: Bytes, at: int, size: int, cache: UnitCache, row: int) -> bool:
    """Tell whether a row holds a text."""
    if cache.long_ids[row, 0] != size:
        return False
    for place in range(0, size, 8):
        text = eight_bytes(data, at + place) & cache.masks[min(size - place, 8)]
        if cache.long[row, _TEXT + (place >> 3)] != text:
            return False
    return True


@lean
def copy_long(cache: UnitCache, row: int, out: WideIds, to: int) -> int:
    """Write the ids of a long row and give their number as it was kept."""
    for number in range(0, LONG_IDS, 4):
        copy_four(cache.long_ids, row, _LONG_FIRST + number, out, to + number)
    return int(cache.long_ids[row, _LONG_COUNT])


@lean
def keep_long(data: Bytes, at: int, size: int, cache: UnitCache, place: int, count: int, out: WideIds, to: int) -> None:
    """Keep a longer text as `keep_short` does."""
    row = place ^ 1 if cache.long_ids[place ^ 1, 0] == 0 else place
    cache.long_ids[row, 0], cache.long_ids[row, _LONG_COUNT] = size, count
    for begin in range(0, size, 8):
        text = eight_bytes(data, at + begin) & cache.masks[min(size - begin, 8)]
        cache.long[row, _TEXT + (begin >> 3)] = text
    for number in range(count & COUNT_MASK):
        cache.long_ids[row, _LONG_FIRST + number] = out[to + number]

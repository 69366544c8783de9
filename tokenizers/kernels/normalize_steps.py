"""Looking up what stands for the beginning of a text: user-defined symbols first, then rules, then the character."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Offsets, Signatures
from headrace.schemas.compiled import inlined, lean
from headrace.tokenizers.kernels.normalize_tables import FOLLOWS, MOST_RULES, MOST_SYMBOLS

_LABEL = np.uint32(0x800000FF)
_VALUE = np.uint32(0x7FFFFFFF)
_TEN, _SIX, _EIGHT, _ONE, _FAR = np.uint32(10), np.uint32(6), np.uint32(8), np.uint32(1), np.uint32(1 << 9)
_SURROGATES = 0xD800  # the first one; 0x800 code points that are no characters


@lean
def decode_checked(data: Bytes, at: int, end: int) -> tuple[int, int]:
    """Give the code point at a place and its size; 0, 0 where the bytes are no character."""
    lead = int(data[at])
    if lead < 0x80:
        return lead, 1
    size = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
    if lead < 0xC2 or lead > 0xF4 or at + size > end:
        return 0, 0
    point = lead & 0x7F >> size
    for behind in range(at + 1, at + size):
        byte = int(data[behind])
        if byte & 0xC0 != 0x80:
            return 0, 0
        point = point << 6 | byte & 63
    least = 0x80 if size == 2 else 0x800 if size == 3 else 0x10000
    if point < least or point > 0x10FFFF or _SURROGATES <= point < _SURROGATES + 0x800:
        return 0, 0
    return point, size


@lean
def may_follow(data: Bytes, at: int, end: int, kind: Bytes) -> bool:
    """Tell whether what comes next may belong to a rule that is longer than a character; at the end nothing does."""
    if at >= end:
        return False
    point, size = decode_checked(data, at, end)
    return size == 0 or kind[point] & FOLLOWS != 0


@inlined
def longest_symbol(data: Bytes, at: int, end: int, symbols: Bytes, bounds: Offsets) -> int:
    """Give the size of the longest user-defined symbol at a place, 0 if there is none.

    The symbols are sorted: those that begin with the bytes read so far are the ones from `low` to `high`, the shortest
    first.
    """
    low, high = 0, len(bounds) - 1
    longest = found = depth = 0
    while low < high and at + depth <= end:
        if bounds[low + 1] - bounds[low] == depth and depth:
            longest, found, low = depth, found + 1, low + 1
            if found == MOST_SYMBOLS:
                break
            continue
        if at + depth == end:
            break
        byte = int(data[at + depth])
        low = _narrowed(symbols, bounds, low, high, depth, byte)
        high = _narrowed(symbols, bounds, low, high, depth, byte + 1)
        depth += 1
    return longest


@inlined
def _narrowed(symbols: Bytes, bounds: Offsets, low: int, high: int, depth: int, byte: int) -> int:
    """Give the first symbol from `low` on whose byte at a depth is not smaller than a byte, or `high`."""
    while low < high:
        middle = (low + high) >> 1
        if int(symbols[bounds[middle] + depth]) < byte:
            low = middle + 1
        else:
            high = middle
    return low


@lean
def _behind(node: np.uint32, unit: np.uint32) -> np.uint32:
    return node ^ (unit >> _TEN << ((unit & _FAR) >> _SIX))


@inlined
def longest_rule(data: Bytes, at: int, end: int, trie: Signatures) -> tuple[int, int]:
    """Give the size of the longest rule at a place and where its replacement begins; 0, 0 if there is none."""
    if len(trie) == 0:
        return 0, 0
    found = size = value = 0
    node = _behind(np.uint32(0), trie[0])
    for place in range(at, end):
        node ^= np.uint32(data[place])
        unit = trie[node]
        if unit & _LABEL != np.uint32(data[place]):
            break
        node = _behind(node, unit)
        if unit >> _EIGHT & _ONE and found < MOST_RULES:
            found += 1
            size, value = place + 1 - at, int(np.int64(trie[node] & _VALUE))
    return size, value

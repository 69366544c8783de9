"""Code points out of UTF-8 bytes and back; the bytes are valid, as Arrow's text always is."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Hashes
from headrace.schemas.compiled import lean

_ASCII, _ONE = np.uint64(0x80), np.uint64(1)
_THREE_BYTES = np.uint64(0xE)  # upper half of the lead byte
_LOW_4, _LOW_6 = np.uint64(0xF), np.uint64(0x3F)


@lean
def decode(data: Bytes, at: int) -> tuple[int, int]:
    """Give the code point that begins at a byte, and where the next one begins."""
    lead = int(data[at])
    if lead < 0x80:
        return lead, at + 1
    if lead < 0xE0:
        return (lead & 31) << 6 | int(data[at + 1]) & 63, at + 2
    if lead < 0xF0:
        return (lead & 15) << 12 | (int(data[at + 1]) & 63) << 6 | int(data[at + 2]) & 63, at + 3
    high = (lead & 7) << 18 | (int(data[at + 1]) & 63) << 12
    return high | (int(data[at + 2]) & 63) << 6 | int(data[at + 3]) & 63, at + 4


@lean
def decode_each(data: Bytes, begin: int, end: int, out: Hashes, count: int, least: int) -> tuple[int, int]:
    """Write code points one by one up to the first character from `end` on; give where it is, and their number.

    Those of ASCII below `least` are left out.
    """
    at, last, to = np.uint64(begin), np.uint64(end), np.uint64(count)
    while at < last:
        lead = np.uint64(data[at])
        if lead < _ASCII:
            out[to] = lead
            to += np.uint64(lead >= np.uint64(least))
            at += _ONE
            continue
        if lead >> np.uint64(4) == _THREE_BYTES:  # Chinese: as `decode` has it, but for what signed places cost
            second, third = np.uint64(data[at + _ONE]), np.uint64(data[at + np.uint64(2)])
            out[to] = (lead & _LOW_4) << np.uint64(12) | (second & _LOW_6) << np.uint64(6) | third & _LOW_6
            at += np.uint64(3)
        else:
            point, after = decode(data, int(np.int64(at)))
            out[to] = np.uint64(point)
            at = np.uint64(after)
        to += _ONE
    return int(np.int64(at)), int(np.int64(to))


@lean
def encode(out: Bytes, at: int, point: int) -> int:
    """Write a code point at a byte and give where the next one goes."""
    if point < 0x80:
        out[at] = point
        return at + 1
    if point < 0x800:
        out[at] = 0xC0 | point >> 6
        out[at + 1] = 0x80 | point & 63
        return at + 2
    if point < 0x10000:
        out[at] = 0xE0 | point >> 12
        out[at + 1] = 0x80 | point >> 6 & 63
        out[at + 2] = 0x80 | point & 63
        return at + 3
    out[at] = 0xF0 | point >> 18
    out[at + 1] = 0x80 | point >> 12 & 63
    out[at + 2] = 0x80 | point >> 6 & 63
    out[at + 3] = 0x80 | point & 63
    return at + 4


@lean
def width(point: int) -> int:
    """Give how many bytes a code point takes."""
    if point < 0x80:
        return 1
    if point < 0x800:
        return 2
    return 3 if point < 0x10000 else 4


@lean
def copy(data: Bytes, begin: int, end: int, out: Bytes, at: int) -> int:
    """Copy bytes and give where the next one goes."""
    for i in range(begin, end):
        out[at] = data[i]
        at += 1
    return at

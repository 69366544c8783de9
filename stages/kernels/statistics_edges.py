"""Where lines and texts end: the ends of lines are looked for eight bytes at a time, those of texts are stripped."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Classes, Hashes
from headrace.schemas.compiled import lean
from headrace.stages.kernels.statistics_flags import BREAK, SPACE
from headrace.stages.kernels.utf8 import decode

_NEWLINE, _RETURN = 0x0A, 0x0D
_ZERO = np.uint64(0)
_SPACES, _FEEDS, _ONES, _HIGH = (np.uint64(0x0101010101010101 * byte) for byte in (0x20, _NEWLINE, 1, 0x80))


@lean
def line_end(data: Bytes, wide: Hashes, at: int, end: int, flags: Classes) -> tuple[int, int]:
    """Give where a line ends, as `str.splitlines` cuts, and where the next one begins; `wide` is that of `eights`."""
    while at < end:
        while at + 8 <= end and at < len(wide) and not may_break(wide[at]):
            at += 8
        stop = min(at + 8, end)
        while at < stop:
            point, following = int(data[at]), at + 1
            if point >= 128:
                point, following = decode(data, at)
            if flags[point] & BREAK:
                pair = point == _RETURN and following < end and data[following] == _NEWLINE
                return at, following + int(pair)
            at = following
    return end, end


@lean
def may_break(chunk: np.uint64) -> bool:
    """Tell whether one of eight bytes may end a line: it is below 32 or above 127."""
    return bool(((chunk - _SPACES) & ~chunk | chunk) & _HIGH != _ZERO)


@lean
def next_feed(data: Bytes, wide: Hashes, at: int, end: int) -> int:
    """Give where the next line feed stands, or the end."""
    while at < end:
        while at + 8 <= end and at < len(wide) and not has_feed(wide[at]):
            at += 8
        stop = min(at + 8, end)
        while at < stop and data[at] != _NEWLINE:
            at += 1
        if at < stop:
            break
    return at


@lean
def has_feed(chunk: np.uint64) -> bool:
    """Tell whether one of eight bytes is a line feed."""
    other = chunk ^ _FEEDS
    return bool((other - _ONES) & ~other & _HIGH != _ZERO)


@lean
def stripped(data: Bytes, begin: int, end: int, flags: Classes) -> tuple[int, int]:
    """Give the bounds of a text without white space at its ends."""
    while begin < end:
        point, following = decode(data, begin)
        if not flags[point] & SPACE:
            break
        begin = following
    while end > begin:
        last = end - 1
        while data[last] & 0xC0 == 0x80:
            last -= 1
        if not flags[decode(data, last)[0]] & SPACE:
            break
        end = last
    return begin, end

"""A few kilobytes that speak for a whole file: windows spread evenly over its bytes beyond ASCII."""

from __future__ import annotations

from headrace.schemas.arrays import Bytes, Offsets
from headrace.schemas.compiled import part
from headrace.stages.kernels.utf8 import copy

WINDOWS = 8
_NEWLINE = 10
_SAFE = 0x30  # no byte below is a part of a longer code in any charset that is sampled
_BACK, _AHEAD = 400, 2000  # bytes in which a safe place is looked for
_LEFT_OVER = 64


@part
def whole_sample(data: Bytes, begins: Offsets, ends: Offsets, first: int, last: int, out: Bytes) -> int:
    """Copy rows with a line end between them, and give the size."""
    filled = 0
    for row in range(first, last):
        if filled and out[filled - 1] != _NEWLINE:
            out[filled] = _NEWLINE
            filled += 1
        filled = copy(data, begins[row], ends[row], out, filled)
    return filled


@part
def window_sample(
    data: Bytes, begins: Offsets, ends: Offsets, first: int, last: int, high: int, length: int, out: Bytes
) -> int:
    """Copy windows of `length` bytes from rows that have `high` bytes beyond ASCII, and give the size of all.

    A window begins behind a byte that can be no part of a code, or with a row; where there is none far and wide, there
    is no window. One that meets the end of its row goes on in the next.
    """
    filled = taken = rank = wanted = left = 0
    for row in range(first, last):
        at, end = begins[row], ends[row]
        safe = at
        while at < end and (left or taken < WINDOWS):
            byte = data[at]
            if left or (byte >= 0x80 and rank >= wanted):
                begin = at if left else window_begin(data, safe, at, end)
                if not left:
                    taken += 1
                    wanted = high * taken // WINDOWS
                    left = length
                if begin < 0:
                    left = 0
                    rank += 1
                    at += 1
                    continue
                stop = window_end(data, begin, min(end, begin + left), end)
                filled = copy(data, begin, stop, out, filled)
                out[filled] = _NEWLINE
                filled += 1
                left -= stop - begin + 1  # line ends take room as well
                left = left if stop == end and left > _LEFT_OVER else 0
                for i in range(at, stop):
                    rank += data[i] >> 7
                at = safe = max(at, stop)
                continue
            rank += byte >> 7
            at += 1
            if byte < _SAFE:
                safe = at
    return filled


@part
def dense_sample(data: Bytes, begin: int, end: int, length: int, out: Bytes) -> int:
    """Copy windows at even distances from one row that is full of bytes beyond ASCII: nothing need be counted."""
    filled, stopped = 0, begin
    for window in range(WINDOWS):
        wanted = max(stopped, begin + (end - begin) * window // WINDOWS)
        at = safe_before(data, stopped, wanted)
        if at < 0:
            at = safe_behind(data, wanted, end)
        if at >= 0:
            stopped = window_end(data, at, min(end, at + length), end)
            filled = copy(data, at, stopped, out, filled)
            out[filled] = _NEWLINE
            filled += 1
    return filled


@part
def window_begin(data: Bytes, safe: int, at: int, end: int) -> int:
    """Give a safe place shortly before a byte, where one is known, or else after it; -1 if there is none."""
    return safe if at - safe <= _BACK else safe_behind(data, at, end)


@part
def safe_before(data: Bytes, least: int, at: int) -> int:
    """Give the last safe place at or shortly before a byte; `least` is one. -1 if there is none."""
    for i in range(at, max(least, at - _BACK) - 1, -1):
        if i == least or data[i - 1] < _SAFE:
            return i
    return -1


@part
def safe_behind(data: Bytes, at: int, end: int) -> int:
    """Give the first safe byte from a place on, -1 if there is none far and wide."""
    for i in range(at, min(end, at + _AHEAD)):
        if data[i] < _SAFE:
            return i
    return -1


@part
def window_end(data: Bytes, begin: int, stop: int, end: int) -> int:
    """Give where a window ends: at a safe byte of its second half, if there is one."""
    if stop == end:
        return stop
    i = stop
    while i > begin + (stop - begin) // 2:
        if data[i - 1] < _SAFE:
            return i
        i -= 1
    return stop


@part
def room(windows_length: int) -> int:
    """Give the bytes that a sample of windows may take."""
    return WINDOWS * (windows_length + 1) + 1

"""Where the elements of a JSON array begin and end, and how deep they go: one pass that needs no memory of its own."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Counts, Flags, Offsets
from headrace.schemas.compiled import kernel

_QUOTE, _BACKSLASH, _COMMA = 0x22, 0x5C, 0x2C
_ZERO, _NINE = 0x30, 0x39
_OPEN, _CLOSE, _OPEN_OBJECT, _CLOSE_OBJECT = 0x5B, 0x5D, 0x7B, 0x7D


@kernel
def array_elements(data: Bytes) -> tuple[Offsets, Offsets, Counts, int]:
    """Give begin, end and depth of every element of the array that the bytes begin with, and where the array ends.

    Elements are cut at commas, whatever lies between; an element that is missing has no bytes. An array that is not
    closed has its last element cut at the end of the bytes and ends at -1.
    """
    room = 1
    for at in range(len(data)):
        room += int(data[at] == _COMMA)
    begins, ends = np.empty(room, np.int64), np.empty(room, np.int64)
    depths = np.zeros(room, np.int64)
    count, level = 0, 0
    quoted, skip = False, False
    for at in range(len(data)):
        byte = data[at]
        if skip:
            skip = False
        elif quoted:
            skip = byte == _BACKSLASH
            quoted = byte != _QUOTE
        elif byte == _QUOTE:
            quoted = True
        elif byte in (_OPEN, _OPEN_OBJECT):
            level += 1
            if level == 1:
                begins[0] = at + 1
            else:
                depths[count] = max(depths[count], level - 1)
        elif byte in (_CLOSE, _CLOSE_OBJECT):
            level -= 1
            if level == 0:
                ends[count] = at
                return begins[: count + 1], ends[: count + 1], depths[: count + 1], at + 1
        elif byte == _COMMA and level == 1:
            ends[count] = at
            count += 1
            begins[count] = at + 1
    ends[count] = len(data)
    return begins[: count + 1], ends[: count + 1], depths[: count + 1], -1


@kernel
def long_numbers(data: Bytes, offsets: Offsets, digits: int) -> Flags:
    """Say for each text whether it holds so many digits in a row."""
    found = np.zeros(len(offsets) - 1, np.bool_)
    for text in range(len(offsets) - 1):
        at, end = offsets[text], offsets[text + 1]
        while at + digits <= end and not found[text]:
            begin = at + digits  # of the digits that end here: nearly always there are none, and all are skipped
            while begin > at and _ZERO <= data[begin - 1] <= _NINE:
                begin -= 1
            found[text] = begin == at
            at = begin
    return found


@kernel
def depth(data: Bytes) -> int:
    """Give how many brackets are open at once, at most, outside strings."""
    deepest, level = 0, 0
    quoted, skip = False, False
    for byte in data:
        if skip:
            skip = False
        elif quoted:
            skip = byte == _BACKSLASH
            quoted = byte != _QUOTE
        elif byte == _QUOTE:
            quoted = True
        elif byte in (_OPEN, _OPEN_OBJECT):
            level += 1
            deepest = max(deepest, level)
        elif byte in (_CLOSE, _CLOSE_OBJECT):
            level -= 1
    return deepest

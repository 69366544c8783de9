"""Characters, symbols and lines of documents, as the rules of Gopher and FineWeb count them."""

from __future__ import annotations

import numpy as np

from headrace.stages.kernels.arrays import Bytes, Classes, Counts, Offsets
from headrace.stages.kernels.compiled import kernel, part
from headrace.stages.kernels.statistics_flags import BREAK, TERMINAL
from headrace.stages.kernels.statistics_repeats import stripped
from headrace.stages.kernels.utf8 import decode

CHARACTERS, NEWLINES, HASHES, ELLIPSES, LINES, BULLET_LINES, ELLIPSIS_LINES = range(7)
FULL_LINES, ENDED_LINES, SHORT_LINES = range(7, 10)
COLUMNS = 10
_NEWLINE, _RETURN, _HASH, _MINUS, _DOT, _BULLET = 0x0A, 0x0D, 0x23, 0x2D, 0x2E, 0x2022


@kernel
def line_counts(data: Bytes, offsets: Offsets, flags: Classes, short: int) -> Counts:
    """Give per document the counts named above; lines of at most `short` characters are short.

    LINES are those of `str.splitlines`, for bullets and ellipses; FULL_LINES are cut at line feeds and not blank.
    """
    out = np.zeros((len(offsets) - 1, COLUMNS), np.int64)
    for document in range(len(offsets) - 1):
        begin, end = offsets[document], offsets[document + 1]
        count_symbols(data, begin, end, out[document])
        count_broken_lines(data, begin, end, flags, out[document])
        count_full_lines(data, begin, end, flags, short, out[document])
    return out


@part
def count_symbols(data: Bytes, begin: int, end: int, row: Counts) -> None:
    """Count characters, line feeds, #, and ellipses: ... without overlaps, and …."""
    dots = characters = newlines = hashes = ellipses = 0
    for at in range(begin, end):
        byte = data[at]
        characters += int(byte & 0xC0 != 0x80)
        if byte == _DOT:
            dots += 1
            if dots == 3:
                ellipses += 1
                dots = 0
            continue
        dots = 0
        newlines += int(byte == _NEWLINE)
        hashes += int(byte == _HASH)
        if byte == 0xE2:
            ellipses += int(data[at + 1] == 0x80 and data[at + 2] == 0xA6)
    row[CHARACTERS], row[NEWLINES], row[HASHES], row[ELLIPSES] = characters, newlines, hashes, ellipses


@part
def count_broken_lines(data: Bytes, begin: int, end: int, flags: Classes, row: Counts) -> None:
    """Count the lines of `str.splitlines`, those whose text begins with • or -, and those that end in ... or …."""
    first = at = begin
    while at <= end:
        byte = data[at] if at < end else _NEWLINE
        following = at + 1
        if byte >= 32 and byte != 0xC2 and byte != 0xE2:  # all breaks begin with others
            at = following
            continue
        if at < end:
            point, following = decode(data, at)
            if not flags[point] & BREAK:
                at = following
                continue
            if point == _RETURN and following < end and data[following] == _NEWLINE:
                following += 1
        row[LINES] += int(at < end or first < end)
        inner, outer = stripped(data, first, at, flags)
        if inner < outer:
            point = decode(data, inner)[0]
            row[BULLET_LINES] += int(point in (_BULLET, _MINUS))
            row[ELLIPSIS_LINES] += int(ends_in_ellipsis(data, inner, outer))
        first = at = following


@part
def ends_in_ellipsis(data: Bytes, begin: int, end: int) -> bool:
    """Tell whether a text ends in ... or …."""
    if end - begin < 3:
        return False
    one, two, three = data[end - 3], data[end - 2], data[end - 1]
    dots = one == _DOT and two == _DOT and three == _DOT
    return bool(dots or (one == 0xE2 and two == 0x80 and three == 0xA6))


@part
def count_full_lines(data: Bytes, begin: int, end: int, flags: Classes, short: int, row: Counts) -> None:
    """Count the lines that are not blank, those that end with a terminal mark, and the short ones."""
    first, size = begin, 0
    for at in range(begin, end + 1):
        byte = data[at] if at < end else _NEWLINE
        if byte != _NEWLINE:
            size += int(byte & 0xC0 != 0x80)
            continue
        inner, outer = stripped(data, first, at, flags)
        if inner < outer:
            last = at - 1
            while data[last] & 0xC0 == 0x80:
                last -= 1
            row[FULL_LINES] += 1
            row[ENDED_LINES] += int(flags[decode(data, last)[0]] & TERMINAL != 0)
            row[SHORT_LINES] += int(size <= short)
        first, size = at + 1, 0

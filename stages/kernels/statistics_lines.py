"""Characters, symbols and lines of documents, as the rules of Gopher and FineWeb count them."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Classes, Counts, Hashes, Offsets
from headrace.schemas.compiled import kernel, lean
from headrace.stages.kernels.statistics_edges import line_end, next_feed, stripped
from headrace.stages.kernels.statistics_flags import TERMINAL
from headrace.stages.kernels.utf8 import decode

CHARACTERS, NEWLINES, HASHES, ELLIPSES, LINES, BULLET_LINES, ELLIPSIS_LINES = range(7)
FULL_LINES, ENDED_LINES, SHORT_LINES = range(7, 10)
COLUMNS = 10
_NEWLINE, _HASH, _MINUS, _DOT, _BULLET = 0x0A, 0x23, 0x2D, 0x2E, 0x2022


@kernel
def line_counts(data: Bytes, wide: Hashes, offsets: Offsets, flags: Classes, short: int) -> Counts:
    """Give per document the counts named above; lines of at most `short` characters are short.

    LINES are those of `str.splitlines`, for bullets and ellipses; FULL_LINES are cut at line feeds and not blank.
    `wide` is that of `eights`.
    """
    out = np.zeros((len(offsets) - 1, COLUMNS), np.int64)
    for document in range(len(offsets) - 1):
        begin, end = offsets[document], offsets[document + 1]
        count_symbols(data, begin, end, out[document])
        count_broken_lines(data, wide, begin, end, flags, out[document])
        count_full_lines(data, wide, begin, end, flags, short, out[document])
    return out


@lean
def count_symbols(data: Bytes, begin: int, end: int, row: Counts) -> None:
    """Count characters, line feeds, #, and ellipses: ... without overlaps, and …."""
    newlines = hashes = 0
    dotted = np.uint8(0)
    for at in range(begin, end):
        newlines += int(data[at] == _NEWLINE)
        hashes += int(data[at] == _HASH)
    for at in range(begin, end - 2):
        dots = np.uint8(data[at] == _DOT) & np.uint8(data[at + 1] == _DOT) & np.uint8(data[at + 2] == _DOT)
        dotted |= dots | np.uint8(data[at] == 0xE2) & np.uint8(data[at + 1] == 0x80) & np.uint8(data[at + 2] == 0xA6)
    row[CHARACTERS], row[NEWLINES], row[HASHES] = characters(data, begin, end), newlines, hashes
    if dotted:
        row[ELLIPSES] = ellipses(data, begin, end)


@lean
def characters(data: Bytes, begin: int, end: int) -> int:
    """Count characters."""
    count = 0
    for at in range(begin, end):
        count += int(data[at] & 0xC0 != 0x80)
    return count


@lean
def ellipses(data: Bytes, at: int, end: int) -> int:
    """Count ... without overlaps, and …."""
    count = 0
    while at < end - 2:
        found = ends_in_ellipsis(data, at, at + 3)
        count += int(found)
        at += 3 if found else 1
    return count


@lean
def count_broken_lines(data: Bytes, wide: Hashes, at: int, end: int, flags: Classes, row: Counts) -> None:
    """Count the lines of `str.splitlines`, those whose text begins with • or -, and those that end in ... or …."""
    while at < end:
        stop, following = line_end(data, wide, at, end, flags)
        row[LINES] += 1
        inner, outer = stripped(data, at, stop, flags)
        if inner < outer:
            point = decode(data, inner)[0]
            row[BULLET_LINES] += int(point in (_BULLET, _MINUS))
            row[ELLIPSIS_LINES] += int(ends_in_ellipsis(data, inner, outer))
        at = following


@lean
def ends_in_ellipsis(data: Bytes, begin: int, end: int) -> bool:
    """Tell whether a text ends in ... or …."""
    if end - begin < 3:
        return False
    one, two, three = data[end - 3], data[end - 2], data[end - 1]
    dots = one == _DOT and two == _DOT and three == _DOT
    return bool(dots or (one == 0xE2 and two == 0x80 and three == 0xA6))


@lean
def count_full_lines(data: Bytes, wide: Hashes, at: int, end: int, flags: Classes, short: int, row: Counts) -> None:
    """Count the lines that are not blank, those that end with a terminal mark, and the short ones."""
    while at < end:
        stop = next_feed(data, wide, at, end)
        inner, outer = stripped(data, at, stop, flags)
        if inner < outer:
            last = stop - 1
            while data[last] & 0xC0 == 0x80:
                last -= 1
            row[FULL_LINES] += 1
            row[ENDED_LINES] += int(flags[decode(data, last)[0]] & TERMINAL != 0)
            row[SHORT_LINES] += int(stop - at <= 4 * short and characters(data, at, stop) <= short)
        at = stop + 1

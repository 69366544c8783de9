"""Characters, symbols and lines of documents, as the rules of Gopher and FineWeb count them."""

from __future__ import annotations

import numpy as np

from headrace.stages.kernels.arrays import Bytes, Classes, Counts, Offsets
from headrace.stages.kernels.compiled import kernel, part
from headrace.stages.kernels.statistics_flags import BREAK, SPACE, TERMINAL
from headrace.stages.kernels.utf8 import decode

CHARACTERS, NEWLINES, HASHES, ELLIPSES, LINES, BULLET_LINES, ELLIPSIS_LINES = range(7)
FULL_LINES, ENDED_LINES, SHORT_LINES = range(7, 10)
COLUMNS = 10
_NEWLINE, _RETURN, _HASH, _MINUS, _DOT, _BULLET, _ELLIPSIS = 0x0A, 0x0D, 0x23, 0x2D, 0x2E, 0x2022, 0x2026


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
    dots = 0
    for at in range(begin, end):
        byte = data[at]
        row[CHARACTERS] += int(byte & 0xC0 != 0x80)
        row[NEWLINES] += int(byte == _NEWLINE)
        row[HASHES] += int(byte == _HASH)
        dots = dots + 1 if byte == _DOT else 0
        if dots == 3:
            row[ELLIPSES] += 1
            dots = 0
        row[ELLIPSES] += int(byte == 0xE2 and data[at + 1] == 0x80 and data[at + 2] == 0xA6)


@part
def count_broken_lines(data: Bytes, begin: int, end: int, flags: Classes, row: Counts) -> None:
    """Count the lines of `str.splitlines`, those whose text begins with • or -, and those that end in ... or …."""
    at, size, first, last, dots = begin, 0, -1, -1, 0  # characters of the line; its first and last that is no space
    before = 0
    spaced = False
    while at <= end:
        point, following = decode(data, at) if at < end else (_NEWLINE, at + 1)
        flag = flags[point]
        if flag & BREAK:
            inside = size > 0 if at == end else not (point == _NEWLINE and before == _RETURN)
            row[LINES] += int(inside)
            row[BULLET_LINES] += int(first in (_BULLET, _MINUS))
            row[ELLIPSIS_LINES] += int(last == _ELLIPSIS or dots >= 3)
            size, first, last, dots = 0, -1, -1, 0
            spaced = False
        elif flag & SPACE:
            size += 1
            spaced = True
        else:
            size += 1
            first = point if first < 0 else first
            if point != _DOT:
                dots = 0
            else:
                dots = 1 if spaced else dots + 1
            last, spaced = point, False
        before = point
        at = following


@part
def count_full_lines(data: Bytes, begin: int, end: int, flags: Classes, short: int, row: Counts) -> None:
    """Count the lines that are not blank, those that end with a terminal mark, and the short ones."""
    at, size, last = begin, 0, 0
    text = False
    while at <= end:
        point, following = decode(data, at) if at < end else (_NEWLINE, at + 1)
        if point == _NEWLINE:
            if text:
                row[FULL_LINES] += 1
                row[ENDED_LINES] += int(flags[last] & TERMINAL != 0)
                row[SHORT_LINES] += int(size <= short)
            size, text = 0, False
        else:
            size += 1
            last = point
            text |= flags[point] & SPACE == 0
        at = following

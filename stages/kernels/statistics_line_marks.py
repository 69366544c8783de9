"""Lines as DCLM and dolma look at them: bullets, ellipses, symbols, and lines that occur more than once."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Classes, Counts, Hashes, Offsets
from headrace.schemas.compiled import kernel, part
from headrace.stages.kernels.mixing import mix64, rolled
from headrace.stages.kernels.statistics_edges import stripped
from headrace.stages.kernels.statistics_flags import Slots
from headrace.stages.kernels.statistics_repeats import same
from headrace.stages.kernels.utf8 import decode

SYMBOLS, FULL_LINES, BULLETS, ELLIPSES, ALL_LINES, PLAIN_BULLETS, PLAIN_ELLIPSES = range(7)
MARK_COLUMNS = 7
SEGMENTS, CHARACTERS, COPIED, COPIED_CHARACTERS = range(4)
COPY_COLUMNS = 4
_NEWLINE, _HASH, _STAR, _MINUS, _DOT, _SPACE = 0x0A, 0x23, 0x2A, 0x2D, 0x2E, 0x20
_BULLET, _DISC, _ELLIPSIS = 0x2022, 0x25CF, 0x2026


@kernel
def line_marks(data: Bytes, offsets: Offsets, flags: Classes) -> Counts:
    """Give per document the counts named first above.

    DCLM: SYMBOLS are #, ..., . . . and …; FULL_LINES are not blank, and looked at without white space at their ends;
    BULLETS of them begin with ● • * or -, ELLIPSES end with ..., . . . or …. dolma: of ALL_LINES, PLAIN_BULLETS begin
    with * or -, PLAIN_ELLIPSES end with ….
    """
    out = np.zeros((len(offsets) - 1, MARK_COLUMNS), np.int64)
    for document in range(len(offsets) - 1):
        begin, end = offsets[document], offsets[document + 1]
        row = out[document]
        row[SYMBOLS] = symbols(data, begin, end)
        first = begin
        for at in range(begin, end + 1):
            if at < end and data[at] != _NEWLINE:
                continue
            row[ALL_LINES] += 1
            row[PLAIN_BULLETS] += int(first < at and data[first] in (_STAR, _MINUS))
            row[PLAIN_ELLIPSES] += int(is_ellipsis(data, first, at))
            inner, outer = stripped(data, first, at, flags)
            if inner < outer:
                point = decode(data, inner)[0]
                row[FULL_LINES] += 1
                row[BULLETS] += int(point in (_BULLET, _DISC, _STAR, _MINUS))
                row[ELLIPSES] += int(is_ellipsis(data, inner, outer) or dots(data, inner, outer))
            first = at + 1
    return out


@part
def symbols(data: Bytes, begin: int, end: int) -> int:
    """Count #, …, ... and . . ., the last two without overlaps among themselves."""
    count, tight, wide = 0, begin, begin  # where the next of each kind may begin
    for at in range(begin, end):
        byte = data[at]
        if byte == _HASH:
            count += 1
        elif byte == 0xE2:
            count += int(data[at + 1] == 0x80 and data[at + 2] == 0xA6)
        elif byte == _DOT:
            if at >= tight and end - at >= 3 and data[at + 1] == _DOT and data[at + 2] == _DOT:
                count += 1
                tight = at + 3
            if at >= wide and spaced(data, at, end):
                count += 1
                wide = at + 5
    return count


@part
def spaced(data: Bytes, at: int, end: int) -> bool:
    """Tell whether . . . begins at a place."""
    if end - at < 5 or data[at + 1] != _SPACE or data[at + 3] != _SPACE:
        return False
    return bool(data[at] == _DOT and data[at + 2] == _DOT and data[at + 4] == _DOT)


@part
def is_ellipsis(data: Bytes, begin: int, end: int) -> bool:
    """Tell whether a text ends with …."""
    if end - begin < 3:
        return False
    return bool(data[end - 3] == 0xE2 and data[end - 2] == 0x80 and data[end - 1] == 0xA6)


@part
def dots(data: Bytes, begin: int, end: int) -> bool:
    """Tell whether a text ends with ... or . . .."""
    if end - begin >= 3 and data[end - 1] == _DOT and data[end - 2] == _DOT and data[end - 3] == _DOT:
        return True
    return end - begin >= 5 and spaced(data, end - 5, end)


@kernel
def copy_counts(data: Bytes, offsets: Offsets, flags: Classes, feeds: int, trimmed: int) -> Counts:
    """Give per document the counts named second above, of the segments parted by one or two line feeds.

    COPIED are all segments that occur more than once, the first ones among them. `trimmed` (DCLM) takes white space
    from their ends and leaves blank ones out.
    """
    longest = 1
    for document in range(len(offsets) - 1):
        longest = max(longest, offsets[document + 1] - offsets[document])
    bounds = np.empty((2, longest + 1), np.int64)
    hashes = np.empty(longest + 1, np.uint64)
    first = np.empty(longest + 1, np.int64)  # of each segment, the first one that is the same
    times = np.zeros(longest + 1, np.int64)
    size = 16
    while size < 2 * (longest + 1):
        size *= 2
    table = np.empty(size, np.int32)
    out = np.zeros((len(offsets) - 1, COPY_COLUMNS), np.int64)
    for document in range(len(offsets) - 1):
        count = segments(data, offsets[document], offsets[document + 1], flags, feeds, trimmed, bounds)
        group(data, bounds, count, hashes, table, first, times)
        for segment in range(count):
            characters = 0
            for at in range(bounds[0, segment], bounds[1, segment]):
                characters += int(data[at] & 0xC0 != 0x80)
            out[document, CHARACTERS] += characters
            if times[first[segment]] > 1:
                out[document, COPIED] += 1
                out[document, COPIED_CHARACTERS] += characters
        out[document, SEGMENTS] = count
    return out


@part
def segments(data: Bytes, begin: int, end: int, flags: Classes, feeds: int, trimmed: int, bounds: Offsets) -> int:
    """Cut a text at each run of exactly so many line feeds, from the left, and give the number of segments."""
    count, first, at = 0, begin, begin
    while at <= end:
        cut = at == end or (data[at] == _NEWLINE and (feeds == 1 or (at + 1 < end and data[at + 1] == _NEWLINE)))
        if not cut:
            at += 1
            continue
        inner, outer = stripped(data, first, at, flags) if trimmed else (first, at)
        if inner < outer or not trimmed:
            bounds[0, count], bounds[1, count] = inner, outer
            count += 1
        if at == end:
            break
        at += feeds
        first = at
    return count


@part
def group(
    data: Bytes, bounds: Offsets, count: int, hashes: Hashes, table: Slots, first: Offsets, times: Counts
) -> None:
    """Give each segment the first one that is the same, and that one how often it occurs."""
    size = 16
    while size < 2 * count:
        size *= 2
    table[:size] = -1
    for segment in range(count):
        value = np.uint64(0)
        for at in range(bounds[0, segment], bounds[1, segment]):
            value = rolled(value, np.uint64(data[at]) + np.uint64(1))
        hashes[segment] = mix64(value)
        slot = int(hashes[segment]) & size - 1
        while table[slot] >= 0 and not same(data, bounds, hashes, table[slot], segment):
            slot = slot + 1 & size - 1
        if table[slot] < 0:
            table[slot] = segment
            times[segment] = 0
        first[segment] = table[slot]
        times[table[slot]] += 1

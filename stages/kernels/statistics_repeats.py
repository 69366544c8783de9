"""Lines and paragraphs of a document that say again, letter by letter, what an earlier one said."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Classes, Counts, Hashes, Offsets
from headrace.schemas.compiled import kernel, lean
from headrace.stages.kernels.mixing import mix64
from headrace.stages.kernels.statistics_edges import next_feed, stripped
from headrace.stages.kernels.statistics_flags import Slots
from headrace.stages.kernels.statistics_numbering import key_of

PARAGRAPHS, REPEATED_PARAGRAPHS, REPEATED_PARAGRAPH_CHARACTERS = range(3)
PIECES, REPEATED_PIECES, REPEATED_PIECE_CHARACTERS = range(3, 6)
REPEATED_FULL_LINE_CHARACTERS = 6
COLUMNS = 7
_NEWLINE = 0x0A


@kernel
def repeat_counts(data: Bytes, wide: Hashes, offsets: Offsets, flags: Classes) -> Counts:
    """Give per document the counts named above.

    Paragraphs are cut at two or more line feeds, white space at the ends of the text left out; pieces at one or more,
    so that a line feed at an end makes an empty one; full lines at each, blank ones left out. Equal hashes are
    compared letter by letter. `wide` is that of `eights`.
    """
    longest = 1
    for document in range(len(offsets) - 1):
        longest = max(longest, offsets[document + 1] - offsets[document])
    bounds = np.empty((2, longest + 1), np.int64)
    hashes = np.empty(longest + 1, np.uint64)
    table = np.empty(slots(longest + 1), np.int32)
    out = np.zeros((len(offsets) - 1, COLUMNS), np.int64)
    for document in range(len(offsets) - 1):
        begin, end = offsets[document], offsets[document + 1]
        row = out[document]
        inner, outer = stripped(data, begin, end, flags)
        count = cut(data, wide, inner, outer, 2, bounds, hashes)
        row[PARAGRAPHS], (row[1], row[2]) = count, repeated(data, bounds, hashes, count, table)
        count = cut(data, wide, begin, end, 1, bounds, hashes)
        row[PIECES], (row[4], row[5]) = count, repeated(data, bounds, hashes, count, table)
        if row[REPEATED_PIECES]:
            count = without_blank(data, bounds, hashes, count, flags)
            row[REPEATED_FULL_LINE_CHARACTERS] = repeated(data, bounds, hashes, count, table)[1]
    return out


@lean
def slots(count: int) -> int:
    """Give the size of a table that this many entries fill at most half."""
    size = 16
    while size < 2 * count:
        size *= 2
    return size


@lean
def cut(data: Bytes, wide: Hashes, begin: int, end: int, feeds: int, bounds: Offsets, hashes: Hashes) -> int:
    """Cut a text at runs of at least some line feeds and give the number of parts, of which none gives one."""
    count, at, first = 0, begin, begin
    while True:
        stop = next_feed(data, wide, at, end)
        at = stop
        while at < end and data[at] == _NEWLINE:
            at += 1
        if stop < end and at - stop < feeds:
            continue
        bounds[0, count], bounds[1, count] = first, stop
        hashes[count] = mix64(key_of(data, wide, first, stop))
        count += 1
        if stop == end:
            return count
        first = at


@lean
def without_blank(data: Bytes, bounds: Offsets, hashes: Hashes, count: int, flags: Classes) -> int:
    """Move the parts that are not blank to the front and give their number."""
    kept = 0
    for part_ in range(count):
        begin, end = stripped(data, bounds[0, part_], bounds[1, part_], flags)
        if begin < end:
            bounds[0, kept], bounds[1, kept], hashes[kept] = bounds[0, part_], bounds[1, part_], hashes[part_]
            kept += 1
    return kept


@lean
def repeated(data: Bytes, bounds: Offsets, hashes: Hashes, count: int, table: Slots) -> tuple[int, int]:
    """Give how many parts are copies of earlier ones, and the characters of these."""
    size = slots(count)
    table[:size] = -1
    copies = characters = 0
    for part_ in range(count):
        slot = int(hashes[part_]) & size - 1
        while table[slot] >= 0 and not same(data, bounds, hashes, table[slot], part_):
            slot = slot + 1 & size - 1
        if table[slot] < 0:
            table[slot] = part_
            continue
        copies += 1
        for at in range(bounds[0, part_], bounds[1, part_]):
            characters += int(data[at] & 0xC0 != 0x80)
    return copies, characters


@lean
def same(data: Bytes, bounds: Offsets, hashes: Hashes, one: int, other: int) -> bool:
    """Tell whether two parts are equal."""
    size = bounds[1, one] - bounds[0, one]
    if hashes[one] != hashes[other] or size != bounds[1, other] - bounds[0, other]:
        return False
    at = 0
    while at < size and data[bounds[0, one] + at] == data[bounds[0, other] + at]:
        at += 1
    return bool(at == size)

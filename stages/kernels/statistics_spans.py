"""Words of spaced scripts: each run without white space is cut once, and its words are looked up from then on."""

from __future__ import annotations

import numpy as np

from headrace.stages.kernels.arrays import Bytes, Classes, Flags, Hashes, Offsets
from headrace.stages.kernels.compiled import kernel, part
from headrace.stages.kernels.mixing import mix64, rolled
from headrace.stages.kernels.statistics_flags import SPACE, Bounds, Slots
from headrace.stages.kernels.utf8 import decode

END_MARK, PUNCTUATION, JOINS_NEXT, JOINS_BEFORE, SPECIAL = 1, 2, 4, 8, 16  # of a word; the last, of all in its run


@kernel
def find_spans(
    data: Bytes,
    offsets: Offsets,
    document: int,
    flags: Classes,
    table: Slots,
    hashes: Hashes,
    texts: Bytes,
    text_offsets: Offsets,
    count: int,
    spans: Slots,
    places: Bounds,
    firsts: Offsets,
) -> tuple[int, int]:
    """Number the runs without white space from some document on; give the document reached and the runs known.

    A run that is new gets the next number, and its text is kept behind the others. Where there is no room for what a
    document may bring, the kernel stops before it: call it again with larger arrays.
    """
    while document < len(offsets) - 1:
        begin, end = offsets[document], offsets[document + 1]
        most = (end - begin + 1) // 2
        if 2 * (count + most) > len(table) or count + most > len(hashes):
            break
        if text_offsets[count] + end - begin > len(texts):
            break
        found = firsts[document]
        at, first = begin, -1
        while at <= end:
            point, following = decode(data, at) if at < end else (32, at + 1)
            if flags[point] & SPACE:
                if first >= 0:
                    number = number_of(data, first, at, table, hashes, texts, text_offsets, count)
                    count = max(count, number + 1)
                    spans[found], places[found] = number, first - begin
                    found += 1
                first = -1
            elif first < 0:
                first = at
            at = following
        document += 1
        firsts[document] = found
    return document, count


@part
def number_of(
    data: Bytes,
    begin: int,
    end: int,
    table: Slots,
    hashes: Hashes,
    texts: Bytes,
    text_offsets: Offsets,
    count: int,
) -> int:
    """Give the number of a run; a new one gets number `count`, and its text is kept."""
    value = np.uint64(0)
    for at in range(begin, end):
        value = rolled(value, np.uint64(data[at]) + np.uint64(1))
    value = mix64(value)
    slot = int(value) & len(table) - 1
    while table[slot] >= 0:
        number = table[slot]
        if hashes[number] == value and is_text(data, begin, end, texts, text_offsets, number):
            return number
        slot = slot + 1 & len(table) - 1
    table[slot], hashes[count] = count, value
    for at in range(begin, end):
        texts[text_offsets[count] + at - begin] = data[at]
    text_offsets[count + 1] = text_offsets[count] + end - begin
    return count


@part
def is_text(data: Bytes, begin: int, end: int, texts: Bytes, text_offsets: Offsets, number: int) -> bool:
    """Tell whether a run is the one with this number."""
    first = text_offsets[number]
    if text_offsets[number + 1] - first != end - begin:
        return False
    for at in range(end - begin):
        if texts[first + at] != data[begin + at]:
            return False
    return True


@kernel
def spread_table(hashes: Hashes, count: int, table: Slots) -> None:
    """Enter the known runs into a new table."""
    table[:] = -1
    for number in range(count):
        slot = int(hashes[number]) & len(table) - 1
        while table[slot] >= 0:
            slot = slot + 1 & len(table) - 1
        table[slot] = number


@kernel
def words_of_spans(
    spans: Slots, places: Bounds, span_firsts: Offsets, word_firsts: Offsets, word_ends: Bounds, word_kinds: Bytes
) -> tuple[Offsets, Bounds, Bounds, Bytes, Flags]:
    """Give the words of documents out of those of their runs: firsts, begins, ends, kinds; and which are in doubt.

    In doubt is a document where the words beside white space may be parts of one symbol, as in ":) )", and one of them
    is in a symbol already: which of the two spaCy takes, only the whole text tells.
    """
    total = 0
    for span in range(span_firsts[-1]):
        total += word_firsts[spans[span] + 1] - word_firsts[spans[span]]
    begins, ends, kinds = np.empty(total, np.int32), np.empty(total, np.int32), np.empty(total, np.uint8)
    firsts = np.zeros(len(span_firsts), np.int64)
    doubts = np.zeros(len(span_firsts) - 1, np.bool_)
    at = 0
    for document in range(len(span_firsts) - 1):
        before = 0
        for span in range(span_firsts[document], span_firsts[document + 1]):
            first, last = word_firsts[spans[span]], word_firsts[spans[span] + 1]
            kind = word_kinds[first]
            joined = before & JOINS_NEXT != 0 and kind & JOINS_BEFORE != 0
            doubts[document] |= joined and (before | kind) & SPECIAL != 0
            begin = places[span]
            for word in range(first, last):
                begins[at], ends[at], kinds[at] = begin, places[span] + word_ends[word], word_kinds[word]
                begin = ends[at]
                at += 1
            before = word_kinds[last - 1]
        firsts[document + 1] = at
    return firsts, begins, ends, kinds, doubts

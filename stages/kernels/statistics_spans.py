"""Words of spaced scripts: each run without white space is cut once, and its words are looked up from then on."""

from __future__ import annotations

import numpy as np

from headrace.stages.kernels.arrays import Bytes, Classes, Flags, Hashes, Offsets
from headrace.stages.kernels.compiled import kernel, part
from headrace.stages.kernels.mixing import mix64, rolled
from headrace.stages.kernels.statistics_flags import SPACE, Bounds, Edges, Slots
from headrace.stages.kernels.utf8 import decode

END_MARK, PUNCTUATION = 1, 2  # of a word
FIRST, LAST, SPECIAL = range(3)  # of a run: numbers of its first and last word, and whether it has a special case


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
        value = np.uint64(0)
        while at <= end:
            point, following = int(data[at]) if at < end else 32, at + 1
            if point >= 128:
                point, following = decode(data, at)
            if flags[point] & SPACE:
                if first >= 0:
                    number = number_of(data, first, at, mix64(value), table, hashes, texts, text_offsets, count)
                    count = max(count, number + 1)
                    spans[found], places[found] = number, first - begin
                    found += 1
                first = -1
                value = np.uint64(0)
            else:
                first = at if first < 0 else first
                value = rolled(value, np.uint64(point))
            at = following
        document += 1
        firsts[document] = found
    return document, count


@part
def number_of(
    data: Bytes,
    begin: int,
    end: int,
    value: np.uint64,
    table: Slots,
    hashes: Hashes,
    texts: Bytes,
    text_offsets: Offsets,
    count: int,
) -> int:
    """Give the number of a run with a hash; a new one gets number `count`, and its text is kept."""
    slot = int(value) & len(table) - 1
    while table[slot] >= 0:
        number = int(table[slot])
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
    at = 0
    while at < end - begin and texts[first + at] == data[begin + at]:
        at += 1
    return at == end - begin


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
) -> tuple[Offsets, Bounds, Bounds, Bytes]:
    """Give the words of documents out of those of their runs: firsts, begins, ends, kinds."""
    total = 0
    for span in range(span_firsts[-1]):
        total += word_firsts[spans[span] + 1] - word_firsts[spans[span]]
    begins, ends, kinds = np.empty(total, np.int32), np.empty(total, np.int32), np.empty(total, np.uint8)
    firsts = np.zeros(len(span_firsts), np.int64)
    at = 0
    for document in range(len(span_firsts) - 1):
        for span in range(span_firsts[document], span_firsts[document + 1]):
            begin = places[span]
            for word in range(word_firsts[spans[span]], word_firsts[spans[span] + 1]):
                begins[at], ends[at], kinds[at] = begin, places[span] + word_ends[word], word_kinds[word]
                begin = ends[at]
                at += 1
        firsts[document + 1] = at
    return firsts, begins, ends, kinds


@kernel
def doubtful_chains(spans: Slots, span_firsts: Offsets, edges: Edges, pairs: Flags) -> Offsets:
    """Give the chains of runs whose words together may be others than those of each: document, first run, behind last.

    A chain's runs are joined by words that are neighbours in a special case, as in ":) )". It is in doubt if a run at
    such a place has a special case already: which of the two spaCy takes, only the text of the chain tells.
    """
    out = np.empty((16, 3), np.int64)
    count = 0
    for document in range(len(span_firsts) - 1):
        first, doubt = span_firsts[document], False
        for span in range(span_firsts[document] + 1, span_firsts[document + 1] + 1):
            joined = False
            if span < span_firsts[document + 1]:
                before, here = spans[span - 1], spans[span]
                joined = edges[before, LAST] != 0 and pairs[edges[before, LAST], edges[here, FIRST]]
                doubt |= joined and edges[before, SPECIAL] | edges[here, SPECIAL] != 0
            if not joined:
                if doubt:
                    if count == len(out):
                        out = np.concatenate((out, np.empty_like(out)))
                    out[count, 0], out[count, 1], out[count, 2] = document, first, span
                    count += 1
                first, doubt = span, False
    return out[:count]

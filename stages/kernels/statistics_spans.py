"""Words of spaced scripts: each run without white space is cut once, and its words are looked up from then on."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Classes, Flags, Hashes, Offsets
from headrace.schemas.compiled import kernel, lean
from headrace.stages.kernels.statistics_flags import SPACE, Bounds, Edges, Slots
from headrace.stages.kernels.statistics_numbering import key_of, number_of
from headrace.stages.kernels.utf8 import decode

END_MARK, PUNCTUATION = 1, 2  # of a word
FIRST, LAST = range(2)  # of a run's edges: the numbers of its first and its last word
_ZERO, _ONE, _SEVEN, _EIGHT, _FULL = (np.uint64(number) for number in (0, 1, 7, 8, 56))
_SPACES, _HIGH, _ONES = (np.uint64(0x0101010101010101 * byte) for byte in (0x21, 0x80, 1))


@kernel
def find_spans(
    data: Bytes,
    wide: Hashes,
    offsets: Offsets,
    document: int,
    flags: Classes,
    table: Hashes,
    texts: Bytes,
    text_offsets: Offsets,
    count: int,
    spans: Slots,
    places: Bounds,
    firsts: Offsets,
) -> tuple[int, int]:
    """Number the runs without white space from some document on; give the document reached and the runs known.

    Where there is no room for what a document may bring, the kernel stops before it: call it again with larger arrays.
    """
    while document < len(offsets) - 1:
        begin, end = offsets[document], offsets[document + 1]
        most = (end - begin + 1) // 2
        if 2 * (count + most) > len(table) or count + most >= len(text_offsets):
            break
        if text_offsets[count] + end - begin > len(texts):
            break
        found = firsts[document]
        at = begin
        while at < end:
            size, key = short_run(data, wide, at, end, flags)
            if size < 0:
                stop = run_end(data, at, end, flags)
                size = stop - at
                if size == 0:
                    at = decode(data, at)[1]
                    continue
                key = key_of(data, wide, at, stop)
            elif size == 0:
                at += 1
                continue
            number = number_of(data, wide, at, at + size, key, table, texts, text_offsets, count)
            count = max(count, number + 1)
            spans[found], places[found] = number, at - begin
            found += 1
            at += size
        document += 1
        firsts[document] = found
    return document, count


@lean
def short_run(data: Bytes, wide: Hashes, at: int, end: int, flags: Classes) -> tuple[int, np.uint64]:
    """Give the bytes of a run of at most seven in ASCII and its key, without looking at them one by one; else -1.

    Of a number's bytes below 33 and above 127, the lowest is where the run may end.
    """
    if at + 8 > end or at >= len(wide):
        return -1, _ZERO
    chunk = wide[at]
    stops = ((chunk - _SPACES) & ~chunk | chunk) & _HIGH
    if stops == _ZERO:
        return -1, _ZERO
    before = ((stops & (_ZERO - stops)) >> _SEVEN) - _ONE  # all bits of the bytes before the lowest
    size = ((before & _ONES) * _ONES) >> _FULL
    stop = np.int64(chunk >> (size * _EIGHT)) & 255
    if stop >= 128 or not flags[stop] & SPACE:
        return -1, _ZERO
    return int(np.int64(size)), np.uint64(chunk & before | size << _FULL)


@lean
def run_end(data: Bytes, at: int, end: int, flags: Classes) -> int:
    """Give where a run ends."""
    while at < end:
        point, following = int(data[at]), at + 1
        if point >= 128:
            point, following = decode(data, at)
        if flags[point] & SPACE:
            break
        at = following
    return at


@kernel
def words_of_spans(
    spans: Slots,
    places: Bounds,
    span_firsts: Offsets,
    word_firsts: Offsets,
    word_ends: Bounds,
    word_kinds: Bytes,
    word_numbers: Slots,
) -> tuple[Offsets, Bounds, Bounds, Bytes, Slots]:
    """Give the words of documents out of those of their runs: firsts, begins, ends, kinds, numbers."""
    total = 0
    for span in range(span_firsts[-1]):
        total += word_firsts[spans[span] + 1] - word_firsts[spans[span]]
    begins, ends, kinds = np.empty(total, np.int32), np.empty(total, np.int32), np.empty(total, np.uint8)
    firsts, numbers = np.zeros(len(span_firsts), np.int64), np.empty(total, np.int32)
    at = 0
    for document in range(len(span_firsts) - 1):
        for span in range(span_firsts[document], span_firsts[document + 1]):
            begin = places[span]
            for word in range(word_firsts[spans[span]], word_firsts[spans[span] + 1]):
                begins[at], ends[at], kinds[at] = begin, places[span] + word_ends[word], word_kinds[word]
                numbers[at] = word_numbers[word]
                begin = ends[at]
                at += 1
        firsts[document + 1] = at
    return firsts, begins, ends, kinds, numbers


@kernel
def doubtful_chains(spans: Slots, span_firsts: Offsets, edges: Edges, special: Flags, pairs: Flags) -> Offsets:
    """Give the chains of runs whose words together may be others than those of each: document, first run, behind last.

    A chain's runs are joined by words that are neighbours in a special case, as in ":) )". It is in doubt if a run at
    such a place has a special case already: which of the two spaCy takes, only the text of the chain tells.
    """
    out = np.empty((16, 3), np.int64)
    count = 0
    for document in range(len(span_firsts) - 1):
        if not any_special(spans, span_firsts[document], span_firsts[document + 1], special):
            continue
        first, doubt = span_firsts[document], False
        for span in range(span_firsts[document] + 1, span_firsts[document + 1] + 1):
            joined = False
            if span < span_firsts[document + 1]:
                before, here = spans[span - 1], spans[span]
                joined = edges[before, LAST] != 0 and pairs[edges[before, LAST], edges[here, FIRST]]
                doubt |= joined and (special[before] or special[here])
            if not joined:
                if doubt:
                    if count == len(out):
                        out = np.concatenate((out, np.empty_like(out)))
                    out[count, 0], out[count, 1], out[count, 2] = document, first, span
                    count += 1
                first, doubt = span, False
    return out[:count]


@lean
def any_special(spans: Slots, first: int, last: int, special: Flags) -> bool:
    """Tell whether one of some runs has a special case."""
    found = False
    for span in range(first, last):
        found |= special[spans[span]]
    return found

"""Words of documents by their bounds: how many there are, of what kind, and which stop words are among them.

Words come as bounds: word i of the batch is `data[offsets[d] + begins[i] : offsets[d] + ends[i]]`, and document d has
the words `firsts[d]:firsts[d + 1]`. Whoever cuts words (spaCy's rules, jieba) gives these three arrays.
"""

from __future__ import annotations

import numpy as np

from headrace.stages.kernels.arrays import Bytes, Classes, Counts, Offsets
from headrace.stages.kernels.compiled import kernel, part
from headrace.stages.kernels.mixing import mix64, rolled
from headrace.stages.kernels.statistics_flags import ALPHABETIC, MARK, Bounds, Slots
from headrace.stages.kernels.utf8 import decode

WORDS, WORD_CHARACTERS, SOLID_WORDS, SOLID_CHARACTERS, ALPHABETIC_WORDS, STOP_WORDS, STOP_WORD_KINDS = range(7)
COLUMNS = 7
STOPS_MAX = 63  # each is a bit of one number
_SLOTS = 256


@kernel
def word_counts(
    data: Bytes,
    offsets: Offsets,
    firsts: Offsets,
    begins: Bounds,
    ends: Bounds,
    flags: Classes,
    stops: Bytes,
    stop_offsets: Offsets,
    stop_slots: Slots,
) -> Counts:
    """Give per document the counts named above; a solid word is one with a character that is no mark.

    Stop words are counted each time they occur, their kinds once. `stop_slots` is the table of `stop_table`.
    """
    out = np.zeros((len(offsets) - 1, COLUMNS), np.int64)
    for document in range(len(offsets) - 1):
        row = out[document]
        seen = total = solids = solid_characters = alphabetics = stopped = 0
        for word in range(firsts[document], firsts[document + 1]):
            begin, end = offsets[document] + begins[word], offsets[document] + ends[word]
            characters, solid, alphabetic = look(data, begin, end, flags)
            total += characters
            solids += int(solid)
            solid_characters += characters if solid else 0
            alphabetics += int(alphabetic)
            stop = stop_of(data, begin, end, stops, stop_offsets, stop_slots)
            if stop >= 0:
                stopped += 1
                seen |= 1 << stop
        row[WORDS], row[WORD_CHARACTERS] = firsts[document + 1] - firsts[document], total
        row[SOLID_WORDS], row[SOLID_CHARACTERS], row[ALPHABETIC_WORDS] = solids, solid_characters, alphabetics
        row[STOP_WORDS] = stopped
        for stop in range(STOPS_MAX):
            row[STOP_WORD_KINDS] += seen >> stop & 1
    return out


@part
def look(data: Bytes, begin: int, end: int, flags: Classes) -> tuple[int, bool, bool]:
    """Give a word's characters, whether one of them is no mark, and whether one is alphabetic."""
    characters, both, any_ = 0, 255, 0
    at = begin
    while at < end:
        point = int(data[at])
        if point < 128:
            at += 1
        else:
            point, at = decode(data, at)
        characters += 1
        both &= flags[point]
        any_ |= flags[point]
    return characters, both & MARK == 0, any_ & ALPHABETIC != 0


@part
def word_hash(data: Bytes, begin: int, end: int) -> np.uint64:
    """Give a word's hash."""
    value = np.uint64(0)
    for at in range(begin, end):
        value = rolled(value, np.uint64(data[at]) + np.uint64(1))
    return mix64(value)


@part
def stop_of(data: Bytes, begin: int, end: int, stops: Bytes, offsets: Offsets, table: Slots) -> int:
    """Give the number of the stop word that a word is, or -1."""
    if end - begin > table[_SLOTS]:
        return -1
    slot = int(word_hash(data, begin, end)) & _SLOTS - 1
    while table[slot] >= 0:
        stop = int(table[slot])
        if equal(data, begin, end, stops, offsets[stop], offsets[stop + 1]):
            return stop
        slot = slot + 1 & _SLOTS - 1
    return -1


@part
def equal(data: Bytes, begin: int, end: int, other: Bytes, first: int, last: int) -> bool:
    """Tell whether two pieces of text are the same."""
    if end - begin != last - first:
        return False
    at = 0
    while at < end - begin and data[begin + at] == other[first + at]:
        at += 1
    return at == end - begin


@kernel
def stop_table(stops: Bytes, offsets: Offsets) -> Slots:
    """Give the table in which `word_counts` finds stop words; there are at most `STOPS_MAX`, all different.

    Behind the slots stand the bytes of the longest.
    """
    table = np.full(_SLOTS + 1, -1, np.int32)
    for stop in range(len(offsets) - 1):
        slot = int(word_hash(stops, offsets[stop], offsets[stop + 1])) & _SLOTS - 1
        while table[slot] >= 0:
            slot = slot + 1 & _SLOTS - 1
        table[slot] = stop
        table[_SLOTS] = max(table[_SLOTS], offsets[stop + 1] - offsets[stop])
    return table

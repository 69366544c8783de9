"""Words parted by white space, as DCLM and dolma count most of what they count."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Classes, Counts, Offsets
from headrace.schemas.compiled import kernel, part
from headrace.stages.kernels.statistics_flags import ALPHABETIC, SPACE, Bounds
from headrace.stages.kernels.utf8 import decode

WORDS, CHARACTERS, ALPHABETIC_WORDS, STOPS, SMALL_STOPS, SYMBOL_WORDS, TWICE_MEDIAN = range(7)
COLUMNS = 7
_HASH, _ELLIPSIS = 0x23, 0x2026


@kernel
def split_words(data: Bytes, offsets: Offsets, flags: Classes) -> tuple[Offsets, Bounds, Bounds]:
    """Give the words of each document as bounds: firsts, begins, ends."""
    most = (offsets[-1] - offsets[0] + len(offsets)) // 2 + 1
    firsts = np.zeros(len(offsets), np.int64)
    begins, ends = np.empty(most, np.int32), np.empty(most, np.int32)
    count = 0
    for document in range(len(offsets) - 1):
        at, end = offsets[document], offsets[document + 1]
        first = -1
        while at < end:
            point, following = decode(data, at)
            white = flags[point] & SPACE != 0
            if first < 0 and not white:
                first = at
            if first >= 0 and (white or following >= end):
                begins[count] = first - offsets[document]
                ends[count] = (at if white else end) - offsets[document]
                count += 1
                first = -1
            at = following
        firsts[document + 1] = count
    return firsts, begins[:count], ends[:count]


@kernel
def split_word_counts(
    data: Bytes,
    offsets: Offsets,
    firsts: Offsets,
    begins: Bounds,
    ends: Bounds,
    flags: Classes,
    stops: Bytes,
    stop_offsets: Offsets,
) -> Counts:
    """Give per document the counts named above, of words given as bounds.

    STOPS are all occurrences of stop words, SMALL_STOPS those with capitals A to Z, too; SYMBOL_WORDS have a # or …
    in them; TWICE_MEDIAN is the sum of the two lengths in the middle.
    """
    most = 1
    for document in range(len(offsets) - 1):
        most = max(most, firsts[document + 1] - firsts[document])
    lengths = np.empty(most, np.int64)
    out = np.zeros((len(offsets) - 1, COLUMNS), np.int64)
    for document in range(len(offsets) - 1):
        row, count = out[document], firsts[document + 1] - firsts[document]
        for word in range(count):
            begin = offsets[document] + begins[firsts[document] + word]
            end = offsets[document] + ends[firsts[document] + word]
            characters, alphabetic, symbol = look(data, begin, end, flags)
            lengths[word] = characters
            row[CHARACTERS] += characters
            row[ALPHABETIC_WORDS] += int(alphabetic)
            row[SYMBOL_WORDS] += int(symbol)
            row[STOPS] += int(is_one_of(data, begin, end, stops, stop_offsets, 0))
            row[SMALL_STOPS] += int(is_one_of(data, begin, end, stops, stop_offsets, 1))
        row[WORDS] = count
        if count:
            ordered = np.sort(lengths[:count])
            row[TWICE_MEDIAN] = ordered[(count - 1) // 2] + ordered[count // 2]
    return out


@part
def look(data: Bytes, begin: int, end: int, flags: Classes) -> tuple[int, bool, bool]:
    """Give a word's characters, and whether it has a letter, and a # or …."""
    characters, alphabetic, symbol = 0, False, False
    at = begin
    while at < end:
        point, at = decode(data, at)
        characters += 1
        alphabetic |= flags[point] & ALPHABETIC != 0
        symbol |= point in (_HASH, _ELLIPSIS)
    return characters, alphabetic, symbol


@part
def is_one_of(data: Bytes, begin: int, end: int, words: Bytes, offsets: Offsets, small: int) -> bool:
    """Tell whether a word is one of a list; `small` takes its capitals A to Z as small letters."""
    for word in range(len(offsets) - 1):
        if offsets[word + 1] - offsets[word] != end - begin:
            continue
        same = 0
        while same < end - begin:
            byte = int(data[begin + same])
            byte += 32 if small and 65 <= byte <= 90 else 0
            if byte != words[offsets[word] + same]:
                break
            same += 1
        if same == end - begin:
            return True
    return False


@kernel
def words_of_letters(
    data: Bytes, offsets: Offsets, firsts: Offsets, begins: Bounds, ends: Bounds, classes: Classes, wanted: int
) -> tuple[Offsets, Bounds, Bounds]:
    """Give the words whose first character has one of the wanted flags."""
    found = np.zeros(len(firsts), np.int64)
    heads, tails = np.empty(len(begins), np.int32), np.empty(len(begins), np.int32)
    count = 0
    for document in range(len(firsts) - 1):
        for word in range(firsts[document], firsts[document + 1]):
            if classes[decode(data, offsets[document] + begins[word])[0]] & wanted:
                heads[count], tails[count] = begins[word], ends[word]
                count += 1
        found[document + 1] = count
    return found, heads[:count], tails[:count]

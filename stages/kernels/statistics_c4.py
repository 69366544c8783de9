"""The line rules of C4: which lines stay, why others do not, and how many sentences are left."""

from __future__ import annotations

import numpy as np

from headrace.stages.kernels.arrays import Bytes, Classes, Counts, Offsets
from headrace.stages.kernels.compiled import kernel, part
from headrace.stages.kernels.statistics_flags import BREAK, DIGIT, SPACE, Bounds
from headrace.stages.kernels.statistics_repeats import stripped
from headrace.stages.kernels.statistics_spans import END_MARK, PUNCTUATION
from headrace.stages.kernels.utf8 import decode

LINES, LONG_WORD, UNENDED, FEW_WORDS, LOREM, JAVASCRIPT, CURLY, POLICY, KEPT, FATAL = range(10)
COLUMNS = 10
PHRASES = (
    *(b"lorem ipsum", b"javascript"),
    *(b"terms of use", b"privacy policy", b"cookie policy", b"uses cookies", b"use of cookies", b"use cookies"),
)
CITATIONS = (b"[edit]", b"[citation needed]")
_RETURN, _NEWLINE, _OPEN, _CLOSE, _CURLY, _DOT = 0x0D, 0x0A, 0x5B, 0x5D, 0x7B, 0x2E
_ENDS = (_DOT, 0x3F, 0x21, 0x22, 0x27)  # . ? ! " '
_SHORTEST = min(map(len, PHRASES))
_KELVIN = 0x212A  # the one character beyond ASCII whose small letter is in ASCII


@kernel
def c4_lines(
    data: Bytes,
    offsets: Offsets,
    flags: Classes,
    phrases: Bytes,
    phrase_offsets: Offsets,
    longest: int,
    fewest: int,
    ended: int,
) -> tuple[Counts, Bytes, Offsets]:
    """Give per document how many lines each rule takes, in the order of the columns, and the text of the lines kept.

    A line with a word of more than `longest` characters goes; then numbered and named citations are taken out of it;
    then it goes if it does not end like a sentence (only if `ended`), if it has fewer than `fewest` words, and for the
    phrases. LOREM and CURLY drop the document: FATAL is which of the two came first, or 0. `phrases` are those of
    `PHRASES` and `CITATIONS`, one behind the other.
    """
    out = np.zeros((len(offsets) - 1, COLUMNS), np.int64)
    text = np.empty(offsets[-1] - offsets[0] + len(offsets), np.uint8)
    bounds = np.zeros(len(offsets), np.int64)
    small = np.empty(offsets[-1] - offsets[0] + 1, np.uint8)
    written = 0
    for document in range(len(offsets) - 1):
        at, end, row = offsets[document], offsets[document + 1], out[document]
        while at < end:
            stop, following = line_end(data, at, end, flags)
            begin, stop = stripped(data, at, stop, flags)
            at = following
            row[LINES] += 1
            words, size = words_in(data, begin, stop, flags)
            if size > longest:
                row[LONG_WORD] += 1
                continue
            last = without_citations(data, begin, stop, flags, phrases, phrase_offsets, text, written)
            reason = why_not(text, written, last, words, fewest, ended, phrases, phrase_offsets, small)
            row[reason] += 1
            if reason in (LOREM, CURLY) and not row[FATAL]:
                row[FATAL] = reason
            if reason == KEPT:
                text[last] = _NEWLINE
                written = last + 1
        bounds[document + 1] = written
    return out, text[:written], bounds


@part
def line_end(data: Bytes, at: int, end: int, flags: Classes) -> tuple[int, int]:
    """Give where a line ends, as `str.splitlines` cuts, and where the next one begins."""
    while at < end:
        point, following = decode(data, at)
        if flags[point] & BREAK:
            pair = point == _RETURN and following < end and data[following] == _NEWLINE
            return at, following + int(pair)
        at = following
    return end, end


@part
def words_in(data: Bytes, at: int, end: int, flags: Classes) -> tuple[int, int]:
    """Give how many words, cut at white space, a line has, and the characters of the longest."""
    words = size = longest = 0
    while at < end:
        point, at = decode(data, at)
        if flags[point] & SPACE:
            size = 0
            continue
        words += int(size == 0)
        size += 1
        longest = max(longest, size)
    return words, longest


@part
def without_citations(
    data: Bytes, at: int, end: int, flags: Classes, phrases: Bytes, offsets: Offsets, out: Bytes, place: int
) -> int:
    """Write a line without [], [12], [edit] and [citation needed]; give where it ends."""
    while at < end:
        if data[at] == _OPEN:
            close = at + 1
            while close < end:
                point, following = decode(data, close)
                if not flags[point] & DIGIT:
                    break
                close = following
            if close < end and data[close] == _CLOSE:
                at = close + 1
                continue
            named = 0
            for phrase in range(len(offsets) - 3, len(offsets) - 1):
                if begins_with(data, at, end, phrases, offsets, phrase):
                    named = offsets[phrase + 1] - offsets[phrase]
            if named:
                at += named
                continue
        out[place] = data[at]
        at += 1
        place += 1
    return place


@part
def begins_with(data: Bytes, at: int, end: int, phrases: Bytes, offsets: Offsets, phrase: int) -> bool:
    """Tell whether a phrase stands at a place."""
    size = offsets[phrase + 1] - offsets[phrase]
    if end - at < size:
        return False
    same = 0
    while same < size and data[at + same] == phrases[offsets[phrase] + same]:
        same += 1
    return bool(same == size)


@part
def why_not(
    text: Bytes,
    begin: int,
    end: int,
    words: int,
    fewest: int,
    ended: int,
    phrases: Bytes,
    offsets: Offsets,
    small: Bytes,
) -> int:
    """Give the column of the first rule that takes a line, or KEPT."""
    if ended != 0 and not ends_well(text, begin, end):
        return UNENDED
    if words < fewest:
        return FEW_WORDS
    size, curly = 0, False
    at = begin
    while at < end:
        point, following = decode(text, at)
        curly |= point == _CURLY
        if 65 <= point <= 90 or point == _KELVIN:
            small[size] = point + 32 if point != _KELVIN else 107
            size += 1
        else:
            for i in range(at, following):
                small[size] = text[i]
                size += 1
        at = following
    found = phrases_in(small, size, phrases, offsets)
    if found & 1:
        return LOREM
    if found & 2:
        return JAVASCRIPT
    if curly:
        return CURLY
    return POLICY if found else KEPT


@part
def ends_well(text: Bytes, begin: int, end: int) -> bool:
    """Tell whether a line ends with . ? ! and a straight quote, but not with three dots."""
    if begin == end or text[end - 1] not in _ENDS:
        return False
    dots = end - begin >= 3 and text[end - 1] == _DOT and text[end - 2] == _DOT and text[end - 3] == _DOT
    return not dots


@part
def phrases_in(small: Bytes, size: int, phrases: Bytes, offsets: Offsets) -> int:
    """Give which phrases, but for the citations, a line in small letters has: bit i for phrase i."""
    found = 0
    for at in range(size - _SHORTEST + 1):
        if not may_begin(small[at], small[at + 2]):
            continue
        for phrase in range(len(offsets) - 3):
            if begins_with(small, at, size, phrases, offsets, phrase):
                found |= 1 << phrase
    return found


@part
def may_begin(first: int, third: int) -> bool:
    """Tell whether a phrase may begin with a letter that has another behind the next: l.r j.v t.r p.i c.o u.e."""
    if third == 0x72:
        return first in (0x6C, 0x74)
    if third == 0x65:
        return first == 0x75
    return (first, third) in ((0x6A, 0x76), (0x70, 0x69), (0x63, 0x6F))


@kernel
def sentence_counts(
    data: Bytes, offsets: Offsets, firsts: Offsets, begins: Bounds, ends: Bounds, kinds: Bytes
) -> Counts:
    """Give per text of `c4_lines` its sentences, as spaCy's sentencizer cuts each line.

    A sentence begins behind an end mark and the punctuation that follows it. White space other than one space is a
    word to spaCy, and begins one too.
    """
    out = np.zeros(len(offsets) - 1, np.int64)
    for document in range(len(offsets) - 1):
        at, end = offsets[document], offsets[document + 1]
        word, last = firsts[document], firsts[document + 1]
        fresh, seen = True, False  # no word on the line yet; an end mark was seen
        while at < end:
            gap = offsets[document] + begins[word] if word < last else end
            feed = at
            while feed < gap and data[feed] != _NEWLINE:
                feed += 1
            blank = feed > at and not (feed == at + 1 and data[at] == 32)
            if blank and (seen or fresh):
                out[document] += 1
                fresh, seen = False, False
            if feed < gap:  # the line ends here
                out[document] += int(fresh)
                at, fresh, seen = feed + 1, True, False
                continue
            if word == last:
                break
            mark = kinds[word] & END_MARK != 0
            if fresh or (seen and not mark and not kinds[word] & PUNCTUATION):
                out[document] += 1
                fresh, seen = False, False
            seen |= mark
            at = offsets[document] + ends[word]
            word += 1
    return out

"""The line rules of C4: which lines stay, why others do not, and how many sentences are left."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Classes, Counts, Hashes, Offsets
from headrace.schemas.compiled import kernel, lean
from headrace.stages.kernels.statistics_edges import line_end, stripped
from headrace.stages.kernels.statistics_flags import DIGIT, SPACE, Bounds
from headrace.stages.kernels.statistics_spans import END_MARK, PUNCTUATION
from headrace.stages.kernels.utf8 import copy, decode

LINES, LONG_WORD, UNENDED, FEW_WORDS, LOREM, JAVASCRIPT, CURLY, POLICY, KEPT, FATAL = range(10)
COLUMNS = 10
DOCUMENT, FIRST, LAST, KEPT_FIRST, KEPT_LAST = range(5)  # of a line kept: its bytes, and those in the text kept
LINE_COLUMNS = 5
PHRASES = (
    *(b"lorem ipsum", b"javascript"),
    *(b"terms of use", b"privacy policy", b"cookie policy", b"uses cookies", b"use of cookies", b"use cookies"),
)
CITATIONS = (b"[edit]", b"[citation needed]")
_NEWLINE, _OPEN, _CLOSE, _CURLY, _DOT = 0x0A, 0x5B, 0x5D, 0x7B, 0x2E
_ENDS = (_DOT, 0x3F, 0x21, 0x22, 0x27)  # . ? ! " '
_SHORTEST = min(map(len, PHRASES))
_SMALL = np.uint8(0x20)
_KELVIN = 0x212A  # the one character beyond ASCII whose small letter is in ASCII


@kernel
def c4_lines(
    data: Bytes,
    wide: Hashes,
    offsets: Offsets,
    flags: Classes,
    phrases: Bytes,
    phrase_offsets: Offsets,
    longest: int,
    fewest: int,
    ended: int,
) -> tuple[Counts, Bytes, Offsets, Offsets]:
    """Give per document how many lines each rule takes, in the order of the columns, and the text of the lines kept.

    A line with a word of more than `longest` characters goes; then numbered and named citations are taken out of it;
    then it goes if it does not end like a sentence (only if `ended`), if it has fewer than `fewest` words, and for the
    phrases. LOREM and CURLY drop the document: FATAL is which of the two came first, or 0. `phrases` are those of
    `PHRASES` and `CITATIONS`, one behind the other. Last come the lines kept, as `LINE_COLUMNS` says.
    """
    out = np.zeros((len(offsets) - 1, COLUMNS), np.int64)
    text = np.empty(offsets[-1] - offsets[0] + len(offsets), np.uint8)
    bounds = np.zeros(len(offsets), np.int64)
    lines = np.empty((64, LINE_COLUMNS), np.int64)
    small = np.empty(offsets[-1] - offsets[0] + 1, np.uint8)
    written = count = 0
    for document in range(len(offsets) - 1):
        at, end, row = offsets[document], offsets[document + 1], out[document]
        plain = not is_rich(data, at, end)
        while at < end:
            stop, following = line_end(data, wide, at, end, flags)
            begin, stop = stripped(data, at, stop, flags)
            at = following
            row[LINES] += 1
            if stop - begin > longest and has_long_word(data, begin, stop, flags, longest):
                row[LONG_WORD] += 1
                continue
            few = has_few_words(data, begin, stop, flags, fewest)
            if plain:
                reason = UNENDED if ended != 0 and not ends_well(data, begin, stop) else FEW_WORDS if few else KEPT
                last = copy(data, begin, stop, text, written) if reason == KEPT else written
            else:
                last = without_citations(data, begin, stop, flags, phrases, phrase_offsets, text, written)
                reason = why_not(text, written, last, int(few), ended, phrases, phrase_offsets, small)
            row[reason] += 1
            if reason in (LOREM, CURLY) and not row[FATAL]:
                row[FATAL] = reason
            if reason != KEPT:
                continue
            if count == len(lines):
                lines = np.concatenate((lines, np.empty_like(lines)))
            lines[count, DOCUMENT], lines[count, FIRST], lines[count, LAST] = document, begin, stop
            lines[count, KEPT_FIRST], lines[count, KEPT_LAST] = written, last
            text[last] = _NEWLINE
            written, count = last + 1, count + 1
        bounds[document + 1] = written
    return out, text[:written], bounds, lines[:count]


@lean
def is_rich(data: Bytes, begin: int, end: int) -> bool:
    """Tell whether a text may have a phrase, a citation or a curly bracket: from letters of theirs, four at a time.

    The letters are oki, jav, vac, f.us and m.ip, large or small, and the sign of Kelvin.
    """
    rich = np.uint8(0)
    for at in range(begin, end):
        rich |= np.uint8(data[at] == _OPEN) | np.uint8(data[at] == _CURLY)
    for at in range(begin, end - 3):
        one, two, three = data[at] | _SMALL, data[at + 1] | _SMALL, data[at + 2] | _SMALL
        four = data[at + 3] | _SMALL
        cookie = np.uint8(one == 0x6F) & np.uint8(two == 0x6B) & np.uint8(three == 0x69)
        javascript = np.uint8(one == 0x6A) & np.uint8(two == 0x61) & np.uint8(three == 0x76)
        privacy = np.uint8(one == 0x76) & np.uint8(two == 0x61) & np.uint8(three == 0x63)
        terms = np.uint8(one == 0x66) & np.uint8(three == 0x75) & np.uint8(four == 0x73)
        lorem = np.uint8(one == 0x6D) & np.uint8(three == 0x69) & np.uint8(four == 0x70)
        kelvin = np.uint8(data[at] == 0xE2) & np.uint8(data[at + 1] == 0x84) & np.uint8(data[at + 2] == 0xAA)
        rich |= cookie | javascript | privacy | terms | lorem | kelvin
    return bool(rich != 0)


@lean
def has_long_word(data: Bytes, at: int, end: int, flags: Classes, longest: int) -> bool:
    """Tell whether a line has a word, cut at white space, of more than some characters."""
    size = 0
    while at < end:
        point, at = decode(data, at)
        size = 0 if flags[point] & SPACE else size + 1
        if size > longest:
            return True
    return False


@lean
def has_few_words(data: Bytes, at: int, end: int, flags: Classes, fewest: int) -> bool:
    """Tell whether a line has fewer words than some number."""
    words, inside = 0, False
    while at < end and words < fewest:
        point, at = decode(data, at)
        words += int(not inside and not flags[point] & SPACE)
        inside = not flags[point] & SPACE
    return words < fewest


@lean
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


@lean
def begins_with(data: Bytes, at: int, end: int, phrases: Bytes, offsets: Offsets, phrase: int) -> bool:
    """Tell whether a phrase stands at a place."""
    size = offsets[phrase + 1] - offsets[phrase]
    if end - at < size:
        return False
    same = 0
    while same < size and data[at + same] == phrases[offsets[phrase] + same]:
        same += 1
    return bool(same == size)


@lean
def why_not(
    text: Bytes,
    begin: int,
    end: int,
    few: int,
    ended: int,
    phrases: Bytes,
    offsets: Offsets,
    small: Bytes,
) -> int:
    """Give the column of the first rule that takes a line, or KEPT."""
    if ended != 0 and not ends_well(text, begin, end):
        return UNENDED
    if few:
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


@lean
def ends_well(text: Bytes, begin: int, end: int) -> bool:
    """Tell whether a line ends with . ? ! and a straight quote, but not with three dots."""
    if begin == end or text[end - 1] not in _ENDS:
        return False
    dots = end - begin >= 3 and text[end - 1] == _DOT and text[end - 2] == _DOT and text[end - 3] == _DOT
    return not dots


@lean
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


@lean
def may_begin(first: int, third: int) -> bool:
    """Tell whether a phrase may begin with a letter that has another behind the next: l.r j.v t.r p.i c.o u.e."""
    if third == 0x72:
        return first in (0x6C, 0x74)
    if third == 0x65:
        return first == 0x75
    return (first, third) in ((0x6A, 0x76), (0x70, 0x69), (0x63, 0x6F))


@kernel
def line_sentences(
    data: Bytes, offsets: Offsets, lines: Offsets, firsts: Offsets, begins: Bounds, ends: Bounds, kinds: Bytes
) -> Counts:
    """Give per line its sentences, as spaCy's sentencizer cuts it; words are those of the documents that lines are in.

    A sentence begins behind an end mark and the punctuation that follows it. White space other than one space is a
    word to spaCy, and begins one too. Lines come in order, as `c4_lines` gives them.
    """
    out = np.zeros(len(lines), np.int64)
    word = last = 0
    for line in range(len(lines)):
        document = lines[line, DOCUMENT]
        if line == 0 or document != lines[line - 1, DOCUMENT]:
            word, last = firsts[document], firsts[document + 1]
        at, end = lines[line, FIRST] - offsets[document], lines[line, LAST] - offsets[document]
        while word < last and begins[word] < at:
            word += 1
        fresh, seen = True, False  # no word on the line yet; an end mark was seen
        while at < end:
            gap = begins[word] if word < last and begins[word] < end else end
            blank = gap > at and not (gap == at + 1 and data[offsets[document] + at] == 32)
            if blank and (seen or fresh):
                out[line] += 1
                fresh, seen = False, False
            if gap == end:
                break
            mark = kinds[word] & END_MARK != 0
            if fresh or (seen and not mark and not kinds[word] & PUNCTUATION):
                out[line] += 1
                fresh, seen = False, False
            seen |= mark
            at = ends[word]
            word += 1
        out[line] += int(fresh)
    return out

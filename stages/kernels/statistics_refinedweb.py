"""The line rules of RefinedWeb as DCLM made them again: which lines go, and how many words go with them."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Classes, Counts, Offsets
from headrace.schemas.compiled import kernel, part
from headrace.stages.kernels.statistics_flags import DIGIT, SPACE, Bounds
from headrace.stages.kernels.utf8 import decode

LINES, UPPERCASE, NUMERIC, COUNTER, FEW_WORDS, PHRASE, WORDS, REMOVED_WORDS = range(8)
COLUMNS = 8
KEPT = 0  # what `why` gives for a line that stays
PHRASES = (b"items in cart", b"read more...", b"sign-in")
COUNTERS = (
    *(b"likes", b"shares", b"comments", b"retweets", b"reposts", b"quotes", b"bookmarks", b"upvotes", b"downvotes"),
    *(b"downloads", b"views", b"followers"),
)
_FIRST_COUNTER = len(PHRASES)
_ALPHANUMERIC, _CAPITAL, _NUMERIC = 1, 2, 4  # of `statistics.letters`
_NEWLINE, _LINE = 0x0A, 0x5F
_NUMBER_MARKS, _UNITS = (0x2C, 0x2E), (0x6B, 0x6D, 0x62)  # , . and k m b


@kernel
def refinedweb_lines(
    data: Bytes,
    offsets: Offsets,
    firsts: Offsets,
    begins: Bounds,
    flags: Classes,
    letters: Classes,
    phrases: Bytes,
    phrase_offsets: Offsets,
    uppercase: float,
    fewest: int,
    most: int,
) -> tuple[Counts, Bytes, Offsets]:
    """Give per document how many lines each rule takes, in the order of the columns, and the text of what stays.

    A line that is not blank goes for a larger share of capitals than `uppercase`, if it is digits alone, a counter
    (3 likes), or has fewer words than `fewest`; from lines of at most `most` words the phrases are taken out, and the
    line goes if nothing is left. WORDS are the given ones, REMOVED_WORDS those of them that begin in what goes.
    """
    out = np.zeros((len(offsets) - 1, COLUMNS), np.int64)
    text = np.empty(offsets[-1] - offsets[0], np.uint8)
    bounds = np.zeros(len(offsets), np.int64)
    longest = 1
    for document in range(len(offsets) - 1):
        longest = max(longest, offsets[document + 1] - offsets[document])
    gone, places = np.zeros(longest + 1, np.uint8), np.empty(longest, np.int64)
    written = 0
    for document in range(len(offsets) - 1):
        begin, end, row = offsets[document], offsets[document + 1], out[document]
        gone[: end - begin + 1] = 0
        first = begin
        while first < end:
            stop = first
            while stop < end and data[stop] != _NEWLINE:
                stop += 1
            reason = why(data, first, stop, flags, letters, phrases, phrase_offsets, uppercase, fewest)
            row[LINES] += 1
            if reason != KEPT:
                row[reason] += 1
                gone[first - begin : stop + 1 - begin] = 1
            elif take_phrases(data, first, stop, flags, phrases, phrase_offsets, most, begin, gone, places):
                row[PHRASE] += 1
            first = stop + 1
        for word in range(firsts[document], firsts[document + 1]):
            row[REMOVED_WORDS] += gone[begins[word]]
        row[WORDS] = firsts[document + 1] - firsts[document]
        for at in range(begin, end):
            text[written] = data[at]
            written += 1 - int(gone[at - begin])
        bounds[document + 1] = written
    return out, text[:written], bounds


@part
def why(
    data: Bytes,
    begin: int,
    end: int,
    flags: Classes,
    letters: Classes,
    phrases: Bytes,
    offsets: Offsets,
    uppercase: float,
    fewest: int,
) -> int:
    """Give the column of the first rule that takes a line, or KEPT; white space at its ends is not looked at."""
    characters = capitals = digits = words = 0
    trailing, white = 0, True
    at = begin
    while at < end:
        point, at = decode(data, at)
        if flags[point] & SPACE:
            trailing, white = trailing + 1, True
            continue
        characters += 1 + (trailing if words else 0)
        words += int(white)
        trailing, white = 0, False
        capitals += int(letters[point] & _CAPITAL != 0)
        digits += int(letters[point] & _NUMERIC != 0)
    if not characters:
        return KEPT
    if capitals / characters > uppercase:
        return UPPERCASE
    if digits == characters:
        return NUMERIC
    if digits and is_counter(data, begin, end, flags, letters, phrases, offsets):
        return COUNTER
    return FEW_WORDS if words < fewest else KEPT


@part
def is_counter(
    data: Bytes, begin: int, end: int, flags: Classes, letters: Classes, phrases: Bytes, offsets: Offsets
) -> bool:
    """Tell whether a line is a number, a unit or none, and what it counts, with marks alone before and behind."""
    at = marks(data, begin, end, letters)
    if at == end or not flags[decode(data, at)[0]] & DIGIT:
        return False
    while at < end:
        point, following = decode(data, at)
        if not flags[point] & DIGIT and point not in _NUMBER_MARKS:
            break
        at = following
    if at < end and small(data[at]) in _UNITS:
        at += 1
    space = at
    while at < end:
        point, following = decode(data, at)
        if not flags[point] & SPACE:
            break
        at = following
    if at == space:
        return False
    for counter in range(_FIRST_COUNTER, len(offsets) - 1):
        size = offsets[counter + 1] - offsets[counter]
        if end - at >= size and same(data, at, phrases, offsets[counter], size):
            return bool(marks(data, at + size, end, letters) == end)
    return False


@part
def marks(data: Bytes, at: int, end: int, letters: Classes) -> int:
    """Give where the first letter, digit or _ stands."""
    while at < end:
        point, following = decode(data, at)
        if letters[point] & _ALPHANUMERIC or point == _LINE:
            break
        at = following
    return at


@part
def small(byte: int) -> int:
    """Give a small letter for a capital A to Z."""
    return int(byte) + 32 if 65 <= byte <= 90 else int(byte)


@part
def same(data: Bytes, at: int, other: Bytes, place: int, size: int) -> bool:
    """Tell whether a text, in small letters, stands at a place."""
    equal = 0
    while equal < size and small(data[at + equal]) == other[place + equal]:
        equal += 1
    return equal == size


@part
def take_phrases(
    data: Bytes,
    begin: int,
    end: int,
    flags: Classes,
    phrases: Bytes,
    offsets: Offsets,
    most: int,
    origin: int,
    gone: Bytes,
    places: Offsets,
) -> bool:
    """Mark as gone what a short line has of the phrases, or the whole line if no more is in it; tell whether it has."""
    words, white = 0, True
    at = begin
    while at < end:
        point, at = decode(data, at)
        blank = flags[point] & SPACE != 0
        words += int(white and not blank)
        white = blank
    if words > most or not words:
        return False
    found = False
    for phrase in range(_FIRST_COUNTER):
        count = 0
        for at in range(begin, end):
            if not gone[at - origin]:
                places[count] = at
                count += 1
        found |= take(data, places, count, flags, phrases, offsets, phrase, origin, gone)
    if not found:
        return False
    for at in range(begin, end):
        if not gone[at - origin] and data[at] & 0xC0 != 0x80 and not flags[decode(data, at)[0]] & SPACE:
            return True
    gone[begin - origin : end + 1 - origin] = 1
    return True


@part
def take(
    data: Bytes,
    places: Offsets,
    count: int,
    flags: Classes,
    phrases: Bytes,
    offsets: Offsets,
    phrase: int,
    origin: int,
    gone: Bytes,
) -> bool:
    """Mark a phrase as gone: the first one anywhere, with a space before; the second at the end; the third in front."""
    size = offsets[phrase + 1] - offsets[phrase]
    first, last = stripped(data, places, count, flags)
    low, high = (last - size, last - size) if phrase == 1 else (first, first if phrase == 2 else last - size)
    found, at = False, low
    while first <= at <= high and at + size <= last:
        equal = 0
        while equal < size and small(data[places[at + equal]]) == phrases[offsets[phrase] + equal]:
            equal += 1
        if equal < size:
            at += 1
            continue
        found = True
        for i in range(at, at + size):
            gone[places[i] - origin] = 1
        if phrase == 2 and at + size < count and is_white(data, places[at + size]):
            gone[places[at + size] - origin] = 1
        elif phrase != 2 and at > 0 and is_white(data, places[at - 1]):
            gone[places[at - 1] - origin] = 1
        at += size
    return found


@part
def stripped(data: Bytes, places: Offsets, count: int, flags: Classes) -> tuple[int, int]:
    """Give where a line, of whose bytes some are gone, begins and ends without white space."""
    first, last = 0, count
    while first < last:
        point, following = decode(data, places[first])
        if not flags[point] & SPACE:
            break
        first += following - places[first]
    while last > first:
        at = last - 1
        while data[places[at]] & 0xC0 == 0x80:
            at -= 1
        if not flags[decode(data, places[at])[0]] & SPACE:
            break
        last = at
    return first, last


@part
def is_white(data: Bytes, at: int) -> bool:
    """Tell whether a byte is a space or a tab."""
    return bool(data[at] == 0x20 or data[at] == 0x09)

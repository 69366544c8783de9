"""Shingles of views as 64-bit hashes: stretches of characters or of words.

A character is hashed by its code point, a word by its bytes, eight at a time; a shingle is a polynomial of its items,
mixed. Words are found in two passes, borders first and hashes after them: a branch at each end of a word would be
mispredicted once a word, which costs more than all that is computed for it.
"""

from __future__ import annotations

import numpy as np

from headrace.stages.kernels.arrays import Bytes, Classes, Counts, Hashes, Offsets
from headrace.stages.kernels.characters import DIGIT, HAN, LATIN, LETTER, UNSPACED
from headrace.stages.kernels.compiled import kernel, part
from headrace.stages.kernels.mixing import BASE, mix64, rolled
from headrace.stages.kernels.utf8 import decode

AUTO, CHARACTERS, WORDS, GIVEN = range(4)
_ASCII = 128
_CHUNK = np.uint64(8)  # bytes of a word that are hashed at once
_DIRECT = 8  # up to so many items a polynomial is summed for many shingles at once; longer ones are rolled
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_STRETCH = 256  # bytes that are looked at for whether they are ASCII
_TALLY = 192  # bytes that are counted in sums of one byte; three vectors of the widest kind
_BLOCK = 1024  # shingles whose sums stay in the first cache


@kernel
def shingle_hashes(
    data: Bytes,
    eights: Hashes,
    offsets: Offsets,
    classes: Classes,
    unit: int,
    size: int,
    borders: Offsets,
    firsts: Offsets,
    out: Hashes,
) -> Offsets:
    """Write the hash of every shingle of each view, repeats included, and give where each view's shingles end.

    `eights` is `data` as numbers of eight bytes, what is left over at its end excepted. With the unit GIVEN words are
    those between `borders`, of which a view has numbers `firsts[i]` to `firsts[i + 1]`; those without a letter or a
    digit are left out. `out` needs a place for each byte of the views.
    """
    longest = 0
    for document in range(len(offsets) - 1):
        longest = max(longest, offsets[document + 1] - offsets[document])
    items = np.empty(longest + 1, np.uint64)
    bounds, changes = np.empty(longest + 4, np.int64), np.empty(_STRETCH, np.uint8)
    ends = np.zeros(len(offsets), np.int64)
    done = 0
    for document in range(len(offsets) - 1):
        begin, end = offsets[document], offsets[document + 1]
        count = 0
        if unit == GIVEN:
            words = given_bounds(data, borders, firsts[document], firsts[document + 1], classes, bounds)
            count = hash_words(data, eights, bounds, words, items)
        elif unit == WORDS or (unit == AUTO and not by_characters(data, begin, end, classes)):
            words = word_bounds(data, begin, end, classes, changes, bounds)
            count = hash_words(data, eights, bounds, words, items)
        if count == 0:
            count = hash_characters(data, begin, end, items)
        done += shingle(items, count, size, out[done:])
        ends[document + 1] = done
    return ends


@part
def by_characters(data: Bytes, begin: int, end: int, classes: Classes) -> bool:
    """Tell whether at least half of the letters are of scripts that write no spaces between words.

    Lead bytes settle most texts: ASCII letters are letters, E5 to E9 lead nothing but Han (U+5000 to U+9FFF), and what
    takes fewer than three bytes is in no such script.
    """
    latin = han = leads = long = 0
    for first in range(begin, end, _TALLY):
        tally = count_leads(data[first : min(first + _TALLY, end)])
        latin, han, leads, long = latin + tally[0], han + tally[1], leads + tally[2], long + tally[3]
    if long == 0 or long < latin:
        return False
    if 2 * han >= latin + leads:
        return True
    return counted_by_characters(data, begin, end, classes)


@part
def count_leads(text: Bytes) -> tuple[int, int, int, int]:
    """Count ASCII letters, lead bytes of Han, lead bytes, and those of three bytes and more, in up to 255 bytes.

    Sums of one byte let a vector hold as many of them as it has bytes.
    """
    latin = han = leads = long = np.uint8(0)
    for i in range(len(text)):
        byte = text[i]
        latin = np.uint8(latin + np.uint8(np.uint8((byte | np.uint8(0x20)) - np.uint8(0x61)) < np.uint8(26)))
        han = np.uint8(han + np.uint8(np.uint8(byte - np.uint8(0xE5)) < np.uint8(5)))
        leads = np.uint8(leads + np.uint8(byte >= np.uint8(0xC0)))
        long = np.uint8(long + np.uint8(byte >= np.uint8(0xE0)))
    return int(latin), int(han), int(leads), int(long)


@part
def counted_by_characters(data: Bytes, begin: int, end: int, classes: Classes) -> bool:
    """Tell the same by looking at every character."""
    letters = unspaced = 0
    at = begin
    while at < end:
        point, at = decode(data, at)
        kind = classes[point]
        letters += int(HAN <= kind <= LETTER)
        unspaced += int(HAN <= kind <= UNSPACED)
    return unspaced > 0 and 2 * unspaced >= letters


@part
def word_bounds(data: Bytes, begin: int, end: int, classes: Classes, changes: Bytes, bounds: Offsets) -> int:
    """Write where words begin and end, by turns, and give their number; an odd number of bounds is inside of a word.

    A word is a run of letters and digits, or one character of a script without spaces (Han, kana, Thai ...).
    """
    at, count = begin, 0
    while at < end:
        stop = min(at + _STRETCH, end)
        if mark_changes(data[at:stop], count & 1, changes):
            count = ascii_bounds(changes, at, stop, bounds, count)
            at = stop
        else:
            at, count = mixed_bounds(data, at, stop, classes, bounds, count)
    bounds[count] = end
    return (count + 1) // 2


@part
def mark_changes(text: Bytes, inside: int, changes: Bytes) -> bool:
    """Mark the bytes of ASCII that are the first in a word or the first behind one; False if there are other bytes."""
    high = np.uint8(0)
    for i in range(len(text)):
        byte = text[i]
        letter = np.uint8(np.uint8((byte | np.uint8(0x20)) - np.uint8(0x61)) < np.uint8(26))
        changes[i] = letter | np.uint8(np.uint8(byte - np.uint8(0x30)) < np.uint8(10))
        high |= byte
    if high >= _ASCII:
        return False
    for i in range(len(text) - 1, 0, -1):
        changes[i] ^= changes[i - 1]
    changes[0] ^= np.uint8(inside)
    return True


@part
def ascii_bounds(changes: Bytes, begin: int, end: int, bounds: Offsets, count: int) -> int:
    """Write the places of changes: each place is written, and the next one over it where nothing changes."""
    to = np.uint64(count)  # unsigned: of a signed index numba asks whether it counts from the end
    for at in range(begin, end):
        bounds[to] = at
        to += np.uint64(changes[at - begin])
    return np.int64(to)


@part
def mixed_bounds(data: Bytes, at: int, stop: int, classes: Classes, bounds: Offsets, count: int) -> tuple[int, int]:
    """Write bounds up to the first character from `stop` on, whatever the characters are."""
    while at < stop:
        point, after = decode(data, at)
        kind = classes[point]
        bounds[count] = at
        if HAN <= kind <= UNSPACED:
            count += count & 1
            bounds[count], bounds[count + 1] = at, after
            count += 2
        else:
            count += int(LATIN <= kind <= DIGIT) ^ (count & 1)
        at = after
    return at, count


@part
def given_bounds(data: Bytes, borders: Offsets, first: int, last: int, classes: Classes, bounds: Offsets) -> int:
    """Write where those of some words begin and end that have a letter or a digit, and give their number."""
    count = 0
    for word in range(first, last):
        at, spoken = borders[word], False
        while at < borders[word + 1] and not spoken:
            point, at = decode(data, at)
            spoken = HAN <= classes[point] <= DIGIT
        bounds[2 * count], bounds[2 * count + 1] = borders[word], borders[word + 1]
        count += int(spoken)
    return count


@part
def hash_words(data: Bytes, eights: Hashes, bounds: Offsets, count: int, items: Hashes) -> int:
    """Hash the words between bounds and give their number."""
    inner = np.uint64(max(8 * len(eights) - 8, 0))  # before it eight bytes lie in two numbers of `eights`
    for word in range(count):
        at, end = np.uint64(bounds[2 * word]), np.uint64(bounds[2 * word + 1])
        value = np.uint64(0)
        while at < end:
            if at < inner:
                place = at >> np.uint64(3)
                chunk = joined(eights[place], eights[place + np.uint64(1)], at)
            else:
                chunk = read_bytes(data, at, end)
            value = mix64(value ^ first_bytes(chunk, end - at))
            at += _CHUNK
        items[word] = value
    return count


@part
def joined(low: np.uint64, high: np.uint64, at: np.uint64) -> np.uint64:
    """Give the eight bytes from a place on that lie in two numbers, the first as the lowest byte."""
    shift = (at & np.uint64(7)) << np.uint64(3)
    return low >> shift | high << np.uint64(1) << (np.uint64(63) - shift)


@part
def first_bytes(chunk: np.uint64, size: np.uint64) -> np.uint64:
    """Give some of the lowest bytes of a number, at most all of them."""
    return chunk & (_ALL >> (_CHUNK - min(size, _CHUNK) << np.uint64(3)))


@part
def read_bytes(data: Bytes, at: np.uint64, end: np.uint64) -> np.uint64:
    """Give up to eight bytes as one number, one by one: near the end of the data."""
    value = np.uint64(0)
    for place in range(min(end, at + _CHUNK), at, -1):
        value = value << np.uint64(8) | np.uint64(data[place - 1])
    return value


@part
def hash_characters(data: Bytes, begin: int, end: int, items: Hashes) -> int:
    """Hash each character and give their number."""
    count = 0
    at = begin
    while at < end:
        point, at = decode(data, at)
        items[count] = np.uint64(point)
        count += 1
    for i in range(count):
        items[i] = mix64(items[i])
    return count


@part
def shingle(items: Hashes, count: int, size: int, out: Hashes) -> int:
    """Hash every stretch of `size` items and give their number; fewer items make one stretch."""
    size = min(size, count)
    shingles = count - size + 1 if count else 0
    if size > _DIRECT:
        roll(items, count, size, out)
        return shingles
    for begin in range(0, shingles, _BLOCK):
        end = min(begin + _BLOCK, shingles)
        for i in range(begin, end):
            out[i] = items[i + size - 1]
        factor = BASE
        for back in range(2, size + 1):
            for i in range(begin, end):
                out[i] += factor * items[i + size - back]
            factor *= BASE
        for i in range(begin, end):
            out[i] = mix64(out[i])
    return shingles


@part
def roll(items: Hashes, count: int, size: int, out: Hashes) -> None:
    """Hash the same stretches, each from the one before it."""
    lead = np.uint64(1)
    for _ in range(size):
        lead = rolled(lead, np.uint64(0))
    value = np.uint64(0)
    for last in range(count):
        value = rolled(value, items[last])
        if last >= size:
            value -= lead * items[last - size]
        if last >= size - 1:
            out[last - size + 1] = mix64(value)


@kernel
def distinct(values: Hashes, ends: Offsets) -> tuple[Hashes, Offsets]:
    """Give each view's hashes once each, in the order of their first occurrence."""
    most = 0
    for document in range(len(ends) - 1):
        most = max(most, ends[document + 1] - ends[document])
    room = 16
    while room < 2 * most:
        room *= 2
    seen = np.zeros(room, np.int64)  # open addressing: place in `out` and one, 0 = free
    out = np.empty(len(values), np.uint64)
    out_ends = np.zeros(len(ends), np.int64)
    done = 0
    for document in range(len(ends) - 1):
        done = add_distinct(values, ends[document], ends[document + 1], seen, out, done)
        out_ends[document + 1] = done
    return out[:done], out_ends


@part
def add_distinct(values: Hashes, begin: int, end: int, seen: Counts, out: Hashes, done: int) -> int:
    """Append the hashes that are new within one view; what `seen` holds of earlier views lies before `done`."""
    room = 16
    while room < 2 * (end - begin):
        room *= 2
    mask = np.uint64(room - 1)
    first = done
    for at in range(begin, end):
        value = values[at]
        slot = value & mask
        while seen[slot] > first and out[seen[slot] - 1] != value:
            slot = (slot + np.uint64(1)) & mask
        if seen[slot] <= first:
            out[done] = value
            done += 1
            seen[slot] = done
    return done

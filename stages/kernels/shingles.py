"""Shingles of views as 64-bit hashes: stretches of characters or of words.

A character is hashed by its code point, a word by its bytes, eight at a time; a shingle is a polynomial of its items,
mixed. Where words and characters begin is found for 64 bytes at once, and hashed in a second pass: a branch at each of
them would be mispredicted once a word, which costs more than all that is computed for it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from headrace.schemas.arrays import Bytes, Classes, Flags, Hashes, Offsets
from headrace.schemas.compiled import kernel, lean, part
from headrace.schemas.text_lanes import (
    LANES,
    bits_from,
    eight_bytes,
    lead_bits,
    lowest_bit,
    lowest_bits,
    moves_bytes,
    word_bits,
    write_characters,
    write_places,
)
from headrace.stages.kernels.characters import DIGIT, HAN, LATIN, LETTER, UNSPACED
from headrace.stages.kernels.mixing import BASE, mix64, rolled
from headrace.stages.kernels.utf8 import decode, decode_each

AUTO, CHARACTERS, WORDS, GIVEN = range(4)
_ASCII = 0x80
_LONG = np.uint8(0xE0)  # lead bytes of three bytes and more
_FOUR_BYTES = 0xF0
_SPACE = 0x20  # all white space of a view; what is below it is in none
_CHUNK = 8  # bytes of a word that are hashed at once
_DIRECT = 8  # up to so many items a polynomial is summed for many shingles at once; longer ones are rolled
_ONE = np.uint64(1)
_TALLY = 32768  # bytes that are counted in sums of two bytes
_BLOCK = 1024  # shingles whose sums stay in the first cache


class Given(NamedTuple):
    """Words that were found before: those of view i lie between the borders `firsts[i]` to `firsts[i + 1]`, moved."""

    borders: Offsets
    firsts: Offsets
    moves: Offsets  # for each view, from where its borders are counted


@kernel
def shingle_hashes(
    data: Bytes, offsets: Offsets, classes: Classes, unit: int, size: int, given: Given, out: Hashes
) -> Offsets:
    """Write the hash of every shingle of each view, repeats included, and give where each view's shingles end.

    With the unit GIVEN, views that have given words are shingled by those of them that hold a letter or a digit. Behind
    the views are `text_lanes.BEHIND` bytes of anything. `out` needs a place for each byte of the views. A text of fewer
    words than a shingle has is one shingle, its whole view, and one without a single word is taken by characters, so
    that signs tell `3 + 4` from `3 - 4`, and two rows of dashes. White space is no character.
    """
    longest = 0
    for document in range(len(offsets) - 1):
        longest = max(longest, offsets[document + 1] - offsets[document])
    items = np.empty(longest + LANES, np.uint64)
    bounds = np.empty(longest + LANES + 4, np.int64)
    ends = np.zeros(len(offsets), np.int64)
    done = 0
    for document in range(len(offsets) - 1):
        begin, end = offsets[document], offsets[document + 1]
        words = 0
        if unit == GIVEN and given.firsts[document + 1] > given.firsts[document]:
            words = given_bounds(data, given, document, classes, bounds)
        elif unit >= WORDS or (unit == AUTO and not by_characters(data, begin, end, classes)):
            words = word_bounds(data, begin, end, classes, bounds)
        if 0 < words < size:
            bounds[0], bounds[1], words = begin, end, 1
        count = hash_words(data, bounds, words, items)
        if count == 0:
            count = hash_characters(data, begin, end, items)
        done += shingle(items, count, size, out[done:])
        ends[document + 1] = done
    return ends


@kernel
def unspaced(data: Bytes, offsets: Offsets, classes: Classes) -> Flags:
    """Flag the views that the unit AUTO takes by characters."""
    flags = np.empty(len(offsets) - 1, np.bool_)
    for document in range(len(flags)):
        flags[document] = by_characters(data, offsets[document], offsets[document + 1], classes)
    return flags


@part
def by_characters(data: Bytes, begin: int, end: int, classes: Classes) -> bool:
    """Tell whether at least half of the letters are of scripts that write no spaces between words.

    Lead bytes settle most texts: ASCII letters are letters, E5 to E9 lead nothing but Han (U+5000 to U+9FFF), and what
    takes fewer than three bytes is in no such script.
    """
    latin = han = leads = long = 0
    if not has_long(data[begin:end]):
        return False
    for first in range(begin, end, _TALLY):
        tally = count_leads(data[first : min(first + _TALLY, end)])
        latin, han, leads, long = latin + tally[0], han + tally[1], leads + tally[2], long + tally[3]
    if long < latin:
        return False
    if 2 * han >= latin + leads:
        return True
    return counted_by_characters(data, begin, end, classes)


@part
def has_long(text: Bytes) -> bool:
    """Tell whether a character takes three bytes or more."""
    highest = np.uint8(0)
    for i in range(len(text)):
        highest = max(highest, text[i])
    return bool(highest >= _LONG)


@part
def count_leads(text: Bytes) -> tuple[int, int, int, int]:
    """Count ASCII letters, lead bytes of Han, lead bytes, and those of three bytes and more, in less than 65,536 bytes.

    Sums of two bytes fit into a vector by the dozen; those of eight bytes take three times as long.
    """
    latin = han = leads = long = np.uint16(0)
    for i in range(len(text)):
        byte = text[i]
        latin = np.uint16(latin + np.uint16(np.uint8((byte | np.uint8(0x20)) - np.uint8(0x61)) < np.uint8(26)))
        han = np.uint16(han + np.uint16(np.uint8(byte - np.uint8(0xE5)) < np.uint8(5)))
        leads = np.uint16(leads + np.uint16(byte >= np.uint8(0xC0)))
        long = np.uint16(long + np.uint16(byte >= _LONG))
    return int(latin), int(han), int(leads), int(long)


@lean
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


@lean
def word_bounds(data: Bytes, begin: int, end: int, classes: Classes, bounds: Offsets) -> int:
    """Write where words begin and end, by turns, and give their number; an odd number of bounds is inside of a word.

    A word is a run of letters and digits, or one character of a script without spaces (Han, kana, Thai ...).
    """
    at, count = begin, 0
    while at < end:
        plain = min(lowest_bit(bits_from(data, at, _ASCII)), end - at)
        if plain:
            words = word_bits(data, at)
            changes = words ^ (words << _ONE | np.uint64(count & 1))
            count += write_places(changes & lowest_bits(plain), at, bounds, count)
            at += plain
        at, count = other_bounds(data, at, end, classes, bounds, count)
    bounds[count] = end
    return (count + 1) // 2


@lean
def other_bounds(data: Bytes, at: int, end: int, classes: Classes, bounds: Offsets, count: int) -> tuple[int, int]:
    """Write bounds up to the next character of ASCII."""
    while at < end and data[at] >= _ASCII:
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


@lean
def given_bounds(data: Bytes, given: Given, document: int, classes: Classes, bounds: Offsets) -> int:
    """Write where a view's given words begin and end that have a letter or a digit, and give their number."""
    count, move = 0, given.moves[document]
    for word in range(given.firsts[document], given.firsts[document + 1]):
        begin, end = given.borders[word] + move, given.borders[word + 1] + move
        at, spoken = begin, False
        while at < end and not spoken:
            point, at = decode(data, at)
            spoken = HAN <= classes[point] <= DIGIT
        bounds[2 * count], bounds[2 * count + 1] = begin, end
        count += int(spoken)
    return count


@lean
def hash_words(data: Bytes, bounds: Offsets, count: int, items: Hashes) -> int:
    """Hash the words between bounds and give their number."""
    for word in range(np.uint64(count)):
        at, end = bounds[np.uint64(2) * word], bounds[np.uint64(2) * word + _ONE]
        value = appended(np.uint64(0), data, at, end)
        if end - at > _CHUNK:
            for chunk in range(at + _CHUNK, end, _CHUNK):
                value = appended(value, data, chunk, end)
        items[word] = value
    return count


@lean
def appended(value: np.uint64, data: Bytes, at: int, end: int) -> np.uint64:
    """Append up to eight bytes to the hash of a word. It can be undone: words of up to eight bytes never meet."""
    value = (value ^ eight_bytes(data, at) & lowest_bits(8 * min(end - at, _CHUNK))) * BASE
    return value ^ value >> np.uint64(32)


@lean
def hash_characters(data: Bytes, begin: int, end: int, items: Hashes) -> int:
    """Hash each character but white space, which lines that are wrapped have within words, and give their number."""
    at, count = begin, 0
    while at < end:
        stop = min(at + LANES, end)
        leads = lead_bits(data, at) & bits_from(data, at, _SPACE + 1) & lowest_bits(stop - at)
        if not moves_bytes():
            at, count = decode_each(data, at, end, items, count, _SPACE + 1)
        elif bits_from(data, at, _FOUR_BYTES) & leads:
            at, count = decode_each(data, at + lowest_bit(leads), stop, items, count, _SPACE + 1)
        else:
            count += write_characters(data, at, leads, items, count)
            at = stop
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
        add_up(items[begin : end + size - 1], size, out[begin:end])
    return shingles


@part
def add_up(items: Hashes, size: int, out: Hashes) -> None:
    """Hash as many stretches as `out` has places: for each item of a stretch one pass over all of them."""
    for i in range(len(out)):
        out[i] = items[i]
    for last in range(1, size):
        shifted = items[last : last + len(out)]
        for i in range(len(out)):
            out[i] = rolled(out[i], shifted[i])
    for i in range(len(out)):
        out[i] = mix64(out[i])


@lean
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

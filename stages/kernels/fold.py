"""The view of texts: every character in its match form, runs of white space as one space, none at the ends.

A segment is a character with those behind it that may join it: marks, vowels and finals of Hangul. One of several
characters is normalized as a whole, by the library; all others go through the tables.
"""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Classes, CodePoints, Flags, Hashes, Offsets, Places
from headrace.schemas.compiled import kernel, lean
from headrace.schemas.lanes import BYTES, bytes_below, copy_folded, lowest_lane
from headrace.schemas.text_lanes import (
    BEHIND,
    LANES,
    bit_count,
    bits_from,
    lead_bits,
    lowest_bit,
    lowest_bits,
    moves_bytes,
    write_characters,
    write_four,
)
from headrace.stages.kernels.characters import BREAK, EXPANDS, SPACE
from headrace.stages.kernels.utf8 import decode, decode_each, encode, width

_SPACE = 0x20
_SHORT = np.uint64(0xFFFF)  # the last code point of the table of short forms
_NO_FORM, _SPACE_FORM = np.uint32(0), np.uint32(1 << 24 | _SPACE)
_NONE, _FIRST = np.uint64(0), np.uint64(1)
_EVERY = (1 << BYTES) - 1
_HAN, _HAN_LAST = 0xE4, 0xE9  # leads of U+4000 to U+9FFF: none joins another, each has one character as its form
_WIDE, _WIDE_LAST = 0xE3, 0xEF  # leads of U+3000 to U+FFFF


@kernel
def view_bounds(
    data: Bytes, offsets: Offsets, folded: CodePoints, starts: Offsets, longer: CodePoints, joins: Flags
) -> tuple[int, int]:
    """Give how many bytes the views take at most without longer segments, and how many of these there are.

    Only characters that are neither ASCII nor begin like most of Han are looked at one by one: the others join nothing,
    and their forms take no more than one byte, and four.
    """
    room = segments = 0
    for document in range(len(offsets) - 1):
        at = before = offsets[document]  # behind the last character that was looked at
        characters, end = 0, offsets[document + 1]  # of the segment so far
        while at < end:
            others, size = _FIRST, 1
            if at + BEHIND <= len(data):
                size = min(LANES, end - at)
                leads = lead_bits(data, at) & lowest_bits(size)
                high, han = bits_from(data, at, 0x80), bits_from(data, at, _HAN) & ~bits_from(data, at, _HAN_LAST + 1)
                others = leads & high & ~han
                room += bit_count(leads & ~high) + 4 * bit_count(leads & han)
            elif 0x80 <= data[at] < 0xC0:  # inside of a character
                others = _NONE
            while others:
                here = at + lowest_bit(others)
                others &= others - _FIRST
                point, after = decode(data, here)
                if here != before:
                    characters = 1
                characters = characters + 1 if joins[point] and characters else 1
                segments += characters == 2
                room += 4 if folded[point] < EXPANDS else form_width(folded[point], starts, longer)
                before = after
            at += size
    return room + BYTES, segments  # so that as many can be written anywhere


@lean
def form_width(form: int, starts: Offsets, longer: CodePoints) -> int:
    """Give how many bytes a form of several characters takes."""
    total = 0
    for i in range(starts[form - EXPANDS], starts[form - EXPANDS + 1]):
        total += width(int(longer[i]))
    return total


@kernel
def longer_segments(data: Bytes, offsets: Offsets, joins: Flags, segments: int) -> tuple[Offsets, Offsets]:
    """Give where the segments of several characters begin and end in `data`."""
    begins = np.empty(segments, np.int64)
    ends = np.empty(segments, np.int64)
    found = -1
    for document in range(len(offsets) - 1 if segments else 0):
        at = begin = offsets[document]
        characters = 0
        while at < offsets[document + 1]:
            here = at
            if _HAN <= data[at] <= _HAN_LAST:
                at, begin, characters = at + 3, here, 1
                continue
            point, at = decode(data, at)
            characters = characters + 1 if joins[point] and characters else 1
            if characters == 1:
                begin = here
                continue
            found += characters == 2
            begins[found], ends[found] = begin, at
    return begins, ends


@lean
def plain_run(data: Bytes, at: int, stop: int, blank_begun: int) -> tuple[int, int]:
    """Give how many bytes from here on are copied but for case and white space, and 1 if the last is white space.

    They are ASCII without control characters and without white space in a row; if `blank_begun` is 1 none may come
    first. At the end of all data, where fewer bytes can be looked at, there are none.
    """
    if at + BYTES > len(data):
        return 0, 0
    controls = bytes_below(data, at, 0x20)
    blanks = bytes_below(data, at, 0x21) & ~controls | bytes_below(data, at, 0x0E) & ~bytes_below(data, at, 0x09)
    blanks |= controls & ~bytes_below(data, at, 0x1C)
    others = ~bytes_below(data, at, 0x7F) | controls & ~blanks | blanks & (blanks << 1 | blank_begun)
    count = min(lowest_lane(others | _EVERY + 1), stop - at)
    return count, blanks >> (count - 1) & 1 if count else 0


@lean
def three_bytes(data: Bytes, at: int) -> int:
    """Give the code point of three bytes."""
    return (int(data[at]) & 15) << 12 | (int(data[at + 1]) & 63) << 6 | int(data[at + 2]) & 63


@lean
def fold_short(
    data: Bytes,
    at: int,
    stop: int,
    short: CodePoints,
    points: Hashes,
    out: Bytes,
    to: int,
    base: int,
    places: tuple[Places, Places] | None,
) -> tuple[int, int]:
    """Fold the characters in a row here that have a short form, and single spaces between them.

    Tell which byte comes next, and where it goes. `points` has room for those of 64 bytes. Four bytes are written for
    each form, and the next one over what is not of it: a branch for each would be mispredicted at every comma.
    """
    while at < stop:
        count, done = np.uint64(points_ahead(data, at, stop, points)), _NONE
        while done < count:
            form = short[points[done]]
            if form == _NO_FORM:
                next_one = done + _FIRST
                if points[done] != _SPACE or next_one >= count or short[points[next_one]] == _NO_FORM:
                    break
                form = _SPACE_FORM
            write_four(form, out, to)
            size = int(form >> np.uint32(24))
            if places is not None:
                after = at + 1 + int(points[done] >= 0x80) + int(points[done] >= 0x800)
                write_four_places(to, at - base, after - base, places)
                at = after
            to, done = to + size, done + _FIRST
        if places is None:
            for i in range(done):
                at += 1 + int(points[i] >= 0x80) + int(points[i] >= 0x800)
        if done < count or not count:
            break
    return at, to


@lean
def points_ahead(data: Bytes, at: int, stop: int, points: Hashes) -> int:
    """Write the code points of the characters that begin in the next 64 bytes, and give their number.

    One of four bytes ends them, or is written as 0.
    """
    size = min(LANES, stop - at)
    if not moves_bytes() or at + BEHIND > len(data):
        count = decode_each(data, at, at + size, points, 0, 0)[1]
        for i in range(count):
            points[i] = points[i] if points[i] <= _SHORT else _NONE
        return count
    leads = lead_bits(data, at) & lowest_bits(size)
    four = bits_from(data, at, 0xF0) & leads
    return write_characters(data, at, leads & (four - _FIRST) & ~four if four else leads, points, 0)


@lean
def write_space(out: Bytes, to: int, begin: int, end: int, places: tuple[Places, Places] | None) -> int:
    """Write a space, and from which white space it came, and give where the next byte goes."""
    out[to] = _SPACE
    if places is not None:
        places[0][to], places[1][to] = begin, end
    return to + 1


@lean
def write_place(to: int, after: int, begin: int, end: int, places: tuple[Places, Places] | None) -> None:
    """Write that bytes came from one character."""
    if places is not None:
        for byte in range(to, after):  # a fifth faster than two slices
            places[0][byte], places[1][byte] = begin, end


@lean
def write_four_places(to: int, begin: int, end: int, places: tuple[Places, Places] | None) -> None:
    """Write that four bytes came from one character: as many as any has, so that the compiler knows how many."""
    if places is not None:
        for i in range(4):
            places[0][to + i], places[1][to + i] = begin, end


@lean
def write_places(to: int, count: int, begin: int, places: tuple[Places, Places] | None) -> None:
    """Write that bytes came from as many bytes in a row."""
    if places is not None:
        for i in range(count):
            places[0][to + i], places[1][to + i] = begin + i, begin + i + 1


@kernel
def fold(
    data: Bytes,
    offsets: Offsets,
    folded: CodePoints,
    short: CodePoints,
    starts: Offsets,
    longer: CodePoints,
    classes: Classes,
    segments: tuple[Offsets, Offsets, CodePoints],
    room: int,
    places: tuple[Places, Places] | None,
) -> tuple[Bytes, Offsets]:
    """Give the views' bytes and offsets.

    `segments` holds begin, end and form of the longer segments, and one more that begins behind the data; `room` bounds
    the size of the result. `places`, of that size, take which bytes of its text each byte of a view came from; numba
    compiles a call without them to code without them.
    """
    out, ends, points = np.empty(room, np.uint8), np.zeros(len(offsets), np.int64), np.empty(LANES + 1, np.uint64)
    to = segment = 0
    for document in range(len(offsets) - 1):
        base = at = offsets[document]
        first_out, space_begin, space_end = to, -1, -1
        while at < offsets[document + 1]:
            begin, stop = at, min(offsets[document + 1], segments[0][segment])
            count = wide = blank = 0
            if at < stop and data[at] < 0x80:
                count, blank = plain_run(data, at, stop, int(space_begin >= 0 or to == first_out))
            elif at < stop and _WIDE <= data[at] <= _WIDE_LAST:
                wide = int(short[three_bytes(data, at)] != _NO_FORM)
            if count or wide:
                if space_begin >= 0 and to > first_out:
                    to = write_space(out, to, space_begin - base, space_end - base, places)
                space_begin = -1
                if wide:
                    at, to = fold_short(data, at, stop, short, points, out, to, base, places)
                    continue
                copy_folded(data, at, out, to)
                write_places(to, count, at - base, places)
                at, to = at + count, to + count
                if blank:
                    to, space_begin, space_end = to - 1, at - 1, at
                continue
            if begin == segments[0][segment]:
                at, form = segments[1][segment], segments[2][segment]
                segment += 1
            else:
                point, at = decode(data, at)
                form = folded[point]
            first, last = 0, 1
            if form >= EXPANDS:
                first, last = starts[form - EXPANDS], starts[form - EXPANDS + 1]
            for i in range(first, last):
                character = int(longer[i]) if form >= EXPANDS else int(form)
                if SPACE <= classes[character] <= BREAK:
                    space_begin = begin if space_begin < 0 else space_begin
                    space_end = at
                    continue
                if space_begin >= 0 and to > first_out:
                    to = write_space(out, to, space_begin - base, space_end - base, places)
                space_begin = -1
                after = encode(out, to, character)
                write_place(to, after, begin - base, at - base, places)
                to = after
        ends[document + 1] = to
    return out[:to], ends

"""The view of texts: every character in its match form, runs of white space as one space, none at the ends.

A segment is a character with those behind it that may join it: marks, vowels and finals of Hangul. One of several
characters is normalized as a whole, by the library; all others go through the tables.
"""

from __future__ import annotations

import numpy as np

from headrace.stages.kernels.arrays import Bytes, Classes, CodePoints, Flags, Offsets, Places
from headrace.stages.kernels.characters import BREAK, EXPANDS, SPACE
from headrace.stages.kernels.compiled import kernel
from headrace.stages.kernels.utf8 import decode, encode, width

_SPACE = 0x20


@kernel
def view_bounds(
    data: Bytes, offsets: Offsets, folded: CodePoints, starts: Offsets, longer: CodePoints, joins: Flags
) -> tuple[int, int]:
    """Give how many bytes the views take at most without longer segments, and how many of these there are."""
    room = segments = 0
    for document in range(len(offsets) - 1):
        at = offsets[document]
        characters = 0  # of the segment so far
        while at < offsets[document + 1]:
            point, at = decode(data, at)
            characters = characters + 1 if joins[point] and characters else 1
            segments += characters == 2
            form = folded[point]
            if form < EXPANDS:
                room += width(int(form))
            else:
                for i in range(starts[form - EXPANDS], starts[form - EXPANDS + 1]):
                    room += width(int(longer[i]))
    return room, segments


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
            point, at = decode(data, at)
            characters = characters + 1 if joins[point] and characters else 1
            if characters == 1:
                begin = here
                continue
            found += characters == 2
            begins[found], ends[found] = begin, at
    return begins, ends


@kernel
def fold(
    data: Bytes,
    offsets: Offsets,
    folded: CodePoints,
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
    out = np.empty(room, np.uint8)
    ends = np.zeros(len(offsets), np.int64)
    to = segment = 0
    for document in range(len(offsets) - 1):
        base, first_out = offsets[document], to
        space_begin = space_end = -1
        at = base
        while at < offsets[document + 1]:
            begin = at
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
                    out[to] = _SPACE
                    if places is not None:
                        places[0][to], places[1][to] = space_begin - base, space_end - base
                    to += 1
                space_begin = -1
                after = encode(out, to, character)
                if places is not None:
                    for byte in range(to, after):  # a fifth faster than two slices
                        places[0][byte], places[1][byte] = begin - base, at - base
                to = after
        ends[document + 1] = to
    return out[:to], ends

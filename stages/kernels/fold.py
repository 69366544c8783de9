"""The view of texts: every character in its match form, runs of white space as one space, none at the ends."""

from __future__ import annotations

import numpy as np

from headrace.stages.kernels.arrays import Bytes, Classes, CodePoints, Counts, Flags, Offsets
from headrace.stages.kernels.characters import BREAK, EXPANDS, SPACE
from headrace.stages.kernels.compiled import kernel
from headrace.stages.kernels.utf8 import decode, encode, width

_SPACE = 0x20


@kernel
def view_bounds(
    data: Bytes, offsets: Offsets, folded: CodePoints, starts: Offsets, longer: CodePoints, joins: Flags
) -> tuple[Counts, Flags]:
    """Give how many bytes each view can take at most, and which texts must be normalized before they are folded."""
    documents = len(offsets) - 1
    most = np.zeros(documents, np.int64)
    joined = np.zeros(documents, np.bool_)
    for document in range(documents):
        at = offsets[document]
        while at < offsets[document + 1]:
            point, at = decode(data, at)
            joined[document] |= joins[point]
            form = folded[point]
            if form < EXPANDS:
                most[document] += width(int(form))
            else:
                for i in range(starts[form - EXPANDS], starts[form - EXPANDS + 1]):
                    most[document] += width(int(longer[i]))
    return most, joined


@kernel
def fold(
    data: Bytes,
    offsets: Offsets,
    folded: CodePoints,
    starts: Offsets,
    longer: CodePoints,
    classes: Classes,
    room: int,
) -> tuple[Bytes, Offsets]:
    """Give the views' bytes and offsets; `room` is the sum of `view_bounds`."""
    out = np.empty(room, np.uint8)
    ends = np.zeros(len(offsets), np.int64)
    to = 0
    for document in range(len(offsets) - 1):
        begin = to
        space = False
        at = offsets[document]
        while at < offsets[document + 1]:
            point, at = decode(data, at)
            form = folded[point]
            first, last = 0, 1
            if form >= EXPANDS:
                first, last = starts[form - EXPANDS], starts[form - EXPANDS + 1]
            for i in range(first, last):
                character = int(longer[i]) if form >= EXPANDS else int(form)
                if SPACE <= classes[character] <= BREAK:
                    space = True
                    continue
                if space and to > begin:
                    out[to] = _SPACE
                    to += 1
                space = False
                to = encode(out, to, character)
        ends[document + 1] = to
    return out[:to], ends

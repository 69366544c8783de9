"""Characters that are no text: control and format characters, terminal sequences, odd line breaks."""

from __future__ import annotations

import numpy as np

from headrace.stages.kernels.arrays import Bytes, Classes, Counts, Offsets
from headrace.stages.kernels.characters import LINE, STAY
from headrace.stages.kernels.compiled import kernel, part
from headrace.stages.kernels.utf8 import copy, decode

_BELL, _NEWLINE, _RETURN, _ESCAPE, _BACKSLASH = 0x07, 0x0A, 0x0D, 0x1B, 0x5C
_CSI, _OSC = 0x5B, 0x5D  # the characters after ESC that open a control sequence and a system command


@kernel
def scrub(data: Bytes, offsets: Offsets, fates: Classes) -> tuple[Bytes, Offsets, Counts]:
    """Give the documents without such characters, all line breaks as line feeds, and how many characters each lost."""
    out = np.empty(offsets[-1] - offsets[0], np.uint8)
    ends = np.zeros(len(offsets), np.int64)
    removed = np.zeros(len(offsets) - 1, np.int64)
    to = 0
    for document in range(len(offsets) - 1):
        at, end = offsets[document], offsets[document + 1]
        while at < end:
            begin = at
            at = staying(data, begin, end, fates)
            to = copy(data, begin, at, out, to)
            if at == end:
                break
            begin = at
            point, at = decode(data, at)
            if point == _ESCAPE:
                at = sequence_end(data, at, end)
                removed[document] += at - begin
            elif fates[point] == LINE:
                paired = point == _RETURN and at < end and data[at] == _NEWLINE
                at += int(paired)
                removed[document] += int(paired)
                out[to] = _NEWLINE
                to += 1
            else:
                removed[document] += 1
        ends[document + 1] = to
    return out[:to], ends, removed


@part
def staying(data: Bytes, at: int, end: int, fates: Classes) -> int:
    """Give where the characters end that stay: nearly always all of the text, so it is copied in one piece."""
    while at < end:
        point, after = decode(data, at)
        if fates[point] != STAY:
            break
        at = after
    return at


@part
def sequence_end(data: Bytes, at: int, end: int) -> int:
    """Give where the terminal sequence ends whose ESC stands before `at`; `at` itself if there is none.

    Each scan stops at the next ESC at the latest, so a text of nothing but openers costs its length, not its square.
    """
    if at >= end:
        return at
    if data[at] == _CSI:
        stop = at + 1
        while stop < end and 0x20 <= data[stop] <= 0x3F:
            stop += 1
        return stop + 1 if stop < end and 0x40 <= data[stop] <= 0x7E else at
    if data[at] == _OSC:
        stop = at + 1
        while stop < end and data[stop] >= 0x20 and data[stop] < 0x7F:
            stop += 1
        if stop < end and data[stop] == _BELL:
            return stop + 1
        return stop + 2 if stop + 1 < end and data[stop] == _ESCAPE and data[stop + 1] == _BACKSLASH else at
    return at

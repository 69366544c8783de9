"""Characters that are no text: control and format characters, terminal sequences, odd line breaks, piled-up marks."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Classes, Counts, Flags, Links, Offsets
from headrace.schemas.compiled import kernel, part
from headrace.stages.kernels.repair_tables import (
    BREAKER,
    CONTROL,
    DIRECTION,
    JOINER,
    LINE_END,
    MARK,
    ROLE_FLAG,
    ROLE_JOINS,
    ROLE_SELECTABLE,
    ROLE_UNSPACED,
    ROLE_WORD,
    SELECTOR,
    STAY,
    TAG,
)
from headrace.stages.kernels.utf8 import copy, decode

_BELL, _NEWLINE, _TABULATION, _FORM_FEED, _RETURN, _ESCAPE, _BACKSLASH = 0x07, 0x0A, 0x0B, 0x0C, 0x0D, 0x1B, 0x5C
_CSI, _OSC = 0x5B, 0x5D  # the characters after ESC that open a control sequence and a system command


@kernel
def scrub(
    data: Bytes, offsets: Offsets, fates: Classes, roles: Classes, columns: Links, directed: Flags, most_marks: int
) -> tuple[Bytes, Offsets, Counts]:
    """Give the documents with each character's fate done, and how many characters each lost or had changed.

    `fates` has STAY where a repair is off. The counts have one column for each of `repair_tables.COLUMNS`; `columns`
    gives a fate's. `directed` flags the documents with right-to-left letters, whose direction marks stay.
    """
    out = np.empty(offsets[-1] - offsets[0], np.uint8)
    ends = np.zeros(len(offsets), np.int64)
    counts = np.zeros((len(offsets) - 1, columns.max() + 1), np.int64)
    to = 0
    for document in range(len(offsets) - 1):
        at, end = offsets[document], offsets[document + 1]
        last = marks = before = 0  # `before`: the fate of the character before
        while at < end:
            begin = at
            at, last = staying(data, begin, end, fates, last)
            if at > begin:
                marks = before = 0
            to = copy(data, begin, at, out, to)
            if at == end:
                break
            begin = at
            point, at = decode(data, at)
            fate = fates[point]
            if before == CONTROL and noise(point, roles[last], data, at, end, fates):
                fate = CONTROL
            column, before = columns[fate], fate
            if fate == LINE_END:
                at += int(point == _RETURN and at < end and data[at] == _NEWLINE)
                out[to] = last = _NEWLINE
                to += 1
                counts[document, column] += 1
                continue
            marks += int(fate == MARK)
            if stays(fate, roles[last], int(directed[document]), most_marks - marks):
                to = copy(data, begin, at, out, to)
                last = point
            elif fate == CONTROL and point == _ESCAPE:
                at = sequence_end(data, at, end)
                counts[document, column] += at - begin
            else:
                counts[document, column] += 1
        ends[document + 1] = to
    return out[:to], ends, counts


@part
def noise(point: int, role: int, data: Bytes, at: int, end: int, fates: Classes) -> bool:
    """Tell whether a character behind a control that goes is one more: VT or FF before another, inside a word.

    `role` is that of the last character that stayed; `at` is where the next one begins.
    """
    if at == end or not (_TABULATION <= point <= _FORM_FEED) or not role & ROLE_WORD:
        return False
    return bool(fates[decode(data, at)[0]] == CONTROL)


@part
def stays(fate: int, role: int, directed: int, room: int) -> bool:
    """Tell whether a character stays behind the last one that stayed, whose role is given.

    `directed` is 1 in a text with right-to-left letters; `room` is negative once a letter has all marks it may have.
    """
    if fate == MARK:
        return room >= 0
    if fate == DIRECTION:
        return directed == 1
    if fate == JOINER:
        return (role & ROLE_JOINS) != 0
    if fate == BREAKER:
        return (role & ROLE_UNSPACED) != 0
    if fate == SELECTOR:
        return (role & ROLE_SELECTABLE) != 0
    return fate == TAG and (role & ROLE_FLAG) != 0


@part
def staying(data: Bytes, at: int, end: int, fates: Classes, last: int) -> tuple[int, int]:
    """Give where the characters end that stay, and the last of them: nearly always all, so they are copied at once."""
    while at < end:
        point, after = decode(data, at)
        if fates[point] != STAY:
            break
        at, last = after, point
    return at, last


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

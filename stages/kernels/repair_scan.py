"""What each document may need: one pass at memory speed, so that only the few flagged ones are looked at closely."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from headrace.schemas.arrays import Bytes, Counts, Flags, Links, Offsets
from headrace.schemas.compiled import kernel, part
from headrace.stages.kernels.utf8 import decode

# Bits of a document. The lowest are those of `repair_tables.COLUMNS`, in its order.
LINE_ENDS, CONTROLS, BIDI, PRIVATE, NON_CHARACTERS, BYTE_ORDER_MARKS, ZERO_WIDTH, MARKS = (1 << i for i in range(8))
DIRECTIONS, RIGHT_TO_LEFT, LOOK_ALIKES, HAN, MOJIBAKE, PINYIN = (1 << i for i in range(8, 14))
# Bits of code points that need a second look; a document never has them.
PAIRED, STACKED, OPENING, LINE_FEED = (1 << i for i in range(16, 20))
CLOSER_LOOK = PAIRED | STACKED | OPENING | LINE_FEED
# Suspicion is counted in eighths of a nat: how much likelier a character is in garbled text than in any other.
SUSPICIOUS = 8 * 8
LONGEST_ANNOTATION = 14  # bytes between the parentheses; zhuàng has 7
ANNOTATIONS = 3  # fewer are no pattern
SUSPICION = 20  # the bits of a code point from here on are its suspicion, with a sign
LINE_BYTES = 1 << 16  # a longer line is looked at in pieces, cut at the next space or at twice this length


class Signals(NamedTuple):
    """Tables of the scan: the bits and the suspicion of each code point, and what two of them side by side mean.

    `letters` numbers the characters of garbled Western text, 0 = none; `garbled` tells which two of them are a sign of
    it, with column 0 for what is no letter behind and row 0 unused.
    """

    points: Links
    letters: Links
    garbled: Flags


@kernel
def scan(data: Bytes, offsets: Offsets, signals: Signals, most_marks: int) -> Counts:
    """Give the bits of each document; more than `most_marks` marks in a row set MARKS."""
    found = np.zeros(len(offsets) - 1, np.int64)
    for document in range(len(offsets) - 1):
        at = offsets[document]
        annotations = 0
        while at < offsets[document + 1]:
            bits, at, seen = look(data, at, offsets[document + 1], offsets[document], signals, most_marks)
            found[document] |= bits
            annotations += seen
        if annotations >= ANNOTATIONS:
            found[document] |= PINYIN
    return found


@kernel
def suspicious_lines(data: Bytes, offsets: Offsets, signals: Signals) -> Counts:
    """Give (document, first byte, end) of each line that may be garbled."""
    rows = np.empty((16, 3), np.int64)
    count = 0
    for document in range(len(offsets) - 1):
        at = offsets[document]
        while at < offsets[document + 1]:
            begin = at
            bits, at, _ = look(data, at, offsets[document + 1], offsets[document], signals, 1 << 60)
            if bits & MOJIBAKE:
                if count == len(rows):
                    wider = np.empty((2 * count, 3), np.int64)
                    wider[:count] = rows
                    rows = wider
                rows[count, 0], rows[count, 1], rows[count, 2] = document, begin, at
                count += 1
    return rows[:count].copy()


@part
def look(data: Bytes, at: int, end: int, first: int, signals: Signals, most_marks: int) -> tuple[int, int, int]:
    """Give the bits of the line that begins at a byte, where the next one begins, and its annotations."""
    bits = bucket = before = marks = annotations = 0
    cut, last = min(end, at + LINE_BYTES), at + 2 * LINE_BYTES
    points, letters, garbled = signals.points, signals.letters, signals.garbled
    while at < end:
        if not bucket | before | marks:  # ASCII that nothing is the matter with; in line, since a call costs as much
            while at < cut and 0x20 <= data[at] < 0x7F and data[at] != 0x28:
                at += 1
            if at == end:
                break
        here = at
        point, at = decode(data, at)
        own = points[point]
        bits |= own
        bucket = max(0, bucket + (own >> SUSPICION))
        if bucket >= SUSPICIOUS:
            bits |= MOJIBAKE
        letter = 0
        if own & CLOSER_LOOK:
            if own & LINE_FEED:
                break
            letter = letters[point]
            marks = marks + 1 if own & STACKED else 0
            if marks > most_marks:
                bits |= MARKS
            if own & OPENING and here > first:
                annotations += int(annotated(data, at, end) and attached(data[here - 1]))
        else:
            marks = 0
        if before and (letter or not is_letter(point)) and garbled[before, letter]:
            bits |= MOJIBAKE
        before = letter
        if at >= cut and (point == 0x20 or at >= last):
            break
    return bits & (PAIRED - 1), at, annotations


@part
def is_letter(point: int) -> bool:
    """Tell whether a code point is an ASCII letter."""
    return 0x61 <= point | 32 <= 0x7A


@part
def attached(byte: int) -> bool:
    """Tell whether a byte can end what an annotation stands behind: Han, or a letter that lost its neighbour."""
    return byte >= 0x80 or 0x61 <= byte | 32 <= 0x7A


@part
def annotated(data: Bytes, at: int, end: int) -> bool:
    """Tell whether small letters, some of them beyond ASCII, stand before the next closing parenthesis."""
    accented = 0
    for i in range(at, min(end, at + LONGEST_ANNOTATION)):
        byte = data[i]
        if byte == 0x29:
            return accented > 0
        if 0xC3 <= byte <= 0xC7 or byte == 0xE1 or 0x80 <= byte < 0xC0:
            accented += 1
        elif not 0x61 <= byte <= 0x7A:
            return False
    return False

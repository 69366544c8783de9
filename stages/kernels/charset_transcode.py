"""Bytes in one charset to UTF-8, with a count of what is lost and of what looks as if it were misread."""

from __future__ import annotations

from headrace.schemas.arrays import Bytes, Counts
from headrace.schemas.compiled import part
from headrace.stages.kernels.charset_model import (
    BEYOND,
    BIG5,
    COST_SHIFT,
    COST_STEP,
    CP950_FIRST,
    CP950_LAST,
    FIRST_PAGE,
    POINT,
    SEQUENCE,
    SEQUENCES,
    UTF_8,
    Model,
    Points,
)
from headrace.stages.kernels.charset_numbers import ONE, THREE, TWO, number, place
from headrace.stages.kernels.charset_units import CUT, LOST, read_code, read_utf8
from headrace.stages.kernels.utf8 import copy, encode

# Columns of the notes. LOST_CODES: codes without a meaning (shown as U+FFFD) and the one that the row's end cut (left
# out). STRAIN: how unlikely the oddest passage within a line is. FOREIGN: sequences of UTF-8 in another charset.
# LAYOUT: codes of Big5 whose meaning depends on the vendor.
# SUSPECT: some of this makes a look at single lines worth while.
LOST_CODES, STRAIN, FOREIGN, LAYOUT, SUSPECT = range(5)
NOTES = 5
ODD = 1600  # strain of a suspect line: no line in 99 of 100 clean texts, nearly every misread one of 12 characters
NO_CODE = 1 << 16  # beyond all codes of two bytes
MOST_BYTES = 3  # of UTF-8 for one byte of a charset
_MARK, _REPLACEMENT, _NEWLINE = 0xFEFF, 0xFFFD, 0x0A
USUAL, _LOST_STRAIN = 950, 1500  # centinats; a character of running text costs about 700


@part
def transcode_row(
    data: Bytes, begin: int, end: int, codec: int, model: Model, out: Bytes, to: int, notes: Counts
) -> int:
    """Write a row as UTF-8 and give where the next one goes; byte order marks at its beginning are left out.

    Nothing is written for UTF-16, which is left to Python.
    """
    if codec == UTF_8:
        to = from_utf8(data, begin, end, out, to, notes)
    elif codec >= FIRST_PAGE:
        to = from_page(data, begin, end, model.pages[codec - FIRST_PAGE], out, to, notes)
    elif codec < UTF_8:
        to = from_codes(data, begin, end, codec, model.codes[codec], model.longer, out, to, notes)
    notes[SUSPECT] = notes[LOST_CODES] > 0 or notes[STRAIN] > ODD or notes[FOREIGN] > 0 or notes[LAYOUT] > 0
    return to


@part
def from_utf8(data: Bytes, at: int, end: int, out: Bytes, to: int, notes: Counts) -> int:
    """Copy UTF-8 and replace what is none."""
    start = to
    while at < end:
        if data[at] < 0x80:
            out[to] = data[at]
            at += 1
            to += 1
            continue
        point, size = read_utf8(data, at, end)
        if point > 0:
            if point != _MARK or to > start:
                to = copy(data, at, at + size, out, to)
        else:
            notes[LOST_CODES] += 1
            if point == LOST:
                to = encode(out, to, _REPLACEMENT)
        at += size
    return to


@part
def from_page(data: Bytes, at: int, end: int, page: Points, out: Bytes, to: int, notes: Counts) -> int:
    """Look up each byte."""
    while at < end:
        byte = data[at]
        if byte < 0x80:
            out[to] = byte
            to += 1
        else:
            point = number(page[byte])
            notes[LOST_CODES] += point == 0
            to = encode(out, to, point or _REPLACEMENT)
            notes[FOREIGN] += read_utf8(data, at, end)[0] > 0
        at += 1
    return to


@part
def begins_as_utf8(data: Bytes, at: int, end: int) -> bool:
    """Say whether two three-byte sequences of UTF-8 stand at a place, as Han and kana have them."""
    if data[at] < 0xE3 or data[at] > 0xEF or at + 5 >= end:
        return False
    return (
        read_utf8(data, at, end)[1] == 3 and read_utf8(data, at, end)[0] > 0 and read_utf8(data, at + 3, end)[0] > 0x7FF
    )


@part
def from_codes(
    data: Bytes, begin: int, end: int, family: int, codes: Points, longer: Points, out: Bytes, to: int, notes: Counts
) -> int:
    """Look up codes of two bytes, and read the others."""
    at, stop, there = place(begin), place(end), place(to)
    strain = worst = vendor = last = 0
    first_vendor = CP950_FIRST if family == BIG5 else NO_CODE
    while at < stop:
        if data[at] < 0x80:
            out[there] = data[at]
            strain = 0 if data[at] == _NEWLINE else strain
            there += ONE
            at += ONE
            continue
        notes[FOREIGN] += begins_as_utf8(data, number(at), end)
        while at < stop and data[at] >= 0x80:
            code = entry = 0
            if at + ONE < stop:
                code = number(data[at]) << 8 | number(data[at + ONE])
                entry = number(codes[place(code)])
            point = entry & POINT
            if code >= first_vendor:
                vendor += entry != 0 and code <= CP950_LAST
            if entry and point != last:
                strain = max(0, strain + (entry >> COST_SHIFT) * COST_STEP - USUAL)
                worst = max(worst, strain)
            if is_plain(point):
                out[there] = 0xE0 | point >> 12
                out[there + ONE] = 0x80 | point >> 6 & 63
                out[there + TWO] = 0x80 | point & 63
                there += THREE
                at += TWO
                last = point
                continue
            size = 2
            if entry == 0:
                point, size = read_code(data, number(at), end, family, codes, longer)
            at += place(size)
            if point <= 0:
                notes[LOST_CODES] += 1
                strain += _LOST_STRAIN
                worst = max(worst, strain)
            else:
                last = point
            there = place(put(out, number(there), point, to))
    notes[STRAIN] = worst
    notes[LAYOUT] = vendor
    return number(there)


@part
def is_plain(point: int) -> bool:
    """Say whether a code point takes three bytes of UTF-8 and is no byte order mark."""
    return 0x800 <= point <= BEYOND and point != _MARK


@part
def put(out: Bytes, to: int, point: int, start: int) -> int:
    """Write any code point, some of Big5-HKSCS as a letter and a mark; no cut one, and no mark at the start."""
    if point >= SEQUENCE:
        letter, mark = SEQUENCES[point - SEQUENCE]
        return encode(out, encode(out, to, letter), mark)
    if point == CUT or (point == _MARK and to == start):
        return to
    return encode(out, to, point or _REPLACEMENT)

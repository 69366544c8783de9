"""Bytes in one charset to UTF-8, row by row, with a count of what is lost and of what looks as if it were misread."""

from __future__ import annotations

import numpy as np

from headrace.stages.kernels.arrays import Bytes, Counts, Offsets
from headrace.stages.kernels.charset_model import (
    ANY,
    BEYOND,
    BIG5,
    CP950_FIRST,
    CP950_LAST,
    FIRST_PAGE,
    SEQUENCE,
    UTF_8,
    Logs,
    Model,
    Points,
)
from headrace.stages.kernels.charset_units import CUT, LOST, read_code, read_utf8
from headrace.stages.kernels.compiled import kernel, part
from headrace.stages.kernels.utf8 import copy, encode

# Columns of the notes. LOST_CODES: codes without a meaning (shown as U+FFFD) and the one that the row's end cut (left
# out). STRAIN: how unlikely the oddest passage within a line is. FOREIGN: sequences of UTF-8 in a single-byte page.
# LAYOUT: codes of Big5 whose meaning depends on the vendor.
LOST_CODES, STRAIN, FOREIGN, LAYOUT = range(4)
NOTES = 4
MOST_BYTES = 3  # of UTF-8 for one byte of a charset
_MARK, _REPLACEMENT, _NEWLINE = 0xFEFF, 0xFFFD, 0x0A
_USUAL, _LOST_STRAIN = 950, 1500  # centinats; a character of running text costs about 700


@kernel
def transcode(
    data: Bytes, begins: Offsets, ends: Offsets, codecs: Counts, model: Model, out: Bytes
) -> tuple[Offsets, Counts]:
    """Write the rows to `out`, which has room for MOST_BYTES a byte; give the offsets and the notes of the rows.

    Row r is in the charset `codecs[r]`; byte order marks at its beginning are left out.
    """
    offsets = np.zeros(len(begins) + 1, np.int64)
    notes = np.zeros((len(begins), NOTES), np.int64)
    to = 0
    for row in range(len(begins)):
        codec = codecs[row]
        if codec == UTF_8:
            to = from_utf8(data, begins[row], ends[row], out, to, notes[row])
        elif codec >= FIRST_PAGE:
            to = from_page(data, begins[row], ends[row], model.pages[codec - FIRST_PAGE], out, to, notes[row])
        else:
            to = from_codes(
                data,
                begins[row],
                ends[row],
                codec,
                model.codes[codec],
                model.longer,
                model.character_logs[ANY],
                out,
                to,
                notes[row],
            )
        offsets[row + 1] = to
    return offsets, notes


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
            point = np.int64(page[byte])
            notes[LOST_CODES] += point == 0
            to = encode(out, to, point or _REPLACEMENT)
            notes[FOREIGN] += read_utf8(data, at, end)[0] > 0
        at += 1
    return to


@part
def from_codes(
    data: Bytes,
    at: int,
    end: int,
    family: int,
    codes: Points,
    longer: Points,
    logs: Logs,
    out: Bytes,
    to: int,
    notes: Counts,
) -> int:
    """Look up codes of two bytes, and read the others."""
    start, strain, worst, vendor = to, 0, 0, 0
    while at < end:
        byte = np.int64(data[at])
        if byte < 0x80:
            out[to] = byte
            to += 1
            at += 1
            if byte == _NEWLINE:
                strain = 0
            continue
        point, size = 0, 2
        if at + 1 < end:
            code = byte << 8 | data[at + 1]
            point = np.int64(codes[code])
            vendor += CP950_FIRST <= code <= CP950_LAST
        if point == 0:
            point, size = read_code(data, at, end, family, codes, longer)
        at += size
        if point <= 0:
            notes[LOST_CODES] += 1
            strain += _LOST_STRAIN
            if point == CUT:
                continue
            point = _REPLACEMENT
        else:
            strain = max(0, strain - _USUAL - logs[min(point, BEYOND)])
        worst = max(worst, strain)
        if point & SEQUENCE:
            to = encode(out, to, point >> 16 & 0x7FFF)
            point &= 0xFFFF
        if point != _MARK or to > start:
            to = encode(out, to, point)
    notes[STRAIN] = worst
    notes[LAYOUT] = vendor if family == BIG5 else 0
    return to

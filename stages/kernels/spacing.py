"""White space and widths: one space between words, single blank lines, half-width letters and digits."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Classes, Flags, Offsets
from headrace.schemas.compiled import kernel, part
from headrace.stages.kernels.characters import BREAK, SPACE
from headrace.stages.kernels.utf8 import decode, encode

_SPACE, _TAB, _NEWLINE, _RETURN, _IDEOGRAPHIC_SPACE = 0x20, 0x09, 0x0A, 0x0D, 0x3000


@kernel
def flag_documents(data: Bytes, offsets: Offsets, flags: Flags) -> Flags:
    """Flag the documents that contain a flagged code point."""
    found = np.zeros(len(offsets) - 1, np.bool_)
    for document in range(len(offsets) - 1):
        at = offsets[document]
        while at < offsets[document + 1] and not found[document]:
            point, at = decode(data, at)
            found[document] = flags[point]
    return found


@part
def narrow(point: int) -> int:
    """Give the ASCII form of a full-width letter or digit; full-width punctuation is Chinese punctuation and stays."""
    if 0xFF21 <= point <= 0xFF3A or 0xFF41 <= point <= 0xFF5A or 0xFF10 <= point <= 0xFF19:
        return point - 0xFEE0
    return point


@kernel
def narrow_documents(data: Bytes, offsets: Offsets) -> tuple[Bytes, Offsets]:
    """Give the documents with half-width letters and digits."""
    out = np.empty(offsets[-1] - offsets[0], np.uint8)
    ends = np.zeros(len(offsets), np.int64)
    to = 0
    for document in range(len(offsets) - 1):
        at = offsets[document]
        while at < offsets[document + 1]:
            point, at = decode(data, at)
            to = encode(out, to, narrow(point))
        ends[document + 1] = to
    return out[:to], ends


@part
def indent(data: Bytes, begin: int, end: int, out: Bytes, to: int) -> int:
    """Write a line's indentation: tabs and spaces stay, the ideographic spaces of a Chinese paragraph go."""
    at = begin
    while at < end:
        point, at = decode(data, at)
        if point != _IDEOGRAPHIC_SPACE:
            out[to] = _TAB if point == _TAB else _SPACE
            to += 1
    return to


@kernel
def space_out(data: Bytes, offsets: Offsets, classes: Classes, max_blank_lines: int) -> tuple[Bytes, Offsets]:
    """Collapse spaces in lines and blank lines between them; drop white space at the ends of lines and documents."""
    out = np.empty(offsets[-1] - offsets[0], np.uint8)
    ends = np.zeros(len(offsets), np.int64)
    to = 0
    for document in range(len(offsets) - 1):
        begin = to
        at = line = offsets[document]
        breaks = 0
        content = False
        space = False
        while at < offsets[document + 1]:
            here = at
            point, at = decode(data, at)
            kind = classes[point]
            if kind == BREAK:
                paired = point == _RETURN and at < offsets[document + 1] and data[at] == _NEWLINE
                at += int(paired)
                breaks += 1
                line = at
                content = space = False
            elif kind == SPACE:
                space = content
            else:
                if not content and to > begin:
                    for _ in range(min(breaks, max_blank_lines + 1)):
                        out[to] = _NEWLINE
                        to += 1
                    to = indent(data, line, here, out, to)
                elif space:
                    out[to] = _SPACE
                    to += 1
                content = True
                space = False
                breaks = 0
                to = encode(out, to, point)
        ends[document + 1] = to
    return out[:to], ends

"""ISO-2022-CN to UTF-8 (RFC 1922): seven-bit pairs behind a shift, by the set that an escape has named."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Counts
from headrace.schemas.compiled import kernel, part
from headrace.stages.kernels.charset_model import CELLS, GB18030, GB_FOUR_BYTE_CODES, POINT, Model, Points
from headrace.stages.kernels.charset_numbers import number
from headrace.stages.kernels.utf8 import encode

_ESCAPE, _SHIFT_OUT, _SHIFT_IN, _NEWLINE, _RETURN = 0x1B, 0x0E, 0x0F, 0x0A, 0x0D
_DOLLAR, _SINGLE_2, _SINGLE_3 = 0x24, 0x4E, 0x4F
_SET_1, _SET_2, _SET_3 = 0x29, 0x2A, 0x2B  # `)`, `*` and `+`: where a set is put, before the letter that names it
_GB, _GB_SUPPLEMENT, _PLANE_1 = 0x41, 0x45, 0x47  # letters of sets: A, E (ISO-IR-165) and G; H to M are planes 2 to 7
_REPLACEMENT = 0xFFFD


@kernel
def from_iso2022_cn(data: Bytes, model: Model, out: Bytes) -> tuple[int, int]:
    """Write UTF-8 to `out` (three bytes for each of `data`); give its size and how many codes are lost.

    Every line begins in ASCII, whatever was shifted before; a set keeps its place until another takes it.
    """
    gb, planes = model.codes[GB18030], model.longer[GB_FOUR_BYTE_CODES:]
    sets = np.zeros(3, np.int64)
    at = to = lost = 0
    shifted = False
    while at < len(data):
        byte = data[at]
        if byte == _ESCAPE:
            single = single_shift(data, at, sets)
            if single:
                point = point_of(data, at + 2, single, gb, planes)
                at, to, lost = at + 4, encode(out, to, point or _REPLACEMENT), lost + (point == 0)
            else:
                at = named_set(data, at, sets)
        elif byte in (_SHIFT_OUT, _SHIFT_IN):
            shifted = byte == _SHIFT_OUT
            at += 1
        elif shifted and byte > 0x20 and at + 1 < len(data) and data[at + 1] > 0x20:
            point = point_of(data, at, sets[0], gb, planes)
            at, to, lost = at + 2, encode(out, to, point or _REPLACEMENT), lost + (point == 0)
        else:
            shifted = shifted and byte != _NEWLINE and byte != _RETURN
            to = encode(out, to, number(byte) if byte < 0x80 else _REPLACEMENT)
            lost += byte >= 0x80
            at += 1
    return to, lost


@part
def single_shift(data: Bytes, at: int, sets: Counts) -> int:
    """Give the set of the one character behind ESC N or ESC O; 0 if this is no such escape."""
    if at + 3 >= len(data):
        return 0
    if data[at + 1] == _SINGLE_2:
        return number(sets[1])
    return number(sets[2]) if data[at + 1] == _SINGLE_3 else 0


@part
def named_set(data: Bytes, at: int, sets: Counts) -> int:
    """Note the set that ESC $ ) A and its like name, and give where the escape ends."""
    if at + 3 >= len(data) or data[at + 1] != _DOLLAR or not _SET_1 <= data[at + 2] <= _SET_3:
        return at + 1
    sets[data[at + 2] - _SET_1] = data[at + 3]
    return at + 4


@part
def point_of(data: Bytes, at: int, letter: int, gb: Points, planes: Points) -> int:
    """Give the code point of a seven-bit pair in a set, 0 if there is none."""
    first, second = number(data[at]), number(data[at + 1])
    if letter in (_GB, _GB_SUPPLEMENT):
        return number(gb[(first | 0x80) << 8 | second | 0x80]) & POINT
    plane, row, cell = letter - _PLANE_1 + 1, first - 0x21, second - 0x21
    if 1 <= plane <= 7 and 0 <= row < CELLS and 0 <= cell < CELLS:
        return number(planes[(plane * CELLS + row) * CELLS + cell])
    return 0

"""One code of a double-byte charset at a time: what it means and how many bytes it takes."""

from __future__ import annotations

from headrace.schemas.arrays import Bytes
from headrace.schemas.compiled import part
from headrace.stages.kernels.charset_model import (
    BIG5,
    CELLS,
    CP932,
    CP950_KANA,
    EUC_JP,
    EUC_TW,
    GB18030,
    GB_FOUR_BYTE_CODES,
    PLANES,
    POINT,
    Points,
)
from headrace.stages.kernels.charset_numbers import number

LOST, CUT = 0, -1
_EURO = 0x20AC
_HALF_WIDTH_KANA = 0xFF61 - 0xA1
_ASTRAL = 189_000  # the four-byte code of U+10000, counted from 81308130


@part
def read_code(data: Bytes, at: int, end: int, family: int, codes: Points, longer: Points) -> tuple[int, int]:
    """Give the code point of the code that begins at a byte beyond ASCII, and how many bytes it takes.

    The code point is LOST where there is no such code, and CUT where the end comes before the code is whole. A lost
    code takes one byte if the next is ASCII, so that no line end and no tag is lost with it.
    """
    lead = number(data[at])
    if family == CP932 and 0xA1 <= lead <= 0xDF:
        return _HALF_WIDTH_KANA + lead, 1
    if lead == 0x80 or lead == 0xFF:
        return (_EURO if lead == 0x80 and family == GB18030 else LOST), 1
    if at + 1 >= end:
        return CUT, 1
    trail = number(data[at + 1])
    if family == GB18030 and 0x30 <= trail <= 0x39:
        return _four_byte(data, at, end, longer)
    if family == EUC_TW and lead == 0x8E:
        return _plane(data, at, end, longer)
    if family == EUC_JP and lead == 0x8F:
        return _three_byte(data, at, end, codes)
    point = number(codes[lead << 8 | trail]) & POINT
    if point:
        return point, 2
    return LOST, 1 if trail < 0x80 else 2


@part
def _four_byte(data: Bytes, at: int, end: int, longer: Points) -> tuple[int, int]:
    """Read a four-byte code of GB 18030; its second byte is a digit."""
    if at + 3 >= end:
        whole = at + 2 >= end or data[at + 2] >= 0x81
        return (CUT if whole else LOST), end - at if whole else 1
    third, fourth = number(data[at + 2]), number(data[at + 3])
    if third < 0x81 or third == 0xFF or fourth < 0x30 or fourth > 0x39:
        return LOST, 1
    place = ((number(data[at]) - 0x81) * 10 + number(data[at + 1]) - 0x30) * 1260 + (third - 0x81) * 10 + fourth - 0x30
    if place < GB_FOUR_BYTE_CODES:
        return number(longer[place]), 4
    if _ASTRAL <= place < _ASTRAL + 0x100000:
        return place - _ASTRAL + 0x10000, 4
    return LOST, 4


@part
def _plane(data: Bytes, at: int, end: int, longer: Points) -> tuple[int, int]:
    """Read a four-byte code of EUC-TW: 8E, the plane, row and cell."""
    plane = number(data[at + 1]) - 0xA0
    if plane < 1 or plane >= PLANES:
        return LOST, 1
    if at + 3 >= end:
        return CUT, end - at
    row, cell = number(data[at + 2]) - 0xA1, number(data[at + 3]) - 0xA1
    if 0 <= row < CELLS and 0 <= cell < CELLS:
        return number(longer[GB_FOUR_BYTE_CODES + (plane * CELLS + row) * CELLS + cell]), 4
    return LOST, 1


@part
def _three_byte(data: Bytes, at: int, end: int, codes: Points) -> tuple[int, int]:
    """Read a three-byte code of EUC-JP: 8F, row and cell of JIS X 0212."""
    if at + 2 >= end:
        return (CUT, end - at) if data[at + 1] >= 0xA1 else (LOST, 1)
    row, cell = number(data[at + 1]), number(data[at + 2])
    if row < 0xA1 or cell < 0xA1:
        return LOST, 1
    return number(codes[(row & 0x7F) << 8 | cell & 0x7F]) & POINT, 3


@part
def is_big5(family: int) -> bool:
    """Say whether a family is Big5 in one of its layouts."""
    return family in (BIG5, CP950_KANA)


@part
def read_utf8(data: Bytes, at: int, end: int) -> tuple[int, int]:
    """Give the code point at a byte beyond ASCII and its size, as the Unicode Standard counts damage (D93b).

    LOST takes the longest beginning of a legal sequence, or one byte; CUT is such a beginning at the very end. Overlong
    forms and surrogates are no beginnings.
    """
    lead = number(data[at])
    if lead < 0xC2 or lead > 0xF4:
        return LOST, 1
    size = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
    point = lead & (0x7F >> size)
    for step in range(1, size):
        if at + step >= end:
            return CUT, step
        byte = number(data[at + step])
        low = 0xA0 if lead == 0xE0 else 0x90 if lead == 0xF0 else 0x80
        high = 0x9F if lead == 0xED else 0x8F if lead == 0xF4 else 0xBF
        if byte < (low if step == 1 else 0x80) or byte > (high if step == 1 else 0xBF):
            return LOST, step
        point = point << 6 | byte & 0x3F
    return point, size

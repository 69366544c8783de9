"""Characters out of four bytes that were read as one number, the first byte as the lowest.

Each gives the code point and whether there is such a character. Surrogates, which are no characters, come as they are
written: the tables have them looked up.
"""

from __future__ import annotations

import numpy as np

from headrace.schemas.compiled import lean

# Which bits say how many bytes a character has, and that those behind the first one belong to it.
_SHAPE_2, _TWO, _LEAST_2 = np.uint32(0xC0E0), np.uint32(0x80C0), np.uint32(0x80)
_SHAPE_3, _THREE, _LEAST_3 = np.uint32(0xC0C0F0), np.uint32(0x8080E0), np.uint32(0x800)
_SHAPE_4, _FOUR, _LEAST_4 = np.uint32(0xC0C0C0F8), np.uint32(0x808080F0), np.uint32(0x10000)
_MOST = np.uint32(0x10FFFF)
_LOW_3, _LOW_4, _LOW_5, _LOW_6 = np.uint32(7), np.uint32(15), np.uint32(31), np.uint32(63)
_6, _8, _12, _16, _18, _24 = (np.uint32(bits) for bits in (6, 8, 12, 16, 18, 24))


@lean
def three_bytes(word: np.uint32) -> tuple[np.uint32, bool]:
    """Read a character of three bytes: nearly all of Chinese."""
    point = (word & _LOW_4) << _12 | (word >> _8 & _LOW_6) << _6 | word >> _16 & _LOW_6
    return point, bool(word & _SHAPE_3 == _THREE and point >= _LEAST_3)


@lean
def two_bytes(word: np.uint32) -> tuple[np.uint32, bool]:
    """Read a character of two bytes: letters with accents, Greek, Cyrillic, Hebrew, Arabic."""
    point = (word & _LOW_5) << _6 | word >> _8 & _LOW_6
    return point, bool(word & _SHAPE_2 == _TWO and point >= _LEAST_2)


@lean
def four_bytes(word: np.uint32) -> tuple[np.uint32, bool]:
    """Read a character of four bytes: emoji and rare Chinese."""
    upper = (word & _LOW_3) << _18 | (word >> _8 & _LOW_6) << _12
    point = upper | (word >> _16 & _LOW_6) << _6 | word >> _24 & _LOW_6
    return point, bool(word & _SHAPE_4 == _FOUR and _LEAST_4 <= point <= _MOST)

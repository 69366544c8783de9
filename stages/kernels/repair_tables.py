"""What the repairs do to each code point, and what a scan notices about it: tables built once a process."""

from __future__ import annotations

import unicodedata
from functools import cache

import numpy as np

from headrace.schemas.arrays import Classes, read_only
from headrace.stages.kernels.characters import (
    CODE_POINTS,
    DIGIT,
    HAN,
    LATIN,
    LETTER,
    SPACE,
    SYMBOL,
    UNSPACED,
    assigned,
    classes,
)

# The fate of a character. Up to BYTE_ORDER_MARK it is decided by the character alone, after that by its neighbours.
(
    STAY,
    LINE_END,  # becomes a line feed
    CONTROL,
    BIDI,  # embeddings, overrides and isolates
    PRIVATE,
    NON_CHARACTER,
    BYTE_ORDER_MARK,
    INVISIBLE,  # never has a glyph
    JOINER,  # spells words after a letter of a joining script, and emoji
    BREAKER,  # divides words of South-East Asian scripts
    SELECTOR,  # chooses a glyph of the character before it
    TAG,  # spells a flag after U+1F3F4
    DIRECTION,  # orders text that has right-to-left letters
    MARK,  # stands on the letter before it
) = range(14)
# Columns of what `repair_scrub.scrub` counts, by the repair that each fate belongs to.
COLUMNS = ("line_ends", "controls", "bidi", "private_use", "non_characters", "byte_order_marks", "zero_width", "marks")
COLUMN_OF_FATE = (0, 0, 1, 2, 3, 4, 5, 6, 6, 6, 6, 6, 2, 7)
CONTEXT, RADICAL = 1, 2  # of look-alikes: what belongs to Chinese text, and what does so only beside such
ROLE_JOINS, ROLE_UNSPACED, ROLE_SELECTABLE, ROLE_FLAG, ROLE_WORD = 1, 2, 4, 8, 16

LINE_ENDS = "\v\f\r\x85\u2028\u2029"
_INVISIBLE = (0xAD, 0x2060, 0x2061, 0x2062, 0x2063, 0x2064, 0xFFF9, 0xFFFA, 0xFFFB)
_FLAG = 0x1F3F4
# Scripts whose letters change with U+200C and U+200D beside them: Hebrew to Khmer, Mongolian, Brahmi's family, Adlam.
_JOINING = (
    (0x0590, 0x109F),
    (0x1700, 0x1AFF),
    (0x1B00, 0x1CFF),
    (0xA800, 0xA95F),
    (0xA980, 0xABFF),
    (0xFB1D, 0xFDCF),
    (0xFDF0, 0xFDFF),
    (0xFE70, 0xFEFE),
    (0x10800, 0x11FFF),
    (0x1E900, 0x1E95F),
)
_EMOJI = ((0x2190, 0x2BFF), (0x1F000, 0x1FAFF))


@cache
def fates() -> Classes:
    """Give the fate of every code point when all repairs of characters are on."""
    table = np.zeros(CODE_POINTS, np.uint8)
    for point in assigned():
        if unicodedata.category(chr(point)) in ("Mn", "Me"):
            table[point] = MARK
    table[:0x20] = table[0x7F:0xA0] = CONTROL
    table[[ord(c) for c in "\t\n"]] = STAY
    table[[ord(c) for c in LINE_ENDS]] = LINE_END
    table[[*range(0x202A, 0x202F), *range(0x2066, 0x2070)]] = BIDI
    table[0xE000:0xF900] = table[0xF0000:0xFFFFE] = table[0x100000:0x10FFFE] = PRIVATE
    table[0xFDD0:0xFDF0] = NON_CHARACTER
    table[[plane << 16 | last for plane in range(17) for last in (0xFFFE, 0xFFFF)]] = NON_CHARACTER
    table[0xFEFF] = BYTE_ORDER_MARK
    table[list(_INVISIBLE)] = INVISIBLE
    table[[0x200C, 0x200D]] = JOINER
    table[0x200B] = BREAKER
    table[0xFE00:0xFE10] = table[0xE0100:0xE01F0] = SELECTOR
    table[0xE0000:0xE0080] = TAG
    table[[0x200E, 0x200F, 0x061C]] = DIRECTION
    return read_only(table)


@cache
def roles() -> Classes:
    """Give what each code point lets stand behind it: joiners, word breaks, selectors, tags, words (ROLE_...)."""
    kinds = classes()
    table = np.zeros(CODE_POINTS, np.uint8)
    for first, last in _JOINING:
        part = slice(first, last + 1)
        table[part][(kinds[part] >= HAN) & (kinds[part] <= LETTER)] |= ROLE_JOINS
    for first, last in _EMOJI:
        table[first : last + 1] |= ROLE_JOINS
    table[(kinds == UNSPACED) & (np.arange(CODE_POINTS) < 0x3000)] |= ROLE_UNSPACED
    table[(kinds > SPACE) & (kinds <= SYMBOL) & (kinds != LATIN)] |= ROLE_SELECTABLE
    table[(kinds >= HAN) & (kinds <= DIGIT)] |= ROLE_WORD
    table[[ord(c) for c in "\n" + LINE_ENDS]] = 0
    table[fates() == SELECTOR] = 0
    table[[0x20E3, 0xFE0F]] |= ROLE_JOINS
    table[[_FLAG, *range(0xE0000, 0xE0080)]] |= ROLE_FLAG
    return read_only(table)


@cache
def right_to_left() -> Classes:
    """Give 1 for the letters that are written from right to left."""
    table = np.zeros(CODE_POINTS, np.uint8)
    for point in assigned():
        table[point] = unicodedata.bidirectional(chr(point)) in ("R", "AL")
    table[[0x200F, 0x061C]] = 0  # direction marks count as letters to the algorithm, and are none
    return read_only(table)

"""What the charset kernels know: tables that `stages/decoding/model.py` builds, as one value that kernels can take.

Scores are whole numbers: centinats (hundredths of a natural logarithm), the more the likelier.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.uint32]
Logs = npt.NDArray[np.int16]
Numbers = npt.NDArray[np.uint8]
Pairs = npt.NDArray[np.uint16]

# Families of codes of two bytes and more; CP950_KANA is Big5 with another layout of the rows C6 to C8.
GB18030, BIG5, CP932, EUC_JP, CP949, EUC_TW, JOHAB, CP950_KANA = range(8)
FAMILIES = 8
# Languages of `character_logs`; ANY is whatever may stand in Unicode.
HANS, HANT, JAPANESE, KOREAN, ANY = range(5)
PAIR_BITS = 19
PAIR_SLOTS = 1 << PAIR_BITS
GAIN_STEP = 4  # centinats in one step of a pair's gain, which has eight bits
GB_FOUR_BYTE_CODES = 39_420  # of the basic plane: 81308130 to 8431A439
POINT = 0x1FFFFF  # the bits of a code point in `codes`; the seven above say how unlikely it is, in steps of COST_STEP
COST_SHIFT, COST_STEP, MOST_COST = 24, 24, 127  # centinats
# Four codes of Big5-HKSCS mean a letter and a mark. They stand behind the last code point, in this order.
SEQUENCE = 0x110000
SEQUENCES = ((0xCA, 0x304), (0xCA, 0x30C), (0xEA, 0x304), (0xEA, 0x30C))
PLANES, CELLS = 16, 94  # of CNS 11643; planes are counted from 1 and have 94 rows of 94 cells
CP950_FIRST, CP950_LAST = 0xC6A1, 0xC8FE  # codes to which CP950 gives another meaning than the web
BEYOND = 0xFFFF  # stands for code points beyond the basic plane

# Codecs as kernels number them: the families, these three, and from FIRST_PAGE on the single-byte pages.
UTF_8, UTF_16_LE, UTF_16_BE, FIRST_PAGE = 8, 9, 10, 11
HOPELESS = -1_000_000_000

# Columns of guesses.
WHAT, LANGUAGE, PRIOR = range(3)

# What a byte of a single-byte page is. LOWER to MARK are letters; MARK and FINAL stand only behind one.
# An OPENER is a sign that may stand right before a letter, an apostrophe even within a word.
NOTHING, LOWER, UPPER, CASELESS, FINAL, MARK, DIGIT, SIGN, OPENER, UNDEFINED = range(10)


class Model(NamedTuple):
    """All tables; inner loops take single ones, since passing all costs more than a character does.

    `Q` is a double-byte hypothesis (family and language), `P` a page with a language, `L` a language.
    """

    codes: Points  # [family, two-byte code]: code point and its cost, 0 = none
    longer: Points  # GB 18030's four-byte codes of the basic plane, then [plane, row, cell] of CNS 11643
    pages: Points  # [page, byte]
    guesses: npt.NDArray[np.int64]  # [Q]: family, language (index into character_logs), log of how likely before all
    character_logs: Logs  # [language, code point]
    ascii_logs: Logs  # [byte]
    pairs: Pairs  # hashed pairs of Han: tag and gain
    page_guesses: npt.NDArray[np.int64]  # [P]: page, language L, log of how likely before all
    byte_logs: Logs  # [P, byte] of what is no letter of the language
    kinds: Numbers  # [P, byte]
    symbols: Numbers  # [P, byte]: the letter's number in its language
    letter_pairs: Logs  # [L, first, second]
    latin: npt.NDArray[np.bool_]  # [L]: is written in Latin letters
    latin_pairs: Logs  # [L, first, second]: letters A to Z, against the mean of all languages in Latin letters; else 0


def pair_slot(first: Any, second: Any) -> Any:
    """Give where a pair of code points is looked up."""
    return ((first * 40503) ^ (second * 30011) ^ (second << 9)) & (PAIR_SLOTS - 1)


def pair_tag(first: Any, second: Any) -> Any:
    """Give what tells a pair from others in its slot."""
    return (first * 7 + second * 13) & 0xFF

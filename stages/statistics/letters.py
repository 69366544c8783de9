"""What kind each character is to the rules of RefinedWeb, DCLM and BigScience: one byte of flags per code point."""

from __future__ import annotations

from functools import cache
from unicodedata import category

import numpy as np

from headrace.schemas.arrays import Classes, read_only

ALPHANUMERIC, CAPITAL, NUMERIC, SPECIAL = 1, 2, 4, 8


@cache
def letters() -> Classes:
    """Give the flags of every code point.

    SPECIAL is all that is neither letter nor mark on a letter: digits, punctuation, symbols, emoji, white space.
    """
    table = np.zeros(0x110000, np.uint8)
    tests = ((ALPHANUMERIC, str.isalnum), (CAPITAL, str.isupper), (NUMERIC, str.isdigit), (SPECIAL, is_special))
    for flag, test in tests:
        table[[point for point in range(len(table)) if test(chr(point))]] |= flag
    return read_only(table)


def is_special(character: str) -> bool:
    """Tell whether a character is no letter and no mark of one."""
    return category(character)[0] not in "LM"

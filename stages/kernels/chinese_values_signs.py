"""What sellers and broken pages write besides words: marks, pictures, prices, accounts, escapes, rare characters."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Classes, Counts, Offsets
from headrace.schemas.compiled import kernel, part
from headrace.stages.kernels.utf8 import decode

# What a code point is here; 0 is anything else.
USUAL, RARE, DIGIT, LETTER, OTHER_DIGIT, SHOUT, PICTURE, MONEY, UNIT, QUESTION = range(1, 11)
COUNTS = 7
(
    RARES,  # Han characters beyond the first levels of GB 2312 and Big5
    ASCII,  # letters and digits of ASCII
    SHOUTS,  # ！ and !, those in a row once
    PICTURES,  # emoji, dingbats, arrows and the like, those in a row once
    PRICES,  # ￥ before a digit, a digit before 元 块 折
    ACCOUNTS,  # 5 to 20 letters and digits with 2 of both, 7 to 11 digits, 5 digits that are no plain ones
    BROKEN,  # characters of escapes (&#20182; \u4ed6), three in a row and more, and of ? six in a row
) = range(COUNTS)
LEAST_MARKS, LEAST_ESCAPES = 6, 3
_AMP, _HASH, _SEMICOLON, _BACKSLASH, _U, _X = 0x26, 0x23, 0x3B, 0x5C, 0x75, 0x78


@kernel
def sign_counts(data: Bytes, offsets: Offsets, kinds: Classes) -> Counts:
    """Give per document the counts named above; `kinds` says what each code point is."""
    out = np.zeros((len(offsets) - 1, COUNTS), np.int64)
    for document in range(len(offsets) - 1):
        begin, end = offsets[document], offsets[document + 1]
        count_signs(data, begin, end, kinds, out[document])
        out[document, BROKEN] += escaped(data, begin, end)
    return out


@part
def count_signs(data: Bytes, at: int, end: int, kinds: Classes, row: Counts) -> None:
    """Count what single characters and runs of them show."""
    digits = letters = others = marks = 0  # of the run
    last = 0
    while at <= end:
        point, at = decode(data, at) if at < end else (10, at + 1)
        kind = int(kinds[point])
        row[RARES] += int(kind == RARE)
        row[ASCII] += int(kind in (DIGIT, LETTER))
        row[SHOUTS] += int(kind == SHOUT != last)
        row[PICTURES] += int(kind == PICTURE != last)
        row[PRICES] += int((last == MONEY and kind == DIGIT) or (last == DIGIT and kind == UNIT))
        if kind in (DIGIT, LETTER, OTHER_DIGIT):
            digits += int(kind == DIGIT)
            letters += int(kind == LETTER)
            others += int(kind == OTHER_DIGIT)
        elif digits or letters or others:
            row[ACCOUNTS] += int(is_account(digits, letters, others))
            digits = letters = others = 0
        if kind == QUESTION:
            marks += 1
        elif marks:
            row[BROKEN] += marks if marks >= LEAST_MARKS else 0
            marks = 0
        last = kind


@part
def is_account(digits: int, letters: int, others: int) -> bool:
    """Tell whether a run of letters and digits looks like what people are asked to write to."""
    mixed = digits >= 2 and letters >= 2 and 5 <= digits + letters <= 20
    return others >= 5 or (others == 0 and (mixed or (letters == 0 and 7 <= digits <= 11)))


@part
def escaped(data: Bytes, at: int, end: int) -> int:
    """Give the characters of escapes of which three or more stand in a row."""
    total = run = size = 0
    while at < end:
        width = escape(data, at, end)
        if width:
            run, size, at = run + 1, size + width, at + width
            continue
        total += size if run >= LEAST_ESCAPES else 0
        run = size = 0
        at += 1
    return total + (size if run >= LEAST_ESCAPES else 0)


@part
def escape(data: Bytes, at: int, end: int) -> int:
    """Give how long the escape is that begins here, 0 if none does; one of ASCII is none."""
    if data[at] == _BACKSLASH:
        if at + 6 > end or data[at + 1] != _U:
            return 0
        zeros = 0
        for place in range(at + 2, at + 6):
            if not is_hexadecimal(int(data[place])):
                return 0
            zeros += int(data[place] == 0x30 and zeros == place - at - 2)
        return 6 if zeros < 2 else 0
    if data[at] != _AMP or at + 2 >= end or data[at + 1] != _HASH:
        return 0
    place = at + 2 + int(data[at + 2] | 0x20 == _X)
    first = place
    while place < end and place < first + 7 and is_hexadecimal(int(data[place])):
        place += 1
    return place + 1 - at if place - first >= 4 and place < end and data[place] == _SEMICOLON else 0


@part
def is_hexadecimal(byte: int) -> bool:
    """Tell whether a byte is a hexadecimal digit."""
    return 0x30 <= byte <= 0x39 or 0x61 <= byte | 0x20 <= 0x66

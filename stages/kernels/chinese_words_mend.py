"""Jieba's words without its oddities: what belongs together in any script is one word, not a word a code point.

A unit is a run of letters, digits and marks of scripts that jieba does not know, a run of one kind of kana, a character
with its marks, or a picture of several code points; Unicode Standard Annex 29 has the same ones.
"""

from __future__ import annotations

from headrace.schemas.arrays import Bytes, Classes, Offsets
from headrace.schemas.compiled import kernel, part
from headrace.stages.kernels.utf8 import decode

# Ideographs are OTHER: they make units of one. LENGTHENING is ー, which goes on with kana of either kind.
OTHER, LETTER, HIRAGANA, KATAKANA, LENGTHENING, MARK, JOINER, PICTURE, REGIONAL, SPACE = range(10)
_DOT, _PERCENT = 0x2E, 0x25


@kernel
def mend(
    data: Bytes, offsets: Offsets, borders: Offsets, firsts: Offsets, units: Classes, out: Offsets, out_firsts: Offsets
) -> int:
    """Write the borders of words into `out`, the first of each text's words into `out_firsts`; give their number.

    `borders` and `firsts` are those of `cut`. A border within a unit goes. If it was one of letters, a word that had
    reached into it ends where the unit does, unless it is a number. `out` needs room for a border more than bytes.
    """
    n = 0
    out_firsts[0] = 0
    for text in range(len(offsets) - 1):
        at, end = offsets[text], offsets[text + 1]
        next_border, ended = firsts[text], False
        while at < end:
            kind, behind = unit_at(data, at, end, units)
            whole = borders[next_border] == at
            first = next_border + int(whole)
            next_border = first
            while borders[next_border] < behind:
                next_border += 1
            torn = kind == LETTER and next_border > first
            if whole or ended or (torn and not is_number(data, borders[first - 1], borders[first])):
                out[n] = at
                n += 1
            ended = torn and not is_number(data, borders[next_border - 1], borders[next_border])
            at = behind
        out_firsts[text + 1] = n
    out[n] = offsets[-1]
    return n


@part
def unit_at(data: Bytes, at: int, end: int, units: Classes) -> tuple[int, int]:
    """Give the kind of the unit that begins at a byte, and where it ends."""
    point, at = decode(data, at)
    kind = before = int(units[point])
    if kind == LENGTHENING:
        kind = KATAKANA
    pairs = 1  # letters of a flag
    while at < end and kind != SPACE:
        point, behind = decode(data, at)
        here = int(units[point])
        same = here == kind and (kind in (LETTER, HIRAGANA, KATAKANA) or (kind == PICTURE and before == JOINER))
        lengthened = here == LENGTHENING and kind in (HIRAGANA, KATAKANA)
        flag = here == kind == REGIONAL and pairs == 1
        if not (here in (MARK, JOINER) or same or lengthened or flag):
            break
        pairs += int(flag)
        before, at = here, behind
    return kind, at


@part
def is_number(data: Bytes, begin: int, end: int) -> bool:
    """Tell whether a word is letters and digits, perhaps `.` and digits, perhaps `%`."""
    at = begin
    while at < end and is_ascii_letter(data[at]):
        at += 1
    some = at > begin
    if at + 1 < end and data[at] == _DOT and is_digit(data[at + 1]):
        at += 1
        while at < end and is_digit(data[at]):
            at += 1
    if at < end and data[at] == _PERCENT:
        at += 1
    return some and at == end


@part
def is_ascii_letter(byte: int) -> bool:
    """Tell whether a byte is a letter or digit of ASCII."""
    return is_digit(byte) or 0x41 <= byte <= 0x5A or 0x61 <= byte <= 0x7A


@part
def is_digit(byte: int) -> bool:
    """Tell whether a byte is a digit of ASCII."""
    return 0x30 <= byte <= 0x39

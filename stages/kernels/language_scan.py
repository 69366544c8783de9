"""Counts behind language and script: one pass over each document, line by line, code apart from prose.

In lines of code only bytes are counted; letters count where somebody wrote sentences, web addresses not among them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headrace.schemas.arrays import Bytes, Classes, CodePoints, Counts, Hashes, Offsets
from headrace.schemas.compiled import kernel, part
from headrace.stages.kernels.language_lines import CODE, PROSE, TABLE, Traits, address_end, line_kind
from headrace.stages.kernels.utf8 import decode

Weights = npt.NDArray[np.int16]
COUNTS = 14
(
    BYTES,  # of all characters but white space
    CODE_BYTES,  # of these, in lines of code
    TABLE_BYTES,
    CHARACTERS,  # all but white space
    DIGITS,
    SIMPLIFIED_ONLY,  # Han characters that only one of the scripts has
    TRADITIONAL_ONLY,
    JAPANESE_ONLY,
    CANTONESE_ONLY,
    STANDARD_ONLY,  # Han characters that written Cantonese says with others
    HAN_CHARACTERS,
    WEIGHT,  # hundredths: how literary the Han characters are, together
    PAIRS,  # of Han characters side by side that were looked up
    KNOWN,  # of these, in words
) = range(COUNTS)
# Entries of the table of scripts below HAN are no scripts. A MARK is of the script of the letter that it is on.
NOTHING, SPACE, DIGIT, MARK, HAN, KANA, HANGUL = range(7)
# Bits of the table of signs.
HANS, HANT, JPAN, YUE, STANDARD = (1 << bit for bit in range(5))
PAIR_BITS = 24  # of the hash of a pair
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
LONG = 300  # bytes from which on a line is cut into stretches; the lines that the weights come from were shorter
LOOK_UPS = 16384  # bytes of a document for each pair in `stride` that is looked up


class Tables(NamedTuple):
    """What is known of each code point, and which pairs of Han characters stand in words (bits, by `pair_slot`)."""

    scripts: Classes
    signs: Classes
    weights: Weights
    folded: CodePoints
    pairs: Bytes


@kernel
def scan(data: Bytes, offsets: Offsets, tables: Tables, traits: Traits, keywords: Hashes, scripts: Counts) -> Counts:
    """Give the counts of each document, and fill `scripts`: bytes of letters by script, outside code."""
    out = np.zeros((len(offsets) - 1, COUNTS), np.int64)
    for document in range(len(out)):
        at, end = offsets[document], offsets[document + 1]
        stride = 1 + (end - at) // LOOK_UPS
        before = PROSE
        while at < end:
            stop = stretch_end(data, at, end)
            if not is_blank(data, at, stop):
                before = line_kind(data, at, stop, before, traits, keywords)
                if before == CODE:
                    count_code(data, at, stop, out[document])
                else:
                    count_prose(data, at, stop, stride, tables, scripts[document], out[document])
                if before == TABLE:
                    out[document, TABLE_BYTES] += dense(data, at, stop)
            at = stop + int(stop < end and data[stop] == 0x0A)
    return out


@part
def stretch_end(data: Bytes, at: int, end: int) -> int:
    """Give where the next line feed is, or the end; within a long line the next blank, or Han, kana or Hangul.

    A line is judged by how many marks it has. A page that is one line has enough of any to be code, so that stretches
    of it are judged, each like a line of its own.
    """
    long = at + LONG
    while at < end and data[at] != 0x0A:
        if at >= long and (data[at] == 0x20 or 0xE3 <= data[at] <= 0xED):
            return at
        at += 1
    return at


@part
def is_blank(data: Bytes, at: int, end: int) -> bool:
    """Tell whether a line holds ASCII blanks alone."""
    while at < end and data[at] <= 0x20:
        at += 1
    return at == end


@part
def dense(data: Bytes, at: int, end: int) -> int:
    """Count bytes that are no ASCII blank."""
    count = 0
    for place in range(at, end):
        count += int(data[place] > 0x20)
    return count


@part
def count_code(data: Bytes, at: int, end: int, row: Counts) -> None:
    """Count a line of code: bytes, characters, digits."""
    count = characters = digits = 0
    for place in range(at, end):
        byte = data[place]
        count += int(byte > 0x20)
        characters += int(byte > 0x20 and byte & 0xC0 != 0x80)
        digits += int(0x30 <= byte <= 0x39)
    row[BYTES] += count
    row[CODE_BYTES] += count
    row[CHARACTERS] += characters
    row[DIGITS] += digits


@part
def count_prose(data: Bytes, at: int, end: int, stride: int, tables: Tables, scripts: Counts, row: Counts) -> None:
    """Count a line of prose."""
    size = characters = digits = han = weight = pairs = known = simple = traditional = japanese = yue = standard = 0
    last = 0  # the folded Han character just before
    address = at  # where the last address ends
    base = NOTHING  # the script of the character just before
    while at < end:
        place = at
        point, at = decode(data, at)
        script = base = script_behind(base, tables.scripts[point])
        if script == SPACE:
            last = 0
            continue
        size += at - place
        characters += 1
        digits += int(script == DIGIT)
        if script < HAN or place < address:
            last = 0
            base = NOTHING
            continue
        if point == 0x68 or point == 0x77:
            address = address_end(data, place, end)
            if place < address:
                base = NOTHING
                continue
        scripts[script] += at - place
        if script != HAN:
            last = 0
            continue
        sign = tables.signs[point]
        simple += int(sign & HANS != 0)
        traditional += int(sign & HANT != 0)
        japanese += int(sign & JPAN != 0)
        yue += int(sign & YUE != 0)
        standard += int(sign & STANDARD != 0)
        weight += tables.weights[point]
        folded = tables.folded[point]
        if last and (row[HAN_CHARACTERS] + han) % stride == 0:
            pairs += 1
            known += int(is_known(tables.pairs, last, folded))
        han += 1
        last = folded
    row[BYTES] += size
    row[CHARACTERS] += characters
    row[DIGITS] += digits
    row[HAN_CHARACTERS] += han
    row[WEIGHT] += weight
    row[PAIRS] += pairs
    row[KNOWN] += known
    row[SIMPLIFIED_ONLY] += simple
    row[TRADITIONAL_ONLY] += traditional
    row[JAPANESE_ONLY] += japanese
    row[CANTONESE_ONLY] += yue
    row[STANDARD_ONLY] += standard


@part
def script_behind(base: int, script: int) -> int:
    """Give the script of a character behind one of the script `base`: marks go with the letter before them.

    Not with Han, kana and Hangul, of which a few characters settle the language: marks are no more of them.
    """
    if script != MARK:
        return script
    return base if base > HANGUL else NOTHING


@part
def is_known(pairs: Bytes, first: int, second: int) -> bool:
    """Tell whether a pair of Han characters is among those of words: for one pair in sixty of others this errs."""
    slot = ((np.uint64(first) << np.uint64(32) | np.uint64(second)) * _MULTIPLIER) >> np.uint64(64 - PAIR_BITS)
    return bool(pairs[slot >> np.uint64(3)] >> (slot & np.uint64(7)) & np.uint64(1))


def pair_slots(pairs: Counts) -> npt.NDArray[np.uint64]:
    """Give the slot of each pair `first << 32 | second` in the bits of known pairs."""
    return (pairs.astype(np.uint64) * _MULTIPLIER) >> np.uint64(64 - PAIR_BITS)

"""What is counted in the texts of a page's blocks."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Classes
from headrace.schemas.compiled import kernel, part
from headrace.stages.kernels.characters import DIGIT, HAN, LETTER, UNSPACED
from headrace.stages.kernels.extraction_model import (
    BEGIN,
    BREAKS,
    CAPITALS,
    CUE_CHARACTERS,
    CUES,
    DIGITS,
    END,
    FIRST_CHARACTERS,
    LAST,
    LETTERS,
    PHRASES,
    STARTS,
    STOPS,
    WIDE,
    WORD_BEGIN,
    Marks,
    Numbers,
    Points,
    States,
)
from headrace.stages.kernels.utf8 import decode, encode

_LINE_FEED, _SPACE, _COLON, _ZERO = (ord(c) for c in "\n :0")
_SPELLED_SIGNS = tuple(ord(c) for c in "@©$€£¥￥")
_WIDE_COLON, _BASIC_PLANE = 0xFF1A, 0x10000


@kernel
def measure_blocks(text: Bytes, blocks: Numbers, marks: Marks) -> None:
    """Fill in the columns of the blocks that depend on their texts alone."""
    buffer = np.empty(4, np.uint8)
    columns, steps, found = marks.automata
    for block in range(len(blocks)):
        _count(text, blocks, block, marks.classes, marks.ends, marks.stops, marks.lower)
        begin, end = blocks[block, BEGIN], blocks[block, END]
        blocks[block, CUES] = _cues(text, begin, end, buffer, columns, steps, found, marks.classes, marks.lower)


@part
def _count(
    text: Bytes, blocks: Numbers, block: int, classes: Classes, ends: Classes, stops: Classes, lower: Points
) -> None:
    wide = letters = digits = capitals = stopped = breaks = seen = last = 0
    at = int(blocks[block, BEGIN])
    end = int(blocks[block, END])
    while at < end:
        point, at = decode(text, at)
        kind = classes[point]
        breaks += int(point == _LINE_FEED)
        stopped += stops[point]
        letters += int(HAN <= kind <= LETTER)
        wide += int(kind in (HAN, UNSPACED))
        digits += int(kind == DIGIT and seen < FIRST_CHARACTERS)
        capitals += int(kind >= HAN and point < _BASIC_PLANE and lower[point] != point and kind > UNSPACED)
        if kind > 2:
            seen += 1
            last = ends[point]
    blocks[block, WIDE] = wide
    blocks[block, LETTERS] = letters
    blocks[block, DIGITS] = digits
    blocks[block, CAPITALS] = capitals
    blocks[block, STOPS] = stopped
    blocks[block, BREAKS] = breaks
    blocks[block, LAST] = last


@part
def _cues(
    text: Bytes,
    begin: int,
    end: int,
    buffer: Bytes,
    columns: Numbers,
    steps: States,
    found: Numbers,
    classes: Classes,
    lower: Points,
) -> int:
    """Give the groups of the phrases in the first words of a text.

    The automaton gets a number as one zero, white space and punctuation as one space, nothing before the first word.
    """
    state = steps[columns[STARTS + PHRASES], columns[WORD_BEGIN]]
    before = _SPACE
    groups = fed = 0
    at = begin
    while at < end and fed < CUE_CHARACTERS:
        point, at = decode(text, at)
        letter = _letter(point, int(classes[point]), lower)
        if letter == before and letter in (_SPACE, _ZERO):
            continue
        before = letter
        fed += 1
        for i in range(encode(buffer, 0, letter)):
            state = steps[state, columns[buffer[i]]]
        groups |= found[state]
    if before != _SPACE:
        groups |= found[steps[state, columns[_SPACE]]]
    return int(groups)


@part
def _letter(point: int, kind: int, lower: Points) -> int:
    """Give what the automaton gets for a character."""
    if kind == DIGIT:
        return _ZERO
    if point < _BASIC_PLANE:
        point = int(lower[point])
    if HAN <= kind <= LETTER or point in _SPELLED_SIGNS:
        return point
    return _COLON if point in (_COLON, _WIDE_COLON) else _SPACE

"""How finished a text looks: its last mark, its sentences and lines, and whether its brackets and quotes close."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Classes, Counts, Offsets
from headrace.schemas.compiled import kernel, part
from headrace.stages.kernels.characters import BRACKETS, BREAK, CLOSER, END, HAN, SPACE, STOP, UNSPACED
from headrace.stages.kernels.utf8 import decode

ENDED, SENTENCES, UNPAIRED, PAIRABLE, LINES, ENDED_LINES = range(6)
FULL_STOP, SEMICOLON = 0x2E, 0xFF1B
CLAUSE = 4  # the role of ；, which ends a line but no sentence
_PAIRS = len(BRACKETS)


@kernel
def sentence_counts(data: Bytes, offsets: Offsets, classes: Classes, marks: Classes, brackets: Classes) -> Counts:
    """Give per document: 1 if it ends like a sentence, sentences, brackets without a partner, brackets, lines, ends.

    Marks end a sentence, closers behind them belong to it, and a closer alone ends nothing. A full stop ends one only
    before white space or the end, so that 3.14 and a.b do not; so do ! and ?, but behind a character of a script
    without spaces they always do. Lines are those that are not blank; one ends like a sentence, or with ；. Brackets
    are counted, not nested: what is left over of each kind has no partner.
    """
    out = np.zeros((len(offsets) - 1, 6), np.int64)
    seen = np.zeros(2 * _PAIRS + 1, np.int64)
    for document in range(len(offsets) - 1):
        seen[:] = 0
        mark = last = tail = 0  # role of the last character but closers; but spaces too; the same, of the line
        sentences = lines = ends = kind = 0  # kind: of the character before
        text = False  # the line is not blank
        at = offsets[document]
        while at < offsets[document + 1]:
            point, at = decode(data, at)
            seen[brackets[point]] += 1
            before, kind = kind, classes[point]
            role = role_of(point, int(marks[point]), before)
            space = SPACE <= kind <= BREAK
            if role == END or (mark == STOP and space):
                sentences += int(mark != END)
            if role != CLOSER:
                mark = END if mark == END and role == STOP else role
                last = last if space else mark
                tail = tail if space else mark
            text |= not space
            if kind == BREAK:
                lines += int(text)
                ends += int(tail != 0)
                tail, text = 0, False
        out[document, LINES] = lines + int(text)
        out[document, ENDED_LINES] = ends + int(tail != 0)
        out[document, SENTENCES] = sentences + int(mark == STOP)
        out[document, ENDED] = int(last in (END, STOP))
        out[document, UNPAIRED], out[document, PAIRABLE] = unpaired(seen)
    return out


@part
def role_of(point: int, role: int, before: int) -> int:
    """Give a character's role in a sentence's end, behind a character of some class."""
    if point == SEMICOLON:
        return CLAUSE
    return END if role == STOP and point != FULL_STOP and before in (HAN, UNSPACED) else role


@part
def unpaired(seen: Counts) -> tuple[int, int]:
    """Give how many brackets have no partner, and how many there are."""
    alone = total = 0
    for pair in range(_PAIRS):
        opening, closing = seen[2 * pair + 1], seen[2 * pair + 2]
        alone += abs(opening - closing)
        total += opening + closing
    return alone, total

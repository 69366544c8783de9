"""How finished a text looks: its last mark, its sentences, and whether its brackets and quotes close."""

from __future__ import annotations

import numpy as np

from headrace.stages.kernels.arrays import Bytes, Classes, Counts, Offsets
from headrace.stages.kernels.characters import BRACKETS, BREAK, CLOSER, END, SPACE, STOP
from headrace.stages.kernels.compiled import kernel, part
from headrace.stages.kernels.utf8 import decode

ENDED, SENTENCES, UNPAIRED, PAIRABLE = range(4)
_PAIRS = len(BRACKETS)


@kernel
def sentence_counts(data: Bytes, offsets: Offsets, classes: Classes, marks: Classes, brackets: Classes) -> Counts:
    """Give per document: 1 if it ends like a sentence, sentences, brackets without a partner, brackets.

    A full stop ends a sentence only before white space or the end, so that 3.14 and a.b do not. Brackets are counted,
    not nested: what is left over of each kind has no partner.
    """
    out = np.zeros((len(offsets) - 1, 4), np.int64)
    seen = np.zeros(2 * _PAIRS + 1, np.int64)
    for document in range(len(offsets) - 1):
        seen[:] = 0
        mark = last = sentences = 0  # role of the last character but closers; the same, but spaces too
        at = offsets[document]
        while at < offsets[document + 1]:
            point, at = decode(data, at)
            seen[brackets[point]] += 1
            role = marks[point]
            space = SPACE <= classes[point] <= BREAK
            if role == END or (mark == STOP and space):
                sentences += int(mark != END)
            if role != CLOSER:
                mark = END if mark == END and role == STOP else role
                last = last if space else mark
        out[document, SENTENCES] = sentences + int(mark == STOP)
        out[document, ENDED] = int(last != 0)
        out[document, UNPAIRED], out[document, PAIRABLE] = unpaired(seen)
    return out


@part
def unpaired(seen: Counts) -> tuple[int, int]:
    """Give how many brackets have no partner, and how many there are."""
    alone = total = 0
    for pair in range(_PAIRS):
        opening, closing = seen[2 * pair + 1], seen[2 * pair + 2]
        alone += abs(opening - closing)
        total += opening + closing
    return alone, total

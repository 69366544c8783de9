"""Words of Chinese as document statistics take them: without white space, in bytes of each document, with kinds."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Classes, Offsets
from headrace.schemas.compiled import kernel, part
from headrace.stages.kernels.statistics_flags import Bounds
from headrace.stages.kernels.statistics_spans import PUNCTUATION
from headrace.stages.kernels.utf8 import decode

WHITE = 4  # beside the kinds of words: the character is white space
_FIRST_IDEOGRAPH, _BEHIND_IDEOGRAPHS = 0xE4, 0xEA  # first bytes; no sign or space lies between


@kernel
def word_bounds(
    data: Bytes, offsets: Offsets, borders: Offsets, firsts: Offsets, kinds: Classes
) -> tuple[Offsets, Bounds, Bounds, Bytes]:
    """Give the firsts, begins, ends and kinds of the words of documents that follow one another without a gap.

    Word k is `data[borders[k]:borders[k + 1]]`. `kinds` has the kind of each code point as a word, or WHITE.
    """
    most = len(borders) - 1
    begins, ends, found = np.empty(most, np.int32), np.empty(most, np.int32), np.empty(most, np.uint8)
    out = np.zeros(len(firsts), np.int64)
    n = 0
    for document in range(len(firsts) - 1):
        origin = offsets[document]
        for word in range(firsts[document], firsts[document + 1]):
            begin, end = borders[word], borders[word + 1]
            kind = 0
            if not _FIRST_IDEOGRAPH <= data[begin] < _BEHIND_IDEOGRAPHS:
                kind = kind_of(data, begin, end, kinds)
            begins[n], ends[n], found[n] = begin - origin, end - origin, kind
            n += int(kind != WHITE)
        out[document + 1] = n
    return out, begins[:n], ends[:n], found[:n]


@part
def kind_of(data: Bytes, begin: int, end: int, kinds: Classes) -> int:
    """Give the kind of a word: of several characters it is punctuation if they all are, and white if they all are."""
    point, at = decode(data, begin)
    kind = int(kinds[point])
    if at < end:
        kind &= PUNCTUATION | WHITE
    while at < end and kind != 0:
        point, at = decode(data, at)
        kind &= int(kinds[point])
    return kind

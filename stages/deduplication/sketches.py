"""Sketches of shingle sets: what near duplicates are verified by unless options say otherwise."""

from __future__ import annotations

import numpy as np

from headrace.stages.deduplication.shingles import Shingles
from headrace.stages.kernels.odd_sketch import MANY, most_words, write_sketches


def sketches_of(piece: Shingles) -> Shingles:
    """Give the odd sketch of each text's different shingles, its size and its words; a text without any has none.

    Shingles of texts that have many are sorted in their place.
    """
    for text in np.flatnonzero(piece.counts() > MANY).tolist():
        piece.of(text).sort()
    words, ends = np.empty(most_words(piece.ends), np.uint64), np.empty(len(piece.ends), np.int64)
    write_sketches(piece.values, piece.ends, words, ends)
    return Shingles(words[: ends[-1]].copy(), ends)

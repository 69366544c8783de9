"""`code_points` in plain Python: the same results, readable, slow."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from headrace.schemas.arrays import Bytes, CodePoints, Flags, Offsets


def texts_with(data: Bytes, offsets: Offsets, firsts: CodePoints, lasts: CodePoints, leads: Bytes) -> Flags:
    """Say for each text whether it holds a code point of one of the ranges; `leads` is not needed here."""
    sought = {
        point for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True) for point in range(first, last + 1)
    }
    texts = [data[start:stop].tobytes().decode() for start, stop in pairwise(offsets.tolist())]
    return np.array([any(ord(character) in sought for character in text) for text in texts], np.bool_)

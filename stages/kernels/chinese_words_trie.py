"""The double array of a dictionary: where the continuations of each prefix of a word have room beside all others."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from headrace.schemas.arrays import Bytes, Links, Offsets
from headrace.schemas.compiled import kernel, part

_EXACT_SIZES, _SIZE_STEP, _SIZES = 24, 24, 40
_BACK = 10_000  # so far before the last place found for a size the search begins; further back hardly any room is left


@kernel
def placed(
    parents: Offsets, begins: Offsets, ends: Offsets, codes: Offsets, room: int, characters: int
) -> tuple[Links, Links]:
    """Give the base of each prefix, and the place (base + code) of each of its continuations.

    The continuations of prefix p have the codes `codes[begins[p]:ends[p]]`, ascending. `parents` lists the prefixes
    that have any, those with most first: they find room hardest. No two have the same base, so that a code agrees in
    one family alone. First fit; for each first code and size of family the search goes on where it last ended.
    """
    taken = np.zeros(room, np.uint8)
    used = np.zeros(room, np.uint8)
    follows = np.arange(1, room + 1).astype(np.int32)  # a free place behind this one, if it is taken
    starts = np.ones((_SIZES, characters), np.int32)
    furthest = np.zeros(_SIZES, np.int64)
    bases = np.zeros(len(begins), np.int32)
    places = np.zeros(len(codes), np.int32)
    for parent in parents:
        begin, end = begins[parent], ends[parent]
        size = _size_class(end - begin)
        first = codes[begin]
        place = _fit(
            codes[begin:end], max(starts[size, first], first + 1, furthest[size] - _BACK), taken, used, follows
        )
        starts[size, first] = place
        furthest[size] = max(furthest[size], place)
        base = place - first
        used[base] = 1
        bases[parent] = base
        for k in range(begin, end):
            taken[base + codes[k]] = 1
            places[k] = base + codes[k]
    return bases, places


@part
def _size_class(size: int) -> int:
    return size if size < _EXACT_SIZES else _EXACT_SIZES + min(size // _SIZE_STEP, _SIZES - _EXACT_SIZES - 1)


@part
def _fit(codes: Offsets, place: int, taken: Bytes, used: Bytes, follows: npt.NDArray[np.int32]) -> int:
    """Give the first free place at or behind `place` for the first code, such that the others have room too."""
    before = -1
    while True:
        while taken[place]:
            follows[place] = follows[follows[place]] if taken[follows[place]] else follows[place]
            place = follows[place]
        if before >= 0:
            follows[before] = place  # the next search takes the short way
        base = place - codes[0]
        fits = used[base] == 0
        for k in range(1, len(codes)):
            fits = fits and taken[base + codes[k]] == 0
        if fits:
            return place
        before = place
        place = follows[place]

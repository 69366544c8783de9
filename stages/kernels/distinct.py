"""Hashes of texts, each once."""

from __future__ import annotations

import numpy as np

from headrace.stages.kernels.arrays import Hashes, Offsets, Signatures
from headrace.stages.kernels.compiled import kernel, part

_LEAST = 16  # places of the table of a text
_SPARE = 8  # places a hash: where few places are taken, few hashes meet, and a guess that none do is mostly right


@kernel
def keep_distinct(values: Hashes, ends: Offsets) -> Offsets:
    """Move each text's hashes to the front, once each, in the order of their first occurrence; give where they end.

    In place: fresh pages for the result would take as long as half of the work.
    """
    most = 0
    for document in range(len(ends) - 1):
        most = max(most, ends[document + 1] - ends[document])
    seen = np.empty(places(most), np.uint32)
    kept = np.zeros(len(ends), np.int64)
    done = 0
    for document in range(len(ends) - 1):
        begin, end = ends[document], ends[document + 1]
        done += add_distinct(values[begin:end], seen[: places(end - begin)], values[done:])
        kept[document + 1] = done
    return kept


@part
def places(count: int) -> int:
    """Give the size of a table for so many hashes, a power of two."""
    room = _LEAST
    while room < _SPARE * count:
        room *= 2
    return room


@part
def add_distinct(values: Hashes, seen: Signatures, out: Hashes) -> int:
    """Write the hashes of one text, once each, and give their number; `seen` is a table that is overwritten.

    It holds where in `out` a hash is, plus one: half of the bytes that the hashes would take, and rarely looked up.
    """
    for place in range(len(seen)):
        seen[place] = 0  # free
    mask = np.uint64(len(seen) - 1)
    count = np.uint64(0)
    for value in values:
        slot = value & mask
        while seen[slot] != 0 and out[np.uint64(seen[slot]) - np.uint64(1)] != value:
            slot = (slot + np.uint64(1)) & mask
        out[count] = value
        if seen[slot] == 0:
            count += np.uint64(1)
            seen[slot] = count
    return int(np.int64(count))

"""Hashes of texts, each once."""

from __future__ import annotations

import numpy as np

from headrace.stages.kernels.arrays import Counts, Hashes, Offsets
from headrace.stages.kernels.compiled import kernel, part

_LEAST = 16  # places of the table of a text


@kernel
def distinct(values: Hashes, ends: Offsets) -> tuple[Hashes, Offsets]:
    """Give each text's hashes once each, in the order of their first occurrence."""
    most = 0
    for document in range(len(ends) - 1):
        most = max(most, ends[document + 1] - ends[document])
    room = _LEAST
    while room < 2 * most:
        room *= 2
    seen = np.zeros(room, np.int64)  # open addressing: place in `out` and one, 0 = free
    out = np.empty(len(values), np.uint64)
    out_ends = np.zeros(len(ends), np.int64)
    done = 0
    for document in range(len(ends) - 1):
        done = add_distinct(values, ends[document], ends[document + 1], seen, out, done)
        out_ends[document + 1] = done
    return out[:done], out_ends


@part
def add_distinct(values: Hashes, begin: int, end: int, seen: Counts, out: Hashes, done: int) -> int:
    """Append the hashes that are new within one text; what `seen` holds of earlier texts lies before `done`."""
    room = _LEAST
    while room < 2 * (end - begin):
        room *= 2
    mask = np.uint64(room - 1)
    first = done
    for at in range(begin, end):
        value = values[at]
        slot = value & mask
        while seen[slot] > first and out[seen[slot] - 1] != value:
            slot = (slot + np.uint64(1)) & mask
        if seen[slot] <= first:
            out[done] = value
            done += 1
            seen[slot] = done
    return done

"""The packing loops as one would tell them: the tests hold the kernels against these."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def best_fit(sizes: NDArray[np.int64], order: NDArray[np.int64], capacity: int) -> tuple[NDArray[np.int64], int]:
    """Put each piece where it leaves the least room, into the sequence that came to that room last, or begin one."""
    placed = np.empty(len(sizes), np.int64)
    open_sequences: dict[int, list[int]] = {}  # room -> sequences, newest last
    count = 0
    for piece in order.tolist():
        size = int(sizes[piece])
        fitting = [room for room, sequences in open_sequences.items() if room >= size and sequences]
        if fitting:
            room = min(fitting)
            sequence = open_sequences[room].pop()
        else:
            room, sequence = capacity, count
            count += 1
        placed[piece] = sequence
        if room > size:
            open_sequences.setdefault(room - size, []).append(sequence)
    return placed, count


def copy_pieces(
    ids: NDArray[np.uint32],
    sources: NDArray[np.int64],
    targets: NDArray[np.int64],
    sizes: NDArray[np.int64],
    out: NDArray[np.uint32],
) -> None:
    """Copy every piece of `ids` to its place in `out`."""
    for source, target, size in zip(sources.tolist(), targets.tolist(), sizes.tolist(), strict=True):
        out[target : target + size] = ids[source : source + size]

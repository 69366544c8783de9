"""The two loops of packing, compiled; `packing_plain.py` holds their readable twins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headrace.schemas.compiled import kernel

_NONE = -1
_BLOCK = 64  # rooms are searched in blocks, so that a piece that fits nowhere costs size / 64 steps


@kernel
def best_fit(sizes: NDArray[np.int64], order: NDArray[np.int64], capacity: int) -> tuple[NDArray[np.int64], int]:
    """Give the sequence of each piece, and how many there are.

    Pieces are taken in `order`; each goes where it leaves the least room, into the newest such sequence, or begins one.
    """
    placed = np.empty(len(sizes), np.int64)
    newest = np.full(capacity + 1, _NONE, np.int64)  # by room: the newest open sequence with exactly that room
    older = np.full(len(sizes), _NONE, np.int64)  # by sequence: the next one with the same room
    in_block = np.zeros(capacity // _BLOCK + 1, np.int64)
    count = 0
    for piece in order:
        size = sizes[piece]
        room = size
        while room < capacity and newest[room] == _NONE:
            at_border = room % _BLOCK == 0
            room += _BLOCK if at_border and in_block[room // _BLOCK] == 0 else 1
        if room < capacity:
            sequence = newest[room]
            newest[room] = older[sequence]
            in_block[room // _BLOCK] -= 1
        else:
            room = capacity
            sequence = count
            count += 1
        placed[piece] = sequence
        left = room - size
        if left > 0:
            older[sequence] = newest[left]
            newest[left] = sequence
            in_block[left // _BLOCK] += 1
    return placed, count


@kernel
def copy_pieces(
    ids: NDArray[np.uint32],
    sources: NDArray[np.int64],
    targets: NDArray[np.int64],
    sizes: NDArray[np.int64],
    out: NDArray[np.uint32],
) -> None:
    """Copy ids[sources[i] : + sizes[i]] to out[targets[i]:] for every piece."""
    for piece in range(len(sizes)):
        source, target = sources[piece], targets[piece]
        for at in range(sizes[piece]):
            out[target + at] = ids[source + at]

"""Fast similarity sketches (Dahlgaard, Knudsen, Thorup 2017, arXiv 1704.04370): each hash goes to one slot a round.

In round r of t slots, r < t, each hash is thrown into a slot that it and r choose, with a value that they choose, and a
slot keeps the smallest value; a round fills only slots that were empty when it began. Rounds end when all slots are
full, after a few of them for most texts. Round t + k fills slot k, if it is still empty, with the smallest value of
all hashes. Two texts agree in a slot with a probability of their Jaccard similarity, as in MinHash, and the estimate
varies less, since the slots of a round are drawn without replacement.
"""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Hashes, Offsets, Signatures
from headrace.schemas.compiled import kernel, part
from headrace.stages.kernels.mixing import BASE, mix64

_FREE = np.uint64(0xFFFFFFFFFFFFFFFF)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


@kernel
def sign_fast(values: Hashes, ends: Offsets, seed: np.uint64, out: Signatures) -> None:
    """Write the signature of each view; of no hashes it is all ones."""
    slots = out.shape[1]
    filled = np.empty(slots, np.uint64)  # round and value: what a later round brings is larger
    for document in range(len(ends) - 1):
        for slot in range(slots):
            filled[slot] = _FREE
        begin, end = ends[document], ends[document + 1]
        turn, free = 0, slots if end > begin else 0
        while free and turn < slots:
            free = throw(values[begin:end], seed, turn, filled)
            turn += 1
        if free:
            fill(values[begin:end], seed, filled)
        for slot in range(slots):
            out[document, slot] = np.uint32(filled[slot] & _LOW)


@part
def drawn(value: np.uint64, seed: np.uint64, turn: int) -> np.uint64:
    """Give what a hash draws in a round: its upper half chooses a slot, its lower half is a value."""
    return mix64(value + (seed + np.uint64(turn) + np.uint64(1)) * BASE)


@part
def throw(values: Hashes, seed: np.uint64, turn: int, filled: Hashes) -> int:
    """Throw each hash once and give how many slots are still free."""
    slots = np.uint64(len(filled))
    lead = np.uint64(turn) << _HALF
    for i in range(len(values)):
        draw = drawn(values[i], seed, turn)
        chosen = ((draw >> _HALF) * slots) >> _HALF
        filled[chosen] = min(filled[chosen], lead | (draw & _LOW))
    free = 0
    for slot in range(len(filled)):
        free += int(filled[slot] == _FREE)
    return free


@part
def fill(values: Hashes, seed: np.uint64, filled: Hashes) -> None:
    """Fill the slots that are still free, each in a round of its own."""
    slots = len(filled)
    for slot in range(slots):
        if filled[slot] != _FREE:
            continue
        least = _LOW
        for i in range(len(values)):
            least = min(least, drawn(values[i], seed, slots + slot) & _LOW)
        filled[slot] = np.uint64(slots + slot) << _HALF | least

"""How alike two documents are that were found together."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Hashes, Signatures
from headrace.schemas.compiled import lean
from headrace.stages.kernels.entries import SETS, SIGNATURE, Entries, Policy
from headrace.stages.kernels.odd_sketch import sketched_similarity
from headrace.stages.kernels.simhash import BITS, differing_bits

_BLOCK = 32  # values counted at a time: two cache lines


@lean
def whole(signature: Signatures) -> np.uint64:
    """Give a SimHash fingerprint, whose lower half is the first piece."""
    return np.uint64(signature[0]) | np.uint64(signature[1]) << np.uint64(32)


@lean
def same_band(one: Signatures, other: Signatures, band: int, rows: int) -> bool:
    """Compare one band of two signatures."""
    row = band * rows
    while row < (band + 1) * rows and one[row] == other[row]:
        row += 1
    return row == (band + 1) * rows


@lean
def likeness(known: Entries, other: int, batch: Entries, document: int, policy: Policy, least: float) -> float:
    """Give the share of equal values (or bits) of two signatures, or the Jaccard similarity of the two shingle sets.

    The latter is measured on the sets or estimated from their sketches, as the policy says.

    It is -1 once it is certain that less than `least` comes out: two unlike ones may share a band with many others.
    """
    if policy.by != SIGNATURE:
        one = known.sets[known.ends[other] : known.ends[other + 1]]
        two = batch.sets[batch.ends[document] : batch.ends[document + 1]]
        return overlap(one, two, least) if policy.by == SETS else sketched_similarity(one, two, least)
    if policy.bits:
        differing = differing_bits(whole(known.signatures[other]), whole(batch.signatures[document]))
        return 1.0 - differing / BITS
    if policy.width == 2:
        return equal_pairs(known.signatures[other], batch.signatures[document], least)
    return equal_share(known.signatures[other], batch.signatures[document], least)


@lean
def equal_share(one: Signatures, two: Signatures, least: float) -> float:
    """Give the share of equal values of two signatures; -1 for less than `least`."""
    slots = len(one)
    equal = begin = 0
    while begin + _BLOCK <= slots:
        equal += equal_values(one, two, np.uint64(begin))
        begin += _BLOCK
        if (equal + slots - begin) / slots < least:
            return -1.0
    for slot in range(begin, slots):
        equal += int(one[slot] == two[slot])
    return equal / slots


@lean
def equal_values(one: Signatures, two: Signatures, begin: np.uint64) -> int:
    """Count the equal ones of 32 values: all at once, as nobody asks whether an unsigned place counts from the end."""
    equal = np.uint32(0)
    for slot in range(begin, begin + np.uint64(_BLOCK)):
        equal += np.uint32(one[slot] == two[slot])
    return int(equal)


@lean
def equal_pairs(one: Signatures, two: Signatures, least: float) -> float:
    """Give the share of equal values of two signatures whose values take two pieces each; -1 for less than `least`."""
    slots, equal = len(one), 0
    for slot in range(0, slots, 2):
        equal += 2 * int(one[slot] == two[slot] and one[slot + 1] == two[slot + 1])
        if (equal + slots - slot - 2) / slots < least:
            return -1.0
    return equal / slots


@lean
def overlap(one: Hashes, two: Hashes, least: float) -> float:
    """Give the Jaccard similarity of two sorted arrays without repeats; -1 once less than `least` is certain."""
    i = j = common = 0
    total = len(one) + len(two)
    while i < len(one) and j < len(two):
        most = common + min(len(one) - i, len(two) - j)
        if most / (total - most) < least:
            return -1.0
        end = min(i + _BLOCK, len(one))
        while i < end and j < len(two):
            common += int(one[i] == two[j])
            step = one[i] <= two[j]
            j += int(two[j] <= one[i])
            i += int(step)
    return common / (total - common)

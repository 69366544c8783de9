"""How similar pairs of texts are, by their signatures, by their shingles or by sketches of these."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Floats, Hashes, Offsets, Signatures
from headrace.schemas.compiled import kernel
from headrace.stages.kernels.odd_sketch import sketched_similarity


@kernel
def equal_shares(one: Signatures | Hashes, other: Signatures | Hashes, pairs: Offsets) -> Floats:
    """Give for each pair the share of slots in which the signatures agree; a pair is a row of `one`, one of `other`."""
    slots = one.shape[1]
    shares = np.empty(len(pairs), np.float64)
    for pair in range(len(pairs)):
        first, second = one[pairs[pair, 0]], other[pairs[pair, 1]]
        equal = 0
        for slot in range(slots):
            equal += int(first[slot] == second[slot])
        shares[pair] = equal / slots
    return shares


@kernel
def jaccard_similarities(one: Hashes, one_ends: Offsets, other: Hashes, other_ends: Offsets, pairs: Offsets) -> Floats:
    """Give for each pair the Jaccard similarity of two sets, sorted arrays without repeats; two empty ones have 0."""
    found = np.zeros(len(pairs), np.float64)
    for pair in range(len(pairs)):
        i, first_end = one_ends[pairs[pair, 0]], one_ends[pairs[pair, 0] + 1]
        j, second_end = other_ends[pairs[pair, 1]], other_ends[pairs[pair, 1] + 1]
        total = first_end - i + second_end - j
        shared = 0
        while i < first_end and j < second_end:
            left, right = one[i], other[j]
            shared += int(left == right)
            i += int(left <= right)
            j += int(right <= left)
        if total:
            found[pair] = shared / (total - shared)
    return found


@kernel
def sketched_similarities(one: Hashes, one_ends: Offsets, other: Hashes, other_ends: Offsets, pairs: Offsets) -> Floats:
    """Give for each pair of sketches the estimated Jaccard similarity of their sets; with an empty one it is 0."""
    found = np.zeros(len(pairs), np.float64)
    for pair in range(len(pairs)):
        first, second = pairs[pair]
        left = one[one_ends[first] : one_ends[first + 1]]
        right = other[other_ends[second] : other_ends[second + 1]]
        if len(left) and len(right):
            found[pair] = sketched_similarity(left, right, 0.0)
    return found

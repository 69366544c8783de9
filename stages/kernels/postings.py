"""Postings: which kept documents have a band (or a key), found by a fingerprint of it, 8 bytes an entry.

A table is an array of buckets of 16 fingerprints, a cache line each. A fingerprint of 32 bits has its home in the
bucket where it would be if all were sorted and spread evenly, and goes to the next one if that is full; buckets fill
from the front, and nothing is ever taken out. So a look-up mostly reads one line, its branches are foreseen, a larger
table is filled by reading the smaller one in order, and the arrays need nothing but themselves: a file can be mapped.

The document of the n-th fingerprint is the n-th of `numbers`, or, with its highest bit set, a row of `older`: a
document, and what the entry held before it. Fingerprints meet by chance once in 4 billion pairs: who asks must compare.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from headrace.schemas.arrays import Counts, Signatures
from headrace.schemas.compiled import inlined, kernel, lean, part
from headrace.schemas.lanes import LANES, equal_lanes, lowest_lane

BUCKET = LANES
MOST = 1 << 31  # documents, and rows of `older`
_LINK = np.uint32(1 << 31)
_ROW = np.uint32((1 << 31) - 1)
_HIGH = np.uint64(32)


class Postings(NamedTuple):
    """Tables of one size, a row each; a fingerprint of 0 is a free entry. `used[0]` rows of `older` are taken."""

    fingerprints: Signatures  # tables x room
    numbers: Signatures  # tables x room
    older: Signatures  # rows x 2
    used: Counts


@part
def fingerprint(value: np.uint64) -> np.uint32:
    """Give the fingerprint of a hash: its upper half, but never 0."""
    return np.uint32(max(value >> _HIGH, np.uint64(1)))


@inlined
def home(room: int, wanted: np.uint32) -> int:
    """Give where the bucket begins in which a fingerprint is looked for first."""
    return int(np.uint64(wanted) * np.uint64(room // BUCKET) >> _HIGH) * BUCKET


@inlined
def place_of(fingerprints: Signatures, table: int, wanted: np.uint32) -> int:
    """Give the place of a fingerprint; where it is new, -1 less the place that it would take."""
    room = fingerprints.shape[1]
    begin = home(room, wanted)
    lanes = equal_lanes(fingerprints, table, begin, wanted)
    while lanes == 0 and fingerprints[table, begin + BUCKET - 1] != 0:
        begin = begin + BUCKET if begin + BUCKET < room else 0
        lanes = equal_lanes(fingerprints, table, begin, wanted)
    if lanes == 0:
        place = -1 - begin - lowest_lane(equal_lanes(fingerprints, table, begin, np.uint32(0)))
    else:
        place = begin + lowest_lane(lanes)
    return place


@part
def enter_again(postings: Postings, table: int, place: int, document: int) -> None:
    """Add a document to an entry."""
    row = postings.used[0]
    postings.older[row, 0], postings.older[row, 1] = document, postings.numbers[table, place]
    postings.numbers[table, place] = np.uint32(row) | _LINK
    postings.used[0] = row + 1


@lean
def document_of(postings: Postings, held: np.uint32) -> tuple[int, np.uint32, bool]:
    """Give the document that an entry holds, what it held before, and whether there is any such."""
    if held & _LINK == 0:
        return int(held), held, False
    row = int(held & _ROW)
    return int(postings.older[row, 0]), postings.older[row, 1], True


@kernel
def spread(fingerprints: Signatures, numbers: Signatures, larger: Signatures, larger_numbers: Signatures) -> None:
    """Fill larger tables, empty so far, with all entries of these.

    How full each bucket is stands apart: to look for it would be to wait for what was written just before.
    """
    room = larger.shape[1]
    for table in range(len(fingerprints)):
        taken = np.zeros(room // BUCKET, np.uint8)
        for place in range(fingerprints.shape[1]):
            wanted = fingerprints[table, place]
            if wanted != 0:
                bucket = home(room, wanted) // BUCKET
                while taken[bucket] == BUCKET:
                    bucket = bucket + 1 if bucket + 1 < len(taken) else 0
                at = bucket * BUCKET + int(taken[bucket])
                taken[bucket] += np.uint8(1)
                larger[table, at], larger_numbers[table, at] = wanted, numbers[table, place]

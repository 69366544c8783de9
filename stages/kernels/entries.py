"""What the index knows of documents, what decides about them, and what it answers: arrays, as the kernels take them."""

from __future__ import annotations

from typing import NamedTuple

from headrace.schemas.arrays import Classes, Counts, Flags, Floats, Hashes, Offsets, Signatures

SIGNATURE, SKETCH, SETS = range(3)  # what the similarity of two documents is taken from


class Entries(NamedTuple):
    """What is known of documents: 128-bit keys, signatures, and shingle sets (each empty where it is not used).

    A set is its hashes in ascending order, or its size and its odd sketch.
    """

    keys: Hashes  # n x 2
    signed: Flags  # n; False: there were no shingles, and the signature says nothing
    signatures: Signatures  # n x pieces
    sets: Hashes
    ends: Offsets  # n + 1; document i has sets[ends[i] : ends[i + 1]]


class Answers(NamedTuple):
    """What became of each document of a unit: its fate, the number of its survivor (-1: none), their similarity."""

    fates: Classes
    survivors: Counts
    similarities: Floats


class Policy(NamedTuple):
    """What decides: keys, bands of how many pieces, and from which similarity on two are too similar."""

    exact: bool
    bands: int
    rows: int  # pieces a band; 0 with SimHash
    width: int  # pieces a value, 1 or 2
    bits: int  # of SimHash that may differ; 0 with MinHash
    threshold: float
    by: int  # SIGNATURE, SKETCH or SETS

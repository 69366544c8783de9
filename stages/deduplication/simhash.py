"""SimHash fingerprints of views, and all pairs of them that differ in at most k of their 64 bits.

Charikar 2002 for the fingerprints, over unique shingles: with counted ones a frequent phrase decides, and boilerplate
makes strangers equal. Manku, Jain, Das Sarma 2007 for the tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from headrace.schemas.arrays import Bytes, Counts, Hashes, Offsets
from headrace.stages.deduplication.shingles import Pieces, Shingling, pieces
from headrace.stages.kernels.simhash import BITS, fingerprints

LEAST, MOST = 3, 6  # bits that near duplicates may differ in
_TABLES = 256  # at most
_PROBE = 40  # what finding a key costs, in comparisons of two fingerprints


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """A fingerprint of each view, and how many different shingles it has; of none the fingerprint is 0."""

    values: Hashes
    counts: Counts


def simhashes(data: Bytes, offsets: Offsets, shingling: Shingling) -> Fingerprints:
    """Give the fingerprints of views; words in runs of three or five are what near duplicates are told by."""
    return fingerprint_pieces(pieces(data, offsets, shingling), len(offsets) - 1)


def fingerprint_pieces(parts: Pieces, count: int) -> Fingerprints:
    """Give the fingerprints of as many views by their shingles, which come in pieces."""
    values, counts = np.empty(count, np.uint64), np.zeros(count, np.int64)
    for views, piece in parts:
        fingerprints(piece.values, piece.ends, values[views], counts[views])
    return Fingerprints(values, counts)


@dataclass(frozen=True, slots=True)
class Layout:
    """Which bits lead in each table: those of `blocks - k` of the blocks that 64 bits are cut into.

    Two fingerprints that differ in k bits differ in at most k blocks, so all bits that lead in some table are equal.
    """

    k: int
    blocks: int

    def __post_init__(self) -> None:
        if not LEAST <= self.k <= MOST:
            raise ValueError(f"fingerprints may differ in {LEAST} to {MOST} bits, not {self.k}")
        if not self.k < self.blocks <= BITS or comb(self.blocks, self.k) > _TABLES:
            raise ValueError(f"{self.blocks} blocks are too few or too many for {self.k} differing bits")

    @property
    def keys(self) -> list[tuple[int, ...]]:
        """The blocks that lead, table by table."""
        return list(combinations(range(self.blocks), self.blocks - self.k))

    def bounds(self, block: int) -> tuple[int, int]:
        """Give a block's first bit and its width; widths differ by one at most."""
        first, after = BITS * block // self.blocks, BITS * (block + 1) // self.blocks
        return first, after - first

    def width(self, key: tuple[int, ...]) -> int:
        """Give how many bits lead."""
        return sum(self.bounds(block)[1] for block in key)

    def mask(self, key: tuple[int, ...]) -> int:
        """Give the bits that lead, where they are in a fingerprint."""
        return sum((1 << width) - 1 << first for first, width in map(self.bounds, key))


def layout_for(k: int, count: int) -> Layout:
    """Give the quickest layout for so many fingerprints: more tables have longer keys, and fewer meet by chance."""
    sizes = [blocks for blocks in range(k + 1, BITS) if comb(blocks, k) <= _TABLES]
    return min((Layout(k, blocks) for blocks in sizes), key=lambda layout: _cost(layout, count))


def _cost(layout: Layout, count: int) -> float:
    """Give the comparisons a query costs, as if all blocks were equally wide."""
    shortest = BITS * (layout.blocks - layout.k) // layout.blocks
    return comb(layout.blocks, layout.k) * (_PROBE + count / (1 << shortest))

"""SimHash fingerprints of views, and all pairs of them that differ in at most k of their 64 bits.

Charikar 2002 for the fingerprints, over unique shingles: with counted ones a frequent phrase decides, and boilerplate
makes strangers equal. Manku, Jain, Das Sarma 2007 for the tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from headrace.schemas.arrays import Bytes, Classes, Counts, Hashes, Offsets
from headrace.stages.deduplication.shingles import Pieces, Shingling, pieces
from headrace.stages.kernels.permuted_index import Rows, Table, matches, permuted
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


@dataclass(frozen=True, slots=True)
class PermutedIndex:
    """Fingerprints in several orders of their bits: an immutable run, of which an index has one or many."""

    layout: Layout
    values: Hashes
    tables: tuple[Table, ...]


@dataclass(frozen=True, slots=True)
class Near:
    """Pairs, each once, by query and then by member: numbers of fingerprints, and in how many bits they differ."""

    queries: Counts
    members: Counts
    distances: Classes


def permuted_index(values: Hashes, layout: Layout) -> PermutedIndex:
    """Sort fingerprints for every key of a layout; 12 bytes a fingerprint and table."""
    return PermutedIndex(layout, values, tuple(_sorted(values, layout, key) for key in layout.keys))


def near(index: PermutedIndex, queries: Hashes) -> Near:
    """Give every pair of a query and a fingerprint of the index that differ in at most k bits; none is missed."""
    layout, masks = index.layout, np.array([index.layout.mask(key) for key in index.layout.keys], np.uint64)
    parts = []
    for number, (key, table) in enumerate(zip(layout.keys, index.tables, strict=True)):
        shift = np.uint64(BITS - layout.width(key))
        asked = table if queries is index.values else _sorted(queries, layout, key)
        parts.append(_matches(table, asked, shift, layout.k, masks[:number], index.values, queries))
    rows = [np.concatenate(columns) for columns in zip(*parts, strict=True)]
    order = np.lexsort((rows[1], rows[0]))
    return Near(*(column[order] for column in rows))


def near_pairs(index: PermutedIndex) -> Near:
    """Give every pair of fingerprints of the index that differ in at most k bits, the later one as the query."""
    found = near(index, index.values)
    later = found.members < found.queries
    return Near(found.queries[later], found.members[later], found.distances[later])


def _sorted(values: Hashes, layout: Layout, key: tuple[int, ...]) -> Table:
    order = (*key, *(block for block in range(layout.blocks) if block not in key))
    bounds = np.array([layout.bounds(block) for block in order], np.uint64)
    moved = permuted(values, bounds[:, 0].copy(), bounds[:, 1].copy())
    members = np.argsort(moved)  # in vectors, which a stable one is not; pairs are sorted once they are all there
    return Table(moved[members], members.astype(np.uint32))


def _matches(
    table: Table, asked: Table, shift: np.uint64, k: int, masks: Hashes, known: Hashes, queries: Hashes
) -> Rows:
    room = len(asked.values) + 1
    while True:
        out = Rows(np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.uint8))
        found = matches(table, asked, shift, k, masks, known, queries, out)
        if found <= room:
            return Rows(out.queries[:found], out.members[:found], out.distances[:found])
        room = found

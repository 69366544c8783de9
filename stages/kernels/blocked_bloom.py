"""A blocked Bloom filter: "certainly not there" for one cache line read, at some 10 bits a key.

A key sets one bit in each of the 8 words of one block (Putze, Sanders and Singler, "Cache-, Hash- and Space-Efficient
Bloom Filters", 2007, in the layout that Apache Parquet made common): a block is 32 bytes, half a cache line.
"""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Flags, Signatures
from headrace.schemas.compiled import kernel, part
from headrace.stages.kernels.mixing import mix64

WORDS = 8
BITS_A_KEY = 10
_HIGH, _FIVE, _BIT = np.uint64(32), np.uint64(5), np.uint32(1)
_MASK = np.uint64(31)


def empty_filter(keys: int) -> Signatures:
    """Give a filter for a number of keys: 8 words a block, a row each."""
    return np.zeros((max(1, -(-keys * BITS_A_KEY // (32 * WORDS))), WORDS), np.uint32)


@part
def hash_of(table: int, value: np.uint32) -> np.uint64:
    """Hash a fingerprint with its table: one filter holds all tables of a file."""
    return mix64(np.uint64(table + 1) << _HIGH | np.uint64(value))


@part
def block_of(hashed: np.uint64, blocks: int) -> int:
    """Give the block of a key, from the upper half of its hash."""
    return int((hashed >> _HIGH) * np.uint64(blocks) >> _HIGH)


@part
def next_bit(bits: np.uint64) -> np.uint32:
    """Give the bit that the lower five bits name."""
    return np.uint32(_BIT << np.uint32(bits & _MASK))


@kernel
def enter(words: Signatures, table: int, prints: Signatures) -> None:
    """Enter the fingerprints of a table; 0, which stands for none, is left out."""
    for i in range(len(prints)):
        if prints[i] != 0:
            hashed = hash_of(table, prints[i])
            block, bits = block_of(hashed, len(words)), mix64(hashed)
            for word in range(WORDS):
                words[block, word] |= next_bit(bits)
                bits >>= _FIVE


@kernel
def may_have(words: Signatures, table: int, wanted: Signatures) -> Flags:
    """Tell of each fingerprint whether it may be among those that were entered; False is certain."""
    found = np.zeros(len(wanted), np.bool_)
    for i in range(len(wanted)):
        hashed = hash_of(table, wanted[i])
        block, bits = block_of(hashed, len(words)), mix64(hashed)
        all_set = wanted[i] != 0
        for word in range(WORDS):
            all_set &= words[block, word] & next_bit(bits) != 0
            bits >>= _FIVE
        found[i] = all_set
    return found

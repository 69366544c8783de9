"""MinHash signatures of views: shingles, 32-bit hashes, and the smallest value under each of many permutations.

The permutations are those of datasketch 2 ("affine32"): the shingle's hash is mixed once, and permutation k takes it to
a[k] * hash + b[k] modulo 2 to the 32nd.
"""

from __future__ import annotations

import numpy as np

from headrace.stages.kernels.arrays import Bytes, Classes, Counts, Hashes, Offsets, Signatures
from headrace.stages.kernels.characters import HAN, LETTER, UNSPACED
from headrace.stages.kernels.compiled import kernel, part
from headrace.stages.kernels.mixing import mix64, rolled
from headrace.stages.kernels.repeats import tokens
from headrace.stages.kernels.utf8 import decode

AUTO, CHARACTERS, WORDS = range(3)
EMPTY = np.uint32(0xFFFFFFFF)
_BLOCK = 4096  # shingles that stay in the first-level cache while all permutations pass over them


def permutations(slots: int, seed: int) -> tuple[Signatures, Signatures]:
    """Give a and b of the permutations, as datasketch 2 draws them for a seed; a is odd, so each is a bijection."""
    random = np.random.RandomState(seed)
    a = random.randint(0, 1 << 31, slots, dtype=np.uint32) * np.uint32(2) + np.uint32(1)
    return a, random.randint(0, 1 << 32, slots, dtype=np.uint32)


@part
def by_characters(data: Bytes, begin: int, end: int, classes: Classes) -> bool:
    """Tell whether at least half of the letters are of scripts that write no spaces between words."""
    letters = unspaced = 0
    at = begin
    while at < end:
        point, at = decode(data, at)
        kind = classes[point]
        letters += int(HAN <= kind <= LETTER)
        unspaced += int(HAN <= kind <= UNSPACED)
    return unspaced > 0 and 2 * unspaced >= letters


@part
def items(data: Bytes, begin: int, end: int, classes: Classes, unit: int, out: Hashes, sizes: Counts) -> int:
    """Hash what shingles are made of, characters or words, and give their number.

    A text without a single word is taken by characters, so that two rows of dashes or of emoji can be told apart.
    """
    if unit == WORDS or (unit == AUTO and not by_characters(data, begin, end, classes)):
        count = tokens(data, begin, end, classes, out, sizes)
        if count:
            return count
    count = 0
    at = begin
    while at < end:
        point, at = decode(data, at)
        out[count] = mix64(np.uint64(point))
        count += 1
    return count


@part
def shingle(values: Hashes, count: int, size: int, out: Signatures) -> int:
    """Hash every stretch of `size` items to 32 bits and give their number; fewer items make one stretch."""
    size = min(size, count)
    lead = np.uint64(1)
    for _ in range(size):
        lead = rolled(lead, np.uint64(0))
    value = np.uint64(0)
    for last in range(count):
        value = rolled(value, values[last])
        if last >= size:
            value -= lead * values[last - size]
        if last >= size - 1:
            out[last - size + 1] = np.uint32(mix64(value) & np.uint64(0xFFFFFFFF))
    return count - size + 1 if count else 0


@part
def mix32(value: np.uint32) -> np.uint32:
    """Spread a value over its 32 bits (the finalizer of MurmurHash3)."""
    value ^= value >> np.uint32(16)
    value = np.uint32(value * np.uint32(0x85EBCA6B))
    value ^= value >> np.uint32(13)
    value = np.uint32(value * np.uint32(0xC2B2AE35))
    return np.uint32(value ^ (value >> np.uint32(16)))


@part
def sign(hashes: Signatures, count: int, a: Signatures, b: Signatures, signature: Signatures) -> None:
    """Fill in a signature. The inner loop runs over the shingles: over the permutations it is three times slower."""
    signature[:] = EMPTY
    mixed = np.empty(min(count, _BLOCK), np.uint32)
    for begin in range(0, count, _BLOCK):
        block = min(_BLOCK, count - begin)
        for i in range(block):
            mixed[i] = mix32(hashes[begin + i])
        for slot in range(len(a)):
            factor, addend, least = a[slot], b[slot], signature[slot]
            for i in range(block):
                least = min(least, np.uint32(np.uint32(factor * mixed[i]) + addend))
            signature[slot] = least


@kernel
def sign_documents(
    data: Bytes, offsets: Offsets, classes: Classes, unit: int, size: int, a: Signatures, b: Signatures
) -> tuple[Signatures, Counts]:
    """Give each view's signature and its number of shingles; an empty view has none, and a signature of 0xFFFFFFFF."""
    documents = len(offsets) - 1
    longest = longest_text(offsets)
    values, sizes = np.empty(longest + 1, np.uint64), np.empty(longest + 1, np.int64)
    hashes = np.empty(longest + 1, np.uint32)
    signatures = np.empty((documents, len(a)), np.uint32)
    counts = np.zeros(documents, np.int64)
    for document in range(documents):
        count = items(data, offsets[document], offsets[document + 1], classes, unit, values, sizes)
        counts[document] = shingle(values, count, size, hashes)
        sign(hashes, counts[document], a, b, signatures[document])
    return signatures, counts


@kernel
def shingle_sets(
    data: Bytes, offsets: Offsets, classes: Classes, unit: int, size: int, counts: Counts
) -> tuple[Signatures, Offsets]:
    """Give each view's shingle hashes, sorted and each once; `counts` is what `sign_documents` gave."""
    longest = longest_text(offsets)
    values, sizes = np.empty(longest + 1, np.uint64), np.empty(longest + 1, np.int64)
    hashes = np.empty(longest + 1, np.uint32)
    out = np.empty(counts.sum(), np.uint32)
    ends = np.zeros(len(offsets), np.int64)
    to = 0
    for document in range(len(offsets) - 1):
        count = items(data, offsets[document], offsets[document + 1], classes, unit, values, sizes)
        for value in np.unique(hashes[: shingle(values, count, size, hashes)]):
            out[to] = value
            to += 1
        ends[document + 1] = to
    return out[:to], ends


@part
def longest_text(offsets: Offsets) -> int:
    """Give the bytes of the longest text."""
    longest = 0
    for document in range(len(offsets) - 1):
        longest = max(longest, offsets[document + 1] - offsets[document])
    return longest

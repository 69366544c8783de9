"""What a line is known by: a hash of 128 bits of its view, and how many letters and digits that has.

The hash is MurmurHash3_x64_128 with the seed 0, by A. Appleby, who gave it to the public domain.
"""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Classes, Counts, Hashes, Offsets
from headrace.schemas.compiled import kernel, part
from headrace.stages.kernels.characters import DIGIT, HAN, UNSPACED
from headrace.stages.kernels.mixing import mix64
from headrace.stages.kernels.utf8 import decode

BLANK = -1
DENSE = 3  # letters of Latin that a character of a script without spaces says as much as
_ONE, _TWO = np.uint64(0x87C37B91114253D5), np.uint64(0x4CF5AD432745937F)
_ADD_ONE, _ADD_TWO, _FIVE = np.uint64(0x52DCE729), np.uint64(0x38495AB5), np.uint64(5)
_BLOCK = 16


@part
def turned(value: np.uint64, bits: int) -> np.uint64:
    """Rotate a value to the left."""
    return value << np.uint64(bits) | value >> np.uint64(64 - bits)


@part
def word(data: Bytes, at: int, count: int) -> np.uint64:
    """Give up to eight bytes as a number, the first of them lowest."""
    value = np.uint64(0)
    for i in range(count):
        value |= np.uint64(data[at + i]) << np.uint64(8 * i)
    return value


@part
def mixed_one(value: np.uint64) -> np.uint64:
    """Mix the first half of a block."""
    return turned(value * _ONE, 31) * _TWO


@part
def mixed_two(value: np.uint64) -> np.uint64:
    """Mix the second half of a block."""
    return turned(value * _TWO, 33) * _ONE


@part
def key_of(data: Bytes, begin: int, end: int) -> tuple[np.uint64, np.uint64]:
    """Hash a stretch of bytes to twice 64 bits."""
    one = two = np.uint64(0)
    at = begin
    while at + _BLOCK <= end:
        one = turned(one ^ mixed_one(word(data, at, 8)), 27) + two
        one = one * _FIVE + _ADD_ONE
        two = turned(two ^ mixed_two(word(data, at + 8, 8)), 31) + one
        two = two * _FIVE + _ADD_TWO
        at += _BLOCK
    left = end - at
    if left > 8:
        two ^= mixed_two(word(data, at + 8, left - 8))
    one ^= mixed_one(word(data, at, min(left, 8)))
    size = np.uint64(end - begin)
    one, two = one ^ size, two ^ size
    one = one + two
    one, two = mix64(one), mix64(two + one)
    one = one + two
    return one, two + one


@kernel
def line_keys(data: Bytes, offsets: Offsets) -> Hashes:
    """Give the keys of texts, two halves a row."""
    keys = np.empty((len(offsets) - 1, 2), np.uint64)
    for line in range(len(keys)):
        keys[line, 0], keys[line, 1] = key_of(data, offsets[line], offsets[line + 1])
    return keys


@kernel
def letter_counts(data: Bytes, offsets: Offsets, classes: Classes) -> Counts:
    """Count the letters and digits of views, those of scripts without spaces as three; BLANK for an empty view."""
    counts = np.zeros(len(offsets) - 1, np.int64)
    for line in range(len(counts)):
        at = offsets[line]
        if at == offsets[line + 1]:
            counts[line] = BLANK
        while at < offsets[line + 1]:
            point, at = decode(data, at)
            kind = classes[point]
            if HAN <= kind <= DIGIT:
                counts[line] += DENSE if kind <= UNSPACED else 1
    return counts

"""Odd sketches in plain Python: sets of bits that an odd number of hashes falls on."""

from __future__ import annotations

import math
from collections.abc import Set


def bits_of(size: int) -> int:
    """Give how many bits the sketch of a set has: a power of two, at least its size, and at least 2,048."""
    return max(2048, 1 << (size - 1).bit_length())


def odd_bits(hashes: Set[int], bits: int) -> set[int]:
    """Give the bits that an odd number of hashes falls on."""
    odd: set[int] = set()
    for value in hashes:
        odd ^= {(value >> 32) % bits}
    return odd


def sketch_of(hashes: Set[int]) -> list[int]:
    """Give a set's size and its sketch in words of 64 bits, whose first bit is the lowest; of an empty set nothing."""
    if not hashes:
        return []
    bits = bits_of(len(hashes))
    whole = sum(1 << bit for bit in odd_bits(hashes, bits))
    return [len(hashes), *(whole >> at & (1 << 64) - 1 for at in range(0, bits, 64))]


def sketched_similarity(one: Set[int], two: Set[int]) -> float:
    """Estimate the Jaccard similarity of two sets of hashes, both by as many bits as the smaller one has."""
    bits = bits_of(min(len(one), len(two)))
    ones = len(odd_bits(one, bits) ^ odd_bits(two, bits))
    total, least = len(one) + len(two), abs(len(one) - len(two))
    differing = max(least, min(total, difference(ones, bits)))
    return (total - differing) / (total + differing)


def difference(ones: int, bits: int) -> float:
    """Give the number of hashes that sets so many bits on average, an odd number if they are odd, else an even one."""
    if 2 * ones >= bits:
        return math.inf
    fell = math.log(1 - 2 * ones / bits) / math.log(1 - 2 / bits)
    return ones + 2 * math.floor((fell - ones) / 2 + 0.5)

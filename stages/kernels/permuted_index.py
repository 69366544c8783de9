"""Fingerprints with their bits in another order, sorted, and the pairs of them that differ in few bits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from headrace.schemas.arrays import Classes, Counts, Hashes, Signatures
from headrace.schemas.compiled import kernel, part

_ONE = np.uint64(1)


class Table(NamedTuple):
    """Permuted fingerprints in ascending order, and which fingerprint each one is."""

    values: Hashes
    members: Signatures


class Rows(NamedTuple):
    """Pairs that were found: number of the query, number of the fingerprint, and in how many bits they differ."""

    queries: Counts
    members: Counts
    distances: Classes


@kernel
def permuted(values: Hashes, starts: Hashes, widths: Hashes) -> Hashes:
    """Give fingerprints with their blocks in the given order, the first as the highest bits."""
    out = np.zeros(len(values), np.uint64)
    for block in range(len(starts)):
        mask = (_ONE << widths[block]) - _ONE
        for i in range(len(values)):
            out[i] = out[i] << widths[block] | (values[i] >> starts[block] & mask)
    return out


@part
def differing_bits(one: np.uint64, other: np.uint64) -> int:
    """Count the bits in which two fingerprints differ (the usual sums of pairs, nibbles, bytes)."""
    bits = one ^ other
    bits -= bits >> _ONE & np.uint64(0x5555555555555555)
    bits = (bits & np.uint64(0x3333333333333333)) + (bits >> np.uint64(2) & np.uint64(0x3333333333333333))
    bits = bits + (bits >> np.uint64(4)) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int(np.int64(bits * np.uint64(0x0101010101010101) >> np.uint64(56)))


@part
def first_at_least(values: Hashes, begin: int, wanted: np.uint64, shift: np.uint64) -> int:
    """Give the first place from `begin` on whose key (the bits above `shift`) is not below the wanted one.

    Steps double until they are too long, so a place nearby is found soon, and one far away in twice its logarithm.
    """
    step = 1
    while begin + step <= len(values) and values[begin + step - 1] >> shift < wanted:
        begin += step
        step *= 2
    end = min(begin + step - 1, len(values))
    while begin < end:
        middle = (begin + end) // 2
        if values[middle] >> shift < wanted:
            begin = middle + 1
        else:
            end = middle
    return begin


@kernel
def matches(
    table: Table, queries: Table, shift: np.uint64, most: int, masks: Hashes, known: Hashes, asked: Hashes, out: Rows
) -> int:
    """Write the pairs whose keys are equal and that differ in at most `most` bits, and give their number.

    `masks` are the key bits of the tables before this one, in the fingerprints' own order: a pair that agrees in one of
    them was found there. `known` and `asked` are the fingerprints themselves. If `out` is too short the number is still
    right.
    """
    found, begin = 0, 0
    for i in range(len(queries.values)):
        query = queries.values[i]
        begin = first_at_least(table.values, begin, query >> shift, shift)
        at = begin
        while at < len(table.values) and table.values[at] >> shift == query >> shift:
            distance = differing_bits(table.values[at], query)
            if distance <= most:
                member, number = table.members[at], queries.members[i]
                if not found_before(known[member] ^ asked[number], masks):
                    if found < len(out.queries):
                        out.queries[found], out.members[found], out.distances[found] = number, member, distance
                    found += 1
            at += 1
    return found


@part
def found_before(difference: np.uint64, masks: Hashes) -> bool:
    """Tell whether two fingerprints agree in all bits of some mask."""
    table = 0
    while table < len(masks) and difference & masks[table] != 0:
        table += 1
    return table < len(masks)

"""Odd sketches: a set in a bit or two a member, from which the similarity of two similar sets can be told.

A member falls on one bit, and a bit is set where an odd number of members falls (Mitzenmacher, Pagh and Pham 2014). The
exclusive or of two sketches is the sketch of the members that only one of both sets has; its ones tell how many these
are, and with the sizes of the sets follows their Jaccard similarity. The error of that is about a quarter of the square
root of the bits, 0.006 for 2,048, at a similarity of 0.8, where 112 values of MinHash have one of 0.038: those sample
the members, a sketch knows all of them, and what both sets have leaves no trace in it.

A sketch is its set's size, then its bits in words of 64. Its bits are a power of two and at least the size; of two
sketches the larger is folded, by exclusive or, to the bits of the smaller one.
"""

from __future__ import annotations

import math

import numpy as np

from headrace.schemas.arrays import Hashes, Offsets
from headrace.schemas.compiled import kernel, lean, part
from headrace.schemas.text_lanes import bit_count
from headrace.stages.kernels.distinct import find_repeats, places

LEAST = 2048  # bits
_WORD, _LINE = 64, np.uint64(8)  # bits of a word, words of a cache line
MANY = 1 << 16  # hashes whose repeats are found by a table: one for more would not stay in the second cache


@part
def bits_for(size: int) -> int:
    """Give the bits of the sketch of a set."""
    bits = LEAST
    while bits < size:
        bits *= 2
    return bits


@part
def words_for(size: int) -> int:
    """Give the words of a set's sketch, the size included; an empty set has none."""
    return 1 + bits_for(size) // _WORD if size else 0


@kernel
def write_sketches(values: Hashes, ends: Offsets, out: Hashes, out_ends: Offsets) -> None:
    """Write the sketch of the different hashes of each text, one behind the other, and where they end.

    More than MANY hashes of a text must be in ascending order. `out` has room for `most_words`.
    """
    most = 0
    for text in range(len(ends) - 1):
        size = ends[text + 1] - ends[text]
        most = max(most, size if size <= MANY else 0)
    seen, again = np.zeros(places(most), np.uint32), np.empty(most, np.uint64)
    first = out_ends[0] = 0
    for text in range(len(ends) - 1):
        of = values[ends[text] : ends[text + 1]]
        repeats = 0
        if len(of) <= MANY:
            repeats = find_repeats(of, seen, ends[text] - ends[0] + 1, again)
            size = len(of) - repeats
        else:
            size = count_sorted(of)
        words = words_for(size)
        sketch = out[first : first + words]
        for word in range(words):
            sketch[word] = 0
        if len(of) <= MANY:
            turn_all(of, len(of), sketch)
            turn_all(again, repeats, sketch)  # a hash that comes three times was turned three times, and two too many
        else:
            turn_sorted(of, sketch)
        if words:
            sketch[0] = size
        first += words
        out_ends[text + 1] = first


@kernel
def most_words(ends: Offsets) -> int:
    """Give the words of the sketches if no hash of a text comes twice."""
    words = 0
    for text in range(len(ends) - 1):
        words += words_for(ends[text + 1] - ends[text])
    return words


@lean
def turn(value: np.uint64, sketch: Hashes) -> None:
    """Turn the bit that a hash falls on. Its upper half is taken: tables go by the lower one."""
    mask = np.uint64((len(sketch) - 1) * _WORD - 1)
    place = value >> np.uint64(32) & mask
    sketch[np.uint64(1) + (place >> np.uint64(6))] ^= np.uint64(1) << (place & np.uint64(_WORD - 1))


@lean
def turn_all(values: Hashes, count: int, sketch: Hashes) -> None:
    """Turn the bits of the first hashes."""
    for i in range(np.uint64(count)):
        turn(values[i], sketch)


@lean
def count_sorted(values: Hashes) -> int:
    """Count the different ones of sorted hashes."""
    count = 1
    for i in range(1, len(values)):
        count += int(values[i] != values[i - 1])
    return count


@lean
def turn_sorted(values: Hashes, sketch: Hashes) -> None:
    """Turn the bits of the different ones of sorted hashes."""
    turn(values[0], sketch)
    for i in range(1, len(values)):
        if values[i] != values[i - 1]:
            turn(values[i], sketch)


@lean
def sketched_similarity(one: Hashes, two: Hashes, least: float) -> float:
    """Estimate the Jaccard similarity of two sets from their sketches; -1 where less than `least` comes out."""
    small, large = min(one[0], two[0]), max(one[0], two[0])
    fewer, total = float(large - small), float(large + small)
    if float(small) / float(large) < least:
        return -1.0
    most = total * (1.0 - least) / (1.0 + least) + 1.0  # of members that differ; one more, since this is rounded
    if len(one) == len(two):
        ones = differing_ones(one, two, most)
    else:
        ones = differing_when_folded(one, two) if len(one) < len(two) else differing_when_folded(two, one)
    if ones > most:  # at least so many differ
        return -1.0
    bits = _WORD * (min(len(one), len(two)) - 1)
    differing = min(max(likely_difference(ones, bits), fewer), total)
    similarity = (total - differing) / (total + differing)
    return similarity if similarity >= least else -1.0


@lean
def differing_ones(one: Hashes, two: Hashes, most: float) -> int:
    """Count the bits in which two sketches of one length differ, until there are too many."""
    ones, begin = 0, np.uint64(1)
    while begin < np.uint64(len(one)) and ones <= most:
        for word in range(begin, begin + _LINE):
            ones += bit_count(one[word] ^ two[word])
        begin += _LINE
    return ones


@lean
def differing_when_folded(small: Hashes, large: Hashes) -> int:
    """Count the bits in which two sketches differ, the larger of which is folded to the smaller one."""
    ones = 0
    words = np.uint64(len(small) - 1)
    for word in range(np.uint64(1), words + np.uint64(1)):
        differing = small[word]
        for at in range(word, np.uint64(len(large)), words):
            differing ^= large[at]
        ones += bit_count(differing)
    return ones


@lean
def likely_difference(ones: int, bits: int) -> float:
    """Give how many members fell, if so many bits are set: as many as would set that many on average.

    That is ln(1 - 2 * ones / bits) / ln(1 - 2 / bits); of whole numbers, odd ones if the ones are odd, the nearest. It
    is infinite where half of the bits are set or more.
    """
    if 2 * ones >= bits:
        return math.inf
    fell = math.log1p(-2.0 * ones / bits) / math.log1p(-2.0 / bits)
    return ones + 2.0 * math.floor((fell - ones) / 2.0 + 0.5)

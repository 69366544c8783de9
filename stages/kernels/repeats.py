"""How much of a text says again what it has said: stretches of tokens that have occurred before."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Classes, Counts, Hashes, Offsets
from headrace.schemas.compiled import kernel, part
from headrace.stages.kernels.characters import DIGIT, HAN, LATIN, UNSPACED
from headrace.stages.kernels.mixing import mix64, rolled
from headrace.stages.kernels.utf8 import decode


@part
def tokens(data: Bytes, at: int, end: int, classes: Classes, hashes: Hashes, sizes: Counts) -> int:
    """Hash the tokens of a view and give their number; `sizes` gets their characters.

    A token is a run of letters and digits, or one character in the scripts that write no spaces (Han, kana, Thai ...).
    """
    count = 0
    size = 0
    value = np.uint64(0)
    while at <= end:
        kind, point = 0, 0
        if at < end:
            point, at = decode(data, at)
            kind = classes[point]
        else:
            at += 1
        inside = LATIN <= kind <= DIGIT
        if size and not inside:
            hashes[count], sizes[count] = mix64(value), size
            count += 1
            size = 0
            value = np.uint64(0)
        if inside:
            value = rolled(value, np.uint64(point))
            size += 1
        elif HAN <= kind <= UNSPACED:
            hashes[count], sizes[count] = mix64(rolled(np.uint64(0), np.uint64(point))), 1
            count += 1
    return count


@kernel
def repeated_characters(data: Bytes, offsets: Offsets, classes: Classes, gram: int) -> Counts:
    """Give per document the characters in stretches of `gram` tokens seen before, and the characters of all tokens."""
    longest = 0
    for document in range(len(offsets) - 1):
        longest = max(longest, offsets[document + 1] - offsets[document])
    hashes = np.empty(longest + 1, np.uint64)
    sizes = np.empty(longest + 1, np.int64)
    out = np.zeros((len(offsets) - 1, 2), np.int64)
    for document in range(len(offsets) - 1):
        count = tokens(data, offsets[document], offsets[document + 1], classes, hashes, sizes)
        out[document, 0] = covered(hashes, sizes, count, gram)
        for token in range(count):
            out[document, 1] += sizes[token]
    return out


@part
def covered(hashes: Hashes, sizes: Counts, count: int, gram: int) -> int:
    """Give the characters in stretches that occurred before; each token counts once."""
    room = 8
    while room < 2 * count:
        room *= 2
    seen = np.zeros(room, np.uint64)  # open addressing; 0 = free
    total = 0
    done = 0  # tokens before this one are counted already
    lead = np.uint64(1)
    for _ in range(gram):
        lead = rolled(lead, np.uint64(0))
    value = np.uint64(0)
    for last in range(count):
        value = rolled(value, hashes[last])
        if last >= gram:
            value -= lead * hashes[last - gram]
        if last < gram - 1:
            continue
        if add(seen, np.uint64(room - 1), mix64(value) | np.uint64(1)):
            for token in range(max(done, last - gram + 1), last + 1):
                total += sizes[token]
            done = last + 1
    return total


@part
def add(seen: Hashes, mask: np.uint64, value: np.uint64) -> bool:
    """Put a hash into a set and tell whether it was there."""
    slot = (value >> np.uint64(1)) & mask
    while seen[slot] != 0:
        if seen[slot] == value:
            return True
        slot = (slot + np.uint64(1)) & mask
    seen[slot] = value
    return False

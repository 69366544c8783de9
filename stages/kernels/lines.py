"""Lines of documents: where they begin, which are copies, and documents without some of them."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Classes, Counts, Flags, Offsets
from headrace.schemas.compiled import kernel, part
from headrace.stages.kernels.characters import BREAK, HAN, LETTER, SPACE
from headrace.stages.kernels.utf8 import copy, decode

_NEWLINE = 0x0A
_PRIME = np.uint64(0x9E3779B97F4A7C15)


@kernel
def line_bounds(data: Bytes, offsets: Offsets) -> tuple[Offsets, Offsets]:
    """Give the bounds of all lines, one behind the other, and the number of the first line of each document.

    A line holds its line feed; a document that ends with one has no empty line behind it. Line i is
    `bounds[i]:bounds[i + 1]`.
    """
    count = 0
    for document in range(len(offsets) - 1):
        begin, end = offsets[document], offsets[document + 1]
        for at in range(begin, end):
            count += int(data[at] == _NEWLINE)
        count += int(end > begin and data[end - 1] != _NEWLINE)
    bounds = np.empty(count + 1, np.int64)
    firsts = np.zeros(len(offsets), np.int64)
    bounds[0] = offsets[0]
    line = 0
    for document in range(len(offsets) - 1):
        for at in range(offsets[document], offsets[document + 1]):
            if data[at] == _NEWLINE or at == offsets[document + 1] - 1:
                line += 1
                bounds[line] = at + 1
        firsts[document + 1] = line
    return bounds, firsts


@kernel
def trim(data: Bytes, bounds: Offsets, classes: Classes) -> tuple[Offsets, Counts, Flags]:
    """Give for each line, white space at its ends left out: where it begins, its bytes, and if it has a letter."""
    begins = np.empty(len(bounds) - 1, np.int64)
    sizes = np.empty(len(bounds) - 1, np.int64)
    lettered = np.zeros(len(bounds) - 1, np.bool_)
    for line in range(len(bounds) - 1):
        at = first = last = bounds[line]
        while at < bounds[line + 1]:
            here = at
            point, at = decode(data, at)
            kind = classes[point]
            if SPACE <= kind <= BREAK:
                continue
            if last == bounds[line]:
                first = here
            last = at
            lettered[line] |= HAN <= kind <= LETTER
        begins[line], sizes[line] = first, last - first
    return begins, sizes, lettered


@kernel
def gather(data: Bytes, begins: Offsets, sizes: Counts) -> tuple[Bytes, Offsets]:
    """Give stretches of the data as texts of their own, one behind the other."""
    offsets = np.zeros(len(begins) + 1, np.int64)
    for line in range(len(begins)):  # np.cumsum into a slice takes two seconds to compile
        offsets[line + 1] = offsets[line] + sizes[line]
    out = np.empty(offsets[-1], np.uint8)
    for line in range(len(begins)):
        copy(data, begins[line], begins[line] + sizes[line], out, offsets[line])
    return out, offsets


@part
def same(data: Bytes, first: int, second: int, size: int) -> bool:
    """Compare two stretches of bytes."""
    i = 0
    while i < size and data[first + i] == data[second + i]:
        i += 1
    return i == size


@part
def hashed(data: Bytes, begin: int, end: int) -> np.uint64:
    """Hash a stretch of bytes; only for finding equal ones, which are then compared."""
    value = np.uint64(end - begin)
    for at in range(begin, end):
        value = (value ^ np.uint64(data[at])) * _PRIME
        value ^= value >> np.uint64(32)
    return value


@kernel
def earlier_copies(data: Bytes, begins: Offsets, sizes: Counts, firsts: Offsets, counted: Flags) -> Counts:
    """Give for each line how many lines of its document before it have the same content; lines not `counted` have 0."""
    copies = np.zeros(len(begins), np.int64)
    for document in range(len(firsts) - 1):
        room = 4
        while room < 2 * (firsts[document + 1] - firsts[document]):
            room *= 2
        latest = np.full(room, -1, np.int64)  # open addressing: the latest line with each content
        for line in range(firsts[document], firsts[document + 1]):
            if not counted[line]:
                continue
            begin, size = begins[line], sizes[line]
            slot = np.int64(hashed(data, begin, begin + size) & np.uint64(room - 1))
            while latest[slot] >= 0:
                other = latest[slot]
                if sizes[other] == size and same(data, begins[other], begin, size):
                    copies[line] = copies[other] + 1
                    break
                slot = (slot + 1) & (room - 1)
            latest[slot] = line
    return copies


@kernel
def without_lines(data: Bytes, bounds: Offsets, firsts: Offsets, gone: Flags) -> tuple[Bytes, Offsets]:
    """Give the documents without some of their lines."""
    out = np.empty(bounds[-1] - bounds[0], np.uint8)
    ends = np.zeros(len(firsts), np.int64)
    to = 0
    for document in range(len(firsts) - 1):
        for line in range(firsts[document], firsts[document + 1]):
            if not gone[line]:
                to = copy(data, bounds[line], bounds[line + 1], out, to)
        ends[document + 1] = to
    return out[:to], ends

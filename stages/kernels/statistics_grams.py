"""Runs of words that a document repeats: the most frequent ones of 2 to 4 words, and those of 5 to 10 said before.

Runs of 2 to 4 are numbered exactly: the number of a run is that of the pair of the run without its last word and that
word. Runs of 5 to 10 are equal if their letters are, wherever words end; equal hashes are compared by letter.
"""

from __future__ import annotations

import numpy as np

from headrace.stages.kernels.arrays import Bytes, Counts, Hashes, Offsets
from headrace.stages.kernels.compiled import kernel, part
from headrace.stages.kernels.mixing import mix64, rolled
from headrace.stages.kernels.statistics_flags import Bounds, Slots
from headrace.stages.kernels.statistics_repeats import slots

TOP_SIZES, REPEAT_SIZES = (2, 3, 4), (5, 6, 7, 8, 9, 10)
TOP_2, COVERED_2, REPEATED_5 = 0, 3, 6  # TOP_3 is 1 ...
COLUMNS = 12
_BASE = np.uint64(0x9E3779B97F4A7C15)
_ONE = np.uint64(1)


@kernel
def gram_counts(data: Bytes, offsets: Offsets, firsts: Offsets, begins: Bounds, ends: Bounds) -> Counts:
    """Give per document, for the most frequent run of 2, 3 and 4 words: its characters times how often it occurs, as
    published rules count (spaces between the words are added and overlaps count twice, so that it can be more than the
    text has); the characters of words that its occurrences cover, which cannot; then, for runs of 5 to 10 words, the
    characters of runs that have occurred before, from left to right and without overlaps.

    Of equally frequent runs the one that comes first counts.
    """
    most = 1
    for document in range(len(offsets) - 1):
        most = max(most, firsts[document + 1] - firsts[document])
    hashes = np.empty((3, most), np.uint64)
    bounds = np.empty((2, most), np.int64)
    numbers = np.empty((3, most + 1), np.int32)
    sums = np.zeros(most + 1, np.int64)  # characters of the words before
    table = np.empty(slots(most), np.int32)
    out = np.zeros((len(offsets) - 1, COLUMNS), np.int64)
    for document in range(len(offsets) - 1):
        first, last = firsts[document], firsts[document + 1]
        count = last - first
        for word in range(count):
            bounds[0, word] = offsets[document] + begins[first + word]
            bounds[1, word] = offsets[document] + ends[first + word]
        measure(data, bounds, count, hashes, sums)
        number_words(data, bounds, hashes, count, table, numbers)
        for size in range(2, 5):
            top, covered = top_run(numbers, hashes[2], sums, count, size, table)
            out[document, TOP_2 + size - 2], out[document, COVERED_2 + size - 2] = top, covered
        hashes[2, :count] = hashes[0, :count]
        for size in range(2, 11):
            lengthen(hashes, count, size)
            if size >= 5:
                out[document, REPEATED_5 + size - 5] = said_before(data, bounds, hashes[2], sums, count, size, table)
    return out


@part
def measure(data: Bytes, bounds: Offsets, count: int, hashes: Hashes, sums: Counts) -> None:
    """Hash each word, as a number and as the power that moves it, and sum up the characters before each."""
    for word in range(count):
        value, power = np.uint64(0), _ONE
        characters = 0
        for at in range(bounds[0, word], bounds[1, word]):
            value = rolled(value, np.uint64(data[at]) + _ONE)
            power *= _BASE
            characters += int(data[at] & 0xC0 != 0x80)
        hashes[0, word], hashes[1, word] = value, power
        sums[word + 1] = sums[word] + characters


@part
def number_words(data: Bytes, bounds: Offsets, hashes: Hashes, count: int, table: Slots, numbers: Slots) -> None:
    """Number the words: rows 0 and 1 get, for each, the place of the first word that is the same."""
    size = slots(count)
    table[:size] = -1
    for word in range(count):
        slot = int(mix64(hashes[0, word])) & size - 1
        while table[slot] >= 0 and not same_run(data, bounds, table[slot], word, 1):
            slot = slot + 1 & size - 1
        if table[slot] < 0:
            table[slot] = word
        numbers[0, word] = numbers[1, word] = table[slot]


@part
def top_run(numbers: Slots, keys: Hashes, sums: Counts, count: int, words: int, table: Slots) -> tuple[int, int]:
    """Number the runs that are a word longer than those in row 1; give the characters of the most frequent one."""
    size = slots(count)
    table[:size] = -1
    best = leader = 0
    for run in range(count - words + 1):
        key = np.uint64(numbers[1, run]) << np.uint64(32) | np.uint64(numbers[0, run + words - 1])
        keys[run] = key
        slot = int(mix64(key)) & size - 1
        while table[slot] >= 0 and keys[table[slot]] != key:
            slot = slot + 1 & size - 1
        if table[slot] < 0:
            table[slot] = run
            numbers[2, run] = 0
        first = table[slot]
        numbers[2, first] += 1
        numbers[1, run] = first
        times = numbers[2, first]
        if times > best or (times == best and first < leader):
            best, leader = times, first
    if not best:
        return 0, 0
    covered, done = 0, 0  # words up to `done` are counted
    for run in range(count - words + 1):
        if numbers[1, run] == leader:
            covered += sums[run + words] - sums[max(run, done)]
            done = run + words
    return best * (sums[leader + words] - sums[leader] + words - 1), covered


@part
def lengthen(hashes: Hashes, count: int, words: int) -> None:
    """Turn the hashes in row 2, of runs one word shorter, into those of runs of this many words."""
    for run in range(count - words + 1):
        last = run + words - 1
        hashes[2, run] = hashes[2, run] * hashes[1, last] + hashes[0, last]


@part
def said_before(
    data: Bytes, bounds: Offsets, hashes: Hashes, sums: Counts, count: int, words: int, table: Slots
) -> int:
    """Give the characters of runs that have occurred, from left to right; behind one that has, the next run begins."""
    size = slots(count)
    table[:size] = -1
    run = characters = 0
    while run <= count - words:
        slot = int(mix64(hashes[run])) & size - 1
        while table[slot] >= 0 and not (
            hashes[table[slot]] == hashes[run] and same_run(data, bounds, table[slot], run, words)
        ):
            slot = slot + 1 & size - 1
        if table[slot] < 0:
            table[slot] = run
            run += 1
            continue
        characters += sums[run + words] - sums[run]
        run += words
    return characters


@part
def same_run(data: Bytes, bounds: Offsets, one: int, other: int, words: int) -> bool:
    """Tell whether two runs of words have the same letters, wherever their words end."""
    first, second = one, other
    at, place = bounds[0, first], bounds[0, second]
    while True:
        while first < one + words and at == bounds[1, first]:
            first += 1
            at = bounds[0, first] if first < one + words else at
        while second < other + words and place == bounds[1, second]:
            second += 1
            place = bounds[0, second] if second < other + words else place
        if first == one + words or second == other + words:
            return first == one + words and second == other + words
        if data[at] != data[place]:
            return False
        at += 1
        place += 1

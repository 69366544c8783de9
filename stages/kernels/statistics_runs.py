"""Runs of words by the formulae of DCLM and dolma: the most frequent ones, and all that occur more than once."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Counts, Hashes, Offsets
from headrace.schemas.compiled import kernel, part
from headrace.stages.kernels.mixing import mix64, rolled
from headrace.stages.kernels.statistics_flags import Bounds, Slots
from headrace.stages.kernels.statistics_repeats import slots

WORDS, CHARACTERS = 0, 1
LONGEST_TOP, FIRST_TOP = 2, 5  # for 2, 3 and 4 words
COVERED, COPIED, ALL = 8, 14, 20  # for 5 to 10 words
COLUMNS = 26
_ONE = np.uint64(1)


@kernel
def run_counts(data: Bytes, offsets: Offsets, firsts: Offsets, begins: Bounds, ends: Bounds) -> Counts:
    """Give per document its words and their characters, and characters of runs of words; runs are equal word by word.

    For 2 to 4 words: those of the most frequent run times how often it occurs; of several the longest one counts, and
    none that occurs once (DCLM), or the first one counts (dolma). For 5 to 10 words: those of words covered by runs
    that occur more than once (DCLM); those of all such runs, and of all runs (dolma).
    """
    most = 1
    for document in range(len(offsets) - 1):
        most = max(most, firsts[document + 1] - firsts[document])
    size = 16
    while size < 2 * most:
        size *= 2
    table, keys = np.empty(size, np.int32), np.empty(most, np.uint64)
    numbers, times = np.empty((2, most), np.int64), np.empty(most, np.int64)
    sums = np.zeros(most + 1, np.int64)  # characters of the words before
    out = np.zeros((len(offsets) - 1, COLUMNS), np.int64)
    for document in range(len(offsets) - 1):
        first = firsts[document]
        count = firsts[document + 1] - first
        number_words(data, offsets[document], begins[first:], ends[first:], count, table, keys, numbers, sums)
        row = out[document]
        row[WORDS], row[CHARACTERS] = count, sums[count]
        for words in range(2, min(count, 10) + 1):
            number_runs(count - words + 1, words, table, keys, numbers, times)
            if words < 5:
                row[LONGEST_TOP + words - 2], row[FIRST_TOP + words - 2] = top(count, words, numbers, times, sums)
            else:
                row[COVERED + words - 5], row[COPIED + words - 5], row[ALL + words - 5] = copied(
                    count, words, numbers, times, sums
                )
    return out


@part
def number_words(
    data: Bytes,
    offset: int,
    begins: Bounds,
    ends: Bounds,
    count: int,
    table: Slots,
    keys: Hashes,
    numbers: Offsets,
    sums: Counts,
) -> None:
    """Number the words in both rows, each by the first word that is the same, and sum up their characters."""
    size = slots(count)
    table[:size] = -1
    for word in range(count):
        value, characters = np.uint64(0), 0
        for at in range(offset + begins[word], offset + ends[word]):
            value = rolled(value, np.uint64(data[at]) + _ONE)
            characters += int(data[at] & 0xC0 != 0x80)
        sums[word + 1] = sums[word] + characters
        keys[word] = mix64(value)
        slot = int(keys[word]) & size - 1
        while table[slot] >= 0 and not equal(data, offset, begins, ends, keys, table[slot], word):
            slot = slot + 1 & size - 1
        if table[slot] < 0:
            table[slot] = word
        numbers[0, word] = numbers[1, word] = table[slot]


@part
def equal(data: Bytes, offset: int, begins: Bounds, ends: Bounds, keys: Hashes, one: int, other: int) -> bool:
    """Tell whether two words are the same."""
    size = ends[one] - begins[one]
    if keys[one] != keys[other] or size != ends[other] - begins[other]:
        return False
    at = 0
    while at < size and data[offset + begins[one] + at] == data[offset + begins[other] + at]:
        at += 1
    return bool(at == size)


@part
def number_runs(runs: int, words: int, table: Slots, keys: Hashes, numbers: Offsets, times: Counts) -> None:
    """Turn the numbers in row 1, of runs a word shorter, into those of runs of this many words, and count each."""
    size = slots(runs)
    table[:size] = -1
    for run in range(runs):
        key = np.uint64(numbers[1, run]) << np.uint64(32) | np.uint64(numbers[0, run + words - 1])
        keys[run] = key
        slot = int(mix64(key)) & size - 1
        while table[slot] >= 0 and keys[table[slot]] != key:
            slot = slot + 1 & size - 1
        if table[slot] < 0:
            table[slot] = run
            times[run] = 0
        numbers[1, run] = table[slot]
        times[table[slot]] += 1


@part
def top(count: int, words: int, numbers: Offsets, times: Counts, sums: Counts) -> tuple[int, int]:
    """Give characters times occurrences of the most frequent run: of the longest one, and of the first one."""
    best = longest = leader = 0
    for run in range(count - words + 1):
        if numbers[1, run] != run:
            continue
        characters = sums[run + words] - sums[run]
        if times[run] > best:
            best, longest, leader = times[run], characters, characters
        elif times[run] == best:
            longest = max(longest, characters)
    return (best * longest if best > 1 else 0), best * leader


@part
def copied(count: int, words: int, numbers: Offsets, times: Counts, sums: Counts) -> tuple[int, int, int]:
    """Give characters of words that runs with copies cover, of all these runs, and of all runs."""
    covered = repeated = total = done = 0  # words up to `done` are counted
    for run in range(count - words + 1):
        characters = sums[run + words] - sums[run]
        total += characters
        if times[numbers[1, run]] > 1:
            repeated += characters
            covered += sums[run + words] - sums[max(run, done)]
            done = run + words
    return covered, repeated, total

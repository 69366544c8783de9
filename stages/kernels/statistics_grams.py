"""Runs of words that a document repeats: the most frequent ones of 2 to 4 words, and those of 5 to 10 said before.

Runs of 2 to 4 are numbered exactly: the number of a run is that of the pair of the run without its last word and that
word. A run said twice begins with a shorter one said twice, so all others are left out at the next size. Runs of 5 to
10 are equal if their letters are, wherever words end; only runs whose first letters stand at two places can be, and
equal hashes are compared by letter.
"""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Counts, Hashes, Offsets
from headrace.schemas.compiled import kernel, lean
from headrace.stages.kernels.mixing import mix64
from headrace.stages.kernels.statistics_flags import Bounds, Slots
from headrace.stages.kernels.statistics_repeats import slots
from headrace.stages.kernels.statistics_words import CHARACTERS, HASH, POWER, SIZE

TOP_SIZES, REPEAT_SIZES = (2, 3, 4), (5, 6, 7, 8, 9, 10)
TOP_2, COVERED_2, REPEATED_5 = 0, 3, 6  # TOP_3 is 1 ...
COLUMNS = 12
_HEAD = 16  # bytes at the beginning of a run that must stand at two places
_EIGHT, _WHOLE, _HALF = np.uint64(8), np.uint64(64), np.uint64(32)


@kernel
def gram_counts(
    data: Bytes,
    offsets: Offsets,
    firsts: Offsets,
    bounds: tuple[Bounds, Bounds],
    numbers: Slots,
    facts: tuple[Bounds, Hashes, Hashes],
) -> Counts:
    """Give per document, for the most frequent run of 2, 3 and 4 words: its characters times how often it occurs, as
    published rules count (spaces between the words are added and overlaps count twice, so that it can be more than the
    text has); the characters of words that its occurrences cover, which cannot; then, for runs of 5 to 10 words, the
    characters of runs that have occurred before, from left to right and without overlaps.

    Of equally frequent runs the one that comes first counts. `bounds` are where words begin and end, `facts` the
    sizes, heads and hashes of words by number, see `word_facts`.
    """
    sizes, heads, hashes = facts
    most = 1
    for document in range(len(offsets) - 1):
        most = max(most, firsts[document + 1] - firsts[document])
    keys = np.empty((most + 1, 2), np.uint64)
    places, times = np.empty(most + 1, np.int32), np.empty(most + 1, np.int32)
    sums = np.zeros((2, most + 1), np.int64)  # bytes and characters of the words before
    table = np.empty(slots(most), np.int32)
    out = np.zeros((len(offsets) - 1, COLUMNS), np.int64)
    for document in range(len(offsets) - 1):
        first, last = firsts[document], firsts[document + 1]
        words, own = numbers[first:last], (bounds[0][first:last], bounds[1][first:last])
        for word in range(len(words)):
            sums[SIZE, word + 1] = sums[SIZE, word] + sizes[words[word], SIZE]
            sums[CHARACTERS, word + 1] = sums[CHARACTERS, word] + sizes[words[word], CHARACTERS]
        places[: len(words)] = words
        for size in range(2, 5):
            top, covered = top_run(words, places, times, keys, sums[CHARACTERS], size, table)
            out[document, TOP_2 + size - 2], out[document, COVERED_2 + size - 2] = top, covered
        count = candidates(words, sums[SIZE], heads, keys, table, places)
        for size in range(5, 11):
            lengthen(words, hashes, keys, places, count, size)
            characters = said_before(data, offsets[document], own, keys, sums[CHARACTERS], places, count, size, table)
            out[document, REPEATED_5 + size - 5] = characters
    return out


@lean
def top_run(
    words: Slots, places: Slots, times: Slots, keys: Hashes, sums: Counts, size: int, table: Slots
) -> tuple[int, int]:
    """Give what the most frequent run has and covers; `places` become those of each run's first occurrence.

    They are -1 for runs that occur once, and of the runs a word shorter when they come in; for runs of one, numbers.
    """
    runs = len(words) - size + 1
    if runs <= 0:
        return 0, 0
    rows = slots(runs)
    table[:rows] = -1
    best, leader = 1, 0
    for run in range(runs):
        if places[run] < 0 or (size > 2 and places[run + 1] < 0):
            places[run] = -1
            continue
        key = np.uint64(places[run]) << _HALF | np.uint64(words[run + size - 1])
        keys[run, 0] = key
        slot = np.int64(mix64(key)) & rows - 1
        while table[slot] >= 0 and keys[table[slot], 0] != key:
            slot = slot + 1 & rows - 1
        if table[slot] < 0:
            table[slot] = places[run] = run
            times[run] = 1
            continue
        first = places[run] = table[slot]
        times[first] += 1
        if times[first] > best or (times[first] == best and first < leader):
            best, leader = times[first], first
    covered, done = sums[size] if best == 1 else 0, 0  # words up to `done` are counted
    for run in range(runs):
        if places[run] >= 0 and times[places[run]] == 1:
            places[run] = -1
        elif places[run] == leader and best > 1:
            covered += sums[run + size] - sums[max(run, done)]
            done = run + size
    return best * (sums[leader + size] - sums[leader] + size - 1), covered


@lean
def candidates(words: Slots, sums: Counts, heads: Hashes, keys: Hashes, table: Slots, places: Slots) -> int:
    """Find the runs of 5 and more that may occur twice: their first letters do, or they are too short to say.

    Their places are in order at the beginning of `places`; their number is given.
    """
    first_letters(words, sums, heads, keys)
    runs = max(len(words) - 4, 0)
    rows = slots(runs)
    table[:rows] = -1
    for run in range(runs):
        places[run] = int(sums[run + 5] - sums[run] < _HEAD)
        slot = np.int64(mix64(keys[run, 0] ^ mix64(keys[run, 1]))) & rows - 1
        while table[slot] >= 0:
            if keys[table[slot], 0] == keys[run, 0] and keys[table[slot], 1] == keys[run, 1]:
                places[table[slot]] = places[run] = 1
                break
            slot = slot + 1 & rows - 1
        if table[slot] < 0:
            table[slot] = run
    count = 0
    for run in range(runs):
        if places[run] != 0:
            places[count] = run
            count += 1
    return count


@lean
def first_letters(words: Slots, sums: Counts, heads: Hashes, keys: Hashes) -> None:
    """Give the first sixteen bytes that follow from the beginning of each word on, spaces left out."""
    low = high = np.uint64(0)
    for word in range(len(words) - 1, -1, -1):
        number, size = words[word], sums[word + 1] - sums[word]
        bits = np.uint64(size) * _EIGHT
        if size < 8:
            high = high << bits | low >> (_WHOLE - bits)
            low = low << bits | heads[number, 0]
        elif size < _HEAD:
            high = heads[number, 1] | (low << (bits - _WHOLE) if size > 8 else low)
            low = heads[number, 0]
        else:
            low, high = heads[number, 0], heads[number, 1]
        keys[word, 0], keys[word, 1] = low, high


@lean
def lengthen(words: Slots, hashes: Hashes, keys: Hashes, places: Slots, count: int, size: int) -> None:
    """Give the hashes of the candidates of this many words: anew for five, from those a word shorter for more."""
    for i in range(count):
        if places[i] + size > len(words):
            break
        value = np.uint64(0) if size == 5 else keys[i, 0]
        for word in range(places[i] + (0 if size == 5 else size - 1), places[i] + size):
            value = value * hashes[words[word], POWER] + hashes[words[word], HASH]
        keys[i, 0] = value


@lean
def said_before(
    data: Bytes,
    base: int,
    bounds: tuple[Bounds, Bounds],
    keys: Hashes,
    sums: Counts,
    places: Slots,
    count: int,
    words: int,
    table: Slots,
) -> int:
    """Give the characters of runs that have occurred, from left to right; behind one that has, the next run begins."""
    rows = slots(count)
    table[:rows] = -1
    following = characters = 0
    for i in range(count):
        run = places[i]
        if run < following:
            continue
        if run + words > len(bounds[0]):
            break
        slot = np.int64(mix64(keys[i, 0])) & rows - 1
        while table[slot] >= 0 and not (
            keys[table[slot], 0] == keys[i, 0] and same_run(data, base, bounds, places[table[slot]], run, words)
        ):
            slot = slot + 1 & rows - 1
        if table[slot] < 0:
            table[slot] = i
            continue
        characters += sums[run + words] - sums[run]
        following = run + words
    return characters


@lean
def same_run(data: Bytes, base: int, bounds: tuple[Bounds, Bounds], one: int, other: int, words: int) -> bool:
    """Tell whether two runs of words have the same letters, wherever their words end."""
    begins, ends = bounds
    first, second = one, other
    at, place = begins[first], begins[second]
    while True:
        while first < one + words and at == ends[first]:
            first += 1
            at = begins[first] if first < one + words else at
        while second < other + words and place == ends[second]:
            second += 1
            place = begins[second] if second < other + words else place
        if first == one + words or second == other + words:
            return first == one + words and second == other + words
        if data[base + at] != data[base + place]:
            return False
        at += 1
        place += 1

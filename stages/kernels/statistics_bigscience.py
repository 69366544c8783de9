"""What BigScience's rules count: runs of characters and of words said again, special characters, words of lists."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Classes, Counts, Hashes, Offsets
from headrace.schemas.compiled import kernel, part
from headrace.stages.kernels.mixing import mix64, rolled
from headrace.stages.kernels.statistics_flags import Bounds, Slots
from headrace.stages.kernels.statistics_repeats import slots
from headrace.stages.kernels.statistics_runs import number_runs, number_words
from headrace.stages.kernels.utf8 import decode

_ONE = np.uint64(1)


@kernel
def character_runs(data: Bytes, offsets: Offsets, size: int) -> Counts:
    """Give per document how often its most frequent runs of `size` characters occur, and how many runs there are.

    Of n different runs, the square root of n are the most frequent ones, but only such as occur more than once.
    """
    longest = 1
    for document in range(len(offsets) - 1):
        longest = max(longest, offsets[document + 1] - offsets[document])
    starts, hashes = np.empty(longest + 1, np.int64), np.empty(longest, np.uint64)
    table, times = np.empty(slots(longest), np.int32), np.empty(longest, np.int64)
    out = np.zeros((len(offsets) - 1, 2), np.int64)
    for document in range(len(offsets) - 1):
        characters = 0
        for at in range(offsets[document], offsets[document + 1]):
            if data[at] & 0xC0 != 0x80:
                starts[characters] = at
                characters += 1
        starts[characters] = offsets[document + 1]
        runs = characters - size + 1
        if runs < 1:
            continue
        different = count_runs(data, starts, runs, size, hashes, table, times)
        frequent = np.sort(times[:different])
        again = int(np.sum(frequent > 1))
        most = min(int(np.sqrt(different)), again)
        out[document, 0], out[document, 1] = np.sum(frequent[different - most :]), runs
    return out


@part
def count_runs(data: Bytes, starts: Offsets, runs: int, size: int, hashes: Hashes, table: Slots, times: Counts) -> int:
    """Count how often each run of characters occurs; give how many different ones there are."""
    room = slots(runs)
    table[:room] = -1
    different = 0
    for run in range(runs):
        value = np.uint64(0)
        for at in range(starts[run], starts[run + size]):
            value = rolled(value, np.uint64(data[at]) + _ONE)
        hashes[run] = mix64(value)
        slot = int(hashes[run]) & room - 1
        while table[slot] >= 0 and not same_run(data, starts, hashes, table[slot], run, size):
            slot = slot + 1 & room - 1
        if table[slot] < 0:
            table[slot] = run
            different += 1
        starts_at = table[slot]
        times[run] = 0
        times[starts_at] += 1
    kept = 0
    for run in range(runs):
        if times[run]:
            times[kept] = times[run]
            kept += 1
    return different


@part
def same_run(data: Bytes, starts: Offsets, hashes: Hashes, one: int, other: int, size: int) -> bool:
    """Tell whether two runs of characters are equal."""
    length = starts[one + size] - starts[one]
    if hashes[one] != hashes[other] or length != starts[other + size] - starts[other]:
        return False
    at = 0
    while at < length and data[starts[one] + at] == data[starts[other] + at]:
        at += 1
    return bool(at == length)


@kernel
def flagged_characters(data: Bytes, offsets: Offsets, classes: Classes, wanted: int) -> Counts:
    """Give per document how many characters have one of the wanted flags."""
    out = np.zeros(len(offsets) - 1, np.int64)
    for document in range(len(offsets) - 1):
        at, end = offsets[document], offsets[document + 1]
        count = 0
        while at < end:
            point, at = decode(data, at)
            count += int(classes[point] & wanted != 0)
        out[document] = count
    return out


@kernel
def bare_words(
    data: Bytes, offsets: Offsets, firsts: Offsets, begins: Bounds, ends: Bounds, classes: Classes, unwanted: int
) -> tuple[Offsets, Bounds, Bounds]:
    """Give the words without characters of the unwanted flags at their ends; those of nothing else are left out."""
    found = np.zeros(len(firsts), np.int64)
    heads, tails = np.empty(len(begins), np.int32), np.empty(len(begins), np.int32)
    count = 0
    for document in range(len(firsts) - 1):
        for word in range(firsts[document], firsts[document + 1]):
            at, end = offsets[document] + begins[word], offsets[document] + ends[word]
            first = last = at
            started = False
            while at < end:
                point, following = decode(data, at)
                if not classes[point] & unwanted:
                    first = first if started else at
                    started, last = True, following
                at = following
            if started:
                heads[count], tails[count] = first - offsets[document], last - offsets[document]
                count += 1
        found[document + 1] = count
    return found, heads[:count], tails[:count]


@kernel
def word_runs(data: Bytes, offsets: Offsets, firsts: Offsets, begins: Bounds, ends: Bounds, size: int) -> Counts:
    """Give per document how many runs of `size` words occur more than once, all of them counted, and how many runs."""
    most = 1
    for document in range(len(firsts) - 1):
        most = max(most, firsts[document + 1] - firsts[document])
    table, keys = np.empty(slots(most), np.int32), np.empty(most, np.uint64)
    numbers, times = np.empty((2, most), np.int64), np.empty(most, np.int64)
    sums = np.zeros(most + 1, np.int64)
    out = np.zeros((len(firsts) - 1, 2), np.int64)
    for document in range(len(firsts) - 1):
        first = firsts[document]
        count = firsts[document + 1] - first
        runs = count - size + 1
        if runs < 1:
            continue
        number_words(data, offsets[document], begins[first:], ends[first:], count, table, keys, numbers, sums)
        if size == 1:
            times[:count] = 0
            for word in range(count):
                times[numbers[0, word]] += 1
        for words in range(2, size + 1):
            number_runs(count - words + 1, words, table, keys, numbers, times)
        for run in range(runs):
            out[document, 0] += int(times[numbers[1, run]] > 1)
        out[document, 1] = runs
    return out


@kernel
def list_table(words: Bytes, offsets: Offsets) -> Slots:
    """Give the table in which `listed_words` finds the words of a list, all different."""
    room = slots(len(offsets))
    table = np.full(room, -1, np.int32)
    for word in range(len(offsets) - 1):
        value = np.uint64(0)
        for at in range(offsets[word], offsets[word + 1]):
            value = rolled(value, np.uint64(words[at]) + _ONE)
        slot = int(mix64(value)) & room - 1
        while table[slot] >= 0:
            slot = slot + 1 & room - 1
        table[slot] = word
    return table


@kernel
def listed_words(
    data: Bytes,
    offsets: Offsets,
    firsts: Offsets,
    begins: Bounds,
    ends: Bounds,
    words: Bytes,
    word_offsets: Offsets,
    table: Slots,
) -> Counts:
    """Give per document how many words, and pairs of words that follow each other, are in a list."""
    out = np.zeros(len(firsts) - 1, np.int64)
    for document in range(len(firsts) - 1):
        last = firsts[document + 1]
        for word in range(firsts[document], last):
            begin, end = offsets[document] + begins[word], offsets[document] + ends[word]
            out[document] += int(is_listed(data, begin, end, end, end, words, word_offsets, table))
            if word + 1 < last:
                head, tail = offsets[document] + begins[word + 1], offsets[document] + ends[word + 1]
                out[document] += int(is_listed(data, begin, end, head, tail, words, word_offsets, table))
    return out


@part
def is_listed(
    data: Bytes, begin: int, end: int, head: int, tail: int, words: Bytes, offsets: Offsets, table: Slots
) -> bool:
    """Tell whether two pieces, one behind the other, are a word of a list."""
    value = np.uint64(0)
    for at in range(begin, end):
        value = rolled(value, np.uint64(data[at]) + _ONE)
    for at in range(head, tail):
        value = rolled(value, np.uint64(data[at]) + _ONE)
    slot = int(mix64(value)) & len(table) - 1
    size, first = end - begin + tail - head, end - begin
    while table[slot] >= 0:
        place = offsets[table[slot]]
        if offsets[table[slot] + 1] - place == size:
            at = 0
            while at < size and words[place + at] == (data[begin + at] if at < first else data[head + at - first]):
                at += 1
            if at == size:
                return True
        slot = slot + 1 & len(table) - 1
    return False

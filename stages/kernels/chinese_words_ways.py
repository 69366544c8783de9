"""The likeliest way to cut a run of Chinese into words of the dictionary, as jieba finds it.

The words at each character are edges to the one behind their end; the way with the greatest sum of logarithms wins.
Sums are built from the run's end, one word after the other, as jieba does, and of equal ones the longer word wins, so
that no rounding differs.
"""

from __future__ import annotations

import numpy as np

from headrace.stages.kernels.chinese_words_tables import (
    BASE,
    BASE_MASK,
    CODE_MASK,
    FREQUENCY,
    FREQUENCY_MASK,
    HANS,
    LAST_LETTER,
    UNKNOWN,
    Scratch,
    WordTables,
)
from headrace.stages.kernels.compiled import part


@part
def find_ways(size: int, words: WordTables, room: Scratch) -> None:
    """Fill `ways` and `longest` for a piece of `size` characters."""
    entries, bases, singles, logs = words.entries, words.bases, words.singles, words.logs
    unknown = words.weights[UNKNOWN]
    codes, pairs, scores, ways, longest, marks = (
        room.codes,
        room.pairs,
        room.scores,
        room.ways,
        room.longest,
        room.marks,
    )
    marks[: size + 1] = 0
    for k in range(size):  # apart from the loop below, since it has no branches
        code = int(codes[k + 1])
        entry = int(entries[int(bases[codes[k]]) + code])
        pairs[k] = entry if entry & CODE_MASK == code else 0
    scores[size] = 0.0
    for k in range(size - 1, -1, -1):
        best = singles[codes[k]] + scores[k + 1]
        way = known = last = k
        entry = int(pairs[k])
        while entry != 0:
            last += 1
            number = entry >> FREQUENCY & FREQUENCY_MASK
            score = logs[number] + scores[last + 1]
            if score >= best:
                best = score
                way = last
            if number != 0:
                known = last
            code = int(codes[last + 1])
            entry = int(entries[(entry >> BASE & BASE_MASK) + code])
            if entry & CODE_MASK != code:
                entry = 0
        if best == -np.inf:  # no word begins here: the character is one, or stands between two runs
            best = unknown + scores[k + 1] if codes[k] else 0.0
            way = k
        scores[k] = best
        ways[k] = way
        longest[k] = known


@part
def mark_words_and_runs(size: int, room: Scratch) -> int:
    """Mark the ends of the words along the ways, and list runs of single characters, which the model may join.

    Gives the length of that list.
    """
    codes, ways, marks, runs = room.codes, room.ways, room.marks, room.runs
    at = 0
    while at < size:
        last = int(ways[at])
        marks[last] = 1
        at = last + 1
    marks[size] = 0
    count, begin, before, ended = 0, 0, 0, 1
    for k in range(size + 1):  # without a branch: whether a character is single is hard to predict
        single = int(ended & marks[k] & (codes[k] != 0))
        ended = int(marks[k])
        edge = single ^ before
        begin = k if edge & single else begin
        runs[count] = k
        count += edge
        count -= 2 * int(edge & before & (k - begin == 1))  # a run of one is none
        before = single
    return count


@part
def mark_words(size: int, room: Scratch) -> None:
    """Mark the ends of the words along the ways; single letters and digits in a row are one word."""
    codes, ways, marks = room.codes, room.ways, room.marks
    at, letters = 0, False
    while at < size:
        last = int(ways[at])
        marks[last] = 1
        single = last == at and HANS < codes[at] <= LAST_LETTER
        if single and letters:
            marks[at - 1] = 0
        letters = single
        at = last + 1

"""The likeliest way to cut a run of Chinese into words of the dictionary, as jieba finds it.

The words at each character are edges to the one behind their end; the way with the greatest sum of logarithms wins.
Sums are built from the run's end, one word after the other, as jieba does, and of equal ones the longer word wins, so
that no rounding differs.
"""

from __future__ import annotations

import numpy as np

from headrace.stages.kernels.arrays import Bytes, Offsets
from headrace.stages.kernels.chinese_words_ascii import is_letter_or_digit
from headrace.stages.kernels.chinese_words_hmm import unknown_words
from headrace.stages.kernels.chinese_words_tables import (
    BASE,
    BASE_MASK,
    CODE_MASK,
    FREQUENCY,
    FREQUENCY_MASK,
    UNKNOWN,
    Scratch,
    WordTables,
    entry_of,
    is_word,
)
from headrace.stages.kernels.compiled import part


@part
def find_way(size: int, words: WordTables, room: Scratch) -> None:
    """Fill `ways` and `longest` for a run of `size` characters, whose codes end with a 0."""
    entries, first, logs, codes, scores = words.entries, words.first, words.logs, room.codes, room.scores
    for k in range(size):  # apart from the loop below, since it has no branches
        code = int(codes[k + 1])
        entry = int(entries[(int(first[codes[k]]) >> BASE & BASE_MASK) + code])
        room.pairs[k] = entry if entry & CODE_MASK == code else 0
    scores[size] = 0.0
    for k in range(size - 1, -1, -1):
        best = logs[int(first[codes[k]]) >> FREQUENCY & FREQUENCY_MASK] + scores[k + 1]
        way = longest = last = k
        entry = int(room.pairs[k])
        while entry != 0:
            last += 1
            number = entry >> FREQUENCY & FREQUENCY_MASK
            score = logs[number] + scores[last + 1]
            if score >= best:
                best = score
                way = last
            if number != 0:
                longest = last
            code = int(codes[last + 1])
            entry = int(entries[(entry >> BASE & BASE_MASK) + code])
            if entry & CODE_MASK != code:
                entry = 0
        if best == -np.inf:  # no word begins here, so the character is one
            best = words.weights[UNKNOWN] + scores[k + 1]
            way = k
        scores[k] = best
        room.ways[k] = way
        room.longest[k] = longest


@part
def words_with_model(data: Bytes, size: int, words: WordTables, room: Scratch, out: Offsets, n: int) -> int:
    """Write the ends of the words along the way; runs of single characters go to the model."""
    at, single = 0, -1  # the latter: where a run of single characters began
    room.ways[size] = size + 1  # longer than one character, so that the last run is closed within the loop
    while at <= size:
        behind = int(room.ways[at]) + 1
        if behind - at == 1:
            if single < 0:
                single = at
        else:
            if single >= 0:
                n = _singles(data, single, at, words, room, out, n)
                single = -1
            if at < size:
                out[n] = room.places[behind]
                n += 1
        at = behind
    return n


@part
def _singles(data: Bytes, begin: int, end: int, words: WordTables, room: Scratch, out: Offsets, n: int) -> int:
    known = room.longest[begin] >= end - 1 and is_word(entry_of(room.codes, begin, end, words))
    if end - begin > 1 and not known:
        return unknown_words(data, begin, end, words, room, out, n)
    for k in range(begin, end):  # a word that is less likely than its characters
        out[n] = room.places[k + 1]
        n += 1
    return n


@part
def words_without_model(data: Bytes, size: int, room: Scratch, out: Offsets, n: int) -> int:
    """Write the ends of the words along the way; single letters and digits in a row are one word."""
    at, letters = 0, False
    while at < size:
        behind = int(room.ways[at]) + 1
        if behind - at == 1 and is_letter_or_digit(data[room.places[at]]):
            letters = True
        else:
            if letters:
                out[n] = room.places[at]
                n += 1
                letters = False
            out[n] = room.places[behind]
            n += 1
        at = behind
    if letters:
        out[n] = room.places[size]
        n += 1
    return n

"""Words of documents by their numbers: how many there are, of what kind, and which stop words are among them.

What counts ask of a word is found out once for each different word, see `word_facts`. Document d of a batch has the
words `firsts[d]:firsts[d + 1]`; whoever cuts words (spaCy's rules, jieba) gives them as bounds, a vocabulary numbers
them.
"""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Classes, Counts, Hashes, Offsets
from headrace.schemas.compiled import kernel, lean, part
from headrace.stages.kernels.mixing import rolled
from headrace.stages.kernels.statistics_flags import ALPHABETIC, MARK, Bounds, Slots
from headrace.stages.kernels.statistics_numbering import eight
from headrace.stages.kernels.utf8 import decode

WORDS, WORD_CHARACTERS, SOLID_WORDS, SOLID_CHARACTERS, ALPHABETIC_WORDS, STOP_WORDS, STOP_WORD_KINDS = range(7)
COLUMNS = 7
STOPS_MAX = 63  # each is a bit of one number
SOLID, LETTERED = 1, 2  # kinds of a word: with a character that is no mark, with one that is alphabetic
SIZE, CHARACTERS = range(2)  # columns of sizes
HASH, POWER = range(2)  # columns of hashes: a word as a number, and what moves the number of words before it
BASE = np.uint64(0x9E3779B97F4A7C15)
_ONE = np.uint64(1)
_SLOTS = 256


@kernel
def word_facts(
    texts: Bytes,
    wide: Hashes,
    text_offsets: Offsets,
    first: int,
    last: int,
    flags: Classes,
    sizes: Bounds,
    kinds: Bytes,
    heads: Hashes,
    hashes: Hashes,
) -> None:
    """Find out what counts ask of some words: bytes and characters, kind, the first sixteen bytes, and the hash."""
    for word in range(first, last):
        begin, end = text_offsets[word], text_offsets[word + 1]
        sizes[word, SIZE] = end - begin
        sizes[word, CHARACTERS], kinds[word] = look(texts, begin, end, flags)
        heads[word, 0] = eight(texts, wide, begin, min(8, end - begin))
        heads[word, 1] = eight(texts, wide, begin + 8, min(8, end - begin - 8)) if end - begin > 8 else np.uint64(0)
        value, power = np.uint64(0), _ONE
        for at in range(begin, end):
            value = rolled(value, np.uint64(texts[at]) + _ONE)
            power *= BASE
        hashes[word, HASH], hashes[word, POWER] = value, power


@lean
def look(data: Bytes, begin: int, end: int, flags: Classes) -> tuple[int, int]:
    """Give a word's characters, and its kind."""
    characters, both, any_ = 0, 255, 0
    at = begin
    while at < end:
        point, at = decode(data, at)
        characters += 1
        both &= flags[point]
        any_ |= flags[point]
    return characters, SOLID * int(both & MARK == 0) | LETTERED * int(any_ & ALPHABETIC != 0)


@kernel
def word_counts(firsts: Offsets, numbers: Slots, sizes: Bounds, kinds: Bytes, stops: Slots) -> Counts:
    """Give per document the counts named above; a solid word is one with a character that is no mark.

    Stop words, of which `stops` has the numbers, are counted each time they occur, their kinds once.
    """
    table = stop_table(stops)
    out = np.zeros((len(firsts) - 1, COLUMNS), np.int64)
    for document in range(len(firsts) - 1):
        row = out[document]
        seen = total = solids = solid_characters = alphabetics = stopped = 0
        for word in range(firsts[document], firsts[document + 1]):
            number = numbers[word]
            characters, kind = sizes[number, CHARACTERS], kinds[number]
            total += characters
            solid = kind & SOLID
            solids += solid
            solid_characters += characters * solid
            alphabetics += kind >> 1 & 1
            stop = stop_of(number, stops, table)
            if stop >= 0:
                stopped += 1
                seen |= 1 << stop
        row[WORDS], row[WORD_CHARACTERS] = firsts[document + 1] - firsts[document], total
        row[SOLID_WORDS], row[SOLID_CHARACTERS], row[ALPHABETIC_WORDS] = solids, solid_characters, alphabetics
        row[STOP_WORDS] = stopped
        for stop in range(STOPS_MAX):
            row[STOP_WORD_KINDS] += seen >> stop & 1
    return out


@part
def stop_table(stops: Slots) -> Slots:
    """Give the table in which `stop_of` finds stop words; there are at most `STOPS_MAX`, all different."""
    table = np.full(_SLOTS, -1, np.int32)
    for stop in range(len(stops)):
        slot = stops[stop] & _SLOTS - 1
        while table[slot] >= 0:
            slot = slot + 1 & _SLOTS - 1
        table[slot] = stop
    return table


@lean
def stop_of(number: int, stops: Slots, table: Slots) -> int:
    """Give which stop word a word is, or -1."""
    slot = number & _SLOTS - 1
    while table[slot] >= 0:
        if stops[table[slot]] == number:
            return int(table[slot])
        slot = slot + 1 & _SLOTS - 1
    return -1

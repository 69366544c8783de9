"""Counts behind the rules of clean: one pass over the characters, one over the words.

A trap for those who change this: a call that hands over arrays costs some 50 ns (numba counts references), as much as
ten characters. Once a document it does not matter; a call for each character or word must be small and take few arrays.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from headrace.schemas.arrays import Bytes, Classes, Counts, Hashes, Offsets
from headrace.schemas.compiled import kernel, part
from headrace.stages.kernels.characters import (
    BREAK,
    DIGIT,
    HAN,
    KINDS,
    LATIN,
    LETTER,
    PUNCTUATION,
    SPACE,
    SYMBOL,
)
from headrace.stages.kernels.utf8 import decode

COUNTS = 14
(
    CHARACTERS,  # all but white space
    LETTERS,  # of any script, with their marks
    DIGITS,
    PUNCTUATIONS,
    SYMBOLS,
    DAMAGED,  # U+FFFD, what it becomes when it is decoded once more, and text that was read a byte at a time
    LINES,  # that are not blank
    LATIN_LETTERS,
    WORDS,  # runs of Latin letters
    WORD_LETTERS,  # Latin letters that count in WORDS
    FUNCTION_WORDS,
    NOISE,  # Latin letters in consonant runs or in walks along the keyboard
    RUNS,  # letters in runs of one letter
    LONGEST,  # characters of the longest line, white space included
) = range(COUNTS)
CONSONANT_RUN, WALK, LETTER_RUN, FILLER_RUN, BYTE_RUN = 6, 4, 5, 3, 6  # from how many characters on a run counts
OTHER = 127  # the place in tables of ASCII letters that stands for all other letters
_SEED, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)


def measure(
    data: Bytes, offsets: Offsets, classes: Classes, consonants: Classes, keys: Counts, function_words: Hashes
) -> Counts:
    """Give the counts of each document.

    `consonants` marks small letters with 1, `keys` numbers them along the keyboard: neighbours differ by 1.
    `function_words` is a `hash_table`.
    """
    out = np.zeros((len(offsets) - 1, COUNTS), np.int64)
    kinds = np.zeros((len(offsets) - 1, KINDS), np.int64)
    count(data, offsets, classes, consonants, keys, function_words, kinds, out)
    out[:, CHARACTERS] = kinds.sum(axis=1) - kinds[:, SPACE] - kinds[:, BREAK]
    out[:, LETTERS] = kinds[:, HAN : LETTER + 1].sum(axis=1)
    of_one_kind = {LATIN_LETTERS: LATIN, DIGITS: DIGIT, PUNCTUATIONS: PUNCTUATION, SYMBOLS: SYMBOL}
    out[:, [*of_one_kind]] = kinds[:, [*of_one_kind.values()]]
    return out


@kernel
def count(
    data: Bytes,
    offsets: Offsets,
    classes: Classes,
    consonants: Classes,
    keys: Counts,
    function_words: Hashes,
    kinds: Counts,
    out: Counts,
) -> None:
    """Fill each document's characters by class, and its counts that are not sums of these."""
    for document in range(len(out)):
        at, end = offsets[document], offsets[document + 1]
        count_characters(data, at, end, classes, kinds[document], out[document])
        count_words(data, at, end, classes, consonants, keys, function_words, out[document])


@part
def count_characters(data: Bytes, at: int, end: int, classes: Classes, kinds: Counts, row: Counts) -> None:
    """Count characters by class, lines, the longest line, damage, and letters in runs of one letter."""
    before = last = lines = damaged = in_runs = width = longest = high = lost = 0
    run = 1
    blank = True
    while at < end:
        point, at = decode(data, at)
        kind = classes[point]
        kinds[kind] += 1
        space = SPACE <= kind <= BREAK
        lines += int(blank and not space)
        blank = kind == BREAK or (blank and space)
        width = 0 if kind == BREAK else width + 1
        longest = max(longest, width)
        run = run + 1 if point == last else 1
        in_runs += counted(run, LETTER_RUN) if HAN <= kind <= LETTER else 0
        if 0x80 <= point <= 0xFF:
            high += 1
            lost += damage(before, last, point, run)
        else:
            if high:
                damaged += high if high >= BYTE_RUN else lost
                high = lost = 0
            if point > 0xFF:
                damaged += damage(before, last, point, run)
        before, last = last, point
    damaged += high if high >= BYTE_RUN else lost
    row[LINES], row[DAMAGED], row[RUNS], row[LONGEST] = lines, damaged, in_runs, longest


@part
def damage(before: int, last: int, point: int, run: int) -> int:
    """Give how many damaged characters this one ends: U+FFFD, its remains (锟斤拷, ï¿½), fillers (烫烫烫, 屯屯屯)."""
    if point == 0xFFFD:
        return 1
    if (last, point) in ((0x951F, 0x65A4), (0xEF, 0xBF)):
        return 2
    if (before, last, point) in ((0x951F, 0x65A4, 0x62F7), (0xEF, 0xBF, 0xBD)):
        return 1
    return counted(run, FILLER_RUN) if point in (0x70EB, 0x5C6F) else 0


@part
def counted(run: int, least: int) -> int:
    """Give how many characters begin to count as a run has grown by one: all of them as soon as there are enough."""
    return least if run == least else int(run > least)


@part
def count_words(
    data: Bytes,
    at: int,
    end: int,
    classes: Classes,
    consonants: Classes,
    keys: Counts,
    function_words: Hashes,
    row: Counts,
) -> None:
    """Count Latin words, those that are function words, and letters that nobody meant as words."""
    words = letters = functions = noise = 0
    while at < end:
        point, at = decode(data, at)
        size = hard = steps = in_consonants = in_walks = 0
        value = _SEED
        key = -9
        while classes[point] == LATIN:
            letter = point | 32 if point < 128 else point
            place = min(letter, OTHER)
            hard = (hard + 1) * consonants[place]
            steps = steps + 1 if abs(keys[place] - key) == 1 else 1
            in_consonants += counted(hard, CONSONANT_RUN)
            in_walks += counted(steps, WALK)
            value = (value ^ np.uint64(letter)) * _PRIME
            key = keys[place]
            size += 1
            if at == end:
                break
            point, at = decode(data, at)
        if size:
            words += 1
            letters += size
            functions += int(holds(function_words, value))
            noise += max(in_consonants, in_walks)
    row[WORDS], row[WORD_LETTERS], row[FUNCTION_WORDS], row[NOISE] = words, letters, functions, noise


@part
def holds(table: Hashes, value: np.uint64) -> bool:
    """Tell whether a `hash_table` has a hash."""
    mask = np.uint64(len(table) - 1)
    slot = value & mask
    while table[slot] != 0:
        if table[slot] == value:
            return True
        slot = (slot + np.uint64(1)) & mask
    return False


def word_hash(word: str) -> int:
    """Give the hash by which `measure` knows a function word: FNV-1a over its code points."""
    value = int(_SEED)
    for character in word:
        value = (value ^ ord(character)) * int(_PRIME) & 0xFFFFFFFFFFFFFFFF
    return value


def hash_table(words: Iterable[str]) -> Hashes:
    """Give the table in which `measure` looks words up: open addressing, 0 = free, a quarter full at most."""
    hashes = sorted(set(map(word_hash, words)))
    table = np.zeros(1 << (4 * len(hashes)).bit_length(), np.uint64)
    for value in hashes:
        slot = value & len(table) - 1
        while table[slot]:
            slot = (slot + 1) & len(table) - 1
        table[slot] = value
    return table

"""Counts behind the rules of clean, in one pass over the text."""

from __future__ import annotations

import numpy as np
from numba import njit

from headrace.stages.kernels.arrays import Bytes, Classes, Counts, Hashes, Offsets
from headrace.stages.kernels.characters import (
    BREAK,
    DIGIT,
    HAN,
    LATIN,
    LETTER,
    PUNCTUATION,
    SPACE,
    SYMBOL,
)
from headrace.stages.kernels.utf8 import decode

COUNTS = 13
(
    CHARACTERS,  # all but white space
    LETTERS,  # of any script, with their marks
    DIGITS,
    PUNCTUATIONS,
    SYMBOLS,
    DAMAGED,  # U+FFFD, and what it becomes when it is decoded once more
    LINES,  # that are not blank
    LATIN_LETTERS,
    WORDS,  # runs of Latin letters
    WORD_LETTERS,  # Latin letters that count in WORDS
    FUNCTION_WORDS,
    NOISE,  # Latin letters in consonant runs or in walks along the keyboard
    RUNS,  # letters in runs of one letter
) = range(COUNTS)
CONSONANT_RUN, WALK, LETTER_RUN = 6, 4, 5  # from how many letters on a run counts
_SEED, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)


@njit(nogil=True, cache=True)
def measure(
    data: Bytes, offsets: Offsets, classes: Classes, vowels: Classes, keys: Counts, function_words: Hashes
) -> Counts:
    """Give the counts of each document. `keys` numbers the letters along the keyboard: neighbours differ by 1."""
    out = np.zeros((len(offsets) - 1, COUNTS), np.int64)
    for document in range(len(offsets) - 1):
        row = out[document]
        count_classes(data, offsets[document], offsets[document + 1], classes, row)
        count_damage(data, offsets[document], offsets[document + 1], classes, row)
        count_words(data, offsets[document], offsets[document + 1], classes, vowels, keys, function_words, row)
    return out


@njit(nogil=True, cache=True)
def count_classes(data: Bytes, at: int, end: int, classes: Classes, row: Counts) -> None:
    """Count characters by class, and lines."""
    blank = True
    while at < end:
        point, at = decode(data, at)
        kind = classes[point]
        if kind == BREAK:
            blank = True
        if SPACE <= kind <= BREAK:
            continue
        row[LINES] += int(blank)
        blank = False
        row[CHARACTERS] += 1
        row[LETTERS] += int(HAN <= kind <= LETTER)
        row[LATIN_LETTERS] += int(kind == LATIN)
        row[DIGITS] += int(kind == DIGIT)
        row[PUNCTUATIONS] += int(kind == PUNCTUATION)
        row[SYMBOLS] += int(kind == SYMBOL)


@njit(nogil=True, cache=True)
def count_damage(data: Bytes, at: int, end: int, classes: Classes, row: Counts) -> None:
    """Count replacement characters, their remains (锟斤拷, ï¿½), fillers (烫烫烫, 屯屯屯), and runs of one letter."""
    before = last = 0
    run = 1
    while at < end:
        point, at = decode(data, at)
        if point == 0xFFFD:
            row[DAMAGED] += 1
        elif (last, point) in ((0x951F, 0x65A4), (0xEF, 0xBF)):
            row[DAMAGED] += 2
        elif (before, last, point) in ((0x951F, 0x65A4, 0x62F7), (0xEF, 0xBF, 0xBD)):
            row[DAMAGED] += 1
        if point == last:
            run += 1
            filler = point in (0x70EB, 0x5C6F)
            row[DAMAGED] += (3 if run == 3 else int(run > 3)) if filler else 0
            kind = classes[point]
            if HAN <= kind <= LETTER:
                row[RUNS] += LETTER_RUN if run == LETTER_RUN else int(run > LETTER_RUN)
        else:
            run = 1
        before, last = last, point


@njit(nogil=True, cache=True)
def count_words(
    data: Bytes,
    at: int,
    end: int,
    classes: Classes,
    vowels: Classes,
    keys: Counts,
    function_words: Hashes,
    row: Counts,
) -> None:
    """Count Latin words, those that are function words, and letters that nobody meant as words."""
    size = consonants = steps = in_consonants = in_walks = 0
    value = _SEED
    key = -9
    while at <= end:
        kind, point = 0, 0
        if at < end:
            point, at = decode(data, at)
            kind = classes[point]
        else:
            at += 1  # behind the last character: close the last word
        if kind == LATIN:
            letter = point | 32 if point < 128 else point
            vowel = letter > 127 or vowels[letter] == 1
            consonants = 0 if vowel else consonants + 1
            in_consonants += CONSONANT_RUN if consonants == CONSONANT_RUN else int(consonants > CONSONANT_RUN)
            here = keys[letter] if letter < 128 else -9
            steps = steps + 1 if abs(here - key) == 1 else 1
            in_walks += WALK if steps == WALK else int(steps > WALK)
            key = here
            value = (value ^ np.uint64(letter)) * _PRIME
            size += 1
        elif size:
            row[WORDS] += 1
            row[WORD_LETTERS] += size
            row[NOISE] += max(in_consonants, in_walks)
            place = np.searchsorted(function_words, value)
            row[FUNCTION_WORDS] += int(place < len(function_words) and function_words[place] == value)
            size = consonants = steps = in_consonants = in_walks = 0
            value = _SEED
            key = -9


def word_hash(word: str) -> int:
    """Give the hash by which `measure` knows a function word: FNV-1a over its code points."""
    value = int(_SEED)
    for character in word:
        value = (value ^ ord(character)) * int(_PRIME) & 0xFFFFFFFFFFFFFFFF
    return value

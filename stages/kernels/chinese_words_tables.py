"""What the kernels of Chinese words read: a dictionary as a double array, and the model of words that it lacks.

Characters have codes: 0 for none, the ideographs from 1 in order of use (the frequent ones lie close together in the
table), then the ASCII characters that may stand in a word. An entry says all about a prefix of a word in one number:
the code of its last character, where its continuations begin, the number of its frequency, and whether it is split.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headrace.stages.kernels.arrays import Classes, Floats, Offsets
from headrace.stages.kernels.compiled import part

# jieba 0.42.1 looks words up in runs of these alone; every other character is a word by itself.
FIRST_HAN, LAST_HAN = 0x4E00, 0x9FD5
HANS = LAST_HAN - FIRST_HAN + 1
ASCII_OF_WORDS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+#&._%-"
CODES = 1 + HANS + len(ASCII_OF_WORDS)
LAST_LETTER = HANS + ASCII_OF_WORDS.index("+")  # code of the last letter or digit; those of all signs are greater
FIRST_DIGIT = 1 + HANS + ASCII_OF_WORDS.index("0")
DOT, PERCENT = 1 + HANS + ASCII_OF_WORDS.index("."), 1 + HANS + ASCII_OF_WORDS.index("%")

# The bits of an entry.
CODE_MASK = 0xFFFF
BASE, BASE_MASK = 16, 0xFFFFFF
FREQUENCY, FREQUENCY_MASK = 40, 0x1FFFFF
SPLIT = 61

# Places in `weights`: the chance of an unknown word, of the state that a run begins in, and of one state after another.
# B, M and E are the first, middle and last character of a word, S is a word of one.
UNKNOWN, START_B, START_M, START_E, START_S = range(5)
E_TO_B, S_TO_B, B_TO_M, M_TO_M, B_TO_E, M_TO_E, E_TO_S, S_TO_S = range(5, 13)
B, M, E, S = range(4)

DICTIONARY, MODEL = range(2)  # methods: words of the dictionary alone, or those that the model finds too
PLAIN, TRADITIONAL = range(2)  # rows of `han`

Codes = npt.NDArray[np.uint16]
Entries = npt.NDArray[np.int64]


class WordTables(NamedTuple):
    """All that is known about Chinese words; all logarithms are natural."""

    entries: Entries  # of words and prefixes of two and more characters: place base + code, where the code must agree
    bases: npt.NDArray[np.int32]  # of single characters, by code
    singles: Floats  # of single characters, by code: the logarithm, minus infinity for a mere prefix
    logs: Floats  # of each distinct frequency over their sum; that of number 0, a mere prefix, is minus infinity
    han: Codes  # of each ideograph from FIRST_HAN: its code, and in the second row that of its simplified form
    ascii: Codes  # of each byte; 0 ends a run
    pairs: Classes  # 128 x 128: whether a word of ASCII alone begins with two characters
    emissions: Floats  # by code and state
    weights: Floats
    splits: Classes  # one flag: whether any word is split


class Scratch(NamedTuple):
    """Room for one piece of text, by character; a word of a run of mere ASCII is one character."""

    codes: Codes  # 0 for a character that no word is made of; one behind the last
    places: Offsets  # of each character in the bytes, and of the piece's end
    pairs: Entries  # of each character and the next, 0 if no word begins with them
    scores: Floats  # of the best way from a character to the end of its run
    ways: npt.NDArray[np.int32]  # the last character of the word that this way begins with
    longest: npt.NDArray[np.int32]  # the last character of the longest word that begins at a character
    marks: Classes  # 1 if a word ends with a character
    runs: npt.NDArray[np.int32]  # first characters of runs for the model, each with the one behind the last


@part
def scratch_for(size: int) -> Scratch:
    """Give room for a piece of `size` characters; memory that none uses is never touched."""
    return Scratch(
        np.empty(size + 2, np.uint16),
        np.empty(size + 2, np.int64),
        np.empty(size + 2, np.int64),
        np.empty(size + 2, np.float64),
        np.empty(size + 2, np.int32),
        np.empty(size + 2, np.int32),
        np.empty(size + 2, np.uint8),
        np.empty(size + 2, np.int32),
    )


@part
def entry_of(codes: Codes, begin: int, end: int, words: WordTables) -> int:
    """Give the entry of several characters, `begin` to `end - 1`, 0 if no word begins with them."""
    base, entry = int(words.bases[codes[begin]]), 0
    for k in range(begin + 1, end):
        code = int(codes[k])
        entry = int(words.entries[base + code])
        if entry & CODE_MASK != code:
            return 0
        base = entry >> BASE & BASE_MASK
    return entry

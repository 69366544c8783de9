"""What the kernels of Chinese words read: a dictionary as a double array, and the model of words that it lacks.

Characters have codes: 0 for none, the ideographs from 1 in order of use (the frequent ones lie close together in the
table), then the ASCII characters that may stand in a word. An entry says all about a prefix of a word in one number:
the code of its last character, where its continuations begin, the number of its frequency, and whether it is split.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headrace.schemas.arrays import Classes, Floats, Offsets
from headrace.schemas.compiled import part

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
BASE, BASE_MASK = 16, 0x7FFFFF
FREQUENCY, FREQUENCY_MASK = 39, 0x1FFFF
FILTER, FILTER_MASK = 56, 7  # bit `code & FILTER_MASK` of it is set if a word may go on with that character

# The first numbers of frequencies: a mere prefix, a word that was taken out; greater ones are those of words.
PREFIX, SPLIT = range(2)

# Places in `weights`: the chance of an unknown word, of the state that a run begins in, and of one state after another.
# B, M and E are the first, middle and last character of a word, S is a word of one.
UNKNOWN, START_B, START_M, START_E, START_S = range(5)
E_TO_B, S_TO_B, B_TO_M, M_TO_M, B_TO_E, M_TO_E, E_TO_S, S_TO_S = range(5, 13)
B, M, E, S = range(4)

MIXED = 1 << 31

DICTIONARY, MODEL = range(2)  # methods: words of the dictionary alone, or those that the model finds too
PLAIN, TRADITIONAL = range(2)  # rows of `han`

Codes = npt.NDArray[np.uint16]
Places = npt.NDArray[np.uint32]  # unsigned, since an index that may be negative takes three instructions more
Entries = npt.NDArray[np.int64]


class WordTables(NamedTuple):
    """All that is known about Chinese words; all logarithms are natural."""

    entries: Entries  # of words and prefixes of two and more characters: place base + code, where the code must agree
    bases: Places  # of single characters, by code
    singles: Floats  # of single characters, by code: the logarithm, minus infinity for a mere prefix
    logs: Floats  # of each distinct frequency over their sum; minus infinity for what is no word
    han: Codes  # of each code point of the first plane: its code, and in the second row that of its simplified form
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
    found: Places  # characters that begin three of a word
    triples: Entries  # of these three
    ones: Floats  # the logarithm of a character as a word
    twos: Floats  # the same of a character and the next
    floors: Floats  # what the best way is at least: 0 between two runs
    scores: Floats  # of the best way from a character to the end of its run
    ways: Places  # the last character of the word that this way begins with
    marks: Classes  # 1 if a word ends with a character
    runs: Places  # first characters of runs for the model, each with the one behind the last


@part
def scratch_for(size: int) -> Scratch:
    """Give room for a piece of `size` characters; memory that none uses is never touched."""
    return Scratch(
        np.empty(size + 2, np.uint16),
        np.empty(size + 2, np.int64),
        np.empty(size + 2, np.int64),
        np.empty(size + 2, np.uint32),
        np.empty(size + 2, np.int64),
        np.empty(size + 2, np.float64),
        np.empty(size + 2, np.float64),
        np.empty(size + 2, np.float64),
        np.empty(size + 2, np.float64),
        np.empty(size + 2, np.uint32),
        np.empty(size + 2, np.uint8),
        np.empty(size + 2, np.uint32),
    )


@part
def entry_of(codes: Codes, begin: int, end: int, words: WordTables) -> int:
    """Give the entry of several characters, `begin` to `end - 1`, 0 if no word begins with them."""
    base: int | np.int64 = np.int64(words.bases[codes[begin]])  # a signed number, as below
    entry = 0
    for k in range(begin + 1, end):
        code = int(codes[k])
        entry = int(words.entries[base + code])
        if entry & CODE_MASK != code:
            return 0
        base = entry >> BASE & BASE_MASK
    return entry

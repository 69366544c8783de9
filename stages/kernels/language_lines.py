"""What a line is: prose, source code or a row of a table, by the marks in it. Weights are hundredths.

The weights are those of a logistic regression on 60,000 lines of code and prose of many languages, except that an
indented line counts little and a letter beyond ASCII takes little away: code has Chinese comments and strings.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from headrace.schemas.arrays import Bytes, Hashes, read_only
from headrace.schemas.compiled import part
from headrace.stages.kernels.measures import hash_table, holds

Traits = npt.NDArray[np.uint16]
PROSE, CODE, TABLE = range(3)
_SEED, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)  # of `measures.word_hash`
LOWER, UPPER, WORD, MARK, BLANK, DOT, STOP, QUOTE, OPEN, HARD, SOFT = (1 << bit for bit in range(11))
LETTER = LOWER | UPPER
_CHARACTERS = (
    (LOWER, "abcdefghijklmnopqrstuvwxyz"),
    (UPPER, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    (WORD, "0123456789_"),
    (MARK, "{}[]=<>;_&*+\\|$"),
    (BLANK, " "),
    (DOT, "."),
    (STOP, ".,?!"),
    (QUOTE, "\"'`"),
    (OPEN, "("),
    (HARD, "{};([\\"),  # prose does not end a line with these
    (SOFT, ",:)]"),
)
# What each adds, and how often at most.
MARKS, CALLS, DOTS, HUMPS = (53, 20), (175, 8), (70, 8), (74, 8)
WORDS, OTHERS, QUOTES, STOPS = (-48, 30), (-50, 30), (-50, 8), (-60, 8)
KEYWORD = 200
HARD_END, SOFT_END, INDENTED, BIAS = 211, 208, 100, 76
# First words of lines of code that seldom begin a line of prose.
KEYWORDS = (
    "import def return elif include define ifdef ifndef endif pragma const var func fn public private protected "
    "static void struct typedef enum namespace using cdef cimport cpdef lambda async await yield raise except echo sudo"
)
UNSURE = 150  # a line that is no surer than this goes with the line before it
PIPES, TABS, COMMAS = 2, 2, 3  # from so many on in a line it is a row


@cache
def traits() -> Traits:
    """Give what each byte is, as bits; bytes beyond ASCII are nothing."""
    table = np.zeros(256, np.uint16)
    for bit, characters in _CHARACTERS:
        for character in characters:
            table[ord(character)] |= bit
    return read_only(table)


@cache
def keywords() -> Hashes:
    """Give the table in which the first word of a line is looked up."""
    return read_only(hash_table(KEYWORDS.split()))


@part
def line_kind(data: Bytes, begin: int, end: int, before: int, traits: Traits, keywords: Hashes) -> int:
    """Give the kind of a line that is not blank; `before` is that of the last such line, PROSE at first."""
    first, last = begin, end
    while first < last and data[first] <= 0x20:
        first += 1
    while last > first and data[last - 1] <= 0x20:
        last -= 1
    if is_row(data, first, last, traits):
        return TABLE
    score = code_score(data, first, last, traits)
    if data[begin] == 0x09 or first - begin >= 4:
        score += INDENTED
    if holds(keywords, first_word(data, first, last)):
        score += KEYWORD
    if abs(score) < UNSURE and before != TABLE:
        return before
    return CODE if score > 0 else PROSE


@part
def first_word(data: Bytes, first: int, last: int) -> np.uint64:
    """Give the hash of the small ASCII letters that a line begins with, behind a # if it has one."""
    if first < last and data[first] == 0x23:
        first += 1
    value = _SEED
    while first < last and 0x61 <= data[first] <= 0x7A:
        value = (value ^ np.uint64(data[first])) * _PRIME
        first += 1
    return value


@part
def is_row(data: Bytes, first: int, last: int, traits: Traits) -> bool:
    """Tell whether a line without blanks at its ends is a row: of Markdown, cells behind tabs, values behind commas."""
    pipes = tabs = commas = 0
    for at in range(first, last):
        pipes += int(data[at] == 0x7C)
        tabs += int(data[at] == 0x09)
        commas += int(data[at] == 0x2C)
    if pipes >= PIPES and (data[first] == 0x7C or data[last - 1] == 0x7C):
        return True
    return tabs >= TABS or (commas >= COMMAS and is_bare(data, first, last, traits))


@part
def is_bare(data: Bytes, first: int, last: int, traits: Traits) -> bool:
    """Tell whether a line has neither marks of code nor spaces behind commas."""
    previous = 0
    for at in range(first, last):
        byte = int(data[at])
        if traits[byte] & (MARK | OPEN) != 0 or (byte == 0x20 and previous == 0x2C):
            return False
        previous = byte
    return True


@part
def code_score(data: Bytes, first: int, last: int, traits: Traits) -> int:
    """Give how much a line without blanks at its ends looks like code, web addresses aside: above 0 it does."""
    marks = calls = dots = humps = words = others = quotes = stops = 0
    before = previous = 0
    at = first
    while at < last:
        byte = data[at]
        trait = int(traits[byte])
        if byte == 0x68 or byte == 0x77:
            behind = address_end(data, at, last)
            if behind > at:
                at, before, previous = behind, 0, 0
                continue
        at += 1
        marks += int(trait & MARK != 0)
        others += int(byte >= 0xC0)
        if trait & LETTER:
            dots += int(previous & DOT != 0 and before & LETTER != 0)
            humps += int(previous & LOWER != 0 and trait & UPPER != 0)
            words += int(previous & BLANK != 0 and before & LETTER != 0 and trait & LOWER != 0)
            stops += int(previous & BLANK != 0 and before & STOP != 0)
        elif trait & OPEN:
            calls += int(previous & (LETTER | WORD) != 0)
        elif trait & QUOTE:
            quotes += int(previous & LETTER == 0)
        before, previous = previous, trait
    score = BIAS + HARD_END * int(previous & HARD != 0) + SOFT_END * int(previous & SOFT != 0)
    score += weighed(marks, MARKS) + weighed(calls, CALLS) + weighed(dots, DOTS) + weighed(humps, HUMPS)
    return score + weighed(words, WORDS) + weighed(others, OTHERS) + weighed(quotes, QUOTES) + weighed(stops, STOPS)


@part
def weighed(count: int, weight: tuple[int, int]) -> int:
    """Give what a count adds: its weight, but no more often than the limit behind it."""
    return min(count, weight[1]) * weight[0]


@part
def address_end(data: Bytes, at: int, end: int) -> int:
    """Give where the web address ends that begins at a byte; that byte's place where none does."""
    if not begins_address(data, at, end):
        return at
    place = at
    while place < end and 0x21 <= data[place] <= 0x7E and data[place] != 0x3C and data[place] != 0x3E:
        place += 1
    return place


@part
def begins_address(data: Bytes, at: int, end: int) -> bool:
    """Tell whether `http://`, `https://` or `www.` stands at a byte that is an h or a w."""
    if data[at] == 0x77:
        return bool(end - at >= 4 and data[at + 1] == 0x77 and data[at + 2] == 0x77 and data[at + 3] == 0x2E)
    if end - at < 7 or data[at + 1] != 0x74 or data[at + 2] != 0x74 or data[at + 3] != 0x70:
        return False
    colon = at + 4 + int(data[at + 4] == 0x73)
    return bool(end - colon >= 3 and data[colon] == 0x3A and data[colon + 1] == 0x2F and data[colon + 2] == 0x2F)

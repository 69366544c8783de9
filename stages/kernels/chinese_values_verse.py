"""Verse by its form: clauses of equal length, short clauses without the particles of prose, and short open lines."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Counts, Hashes, Offsets
from headrace.schemas.compiled import kernel, part
from headrace.stages.kernels.chinese_values_lines import (
    BREAK,
    CLOSER,
    DIGIT,
    END,
    FUNCTION,
    HAN,
    LETTER,
    LITERARY,
    MODERN,
    SPACE,
    Traits,
)
from headrace.stages.kernels.utf8 import decode

CLAUSES = 8
(
    WRITTEN,  # characters that are no white space and no punctuation
    REGULAR,  # characters of four or more clauses in a row that have the same length of 3 to 7
    SHORT,  # characters of clauses of 2 to 9 Han characters with a mark of a sentence or a comma behind them
    PARTICLES,  # function characters of modern or literary prose
    LINES,  # that are not blank
    OPEN_LINES,  # of 2 to 20 Han characters, ended by no mark of a sentence
    LONG_LINES,  # of more than 30 characters
    SAID_LINES,  # open lines with a function character
) = range(CLAUSES)
_COMMA, _PAUSE = 0xFF0C, 0x3001
LEAST_CLAUSES, SHORTEST, LONGEST = 4, 3, 7
LONGEST_CLAUSE = 9
LONGEST_OPEN, LONG = 20, 30


@kernel
def verse_counts(data: Bytes, offsets: Offsets, traits: Traits) -> Counts:
    """Give per document the counts named above. A clause is what stands between marks, spaces and line ends.

    Signs such as | and _ end a row of regular clauses, since they stand in lists. A text that is one pair of clauses
    of equal length is regular, too.
    """
    out = np.zeros((len(offsets) - 1, CLAUSES), np.int64)
    for document in range(len(offsets) - 1):
        count_clauses(data, offsets[document], offsets[document + 1], traits, out[document])
        count_lines(data, offsets[document], offsets[document + 1], traits, out[document])
    return out


@part
def count_clauses(data: Bytes, at: int, end: int, traits: Traits, row: Counts) -> None:
    """Count the characters of regular and of short clauses."""
    size = han = 0
    length = run = clauses = 0  # of the clauses in a row, and how many these are
    while at <= end:
        point, at = decode(data, at) if at < end else (10, at + 1)
        trait = np.int64(traits[point])
        if trait & (HAN | LETTER | DIGIT):
            size += 1
            han += int(trait & HAN != 0)
            row[PARTICLES] += int(trait & (MODERN | LITERARY) != 0)
            continue
        if size == 0:
            continue
        row[WRITTEN] += size
        clauses += 1
        marked = trait & END != 0 or point == _COMMA
        row[SHORT] += size if size == han and 2 <= size <= LONGEST_CLAUSE and marked else 0
        pure = size == han and (marked or trait & CLOSER != 0 or point == _PAUSE or is_free(data, at, end, trait))
        if pure and size == length:
            run += 1
        else:
            row[REGULAR] += run * length if run >= LEAST_CLAUSES else 0
            length = size if pure and SHORTEST <= size <= LONGEST else 0
            run = int(length > 0)
        size = han = 0
    row[REGULAR] += run * length if run >= LEAST_CLAUSES or (run == clauses and run == 2) else 0


@part
def is_free(data: Bytes, at: int, end: int, trait: np.int64) -> bool:
    """Tell whether a character is white space that no sign of ASCII follows."""
    if trait & SPACE == 0:
        return False
    return bool(trait & BREAK or at >= end or data[at] >= 0x80 or data[at] == 0x0A)


@part
def count_lines(data: Bytes, at: int, end: int, traits: Traits, row: Counts) -> None:
    """Count lines by how they end and how long they are."""
    whole = han = function = 0
    mark = np.int64(0)
    while at <= end:
        point, at = decode(data, at) if at < end else (10, at + 1)
        trait = np.int64(traits[point])
        if trait & BREAK and whole:
            is_open = 2 <= han <= LONGEST_OPEN and 2 * han > whole and mark & END == 0
            row[LINES] += 1
            row[OPEN_LINES] += int(is_open)
            row[SAID_LINES] += int(is_open and function > 0)
            row[LONG_LINES] += int(whole > LONG)
        if trait & BREAK:
            whole = han = function = 0
            mark = np.int64(0)
        if trait & SPACE:
            continue
        whole += 1
        han += int(trait & HAN != 0)
        function += int(trait & FUNCTION != 0)
        mark = mark if trait & CLOSER else trait


GRAM = 3
_KEY = np.uint64((1 << 63) - 1)


@kernel
def top_counts(data: Bytes, offsets: Offsets, traits: Traits) -> Counts:
    """Give per document how often its most frequent run of three Han characters stands there, overlaps counted once."""
    longest = 0
    for document in range(len(offsets) - 1):
        longest = max(longest, offsets[document + 1] - offsets[document])
    size = 16
    while size < longest:
        size *= 2
    keys, ends, counts = np.empty(size, np.uint64), np.empty(size, np.int64), np.empty(size, np.int64)
    out = np.zeros(len(offsets) - 1, np.int64)
    for document in range(len(offsets) - 1):
        out[document] = top_count(data, offsets[document], offsets[document + 1], traits, keys, ends, counts)
    return out


@part
def top_count(data: Bytes, at: int, end: int, traits: Traits, keys: Hashes, ends: Counts, counts: Counts) -> int:
    """Give the times of the most frequent run; three code points of 21 bits are its key, so that none is mistaken."""
    room = 16
    while room < end - at:
        room *= 2
    counts[:room] = 0
    mask = np.uint64(room - 1)
    key, han, most, place = np.uint64(0), 0, 0, 0
    while at < end:
        point, at = decode(data, at)
        place += 1
        if traits[point] & HAN == 0:
            han = 0
            continue
        han += 1
        key = (key << np.uint64(21) | np.uint64(point)) & _KEY
        if han < GRAM:
            continue
        slot = (key * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(32)) & mask
        while counts[slot] and keys[slot] != key:
            slot = (slot + np.uint64(1)) & mask
        if counts[slot] == 0:
            keys[slot], ends[slot] = key, 0
        if ends[slot] <= place - GRAM:
            counts[slot] += 1
            ends[slot] = place
            most = max(most, counts[slot])
    return most

"""Lines, sentences, lists and garbled stretches of Chinese text, in one pass over its characters."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from headrace.schemas.arrays import Bytes, Counts, Offsets
from headrace.schemas.compiled import kernel, part
from headrace.stages.kernels.language_scan import is_known
from headrace.stages.kernels.utf8 import decode

Traits = npt.NDArray[np.uint16]
HAN, LETTER, DIGIT, SPACE, BREAK, SIGN, END, CLOSER = (1 << bit for bit in range(8))
SEPARATOR, STOP, MODERN, LITERARY, CANTONESE, MISREAD, MISREAD_LETTER, LOST = (1 << bit for bit in range(8, 16))
FUNCTION = MODERN | LITERARY | CANTONESE
COUNTS = 14
(
    CHARACTERS,  # but white space
    HANS,
    MODERNS,
    LITERARIES,
    CANTONESES,
    LINES,  # that are not blank
    ENDED_LINES,  # by 。！？…；. and closers behind them, by a closing quote, the longer ones by any closer
    ITEM_LINES,  # without such an end and without a function character, at most 12 characters
    PROSE,  # Han characters of sentences with a function character among sixteen of them, or of twelve and more with 。
    LISTED,  # characters in lists of six or more names, of which one character in four may be a function character
    SEPARATED,  # Han characters between signs
    GARBLED,
    PAIRS,  # neighbouring Han characters
    KNOWN,  # of these, in words of today
) = range(COUNTS)
LEAST_HAN, ONE_IN, LEAST_FULL = 5, 16, 12
FULL_STOP = 0x3002  # 。
NAMES, SHORTEST_NAME, LONGEST_NAME, LEAST_SOLID = 6, 2, 10, 4
LONGEST_ITEM = 12
LEAST_MISREAD, LEAST_LETTERS = 3, 3


@kernel
def text_counts(data: Bytes, offsets: Offsets, traits: Traits, folded: npt.NDArray[np.uint32], known: Bytes) -> Counts:
    """Give per document the counts named above."""
    out = np.zeros((len(offsets) - 1, COUNTS), np.int64)
    for document in range(len(offsets) - 1):
        begin, end = offsets[document], offsets[document + 1]
        count_characters(data, begin, end, traits, folded, known, out[document])
        count_sentences(data, begin, end, traits, out[document])
        count_lists(data, begin, end, traits, out[document])
        count_garbled(data, begin, end, traits, out[document])
    return out


@part
def count_characters(
    data: Bytes, at: int, end: int, traits: Traits, folded: npt.NDArray[np.uint32], known: Bytes, row: Counts
) -> None:
    """Count characters by trait, Han characters between signs, and pairs."""
    before = last = np.int64(SIGN)
    point_before = 0
    while at < end:
        point, at = decode(data, at)
        trait = np.int64(traits[point])
        row[CHARACTERS] += int(trait & SPACE == 0)
        if trait & HAN:
            row[HANS] += 1
            row[MODERNS] += int(trait & MODERN != 0)
            row[LITERARIES] += int(trait & LITERARY != 0)
            row[CANTONESES] += int(trait & CANTONESE != 0)
            if last & HAN:
                row[PAIRS] += 1
                row[KNOWN] += int(is_known(known, folded[point_before], folded[point]))
        row[SEPARATED] += int(last & HAN != 0 and is_sign(before) and is_sign(trait) and (before | trait) & SPACE == 0)
        row[SEPARATED] += int(last & HAN != 0 and before & trait & SPACE != 0 and (before | trait) & BREAK == 0)
        before, last, point_before = last, trait, point


@part
def is_sign(trait: np.int64) -> bool:
    """Tell whether a character is a sign that no sentence has."""
    return bool(trait & SIGN != 0)


@part
def count_sentences(data: Bytes, at: int, end: int, traits: Traits, row: Counts) -> None:
    """Count lines and the characters of sentences; a sentence ends at an END, a STOP before white space, or a line."""
    han = function = 0  # of the sentence
    whole = words = 0  # of the line: its characters and function characters
    mark = last = np.int64(0)  # the last character that is no closer; the last one
    quote = full = False  # the last one closes a quotation; the last but closers is 。
    while at <= end:
        point, at = decode(data, at) if at < end else (10, at + 1)
        trait = np.int64(traits[point])
        stopped = last & STOP != 0 and trait & SPACE != 0
        if stopped or trait & BREAK or is_bar(point) or (last & END and trait & (END | CLOSER) == 0):
            said = han >= LEAST_HAN and function * ONE_IN >= han
            row[PROSE] += han if said or (full and han >= LEAST_FULL) else 0
            han = function = 0
        if trait & BREAK:
            if whole:
                ended = mark & (END | STOP) != 0 or quote or (last & CLOSER != 0 and whole > LONGEST_ITEM)
                row[LINES] += 1
                row[ENDED_LINES] += int(ended)
                row[ITEM_LINES] += int(not ended and words == 0 and whole <= LONGEST_ITEM)
            whole = words = 0
            mark = last = np.int64(0)
            quote = full = False
            continue
        if trait & SPACE:
            last = np.int64(0) if last & STOP else last
            continue
        whole += 1
        han += int(trait & HAN != 0)
        function += int(trait & FUNCTION != 0)
        words += int(trait & FUNCTION != 0)
        mark = mark if trait & CLOSER else trait
        full = full if trait & CLOSER else point == FULL_STOP
        last = trait
        quote = point in (0x201D, 0x300D, 0x300F)  # ” 」 』


@part
def is_bar(point: int) -> bool:
    """Tell whether a character stands between the columns of a page: | ｜ 丨 > » ›."""
    return point in (0x7C, 0xFF5C, 0x4E28, 0x3E, 0xBB, 0x203A)


@part
def count_lists(data: Bytes, at: int, end: int, traits: Traits, row: Counts) -> None:
    """Count the characters of names in lists: runs of names between separators, one kind of them or several."""
    names = covered = 0
    size = han = function = 0
    while at <= end:
        point, at = decode(data, at) if at < end else (10, at + 1)
        trait = np.int64(traits[point])
        if trait & (HAN | LETTER | DIGIT):
            size += 1
            han += int(trait & HAN != 0)
            function += int(trait & FUNCTION != 0)
            continue
        if size:
            if han >= SHORTEST_NAME and size <= LONGEST_NAME and function * LEAST_SOLID <= han:
                names += 1
                covered += size
            else:
                row[LISTED] += covered if names >= NAMES else 0
                names = covered = 0
            size = han = function = 0
        if trait & SEPARATOR == 0 or trait & BREAK:
            row[LISTED] += covered if names >= NAMES else 0
            names = covered = 0


@part
def count_garbled(data: Bytes, at: int, end: int, traits: Traits, row: Counts) -> None:
    """Count lost characters, and runs that bytes give when they are read by a wrong charset.

    These are runs of three or more such letters, and runs of Han characters of which two in five are misread ones.
    """
    misread = han = letters = 0
    while at <= end:
        point, at = decode(data, at) if at < end else (10, at + 1)
        trait = np.int64(traits[point])
        row[GARBLED] += int(trait == LOST)
        if trait & HAN:
            misread += int(trait & MISREAD != 0)
            han += 1
        elif han:
            row[GARBLED] += han if misread >= LEAST_MISREAD and 5 * misread >= 2 * han else 0
            misread = han = 0
        if trait & MISREAD_LETTER:
            letters += 1
        elif letters:
            row[GARBLED] += letters if letters >= LEAST_LETTERS else 0
            letters = 0

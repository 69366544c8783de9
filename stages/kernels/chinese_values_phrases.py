"""Phrases of advertising in a text, also with signs between their characters, and numbers and addresses to write to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headrace.schemas.arrays import Bytes, Classes, Counts, Offsets
from headrace.schemas.compiled import kernel, part
from headrace.stages.kernels.utf8 import decode

SIGN, SPACE_SIGN, STOP = 1, 2, 3
MOST_SIGNS = 2  # between two characters of a phrase
COVERED, MATCHES, KINDS, DISGUISED = range(4)  # characters, occurrences, different phrases, occurrences with signs
Numbers = npt.NDArray[np.uint16]


class Phrases(NamedTuple):
    """The automaton: symbols and signs by code point, steps by node and symbol, phrases that end at a node by group."""

    symbols: Numbers
    signs: Classes
    steps: Numbers
    depths: Classes
    ends: Numbers
    sizes: Counts


@kernel
def phrase_counts(data: Bytes, offsets: Offsets, phrases: Phrases) -> Counts:
    """Give per document and group the counts named above.

    Of the phrases of a group that end at a character the longest counts. Characters are those of phrases, each once;
    an occurrence that begins inside the one before it is no other. A Latin phrase stands between other letters never.
    """
    groups = phrases.ends.shape[1]
    out = np.zeros((len(offsets) - 1, groups, 4), np.int64)
    seen = np.full(len(phrases.sizes), -1, np.int64)  # the last document with a phrase
    last = np.zeros(groups, np.int64)
    for document in range(len(offsets) - 1):
        last[:] = 0
        search(data, offsets[document], offsets[document + 1], phrases, document, seen, last, out[document])
    return out


@part
def search(
    data: Bytes, at: int, end: int, phrases: Phrases, document: int, seen: Counts, last: Counts, out: Counts
) -> None:
    """Count the phrases of one document; `last` holds where the last occurrence of each group ended."""
    symbols, signs, steps, depths, ends = phrases.symbols, phrases.signs, phrases.steps, phrases.depths, phrases.ends
    state = np.int64(0)
    place = gap = 0  # place: characters that are no signs, so far
    sign = -1  # place of the last sign that is no white space
    before = 0
    while at < end:
        point, at = decode(data, at)
        symbol = symbols[point]
        kind = signs[point]
        if kind in (SIGN, SPACE_SIGN):
            gap += 1
            sign = place if kind == SIGN else sign
            state = np.int64(0) if gap > MOST_SIGNS else state
        else:
            gap = 0
            place += 1
            state = np.int64(0) if symbol == 0 else np.int64(steps[state, symbol])
            if state and depths[state] == 1 and is_letter(point) and is_letter(before):
                state = np.int64(0)
            if state and not (is_letter(point) and at < end and is_letter(int(data[at]))):
                for group in range(ends.shape[1]):
                    if ends[state, group]:
                        count(int(ends[state, group]), phrases.sizes, place, sign, document, seen, last, out, group)
        before = point


@part
def count(
    phrase: int,
    sizes: Counts,
    place: int,
    sign: int,
    document: int,
    seen: Counts,
    last: Counts,
    out: Counts,
    group: int,
) -> None:
    """Count one occurrence of a phrase that ends at a place."""
    begin = place - sizes[phrase]
    if begin >= last[group]:
        out[group, MATCHES] += 1
        out[group, DISGUISED] += int(sign > begin)
    out[group, COVERED] += place - max(begin, last[group])
    last[group] = place
    if seen[phrase] != document:
        seen[phrase] = document
        out[group, KINDS] += 1


@part
def is_letter(point: int) -> bool:
    """Tell whether a code point is a letter of ASCII."""
    return 0x61 <= point | 0x20 <= 0x7A


TELEPHONES, LINKS, LINK_CHARACTERS = range(3)
_DOT, _ZERO, _NINE, _MINUS, _SPACE, _SLASH = 0x2E, 0x30, 0x39, 0x2D, 0x20, 0x2F


@kernel
def mark_counts(data: Bytes, offsets: Offsets, domains: Counts) -> Counts:
    """Give per document: telephone numbers, addresses of the web, and the characters of these.

    A telephone number is 11 digits from 13 to 19, 10 from 400 or 800, or 10 to 12 from 0; single - and spaces may
    stand between digits. An address is a name, a dot, a top-level domain out of `domains` (its letters as a number in
    base 32, sorted), with all that stands around it without white space and beyond ASCII.
    """
    out = np.zeros((len(offsets) - 1, 3), np.int64)
    for document in range(len(offsets) - 1):
        end = offsets[document + 1]
        at = begin = offsets[document]
        linked = False
        while at <= end:
            byte = int(data[at]) if at < end else 0
            if byte <= _SPACE or byte > 0x7E:
                if linked:
                    out[document, LINKS] += 1
                    out[document, LINK_CHARACTERS] += at - begin
                linked, begin = False, at + 1
                at += 1
                continue
            if _ZERO <= byte <= _NINE and not linked and (at == begin or not is_digit(int(data[at - 1]))):
                following = telephone(data, at, end)
                if following:
                    out[document, TELEPHONES] += 1
                    at = begin = following
                    continue
            if byte == _DOT and at > begin and is_name(int(data[at - 1])):
                linked = linked or is_domain(data, at + 1, end, domains)
            at += 1
    return out


@part
def telephone(data: Bytes, at: int, end: int) -> int:
    """Give where a telephone number that begins at a digit ends, or 0 if none does."""
    digits = value = 0
    while at < end and digits < 14:
        byte = int(data[at])
        if is_digit(byte):
            digits += 1
            value = value * 10 + byte - _ZERO if digits <= 3 else value
        elif not (byte in (_MINUS, _SPACE) and at + 1 < end and is_digit(int(data[at + 1]))):
            break
        at += 1
    mobile = digits == 11 and 130 <= value <= 199
    service = digits == 10 and (value == 400 or value == 800)
    return at if mobile or service or (10 <= digits <= 12 and 10 <= value <= 99) else 0


@part
def is_domain(data: Bytes, at: int, end: int, domains: Counts) -> bool:
    """Tell whether the letters from here on are a top-level domain."""
    value = letters = 0
    while at < end and is_letter(int(data[at])) and letters < 7:
        value = value * 32 + (int(data[at]) & 31)
        letters += 1
        at += 1
    if at < end and is_name(int(data[at])):
        return False
    place = np.searchsorted(domains, value)
    return bool(place < len(domains) and domains[place] == value)


@part
def is_name(byte: int) -> bool:
    """Tell whether a byte may stand in a domain's name."""
    return is_letter(byte) or is_digit(byte) or byte == _MINUS


@part
def is_digit(byte: int) -> bool:
    """Tell whether a byte is a digit."""
    return _ZERO <= byte <= _NINE

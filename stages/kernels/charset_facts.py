"""What is known about bytes before any charset is tried: how many are beyond ASCII or control bytes; if it is UTF-8."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Counts, Offsets
from headrace.schemas.compiled import part
from headrace.stages.kernels.charset_numbers import ONE, THREE, TWO, number, place
from headrace.stages.kernels.charset_units import read_utf8

# What is counted. CODES are UTF-8 sequences, PAIRS those of two bytes, CUTS those that the end of a row cut;
# BROKEN says that it is no UTF-8, and then these three counts end where it broke.
# MARK says that the first byte may begin a byte order mark, SPECIAL that there is a mark, a NUL or an escape.
SIZE, HIGH, NULS, ESCAPES, TILDES, CONTROLS, CODES, PAIRS, CUTS, BROKEN, MARK, SPECIAL = range(12)
FACTS = 12
# Compared with bytes as bytes, or the compiler takes but eight at a time.
_TAB, _NEWLINE, _RETURN, _SPACE, _TILDE = np.uint8(9), np.uint8(10), np.uint8(13), np.uint8(0x20), np.uint8(0x7E)
_ESCAPE, _BRACE = 0x1B, 0x7B


@part
def gather_facts(data: Bytes, begins: Offsets, ends: Offsets, first: int, last: int, facts: Counts) -> None:
    """Fill in the facts about some rows that are one group."""
    facts[MARK] = may_be_marked(data, begins[first], ends[first])
    for row in range(first, last):
        count_bytes(data, begins[row], ends[row], facts)
        if facts[HIGH] and not facts[BROKEN]:
            count_codes(data, begins[row], ends[row], facts)
    facts[SPECIAL] = facts[MARK] or facts[NULS] > 0 or facts[ESCAPES] > 0 or facts[TILDES] > 0


@part
def may_be_marked(data: Bytes, begin: int, end: int) -> bool:
    """Say whether the first byte is that of a mark of UTF-8, UTF-16, UTF-32 or GB 18030."""
    return begin < end and data[begin] in (0xEF, 0xFE, 0xFF, 0x00, 0x84)


@part
def count_bytes(data: Bytes, begin: int, end: int, facts: Counts) -> None:
    """Count by value, in loops so plain that the compiler takes many bytes at a time."""
    row = data[begin:end]
    high, odd, tilde = 0, False, False
    for byte in row:
        high += byte >> 7
    for byte in row:
        odd |= (byte < _SPACE) & (byte != _TAB) & (byte != _NEWLINE) & (byte != _RETURN)
    for byte in row:
        tilde |= byte == _TILDE
    facts[SIZE] += end - begin
    facts[HIGH] += high
    if odd:
        count_controls(data, begin, end, facts)
    if tilde:
        facts[TILDES] += openers(data, begin, end)


@part
def count_controls(data: Bytes, begin: int, end: int, facts: Counts) -> None:
    """Count NULs, escapes and other control bytes: most texts have none."""
    for i in range(begin, end):
        byte = data[i]
        facts[NULS] += byte == 0
        facts[ESCAPES] += byte == _ESCAPE
        facts[CONTROLS] += byte < 0x20 and byte not in (0, 9, 10, 12, 13, _ESCAPE)


@part
def openers(data: Bytes, begin: int, end: int) -> int:
    """Count `~{`, which opens Chinese in HZ."""
    found = 0
    for i in range(begin, end - 1):
        found += data[i] == _TILDE and data[i + 1] == _BRACE
    return found


@part
def count_codes(data: Bytes, begin: int, end: int, facts: Counts) -> None:
    """Count UTF-8 sequences, up to the first that is broken."""
    at, stop = place(begin), place(end)
    usual = 0
    while at < stop:
        lead = data[at]
        if lead < 0x80:
            at += ONE
            continue
        # Leads that any two other bytes may follow, as Han, kana and most Hangul have them. Looked at here, since the
        # same test in a part of its own makes this loop six times slower.
        free = 0xE0 < lead < 0xF0 and lead != 0xED and at + TWO < stop
        if free and (data[at + ONE] & 0xC0) == 0x80 and (data[at + TWO] & 0xC0) == 0x80:
            usual += 1
            at += THREE
            continue
        point, size = read_utf8(data, number(at), end)
        if point == 0:
            facts[BROKEN] = 1
            break
        facts[CODES] += point > 0
        facts[CUTS] += point < 0
        facts[PAIRS] += size == 2 and point > 0
        at += place(size)
    facts[CODES] += usual

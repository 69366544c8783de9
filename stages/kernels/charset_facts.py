"""What is known about bytes before any charset is tried: how many are beyond ASCII or control bytes; if it is UTF-8."""

from __future__ import annotations

import numpy as np

from headrace.stages.kernels.arrays import Bytes, Counts, Offsets
from headrace.stages.kernels.charset_units import read_utf8
from headrace.stages.kernels.compiled import kernel, part

# Columns of `byte_facts`. CODES are UTF-8 sequences, PAIRS those of two bytes, CUTS those that the end of a row cut;
# BROKEN says that it is no UTF-8, and then these three counts end where it broke.
# MARK says that the first byte may begin a byte order mark.
SIZE, HIGH, NULS, ESCAPES, TILDES, CONTROLS, CODES, PAIRS, CUTS, BROKEN, MARK = range(11)
FACTS = 11
_ESCAPE, _TILDE, _BRACE = 0x1B, 0x7E, 0x7B


@kernel
def byte_facts(data: Bytes, begins: Offsets, ends: Offsets, firsts: Offsets) -> Counts:
    """Give the facts about groups of rows; group g has the rows `firsts[g]` to `firsts[g + 1]`, each some bytes."""
    facts = np.zeros((len(firsts) - 1, FACTS), np.int64)
    for group in range(len(firsts) - 1):
        facts[group, MARK] = may_be_marked(data, begins[firsts[group]], ends[firsts[group]])
        for row in range(firsts[group], firsts[group + 1]):
            count_bytes(data, begins[row], ends[row], facts[group])
            if facts[group, HIGH] and not facts[group, BROKEN]:
                count_codes(data, begins[row], ends[row], facts[group])
    return facts


@part
def may_be_marked(data: Bytes, begin: int, end: int) -> bool:
    """Say whether the first byte is that of a mark of UTF-8, UTF-16, UTF-32 or GB 18030."""
    return begin < end and data[begin] in (0xEF, 0xFE, 0xFF, 0x00, 0x84)


@part
def count_bytes(data: Bytes, begin: int, end: int, facts: Counts) -> None:
    """Count by value; no branch in the loop, so that the compiler takes many bytes at a time."""
    high = nuls = escapes = tildes = controls = 0
    for i in range(begin, end):
        byte = data[i]
        high += byte >> 7
        nuls += byte == 0
        escapes += byte == _ESCAPE
        tildes += byte == _TILDE
        controls += (byte < 0x20) & (byte != 0) & (byte != _ESCAPE) & ((byte < 9) | (byte > 13) | (byte == 11))
    facts[SIZE] += end - begin
    facts[HIGH] += high
    facts[NULS] += nuls
    facts[ESCAPES] += escapes
    facts[CONTROLS] += controls
    if tildes:
        facts[TILDES] += openers(data, begin, end)


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
    at = begin
    while at < end:
        if data[at] < 0x80:
            at += 1
            continue
        point, size = read_utf8(data, at, end)
        if point == 0:
            facts[BROKEN] = 1
            return
        facts[CODES] += point > 0
        facts[CUTS] += point < 0
        facts[PAIRS] += size == 2 and point > 0
        at += size

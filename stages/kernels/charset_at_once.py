"""One long text straight to code points: what needs no more than a quick look and has nothing odd."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, CodePoints
from headrace.schemas.compiled import kernel, part
from headrace.stages.kernels.charset_facts import CUTS, FACTS, SPECIAL, gather_facts
from headrace.stages.kernels.charset_model import (
    BIG5,
    COST_SHIFT,
    COST_STEP,
    CP950_FIRST,
    CP950_LAST,
    POINT,
    SEQUENCE,
    UTF_8,
    Points,
)
from headrace.stages.kernels.charset_numbers import ONE, number, place
from headrace.stages.kernels.charset_race import (
    CODEC,
    COLUMNS,
    SAMPLED,
    SCORE,
    SECOND_SCORE,
    proven,
    quick_race,
)
from headrace.stages.kernels.charset_transcode import NO_CODE, ODD, USUAL, begins_as_utf8
from headrace.stages.kernels.charset_units import read_code

UNTOLD = -1
_MARK, _NEWLINE = 0xFEFF, 0x0A


@kernel
def read_at_once(data: Bytes, codes: Points, longer: Points, out: CodePoints) -> tuple[int, int, int, int, int]:
    """Give charset, score, how far ahead that is, bytes sampled, and how many code points are in `out`.

    The charset is UNTOLD where `decode_groups` has to find it or the text looks odd, and UTF_8 with nothing in `out`
    for what is proven to be that as it stands. `out` has room for a code point for each byte.
    """
    begins, ends = np.zeros(1, np.int64), np.full(1, len(data), np.int64)
    facts, found = np.zeros(FACTS, np.int64), np.zeros(COLUMNS, np.int64)
    gather_facts(data, begins, ends, 0, 1, facts)
    if facts[SPECIAL]:
        return UNTOLD, 0, 0, 0, 0
    if proven(facts):
        return UNTOLD if facts[CUTS] else UTF_8, 0, 0, 0, 0
    if not quick_race(data, begins, ends, 0, 1, facts, codes, longer, found):
        return UNTOLD, 0, 0, 0, 0
    size = plain_points(data, found[CODEC], codes[found[CODEC]], longer, out)
    codec = found[CODEC] if size >= 0 else UNTOLD
    return codec, found[SCORE], found[SCORE] - found[SECOND_SCORE], found[SAMPLED], size


@part
def plain_points(data: Bytes, family: int, codes: Points, longer: Points, out: CodePoints) -> int:
    """Write code points and give their number, or -1 where `from_codes` would note anything about the row."""
    at, stop, there = place(0), place(len(data)), place(0)
    strain = last = 0
    first_vendor = CP950_FIRST if family == BIG5 else NO_CODE
    while at < stop:
        if data[at] < 0x80:
            out[there] = data[at]
            strain = 0 if data[at] == _NEWLINE else strain
            there += ONE
            at += ONE
            continue
        if begins_as_utf8(data, number(at), len(data)):
            return -1
        while at < stop and data[at] >= 0x80:
            code = entry = 0
            if at + ONE < stop:
                code = number(data[at]) << 8 | number(data[at + ONE])
                entry = number(codes[place(code)])
            point, size = entry & POINT, 2
            if entry == 0:
                point, size = read_code(data, number(at), len(data), family, codes, longer)
            elif point != last:
                strain = max(0, strain + (entry >> COST_SHIFT) * COST_STEP - USUAL)
            vendor = first_vendor <= code <= CP950_LAST
            if strain > ODD or vendor or point <= 0 or point >= SEQUENCE or point == _MARK:
                return -1
            out[there] = point
            there += ONE
            at += place(size)
            last = point
    return number(there)

"""A quick look at a long double-byte text: most are told by half a kilobyte, without pairs and without pages."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Counts
from headrace.schemas.compiled import part
from headrace.stages.kernels.charset_model import COST_SHIFT, COST_STEP, HOPELESS, Points
from headrace.stages.kernels.charset_numbers import ONE, number, place
from headrace.stages.kernels.charset_units import read_code

FAMILIES_JUDGED = 7
STEP = 32  # bytes between two looks at how far the best is ahead
_AHEAD = 6000  # centinats that the best must be ahead of all others
_FAR_BEHIND = 8000
_DAMAGE, _LONG_CODE, _REPEATED = 2400, 1500, 250
_OTHER_CHARSET, _OTHER_LINE, _NEWLINE = 800, 2000, 10  # as in charset_scores
_ENOUGH, _UNITS_PER_BAD, _MOST_MEAN = 60, 50, 950


@part
def quick_look(sample: Bytes, codes: Points, longer: Points, scores: Counts) -> bool:
    """Score the double-byte families; say whether one is so far ahead that nothing else need be tried."""
    best = np.full(len(sample) // STEP + 2, np.iinfo(np.int64).max, np.int64)
    own = np.empty(len(best), np.int64)
    top, top_units, top_bad = -1, 0, 0
    for family in range(FAMILIES_JUDGED):
        cost, units, bad = quick_cost(sample, family, codes[family], longer, best, own)
        scores[family] = -cost
        if cost >= 0 and (top < 0 or cost < -scores[top]):
            best[:] = own
            top, top_units, top_bad = family, units, bad
    ahead = True
    for family in range(FAMILIES_JUDGED):
        ahead &= family == top or scores[family] < scores[top] - _AHEAD
    likely = top_units >= _ENOUGH and top_bad * _UNITS_PER_BAD <= top_units and -scores[top] < _MOST_MEAN * top_units
    return ahead and likely


@part
def quick_cost(
    sample: Bytes, family: int, codes: Points, longer: Points, best: Counts, own: Counts
) -> tuple[int, int, int]:
    """Give the sum of the characters' costs, their number and that of damaged places.

    The cost is -HOPELESS once it is far above that of the best, whose costs at every STEP bytes are in `best`.
    """
    at, stop, next_look = place(0), place(len(sample)), place(0)
    cost = units = bad = looks = last = line_most = line_high = 0
    while at + ONE < stop:
        if at >= next_look:
            own[looks] = cost
            if cost - _FAR_BEHIND > best[looks]:
                return -HOPELESS, units, bad
            looks += 1
            next_look += place(STEP)
        byte = number(sample[at])
        if byte < 0x80:
            at += ONE
            if byte == _NEWLINE:
                cost = min(cost, line_most + line_high * _OTHER_CHARSET + _OTHER_LINE)
                line_most, line_high = cost, 0
            continue
        entry, size = number(codes[place(byte << 8 | number(sample[at + ONE]))]), 2
        if entry:
            cost += _REPEATED if entry == last else (entry >> COST_SHIFT) * COST_STEP
            units += 1
        else:
            point, size = read_code(sample, number(at), len(sample), family, codes, longer)
            cost += _LONG_CODE if point > 0 else _DAMAGE
            bad += point <= 0
        at += place(size)
        last = entry
        line_high += size
    own[looks:] = cost
    return cost, units, bad

"""How plausible a text is as Chinese, and where it may be garbled: for short runs by the ten thousand."""

from __future__ import annotations

from typing import NamedTuple

from headrace.schemas.arrays import Classes, CodePoints, Floats, Links
from headrace.schemas.compiled import kernel, part
from headrace.stages.kernels.characters import HAN
from headrace.stages.kernels.repair_scan import SUSPICION


class Chinese(NamedTuple):
    """Tables of `weigh`: the nats and the class of each code point, its simplified form, and the pairs of words.

    `seconds` holds the second characters of all pairs, sorted within those of one first character, which are
    `seconds[begins[first]:begins[first + 1]]`; `gains` are the nats of each pair.
    """

    nats: Floats
    classes: Classes
    folded: CodePoints
    begins: Links
    seconds: CodePoints
    gains: Floats


@kernel
def weigh(points: CodePoints, tables: Chinese, known: float) -> tuple[float, int, int]:
    """Give the nats of a text, its Han characters, and its pairs that gain more than `known`."""
    nats, han, pairs = 0.0, 0, 0
    before = -1
    for point in points:
        nats += tables.nats[point]
        han += int(tables.classes[point] == HAN)
        simple = int(tables.folded[point])
        if before >= 0:
            gain = pair_gain(before, simple, tables.begins, tables.seconds, tables.gains)
            nats += gain
            pairs += int(gain > known)
        before = simple
    return nats, han, pairs


@part
def pair_gain(first: int, second: int, begins: Links, seconds: CodePoints, gains: Floats) -> float:
    """Give the nats that a pair of simplified characters adds, 0 if no word has it."""
    low, end = begins[first], begins[first + 1]
    high = end
    while low < high:
        middle = (low + high) // 2
        if seconds[middle] < second:
            low = middle + 1
        else:
            high = middle
    return gains[low] if low < end and seconds[low] == second else 0.0


@kernel
def most_suspicion(points: CodePoints, signals: Links) -> int:
    """Give the most suspicion that the characters of any stretch of a text have together, 0 if none is suspicious."""
    most = here = 0
    for point in points:
        here = max(0, here + (signals[point] >> SUSPICION))
        most = max(most, here)
    return most

"""What may be done to 32 bytes of ASCII at once: which of them end a copy, and which are written as others."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headrace.schemas.arrays import Bytes, Flags, read_only
from headrace.schemas.lanes import BYTES
from headrace.tokenizers.kernels.normalize_tables import LOOKED_UP, SHORT, STARTS, STOP_RANGES, SWAPS

_ASCII = 0x80
_ONE_BYTE = 1  # in the highest byte of a short replacement: its size
_BEYOND = (_ASCII, 0xFF)
_ALL_BITS = 0xFF
Range = tuple[int, int]


class Lanes(NamedTuple):
    """The tables `stops` and `swaps` of `normalize_lanes`, and whether accents may join the letters before them."""

    stops: Bytes
    swaps: Bytes
    hold: bool


class Swap(NamedTuple):
    """Bytes from `first` to `last` become byte & bits + more."""

    first: int
    last: int
    bits: int
    more: int


def lanes_of(kind: Bytes, short: npt.NDArray[np.uint32], open_ended: Flags) -> Lanes:
    """Build the tables from what is known of each byte of ASCII; `open_ended` are those that ASCII may add to.

    Stops are compared with bytes after swaps: so those that are swapped may lie in a range of stops.
    """
    swappable = (kind & SHORT != 0) & (kind & LOOKED_UP == 0) & (short >> 24 == _ONE_BYTE) & ~open_ended
    swaps = _swaps(short & np.uint32(0xFF), swappable)
    swapped = np.zeros(_ASCII, np.bool_)
    for swap in swaps:
        swapped[swap.first : swap.last + 1] = True
    stops = (open_ended | (kind & (LOOKED_UP | SHORT) != 0)) & ~swapped
    return Lanes(_stop_lanes(_ranges(stops, swapped)), _swap_lanes(swaps), bool((kind & STARTS).any()))


def _swaps(targets: npt.NDArray[np.uint32], swappable: Flags) -> list[Swap]:
    """Give the longest ranges that become one byte or move by one distance."""
    found: list[Swap] = []
    for byte in np.flatnonzero(swappable).tolist():
        target = int(targets[byte])
        ways = [Swap(byte, byte, 0, target), Swap(byte, byte, _ALL_BITS, (target - byte) & _ALL_BITS)]
        last = found[-1] if found else None
        if last and last.last == byte - 1 and (way := next((way for way in ways if way[2:] == last[2:]), None)):
            found[-1] = way._replace(first=last.first)
        elif last and last.first == last.last == byte - 1 and last.more == (target - 1) & _ALL_BITS:
            found[-1] = ways[1]._replace(first=last.first)  # the first of a moved range looked like a single byte
        else:
            found.append(ways[0])
    return sorted(found, key=lambda swap: swap.first - swap.last)[:SWAPS]


def _ranges(stops: Flags, free: Flags) -> list[Range]:
    """Give the ranges of bytes that end a copy; too many are joined where the fewest others are between them."""
    edges = np.flatnonzero(np.diff(stops.astype(np.int8), prepend=0, append=0)).tolist()
    ranges: list[Range] = list(zip(edges[::2], [end - 1 for end in edges[1::2]], strict=True))
    while len(ranges) > 1:
        between = [int(np.count_nonzero(~free[before[1] + 1 : after[0]])) for before, after in pairwise(ranges)]
        at = between.index(min(between))
        if between[at] and len(ranges) < STOP_RANGES:
            break
        ranges[at : at + 2] = [(ranges[at][0], ranges[at + 1][1])]
    return [*ranges, _BEYOND]


def _stop_lanes(ranges: Sequence[Range]) -> Bytes:
    filled = [*ranges, *[_BEYOND] * (STOP_RANGES - len(ranges))]
    return _repeated([[first, last - first] for first, last in filled])


def _swap_lanes(swaps: Sequence[Swap]) -> Bytes:
    again = swaps[-1] if swaps else Swap(0, 0, _ALL_BITS, 0)  # NUL as it is would undo a swap of NUL
    filled = [*swaps, *[again] * (SWAPS - len(swaps))]
    return _repeated([[swap.first, swap.last - swap.first, swap.bits, swap.more] for swap in filled])


def _repeated(rows: Sequence[Sequence[int]]) -> Bytes:
    return read_only(np.repeat(np.array(rows, np.uint8).reshape(-1, 1), BYTES, axis=1))

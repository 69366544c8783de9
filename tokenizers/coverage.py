"""Which characters get an id of their own, and training text without the others.

The library knows one number for this and refuses it below 0.98, and it refuses a vocabulary that all covered characters
do not fit in. So the choice is made here, and the library is told that everything it sees counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_CODE_POINTS = 0x110000
_TAB, _NEWLINE = 9, 10
_BLOCK_LINES = 1 << 14  # a pass over the counts of all code points costs a millisecond


@dataclass(frozen=True, slots=True)
class Coverage:
    """`covered[code point]`, and the share of the sample's characters that are covered."""

    covered: NDArray[np.bool_]
    share: float


def choose_characters(lines: Sequence[bytes], wanted_share: float, most: int) -> Coverage:
    """Cover the most frequent characters until `wanted_share` of the text is reached, but at most `most` of them."""
    counts = np.zeros(_CODE_POINTS, np.int64)
    for points in _blocks(lines):
        counts += np.bincount(points, minlength=_CODE_POINTS)
    counts[[_TAB, _NEWLINE]] = 0
    present = np.flatnonzero(counts)
    by_count = present[np.argsort(-counts[present], kind="stable")]  # equal counts in order of code points
    running = np.cumsum(counts[by_count])
    enough = int(np.searchsorted(running, wanted_share * running[-1])) + 1
    kept = min(enough, most, len(by_count))
    covered = np.zeros(_CODE_POINTS, np.bool_)
    covered[by_count[:kept]] = True
    return Coverage(covered, float(running[kept - 1] / running[-1]))


def without_rare(lines: Sequence[bytes], coverage: Coverage) -> Iterator[bytes]:
    """Give the lines with a tab, which no piece crosses, in place of every character that is not covered."""
    gone = ~coverage.covered
    gone[_NEWLINE] = False
    for points in _blocks(lines):
        kept = np.where(gone[points], np.uint32(_TAB), points)
        yield from kept.tobytes().decode("utf-32-le").encode().split(b"\n")


def _blocks(lines: Sequence[bytes]) -> Iterator[NDArray[np.uint32]]:
    """Give the code points of many lines at a time, a line feed between two lines."""
    for at in range(0, len(lines), _BLOCK_LINES):
        text = b"\n".join(lines[at : at + _BLOCK_LINES]).decode()
        yield np.frombuffer(text.encode("utf-32-le"), np.uint32)

"""How plausible a stretch of Chinese is: frequencies of characters and of pairs, from the dictionary that jieba ships.

Both are asked of the simplified form of each character, so that one table serves both scripts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

from headrace.schemas.arrays import CodePoints, Counts, Floats, read_only
from headrace.stages.kernels.characters import CODE_POINTS, HAN, PUNCTUATION, classes, simplified
from headrace.stages.kernels.repair_plausibility import Chinese, weigh

# Nats for a character that is no Chinese: what nearly never stands in Chinese text, and kana, which seldom does.
STRANGE, KANA = -12.0, -7.0
_LEAST = 0.02  # what a character counts that the dictionary lacks: below every one that it has
_KNOWN_GAIN = 1.5  # nats from which on a pair belongs together
_PAIR_WEIGHT, _BAR, _BAR_SHORT = 4.0, -8.0, 11.0
_MOST_GAIN = 6.0  # nats that a pair can add, so that one rare word does not outweigh a line


@dataclass(frozen=True, slots=True)
class Frequencies:
    """Natural logarithms: `characters[p]` of each code point's share, `gains` of what a pair adds to its second one.

    `pairs` is sorted; a pair is `first << 32 | second`. `folded[p]` is the simplified form of a code point.
    """

    characters: Floats
    pairs: Counts
    gains: Floats
    folded: CodePoints


@cache
def frequencies() -> Frequencies:
    """Give the tables, made once a process in about a third of a second."""
    points, weights = _occurrences()
    counts = np.bincount(points, weights, CODE_POINTS)
    counts[ord("\n")] = 0
    total = counts.sum()
    first, second = points[:-1], points[1:]
    han = classes()[points] == HAN
    inside = han[:-1] & han[1:]
    pairs, places = np.unique(first[inside] << 32 | second[inside], return_inverse=True)
    together = np.bincount(places, weights[1:][inside])
    expected = counts[pairs >> 32] * counts[pairs & 0xFFFFFFFF] / total
    gains = np.clip(np.log(together / expected), 0, _MOST_GAIN)
    folded = np.arange(CODE_POINTS, dtype=np.uint32)
    folded[list(simplified())] = list(simplified().values())
    return Frequencies(_nats(counts / total, folded), pairs, gains, folded)


def _occurrences() -> tuple[Counts, Floats]:
    """Give the code points of all words, line feeds between them, and how often each word of theirs occurs."""
    spec = find_spec("jieba")  # found without importing it: importing takes longer than reading its dictionary
    folder = Path(str(spec.origin)).parent if spec else Path()
    rows = [row.split(" ", 2) for row in (folder / "dict.txt").read_text(encoding="utf-8").splitlines()]
    text = "\n".join(row[0] for row in rows)
    points = np.frombuffer(text.encode("utf-32-le"), np.uint32).astype(np.int64)
    words = np.cumsum(points == ord("\n"))
    return points, np.array([float(row[1]) for row in rows])[words]


def _nats(shares: Floats, folded: CodePoints) -> Floats:
    """Give the logarithm for every code point: Han by frequency, ASCII and punctuation 0, all else STRANGE."""
    kinds = classes()
    nats = np.full(CODE_POINTS, STRANGE)
    nats[:0x80] = 0
    nats[kinds == PUNCTUATION] = 0
    nats[0xFF01:0xFF5F] = nats[0x3000] = nats[0xFFFD] = 0
    nats[0x3041:0x3100] = KANA
    han = np.flatnonzero(kinds == HAN)
    least = shares[shares > 0].min() * _LEAST
    nats[han] = np.log(np.maximum(shares[folded[han]], least))
    return nats


class Plausibility(NamedTuple):
    """A text as Chinese: its nats (near 0 a character is likely), its Han characters, and its pairs that words have."""

    nats: float
    han: int
    pairs: int

    @property
    def convincing(self) -> bool:
        """Tell whether it can only be Chinese: common characters, some of them in common words.

        Readings of Western, Korean and Japanese bytes as Chinese stay below the bar, 10 of 102,000 excepted; of lines
        of modern Chinese 69 % pass at two characters, 85 % at six, 93 % at ten and 97 % from twenty on.
        """
        if self.han < 2:
            return False
        known = self.pairs / (self.han - 1)
        return self.nats / self.han + _PAIR_WEIGHT * known >= _BAR + _BAR_SHORT / self.han


def plausibility(text: str) -> Plausibility:
    """Give how plausible a text is as Chinese.

    >>> plausibility("中国").nats - plausibility("笢弊").nats > 15
    True
    """
    return Plausibility(*weigh(code_points(text), tables_of_weigh(), _KNOWN_GAIN))


@cache
def tables_of_weigh() -> Chinese:
    """Give the tables by which a text is weighed, pairs by their first character."""
    table = frequencies()
    begins = np.searchsorted(table.pairs >> 32, np.arange(CODE_POINTS + 1)).astype(np.int32)
    seconds = (table.pairs & 0xFFFFFFFF).astype(np.uint32)
    return Chinese(
        read_only(table.characters),
        read_only(classes()),
        read_only(table.folded),
        read_only(begins),
        read_only(seconds),
        read_only(table.gains),
    )


def nats_of_characters(text: str) -> Floats:
    """Give the nats of each character of a text, behind the one before it."""
    points = code_points(text)
    nats = frequencies().characters[points]
    nats[1:] += _pair_gains(points)
    return nats


def code_points(text: str) -> CodePoints:
    """Give the code points of a text."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _pair_gains(points: CodePoints) -> Floats:
    table = frequencies()
    simple = table.folded[points].astype(np.int64)
    keys = simple[:-1] << 32 | simple[1:]
    places = np.minimum(np.searchsorted(table.pairs, keys), len(table.pairs) - 1)
    return np.asarray(table.gains[places] * (table.pairs[places] == keys))

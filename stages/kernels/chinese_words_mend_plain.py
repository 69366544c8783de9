"""What `chinese_words_mend` computes, in plain Python: slow, readable, what tests compare it with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise

from headrace.schemas.arrays import Classes

_SIGNS = "OLHKPMJXRS"  # of the kinds, in the order of their numbers
_UNIT = re.compile(r"S|L[LMJ]*|H[HPMJ]*|[KP][KPMJ]*|X[MJ]*(?:(?<=J)X[MJ]*)*|R[MJ]*(?:R[MJ]*)?|.[MJ]*")
_NUMBER = re.compile(r"[A-Za-z0-9]+(?:\.[0-9]+)?%?")


def mended_words(words: Sequence[str], units: Classes) -> list[str]:
    """Give the words of a text whose words by jieba are given."""
    text = "".join(words)
    kinds = "".join(_SIGNS[units[ord(character)]] for character in text)
    borders = list(accumulate(map(len, words), initial=0))
    kept = set(borders)
    for unit in _UNIT.finditer(kinds):
        inside = set(borders) & set(range(unit.start() + 1, unit.end()))
        kept -= inside
        if inside and kinds[unit.start()] == "L":
            kept |= {edge for edge in unit.span() if not _in_number(text, borders, edge)}
    return [text[begin:end] for begin, end in pairwise(sorted(kept))]


def _in_number(text: str, borders: Sequence[int], place: int) -> bool:
    """Tell whether a place lies within a word that is a number."""
    return any(begin < place < end and _NUMBER.fullmatch(text, begin, end) for begin, end in pairwise(borders))

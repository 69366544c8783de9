"""Words of Chinese as a person expects them where jieba has oddities: the option `mend`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate, pairwise
from unicodedata import category

import numpy as np

from headrace.schemas.arrays import Classes, Offsets, read_only
from headrace.stages.kernels.characters import HAN, classes
from headrace.stages.kernels.chinese_words_mend import (
    HIRAGANA,
    JOINER,
    KATAKANA,
    LENGTHENING,
    LETTER,
    MARK,
    PICTURE,
    REGIONAL,
    SPACE,
    mend,
)
from headrace.stages.kernels.chinese_words_mend_plain import mended_words
from headrace.stages.segmentation.lexicon import user_words
from headrace.stages.segmentation.words import Cuts

# Of kana, by the code points where runs of them begin and end, half-width ones included.
_HIRAGANA = ((0x3041, 0x3096), (0x309D, 0x309F))
_KATAKANA = ((0x30A1, 0x30FA), (0x30FD, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF9D))
_MARKS = ((0x200C, 0x200C), (0xFF9E, 0xFF9F), (0x1F3FB, 0x1F3FF), (0xE0020, 0xE007F))  # beside those of category M
_OF_RUNS = re.compile(r"[\u4E00-\u9FD5a-zA-Z0-9+#&._%-]+")  # what jieba looks words up in


def mended(cuts: Cuts, user_dictionary: bytes) -> Cuts:
    """Give the cuts of the same texts with units of other scripts whole, and the user's words of any characters."""
    out = np.empty(len(cuts.data) + len(cuts.borders) + 1, np.int64)
    firsts = np.empty_like(cuts.firsts)
    count = mend(cuts.data, cuts.offsets, cuts.borders, cuts.firsts, units(), out, firsts)
    borders = out[: count + 1]
    if (own := _own_words(user_dictionary)) is None:
        return Cuts(cuts.data, cuts.offsets, borders, firsts)
    owned = [
        (int(begin) + first, int(begin) + last)
        for begin, end in pairwise(cuts.offsets)
        for first, last in _in_bytes(cuts.data[begin:end].tobytes().decode(), own)
    ]
    borders = _with_words(borders, np.array(owned, np.int64).reshape(-1, 2))
    return Cuts(cuts.data, cuts.offsets, borders, np.searchsorted(borders, cuts.offsets).astype(np.int64))


def mended_by_twin(words: Sequence[str], user_dictionary: bytes) -> list[str]:
    """Give the same for the words of one text, in plain Python."""
    text = "".join(words)
    borders = set(accumulate(map(len, mended_words(words, units())), initial=0))
    if (own := _own_words(user_dictionary)) is not None:
        for begin, end in own_words(text, own):
            borders -= set(range(begin + 1, end))
            borders |= {begin, end}
    return [text[begin:end] for begin, end in pairwise(sorted(borders))]


@dataclass(frozen=True, slots=True)
class OwnWords:
    """The user's words, looked up by the lengths of those that begin at a place, so that their number costs nothing."""

    words: frozenset[str]
    lengths: Mapping[str, tuple[int, ...]]  # of the words that begin with a character, the longest first
    firsts: re.Pattern[str]

    def search(self, text: str, at: int) -> tuple[int, int] | None:
        """Give the first and longest word from a place on."""
        for match in self.firsts.finditer(text, at):
            begin = match.start()
            for length in self.lengths[match[0]]:
                end = begin + length
                if end <= len(text) and text[begin:end] in self.words:
                    return begin, end
        return None


def looked_up(words: Iterable[str]) -> OwnWords:
    """Give some words to be found; there is one at least."""
    whole = frozenset(words)
    lengths: dict[str, set[int]] = {}
    for word in whole:
        lengths.setdefault(word[0], set()).add(len(word))
    firsts = re.compile(f"[{''.join(map(re.escape, sorted(lengths)))}]")
    return OwnWords(whole, {first: tuple(sorted(found, reverse=True)) for first, found in lengths.items()}, firsts)


def own_words(text: str, own: OwnWords) -> Iterator[tuple[int, int]]:
    """Give where the user's words stand: the first and longest, none that begins or ends within a run of letters."""
    at = 0
    kinds = units()

    def within(place: int) -> bool:
        return 0 < place < len(text) and kinds[ord(text[place - 1])] == kinds[ord(text[place])] == LETTER

    while found := own.search(text, at):
        begin, end = found
        at = begin + 1
        if not (within(begin) or within(end)):
            at = end
            yield begin, end


def _in_bytes(text: str, own: OwnWords) -> Iterator[tuple[int, int]]:
    at = size = 0
    for begin, end in own_words(text, own):
        first = size + len(text[at:begin].encode())
        at, size = end, first + len(text[begin:end].encode())
        yield first, size


def _with_words(borders: Offsets, words: Offsets) -> Offsets:
    """Take out the borders within words, which do not overlap, and put in those around them."""
    word = np.searchsorted(words[:, 0], borders) - 1  # the last that begins before the border
    within = word >= 0
    within[within] = borders[within] < words[word[within], 1]
    return np.union1d(borders[~within], words.ravel())


@lru_cache(maxsize=4)
def _own_words(user_dictionary: bytes) -> OwnWords | None:
    """Give the words that jieba does not find: those with a character that it has in no word."""
    found = {word: count for word, count in user_words(user_dictionary) if not _OF_RUNS.fullmatch(word)}
    odd = [word for word, count in found.items() if count != 0]
    return looked_up(odd) if odd else None


@cache
def units() -> Classes:
    """Give the kind of unit that each code point is of."""
    table = np.zeros(0x110000, np.uint8)
    han = classes() == HAN
    for point in range(len(table)):
        table[point] = _kind(point)
    table[han] = 0
    for ranges, kind in ((_HIRAGANA, HIRAGANA), (_KATAKANA, KATAKANA), (_MARKS, MARK)):
        for first, last in ranges:
            table[first : last + 1] = kind
    table[[0x30FC, 0xFF70]] = LENGTHENING
    table[0x200D] = JOINER
    table[0x1F1E6:0x1F200] = REGIONAL
    return read_only(table)


def _kind(point: int) -> int:
    sort = category(chr(point))
    if sort[0] == "L" or sort == "Nd":
        return LETTER
    if sort[0] == "Z" or sort == "Cc":
        return SPACE
    return MARK if sort[0] == "M" else PICTURE if sort == "So" else 0

"""The memory of runs without white space: the words of all that were met, so that each is cut once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TypeVar
from unicodedata import category

import numpy as np
import numpy.typing as npt

from headrace.stages.kernels.arrays import Bytes, Column, Offsets, text_buffers
from headrace.stages.kernels.statistics_flags import Bounds
from headrace.stages.kernels.statistics_spans import (
    END_MARK,
    JOINS_BEFORE,
    JOINS_NEXT,
    PUNCTUATION,
    SPECIAL,
    find_spans,
    spread_table,
    words_of_spans,
)
from headrace.stages.statistics.characters import flags
from headrace.stages.statistics.spacy_rules import cut_runs, cut_text, is_special, rules, without_special

T = TypeVar("T", bound=np.generic)
MOST = 4_000_000  # runs remembered, of about 100 bytes each; past that the memory begins anew
_FIRST = 1 << 12


@dataclass(frozen=True, slots=True)
class Words:
    """Words of documents: document d has `firsts[d]:firsts[d + 1]`; bounds are in bytes of the document."""

    firsts: Offsets
    begins: Bounds
    ends: Bounds
    kinds: Bytes


class Spans:
    """Runs by number, with their words; it grows with what is asked."""

    def __init__(self, most: int = MOST) -> None:
        """Begin with nothing; `most` runs are remembered between two calls."""
        self._most = most
        self._clear()

    def _clear(self) -> None:
        self.count = 0  # runs known
        self._learnt = 0  # runs whose words are known
        self._table = np.full(2 * _FIRST, -1, np.int32)
        self._hashes = np.empty(_FIRST, np.uint64)
        self._texts = np.empty(8 * _FIRST, np.uint8)
        self._text_offsets = np.zeros(_FIRST + 1, np.int64)
        self._firsts = np.zeros(_FIRST + 1, np.int64)
        self._ends = np.empty(2 * _FIRST, np.int32)
        self._kinds = np.empty(2 * _FIRST, np.uint8)

    def words(self, column: Column) -> Words:
        """Give the words of a text column, as spaCy's blank English cuts each text, white space left out."""
        if self.count > self._most:
            self._clear()
        data, offsets = text_buffers(column)
        numbers, places, firsts = self._numbered(data, offsets)
        self._learn()
        found = words_of_spans(numbers, places, firsts, self._firsts, self._ends, self._kinds)
        words, doubts = Words(*found[:4]), np.flatnonzero(found[4])
        return mended(words, column, doubts) if len(doubts) else words

    def _numbered(self, data: Bytes, offsets: Offsets) -> tuple[Bounds, Bounds, Offsets]:
        """Number all runs of documents, with the place of each in its document."""
        size = int(offsets[-1] - offsets[0] + len(offsets)) // 2 + len(offsets)
        numbers, places = np.empty(size, np.int32), np.empty(size, np.int32)
        firsts = np.zeros(len(offsets), np.int64)
        document = 0
        while True:
            document, self.count = find_spans(
                *(data, offsets, document, flags(), self._table, self._hashes, self._texts, self._text_offsets),
                *(self.count, numbers, places, firsts),
            )
            if document == len(offsets) - 1:
                return numbers, places, firsts
            self._grow(int(offsets[document + 1] - offsets[document]))

    def _grow(self, size: int) -> None:
        """Make room for a document of some bytes, and for as much again as there is."""
        room = 2 * max(self.count + size // 2 + 1, _FIRST)
        self._hashes, self._text_offsets = grown(self._hashes, room), grown(self._text_offsets, room + 1)
        self._firsts = grown(self._firsts, room + 1)
        self._texts = grown(self._texts, 2 * (int(self._text_offsets[self.count]) + size))
        slots = 1 << (2 * room).bit_length()
        if slots > len(self._table):
            self._table = np.empty(slots, np.int32)
            spread_table(self._hashes, self.count, self._table)

    def _learn(self) -> None:
        """Cut the runs that are new."""
        bounds = self._text_offsets[self._learnt : self.count + 1]
        runs = [bytes(self._texts[a:b]).decode() for a, b in zip(bounds[:-1], bounds[1:], strict=True)]
        at = int(self._firsts[self._learnt])
        for number, words in enumerate(cut_runs(runs), self._learnt):
            if at + len(words) > len(self._ends):
                self._ends, self._kinds = grown(self._ends, 2 * (at + len(words))), grown(self._kinds, 2 * (at + len(words)))
            self._ends[at : at + len(words)] = np.cumsum([len(word.encode()) for word in words])
            self._kinds[at : at + len(words)] = kinds(runs[number - self._learnt], words)
            at += len(words)
            self._firsts[number + 1] = at
        self._learnt = self.count


def grown(array: npt.NDArray[T], size: int) -> npt.NDArray[T]:
    """Give an array of at least some size that begins like another."""
    if size <= len(array):
        return array
    larger = np.zeros(size, array.dtype)
    larger[: len(array)] = array
    return larger


@cache
def borders() -> tuple[frozenset[str], frozenset[str]]:
    """Give the words that may have a part of the same special case behind them, and those that may before them."""
    pairs = rules().pairs
    return frozenset(one for one, _ in pairs), frozenset(other for _, other in pairs)


def kinds(run: str, words: list[str]) -> list[int]:
    """Give the kinds of the words of a run."""
    own = rules()
    given = [
        (END_MARK if word in own.marks else 0) | (PUNCTUATION if all(category(c)[0] == "P" for c in word) else 0)
        for word in words
    ]
    plain = words if own.parts.isdisjoint(words) else without_special(run)
    special = SPECIAL if plain is not words and is_special(plain) else 0
    left, right = borders()
    given[-1] |= special | (JOINS_NEXT if plain[-1] in left else 0)
    given[0] |= special | (JOINS_BEFORE if plain[0] in right else 0)
    return given


def mended(words: Words, column: Column, doubts: npt.NDArray[np.int64]) -> Words:
    """Replace the words of some documents by those that spaCy gives for the whole text."""
    firsts, begins, ends, sorts = [0], [], [], []
    doubtful = set(doubts.tolist())
    for document in range(len(words.firsts) - 1):
        own = slice(*words.firsts[document : document + 2])
        found = words.begins[own], words.ends[own], words.kinds[own]
        if document in doubtful:
            found = whole(column[document].as_py())
        for part, into in zip(found, (begins, ends, sorts), strict=True):
            into.append(part)
        firsts.append(firsts[-1] + len(found[0]))
    return Words(np.array(firsts, np.int64), np.concatenate(begins), np.concatenate(ends), np.concatenate(sorts))


def whole(text: str) -> tuple[Bounds, Bounds, Bytes]:
    """Give the words of a text, cut by spaCy as one."""
    begins, ends, sorts = [], [], []
    at = size = 0
    for word in cut_text(text):
        place = text.index(word, at)
        begins.append(size + len(text[at:place].encode()))
        size = begins[-1] + len(word.encode())
        at = place + len(word)
        ends.append(size)
        sorts += kinds(word, [word])
    return np.array(begins, np.int32), np.array(ends, np.int32), np.array(sorts, np.uint8)

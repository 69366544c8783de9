"""Memories of texts: each different text has a number, and what counts ask of a word is looked up by it."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from headrace.schemas.arrays import Bytes, Offsets
from headrace.stages.kernels.statistics_flags import Slots
from headrace.stages.kernels.statistics_numbering import eights, number_texts, spread
from headrace.stages.kernels.statistics_words import word_facts
from headrace.stages.statistics.characters import flags

T = TypeVar("T", bound=np.generic)
_FIRST = 1 << 12


class Numbered:
    """Different texts in the order in which they came."""

    def __init__(self) -> None:
        """Begin with none."""
        self.count = 0
        self.table = np.zeros((2 * _FIRST, 2), np.uint64)
        self.texts = np.empty(8 * _FIRST, np.uint8)
        self.offsets = np.zeros(_FIRST + 1, np.int64)

    @property
    def nbytes(self) -> int:
        """Give the memory that the texts and their table have."""
        return self.table.nbytes + self.texts.nbytes + self.offsets.nbytes

    def grow(self, entries: int, size: int) -> None:
        """Make room for some new texts with some bytes in all, and for as much again as there is."""
        room = max(self.count + entries + 1, _FIRST)
        self.offsets = grown(self.offsets, room + 1, 2 * room)
        texts = int(self.offsets[self.count]) + size
        self.texts = grown(self.texts, texts, 2 * texts)
        if 2 * room > len(self.table):
            larger = np.zeros((1 << (2 * room).bit_length(), 2), np.uint64)
            spread(self.table, larger)
            self.table = larger

    def numbers(self, data: Bytes, begins: Offsets, ends: Offsets) -> Slots:
        """Give the number of each text that stands in some bytes, those of new ones included."""
        numbers, wide = np.empty(len(begins), np.int32), eights(data)
        done = 0
        while True:
            done, self.count = number_texts(
                data, wide, begins, ends, done, self.table, self.texts, self.offsets, self.count, numbers
            )
            if done == len(begins):
                return numbers
            self.grow(self.count, int(ends[done] - begins[done]))


class Vocabulary:
    """Words by number, with what counts ask of them; it grows with what is asked."""

    def __init__(self) -> None:
        """Begin with no words."""
        self._words = Numbered()
        self._known = 0
        self.sizes = np.empty((_FIRST, 2), np.int32)
        self.kinds = np.empty(_FIRST, np.uint8)
        self.heads = np.empty((_FIRST, 2), np.uint64)
        self.hashes = np.empty((_FIRST, 2), np.uint64)

    @property
    def nbytes(self) -> int:
        """Give the memory that the words and what is known of them have."""
        return self._words.nbytes + sum(each.nbytes for each in (self.sizes, self.kinds, self.heads, self.hashes))

    def numbers(self, data: Bytes, begins: Offsets, ends: Offsets) -> Slots:
        """Give the number of each word that stands in some bytes; equal words, and no others, have the same."""
        numbers = self._words.numbers(data, begins, ends)
        count = self._words.count
        if count > self._known:
            self.sizes, self.kinds = grown(self.sizes, count, 2 * count), grown(self.kinds, count, 2 * count)
            self.heads, self.hashes = grown(self.heads, count, 2 * count), grown(self.hashes, count, 2 * count)
            texts = self._words.texts, eights(self._words.texts), self._words.offsets
            word_facts(*texts, self._known, count, flags(), self.sizes, self.kinds, self.heads, self.hashes)
            self._known = count
        return numbers


def grown(array: npt.NDArray[T], least: int, size: int | None = None) -> npt.NDArray[T]:
    """Give an array that begins like another: the same if that has at least some entries, else a larger one."""
    if least <= len(array):
        return array
    larger = np.zeros((size or least, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger

"""The memory of runs without white space: the words of all that were met, so that each is cut once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TypeVar
from unicodedata import category

import numpy as np
import numpy.typing as npt

from headrace.stages.kernels.arrays import Bytes, Column, Flags, Offsets, text_buffers
from headrace.stages.kernels.statistics_flags import Bounds
from headrace.stages.kernels.statistics_spans import (
    END_MARK,
    PUNCTUATION,
    doubtful_chains,
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
        self._edges = np.zeros((_FIRST, 3), np.uint16)

    def words(self, column: Column) -> Words:
        """Give the words of a text column, as spaCy's blank English cuts each text, white space left out."""
        if self.count > self._most:
            self._clear()
        data, offsets = text_buffers(column)
        numbers, places, firsts = self._numbered(data, offsets)
        self._learn()
        words = Words(*words_of_spans(numbers, places, firsts, self._firsts, self._ends, self._kinds))
        chains = doubtful_chains(numbers, firsts, self._edges, borders()[1])
        if not len(chains):
            return words
        run_words = np.concatenate(([0], np.cumsum(np.diff(self._firsts)[numbers[: firsts[-1]]])))
        texts = [
            data[
                offsets[document] + places[first] : offsets[document] + places[last - 1] + self._size(numbers[last - 1])
            ]
            for document, first, last in chains.tolist()
        ]
        cut = cut_chains([text.tobytes().decode() for text in texts])
        return replaced(words, chains[:, 0], run_words[chains[:, 1:]], places[chains[:, 1]], cut)

    def _size(self, number: int) -> int:
        """Give the bytes of a run."""
        return int(self._text_offsets[number + 1] - self._text_offsets[number])

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
        self._firsts, self._edges = grown(self._firsts, room + 1), grown(self._edges, room)
        self._texts = grown(self._texts, 2 * (int(self._text_offsets[self.count]) + size))
        slots = 1 << (2 * room).bit_length()
        if slots > len(self._table):
            self._table = np.empty(slots, np.int32)
            spread_table(self._hashes, self.count, self._table)

    def _learn(self) -> None:
        """Cut the runs that are new."""
        bounds = self._text_offsets[self._learnt : self.count + 1]
        runs = [bytes(self._texts[a:b]).decode() for a, b in pairwise(bounds.tolist())]
        at = int(self._firsts[self._learnt])
        for number, words in enumerate(cut_runs(runs), self._learnt):
            end = at + len(words)
            self._ends, self._kinds = grown(self._ends, end, 2 * end), grown(self._kinds, end, 2 * end)
            self._ends[at:end] = np.cumsum([len(word.encode()) for word in words])
            self._kinds[at:end] = kinds(words)
            self._edges[number] = edges(runs[number - self._learnt], words)
            self._firsts[number + 1] = at = end
        self._learnt = self.count


def grown(array: npt.NDArray[T], least: int, size: int | None = None) -> npt.NDArray[T]:
    """Give an array that begins like another: the same if that has at least some entries, else a larger one."""
    if least <= len(array):
        return array
    larger = np.zeros((size or least, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger


@cache
def borders() -> tuple[Mapping[str, int], Flags]:
    """Give the numbers, from 1, of the words in special cases of several, and which may follow each other in one."""
    pairs = sorted(rules().pairs)
    numbers = {word: number for number, word in enumerate(sorted({word for pair in pairs for word in pair}), 1)}
    table = np.zeros((len(numbers) + 1, len(numbers) + 1), np.bool_)
    for one, other in pairs:
        table[numbers[one], numbers[other]] = True
    return numbers, table


def kinds(words: Sequence[str]) -> list[int]:
    """Give the kinds of words."""
    marks = rules().marks
    return [
        0
        if word.isalpha()
        else (END_MARK if word in marks else 0) | (PUNCTUATION if all(category(c)[0] == "P" for c in word) else 0)
        for word in words
    ]


def edges(run: str, words: Sequence[str]) -> tuple[int, int, int]:
    """Give the numbers of a run's first and last word before special cases, and 1 if it may have one, else 0."""
    plain = words if rules().parts.isdisjoint(words) else without_special(run)
    numbers, _ = borders()
    return numbers.get(plain[0], 0), numbers.get(plain[-1], 0), int(plain is not words and is_special(plain))


def cut_chains(chains: Sequence[str]) -> list[tuple[Bounds, Bounds, Bytes]]:
    """Give where the words of each text begin and end, in bytes, and their kinds.

    spaCy sees all texts at once, in lines of their own; they have no space at their ends.
    """
    words = iter(cut_text("\n".join(chains)))
    out = []
    for chain in chains:
        begins, ends, sorts = [], [], []
        at = size = 0
        while at < len(chain):
            word = next(words)
            place = chain.index(word, at)
            begins.append(size + len(chain[at:place].encode()))
            size = begins[-1] + len(word.encode())
            ends.append(size)
            sorts += kinds([word])
            at = place + len(word)
        out.append((np.array(begins, np.int32), np.array(ends, np.int32), np.array(sorts, np.uint8)))
    return out


def replaced(
    words: Words, documents: Offsets, places: Offsets, moves: Bounds, parts: Sequence[tuple[Bounds, Bounds, Bytes]]
) -> Words:
    """Give words with stretches of them, of some documents and at some places, replaced by others, moved."""
    keep = np.ones(len(words.begins), np.bool_)
    for first, last in places.tolist():
        keep[first:last] = False
    gone = places[:, 1] - places[:, 0]
    sizes = np.array([len(begins) for begins, _, _ in parts])
    at = np.repeat(places[:, 1] - np.cumsum(gone), sizes)
    begins, ends, sorts = (np.concatenate(of_all) for of_all in zip(*parts, strict=True))
    move = np.repeat(moves, sizes)
    counts = np.diff(words.firsts)
    np.add.at(counts, documents, sizes - gone)
    return Words(
        np.concatenate(([0], np.cumsum(counts))),
        np.insert(words.begins[keep], at, begins + move),
        np.insert(words.ends[keep], at, ends + move),
        np.insert(words.kinds[keep], at, sorts),
    )

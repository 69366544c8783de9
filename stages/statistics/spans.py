"""The memory of runs without white space: the words of all that were met, so that each is cut once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import TypeVar
from unicodedata import category

import numpy as np
import numpy.typing as npt

from headrace.schemas.arrays import Bytes, Column, Flags, Offsets, read_only, text_buffers
from headrace.stages.kernels.statistics_flags import Bounds, Slots
from headrace.stages.kernels.statistics_numbering import eights
from headrace.stages.kernels.statistics_spans import (
    END_MARK,
    PUNCTUATION,
    doubtful_chains,
    find_spans,
    words_of_spans,
)
from headrace.stages.statistics.characters import flags
from headrace.stages.statistics.numbering import Numbered, Vocabulary, grown
from headrace.stages.statistics.spacy_rules import cut_runs, cut_text, is_special, rules, without_special

T = TypeVar("T", bound=np.generic)
# Bytes; past that it begins anew: 1.5 million runs of eight letters, fewer where a language has no spaces.
MOST = 1 << 29


@dataclass(frozen=True, slots=True)
class Known:
    """The numbers of words in a vocabulary."""

    numbers: Slots
    vocabulary: Vocabulary


@dataclass(frozen=True, slots=True)
class Words:
    """Words of documents: document d has `firsts[d]:firsts[d + 1]`; bounds are in bytes of the document.

    Who cuts words by a memory knows their numbers too; for all others `numbered` finds them.
    """

    firsts: Offsets
    begins: Bounds
    ends: Bounds
    kinds: Bytes
    known: Known | None = None


class Spans:
    """Runs by number, with their words; it grows with what is asked."""

    def __init__(self, most: int = MOST) -> None:
        """Begin with nothing; at most `most` bytes are remembered between two calls."""
        self._most = most
        self._clear()

    def _clear(self) -> None:
        self._runs, self._vocabulary = Numbered(), Vocabulary()
        self._learnt = 0  # runs whose words are known
        self._firsts = np.zeros(1, np.int64)
        self._ends, self._numbers = np.empty(0, np.int32), np.empty(0, np.int32)
        self._kinds = np.empty(0, np.uint8)
        self._edges, self._special = np.empty((0, 2), np.uint16), np.empty(0, np.bool_)

    def cut(self, runs: Sequence[str]) -> Iterable[list[str]]:
        """Give the words of each run; joined again they are the run."""
        return cut_runs(runs)

    def edges(self, run: str, words: Sequence[str]) -> tuple[int, int, int]:
        """Give what a run's neighbours may join with, see `edges`."""
        return edges(run, words)

    @property
    def count(self) -> int:
        """Give how many runs are known."""
        return self._runs.count

    @property
    def nbytes(self) -> int:
        """Give the memory that runs and words have, with the room for more."""
        own = (self._firsts, self._ends, self._numbers, self._kinds, self._edges, self._special)
        return self._runs.nbytes + self._vocabulary.nbytes + sum(each.nbytes for each in own)

    def words(self, column: Column) -> Words:
        """Give the words of a text column, as spaCy's blank English cuts each text, white space left out."""
        if self.nbytes > self._most:
            self._clear()
        data, offsets = text_buffers(column)
        spans, places, firsts = self._numbered(data, offsets)
        self._learn()
        known = self._firsts, self._ends, self._kinds, self._numbers
        word_firsts, begins, ends, sorts, numbers = words_of_spans(spans, places, firsts, *known)
        words = Words(word_firsts, begins, ends, sorts, Known(numbers, self._vocabulary))
        chains = doubtful_chains(spans, firsts, self._edges, self._special, borders()[1])
        return self._mended(words, chains, data, offsets, spans, places) if len(chains) else words

    def _mended(
        self, words: Words, chains: Offsets, data: Bytes, offsets: Offsets, spans: Slots, places: Bounds
    ) -> Words:
        """Give words with those of chains in doubt as spaCy cuts the text of each."""
        documents, firsts, lasts = chains[:, 0], chains[:, 1], spans[chains[:, 2] - 1]
        begins = places[firsts]
        ends = places[chains[:, 2] - 1] + self._runs.offsets[lasts + 1] - self._runs.offsets[lasts]
        texts = [
            data[a:b].tobytes() for a, b in zip(offsets[documents] + begins, offsets[documents] + ends, strict=True)
        ]
        parts = [self.found(text, row) for text, row in zip(texts, chain_words(texts), strict=True)]
        return replaced(words, documents, begins, ends, parts)

    def found(self, text: bytes, words: Sequence[bytes]) -> Cut:
        """Give words of a text, in order, as bounds and numbers."""
        begins, ends = [], []
        at = 0
        for word in words:
            begins.append(text.index(word, at))
            at = begins[-1] + len(word)
            ends.append(at)
        bounds = np.array((begins, ends), np.int64)
        numbers = self._vocabulary.numbers(read_only(np.frombuffer(text, np.uint8)), bounds[0], bounds[1])
        sorts = np.array(kinds([word.decode() for word in words]), np.uint8)
        return Cut(bounds[0].astype(np.int32), bounds[1].astype(np.int32), sorts, numbers)

    def _numbered(self, data: Bytes, offsets: Offsets) -> tuple[Slots, Bounds, Offsets]:
        """Number all runs of documents, with the place of each in its document."""
        size = int(offsets[-1] - offsets[0] + len(offsets)) // 2 + len(offsets)
        spans, places = np.empty(size, np.int32), np.empty(size, np.int32)
        firsts, wide, runs = np.zeros(len(offsets), np.int64), eights(data), self._runs
        document = 0
        while True:
            document, runs.count = find_spans(
                *(data, wide, offsets, document, flags(), runs.table, runs.texts, runs.offsets, runs.count),
                *(spans, places, firsts),
            )
            if document == len(offsets) - 1:
                return spans, places, firsts
            size = int(offsets[document + 1] - offsets[document])
            runs.grow(runs.count + size // 2 + 1, size)

    def _learn(self) -> None:
        """Cut the runs that are new."""
        bounds = self._runs.offsets[self._learnt : self.count + 1].tolist()
        if len(bounds) == 1:
            return
        joined = self._runs.texts[bounds[0] : bounds[-1]].tobytes()
        runs = [joined[a - bounds[0] : b - bounds[0]].decode() for a, b in pairwise(bounds)]
        cut = list(self.cut(runs))
        words = [word for row in cut for word in row]
        ends = np.cumsum([len(word.encode()) for word in words])
        first, last = int(self._firsts[self._learnt]), int(self._firsts[self._learnt]) + len(words)
        counts = np.cumsum([len(row) for row in cut])
        self._room(self.count, last)
        self._firsts[self._learnt + 1 : self.count + 1] = first + counts
        self._ends[first:last] = ends - np.repeat(np.array(bounds[:-1]) - bounds[0], np.diff(counts, prepend=0))
        self._kinds[first:last] = kinds(words)
        self._numbers[first:last] = self._vocabulary.numbers(
            read_only(np.frombuffer(joined, np.uint8)), np.concatenate(([0], ends[:-1])), ends
        )
        borders = np.array([self.edges(run, row) for run, row in zip(runs, cut, strict=True)])
        self._edges[self._learnt : self.count] = borders[:, :2]
        self._special[self._learnt : self.count] = borders[:, 2]
        self._learnt = self.count

    def _room(self, runs: int, words: int) -> None:
        """Make room for some runs with some words."""
        self._firsts, self._edges = grown(self._firsts, runs + 1, 2 * runs + 1), grown(self._edges, runs, 2 * runs)
        self._ends, self._kinds = grown(self._ends, words, 2 * words), grown(self._kinds, words, 2 * words)
        self._numbers, self._special = grown(self._numbers, words, 2 * words), grown(self._special, runs, 2 * runs)


def numbered(column: Column, words: Words) -> Words:
    """Give words with their numbers: those that came with them, or those of a new vocabulary."""
    return words if words.known else replace(words, known=known_words(column, words))


def known_words(column: Column, words: Words) -> Known:
    """Give the numbers of words: those that came with them, or those of a new vocabulary."""
    if words.known:
        return words.known
    data, offsets = text_buffers(column)
    bases = np.repeat(offsets[:-1], np.diff(words.firsts))
    vocabulary = Vocabulary()
    return Known(vocabulary.numbers(data, bases + words.begins, bases + words.ends), vocabulary)


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
    known = {word: kind(word) for word in dict.fromkeys(words)}
    return [known[word] for word in words]


def kind(word: str) -> int:
    """Give the kind of a word: whether it is a mark that ends a sentence, and whether it is all punctuation."""
    if word.isalpha():
        return 0
    mark = END_MARK if word in rules().marks else 0
    return mark | (PUNCTUATION if all(category(character)[0] == "P" for character in word) else 0)


def edges(run: str, words: Sequence[str]) -> tuple[int, int, int]:
    """Give the numbers of a run's first and last word before special cases, and 1 if it may have one, else 0."""
    plain = words if rules().parts.isdisjoint(words) else without_special(run)
    numbers, _ = borders()
    return numbers.get(plain[0], 0), numbers.get(plain[-1], 0), int(plain is not words and is_special(plain))


@dataclass(frozen=True, slots=True)
class Cut:
    """The words of a stretch of text, as in `Words`."""

    begins: Bounds
    ends: Bounds
    kinds: Bytes
    numbers: Slots


def chain_words(chains: Sequence[bytes]) -> Iterator[list[bytes]]:
    """Give the words of each text by spaCy.

    It sees all texts at once, in lines of their own; they have no space at their ends.
    """
    words = iter(cut_text(b"\n".join(chains).decode()))
    for chain in chains:
        row: list[bytes] = []
        at = 0
        while at < len(chain):
            row.append(next(words).encode())
            at = chain.index(row[-1], at) + len(row[-1])
        yield row


def replaced(words: Words, documents: Offsets, begins: Bounds, ends: Bounds, parts: Sequence[Cut]) -> Words:
    """Give words with those of stretches of text, in order, replaced by others."""
    stretches = []
    for document, begin, end in zip(documents.tolist(), begins.tolist(), ends.tolist(), strict=True):
        own = slice(words.firsts[document], words.firsts[document + 1])
        stretches.append(own.start + np.searchsorted(words.begins[own], (begin, end)))
    places = np.array(stretches)
    counts = np.diff(words.firsts)
    np.add.at(counts, documents, [len(part.begins) for part in parts] - (places[:, 1] - places[:, 0]))
    moved = list(zip(begins, parts, strict=True))
    return Words(
        np.concatenate(([0], np.cumsum(counts))),
        spliced(words.begins, places, [part.begins + move for move, part in moved]),
        spliced(words.ends, places, [part.ends + move for move, part in moved]),
        spliced(words.kinds, places, [part.kinds for part in parts]),
        words.known
        and replace(words.known, numbers=spliced(words.known.numbers, places, [part.numbers for part in parts])),
    )


def spliced(array: npt.NDArray[T], places: Offsets, parts: Sequence[npt.NDArray[T]]) -> npt.NDArray[T]:
    """Give an array with stretches of it, in order, replaced by others."""
    pieces = []
    at = 0
    for (first, last), part in zip(places.tolist(), parts, strict=True):
        pieces += [array[at:first], part]
        at = last
    return np.concatenate([*pieces, array[at:]])

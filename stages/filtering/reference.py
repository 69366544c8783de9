"""Statistics in plain Python, one text at a time: slow, and what the kernels' values must equal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TypeVar

import numpy as np
import pyarrow as pa

from headrace.schemas.arrays import Array, Counts, Floats
from headrace.stages.filtering.chinese.reference import PlainCounted
from headrace.stages.kernels.plain import sentence_counts
from headrace.stages.kernels.sentences import SENTENCES
from headrace.stages.kernels.statistics_spans import END_MARK, PUNCTUATION
from headrace.stages.statistics import plain
from headrace.stages.statistics.count import C4, C4Settings
from headrace.stages.statistics.spans import Words
from headrace.stages.statistics.statistics import Statistics

T = TypeVar("T")


class PlainStatistics(Statistics):
    """The groups of counts that presets of all languages ask, by the plain formulae."""

    def lines(self, short: int) -> dict[str, Counts]:
        """Give the counts of lines."""
        return self.once(
            ("lines", short), lambda: gathered(self._texts(), lambda text: plain.line_counts(text, short), "")
        )

    def stops(self, stops: tuple[str, ...]) -> dict[str, Counts]:
        """Give the counts of words."""
        return self.once(
            ("words", stops), lambda: gathered(self._cut(), lambda words: plain.word_counts(words, stops), [])
        )

    def c4(self, settings: C4Settings) -> tuple[Mapping[str, Counts], Array]:
        """Give what C4's line rules take, and the lines kept, each with a line feed."""
        return self.once(settings, lambda: self._c4(settings))

    def sentences(self) -> Floats:
        """Give how many sentences each text has."""
        return np.array([sentence_counts(text)[SENTENCES] for text in self._texts()], np.float64)

    def _counted(self) -> PlainCounted:
        return self.once("counted", lambda: PlainCounted(self.column))

    def _long_lines(self, characters: int) -> Floats:
        counts = [sum(len(line) >= characters for line in text.split("\n")) for text in self._texts()]
        return np.array(counts, np.float64)

    def _group(self, group: str) -> Mapping[str, Counts]:
        if group == "repeats":
            return self.once("repeats", lambda: gathered(self._texts(), plain.repeat_counts, ""))
        if group == "grams":
            return self.once("grams", lambda: gathered(self._cut(), plain.grams, []))
        return super()._group(group)

    def _texts(self) -> list[str]:
        return self.once("texts", lambda: [text or "" for text in self.column.to_pylist()])

    def _cut(self) -> list[list[str]]:
        return self.once("cut", lambda: words_of(self._texts(), self.words))

    def _c4(self, settings: C4Settings) -> tuple[Mapping[str, Counts], Array]:
        judged = [plain.c4(text, settings) for text in self._texts()]
        counts = {name: np.array([found[name] for found, _ in judged], np.int64) for name in C4}
        lines = [line for _, kept in judged for line in kept]
        words = self.cut(pa.array(lines, pa.large_string()))
        found = [sentences(words.kinds[first:last].tolist()) for first, last in pairwise(words.firsts.tolist())]
        ends = np.cumsum([0, *(len(kept) for _, kept in judged)]).tolist()
        counts["c4_sentences"] = np.array([sum(found[first:last]) for first, last in pairwise(ends)], np.int64)
        texts = ["".join(f"{line}\n" for line in kept) for _, kept in judged]
        return counts, pa.array(texts, pa.large_string())


def gathered(rows: Iterable[T], count: Callable[[T], Mapping[str, int]], nothing: T) -> dict[str, Counts]:
    """Give the counts of all rows by name; those of `nothing` name them where there is no row."""
    found = [count(row) for row in rows]
    return {name: np.array([counts[name] for counts in found], np.int64) for name in count(nothing)}


def words_of(texts: Sequence[str], words: Words) -> list[list[str]]:
    """Give the words of texts as texts."""
    found = []
    for text, (first, last) in zip(texts, pairwise(words.firsts.tolist()), strict=True):
        data = text.encode()
        bounds = zip(words.begins[first:last].tolist(), words.ends[first:last].tolist(), strict=True)
        found.append([data[begin:end].decode() for begin, end in bounds])
    return found


def sentences(kinds: Iterable[int]) -> int:
    """Count the sentences of words of these kinds: one begins behind a mark that ends one, and its punctuation.

    >>> sentences([0, 0, END_MARK | PUNCTUATION, PUNCTUATION, 0])
    2
    """
    count, ended = 0, True
    for kind in kinds:
        mark = kind & END_MARK
        if ended and (not count or not (mark or kind & PUNCTUATION)):
            count, ended = count + 1, False
        ended = ended or bool(mark)
    return count

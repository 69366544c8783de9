"""The other formulae and the line rules of published presets in plain Python, for the engine `reference`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pyarrow as pa

from headrace.schemas.arrays import Array, Counts, Floats
from headrace.stages.filtering.reference import PlainStatistics, gathered
from headrace.stages.statistics import plain_bigscience, plain_compatible
from headrace.stages.statistics.compatible import PARAGRAPH_COPIES, RAW_COPIES
from headrace.stages.statistics.plain_refinedweb import lines, removed_words
from headrace.stages.statistics.refinedweb import REFINEDWEB, TAKEN, LineSettings
from headrace.stages.statistics.stop_words import ENGLISH_STOPS

Cut = Sequence[list[str]]


class PlainPublished(PlainStatistics):
    """What DCLM, dolma, RefinedWeb and BigScience count, by the plain formulae."""

    def character_repetition(self, size: int) -> Floats:
        """Give how many runs of characters are among the most frequent ones."""
        return np.array([plain_bigscience.character_repetition(text, size) for text in self._texts()], np.float64)

    def word_repetition(self, size: int) -> Floats:
        """Give how many runs of words occur more than once, of all."""
        return self._of_bare(lambda words: plain_bigscience.word_repetition(words, size))

    def special_character_share(self) -> Floats:
        """Give how many characters are neither letters nor marks of letters, of all."""
        return np.array([plain_bigscience.special_characters(text) for text in self._texts()], np.float64)

    def bare_words(self) -> Floats:
        """Give how many words have something else than signs."""
        return self._of_bare(len)

    def listed_share(self, listed: tuple[str, ...]) -> Floats:
        """Give how many words and pairs of words are in a list, per word."""
        entries = frozenset(listed)
        return self._of_bare(lambda words: plain_bigscience.listed_share(words, entries))

    def _of_bare(self, measure: Callable[[list[str]], float]) -> Floats:
        bare = self.once("plain bare words", lambda: [plain_bigscience.bare(words) for words in self._cut()])
        return np.array([measure(words) for words in bare], np.float64)

    def _split(self, stops: tuple[str, ...]) -> Mapping[str, Counts]:
        return gathered(self._texts(), lambda text: plain_compatible.split(text, stops), "")

    def _compatible(self, name: str) -> Mapping[str, Counts]:
        kind = name.partition("_")[0]
        return self.once(("plain", kind), lambda: self._of_kind(kind))

    def _of_kind(self, kind: str) -> Mapping[str, Counts]:
        texts = self._texts()
        match kind:
            case "marked":
                return gathered(texts, plain_compatible.marks, "")
            case "split":
                return self._split(ENGLISH_STOPS)
            case "letter":
                return gathered(letter_words(self._cut()), lambda words: plain_compatible.runs(words, kind), [])
            case "spaced":
                split = [text.split() for text in texts]
                return gathered(split, lambda words: plain_compatible.runs(words, kind), [])
            case _:
                copied = {"paragraph": PARAGRAPH_COPIES, "raw": RAW_COPIES}.get(kind)
                name = copied[0].removesuffix("_segments") if copied else kind
                return gathered(texts, lambda text: plain_compatible.copies(text, name), "")

    def _refinedweb(self, settings: LineSettings) -> tuple[Mapping[str, Counts], Array]:
        texts, firsts = self._texts(), self.words.firsts
        judged = [lines(text, settings) for text in texts]
        words = np.zeros((self.rows, 2), np.int64)
        kept = []
        for row, (text, cut, (reasons, stay)) in enumerate(zip(texts, self._cut(), judged, strict=True)):
            begins = self.words.begins[firsts[row] : firsts[row + 1]].tolist()
            words[row] = removed_words(text, cut, begins, stay)
            changed = any(reasons[name] for name in TAKEN)
            kept.append("".join(text[place] for place in sorted(stay)).strip() if changed else text)
        counts = {name: np.array([reasons[name] for reasons, _ in judged], np.int64) for name in REFINEDWEB}
        counts |= {"refinedweb_words": words[:, 0], "refinedweb_removed_words": words[:, 1]}
        return counts, pa.array(kept, pa.large_string())


def letter_words(cut: Cut) -> list[list[str]]:
    """Give the words that begin with a letter or digit."""
    return [[word for word in words if word[0].isalnum()] for words in cut]

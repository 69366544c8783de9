"""All that presets and rules may ask of a batch of documents, counted when it is first asked, and once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import cache
from typing import TypeVar

import numpy as np

from headrace.schemas.arrays import Array, Column, Counts, Floats, text_buffers
from headrace.stages.filtering.chinese.counted import Counted
from headrace.stages.filtering.chinese.values import chinese_values, general_values
from headrace.stages.kernels.characters import brackets, classes, sentence_marks
from headrace.stages.kernels.sentences import SENTENCES, sentence_counts
from headrace.stages.kernels.statistics_long_lines import long_line_counts
from headrace.stages.statistics import bigscience, compatible
from headrace.stages.statistics.count import (
    GRAMS,
    LINES,
    REPEATS,
    WORDS,
    C4Settings,
    c4_counts,
    counts_of_grams,
    counts_of_lines,
    counts_of_repeats,
    counts_of_words,
)
from headrace.stages.statistics.refinedweb import LineSettings, refinedweb
from headrace.stages.statistics.shares import Formulae, derived, divided, parts, value_of
from headrace.stages.statistics.spans import Spans, Words, numbered
from headrace.stages.statistics.stop_words import ENGLISH_STOPS

T = TypeVar("T")
SHORT = 30  # characters, for counts of lines that no preset asks by its own length
_OF_SETTINGS = frozenset({"short_lines", "stop_words", "stop_word_kinds"})
_GROUPS: Mapping[str, str] = {
    **dict.fromkeys(LINES, "lines"),
    **dict.fromkeys(("text", "symbols", "two"), "sums"),
    **dict.fromkeys(REPEATS, "repeats"),
    **dict.fromkeys(WORDS, "words"),
    **dict.fromkeys(GRAMS, "grams"),
}


class Statistics:
    """Values of documents by name: `statistics["hash_share"]`; the names are those of `shares.VALUES`.

    Groups of counts are made when one of them is first asked, and are shared by all that ask.
    """

    def __init__(
        self,
        column: Column,
        words: Words,
        formulae: Formulae = "headrace",
        cut: Callable[[Column], Words] | None = None,
    ) -> None:
        """Take a text column (a null counts as an empty text) and its words.

        `cut` gives the words of other texts of the same kind, such as lines from which C4 takes citations out; by
        default as English.
        """
        self.column, self.words, self.formulae = column, words, formulae
        self.cut: Callable[[Column], Words] = cut or english().words
        self.rows = len(column)
        self._made: dict[Hashable, object] = {}

    def __getitem__(self, name: str) -> Floats:
        """Give a value of each document; KeyError for a name that is not in `VALUES`."""
        part, whole = parts(name, self.formulae)
        return value_of(name, self.count(part), self.count(whole) if whole else None, self.formulae)

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Give what `make` gave when this key was first asked: for counts of a preset's own that others share."""
        if key not in self._made:
            self._made[key] = make()
        made: T = self._made[key]  # type: ignore[assignment]  # what is made under a key has one type
        return made

    def count(self, name: str) -> Counts:
        """Give a count of each document by its name in `count.NAMES`, with Gopher's stop words and `SHORT`."""
        if name in _OF_SETTINGS:
            return (self.lines(SHORT) | self.stops(ENGLISH_STOPS))[name]
        if name in compatible.GROUPS:
            return self._compatible(name)[name]
        return self._group(_GROUPS[name])[name]

    def lines(self, short: int) -> dict[str, Counts]:
        """Give the counts of lines, of which those of at most `short` characters are short."""
        return self.once(("lines", short), lambda: counts_of_lines(self.column, short))

    def stops(self, stops: tuple[str, ...]) -> dict[str, Counts]:
        """Give the counts of words, with these stop words (63 at most)."""
        return self.once(("words", stops), lambda: counts_of_words(self.column, self._numbered(), stops))

    def stop_words(self, stops: tuple[str, ...]) -> Floats:
        """Give how many different stop words there are; DCLM and dolma count each time that one occurs.

        DCLM takes capitals A to Z as small letters.
        """
        if self.formulae in ("headrace", "datatrove"):
            return self.stops(stops)["stop_word_kinds"].astype(np.float64)
        counts = self.once(("split", stops), lambda: self._split(stops))
        return counts["split_small_stops" if self.formulae == "dclm" else "split_stops"].astype(np.float64)

    def short_line_share(self, short: int) -> Floats:
        """Give the share of lines, blank ones left out, that have at most `short` characters."""
        counts = self.lines(short)
        return divided(counts["short_lines"], counts["full_lines"])

    def long_lines(self, characters: int) -> Floats:
        """Give how many lines, parted by line feeds, have at least some characters."""
        return self.once(("long", characters), lambda: self._long_lines(characters))

    def c4(self, settings: C4Settings) -> tuple[Mapping[str, Counts], Array]:
        """Give what C4's line rules take, and the lines kept, each with a line feed."""
        return self.once(settings, lambda: c4_counts(self.column, self.cut, settings, self.words))

    def refinedweb(self, settings: LineSettings) -> tuple[Mapping[str, Counts], Array]:
        """Give what RefinedWeb's line rules take, and the texts without it."""
        return self.once(settings, lambda: self._refinedweb(settings))

    def character_repetition(self, size: int) -> Floats:
        """Give how many runs of characters are among the most frequent ones, as BigScience counts."""
        return bigscience.character_repetition(self, size)

    def word_repetition(self, size: int) -> Floats:
        """Give how many runs of words occur more than once, of all."""
        return bigscience.word_repetition(self, size)

    def special_character_share(self) -> Floats:
        """Give how many characters are neither letters nor marks of letters, of all."""
        return bigscience.special_characters(self)

    def bare_words(self) -> Floats:
        """Give how many words have something else than signs."""
        return bigscience.word_count(self).astype(np.float64)

    def listed_share(self, listed: tuple[str, ...]) -> Floats:
        """Give how many words and pairs of words are in a list, per word."""
        return bigscience.listed_share(self, listed)

    def chinese(self) -> Mapping[str, Floats]:
        """Give the values of Chinese by name."""
        return self.once("chinese", lambda: chinese_values(self._counted()))

    def general(self) -> Mapping[str, Floats]:
        """Give the values of texts in any language by name."""
        return self.once("general", lambda: general_values(self._counted()))

    def sentences(self) -> Floats:
        """Give how many sentences each text has, as `clean` and `grade` count them."""
        counts = sentence_counts(*text_buffers(self.column), classes(), sentence_marks(), brackets())
        return counts[:, SENTENCES].astype(np.float64)

    def _counted(self) -> Counted:
        return self.once("counted", lambda: Counted(self.column))

    def _compatible(self, name: str) -> Mapping[str, Counts]:
        make = compatible.GROUPS[name]
        return self.once(make, lambda: make(self))

    def _split(self, stops: tuple[str, ...]) -> Mapping[str, Counts]:
        return compatible.split_counts(self, stops)

    def _refinedweb(self, settings: LineSettings) -> tuple[Mapping[str, Counts], Array]:
        return refinedweb(self, settings)

    def _numbered(self) -> Words:
        return self.once("numbered", lambda: numbered(self.column, self.words))

    def _long_lines(self, characters: int) -> Floats:
        return long_line_counts(*text_buffers(self.column), characters).astype(np.float64)

    def _group(self, group: str) -> Mapping[str, Counts]:
        if group == "lines":
            return self._any_of("lines") or self.lines(SHORT)
        if group == "sums":
            return self.once("sums", lambda: derived(self._group("lines")))
        if group == "words":
            return self._any_of("words") or self.stops(ENGLISH_STOPS)
        if group == "repeats":
            return self.once("repeats", lambda: counts_of_repeats(self.column))
        return self.once("grams", lambda: counts_of_grams(self.column, self._numbered()))

    def _any_of(self, group: str) -> Mapping[str, Counts] | None:
        """Give counts that were made with whatever settings: all but those that depend on them are the same."""
        for key, made in self._made.items():
            if isinstance(key, tuple) and key[0] == group and isinstance(made, dict):
                return made
        return None


@cache
def english() -> Spans:
    """Give the memory of English words of this process."""
    return Spans()

"""The same counts in plain Python, one text at a time, for the engine `reference`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property
from typing import Any

import numpy as np

from headrace.schemas.arrays import Counts
from headrace.stages.filtering.chinese.counted import GRAM, Counted
from headrace.stages.filtering.chinese.phrases import GROUPS, PHRASES
from headrace.stages.filtering.chinese.tables import DOMAINS, automaton, folded, sign_kinds, traits
from headrace.stages.kernels import chinese_values_lines as lines
from headrace.stages.kernels import chinese_values_plain as plain
from headrace.stages.kernels import chinese_values_signs as signs
from headrace.stages.kernels import chinese_values_verse as verse
from headrace.stages.kernels.characters import fold_normalized
from headrace.stages.kernels.chinese_values_signs_plain import sign_counts
from headrace.stages.kernels.language_scan import pair_slots
from headrace.stages.kernels.plain import repeated_characters
from headrace.stages.languages.literary import known_pairs
from headrace.stages.view import view


class PlainCounted(Counted):
    """Counts of a text column by the kernels' plain twins."""

    @cached_property
    def lines(self) -> Counts:
        """Give the counts of `chinese_values_lines`."""
        return self._each(lambda text: plain.text_counts(text, trait_of, known), lines.COUNTS).T

    @cached_property
    def phrases(self) -> Counts:
        """Give the counts of the phrases of each group."""
        return self._each(lambda text: plain.phrase_counts(text, groups(), fold, sign_of), len(GROUPS), 4)

    @cached_property
    def marks(self) -> Counts:
        """Give the counts of telephones and addresses."""
        domains = frozenset(DOMAINS.split())
        return self._each(lambda text: plain.mark_counts(text, domains), 3).T

    @cached_property
    def signs(self) -> Counts:
        """Give the counts of `chinese_values_signs`."""
        return self._each(lambda text: sign_counts(text, kind_of), signs.COUNTS).T

    @cached_property
    def repeated(self) -> Counts:
        """Give the characters in stretches that were said before, and those of all words."""
        return self._each(lambda text: repeated_characters(view(text), GRAM), 2).T

    @cached_property
    def top(self) -> Counts:
        """Give how often the most frequent run of three Han characters stands in each text."""
        return self._each(lambda text: plain.top_count(text, trait_of))

    @cached_property
    def verse(self) -> Counts:
        """Give the counts of `chinese_values_verse`."""
        return self._each(lambda text: plain.verse_counts(text, trait_of), verse.CLAUSES).T

    def _each(self, count: Callable[[str], Any], *shape: int) -> Counts:
        texts = [text or "" for text in self.column.to_pylist()]
        return np.array([count(text) for text in texts], np.int64).reshape(len(texts), *shape)


def trait_of(character: str) -> int:
    """Give the traits of a character."""
    return int(traits()[ord(character)])


def kind_of(character: str) -> int:
    """Give the kind of sign that a character is."""
    return int(sign_kinds()[ord(character)])


def sign_of(character: str) -> int:
    """Tell whether a character may stand inside a phrase, and as what."""
    return int(automaton().signs[ord(character)])


def fold(character: str) -> str:
    """Give a character's match form, one character or none."""
    return chr(int(folded()[ord(character)]))


def known(one: str, other: str) -> bool:
    """Tell whether a pair is among those of words, by the bits."""
    key = np.array([int(folded()[ord(one)]) << 32 | int(folded()[ord(other)])], np.int64)
    slot = int(pair_slots(key)[0])
    return bool(known_pairs()[slot >> 3] >> (slot & 7) & 1)


@cache
def groups() -> tuple[tuple[str, ...], ...]:
    """Give the phrases of each group in their match form."""
    return tuple(tuple(fold_normalized(phrase) for phrase in group) for group in PHRASES)

"""The counts of a batch that values of Chinese and of any language are made of, each made when it is first asked."""

from __future__ import annotations

from functools import cached_property

from headrace.schemas.arrays import Bytes, Column, Counts, Offsets, text_buffers
from headrace.stages.filtering.chinese.tables import automaton, domains, folded, sign_kinds, traits
from headrace.stages.kernels import chinese_values_lines as lines
from headrace.stages.kernels import chinese_values_phrases as phrases
from headrace.stages.kernels import chinese_values_signs as signs
from headrace.stages.kernels import chinese_values_verse as verse
from headrace.stages.kernels.characters import classes
from headrace.stages.kernels.repeats import repeated_characters
from headrace.stages.languages.literary import known_pairs
from headrace.stages.view import views

GRAM = 8  # tokens of a stretch that counts as said again; a Han character is one


class Counted:
    """Counts of a text column by the kernels; a null counts as an empty text. The last axis is that of documents.

    `phrases` alone has documents first, then groups, then what is counted of each.
    """

    def __init__(self, column: Column) -> None:
        """Take the texts."""
        self.column = column

    @cached_property
    def lines(self) -> Counts:
        """Give the counts of `chinese_values_lines`."""
        return lines.text_counts(*self._buffers, traits(), folded(), known_pairs()).T

    @cached_property
    def phrases(self) -> Counts:
        """Give the counts of the phrases of each group."""
        return phrases.phrase_counts(*self._buffers, automaton())

    @cached_property
    def marks(self) -> Counts:
        """Give the counts of telephones and addresses."""
        return phrases.mark_counts(*self._buffers, domains()).T

    @cached_property
    def signs(self) -> Counts:
        """Give the counts of `chinese_values_signs`."""
        return signs.sign_counts(*self._buffers, sign_kinds()).T

    @cached_property
    def repeated(self) -> Counts:
        """Give the characters in stretches that were said before, and those of all words."""
        return repeated_characters(*views(self.column), classes(), GRAM).T

    @cached_property
    def top(self) -> Counts:
        """Give how often the most frequent run of three Han characters stands in each text."""
        return verse.top_counts(*self._buffers, traits())

    @cached_property
    def verse(self) -> Counts:
        """Give the counts of `chinese_values_verse`."""
        return verse.verse_counts(*self._buffers, traits()).T

    @cached_property
    def _buffers(self) -> tuple[Bytes, Offsets]:
        return text_buffers(self.column)

"""All counts of documents, in one call: characters, lines, words, what is repeated, and the line rules of C4.

Counts are whole numbers, so that two engines agree or do not; shares are made of them in `shares.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pyarrow as pa

from headrace.schemas.arrays import Array, Bytes, Column, Counts, Offsets, text_array, text_buffers
from headrace.stages.kernels import statistics_c4 as c4
from headrace.stages.kernels.statistics_grams import gram_counts
from headrace.stages.kernels.statistics_lines import line_counts
from headrace.stages.kernels.statistics_numbering import eights
from headrace.stages.kernels.statistics_repeats import repeat_counts
from headrace.stages.kernels.statistics_words import word_counts
from headrace.stages.statistics.characters import flags
from headrace.stages.statistics.spans import Words, known_words, numbered
from headrace.stages.statistics.stop_words import ENGLISH_STOPS

LINES = (
    *("characters", "newlines", "hashes", "ellipses", "lines", "bullet_lines", "ellipsis_lines"),
    *("full_lines", "ended_lines", "short_lines"),
)
REPEATS = (
    *("paragraphs", "repeated_paragraphs", "repeated_paragraph_characters"),
    *("pieces", "repeated_pieces", "repeated_piece_characters", "repeated_line_characters"),
)
WORDS = (
    *("words", "word_characters", "solid_words", "solid_characters", "alphabetic_words"),
    *("stop_words", "stop_word_kinds"),
)
GRAMS = (
    *(f"top_{size}_gram" for size in (2, 3, 4)),
    *(f"covered_{size}_gram" for size in (2, 3, 4)),
    *(f"repeated_{size}_gram" for size in range(5, 11)),
)
C4 = (
    *("c4_lines", "c4_long_word", "c4_unended", "c4_few_words", "c4_lorem", "c4_javascript", "c4_curly", "c4_policy"),
    *("c4_kept", "c4_fatal"),
)
NAMES = (*LINES, *REPEATS, *WORDS, *GRAMS)


@dataclass(frozen=True, slots=True)
class Settings:
    """What counts depend on: the stop words, and the characters up to which a line is short (FineWeb: 30)."""

    stops: tuple[str, ...] = ENGLISH_STOPS
    short: int = 30


@dataclass(frozen=True, slots=True)
class C4Settings:
    """The numbers of C4's line rules; FineWeb uses them with `ended` off."""

    longest_word: int = 1000
    fewest_words: int = 3
    ended: bool = True


def counts(column: Column, words: Words, settings: Settings) -> dict[str, Counts]:
    """Give all counts but those of C4, by name, for a text column and its words."""
    words = numbered(column, words)
    return (
        counts_of_lines(column, settings.short)
        | counts_of_repeats(column)
        | counts_of_words(column, words, settings.stops)
        | counts_of_grams(column, words)
    )


def counts_of_lines(column: Column, short: int) -> dict[str, Counts]:
    """Give the counts of `LINES`; lines of at most `short` characters are short."""
    data, offsets = text_buffers(column)
    return by_name(LINES, line_counts(data, eights(data), offsets, flags(), short))


def counts_of_repeats(column: Column) -> dict[str, Counts]:
    """Give the counts of `REPEATS`."""
    data, offsets = text_buffers(column)
    return by_name(REPEATS, repeat_counts(data, eights(data), offsets, flags()))


def counts_of_words(column: Column, words: Words, stops: tuple[str, ...]) -> dict[str, Counts]:
    """Give the counts of `WORDS`."""
    known = known_words(column, words)
    stop_numbers = known.vocabulary.numbers(*stop_words(stops))
    facts = known.vocabulary.sizes, known.vocabulary.kinds
    return by_name(WORDS, word_counts(words.firsts, known.numbers, *facts, stop_numbers))


def counts_of_grams(column: Column, words: Words) -> dict[str, Counts]:
    """Give the counts of `GRAMS`."""
    data, offsets = text_buffers(column)
    known = known_words(column, words)
    facts = known.vocabulary.sizes, known.vocabulary.heads, known.vocabulary.hashes
    table = gram_counts(data, offsets, words.firsts, (words.begins, words.ends), known.numbers, facts)
    return by_name(GRAMS, table)


def by_name(names: Sequence[str], table: Counts) -> dict[str, Counts]:
    """Give the columns of a table of counts by name."""
    return {name: table[:, place] for place, name in enumerate(names)}


def c4_counts(
    column: Column, cut: Callable[[Column], Words], settings: C4Settings, words: Words | None = None
) -> tuple[Mapping[str, Counts], Array]:
    """Give what each line rule of C4 takes, the sentences of the lines kept, and these lines as texts.

    The sentences of a line are those of its own words: the words of the documents, if they come along, and where taking
    out a citation has made others, those that `cut` gives.
    """
    data, offsets = text_buffers(column)
    table, text, bounds, lines = c4.c4_lines(
        *(data, eights(data), offsets, flags(), *phrases()),
        *(settings.longest_word, settings.fewest_words, settings.ended),
    )
    of_lines = sentences(data, offsets, lines, words or cut(column))
    changed = np.flatnonzero(lines[:, c4.LAST] - lines[:, c4.FIRST] != lines[:, c4.KEPT_LAST] - lines[:, c4.KEPT_FIRST])
    if len(changed):
        of_lines[changed] = changed_sentences(text, lines[changed], cut)
    found = np.bincount(lines[:, c4.DOCUMENT], of_lines, len(offsets) - 1).astype(np.int64)
    return by_name(C4, table) | {"c4_sentences": found}, text_array(text, bounds)


def sentences(data: Bytes, offsets: Offsets, lines: Offsets, words: Words) -> Counts:
    """Give the sentences of each line kept by the words of its document."""
    return c4.line_sentences(data, offsets, lines, words.firsts, words.begins, words.ends, words.kinds)


def changed_sentences(text: Bytes, lines: Offsets, cut: Callable[[Column], Words]) -> Counts:
    """Give the sentences of lines by words of their own; each is a text of its own here."""
    sizes = lines[:, c4.KEPT_LAST] - lines[:, c4.KEPT_FIRST]
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    own = np.repeat(lines[:, c4.KEPT_FIRST] - offsets[:-1], sizes) + np.arange(offsets[-1])
    column = text_array(text[own], offsets)
    alone = np.stack((np.arange(len(lines)), offsets[:-1], offsets[1:], offsets[:-1], offsets[1:]), 1)
    return sentences(*text_buffers(column), alone, cut(column))


@cache
def stop_words(stops: tuple[str, ...]) -> tuple[Bytes, Offsets, Offsets]:
    """Give stop words one behind the other, and where each begins and ends."""
    data, offsets = packed([stop.encode() for stop in dict.fromkeys(stops)])
    return data, offsets[:-1], offsets[1:]


@cache
def phrases() -> tuple[Bytes, Offsets]:
    """Give C4's phrases as the kernel wants them."""
    return packed((*c4.PHRASES, *c4.CITATIONS))


def packed(texts: Sequence[bytes]) -> tuple[Bytes, Offsets]:
    """Give texts one behind the other, and where each begins."""
    return text_buffers(pa.array([text.decode() for text in texts], pa.large_string()))

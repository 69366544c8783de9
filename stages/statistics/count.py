"""All counts of documents, in one call: characters, lines, words, what is repeated, and the line rules of C4.

Counts are whole numbers, so that two engines agree or do not; shares are made of them in `shares.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import pyarrow as pa

from headrace.stages.kernels import statistics_c4 as c4
from headrace.stages.kernels.arrays import Array, Bytes, Column, Counts, Offsets, text_array, text_buffers
from headrace.stages.kernels.statistics_flags import Slots
from headrace.stages.kernels.statistics_grams import gram_counts
from headrace.stages.kernels.statistics_lines import line_counts
from headrace.stages.kernels.statistics_repeats import repeat_counts
from headrace.stages.kernels.statistics_words import stop_table, word_counts
from headrace.stages.statistics.characters import flags
from headrace.stages.statistics.spans import Words

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
ENGLISH_STOPS = ("the", "be", "to", "of", "and", "that", "have", "with")  # Gopher's (Rae et al. 2021, A.1.1)


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
    return (
        counts_of_lines(column, settings.short)
        | counts_of_repeats(column)
        | counts_of_words(column, words, settings.stops)
        | counts_of_grams(column, words)
    )


def counts_of_lines(column: Column, short: int) -> dict[str, Counts]:
    """Give the counts of `LINES`; lines of at most `short` characters are short."""
    return by_name(LINES, line_counts(*text_buffers(column), flags(), short))


def counts_of_repeats(column: Column) -> dict[str, Counts]:
    """Give the counts of `REPEATS`."""
    return by_name(REPEATS, repeat_counts(*text_buffers(column), flags()))


def counts_of_words(column: Column, words: Words, stops: tuple[str, ...]) -> dict[str, Counts]:
    """Give the counts of `WORDS`."""
    bounds = words.firsts, words.begins, words.ends
    return by_name(WORDS, word_counts(*text_buffers(column), *bounds, flags(), *stop_words(stops)))


def counts_of_grams(column: Column, words: Words) -> dict[str, Counts]:
    """Give the counts of `GRAMS`."""
    return by_name(GRAMS, gram_counts(*text_buffers(column), words.firsts, words.begins, words.ends))


def by_name(names: Sequence[str], table: Counts) -> dict[str, Counts]:
    """Give the columns of a table of counts by name."""
    return {name: table[:, place] for place, name in enumerate(names)}


def c4_counts(
    column: Column, cut: Callable[[Column], Words], settings: C4Settings
) -> tuple[Mapping[str, Counts], Array]:
    """Give what each line rule of C4 takes, the sentences of the lines kept, and these lines as texts.

    Their sentences are those of their own words, hence `cut`: taking out a citation makes new ones.
    """
    data, offsets = text_buffers(column)
    table, text, bounds = c4.c4_lines(
        *(data, offsets, flags(), *phrases()),
        *(settings.longest_word, settings.fewest_words, settings.ended),
    )
    kept = text_array(text, bounds)
    words = cut(kept)
    sentences = c4.sentence_counts(*text_buffers(kept), words.firsts, words.begins, words.ends, words.kinds)
    return by_name(C4, table) | {"c4_sentences": sentences}, kept


@cache
def stop_words(stops: tuple[str, ...]) -> tuple[Bytes, Offsets, Slots]:
    """Give stop words as the kernel wants them."""
    data, offsets = packed([stop.encode() for stop in dict.fromkeys(stops)])
    return data, offsets, stop_table(data, offsets)


@cache
def phrases() -> tuple[Bytes, Offsets]:
    """Give C4's phrases as the kernel wants them."""
    return packed((*c4.PHRASES, *c4.CITATIONS))


def packed(texts: Sequence[bytes]) -> tuple[Bytes, Offsets]:
    """Give texts one behind the other, and where each begins."""
    return text_buffers(pa.array([text.decode() for text in texts], pa.large_string()))

"""Counts of BigScience's rules: their words have no signs at their ends and small letters for capitals A to Z."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from headrace.schemas.arrays import Bytes, Counts, Floats, Offsets, read_only, text_buffers
from headrace.stages.kernels.statistics_bigscience import (
    bare_words,
    character_runs,
    flagged_characters,
    list_table,
    listed_words,
    word_runs,
)
from headrace.stages.kernels.statistics_flags import Slots
from headrace.stages.statistics.count import packed
from headrace.stages.statistics.letters import SPECIAL, letters
from headrace.stages.statistics.shares import divided
from headrace.stages.statistics.spans import Words

if TYPE_CHECKING:
    from headrace.stages.statistics.statistics import Statistics


def character_repetition(statistics: Statistics, size: int) -> Floats:
    """Give how many of a document's runs of characters are its most frequent ones, of those that occur again."""
    table = character_runs(*text_buffers(statistics.column), size)
    return divided(table[:, 0], table[:, 1])


def word_repetition(statistics: Statistics, size: int) -> Floats:
    """Give the share of runs of words that occur more than once."""
    data, offsets = small(statistics)
    words = bare(statistics)
    table = word_runs(data, offsets, words.firsts, words.begins, words.ends, size)
    return divided(table[:, 0], table[:, 1])


def special_characters(statistics: Statistics) -> Floats:
    """Give the share of characters that are neither letters nor marks of letters."""
    counts = flagged_characters(*text_buffers(statistics.column), letters(), SPECIAL)
    return divided(counts, statistics.count("characters"))


def word_count(statistics: Statistics) -> Counts:
    """Give the words that have something else than signs."""
    firsts = bare(statistics).firsts
    return firsts[1:] - firsts[:-1]


def listed_share(statistics: Statistics, listed: tuple[str, ...]) -> Floats:
    """Give how many words and pairs of words are in a list, per word; pairs could make it more than 1, and do not."""
    data, offsets = small(statistics)
    words = bare(statistics)
    entries, entry_offsets, table = word_list(listed)
    counts = listed_words(data, offsets, words.firsts, words.begins, words.ends, entries, entry_offsets, table)
    return divided(counts, word_count(statistics)).clip(max=1.0)


def bare(statistics: Statistics) -> Words:
    """Give the words without signs at their ends, without kinds."""
    return statistics.once("bare words", lambda: _bare(statistics))


def _bare(statistics: Statistics) -> Words:
    data, offsets = text_buffers(statistics.column)
    words = statistics.words
    found = bare_words(data, offsets, words.firsts, words.begins, words.ends, letters(), SPECIAL)
    return Words(*found, words.kinds[:0])


def small(statistics: Statistics) -> tuple[Bytes, Offsets]:
    """Give the texts with small letters for capitals A to Z."""
    data, offsets = text_buffers(statistics.column)
    return statistics.once("small letters", lambda: _small(data)), offsets


def _small(data: Bytes) -> Bytes:
    capitals = (data >= ord("A")) & (data <= ord("Z"))
    return read_only(data + 32 * capitals.astype(data.dtype))


@cache
def word_list(listed: tuple[str, ...]) -> tuple[Bytes, Offsets, Slots]:
    """Give a list as the kernel wants it."""
    entries, offsets = packed([word.encode() for word in dict.fromkeys(listed)])
    return entries, offsets, list_table(entries, offsets)

"""Counts as DCLM and dolma make them, for documents that should be judged by their formulae.

DCLM: `baselines/mappers/filters/content_filters.py` of mlfoundations/dclm; dolma: `taggers/gopher.py` of allenai/dolma.
Both part most words at white space. DCLM's words for lengths and runs are those of our words that begin with a letter
or digit, where DCLM cuts by the package uniseg.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from headrace.schemas.arrays import Counts, text_buffers
from headrace.stages.kernels import statistics_runs as runs
from headrace.stages.kernels.statistics_line_marks import copy_counts, line_marks
from headrace.stages.kernels.statistics_split_words import split_word_counts, split_words, words_of_letters
from headrace.stages.statistics.characters import flags
from headrace.stages.statistics.count import by_name, packed
from headrace.stages.statistics.letters import ALPHANUMERIC, letters
from headrace.stages.statistics.spans import Words
from headrace.stages.statistics.stop_words import ENGLISH_STOPS

if TYPE_CHECKING:
    from headrace.stages.statistics.statistics import Statistics

Group = Callable[["Statistics"], Mapping[str, Counts]]
MARKS = (
    *("marked_symbols", "marked_full_lines", "marked_bullets", "marked_ellipses"),
    *("marked_lines", "marked_plain_bullets", "marked_plain_ellipses"),
)
SPLIT = (
    *("split_words", "split_characters", "split_alphabetic_words"),
    *("split_stops", "split_small_stops", "split_symbol_words", "split_twice_median"),
)
_COPIES = ("segments", "characters", "copied", "copied_characters")
LINE_COPIES, PARAGRAPH_COPIES, RAW_COPIES = (
    tuple(f"{kind}_{name}" for name in _COPIES) for kind in ("line", "paragraph", "raw_line")
)
_RUNS = (
    *("words", "characters"),
    *(f"{which}_top_{size}_gram" for which in ("longest", "first") for size in (2, 3, 4)),
    *(f"{which}_{size}_gram" for which in ("covered", "copied", "all") for size in range(5, 11)),
)
LETTER_RUNS, SPLIT_RUNS = (tuple(f"{kind}_{name}" for name in _RUNS) for kind in ("letter", "spaced"))


def marks(statistics: Statistics) -> Mapping[str, Counts]:
    """Give the counts of `MARKS`."""
    return by_name(MARKS, line_marks(*text_buffers(statistics.column), flags()))


def line_copies(statistics: Statistics) -> Mapping[str, Counts]:
    """Give the counts of `LINE_COPIES`: DCLM's lines."""
    return by_name(LINE_COPIES, copy_counts(*text_buffers(statistics.column), flags(), 1, 1))


def paragraph_copies(statistics: Statistics) -> Mapping[str, Counts]:
    """Give the counts of `PARAGRAPH_COPIES`: DCLM's paragraphs."""
    return by_name(PARAGRAPH_COPIES, copy_counts(*text_buffers(statistics.column), flags(), 2, 1))


def raw_copies(statistics: Statistics) -> Mapping[str, Counts]:
    """Give the counts of `RAW_COPIES`: dolma's lines."""
    return by_name(RAW_COPIES, copy_counts(*text_buffers(statistics.column), flags(), 1, 0))


def split(statistics: Statistics) -> Words:
    """Give the words parted by white space, without kinds."""
    bounds = statistics.once("split words", lambda: split_words(*text_buffers(statistics.column), flags()))
    return Words(*bounds, statistics.words.kinds[:0])


def of_letters(statistics: Statistics) -> Words:
    """Give the words that begin with a letter or digit, without kinds."""
    words = statistics.words
    data, offsets = text_buffers(statistics.column)
    found = words_of_letters(data, offsets, words.firsts, words.begins, words.ends, letters(), ALPHANUMERIC)
    return Words(*found, words.kinds[:0])


def split_counts(statistics: Statistics, stops: tuple[str, ...] = ENGLISH_STOPS) -> Mapping[str, Counts]:
    """Give the counts of `SPLIT`, with these stop words."""
    words = split(statistics)
    data, offsets = text_buffers(statistics.column)
    listed, list_offsets = packed([stop.encode() for stop in stops])
    table = split_word_counts(data, offsets, words.firsts, words.begins, words.ends, flags(), listed, list_offsets)
    return by_name(SPLIT, table)


def letter_runs(statistics: Statistics) -> Mapping[str, Counts]:
    """Give the counts of `LETTER_RUNS`: DCLM's runs of words."""
    return by_name(LETTER_RUNS, _runs(statistics, of_letters(statistics)))


def spaced_runs(statistics: Statistics) -> Mapping[str, Counts]:
    """Give the counts of `SPLIT_RUNS`: dolma's runs of words."""
    return by_name(SPLIT_RUNS, _runs(statistics, split(statistics)))


def _runs(statistics: Statistics, words: Words) -> Counts:
    return runs.run_counts(*text_buffers(statistics.column), words.firsts, words.begins, words.ends)


GROUPS: Mapping[str, Group] = {
    **dict.fromkeys(MARKS, marks),
    **dict.fromkeys(LINE_COPIES, line_copies),
    **dict.fromkeys(PARAGRAPH_COPIES, paragraph_copies),
    **dict.fromkeys(RAW_COPIES, raw_copies),
    **dict.fromkeys(SPLIT, split_counts),
    **dict.fromkeys(LETTER_RUNS, letter_runs),
    **dict.fromkeys(SPLIT_RUNS, spaced_runs),
}

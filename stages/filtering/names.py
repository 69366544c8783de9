"""The values that rules may ask by name, and the columns that they are stored in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from headrace.stages.filtering.patterns import MATCHES, SHARE, Pattern
from headrace.stages.filtering.preset import LEAST, MOST, Preset
from headrace.stages.filtering.presets import PRESETS
from headrace.stages.statistics.shares import VALUES

# Of every document, whatever its profile.
ALWAYS: Mapping[str, str] = {
    "characters": VALUES["characters"].says,
    "words": VALUES["words"].says,
    "sentences": "sentences, as `clean` and `grade` count them",
    "lines": "lines, blank ones among them",
    "paragraphs": "paragraphs, parted by blank lines",
}
BYTES = "bytes"
# Only where they are asked for, since they choose a profile.
HAN_SHARE, VERSE_SHARE = "han_share", "verse_share"
OTHERS: Mapping[str, str] = {
    BYTES: "bytes of the text in UTF-8",
    HAN_SHARE: "Han characters among the letters",
    VERSE_SHARE: "how much of the text is verse, Chinese alone",
}
PROFILE = "profile"
TEXTS = (
    *("language", "script", "source", "path", "member", "url", "encoding", "encoding_method", "licence", "grade"),
    PROFILE,
)
NUMBERS = ("authority", "damage", "encoding_confidence")  # columns that are numbers
_EARLIER = re.compile(r"(?:values|scores)\.[A-Za-z0-9]\w*")
# What other stages give under these names counts otherwise, and has to stay what it is for them to be decided again.
OF_CLEAN = (
    *("characters", "damage_share", "letter_share", "symbol_share", "punctuation_share", "digit_share"),
    *("repeated_gram_share", "run_share", "noise_share", "mean_line_characters", "mean_word_letters"),
    *("line_characters", "words", "latin_share", "function_word_share", "sentences", "line_end_share"),
    *("repeated_line_share", "removed_lines"),
)
OF_LANGUAGE = (
    *("language_confidence", "language_share", "hant_share", "classical", "cantonese", "code_share", "table_share"),
)
ELSEWHERE = frozenset((*OF_CLEAN, *OF_LANGUAGE))


def column_of(name: str, prefix: str) -> str:
    """Give the column of a value: `values.filter_words`, since `clean` has `values.words`, but `values.hash_share`."""
    return f"values.{prefix or ('filter_' if name in ELSEWHERE else '')}{name}"


def bounds(preset: type[Preset]) -> Iterator[tuple[str, str]]:
    """Give the fields of a preset that are bounds, each with its value."""
    for field in preset.model_fields:
        value = preset.value_of_field(field)
        if value is not None and field.startswith((LEAST, MOST)):
            yield field, value


def asking(preset: Preset, values: Iterable[str]) -> Preset:
    """Give a preset that asks these values alone, by any number: for its `measured`."""
    wanted = frozenset(values)
    return preset.model_copy(update={field: 0 if value in wanted else None for field, value in bounds(type(preset))})


@cache
def owners() -> Mapping[str, str]:
    """Give the preset that measures each value that is a preset's own."""
    known = {*VALUES, *ALWAYS, *OTHERS}
    pairs = ((value, name) for name, preset in reversed(list(PRESETS.items())) for _, value in bounds(preset))
    return {value: name for value, name in pairs if value not in known}


@cache
def numbers() -> frozenset[str]:
    """Give all values that this stage can measure, those of patterns left out."""
    return frozenset({*VALUES, *ALWAYS, *OTHERS, *owners()})


def is_text(name: str, patterns: Iterable[str]) -> bool | None:
    """Whether a name stands for text, for a number (False), or for nothing (None)."""
    if name in TEXTS:
        return True
    if name in NUMBERS or name in numbers() or name in of_patterns(patterns):
        return False
    return False if is_earlier(name) else None


def is_earlier(name: str) -> bool:
    """Whether a name is that of a value of an earlier stage: `values.words_games`, `scores.total`."""
    return _EARLIER.fullmatch(name) is not None


def of_patterns(patterns: Iterable[str]) -> tuple[str, ...]:
    """Give the values of patterns."""
    return tuple(name + ending for name in patterns for ending in (MATCHES, SHARE))


def every(patterns: Iterable[str]) -> list[str]:
    """Give all names that a rule may ask, as far as they are known without the stages before."""
    earlier = (f"values.{name}" for name in ELSEWHERE)
    scores = (f"scores.{name}" for name in ("length", "completeness", "authority", "total"))
    return sorted({*TEXTS, *NUMBERS, *numbers(), *of_patterns(patterns), *earlier, *scores})


def checked_names(patterns: dict[str, Pattern]) -> dict[str, Pattern]:
    """Give patterns; ValueError for a name whose values other ones have."""
    for name in patterns:
        for value in of_patterns((name,)):
            if value in numbers() or value in ELSEWHERE:
                raise ValueError(f"a pattern {name!r} would give {value}, which is another value's name; rename it")
    return patterns

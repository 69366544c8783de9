"""Clean: take out lines that a site prints around every text, and drop documents by named rules."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field, field_validator

from headrace.schemas.arrays import Array, Flags, Floats, floats, text_array, with_column
from headrace.schemas.document import DROPPED
from headrace.stages.base import BatchStage, differing, judged, stricter
from headrace.stages.cleaning.boilerplate import ANYWHERE, FOOTERS, checked
from headrace.stages.cleaning.changes import Cleaned, cleaned
from headrace.stages.cleaning.values import text_values

# In the order in which they are asked; the first that fails names the reason. `min_x` and `max_x` compare `values.x`.
RULES = (
    "min_characters",
    "max_characters",
    "max_line_characters",
    "max_damage_share",
    "min_letter_share",
    "max_symbol_share",
    "max_punctuation_share",
    "max_digit_share",
    "max_repeated_line_share",
    "max_run_share",
    "max_repeated_gram_share",
    "max_noise_share",
    "min_mean_line_characters",
    "max_mean_word_letters",
    "min_function_word_share",
    "min_sentences",
    "min_line_end_share",
)
Share = Annotated[float | None, Field(ge=0, le=1)]
Amount = Annotated[float | None, Field(ge=0)]
# From this share of Latin letters on, function words can be asked for; documentation in Chinese holds much code.
LATIN_TEXT = 0.75
_FUNCTION_WORDS = ("values.words", "values.latin_share", "values.function_word_share")


class Clean(BatchStage):
    """Remove boilerplate lines and repeated lines, then drop by measured values.

    Every value is a column `values.*` of every document, kept or dropped. A rule that is null is not asked. Characters
    are counted without white space; Chinese is never counted in words. Put `repair` before it.
    """

    version: ClassVar[int] = 3

    kind: Literal["clean"] = "clean"
    boilerplate: tuple[str, ...] = Field(ANYWHERE, description="Patterns (RE2); a line that matches as a whole goes.")
    footers: tuple[str, ...] = Field(FOOTERS, description="The same, but only among the last lines of a document.")
    footer_lines: int = Field(5, ge=0, description="How many lines at the end are its last lines.")
    max_boilerplate_bytes: int = Field(400, ge=1, description="Longer lines are no boilerplate.")
    max_line_copies: int = Field(
        20, ge=1, description="A line with a letter stays at most this often in a document; further copies go."
    )
    min_copy_bytes: int = Field(24, ge=1, description="Shorter lines are never removed as copies.")
    gram_tokens: int = Field(
        8, ge=2, description="Tokens (words, or single characters of Chinese) of a stretch in repeated_gram_share."
    )
    function_words_from: int = Field(
        60, ge=1, description="Words in Latin letters from which min_function_word_share is asked."
    )
    min_characters: Amount = Field(10, description="Fewer characters: dropped.")
    max_characters: Amount = Field(10_000_000, description="More characters: dropped.")
    max_line_characters: Amount = Field(None, description="More characters in a line, white space included: dropped.")
    max_damage_share: Share = Field(
        0.02, description="Above this share of U+FFFD, 锟斤拷 and such, and of runs of bytes read as letters: dropped."
    )
    min_letter_share: Share = Field(0.3, description="Below this share of letters (Han included): dropped.")
    max_symbol_share: Share = Field(0.4, description="Above this share of symbols (=, |, emoji ...): dropped.")
    max_punctuation_share: Share = Field(0.5, description="Above this share of punctuation: dropped.")
    max_digit_share: Share = Field(0.4, description="Above this share of digits: dropped.")
    max_repeated_line_share: Share = Field(
        0.7, description="Above this share of bytes in lines that repeat an earlier line: dropped."
    )
    max_repeated_gram_share: Share = Field(
        0.75, description="Above this share of characters in stretches of gram_tokens said before: dropped."
    )
    max_run_share: Share = Field(0.5, description="Above this share in runs of one letter (5 or more): dropped.")
    max_noise_share: Share = Field(
        0.3, description="Above this share of consonant runs (6 or more) and walks along the keyboard: dropped."
    )
    min_mean_line_characters: Amount = Field(4, description="Fewer characters a line on average: dropped.")
    max_mean_word_letters: Amount = Field(20, description="Longer words in Latin letters on average: dropped.")
    min_function_word_share: Share = Field(
        0.01, description="Below this share of function words, in a text in Latin letters: dropped."
    )
    min_sentences: Amount = Field(
        None,
        description="Fewer sentences, by 。！？…!? and full stops before spaces, quotes behind them included: dropped.",
    )
    min_line_end_share: Share = Field(
        None,
        description="Below this share of lines that end like a sentence, or with ；: dropped. FineWeb asks for 0.12.",
    )

    _check_patterns = field_validator("boilerplate", "footers")(checked)

    def process(self, table: pa.Table) -> pa.Table:
        """Give the table with changed texts, the values, and verdicts."""
        result = cleaned(self, table["text"])
        values = self.values_of(result)
        table = with_column(table, "text", text_array(result.data, result.offsets))
        for name, value in values.items():
            table = with_column(table, f"values.{name}", pa.array(value, pa.float64()))
        return self.decided(table)

    def decided(self, table: pa.Table) -> pa.Table:
        """Give the table with verdicts by its values."""
        return judged(table, *self.verdicts({name.partition(".")[2]: floats(table, name) for name in self.reads()}))

    def unanswerable(self, before: Clean) -> list[str]:
        """Name the changed options that decide what is removed, or how it is measured."""
        return [name for name in differing(self, before) if name not in (*RULES, "function_words_from")]

    def reads(self, before: Clean | None = None) -> tuple[str, ...]:
        """Name the values that rules ask for, or those that stricter rules do."""
        asked = RULES if before is None else stricter(self, before)
        needed = (_FUNCTION_WORDS if "function_word" in name else (f"values.{name[4:]}",) for name in asked)
        return tuple(dict.fromkeys(column for columns in needed for column in columns))

    def values_of(self, result: Cleaned) -> dict[str, Floats]:
        """Give all values: those of the text, and how much it lost."""
        return {
            **text_values(result.data, result.offsets, self.gram_tokens),
            "repeated_line_share": result.repeated_line_share,
            "removed_lines": result.removed_lines,
        }

    def verdicts(self, values: dict[str, Floats]) -> tuple[Array, ...]:
        """Give verdict, reason, value and threshold by the first rule that each document fails."""
        count = len(next(iter(values.values())))
        rule = np.full(count, -1)
        value, threshold = np.zeros(count), np.zeros(count)
        for number, name in enumerate(RULES):
            bar = getattr(self, name)
            if bar is None:
                continue
            failed = self.fails(name, bar, values) & (rule < 0)
            rule[failed], threshold[failed] = number, bar
            value[failed] = values[name[4:]][failed]
        passed = rule < 0
        reasons = pa.array(np.array(RULES)[rule], pa.string(), mask=passed)
        verdict = pa.array(np.full(count, DROPPED), pa.string(), mask=passed)
        return verdict, reasons, pa.array(value, mask=passed), pa.array(threshold, mask=passed)

    def fails(self, name: str, bar: float, values: dict[str, Floats]) -> Flags:
        """Tell which documents fail one rule."""
        value = values[name[4:]]
        if name == "min_function_word_share":
            asked = (values["words"] >= self.function_words_from) & (values["latin_share"] >= LATIN_TEXT)
            return np.asarray(asked & (value < bar))
        return np.asarray(value < bar if name.startswith("min_") else value > bar)

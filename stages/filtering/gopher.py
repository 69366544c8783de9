"""Gopher's rules of repetition and quality (Rae et al. 2021, arXiv 2112.11446, section A.1.1 and table A1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from headrace.stages.filtering.preset import Preset
from headrace.stages.statistics.stop_words import ENGLISH_STOPS

if TYPE_CHECKING:
    from headrace.schemas.arrays import Floats
    from headrace.stages.statistics.statistics import Statistics

_TABLE = "Gopher, table A1."
_QUALITY = "Gopher, section A.1.1."


class Gopher(Preset):
    """Rules against repetition, then rules of quality, as DeepMind's MassiveText asked them of web pages."""

    name: ClassVar[str] = "gopher"
    own: ClassVar[frozenset[str]] = frozenset({"stop_words"})

    min_characters: float | None = Field(1, ge=0, description="Characters; an empty text is dropped. datatrove.")
    max_repeated_paragraph_share: float | None = Field(
        0.3, ge=0, description=f"Paragraphs that are copies of earlier ones. {_TABLE}"
    )
    max_repeated_paragraph_character_share: float | None = Field(
        0.2, ge=0, description=f"Characters in such paragraphs, of all. {_TABLE}"
    )
    max_repeated_piece_share: float | None = Field(
        0.3, ge=0, description=f"Lines (parted by one or more line feeds) that are copies of earlier ones. {_TABLE}"
    )
    max_repeated_piece_character_share: float | None = Field(
        0.2, ge=0, description=f"Characters in such lines, of all. {_TABLE}"
    )
    max_top_2_gram_share: float | None = Field(
        0.2, ge=0, description=f"Characters that the most frequent run of two words covers, of all. {_TABLE}"
    )
    max_top_3_gram_share: float | None = Field(0.18, ge=0, description=f"The same for three words. {_TABLE}")
    max_top_4_gram_share: float | None = Field(0.16, ge=0, description=f"The same for four words. {_TABLE}")
    max_repeated_5_gram_share: float | None = Field(
        0.15, ge=0, description=f"Characters in runs of five words that were said before, of all. {_TABLE}"
    )
    max_repeated_6_gram_share: float | None = Field(0.14, ge=0, description=f"The same for six words. {_TABLE}")
    max_repeated_7_gram_share: float | None = Field(0.13, ge=0, description=f"The same for seven words. {_TABLE}")
    max_repeated_8_gram_share: float | None = Field(0.12, ge=0, description=f"The same for eight words. {_TABLE}")
    max_repeated_9_gram_share: float | None = Field(0.11, ge=0, description=f"The same for nine words. {_TABLE}")
    max_repeated_10_gram_share: float | None = Field(0.1, ge=0, description=f"The same for ten words. {_TABLE}")
    min_words: float | None = Field(50, ge=0, description=f"Words, marks left out. {_QUALITY}")
    max_words: float | None = Field(100_000, ge=0, description=f"Words, marks left out. {_QUALITY}")
    min_mean_word_length: float | None = Field(3, ge=0, description=f"Characters of a word on average. {_QUALITY}")
    max_mean_word_length: float | None = Field(10, ge=0, description=f"Characters of a word on average. {_QUALITY}")
    max_hash_share: float | None = Field(0.1, ge=0, description=f"# per word or mark. {_QUALITY}")
    max_ellipsis_share: float | None = Field(0.1, ge=0, description=f"... and … per word or mark. {_QUALITY}")
    max_bullet_line_share: float | None = Field(
        0.9, ge=0, description=f"Lines that begin with a bullet, of all. {_QUALITY}"
    )
    max_ellipsis_line_share: float | None = Field(
        0.3, ge=0, description=f"Lines that end with an ellipsis, of all. {_QUALITY}"
    )
    min_alphabetic_word_share: float | None = Field(
        0.8, ge=0, description=f"Words with a letter, of words and marks. {_QUALITY}"
    )
    min_stop_words: float | None = Field(
        2, ge=0, description=f"Different words of `stop_words` in the text. {_QUALITY}"
    )
    stop_words: tuple[str, ...] = Field(ENGLISH_STOPS, max_length=63, description=f"At most 63 words. {_QUALITY}")

    def measure_own(self, value: str, statistics: Statistics) -> Floats:
        """Give how many of the stop words there are."""
        return statistics.stop_words(self.stop_words)

"""FineWeb2's rules for Mandarin (Penedo et al. 2025, arXiv 2506.20920; its configuration `cmn_Hani`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from headrace.stages.filtering.preset import Preset
from headrace.stages.statistics.stop_words import MANDARIN_STOPS

if TYPE_CHECKING:
    from headrace.schemas.arrays import Floats
    from headrace.stages.statistics.statistics import Statistics

_FITTED = "FineWeb2, cmn_Hani."
_ALL = "FineWeb2, all languages."
_GOPHER = "Gopher's, kept by FineWeb2."


class Fineweb2Cmn(Preset):
    """Rules of repetition, of lines and of quality in FineWeb2's order, with numbers fitted to Mandarin."""

    name: ClassVar[str] = "fineweb2_cmn"
    own: ClassVar[frozenset[str]] = frozenset({"stop_words"})

    min_characters: float | None = Field(1, ge=0, description="Characters; an empty text is dropped. datatrove.")
    max_repeated_piece_share: float | None = Field(
        0.287, ge=0, description=f"Lines (parted by one or more line feeds) that are copies of earlier ones. {_FITTED}"
    )
    max_top_2_gram_share: float | None = Field(
        0.256, ge=0, description=f"Characters that the most frequent run of two words covers, of all. {_FITTED}"
    )
    max_top_3_gram_share: float | None = Field(0.201, ge=0, description=f"The same for three words. {_FITTED}")
    max_top_4_gram_share: float | None = Field(0.171, ge=0, description=f"The same for four words. {_FITTED}")
    max_repeated_5_gram_share: float | None = Field(
        0.198, ge=0, description=f"Characters in runs of five words that were said before, of all. {_FITTED}"
    )
    max_repeated_6_gram_share: float | None = Field(0.182, ge=0, description=f"The same for six words. {_FITTED}")
    max_repeated_7_gram_share: float | None = Field(0.167, ge=0, description=f"The same for seven words. {_FITTED}")
    max_repeated_8_gram_share: float | None = Field(0.154, ge=0, description=f"The same for eight words. {_FITTED}")
    max_repeated_9_gram_share: float | None = Field(0.14, ge=0, description=f"The same for nine words. {_FITTED}")
    max_repeated_10_gram_share: float | None = Field(0.127, ge=0, description=f"The same for ten words. {_FITTED}")
    min_full_lines: float | None = Field(1, ge=0, description="Lines that are not blank. datatrove.")
    min_ended_line_share: float | None = Field(
        0.106, ge=0, description=f"Lines that end with a mark that ends sentences, of those not blank. {_FITTED}"
    )
    max_repeated_line_character_share: float | None = Field(
        0.1, ge=0, description=f"Characters of lines that are copies of earlier ones, of all but line feeds. {_ALL}"
    )
    max_newline_share: float | None = Field(0.178, ge=0, description=f"Line feeds per word or mark. {_FITTED}")
    min_words: float | None = Field(50, ge=0, description=f"Words, marks left out. {_GOPHER}")
    max_words: float | None = Field(100_000, ge=0, description=f"Words, marks left out. {_GOPHER}")
    min_mean_word_length: float | None = Field(1, ge=0, description=f"Characters of a word on average. {_FITTED}")
    max_mean_word_length: float | None = Field(5, ge=0, description=f"Characters of a word on average. {_FITTED}")
    max_hash_share: float | None = Field(0.1, ge=0, description=f"# per word or mark. {_GOPHER}")
    max_ellipsis_share: float | None = Field(0.1, ge=0, description=f"... and … per word or mark. {_GOPHER}")
    max_bullet_line_share: float | None = Field(
        0.9, ge=0, description=f"Lines that begin with a bullet, of all. {_GOPHER}"
    )
    max_ellipsis_line_share: float | None = Field(
        0.3, ge=0, description=f"Lines that end with an ellipsis, of all. {_GOPHER}"
    )
    min_alphabetic_word_share: float | None = Field(
        0.735, ge=0, description=f"Words with a letter, of words and marks. {_FITTED}"
    )
    min_stop_words: float | None = Field(2, ge=0, description=f"Different words of `stop_words` in the text. {_ALL}")
    stop_words: tuple[str, ...] = Field(
        MANDARIN_STOPS, max_length=63, description=f"At most 63 words, simplified and traditional. {_FITTED}"
    )

    def measure_own(self, value: str, statistics: Statistics) -> Floats:
        """Give how many of the stop words there are."""
        return statistics.stop_words(self.stop_words)

"""RefinedWeb's rules (Penedo et al. 2023, arXiv 2306.01116, appendix G) in the order and with the numbers of DCLM."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from headrace.stages.filtering.preset import Preset, lengths
from headrace.stages.statistics.stop_words import ENGLISH_STOPS

if TYPE_CHECKING:
    from headrace.schemas.arrays import Array, Counts, Floats
    from headrace.stages.statistics.statistics import Statistics

_GOPHER = "Gopher's, kept by RefinedWeb."
_DCLM = "DCLM, dclm_baseline_refinedweb."


class Refinedweb(Preset):
    """Rules of quality and repetition, then lines that are no prose are taken out, and with them pages of many such.

    A line goes for its capitals, if it is digits alone, a counter such as "3 likes", or has too few words; "items in
    cart", a last "Read more..." and a first "Sign-in" are taken out of short lines.
    """

    name: ClassVar[str] = "refinedweb"
    own: ClassVar[frozenset[str]] = frozenset({"stop_words", "removed_word_share", "kept_characters"})

    min_words: float | None = Field(50, ge=0, description=f"Words, marks left out. {_GOPHER}")
    max_words: float | None = Field(100_000, ge=0, description=f"Words, marks left out. {_GOPHER}")
    min_mean_word_length: float | None = Field(3, ge=0, description=f"Characters of a word on average. {_GOPHER}")
    max_mean_word_length: float | None = Field(10, ge=0, description=f"Characters of a word on average. {_GOPHER}")
    max_symbol_share: float | None = Field(0.1, ge=0, description=f"#, ... and … per word or mark. {_DCLM}")
    max_bullet_line_share: float | None = Field(
        0.9, ge=0, description=f"Lines that begin with a bullet, of all. {_GOPHER}"
    )
    max_ellipsis_line_share: float | None = Field(
        0.3, ge=0, description=f"Lines that end with an ellipsis, of all. {_GOPHER}"
    )
    min_alphabetic_word_share: float | None = Field(
        0.8, ge=0, description=f"Words with a letter, of words and marks. {_GOPHER}"
    )
    min_stop_words: float | None = Field(2, ge=0, description=f"Words of `stop_words` in the text. {_GOPHER}")
    max_repeated_piece_share: float | None = Field(
        0.3, ge=0, description=f"Lines (parted by one or more line feeds) that are copies of earlier ones. {_GOPHER}"
    )
    max_repeated_paragraph_share: float | None = Field(
        0.3, ge=0, description=f"Paragraphs that are copies of earlier ones. {_GOPHER}"
    )
    max_repeated_piece_character_share: float | None = Field(
        0.2, ge=0, description=f"Characters in such lines, of all. {_GOPHER}"
    )
    max_repeated_paragraph_character_share: float | None = Field(
        0.2, ge=0, description=f"Characters in such paragraphs, of all. {_GOPHER}"
    )
    max_top_2_gram_share: float | None = Field(
        0.2, ge=0, description=f"Characters that the most frequent run of two words covers, of all. {_GOPHER}"
    )
    max_top_3_gram_share: float | None = Field(0.18, ge=0, description=f"The same for three words. {_GOPHER}")
    max_top_4_gram_share: float | None = Field(0.16, ge=0, description=f"The same for four words. {_GOPHER}")
    max_repeated_5_gram_share: float | None = Field(
        0.15, ge=0, description=f"Characters in runs of five words that were said before, of all. {_GOPHER}"
    )
    max_repeated_6_gram_share: float | None = Field(0.14, ge=0, description=f"The same for six words. {_GOPHER}")
    max_repeated_7_gram_share: float | None = Field(0.13, ge=0, description=f"The same for seven words. {_GOPHER}")
    max_repeated_8_gram_share: float | None = Field(0.12, ge=0, description=f"The same for eight words. {_GOPHER}")
    max_repeated_9_gram_share: float | None = Field(0.11, ge=0, description=f"The same for nine words. {_GOPHER}")
    max_repeated_10_gram_share: float | None = Field(0.1, ge=0, description=f"The same for ten words. {_GOPHER}")
    max_removed_word_share: float | None = Field(
        0.05, ge=0, description=f"Words in what the line rules take out, of all. RefinedWeb, appendix G.2; {_DCLM}"
    )
    min_kept_characters: float | None = Field(
        1, ge=0, description="Characters of the text that goes on: an empty page never passes. Ours."
    )
    stop_words: tuple[str, ...] = Field(ENGLISH_STOPS, max_length=63, description=f"At most 63 words. {_GOPHER}")
    uppercase_line_share: float = Field(0.5, ge=0, description=f"Lines with a larger share of capitals go. {_DCLM}")
    fewest_line_words: int = Field(2, ge=0, description=f"Lines with fewer words, cut at white space, go. {_DCLM}")
    phrase_line_words: int = Field(10, ge=0, description=f"Words up to which a line is searched for phrases. {_DCLM}")
    remove_lines: bool = Field(True, description="Whether the text becomes the lines that stay; else they only count.")

    def measure_own(self, value: str, statistics: Statistics) -> Floats:
        """Give stop words, the share of words that go with the lines, and what is left."""
        from headrace.stages.statistics.shares import divided

        if value == "stop_words":
            return statistics.stop_words(self.stop_words)
        if value == "kept_characters":
            return lengths(self.kept(statistics), statistics)
        counts, _ = self._lines(statistics)
        return divided(counts["refinedweb_removed_words"], counts["refinedweb_words"])

    def kept(self, statistics: Statistics) -> Array | None:
        """Give the texts without the lines and phrases that go."""
        return self._lines(statistics)[1] if self.remove_lines else None

    def _lines(self, statistics: Statistics) -> tuple[Mapping[str, Counts], Array]:
        from headrace.stages.statistics.refinedweb import LineSettings

        settings = LineSettings(self.uppercase_line_share, self.fewest_line_words, self.phrase_line_words)
        return statistics.refinedweb(settings)

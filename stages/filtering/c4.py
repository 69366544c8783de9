"""C4's rules of lines and pages (Raffel et al. 2020, section 2.2) and mC4's rule of long lines (Xue et al. 2021)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from headrace.stages.filtering.preset import Preset, lengths

if TYPE_CHECKING:
    from headrace.schemas.arrays import Array, Counts, Floats
    from headrace.stages.statistics.statistics import Statistics

_PAPER = "C4, section 2.2."


class C4(Preset):
    """Take out lines that are no prose, and drop pages of which too little is left.

    A line goes for a word that is too long, for its end (`ended_lines`), for too few words, for "javascript", and for
    six phrases about cookies and policies; citations such as [1] and [edit] are taken out of lines. Bad words are a
    list of the stage `words`.
    """

    name: ClassVar[str] = "c4"
    own: ClassVar[frozenset[str]] = frozenset(
        {"lorem_ipsum_lines", "curly_bracket_lines", "sentences", "kept_characters", "long_lines"}
    )

    max_lorem_ipsum_lines: float | None = Field(0, ge=0, description=f'Lines with "lorem ipsum". {_PAPER}')
    max_curly_bracket_lines: float | None = Field(0, ge=0, description=f'Lines with "{{", as code has. {_PAPER}')
    min_sentences: float | None = Field(5, ge=0, description=f"Sentences in the lines that stay. {_PAPER}")
    min_kept_characters: float | None = Field(
        1, ge=0, description="Characters of the text that goes on: an empty page never passes. Ours."
    )
    min_long_lines: float | None = Field(
        None, ge=0, description="Lines of at least `long_line_characters`: 3 in mC4, which has its own section 3.1."
    )
    longest_word_characters: int = Field(
        1000, ge=0, description="Lines with a longer word go. C4's code, not its paper."
    )
    fewest_line_words: int = Field(3, ge=0, description=f"Lines with fewer words, cut at white space, go. {_PAPER}")
    ended_lines: bool = Field(
        True, description=f"Whether lines that do not end with . ? ! or a quote go; FineWeb asks no such end. {_PAPER}"
    )
    long_line_characters: int = Field(200, ge=0, description="Characters from which a line is long. mC4, section 3.1.")
    remove_lines: bool = Field(True, description="Whether the text becomes the lines that stay; else they only count.")

    def measure_own(self, value: str, statistics: Statistics) -> Floats:
        """Give lines and sentences as C4's rules count them."""
        if value == "long_lines":
            return statistics.long_lines(self.long_line_characters)
        if value == "kept_characters":
            return lengths(self.kept(statistics), statistics)
        counts, _ = self._lines(statistics)
        name = {"lorem_ipsum_lines": "c4_lorem", "curly_bracket_lines": "c4_curly", "sentences": "c4_sentences"}[value]
        return counts[name].astype(float)

    def kept(self, statistics: Statistics) -> Array | None:
        """Give the lines that stay, with citations taken out."""
        return self._lines(statistics)[1] if self.remove_lines else None

    def _lines(self, statistics: Statistics) -> tuple[dict[str, Counts], Array]:
        import pyarrow.compute as pc

        from headrace.stages.statistics.count import C4Settings

        counts, kept = statistics.c4(C4Settings(self.longest_word_characters, self.fewest_line_words, self.ended_lines))
        return dict(counts), pc.utf8_trim_whitespace(kept)

"""The profile of all other languages: what can be said of a text without its words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from headrace.stages.filtering.preset import Preset

if TYPE_CHECKING:
    from headrace.schemas.arrays import Floats
    from headrace.stages.statistics.statistics import Statistics


class General(Preset):
    """Rules against garbled text, repetition and addresses, for texts in whatever language; no words are asked."""

    name: ClassVar[str] = "general"

    min_characters: float | None = Field(6, ge=0, description="Characters.")
    max_garbled_share: float | None = Field(
        0.05, ge=0, le=1, description="Characters that a wrong charset gave, lost ones, and 锟斤拷."
    )
    max_repeated_phrase_share: float | None = Field(
        0.7, ge=0, le=1, description="Characters in stretches of eight words, or characters of Han, said before."
    )
    max_repeated_piece_share: float | None = Field(
        0.5, ge=0, le=1, description="Lines, parted by line feeds, that are copies of earlier ones."
    )
    max_link_share: float | None = Field(
        0.6, ge=0, le=1, description="Characters of addresses of the web, of those that are no white space."
    )

    def given(self, statistics: Statistics) -> Mapping[str, Floats]:
        """Give the values of texts in any language."""
        return statistics.general()

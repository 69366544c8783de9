"""The profile of verse: regulated poems, ci, songs, modern verse; rules for prose would drop nearly all of it."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from headrace.stages.filtering.chinese.preset import ChinesePreset


class Verse(ChinesePreset):
    """Rules against junk alone, with room for refrains: lines need no mark, no function characters, no known words."""

    name: ClassVar[str] = "verse"

    max_repeated_phrase_share: float | None = Field(
        0.8, ge=0, le=1, description="Characters in stretches of eight characters or words that were said before."
    )
    max_top_phrase_share: float | None = Field(
        0.3, ge=0, le=1, description="Characters that the most frequent run of three Han characters takes, from five."
    )

"""The profile of modern Chinese, simplified or traditional: prose, news, documentation, dialogue, forums, reviews."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from headrace.stages.filtering.chinese.preset import ChinesePreset


class ModernChinese(ChinesePreset):
    """Rules against junk; and sentences have function characters, and neighbours make words of today."""

    name: ClassVar[str] = "modern_chinese"

    max_rare_share: float | None = Field(
        0.115, ge=0, le=1, description="Han characters beyond the usual ones of either script, of Han characters."
    )
    min_prose_share: float | None = Field(
        0.4,
        ge=0,
        le=1,
        description="Han characters in sentences with a function character among sixteen or with 。, of all; 40 given.",
    )
    min_modern_function_share: float | None = Field(
        0.022,
        ge=0,
        le=1,
        description="Function characters of modern Chinese (的 了 是 在 …), of Han characters; two in 20 are given.",
    )
    min_known_pair_share: float | None = Field(
        0.15, ge=0, le=1, description="Neighbouring Han characters that make words of today; five more are given."
    )

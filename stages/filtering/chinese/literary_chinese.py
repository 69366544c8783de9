"""The profile of literary Chinese: histories, philosophy, letters, essays; also verse that its form does not show."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from headrace.stages.filtering.chinese.preset import ChinesePreset


class LiteraryChinese(ChinesePreset):
    """Rules against junk, and against shuffled modern text; literary text has no words of today, and lists of names."""

    name: ClassVar[str] = "literary_chinese"

    max_modern_function_share: float | None = Field(
        0.22, ge=0, le=1, description="Function characters of modern Chinese, of Han characters; two in 20 are given."
    )
    max_ascii_share: float | None = Field(
        0.15, ge=0, le=1, description="Letters and digits of ASCII, of characters; 20 are given."
    )
    min_literary_function_share: float | None = Field(
        None, ge=0, le=1, description="Function characters of literary Chinese (之 乎 者 也 …), of Han characters."
    )

"""The profile of literary Chinese: histories, philosophy, letters, essays; also verse that its form does not show."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from headrace.stages.filtering.chinese.preset import ChinesePreset


class LiteraryChinese(ChinesePreset):
    """Rules against junk alone: literary text has no words of today, and lists of names without particles."""

    name: ClassVar[str] = "literary_chinese"

    min_literary_function_share: float | None = Field(
        None, ge=0, le=1, description="Function characters of literary Chinese (之 乎 者 也 …), of Han characters."
    )

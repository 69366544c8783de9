"""The profile of written Cantonese: chat, forums, prose."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from headrace.stages.filtering.chinese.preset import ChinesePreset


class Cantonese(ChinesePreset):
    """Rules against junk; and sentences have function characters, those of Cantonese among them."""

    name: ClassVar[str] = "cantonese"

    min_prose_share: float | None = Field(
        0.3,
        ge=0,
        le=1,
        description="Han characters in sentences with a function character among sixteen or with 。, of all; 40 given.",
    )
    min_cantonese_function_share: float | None = Field(
        0.015, ge=0, le=1, description="Function characters of Cantonese (嘅 咗 喺 唔 …), of Han characters."
    )

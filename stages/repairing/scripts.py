"""Traditional to simplified Chinese and back, by OpenCC's phrases."""

from __future__ import annotations

from functools import cache
from typing import Literal

import opencc

Script = Literal["simplified", "traditional"]
_CONFIGS = {"simplified": "t2s", "traditional": "s2t"}
_ROUNDS = 4  # a phrase that a conversion makes can be one that it changes again


def converted(text: str, script: Script) -> tuple[str, int]:
    """Give a text in one script, and how many of its characters changed.

    >>> converted("頭髮乾燥，乾坤", "simplified")
    ('头发干燥，乾坤', 3)
    """
    # The library takes text as C does: what stands behind a NUL would be lost.
    parts = [_settled(part, script) for part in text.split("\0")]
    result = "\0".join(parts)
    return result, _differences(text, result)


def _settled(text: str, script: Script) -> str:
    for _ in range(_ROUNDS):
        after = str(_converter(script).convert(text))
        if after == text:
            break
        text = after
    return text


def _differences(before: str, after: str) -> int:
    """Count characters that changed; what became longer or shorter counts as a whole, from its first difference."""
    same = sum(a == b for a, b in zip(before, after, strict=False))
    return max(len(before), len(after)) - same


@cache
def _converter(script: Script) -> opencc.OpenCC:
    return opencc.OpenCC(_CONFIGS[script])

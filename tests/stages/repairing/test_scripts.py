"""One script for Chinese, by phrases."""

from __future__ import annotations

import pytest

from headrace.stages.repairing.scripts import Script, converted


@pytest.mark.parametrize(
    ("text", "script", "expected", "changed"),
    [
        ("頭髮乾燥，乾坤", "simplified", "头发干燥，乾坤", 3),
        ("头发干燥，发现皇后", "traditional", "頭髮乾燥，發現皇后", 5),
        ("The wheel 水", "simplified", "The wheel 水", 0),
        ("頭\0髮", "simplified", "头\0发", 2),
        ("", "traditional", "", 0),
    ],
)
def test_conversion(text: str, script: Script, expected: str, changed: int) -> None:
    """Phrases decide between readings of a character, changed characters are counted, and NUL ends nothing."""
    assert converted(text, script) == (expected, changed)
    assert converted(expected, script) == (expected, 0)

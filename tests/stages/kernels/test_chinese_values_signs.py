"""The kernel of signs and its plain twin agree, and each count says what its name says."""

from __future__ import annotations

import random
from functools import cache

import pyarrow as pa
import pytest
from tests.stages.filtering.chinese.labelled import table

from headrace.schemas.arrays import text_buffers
from headrace.stages.filtering.chinese.tables import sign_kinds
from headrace.stages.kernels import chinese_values_signs as signs
from headrace.stages.kernels import chinese_values_signs_plain as plain

PIECES = (
    *("水", "龘", "咁", "元", "块", "折", "￥", "¥9", "!", "！", "！！", "?", "??????", "？", "🔥", "→", "①②③", "⒈⒊⒐"),
    *(
        "13800000001",
        "88001",
        "abc88",
        "wx-99",
        "2023",
        "９９",
        "\\u4ed6",
        "\\u0041",
        "\\u00e9",
        "\\u12",
        "\\",
        "&#x4ed6;",
    ),
    *("&#20182;", "&#65;", "&#123456789;", "&#", "&", "&#X4ED6", "é", " ", "\n", "\u200b", "𠀀", "加微信"),
)


@cache
def kind_of(character: str) -> int:
    """Give what a character is."""
    return int(sign_kinds()[ord(character)])


def counts(texts: list[str]) -> list[list[int]]:
    """Give the counts of texts by the kernel."""
    found: list[list[int]] = signs.sign_counts(*text_buffers(pa.array(texts, pa.large_string())), sign_kinds()).tolist()
    return found


def test_the_twins_agree() -> None:
    """Written, made and random texts have the same counts either way."""
    draw = random.Random(5)
    drawn = ["".join(draw.choice(PIECES) for _ in range(draw.randint(0, 30))) for _ in range(800)]
    texts = ["", *drawn, *(document.text for document in table(3, made=1))]
    for text, found in zip(texts, counts(texts), strict=True):
        assert found == plain.sign_counts(text, kind_of), text


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        ("龘龘水", signs.RARES, 2),
        ("他說這個國家", signs.RARES, 0),
        ("a1 ２", signs.ASCII, 3),
        ("好！！！真的!", signs.SHOUTS, 2),
        ("🔥🔥走→→", signs.PICTURES, 2),
        ("￥99，88元，3折，三元", signs.PRICES, 3),
        ("abc889900、88001234、①③⑧⓪⓪", signs.ACCOUNTS, 3),
        ("utf8、2023、BT-20、20230101123000", signs.ACCOUNTS, 0),
        ("&#20182;&#x8bf4;\\u8fd9", signs.BROKEN, 22),
        ("\\u0041\\u0042\\u0043", signs.BROKEN, 0),
        ("二十???????分钟??", signs.BROKEN, 7),
    ],
)
def test_what_is_counted(text: str, place: int, expected: int) -> None:
    """Rare characters of either script, loud marks, prices, accounts and broken characters."""
    assert counts([text])[0][place] == expected

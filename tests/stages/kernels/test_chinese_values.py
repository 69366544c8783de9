"""Kernels of Chinese values and their plain twin agree, count by count, on written, made and random texts."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pyarrow as pa
import pytest
from tests.stages.filtering.chinese.labelled import table

from headrace.schemas.arrays import Bytes, Offsets, text_buffers
from headrace.stages.filtering.chinese.phrases import GROUPS, PHRASES
from headrace.stages.filtering.chinese.tables import DOMAINS, automaton, domains, folded, traits
from headrace.stages.kernels import chinese_values_lines as lines
from headrace.stages.kernels import chinese_values_phrases as phrases
from headrace.stages.kernels import chinese_values_plain as plain
from headrace.stages.kernels import chinese_values_verse as verse
from headrace.stages.kernels.characters import fold_normalized
from headrace.stages.kernels.language_scan import pair_slots
from headrace.stages.languages.literary import known_pairs

PIECES = (
    *"的了之乎嘅水山x9 .。！？…；，、：|>-_*★~“”「」（）\n\t\u3000\ufffd\ue000é",
    *("加微信", "加★微★信", "薇 信", "vx", "VX", "avx", "vxlan", "qq群", "aqq群", "百家乐", "百.家.乐", "百--家乐"),
    *(
        "百---家乐",
        "注册送彩金",
        "首页",
        "关于我们",
        "版權所有",
        "ICP备",
        "ＩＣＰ备",
        "锟斤拷",
        "鐨勪腑鍥",
        "ä¸­æ–‡",
        "烫烫烫",
    ),
    *("床前明月光", "疑是地上霜", "白日依山尽，", "黄河入海流。", "13812345678", "138-1234-5678", "400-800-1234"),
    *(
        "0571-88123456",
        "http://www.example.com/a",
        "a.top",
        "b.topx",
        "1.com",
        "冷库、叉车、瓷砖、滤芯、电缆、货架、",
        "他说：“走吧。”\n",
    ),
    *("3.14", "It is so. ", "\r\n", "\x85", "𠀀𠀁𠀂𠀃", "水流下山"),
)


@cache
def trait_of(character: str) -> int:
    """Give the traits of a character."""
    return int(traits()[ord(character)])


def fold(character: str) -> str:
    """Give a character's match form, one character or none."""
    return chr(int(folded()[ord(character)]))


def known(one: str, other: str) -> bool:
    """Tell whether a pair is among those of words, by the bits."""
    key = np.array([int(folded()[ord(one)]) << 32 | int(folded()[ord(other)])], np.int64)
    slot = int(pair_slots(key)[0])
    return bool(known_pairs()[slot >> 3] >> (slot & 7) & 1)


@cache
def texts() -> tuple[str, ...]:
    """Give texts of every kind."""
    draw = random.Random(11)
    drawn = ["".join(draw.choice(PIECES) for _ in range(draw.randint(0, 40))) for _ in range(300)]
    return ("", "水", "\n", *drawn, *(document.text for document in table(5, made=1)))


@cache
def buffers() -> tuple[Bytes, Offsets]:
    """Give the texts as the kernels take them."""
    return text_buffers(pa.array(texts(), pa.large_string()))


def test_lines_and_sentences() -> None:
    """Characters, lines, sentences, lists, garbled stretches."""
    found = lines.text_counts(*buffers(), traits(), folded(), known_pairs())
    assert found.tolist() == [plain.text_counts(text, trait_of, known) for text in texts()]


def test_phrases() -> None:
    """Phrases of every group, with signs between their characters and without."""
    found = phrases.phrase_counts(*buffers(), automaton())
    groups = [[fold_normalized(phrase) for phrase in group] for group in PHRASES]
    signs = automaton().signs
    for number, text in enumerate(texts()[:200]):
        expected = plain.phrase_counts(text, groups, fold, lambda character: int(signs[ord(character)]))
        assert dict(zip(GROUPS, found[number].tolist(), strict=True)) == dict(zip(GROUPS, expected, strict=True)), text


def test_marks() -> None:
    """Telephones and addresses."""
    found = phrases.mark_counts(*buffers(), domains())
    assert found.tolist() == [plain.mark_counts(text, frozenset(DOMAINS.split())) for text in texts()]


def test_verse() -> None:
    """Clauses, open lines, and the most frequent run."""
    found = verse.verse_counts(*buffers(), traits())
    assert found.tolist() == [plain.verse_counts(text, trait_of) for text in texts()]
    assert verse.top_counts(*buffers(), traits()).tolist() == [plain.top_count(text, trait_of) for text in texts()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("13812345678", [1, 0, 0]),
        ("1381234567", [0, 0, 0]),
        ("138-1234-5678 和 400-800-1234", [2, 0, 0]),
        ("0571-88123456", [1, 0, 0]),
        ("2021-03-05 12:30", [0, 0, 0]),
        ("见 www.example.com 和 http://a.example.cn/b", [0, 2, 36]),
        ("文件 a.txt 和 3.14", [0, 0, 0]),
    ],
)
def test_what_is_a_telephone_and_an_address(text: str, expected: list[int]) -> None:
    """Mobile, service and fixed numbers count, dates do not; a name needs a top-level domain."""
    assert phrases.mark_counts(*text_buffers(pa.array([text])), domains())[0].tolist() == expected

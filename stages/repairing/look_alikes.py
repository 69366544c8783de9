"""The ordinary characters that radicals and compatibility ideographs look like."""

from __future__ import annotations

import unicodedata
from functools import cache

import numpy as np

from headrace.schemas.arrays import Classes, CodePoints, read_only
from headrace.stages.kernels.characters import CODE_POINTS, HAN, classes
from headrace.stages.kernels.repair_tables import CONTEXT, RADICAL

# U+2E80 to U+2EF3 in their order: the unified ideograph that each is equivalent to, "-" where there is none. Source:
# Equivalent_Unified_Ideograph of the Unicode Character Database (EquivalentUnifiedIdeograph.txt, Unicode 14).
_SUPPLEMENT = (
    "-厂乛乚乙亻冂𠘨刀刂卜㔾小小兀尣尢𡯂巳幺彑彐忄心扌攵-旡日"
    "月歺母民氵氺灬爫爫丬牛犭王𤴔目示礻𥫗糹纟罓罒㓁冗𦉫羊𦍌𦍋耂"
    "肀聿肉𦥑艹艹艹虎衤覀西见角𧢲讠贝𧾷车辶辶辶邑钅長镸长门𨸏阝"
    "雨青韦页风飞食𩙿飠饣𩠐马骨鬼鱼鸟卤麦黄黾斉齐歯齿竜龙龜亀龟"
)
_SUPPLEMENT_FIRST, _KANGXI, _LAST = 0x2E80, 0x2F00, 0x2FD5
_COMPATIBILITY = ((0xF900, 0xFAFF), (0x2F800, 0x2FA1F))
_KANA = (0x3041, 0x30FF)
_MARKS = "，。、；：！？"


@cache
def forms() -> CodePoints:
    """Give the ordinary form of each look-alike, 0 for all other code points.

    Kangxi radicals and compatibility ideographs have theirs in the Unicode data of this Python.
    """
    table = np.zeros(CODE_POINTS, np.uint32)
    for point, form in enumerate(_SUPPLEMENT, start=_SUPPLEMENT_FIRST):
        table[point] = 0 if form == "-" else ord(form)
    for first, last in ((_KANGXI, _LAST), *_COMPATIBILITY):
        for point in range(first, last + 1):
            form = unicodedata.normalize("NFKC", chr(point))
            if form != chr(point) and len(form) == 1:
                table[point] = ord(form)
    return read_only(table)


@cache
def surroundings() -> Classes:
    """Give CONTEXT for characters of running Chinese or Japanese text, and RADICAL for radicals."""
    table = np.zeros(CODE_POINTS, np.uint8)
    table[classes() == HAN] = CONTEXT
    table[_KANA[0] : _KANA[1] + 1] = CONTEXT
    table[[ord(c) for c in _MARKS]] = CONTEXT
    table[_SUPPLEMENT_FIRST : _LAST + 1] = RADICAL
    return read_only(table)

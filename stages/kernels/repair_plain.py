"""What the kernels of repair compute, in plain Python: slow, readable, and what the tests compare the kernels with."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from headrace.schemas.arrays import Classes, CodePoints, Links
from headrace.stages.kernels import repair_scan as bit
from headrace.stages.kernels.characters import HAN
from headrace.stages.kernels.repair_plausibility import Chinese
from headrace.stages.kernels.repair_scan import Signals
from headrace.stages.kernels.repair_tables import (
    BREAKER,
    COLUMN_OF_FATE,
    CONTEXT,
    CONTROL,
    DIRECTION,
    JOINER,
    LINE_END,
    MARK,
    RADICAL,
    ROLE_FLAG,
    ROLE_JOINS,
    ROLE_SELECTABLE,
    ROLE_UNSPACED,
    ROLE_WORD,
    SELECTOR,
    STAY,
    TAG,
)

_TERMINAL = "\x1b(?:\\[[\x20-\x3f]*[\x40-\x7e]|\\][\x20-\x7e]*(?:\x07|\x1b\\\\))"
_PIECE = re.compile(f"\r\n|{_TERMINAL}|.", re.DOTALL)
_ANNOTATION = re.compile("(?<=[a-zA-Z\x80-\U0010ffff])\\((?=[^)]*[^\x00-\x7f])[a-z\xc0-\u01ff\u1e00-\u1fff]+\\)")
_STAYS_BEHIND = {JOINER: ROLE_JOINS, BREAKER: ROLE_UNSPACED, SELECTOR: ROLE_SELECTABLE, TAG: ROLE_FLAG}


def scrub(text: str, fates: Classes, roles: Classes, *, directed: bool, most_marks: int) -> tuple[str, Counter[int]]:
    """Give the text with each character's fate done, and how many of each column of `COLUMNS` that took."""
    out: list[str] = []
    counts: Counter[int] = Counter()
    marks = before = 0
    for piece, after in pairwise([*_PIECE.findall(text), ""]):
        fate = int(fates[ord(piece[0])])
        if fate not in (LINE_END, CONTROL) and len(piece) > 1:  # a sequence whose repair is off, character by character
            out, marks, before = [*out, *piece], 0, fate
            continue
        marks = 0 if fate == STAY else marks + (fate == MARK)
        role = int(roles[ord(out[-1])]) if out else int(roles[0])
        if before == CONTROL and piece in ("\v", "\f") and role & ROLE_WORD and after:
            fate = CONTROL if fates[ord(after[0])] == CONTROL else fate
        before = fate
        if fate == LINE_END:
            out.append("\n")
        elif (
            fate == STAY
            or (fate == MARK and marks <= most_marks)
            or (fate == DIRECTION and directed)
            or role & _STAYS_BEHIND.get(fate, 0)
        ):
            out.append(piece)
            continue
        counts[COLUMN_OF_FATE[fate]] += 1 if fate == LINE_END else len(piece)
    return "".join(out), counts


def replace_look_alikes(text: str, forms: CodePoints, kinds: Classes) -> tuple[str, int]:
    """Give the text with the ordinary forms of look-alikes, and how many there were."""
    radicals = [ord(c) for c in text if kinds[ord(c)] == RADICAL]
    ascents = sum(second == first + 1 for first, second in pairwise([0, *radicals]))
    listed = ascents >= 2 and 2 * ascents >= len(radicals)
    padded = f"\0{text}\0"
    plain = [
        chr(forms[ord(c)])
        if forms[ord(c)]
        and (kinds[ord(c)] != RADICAL or (not listed and max(kinds[ord(before)], kinds[ord(after)]) >= CONTEXT))
        else c
        for before, c, after in zip(padded, text, padded[2:], strict=False)
    ]
    return "".join(plain), sum(a != b for a, b in zip(plain, text, strict=True))


def scan(text: str, signals: Signals, most_marks: int) -> int:
    """Give the bits of a document."""
    bits = 0
    for line in re.findall("[^\n]*\n|[^\n]+$", text):
        bits |= line_bits(line, signals, most_marks)
    return bits | (bit.PINYIN if len(_ANNOTATION.findall(text)) >= bit.ANNOTATIONS else 0)


def line_bits(line: str, signals: Signals, most_marks: int) -> int:
    """Give the bits of a line, PINYIN apart."""
    bits = bucket = marks = 0
    for character in line:
        own = int(signals.points[ord(character)])
        bucket = max(0, bucket + (own >> bit.SUSPICION))
        marks = marks + 1 if own & bit.STACKED else 0
        bits |= own | (bit.MOJIBAKE if bucket >= bit.SUSPICIOUS else 0) | (bit.MARKS if marks > most_marks else 0)
    if any(_garbled(first, second, signals) for first, second in pairwise(line)):
        bits |= bit.MOJIBAKE
    return bits & (bit.PAIRED - 1)


def _garbled(first: str, second: str, signals: Signals) -> bool:
    row, column = int(signals.letters[ord(first)]), int(signals.letters[ord(second)])
    plain = second == "\n" or (second.isascii() and second.isalpha())
    return row > 0 and (column > 0 or not plain) and bool(signals.garbled[row, column])


def weigh(points: list[int], tables: Chinese, known: float) -> tuple[float, int, int]:
    """Give the nats of a text, its Han characters, and its pairs that gain more than `known`."""
    simple = [int(tables.folded[point]) for point in points]
    gains = [_gain(tables, *pair) for pair in pairwise(simple)]
    nats = sum(float(tables.nats[point]) for point in points) + sum(gains)
    return nats, sum(tables.classes[point] == HAN for point in points), sum(gain > known for gain in gains)


def _gain(tables: Chinese, first: int, second: int) -> float:
    begin, end = tables.begins[first : first + 2]
    behind = tables.seconds[begin:end].tolist()
    return float(tables.gains[begin + behind.index(second)]) if second in behind else 0.0


def most_suspicion(points: list[int], signals: Links) -> int:
    """Give the most suspicion that the characters of any stretch of a text have together, 0 if none is suspicious."""
    own = [int(signals[point]) >> bit.SUSPICION for point in points]
    stretches = (sum(own[i:j]) for i in range(len(own)) for j in range(i + 1, len(own) + 1))
    return max(0, *stretches, 0)

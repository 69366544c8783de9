"""How likely bytes are as a text in one charset: the sum of the logarithms of its characters' likelihoods.

All scores are in centinats and about the same bytes, so they can be compared whatever the charset. A double-byte
charset is read by characters and by neighbours of Han; the fixed sums for damage and for places where no text has a
lone character are rounded from trials on real text (docs/decisions/0010-charset-detector.md).
"""

from __future__ import annotations

from headrace.schemas.arrays import Bytes, Counts
from headrace.schemas.compiled import part
from headrace.stages.kernels.charset_model import (
    ANY,
    BEYOND,
    CP932,
    GAIN_STEP,
    GB18030,
    HOPELESS,
    LANGUAGE,
    POINT,
    WHAT,
    Logs,
    Model,
    Pairs,
    pair_slot,
    pair_tag,
)
from headrace.stages.kernels.charset_numbers import number
from headrace.stages.kernels.charset_units import CUT, LOST, is_big5, read_code, read_utf8

# What `tally` counts of a double-byte text.
BAD, UNITS, HAN, KANA, HANGUL, ASCII_SCORE = range(6)
TALLIES = 6
STEP = 128  # bytes between two looks at how far the best is ahead
_FAR_BEHIND = 30_000
_DAMAGE, _DAMAGE_80, _CUT_CODE, _CUT_ALONE, _LONG_CODE = -2400, -1600, -500, -600, -1900
_RUN, _BESIDE_LETTER, _BESIDE_DIGIT, _ALONE, _INSIDE_WORD = -100, -250, -100, -150, -400
_NEW_PAIR = -90
_REPEATED = -250  # a character that repeats the one before, as in rules and dots, says the same in every charset
_KATAKANA_RUN, _KATAKANA_END, _KATAKANA_ALONE = -520, -900, -1250
_UTF8_DAMAGE, _UTF8_CUT, _UTF8_ASTRAL = -2200, -1200, -1400
# A line that a charset cannot read may be in another one: then it costs no more than this for a byte, and this besides.
_OTHER_CHARSET, _OTHER_LINE = -800, -2000
BAD_PER_UNIT, _MUCH_DAMAGE = 4, 40  # of UTF-8: some lines may be in another charset
_NEWLINE = 10
_UTF16_ASTRAL, _UTF16_HALF = -1600, -1200

_slot, _tag = part(pair_slot), part(pair_tag)


@part
def is_letter(byte: int) -> bool:
    """Say whether a byte is a letter of ASCII."""
    return 0x61 <= byte | 0x20 <= 0x7A


@part
def is_digit(byte: int) -> bool:
    """Say whether a byte is a digit of ASCII."""
    return 0x30 <= byte <= 0x39


@part
def is_han(point: int) -> bool:
    """Say whether a code point is a Han character of the basic plane."""
    return 0x3400 <= point < 0xA000


@part
def beside(byte: int) -> int:
    """Give what it costs that a double-byte character stands beside a letter or a digit of ASCII."""
    if is_letter(byte):
        return _BESIDE_LETTER
    return _BESIDE_DIGIT if is_digit(byte) else 0


@part
def pair_gain(before: int, point: int, pairs: Pairs) -> int:
    """Give what is gained or lost by the Han character before this one."""
    entry = number(pairs[_slot(before, point)])
    if entry & 0xFF and entry >> 8 == _tag(before, point):
        return (entry & 0xFF) * GAIN_STEP
    return _NEW_PAIR


@part
def character_score(point: int, before: int, logs: Logs, pairs: Pairs) -> int:
    """Give the log of one character behind another (0: none)."""
    if point == before:
        return _REPEATED
    score = number(logs[min(point, BEYOND)])
    return score + pair_gain(before, point, pairs) if is_han(point) and is_han(before) else score


@part
def double_byte_score(sample: Bytes, guess: int, model: Model, best: Counts, own: Counts, tally: Counts) -> int:
    """Give the score of a family and language, HOPELESS once it is far behind the best; fill `tally` and `own`.

    `best` and `own` have the scores at every STEP bytes: of the best hypothesis so far, and of this one.
    """
    family, logs, pairs = model.guesses[guess, WHAT], model.character_logs[model.guesses[guess, LANGUAGE]], model.pairs
    codes, longer, ascii_logs = model.codes[family], model.longer, model.ascii_logs
    at = score = ascii_part = looks = bad = units = han = kana = hangul = 0
    last, run_end, run_units, in_word = 0, -1, 0, False  # `last`: the code point before, in the same run
    line_least, line_high = 0, 0
    while at < len(sample):
        if at >= looks * STEP:
            own[looks] = score
            if score < best[looks] - _FAR_BEHIND:
                return HOPELESS
            looks += 1
        byte = number(sample[at])
        if byte < 0x80:
            score += ascii_logs[byte]
            ascii_part += ascii_logs[byte]
            if at and at == run_end and is_chinese(last):
                score += run_cost(byte, units - run_units, in_word)
            at += 1
            line_least += ascii_logs[byte]
            if byte == _NEWLINE:
                score = max(score, line_least + line_high * _OTHER_CHARSET + _OTHER_LINE)
                line_least, line_high = score, 0
            continue
        starts = at != run_end
        point, size = 0, 2
        if at + 1 < len(sample):
            point = number(codes[byte << 8 | sample[at + 1]]) & POINT
        if point == 0:  # no plain code of two bytes
            point, size = read_code(sample, at, len(sample), family, codes, longer)
            score += odd_score(sample, at, point, size, family, logs)
        elif point == last and not starts:
            score += _REPEATED
        else:
            score += logs[min(point, BEYOND)]
            if is_han(point) and is_han(last) and not starts:
                score += pair_gain(last, point, pairs)
        if starts:
            run_units, in_word = units, at > 0 and is_letter(number(sample[at - 1]))
            score += _RUN + (beside(number(sample[at - 1])) if at and is_chinese(point) else 0)
            score += _CUT_ALONE if point == CUT else 0
        units += point > 0 and size > 1
        han += is_han(point) or point > BEYOND
        kana += 0x3040 <= point < 0x3100
        hangul += 0xAC00 <= point < 0xD7A4
        bad += point == LOST
        last = point
        at += size
        line_high += size
        run_end = at
    own[looks:] = score
    tally[BAD], tally[UNITS], tally[HAN], tally[KANA], tally[HANGUL] = bad, units, han, kana, hangul
    tally[ASCII_SCORE] = ascii_part
    return score


@part
def is_chinese(point: int) -> bool:
    """Say whether a code point is Han, kana, Hangul or their punctuation, which seldom stand beside a letter of ASCII.

    Greek, signs of mathematics and frames do. A cut character counts as Chinese.
    """
    return point >= 0x2E80 or point == CUT


@part
def run_cost(byte: int, units: int, in_word: int) -> int:
    """Give what it costs that double-byte characters end before an ASCII byte; a single one is rarer than more."""
    cost = beside(byte)
    if units == 1:
        cost += _ALONE + (_INSIDE_WORD if in_word and is_letter(byte) else 0)
    return cost


@part
def odd_score(sample: Bytes, at: int, point: int, size: int, family: int, logs: Logs) -> int:
    """Give the score of what is no code of two bytes."""
    if point == LOST:
        return _DAMAGE_80 if sample[at] == 0x80 and (family == GB18030 or is_big5(family)) else _DAMAGE
    if point == CUT:
        return _CUT_CODE
    if size == 1:
        return katakana_score(sample, at) if family == CP932 else _DAMAGE_80
    score = number(logs[min(point, BEYOND)])
    return min(score, _LONG_CODE) if family == GB18030 else score


@part
def katakana_score(sample: Bytes, at: int) -> int:
    """Give the score of half-width katakana, which any byte from A1 to DF would be: they come in runs."""
    if at and 0xA1 <= sample[at - 1] <= 0xDF:
        return _KATAKANA_RUN
    return _KATAKANA_END if at + 1 < len(sample) and 0xA1 <= sample[at + 1] <= 0xDF else _KATAKANA_ALONE


@part
def utf8_score(sample: Bytes, model: Model, tally: Counts) -> int:
    """Give the score of UTF-8, damage included; `tally` counts damaged places and sequences."""
    at = score = before = line_least = line_high = 0
    logs, pairs, ascii_logs = model.character_logs[ANY], model.pairs, model.ascii_logs
    tally[:] = 0
    while at < len(sample):
        byte = number(sample[at])
        if byte < 0x80:
            score += ascii_logs[byte]
            before = 0
            at += 1
            line_least += ascii_logs[byte]
            if byte == _NEWLINE:
                score = max(score, line_least + line_high * _OTHER_CHARSET + _OTHER_LINE)
                line_least, line_high = score, 0
            continue
        point, size = read_utf8(sample, at, len(sample))
        at += size
        line_high += size
        if point == LOST:
            score += _UTF8_DAMAGE
            tally[BAD] += 1
        elif point == CUT:
            score += _UTF8_CUT
        else:
            tally[UNITS] += 1
            score += _UTF8_ASTRAL if size == 4 else character_score(point, before, logs, pairs)
        before = point
        if tally[BAD] > _MUCH_DAMAGE and tally[BAD] > tally[UNITS] * BAD_PER_UNIT:
            return HOPELESS
    return score


@part
def utf16_unit(sample: Bytes, at: int, big_endian: int) -> int:
    """Give the two bytes at a place as one number."""
    first, second = number(sample[at]), number(sample[at + 1])
    return first << 8 | second if big_endian else second << 8 | first


@part
def utf16_score(sample: Bytes, big_endian: int, model: Model, tally: Counts) -> int:
    """Give the score of UTF-16; `tally` counts damaged places."""
    at = score = before = 0
    logs, pairs, ascii_logs = model.character_logs[ANY], model.pairs, model.ascii_logs
    tally[:] = 0
    while at + 1 < len(sample):
        point = utf16_unit(sample, at, big_endian)
        at += 2
        if point < 0x80:
            score += ascii_logs[point]
        elif (
            0xD800 <= point < 0xDC00 and at + 1 < len(sample) and 0xDC00 <= utf16_unit(sample, at, big_endian) < 0xE000
        ):
            score += _UTF16_ASTRAL
            at += 2
        elif point < 0xA0 or 0xD800 <= point < 0xE000 or point >= 0xFFFE:
            score += _DAMAGE
            tally[BAD] += 1
        else:
            score += logs[point]  # nothing for repeated ones: rules of ASCII would be such here
            if is_han(point) and is_han(before) and point != before:
                score += pair_gain(before, point, pairs)
        before = point
    if len(sample) & 1:
        score += _UTF16_HALF
        tally[BAD] += 1
    return score

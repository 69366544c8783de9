"""Words of ASCII between Chinese: how jieba cuts a run of letters, digits and `+#&._%-`, with and without its model."""

from __future__ import annotations

from headrace.stages.kernels.arrays import Bytes, Offsets
from headrace.stages.kernels.compiled import part

_DOT, _PERCENT = 0x2E, 0x25


@part
def is_letter_or_digit(byte: int) -> bool:
    """Tell letters and digits of ASCII."""
    return 0x30 <= byte <= 0x39 or 0x41 <= byte <= 0x5A or 0x61 <= byte <= 0x7A


@part
def with_numbers(data: Bytes, at: int, end: int, out: Offsets, n: int) -> int:
    """Write the ends of words as jieba's model gives them: letters and digits, perhaps `.` and digits, perhaps `%`.

    What stands between two such words is one word: `a_-b` is `a`, `_-`, `b`.
    """
    while at < end:
        if is_letter_or_digit(data[at]):
            at = _number_end(data, at, end)
        else:
            while at < end and not is_letter_or_digit(data[at]):
                at += 1
        out[n] = at
        n += 1
    return n


@part
def _number_end(data: Bytes, at: int, end: int) -> int:
    while at < end and is_letter_or_digit(data[at]):
        at += 1
    if at + 1 < end and data[at] == _DOT and _is_digit(data[at + 1]):
        at += 2
        while at < end and _is_digit(data[at]):
            at += 1
    if at < end and data[at] == _PERCENT:
        at += 1
    return at


@part
def _is_digit(byte: int) -> bool:
    return 0x30 <= byte <= 0x39


@part
def without_numbers(data: Bytes, at: int, end: int, out: Offsets, n: int) -> int:
    """Write the ends of words as jieba gives them without its model: runs of letters and digits, and each sign."""
    while at < end:
        if is_letter_or_digit(data[at]):
            while at < end and is_letter_or_digit(data[at]):
                at += 1
        else:
            at += 1
        out[n] = at
        n += 1
    return n

"""Texts by number: equal texts get one number, each text compared, never its hash alone.

A text of up to seven bytes is its own key: its bytes, and its size in the highest byte. That of a longer one is a hash
with the highest bit set, and texts with equal keys are compared. A table has rows of a key and a number plus 1, which
is 0 where the row is free. `wide` has the eight bytes that begin at each byte of `data`, see `eights`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from headrace.schemas.arrays import Bytes, Hashes, Offsets, read_only
from headrace.schemas.compiled import kernel, lean
from headrace.stages.kernels.mixing import mix64
from headrace.stages.kernels.statistics_flags import Slots

PACKED = 7  # bytes up to which a text is its own key
_HASHED = np.uint64(1 << 63)
_BASE = np.uint64(0x9E3779B97F4A7C15)
_EIGHT, _FULL = np.uint64(8), np.uint64(56)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


def eights(data: Bytes) -> Hashes:
    """Give a view of bytes as the little-endian numbers of the eight from each place on; the last seven have none.

    It is not aligned, which numba knows and the processor allows. A view of less than two would be, and a second type
    to numba: bytes as few as that are followed by zeros.
    """
    if len(data) < 9:
        data = np.concatenate((data, np.zeros(9 - len(data), np.uint8)))
    view: npt.NDArray[np.uint64] = np.ndarray((len(data) - 7,), "<u8", data.data, strides=(1,))
    return read_only(view)


@lean
def eight(data: Bytes, wide: Hashes, at: int, size: int) -> np.uint64:
    """Give at most eight bytes as a number, the first in the lowest place, and 0 beyond them."""
    value = np.uint64(0)
    if at < len(wide):
        value = np.uint64(wide[at])
        return value if size == 8 else value & ~(_ALL << (_EIGHT * np.uint64(size)))
    for place in range(size):
        value |= np.uint64(data[at + place]) << (_EIGHT * np.uint64(place))
    return value


@lean
def key_of(data: Bytes, wide: Hashes, begin: int, end: int) -> np.uint64:
    """Give the key of a text."""
    size = end - begin
    if size <= PACKED:
        return eight(data, wide, begin, size) | np.uint64(size) << _FULL
    value = np.uint64(size)
    at = begin
    while at < end:
        value = (value ^ eight(data, wide, at, min(8, end - at))) * _BASE
        value ^= value >> np.uint64(29)
        at += 8
    return value | _HASHED


@lean
def number_of(
    data: Bytes,
    wide: Hashes,
    begin: int,
    end: int,
    key: np.uint64,
    table: Hashes,
    texts: Bytes,
    text_offsets: Offsets,
    count: int,
) -> int:
    """Give the number of a text with its key; a new one gets number `count`, and is kept behind the others."""
    last = len(table) - 1
    slot = np.int64(mix64(key)) & last
    while table[slot, 1] != 0:
        if table[slot, 0] == key:
            number = int(np.int64(table[slot, 1])) - 1
            if end - begin <= PACKED or is_text(data, begin, end, texts, text_offsets, number):
                return number
        slot = slot + 1 & last
    table[slot, 0], table[slot, 1] = key, count + 1
    for at in range(begin, end):
        texts[text_offsets[count] + at - begin] = data[at]
    text_offsets[count + 1] = text_offsets[count] + end - begin
    return count


@lean
def is_text(data: Bytes, begin: int, end: int, texts: Bytes, text_offsets: Offsets, number: int) -> bool:
    """Tell whether a text is the one with this number."""
    first = text_offsets[number]
    if text_offsets[number + 1] - first != end - begin:
        return False
    at = 0
    while at < end - begin and texts[first + at] == data[begin + at]:
        at += 1
    return at == end - begin


@kernel
def number_texts(
    data: Bytes,
    wide: Hashes,
    begins: Offsets,
    ends: Offsets,
    done: int,
    table: Hashes,
    texts: Bytes,
    text_offsets: Offsets,
    count: int,
    numbers: Slots,
) -> tuple[int, int]:
    """Number texts from some of them on; give how many are done and how many different ones are known.

    Where there is no room for another, the kernel stops: call it again with larger arrays.
    """
    while done < len(begins):
        begin, end = begins[done], ends[done]
        if 2 * count >= len(table) or count + 1 >= len(text_offsets):
            break
        if text_offsets[count] + end - begin > len(texts):
            break
        key = key_of(data, wide, begin, end)
        numbers[done] = number_of(data, wide, begin, end, key, table, texts, text_offsets, count)
        count = max(count, numbers[done] + 1)
        done += 1
    return done, count


@kernel
def spread(table: Hashes, larger: Hashes) -> None:
    """Enter the rows of a table into a larger one that is empty."""
    for row in range(len(table)):
        if table[row, 1] == 0:
            continue
        slot = np.int64(mix64(table[row, 0])) & len(larger) - 1
        while larger[slot, 1] != 0:
            slot = slot + 1 & len(larger) - 1
        larger[slot, 0], larger[slot, 1] = table[row, 0], table[row, 1]

"""Normalization of a whole column: what needs no look-up is copied, many bytes or a character at a time."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Offsets
from headrace.schemas.compiled import inlined, kernel, lean
from headrace.schemas.text_lanes import eight_bytes, lowest_bit, write_four
from headrace.tokenizers.kernels.normalize_lanes import copy_lanes
from headrace.tokenizers.kernels.normalize_steps import decode_checked, longest_rule, longest_symbol, may_follow
from headrace.tokenizers.kernels.normalize_tables import LOOKED_UP, SHORT, STARTS, Manner, Tables
from headrace.tokenizers.kernels.normalize_words import four_bytes, three_bytes, two_bytes

_LANES = 32
_WIDER = 2  # bytes that U+2581 has more than a space
_SPACE = 0x20
_MARK_1, _MARK_2, _MARK_3 = 0xE2, 0x96, 0x81
_ONE_SPACE = np.uint32(1 << 24 | _SPACE)  # in the form of the table of short replacements
_TOP = np.uint32(24)
_MARK, _MARK_WORD = np.uint32(0x2581), np.uint32(_MARK_3 << 16 | _MARK_2 << 8 | _MARK_1)
_LOW, _ONE = np.uint64(0xFFFFFFFF), np.uint64(1)
_END, _HIGH = np.uint64(1 << 32), np.uint64(32)
_STOPS = LOOKED_UP | SHORT
_SPECIAL = STARTS | LOOKED_UP | SHORT
_FULL = -1  # in place of where the output ends: there is no room


@kernel
def normalize_texts(
    data: Bytes, offsets: Offsets, first: int, out: Bytes, ends: Offsets, tables: Tables, manner: Manner
) -> int:
    """Normalize texts from the first one on, behind what is already there, until there is no room; give the next one.

    ends[i] and ends[i + 1] say where text i is in `out`.
    """
    for text in range(first, len(offsets) - 1):
        to = _text(data, offsets[text], offsets[text + 1], out, ends[text], tables, manner)
        if to == _FULL:
            return text
        ends[text + 1] = to
    return len(offsets) - 1


@lean
def _text(data: Bytes, at: int, end: int, out: Bytes, to: int, tables: Tables, manner: Manner) -> int:
    if manner.squeeze:
        at = _after_spaces(data, at, end, tables)
    if at >= end:
        return to
    if to > len(out) - tables.longest:
        return _FULL
    begun = to
    if manner.before:
        to = _write_space(out, to, manner)
    to = _body(data, at, end, out, to, tables, manner)
    if to == _FULL:
        return to
    if manner.squeeze:
        to = _without_spaces(out, begun, to, manner)
    return _write_space(out, to, manner) if manner.behind else to


@lean
def _body(data: Bytes, at: int, end: int, out: Bytes, to: int, tables: Tables, manner: Manner) -> int:
    room, wide = len(out) - tables.longest, len(data) - 2 * _LANES
    after_space, stopped = int(manner.squeeze), False  # 1 where a space that comes now is left out
    while at < end:
        if to > room:
            return _FULL
        begun, point, size = at, int(data[at]), 1
        if point >= 0x80:
            if 0xE0 <= point < 0xF0:
                at, to = _copy_three_bytes(data, at, end, min(end - 3, wide), out, to, tables, manner)
            else:
                at, to = _copy_others(data, at, end, min(end - 4, wide), out, to, tables.kind, room)
            if at > begun:
                after_space = 0
                continue
        elif at <= wide and not stopped and tables.kind[point] & _STOPS == 0:
            count, spaces = _copy_ascii(data, at, out, to, after_space, tables, manner)
            stopped = count < _LANES - tables.hold
            if count:
                count = min(count, end - at)
                after_space = int(manner.squeeze and spaces >> np.uint64(count - 1) & _ONE != 0)
                if manner.mark and not manner.folded:
                    to += _WIDER * _widen_spaces(data, at, count, out, to, spaces, tables)
                at, to = at + count, to + count
                continue
        stopped = False
        if point >= 0x80:
            point, size = decode_checked(data, at, end)
        kind = tables.kind[point]
        if size == 0 or kind & LOOKED_UP or (kind & STARTS and may_follow(data, at + size, end, tables.kind)):
            size, to, after_space = _look_up(data, at, end, out, to, after_space, tables, manner)
        elif kind & SHORT:
            to, after_space = _write_short(tables.short[point], out, to, after_space, manner)
        elif point == _SPACE:
            if after_space:
                size = _run_of_spaces(data, at, end)  # something that begins with two spaces was looked up above
            else:
                to = _write_space(out, to, manner)
            after_space = int(manner.squeeze)
        else:
            to, after_space = _copy_character(data, at, size, out, to, manner), 0
        at += size
    return to


@lean
def _run_of_spaces(data: Bytes, at: int, end: int) -> int:
    """Give how many spaces from a place on are nothing but that: the last one may begin something."""
    begun = at
    while at + 1 < end and data[at + 1] == _SPACE:
        at += 1
    return max(at - begun, 1)


@lean
def _copy_three_bytes(
    data: Bytes, at: int, end: int, last: int, out: Bytes, to: int, tables: Tables, manner: Manner
) -> tuple[int, int]:
    """Write characters of three bytes, which begin up to the last place, as they are or as short rules have it."""
    room = len(out) - tables.longest
    while at <= last and to <= room:
        word = np.uint32(eight_bytes(data, at) & _LOW)
        point, there = three_bytes(word)
        if not there:
            break
        kind = tables.kind[point]
        if kind & _SPECIAL:
            if kind & LOOKED_UP or (kind & STARTS and may_follow(data, at + 3, end, tables.kind)):
                break
            if kind & SHORT:
                word = tables.short[point]
                if word >> _TOP == 0 or word == _ONE_SPACE:
                    break
        if manner.folded and point == _MARK:
            break
        write_four(word, out, to)
        to += int(np.int64(word >> _TOP)) if kind & SHORT else 3
        at += 3
    return at, to


@lean
def _copy_others(
    data: Bytes, at: int, end: int, last: int, out: Bytes, to: int, kinds: Bytes, room: int
) -> tuple[int, int]:
    """Write characters of two and of four bytes, which begin up to the last place, that stay as they are."""
    while at <= last and to <= room:
        word = np.uint32(eight_bytes(data, at) & _LOW)
        point, there = two_bytes(word)
        size = 2
        if not there:
            point, there = four_bytes(word)
            size = 4
        if not there or kinds[point] & _STOPS:
            break
        if kinds[point] & STARTS and may_follow(data, at + size, end, kinds):
            break
        write_four(word, out, to)
        at, to = at + size, to + size
    return at, to


@lean
def _copy_ascii(
    data: Bytes, at: int, out: Bytes, to: int, after_space: int, tables: Tables, manner: Manner
) -> tuple[int, np.uint64]:
    """Copy up to 32 bytes that nothing but a swap is done to; give their number, and which of them are spaces now."""
    found = copy_lanes(data, at, out, to, tables.stops, tables.swaps, np.uint64(tables.hold))
    stops, spaces = np.uint64(found) & _LOW, np.uint64(found) >> _HIGH
    if manner.squeeze:
        stops |= spaces & (spaces << _ONE | np.uint64(after_space))
    return lowest_bit(stops | _END), spaces


@lean
def _widen_spaces(data: Bytes, at: int, count: int, out: Bytes, to: int, spaces: np.uint64, tables: Tables) -> int:
    """Write U+2581 for each space of a copy, and once more what is behind it; give how many there were."""
    spaces &= (_ONE << np.uint64(count)) - _ONE
    number = 0
    while spaces:
        place = lowest_bit(spaces)
        write_four(_MARK_WORD, out, to + place)
        to += _WIDER
        copy_lanes(data, at + place + 1, out, to + place + 1, tables.stops, tables.swaps, np.uint64(0))
        spaces &= spaces - _ONE
        number += 1
    return number


@lean
def _copy_character(data: Bytes, at: int, size: int, out: Bytes, to: int, manner: Manner) -> int:
    if manner.folded and size == 3 and data[at] == _MARK_1 and data[at + 1] == _MARK_2 and data[at + 2] == _MARK_3:
        out[to] = _SPACE
        return to + 1
    for behind in range(size):
        out[to + behind] = data[at + behind]
    return to + size


@lean
def _write_short(short: np.uint32, out: Bytes, to: int, after_space: int, manner: Manner) -> tuple[int, int]:
    if short == _ONE_SPACE:
        return to if after_space else _write_space(out, to, manner), int(manner.squeeze)
    size = int(np.int64(short >> _TOP))
    write_four(short, out, to)
    return to + size, after_space if size == 0 else 0


@lean
def _write_space(out: Bytes, to: int, manner: Manner) -> int:
    if manner.folded or not manner.mark:
        out[to] = _SPACE
        return to + 1
    out[to], out[to + 1], out[to + 2] = _MARK_1, _MARK_2, _MARK_3
    return to + 3


@inlined
def _look_up(
    data: Bytes, at: int, end: int, out: Bytes, to: int, after_space: int, tables: Tables, manner: Manner
) -> tuple[int, int, int]:
    """Write what stands for the beginning of the text; give its size, where the output ends, and if with a space."""
    size = longest_symbol(data, at, end, tables.symbols, tables.bounds)
    if size == 0:
        size, value = longest_rule(data, at, end, tables.trie)
        if size:
            stop = value
            while tables.replacements[stop]:
                stop += 1
            to, after_space = _write(tables.replacements, value, stop, out, to, after_space, manner)
            return size, to, after_space
        size = decode_checked(data, at, end)[1]
        if size == 0:
            out[to], out[to + 1], out[to + 2] = 0xEF, 0xBF, 0xBD  # U+FFFD for each byte that belongs to no character
            return 1, to + 3, 0
    to, after_space = _write(data, at, at + size, out, to, after_space, manner)
    return size, to, after_space


@inlined
def _write(source: Bytes, at: int, end: int, out: Bytes, to: int, after_space: int, manner: Manner) -> tuple[int, int]:
    while after_space and at < end and source[at] == _SPACE:
        at += 1
    if at == end:
        return to, after_space
    while at < end:
        byte = source[at]
        if byte == _SPACE:
            to = _write_space(out, to, manner)
        elif (
            manner.folded
            and byte == _MARK_1
            and end - at >= 3
            and source[at + 1] == _MARK_2
            and source[at + 2] == _MARK_3
        ):
            out[to] = _SPACE
            to, at = to + 1, at + 2
        else:
            out[to] = byte
            to += 1
        at += 1
    return to, int(manner.squeeze and source[end - 1] == _SPACE)


@lean
def _after_spaces(data: Bytes, at: int, end: int, tables: Tables) -> int:
    """Give where the text begins: behind all that stands for exactly one space."""
    while at < end:
        size = longest_symbol(data, at, end, tables.symbols, tables.bounds)
        if size:
            if size > 1 or data[at] != _SPACE:
                return at
        else:
            size, value = longest_rule(data, at, end, tables.trie)
            if size and (tables.replacements[value] != _SPACE or tables.replacements[value + 1]):
                return at
            if size == 0 and data[at] != _SPACE:
                return at
        at += max(size, 1)
    return at


@lean
def _without_spaces(out: Bytes, begun: int, to: int, manner: Manner) -> int:
    """Give where the output ends without the spaces, or marks, at its end; marks that the text itself had count too."""
    wide = manner.mark and not manner.folded
    while to > begun:
        if not wide and out[to - 1] == _SPACE:
            to -= 1
        elif wide and to - begun >= 3 and out[to - 3] == _MARK_1 and out[to - 2] == _MARK_2 and out[to - 1] == _MARK_3:
            to -= 3
        else:
            break
    return to

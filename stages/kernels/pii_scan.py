"""Which lines may hold personal data: one pass over the bytes at memory speed, so that only few are looked at closely.

A line is marked that has an @, six digits with nothing but joints between them (four, if one has full width or three
dots are among them), groups of an IPv6 address, a word for WeChat or QQ, a letter of full width, or what may begin a
vehicle's plate. `pii_plain` says the same in regular expressions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from headrace.schemas.arrays import Bytes, Classes, Flags, Offsets
from headrace.schemas.compiled import kernel, part
from headrace.stages.kernels.utf8 import decode

# What a byte may begin; 0 = nothing of interest.
NEW_LINE, DIGIT, AT, COLON, LETTER, WEI, WIDE, MATH = range(1, 9)
MANY_DIGITS, FEW_DIGITS = 6, 4
WIDEST_JOINT = 3  # characters between two digits of one number
LETTERS_OF_PLATE = 3


class Anchors(NamedTuple):
    """Tables of the scan: what each byte may begin, the ASCII bytes that may join digits, and who begins a plate."""

    roles: Classes
    joints: Flags
    plates: Flags  # by code point


@kernel
def marked_stretches(data: Bytes, offsets: Offsets, anchors: Anchors, room: int) -> tuple[Offsets, int]:
    """Give (document, begin, end) of each run of marked lines, the line before and the line behind it included.

    Of more than `room` rows the first come back, and how many there are.
    """
    roles, joints, plates = anchors.roles, anchors.joints, anchors.plates
    rows = np.empty((room, 3), np.int64)
    count = 0
    for document in range(len(offsets) - 1):
        at, end = offsets[document], offsets[document + 1]
        before = at  # where the line before this one begins
        last = follows = -1  # where the last stretch ends, and where the line behind its last marked line begins
        while at < end:
            begin = at
            marked, at = look(data, begin, end, roles, joints, plates)
            if marked and before >= last:
                if count < room:
                    rows[count, 0], rows[count, 1] = document, before
                count += 1
            if marked or begin == follows:
                last = at
                if count <= room:
                    rows[count - 1, 2] = at
            if marked:
                follows = at
            before = begin
    return rows[: min(count, room)].copy(), count


@part
def look(data: Bytes, at: int, end: int, roles: Classes, joints: Flags, plates: Flags) -> tuple[bool, int]:
    """Tell whether the line that begins at a byte is marked, and where the next one begins."""
    begin = at
    marked = False
    while at < end and not marked:
        role = roles[data[at]]
        if role == 0:
            at += 1
        elif role == NEW_LINE:
            return False, at + 1
        elif role == WIDE and not is_wide_digit(data, at):
            marked = is_wide(data, at)
            at += 3
        elif digit_width(data, at):
            marked, at = chain(data, at, begin, end, joints, plates)
        else:
            marked = role == AT or anchored(data, at, begin, end, role)
            at += 1
    while at < end and data[at] != 0x0A:
        at += 1
    return marked, min(at + 1, end)


@part
def anchored(data: Bytes, at: int, begin: int, end: int, role: int) -> bool:
    """Tell whether an anchor begins at a byte that is no digit."""
    if role == COLON:
        return in_groups(data, at, begin, end)
    if role == LETTER:
        return names_account(data, at, begin, end)
    if role != WEI or at < begin + 2 or data[at - 2] != 0xE5 or data[at - 1] != 0xBE:
        return False
    return is_letter_xin(data, at + 1, end) or adds(data, at - 2, begin)  # 微信 is E5 BE AE E4 BF A1


@part
def is_wide_digit(data: Bytes, at: int) -> bool:
    """Tell whether a digit of full width begins at a byte EF."""
    return bool(data[at + 1] == 0xBC and 0x90 <= data[at + 2] <= 0x99)


@part
def is_wide(data: Bytes, at: int) -> bool:
    """Tell whether a letter of full width, or another form of @, begins at a byte EF."""
    second, third = data[at + 1], data[at + 2]
    if second == 0xBC:
        return bool(0xA0 <= third <= 0xBA)
    return bool((second == 0xBD and 0x81 <= third <= 0x9A) or (second == 0xB9 and third == 0xAB))


@part
def is_letter_xin(data: Bytes, at: int, end: int) -> bool:
    """Tell whether 信 begins at a byte."""
    return bool(at + 2 < end and data[at] == 0xE4 and data[at + 1] == 0xBF and data[at + 2] == 0xA1)


@part
def names_account(data: Bytes, at: int, begin: int, end: int) -> bool:
    """Tell whether qq, vx, wx, wec(hat), wei(xin), v信, or the v of 加v begins at a byte."""
    if at + 1 >= end:
        return False
    first, second = data[at] | 32, data[at + 1] | 32
    if first == 0x71:
        return bool(second == 0x71)
    if second == 0x78:
        return True
    if first == 0x76:
        return is_letter_xin(data, at + 1, end) or adds(data, at, begin)
    return bool(second == 0x65 and at + 2 < end and (data[at + 2] | 32 == 0x63 or data[at + 2] | 32 == 0x69))


@part
def adds(data: Bytes, at: int, begin: int) -> bool:
    """Tell whether 加, or 加 with one character more, ends before a byte: 加微, 加我v."""
    for stop in (at, at - 3):
        if stop >= begin + 3 and data[stop - 3] == 0xE5 and data[stop - 2] == 0x8A and data[stop - 1] == 0xA0:
            return True
    return False


@part
def in_groups(data: Bytes, at: int, begin: int, end: int) -> bool:
    """Tell whether a colon stands behind a hexadecimal digit and before a second one, or before two more groups."""
    if at == begin or not is_hexadecimal(data[at - 1]) or at + 1 >= end:
        return False
    if data[at + 1] == 0x3A:
        return True
    stop = at + 1
    for _ in range(2):
        first = stop
        while stop < end and stop < first + 4 and is_hexadecimal(data[stop]):
            stop += 1
        if stop == first or stop >= end or data[stop] != 0x3A:
            return False
        stop += 1
    return True


@part
def is_hexadecimal(byte: int) -> bool:
    """Tell whether a byte is 0-9, a-f or A-F."""
    return 0x30 <= byte <= 0x39 or 0x61 <= byte | 32 <= 0x66


@part
def digit_width(data: Bytes, at: int) -> int:
    """Give how many bytes a decimal digit that begins here has: ASCII, full width, mathematical; 0 for others."""
    byte = data[at]
    if byte < 0x80:
        return int(0x30 <= byte <= 0x39)
    if byte == 0xEF and is_wide_digit(data, at):
        return 3
    return 4 if byte == 0xF0 and data[at + 1] == 0x9D and data[at + 2] == 0x9F and data[at + 3] >= 0x8E else 0


@part
def joint_width(data: Bytes, at: int, joints: Flags) -> int:
    """Give how many bytes a character that may stand between digits of one number has; 0 for others.

    Beyond ASCII these are whole blocks: a space, dash or mark without width more costs nothing but a closer look.
    """
    byte = data[at]
    if byte < 0x80:
        return int(joints[byte])
    if byte == 0xC2 or byte == 0xD8:
        return 2
    if byte == 0xE2 or byte == 0xE1:
        return 3
    if byte == 0xEF:
        return 0 if is_wide(data, at) else 3
    if byte == 0xE3 and data[at + 1] <= 0x83:
        return 3 if data[at + 1] == 0x80 or data[at + 2] == 0xBB else 0
    return 4 if byte == 0xF3 else 0


@part
def chain(data: Bytes, at: int, begin: int, end: int, joints: Flags, plates: Flags) -> tuple[bool, int]:
    """Tell whether the digits from here on are enough to mark a line, and where they end."""
    if begins_plate(data, at, begin, joints, plates):
        return True, at
    digits = dots = between = wide = 0
    after = at
    while at < end:
        width = digit_width(data, at)
        if width:
            digits += 1
            between = 0
            wide |= width
            after = at + width
        else:
            width = joint_width(data, at, joints)
            between += 1
            if width == 0 or between > WIDEST_JOINT:
                break
            dots += int(data[at] == 0x2E)
        at += width
        if digits >= MANY_DIGITS or (digits >= FEW_DIGITS and (dots >= 3 or wide > 1)):
            return True, at
    return False, after


@part
def begins_plate(data: Bytes, at: int, begin: int, joints: Flags, plates: Flags) -> bool:
    """Tell whether one to three letters, and joints, stand between a digit and the sign of a province before it."""
    letters = between = 0
    while at > begin and letters <= LETTERS_OF_PLATE and between <= WIDEST_JOINT:
        at -= 1
        byte = data[at]
        if 0x61 <= byte | 32 <= 0x7A:
            letters += 1
        elif byte < 0x80:
            if not joints[byte]:
                return False
            between += 1
        else:
            while at > begin and data[at] & 0xC0 == 0x80:
                at -= 1
            point, _ = decode(data, at)
            if plates[point]:
                return letters > 0
            between += 1
    return False

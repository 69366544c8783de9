"""Where the rows of a CSV file end: line ends outside quoted fields, as RFC 4180 has them and as sloppy writers do."""

from __future__ import annotations

import numpy as np

from headrace.schemas.arrays import Bytes, Offsets
from headrace.schemas.compiled import kernel, part

MOST_LINES = 100_000  # of one quoted field: a quote that is open for longer was never meant to open anything
FIELD, BARE, QUOTED, CLOSING = 0, 1, 2, 3  # at a field's begin, in an unquoted one, in a quoted one, behind its quote

_QUOTE, _FEED, _TAB, _COMMA, _SEMICOLON, _BAR, _RETURN = 0x22, 0x0A, 0x09, 0x2C, 0x3B, 0x7C, 0x0D
_ASCII = 0x80


@kernel
def row_ends(data: Bytes, most_lines: int) -> tuple[Offsets, int]:
    """Give where rows end in bytes that begin with a row, and the state at the end.

    A quote opens a field only at its begin, and closes it only in front of a delimiter or a line end; elsewhere it is a
    sign like any other, so that a stray one costs its row and not all rows behind it.
    """
    room = 0
    for byte in data:
        room += byte == _FEED
    ends = np.empty(room, np.int64)
    count, state, opened, lines = 0, FIELD, 0, 0
    at = _mark(data)
    while at < len(data):
        byte = data[at]
        before = data[at - 1] if at else byte
        following = _next(state, byte, before)
        if following == QUOTED and state == FIELD:
            opened, lines = at, 0
        if byte == _FEED:
            if following == QUOTED:
                lines += 1
                if lines > most_lines:
                    at, following = opened, BARE
            else:
                ends[count] = at + 1
                count += 1
        state = following
        at += 1
    return ends[:count], state


@part
def _next(state: int, byte: int, before: int) -> int:
    if state == QUOTED:
        return CLOSING if byte == _QUOTE else QUOTED
    if byte == _FEED:
        return FIELD
    if byte in (_COMMA, _SEMICOLON, _TAB) or (byte == _BAR and before < _ASCII):  # 7C may end a GBK character
        return FIELD
    if state == CLOSING:
        return BARE if byte == _RETURN else QUOTED
    return QUOTED if byte == _QUOTE and state == FIELD else BARE


@part
def _mark(data: Bytes) -> int:
    """Give the length of a byte order mark: of UTF-8, or of UTF-16 and UTF-32 as one unit that became FF."""
    if len(data) and data[0] == 0xFF:
        return 1
    return 3 if len(data) > 2 and data[0] == 0xEF and data[1] == 0xBB and data[2] == 0xBF else 0

"""Characters of UTF-8 as the codes of a model."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from headrace.schemas.arrays import Bytes
from headrace.schemas.compiled import lean
from headrace.tokenizers.kernels.piece_tables import CODE_POINTS, NO_CHARACTER, Codes
from headrace.tokenizers.kernels.wide_reads import item_at

Places = npt.NDArray[np.int32]  # counted from the beginning of a unit


@lean
def character_at(data: Bytes, at: int, codes: Codes) -> int:
    """Give 8 times the code of the character at a place, and its bytes; three bytes behind it can be read."""
    lead = item_at(data, at)
    if lead < 0x80:
        return item_at(codes, lead) << 3 | 1
    second = item_at(data, at + 1) & 0x3F
    if lead < 0xE0:
        return item_at(codes, (lead & 0x1F) << 6 | second) << 3 | 2
    third = item_at(data, at + 2) & 0x3F
    if lead < 0xF0:
        return item_at(codes, (lead & 0x0F) << 12 | second << 6 | third) << 3 | 3
    point = (lead & 0x07) << 18 | second << 12 | third << 6 | (item_at(data, at + 3) & 0x3F)
    return item_at(codes, min(point, CODE_POINTS - 1)) << 3 | 4


@lean
def read_unit(data: Bytes, at: int, end: int, codes: Codes, unit: Codes, places: Places) -> int:
    """Fill the codes of a unit's characters, NO_CHARACTER behind them, and where each begins; gives their number."""
    size, begin = 0, at
    while at < end:
        places[size] = at - begin
        character = character_at(data, at, codes)
        unit[size] = character >> 3
        at += character & 7
        size += 1
    places[size] = end - begin
    unit[size] = NO_CHARACTER
    return size

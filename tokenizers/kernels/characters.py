"""Characters of UTF-8 as the codes of a model."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from headrace.schemas.arrays import Bytes
from headrace.schemas.compiled import lean
from headrace.tokenizers.kernels.piece_tables import CODE_POINTS, NO_CHARACTER, Codes

Places = npt.NDArray[np.int32]  # counted from the beginning of a unit


@lean
def width(lead: int) -> int:
    """Give the number of bytes of the character that begins with a byte."""
    return 1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4


@lean
def code_at(data: Bytes, at: int, codes: Codes) -> int:
    """Give the code of the character at a place; three bytes behind it can be read, whatever they are."""
    lead = int(data[at])
    if lead < 0x80:
        return int(codes[lead])
    second = int(data[at + 1]) & 0x3F
    if lead < 0xE0:
        return int(codes[(lead & 0x1F) << 6 | second])
    third = int(data[at + 2]) & 0x3F
    if lead < 0xF0:
        return int(codes[(lead & 0x0F) << 12 | second << 6 | third])
    point = (lead & 0x07) << 18 | second << 12 | third << 6 | (int(data[at + 3]) & 0x3F)
    return int(codes[min(point, CODE_POINTS - 1)])


@lean
def read_unit(data: Bytes, at: int, end: int, codes: Codes, unit: Codes, places: Places) -> int:
    """Fill the codes of a unit's characters, NO_CHARACTER behind them, and where each begins; gives their number."""
    size, begin = 0, at
    while at < end:
        places[size] = at - begin
        unit[size] = code_at(data, at, codes)
        at += width(int(data[at]))
        size += 1
    places[size] = end - begin
    unit[size] = NO_CHARACTER
    return size

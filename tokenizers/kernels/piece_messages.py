"""The pieces of a model file, read in one go: a large vocabulary has more of them than Python reads in a second."""

from __future__ import annotations

from headrace.schemas.arrays import Bytes, Offsets, Signatures
from headrace.schemas.compiled import kernel, lean

_PIECE, _SCORE, _TYPE = 0x0A, 0x15, 0x18  # tags: a message or text of known size, four bytes, a number
_FIRST_TYPE, _LAST_TYPE = 1, 6


@kernel
def read_run(data: Bytes, begins: Offsets, ends: Offsets, scores: Signatures, types: Bytes) -> tuple[int, int]:
    """Read the pieces at the beginning of a file; give their number and where the next field is.

    Only those as the library writes them are read: text, score, and perhaps a type. At the first that is otherwise, or
    when an array is full, it ends: `model_pieces` reads any. Scores come as the bits of their 32-bit floats.
    """
    at = count = 0
    while count < len(begins) and at < len(data) and data[at] == _PIECE:
        size, begin = _size(data, at + 1)
        if (
            size < 0
            or begin + size > len(data)
            or not _read(data, begin, begin + size, begins, ends, scores, types, count)
        ):
            break
        at = begin + size
        count += 1
    return count, at


@lean
def _read(
    data: Bytes, at: int, end: int, begins: Offsets, ends: Offsets, scores: Signatures, types: Bytes, number: int
) -> bool:
    if at == end or data[at] != _PIECE:
        return False
    size, at = _size(data, at + 1)
    begins[number], ends[number] = at, at + size
    at += size
    if size < 0 or at + 5 > end or data[at] != _SCORE:
        return False
    bits = int(data[at + 1]) | int(data[at + 2]) << 8 | int(data[at + 3]) << 16 | int(data[at + 4]) << 24
    scores[number] = bits
    types[number] = _FIRST_TYPE
    at += 5
    if at + 2 == end and data[at] == _TYPE and _FIRST_TYPE <= data[at + 1] <= _LAST_TYPE:
        types[number] = data[at + 1]
        return True
    return at == end


@lean
def _size(data: Bytes, at: int) -> tuple[int, int]:
    """Give a size of one or two bytes and what is behind it; -1 where it is none, or longer."""
    if at + 1 >= len(data):
        return -1, at
    if data[at] < 0x80:
        return int(data[at]), at + 1
    if data[at + 1] < 0x80:
        return int(data[at]) & 0x7F | int(data[at + 1]) << 7, at + 2
    return -1, at

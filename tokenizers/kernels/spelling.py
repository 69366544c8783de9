"""Unknown characters in bytes."""

from __future__ import annotations

from headrace.schemas.arrays import Bytes
from headrace.schemas.compiled import lean
from headrace.tokenizers.kernels.piece_tables import MARKS, PieceTables
from headrace.tokenizers.kernels.unit_cache import WideIds

SPELLED_IDS = 3  # of a byte at most
_SPACE, _FIRST, _SECOND, _THIRD = 0x20, 0xE2, 0x96, 0x81


@lean
def spell(data: Bytes, begin: int, end: int, tables: PieceTables, out: WideIds, to: int, step: int) -> int:
    """Write the ids of the bytes of a character, from the last to the first with a step of -1; gives where they end.

    A space that stands for U+2581 has the three bytes of that.
    """
    ids = tables.byte_ids
    if data[begin] == _SPACE and tables.facts[MARKS]:
        front = to if step > 0 else to + 2
        out[front], out[to + 1], out[front + 2 * step] = ids[_FIRST], ids[_SECOND], ids[_THIRD]
        return to + 3
    front = to if step > 0 else to + end - begin - 1
    for byte in range(begin, end):
        out[front + step * (byte - begin)] = ids[data[byte]]
    return to + end - begin

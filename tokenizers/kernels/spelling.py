"""Unknown characters: in bytes, or one id for a run of them."""

from __future__ import annotations

from headrace.schemas.arrays import Bytes, Offsets
from headrace.schemas.compiled import kernel, lean
from headrace.tokenizers.kernels.piece_tables import MARKS, UNKNOWN, PieceTables
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


@kernel
def join_unknown(ids: WideIds, starts: Offsets, tables: PieceTables) -> None:
    """Leave one id of each run of unknown characters in a text, as the library does where bytes do not spell them."""
    unknown, to, at = tables.facts[UNKNOWN], 0, 0
    for text in range(len(starts) - 1):
        end, before = starts[text + 1], -1
        starts[text] = to
        while at < end:
            if ids[at] != unknown or before != unknown:
                ids[to] = ids[at]
                to += 1
            before = ids[at]
            at += 1
    starts[len(starts) - 1] = to
